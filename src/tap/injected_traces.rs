//! What came of injected frames: the traces that have one, as far as entries say.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Direction, Door, Entry, What};
use crate::ids::{Seq, TraceId};

/// Entries, and traces, that are known; past them the oldest are forgotten.
pub(crate) const KNOWN_MAX: usize = 1_024;
/// What one of them costs, in bytes.
const KNOWN_BYTES: usize = 64;

/// The traces of injected frames, and of what they caused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InjectedTraces {
    /// Injected frames, and entries that they caused.
    seqs: BTreeSet<Seq>,
    /// Their traces, and which of them came last.
    traces: BTreeMap<TraceId, u64>,
    /// Counts what came of each.
    count: u64,
}

impl InjectedTraces {
    /// Takes one entry; the trace that is known by it, where it was not.
    pub(crate) fn fold(&mut self, entry: &Entry) -> Option<TraceId> {
        let is_caused = entry.cause.is_some_and(|cause| self.seqs.contains(&cause));
        if !is_caused && !is_injected(entry) {
            return None;
        }
        self.add_entry(entry.seq);
        entry.trace.filter(|trace| self.add(*trace))
    }

    /// Notes what is known elsewhere: traces, the newest last, and entries of this start.
    pub(crate) fn restore(&mut self, traces: &[TraceId], entries: &[Seq]) {
        for trace in traces {
            if !self.has(*trace) {
                self.add(*trace);
            }
        }
        for seq in entries {
            self.add_entry(*seq);
        }
    }

    fn add_entry(&mut self, seq: Seq) {
        self.seqs.insert(seq);
        if self.seqs.len() > KNOWN_MAX {
            self.seqs.pop_first();
        }
    }

    /// Notes a trace; whether it was not known.
    fn add(&mut self, trace: TraceId) -> bool {
        self.count += 1;
        let is_new = self.traces.insert(trace, self.count).is_none();
        if self.traces.len() > KNOWN_MAX
            && let Some(oldest) = self.traces.iter().min_by_key(|(_, at)| **at).map(|(trace, _)| *trace)
        {
            self.traces.remove(&oldest);
        }
        is_new
    }

    /// The traces, the one of which something came last at the end.
    pub(crate) fn list(&self) -> Vec<TraceId> {
        let mut traces: Vec<(u64, TraceId)> = self.traces.iter().map(|(trace, at)| (*at, *trace)).collect();
        traces.sort_unstable();
        traces.into_iter().map(|(_, trace)| trace).collect()
    }

    /// Injected frames, and entries that they caused, the oldest first.
    pub(crate) fn entries(&self) -> Vec<Seq> {
        self.seqs.iter().copied().collect()
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
        ids::Peer,
        tap::entry::{Frame, FrameOrigin, Head, Link, Redaction, Verdict, mpp, station::OperatedBy},
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

    fn trace(number: u128) -> TraceId {
        TraceId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn the_trace_of_an_injected_frame_and_of_what_it_caused_is_known() {
        let mut injected = InjectedTraces::default();
        assert_eq!(injected.fold(&frame(1, Direction::Inbound, Some(Door::Own), None)), None);
        let caused = Entry { cause: Some(Seq(1)), ..frame(2, Direction::Outbound, None, Some(trace(2))) };
        assert_eq!(injected.fold(&caused), Some(trace(2)));
        let later = Entry { cause: Some(Seq(2)), ..frame(3, Direction::Inbound, None, Some(trace(3))) };
        assert_eq!(injected.fold(&later), Some(trace(3)));
        assert_eq!(injected.fold(&frame(4, Direction::Inbound, None, Some(trace(4)))), None);
        let again = Entry { cause: Some(Seq(1)), ..frame(5, Direction::Outbound, None, Some(trace(2))) };
        assert_eq!(injected.fold(&again), None, "it was known");
        assert_eq!(injected.list(), [trace(3), trace(2)]);
        assert_eq!([2, 3, 4].map(|number| injected.has(trace(number))), [true, true, false]);
    }

    #[test]
    fn what_comes_of_an_earlier_frame_is_known_to_who_came_after_it() {
        let (mut before, mut later) = (InjectedTraces::default(), InjectedTraces::default());
        before.fold(&frame(1, Direction::Inbound, Some(Door::Own), Some(trace(1))));
        later.restore(&before.list(), &before.entries());
        let caused = Entry { cause: Some(Seq(1)), ..frame(2, Direction::Outbound, None, Some(trace(2))) };
        assert_eq!(later.fold(&caused), Some(trace(2)));
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
        assert!(!injected.has(trace(1)) && injected.has(trace(count.into())));
    }
}
