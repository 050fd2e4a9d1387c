//! What of the bus a person should read in the Journal.

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    dissect::{Breach, clause_name, rmp::client},
    rmp,
    rmp::{CloseCause, Refusal, Transition as T},
    tap::entry::{Link, station::Level},
};

/// Why a connection of the bus ended, in words.
pub(crate) fn describe_bus_close(cause: CloseCause) -> String {
    match cause {
        CloseCause::PeerClosed => "connection closed by the peer".to_owned(),
        CloseCause::ReadFailed => "connection lost".to_owned(),
        CloseCause::WriteFailed => "connection lost while writing".to_owned(),
        CloseCause::HelloTimeout => "no Hello within 10 s".to_owned(),
        CloseCause::Refused(refusal) => Breach::Bus(refusal).text(),
        CloseCause::NotReading => {
            "it did not read its queue (limits.rmp.answer_bytes_max, limits.rmp.full_ms_max)"
                .to_owned()
        }
        CloseCause::Kicked => "by an operator".to_owned(),
        CloseCause::TooManyConnections => "too many connections (limits.rmp.connections_max)".to_owned(),
        CloseCause::MadeRoom => {
            "idle, closed to make room for another (limits.rmp.connections_max, or limits.rmp.peer_connections_max of its \
             process)"
                .to_owned()
        }
        CloseCause::NoToken => {
            "no free connection, and it showed no operator token (limits.rmp.connections_max)".to_owned()
        }
        CloseCause::TooManyOfPeer => {
            "its process has too many connections (limits.rmp.peer_connections_max)".to_owned()
        }
        CloseCause::FrameTimeout => "a frame took too long to arrive (limits.rmp.frame_ms_max)".to_owned(),
        CloseCause::ReceivingFull => {
            "receive buffers full, its frame was the largest (limits.rmp.receiving_bytes_max)"
                .to_owned()
        }
        CloseCause::Shutdown => "station stopped".to_owned(),
    }
}

/// A line of the bus, counted with those of the same key.
fn said(level: Level, key: String, text: String) -> NoticeDraft {
    NoticeDraft::new(level, Origin::System(Link::Rmp), text).grouped(Grouping::Repeated(key))
}

/// A line of a console or command that comes or goes: all of them are one, so that a script that asks again
/// and again hides nothing.
fn of_operator(text: String) -> NoticeDraft {
    NoticeDraft::new(Level::Info, Origin::System(Link::Rmp), text)
        .grouped(Grouping::Folded("operator clients"))
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
        T::Listening { path } => said(Level::Info, "listening".to_owned(), format!("listening on {path}")),
        T::NotListening => {
            said(Level::Error, format!("not listening: {text}"), format!("not listening: {text}"))
        }
        T::Greeted { session, client, kind, dialect } => {
            let client: &str = if client.is_empty() { "unnamed client" } else { client };
            let words =
                format!("{client} connected: {}, session {session} ({})", kind.name(), dialect.protocol());
            if kind.is_operator() {
                return Some(of_operator(words));
            }
            said(Level::Info, format!("{} connected: {}", without_numbers(client), kind.name()), words)
        }
        T::Disconnected { session, cause } => {
            // The command line comes and goes, and does not wait for what it asks no more.
            let greeting = before.and_then(|bus| bus.peers.get(session)?.greeting.as_ref());
            let is_operator = greeting.is_some_and(|greeting| greeting.kind.is_operator());
            let is_common = match cause {
                CloseCause::PeerClosed | CloseCause::Shutdown => true,
                CloseCause::ReadFailed | CloseCause::WriteFailed => is_operator,
                _ => false,
            };
            let level = if is_common { Level::Info } else { Level::Warn };
            let (client, why) = (client(before, *session), describe_bus_close(*cause));
            match client {
                Some(client) if is_operator && is_common => {
                    of_operator(format!("{client} (session {session}) disconnected: {why}"))
                }
                Some(client) => said(
                    level,
                    format!("{} disconnected: {why}", without_numbers(client)),
                    format!("{client} (session {session}) disconnected: {why}"),
                ),
                None => said(
                    level,
                    format!("a session disconnected: {why}"),
                    format!("session {session} disconnected: {why}"),
                ),
            }
        }
        T::ClockJumped { by_ms } => {
            let words = format!(
                "wall clock jumped by {by_ms} ms; queued messages still expire by the clock as of the start"
            );
            said(Level::Warn, words.clone(), words)
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

/// A refusal.
pub(crate) fn describe_refusal(who: &str, refusal: Refusal) -> NoticeDraft {
    let words = format!(
        "refused a frame of {who}: {} ({})",
        Breach::Bus(refusal).text(),
        clause_name(refusal.clause())
    );
    said(Level::Warn, words.clone(), words)
}
