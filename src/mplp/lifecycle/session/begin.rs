//! What a session begins with, what is said in it, and how it ends.

use serde_json::Value;

use crate::{
    ids::TraceId,
    tap::entry::macp::{Effect, Ending, Mode},
    time::Wall,
};

/// What is known of a session when it begins: its start, which is the first record of its log.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionBegin {
    /// Its id, as the client chose it.
    pub session: String,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// How it is coordinated.
    pub mode: Mode,
    /// The mode's name as the start has it.
    pub mode_name: String,
    /// The version of the mode.
    pub mode_version: String,
    /// The version of the configuration.
    pub configuration_version: String,
    /// The version of the policy.
    pub policy_version: String,
    /// Who began it.
    pub by: String,
    /// What it is for.
    pub intent: String,
    /// Who may take part, as the start lists them; empty for anybody.
    pub participants: Vec<String>,
    /// The W3C `traceparent` that came with the start, verbatim (ruling MPLP 18).
    pub traceparent: Option<String>,
    /// The Context of the trace's run, where its record is at hand. It is taken as it is if it is that of the
    /// trace; else the session makes one of its own facts.
    pub context: Option<Value>,
    /// When it began.
    pub at: Wall,
    /// When its TTL is over.
    pub expires_at: Wall,
}

/// A message that a session accepted, behind its start.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionMessage {
    /// The number of its record in the session's log, from 2 on.
    pub number: u64,
    /// Its id, as the client chose it.
    pub message_id: String,
    /// Its type.
    pub message_type: String,
    /// Who sent it.
    pub sender: String,
    /// What it did.
    pub effect: Effect,
    /// The text that goes with that: an option, a reason, an action, a value; cut by who reads the log.
    pub text: String,
    /// Its payload as text: JSON as it came, else a summary of its bytes; cut by who reads the log.
    pub payload: String,
    /// When it was accepted.
    pub at: Wall,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// The number of the record in the session's log that says so; nothing where none does.
    pub number: Option<u64>,
    /// How.
    pub ending: Ending,
    /// Why it did not resolve.
    pub why: Option<String>,
    /// What it resolved with, as text; cut by who reads the log.
    pub resolution: Option<String>,
    /// Messages that it accepted and that are not among those of the record.
    pub messages_missing: u64,
    /// When.
    pub at: Wall,
}
