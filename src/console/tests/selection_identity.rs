//! A selection is a record: whatever happens to the rows of a pane, it stays selected while it is among them.

use crossterm::event::KeyCode;

use super::{
    answers::answered,
    bus_samples::bus,
    findings,
    plugins_samples::plugins,
    runs_samples::runs,
    sessions_samples::decision,
    steps::pending_list,
    test_console::{TestConsole, connected, done, enqueued, show},
    traces::with_messages,
    views::{bridge, journal},
    wire::wire,
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::Model,
        records::{selection::RecordKey, table_settings::Sort},
        ui,
        ui::{
            event::Event,
            state::{Focus, Ui},
        },
    },
    limits::Limits,
    port::Snapshot,
    tap::entry::{
        mpp::{Level, Transition},
        station,
    },
};

/// The panes that have records.
fn panes() -> impl Iterator<Item = PaneId> {
    PaneId::ALL.iter().copied().filter(|pane| *pane != PaneId::Started)
}

/// A pane alone on the screen, with rows, the second of which was chosen.
fn over(pane: PaneId) -> TestConsole {
    if pane == PaneId::Pending {
        let mut stage = pending_list(43..=45, false);
        stage.key(KeyCode::Down);
        return stage;
    }
    let mut stage = match pane {
        PaneId::Wire => wire(160, 50),
        PaneId::Trace => with_messages(160, 50),
        PaneId::Findings => findings::journal(160, 50),
        _ if ViewId::Plugins.panes().contains(&pane) => plugins(160, 50),
        _ if ViewId::Sessions.panes().contains(&pane) => decision(160, 50),
        _ if ViewId::Runs.panes().contains(&pane) => runs(160, 50),
        _ if ViewId::Bus.panes().contains(&pane) => bus(160, 50),
        _ if ViewId::Journal.panes().contains(&pane) => journal(160, 50),
        _ if ViewId::Bridge.panes().contains(&pane) => bridge(160, 50),
        _ => show(160, 50),
    };
    for text in ["one", "two"] {
        stage.station(station::Transition::Notice { level: station::Level::Warn }, text);
    }
    stage.ui.zoomed = Some(pane);
    stage.ui.focus = Focus::Pane(pane);
    let effects = stage.event(Event::Data);
    answered(&mut stage, effects);
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Down);
    stage
}

fn selected(stage: &TestConsole, pane: PaneId) -> Option<RecordKey> {
    stage.ui.selected(pane, stage.ui.time.visible_model().as_deref().unwrap_or(&stage.model))
}

/// A second later, what changed is asked for and answered.
fn a_second_later(stage: &mut TestConsole) {
    stage.pass(1_100);
    let effects = stage.event(Event::Tick);
    answered(stage, effects);
}

/// Something of everything.
fn more(stage: &mut TestConsole) {
    stage.mpp(enqueued(60, "default"), "");
    stage.mpp(done(60, "default"), "");
    stage.mpp(Transition::Logged { level: Level::Warn }, "more");
    stage.station(station::Transition::Notice { level: station::Level::Warn }, "three");
    a_second_later(stage);
}

#[test]
fn new_rows_and_a_new_snapshot_leave_the_record_selected() {
    for pane in panes() {
        let mut stage = over(pane);
        let chosen = selected(&stage, pane);
        assert!(chosen.is_some(), "{pane:?}");
        more(&mut stage);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?}: new rows");
        let world = stage.model.station_state.clone().unwrap();
        stage.model.resync(Snapshot {
            mpp: world.mpp,
            rmp: world.rmp,
            runs: world.runs,
            macp: world.macp,
            plugin: world.plugin,
            ..connected()
        });
        stage.ui.time.anchor(&stage.model, false);
        a_second_later(&mut stage);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?}: a new snapshot");
    }
}

#[test]
fn another_order_leaves_the_record_selected() {
    for pane in panes().filter(|pane| !matches!(pane, PaneId::Pending | PaneId::Wire)) {
        let mut stage = over(pane);
        let chosen = selected(&stage, pane);
        let fields = ui::fixed_order(pane).map_or(0..ui::specs(pane).len(), |field| field..field + 1);
        for sort in fields.flat_map(|field| [true, false].map(|descending| Sort { field, descending })) {
            stage.ui.sort_by(pane, Some(sort));
            a_second_later(&mut stage);
            assert_eq!(selected(&stage, pane), chosen, "{pane:?} by {sort:?}");
        }
        stage.ui.sort_by(pane, None);
        a_second_later(&mut stage);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?} in its own order");
    }
}

