//! Runs in every state, as the station and the store tell of them.

use std::sync::Arc;

use super::{
    answers::answered,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        records::selection::{RecordKey, RowKeys as _},
        ui,
        ui::state::Focus,
    },
    ids::{ActionId, OpeningId, TraceId},
    port::{ArtifactRow, RunDetail, RunEventRow, RunRow},
    runs::{
        Asker, AskerKind, EventKind, NodeRef, NodeState, Plan, PlanEdge, PlanNode, RunState, Transition as T,
    },
    schema::JsonText,
    tap::entry::station::Level,
    time::{Now, Wall},
};

/// A run's name that ends in this number.
pub(super) fn run(number: u64) -> TraceId {
    TraceId(uuid::Uuid::from_u128(0x0191_0000_0000_7000_8000_0000_0000_0000 | u128::from(number)))
}

/// The run that waits for a decision.
pub(super) const VOTE: u64 = 0xa41f;
/// The run that ended well.
pub(super) const GREET: u64 = 0xb007;
/// One that a restart cut.
pub(super) const CUT: u64 = 0xc07e;
/// The question that waits.
pub(super) const ASK: ActionId = ActionId(uuid::Uuid::from_u128(0x0191_0000_0000_7000_8000_0000_0000_0a5c));

/// What it asks, and what the node would be given.
pub(super) const GIVE: &str = "give item 4 to viewer ann?\n{\"with\":{\"require_human_confirm\":true,\"item\":4},\"inputs\":{\"in\":[\"to ann\"]}}";

pub(super) fn by(client: &str) -> Asker {
    Asker { kind: AskerKind::Tui, client: client.into() }
}

/// A plan in which each edge leads between these places.
pub(super) fn plan(nodes: &[(&str, &str, Option<u32>)], edges: &[(u32, u32, Option<&str>)]) -> Plan {
    let node = |(id, uses, parent): &(&str, &str, Option<u32>)| PlanNode {
        id: Arc::from(*id),
        uses: Arc::from(*uses),
        parent: *parent,
    };
    let edge = |(from, to, when): &(u32, u32, Option<&str>)| PlanEdge {
        from: *from,
        from_port: Arc::from("out"),
        to: *to,
        to_port: Arc::from("in"),
        when: when.map(Arc::from),
    };
    Plan { nodes: nodes.iter().map(node).collect(), edges: edges.iter().map(edge).collect() }
}

pub(super) fn vote() -> Plan {
    plan(
        &[
            ("poll", "agent:poll", None),
            ("count", "agent:counter", None),
            ("greet", "opening:greet", None),
            ("greet/write", "agent:writer", Some(2)),
            ("greet/say", "agent:voice", Some(2)),
            ("give", "agent:giver", None),
            ("report", "agent:writer", None),
        ],
        &[(0, 1, None), (0, 2, None), (3, 4, None), (1, 5, Some("true")), (2, 6, None), (5, 6, None)],
    )
}

impl TestConsole {
    /// A run is accepted.
    pub(super) fn submitted(&mut self, number: u64, name: &str, plan: &Plan) {
        let nodes = u32::try_from(plan.nodes.len()).unwrap();
        let transition = T::Submitted { run: run(number), name: name.into(), by: by("ann"), nodes };
        let parts = plan.parts(16_384);
        self.runs(transition, &parts[0]);
        for part in &parts[1..] {
            self.runs(T::Planned { run: run(number) }, part);
        }
    }

    /// A run asks; the text is the question, and on a line of its own the inputs.
    pub(super) fn asked(
        &mut self,
        number: u64,
        action: ActionId,
        node: NodeRef,
        expires_at: Wall,
        text: &str,
    ) {
        let (question, inputs) = text.rsplit_once('\n').unwrap_or((text, ""));
        let (question, inputs) = (question.into(), inputs.into());
        self.runs(T::Asked { run: run(number), action, node, expires_at, question, inputs }, text);
    }

    pub(super) fn moved(
        &mut self,
        number: u64,
        (place, id): (u32, &str),
        state: NodeState,
        attempt: u32,
        why: &str,
    ) {
        self.runs(
            T::StateChange {
                run: run(number),
                node: NodeRef { index: place, id: id.into() },
                state,
                attempt,
            },
            why,
        );
    }

