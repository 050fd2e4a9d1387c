//! Choosing order and columns, and finding them again.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    bus_samples::{bus, with_drops},
    findings,
    plugins_samples::{plugins, with_plugins},
    runs_samples::{runs, with_runs},
    screens::at_both_sizes,
    sessions_samples::{decision, with_sessions},
    table_settings::keys,
    test_console::{TestConsole, connected, show},
    traces::with_messages,
    views::{bridge, journal},
};
use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        records::{table, table_settings::TableSettings},
        settings::shell::SavedLayout,
        ui,
        ui::{effect::Effect, event::Event, layouts, state::Focus},
    },
    time::{Mono, Now},
};

/// The names of a pane's columns, as they are shown.
fn columns(stage: &TestConsole, pane: PaneId) -> Vec<&'static str> {
    let width = table::inner_width(stage.ui.layout(&stage.model).area_of(pane));
    ui::visible_columns(pane, &stage.ui, width)
        .iter()
        .map(|(field, _)| ui::specs(pane)[*field].name)
        .collect()
}

fn shifted(stage: &mut TestConsole, code: KeyCode) -> Vec<Effect> {
    let at = Mono(stage.ms * 1_000_000);
    stage.event(Event::Key { key: KeyEvent::new(code, KeyModifiers::SHIFT), at })
}

fn in_flight() -> TestConsole {
    let mut stage = show(80, 24);
    stage.ui.focus = Focus::Pane(PaneId::InFlight);
    stage.char('o');
    stage
}

#[test]
fn the_columns_of_a_pane() {
    at_both_sizes("columns", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.ui.focus = Focus::Pane(PaneId::InFlight);
        stage.char('o');
        for key in [KeyCode::Char('s'), KeyCode::Down, KeyCode::Char(' '), KeyCode::Down] {
            stage.key(key);
        }
        stage
    });
}

#[test]
fn fields_are_shown_hidden_and_moved_and_that_is_seen_at_once() {
    let mut stage = in_flight();
    assert_eq!(
        (stage.ui.key_scope(), columns(&stage, PaneId::InFlight)),
        (KeyScope::Columns, vec!["id", "queue", "event", "state", "age", "trace"])
    );
    stage.key(KeyCode::Down);
    stage.char(' ');
    assert_eq!(columns(&stage, PaneId::InFlight), ["id", "event", "state", "age", "trace"]);
    // It stays in its place of the list, and comes back there.
    stage.char(' ');
    stage.char('<');
    assert_eq!(columns(&stage, PaneId::InFlight), ["queue", "id", "event", "state", "age", "trace"]);
    shifted(&mut stage, KeyCode::Down);
    shifted(&mut stage, KeyCode::Down);
    assert_eq!(columns(&stage, PaneId::InFlight), ["id", "event", "queue", "state", "age", "trace"]);
    // A field without a column of its own.
    stage.char('G');
    stage.char(' ');
    assert_eq!(columns(&stage, PaneId::InFlight).last(), Some(&"since"));
    stage.key(KeyCode::Esc);
    let text = stage.text();
    let head = text
        .lines()
        .find(|line| line.contains("event ") && line.contains("since"))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(head.find("event") < head.find("queue"), "{head}");
}

#[test]
fn one_column_stays_and_what_cannot_move_says_so() {
    let mut stage = in_flight();
    stage.char('<');
    assert!(stage.text().contains("already first"), "{}", stage.text());
    for _ in 0..5 {
        stage.char(' ');
        stage.key(KeyCode::Down);
    }
    assert_eq!(columns(&stage, PaneId::InFlight), ["trace"]);
    stage.char(' ');
    assert!(stage.text().contains("the last column cannot be hidden"), "{}", stage.text());
    assert_eq!(columns(&stage, PaneId::InFlight), ["trace"]);
}

#[test]
fn a_column_that_has_no_room_is_said_to_have_none() {
    let mut stage = show(80, 24);
    stage.char('o');
    stage.char('G');
    for _ in 0..4 {
        stage.char(' ');
        stage.key(KeyCode::Up);
    }
    assert!(stage.text().contains("(no room)"), "{}", stage.text());
}

