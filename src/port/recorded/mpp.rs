//! The MPP bridge.

use crate::{
    ids::{InvocationId, Peer, QueueName},
    mpp::{AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, ReadyAfter, Snapshot},
    tap::{
        entry::mpp::CloseCause,
        recorded::{DecodeError, Recorded, RecordedRow, recorded, wire},
    },
    time::{ClockShift, Now},
};

recorded! {
    struct Snapshot = MppView "mpp" {
        listener, paired, pack, adapter, last_close, queues, live, recent, logs, commits_failing,
        reads_failing,
    }
    enum Listener = listener::State, "listener" in Listener.state {
        Starting = Starting,
        Listening(addr) = Listening(addr),
        Down(why) = Down(why),
    }
    struct PackFacts = PackFacts "pack" { id, name, version, hash, is_sample }
    struct AdapterView = AdapterView "adapter" { peer, connected_at, last_in, session_id, stale }
    codes ReadyAfter = ReadyAfter { Applied, Done }
    row QueueView by queue: QueueName = QueueView "queue" {
        ready_after, pending, other_manifest, in_flight, parked, brake, done, failed,
    }
    row LiveView {
        queue, event, state, since, trace, acked, orphaned,
    } by id: InvocationId = LiveView "live" {
        id, queue, event, state, since, trace, acked, left: orphaned
    }
    struct EndedView = EndedView "recent" { id, queue, event, state, at, reason, trace }
    struct LogView = LogView "log" { at, level, text }
}

impl Recorded<wire::LastClose> for (Peer, CloseCause, Now) {
    fn recorded(&self) -> wire::LastClose {
        let (peer, cause, at) = self;
        wire::LastClose { peer: peer.recorded(), cause: cause.recorded(), at: at.recorded() }
    }

    fn live(it: wire::LastClose, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        Ok((
            Recorded::live(it.peer, field, shift)?,
            Recorded::live(it.cause, field, shift)?,
            Recorded::live(it.at, "last_close.at", shift)?,
        ))
    }
}
