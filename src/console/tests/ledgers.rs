//! Ledgers: what became of all that a pane could show.

use super::{
    screens::at_both_sizes,
    test_console::{TestConsole, connected, dispatched, done, enqueued, show},
};
use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        ui,
        ui::{ledger, state::Focus},
    },
    filter::Filter,
    ids::InvocationId,
    tap::entry::{
        mpp::{FailedBy, Level, RowState, Transition},
        station,
    },
};

fn panes_of_all_views() -> impl Iterator<Item = PaneId> {
    ViewId::ALL
        .into_iter()
        .flat_map(|view| view.panes().iter().copied())
        .filter(|pane| *pane != PaneId::Started)
}

/// One thing that happens, and whether a row ends by it and the adapter says something.
fn step(stage: &mut TestConsole, random: &mut fastrand::Rng, id: u64) -> (u64, u64) {
    stage.pass(7);
    match random.u8(0..12) {
        0..4 => {
            stage.mpp(
                Transition::Logged { level: Level::Info },
                if random.bool() { "a slow ROM" } else { "xyz" },
            );
            (0, 1)
        }
        4..8 => {
            stage.mpp(enqueued(id, "default"), "");
            stage.mpp(dispatched(id, "default"), "");
            if random.bool() {
                stage.mpp(done(id, "default"), "");
            } else {
                let (id, queue, event) = (InvocationId(id), "default".into(), "give_item".into());
                stage.mpp(
                    Transition::Failed {
                        id,
                        queue,
                        event,
                        from: RowState::Dispatched,
                        cleared: true,
                        by: FailedBy::Adapter,
                    },
                    "no",
                );
            }
            (1, 0)
        }
        8..10 => {
            stage.station(station::Transition::Notice { level: station::Level::Warn }, "a notice");
            (0, 0)
        }
        10 => {
            stage.model.record_loss(random.u64(1..9), crate::time::Now::at_ms(stage.ms));
            (0, 0)
        }
        _ => {
            stage.ui.table_settings_mut(PaneId::Queues).cell = Some(0);
            (0, 0)
        }
    }
}

#[test]
fn every_panes_ledger_balances_whatever_happens_and_is_filtered() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let (mut ended, mut said) = (0, 0);
    let mut evicted = std::collections::BTreeSet::new();
    for round in 0..4_000 {
        let (ends, says) = step(&mut stage, &mut random, round + 1);
        (ended, said) = (ended + ends, said + says);
        if round % 500 == 250 {
            for pane in panes_of_all_views() {
                let filter = (round % 1_000 == 250).then(|| Filter::parse("a", ui::specs(pane)).unwrap());
                stage.ui.table_settings_mut(pane).set_filter(filter);
            }
        }
        if round % 97 == 0 {
            for pane in panes_of_all_views() {
                let ledger = ledger::of(pane, &stage.ui, &stage.model).unwrap();
                assert!(ledger.balances(), "{pane:?} in round {round}: {ledger:?}");
                if ledger.evicted > 0 {
                    evicted.insert(format!("{pane:?}"));
                }
            }
        }
    }
    let of = |pane| ledger::of(pane, &stage.ui, &stage.model).unwrap().received;
    assert_eq!((of(PaneId::Recent), of(PaneId::AdapterLog)), (ended, said), "every one was counted once");
    for pane in ["Recent", "AdapterLog", "Log"] {
        assert!(evicted.contains(pane), "{pane} let nothing go: {evicted:?}");
    }
    // A snapshot counts nothing twice.
    let taken = crate::port::Snapshot { mpp: stage.model.mpp().unwrap().clone(), ..connected() };
    stage.resync(taken);
    assert!(panes_of_all_views().all(|pane| ledger::of(pane, &stage.ui, &stage.model).unwrap().balances()));
}

#[test]
fn the_ledger_says_which_limit_cut_and_is_of_the_pane_it_was_opened_on() {
    let mut stage = show(80, 24);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    for id in 1_000..1_300 {
        stage.mpp(enqueued(id, "default"), "");
        stage.mpp(dispatched(id, "default"), "");
        stage.mpp(done(id, "default"), "");
    }
    stage.ui.show(ViewId::Deck);
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage.act(Action::Ledger);
    assert_eq!(stage.ui.key_scope(), KeyScope::Ledger);
    assert!(stage.text().contains("Ledger of Queues"), "{}", stage.text());
    stage.act(Action::Back);
    stage.ui.zoomed = Some(PaneId::Recent);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage.char('L');
    let text = stage.text();
    assert!(text.contains("Ledger of Recent") && text.contains("limits.mpp.recent_rows_max = 256"), "{text}");
    let figure = |name: &str| {
        text.lines()
            .find_map(|line| line.split_once(name)?.1.split_whitespace().next()?.parse::<u64>().ok())
            .unwrap()
    };
    assert_eq!(
        figure("received"),
        figure("= shown") + figure("+ filtered") + figure("+ evicted") + figure("+ lost"),
        "{text}"
    );
    assert!(figure("+ evicted") > 80, "{text}");
}

#[test]
fn a_ledger_on_the_screen() {
    at_both_sizes("ledger", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.ui.show(ViewId::Deck);
        (stage.ui.focus, stage.ui.zoomed) = (Focus::Pane(PaneId::Recent), Some(PaneId::Recent));
        stage
            .ui
            .table_settings_mut(PaneId::Recent)
            .set_filter(Some(Filter::parse("state:failed", ui::specs(PaneId::Recent)).unwrap()));
        stage.model.record_loss(3, crate::time::Now::at_ms(stage.ms));
        stage.char('L');
        stage
    });
}
