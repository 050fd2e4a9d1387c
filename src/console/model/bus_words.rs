//! What of the bus a person should read in the Journal.

use std::{collections::VecDeque, time::Duration};

use super::{
    clauses::{Breach, clause_name},
    journal::Origin,
};
use crate::{
    console::class::Class,
    ids::{ConnectionId, Peer},
    rmp::{self, CloseCause, Refusal, Transition as T},
    tap::entry::station::Level,
    time::Now,
};

/// Why a connection of the bus ended, in words.
pub(crate) fn bus_close_words(cause: CloseCause) -> String {
    match cause {
        CloseCause::PeerClosed => "it closed the connection".to_owned(),
        CloseCause::ReadFailed => "the connection broke".to_owned(),
        CloseCause::WriteFailed => "the connection broke while writing".to_owned(),
        CloseCause::HelloTimeout => "no Hello came within 10 s".to_owned(),
        CloseCause::Refused(refusal) => Breach::Bus(refusal).words(),
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
pub(super) fn who(peer: &Peer, session: Option<ConnectionId>, bus: Option<&rmp::Snapshot>) -> String {
    match (session, session.and_then(|session| client(bus, session)).filter(|name| !name.is_empty())) {
        (Some(session), Some(name)) => format!("{name} (session {session})"),
        (Some(session), None) => format!("session {session} ({peer})"),
        (None, _) => peer.to_string(),
    }
}

/// What the bus or the runs say in one line. What is said of the same thing again soon is counted in that
/// line.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) level: Level,
    /// What it is of.
    pub(super) of: String,
    pub(super) words: String,
    pub(super) origin: Origin,
    /// Whose words are in it.
    pub(super) class: Class,
}

impl Said {
    /// What the bus says.
    pub(super) fn new(level: Level, of: String, words: String) -> Self {
        Self { level, of, words, origin: Origin::Bus, class: Class::Public }
    }

    /// The same, of another.
    pub(super) fn by(self, origin: Origin, class: Class) -> Self {
        Self { origin, class, ..self }
    }
}

/// What clients have in common whose names differ by numbers alone: many of them come and go in one line.
fn alike(client: &str) -> String {
    client.split_inclusive(|letter: char| !letter.is_ascii_digit()).fold(String::new(), |mut alike, part| {
        let name = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        alike.push_str(if name.len() < part.len() { "#" } else { "" });
        alike + name
    })
}

/// What a transition says, if it is worth a line. `before` is the bus as it was.
pub(super) fn words(transition: &T, text: &str, before: Option<&rmp::Snapshot>) -> Option<Said> {
    Some(match transition {
        T::Listening { path } => {
            Said::new(Level::Info, "listening".to_owned(), format!("listening on {path}"))
        }
        T::NotListening => {
            Said::new(Level::Error, format!("not listening: {text}"), format!("not listening: {text}"))
        }
        T::Greeted { session, client, kind, dialect } => {
            let client: &str = if client.is_empty() { "somebody without a name" } else { client };
            let words =
                format!("{client} joined as {}, session {session}, speaks {}", kind.name(), dialect.name());
            Said::new(Level::Info, format!("{} joined as {}", alike(client), kind.name()), words)
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
            let (client, why) = (client(before, *session), bus_close_words(*cause));
            match client {
                Some(client) => Said::new(
                    level,
                    format!("{} left: {why}", alike(client)),
                    format!("{client} (session {session}) left: {why}"),
                ),
                None => Said::new(
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
            Said::new(Level::Warn, words.clone(), words)
        }
        T::Connected { .. }
        | T::Subscribed { .. }
        | T::Unsubscribed { .. }
        | T::Dropped { .. }
        | T::Gauged { .. }
        | T::Counted { .. }
        | T::Remembered { .. } => return None,
    })
}

/// What is said again within so long is one notice.
const TOGETHER: Duration = Duration::from_secs(10);
/// Things that are told together at one time.
const TOGETHER_MAX: usize = 64;

/// Notices that may still grow: what they are of, the notice's number, when it was begun, how many it tells
/// of.
#[derive(Clone, Debug, Default)]
pub(super) struct Together(VecDeque<(String, u64, Now, u64)>);

impl Together {
    /// One more at this moment: the number of the notice that it belongs to, and how many that tells of then.
    /// Without one, `next` is begun.
    pub(super) fn count(&mut self, of: &str, at: Now, next: u64) -> (Option<u64>, u64) {
        self.0.retain(|(_, _, from, _)| at.mono.since(from.mono) < TOGETHER);
        if let Some((_, number, _, count)) = self.0.iter_mut().find(|(known, ..)| known == of) {
            *count = count.saturating_add(1);
            return (Some(*number), *count);
        }
        if self.0.len() >= TOGETHER_MAX {
            self.0.pop_front();
        }
        self.0.push_back((of.to_owned(), next, at, 1));
        (None, 1)
    }
}

/// A refusal.
pub(super) fn refusal_words(who: &str, refusal: Refusal) -> Said {
    let words = format!(
        "refused a frame of {who}: {} ({})",
        Breach::Bus(refusal).words(),
        clause_name(refusal.clause())
    );
    Said::new(Level::Warn, words.clone(), words)
}
