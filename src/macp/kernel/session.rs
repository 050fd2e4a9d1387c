//! One session in memory.

use std::sync::Arc;

use bytes::Bytes;

use super::{Metadata, message_ids::SeenIds};
use crate::{
    ids::{Ticket, TraceId},
    macp::{
        Ending, Mode, SessionRef, SessionState,
        modes::{ModeState, Participants},
    },
    store::macp::SessionRow,
    time::Wall,
};

/// One session. An idle one is to take less than a kilobyte with all that belongs to it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) number: u64,
    pub(super) id: Arc<str>,
    pub(super) mode: Mode,
    /// As its start named it.
    pub(super) mode_name: &'static str,
    pub(super) started_ms: u64,
    pub(super) expires_ms: u64,
    pub(super) mode_version: Box<str>,
    pub(super) configuration_version: Box<str>,
    pub(super) policy_version: Box<str>,
    pub(super) by: Box<str>,
    pub(super) intent: Box<str>,
    pub(super) participants: Participants,
    pub(super) seen: SeenIds,
    /// Messages that it accepted, its start aside.
    pub(super) messages: u64,
    /// What it takes: by its messages' lengths, and what is kept of each.
    pub(super) bytes: u64,
    pub(super) state: ModeState,
    pub(super) end: Option<Box<End>>,
    pub(super) trace: Option<TraceId>,
    /// The `traceparent` of the call that began it.
    pub(super) traceparent: Option<Box<str>>,
    /// Its last record.
    pub(super) last: Ticket,
    /// The record by which it stands as it does: its start's, or its end's.
    pub(super) state_ticket: Ticket,
    /// Whether it was expired by the sweep, and nobody asked since: what is told on the wire is what it was
    /// before (ruling MACP 2).
    pub(super) is_unnoticed: bool,
    /// Whether its row in the store is not what it is.
    pub(super) is_dirty: bool,
    /// Whether the ids of its messages are among those that are shared with who writes them.
    pub(super) has_shared_ids: bool,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) at_ms: u64,
    pub(super) why: Box<str>,
    pub(super) resolution: Bytes,
}

/// All of a session that a log rebuilds; for comparing.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Its metadata.
    pub metadata: Metadata,
    /// Its number.
    pub number: u64,
    /// How it ended, when, why and with what.
    pub end: Option<(Ending, u64, String, Bytes)>,
    /// Messages that it accepted, and their bytes.
    pub accepted: (u64, u64),
    /// What its mode keeps.
    pub state: ModeState,
    /// Its state as JSON.
    pub json: serde_json::Value,
    /// The digests of its messages' ids.
    pub seen: super::Digests,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// The `traceparent` of the call that began it.
    pub traceparent: Option<Box<str>>,
}

impl Session {
    pub(super) fn session_ref(&self) -> SessionRef {
        SessionRef { number: self.number, id: Arc::clone(&self.id) }
    }

    /// How it stands.
    pub(super) fn state(&self) -> SessionState {
        self.end.as_ref().map_or(SessionState::Open, |end| end.ending.state())
    }

    /// How it stands as far as anybody was told.
    pub(super) fn reported_state(&self) -> SessionState {
        if self.is_unnoticed { SessionState::Open } else { self.state() }
    }

    /// Whether its TTL is over. It is while `now > expiry`, not at the expiry itself.
    pub(super) const fn is_over(&self, at_ms: u64) -> bool {
        at_ms > self.expires_ms
    }

    pub(super) fn metadata(&self) -> Metadata {
        Metadata {
            id: Arc::clone(&self.id),
            mode: Box::from(self.mode_name),
            state: self.reported_state(),
            started_ms: self.started_ms,
            expires_ms: self.expires_ms,
            mode_version: self.mode_version.clone(),
            configuration_version: self.configuration_version.clone(),
            policy_version: self.policy_version.clone(),
        }
    }

    /// Ends it: the bytes that this adds.
    pub(super) fn finish(&mut self, end: End) -> u64 {
        let bytes = end.resolution.len() as u64;
        self.bytes += bytes;
        self.end = Some(Box::new(end));
        bytes
    }

    /// Its row in the store.
    pub(super) fn row(&self) -> SessionRow {
        SessionRow {
            number: self.number,
            id: self.id.to_string(),
            mode: self.mode,
            mode_name: self.mode_name.to_owned(),
            ending: self.end.as_ref().map(|end| end.ending),
            why: self.end.as_ref().map(|end| end.why.to_string()).filter(|why| !why.is_empty()),
            phase: self.state.phase(),
            round: self.state.round(),
            by: self.by.to_string(),
            intent: self.intent.to_string(),
            participants: self.participants.listed().len() as u64,
            messages: self.messages,
            started_at: Wall(self.started_ms),
            expires_at: Wall(self.expires_ms),
            ended_at: self.end.as_ref().map(|end| Wall(end.at_ms)),
            mode_version: self.mode_version.to_string(),
            configuration_version: self.configuration_version.to_string(),
            policy_version: self.policy_version.to_string(),
            trace: self.trace,
            traceparent: self.traceparent.clone(),
            is_evicted: false,
            is_unnoticed: self.is_unnoticed,
        }
    }

    pub(super) fn image(&self) -> Image {
        Image {
            metadata: Metadata { state: self.state(), ..self.metadata() },
            number: self.number,
            end: self
                .end
                .as_ref()
                .map(|end| (end.ending, end.at_ms, end.why.to_string(), end.resolution.clone())),
            accepted: (self.messages, self.bytes),
            state: self.state.clone(),
            json: self.state.json(&self.participants),
            seen: self.seen.digests(),
            trace: self.trace,
            traceparent: self.traceparent.clone(),
        }
    }
}
