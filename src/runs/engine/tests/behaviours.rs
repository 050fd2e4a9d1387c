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
    let mut house = TestEngine::new();
    house.submit(
        1,
        opening(
            vec![node("a"), node("b"), node("c")],
            &["a.out -> c.in", "b.out -> c.in", "a.note -> c.note"],
        ),
    );
    assert_eq!(house.requests.len(), 2);
    house.does("b", &gives(&[("out", 2.into())]));
    assert_eq!(house.requests.len(), 2, "one input is missing");
    house.does("a", &gives(&[("out", 1.into()), ("note", "hi".into())]));
    let request = house.request("c");
    assert_eq!(request.inputs["in"], [value(1), value(2)], "in the edges' order");
    assert_eq!(request.inputs["note"], [value("hi")]);
    assert_eq!((request.trace_id, request.attempt, request.node.uses.as_str()), (trace(1), 1, "agent:echo"));
    house.does("c", &gives(&[]));
    assert_eq!(house.end(1), Some(("succeeded", String::new())));
    assert_eq!(
        (house.engine.open(), house.engine.timeout().is_some(), house.listens.len()),
        (0, true, 0),
        "its events wait"
    );
    house.pass(20);
    assert_eq!(house.engine.timeout(), None);
}

#[test]
fn predicates_choose_and_what_is_not_chosen_is_skipped() {
    let mut house = TestEngine::new();
    let nodes = ["vote", "yes", "no", "after_no", "both"].map(node).to_vec();
    let edges = [
        "vote.ok==true -> yes.in",
        "vote.ok==false -> no.in",
        "no.out -> after_no.in",
        "yes.out -> both.in",
        "no.out -> both.in",
    ];
    house.submit(1, opening(nodes, &edges));
    house.does("vote", &gives(&[("ok", true.into())]));
    assert_eq!((house.status("no").0, house.status("after_no").0), (NodeState::Skipped, NodeState::Skipped));
    house.does("yes", &gives(&[("out", 7.into())]));
    assert_eq!(house.request("both").inputs["in"], [value(7)], "one delivered edge is enough for a port");
    house.does("both", &gives(&[]));
    assert_eq!(house.end(1), Some(("succeeded", String::new())), "skipped is neither success nor failure");
}

#[test]
fn what_hangs_on_a_failed_node_is_blocked_and_the_rest_goes_on() {
    let mut house = TestEngine::new();
    let nodes = ["a", "b", "c", "d"].map(node).to_vec();
    house.submit(1, opening(nodes, &["a.out -> b.in", "b.out -> c.in"]));
    house.does("a", &fails(false));
    assert_eq!(house.status("a"), (NodeState::Failed, "no luck".to_owned()));
    assert_eq!(house.status("b"), (NodeState::Blocked, "upstream a failed".to_owned()));
    assert_eq!(house.status("c"), (NodeState::Blocked, "upstream b failed".to_owned()));
    assert_eq!(house.end(1), None, "d is still worked on");
    house.does("d", &gives(&[]));
    assert_eq!(house.end(1), Some(("failed", "node a failed: no luck".to_owned())));
}

#[test]
fn a_retryable_failure_is_tried_again_after_the_backoff() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 3, backoff_ms: 100 };
    house.submit(1, opening(vec![Node { retry, ..node("a") }], &[]));
    house.does("a", &fails(true));
    assert_eq!(house.status("a").0, NodeState::Retrying);
    house.pass(99);
    assert_eq!(house.requests.len(), 1);
    house.pass(1);
    assert_eq!((house.requests.len(), house.request("a").attempt), (2, 2));
    assert_ne!(house.requests[0].reply_topic, house.requests[1].reply_topic);
    house.does("a", &fails(true));
    house.pass(100);
    house.does("a", &fails(true));
    assert_eq!(
        (house.requests.len(), house.status("a").0),
        (3, NodeState::Failed),
        "the first attempt counts"
    );
}

