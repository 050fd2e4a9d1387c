//! Runs.

use std::sync::Arc;

use crate::{
    runs::{AskView, NodeView, Plan, PlanEdge, PlanNode, PlanPart, Progress, RunView, Snapshot, Totals},
    tap::recorded::{
        DecodeError,
        plain::{self, moment, now},
        runs::{live_action, live_asker, live_node, live_run, recorded_asker, recorded_node},
        wire,
    },
    time::Wall,
};

pub(super) fn recorded_runs(
    Snapshot { runs, asks, asks_unshown, held, totals }: &Snapshot,
) -> wire::RunsView {
    let Totals { submitted, rejected, succeeded, failed, cancelled } = *totals;
    wire::RunsView {
        runs: runs.iter().map(recorded_run).collect(),
        asks: asks.iter().map(recorded_ask).collect(),
        totals: Some(wire::RunTotals { submitted, rejected, succeeded, failed, cancelled }),
        asks_unshown: *asks_unshown,
        held: *held,
    }
}

pub(super) fn live_runs(it: wire::RunsView) -> Result<Snapshot, DecodeError> {
    let wire::RunTotals { submitted, rejected, succeeded, failed, cancelled } = it.totals.unwrap_or_default();
    Ok(Snapshot {
        runs: it.runs.into_iter().map(live_view).collect::<Result<_, _>>()?,
        asks: it.asks.into_iter().map(live_ask).collect::<Result<_, _>>()?,
        asks_unshown: it.asks_unshown,
        held: it.held,
        totals: Totals { submitted, rejected, succeeded, failed, cancelled },
    })
}

fn recorded_run(view: &RunView) -> wire::RunView {
    let RunView {
        run,
        name,
        by,
        state,
        submitted_at,
        ended_at,
        why,
        planned,
        done,
        plan,
        nodes,
        events,
        artifacts,
        tokens,
    } = view;
    wire::RunView {
        run: run.0.as_bytes().to_vec(),
        name: name.to_string(),
        by: Some(recorded_asker(by)),
        state: plain::to_run_state(*state),
        submitted_at: Some(moment(*submitted_at)),
        ended_at: ended_at.map(moment),
        why: why.as_deref().map(str::to_owned),
        planned: *planned,
        done: *done,
        plan_nodes: plan.nodes.iter().map(recorded_plan_node).collect(),
        plan_edges: plan.edges.iter().map(recorded_plan_edge).collect(),
        nodes: nodes.iter().map(recorded_node_view).collect(),
        events: *events,
        artifacts: *artifacts,
        tokens: *tokens,
    }
}

fn live_view(it: wire::RunView) -> Result<RunView, DecodeError> {
    Ok(RunView {
        run: live_run(&it.run)?,
        name: Arc::from(it.name),
        by: live_asker(it.by, "run.by")?,
        state: plain::run_state(it.state, "run.state")?,
        submitted_at: now(it.submitted_at, "run.submitted_at")?,
        ended_at: it.ended_at.map(|at| now(Some(at), "run.ended_at")).transpose()?,
        why: it.why.map(Arc::from),
        planned: it.planned,
        done: it.done,
        plan: Arc::new(live_plan(PlanPart {
            nodes: it.plan_nodes.into_iter().map(live_plan_node).collect(),
            edges: it.plan_edges.into_iter().map(live_plan_edge).collect(),
        })),
        nodes: it.nodes.into_iter().map(live_node_view).collect::<Result<_, _>>()?,
        events: it.events,
        artifacts: it.artifacts,
        tokens: it.tokens,
    })
}

/// A plan without what leads nowhere.
fn live_plan(part: PlanPart) -> Plan {
    let mut plan = Plan::default();
    plan.extend(part, usize::MAX);
    plan
}

fn recorded_plan_node(PlanNode { id, uses, parent }: &PlanNode) -> wire::PlanNode {
    wire::PlanNode { id: id.to_string(), r#use: uses.to_string(), parent: *parent }
}

fn live_plan_node(it: wire::PlanNode) -> PlanNode {
    PlanNode { id: Arc::from(it.id), uses: Arc::from(it.r#use), parent: it.parent }
}

fn recorded_plan_edge(PlanEdge { from, from_port, to, to_port, when }: &PlanEdge) -> wire::PlanEdge {
    wire::PlanEdge {
        from: *from,
        from_port: from_port.to_string(),
        to: *to,
        to_port: to_port.to_string(),
        when: when.as_deref().map(str::to_owned),
    }
}

fn live_plan_edge(it: wire::PlanEdge) -> PlanEdge {
    let when = it.when.map(Arc::from);
    PlanEdge {
        from: it.from,
        from_port: Arc::from(it.from_port),
        to: it.to,
        to_port: Arc::from(it.to_port),
        when,
    }
}

fn recorded_node_view(
    NodeView { state, attempt, since, ran_at, progress, why }: &NodeView,
) -> wire::RunNodeView {
    wire::RunNodeView {
        state: plain::to_node_state(*state),
        attempt: *attempt,
        since: Some(moment(*since)),
        ran_at: ran_at.map(moment),
        progress: progress.map(|Progress { done, total }| wire::RunProgress { done, total }),
        why: why.as_deref().map(str::to_owned),
    }
}

fn live_node_view(it: wire::RunNodeView) -> Result<NodeView, DecodeError> {
    Ok(NodeView {
        state: plain::node_state(it.state, "node.state")?,
        attempt: it.attempt,
        since: now(it.since, "node.since")?,
        ran_at: it.ran_at.map(|at| now(Some(at), "node.ran_at")).transpose()?,
        progress: it.progress.map(|wire::RunProgress { done, total }| Progress { done, total }),
        why: it.why.map(Arc::from),
    })
}

fn recorded_ask(
    AskView { action, run, node, summary, takes, asked_at, expires_at }: &AskView,
) -> wire::AskView {
    wire::AskView {
        action: action.0.as_bytes().to_vec(),
        run: run.0.as_bytes().to_vec(),
        node: Some(recorded_node(node)),
        summary: summary.to_string(),
        asked_at: Some(moment(*asked_at)),
        expires_at_ms: expires_at.0,
        takes: takes.to_string(),
    }
}

fn live_ask(it: wire::AskView) -> Result<AskView, DecodeError> {
    Ok(AskView {
        action: live_action(&it.action)?,
        run: live_run(&it.run)?,
        node: live_node(it.node)?,
        summary: Arc::from(it.summary),
        takes: Arc::from(it.takes),
        asked_at: now(it.asked_at, "ask.asked_at")?,
        expires_at: Wall(it.expires_at_ms),
    })
}
