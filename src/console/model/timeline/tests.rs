//! The state at a moment is what folding every entry up to it gives.

use std::time::Duration;

use proptest::{prelude::*, test_runner::TestRunner};

use super::{StepOutcome, Timeline};
use crate::{
    console::{
        model::Model,
        tests::test_console::{applied, connected, dispatched, done, enqueued},
    },
    limits::{self, Limits},
    tap::{
        Draft, Reader, Tap,
        entry::{
            Link, Transition, What,
            mpp::{self, Level},
            station,
        },
    },
    time::Now,
};

/// A console without a screen: a model, its timeline, and the state behind every entry as it was when that
/// was folded.
struct Fixture {
    tap: Tap,
    reader: Reader,
    model: Model,
    time: Timeline,
    ms: u64,
    id: u64,
    was: Vec<String>,
    /// The state is kept of [`LOOKED_AT`] entries in so many.
    period: usize,
    resyncing: bool,
}

/// Entries in a row whose state is kept.
const LOOKED_AT: usize = 3;

/// What is compared: all but what is always of the present.
fn comparable(model: &Model) -> String {
    let mut model = model.clone();
    model.copy_live_state(&Model::new(&Limits::default()), Now::at_ms(0));
    model.revision = 0;
    format!("{model:?}")
}

impl Fixture {
    fn new(console: limits::Console, tap: limits::Tap) -> Self {
        let limits = Limits { tap, console, ..Limits::default() };
        let tap = Tap::new(limits.tap);
        let reader = tap.reader().unwrap();
        let mut bench = Self {
            reader,
            model: Model::new(&limits),
            time: Timeline::new(&limits.console),
            tap,
            ms: 0,
            id: 0,
            was: Vec::new(),
            period: LOOKED_AT,
            resyncing: false,
        };
        bench.resync();
        bench
    }

    fn resync(&mut self) {
        let mut snapshot = connected();
        snapshot.at = Now::at_ms(self.ms);
        snapshot.as_of.0 = [self.tap.last(); Link::ALL.len()];
        self.model.resync(snapshot);
        self.resyncing = false;
        self.time.anchor(&self.model, false);
    }

    fn emit(&mut self, link: Link, transition: Transition, text: &str) {
        let at = Now::at_ms(self.ms);
        self.tap.emit(Draft {
            at,
            link,
            trace: None,
            cause: None,
            what: What::Transition(transition),
            bytes: text.as_bytes(),
        });
    }

    /// One of the things that happen.
    fn happen(&mut self, kind: u8) {
        self.ms += 7;
        match kind % 6 {
            0 => {
                self.id += 1;
                self.emit(Link::Mpp, Transition::Mpp(enqueued(self.id, "default")), "");
            }
            1 => self.emit(Link::Mpp, Transition::Mpp(dispatched(self.id, "default")), ""),
            2 => self.emit(Link::Mpp, Transition::Mpp(applied(self.id, "default", true)), ""),
            3 => self.emit(Link::Mpp, Transition::Mpp(done(self.id, "default")), ""),
            4 => self.emit(
                Link::Mpp,
                Transition::Mpp(mpp::Transition::Logged { level: Level::Warn }),
                &format!("line {}", self.ms),
            ),
            _ => self.emit(
                Link::Station,
                Transition::Station(station::Transition::Notice { level: Level::Info }),
                "notice",
            ),
        }
    }

    /// As the loop does it.
    fn fold(&mut self) {
        while let Some(batch) = self.reader.read() {
            if batch.lost > 0 {
                self.model.record_loss(batch.lost, Now::at_ms(self.ms));
                self.time.anchor(&self.model, true);
                self.resyncing = true;
            }
            for entry in batch.iter() {
                self.model.fold(entry, self.resyncing || self.model.is_void());
                let is_looked_at = self.was.len() % self.period < LOOKED_AT;
                self.was.push(if is_looked_at { comparable(&self.model) } else { String::new() });
            }
            self.time.push(batch, &self.model);
            if self.resyncing {
                self.resync();
            }
        }
    }

    fn note(&mut self) {
        self.model.note(Level::Info, "the configuration was read anew", Now::at_ms(self.ms));
        self.time.anchor(&self.model, self.resyncing);
    }
}

fn small(kept_entries_max: u64) -> limits::Console {
    limits::Console { kept_entries_max, journal_entries_max: 100, ..Limits::default().console }
}

