//! What came of injected frames: the traces that have one, as far as entries say.
//!
//! A trace is known for as long as something of it is shown. Frames alone are gone soon, so of them the
//! newest are known; a run, an invocation or a session stays for months, and its mark with it. A row that
//! names no trace is known by what is in the place of one: see [`UntracedRow`].

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    entry::{Direction, Door, Entry, Transition, What, runs},
    untraced_row::UntracedRow,
};
use crate::ids::{Seq, TraceId};

/// Entries, and traces of frames alone, that are known; past them the oldest are forgotten.
pub(crate) const KNOWN_MAX: usize = 1_024;
/// Traces of what lists show that end with the station (drops, what plugins did).
const LISTED_MAX: usize = 4_096;
/// Traces of invocations, runs and sessions.
pub(crate) const ROWS_MAX: usize = 16_384;
/// What one of them costs, in bytes.
const KNOWN_BYTES: usize = 96;

/// A trace that has an injected frame, or came of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectedTrace {
    /// It.
    pub trace: TraceId,
    /// Whether it is that of an invocation, a run or a session.
    pub has_row: bool,
}

/// What there is of a trace, by how long that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// Frames, which say themselves what they are.
    Frames,
    /// A row of a list that ends with the station.
    Listed,
    /// An invocation, a run or a session.
    Row,
}

impl Extent {
    /// What an entry adds to its trace.
    const fn of(entry: &Entry) -> Self {
        match &entry.what {
            What::Transition(transition) => match transition {
                // It begins no run.
                Transition::Runs(runs::Transition::Rejected { .. }) => Self::Frames,
                Transition::Mpp(_) | Transition::Macp(_) | Transition::Runs(_) => Self::Row,
                _ => Self::Listed,
            },
            _ => Self::Frames,
        }
    }

    /// So many traces of it are known.
    const fn traces_max(self) -> usize {
        match self {
            Self::Frames => KNOWN_MAX,
            Self::Listed => LISTED_MAX,
            Self::Row => ROWS_MAX,
        }
    }
}

/// The traces of injected frames, and of what they caused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InjectedTraces {
    /// Injected frames, and entries that they caused.
    seqs: BTreeSet<Seq>,
    /// Their traces, and where each stands in the order.
    traces: BTreeMap<TraceId, (Extent, u64)>,
    /// They by their extent and by when something came of each last.
    order: BTreeMap<(Extent, u64), TraceId>,
    /// How many there are of each extent.
    counts: [usize; 3],
    /// Counts what came of each.
    count: u64,
}

impl InjectedTraces {
    /// Takes one entry: the trace that is known by it, where it was not, or had no row, and what is in the
    /// place of one of a row that names none.
    pub(crate) fn fold(&mut self, entry: &Entry) -> [Option<InjectedTrace>; 2] {
        let is_caused = entry.cause.is_some_and(|cause| self.seqs.contains(&cause));
        let is_of_it = is_caused || is_injected(entry);
        if is_of_it {
            self.add_entry(entry.seq);
        }
        let trace = entry.trace.filter(|trace| is_of_it || self.has(*trace));
        let row = UntracedRow::of(entry).filter(|_| is_of_it || trace.is_some());
        let extent = |row: UntracedRow<'_>| if row.is_stored() { Extent::Row } else { Extent::Listed };
        [
            trace.and_then(|trace| self.note(trace, Extent::of(entry), is_of_it)),
            // Nobody asks after a restart for what ends with the station.
            row.and_then(|row| self.note(row.mark(), extent(row), is_of_it)).filter(|it| it.has_row),
        ]
    }

    /// Notes that something of an extent is shown of a trace, and whether that was not known.
    fn note(&mut self, trace: TraceId, extent: Extent, is_of_it: bool) -> Option<InjectedTrace> {
        let known = self.traces.get(&trace).map(|(extent, _)| *extent);
        if !is_of_it && known >= Some(extent) {
            return None;
        }
        self.add(trace, known.map_or(extent, |known| known.max(extent)));
        let has_row = extent == Extent::Row;
        let is_told = known.is_some_and(|known| !has_row || known == Extent::Row);
        (!is_told).then_some(InjectedTrace { trace, has_row })
    }

