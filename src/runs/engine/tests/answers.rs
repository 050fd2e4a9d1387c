//! What agents answer: ports that are missing, other things on reply topics, tokens.

use super::test_engine::{TestEngine, fails, gives, node, opening, trace};
use crate::{
    ids::TopicName,
    limits,
    runs::{
        EventKind, NodeState,
        engine::{Input, Settings},
        openings::{Check, CheckKind, Node, Opening, PortRef, Retry, Success, Use},
        payload::AgentAnswer,
    },
};

fn saving(node: usize, port: &str) -> Vec<PortRef> {
    vec![PortRef { node, port: port.into() }]
}

fn logs(fixture: &TestEngine) -> Vec<String> {
    fixture
        .events
        .iter()
        .filter(|(_, _, event)| event.kind == EventKind::Log)
        .map(|(_, _, event)| event.message.clone())
        .collect()
}

/// A body of this type with nothing in it.
fn body(kind: &str, payload: rmpv::Value, meta: Option<rmpv::Value>) -> bytes::Bytes {
    let mut pairs = vec![("type".into(), kind.into()), ("payload".into(), payload)];
    pairs.extend(meta.map(|meta| ("meta".into(), meta)));
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &rmpv::Value::Map(pairs)).unwrap();
    bytes.into()
}

#[test]
fn a_node_whose_input_was_not_given_fails_where_no_predicate_lets_it() {
    let mut fixture = TestEngine::new();
    let nodes = ["a", "b", "c", "d", "e"].map(node).to_vec();
    fixture.submit(
        1,
        opening(
            nodes,
            &["a.out -> b.in", "b.out -> c.in", "a.ok==true -> d.in", "a.out -> e.in", "a.note -> e.in"],
        ),
    );
    fixture.does("a", &gives(&[("note", 1.into())]));
    assert_eq!(fixture.status("b"), (NodeState::Failed, "a has no value on port `out`".to_owned()));
    assert_eq!(fixture.status("c"), (NodeState::Blocked, "upstream b failed".to_owned()));
    assert_eq!(fixture.status("d").0, NodeState::Skipped, "a predicate that does not hold is a choice");
    fixture.does("e", &gives(&[]));
    assert_eq!(fixture.end(1), Some(("failed", "node b failed: a has no value on port `out`".to_owned())));
}

#[test]
fn what_is_to_be_saved_and_was_not_given_is_a_warning_of_a_run_whose_nodes_all_succeeded() {
    let says = "artifacts.save: a has no value on port `out`";
    let mut fixture = TestEngine::new();
    let it = Opening { save: saving(0, "out"), ..opening(vec![node("a")], &[]) };
    fixture.submit(1, it.clone());
    fixture.does("a", &gives(&[("other", 1.into())]));
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
    fixture.pass(20);
    let (_, _, warning) = fixture.events.iter().find(|(_, _, event)| event.kind == EventKind::Log).unwrap();
    assert_eq!((warning.message.as_str(), warning.meta.node_id.as_deref()), (says, Some("a")));
    fixture.events.clear();
    let exists = Check { port: PortRef { node: 0, port: "other".into() }, kind: CheckKind::Exists };
    fixture.submit(2, Opening { success: Some(Success::All(vec![exists])), ..it.clone() });
    fixture.does("a", &gives(&[("other", 1.into())]));
    assert_eq!(fixture.end(2).unwrap().0, "succeeded");
    fixture.pass(20);
    assert_eq!(logs(&fixture), [says]);
    let outer = Node { action: Use::Opening { name: "inner".into(), opening: it.into() }, ..node("o") };
    fixture.submit(3, opening(vec![outer, node("p")], &["o.out -> p.in"]));
    fixture.does("a", &gives(&[]));
    assert_eq!(
        fixture.end(3).unwrap().1,
        "node p failed: o has no value on port `out`",
        "what hangs on it misses it"
    );
}

