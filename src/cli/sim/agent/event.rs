//! What a simulated agent tells of itself, a line an event.

use serde::Serialize;

use crate::{cli::table::visible, ids::TraceId, words::counted};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The station gives us our requests.
    Subscribed { topic: String, session: u64 },
    /// There is work.
    Request { node: String, attempt: u64, trace_id: TraceId, reply_topic: String },
    /// Something was said on the way.
    Progress { node: String, attempt: u64, message: String, done: u64, total: u64 },
    /// It is finished.
    Completed { node: String, attempt: u64, ports: Vec<String> },
    /// It is not done.
    Failed { node: String, attempt: u64, retryable: bool, reason: String },
    /// The script has no answer.
    Silent { node: String, attempt: u64 },
    /// It was told to stop.
    Cancelled { node: String, attempt: u64 },
    /// A message that is neither, or one that cannot be read.
    Ignored {
        #[serde(rename = "type")]
        of_type: String,
        why: String,
    },
    /// The station refused what we said.
    Refused { refused: u64, last: String },
    /// Requests that came faster than they were taken.
    Lost { messages: u64, lost: u64 },
    /// The connection is gone.
    Disconnected { why: String },
    /// It is tried again.
    Reconnecting { in_ms: u64 },
    /// That was all.
    Ended { completed: u64, failed: u64, silent: u64, cancelled: u64 },
}

impl Event {
    /// The line for people.
    pub(crate) fn line(&self) -> String {
        visible(&match self {
            Self::Subscribed { topic, session } => format!("serves {topic} (session {session})"),
            Self::Request { node, attempt, trace_id, .. } => {
                format!("request    {node} attempt {attempt} {trace_id}")
            }
            Self::Progress { node, message, done, total, .. } => {
                format!("progress   {node} {done} of {total}: {message}")
            }
            Self::Completed { node, ports, .. } => format!("completed  {node} {}", ports.join(", ")),
            Self::Failed { node, retryable, reason, .. } => {
                format!("failed     {node} {reason}{}", if *retryable { " (retryable)" } else { "" })
            }
            Self::Silent { node, .. } => format!("silent     {node}"),
            Self::Cancelled { node, .. } => format!("cancelled  {node}"),
            Self::Ignored { of_type, why } => format!("ignored    {of_type}: {why}"),
            Self::Refused { refused, last } => format!("refused    {refused} messages, the last: {last}"),
            Self::Lost { messages, lost } => {
                format!("lost       {} (received too fast; {lost} in total)", counted(*messages, "message"))
            }
            Self::Disconnected { why } => format!("disconnected: {why}"),
            Self::Reconnecting { in_ms } => format!("reconnecting in {in_ms} ms"),
            Self::Ended { completed, failed, silent, cancelled } => {
                format!(
                    "ended: {completed} completed, {failed} failed, {silent} silent, {cancelled} cancelled"
                )
            }
        })
    }
}
