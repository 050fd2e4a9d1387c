//! Runs.

use std::sync::Arc;

use crate::{
    runs::{AskView, NodeView, Plan, PlanEdge, PlanNode, PlanPart, Progress, RunView, Snapshot, Totals},
    tap::recorded::{DecodeError, Recorded, recorded, wire},
    time::ClockShift,
};

recorded! {
    default struct Snapshot = RunsView "runs" { runs, asks, totals, asks_unshown, held }
    default struct Totals = RunTotals "totals" { submitted, rejected, succeeded, failed, cancelled }
    struct PlanNode { id, uses, parent } = PlanNode "plan_node" { id, r#use: uses, parent }
    struct PlanEdge = PlanEdge "plan_edge" { from, from_port, to, to_port, when }
    struct NodeView = RunNodeView "node" { state, attempt, since, ran_at, progress, why }
    struct Progress = RunProgress "progress" { done, total }
    struct AskView { action, run, node, summary, takes, asked_at, expires_at } = AskView "ask" {
        action, run, node, summary, asked_at, expires_at_ms: expires_at, takes
    }
}

recorded! { @required RunView = wire::RunView }

impl Recorded<wire::RunView> for RunView {
    fn recorded(&self) -> wire::RunView {
        wire::RunView {
            run: self.run.recorded(),
            name: self.name.recorded(),
            by: self.by.recorded(),
            state: self.state.recorded(),
            submitted_at: self.submitted_at.recorded(),
            ended_at: self.ended_at.recorded(),
            why: self.why.recorded(),
            planned: self.planned,
            done: self.done,
            plan_nodes: self.plan.nodes.recorded(),
            plan_edges: self.plan.edges.recorded(),
            nodes: self.nodes.recorded(),
            events: self.events,
            artifacts: self.artifacts,
            tokens: self.tokens,
        }
    }

    fn live(it: wire::RunView, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        let (nodes, edges) =
            (Recorded::live(it.plan_nodes, field, shift)?, Recorded::live(it.plan_edges, field, shift)?);
        // Without what leads nowhere.
        let mut plan = Plan::default();
        plan.extend(PlanPart { nodes, edges, ..PlanPart::default() }, usize::MAX);
        Ok(Self {
            run: Recorded::live(it.run, "run.run", shift)?,
            name: Recorded::live(it.name, "run.name", shift)?,
            by: Recorded::live(it.by, "run.by", shift)?,
            state: Recorded::live(it.state, "run.state", shift)?,
            submitted_at: Recorded::live(it.submitted_at, "run.submitted_at", shift)?,
            ended_at: Recorded::live(it.ended_at, "run.ended_at", shift)?,
            why: Recorded::live(it.why, "run.why", shift)?,
            planned: it.planned,
            done: it.done,
            plan: Arc::new(plan),
            nodes: Recorded::live(it.nodes, "run.nodes", shift)?,
            events: it.events,
            artifacts: it.artifacts,
            tokens: it.tokens,
        })
    }
}
