//! Recordings of a sample night, replayed.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    reach::{Reached, Target, reach},
    state::{Carried, ReplayState},
    test_recordings::block_on,
    *,
};
use crate::{
    ids::{Seq, TraceId},
    limits::Limits,
    port::{
        InvocationRow, Ladder, ListRow, Operator as _, Page, PageRows, Paging, PortError, Query, QueueRow,
        RefundRow, ReplayAct, ReplayPlace, ReplayView, RunRow, SessionRow, Snapshot, Speed, StationPort as _,
    },
    recording::{self, RecordedItem, RecordingInfo, RecordingSet, SetReader, Tallied, test_files::TestFile},
    tap::{
        entry::{Entry, Link, What},
        recorded::OwnedEntry,
    },
    time::{Clock, Now},
};

/// A night in which much happened.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");

/// A file of form 1: a snapshot, and what came behind it.
const FORM_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/recordings/form_1.mcap");

pub(super) struct Night {
    pub(super) folder: tempfile::TempDir,
    pub(super) files: Vec<PathBuf>,
    pub(super) first: Snapshot,
    pub(super) entries: Vec<OwnedEntry>,
}

pub(super) fn sample() -> (Snapshot, Vec<OwnedEntry>) {
    recorded(SAMPLE)
}

/// The first snapshot of a recording, and its entries.
fn recorded(path: &str) -> (Snapshot, Vec<OwnedEntry>) {
    let (mut first, mut entries) = (None, Vec::new());
    for item in recording::read(Path::new(path)).unwrap() {
        match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } if first.is_none() => {
                first = Some(Snapshot::decode(&bytes).unwrap());
            }
            RecordedItem::Snapshot { .. } => {}
            RecordedItem::Entry(entry) => entries.push(entry),
        }
    }
    (first.unwrap(), entries)
}

pub(super) fn info(started_ms: u64, previous: Option<&str>) -> RecordingInfo {
    RecordingInfo {
        host_version: "0.0.0".to_owned(),
        station_started: Now::at_ms(started_ms),
        previous: previous.map(str::to_owned),
        ..RecordingInfo::default()
    }
}

/// The sample night in several files, with a keyframe every so many entries.
pub(super) fn night(files: usize, keyframe_every: usize) -> Night {
    let (first, entries) = sample();
    let folder = tempfile::tempdir().unwrap();
    let mut night = Night { folder, files: Vec::new(), first: first.clone(), entries };
    let mut state = ReplayState::of(first);
    let per_file = night.entries.len().div_ceil(files);
    let mut file: Option<TestFile> = None;
    for (at, entry) in night.entries.iter().enumerate() {
        if at % per_file == 0 {
            let name = format!("night.{}.mcap", at / per_file + 1);
            let path = night.folder.path().join(&name);
            let before = night.files.last().and_then(|it| it.file_name()?.to_str());
            let mut next = TestFile::begin(&path, &info(0, before), 16_384);
            if let Some(mut before) = file.take() {
                next.follow(&before);
                before.finish();
            }
            night.files.push(path);
            file = Some(next);
        }
        let file = file.as_mut().unwrap();
        if at % per_file == 0 || at % keyframe_every == 0 {
            let snapshot = state.snapshot();
            file.keyframe(snapshot.at, &snapshot.encode());
        }
        file.entry(entry.as_ref(), (at % 100 == 0).then_some(Tallied::Fault));
        state.take(entry.as_ref(), &Limits::default());
    }
    file.unwrap().finish();
    night
}

impl Night {
    fn set(&self) -> Arc<RecordingSet> {
        Arc::new(RecordingSet::open(&[self.folder.path().to_owned()]).unwrap())
    }

    /// The state behind the entry with this index, folded from the beginning.
    pub(super) fn state(&self, index: usize) -> Snapshot {
        let mut state = ReplayState::of(self.first.clone());
        for entry in &self.entries[..=index] {
            assert_ne!(state.take(entry.as_ref(), &Limits::default()), Carried::Repeated);
        }
        state.snapshot()
    }
}

