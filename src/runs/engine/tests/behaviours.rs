//! What becomes of nodes.

use super::test_engine::{TestEngine, by, fails, gives, node, opening, trace, value};
use crate::{
    ids::TopicName,
    limits,
    runs::{
        Command, EventKind, NodeState, Outcome, Refusal, RejectedFor, RunState,
        engine::{Input, Reach, Settings},
        openings::{Check, CheckKind, Literal, Node, Policy, PortRef, Retry, Success},
        payload::{AgentAnswer, Amount, Decision, ProgressReport},
    },
};

#[test]
fn a_node_gets_what_its_inputs_gave_once_all_have() {
    let mut fixture = TestEngine::new();
    fixture.submit(
        1,
        opening(
            vec![node("a"), node("b"), node("c")],
            &["a.out -> c.in", "b.out -> c.in", "a.note -> c.note"],
        ),
    );
    assert_eq!(fixture.requests.len(), 2);
    fixture.does("b", &gives(&[("out", 2.into())]));
    assert_eq!(fixture.requests.len(), 2, "one input is missing");
    fixture.does("a", &gives(&[("out", 1.into()), ("note", "hi".into())]));
    let request = fixture.request("c");
    assert_eq!(request.inputs["in"], [value(1), value(2)], "in the edges' order");
    assert_eq!(request.inputs["note"], [value("hi")]);
    assert_eq!((request.trace_id, request.attempt, request.node.uses.as_str()), (trace(1), 1, "agent:echo"));
    fixture.does("c", &gives(&[]));
    assert_eq!(fixture.end(1), Some(("succeeded", String::new())));
    assert_eq!(
        (fixture.engine.open(), fixture.engine.timeout().is_some(), fixture.listens.len()),
        (0, true, 0),
        "its events wait"
    );
    fixture.pass(20);
    assert_eq!(fixture.engine.timeout(), None);
}

#[test]
fn predicates_choose_and_what_is_not_chosen_is_skipped() {
    let mut fixture = TestEngine::new();
    let nodes = ["vote", "yes", "no", "after_no", "both"].map(node).to_vec();
    let edges = [
        "vote.ok==true -> yes.in",
        "vote.ok==false -> no.in",
        "no.out -> after_no.in",
        "yes.out -> both.in",
        "no.out -> both.in",
    ];
    fixture.submit(1, opening(nodes, &edges));
    fixture.does("vote", &gives(&[("ok", true.into())]));
    assert_eq!(
        (fixture.status("no").0, fixture.status("after_no").0),
        (NodeState::Skipped, NodeState::Skipped)
    );
    fixture.does("yes", &gives(&[("out", 7.into())]));
    assert_eq!(fixture.request("both").inputs["in"], [value(7)], "one delivered edge is enough for a port");
    fixture.does("both", &gives(&[]));
    assert_eq!(fixture.end(1), Some(("succeeded", String::new())), "skipped is neither success nor failure");
}

#[test]
fn what_hangs_on_a_failed_node_is_blocked_and_the_rest_goes_on() {
    let mut fixture = TestEngine::new();
    let nodes = ["a", "b", "c", "d"].map(node).to_vec();
    fixture.submit(1, opening(nodes, &["a.out -> b.in", "b.out -> c.in"]));
    fixture.does("a", &fails(false));
    assert_eq!(fixture.status("a"), (NodeState::Failed, "no luck".to_owned()));
    assert_eq!(fixture.status("b"), (NodeState::Blocked, "upstream a failed".to_owned()));
    assert_eq!(fixture.status("c"), (NodeState::Blocked, "upstream b failed".to_owned()));
    assert_eq!(fixture.end(1), None, "d is still worked on");
    fixture.does("d", &gives(&[]));
    assert_eq!(fixture.end(1), Some(("failed", "node a failed: no luck".to_owned())));
}

