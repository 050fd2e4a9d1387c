//! What goes into the kernel and what comes out.

use std::sync::Arc;

use bytes::Bytes;

use super::MessageIds;
use crate::{
    ids::{Ticket, TraceId},
    macp::{
        Answered, Ending, Fault, SessionState, Status, Transition, Verdict, modes::Parsed,
        proto::v1::Envelope,
    },
    store::macp::SessionRow,
};

/// What goes in.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// A message came.
    Message {
        /// The envelope.
        envelope: &'a Envelope,
        /// Its exact bytes.
        bytes: Bytes,
        /// What [`parse_ahead`](super::parse_ahead) found of it, if somebody looked.
        parsed: Option<&'a Parsed>,
        /// The `traceparent` of its call, for a session that it begins; a valid one.
        traceparent: Option<&'a str>,
        /// Sessions that are open and that its peer opened.
        peer_sessions: u64,
        /// What the store has of its session.
        lookup: Lookup<'a>,
    },
    /// A session is to end before its time.
    Cancel {
        /// Which.
        session: &'a str,
        /// Why.
        reason: &'a str,
        /// Who says so, where that is known.
        by: &'a str,
        /// What the store has of it.
        lookup: Lookup<'a>,
    },
    /// Somebody asks how a session stands.
    Look {
        /// Which.
        session: &'a str,
        /// What the store has of it.
        lookup: Lookup<'a>,
    },
    /// The time of [`Kernel::timeout`](super::Kernel::timeout) has come.
    Timeout,
    /// Records are durable.
    Durable {
        /// All up to this ticket.
        through: Ticket,
        /// Their bytes.
        bytes: u64,
    },
    /// Sessions that [`Kernel::evict`](super::Kernel::evict) gave are in the store.
    Evicted {
        /// Their numbers.
        numbers: &'a [u64],
    },
    /// Sessions that ended have left the store.
    Retired {
        /// Their numbers.
        numbers: &'a [u64],
    },
}

/// What the store has of a session that is not in memory.
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'a> {
    /// It was not asked.
    NotAsked,
    /// It was: nothing where it has none of this id.
    Found(Option<&'a StoredSession>),
}

/// A session that is in the store alone.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSession {
    /// Its number.
    pub number: u64,
    /// Its metadata.
    pub metadata: Metadata,
    /// How it ended.
    pub ending: Ending,
    /// When it accepted the message that asks, in Unix milliseconds, if it did.
    pub accepted_ms: Option<u64>,
    /// What it belongs to.
    pub trace: Option<TraceId>,
}

/// A session that is to be in the store alone.
#[derive(Clone, Debug)]
pub struct Eviction {
    /// Its row.
    pub row: SessionRow,
    /// The ids of its messages.
    pub ids: MessageIds,
}

/// What comes out.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// What was made of the call; before all that it causes.
    Received {
        /// The verdict.
        verdict: Verdict,
        /// What its session belongs to.
        trace: Option<TraceId>,
    },
    /// Something changed.
    Transition {
        /// What.
        transition: Transition,
        /// What its session belongs to.
        trace: Option<TraceId>,
        /// The text beside it.
        text: String,
    },
    /// A record is to be kept. Tickets rise by one.
    Persist {
        /// Its ticket.
        ticket: Ticket,
        /// Whose it is.
        session: u64,
        /// The record.
        record: Bytes,
    },
    /// The session may be in the store alone: the same input is to come again with what is there.
    Load {
        /// The session's id.
        session: Arc<str>,
    },
    /// The call's answer.
    Answer(Answer),
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To a message or a cancellation.
    Acked(Acked),
    /// To who looks.
    Session {
        /// The session's metadata.
        metadata: Metadata,
        /// What must be durable before.
        after: Ticket,
    },
    /// The call ends with a status.
    Declined {
        /// Which.
        status: Status,
        /// Why.
        why: String,
    },
}

/// What became of a message; the ids are the caller's.
#[derive(Clone, Debug, PartialEq)]
pub struct Acked {
    /// Whether it had been accepted before.
    pub is_duplicate: bool,
    /// When it was accepted or rejected, in Unix milliseconds.
    pub at_ms: u64,
    /// How the session stands; nothing where there is none.
    pub state: Option<SessionState>,
    /// Why it was rejected.
    pub error: Option<(Fault, String)>,
    /// What must be durable before this is told.
    pub after: Ticket,
}

impl Acked {
    /// What it says, in a word.
    #[must_use]
    pub fn answered(&self) -> Answered {
        match &self.error {
            Some((fault, _)) => Answered::Refused(fault.code()),
            None if self.is_duplicate => Answered::Duplicate,
            None => Answered::Ok,
        }
    }
}

/// The metadata of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Its id.
    pub id: Arc<str>,
    /// Its mode, as its start named it.
    pub mode: Box<str>,
    /// How it stands.
    pub state: SessionState,
    /// When it began, in Unix milliseconds.
    pub started_ms: u64,
    /// When its TTL is over.
    pub expires_ms: u64,
    /// The version of the mode.
    pub mode_version: Box<str>,
    /// The version of the configuration.
    pub configuration_version: Box<str>,
    /// The version of the policy.
    pub policy_version: Box<str>,
}

impl StoredSession {
    /// What a row says of a session that is in the store alone, which accepted the message that asks then;
    /// nothing of one that is not.
    #[must_use]
    pub fn of(row: &SessionRow, accepted_ms: Option<u64>) -> Option<Self> {
        row.is_evicted.then_some(())?;
        Some(Self {
            number: row.number,
            metadata: Metadata {
                id: Arc::from(row.id.as_str()),
                mode: Box::from(row.mode_name.as_str()),
                state: row.state(),
                started_ms: row.started_at.0,
                expires_ms: row.expires_at.0,
                mode_version: Box::from(row.mode_version.as_str()),
                configuration_version: Box::from(row.configuration_version.as_str()),
                policy_version: Box::from(row.policy_version.as_str()),
            },
            ending: row.ending?,
            accepted_ms,
            trace: row.trace,
        })
    }
}