pub(super) fn open(set: &Arc<RecordingSet>, place: ReplayPlace, speed: Speed, is_held: bool) -> ReplayPort {
    let start = ReplayStart { place, speed, is_held };
    ReplayPort::open(Arc::clone(set), start, Clock::start(), Limits::default()).unwrap()
}

/// Has something done, and waits until it is.
pub(super) async fn act(
    port: &ReplayPort,
    act: ReplayAct,
    is_done: impl Fn(&ReplayView) -> bool,
) -> ReplayView {
    let mut replay = port.replay().unwrap();
    replay.control.act(act);
    replay.view.wait_for(is_done).await.unwrap().clone()
}

/// Reads all there is, and says that it is folded.
pub(super) fn read(port: &ReplayPort, reader: &mut crate::tap::Reader) -> Vec<OwnedEntry> {
    let mut all = Vec::new();
    while let Some(batch) = reader.read() {
        assert_eq!(batch.lost, 0);
        all.extend(batch.iter().map(|it| OwnedEntry { entry: it.entry.clone(), bytes: it.bytes.to_vec() }));
    }
    let replay = port.replay().unwrap();
    let generation = replay.view.borrow().generation;
    replay.control.folded(generation, reader.next());
    all
}

#[test]
fn the_state_at_a_place_is_what_playing_there_gives() {
    let night = night(3, 97);
    let set = night.set();
    assert_eq!((set.paths().count(), set.notes().len()), (3, 0));
    let mut reader = SetReader::new(set);
    let count = night.entries.len();
    for index in (0..count).step_by(count / 23).chain([1, 96, 97, 98, count - 2, count - 1]) {
        let seq = night.entries[index].entry.seq;
        let Reached { state, .. } =
            reach(&mut reader, Target::Entry { seq, near: 0 }, &Limits::default()).unwrap();
        assert_eq!(state.last(), Some(seq));
        let (found, expected) = (state.snapshot(), night.state(index));
        assert!(found == expected, "entry {index} of {count}");
    }
}

#[test]
fn a_moment_is_behind_the_last_entry_until_then() {
    let night = night(2, 200);
    let mut reader = SetReader::new(night.set());
    let of =
        |reader: &mut SetReader, log_ns| reach(reader, Target::Time(log_ns), &Limits::default()).unwrap();
    let end = of(&mut reader, u64::MAX);
    assert_eq!(end.state.last(), night.entries.last().map(|last| last.entry.seq));
    let begin_ns = of(&mut reader, 0).log_ns;
    let middle = of(&mut reader, end.log_ns / 2 + begin_ns / 2);
    let last = middle.state.last().unwrap();
    let index = night.entries.iter().position(|one| one.entry.seq == last).unwrap();
    assert!(middle.state.snapshot() == night.state(index));
    let exactly = of(&mut reader, middle.log_ns);
    assert_eq!(exactly.state.last(), Some(last), "its own moment is in it");
    assert!(of(&mut reader, middle.log_ns - 1).state.last() < Some(last));
    assert_eq!(of(&mut reader, 0).state.last(), None, "before the first entry");
}

#[test]
fn a_night_that_is_played_has_all_its_entries_and_ends_in_its_state() {
    let night = night(3, 150);
    let port = open(&night.set(), ReplayPlace::Start, Speed::MAX, true);
    let mut reader = port.entries().unwrap();
    block_on(async {
        assert!(port.snapshot().await.unwrap() == Snapshot { at: night.first.at, ..night.first.clone() });
        act(&port, ReplayAct::Toggle, |view| !view.is_held).await;
        let mut all = Vec::new();
        while all.len() < night.entries.len() {
            reader.ready().await;
            all.extend(read(&port, &mut reader));
        }
        assert!(all == night.entries);
        let mut view = port.replay().unwrap().view;
        let view = view.wait_for(|view| view.is_held).await.unwrap().clone();
        assert_eq!((view.at, view.generation), (view.last, 1), "it holds at its end, without going anywhere");
        assert!(port.snapshot().await.unwrap() == night.state(night.entries.len() - 1));
        let refused = act(&port, ReplayAct::Toggle, |view| view.refused.is_some()).await.refused.unwrap();
        assert!(refused.1.contains("end of the recording"), "{}", refused.1);
    });
}

