//! Random runs under a virtual clock, held against checks that are as simple as can be.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    snapshots,
    test_engine::{TestEngine, fails, gives, node, opening, trace},
};
use crate::{
    ids::{ConnectionId, TraceId},
    limits,
    runs::{
        NodeState, RunState, Transition,
        engine::{Input, Reach, Settings},
        openings::{Check, CheckKind, Literal, Node, Opening, PortRef, Retry, Success, Use},
        payload::{AgentAnswer, AgentRequest, AgentResponse, ControlResponse},
    },
};

/// A random opening; some of its nodes ask, retry, time out, or are openings themselves.
fn random(rng: &mut fastrand::Rng, depth: u32) -> Opening {
    let count = rng.usize(1..if depth == 0 { 12 } else { 4 });
    let nodes: Vec<Node> = (0..count)
        .map(|n| {
            let mut it = node(&format!("n{n}"));
            it.retry = Retry { max_attempts: rng.u32(1..4), backoff_ms: rng.u64(0..50) };
            it.timeout_ms = (rng.u8(..4) == 0).then(|| rng.u64(20..200));
            it.asks = rng.u8(..10) == 0;
            it.budget_tokens = (rng.u8(..8) == 0).then(|| rng.u64(10..60));
            if depth < 2 && rng.u8(..8) == 0 {
                it.action = Use::Opening { name: "inner".into(), opening: random(rng, depth + 1).into() };
            }
            it
        })
        .collect();
    let mut edges = Vec::new();
    for to in 1..count {
        for _ in 0..rng.usize(0..3) {
            let when = ["", "==true", "==false"][rng.usize(..3)];
            let port = ["out", "ok"][rng.usize(..2)];
            let from = rng.usize(..to);
            let is_nested = matches!(nodes[from].action, Use::Opening { .. });
            let port = if is_nested { "ok" } else { port };
            edges.push(format!("n{from}.{port}{when} -> n{to}.{}", ["in", "more"][rng.usize(..2)]));
        }
    }
    edges.sort();
    edges.dedup();
    let mut opening = opening(nodes, &edges.iter().map(String::as_str).collect::<Vec<_>>());
    opening.policy.timeout_ms = (rng.u8(..4) == 0).then(|| rng.u64(100..1_000));
    opening.policy.budget_tokens = (rng.u8(..6) == 0).then(|| rng.u64(5..60));
    if rng.u8(..3) == 0 {
        let mut check = || {
            let is = if rng.bool() { CheckKind::Exists } else { CheckKind::Equals(Literal::Bool(true)) };
            Check { port: PortRef { node: rng.usize(..count), port: "ok".into() }, kind: is }
        };
        let checks = vec![check(), check()];
        opening.success = Some(if rng.bool() { Success::Any(checks) } else { Success::All(checks) });
    }
    if matches!(opening.nodes[0].action, Use::Agent(_)) {
        opening.save = vec![PortRef { node: 0, port: "out".into() }];
    }
    opening
}

/// What agents gave last, by run and node: their port `ok`, and whether there was one `out`. Nothing where a
/// node never completed.
type LastAnswers = BTreeMap<(TraceId, String), (bool, bool)>;

/// How an edge ended.
#[derive(Clone, Copy, PartialEq)]
enum EdgeOutcome {
    Delivered,
    NotChosen,
    Missing,
    Failed,
}

/// How a node ends that is not worked on, told by the ends of those before it.
fn expected(
    opening: &Opening,
    states: &[NodeState],
    given: &dyn Fn(usize) -> Option<(bool, bool)>,
    to: usize,
) -> Option<NodeState> {
    let mut ports: BTreeMap<&str, Vec<EdgeOutcome>> = BTreeMap::new();
    for edge in opening.edges.iter().filter(|edge| edge.to == to) {
        let is_nested = matches!(opening.nodes[edge.from].action, Use::Opening { .. });
        let value = match (&*edge.from_port, given(edge.from)) {
            ("ok", Some((ok, _))) => Some(Some(ok)),
            ("out", Some((_, true))) => Some(None),
            _ => None,
        };
        let by_value = match (&edge.when, value) {
            (None, None) => EdgeOutcome::Missing,
            (None, Some(_)) => EdgeOutcome::Delivered,
            (Some(Literal::Bool(when)), Some(Some(ok))) if *when == ok => EdgeOutcome::Delivered,
            (Some(_), _) => EdgeOutcome::NotChosen,
        };
        let was = match states[edge.from] {
            NodeState::Completed => by_value,
            NodeState::Failed if is_nested => by_value,
            NodeState::Skipped => EdgeOutcome::NotChosen,
            _ => EdgeOutcome::Failed,
        };
        ports.entry(&edge.to_port).or_default().push(was);
    }
    let dead: Vec<_> = ports.values().filter(|edges| !edges.contains(&EdgeOutcome::Delivered)).collect();
    let any = |was| dead.iter().any(|edges| edges.contains(&was));
    match () {
        () if any(EdgeOutcome::Failed) => Some(NodeState::Blocked),
        () if any(EdgeOutcome::Missing) => Some(NodeState::Failed),
        () if dead.is_empty() => None,
        () => Some(NodeState::Skipped),
    }
}