#[test]
fn a_filter_by_its_own_cell_leaves_the_record_selected_and_so_does_its_end() {
    for pane in panes().filter(|pane| *pane != PaneId::Pending) {
        let mut stage = over(pane);
        let chosen = selected(&stage, pane);
        let effects = stage.char('f');
        answered(&mut stage, effects);
        assert!(stage.ui.table_settings(pane).filter().is_some(), "{pane:?}: {:?}", stage.ui.message);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?} filtered");
        more(&mut stage);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?} filtered, with more");
        stage.char('/');
        stage.ctrl('u');
        let effects = stage.key(KeyCode::Enter);
        answered(&mut stage, effects);
        a_second_later(&mut stage);
        assert!(stage.ui.table_settings(pane).filter().is_none(), "{pane:?}: {:?}", stage.ui.message);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?} unfiltered");
    }
}

#[test]
fn stopping_time_and_going_live_leave_the_record_selected() {
    for pane in panes() {
        let mut stage = over(pane);
        let chosen = selected(&stage, pane);
        stage.char(' ');
        assert!(stage.ui.time.is_stopped());
        more(&mut stage);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?} while time is stopped");
        let effects = stage.key(KeyCode::End);
        answered(&mut stage, effects);
        assert!(!stage.ui.time.is_stopped());
        a_second_later(&mut stage);
        assert_eq!(selected(&stage, pane), chosen, "{pane:?} live again");
    }
}

/// The least that can be kept of everything.
fn small() -> Limits {
    let mut limits = Limits::default();
    for key in
        ["limits.console.journal_entries_max", "limits.mpp.log_entries_max", "limits.mpp.recent_rows_max"]
    {
        let bound = Limits::BOUNDS.iter().find(|bound| bound.key == key).unwrap();
        limits.set(key, bound.min).unwrap();
    }
    limits
}

#[test]
fn a_record_that_is_evicted_gives_its_place_to_the_oldest_that_is_left() {
    for pane in [PaneId::Recent, PaneId::Log, PaneId::StationLog, PaneId::AdapterLog] {
        let mut stage = TestConsole::of_size(160, 50);
        stage.model = Model::new(&small());
        stage.ui = Ui::new(160, 50, true);
        stage.resync(connected());
        let step = |stage: &mut TestConsole, id: u64| {
            stage.mpp(enqueued(id, "boss"), "");
            stage.mpp(done(id, "boss"), "");
            stage.mpp(Transition::Logged { level: Level::Warn }, "a line");
            stage.station(station::Transition::Notice { level: station::Level::Warn }, "a notice");
        };
        for id in 1..=20 {
            step(&mut stage, id);
        }
        stage.ui.show(ViewId::ALL.into_iter().find(|view| view.panes().contains(&pane)).unwrap());
        stage.ui.zoomed = Some(pane);
        stage.ui.focus = Focus::Pane(pane);
        stage.buffer();
        for _ in 0..8 {
            stage.key(KeyCode::Down);
        }
        let chosen = selected(&stage, pane).unwrap();
        let keys = |stage: &TestConsole| super::table_settings::keys(stage, pane);
        let mut id = 21;
        while keys(&stage).contains(&chosen) {
            assert_eq!(selected(&stage, pane).as_ref(), Some(&chosen), "{pane:?} while it is kept");
            step(&mut stage, id);
            id += 1;
            assert!(id < 2_000, "{pane:?} is bounded");
        }
        assert_eq!(selected(&stage, pane), keys(&stage).last().cloned(), "{pane:?}");
    }
}

#[test]
fn backspace_goes_back_to_the_view_the_pane_and_the_record_before() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Down);
    let key = stage.ui.selected(PaneId::Recent, &stage.model);
    assert!(key.is_some());
    stage.char('8');
    stage.char('9');
    stage.key(KeyCode::Backspace);
    assert_eq!(stage.ui.view, ViewId::Wire);
    stage.mpp(enqueued(901, "default"), "");
    stage.key(KeyCode::Backspace);
    assert_eq!((stage.ui.view, stage.ui.focus), (ViewId::Deck, Focus::Pane(PaneId::Recent)));
    assert_eq!(stage.ui.selected(PaneId::Recent, &stage.model), key);
    stage.key(KeyCode::Backspace);
    assert!(stage.text().contains("no previous place"), "{}", stage.text());
}
