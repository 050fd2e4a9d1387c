//! How panes are looked at: what is let through, in which order, in which columns, and which cell is chosen.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use ratatui::style::Modifier;

use super::test_console::{TestConsole, connected, dispatched, done, enqueued, show};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        records::{
            selection::{RecordKey, RowKeys as _, Selection},
            table_settings::Sort,
        },
        systems::bridge::keys::INVOCATION,
        ui,
        ui::{event::Event, state::Focus},
    },
    field::{Class, Fields as _, Kind, Spec, index_of},
    filter::Filter,
    ids::InvocationId,
    mpp::EndedView,
    port::{InvocationRow, RefundRow, StateKeyRow},
    tap::entry::{mpp as events, mpp::Transition},
};

fn field(name: &str) -> usize {
    index_of(EndedView::SPECS, name).unwrap()
}

/// The identities of a pane's rows, from the top.
pub(super) fn keys(stage: &TestConsole, pane: PaneId) -> Vec<RecordKey> {
    let rows = ui::rows(pane, &stage.ui, &stage.model);
    (0..rows.len()).filter_map(|row| rows.key(row)).collect()
}

fn recent() -> TestConsole {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage
}

fn filter(stage: &mut TestConsole, text: &str) {
    let filter = Filter::parse(text, EndedView::SPECS).unwrap();
    stage.ui.table_settings_mut(PaneId::Recent).set_filter(Some(filter));
    stage.ui.reconcile(&stage.model);
}

fn selected(stage: &TestConsole) -> Option<RecordKey> {
    stage.ui.selected(PaneId::Recent, &stage.model)
}

#[test]
fn a_filter_lets_some_rows_through_and_the_selected_one_stays_while_it_is_among_them() {
    let mut stage = recent();
    stage
        .ui
        .table_settings_mut(PaneId::Recent)
        .set_sort(Some(Sort { field: field("id"), descending: false }));
    stage.ui.reconcile(&stage.model);
    stage.key(KeyCode::End);
    assert_eq!(selected(&stage), Some(INVOCATION.of(InvocationId(41))));
    filter(&mut stage, "failed");
    assert_eq!(ui::counts(PaneId::Recent, &stage.ui, &stage.model), (1, 41));
    assert_eq!(selected(&stage), Some(INVOCATION.of(InvocationId(41))));
    filter(&mut stage, "done");
    assert_eq!(ui::counts(PaneId::Recent, &stage.ui, &stage.model), (40, 41));
    assert_eq!(selected(&stage), Some(INVOCATION.of(InvocationId(1))), "a neighbour takes its place");
    let text = stage.text();
    assert!(!text.contains("✗ failed"), "{text}");
}

#[test]
fn what_was_arranged_is_arranged_anew_when_rows_come() {
    let mut stage = recent();
    filter(&mut stage, "done");
    stage.mpp(super::test_console::done(42, "default"), "");
    assert_eq!(ui::counts(PaneId::Recent, &stage.ui, &stage.model), (41, 42));
    assert_eq!(
        ui::rows(PaneId::Recent, &stage.ui, &stage.model).key(0).unwrap(),
        INVOCATION.of(InvocationId(42))
    );
}

#[test]
fn chosen_columns_are_shown_in_their_order() {
    let mut stage = recent();
    let columns = ["reason", "age", "id"].map(field).to_vec();
    stage.ui.table_settings_mut(PaneId::Recent).set_columns(Some(columns));
    let text = stage.text();
    let line = text.lines().find(|line| line.contains("item not found")).unwrap();
    assert!(line.contains("1.2s      41"), "{line}");
}

/// The text of the selected row that is marked as its cell.
fn marked(stage: &mut TestConsole) -> String {
    let buffer = stage.buffer();
    let is_marked = |cell: &&ratatui::buffer::Cell| {
        cell.modifier.contains(Modifier::UNDERLINED | Modifier::BOLD | Modifier::REVERSED)
    };
    buffer
        .content()
        .iter()
        .filter(is_marked)
        .map(ratatui::buffer::Cell::symbol)
        .collect::<String>()
        .trim()
        .to_owned()
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
    assert_eq!(
        (stage.ui.table_settings(PaneId::Recent).cell, stage.ui.focus),
        (Some(field("trace")), Focus::Pane(PaneId::Recent))
    );
    stage.key(KeyCode::Right);
    assert_eq!(
        (stage.ui.focus, stage.ui.table_settings(PaneId::Drops).cell),
        (Focus::Pane(PaneId::Drops), Some(0))
    );
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
    assert_eq!(
        (selected(&stage), marked(&mut stage)),
        (Some(INVOCATION.of(InvocationId(40))), "40".to_owned())
    );
}