struct Judge<'a> {
    fixture: &'a TestEngine,
    opening: &'a Opening,
    run: TraceId,
    last_answers: &'a LastAnswers,
}

impl Judge<'_> {
    /// Holds a run that settled by itself against the naive evaluator. How its nodes ended.
    fn judge(&self) -> Vec<NodeState> {
        let view = self.fixture.snapshot.run(self.run).unwrap();
        let states: Vec<_> =
            view.nodes.iter().take(self.opening.nodes.len()).map(|node| node.state).collect();
        let given = |n: usize| match self.opening.nodes[n].action {
            Use::Opening { .. } => Some((states[n] == NodeState::Completed, false)),
            Use::Agent(_) => self.last_answers.get(&(self.run, format!("n{n}"))).copied(),
        };
        for n in 0..states.len() {
            match expected(self.opening, &states, &given, n) {
                Some(expected) => {
                    assert_eq!(states[n], expected, "n{n} of {:?}: {states:?}", self.opening.edges);
                }
                None => {
                    assert!(
                        matches!(states[n], NodeState::Completed | NodeState::Failed),
                        "n{n}: {states:?}"
                    );
                }
            }
        }
        let holds = |check: &Check| match (&check.kind, states[check.port.node]) {
            (CheckKind::Exists, state) => state == NodeState::Completed,
            (CheckKind::Equals(_), NodeState::Completed) => given(check.port.node).is_some_and(|(ok, _)| ok),
            (CheckKind::Equals(_), _) => false,
        };
        let success = match &self.opening.success {
            Some(Success::Any(checks)) => checks.iter().any(holds),
            Some(Success::All(checks)) => checks.iter().all(holds),
            None => {
                states.iter().all(|state| matches!(state, NodeState::Completed | NodeState::Skipped))
                    && states.contains(&NodeState::Completed)
            }
        };
        assert_eq!(view.state == RunState::Succeeded, success, "{states:?} {:?}", view.why);
        states
    }
}

/// No node before its inputs: all that feeds it has ended when it is asked for.
fn check_request(fixture: &TestEngine, request: &AgentRequest) {
    let view = fixture.snapshot.run(request.trace_id).unwrap();
    let place = fixture.positions[&request.reply_topic];
    assert_eq!(view.plan.nodes[place as usize].id.rsplit('/').next(), Some(&*request.node.id));
    for edge in view.plan.edges.iter().filter(|edge| edge.to == place) {
        assert!(view.nodes[edge.from as usize].state.is_end(), "{} before {}", request.node.id, edge.from);
    }
}

/// What an agent says.
fn answer(rng: &mut fastrand::Rng, ok: bool, out: bool) -> AgentAnswer {
    let mut answer = match rng.u8(..6) {
        0 => fails(true),
        1 => fails(false),
        _ if out => gives(&[("ok", ok.into()), ("out", 1.into())]),
        _ => gives(&[("ok", ok.into())]),
    };
    answer.tokens = rng.bool().then(|| rng.u64(0..30));
    answer
}

/// What befalls the store and the bus.
fn disturb(fixture: &mut TestEngine, rng: &mut fastrand::Rng) {
    // Commits come late, or fail.
    if rng.u8(..20) == 0 {
        fixture.commits = !fixture.commits;
        if fixture.commits {
            fixture.commit();
            fixture.drain();
        }
    }
    if rng.u8(..100) == 0 {
        fixture.failing = rng.u32(1..6);
    }
    match rng.u8(..60) {
        0 => drop(
            fixture
                .reaches
                .insert("agent/echo".to_owned(), [Reach::Full, Reach::Down][rng.usize(..2)].clone()),
        ),
        1..8 => fixture.reaches.clear(),
        8 => fixture.handle(Input::SessionOver { peer: ConnectionId(1) }),
        _ => {}
    }
}

