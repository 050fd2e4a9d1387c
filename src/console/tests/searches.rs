//! Searches of panes: what is marked, what is selected, what is said.

use crossterm::event::KeyCode;

use super::{
    steps::pending_list,
    test_console::{TestConsole, row, show},
    wire::flooded,
};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        records::selection::Selection,
        ui,
        ui::{effect::Effect, event::Event, state::Focus},
    },
    ids::InvocationId,
    port::{Page, Query},
};

fn recent() -> TestConsole {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage
}

fn selected(stage: &TestConsole) -> usize {
    stage.ui.selection(PaneId::Recent).map_or(0, Selection::index)
}

fn counts(stage: &TestConsole) -> (usize, usize) {
    ui::counts(PaneId::Recent, &stage.ui, &stage.model)
}

/// The rows of Recent that fit what is looked for.
fn hits(stage: &TestConsole) -> Vec<usize> {
    let rows = ui::rows(PaneId::Recent, &stage.ui, &stage.model);
    (0..41).filter(|row| ui::rows::is_hit(PaneId::Recent, &stage.ui, &rows, *row)).collect()
}

#[test]
fn rows_that_fit_are_marked_and_none_is_hidden() {
    let mut stage = recent();
    assert!(!stage.text().contains('»'));
    stage.ctrl('f');
    assert_eq!(stage.ui.key_scope(), KeyScope::SearchLine);
    stage.write("fail");
    assert_eq!((counts(&stage), selected(&stage)), ((41, 41), hits(&stage)[0]));
    let screen = stage.text();
    assert!(screen.contains("✓ 1 hit") && screen.contains("find: fail (1 hit)"), "{screen}");
    assert_eq!(screen.matches('»').count(), 1, "{screen}");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Recent));
    assert!(stage.text().contains("find: fail (1 hit)"));
    stage.ctrl('n');
    assert!(stage.text().contains("wrapped to the top: hit 1 of 1"), "{}", stage.text());
}

#[test]
fn it_goes_from_hit_to_hit_and_says_when_it_goes_round() {
    let mut stage = recent();
    (0..3).for_each(|_| drop(stage.key(KeyCode::Down)));
    stage.ctrl('f');
    stage.write("not state:failed id<36");
    let all = hits(&stage);
    assert!(all.len() > 3 && all[0] > 3, "{all:?}");
    stage.key(KeyCode::Enter);
    assert_eq!(selected(&stage), all[0], "the first from the selected row on");
    stage.ctrl('n');
    assert_eq!((selected(&stage), stage.ui.message.is_some()), (all[1], false));
    stage.ctrl('p');
    stage.ctrl('p');
    assert_eq!(selected(&stage), *all.last().unwrap());
    let screen = stage.text();
    assert!(screen.contains(&format!("wrapped to the end: hit {0} of {0}", all.len())), "{screen}");
    stage.ctrl('n');
    assert_eq!(selected(&stage), all[0]);
    assert!(stage.text().contains(&format!("wrapped to the top: hit 1 of {}", all.len())));
    stage.key(KeyCode::Home);
    stage.ctrl('f');
    stage.write("id<36");
    stage.ctrl('n');
    assert_eq!(selected(&stage), hits(&stage)[1], "in the line too");
}

#[test]
fn esc_restores_and_an_empty_search_takes_it_off() {
    let mut stage = recent();
    stage.key(KeyCode::Down);
    stage.ctrl('f');
    stage.write("fail");
    assert_ne!(selected(&stage), 1);
    stage.key(KeyCode::Esc);
    assert_eq!((selected(&stage), stage.ui.table_settings(PaneId::Recent).search()), (1, None));
    stage.ctrl('f');
    stage.write("fail");
    stage.key(KeyCode::Enter);
    stage.ctrl('f');
    stage.write("item");
    stage.key(KeyCode::Esc);
    assert!(stage.text().contains("find: fail (1 hit)"), "{}", stage.text());
    stage.ctrl('f');
    stage.key(KeyCode::Enter);
    assert!(!stage.text().contains("find:"));
    stage.ctrl('n');
    assert!(stage.text().contains("no search in Recent yet; ctrl-f starts one"), "{}", stage.text());
    stage.ctrl('f');
    stage.key(KeyCode::Up);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("find: fail (1 hit)"), "it is called back");
    stage.key(KeyCode::Esc);
    assert!(!stage.text().contains("find:"), "Esc takes it off");
}

#[test]
fn what_cannot_be_read_or_fits_nothing_moves_nothing() {
    let mut stage = recent();
    stage.key(KeyCode::Down);
    stage.ctrl('f');
    stage.write("fail stat:done");
    let screen = stage.text();
    assert!(screen.contains("there is no field `stat`: did you mean `state`?"), "{screen}");
    assert!(screen.contains("still find: fail stat"), "{screen}");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("no search yet:"), "{}", stage.text());
    stage.ctrl('u');
    stage.write("nobody-has-this");
    assert!(stage.text().contains("(0 hits)"), "{}", stage.text());
    assert_eq!(selected(&stage), 1);
    stage.key(KeyCode::Enter);
    stage.ctrl('n');
    assert_eq!(selected(&stage), 1);
    assert!(stage.text().contains("no row matches the search"), "{}", stage.text());
}

