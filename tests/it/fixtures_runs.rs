//! One value of every variant of what runs are told in. A new variant does not compile until it has one.

use std::sync::Arc;

use rl_console::{
    ids::{ActionId, TraceId},
    runs::{
        AskView, Asker, AskerKind, EventKind, NodeRef, NodeState, NodeView, Plan, PlanEdge, PlanNode,
        Progress, RunState, RunView, Snapshot, Totals, Transition, Verdict,
    },
    time::{Now, Wall},
};

fn run() -> TraceId {
    "trace:0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap()
}

fn action() -> ActionId {
    "action:0191d3c2-7a41-7f00-8000-00000000a420".parse().unwrap()
}

fn node() -> NodeRef {
    NodeRef { index: 3, id: Arc::from("outer/inner") }
}

fn by(kind: AskerKind) -> Asker {
    Asker { kind, client: Arc::from("rl-console") }
}

pub(crate) fn transitions() -> Vec<Transition> {
    let run = run();
    let moved = |state| Transition::StateChange { run, node: node(), state, attempt: 2 };
    let told = |kind, level, node| Transition::Event { run, number: 17, kind, level, node };
    let submitted =
        |kind| Transition::Submitted { run, name: Arc::from("draft-email"), by: by(kind), nodes: 5_000 };
    let decided = |verdict, by| Transition::Decided { run, action: action(), verdict, by };
    let mut all = every!(Transition {
        Submitted => [],
        Planned => [Transition::Planned { run }],
        Rejected => [Transition::Rejected { request: run, by: by(AskerKind::Cue) }],
        StateChange => [],
        Event => [told(EventKind::Log, None, None)],
        Progressed => [
            Transition::Progressed { run, node: node(), done: Some(0.5), total: Some(3.0) },
            Transition::Progressed { run, node: node(), done: None, total: None },
        ],
        Asked => [Transition::Asked {
            run,
            action: action(),
            node: node(),
            expires_at: Wall(1_790_000_300_000),
            question: Arc::from("chat_vote: let give\nrun agent writer?"),
            inputs: Arc::from(r#"{"with":{},"inputs":{}}"#),
        }],
        Decided => [decided(Verdict::Expired, None)],
        Saved => [Transition::Saved {
            run,
            node: node(),
            port: Arc::from("out"),
            kind: Arc::from("artifact.draft.email.v1"),
            schema_id: 221,
            bytes: 900,
        }],
        Spent => [Transition::Spent { run, tokens: 1_200 }],
        Done => [Transition::Done { run, nodes: 4_321 }],
        Cancelling => [Transition::Cancelling { run, by: by(AskerKind::Tui) }],
        Braked => [
            Transition::Braked { held: true, by: by(AskerKind::Tui) },
            Transition::Braked { held: false, by: by(AskerKind::Ui) },
        ],
        Ended => [],
    });
    all.extend(every_plain!(AskerKind { Agent, Ui, Tui, Cue, Station }).into_iter().map(submitted));
    all.extend(
        every_plain!(NodeState {
            Waiting,
            Ready,
            Asking,
            Running,
            Retrying,
            Completed,
            Failed,
            Skipped,
            Blocked,
            Cancelled
        })
        .into_iter()
        .map(moved),
    );
    let kinds = every_plain!(EventKind { Log, Status, Plan, Trace, Artifact, Progress });
    all.extend(kinds.into_iter().map(|kind| told(kind, None, Some(node()))));
    all.extend(crate::fixtures::levels().into_iter().map(|level| told(EventKind::Status, Some(level), None)));
    let verdicts = every_plain!(Verdict { Approved, Rejected, Expired, Withdrawn });
    all.extend(verdicts.into_iter().map(|verdict| decided(verdict, Some(by(AskerKind::Ui)))));
    all.extend(run_states().into_iter().map(|state| Transition::Ended { run, state }));
    all
}

fn run_states() -> Vec<RunState> {
    every_plain!(RunState { Running, Cancelling, Succeeded, Failed, Cancelled })
}

/// Runs in every state, one with everything that can be there.
pub(crate) fn snapshots() -> Vec<Snapshot> {
    let at = Now::at_ms(5);
    let bare = RunView {
        run: run(),
        name: Arc::from("draft-email"),
        by: by(AskerKind::Agent),
        state: RunState::Running,
        submitted_at: at,
        ended_at: None,
        why: None,
        planned: 2,
        done: None,
        plan: Arc::default(),
        nodes: Vec::new(),
        events: 1,
        artifacts: 2,
        tokens: 3,
    };
    let plan_node =
        |id: &str, parent| PlanNode { id: Arc::from(id), uses: Arc::from("agent:writer"), parent };
    let edge =
        |when| PlanEdge { from: 0, from_port: Arc::from("out"), to: 1, to_port: Arc::from("in"), when };
    let node_view = NodeView {
        state: NodeState::Running,
        attempt: 2,
        since: at,
        ran_at: Some(Now::at_ms(1)),
        progress: Some(Progress { done: Some(1.5), total: None }),
        why: Some(Arc::from("slow")),
    };
    let full = RunView {
        done: Some(1),
        ended_at: Some(at),
        why: Some(Arc::from("node a failed")),
        plan: Arc::new(Plan {
            nodes: vec![plan_node("a", None), plan_node("b", None), plan_node("a/c", Some(0))],
            edges: vec![edge(None), edge(Some(Arc::from("true")))],
        }),
        nodes: vec![node_view, NodeView::new(at)],
        ..bare.clone()
    };
    let ask = AskView {
        action: action(),
        run: run(),
        node: node(),
        summary: Arc::from("send it?"),
        takes: Arc::from(r#"{"with":{"to":"ann"}}"#),
        asked_at: at,
        expires_at: Wall(1_790_000_300_000),
    };
    let snapshot = |state| Snapshot {
        asks_unshown: 3,
        runs: [RunView { state, ..bare.clone() }, RunView { state, ..full.clone() }].into(),
        asks: [ask.clone()].into(),
        held: state == RunState::Running,
        totals: Totals { submitted: 1, rejected: 2, succeeded: 3, failed: 4, cancelled: 5 },
    };
    run_states().into_iter().map(snapshot).collect()
}