#[test]
fn a_retryable_failure_is_tried_again_after_the_backoff() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 3, backoff_ms: 100 };
    fixture.submit(1, opening(vec![Node { retry, ..node("a") }], &[]));
    fixture.does("a", &fails(true));
    assert_eq!(fixture.status("a").0, NodeState::Retrying);
    fixture.pass(99);
    assert_eq!(fixture.requests.len(), 1);
    fixture.pass(1);
    assert_eq!((fixture.requests.len(), fixture.request("a").attempt), (2, 2));
    assert_ne!(fixture.requests[0].reply_topic, fixture.requests[1].reply_topic);
    fixture.does("a", &fails(true));
    fixture.pass(100);
    fixture.does("a", &fails(true));
    assert_eq!(
        (fixture.requests.len(), fixture.status("a").0),
        (3, NodeState::Failed),
        "the first attempt counts"
    );
}

#[test]
fn a_timeout_counts_per_attempt_and_tells_the_agent() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, timeout_ms: Some(50), ..node("a") }], &[]));
    fixture.pass(49);
    assert_eq!(fixture.requests.len(), 1);
    fixture.pass(1);
    assert_eq!((fixture.requests.len(), fixture.cancels.len()), (2, 1));
    assert_eq!(fixture.cancels[0].reply_topic, fixture.requests[0].reply_topic);
    let first = fixture.requests[0].clone();
    fixture.answer(&first, &gives(&[]));
    assert_eq!(fixture.status("a").0, NodeState::Running, "a late answer is not the second attempt's");
    fixture.pass(50);
    assert_eq!(fixture.end(1), Some(("failed", "node a failed: timed out after 50 ms".to_owned())));
    assert_eq!(fixture.status("a").1, "timed out after 50 ms");
    fixture.pass(20);
    assert!(
        fixture
            .events
            .iter()
            .any(|(_, _, event)| event.kind == EventKind::Log && event.message.contains("late or repeated"))
    );
}

#[test]
fn an_opening_out_of_time_fails_and_cancels_what_remains() {
    let mut fixture = TestEngine::new();
    let mut it = opening(vec![node("a"), node("b")], &["a.out -> b.in"]);
    it.policy = Policy { timeout_ms: Some(1_000), ..Policy::default() };
    fixture.submit(1, it);
    fixture.pass(1_000);
    assert_eq!(fixture.end(1), Some(("failed", "timed out after 1000 ms".to_owned())));
    assert_eq!((fixture.states(), fixture.cancels.len()), (vec![NodeState::Cancelled; 2], 1));
    fixture.submit(2, opening(vec![node("a")], &[]));
    fixture.pass(300_000);
    assert_eq!(fixture.end(2), Some(("failed", "timed out after 300000 ms".to_owned())), "the default");
}

#[test]
fn nobody_subscribed_is_a_clear_failure() {
    let mut fixture = TestEngine::new();
    fixture.reaches.insert("agent/echo".to_owned(), Reach::Nobody { agents: Vec::new(), more: 0 });
    fixture.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        fixture.status("a").1,
        "no agent subscribed to agent/echo: start the agent, or correct the node's `use`"
    );
    assert_eq!(fixture.end(1).unwrap().0, "failed");
}

#[test]
fn second_answers_and_unreadable_ones_do_no_harm() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a"), node("b")], &[]));
    let request = fixture.request("a");
    fixture.answer(&request, &gives(&[]));
    fixture.answer(&request, &fails(false));
    assert_eq!(fixture.status("a").0, NodeState::Completed);
    let topic = TopicName::new(&fixture.request("b").reply_topic);
    fixture.handle(Input::Answer { topic, body: bytes::Bytes::from_static(b"\xc1") });
    assert!(fixture.status("b").1.starts_with("invalid answer: "), "{:?}", fixture.status("b"));
}