#[test]
fn a_timeout_counts_per_attempt_and_tells_the_agent() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    house.submit(1, opening(vec![Node { retry, timeout_ms: Some(50), ..node("a") }], &[]));
    house.pass(49);
    assert_eq!(house.requests.len(), 1);
    house.pass(1);
    assert_eq!((house.requests.len(), house.cancels.len()), (2, 1));
    assert_eq!(house.cancels[0].reply_topic, house.requests[0].reply_topic);
    let first = house.requests[0].clone();
    house.answer(&first, &gives(&[]));
    assert_eq!(house.status("a").0, NodeState::Running, "a late answer is not the second attempt's");
    house.pass(50);
    assert_eq!(house.end(1), Some(("failed", "node a failed: timed out after 50 ms".to_owned())));
    assert_eq!(house.status("a").1, "timed out after 50 ms");
    house.pass(20);
    assert!(
        house
            .events
            .iter()
            .any(|(_, _, event)| event.kind == EventKind::Log && event.message.contains("late or twice"))
    );
}

#[test]
fn an_opening_out_of_time_fails_and_cancels_what_remains() {
    let mut house = TestEngine::new();
    let mut it = opening(vec![node("a"), node("b")], &["a.out -> b.in"]);
    it.policy = Policy { timeout_ms: Some(1_000), ..Policy::default() };
    house.submit(1, it);
    house.pass(1_000);
    assert_eq!(house.end(1), Some(("failed", "timed out after 1000 ms".to_owned())));
    assert_eq!((house.states(), house.cancels.len()), (vec![NodeState::Cancelled; 2], 1));
    house.submit(2, opening(vec![node("a")], &[]));
    house.pass(300_000);
    assert_eq!(house.end(2), Some(("failed", "timed out after 300000 ms".to_owned())), "the default");
}

#[test]
fn nobody_subscribed_is_a_clear_failure() {
    let mut house = TestEngine::new();
    house.reaches.insert("agent/echo".to_owned(), Reach::Nobody { agents: Vec::new(), more: 0 });
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        house.status("a").1,
        "nobody answers on agent/echo: start the agent, or correct the node's `use`"
    );
    assert_eq!(house.end(1).unwrap().0, "failed");
}

#[test]
fn second_answers_and_unreadable_ones_do_no_harm() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a"), node("b")], &[]));
    let request = house.request("a");
    house.answer(&request, &gives(&[]));
    house.answer(&request, &fails(false));
    assert_eq!(house.status("a").0, NodeState::Completed);
    let topic = TopicName::new(&house.request("b").reply_topic);
    house.handle(Input::Answer { topic, body: bytes::Bytes::from_static(b"\xc1") });
    assert!(house.status("b").1.starts_with("its answer cannot be read: "), "{:?}", house.status("b"));
}

#[test]
fn a_node_that_asks_waits_for_a_person_once() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    let asks = |id| Node { asks: true, retry, ..node(id) };
    house.submit(1, opening(vec![asks("a"), asks("b"), asks("c")], &[]));
    assert_eq!((house.requests.len(), house.asks.len(), house.snapshot.asks.len()), (0, 3, 3));
    let asks = house.asks.clone();
    house.decide(&asks[0], true);
    house.decide(&asks[0], false);
    house.does("a", &fails(true));
    house.pass(0);
    assert_eq!((house.requests.len(), house.asks.len()), (2, 3), "not asked again for the second attempt");
    house.decide(&asks[1], false);
    assert_eq!(house.status("b"), (NodeState::Failed, "rejected by tester".to_owned()));
    house.pass(300_000);
    assert_eq!(house.snapshot.asks.len(), 0);
    assert_eq!(house.end(1).unwrap().0, "failed");
}

#[test]
fn silence_is_a_no() {
    let mut house = TestEngine::with(Settings { timeout_ms: 1_000_000, ..Settings::default() });
    house.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    assert_eq!(house.asks[0].expires_at.0, crate::time::Now::at_ms(300_000).wall.0);
    house.pass(300_000);
    assert_eq!(house.status("a"), (NodeState::Failed, "nobody decided in time".to_owned()));
}

#[test]
fn silence_is_a_no_before_the_time_of_the_run_is_over() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    assert_eq!(house.asks[0].expires_at.0, crate::time::Now::at_ms(299_000).wall.0);
    house.pass(299_000);
    assert_eq!(house.status("a"), (NodeState::Failed, "nobody decided in time".to_owned()));
    assert_eq!(house.end(1).unwrap().0, "failed");
}