#[test]
fn it_goes_to_places_and_steps_from_there_one_entry_at_a_time() {
    let night = night(2, 300);
    let set = night.set();
    let (middle, count) = (night.entries.len() / 2, night.entries.len());
    let seq = |index: usize| night.entries[index].entry.seq;
    let port = open(&set, ReplayPlace::Seq(seq(middle)), Speed::ONE, true);
    block_on(async {
        assert!(port.snapshot().await.unwrap() == night.state(middle));
        let before = port.replay().unwrap().view.borrow().generation;
        let mut reader = port.entries().unwrap();
        let held = act(&port, ReplayAct::Seek(ReplayPlace::NextEntry), |_| true).await;
        reader.ready().await;
        let next = read(&port, &mut reader);
        // Others of its very moment come with it.
        assert!(next[0] == night.entries[middle + 1] && held.is_held, "{}", next.len());
        let gone =
            act(&port, ReplayAct::Seek(ReplayPlace::Before(seq(middle))), |view| view.generation > before)
                .await;
        assert!(gone.is_held && port.snapshot().await.unwrap() == night.state(middle - 1));
        let end = |view: &ReplayView| view.at == view.last && view.is_held;
        act(&port, ReplayAct::Seek(ReplayPlace::End), end).await;
        assert!(port.snapshot().await.unwrap() == night.state(count - 1));
        // Elsewhere first, and back again.
        let start = |view: &ReplayView| view.at == view.first;
        let begun = act(&port, ReplayAct::Seek(ReplayPlace::Start), start).await.generation;
        let there = ReplayAct::Seek(ReplayPlace::Seq(seq(middle)));
        act(&port, there, |view| view.generation > begun).await;
        assert!(port.snapshot().await.unwrap() == night.state(middle));
    });
}

#[test]
fn what_lies_before_a_place_is_read_backwards_with_the_states_between() {
    let night = night(3, 211);
    let middle = night.entries.len() * 2 / 3;
    let seq = night.entries[middle].entry.seq;
    let port = open(&night.set(), ReplayPlace::Seq(seq), Speed::ONE, true);
    let mut before = port.entries().unwrap().next();
    assert_eq!(before, seq.next());
    block_on(async {
        let mut all = Vec::new();
        loop {
            let page = port.past(before).await.unwrap();
            let Some(first) = page.batches.first().and_then(|batch| batch.get(0)) else { break };
            before = first.entry.seq;
            assert_eq!(page.oldest, Some(night.entries[0].entry.seq));
            let of_page = page.batches.iter().flat_map(|batch| batch.iter().map(|it| it.entry.seq));
            all.splice(0..0, of_page.collect::<Vec<_>>());
        }
        let expected: Vec<Seq> = night.entries[..=middle].iter().map(|it| it.entry.seq).collect();
        assert!(all == expected, "{} of {}", all.len(), expected.len());
        for from in [Seq(0), night.entries[5].entry.seq, night.entries[middle / 2].entry.seq] {
            let keyframe = port.keyframe(from).await.unwrap().unwrap();
            assert!(keyframe.seq >= from);
            let index = night.entries.iter().position(|it| it.entry.seq == keyframe.seq);
            let expected = index.map_or(night.first.clone(), |index| night.state(index));
            assert!(*keyframe.snapshot == expected, "from {from:?}");
        }
        let last = night.entries.last().unwrap().entry.seq;
        assert!(port.keyframe(last.next()).await.unwrap().is_none());
    });
}

