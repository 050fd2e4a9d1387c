//! Live equals replay: at any instant of a night that was recorded, a console on the recording has what the
//! console had then, however it comes there.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use proptest::{prelude::*, sample::Index, test_runner::TestRunner};

use super::{
    findings::broken_frame,
    past::{Screens, Show, assert_same_screens, screens},
    plugins_samples,
    runs_samples::run,
    test_console::TestConsole,
};
use crate::{
    console::{
        input::view_id::ViewId,
        model::{Model, PastLoading, Rebuild},
        ui::event::Event,
    },
    ids::Seq,
    limits::Limits,
    plugin,
    port::{ReplayAct, ReplayPlace, ReplayView, Snapshot, Speed, StationPort as _},
    station::{
        ReplayPort,
        test_recordings::{KeyedFile, block_on, held, record},
    },
    tap::{
        Draft,
        entry::{
            Direction, Link, Transition, What,
            gate::{Intercepted, Passed, Passing},
            mplp::{RatingVerdict, RecordRef, Transition as Mplp},
            station::Transition as Station,
        },
    },
    time::{Now, Wall},
};

/// One thing that happens, and whether a keyframe follows it.
type Step = (u8, bool);

/// A moment: behind the last entry of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    step: usize,
    seq: Seq,
    ms: u64,
}

/// A night that was recorded.
struct Night {
    size: (u16, u16),
    /// The view that is looked at.
    view: ViewId,
    steps: Vec<Step>,
    moments: Vec<Moment>,
    folder: tempfile::TempDir,
}

/// One of the things that happen, of any system.
fn happen(show: &mut Show, kind: u8) {
    let of = kind % 22;
    if of < 16 {
        return show.happen(of);
    }
    let live = &mut show.live;
    live.pass(37);
    match of {
        16 => plugins_samples::noise(live),
        17 => {
            let asked = ("status", Some("7"));
            let body = r#"{"jsonrpc":"2.0","id":7,"method":"status"}"#;
            plugins_samples::frame(live, Direction::Inbound, plugin::Verdict::Accepted, asked, body);
        }
        18 => {
            let transition = match kind % 3 {
                0 => Mplp::Rated { run: run(60), verdict: RatingVerdict::Approved, by: "kim".into() },
                1 => Mplp::Exported { record: RecordRef::run(run(60)), items: 9, findings: 1 },
                _ => Mplp::Withheld {
                    record: RecordRef::session("late"),
                    schema: "plan".into(),
                    rule: "required".into(),
                    path: "$.title".into(),
                    findings: 2,
                },
            };
            live.emit(Link::Mplp, Transition::Mplp(transition), "a title");
        }
        19 => emit(live, What::Frame(broken_frame().0), &broken_frame().1),
        20 if kind < 128 => {
            let (frame, bytes) = broken_frame();
            let it = Intercepted { number: (kind % 3).into(), rule: 1, hold_ms: Some(200), frame };
            emit(live, What::Intercepted(Box::new(it)), &bytes);
        }
        20 => {
            let number = (kind % 3).into();
            emit(live, What::Passed(Passed { number, how: Passing::AsItWas, by: None }), b"");
        }
        _ => live.station(Station::Stopping { by: None }, ""),
    }
}

fn emit(live: &mut TestConsole, what: What, bytes: &[u8]) {
    let at = Now::at_ms(live.ms);
    live.tap.emit(Draft { at, link: Link::Rmp, trace: None, cause: None, what, bytes });
    live.fold();
}

impl Night {
    /// Lets a night happen and records it twice: by the recorder, and with keyframes in between.
    fn new((size, view): ((u16, u16), ViewId), steps: Vec<Step>, chunk_bytes_max: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut night = Self { size, view, steps, moments: Vec::new(), folder };
        let mut show = Show::new(size.0, size.1);
        let tap = show.live.tap.clone();
        let (recorded, mut reader) = (tap.reader().unwrap(), tap.reader().unwrap());
        let first = show.snapshot();
        let mut file = KeyedFile::begin(&night.keyed(), &first, chunk_bytes_max);
        for (step, (kind, has_keyframe)) in night.steps.iter().enumerate() {
            happen(&mut show, *kind);
            while let Some(batch) = reader.read() {
                file.entries(&batch);
            }
            if *has_keyframe {
                file.keyframe(&Snapshot { at: Now::at_ms(show.live.ms), ..show.snapshot() });
            }
            night.moments.push(Moment { step, seq: tap.last(), ms: show.live.ms });
        }
        file.finish();
        record(&night.plain(), &first, recorded);
        night
    }

    /// The file with one keyframe, at its beginning.
    fn plain(&self) -> PathBuf {
        self.folder.path().join("plain.mcap")
    }

    /// The file with several.
    fn keyed(&self) -> PathBuf {
        self.folder.path().join("keyed.mcap")
    }

