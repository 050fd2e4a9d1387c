//! The nights of simulated peers that are shipped: a console that goes somewhere in one has what a console
//! had that folded all of it as it came.

use std::path::PathBuf;

use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};

use super::{
    replay_equals_live::{Seen, config, console, play, seek},
    test_console::TestConsole,
};
use crate::{
    console::input::view_id::ViewId,
    ids::Seq,
    limits::Limits,
    port::{ReplayAct, ReplayPlace, Snapshot, Speed},
    station::test_recordings::{block_on, held, shipped},
    tap::{Mirror, recorded::OwnedEntry},
    time::Now,
};

const SIZE: (u16, u16) = (160, 50);

/// A night, as its file has it.
struct Night {
    path: PathBuf,
    first: Snapshot,
    entries: Vec<OwnedEntry>,
}

impl Night {
    fn shipped(name: &str) -> Self {
        let (path, first, entries) = shipped(name);
        Self { path, first, entries }
    }

    /// What a console counts from, and the milliseconds since then.
    fn moment(&self, at: usize) -> (Now, u64) {
        let passed = self.entries[at].entry.at.mono.since(self.first.at.mono);
        (self.first.at, u64::try_from(passed.as_millis()).unwrap())
    }

    fn seq(&self, at: usize) -> Seq {
        self.entries[at].entry.seq
    }

    /// What a console had that was there from the beginning.
    fn live(&self, at: usize, view: ViewId) -> Seen {
        let mut stage = TestConsole::of_size(SIZE.0, SIZE.1);
        stage.ui.systems.station.onboarding_dismissed = true;
        let mirror = Mirror::new(Limits::default().tap, self.seq(0));
        stage.reader = mirror.reader().unwrap();
        (stage.begun, stage.ms) = self.moment(at);
        stage.adopt(self.first.clone());
        for part in self.entries[..=at].chunks(100) {
            mirror.push(part.iter().cloned());
            stage.fold();
        }
        assert_eq!(stage.reader.next(), self.seq(at).next());
        Seen::of(&mut stage, view)
    }
}

/// Goes to a place, at once and from elsewhere.
async fn goes(night: &Night, (at, elsewhere): (usize, usize), view: ViewId) -> Result<(), TestCaseError> {
    let place = |at| ReplayPlace::Seq(night.seq(at));
    let port = held(&night.path, place(elsewhere), Speed::ONE);
    let mut stage = console(&port, SIZE, night.moment(elsewhere)).await;
    night.live(elsewhere, view).assert_is(&mut stage, view, "gone to at once")?;
    seek(&port, place(at)).await;
    let mut stage = console(&port, SIZE, night.moment(at)).await;
    night.live(at, view).assert_is(&mut stage, view, "gone to from elsewhere")
}

/// Plays to the end, from a place.
async fn plays(night: &Night, from: usize, view: ViewId) -> Result<(), TestCaseError> {
    let port = held(&night.path, ReplayPlace::Seq(night.seq(from)), Speed::MAX);
    let mut stage = console(&port, SIZE, night.moment(from)).await;
    let end = night.entries.len() - 1;
    play(&port, &mut stage, ReplayAct::Toggle, (night.seq(end), night.moment(end).1)).await;
    night.live(end, view).assert_is(&mut stage, view, "played to its end")
}

/// Checks some moments of a night, the same ones each time.
fn check(name: &str) {
    let night = Night::shipped(name);
    let case = |(view, places): (Index, [Index; 3])| {
        let view = *view.get(&ViewId::ALL);
        let [from, at, elsewhere] = places.map(|place| place.index(night.entries.len()));
        block_on(goes(&night, (at, elsewhere), view))?;
        block_on(plays(&night, from, view))
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config(6), rng).run(&any::<(Index, [Index; 3])>(), case).unwrap();
}

#[test]
fn a_console_goes_anywhere_in_a_calm_night() {
    check("calm.mcap");
}

#[test]
fn a_console_goes_anywhere_in_a_bad_night() {
    check("bad.mcap");
    check("bad.2.mcap");
}

#[test]
fn a_console_goes_anywhere_in_a_night_of_errors() {
    check("errors.mcap");
}