    pub(super) fn tells(
        &mut self,
        number: u64,
        at: u64,
        (kind, level): (EventKind, Option<Level>),
        node: Option<(u32, &str)>,
        message: &str,
    ) {
        let node = node.map(|(place, id)| NodeRef { index: place, id: id.into() });
        self.runs(T::Event { run: run(number), number: at, kind, level, node }, message);
    }

    pub(super) fn ended(&mut self, number: u64, state: RunState, why: &str) {
        self.runs(T::Ended { run: run(number), state }, why);
    }
}

/// Runs over a show: one that ended well, one that failed, and one that is in the middle of it and asks
/// something.
pub(super) fn with_runs(mut stage: TestConsole) -> TestConsole {
    stage.submitted(
        GREET,
        "greet",
        &plan(&[("write", "agent:writer", None), ("say", "agent:voice", None)], &[(0, 1, None)]),
    );
    for (place, id) in [(0, "write"), (1, "say")] {
        stage.moved(GREET, (place, id), NodeState::Running, 1, "");
        stage.pass(800);
        stage.moved(GREET, (place, id), NodeState::Completed, 1, "");
    }
    stage.runs(T::Spent { run: run(GREET), tokens: 412 }, "");
    stage.ended(GREET, RunState::Succeeded, "");
    stage.pass(90_000);
    stage.submitted(0xdead, "mend", &plan(&[("write", "agent:writer", None)], &[]));
    stage.moved(0xdead, (0, "write"), NodeState::Running, 3, "");
    stage.moved(
        0xdead,
        (0, "write"),
        NodeState::Failed,
        3,
        "nobody answers on agent/writer: start the agent",
    );
    stage.ended(0xdead, RunState::Failed, "write failed: nobody answers on agent/writer");
    stage.pass(2_000);
    stage.submitted(VOTE, "chat_vote", &vote());
    let log = |level| (EventKind::Log, Some(level));
    stage.tells(VOTE, 1, (EventKind::Plan, None), None, "{\"name\":\"chat_vote\"}");
    stage.moved(VOTE, (0, "poll"), NodeState::Running, 1, "");
    stage.tells(VOTE, 2, log(Level::Info), Some((0, "poll")), "poll opened");
    stage.pass(3_000);
    stage.moved(VOTE, (0, "poll"), NodeState::Completed, 1, "");
    stage.tells(VOTE, 3, (EventKind::Trace, None), Some((0, "poll")), "agent/poll answered after 3,000 ms");
    stage.moved(VOTE, (1, "count"), NodeState::Running, 1, "");
    stage.moved(VOTE, (2, "greet"), NodeState::Running, 1, "");
    stage.moved(VOTE, (3, "greet/write"), NodeState::Running, 2, "");
    let count = NodeRef { index: 1, id: "count".into() };
    stage.runs(
        T::Progressed { run: run(VOTE), node: count, done: Some(3.0), total: Some(8.0) },
        "3 of 8 ballots",
    );
    stage.tells(
        VOTE,
        4,
        log(Level::Warn),
        Some((3, "greet/write")),
        "the first attempt failed: busy\u{1b}[2J",
    );
    stage.moved(VOTE, (5, "give"), NodeState::Asking, 0, "");
    let expires_at = Wall(Now::at_ms(stage.ms).wall.0 + 300_000);
    let give = NodeRef { index: 5, id: "give".into() };
    stage.asked(VOTE, ASK, give, expires_at, GIVE);
    stage.tells(VOTE, 5, log(Level::Error), None, "the overlay did not answer");
    stage.runs(T::Spent { run: run(VOTE), tokens: 1_234 }, "");
    stage.pass(500);
    stage
}

/// Runs as the store has them.
pub(super) fn stored() -> Vec<RunRow> {
    let row = |number: u64, name: &str, state, why: Option<&str>| RunRow {
        number,
        run: run(number),
        opening: OpeningId(uuid::Uuid::nil()),
        name: name.to_owned(),
        state,
        why: why.map(str::to_owned),
        by: AskerKind::Agent,
        client: "writer".to_owned(),
        nodes: 4,
        done: 3,
        tokens: 99,
        events: 450,
        artifacts: 1,
        submitted_at_ms: Now::at_ms(number * 1_000).wall,
        asks: 0,
        ended_at_ms: Some(Now::at_ms(number * 1_500).wall),
        rated: None,
    };
    vec![
        row(7, "chat_vote", RunState::Succeeded, None),
        row(8, "mend", RunState::Failed, Some("timed out after 30000 ms")),
        row(9, "greet", RunState::Cancelled, None),
    ]
}