#[test]
fn a_node_that_asks_waits_for_a_person_once() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    let asks = |id| Node { asks: true, retry, ..node(id) };
    fixture.submit(1, opening(vec![asks("a"), asks("b"), asks("c")], &[]));
    assert_eq!((fixture.requests.len(), fixture.asks.len(), fixture.snapshot.asks.len()), (0, 3, 3));
    let asks = fixture.asks.clone();
    fixture.decide(&asks[0], true);
    fixture.decide(&asks[0], false);
    fixture.does("a", &fails(true));
    fixture.pass(0);
    assert_eq!(
        (fixture.requests.len(), fixture.asks.len()),
        (2, 3),
        "not asked again for the second attempt"
    );
    fixture.decide(&asks[1], false);
    assert_eq!(fixture.status("b"), (NodeState::Failed, "rejected by tester".to_owned()));
    fixture.pass(300_000);
    assert_eq!(fixture.snapshot.asks.len(), 0);
    assert_eq!(fixture.end(1).unwrap().0, "failed");
}

#[test]
fn silence_is_a_no() {
    let mut fixture = TestEngine::with(Settings { timeout_ms: 1_000_000, ..Settings::default() });
    fixture.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    assert_eq!(fixture.asks[0].expires_at.0, crate::time::Now::at_ms(300_000).wall.0);
    fixture.pass(300_000);
    assert_eq!(fixture.status("a"), (NodeState::Failed, "no decision in time".to_owned()));
}

#[test]
fn silence_is_a_no_before_the_time_of_the_run_is_over() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    assert_eq!(fixture.asks[0].expires_at.0, crate::time::Now::at_ms(299_000).wall.0);
    fixture.pass(299_000);
    assert_eq!(fixture.status("a"), (NodeState::Failed, "no decision in time".to_owned()));
    assert_eq!(fixture.end(1).unwrap().0, "failed");
}

#[test]
fn budgets_are_of_all_attempts_together() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 9, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, budget_tokens: Some(100), ..node("a") }, node("b")], &[]));
    let mut used = fails(true);
    used.tokens = Some(60);
    fixture.does("a", &used);
    fixture.pass(0);
    fixture.does("a", &used);
    assert_eq!(
        fixture.status("a"),
        (NodeState::Failed, "it used 120 tokens, over its budget of 100".to_owned())
    );
    fixture.does("b", &gives(&[]));
    assert_eq!(fixture.persisted.ended[&trace(1)].tokens, 120);
    let mut it = opening(vec![node("a"), node("b")], &[]);
    it.policy.budget_tokens = Some(50);
    fixture.submit(2, it);
    let mut used = gives(&[]);
    used.tokens = Some(51);
    fixture.does("a", &used);
    assert_eq!(fixture.end(2), Some(("failed", "it used 51 tokens, over its budget of 50".to_owned())));
    assert_eq!(fixture.cancels.len(), 1, "b was told");
}

#[test]
fn success_is_judged_as_it_is_written() {
    for (value, kind, expected) in [
        (true, CheckKind::Equals(Literal::Bool(true)), "succeeded"),
        (false, CheckKind::Equals(Literal::Bool(true)), "failed"),
        (false, CheckKind::Exists, "succeeded"),
    ] {
        let mut fixture = TestEngine::new();
        let mut it = opening(vec![node("a"), node("b")], &[]);
        it.success = Some(Success::All(vec![Check { port: PortRef { node: 0, port: "ok".into() }, kind }]));
        fixture.submit(1, it);
        fixture.does("b", &fails(false));
        fixture.does("a", &gives(&[("ok", value.into())]));
        let (state, why) = fixture.end(1).unwrap();
        assert_eq!(state, expected, "a failed node does not matter where success is written");
        let told = "success.all_of not met: a.ok is not true; node b failed: no luck";
        assert_eq!(why, if expected == "failed" { told } else { "" });
    }
}

