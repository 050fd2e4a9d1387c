//! A mirror and translated snapshots against a fold in the station's own process.

use std::{path::PathBuf, sync::Arc, time::Duration};

use proptest::prelude::*;
use uuid::Uuid;

use super::rebase::RebasedMirror;
use crate::{
    ids::{ConnectionId, ManifestHash, PackId, Peer, Seq, TopicName, TraceId},
    limits::{self, Limits},
    macp,
    mpp::{self, PackFacts},
    port::{
        AsOf, HostState, Snapshot, StationView,
        wire::{Batch, BatchDraft, entries},
    },
    rmp::{self, Dialect, DropReason, Kind},
    runs::{self, Asker, AskerKind, NodeRef, NodeState},
    tap::{
        Draft, EntryRef, Reader, Tap,
        entry::{
            Direction, Door, Entry, Frame, FrameOrigin, Head, Link, Redaction, Transition, Verdict, What,
            rmp as bus, station,
        },
        recorded::OwnedEntry,
    },
    time::{ClockShift, Mono, Now},
};

fn nothing_known(at: Now) -> Snapshot {
    let pack = PackFacts {
        id: PackId::new("dev.sample"),
        name: Arc::from("Sample"),
        version: Arc::from("1.0.0"),
        hash: ManifestHash::new("sha256:00"),
        is_sample: true,
    };
    let station = StationView {
        hosts: Link::ALL.map(|_| HostState::Up),
        ..StationView::starting(PathBuf::from("/data"), at, 200)
    };
    Snapshot {
        as_of: AsOf::default(),
        at,
        station,
        mpp: mpp::Snapshot::new(pack),
        rmp: rmp::Snapshot::default(),
        runs: runs::Snapshot::default(),
        macp: macp::Snapshot::default(),
        plugin: crate::plugin::Snapshot::default(),
        mplp: crate::mplp::Snapshot::default(),
    }
}

/// A state as it is read from another process.
fn shifted(snapshot: &Snapshot, shift: ClockShift) -> Snapshot {
    Snapshot::decode_shifted(&snapshot.encode(), shift).unwrap()
}

/// Carries a state on as every reader does.
fn fold(state: &mut Snapshot, entry: EntryRef<'_>) {
    let link = entry.entry.link;
    if state.as_of.covers(link, entry.entry.seq) {
        return;
    }
    let limits = Limits::default();
    match &entry.entry.what {
        What::Transition(Transition::Station(transition)) => {
            state.station.apply(entry.entry.at, transition, &entry.text());
        }
        _ if link == Link::Macp => state.macp.apply(entry.entry, &entry.text(), &limits.macp),
        _ if link == Link::Plugin => state.plugin.apply(entry.entry, &entry.text(), &limits.plugin),
        _ if link == Link::Mplp => state.mplp.apply(entry.entry, &entry.text(), &limits.mplp),
        _ if link == Link::Runs => state.runs.apply(entry.entry, &entry.text(), &limits.runs),
        _ if link == Link::Rmp => state.rmp.apply(entry.entry, &entry.text(), &limits.rmp),
        _ => state.mpp.apply(entry.entry, &entry.text(), &limits.mpp),
    }
    state.as_of.0[link.index()] = entry.entry.seq;
}

/// A station with its own fold of all that it ever emitted.
struct Station {
    tap: Tap,
    folder: Reader,
    sender: Reader,
    draft: BatchDraft,
    state: Snapshot,
    /// Its clock's lead over ours in milliseconds, and ours at its start.
    lead_ms: u64,
}

impl Station {
    fn start(lead_ms: u64, at_ms: u64) -> Self {
        let tap = Tap::new(limits::Tap::default());
        let mut station = Self {
            folder: tap.reader().unwrap(),
            sender: tap.reader().unwrap(),
            draft: BatchDraft::new(Seq(1)),
            tap,
            state: nothing_known(Now::default()),
            lead_ms,
        };
        station.state = nothing_known(station.now(at_ms));
        station.emit(at_ms, 0, 0);
        station
    }

