//! Marks, cancelling many together, moving rows of another manifest, and recordings.

use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::{
    steps::{commands, pending_list},
    test_console::{TestConsole, connected, dispatched, done, row, show},
};
use crate::{
    console::{
        input::{keymap::KeyScope, pane_id::PaneId},
        systems::{
            bridge::{bulk::BulkPart, outcomes::BridgeCommand, pending::PendingPage},
            station::outcomes::StationCommand,
        },
        ui::{effect::Effect, event::Event},
    },
    ids::{InvocationId, RefundId},
    mpp,
    mpp::{CancelledRow, RefundRef, Refusal},
    port::{Command, Outcome, Page, PortError},
    tap::entry::{
        mpp::{RefundStatus, RowState},
        station,
    },
};

fn cancelled(id: u64) -> CancelledRow {
    let refund = Some(RefundRef { id: RefundId(id), status: RefundStatus::Requested });
    CancelledRow { id: InvocationId(id), queue: "default".into(), refund }
}

fn answer(
    stage: &mut TestConsole,
    outcome: Result<Vec<Result<CancelledRow, Refusal>>, PortError>,
) -> Vec<Effect> {
    let outcome = outcome.map(|rows| Outcome::Mpp(mpp::Outcome::Cancelled(rows)));
    stage.event(Event::CommandAnswered { on_outcome: Box::new(BulkPart), outcome })
}