#[test]
fn only_so_many_attempts_fly_and_others_wait_in_order() {
    let limits = limits::Runs { in_flight_run_max: 2, in_flight_max: 3, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let ids = ["a", "b", "c", "d"];
    fixture.submit(1, opening(ids.map(node).to_vec(), &[]));
    fixture.submit(2, opening(ids.map(node).to_vec(), &[]));
    assert_eq!(fixture.requests.len(), 3, "two of the first run and one of the second");
    let first = fixture.requests[0].clone();
    fixture.answer(&first, &gives(&[]));
    assert_eq!(fixture.requests.len(), 4);
    while fixture.engine.open() > 0 {
        let flying: Vec<_> = fixture
            .requests
            .iter()
            .filter(|it| fixture.listens.contains(&*it.reply_topic))
            .cloned()
            .collect();
        assert!(!flying.is_empty() && flying.len() <= 3);
        for run in [1, 2] {
            let of_run: Vec<_> = fixture
                .requests
                .iter()
                .filter(|it| it.trace_id == trace(run))
                .map(|it| it.node.id.to_string())
                .collect();
            assert!(
                ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>().starts_with(&of_run),
                "in their order"
            );
        }
        fixture.answer(&flying[0], &gives(&[]));
    }
    assert_eq!(fixture.requests.len(), 8);
}

#[test]
fn what_happens_is_counted() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    fixture.submit(
        1,
        opening(
            vec![Node { retry, timeout_ms: Some(50), ..node("a") }, Node { asks: true, ..node("b") }],
            &[],
        ),
    );
    fixture.pass(50);
    fixture.answer(&fixture.requests[0].clone(), &gives(&[]));
    let figures = fixture.engine.metrics();
    assert_eq!(
        (figures.submitted, figures.attempts, figures.retries, figures.timeouts, figures.late_answers),
        (1, 2, 1, 1, 1)
    );
    assert_eq!((figures.running, figures.in_flight, figures.asking), (1, 1, 1));
    fixture.does("a", &AgentAnswer { tokens: Some(7), ..gives(&[]) });
    fixture.decide(&fixture.asks[0].clone(), false);
    fixture.cancel(9, 5);
    let figures = fixture.engine.metrics();
    assert_eq!((figures.running, figures.in_flight, figures.asking, figures.tokens), (0, 0, 0, 7));
    assert_eq!((figures.ended, figures.nodes_ended), ([0, 1, 0], [1, 1, 0, 0, 0]));
    let rejected: Vec<_> =
        RejectedFor::ALL.iter().zip(figures.rejected).filter(|(_, count)| *count > 0).collect();
    assert_eq!(rejected, [(&RejectedFor::UnknownRun, 1)]);
}

#[test]
fn progress_is_told_and_bounded() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    let topic = TopicName::new(&format!("{}/progress", fixture.request("a").reply_topic));
    for n in 0..100_u64 {
        let report = ProgressReport {
            message: "at it".to_owned(),
            done: Some(Amount::Whole(n)),
            total: Some(Amount::Whole(100)),
        };
        fixture.handle(Input::Progress { topic: topic.clone(), body: report.encode().into() });
        fixture.pass(1);
    }
    let report = ProgressReport {
        message: "at it".to_owned(),
        done: Some(Amount::Whole(100)),
        total: Some(Amount::Whole(100)),
    };
    fixture.handle(Input::Progress { topic, body: report.encode().into() });
    fixture.does("a", &gives(&[]));
    fixture.pass(20);
    let told: Vec<_> = fixture
        .events
        .iter()
        .filter(|(_, _, event)| event.kind == EventKind::Progress)
        .map(|(ms, _, it)| (*ms, it.meta.done))
        .collect();
    let whole = |it| Some(Amount::Whole(it));
    assert_eq!(
        told,
        [(20, whole(0)), (50, whole(49)), (100, whole(99)), (100, whole(100))],
        "the last always goes out"
    );
    let kinds: Vec<_> = fixture.events.iter().map(|(_, _, event)| event.kind).collect();
    let (last, end) = (
        kinds.iter().rposition(|kind| *kind == EventKind::Progress),
        kinds.iter().rposition(|kind| *kind == EventKind::Trace),
    );
    assert!(last < end, "before the end of its node");
    let event = fixture.events.iter().find(|(_, _, event)| event.kind == EventKind::Progress).unwrap();
    assert_eq!((event.2.meta.span_id.as_deref(), event.2.meta.total), (Some("a#1"), whole(100)));
}