#[test]
fn budgets_are_of_all_attempts_together() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 9, backoff_ms: 0 };
    house.submit(1, opening(vec![Node { retry, budget_tokens: Some(100), ..node("a") }, node("b")], &[]));
    let mut used = fails(true);
    used.tokens = Some(60);
    house.does("a", &used);
    house.pass(0);
    house.does("a", &used);
    assert_eq!(
        house.status("a"),
        (NodeState::Failed, "it used 120 tokens, and its budget is 100".to_owned())
    );
    house.does("b", &gives(&[]));
    assert_eq!(house.persisted.ended[&trace(1)].tokens, 120);
    let mut it = opening(vec![node("a"), node("b")], &[]);
    it.policy.budget_tokens = Some(50);
    house.submit(2, it);
    let mut used = gives(&[]);
    used.tokens = Some(51);
    house.does("a", &used);
    assert_eq!(house.end(2), Some(("failed", "it used 51 tokens, and its budget is 50".to_owned())));
    assert_eq!(house.cancels.len(), 1, "b was told");
}

#[test]
fn success_is_judged_as_it_is_written() {
    for (value, kind, expected) in [
        (true, CheckKind::Equals(Literal::Bool(true)), "succeeded"),
        (false, CheckKind::Equals(Literal::Bool(true)), "failed"),
        (false, CheckKind::Exists, "succeeded"),
    ] {
        let mut house = TestEngine::new();
        let mut it = opening(vec![node("a"), node("b")], &[]);
        it.success = Some(Success::All(vec![Check { port: PortRef { node: 0, port: "ok".into() }, kind }]));
        house.submit(1, it);
        house.does("b", &fails(false));
        house.does("a", &gives(&[("ok", value.into())]));
        let (state, why) = house.end(1).unwrap();
        assert_eq!(state, expected, "a failed node does not matter where success is written");
        let told = "success.all_of does not hold: a.ok is not true; node b failed: no luck";
        assert_eq!(why, if expected == "failed" { told } else { "" });
    }
}

#[test]
fn only_so_many_attempts_fly_and_others_wait_in_order() {
    let limits = limits::Runs { in_flight_run_max: 2, in_flight_max: 3, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    let ids = ["a", "b", "c", "d"];
    house.submit(1, opening(ids.map(node).to_vec(), &[]));
    house.submit(2, opening(ids.map(node).to_vec(), &[]));
    assert_eq!(house.requests.len(), 3, "two of the first run and one of the second");
    let first = house.requests[0].clone();
    house.answer(&first, &gives(&[]));
    assert_eq!(house.requests.len(), 4);
    while house.engine.open() > 0 {
        let flying: Vec<_> =
            house.requests.iter().filter(|it| house.listens.contains(&*it.reply_topic)).cloned().collect();
        assert!(!flying.is_empty() && flying.len() <= 3);
        for run in [1, 2] {
            let of_run: Vec<_> = house
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
        house.answer(&flying[0], &gives(&[]));
    }
    assert_eq!(house.requests.len(), 8);
}

#[test]
fn what_happens_is_counted() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    house.submit(
        1,
        opening(
            vec![Node { retry, timeout_ms: Some(50), ..node("a") }, Node { asks: true, ..node("b") }],
            &[],
        ),
    );
    house.pass(50);
    house.answer(&house.requests[0].clone(), &gives(&[]));
    let figures = house.engine.metrics();
    assert_eq!(
        (figures.submitted, figures.attempts, figures.retries, figures.timeouts, figures.late_answers),
        (1, 2, 1, 1, 1)
    );
    assert_eq!((figures.running, figures.in_flight, figures.asking), (1, 1, 1));
    house.does("a", &AgentAnswer { tokens: Some(7), ..gives(&[]) });
    house.decide(&house.asks[0].clone(), false);
    house.cancel(9, 5);
    let figures = house.engine.metrics();
    assert_eq!((figures.running, figures.in_flight, figures.asking, figures.tokens), (0, 0, 0, 7));
    assert_eq!((figures.ended, figures.nodes_ended), ([0, 1, 0], [1, 1, 0, 0, 0]));
    let rejected: Vec<_> =
        RejectedFor::ALL.iter().zip(figures.rejected).filter(|(_, count)| *count > 0).collect();
    assert_eq!(rejected, [(&RejectedFor::UnknownRun, 1)]);
}

#[test]
fn progress_is_told_and_bounded() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    let topic = TopicName::new(&format!("{}/progress", house.request("a").reply_topic));
    for n in 0..100_u64 {
        let report = ProgressReport {
            message: "at it".to_owned(),
            done: Some(Amount::Whole(n)),
            total: Some(Amount::Whole(100)),
        };
        house.handle(Input::Progress { topic: topic.clone(), body: report.encode().into() });
        house.pass(1);
    }
    let report = ProgressReport {
        message: "at it".to_owned(),
        done: Some(Amount::Whole(100)),
        total: Some(Amount::Whole(100)),
    };
    house.handle(Input::Progress { topic, body: report.encode().into() });
    house.does("a", &gives(&[]));
    house.pass(20);
    let told: Vec<_> = house
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
    let kinds: Vec<_> = house.events.iter().map(|(_, _, event)| event.kind).collect();
    let (last, end) = (
        kinds.iter().rposition(|kind| *kind == EventKind::Progress),
        kinds.iter().rposition(|kind| *kind == EventKind::Trace),
    );
    assert!(last < end, "before the end of its node");
    let event = house.events.iter().find(|(_, _, event)| event.kind == EventKind::Progress).unwrap();
    assert_eq!((event.2.meta.span_id.as_deref(), event.2.meta.total), (Some("a#1"), whole(100)));
}