#[test]
fn a_speed_and_a_hold_are_told_and_what_cannot_be_done_too() {
    let night = night(1, 500);
    let port = open(&night.set(), ReplayPlace::Start, Speed::ONE, true);
    block_on(async {
        let faster = act(&port, ReplayAct::Faster, |view| view.speed != Speed::ONE).await;
        assert_eq!((faster.speed.name(true).as_str(), faster.is_held), ("x2", true));
        act(&port, ReplayAct::Slower, |view| view.speed == Speed::ONE).await;
        act(&port, ReplayAct::Toggle, |view| !view.is_held).await;
        act(&port, ReplayAct::Hold, |view| view.is_held).await;
        let stop = port.command(crate::port::Command::Stop).await.unwrap_err();
        assert_eq!((stop.code(), stop.hint().contains("attach")), ("replayed", true));
        let error = port.query(Query::Stream).await.unwrap_err();
        assert_eq!(error.code(), "not_recorded");
        assert!(matches!(port.query(Query::Peers).await.unwrap(), Page::Peers(_)));
    });
}

#[test]
fn the_ladder_of_a_trace_ends_where_the_replay_is() {
    let night = night(2, 400);
    let has_hops = |trace: &TraceId| {
        let mut ladder = Ladder::new(*trace, true, Seq(0), 100);
        night.entries.iter().for_each(|it| ladder.take(it.as_ref()));
        !ladder.hops().0.is_empty()
    };
    let mut traces = night.entries.iter().rev().filter_map(|it| it.entry.trace);
    let trace = traces.find(has_hops).unwrap();
    let hops = |place| {
        let port = open(&night.set(), place, Speed::ONE, true);
        let query = Query::Trace { trace, after: Seq(0), events: true, limit: 0 };
        let Page::Trace { hops, .. } = block_on(port.query(query)).unwrap() else { panic!("another page") };
        hops.len()
    };
    assert!(hops(ReplayPlace::End) > 0);
    let first = night.entries.iter().find(|it| it.entry.trace == Some(trace)).unwrap();
    assert_eq!(hops(ReplayPlace::Before(first.entry.seq)), 0);
}

/// The rows of a list as `ls` asks for them, by what is shown of them.
fn listed<R: ListRow>(port: &ReplayPort, paging: Paging) -> Result<PageRows<R>, PortError> {
    let page = block_on(port.query(Query::all(R::LIST).page(paging)))?;
    Ok(R::read(page).unwrap())
}