#[test]
fn something_else_on_a_reply_topic_is_ignored_and_told_once() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    let topic = TopicName::new(&fixture.request("a").reply_topic);
    for _ in 0..3 {
        fixture.handle(Input::Answer {
            topic: topic.clone(),
            body: body("intent.generic.v1", rmpv::Value::Nil, None),
        });
        fixture
            .handle(Input::Answer { topic: topic.clone(), body: body("intent.generic.v1", 1.into(), None) });
    }
    assert_eq!(fixture.status("a").0, NodeState::Running);
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
    fixture.pass(20);
    let says = "ignored a message on the reply topic of a: it is intent.generic.v1, not an answer; further \
                ones are only counted";
    assert_eq!(logs(&fixture)[0], says);
}

#[test]
fn progress_that_cannot_be_read_is_told_and_one_without_words_gets_some() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    let topic = TopicName::new(&format!("{}/progress", fixture.request("a").reply_topic));
    let report = |pairs: Vec<(&str, rmpv::Value)>| {
        let payload = rmpv::Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect());
        Input::Progress { topic: topic.clone(), body: body("observation.progress.v1", payload, None) }
    };
    fixture.handle(report(vec![("done", (-1).into())]));
    fixture.handle(report(vec![("done", 3.into()), ("total", 20.into())]));
    fixture.pass(50);
    let said: Vec<_> = fixture
        .events
        .iter()
        .filter(|(_, _, it)| it.kind == EventKind::Progress)
        .map(|(_, _, it)| it.message.clone())
        .collect();
    assert_eq!(said, ["a: 3 of 20"]);
    let says = "ignored progress from a: payload.done is an integer, not a finite non-negative number; \
                further ones are only counted";
    assert_eq!(logs(&fixture), [says]);
}

#[test]
fn tokens_that_are_no_whole_number_are_told() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![Node { budget_tokens: Some(1), ..node("a") }], &[]));
    let topic = TopicName::new(&fixture.request("a").reply_topic);
    let meta = rmpv::Value::Map(vec![("tokens".into(), "150".into())]);
    let completed = rmpv::Value::Map(vec![("Completed".into(), rmpv::Value::Nil)]);
    fixture.handle(Input::Answer {
        topic,
        body: body("toolresult.executor.agent.response.v1", completed, Some(meta)),
    });
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
    fixture.pass(20);
    assert_eq!(
        logs(&fixture),
        ["a: tokens not counted: meta.tokens is a string, not a non-negative integer"]
    );
}

#[test]
fn tokens_of_an_answer_that_cannot_be_read_are_used_all_the_same() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 3, backoff_ms: 0 };
    let mut it = opening(vec![Node { retry, ..node("a") }, node("b")], &[]);
    it.policy.budget_tokens = Some(50);
    let answer = |fixture: &mut TestEngine, tokens: i64| {
        let topic = TopicName::new(&fixture.request("a").reply_topic);
        let meta = rmpv::Value::Map(vec![("tokens".into(), tokens.into())]);
        fixture.handle(Input::Answer {
            topic,
            body: body("toolresult.executor.agent.response.v1", 7.into(), Some(meta)),
        });
    };
    fixture.submit(1, it.clone());
    answer(&mut fixture, 40);
    let why = "invalid answer: payload is an integer, not a map with one variant name".to_owned();
    assert_eq!(
        (fixture.status("a"), fixture.snapshot.runs[0].tokens),
        ((NodeState::Failed, why.clone()), 40),
        "and it is not asked again"
    );
    fixture.does("b", &gives(&[]));
    assert_eq!(fixture.persisted.ended[&trace(1)].tokens, 40);
    fixture.submit(2, it);
    answer(&mut fixture, 51);
    assert_eq!(
        (fixture.status("a").1, fixture.end(2)),
        (why, Some(("failed", "it used 51 tokens, over its budget of 50".to_owned())))
    );
}

#[test]
fn the_node_that_answered_is_completed_and_those_that_a_budget_stops_say_why() {
    let mut fixture = TestEngine::new();
    let mut it = opening(vec![node("a"), node("b")], &[]);
    it.policy.budget_tokens = Some(50);
    fixture.submit(1, it.clone());
    fixture.does("a", &AgentAnswer { tokens: Some(51), ..gives(&[]) });
    assert_eq!(fixture.states(), [NodeState::Completed, NodeState::Cancelled]);
    assert_eq!(fixture.status("b").1, "the run failed: it used 51 tokens, over its budget of 50");
    fixture.submit(2, it);
    fixture.does("a", &AgentAnswer { tokens: Some(51), ..fails(true) });
    assert_eq!(fixture.status("a"), (NodeState::Failed, "no luck".to_owned()));
}

