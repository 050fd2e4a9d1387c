//! The decision about a call, by the rules in their order; nothing is changed here.

use std::sync::Arc;

use bytes::Bytes;
use prost::DecodeError;

use super::{
    Input, Kernel, Lookup, Metadata, StoredSession,
    session::Session,
    start::{self, Opening},
};
use crate::{
    ids::{Ticket, TraceId},
    limits,
    macp::{
        Fault, Mode, SessionState, Status, Verdict,
        envelope::{self, SESSION_START, SIGNAL},
        modes::{Delta, Message, ModeState, Parsed, Participants, Rejection, Response},
        proto::v1::{Envelope, SessionStartPayload},
        registry,
    },
    words::cut,
};

/// The TTL where none is said.
pub(super) const TTL_MS_DEFAULT: i64 = 60_000;

/// The longest TTL: 24 h.
pub(super) const TTL_MS_MAX: i64 = 86_400_000;

/// Bytes of an id that a status says again: it goes into a header.
const ECHOED_BYTES_MAX: u64 = 256;

/// The decision about a call.
#[derive(Debug)]
pub(super) enum Decision {
    /// Ask the store.
    Load(Arc<str>),
    /// End the call with a status.
    Decline(Status, String),
    /// Reject the message for its bytes alone, whatever its session is.
    Malformed(Rejection),
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

/// The decision about a call, and the state that its session is reported in.
#[derive(Debug)]
pub(super) struct Decided {
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
    /// The `traceparent` of the call.
    pub(super) traceparent: Option<Box<str>>,
}

impl Decision {
    fn malformed(fault: Fault, why: &'static str) -> Self {
        Self::Malformed(Rejection::new(fault, why))
    }

    fn refuse(fault: Fault, why: &'static str) -> Self {
        Self::Refuse(Rejection::new(fault, why))
    }

    /// The decision in a word.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Decline(status, _) => Verdict::Declined(*status),
            Self::Malformed(rejection)
            | Self::Refuse(rejection)
            | Self::Object(rejection)
            | Self::Expire(_, rejection) => Verdict::Refused(rejection.fault),
            Self::Duplicate(_) => Verdict::Duplicate,
            Self::Load(_)
            | Self::Signal
            | Self::Start(_)
            | Self::Accept(..)
            | Self::Ended
            | Self::Cancel(_)
            | Self::Look(..) => Verdict::Accepted,
        }
    }
}