#[test]
fn what_held_is_listed_in_pages_and_what_was_not_recorded_is_refused() {
    let night = night(2, 400);
    let port = open(&night.set(), ReplayPlace::End, Speed::ONE, true);
    let state = night.state(night.entries.len() - 1);
    let all = || Paging { beyond: None, oldest_first: true, filter: None, limit: 0 };
    let queues: PageRows<QueueRow> = listed(&port, all()).unwrap();
    assert!(queues.rows.iter().map(|row| &row.queue).eq(state.mpp.queues.keys()));
    assert!(queues.rows.iter().zip(state.mpp.queues.values()).all(|(row, it)| row.pending == it.pending));
    let runs: PageRows<RunRow> = listed(&port, all()).unwrap();
    assert!(runs.rows.iter().map(|row| row.run).eq(state.runs.runs.iter().map(|view| view.run)));
    let sessions: PageRows<SessionRow> = listed(&port, all()).unwrap();
    assert!(sessions.rows.iter().map(|row| row.number).eq(state.macp.sessions.keys().copied()));

    assert!(!queues.rows.is_empty() && !runs.rows.is_empty() && !sessions.rows.is_empty());
    // One after the other, the newest first.
    let (mut beyond, mut found) = (None, Vec::new());
    loop {
        let filter = Some("number>=1".to_owned()).filter(|_| found.len() % 2 == 1);
        let paging = Paging { beyond, oldest_first: false, filter, limit: 1 };
        let page: PageRows<RunRow> = listed(&port, paging).unwrap_or_else(|error| panic!("{error}"));
        found.extend(page.rows.iter().map(|row| row.number));
        beyond = page.rows.last().map(|row| row.number).filter(|_| page.more);
        if beyond.is_none() {
            break;
        }
    }
    assert!(found.iter().rev().eq(runs.rows.iter().map(|row| &row.number)));
    for run in &runs.rows {
        let Page::Run(Some(detail)) = block_on(port.query(Query::Run { run: run.run })).unwrap() else {
            panic!("no run");
        };
        assert_eq!((&detail.row, detail.yaml.is_empty()), (run, true));
    }
    for session in &sessions.rows {
        let query = Query::Session { session: session.session.clone() };
        let Page::Session(Some(detail)) = block_on(port.query(query)).unwrap() else { panic!("no session") };
        assert_eq!(detail.row.session, session.session);
    }
    let port = port.that_answers_all();
    assert!(!listed::<InvocationRow>(&port, all()).unwrap().rows.is_empty());
    assert!(!listed::<RefundRow>(&port, all()).unwrap().rows.is_empty());
    let artifacts = Query::RunArtifacts { run: runs.rows[0].run, after: 0, limit: 0 };
    let refused = block_on(port.query(artifacts)).unwrap_err();
    assert!(matches!(refused, PortError::NotRecorded { .. }) && !refused.hint().is_empty());
    let bad = Paging { filter: Some("nonsense:(".to_owned()), ..all() };
    assert!(matches!(listed::<RunRow>(&port, bad), Err(PortError::BadRequest(_))));
}

#[test]
fn a_file_of_form_1_has_its_one_snapshot_to_begin_with() {
    let (first, entries) = recorded(FORM_1);
    let set = Arc::new(RecordingSet::open(&[PathBuf::from(FORM_1)]).unwrap());
    let mut state = ReplayState::of(first);
    for entry in &entries {
        state.take(entry.as_ref(), &Limits::default());
    }
    let port = open(&set, ReplayPlace::End, Speed::ONE, true);
    assert!(block_on(port.snapshot()).unwrap() == state.snapshot());
}

#[test]
fn after_a_loss_the_next_keyframe_says_what_holds() {
    let (first, entries) = sample();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.mcap");
    let mut file = TestFile::begin(&path, &info(0, None), 16_384);
    file.keyframe(first.at, &first.encode());
    let mut state = ReplayState::of(first);
    let (lost_from, lost_to, keyframe_at) = (200, 300, 340);
    for (at, entry) in entries.iter().enumerate().take(600) {
        if at == lost_to {
            let what = What::Loss { count: 100 };
            let seq = Seq(entry.entry.seq.0 - 1);
            let loss =
                Entry { seq, link: Link::Station, trace: None, cause: None, what, ..entry.entry.clone() };
            file.entry(crate::tap::EntryRef { entry: &loss, bytes: &[] }, None);
        }
        if at == keyframe_at {
            file.keyframe(state.snapshot().at, &state.snapshot().encode());
        }
        if !(lost_from..lost_to).contains(&at) {
            file.entry(entry.as_ref(), None);
        }
        state.take(entry.as_ref(), &Limits::default());
    }
    file.finish();
    let set = Arc::new(RecordingSet::open(&[path]).unwrap());
    let mut reader = SetReader::new(set);
    let mut at = |index: usize| {
        let target = Target::Entry { seq: entries[index].entry.seq, near: 0 };
        reach(&mut reader, target, &Limits::default()).unwrap().state.state().clone()
    };
    let mut as_it_was = |index: usize| {
        let mut state = ReplayState::of(at(0));
        for it in &entries[1..=index] {
            state.take(it.as_ref(), &Limits::default());
        }
        state.state().clone()
    };
    let (before, after, end) = (as_it_was(199), as_it_was(keyframe_at - 1), as_it_was(599));
    assert!(at(199).rmp == before.rmp && at(199).mpp == before.mpp);
    for index in [310, keyframe_at - 1] {
        assert!(at(index).rmp == after.rmp && at(index).mpp == after.mpp, "that of the keyframe, at {index}");
    }
    assert!(at(599).rmp == end.rmp && at(599).mpp == end.mpp);
}

