//! A run as the store has it, put together to be drawn like one of this start: its plan, and how its nodes
//! stood when they were last told of.

use std::sync::Arc;

use crate::{
    port::{NodeStates, NodeStatus, RunDetail, RunEventRow, cut_text},
    runs::{Asker, NodeState, NodeView, Plan, RunView},
    store::mplp::Rating,
    time::{Mono, Now, Wall},
};

/// A run of the store whose events are read.
#[derive(Clone, Debug)]
pub(crate) struct StoredRun {
    detail: RunDetail,
    plan: Arc<Plan>,
    node_states: NodeStates,
    /// The number of the last event that was read.
    pub(crate) read_up_to: u64,
    /// Whether all that are kept were.
    pub(crate) is_whole: bool,
}

impl StoredRun {
    /// A run of whose events none was read yet.
    pub(crate) fn of(detail: RunDetail) -> Self {
        let plan = Arc::new(serde_json::from_str(detail.plan.as_str()).unwrap_or_default());
        Self { detail, plan, node_states: NodeStates::default(), read_up_to: 0, is_whole: false }
    }

    /// Reads its next events.
    pub(crate) fn apply_events(&mut self, rows: &[RunEventRow], more: bool) {
        for row in rows.iter().filter(|row| row.number > self.read_up_to) {
            self.node_states.take(row);
        }
        let last = rows.last().map_or(self.read_up_to, |row| row.number);
        self.is_whole = !more || last <= self.read_up_to;
        self.read_up_to = last.max(self.read_up_to);
    }

    /// How it is rated.
    pub(crate) const fn rating(&self) -> Option<&Rating> {
        self.detail.rating.as_ref()
    }

    /// How it stands, by what was read so far. Its moments lie on a clock of their own that begins with it.
    pub(crate) fn view(&self) -> RunView {
        let row = &self.detail.row;
        let at = |wall: Wall| Now {
            wall,
            mono: Mono(wall.0.saturating_sub(row.submitted_at_ms.0).saturating_mul(1_000_000)),
        };
        let submitted_at = at(row.submitted_at_ms);
        let waits = NodeView::new(submitted_at);
        let node = |id: &str| match self.node_states.node(id) {
            Some(NodeStatus { state, attempts, ran_at_ms, since_ms, why, .. }) => {
                let why = why.as_deref().map(Arc::from);
                NodeView {
                    state: *state,
                    attempt: *attempts,
                    since: at(*since_ms),
                    ran_at: ran_at_ms.map(at),
                    why,
                    ..waits.clone()
                }
            }
            None => waits.clone(),
        };
        let nodes = self.plan.nodes.iter().map(|planned| match (node(&planned.id), row.ended_at_ms) {
            // What a station that went away left behind: the run's end was its own.
            (node, Some(ended)) if !node.state.is_end() => {
                let why = Some(cut_text(node.state).into());
                NodeView { state: NodeState::Cancelled, since: at(ended), why, ..node }
            }
            (node, _) => node,
        });
        RunView {
            run: row.run,
            name: row.name.as_str().into(),
            by: Asker { kind: row.by, client: row.client.as_str().into() },
            state: row.state,
            submitted_at,
            ended_at: row.ended_at_ms.map(at),
            why: row.why.as_deref().map(Arc::from),
            planned: u32::try_from(row.nodes).unwrap_or(u32::MAX),
            done: u32::try_from(row.done).ok(),
            nodes: nodes.collect(),
            plan: Arc::clone(&self.plan),
            events: row.events,
            artifacts: row.artifacts,
            tokens: row.tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::{OpeningId, TraceId},
        port::RunRow,
        runs::{AskerKind, EventKind, RunState},
        schema::JsonText,
    };

    fn told(number: u64, node: &str, state: NodeState) -> RunEventRow {
        let meta = format!(r#"{{"node_id":"{node}","span_id":"{node}#1","state":"{}"}}"#, state.name());
        let message = format!("{node} is {}", state.name());
        let meta = JsonText::parse(&meta).unwrap();
        RunEventRow {
            number,
            kind: EventKind::Status,
            level: None,
            message,
            meta,
            at_ms: Wall(1_000 + number * 100),
        }
    }

    #[test]
    fn a_run_that_a_restart_cut_is_put_together_from_its_events_page_by_page() {
        let row = RunRow {
            number: 1,
            run: TraceId(uuid::Uuid::nil()),
            opening: OpeningId(uuid::Uuid::nil()),
            name: "cut".to_owned(),
            state: RunState::Failed,
            why: Some("the station was restarted".to_owned()),
            by: AskerKind::Tui,
            client: "ann".to_owned(),
            nodes: 3,
            done: 1,
            tokens: 7,
            events: 4,
            artifacts: 0,
            submitted_at_ms: Wall(1_000),
            ended_at_ms: Some(Wall(15_000)),
            asks: 0,
            rated: None,
        };
        let nodes = ["a", "b", "c"].map(|id| format!(r#"{{"id":"{id}","use":"agent:echo"}}"#)).join(",");
        let plan = JsonText::parse(&format!(r#"{{"nodes":[{nodes}],"edges":[]}}"#)).unwrap();
        let mut run = StoredRun::of(RunDetail {
            row,
            yaml: String::new(),
            plan,
            traceparent: None,
            artifacts_missing: 0,
            rating: None,
        });
        run.apply_events(&[told(1, "a", NodeState::Running), told(2, "a", NodeState::Completed)], true);
        assert_eq!((run.read_up_to, run.is_whole), (2, false));
        run.apply_events(&[told(3, "b", NodeState::Running)], false);
        assert!(run.is_whole);
        let view = run.view();
        assert_eq!(view.ended_at.unwrap().mono.since(view.submitted_at.mono).as_secs(), 14);
        let states: Vec<_> = view.nodes.iter().map(|node| (node.state, node.why.as_deref())).collect();
        let cut = |why| (NodeState::Cancelled, Some(why));
        assert_eq!(
            states,
            [(NodeState::Completed, None), cut("cut while running"), cut("cut while waiting")]
        );
        assert_eq!(
            (
                view.nodes[0].attempt,
                view.nodes[0].since.mono.since(view.nodes[0].ran_at.unwrap().mono).as_millis()
            ),
            (1, 100)
        );
    }
}