/// What a run told, of 450 events.
pub(super) fn told(of: TraceId, after: u64, limit: u64) -> Vec<RunEventRow> {
    if of == run(CUT) {
        return told_of_cut().into_iter().filter(|row| row.number > after).collect();
    }
    let row = |number: u64| RunEventRow {
        number,
        kind: EventKind::Log,
        level: Some(Level::Info),
        message: format!("step {number}"),
        meta: JsonText::parse(r#"{"node_id":"write"}"#).unwrap(),
        at_ms: Now::at_ms(number * 10).wall,
    };
    (after + 1..=(after + limit).min(450)).map(row).collect()
}

/// A run with its plan.
pub(super) fn detail(of: TraceId) -> Option<RunDetail> {
    if of != run(CUT) {
        return None;
    }
    let (submitted_at_ms, ended_at_ms) = (Now::at_ms(0).wall, Some(Now::at_ms(14_000).wall));
    let why = Some("the station was restarted".to_owned());
    let row = RunRow {
        run: of,
        name: "cut".to_owned(),
        state: RunState::Failed,
        why,
        submitted_at_ms,
        ended_at_ms,
        ..stored().remove(0)
    };
    let plan = plan(&[("write", "agent:writer", None), ("say", "agent:voice", None)], &[(0, 1, None)]);
    Some(RunDetail {
        row,
        yaml: String::new(),
        plan: JsonText::parse(&serde_json::to_string(&plan).unwrap()).unwrap(),
        traceparent: None,
        artifacts_missing: 0,
        rating: None,
    })
}

/// What that run told.
pub(super) fn told_of_cut() -> Vec<RunEventRow> {
    let row = |number: u64, node: &str, state: NodeState| RunEventRow {
        number,
        kind: EventKind::Status,
        level: Some(Level::Info),
        message: format!("{node} is {}", state.name()),
        meta: JsonText::parse(&format!(
            r#"{{"node_id":"{node}","span_id":"{node}#1","state":"{}"}}"#,
            state.name()
        ))
        .unwrap(),
        at_ms: Now::at_ms(number * 10).wall,
    };
    vec![
        row(1, "write", NodeState::Running),
        row(2, "write", NodeState::Completed),
        row(3, "say", NodeState::Running),
    ]
}

/// What a run kept.
pub(super) fn kept(after: u64) -> Vec<ArtifactRow> {
    let row = |number: u64| ArtifactRow {
        number,
        node: "count".to_owned(),
        port: "out".to_owned(),
        kind: "toolresult.generic.v1".to_owned(),
        schema_id: 4,
        bytes: 18,
        value: JsonText::parse(r#"{"winner":"pikachu"}"#).unwrap(),
        at_ms: Now::at_ms(60_000).wall,
    };
    (1..=2).filter(|number| *number > after).map(row).collect()
}

/// The Runs in the middle of a show, everything answered.
pub(super) fn runs(columns: u16, rows: u16) -> TestConsole {
    let mut stage = with_runs(show(columns, rows));
    let saved = T::Saved {
        run: run(VOTE),
        node: NodeRef { index: 0, id: "poll".into() },
        port: "out".into(),
        kind: "toolresult.generic.v1".into(),
        schema_id: 4,
        bytes: 18,
    };
    stage.runs(saved, "");
    let effects = stage.char('4');
    answered(&mut stage, effects);
    stage
}

pub(super) fn over(pane: PaneId) -> TestConsole {
    // There the lists of runs have room beside each other.
    let mut stage = if pane == PaneId::RunHistory { runs(220, 60) } else { runs(160, 50) };
    stage.ui.focus = Focus::Pane(pane);
    stage
}

pub(super) fn keys(stage: &TestConsole, pane: PaneId) -> Vec<RecordKey> {
    let rows = ui::rows(pane, &stage.ui, &stage.model);
    (0..rows.len()).filter_map(|row| rows.key(row)).collect()
}
