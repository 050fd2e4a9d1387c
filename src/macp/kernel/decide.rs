//! What is to become of a call, by the rules in their order; nothing is changed here.

use std::sync::Arc;

use prost::Message as _;

use super::{Input, Kept, Kernel, Lookup, Metadata, session::Session};
use crate::{
    ids::{Ticket, TraceId},
    macp::{
        Fault, Mode, SessionState, Status, Verdict,
        envelope::{self, SESSION_START, SIGNAL, Unfit},
        modes::{Delta, Message, ModeState, Participants, Rejection, Response},
        proto::v1::{Envelope, SessionStartPayload},
        registry,
        text::cut,
    },
};

/// The TTL where none is said.
pub(super) const TTL_MS_DEFAULT: i64 = 60_000;

/// The longest TTL: 24 h.
pub(super) const TTL_MS_MAX: i64 = 86_400_000;

/// Bytes of an id that a status says again: it goes into a header.
const SAID_BYTES_MAX: u64 = 256;

/// What is to become of a call.
#[derive(Debug)]
pub(super) enum Decision {
    /// Ask the store.
    Load(Arc<str>),
    /// End the call with a status.
    Decline(Status, String),
    /// Reject the message.
    Refuse(Rejection),
    /// Reject the message for what the session's messages made of it.
    Object(Rejection),
    /// Reject the message, and expire its session for good.
    Expire(u64, Rejection),
    /// It was accepted then.
    Duplicate(u64),
    /// A signal is accepted and nothing else.
    Signal,
    /// Begin a session.
    Start(Box<Start>),
    /// Take a message into a session.
    Accept(u64, Response<Delta>),
    /// Say that the session has ended, whether or not it just did.
    Ended,
    /// End a session.
    Cancel(u64),
    /// Tell of a session, after noticing that its TTL is over where it says so.
    Look(Metadata, Option<u64>),
}

/// What is to become of a call, and what is told of its session.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) decision: Decision,
    /// How its session stands before; nothing where there is none.
    pub(super) state: Option<SessionState>,
    pub(super) trace: Option<TraceId>,
    /// The last record that must be durable.
    pub(super) after: Ticket,
}

/// A session that begins.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) mode_name: &'static str,
    pub(super) mode: Mode,
    pub(super) payload: SessionStartPayload,
    pub(super) participants: Participants,
    pub(super) ttl_ms: u64,
    pub(super) state: ModeState,
}

impl Decision {
    fn refuse(fault: Fault, why: &'static str) -> Self {
        Self::Refuse(Rejection::new(fault, why))
    }

    /// The same in a word.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Decline(status, _) => Verdict::Declined(*status),
            Self::Refuse(rejection) | Self::Object(rejection) | Self::Expire(_, rejection) => Verdict::Refused(rejection.fault),
            Self::Duplicate(_) => Verdict::Duplicate,
            Self::Load(_) | Self::Signal | Self::Start(_) | Self::Accept(..) | Self::Ended | Self::Cancel(_) | Self::Look(..) => {
                Verdict::Accepted
            }
        }
    }
}