/// What can happen while the operator looks at panes.
#[derive(Clone, Debug)]
enum Happening {
    Enqueued,
    Dispatched,
    Ended,
    Logged(u8),
    Sorted { pane: usize, field: usize, descending: bool },
    Unsorted { pane: usize },
    Filtered { pane: usize, word: &'static str },
    Chosen { pane: usize, row: usize },
    Resync,
    Resized { tall: bool },
    Shown(usize),
}

const WORDS: [&str; 5] = ["", "done", "give_item", "default", "1"];

fn happening() -> impl Strategy<Value = Happening> {
    use Happening as H;
    prop_oneof![
        3 => Just(H::Enqueued),
        3 => Just(H::Dispatched),
        3 => Just(H::Ended),
        3 => (0..5_u8).prop_map(H::Logged),
        3 => (0..8_usize, 0..12_usize, any::<bool>())
            .prop_map(|(pane, field, descending)| H::Sorted { pane, field, descending }),
        1 => (0..8_usize).prop_map(|pane| H::Unsorted { pane }),
        2 => (0..8_usize, 0..WORDS.len()).prop_map(|(pane, word)| H::Filtered { pane, word: WORDS[word] }),
        4 => (0..8_usize, 0..60_usize).prop_map(|(pane, row)| H::Chosen { pane, row }),
        1 => Just(H::Resync),
        1 => any::<bool>().prop_map(|tall| H::Resized { tall }),
        2 => (0..3_usize).prop_map(H::Shown),
    ]
}

/// The panes whose rows are all in the model, in the view that is shown.
fn watched(stage: &TestConsole) -> Vec<PaneId> {
    let panes = stage.ui.layout(&stage.model).panes;
    panes
        .iter()
        .map(|(pane, _)| *pane)
        .filter(|pane| !ui::specs(*pane).is_empty() && ui::fixed_order(*pane).is_none())
        .collect()
}

fn happen(stage: &mut TestConsole, happening: &Happening, next: &mut u64) {
    let panes = watched(stage);
    let nth = |pane: usize| panes[pane % panes.len()];
    let live = |stage: &TestConsole| stage.model.mpp().and_then(|mpp| mpp.live.keys().next().copied());
    stage.pass(300);
    match happening {
        Happening::Enqueued => drop(stage.mpp(enqueued(*next, "boss"), "")),
        Happening::Dispatched => {
            stage.mpp(enqueued(*next, "default"), "");
            stage.mpp(dispatched(*next, "default"), "");
        }
        Happening::Ended => drop(live(stage).map(|id| stage.mpp(done(id.0, "default"), ""))),
        Happening::Logged(times) => {
            for line in 0..*times {
                stage.mpp(
                    Transition::Logged { level: events::Level::Info },
                    &format!("line {line} of {next}"),
                );
            }
        }
        Happening::Sorted { pane, field, descending } => {
            let pane = nth(*pane);
            let field = field % ui::specs(pane).len();
            stage.ui.sort_by(pane, Some(Sort { field, descending: *descending }));
        }
        Happening::Unsorted { pane } => stage.ui.sort_by(nth(*pane), None),
        Happening::Filtered { pane, word } => {
            let pane = nth(*pane);
            let filter = Filter::parse(word, ui::specs(pane)).ok().filter(|_| !word.is_empty());
            stage.ui.table_settings_mut(pane).set_filter(filter);
        }
        Happening::Chosen { pane, row } => {
            let pane = nth(*pane);
            let keys = keys(stage, pane);
            stage.ui.selection_mut(pane).select(*row, &keys, 5);
        }
        Happening::Resync => {
            let mpp = stage.model.mpp().unwrap().clone();
            stage.resync(crate::port::Snapshot { mpp, ..connected() });
        }
        Happening::Resized { tall } => stage.ui.rows = if *tall { 100 } else { 50 },
        Happening::Shown(view) => stage.ui.show([ViewId::Deck, ViewId::Bridge, ViewId::Journal][*view]),
    }
    *next += 1;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_chosen_record_stays_chosen_while_it_is_among_the_rows(
        happenings in prop::collection::vec(happening(), 1..60),
    ) {
        let mut stage = show(160, 50);
        let mut next = 100;
        for happening in &happenings {
            let before: Vec<_> = watched(&stage)
                .into_iter()
                .filter(|pane| !stage.ui.selection(*pane).is_none_or(Selection::is_untouched))
                .map(|pane| (pane, stage.ui.selected(pane, &stage.model)))
                .collect();
            happen(&mut stage, happening, &mut next);
            stage.ui.at = stage.view.now;
            stage.ui.reconcile(&stage.model);
            let chosen_anew = matches!(happening, Happening::Chosen { .. });
            let shown = watched(&stage);
            for (pane, was) in before.into_iter().filter(|(pane, _)| !chosen_anew && shown.contains(pane)) {
                let there = keys(&stage, pane);
                let is = stage.ui.selected(pane, &stage.model);
                match was {
                    Some(was) if there.contains(&was) => {
                        prop_assert_eq!(Some(was), is, "{:?} after {:?}", pane, happening);
                    }
                    _ => prop_assert_eq!(is.is_some(), !there.is_empty(), "{:?} after {:?}", pane, happening),
                }
                // What is drawn is what keys work on: asked for afresh, it is the same.
                stage.ui.drop_arranged();
                prop_assert_eq!(&there, &keys(&stage, pane));
                stage.ui.reconcile(&stage.model);
            }
        }
    }
}

#[test]
fn rows_of_the_store_have_the_same_fields_in_a_pane_and_at_the_port_for_their_filters_go_as_text() {
    let declared = |specs: &[Spec]| -> BTreeMap<&str, (Kind, Class)> {
        specs.iter().map(|it| (it.name, (it.kind, it.class))).collect()
    };
    for (pane, specs) in [
        (PaneId::History, InvocationRow::SPECS),
        (PaneId::OtherPack, InvocationRow::SPECS),
        (PaneId::Pending, InvocationRow::SPECS),
        (PaneId::Refunds, RefundRow::SPECS),
        (PaneId::State, StateKeyRow::SPECS),
    ] {
        assert_eq!(declared(ui::specs(pane)), declared(specs), "{pane:?}");
    }
}
