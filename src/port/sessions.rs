//! Rows of sessions. The rows are printed as they are by `ls sessions --json` and `session show …
//! --json`.

use serde::{Deserialize, Serialize};

use crate::{
    ids::TraceId,
    macp::{Ending, Mode, Phase, SessionState},
    schema::JsonText,
    time::Wall,
};

/// `ls sessions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// Its place among all sessions.
    pub number: u64,
    /// Its id.
    pub session: String,
    /// How it is coordinated.
    pub mode: Mode,
    /// The mode's name as its `SessionStart` had it.
    pub mode_name: String,
    /// How it stands.
    pub state: SessionState,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Why it ended, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How far a decision is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Which round it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// Who began it.
    pub by: String,
    /// What it is for.
    pub intent: String,
    /// How many may take part; 0 for anybody.
    pub participants: u64,
    /// Messages that it accepted, its start aside.
    pub messages: u64,
    /// When it began, in Unix milliseconds.
    pub started_at_ms: Wall,
    /// When its TTL is over, in Unix milliseconds.
    pub expires_at_ms: Wall,
    /// When it ended, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<Wall>,
    /// What it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
}

impl SessionRow {
    /// How it stands in a word: while it is open that, then how it ended.
    #[must_use]
    pub fn status(&self) -> &'static str {
        self.ending.map_or(self.state.name(), Ending::name)
    }
}

/// `session show`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDetail {
    /// The session.
    #[serde(flatten)]
    pub row: SessionRow,
    /// The version of the mode, as its `SessionStart` had it.
    pub mode_version: String,
    /// The version of the configuration, as its `SessionStart` had it.
    pub configuration_version: String,
    /// The version of the policy, as its `SessionStart` had it.
    pub policy_version: String,
    /// The `traceparent` that its `SessionStart` came with (ruling MPLP 18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Who may take part, in the order of its `SessionStart`.
    pub listed: Vec<String>,
    /// What it resolved with: JSON, or `{"$text": "…"}`, or `{"$bin": "<base64>"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<JsonText>,
    /// What its mode keeps of it: proposals, evaluations, objections, votes and the phase; or contributions
    /// and the round.
    pub progress: JsonText,
}

/// What a record of a session's log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// A message that was accepted.
    Incoming,
    /// The TTL was found to be over.
    TtlExpired,
    /// Somebody cancelled the session.
    SessionCancel,
    /// The mode resolved the session.
    Resolution,
}

impl LogKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Incoming => "incoming",
            Self::TtlExpired => "ttl_expired",
            Self::SessionCancel => "session_cancel",
            Self::Resolution => "resolution",
        }
    }
}

/// `session show … --log`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionLogRow {
    /// Its place in the session's log, from 1 on.
    pub number: u64,
    /// When it was written, in Unix milliseconds.
    pub at_ms: Wall,
    /// What it is.
    pub kind: LogKind,
    /// The message's type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_type: Option<String>,
    /// The message's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Who sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// What the client had for a time, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp_ms: Option<i64>,
    /// The payload, the resolution, or the reason: JSON where it is some, `{"$text": "…"}` for another text,
    /// `{"$bin": "<base64>"}` for bytes; of a `SessionStart` its fields. Null where a recording does not
    /// have it.
    pub payload: JsonText,
}