#[test]
fn artifacts_are_kept_and_told() {
    let mut fixture = TestEngine::new();
    let mut it = opening(vec![node("a")], &[]);
    it.save = vec![PortRef { node: 0, port: "out".into() }];
    fixture.submit(1, it);
    fixture.does("a", &gives(&[("out", "hello".into()), ("other", 1.into())]));
    let [kept] = &fixture.persisted.artifacts[..] else { panic!("one") };
    assert_eq!((&*kept.node, &*kept.port, &kept.value[..], kept.number), ("a", "out", &b"\xa5hello"[..], 1));
    fixture.pass(20);
    let told = fixture.events.iter().find_map(|(_, _, event)| event.meta.artifact.clone()).unwrap();
    assert_eq!((told.port.as_str(), told.bytes, told.schema_id), ("out", 6, 4));
}

#[test]
fn values_beyond_the_bound_fail_the_node_that_gives_them() {
    let limits = limits::Runs { port_values_bytes_max: 65_536, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.does("a", &gives(&[("out", "x".repeat(70_000).into())]));
    assert!(fixture.status("a").1.contains("limits.runs.port_values_bytes_max"));
}

#[test]
fn commands_of_an_operator_do_what_requests_do() {
    let mut fixture = TestEngine::new();
    let now = crate::time::Now::at_ms(0);
    fixture.submit(1, opening(vec![Node { asks: true, ..node("a") }, node("b")], &[]));
    let action = fixture.asks[0].action_id;
    let decide = Command::Decide { action, approved: true, note: Some("go".to_owned()) };
    assert_eq!(fixture.engine.command(now, by(), decide.clone()), Ok(Outcome::Decided));
    assert_eq!(fixture.engine.command(now, by(), decide), Err(Refusal::UnknownAction(action)));
    assert_eq!(
        fixture.engine.command(now, by(), Command::Cancel { run: trace(1) }),
        Ok(Outcome::Cancelled { nodes: 2 })
    );
    fixture.drain();
    assert_eq!(fixture.snapshot.run(trace(1)).unwrap().state, RunState::Cancelled);
    assert_eq!(
        fixture.engine.command(now, by(), Command::Cancel { run: trace(1) }),
        Err(Refusal::UnknownRun(trace(1)))
    );
}

#[test]
fn a_decision_that_is_not_understood_is_told_by_the_run_that_asks_and_decides_nothing() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    fixture.submit(2, opening(vec![Node { asks: true, ..node("a") }], &[]));
    fixture.pass(50);
    let decision = Decision { action_id: fixture.asks[0].action_id, approved: true, note: None }.encode();
    let mut without_approved = rmpv::decode::read_value(&mut &decision[..]).unwrap();
    let payload = without_approved
        .as_map()
        .unwrap()
        .iter()
        .position(|(key, _)| key.as_str() == Some("payload"))
        .unwrap();
    let rmpv::Value::Map(fields) = &mut without_approved else { unreachable!() };
    let rmpv::Value::Map(fields) = &mut fields[payload].1 else { unreachable!() };
    fields.retain(|(key, _)| key.as_str() != Some("approved"));
    let mut named = Vec::new();
    rmpv::encode::write_value(&mut named, &without_approved).unwrap();
    let told = |fixture: &mut TestEngine, body: Vec<u8>| {
        let before = fixture.events.len();
        fixture.handle(Input::Decided { by: by(), trace: trace(9), body: body.into() });
        fixture.pass(50);
        let told = fixture.events[before..]
            .iter()
            .filter(|(.., event)| event.message.contains("ignored an invalid decision"));
        told.map(|(_, run, event)| (*run, event.message.clone())).collect::<Vec<_>>()
    };
    let of_named = told(&mut fixture, named);
    assert_eq!(of_named.iter().map(|(run, _)| *run).collect::<Vec<_>>(), [trace(1)]);
    assert!(of_named[0].1.contains("approved"), "{of_named:?}");
    assert_eq!(told(&mut fixture, b"no map".to_vec()).len(), 2, "it names none, and both ask");
    assert!(fixture.states().iter().all(|state| *state == NodeState::Asking));
}