#[test]
fn files_of_several_starts_follow_each_other_and_what_is_missing_is_said() {
    let (first, entries) = sample();
    let folder = tempfile::tempdir().unwrap();
    let mut whole = BTreeSet::new();
    for (number, started_ms) in [(1_u64, 0), (2, 100_000_000)] {
        let path = folder.path().join(format!("start.{number}.mcap"));
        let previous = (number == 2).then_some("lost.mcap");
        let mut file = TestFile::begin(&path, &info(started_ms, previous), 16_384);
        let shift = Duration::from_millis(started_ms);
        let snapshot = Snapshot { at: first.at.after(shift), ..first.clone() };
        file.keyframe(snapshot.at, &snapshot.encode());
        for OwnedEntry { entry, bytes } in &entries[..50] {
            let entry = Entry { at: entry.at.after(shift), ..entry.clone() };
            file.entry(crate::tap::EntryRef { entry: &entry, bytes }, None);
            whole.insert((number, entry.seq));
        }
        file.finish();
    }
    fs::write(folder.path().join("other.mcap"), "none").unwrap();
    fs::write(folder.path().join("notes.txt"), "none").unwrap();
    let set = Arc::new(RecordingSet::open(&[folder.path().to_owned()]).unwrap());
    let notes = set.notes().join("\n");
    assert!(notes.contains("other.mcap") && notes.contains("follows lost.mcap, which is missing"), "{notes}");
    let port = open(&set, ReplayPlace::Seq(entries[48].entry.seq), Speed::ONE, true);
    block_on(async {
        let step = ReplayAct::Seek(ReplayPlace::NextEntry);
        act(&port, step, |_| true).await;
        let next_start = act(&port, step, |view| view.generation > 1).await;
        assert!(next_start.at.wall > first.at.after(Duration::from_hours(25)).wall);
        let mut reader = port.entries().unwrap();
        act(&port, step, |_| true).await;
        reader.ready().await;
        assert_eq!(read(&port, &mut reader)[0].entry.seq, entries[0].entry.seq);
    });
}

#[test]
fn files_that_are_cut_or_damaged_anywhere_are_read_as_far_as_they_are_sound() {
    let night = night(1, 250);
    let whole = fs::read(&night.files[0]).unwrap();
    let path = night.folder.path().join("damaged.mcap");
    for (round, at) in (0..whole.len()).step_by(whole.len() / 40).enumerate() {
        let mut bytes = whole.clone();
        if round % 2 == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 0x55;
        }
        fs::write(&path, &bytes).unwrap();
        let Ok(set) = RecordingSet::open(std::slice::from_ref(&path)) else { continue };
        let start = ReplayStart { place: ReplayPlace::End, speed: Speed::ONE, is_held: true };
        match ReplayPort::open(Arc::new(set), start, Clock::start(), Limits::default()) {
            Ok(port) => drop(block_on(port.snapshot()).unwrap()),
            Err(PortError::NoKeyframe(_) | PortError::Damaged(_)) => {}
            Err(error) => panic!("at {at}: {error}"),
        }
    }
}

#[test]
fn a_file_that_was_not_finished_is_replayed_too() {
    let (first, entries) = sample();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.mcap");
    let mut file = TestFile::begin(&path, &info(0, None), 16_384);
    file.keyframe(first.at, &first.encode());
    entries[..100].iter().for_each(|entry| file.entry(entry.as_ref(), None));
    file.flush();
    let set = Arc::new(RecordingSet::open(&[path]).unwrap());
    let port = open(&set, ReplayPlace::End, Speed::ONE, true);
    assert_eq!(port.entries().unwrap().next(), entries[99].entry.seq.next());
    drop(file);
}