    /// Notes what is known elsewhere. Of what has no row it is not said whether a list shows it.
    pub(crate) fn restore(&mut self, known: KnownInjected<'_>) {
        let without_rows: HashSet<TraceId> = known.without_rows.iter().copied().collect();
        for trace in known.traces {
            let extent = if without_rows.contains(trace) { Extent::Listed } else { Extent::Row };
            self.restore_as(*trace, extent);
        }
        for seq in known.entries {
            self.add_entry(*seq);
        }
    }

    /// Notes a trace that was known before.
    pub(crate) fn restore_trace(&mut self, it: InjectedTrace) {
        self.restore_as(it.trace, if it.has_row { Extent::Row } else { Extent::Frames });
    }

    fn restore_as(&mut self, trace: TraceId, extent: Extent) {
        if self.traces.get(&trace).is_none_or(|(known, _)| *known < extent) {
            self.add(trace, extent);
        }
    }

    fn add_entry(&mut self, seq: Seq) {
        self.seqs.insert(seq);
        if self.seqs.len() > KNOWN_MAX {
            self.seqs.pop_first();
        }
    }

    /// Notes that something came of a trace.
    fn add(&mut self, trace: TraceId, extent: Extent) {
        self.count += 1;
        if let Some(before) = self.traces.insert(trace, (extent, self.count)) {
            self.order.remove(&before);
            self.counts[before.0 as usize] -= 1;
        }
        self.order.insert((extent, self.count), trace);
        let count = &mut self.counts[extent as usize];
        *count += 1;
        if *count > extent.traces_max()
            && let Some((at, oldest)) = self.order.range((extent, 0)..).next().map(|(at, it)| (*at, *it))
        {
            *count -= 1;
            self.order.remove(&at);
            self.traces.remove(&oldest);
        }
    }

    /// All that is known, still to be sorted.
    pub(crate) fn collect(&self) -> CollectedInjected {
        let traces = self.order.iter().map(|((extent, at), it)| (*at, *it, *extent == Extent::Row)).collect();
        CollectedInjected { traces, entries: self.seqs.iter().copied().collect() }
    }

    /// Whether a trace has an injected frame, or came of one.
    pub(crate) fn has(&self, trace: TraceId) -> bool {
        self.traces.contains_key(&trace)
    }

    /// What a copy of it holds, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.seqs.len() + self.traces.len()) * KNOWN_BYTES
    }
}

/// What is known of injected frames, in no order: whoever has locked it need not wait for its sorting.
#[derive(Debug)]
pub(crate) struct CollectedInjected {
    /// Traces, when something came of each last, and whether each has a row.
    traces: Vec<(u64, TraceId, bool)>,
    entries: Vec<Seq>,
}

impl CollectedInjected {
    /// As a snapshot has it.
    pub(crate) fn sorted(self) -> InjectedLists {
        let Self { mut traces, entries } = self;
        traces.sort_unstable();
        let without_rows = traces.iter().filter(|(.., has_row)| !has_row).map(|(_, it, _)| *it).collect();
        let traces = traces.into_iter().map(|(_, trace, _)| trace).collect();
        InjectedLists { traces, without_rows, entries }
    }
}

/// What is known of injected frames, as a snapshot has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InjectedLists {
    /// The traces, the one of which something came last at the end.
    pub(crate) traces: Vec<TraceId>,
    /// Those of them that are of no invocation, run or session.
    pub(crate) without_rows: Vec<TraceId>,
    /// Injected frames, and entries that they caused, the oldest first.
    pub(crate) entries: Vec<Seq>,
}

#[cfg(test)]
impl InjectedLists {
    /// As it is restored from a snapshot.
    fn as_known(&self) -> KnownInjected<'_> {
        let Self { traces, without_rows, entries } = self;
        KnownInjected { traces, without_rows, entries }
    }
}

