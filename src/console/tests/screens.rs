//! Snapshots of whole screens with their colours.

use crossterm::event::KeyCode;

use super::{
    test_console::{TestConsole, connected, fresh, row, show},
    views::{bridge, journal},
};
use crate::{
    console::{
        draw::{
            glyphs::Glyphs,
            theme::{Depth, Theme},
        },
        input::{direction::Direction, pane_id::PaneId, view_id::ViewId},
        model::Timeline,
        settings::shell::{SubcommandEnd, SubcommandResult},
        systems::bridge::pending::PendingPage,
        ui::{event::Event, state::Focus},
    },
    port::Page,
    tap::entry::{
        mpp::{CloseCause, Fault, HelloReason, Transition},
        station,
    },
};

macro_rules! check {
    ($name:expr, $screen:expr) => {
        insta::with_settings!({snapshot_path => "../../../tests/it/snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(format!("console_{}", $name), $screen);
        });
    };
}

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// A screen without kept entries and states: what they hold, which the Meter tells, grows with what the
/// program knows.
pub(super) fn unkept(mut stage: TestConsole) -> TestConsole {
    stage.ui.time = Timeline::new(&stage.ui.limits.console);
    stage
}

pub(super) fn at_both_sizes(name: &str, mut stage: impl FnMut(u16, u16) -> TestConsole) {
    for (columns, rows) in SIZES {
        check!(format!("{name}_{columns}x{rows}"), stage(columns, rows).screen());
    }
}

/// The same, and between them.
pub(super) fn at_three_sizes(name: &str, mut stage: impl FnMut(u16, u16) -> TestConsole) {
    at_both_sizes(name, &mut stage);
    check!(format!("{name}_100x30"), stage(100, 30).screen());
}

#[test]
fn starting() {
    at_both_sizes("starting", TestConsole::of_size);
}

#[test]
fn a_first_run_teaches_beside_the_live_deck() {
    at_both_sizes("first_run", |columns, rows| {
        let mut stage = TestConsole::of_size(columns, rows);
        stage.resync(fresh());
        stage
    });
}

#[test]
fn a_show_in_full_swing() {
    at_both_sizes("live", show);
}

#[test]
fn the_deck_in_256_colours() {
    at_both_sizes("midnight_256", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.view.theme = Theme::shipped("midnight", Depth::Indexed).unwrap();
        stage
    });
}

#[test]
fn every_state_has_a_sign_of_its_own() {
    use crate::{console::systems::bridge::state_sign, tap::entry::mpp::RowState};
    for ascii in [false, true] {
        let glyphs = Glyphs::of(ascii);
        let states = [
            RowState::Pending,
            RowState::Dispatched,
            RowState::Applied,
            RowState::Done,
            RowState::Failed,
            RowState::Refunded,
        ];
        let signs = states.map(|state| state_sign(state, glyphs).0);
        let brakes = [glyphs.held, glyphs.draining, glyphs.warn];
        for set in [&signs[..], &[glyphs.well, glyphs.degraded, glyphs.down], &brakes] {
            let distinct: std::collections::BTreeSet<_> = set.iter().collect();
            assert_eq!(distinct.len(), set.len(), "{set:?}");
        }
    }
}

#[test]
fn the_adapter_is_gone() {
    at_both_sizes("adapter_gone", |columns, rows| {
        let mut stage = show(columns, rows);
        let peer = || "127.0.0.1:50312".into();
        stage.mpp(Transition::Requeued { id: crate::ids::InvocationId(42), queue: "default".into() }, "");
        stage.mpp(Transition::Orphaned { id: crate::ids::InvocationId(46), queue: "boss".into() }, "");
        stage.mpp(Transition::Disconnected { peer: peer(), active: true, cause: CloseCause::PeerClosed }, "");
        let cause = CloseCause::Fault(Fault::Hello(HelloReason::InvalidToken));
        stage.mpp(Transition::Disconnected { peer: "127.0.0.1:50313".into(), active: false, cause }, "");
        stage.pass(5_000);
        for key in [KeyCode::BackTab, KeyCode::Enter] {
            stage.key(key);
        }
        stage
    });
}

#[test]
fn the_store_is_failing() {
    at_both_sizes("store_failing", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.station(station::Transition::StoreFailing, "the store cannot write: disk full");
        stage.mpp(Transition::CommitsFailing, "the store cannot write: disk full");
        stage
    });
}