    /// What the console had then.
    fn live(&self, until: Moment) -> Seen {
        let mut show = Show::new(self.size.0, self.size.1);
        self.steps[..=until.step].iter().for_each(|(kind, _)| happen(&mut show, *kind));
        assert_eq!((show.live.tap.last(), show.live.ms), (until.seq, until.ms));
        Seen::of(&mut show.live, self.view)
    }
}

/// A console that begins where a replay is, with all that was before.
pub(super) async fn console(
    port: &ReplayPort,
    (columns, rows): (u16, u16),
    (begun, ms): (Now, u64),
) -> TestConsole {
    let mut stage = TestConsole::of_size(columns, rows);
    (stage.reader, stage.begun, stage.ms) = (port.entries().unwrap(), begun, ms);
    stage.ui.systems.station.onboarding_dismissed = true;
    stage.ui.time.await_past();
    stage.model.set_past(PastLoading::Loading { loaded: 0, total: None });
    stage.adopt(port.snapshot().await.unwrap());
    let (mut before, mut has_past) = (stage.reader.next(), false);
    loop {
        let page = port.past(before).await.unwrap();
        let Some(first) = page.batches.first().and_then(|batch| batch.get(0)) else { break };
        before = first.entry.seq;
        for batch in page.batches.into_iter().rev() {
            assert!(stage.ui.time.prepend(batch));
        }
        has_past = true;
        if page.oldest.is_none_or(|oldest| oldest >= before) {
            break;
        }
    }
    if has_past {
        let keyframe = port.keyframe(Seq(before.0.saturating_sub(1))).await.unwrap();
        assert!(keyframe.is_some());
        let mut rebuild = Rebuild::new(&Limits::default(), &stage.ui.time, keyframe);
        rebuild.advance(&stage.ui.time, u64::MAX);
        assert!(rebuild.is_done(&stage.ui.time));
        rebuild.adopt(&mut stage.ui.time, &mut stage.model);
    } else {
        stage.ui.time.forgo_past();
        stage.model.set_past(PastLoading::Complete);
    }
    stage.event(Event::Data);
    stage
}

/// Plays on until an entry is folded.
pub(super) async fn play(port: &ReplayPort, stage: &mut TestConsole, act: ReplayAct, until: (Seq, u64)) {
    let (replay, (seq, ms)) = (port.replay().unwrap(), until);
    replay.control.act(act);
    stage.ms = ms;
    while stage.reader.next() <= seq {
        stage.reader.ready().await;
        stage.fold();
        replay.control.folded(replay.view.borrow().generation, stage.reader.next());
    }
    assert_eq!((stage.reader.next(), stage.reader.lost()), (seq.next(), 0));
}

/// Goes elsewhere, and waits until it is there.
pub(super) async fn seek(port: &ReplayPort, place: ReplayPlace) {
    let mut replay = port.replay().unwrap();
    let before = replay.view.borrow().generation;
    replay.control.act(ReplayAct::Seek(place));
    let is_there = |view: &ReplayView| view.generation > before && !view.is_seeking;
    replay.view.wait_for(is_there).await.unwrap();
}

/// What a console knows and shows.
pub(super) struct Seen {
    known: String,
    screens: Screens,
}

impl Seen {
    pub(super) fn of(stage: &mut TestConsole, view: ViewId) -> Self {
        Self { known: known(&stage.model), screens: screens(stage, &[view]) }
    }

    pub(super) fn assert_is(
        &self,
        replayed: &mut TestConsole,
        view: ViewId,
        how: &str,
    ) -> Result<(), TestCaseError> {
        let replayed = Self::of(replayed, view);
        let differs = self.known.lines().zip(replayed.known.lines());
        let differs: Vec<_> = differs.filter(|(live, replayed)| live != replayed).take(8).collect();
        prop_assert_eq!(differs, [], "{}: live, replayed", how);
        prop_assert_eq!(self.known.lines().count(), replayed.known.lines().count(), "{}", how);
        assert_same_screens(&self.screens, &replayed.screens)
    }
}

/// What a model knows that is of no console of its own, line by line.
fn known(model: &Model) -> String {
    // The same state is of another moment where nothing came since, and traces are kept beside it.
    let mut state = model.station_state.clone();
    if let Some(Snapshot { at, station, .. }) = &mut state {
        *at = Now::default();
        (station.injected_traces, station.injected_entries) = Default::default();
        station.injected_without_rows.clear();
    }
    let held: Vec<_> = model.station.intercepted.at(Wall::default()).collect();
    let notices = model.journal.notices.iter().map(|it| (it.at, it.level, it.origin, &it.text, it.seq));
    let faults = model.faults.groups().map(|group| (group.clause(), group.count));
    let findings = model.findings.groups().map(|group| (&group.key, group.count));
    format!(
        "{state:#?}\n{:#?}\n{:#?} of {}\n{:#?} of {}, {} judged\n{:?}\n{:#?}\n{:#?}\n{held:#?}",
        notices.collect::<Vec<_>>(),
        faults.collect::<Vec<_>>(),
        model.faults.count,
        findings.collect::<Vec<_>>(),
        model.findings.count,
        model.findings.judged,
        model.injected,
        model.bridge.rates,
        model.bridge.failures,
    )
}