/// What happens between two looks: what it is, and how often.
fn steps() -> impl Strategy<Value = Vec<(u8, u16)>> {
    prop::collection::vec((any::<u8>(), 1u16..100), 15..40)
}

fn is_the_fold_everywhere(
    steps: Vec<(u8, u16)>,
    looks: Vec<prop::sample::Index>,
) -> Result<(), TestCaseError> {
    let mut bench =
        Fixture::new(small(4_096), limits::Tap { ring_entries_max: 1_024, ..Limits::default().tap });
    bench.period = 10 * LOOKED_AT;
    for (what, many) in steps {
        match what {
            0..20 => bench.note(),
            20..40 => bench.resync(),
            40..48 => {
                // Many at once, before they are read: some are lost.
                for kind in 0..2_000_u16 {
                    bench.happen(kind.to_le_bytes()[0]);
                }
                bench.fold();
            }
            _ => {
                for kind in 0..many {
                    bench.happen(kind.to_le_bytes()[0].wrapping_mul(what));
                }
                bench.fold();
            }
        }
        prop_assert!(bench.time.entries().len() <= 4_096);
    }
    let (first, end) = (bench.time.entries().first(), bench.time.entries().end());
    prop_assert_eq!(end, bench.was.len() as u64);
    let live = bench.model.clone();
    // Anywhere, and one on from there: what is shown already is gone on from.
    for look in looks {
        if first == end {
            break;
        }
        let index = first + look.index(usize::try_from(end - first).unwrap()) as u64;
        let kept = index - index % bench.period as u64;
        for index in [kept + 1, kept + 2, kept].into_iter().filter(|index| (first..end).contains(index)) {
            let shown = bench.time.state_at(index, &live).unwrap();
            prop_assert_eq!(&comparable(&shown), &bench.was[usize::try_from(index).unwrap()], "at {}", index);
        }
    }
    Ok(())
}

fn looks() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 20)
}

/// In so many shows, whatever the environment asks for: each takes long.
fn in_shows(cases: u32) {
    let config = ProptestConfig { cases, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&(steps(), looks()), |(steps, looks)| is_the_fold_everywhere(steps, looks))
        .unwrap();
}

#[test]
fn the_state_at_any_kept_entry_is_the_fold_of_all_up_to_it() {
    in_shows(6);
}

#[test]
#[ignore = "ten times the test above"]
fn the_state_at_any_kept_entry_of_many_shows_is_the_fold() {
    in_shows(60);
}

#[test]
fn stepping_goes_through_every_entry_both_ways_and_stops_at_the_ends() {
    let mut bench = Fixture::new(small(4_096), Limits::default().tap);
    for kind in 0..120 {
        bench.happen(kind);
        bench.fold();
    }
    let (live, now) = (bench.model.clone(), Now::at_ms(10_000));
    let moved = StepOutcome::Moved { lost: 0, gone: 0 };
    for index in (0..119).rev() {
        assert_eq!(bench.time.step(false, &live, now), moved);
        assert_eq!(comparable(&bench.time.visible_model().unwrap()), bench.was[index]);
        assert_eq!(bench.time.unseen_count(), 119 - index as u64);
        assert_eq!(bench.time.instant(), Some(Now::at_ms((index as u64 + 1) * 7)));
    }
    assert_eq!(bench.time.step(false, &live, now), StepOutcome::AtFirst);
    for index in 1..120 {
        assert_eq!(bench.time.step(true, &live, now), moved);
        assert_eq!(comparable(&bench.time.visible_model().unwrap()), bench.was[index]);
    }
    assert_eq!((bench.time.step(true, &live, now), bench.time.unseen_count()), (StepOutcome::AtLast, 0));
}

