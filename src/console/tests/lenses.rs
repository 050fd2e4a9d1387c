//! How panes are looked at: what is let through, in which order, in which columns, and which cell is chosen.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;

use super::stage::{Stage, show};
use crate::{
    console::{
        event::Event,
        lens::Sort,
        pane_id::PaneId,
        panes,
        selection::{Keys as _, RecordKey},
        ui::Focus,
    },
    field::{Fields as _, place},
    filter::Filter,
    ids::InvocationId,
    mpp::EndedView,
};

fn field(name: &str) -> usize {
    place(EndedView::SPECS, name).unwrap()
}

fn recent() -> Stage {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage
}

fn filter(stage: &mut Stage, text: &str) {
    let filter = Filter::parse(text, EndedView::SPECS).unwrap();
    stage.ui.lens_mut(PaneId::Recent).set_filter(Some(filter));
    stage.ui.settle(&stage.model);
}

fn selected(stage: &Stage) -> Option<RecordKey> {
    stage.ui.selected(PaneId::Recent, &stage.model)
}

#[test]
fn a_filter_lets_some_rows_through_and_the_selected_one_stays_while_it_is_among_them() {
    let mut stage = recent();
    stage.ui.lens_mut(PaneId::Recent).set_sort(Some(Sort { field: field("id"), descending: false }));
    stage.ui.settle(&stage.model);
    stage.key(KeyCode::End);
    assert_eq!(selected(&stage), Some(RecordKey::Invocation(InvocationId(41))));
    filter(&mut stage, "failed");
    assert_eq!(panes::counts(PaneId::Recent, &stage.ui, &stage.model), (1, 41));
    assert_eq!(selected(&stage), Some(RecordKey::Invocation(InvocationId(41))));
    filter(&mut stage, "done");
    assert_eq!(panes::counts(PaneId::Recent, &stage.ui, &stage.model), (40, 41));
    assert_eq!(selected(&stage), Some(RecordKey::Invocation(InvocationId(1))), "a neighbour takes its place");
    let text = stage.text();
    assert!(!text.contains("✗ failed"), "{text}");
}

#[test]
fn what_was_arranged_is_arranged_anew_when_rows_come() {
    let mut stage = recent();
    filter(&mut stage, "done");
    stage.mpp(super::stage::done(42, "default"), "");
    assert_eq!(panes::counts(PaneId::Recent, &stage.ui, &stage.model), (41, 42));
    assert_eq!(panes::rows(PaneId::Recent, &stage.ui, &stage.model).key(0).unwrap(), RecordKey::Invocation(InvocationId(42)));
}

#[test]
fn chosen_columns_are_shown_in_their_order() {
    let mut stage = recent();
    let columns = ["reason", "age", "id"].map(field).to_vec();
    stage.ui.lens_mut(PaneId::Recent).set_columns(Some(columns));
    let text = stage.text();
    let line = text.lines().find(|line| line.contains("item not found")).unwrap();
    assert!(line.contains("1.2s      41"), "{line}");
}

/// The text of the selected row that is marked as its cell.
fn marked(stage: &mut Stage) -> String {
    let buffer = stage.buffer();
    let is_marked = |cell: &&ratatui::buffer::Cell| cell.modifier.contains(Modifier::UNDERLINED | Modifier::BOLD | Modifier::REVERSED);
    buffer.content().iter().filter(is_marked).map(ratatui::buffer::Cell::symbol).collect::<String>().trim().to_owned()
}

#[test]
fn left_and_right_choose_a_cell_and_beyond_the_last_go_to_the_pane_beside() {
    let mut stage = recent();
    assert_eq!(marked(&mut stage), "");
    stage.key(KeyCode::Right);
    assert_eq!(marked(&mut stage), "14:14:20");
    stage.char('l');
    assert_eq!(marked(&mut stage), "41");
    stage.char('h');
    stage.key(KeyCode::Left);
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Recent), "no pane lies to the left");
    for _ in 0..6 {
        stage.key(KeyCode::Right);
    }
    assert_eq!((stage.ui.lens(PaneId::Recent).cell, stage.ui.focus), (Some(field("trace")), Focus::Pane(PaneId::Recent)));
    stage.key(KeyCode::Right);
    assert_eq!((stage.ui.focus, stage.ui.lens(PaneId::Log).cell), (Focus::Pane(PaneId::Log), Some(0)));
    stage.key(KeyCode::Left);
    assert_eq!((stage.ui.focus, marked(&mut stage)), (Focus::Pane(PaneId::Recent), "0001".to_owned()));
}

#[test]
fn a_click_chooses_the_cell_too() {
    let mut stage = recent();
    let (_, area) = stage.ui.layout(&stage.model).panes[2];
    let kind = MouseEventKind::Down(MouseButton::Left);
    let modifiers = crossterm::event::KeyModifiers::NONE;
    stage.event(Event::Mouse(MouseEvent { kind, column: area.x + 16, row: area.y + 3, modifiers }));
    assert_eq!((selected(&stage), marked(&mut stage)), (Some(RecordKey::Invocation(InvocationId(40))), "40".to_owned()));
}
