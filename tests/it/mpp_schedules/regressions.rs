//! Schedules that broke the bridge once, as small as they could be made.

use super::{Act, Line, run};

/// A row failed before its dispatch and the store was too busy to take it. A migration had the queue read
/// again meanwhile, page by page; a later page, which need not see the latest, showed the row as pending
/// after its end was durable, and it failed a second time.
#[test]
fn a_row_whose_end_becomes_durable_behind_a_first_page_is_not_taken_from_a_later_one() {
    run(&[
        Act::Enqueue(vec![(0, None), (3, None)]),
        Act::Answer(1, true),
        Act::Restart(true),
        Act::Migrate,
        Act::Answer(5, true),
        Act::Answer(1, true),
        Act::Restart(true),
        Act::Connect,
        Act::Line(None, Line::Next(0)),
        Act::Answer(2, false),
        Act::Enqueue(vec![(2, None), (2, None)]),
        Act::Connect,
        Act::Migrate,
    ]);
}