    /// Its clock when ours says so.
    fn now(&self, at_ms: u64) -> Now {
        let now = Now::at_ms(at_ms);
        Now { mono: now.mono + Duration::from_millis(self.lead_ms), wall: now.wall }
    }

    fn emit(&mut self, at_ms: u64, which: u8, number: u64) {
        let session = ConnectionId(number % 5);
        let topic = || TopicName::new(&format!("agent/a{}", number % 7));
        let (link, transition) = match which % 10 {
            0 => (Link::Station, Transition::Station(station::Transition::Started)),
            1 => (Link::Station, Transition::Station(station::Transition::DiskLow { free_bytes: number })),
            2 => (Link::Station, Transition::Station(station::Transition::RecordingStarted)),
            3 => {
                (Link::Rmp, Transition::Rmp(bus::Transition::Connected { session, peer: Peer::new("pid 7") }))
            }
            4 => {
                let (client, kind) = (Arc::from("c"), Kind::Agent);
                (
                    Link::Rmp,
                    Transition::Rmp(bus::Transition::Greeted {
                        session,
                        client,
                        kind,
                        dialect: Dialect::Json,
                    }),
                )
            }
            5 => (
                Link::Rmp,
                Transition::Rmp(bus::Transition::Subscribed { session, sub: number % 3, topic: topic() }),
            ),
            6 => {
                let dropped = bus::Transition::Dropped {
                    reason: DropReason::TtlExpired,
                    topic: topic(),
                    to: Some((session, 1)),
                    from: None,
                    count: number,
                    msg_id: number,
                    expires_at_ms: 5,
                };
                (Link::Rmp, Transition::Rmp(dropped))
            }
            7 => {
                let (run, by) = (
                    TraceId(Uuid::from_u128(number.into())),
                    Asker { kind: AskerKind::Cue, client: Arc::from("c") },
                );
                (
                    Link::Runs,
                    Transition::Runs(runs::Transition::Submitted { run, name: Arc::from("o"), by, nodes: 2 }),
                )
            }
            8 => {
                let (run, node) =
                    (TraceId(Uuid::from_u128((number / 2).into())), NodeRef { index: 1, id: Arc::from("b") });
                (
                    Link::Runs,
                    Transition::Runs(runs::Transition::StateChange {
                        run,
                        node,
                        state: NodeState::Running,
                        attempt: 1,
                    }),
                )
            }
            _ => {
                let transition = crate::tap::entry::mpp::Transition::Logged { level: station::Level::Info };
                (Link::Mpp, Transition::Mpp(transition))
            }
        };
        let text = match which % 10 {
            7 => r#"{"nodes":[{"id":"a","use":"agent:x"},{"id":"b","use":"agent:x"}]}"#.to_owned(),
            _ => format!("text {number}"),
        };
        let cause = number.is_multiple_of(2).then_some(self.tap.last());
        let at = self.now(at_ms);
        self.tap.emit(Draft {
            at,
            link,
            trace: None,
            cause,
            what: What::Transition(transition),
            bytes: text.as_bytes(),
        });
        while let Some(batch) = self.folder.read() {
            batch.iter().for_each(|entry| fold(&mut self.state, entry));
        }
    }

    /// The next batch to be sent, empty when nothing happened.
    fn batch(&mut self) -> Vec<u8> {
        while let Some(batch) = self.sender.read() {
            batch.iter().for_each(|entry| self.draft.push(entry, 1 << 16));
        }
        self.draft.take_body()
    }

    fn snapshot(&self, at_ms: u64) -> Snapshot {
        Snapshot { at: self.now(at_ms), ..self.state.clone() }
    }
}

/// Whoever reads a mirror as a console does.
struct Console {
    reader: Reader,
    state: Option<Snapshot>,
    lost: u64,
}