/// A session wherever it is.
#[derive(Clone, Copy)]
enum Place<'a> {
    Memory(&'a Session),
    Store(&'a Kept),
    /// There is none, or it is not known yet.
    Nowhere,
    Unread,
}

impl Kernel {
    pub(super) fn decide(&self, at_ms: u64, input: &Input<'_>) -> Heard {
        let (id, lookup) = match input {
            Input::Message { envelope, lookup, .. } => (envelope.session_id.as_str(), lookup),
            Input::Cancel { session, lookup, .. } | Input::Look { session, lookup } => (*session, lookup),
            Input::Timeout | Input::Durable { .. } | Input::Evicted { .. } | Input::Retired { .. } => ("", &Lookup::NotAsked),
        };
        let place = self.place(id, *lookup);
        let decision = match input {
            Input::Message { envelope, .. } => self.decide_message(at_ms, envelope, place),
            Input::Cancel { reason, .. } => self.decide_cancel(at_ms, place, id, reason),
            Input::Look { .. } => decide_look(at_ms, place, id),
            Input::Timeout | Input::Durable { .. } | Input::Evicted { .. } | Input::Retired { .. } => Decision::Signal,
        };
        let (state, trace, after) = match place {
            Place::Memory(session) => (Some(session.told_state()), session.trace, told_after(session, &decision)),
            Place::Store(kept) => (Some(kept.metadata.state), kept.trace, Ticket(0)),
            Place::Nowhere => (None, None, Ticket(0)),
            Place::Unread => (self.told_state(id), None, Ticket(0)),
        };
        Heard { decision, state, trace, after }
    }

    fn place<'a>(&'a self, id: &str, lookup: Lookup<'a>) -> Place<'a> {
        match (self.session(id), lookup) {
            (Some(session), _) => Place::Memory(session),
            (None, Lookup::Found(Some(kept))) => Place::Store(kept),
            (None, Lookup::NotAsked) if self.gone.state(self.hash(id)).is_some() => Place::Unread,
            (None, Lookup::Found(None) | Lookup::NotAsked) => Place::Nowhere,
        }
    }

    /// Rules 1 and 2, then the way of each type.
    fn decide_message(&self, at_ms: u64, envelope: &Envelope, place: Place<'_>) -> Decision {
        match envelope::check(envelope, &self.limits) {
            Err(Unfit::Rejected(rejection)) => return Decision::Refuse(rejection),
            Err(Unfit::TooLong(why)) => return Decision::Decline(Status::ResourceExhausted, why),
            Ok(()) => {}
        }
        match envelope.message_type.as_str() {
            SIGNAL => Decision::Signal,
            SESSION_START => self.decide_start(envelope, place),
            _ => self.decide_regular(at_ms, envelope, place),
        }
    }

    /// Rules 3 to 5, then the mode.
    fn decide_start(&self, envelope: &Envelope, place: Place<'_>) -> Decision {
        let Some((mode_name, mode)) = registry::resolve(&envelope.mode) else {
            return Decision::refuse(Fault::UnknownMode, "no mode is registered under this name");
        };
        let Ok(payload) = SessionStartPayload::decode(envelope.payload.clone()) else {
            return Decision::refuse(Fault::InvalidEnvelope, "the payload is not a SessionStartPayload");
        };
        let ttl_ms = match payload.ttl_ms {
            0 => TTL_MS_DEFAULT,
            ttl_ms @ 1..=TTL_MS_MAX => ttl_ms,
            _ => return Decision::refuse(Fault::InvalidTtl, "ttl_ms is not within 0 and 86400000"),
        };
        let seen = match place {
            Place::Unread => return Decision::Load(Arc::from(envelope.session_id.as_str())),
            Place::Memory(session) => Some(session.seen.at(&envelope.message_id)),
            Place::Store(kept) => Some(kept.seen.at(&envelope.message_id)),
            Place::Nowhere => None,
        };
        match seen {
            Some(Some(at_ms)) => return Decision::Duplicate(at_ms),
            Some(None) => return Decision::refuse(Fault::DuplicateSession, "the session exists already"),
            None => {}
        }
        let mut payload = payload;
        let participants = Participants::new(std::mem::take(&mut payload.participants));
        let state = match ModeState::start(mode, &participants) {
            Ok(state) => state,
            Err(rejection) => return Decision::Refuse(rejection),
        };
        if self.open >= self.limits.open_max {
            let why = format!("{} sessions are open; limits.macp.open_max allows no more", self.open);
            return Decision::Decline(Status::ResourceExhausted, why);
        }
        if let Some(decline) = self.no_room(message_bytes(envelope) + participants.held_bytes(), 0) {
            return decline;
        }
        let ttl_ms = u64::try_from(ttl_ms).unwrap_or_default();
        Decision::Start(Box::new(Start { mode_name, mode, payload, participants, ttl_ms, state }))
    }

    /// Rules 6 to 11.
    fn decide_regular(&self, at_ms: u64, envelope: &Envelope, place: Place<'_>) -> Decision {
        let session = match place {
            Place::Nowhere => return Decision::refuse(Fault::UnknownSession, "there is no such session"),
            Place::Unread => return Decision::Load(Arc::from(envelope.session_id.as_str())),
            Place::Store(kept) => {
                let not_open = || Decision::refuse(Fault::SessionNotOpen, "the session has ended");
                return kept.seen.at(&envelope.message_id).map_or_else(not_open, Decision::Duplicate);
            }
            Place::Memory(session) => session,
        };
        if let Some(at_ms) = session.seen.at(&envelope.message_id) {
            return Decision::Duplicate(at_ms);
        }
        if session.told_state() == SessionState::Open && session.is_over(at_ms) {
            return Decision::Expire(session.number, Rejection::new(Fault::TtlExpired, "the session's TTL is over"));
        }
        if session.end.is_some() {
            return Decision::refuse(Fault::SessionNotOpen, "the session has ended");
        }
        if !session.participants.is_open() && !session.participants.lists(&envelope.sender) {
            return Decision::refuse(Fault::InvalidEnvelope, "the sender is no participant of the session");
        }
        let message = Message { message_type: &envelope.message_type, sender: &envelope.sender, payload: &envelope.payload };
        let response = match session.state.on_message(&session.participants, message) {
            Ok(response) => response,
            Err(rejection) => return Decision::Object(rejection),
        };
        if session.messages >= self.limits.session_messages_max {
            let why = format!("the session has {} messages; limits.macp.session_messages_max allows no more", session.messages);
            return Decision::Decline(Status::ResourceExhausted, why);
        }
        self.no_room(message_bytes(envelope), session.bytes).unwrap_or(Decision::Accept(session.number, response))
    }

    fn decide_cancel(&self, at_ms: u64, place: Place<'_>, id: &str, reason: &str) -> Decision {
        let (bytes, max) = (reason.len() as u64, self.limits.reason_bytes_max);
        if bytes > max {
            let why = format!("the reason has {bytes} bytes; limits.macp.reason_bytes_max allows {max}");
            return Decision::Decline(Status::ResourceExhausted, why);
        }
        match place {
            Place::Nowhere => Decision::refuse(Fault::UnknownSession, "there is no such session"),
            Place::Unread => Decision::Load(Arc::from(id)),
            Place::Store(_) => Decision::Ended,
            Place::Memory(session) if session.told_state() == SessionState::Open && session.is_over(at_ms) => {
                Decision::Cancel(session.number)
            }
            Place::Memory(session) if session.end.is_some() => Decision::Ended,
            Place::Memory(session) => Decision::Cancel(session.number),
        }
    }

    /// Whether there is no room for a message of so many bytes in a session that has so many.
    fn no_room(&self, bytes: u64, in_session: u64) -> Option<Decision> {
        let bounds = [
            (in_session, self.limits.session_bytes_max, Status::ResourceExhausted, "limits.macp.session_bytes_max allows this session"),
            (self.bytes, self.limits.bytes_max, Status::ResourceExhausted, "limits.macp.bytes_max allows all sessions"),
            (
                self.unsaved_bytes,
                self.limits.unsaved_bytes_max,
                Status::Unavailable,
                "limits.macp.unsaved_bytes_max allows to be not durable",
            ),
        ];
        bounds.into_iter().find(|(has, max, ..)| has.saturating_add(bytes) > *max).map(|(has, max, status, what)| {
            Decision::Decline(status, format!("a message of {bytes} bytes does not fit: there are {has}, and {what} {max}"))
        })
    }
}

/// What a message counts for.
pub(super) fn message_bytes(envelope: &Envelope) -> u64 {
    (envelope.payload.len() + envelope.message_id.len() + envelope.sender.len()) as u64
}

/// The record that must be durable before what is decided is told: of a session's messages where it hangs on them, else of how it stands.
const fn told_after(session: &Session, decision: &Decision) -> Ticket {
    match decision {
        Decision::Signal => Ticket(0),
        Decision::Duplicate(_) | Decision::Object(_) => session.last,
        _ => session.stands,
    }
}

fn decide_look(at_ms: u64, place: Place<'_>, id: &str) -> Decision {
    match place {
        Place::Nowhere => Decision::Decline(Status::NotFound, format!("there is no session `{}`", cut(id, SAID_BYTES_MAX))),
        Place::Unread => Decision::Load(Arc::from(id)),
        Place::Store(kept) => Decision::Look(kept.metadata.clone(), None),
        Place::Memory(session) => {
            let is_due = session.told_state() == SessionState::Open && session.is_over(at_ms);
            let metadata = session.metadata();
            let state = if is_due { SessionState::Expired } else { metadata.state };
            Decision::Look(Metadata { state, ..metadata }, is_due.then_some(session.number))
        }
    }
}