/// A show whose adapter left, with the store in trouble: two alerts wait, one was seen, one has passed.
fn alerted(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    stage.station(station::Transition::DiskLow { free_bytes: 9 << 20 }, "");
    stage.pass(1_000);
    stage.tick();
    stage.station(station::Transition::DiskOk { free_bytes: 9 << 30 }, "");
    stage.mpp(Transition::Requeued { id: crate::ids::InvocationId(42), queue: "default".into() }, "");
    stage.mpp(Transition::Orphaned { id: crate::ids::InvocationId(46), queue: "boss".into() }, "");
    stage.mpp(
        Transition::Disconnected {
            peer: "127.0.0.1:50312".into(),
            active: true,
            cause: CloseCause::PeerClosed,
        },
        "",
    );
    stage.pass(1_000);
    stage.tick();
    for key in ['a', 'A'] {
        stage.char(key);
    }
    stage.key(KeyCode::Esc);
    for _ in 0..31 {
        stage.pass(1_000);
        stage.tick();
    }
    stage
}

#[test]
fn alerts_are_counted_in_the_first_line() {
    at_both_sizes("alerts", alerted);
}

#[test]
fn the_tray() {
    at_both_sizes("tray", |columns, rows| {
        let mut stage = alerted(columns, rows);
        stage.char('a');
        stage
    });
}

#[test]
fn an_alert_with_what_to_do() {
    at_both_sizes("alert", |columns, rows| {
        let mut stage = alerted(columns, rows);
        stage.char('a');
        stage.key(KeyCode::Down);
        stage
    });
}

#[test]
fn help() {
    at_both_sizes("help", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.char('?');
        stage
    });
}

#[test]
fn every_key_of_every_place() {
    at_both_sizes("keys", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.char('?');
        stage.char('?');
        stage.key(KeyCode::Down);
        stage
    });
}

#[test]
fn the_palette() {
    at_both_sizes("palette", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.char(':');
        stage
    });
    at_both_sizes("palette_found", |columns, rows| {
        let mut stage = show(columns, rows);
        for key in [':', 's', 'e', 't'] {
            stage.char(key);
        }
        stage
    });
}

#[test]
fn what_a_subcommand_printed() {
    at_both_sizes("output", |columns, rows| {
        let mut stage = show(columns, rows);
        for key in ":doctor".chars() {
            stage.char(key);
        }
        stage.key(KeyCode::Enter);
        let output = (1..=40).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
        stage.event(Event::SubcommandEnded {
            number: 1,
            ran: SubcommandResult { output, cut: false, end: SubcommandEnd::Exited(1) },
        });
        stage
    });
}

#[test]
fn quitting_says_what_a_restart_would_requeue() {
    at_both_sizes("quit", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.char('q');
        stage
    });
}

#[test]
fn the_pending_rows_of_a_queue() {
    at_both_sizes("pending", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.key(KeyCode::Down);
        stage.key(KeyCode::Enter);
        let asked = PendingPage { queue: "default".into(), direction: Direction::Initial, serial: 1 };
        let page = Page::Invocations { rows: (42..=45).map(row).collect(), more: false, beyond: None };
        stage.event(Event::QueryAnswered { on_page: Box::new(asked), page: Ok(page) });
        stage
    });
}

#[test]
fn the_bridge() {
    at_both_sizes("bridge", bridge);
}

#[test]
fn the_journal() {
    at_both_sizes("journal", |columns, rows| unkept(journal(columns, rows)));
}

#[test]
fn every_pane_of_the_bridge_and_the_journal_zoomed() {
    for view in [ViewId::Bridge, ViewId::Journal] {
        // The Meter has screens of its own.
        for pane in view.panes().iter().filter(|pane| **pane != PaneId::Meter) {
            let name = format!("zoomed_{}_{}", view.name(), pane.name()).to_lowercase().replace(' ', "_");
            at_both_sizes(&name, |columns, rows| {
                let mut stage =
                    if view == ViewId::Bridge { bridge(300, 100) } else { journal(columns, rows) };
                (stage.ui.columns, stage.ui.rows) = (columns, rows);
                stage.ui.zoomed = Some(*pane);
                stage.ui.focus = Focus::Pane(*pane);
                stage
            });
        }
    }
}

#[test]
fn a_terminal_that_is_too_small_is_told() {
    let mut stage = TestConsole::of_size(79, 24);
    stage.resync(connected());
    check!("too_small", stage.screen());
}

#[test]
fn ascii_without_colours() {
    let mut stage = show(80, 24);
    stage.view.glyphs = Glyphs::of(true);
    stage.view.theme = Theme::midnight(Depth::None);
    let screen = stage.screen();
    assert!(screen.split("---\n").next().unwrap().is_ascii());
    assert!(!screen.split("---\n").last().unwrap().contains('#'), "no colour is used");
    check!("ascii_80x24", screen);
}

#[test]
fn draws_at_every_size_from_the_smallest_to_the_largest() {
    for (columns, rows) in [(1, 1), (80, 24), (81, 40), (119, 60), (120, 24), (300, 100)] {
        let mut stage = show(columns, rows);
        stage.buffer();
        stage.char('?');
        stage.buffer();
    }
}