impl Console {
    fn read(&mut self) {
        while let Some(batch) = self.reader.read() {
            if batch.lost > 0 {
                self.lost += batch.lost;
                self.state = None;
            }
            if let Some(state) = &mut self.state {
                batch.iter().for_each(|entry| fold(state, entry));
            }
        }
    }
}

fn take(timeline: &mut RebasedMirror, body: &[u8], at_ms: u64) {
    let batch = Batch::read(body).unwrap();
    timeline.take(batch.first, entries(batch.entries).map(Result::unwrap), Now::at_ms(at_ms));
}

fn shift(station: &Station, at_ms: u64) -> ClockShift {
    ClockShift::between(station.now(at_ms).mono, Now::at_ms(at_ms).mono)
}

fn attached(station: &mut Station, at_ms: u64) -> (RebasedMirror, Console) {
    let first = Batch::read(&station.batch()).map(|batch| Seq(batch.first.0 + batch.count)).unwrap();
    let timeline = RebasedMirror::new(limits::Tap::default(), first, shift(station, at_ms));
    let reader = timeline.mirror().reader().unwrap();
    (timeline, Console { reader, state: None, lost: 0 })
}

/// What a state is without the places up to which it speaks.
fn without_positions(state: Snapshot) -> Snapshot {
    Snapshot { as_of: AsOf::default(), at: Now::default(), ..state }
}

#[derive(Clone, Debug)]
enum Step {
    Emit(u8, u64),
    /// What happened so far is sent, and arrives or not.
    Send(bool),
    /// A snapshot is taken, and comes after so many further steps.
    Snapshot,
    SnapshotComes,
    Read,
    Restart(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (any::<u8>(), 0_u64..50).prop_map(|(which, number)| Step::Emit(which, number)),
        6 => prop::bool::weighted(0.75).prop_map(Step::Send),
        3 => Just(Step::Snapshot),
        3 => Just(Step::SnapshotComes),
        6 => Just(Step::Read),
        1 => (0_u64..100_000).prop_map(Step::Restart),
    ]
}

proptest! {
    #[test]
    fn a_mirror_and_translated_snapshots_make_the_stations_own_state(
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut at_ms = 100_000_000;
        let mut station = Station::start(7_000, at_ms);
        let (mut timeline, mut console) = attached(&mut station, at_ms);
        let begun = timeline.mirror().next();
        let mut taken: Option<Snapshot> = None;
        // The first of these may have been lost, and the second tells of it.
        let end = [
            Step::SnapshotComes,
            Step::Send(true),
            Step::Read,
            Step::Snapshot,
            Step::SnapshotComes,
            Step::Read,
        ];
        for step in steps.into_iter().chain(end) {
            at_ms += 10;
            match step {
                Step::Emit(which, number) => station.emit(at_ms, which, number),
                Step::Send(arrives) => {
                    let body = station.batch();
                    if arrives {
                        take(&mut timeline, &body, at_ms);
                    }
                }
                Step::Snapshot if console.state.is_none() => {
                    taken = taken.or_else(|| Some(station.snapshot(at_ms)));
                }
                Step::SnapshotComes => {
                    let read = |snapshot| timeline.snapshot(shifted(&snapshot, timeline.shift()));
                    console.state = taken.take().map(read).or(console.state);
                }
                // It reads on when the snapshot is there.
                Step::Read if taken.is_none() => console.read(),
                Step::Snapshot | Step::Read => {}
                Step::Restart(lead_ms) => {
                    station = Station::start(lead_ms, at_ms);
                    let first =
                        Batch::read(&station.batch()).map(|batch| Seq(batch.first.0 + batch.count)).unwrap();
                    timeline.reset(first, shift(&station, at_ms), Now::at_ms(at_ms));
                    taken = None;
                }
            }
            if console.reader.lag() == 0
                && timeline.expected() == station.tap.last().next()
                && let Some(state) = &console.state
            {
                let expected = shifted(&station.state, shift(&station, at_ms));
                prop_assert_eq!(without_positions(state.clone()), without_positions(expected));
            }
        }
        prop_assert!(console.state.is_some() && console.reader.lag() == 0);
        prop_assert_eq!(begun.0 + console.reader.received() + console.lost, timeline.mirror().next().0);
    }
}

