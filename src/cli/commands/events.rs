//! What `serve` tells of the tap: what an operator wants to know of, and no frame or row by itself.

use std::net::SocketAddr;

use serde::Serialize;

use crate::{
    cli::table::{LocalClock, visible},
    ids::{PackId, Peer, QueueName, SessionId, StateKey},
    tap::{
        EntryRef,
        entry::{
            Transition, What,
            mpp::{self, CloseCause, Fault},
            station::{self, Level},
        },
    },
    time::{Now, Wall},
};

/// One line of `serve`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Told {
    /// What happened.
    #[serde(flatten)]
    pub(super) event: Event,
    /// When, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at_ms: Option<Wall>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// Everything answers.
    Ready { mpp: SocketAddr },
    /// A host answers.
    Up { host: &'static str },
    /// A host does not answer.
    Down { host: &'static str, why: String },
    /// An adapter is active.
    AdapterConnected { peer: Peer, session_id: SessionId },
    /// The active adapter is gone.
    AdapterDisconnected { peer: Peer, cause: String },
    /// A connection was ended before it was the active adapter's.
    AdapterRefused { peer: Peer, cause: String },
    /// The active adapter is silent.
    AdapterStale { silent_s: u64 },
    /// A token is in force.
    Paired,
    /// A manifest is in force.
    PackLoaded { pack_id: PackId, manifest_hash: String },
    /// A queue's brake changed.
    Braked { queue: QueueName, held: bool, draining: bool },
    /// A draining queue is empty.
    Drained { queue: QueueName },
    /// A persisted value is not replayed.
    PersistedLeftOut { key: StateKey, why: String },
    /// Commits fail.
    StoreFailing { why: String },
    /// Commits succeed again.
    StoreWell,
    /// A recording runs.
    RecordingStarted { path: String },
    /// A recording ended.
    RecordingStopped { path: String, bytes: u64 },
    /// An operator did something.
    Operated { what: String },
    /// A person should read this.
    Notice { level: Level, text: String },
    /// Entries were lost to this output; the station itself lost nothing.
    Loss { count: u64 },
    /// The station is going down.
    Stopping,
}

impl Told {
    /// Everything answers. It carries nothing else: scripts compare the line.
    pub(super) const fn ready(mpp: SocketAddr) -> Self {
        Self { event: Event::Ready { mpp }, at_ms: None }
    }

    /// Something that happened now.
    pub(super) const fn now(now: Now, event: Event) -> Self {
        Self { event, at_ms: Some(now.wall) }
    }

    /// What an entry of the tap tells, if it is notable.
    pub(super) fn of(entry: EntryRef<'_>) -> Option<Self> {
        let text = || entry.text().into_owned();
        let event = match &entry.entry.what {
            What::Transition(Transition::Station(transition)) => of_station(*transition, text)?,
            What::Transition(Transition::Mpp(transition)) => of_mpp(transition, text)?,
            _ => return None,
        };
        Some(Self::now(entry.entry.at, event))
    }

    /// The line for people.
    pub(super) fn line(&self, clock: &LocalClock) -> String {
        let at = self.at_ms.map(|at| format!("{} ", clock.show(at))).unwrap_or_default();
        format!("{at}{}", visible(&self.event.told()))
    }
}

fn of_station(transition: station::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    Some(match transition {
        station::Transition::HostUp { link } => Event::Up { host: link.name() },
        station::Transition::HostDown { link } => Event::Down { host: link.name(), why: text() },
        station::Transition::StoreWell => Event::StoreWell,
        station::Transition::StoreFailing => Event::StoreFailing { why: text() },
        station::Transition::RecordingStarted => Event::RecordingStarted { path: text() },
        station::Transition::RecordingStopped { bytes } => Event::RecordingStopped { path: text(), bytes },
        station::Transition::Operated => Event::Operated { what: text() },
        station::Transition::Notice { level } => Event::Notice { level, text: text() },
        station::Transition::Stopping => Event::Stopping,
        station::Transition::Started | station::Transition::RecordingGrew { .. } => return None,
    })
}

fn of_mpp(transition: &mpp::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    use mpp::Transition as T;
    Some(match transition {
        T::Listening { addr } => Event::Ready { mpp: *addr },
        T::NotListening => Event::Down { host: "mpp", why: text() },
        T::Paired => Event::Paired,
        T::Handshaken { peer, session_id, .. } => Event::AdapterConnected { peer: peer.clone(), session_id: *session_id },
        T::Disconnected { peer, active: true, cause } => Event::AdapterDisconnected { peer: peer.clone(), cause: told(*cause) },
        T::Disconnected { peer, active: false, cause } => Event::AdapterRefused { peer: peer.clone(), cause: told(*cause) },
        T::Stale { silent_s } => Event::AdapterStale { silent_s: *silent_s },
        T::PersistedLeftOut { key } => Event::PersistedLeftOut { key: key.clone(), why: text() },
        T::Braked { queue, brake } => Event::Braked { queue: queue.clone(), held: brake.held, draining: brake.draining },
        T::Drained { queue } => Event::Drained { queue: queue.clone() },
        T::CommitsFailing => Event::StoreFailing { why: text() },
        T::CommitsWell => Event::StoreWell,
        T::PackLoaded { pack_id, manifest_hash } => {
            Event::PackLoaded { pack_id: pack_id.clone(), manifest_hash: manifest_hash.as_str().to_owned() }
        }
        T::Connected { .. }
        | T::Parked { .. }
        | T::Enqueued { .. }
        | T::Dispatched { .. }
        | T::Acked { .. }
        | T::Applied { .. }
        | T::Done { .. }
        | T::Failed { .. }
        | T::Refunded { .. }
        | T::Requeued { .. }
        | T::LeftApplied { .. }
        | T::RefundRecorded { .. }
        | T::OtherCancelled { .. }
        | T::Migrated { .. }
        | T::Logged { .. }
        | T::StateWritten { .. } => return None,
    })
}

/// Why a connection ended, as scripts compare it: the protocol's own code where there is one.
fn told(cause: CloseCause) -> String {
    match cause {
        CloseCause::PeerClosed => "peer_closed",
        CloseCause::ReadFailed => "read_failed",
        CloseCause::WriteFailed => "write_failed",
        CloseCause::HelloTimeout => "hello_timeout",
        CloseCause::Fault(Fault::Hello(reason)) => reason.code(),
        CloseCause::Fault(Fault::Protocol { code, .. }) => code.code(),
        CloseCause::Fault(Fault::ByAdapter) => "protocol_error_by_adapter",
        CloseCause::NotReading => "not_reading",
        CloseCause::WriteStalled => "write_stalled",
        CloseCause::Kicked => "kicked",
        CloseCause::TooManyConnections => "too_many_connections",
        CloseCause::Shutdown => "shutdown",
    }
    .to_owned()
}

impl Event {
    fn told(&self) -> String {
        match self {
            Self::Ready { mpp } => format!("ready: adapters connect to {mpp}"),
            Self::Up { host } => format!("{host} is up"),
            Self::Down { host, why } => format!("{host} is down: {why}"),
            Self::AdapterConnected { peer, session_id } => format!("adapter {peer} connected (session {session_id})"),
            Self::AdapterDisconnected { peer, cause } => format!("adapter {peer} disconnected: {cause}"),
            Self::AdapterRefused { peer, cause } => format!("{peer} was not taken as an adapter: {cause}"),
            Self::AdapterStale { silent_s } => format!("the adapter has been silent for {silent_s} s"),
            Self::Paired => "paired: a token is in force".to_owned(),
            Self::PackLoaded { pack_id, manifest_hash } => format!("pack {pack_id} {manifest_hash}"),
            Self::Braked { queue, held, draining } => match (held, draining) {
                (true, true) => format!("queue {queue} is held and draining"),
                (true, false) => format!("queue {queue} is held"),
                (false, true) => format!("queue {queue} is draining"),
                (false, false) => format!("queue {queue} runs"),
            },
            Self::Drained { queue } => format!("queue {queue} is drained"),
            Self::PersistedLeftOut { key, why } => format!("state {key} is not replayed: {why}"),
            Self::StoreFailing { why } => format!("the store fails: {why}"),
            Self::StoreWell => "the store is well again".to_owned(),
            Self::RecordingStarted { path } => format!("recording into {path}"),
            Self::RecordingStopped { path, bytes } => format!("recorded {bytes} bytes: {path}"),
            Self::Operated { what } => format!("operator: {what}"),
            Self::Notice { level, text } => format!("{}: {text}", level.name()),
            Self::Loss { count } => format!("{count} entries were not looked at"),
            Self::Stopping => "stopping".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        tap::entry::{Entry, Link, mpp::HelloReason},
    };

    fn told(transition: Transition, text: &str) -> Option<Told> {
        let entry = Entry { seq: Seq(1), at: Now::at_ms(7), link: Link::Mpp, trace: None, cause: None, what: What::Transition(transition) };
        Told::of(EntryRef { entry: &entry, bytes: text.as_bytes() })
    }

    fn json(transition: mpp::Transition, text: &str) -> String {
        serde_json::to_string(&told(Transition::Mpp(transition), text).unwrap()).unwrap()
    }

    #[test]
    fn the_ready_line_is_exactly_as_promised() {
        let ready = Told::ready("127.0.0.1:7777".parse().unwrap());
        assert_eq!(serde_json::to_string(&ready).unwrap(), r#"{"event":"ready","mpp":"127.0.0.1:7777"}"#);
    }

    #[test]
    fn notable_transitions_are_told_with_their_time() {
        let peer = || Peer::new("127.0.0.1:5");
        assert_eq!(
            json(mpp::Transition::Handshaken { peer: peer(), session_id: SessionId(3), persisted: 0 }, ""),
            r#"{"event":"adapter_connected","peer":"127.0.0.1:5","session_id":3,"at_ms":1790000000007}"#
        );
        let cause = CloseCause::Fault(Fault::Hello(HelloReason::InvalidToken));
        assert_eq!(
            json(mpp::Transition::Disconnected { peer: peer(), active: false, cause }, ""),
            r#"{"event":"adapter_refused","peer":"127.0.0.1:5","cause":"invalid_token","at_ms":1790000000007}"#
        );
        assert_eq!(
            json(mpp::Transition::NotListening, "port 7777 is taken"),
            r#"{"event":"down","host":"mpp","why":"port 7777 is taken","at_ms":1790000000007}"#
        );
    }

    #[test]
    fn rows_and_log_lines_are_not_told() {
        assert_eq!(told(Transition::Mpp(mpp::Transition::Logged { level: Level::Info }), "x"), None);
    }

    #[test]
    fn people_read_no_control_characters() {
        let told = told(Transition::Station(station::Transition::Notice { level: Level::Warn }), "a\u{1b}[2Jb").unwrap();
        assert!(told.line(&LocalClock::new(Wall(0))).ends_with("warn: a\\u{1b}[2Jb"));
    }
}