#[test]
fn sorting_is_turned_round_and_then_ends() {
    let mut stage = in_flight();
    let ids = |stage: &TestConsole| keys(stage, PaneId::InFlight);
    let first = ids(&stage);
    stage.char('s');
    assert!(stage.text().contains("id           ▴"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(ids(&stage), first.iter().rev().cloned().collect::<Vec<_>>());
    stage.char('s');
    assert_eq!((ids(&stage), stage.ui.sort(PaneId::InFlight)), (first, None));
}

#[test]
fn lists_in_pages_are_turned_round_from_there_too() {
    let mut stage = bridge(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::History);
    stage.char('o');
    stage.char('s');
    assert_eq!(stage.ui.paged_lists.oldest_first(PaneId::History), Some(true));
    stage.key(KeyCode::Down);
    stage.char('s');
    assert!(stage.text().contains("can only be sorted by `id`"), "{}", stage.text());
    stage.char('r');
    assert_eq!(stage.ui.paged_lists.oldest_first(PaneId::History), Some(false));
}

#[test]
fn a_pane_and_a_whole_view_are_put_back_as_shipped() {
    let mut stage = show(160, 50);
    let shipped = [PaneId::Queues, PaneId::Recent].map(|pane| columns(&stage, pane));
    for pane in [PaneId::Queues, PaneId::Recent] {
        stage.ui.focus = Focus::Pane(pane);
        for key in ['o', ' ', 's'] {
            stage.char(key);
        }
        stage.key(KeyCode::Esc);
    }
    let is_shipped = |stage: &TestConsole| {
        [PaneId::Queues, PaneId::Recent].map(|pane| stage.ui.table_settings(pane).is_default())
    };
    assert_eq!(is_shipped(&stage), [false, false]);
    stage.char('o');
    stage.char('r');
    assert_eq!((is_shipped(&stage), columns(&stage, PaneId::Recent)), ([false, true], shipped[1].clone()));
    stage.char('r');
    assert!(stage.text().contains("columns and sorting are already the defaults"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    // From the palette as well.
    stage.char(':');
    stage.write("reset-layout");
    stage.key(KeyCode::Enter);
    assert_eq!((is_shipped(&stage), columns(&stage, PaneId::Queues)), ([true, true], shipped[0].clone()));
}

#[test]
fn what_was_chosen_is_kept_when_it_changes_and_only_then() {
    let mut stage = show(80, 24);
    let kept = |effects: &[Effect]| {
        let text = |effect: &Effect| match effect {
            Effect::SaveLayout(text) => Some(text.clone()),
            _ => None,
        };
        effects.iter().find_map(text)
    };
    assert_eq!(kept(&stage.char('o')), None);
    let text = kept(&stage.char(' ')).unwrap();
    assert_eq!(kept(&stage.key(KeyCode::Down)), None);
    assert_eq!(
        layouts::read(&text).unwrap()[&PaneId::Queues].columns(),
        stage.ui.table_settings(PaneId::Queues).columns()
    );
    let text = kept(&stage.char('r')).unwrap();
    assert_eq!(layouts::read(&text), Ok(BTreeMap::new()));
}

#[test]
fn the_next_start_looks_at_panes_in_the_same_way() {
    let text = "version = 1\n[panes.history]\nsort = \"id\"\n[panes.in-flight]\nsort = \"age\"\ndescending = true\ncolumns = [\"event\", \"since\"]\n";
    let mut stage = show(80, 24);
    let kept = |text| Some(SavedLayout { file: "layout.toml".into(), text });
    stage.model =
        layouts::restore(stage.model, &mut stage.ui, kept(Ok(Some(text.to_owned()))), Now::at_ms(0));
    assert_eq!(columns(&stage, PaneId::InFlight), ["event", "since"]);
    assert_eq!(stage.ui.paged_lists.oldest_first(PaneId::History), Some(true));
    assert!(stage.ui.sort(PaneId::InFlight).is_some_and(|sort| sort.descending));
    assert_eq!(stage.key(KeyCode::Down), [], "nothing is to be kept that was just read");
    // One that cannot be read is told, and the panes are as shipped.
    for bad in [Err("Permission denied (os error 13)".to_owned()), Ok(Some("version = 7".to_owned()))] {
        let mut stage = show(80, 24);
        stage.model = layouts::restore(stage.model, &mut stage.ui, kept(bad), Now::at_ms(stage.ms));
        assert!(stage.ui.table_settings.values().all(TableSettings::is_default));
        let text = stage.text();
        assert!(text.contains("layout.toml: ") && text.contains("overwrites the file"), "{text}");
        assert!(stage.model.journal.station.back().unwrap().text.contains("layout.toml"));
    }
}

#[test]
fn every_pane_draws_every_field_that_it_declares() {
    for pane in
        PaneId::ALL.iter().copied().filter(|pane| !ui::specs(*pane).is_empty() && *pane != PaneId::Pending)
    {
        let view = ViewId::ALL.into_iter().find(|view| view.panes().contains(&pane)).unwrap();
        let mut stage = match view {
            ViewId::Journal if pane == PaneId::Findings => findings::journal(300, 60),
            ViewId::Journal => journal(300, 60),
            ViewId::Bus => bus(300, 60),
            ViewId::Runs if pane == PaneId::Trace => with_messages(300, 60),
            ViewId::Runs => runs(300, 60),
            ViewId::Sessions => decision(300, 60),
            ViewId::Plugins => plugins(300, 60),
            ViewId::Deck => with_plugins(with_sessions(with_runs(with_drops(show(300, 60))))),
            _ => bridge(300, 60),
        };
        stage.ui.show(view);
        stage.ui.zoomed = Some(pane);
        stage.ui.focus = Focus::Pane(pane);
        stage.ui.reconcile(&stage.model);
        let specs = ui::specs(pane);
        for (field, spec) in specs.iter().enumerate() {
            stage.ui.table_settings_mut(pane).set_columns(Some(vec![field]));
            let rows = ui::rows(pane, &stage.ui, &stage.model);
            assert!(!rows.is_empty(), "{pane:?} has rows in the show");
            drop(rows);
            let text = stage.text();
            assert_eq!(columns(&stage, pane), [spec.name], "{text}");
        }
    }
}

#[test]
fn without_a_table_there_is_nothing_to_choose() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.ui.focus = Focus::Chips(0);
    stage.act(Action::Columns);
    assert!(stage.ui.overlays.is_empty() && stage.text().contains("no table focused"), "{}", stage.text());
}