#[test]
fn seconds_pass_also_where_nothing_happened() {
    let mut bench = Fixture::new(small(4_096), Limits::default().tap);
    for ms in [1_000, 1_500, 6_000] {
        bench.ms = ms;
        bench.happen(0);
        bench.fold();
    }
    let (live, now) = (bench.model.clone(), Now::at_ms(7_200));
    let at = |bench: &Fixture| (bench.time.instant().unwrap(), bench.time.unseen_count());
    let moved = StepOutcome::Moved { lost: 0, gone: 0 };
    assert_eq!(bench.time.step_by(Duration::from_secs(1), false, &live, now), moved);
    assert_eq!(at(&bench), (Now::at_ms(6_200), 0));
    let mut seen = Vec::new();
    while bench.time.step_by(Duration::from_secs(1), false, &live, now) == moved {
        seen.push(at(&bench));
    }
    let back = [(5_200, 1), (4_200, 1), (3_200, 1), (2_200, 1), (1_200, 2)];
    assert_eq!(seen, back.map(|(ms, waiting)| (Now::at_ms(ms), waiting)));
    let mut seen = Vec::new();
    while bench.time.step_by(Duration::from_secs(1), true, &live, now) == moved {
        seen.push(at(&bench));
    }
    let on = [(2_200, 1), (3_200, 1), (4_200, 1), (5_200, 1), (6_200, 0), (7_200, 0)];
    assert_eq!(seen, on.map(|(ms, waiting)| (Now::at_ms(ms), waiting)));
}

#[test]
fn what_is_shown_stays_while_its_entries_go_and_a_step_says_what_lies_between() {
    let mut bench = Fixture::new(small(4_096), Limits::default().tap);
    for kind in 0..60 {
        bench.happen(kind);
    }
    bench.fold();
    let live = bench.model.clone();
    bench.time.stop(&live, Now::at_ms(bench.ms));
    let before = comparable(&bench.time.visible_model().unwrap());
    for _ in 0..20 {
        for kind in 0..250 {
            bench.happen(kind);
        }
        bench.fold();
    }
    let (live, now) = (bench.model.clone(), Now::at_ms(bench.ms));
    let first = bench.time.entries().first();
    assert!(first > 60);
    assert_eq!(
        (comparable(&bench.time.visible_model().unwrap()), bench.time.unseen_count()),
        (before, 5_000)
    );
    assert_eq!(bench.time.step(false, &live, now), StepOutcome::AtFirst);
    assert_eq!(bench.time.step(true, &live, now), StepOutcome::Moved { lost: 0, gone: first - 60 });
    assert_eq!(comparable(&bench.time.visible_model().unwrap()), bench.was[usize::try_from(first).unwrap()]);
}

#[test]
fn a_snapshot_taken_while_time_is_stopped_is_stepped_over_and_the_loss_is_said() {
    let mut bench =
        Fixture::new(small(4_096), limits::Tap { ring_entries_max: 1_024, ..Limits::default().tap });
    for kind in 0..6 {
        bench.happen(kind);
        bench.fold();
    }
    let live = bench.model.clone();
    bench.time.stop(&live, Now::at_ms(bench.ms));
    for kind in 0..3_000_u16 {
        bench.happen(kind.to_le_bytes()[0]);
    }
    bench.fold();
    let lost = bench.time.entries().ledger().lost;
    assert!(lost > 1_000);
    let (live, now) = (bench.model.clone(), Now::at_ms(bench.ms));
    assert_eq!(bench.time.step(true, &live, now), StepOutcome::Moved { lost, gone: 0 });
    assert_eq!(comparable(&bench.time.visible_model().unwrap()), bench.was[6]);
    assert_eq!(bench.time.step(false, &live, now), StepOutcome::Moved { lost, gone: 0 });
    assert_eq!(comparable(&bench.time.visible_model().unwrap()), bench.was[5]);
}

#[test]
fn checkpoints_are_bounded_in_memory_and_what_they_do_not_reach_is_let_go() {
    let limits = limits::Console { checkpoint_bytes_max: 1_048_576, ..small(100_000) };
    let mut bench = Fixture::new(limits, Limits::default().tap);
    for round in 0..400_u64 {
        for _ in 0..20 {
            bench.ms += 1;
            bench.emit(
                Link::Mpp,
                Transition::Mpp(mpp::Transition::Logged { level: Level::Info }),
                &"x".repeat(300),
            );
        }
        while let Some(batch) = bench.reader.read() {
            batch.iter().for_each(|entry| bench.model.fold(entry, false));
            bench.time.push(batch, &bench.model);
        }
        if round % 3 == 0 {
            bench.note();
        }
        assert!(bench.time.checkpoint_bytes() <= 1_048_576 || bench.time.checkpoints() == 1);
    }
    let (first, end) = (bench.time.entries().first(), bench.time.entries().end());
    assert!(first > 0 && first < end, "{first} {end}");
    let live = bench.model.clone();
    assert!(bench.time.state_at(first, &live).is_some() && bench.time.state_at(end - 1, &live).is_some());
}