/// The moments of a case, in their order, with what the console had then.
type Live = BTreeMap<Moment, Seen>;

/// Plays a file from its beginning through these moments to the last of them: to its end, where that is it.
async fn by_playing(night: &Night, path: &Path, moments: &[Moment]) -> TestConsole {
    let port = held(path, ReplayPlace::Start, Speed::MAX);
    let mut stage = console(&port, night.size, (Now::at_ms(0), 0)).await;
    let end = night.moments.last().unwrap().seq;
    for until in moments {
        // Whatever came in its millisecond is before that, and what comes next is not.
        let after = Duration::from_millis(until.ms) + Duration::from_micros(500);
        let on = ReplayAct::Seek(ReplayPlace::After(after));
        let act = if until.seq == end { ReplayAct::Toggle } else { on };
        play(&port, &mut stage, act, (until.seq, until.ms)).await;
    }
    stage
}

/// The place of a moment: by the number of its last entry, or by the clock.
fn place(moment: Moment, is_by_number: bool) -> ReplayPlace {
    if is_by_number { ReplayPlace::Seq(moment.seq) } else { ReplayPlace::Wall(Now::at_ms(moment.ms).wall) }
}

/// Goes to a moment: at once, and from another place.
async fn by_seeking(
    (night, path): (&Night, &Path),
    live: &Live,
    (at, elsewhere): (Moment, Moment),
    is_by_number: bool,
) -> Result<(), TestCaseError> {
    let port = held(path, place(elsewhere, !is_by_number), Speed::ONE);
    let mut stage = console(&port, night.size, (Now::at_ms(0), elsewhere.ms)).await;
    live[&elsewhere].assert_is(&mut stage, night.view, "gone to at once")?;
    seek(&port, place(at, is_by_number)).await;
    let mut stage = console(&port, night.size, (Now::at_ms(0), at.ms)).await;
    live[&at].assert_is(&mut stage, night.view, "gone to from elsewhere")
}

/// A case of what is compared.
#[derive(Clone, Debug)]
struct Case {
    is_small: bool,
    view: Index,
    steps: Vec<Step>,
    chunk_bytes_max: u64,
    /// Moments to play through, or to the end of the file with several keyframes.
    played: (Vec<Index>, bool),
    gone_to: (Index, Index),
    is_by_number: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let steps = prop::collection::vec((any::<u8>(), prop::bool::weighted(0.1)), 1..40);
    let played = (prop::collection::vec(any::<Index>(), 1..3), any::<bool>());
    let seen = any::<(bool, Index)>();
    (seen, steps, 512_u64..16_384, played, any::<(Index, Index)>(), any::<bool>()).prop_map(
        |((is_small, view), steps, chunk_bytes_max, played, gone_to, is_by_number)| Case {
            is_small,
            view,
            steps,
            chunk_bytes_max,
            played,
            gone_to,
            is_by_number,
        },
    )
}

fn check(case: Case) -> Result<(), TestCaseError> {
    let size = if case.is_small { (80, 24) } else { (160, 50) };
    let view = *case.view.get(&ViewId::ALL);
    let night = Night::new((size, view), case.steps, case.chunk_bytes_max);
    let of = |index: &Index| *index.get(&night.moments);
    let (moments, is_keyed) = case.played;
    let end = *night.moments.last().unwrap();
    let mut moments: Vec<Moment> = moments.iter().map(of).collect();
    if is_keyed {
        // A place behind a keyframe is gone to, and not played up to.
        moments = vec![end];
    }
    moments.sort();
    moments.dedup();
    let last = moments.last().copied().unwrap_or(end);
    let (at, elsewhere) = (of(&case.gone_to.0), of(&case.gone_to.1));
    let live: Live = [last, at, elsewhere].into_iter().map(|moment| (moment, night.live(moment))).collect();
    let (played, other) =
        if is_keyed { (night.keyed(), night.plain()) } else { (night.plain(), night.keyed()) };
    let mut stage = block_on(by_playing(&night, &played, &moments));
    live[&last].assert_is(&mut stage, night.view, "played")?;
    block_on(by_seeking((&night, &other), &live, (at, elsewhere), case.is_by_number))
}

pub(super) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(32))]

    #[test]
    fn a_console_on_a_recording_has_what_the_console_had_then(case in case()) {
        check(case)?;
    }
}

#[test]
#[ignore = "ten times the test above"]
fn a_console_on_a_recording_has_what_the_console_had_then_whatever_happened() {
    (0..10).for_each(|_| TestRunner::new(config(64)).run(&case(), check).unwrap());
}