#[test]
fn artifacts_are_kept_and_told() {
    let mut house = TestEngine::new();
    let mut it = opening(vec![node("a")], &[]);
    it.save = vec![PortRef { node: 0, port: "out".into() }];
    house.submit(1, it);
    house.does("a", &gives(&[("out", "hello".into()), ("other", 1.into())]));
    let [kept] = &house.persisted.artifacts[..] else { panic!("one") };
    assert_eq!((&*kept.node, &*kept.port, &kept.value[..], kept.number), ("a", "out", &b"\xa5hello"[..], 1));
    house.pass(20);
    let told = house.events.iter().find_map(|(_, _, event)| event.meta.artifact.clone()).unwrap();
    assert_eq!((told.port.as_str(), told.bytes, told.schema_id), ("out", 6, 4));
}

#[test]
fn values_beyond_the_bound_fail_the_node_that_gives_them() {
    let limits = limits::Runs { port_values_bytes_max: 65_536, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    house.does("a", &gives(&[("out", "x".repeat(70_000).into())]));
    assert!(house.status("a").1.contains("limits.runs.port_values_bytes_max"));
}

#[test]
fn commands_of_an_operator_do_what_requests_do() {
    let mut house = TestEngine::new();
    let now = crate::time::Now::at_ms(0);
    house.submit(1, opening(vec![Node { asks: true, ..node("a") }, node("b")], &[]));
    let action = house.asks[0].action_id;
    let decide = Command::Decide { action, approved: true, note: Some("go".to_owned()) };
    assert_eq!(house.engine.command(now, by(), decide.clone()), Ok(Outcome::Decided));
    assert_eq!(house.engine.command(now, by(), decide), Err(Refusal::UnknownAction(action)));
    assert_eq!(
        house.engine.command(now, by(), Command::Cancel { run: trace(1) }),
        Ok(Outcome::Cancelled { nodes: 2 })
    );
    house.drain();
    assert_eq!(house.snapshot.run(trace(1)).unwrap().state, RunState::Cancelled);
    assert_eq!(
        house.engine.command(now, by(), Command::Cancel { run: trace(1) }),
        Err(Refusal::UnknownRun(trace(1)))
    );
}

#[test]
fn a_decision_that_is_not_understood_is_told_by_the_run_that_asks_and_decides_nothing() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    house.submit(2, opening(vec![Node { asks: true, ..node("a") }], &[]));
    house.pass(50);
    let decision = Decision { action_id: house.asks[0].action_id, approved: true, note: None }.encode();
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
    let told = |house: &mut TestEngine, body: Vec<u8>| {
        let before = house.events.len();
        house.handle(Input::Decided { by: by(), trace: trace(9), body: body.into() });
        house.pass(50);
        let told =
            house.events[before..].iter().filter(|(.., event)| event.message.contains("is not understood"));
        told.map(|(_, run, event)| (*run, event.message.clone())).collect::<Vec<_>>()
    };
    let of_named = told(&mut house, named);
    assert_eq!(of_named.iter().map(|(run, _)| *run).collect::<Vec<_>>(), [trace(1)]);
    assert!(of_named[0].1.contains("approved"), "{of_named:?}");
    assert_eq!(told(&mut house, b"no map".to_vec()).len(), 2, "it names none, and both ask");
    assert!(house.states().iter().all(|state| *state == NodeState::Asking));
}