/// What a snapshot knows of injected frames.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KnownInjected<'a> {
    /// As in [`InjectedLists`].
    pub(crate) traces: &'a [TraceId],
    /// Likewise; those of which nothing is said have rows.
    pub(crate) without_rows: &'a [TraceId],
    /// Likewise.
    pub(crate) entries: &'a [Seq],
}

/// Whether an entry is a frame that was made by hand, and no answer to one.
fn is_injected(entry: &Entry) -> bool {
    let What::Frame(frame) = &entry.what else { return false };
    let as_sent = |door| frame.direction == Direction::Inbound || door == Door::AsStation;
    frame.origin.as_ref().is_some_and(|origin| as_sent(origin.door))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::{InvocationId, Peer, RefundId},
        tap::entry::{
            Frame, FrameOrigin, Head, Link, Redaction, Verdict, macp, mpp, rmp, station::OperatedBy,
        },
        time::Now,
    };

    fn frame(seq: u64, direction: Direction, door: Option<Door>, trace: Option<TraceId>) -> Entry {
        let origin =
            door.map(|door| FrameOrigin { by: OperatedBy::own_console(), door, number: 1, of: None }.into());
        let frame = Frame {
            direction,
            peer: Peer::new("127.0.0.1:1"),
            head: Head::Mpp(mpp::Head::default()),
            verdict: Verdict::Mpp(mpp::Verdict::Accepted),
            wire_bytes: 1,
            redaction: Redaction::None,
            origin,
        };
        let what = What::Frame(frame);
        Entry { seq: Seq(seq), at: Now::default(), link: Link::Mpp, trace, cause: None, what }
    }

    /// The trace that is known by an entry, of which no list has a row without one.
    fn told(injected: &mut InjectedTraces, entry: &Entry) -> Option<InjectedTrace> {
        let [told, row] = injected.fold(entry);
        assert_eq!(row, None);
        told
    }

    fn trace(number: u128) -> TraceId {
        TraceId(uuid::Uuid::from_u128(number))
    }

    #[expect(clippy::unnecessary_wraps, reason = "as it is returned")]
    fn frames_of(number: u128) -> Option<InjectedTrace> {
        Some(InjectedTrace { trace: trace(number), has_row: false })
    }

    /// A change of state, of a trace that is known or not.
    fn transition(seq: u64, link: Link, number: u128) -> Entry {
        let transition = match link {
            Link::Rmp => Transition::Rmp(rmp::Transition::DedupeStats {
                keys: 0,
                evicted_young: 0,
                lost_evicted_young: 0,
                topics: 0,
            }),
            Link::Macp => Transition::Macp(macp::Transition::NotListening),
            Link::Runs => Transition::Runs(runs::Transition::Planned { run: trace(number) }),
            _ => Transition::Mpp(mpp::Transition::Paired),
        };
        let what = What::Transition(transition);
        Entry { seq: Seq(seq), at: Now::default(), link, trace: Some(trace(number)), cause: None, what }
    }

    /// So many injected frames of further traces.
    fn flood(injected: &mut InjectedTraces, from: u64, count: usize) {
        for seq in from..from + count as u64 {
            injected.fold(&frame(seq, Direction::Inbound, Some(Door::Own), Some(trace(seq.into()))));
        }
    }

    #[test]
    fn the_trace_of_an_injected_frame_and_of_what_it_caused_is_known() {
        let mut injected = InjectedTraces::default();
        assert_eq!(told(&mut injected, &frame(1, Direction::Inbound, Some(Door::Own), None)), None);
        let caused = Entry { cause: Some(Seq(1)), ..frame(2, Direction::Outbound, None, Some(trace(2))) };
        assert_eq!(told(&mut injected, &caused), frames_of(2));
        let later = Entry { cause: Some(Seq(2)), ..frame(3, Direction::Inbound, None, Some(trace(3))) };
        assert_eq!(told(&mut injected, &later), frames_of(3));
        assert_eq!(told(&mut injected, &frame(4, Direction::Inbound, None, Some(trace(4)))), None);
        let again = Entry { cause: Some(Seq(1)), ..frame(5, Direction::Outbound, None, Some(trace(2))) };
        assert_eq!(told(&mut injected, &again), None, "it was known");
        let lists = injected.collect().sorted();
        assert_eq!((&lists.traces, lists.without_rows), (&vec![trace(3), trace(2)], lists.traces.clone()));
        assert_eq!([2, 3, 4].map(|number| injected.has(trace(number))), [true, true, false]);
    }

    #[test]
    fn what_comes_of_an_earlier_frame_is_known_to_who_came_after_it() {
        let (mut before, mut later) = (InjectedTraces::default(), InjectedTraces::default());
        before.fold(&frame(1, Direction::Inbound, Some(Door::Own), Some(trace(1))));
        later.restore(before.collect().sorted().as_known());
        let caused = Entry { cause: Some(Seq(1)), ..frame(2, Direction::Outbound, None, Some(trace(2))) };
        assert_eq!(told(&mut later, &caused), frames_of(2));
    }

    #[test]
    fn what_the_station_sends_to_a_connection_of_the_workbench_is_no_injected_frame() {
        let mut injected = InjectedTraces::default();
        injected.fold(&frame(1, Direction::Outbound, Some(Door::Own), Some(trace(1))));
        injected.fold(&frame(2, Direction::Outbound, Some(Door::AsStation), Some(trace(2))));
        assert_eq!([1, 2].map(|number| injected.has(trace(number))), [false, true]);
    }

    #[test]
    fn no_more_than_its_bound_is_known_and_the_oldest_is_forgotten() {
        let mut injected = InjectedTraces::default();
        let count = KNOWN_MAX as u64 + 1;
        for seq in 1..=count {
            injected.fold(&frame(seq, Direction::Inbound, Some(Door::Own), Some(trace(seq.into()))));
        }
        assert_eq!((injected.seqs.len(), injected.traces.len()), (KNOWN_MAX, KNOWN_MAX));
        assert_eq!((injected.order.len(), injected.counts), (KNOWN_MAX, [KNOWN_MAX, 0, 0]));
        assert!(!injected.has(trace(1)) && injected.has(trace(count.into())));
    }

    #[test]
    fn what_has_a_row_is_known_however_many_frames_are_injected_after_it() {
        let mut injected = InjectedTraces::default();
        flood(&mut injected, 1, 5);
        for (number, link) in [(1, Link::Mpp), (2, Link::Runs), (3, Link::Macp)] {
            let known = told(&mut injected, &transition(100 + number, link, number.into()));
            assert_eq!(known, Some(InjectedTrace { trace: trace(number.into()), has_row: true }));
            assert_eq!(
                told(&mut injected, &transition(110 + number, link, number.into())),
                None,
                "it was known"
            );
        }
        assert_eq!(
            told(&mut injected, &transition(120, Link::Rmp, 4)),
            None,
            "it is known as one without a row"
        );
        assert_eq!(told(&mut injected, &transition(121, Link::Mpp, 9)), None, "nothing of it was injected");
        flood(&mut injected, 1_000, 3 * KNOWN_MAX);
        assert_eq!(
            [1, 2, 3, 4, 5, 9].map(|it| injected.has(trace(it))),
            [true, true, true, true, false, false]
        );
        assert_eq!(injected.counts, [KNOWN_MAX, 1, 3]);
        // A frame of it that comes later takes nothing from it.
        injected.fold(&frame(10_000, Direction::Inbound, Some(Door::Own), Some(trace(1))));
        flood(&mut injected, 20_000, KNOWN_MAX);
        let lists = injected.collect().sorted();
        assert!(injected.has(trace(1)) && lists.traces.contains(&trace(1)));
        assert!(!lists.without_rows.contains(&trace(1)) && lists.without_rows.contains(&trace(4)));
    }

    #[test]
    fn what_a_snapshot_says_has_no_row_takes_the_place_of_none_that_has() {
        let mut station = InjectedTraces::default();
        flood(&mut station, 1, 3);
        station.fold(&transition(10, Link::Mpp, 1));
        let mut console = InjectedTraces::default();
        console.restore(station.collect().sorted().as_known());
        assert_eq!(console.counts, [0, 2, 1]);
        for round in 1..=10_u128 {
            let frames: Vec<_> = (0..KNOWN_MAX as u128).map(|it| trace((round << 32) + it)).collect();
            console.restore(KnownInjected { traces: &frames, without_rows: &frames, entries: &[] });
        }
        assert_eq!((console.counts, console.has(trace(1))), ([0, LISTED_MAX, 1], true));
        assert!(!console.has(trace(2)), "frames are forgotten");
        // What became a row while entries were lost is one from then on; older snapshots say nothing of rows.
        let last = trace(10 << 32);
        console.restore(KnownInjected { traces: &[last], ..KnownInjected::default() });
        assert_eq!(console.counts, [0, LISTED_MAX - 1, 2]);
    }

    #[test]
    fn what_a_snapshot_or_the_store_knows_stays_known_and_has_a_bound_too() {
        let mut injected = InjectedTraces::default();
        for (number, has_row) in [(1, true), (2, false)] {
            injected.restore_trace(InjectedTrace { trace: trace(number), has_row });
        }
        flood(&mut injected, 1_000, KNOWN_MAX);
        assert_eq!([1, 2].map(|number| injected.has(trace(number))), [true, false]);
        let many: Vec<_> = (0..ROWS_MAX as u128).map(|number| trace((1 << 32) + number)).collect();
        injected.restore(KnownInjected { traces: &many, ..KnownInjected::default() });
        assert_eq!(injected.counts, [KNOWN_MAX, 0, ROWS_MAX]);
        assert!(!injected.has(trace(1)) && injected.has(many[0]), "the oldest is forgotten");
    }

    #[test]
    fn rows_without_traces_are_known_by_what_they_are() {
        let mut injected = InjectedTraces::default();
        injected.fold(&frame(1, Direction::Inbound, Some(Door::Own), None));
        let of = |seq, link, cause: Option<u64>, what| Entry {
            cause: cause.map(Seq),
            trace: None,
            what: What::Transition(what),
            ..transition(seq, link, 0)
        };
        let ended = |number| {
            let session = macp::SessionRef { number, id: "s".into() };
            Transition::Macp(macp::Transition::Ended { session, ending: macp::Ending::Cancelled })
        };
        let session = |number| UntracedRow::Session(number).mark();
        let known = injected.fold(&of(2, Link::Macp, Some(1), ended(7)));
        assert_eq!(known, [None, Some(InjectedTrace { trace: session(7), has_row: true })]);
        assert_eq!(injected.fold(&of(3, Link::Macp, Some(1), ended(7))), [None, None], "it was known");
        assert_eq!(injected.fold(&of(4, Link::Macp, None, ended(8))), [None, None]);
        assert_eq!([7, 8].map(|number| injected.has(session(number))), [true, false]);
        // Nothing that ends with the station is for the store.
        let logged = || Transition::Mpp(mpp::Transition::Logged { level: mpp::Level::Info });
        let line = UntracedRow::AdapterLine { at: Now::default().wall, level: mpp::Level::Info };
        assert_eq!(injected.fold(&of(5, Link::Mpp, Some(1), logged())), [None, None]);
        assert!(injected.has(line.mark()));
        // The row of an invocation with an injected frame may have a refund.
        injected.fold(&frame(6, Direction::Inbound, Some(Door::Own), Some(trace(1))));
        let (refund, status) = (RefundId(3), mpp::RefundStatus::Requested);
        let recorded = mpp::Transition::RefundRecorded { refund, id: InvocationId(4), status };
        let recorded = of(7, Link::Mpp, None, Transition::Mpp(recorded));
        assert_eq!(injected.fold(&Entry { trace: Some(trace(2)), ..recorded.clone() }), [None, None]);
        let [_, row] = injected.fold(&Entry { trace: Some(trace(1)), ..recorded });
        assert_eq!(row.map(|it| it.trace), Some(UntracedRow::Refund(refund).mark()));
    }
}
