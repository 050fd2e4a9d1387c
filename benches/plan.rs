//! What the plan of a large run costs on the screen (DESIGN 9: a key is painted within 33 ms at p99).
//!
//! `cargo bench --bench plan` prints criterion's times of one page of scrolling through a plan of 1,000 nodes
//! and 2,000 edges: the key, what it changes, and the whole frame drawn, at 160x50 and 80x24. The layout of
//! the plan is made once, before.

use std::sync::Arc;

use criterion::Criterion;
use rl_console::{
    console::PlanScroll,
    ids::{Seq, TraceId},
    macp, mpp,
    port::{AsOf, HostState, Snapshot, StationView},
    rmp,
    runs::{self, Asker, AskerKind, NodeState, NodeView, Plan, PlanEdge, PlanNode, RunState, RunView},
    tap::entry::Link,
    time::Now,
};

const NODES: u32 = 1_000;

/// A plan in which each node feeds one of the next and one further on.
fn plan() -> Plan {
    let node = |at: u32| PlanNode { id: format!("n{at}").into(), uses: "agent:echo".into(), parent: None };
    let edge =
        |from: u32, to: u32| PlanEdge { from, from_port: "out".into(), to, to_port: "in".into(), when: None };
    let edges = (1..NODES)
        .flat_map(|to| [edge(to / 2, to), edge(to.saturating_sub(7), to)])
        .filter(|edge| edge.from != edge.to);
    Plan { nodes: (0..NODES).map(node).collect(), edges: edges.collect() }
}

fn snapshot() -> Snapshot {
    let now = Now::at_ms(60_000);
    let states = [NodeState::Completed, NodeState::Running, NodeState::Waiting, NodeState::Failed];
    let node = |at: u32| NodeView {
        state: states[at as usize % states.len()],
        attempt: 1,
        ran_at: Some(now),
        ..NodeView::new(now)
    };
    let run = RunView {
        run: TraceId(uuid::Uuid::from_u128(1)),
        name: "wide".into(),
        by: Asker { kind: AskerKind::Tui, client: "bench".into() },
        state: RunState::Running,
        submitted_at: now,
        ended_at: None,
        why: None,
        planned: NODES,
        done: None,
        plan: Arc::new(plan()),
        nodes: (0..NODES).map(node).collect(),
        events: 0,
        artifacts: 0,
        tokens: 0,
    };
    let pack = mpp::PackFacts {
        id: "com.example.bench".into(),
        name: "bench".into(),
        version: "1".into(),
        hash: "sha256:0".into(),
        is_sample: false,
    };
    Snapshot {
        as_of: AsOf([Seq(0); Link::ALL.len()]),
        at: now,
        station: StationView {
            hosts: [const { HostState::Up }; Link::ALL.len()],
            ..StationView::starting("bench".into(), now, 200)
        },
        mpp: mpp::Snapshot::new(pack),
        rmp: rmp::Snapshot::default(),
        runs: runs::Snapshot { runs: [run].into(), ..runs::Snapshot::default() },
        macp: macp::Snapshot::default(),
        plugin: rl_console::plugin::Snapshot::default(),
        mplp: rl_console::mplp::Snapshot::default(),
    }
}

fn main() {
    let mut criterion = Criterion::default().sample_size(50).configure_from_args();
    for (columns, rows) in [(160, 50), (80, 24)] {
        let mut screen = PlanScroll::new(snapshot(), columns, rows);
        assert!(screen.shows("n0"), "the plan is on the screen");
        let mut down = true;
        criterion.bench_function(&format!("plan/a page of 1,000 nodes at {columns}x{rows}"), |b| {
            b.iter(|| {
                let line = screen.frame(down);
                down = if down { line + 1 < NODES as usize } else { line == 0 };
                line
            });
        });
    }
    criterion.final_summary();
}
