//! What the `meta` and message of a run's event say (rmp-v0 §10).

use serde_json::Value;

use crate::{
    store::runs::EventRow,
    tap::entry::runs::{NodeState, RunState, Verdict},
    time::Wall,
};

/// What the fold reads of an event's `meta`. What is not there, or of another type, is nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct EventFields {
    pub(super) node: Option<String>,
    /// The attempt, by its `span_id`.
    pub(super) attempt: Option<u32>,
    /// The state as it is written.
    state: Option<String>,
    /// Whether the run succeeded: its last event alone says so.
    pub(super) success: Option<bool>,
    pub(super) latency_ms: Option<u64>,
    /// Whether an agent answered.
    pub(super) has_answer: bool,
    /// The port of an artifact, its type and its length in bytes.
    pub(super) artifact: Option<(String, String, u64)>,
    pub(super) action: Option<String>,
    pub(super) expires_at: Option<Wall>,
    pub(super) answer: Option<Answer>,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    /// Who decided: `<kind>:<client>`.
    pub(super) by: Option<String>,
    pub(super) note: Option<String>,
}

impl EventFields {
    pub(super) fn read(row: &EventRow) -> Self {
        let meta = row.meta.value();
        let text = |name: &str| meta.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
        let number = |name: &str| meta.get(name).and_then(Value::as_u64);
        let span = text("span_id");
        let attempt = span.as_deref().and_then(|span| span.rsplit_once('#')?.1.parse().ok());
        let verdict = text("verdict").and_then(|name| Verdict::from_name(&name));
        let by =
            text("by").map(|client| format!("{}:{client}", text("by_kind").as_deref().unwrap_or(UNKNOWN)));
        Self {
            node: text("node_id"),
            attempt,
            state: text("state"),
            success: meta.get("success").and_then(Value::as_bool),
            latency_ms: number("latency_ms"),
            has_answer: meta.get("agent").is_some(),
            artifact: text("port")
                .map(|port| (port, text("type").unwrap_or_default(), number("bytes").unwrap_or_default())),
            action: text("action_id")
                .map(|id| id.strip_prefix("action:").map(ToOwned::to_owned).unwrap_or(id)),
            expires_at: number("expires_at_ms").map(Wall),
            answer: verdict.map(|verdict| Answer {
                verdict,
                by,
                note: text("note").filter(|note| !note.is_empty()),
            }),
        }
    }

    /// The state of the node that it speaks of.
    pub(super) fn node_state(&self) -> Option<NodeState> {
        NodeState::from_name(self.state.as_deref()?)
    }

    /// The state of the run.
    pub(super) fn run_state(&self) -> Option<RunState> {
        RunState::from_name(self.state.as_deref()?)
    }
}

/// Who did what nothing says the doer of: an event of before that was recorded.
pub(super) const UNKNOWN: &str = "unknown";

/// Why a node is in a state, as its event says it: `<node> is <state>: <why>`.
pub(super) fn why_of<'a>(message: &'a str, node: &str, state: NodeState) -> Option<&'a str> {
    let rest = message.strip_prefix(node)?.strip_prefix(" is ")?.strip_prefix(state.name())?;
    rest.strip_prefix(": ")
}