/// What was submitted, and what befell it.
struct Submitted {
    openings: BTreeMap<TraceId, Opening>,
    disturbed: BTreeSet<TraceId>,
    restarted: BTreeSet<TraceId>,
    given: LastAnswers,
}

/// Holds how all runs ended against what was told and kept of them.
fn check_ends(
    seed: u64,
    fixture: &TestEngine,
    submitted: &Submitted,
    tally: &mut BTreeMap<&'static str, u32>,
) {
    let Submitted { openings, disturbed, restarted, given } = submitted;
    let mut numbers: BTreeMap<TraceId, u64> = BTreeMap::new();
    for (_, transition, _) in &fixture.tapped {
        if let Transition::Event { run, number, .. } = transition {
            let before = numbers.insert(*run, *number);
            assert!(before.is_none_or(|before| *number == before + 1), "seed {seed}: FIFO by number");
        }
    }
    for (run, opening) in openings {
        if !fixture.persisted.rows.contains_key(run) {
            let is_rejected = |(of, response): &(TraceId, _)| {
                of == run && matches!(response, ControlResponse::RunRejected { .. })
            };
            assert!(
                fixture.responses.iter().any(is_rejected) || restarted.contains(run),
                "seed {seed}: {run} has no answer"
            );
            *tally.entry("not recorded").or_default() += 1;
            continue;
        }
        let end = fixture.persisted.ended.get(run).unwrap_or_else(|| panic!("seed {seed}: {run} has no end"));
        let events: Vec<_> =
            fixture.events.iter().filter(|(_, of, _)| of == run).map(|(_, _, event)| event).collect();
        assert!(events.windows(2).all(|pair| pair[0].meta.ts_ms <= pair[1].meta.ts_ms), "seed {seed}: FIFO");
        *tally.entry(end.state.name()).or_default() += 1;
        let ends: Vec<_> = events.iter().filter_map(|event| event.meta.success).collect();
        if restarted.contains(run) {
            *tally.entry("restarted").or_default() += 1;
            if end.why.as_deref() == Some("interrupted by a stop of the station") {
                *tally.entry("cut off").or_default() += 1;
                assert_eq!(
                    (ends.last(), events.last().unwrap().meta.success),
                    (Some(&false), Some(false)),
                    "seed {seed}: the end is last"
                );
            }
            continue;
        }
        let moved = |(_, transition, _): &(_, Transition, _)| match transition {
            Transition::StateChange { run: of, node, state, .. } if of == run => Some((node.index, *state)),
            _ => None,
        };
        let stands: BTreeMap<u32, NodeState> = fixture.tapped.iter().filter_map(moved).collect();
        assert_eq!(
            end.done,
            stands.values().filter(|state| state.is_done()).count() as u64,
            "seed {seed}: {run}"
        );
        let kept = &fixture.persisted.events[run];
        assert_eq!(
            *kept,
            (1..=events.len() as u64).collect::<Vec<_>>(),
            "seed {seed}: all that was told is kept, each once"
        );
        assert_eq!(ends, [end.state == RunState::Succeeded], "seed {seed}");
        assert!(events.last().unwrap().meta.success.is_some(), "seed {seed}: the end is last");
        let why = end.why.as_deref().unwrap_or_default();
        let is_whole =
            !disturbed.contains(run) && !why.starts_with("timed out") && !why.starts_with("it used");
        *tally.entry("out of tokens").or_default() += u32::from(why.starts_with("it used"));
        if is_whole {
            for state in (Judge { fixture, opening, run: *run, last_answers: given }).judge() {
                *tally.entry(state.name()).or_default() += 1;
            }
            *tally.entry("judged").or_default() += 1;
        }
    }
}