#[test]
fn a_loss_at_the_end_is_told_by_the_next_sign_of_life() {
    let mut station = Station::start(0, 1_000);
    let (mut timeline, mut console) = attached(&mut station, 1_000);
    station.emit(2_000, 1, 7);
    drop(station.batch());
    assert_eq!(console.reader.lag(), 0, "nobody can know of it yet");
    take(&mut timeline, &station.batch(), 3_000);
    let batch = console.reader.read().unwrap();
    assert_eq!((batch.lost, batch.len()), (1, 1));
    assert_eq!(batch.get(0).unwrap().entry.what, What::Loss { count: 1 });
    station.emit(4_000, 1, 8);
    take(&mut timeline, &station.batch(), 4_000);
    assert_eq!(console.reader.read().map(|batch| (batch.lost, batch.len())), Some((0, 1)));
}

#[test]
fn causes_and_moments_are_carried_over_with_their_entries() {
    let mut station = Station::start(5_000, 1_000_000);
    let (mut timeline, mut console) = attached(&mut station, 1_000_000);
    station.emit(1_001_000, 1, 2);
    station.emit(1_002_000, 1, 4);
    take(&mut timeline, &station.batch(), 1_003_000);
    let batch = console.reader.read().unwrap();
    let [first, second] = [0, 1].map(|place| batch.get(place).unwrap().entry.clone());
    assert_eq!(
        (second.cause, first.at, second.at),
        (Some(first.seq), Now::at_ms(1_001_000), Now::at_ms(1_002_000))
    );
    let earlier = Now { mono: Mono(0), ..Now::at_ms(5) };
    assert_eq!(shift(&station, 1_000_000).apply(earlier), earlier, "what has no monotonic time keeps none");
}

#[test]
fn the_frame_that_an_injected_one_was_made_of_is_carried_over_too() {
    let frame = |seq: u64, of: u64| {
        let by = station::OperatedBy::own_console();
        let origin = FrameOrigin { by, door: Door::Own, number: 1, of: Some(Seq(of)) };
        let frame = Frame {
            direction: Direction::Inbound,
            peer: Peer::new("127.0.0.1:1"),
            head: Head::Mpp(crate::tap::entry::mpp::Head::default()),
            verdict: Verdict::Sent,
            wire_bytes: 0,
            redaction: Redaction::None,
            origin: Some(Arc::new(origin)),
        };
        let at = Now::at_ms(1);
        let entry =
            Entry { seq: Seq(seq), at, link: Link::Mpp, trace: None, cause: None, what: What::Frame(frame) };
        OwnedEntry { entry, bytes: Vec::new() }
    };
    let of = |entry: EntryRef<'_>| match &entry.entry.what {
        What::Frame(frame) => frame.origin.as_ref().and_then(|origin| origin.of),
        _ => None,
    };
    let mut timeline = RebasedMirror::new(limits::Tap::default(), Seq(5), ClockShift::default());
    let mut reader = timeline.mirror().reader().unwrap();
    timeline.take(Seq(5), std::iter::once(frame(5, 3)), Now::at_ms(1));
    // 6 and 7 are lost: from there on places here are one further.
    timeline.take(Seq(8), [frame(8, 5), frame(9, 8)].into_iter(), Now::at_ms(2));
    let mut found = Vec::new();
    while let Some(batch) = reader.read() {
        found.extend(batch.iter().filter_map(|entry| Some((entry.entry.seq, of(entry)?))));
    }
    assert_eq!(found, [(Seq(5), Seq(3)), (Seq(9), Seq(5)), (Seq(10), Seq(9))]);
    assert_eq!(timeline.station_seq(Seq(9)), Some(Seq(8)), "what is sent of it is named as the station does");
}
