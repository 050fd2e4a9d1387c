//! What of the bus a person should read in the Journal.

use std::{collections::VecDeque, time::Duration};

use crate::{
    console::{draw::class::Class, model::journal::Origin},
    dissect::breach::{Breach, clause_name},
    ids::{ConnectionId, Peer},
    rmp,
    rmp::{CloseCause, Refusal, Transition as T},
    tap::entry::station::Level,
    time::Now,
};

/// Why a connection of the bus ended, in words.
pub(crate) fn describe_bus_close(cause: CloseCause) -> String {
    match cause {
        CloseCause::PeerClosed => "it closed the connection".to_owned(),
        CloseCause::ReadFailed => "the connection broke".to_owned(),
        CloseCause::WriteFailed => "the connection broke while writing".to_owned(),
        CloseCause::HelloTimeout => "no Hello came within 10 s".to_owned(),
        CloseCause::Refused(refusal) => Breach::Bus(refusal).text(),
        CloseCause::NotReading => "it did not read its answers (limits.rmp.answer_bytes_max)".to_owned(),
        CloseCause::Kicked => "kicked by an operator".to_owned(),
        CloseCause::TooManyConnections => "too many connections (limits.rmp.connections_max)".to_owned(),
        CloseCause::Shutdown => "the station went down".to_owned(),
    }
}

/// What a session calls itself, before it goes.
fn client(before: Option<&rmp::Snapshot>, session: ConnectionId) -> Option<&str> {
    Some(&*before?.peers.get(&session)?.greeting.as_ref()?.client).filter(|name| !name.is_empty())
}

/// Who a session is: its name and number where it has said them, and its process.
pub(crate) fn peer_label(peer: &Peer, session: Option<ConnectionId>, bus: Option<&rmp::Snapshot>) -> String {
    match (session, session.and_then(|session| client(bus, session)).filter(|name| !name.is_empty())) {
        (Some(session), Some(name)) => format!("{name} (session {session})"),
        (Some(session), None) => format!("session {session} ({peer})"),
        (None, _) => peer.to_string(),
    }
}

/// What the bus or the runs say in one line. What is said of the same thing again soon is counted in that
/// line.
#[derive(Clone, Debug)]
pub(crate) struct NoticeDraft {
    pub(crate) level: Level,
    /// What it is of.
    pub(crate) key: String,
    pub(crate) text: String,
    pub(crate) origin: Origin,
    /// Whose words are in it.
    pub(crate) class: Class,
}

impl NoticeDraft {
    /// What the bus says.
    pub(crate) fn new(level: Level, key: String, text: String) -> Self {
        Self { level, key, text, origin: Origin::Bus, class: Class::Public }
    }

    /// The same, of another.
    pub(crate) fn with_origin(self, origin: Origin, class: Class) -> Self {
        Self { origin, class, ..self }
    }
}

/// What clients have in common whose names differ by numbers alone: many of them come and go in one line.
fn without_numbers(client: &str) -> String {
    client.split_inclusive(|letter: char| !letter.is_ascii_digit()).fold(String::new(), |mut alike, part| {
        let name = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        alike.push_str(if name.len() < part.len() { "#" } else { "" });
        alike + name
    })
}

/// What a transition says, if it is worth a line. `before` is the bus as it was.
pub(crate) fn describe(transition: &T, text: &str, before: Option<&rmp::Snapshot>) -> Option<NoticeDraft> {
    Some(match transition {
        T::Listening { path } => {
            NoticeDraft::new(Level::Info, "listening".to_owned(), format!("listening on {path}"))
        }
        T::NotListening => {
            NoticeDraft::new(Level::Error, format!("not listening: {text}"), format!("not listening: {text}"))
        }
        T::Greeted { session, client, kind, dialect } => {
            let client: &str = if client.is_empty() { "somebody without a name" } else { client };
            let words =
                format!("{client} joined as {}, session {session}, speaks {}", kind.name(), dialect.name());
            NoticeDraft::new(
                Level::Info,
                format!("{} joined as {}", without_numbers(client), kind.name()),
                words,
            )
        }
        T::Disconnected { session, cause } => {
            // The command line comes and goes, and does not wait for what it asks no more.
            let greeting = before.and_then(|bus| bus.peers.get(session)?.greeting.as_ref());
            let is_operator = greeting.is_some_and(|greeting| greeting.kind == rmp::Kind::Tui);
            let is_common = match cause {
                CloseCause::PeerClosed | CloseCause::Shutdown => true,
                CloseCause::ReadFailed | CloseCause::WriteFailed => is_operator,
                _ => false,
            };
            let level = if is_common { Level::Info } else { Level::Warn };
            let (client, why) = (client(before, *session), describe_bus_close(*cause));
            match client {
                Some(client) => NoticeDraft::new(
                    level,
                    format!("{} left: {why}", without_numbers(client)),
                    format!("{client} (session {session}) left: {why}"),
                ),
                None => NoticeDraft::new(
                    level,
                    format!("a session left: {why}"),
                    format!("session {session} left: {why}"),
                ),
            }
        }
        T::ClockJumped { by_ms } => {
            let words = format!(
                "the wall clock jumped by {by_ms} ms: what waits on the bus expires by the clock of the start"
            );
            NoticeDraft::new(Level::Warn, words.clone(), words)
        }
        T::Connected { .. }
        | T::Subscribed { .. }
        | T::Unsubscribed { .. }
        | T::Dropped { .. }
        | T::QueueStats { .. }
        | T::SessionStats { .. }
        | T::DedupeStats { .. } => return None,
    })
}

/// What is said again within so long is one notice.
const COALESCE_WITHIN: Duration = Duration::from_secs(10);
/// Things that are told together at one time.
const COALESCED_MAX: usize = 64;

/// Notices that may still grow: what they are of, the notice's number, when it was begun, how many it tells
/// of.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoalescedNotices(VecDeque<(String, u64, Now, u64)>);

impl CoalescedNotices {
    /// One more at this moment: the number of the notice that it belongs to, and how many that tells of then.
    /// Without one, `next` is begun.
    pub(crate) fn count(&mut self, of: &str, at: Now, next: u64) -> (Option<u64>, u64) {
        self.0.retain(|(_, _, from, _)| at.mono.since(from.mono) < COALESCE_WITHIN);
        if let Some((_, number, _, count)) = self.0.iter_mut().find(|(known, ..)| known == of) {
            *count = count.saturating_add(1);
            return (Some(*number), *count);
        }
        if self.0.len() >= COALESCED_MAX {
            self.0.pop_front();
        }
        self.0.push_back((of.to_owned(), next, at, 1));
        (None, 1)
    }
}

/// A refusal.
pub(crate) fn describe_refusal(who: &str, refusal: Refusal) -> NoticeDraft {
    let words = format!(
        "refused a frame of {who}: {} ({})",
        Breach::Bus(refusal).text(),
        clause_name(refusal.clause())
    );
    NoticeDraft::new(Level::Warn, words.clone(), words)
}