fn simulate(seed: u64, tally: &mut BTreeMap<&'static str, u32>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let limits = limits::Runs {
        in_flight_run_max: rng.u64(1..5),
        in_flight_max: rng.u64(1..8),
        confirm_ms: 500,
        ..limits::Runs::default()
    };
    let mut fixture = TestEngine::with(Settings { limits, timeout_ms: 5_000, ..Settings::default() });
    let (mut openings, mut given) = (BTreeMap::new(), LastAnswers::new());
    let (mut pending, mut answered): (Vec<(u64, AgentRequest)>, Vec<AgentRequest>) = (Vec::new(), Vec::new());
    let (mut topics, mut disturbed, mut restarted) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut attempts = BTreeSet::new();
    let (mut next, mut taken, mut asked) = (1, 0, 0);
    for step in 0..400_u64 {
        if next <= 4 && rng.u8(..8) == 0 {
            let it = random(&mut rng, 0);
            openings.insert(trace(next), it.clone());
            fixture.submit(next, it);
            if rng.bool() {
                fixture.submit(next, openings[&trace(next)].clone());
            }
            next += 1;
        }
        while taken < fixture.requests.len() {
            let request = fixture.requests[taken].clone();
            taken += 1;
            if fixture.listens.contains(&*request.reply_topic) {
                check_request(&fixture, &request);
            }
            assert!(topics.insert(request.reply_topic.clone()), "every attempt has a topic of its own");
            let place = fixture.positions[&request.reply_topic];
            // What is within an opening begins anew with each of its attempts.
            if (place as usize) < openings[&request.trace_id].nodes.len() {
                assert!(
                    attempts.insert((request.trace_id, place, request.attempt)),
                    "seed {seed}: {} twice",
                    request.node.id
                );
            }
            // Some answers are lost.
            if rng.u8(..12) > 0 {
                pending.push((fixture.ms + rng.u64(0..150), request));
            }
        }
        while asked < fixture.asks.len() {
            let ask = fixture.asks[asked].clone();
            asked += 1;
            match rng.u8(..3) {
                0 => fixture.decide(&ask, true),
                1 => fixture.decide(&ask, false),
                _ => {}
            }
        }
        if let Some(at) = (0..pending.len()).find(|at| pending[*at].0 <= fixture.ms) {
            let (_, request) = pending.swap_remove(at);
            let (ok, out) = (rng.bool(), rng.u8(..8) > 0);
            let is_awaited = fixture.listens.contains(&*request.reply_topic);
            let answer = answer(&mut rng, ok, out);
            let is_of_opening =
                (fixture.positions[&request.reply_topic] as usize) < openings[&request.trace_id].nodes.len();
            if is_awaited && is_of_opening && matches!(answer.response, AgentResponse::Completed { .. }) {
                given.insert((request.trace_id, request.node.id.to_string()), (ok, out));
            }
            fixture.answer(&request, &answer);
            answered.push(request);
        } else if let Some(request) =
            answered.get(rng.usize(..answered.len().max(1))).filter(|_| rng.u8(..10) == 0).cloned()
        {
            fixture.answer(&request, &fails(false));
        } else {
            fixture.pass(rng.u64(1..40));
        }
        if step % 16 == 0 {
            snapshots::agrees(&fixture);
        }
        disturb(&mut fixture, &mut rng);
        if rng.u8(..120) == 0 && next > 1 {
            let n = rng.u64(1..next);
            disturbed.insert(trace(n));
            fixture.cancel(1_000 + step, n);
        }
        if rng.u16(..1_500) == 0 {
            disturbed.extend(openings.keys().copied());
            restarted.extend(openings.keys().copied());
            fixture.restart();
            (taken, asked) = (0, 0);
            pending.clear();
        }
    }
    (fixture.commits, fixture.failing) = (true, 0);
    fixture.reaches.clear();
    fixture.commit();
    fixture.drain();
    fixture.pass(30_000);
    snapshots::agrees(&fixture);
    snapshots::hold_together(&fixture, &mut rng);
    assert_eq!(
        (fixture.engine.open(), fixture.listens.len(), fixture.engine.timeout()),
        (0, 0, None),
        "seed {seed}: every run ends"
    );
    check_ends(seed, &fixture, &Submitted { openings, disturbed, restarted, given }, tally);
}

#[test]
fn whatever_happens_runs_end_as_a_naive_evaluator_says() {
    let mut tally = BTreeMap::new();
    for seed in 0..450 {
        simulate(seed, &mut tally);
    }
    // What is not met is not tested.
    for (what, least) in [
        ("judged", 300),
        ("skipped", 100),
        ("blocked", 100),
        ("cancelled", 50),
        ("restarted", 50),
        ("succeeded", 50),
        ("cut off", 20),
        ("not recorded", 20),
        ("out of tokens", 10),
    ] {
        assert!(tally.get(what).copied().unwrap_or(0) >= least, "{what}: {tally:?}");
    }
}