#[test]
fn values_that_take_much_memory_and_few_bytes_are_counted_by_their_memory() {
    let limits = limits::Runs { port_values_bytes_max: 1 << 20, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let retry = Retry { max_attempts: 3, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, ..node("a") }], &[]));
    fixture.does("a", &gives(&[("out", rmpv::Value::Array(vec![rmpv::Value::Nil; 40_000]))]));
    assert!(fixture.status("a").1.contains("limits.runs.port_values_bytes_max"), "{:?}", fixture.status("a"));
    assert_eq!(fixture.persisted.ended[&trace(1)].state.name(), "failed");
}

#[test]
fn what_nested_openings_pass_on_is_counted_again() {
    let limits = limits::Runs { port_values_bytes_max: 65_536, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let inner = Opening { save: saving(0, "out"), ..opening(vec![node("a")], &[]) };
    let outer = Node { action: Use::Opening { name: "inner".into(), opening: inner.into() }, ..node("o") };
    fixture.submit(1, opening(vec![outer], &[]));
    fixture.does("a", &gives(&[("out", "x".repeat(40_000).into())]));
    assert!(fixture.status("o").1.contains("limits.runs.port_values_bytes_max"), "{:?}", fixture.status("o"));
}

#[test]
fn what_nested_openings_pass_on_is_counted_by_its_memory_too() {
    let limits = limits::Runs { port_values_bytes_max: 2 << 20, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let inner = Opening { save: saving(0, "out"), ..opening(vec![node("a")], &[]) };
    let outer = Node { action: Use::Opening { name: "inner".into(), opening: inner.into() }, ..node("o") };
    fixture.submit(1, opening(vec![outer], &[]));
    fixture.does("a", &gives(&[("out", rmpv::Value::Array(vec![rmpv::Value::Nil; 40_000]))]));
    assert!(fixture.status("o").1.contains("limits.runs.port_values_bytes_max"), "{:?}", fixture.status("o"));
}

#[test]
fn who_approved_is_on_record() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    let ask = fixture.asks[0].clone();
    fixture.decide(&ask, true);
    fixture.pass(20);
    assert_eq!(logs(&fixture), ["a: approved by tester"]);
}

#[test]
fn a_decision_behind_the_moment_of_its_expiry_is_too_late() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![Node { asks: true, ..node("a") }], &[]));
    let ask = fixture.asks[0].clone();
    // The timer is late, and the decision comes first.
    fixture.ms = 299_001;
    fixture.decide(&ask, true);
    assert_eq!(fixture.status("a"), (NodeState::Failed, "no decision in time".to_owned()));
}

#[test]
fn all_questions_are_told_the_oldest_first() {
    let limits = limits::Runs { shown_asks_max: 2, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let asks = |id: &str| Node { asks: true, ..node(id) };
    fixture.submit(1, opening(vec![asks("a"), asks("b")], &[]));
    fixture.pass(5);
    fixture.submit(2, opening(vec![asks("c"), asks("d")], &[]));
    let told: Vec<_> = fixture.engine.asks(3).iter().map(|ask| ask.node.id.to_string()).collect();
    assert_eq!(told, ["a", "b", "c"]);
    let shown: Vec<_> = fixture.snapshot.asks.iter().map(|ask| ask.node.id.to_string()).collect();
    assert_eq!((shown, fixture.snapshot.asks_unshown), (vec!["c".to_owned(), "d".to_owned()], 2));
    assert_eq!(fixture.engine.asks(9)[3].summary, fixture.snapshot.asks[1].summary);
    fixture.cancel(50, 1);
    assert_eq!((fixture.snapshot.asks.len(), fixture.snapshot.asks_unshown), (2, 0));
}
