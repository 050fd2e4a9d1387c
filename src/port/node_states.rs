//! How the nodes of a run stand, by what the run told: the one source that is there for every run, however
//! long ago it ended.

use std::collections::HashMap;

use serde::Serialize;

use super::RunEventRow;
use crate::{
    runs::{EventKind, NodeState, NodeView, PlanNode, RunView},
    time::Wall,
};

/// How a node stood when it was last told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeStatus {
    /// Its id; of a node of a nested opening, `outer/inner`.
    pub node: String,
    /// Its state.
    pub state: NodeState,
    /// Attempts that were begun.
    pub attempts: u32,
    /// When its first attempt began, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran_at_ms: Option<Wall>,
    /// Since when it stands so, in Unix milliseconds.
    pub since_ms: Wall,
    /// What there is to say of it: of one that failed, why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The nodes of one run, from its events in their order.
#[derive(Clone, Debug, Default)]
pub struct NodeStates {
    nodes: HashMap<String, NodeStatus>,
    taken: u64,
    last: u64,
}

impl NodeStates {
    /// Takes in the next event.
    pub fn take(&mut self, row: &RunEventRow) {
        self.taken += 1;
        self.last = row.number;
        if row.kind != EventKind::Status {
            return;
        }
        let Ok(meta) = serde_json::from_str::<serde_json::Value>(row.meta.as_str()) else { return };
        let text = |key: &str| meta.get(key).and_then(serde_json::Value::as_str);
        let (Some(id), Some(state)) = (text("node_id"), text("state").and_then(NodeState::from_name)) else {
            return;
        };
        let attempts = text("span_id").and_then(|span| span.rsplit_once('#')?.1.parse().ok()).unwrap_or(0);
        let why = row
            .message
            .strip_prefix(id)
            .and_then(|rest| rest.strip_prefix(" is ")?.strip_prefix(state.name())?.strip_prefix(": "));
        let node = self.nodes.entry(id.to_owned()).or_insert_with(|| NodeStatus {
            node: id.to_owned(),
            state,
            attempts,
            ran_at_ms: None,
            since_ms: row.at_ms,
            why: None,
        });
        if state == NodeState::Running && node.ran_at_ms.is_none() {
            node.ran_at_ms = Some(row.at_ms);
        }
        (node.state, node.attempts, node.since_ms, node.why) =
            (state, attempts, row.at_ms, why.map(str::to_owned));
    }

    /// As a state has them; nothing of a run whose plan it does not keep.
    #[must_use]
    pub fn of(run: &RunView) -> Self {
        let status = |(plan, node): (&PlanNode, &NodeView)| {
            let status = NodeStatus {
                node: plan.id.to_string(),
                state: node.state,
                attempts: node.attempt,
                ran_at_ms: node.ran_at.map(|at| at.wall),
                since_ms: node.since.wall,
                why: node.why.as_deref().map(str::to_owned),
            };
            (status.node.clone(), status)
        };
        // One that only waits was not told of.
        let told = run.plan.nodes.iter().zip(&run.nodes).filter(|(_, node)| node.state != NodeState::Waiting);
        Self { nodes: told.map(status).collect(), taken: 0, last: 0 }
    }

    /// How a node stands; nothing for one that was not told of: it waits.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&NodeStatus> {
        self.nodes.get(id)
    }

    /// Events that were told and are not kept (`limits.runs.events_kept_max`): where there are some, nodes
    /// may have gone on since.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.last.saturating_sub(self.taken)
    }
}

/// What is said of a node that the end of its run found in this state: the node is cancelled with it.
#[must_use]
pub fn cut_text(state: NodeState) -> String {
    format!("cut while {}", state.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::JsonText;

    fn status(number: u64, node: &str, state: NodeState, attempt: u32, why: &str) -> RunEventRow {
        let span = if attempt > 0 { format!(r#","span_id":"{node}#{attempt}""#) } else { String::new() };
        let meta = format!(r#"{{"node_id":"{node}","state":"{}"{span}}}"#, state.name());
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        RunEventRow {
            number,
            kind: EventKind::Status,
            level: None,
            message: format!("{node} is {}{why}", state.name()),
            meta: JsonText::parse(&meta).unwrap(),
            at_ms: Wall(number * 100),
        }
    }

    #[test]
    fn a_node_is_followed_to_its_end() {
        let mut told = NodeStates::default();
        told.take(&status(1, "a", NodeState::Running, 1, ""));
        told.take(&status(2, "a", NodeState::Retrying, 1, "is it: no luck"));
        told.take(&status(3, "a", NodeState::Running, 2, ""));
        told.take(&status(4, "a", NodeState::Failed, 2, "timed out after 5 ms"));
        told.take(&status(5, "b", NodeState::Blocked, 0, "upstream a failed"));
        let a = told.node("a").unwrap();
        assert_eq!(
            (a.state, a.attempts, a.ran_at_ms, a.since_ms),
            (NodeState::Failed, 2, Some(Wall(100)), Wall(400))
        );
        assert_eq!(a.why.as_deref(), Some("timed out after 5 ms"));
        assert_eq!((told.node("b").unwrap().attempts, told.node("c"), told.missing()), (0, None, 0));
        told.take(&RunEventRow { kind: EventKind::Log, ..status(9, "a", NodeState::Running, 3, "") });
        assert_eq!((told.node("a").unwrap().state, told.missing()), (NodeState::Failed, 3));
    }
}