#[test]
fn a_search_looks_in_what_the_filter_leaves() {
    let mut stage = recent();
    stage.char('/');
    stage.write("state:failed");
    stage.key(KeyCode::Enter);
    stage.ctrl('f');
    stage.write("item");
    stage.key(KeyCode::Enter);
    let screen = stage.text();
    let shown = counts(&stage).0;
    assert!(shown < 41 && screen.contains("find: item (1 hit) /state:failed 1 of 41"), "{screen}");
}

#[test]
fn the_wire_is_searched_a_part_at_a_time_from_its_newest_entry() {
    let mut stage = flooded(8_000);
    stage.ctrl('f');
    stage.write("queue:boss kind:enqueued");
    assert!(stage.text().contains("% searched"), "{}", stage.text());
    let before = stage.ui.selected(PaneId::Wire, &stage.model);
    while stage.ui.advance_wire(500) {}
    let screen = stage.text();
    let after = stage.ui.selected(PaneId::Wire, &stage.model);
    assert!(screen.contains("(801 hits)"), "{screen}");
    assert!(before.is_some() && after != before, "the newest that fits");
    let kept = stage.ui.time.entries();
    assert_eq!(stage.ui.wire.counts(kept).visible, stage.ui.wire.counts(kept).kept - filtered(&stage));
    stage.key(KeyCode::Enter);
    stage.ctrl('n');
    assert!(stage.text().contains("wrapped to the top: hit 1 of 801"), "{}", stage.text());
    stage.ctrl('p');
    assert!(stage.text().contains("wrapped to the end: hit 801 of 801"), "{}", stage.text());
    assert_eq!(stage.ui.selected(PaneId::Wire, &stage.model), after);
}

/// Entries that the Wire's shipped filter holds back.
fn filtered(stage: &TestConsole) -> u64 {
    stage.ui.wire.counts(stage.ui.time.entries()).filtered
}

#[test]
fn of_a_list_in_pages_it_says_what_was_searched() {
    let mut stage = show(160, 50);
    stage.ui.show(ViewId::Bridge);
    stage.ui.focus = Focus::Pane(PaneId::History);
    let asked = stage.event(Event::Tick).into_iter().find_map(|effect| match effect {
        Effect::Query { query: Query::Invocations { state: None, .. }, on_page } => Some(on_page),
        _ => None,
    });
    let page = Page::Invocations {
        rows: vec![row(45), row(44), row(43)],
        more: true,
        beyond: Some(InvocationId(43)),
    };
    stage.event(Event::QueryAnswered { on_page: asked.expect("a question"), page: Ok(page) });
    stage.ctrl('f');
    stage.write("item");
    let screen = stage.text();
    assert!(screen.contains("(3 hits of 3 loaded)"), "{screen}");
}

#[test]
fn on_air_the_title_does_not_tell_whom_one_looks_for() {
    let mut stage = recent();
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    stage.ctrl('f');
    stage.write("viewer_1");
    stage.key(KeyCode::Enter);
    let screen = stage.text();
    assert!(screen.contains("find: ▒▒▒▒▒▒ (") && !screen.contains("find: viewer_1"), "{screen}");
}

#[test]
fn the_pending_list_is_searched_as_panes_are() {
    let mut stage = pending_list(40..=49, true);
    let list = |stage: &TestConsole| stage.ui.selection(PaneId::Pending).map_or(0, Selection::index);
    stage.ctrl('f');
    assert_eq!(stage.ui.key_scope(), KeyScope::SearchLine, "{}", stage.text());
    stage.write("id>43 id<47");
    let screen = stage.text();
    assert!(screen.contains("(3 hits of 10 loaded)"), "{screen}");
    assert_eq!((list(&stage), screen.matches('»').count()), (4, 3), "{screen}");
    stage.key(KeyCode::Enter);
    stage.ctrl('n');
    stage.ctrl('n');
    assert_eq!(list(&stage), 6);
    stage.ctrl('n');
    assert_eq!(list(&stage), 4);
    assert!(stage.text().contains("wrapped to the top: hit 1 of 3"), "{}", stage.text());
    stage.ctrl('p');
    assert_eq!(list(&stage), 6, "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("Invocation 46"), "it is the selected row: {}", stage.text());
    stage.key(KeyCode::Esc);
    stage.ctrl('f');
    stage.write("id:49");
    assert_eq!(list(&stage), 9);
    stage.key(KeyCode::Esc);
    assert_eq!(list(&stage), 6, "Esc restores");
    stage.key(KeyCode::Esc);
    assert!(!stage.text().contains("find:"), "and takes the search off");
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Pending));
}