fn ids(commands: &[mpp::Command]) -> Vec<u64> {
    match commands {
        [mpp::Command::Cancel { ids, .. }] => ids.iter().map(|id| id.0).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn marks_are_seen_move_on_and_go_with_esc() {
    let mut stage = pending_list(43..=45, false);
    stage.char('v');
    stage.char('v');
    let text = stage.text();
    assert!(text.contains("◆43") && text.contains("◆44") && text.contains("2 marked"), "{text}");
    stage.key(KeyCode::Home);
    stage.char('v');
    assert!(!stage.text().contains("◆43"), "a mark is taken off again");
    stage.key(KeyCode::Esc);
    assert_eq!(
        (stage.ui.key_scope(), stage.ui.systems.bridge.marked_rows.len()),
        (KeyScope::Pane(PaneId::Pending), 0)
    );
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
}

#[test]
fn marks_are_bounded_and_only_what_waits_is_marked() {
    let mut stage = pending_list(43..=45, false);
    stage.mpp(dispatched(43, "default"), "");
    stage.char('v');
    assert!(
        stage.text().contains("43 is dispatched; only pending or ended rows can be marked"),
        "{}",
        stage.text()
    );
    stage.ui.limits.console.marks_max = 1;
    stage.key(KeyCode::Down);
    stage.char('v');
    stage.char('v');
    assert!(
        stage.text().contains("1 rows are already marked (limits.console.marks_max)"),
        "{}",
        stage.text()
    );
}

#[test]
fn many_are_cancelled_in_parts_with_refunds_and_one_account() {
    let mut stage = pending_list([43, 44, 45, 47, 48].into_iter(), false);
    stage.ui.limits.mpp.command_rows_max = 2;
    for _ in 0..5 {
        stage.char('v');
    }
    stage.char('x');
    stage.char('r');
    stage.mpp(dispatched(44, "default"), "");
    let text = stage.text();
    for words in [
        "Cancel 5 marked?",
        "4 pending: 4 on default",
        "1 no longer pending, skipped: 1 dispatched",
        "yes, for each",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert_eq!(ids(&commands(stage.char('y'))), [43, 45]);
    stage.char('x');
    assert!(stage.text().contains("another bulk cancel is running"), "{}", stage.text());
    let effects = answer(
        &mut stage,
        Ok(vec![Ok(cancelled(43)), Err(Refusal::WrongState { id: InvocationId(45), state: RowState::Done })]),
    );
    assert_eq!(ids(&commands(effects)), [47, 48]);
    assert_eq!(answer(&mut stage, Ok(vec![Ok(cancelled(47)), Ok(cancelled(48))])), []);
    assert!(
        stage.text().contains("3 cancelled, 3 refunds recorded; 1 refused: 1 now done"),
        "{}",
        stage.text()
    );
    assert!(stage.ui.systems.bridge.bulk.is_none());
}

#[test]
fn what_stands_against_one_part_ends_it_and_the_marks_stay() {
    let mut stage = pending_list(43..=45, false);
    stage.ui.limits.mpp.command_rows_max = 2;
    for _ in 0..3 {
        stage.char('v');
    }
    stage.char('x');
    assert_eq!(ids(&commands(stage.char('y'))), [43, 44]);
    let refusal = Refusal::NotStored { why: "the disk is full".to_owned() };
    assert_eq!(answer(&mut stage, Err(PortError::Refused(refusal))), []);
    assert!(stage.text().contains("0 cancelled; 3 were not cancelled: the disk is full"), "{}", stage.text());
    assert_eq!(
        (stage.ui.systems.bridge.marked_rows.len(), stage.ui.systems.bridge.bulk.is_none()),
        (3, true)
    );
}

#[test]
fn when_all_went_away_nothing_is_asked() {
    let mut stage = pending_list(43..=43, false);
    stage.char('v');
    stage.char('x');
    stage.mpp(dispatched(43, "default"), "");
    stage.mpp(done(43, "default"), "");
    assert!(stage.text().contains("None of them is still pending"), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    assert!(stage.ui.systems.bridge.marked_rows.is_empty());
}

/// A station with rows of another manifest.
pub(super) fn with_others(columns: u16, rows: u16) -> TestConsole {
    let mut stage = TestConsole::of_size(columns, rows);
    let mut snapshot = connected();
    for (queue, count) in [("boss", 2), ("default", 10)] {
        snapshot.mpp.queues.get_mut(queue).unwrap().other_manifest = count;
    }
    stage.resync(snapshot);
    stage
}

#[test]
fn migrating_says_what_becomes_of_them_and_what_did() {
    let mut stage = with_others(80, 24);
    stage.act(crate::console::input::action::Action::Migrate);
    let text = stage.text();
    assert!(text.contains("12 pending under a stale manifest: 2 on boss, 10 on default."), "{text}");
    assert_eq!(commands(stage.char('y')), [mpp::Command::Migrate]);
    let outcome = mpp::Outcome::Migrated { moved: 9, failed: 1, left: 2 };
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(BridgeCommand),
        outcome: Ok(Outcome::Mpp(outcome)),
    });
    let words = "9 moved to this pack, 1 failed: their queue is not in the";
    assert!(stage.text().contains(words), "{}", stage.text());
    let mut stage = show(80, 24);
    stage.act(crate::console::input::action::Action::Migrate);
    assert!(stage.text().contains("no pending rows of a stale manifest"), "{}", stage.text());
}

#[test]
fn a_recording_starts_at_once_and_stops_after_a_question() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    let effects = stage.ctrl('r');
    assert!(
        matches!(&effects[..], [Effect::Command { command: Command::RecordStart { path: None, .. }, .. }]),
        "{effects:?}"
    );
    let path = PathBuf::from("/data/recordings/2026-11-21_18-04-11.mcap");
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(StationCommand),
        outcome: Ok(Outcome::Recording { path: path.clone() }),
    });
    assert!(
        stage.text().contains("recording into /data/recordings/2026-11-21_18-04-11.mcap"),
        "{}",
        stage.text()
    );
    stage.station(station::Transition::RecordingStarted, "/data/recordings/2026-11-21_18-04-11.mcap");
    stage.station(station::Transition::RecordingGrew { bytes: 3 << 20 }, "");
    stage.ctrl('r');
    assert!(
        stage.text().contains("Stop recording?") && stage.text().contains("holds 3 MiB"),
        "{}",
        stage.text()
    );
    let effects = stage.char('y');
    assert!(matches!(&effects[..], [Effect::Command { command: Command::RecordStop, .. }]), "{effects:?}");
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(StationCommand),
        outcome: Ok(Outcome::Recorded { path, bytes: 3 << 20, entries: 1_234, files: 1 }),
    });
    assert!(stage.text().contains("recorded 1234 entries, 3 MiB"), "{}", stage.text());
}

#[test]
fn a_page_that_comes_later_keeps_the_marks() {
    let mut stage = pending_list(43..=45, false);
    stage.char('v');
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PendingPage {
            queue: "default".into(),
            direction: crate::console::input::direction::Direction::Initial,
            serial: 1,
        }),
        page: Ok(Page::Invocations { rows: (43..=60).map(row).collect(), more: false, beyond: None }),
    });
    assert!(stage.ui.systems.bridge.marked_rows.contains(InvocationId(43)));
}