/// A session wherever it is.
#[derive(Clone, Copy)]
enum SessionLocation<'a> {
    Memory(&'a Session),
    /// Whether the sweep expired it, and nobody was told so yet.
    Store(&'a StoredSession, bool),
    /// There is none, or it is not known yet.
    Nowhere,
    Unread,
}

impl Kernel {
    pub(super) fn decide(&self, at_ms: u64, input: &Input<'_>) -> Decided {
        let (id, lookup) = match input {
            Input::Message { envelope, lookup, .. } => (envelope.session_id.as_str(), lookup),
            Input::Cancel { session, lookup, .. } | Input::Look { session, lookup } => (*session, lookup),
            Input::Timeout | Input::Durable { .. } | Input::Evicted { .. } | Input::Retired { .. } => {
                ("", &Lookup::NotAsked)
            }
        };
        let place = self.locate(id, *lookup);
        let decision = match input {
            Input::Message { envelope, bytes, parsed, peer_sessions, .. } => {
                let decision = self.decide_message(at_ms, envelope, bytes, *parsed, place);
                self.within_share(decision, *peer_sessions)
            }
            Input::Cancel { reason, .. } => self.decide_cancel(at_ms, place, id, reason),
            Input::Look { .. } => decide_look(at_ms, place, id),
            Input::Timeout | Input::Durable { .. } | Input::Evicted { .. } | Input::Retired { .. } => {
                Decision::Signal
            }
        };
        let (state, trace, after) = match place {
            SessionLocation::Memory(session) => {
                (Some(session.reported_state()), session.trace, durable_after(session, &decision))
            }
            SessionLocation::Store(kept, is_unnoticed) => {
                let state = if is_unnoticed { SessionState::Open } else { kept.metadata.state };
                (Some(state), kept.trace, self.last_notice)
            }
            SessionLocation::Nowhere => (None, None, Ticket(0)),
            SessionLocation::Unread if matches!(decision, Decision::Signal) => (None, None, Ticket(0)),
            SessionLocation::Unread => (self.reported_state(id), None, self.last_notice),
        };
        Decided { decision, state, trace, after }
    }

    fn locate<'a>(&'a self, id: &str, lookup: Lookup<'a>) -> SessionLocation<'a> {
        match (self.session(id), lookup) {
            (Some(session), _) => SessionLocation::Memory(session),
            (None, Lookup::Found(Some(kept))) => {
                SessionLocation::Store(kept, self.evicted_index.is_unnoticed(kept.number))
            }
            (None, Lookup::NotAsked) if self.evicted_index.state(self.hash(id)).is_some() => {
                SessionLocation::Unread
            }
            (None, Lookup::Found(None) | Lookup::NotAsked) => SessionLocation::Nowhere,
        }
    }

    /// Rules 1 and 2, then the way of each type.
    fn decide_message(
        &self,
        at_ms: u64,
        envelope: &Envelope,
        bytes: &Bytes,
        parsed: Option<&Parsed>,
        location: SessionLocation<'_>,
    ) -> Decision {
        if let Err(rejection) = envelope::check(envelope, &self.limits) {
            return Decision::Malformed(rejection);
        }
        match envelope.message_type.as_str() {
            SIGNAL => Decision::Signal,
            SESSION_START => self.decide_start(envelope, bytes, parsed, location),
            _ => self.decide_regular(at_ms, envelope, bytes, parsed, location),
        }
    }

    /// Rules 3 to 5, then the mode.
    fn decide_start(
        &self,
        envelope: &Envelope,
        bytes: &Bytes,
        parsed: Option<&Parsed>,
        location: SessionLocation<'_>,
    ) -> Decision {
        let Some((mode_name, mode)) = registry::resolve(&envelope.mode) else {
            return Decision::malformed(Fault::UnknownMode, "no mode has this name");
        };
        let found = parsed.and_then(Parsed::get::<Result<Opening, DecodeError>>).cloned();
        let Ok(Opening { payload, participants }) =
            found.unwrap_or_else(|| start::read(&envelope.payload, self.limits.participants_max))
        else {
            return Decision::malformed(Fault::InvalidEnvelope, "the payload is not a SessionStartPayload");
        };
        let ttl_ms = match payload.ttl_ms {
            0 => TTL_MS_DEFAULT,
            ttl_ms @ 1..=TTL_MS_MAX => ttl_ms,
            _ => return Decision::malformed(Fault::InvalidTtl, "ttl_ms is not between 0 and 86400000"),
        };
        let seen = match location {
            SessionLocation::Unread => return Decision::Load(Arc::from(envelope.session_id.as_str())),
            SessionLocation::Memory(session) => Some(self.accepted_ms(session, &envelope.message_id)),
            SessionLocation::Store(kept, _) => Some(kept.accepted_ms),
            SessionLocation::Nowhere => None,
        };
        match seen {
            Some(Some(at_ms)) => return Decision::Duplicate(at_ms),
            Some(None) => return Decision::refuse(Fault::DuplicateSession, "the session exists already"),
            None => {}
        }
        if let Err(rejection) = envelope::check_stored(envelope, &self.limits) {
            return Decision::Refuse(rejection);
        }
        let participants = match participants {
            Ok(participants) => participants,
            Err(listed) => {
                let max = self.limits.participants_max;
                let why = format!(
                    "the session lists {listed} participants; limits.macp.participants_max allows {max}"
                );
                return Decision::Decline(Status::ResourceExhausted, why);
            }
        };
        let state = match self.check_names(&participants).and_then(|()| ModeState::start(mode, &participants))
        {
            Ok(state) => state,
            Err(rejection) => return Decision::Refuse(rejection),
        };
        if self.open >= self.limits.open_max {
            let why = format!("{} sessions are open; limits.macp.open_max allows no more", self.open);
            return Decision::Decline(Status::ResourceExhausted, why);
        }
        if let Some(decline) = self.no_room(session_bytes(envelope, bytes, &participants), 0) {
            return decline;
        }
        let ttl_ms = u64::try_from(ttl_ms).unwrap_or_default();
        let start =
            Start { mode_name, mode, payload: *payload, participants, ttl_ms, state, traceparent: None };
        Decision::Start(Box::new(start))
    }

    /// A start past what its peer may have open is declined.
    fn within_share(&self, decision: Decision, peer_sessions: u64) -> Decision {
        if !matches!(decision, Decision::Start(_)) || peer_sessions < self.limits.peer_sessions_max {
            return decision;
        }
        let why = format!(
            "this peer has {peer_sessions} sessions open; limits.macp.peer_sessions_max allows no more"
        );
        Decision::Decline(Status::ResourceExhausted, why)
    }

    /// Nobody could speak under a name that is too long.
    fn check_names(&self, participants: &Participants) -> Result<(), Rejection> {
        let check =
            |(place, name)| envelope::check_length(format_args!("participants[{place}]"), name, &self.limits);
        participants.listed().enumerate().try_for_each(check)
    }

    /// Rules 6 to 11.
    fn decide_regular(
        &self,
        at_ms: u64,
        envelope: &Envelope,
        bytes: &Bytes,
        parsed: Option<&Parsed>,
        location: SessionLocation<'_>,
    ) -> Decision {
        let expire = |number| {
            Decision::Expire(number, Rejection::new(Fault::TtlExpired, "the session's TTL has expired"))
        };
        let session = match location {
            SessionLocation::Nowhere => {
                return Decision::refuse(Fault::UnknownSession, "no such session");
            }
            SessionLocation::Unread => return Decision::Load(Arc::from(envelope.session_id.as_str())),
            SessionLocation::Store(kept, is_unnoticed) => {
                return match (kept.accepted_ms, is_unnoticed) {
                    (Some(at_ms), _) => Decision::Duplicate(at_ms),
                    (None, true) => expire(kept.number),
                    (None, false) => Decision::refuse(Fault::SessionNotOpen, "the session has ended"),
                };
            }
            SessionLocation::Memory(session) => session,
        };
        if let Some(at_ms) = self.accepted_ms(session, &envelope.message_id) {
            return Decision::Duplicate(at_ms);
        }
        if session.reported_state() == SessionState::Open && session.is_over(at_ms) {
            return expire(session.number);
        }
        if session.end.is_some() {
            return Decision::refuse(Fault::SessionNotOpen, "the session has ended");
        }
        if !session.participants.is_open() && !session.participants.lists(&envelope.sender) {
            return Decision::refuse(
                Fault::InvalidEnvelope,
                "the sender is not a participant of the session",
            );
        }
        if let Err(rejection) = envelope::check_stored(envelope, &self.limits) {
            return Decision::Refuse(rejection);
        }
        let message = Message {
            message_type: &envelope.message_type,
            sender: &envelope.sender,
            payload: &envelope.payload,
            parsed,
        };
        let response = match session.state.on_message(&session.participants, message) {
            Ok(response) => response,
            Err(rejection) => return Decision::Object(rejection),
        };
        if session.messages >= self.limits.session_messages_max {
            let why = format!(
                "the session has {} messages; limits.macp.session_messages_max allows no more",
                session.messages
            );
            return Decision::Decline(Status::ResourceExhausted, why);
        }
        self.no_room(message_bytes(bytes) + response.resolution_bytes(), session.bytes)
            .unwrap_or(Decision::Accept(session.number, response))
    }

    fn decide_cancel(&self, at_ms: u64, location: SessionLocation<'_>, id: &str, reason: &str) -> Decision {
        match location {
            SessionLocation::Nowhere => Decision::refuse(Fault::UnknownSession, "no such session"),
            SessionLocation::Unread => Decision::Load(Arc::from(id)),
            SessionLocation::Store(kept, true) => Decision::Cancel(kept.number),
            SessionLocation::Store(_, false) => Decision::Ended,
            SessionLocation::Memory(session)
                if session.reported_state() == SessionState::Open && session.is_over(at_ms) =>
            {
                Decision::Cancel(session.number)
            }
            SessionLocation::Memory(session) if session.end.is_some() => Decision::Ended,
            SessionLocation::Memory(session) => {
                self.no_room_for_reason(reason).unwrap_or(Decision::Cancel(session.number))
            }
        }
    }

    /// Whether a reason cannot be kept.
    fn no_room_for_reason(&self, reason: &str) -> Option<Decision> {
        let (bytes, max) = (reason.len() as u64, self.limits.reason_bytes_max);
        if bytes > max {
            let why = format!("the reason has {bytes} bytes; limits.macp.reason_bytes_max allows {max}");
            return Some(Decision::Decline(Status::ResourceExhausted, why));
        }
        self.no_room_in_log(bytes)
    }

    /// Whether there is no room for a message of so many bytes in a session that has so many.
    fn no_room(&self, bytes: u64, in_session: u64) -> Option<Decision> {
        let (exhausted, unavailable) = (Status::ResourceExhausted, Status::Unavailable);
        if self.is_disk_low() {
            let why = "the disk of the runtime's data folder is nearly full \
                       (limits.store.disk_free_bytes_min): free some space";
            return Some(Decision::Decline(exhausted, why.to_owned()));
        }
        let open_bytes = self.bytes.saturating_sub(self.closed_bytes);
        // Those that ended make room by themselves; where they are slower at it than messages come, these
        // wait.
        let with_ended_max = self.limits.bytes_max.saturating_add(self.limits.bytes_max / 4);
        let bounds = [
            (
                in_session,
                self.limits.session_bytes_max,
                exhausted,
                "limits.macp.session_bytes_max allows this session",
            ),
            (open_bytes, self.limits.bytes_max, exhausted, "limits.macp.bytes_max allows all open sessions"),
            (
                self.bytes,
                with_ended_max,
                unavailable,
                "limits.macp.bytes_max allows open and unsaved ended sessions",
            ),
        ];
        let full = bounds.into_iter().find(|(has, max, ..)| has.saturating_add(bytes) > *max);
        full.map(|(has, max, status, what)| does_not_fit(status, bytes, has, what, max))
            .or_else(|| self.no_room_in_log(bytes))
    }

    /// Whether there is no room for a record of so many bytes among those that are not durable.
    fn no_room_in_log(&self, bytes: u64) -> Option<Decision> {
        let (has, max) = (self.unsaved_bytes, self.limits.unsaved_bytes_max);
        let what = "limits.macp.unsaved_bytes_max allows messages that are not durable yet";
        (has.saturating_add(bytes) > max).then(|| does_not_fit(Status::Unavailable, bytes, has, what, max))
    }
}

fn does_not_fit(status: Status, bytes: u64, has: u64, what: &str, max: u64) -> Decision {
    Decision::Decline(
        status,
        format!("a message of {bytes} bytes does not fit: {has} bytes are in use, and {what} {max}"),
    )
}

/// What can be found of a message before anybody waits for it: of one that is long, what its payload is.
#[must_use]
pub fn parse_ahead(envelope: &Envelope, limits: &limits::Macp) -> Option<Parsed> {
    /// Shorter payloads are parsed while others wait, which is done before they notice.
    const LONG_BYTES: usize = 16_384;
    if envelope.payload.len() < LONG_BYTES || envelope::check(envelope, limits).is_err() {
        return None;
    }
    match envelope.message_type.as_str() {
        SESSION_START => Some(Parsed::new(start::read(&envelope.payload, limits.participants_max))),
        // No mode sees it.
        _ if envelope::check_stored(envelope, limits).is_err() => None,
        message_type => ModeState::parse(message_type, &envelope.payload),
    }
}

/// What is kept of any message beside what it says: its id among those seen, its place in what its mode
/// keeps.
const KEPT_BYTES: usize = 192;

/// What a session takes that nothing is said in.
const SESSION_BYTES: usize = 1_024;

/// What a message counts for, by the bytes of its envelope: no less than what it takes in memory, and in the
/// log.
pub(super) const fn message_bytes(bytes: &Bytes) -> u64 {
    (bytes.len() + KEPT_BYTES) as u64
}

/// What a session counts for that begins.
pub(super) fn session_bytes(envelope: &Envelope, bytes: &Bytes, participants: &Participants) -> u64 {
    message_bytes(bytes) + (SESSION_BYTES + 2 * envelope.session_id.len()) as u64 + participants.held_bytes()
}

/// The record that must be durable before what is decided is told: of a session's messages where it hangs on
/// them, else of how it stands.
const fn durable_after(session: &Session, decision: &Decision) -> Ticket {
    match decision {
        Decision::Signal => Ticket(0),
        Decision::Duplicate(_) | Decision::Object(_) => session.last,
        _ => session.state_ticket,
    }
}

fn decide_look(at_ms: u64, location: SessionLocation<'_>, id: &str) -> Decision {
    match location {
        SessionLocation::Nowhere => {
            Decision::Decline(Status::NotFound, format!("no session `{}`", cut(id, ECHOED_BYTES_MAX)))
        }
        SessionLocation::Unread => Decision::Load(Arc::from(id)),
        SessionLocation::Store(kept, is_unnoticed) => {
            Decision::Look(kept.metadata.clone(), is_unnoticed.then_some(kept.number))
        }
        SessionLocation::Memory(session) => {
            let is_due = session.reported_state() == SessionState::Open && session.is_over(at_ms);
            let metadata = session.metadata();
            let state = if is_due { SessionState::Expired } else { metadata.state };
            Decision::Look(Metadata { state, ..metadata }, is_due.then_some(session.number))
        }
    }
}
