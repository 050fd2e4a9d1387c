//! What a person is told who is asked.

use super::test_engine::{TestEngine, by, gives, node, opening};
use crate::{
    limits,
    runs::{
        engine::{Input, Settings},
        openings::Node,
    },
};

fn asking(with: &serde_json::Value) -> Node {
    Node { asks: true, with: with.as_object().unwrap().clone(), ..node("send") }
}

fn taken(fixture: &TestEngine) -> serde_json::Value {
    serde_json::from_str(&fixture.snapshot.asks[0].takes).unwrap()
}

#[test]
fn a_question_shows_what_the_node_would_be_given() {
    let mut fixture = TestEngine::new();
    let with = serde_json::json!({"require_human_confirm": true, "to": "mail to ann"});
    fixture.submit(
        1,
        opening(vec![node("write"), asking(&with)], &["write.out -> send.text", "write.out -> send.copy"]),
    );
    assert!(fixture.snapshot.asks.is_empty());
    let text = rmpv::Value::Map(vec![("n".into(), 7.into()), (2.into(), rmpv::Value::Binary(vec![1, 2]))]);
    fixture.does("write", &gives(&[("out", text)]));
    assert_eq!(&*fixture.snapshot.asks[0].summary, "test: run agent echo for node send?");
    let fed = serde_json::json!([{"n": 7, "2": "2 bytes"}]);
    assert_eq!(taken(&fixture), serde_json::json!({"with": with, "inputs": {"copy": fed, "text": fed}}));
}

#[test]
fn a_decision_that_cannot_be_read_is_told_in_its_run_and_the_question_stays() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![asking(&serde_json::json!({}))], &[]));
    fixture.pass(20);
    let ask = fixture.asks[0].clone();
    let mut payload =
        vec![("action_id", rmpv::Value::from(ask.action_id.to_string())), ("approved", "yes".into())];
    let body = |payload: &[(&str, rmpv::Value)]| {
        let map = |pairs: Vec<(&str, rmpv::Value)>| {
            rmpv::Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
        };
        let mut bytes = Vec::new();
        let body =
            map(vec![("type", "toolresult.action.decision.v1".into()), ("payload", map(payload.to_vec()))]);
        rmpv::encode::write_value(&mut bytes, &body).unwrap();
        bytes::Bytes::from(bytes)
    };
    fixture.handle(Input::Decided { by: by(), trace: ask.trace_id, body: body(&payload) });
    let says = "ignored an invalid decision from tester: payload.approved is a string, not true or false";
    let (_, of, event) = fixture.events.last().unwrap();
    assert_eq!(
        (*of, event.message.as_str(), event.meta.node_id.as_deref()),
        (ask.trace_id, says, Some("send"))
    );
    assert_eq!((fixture.snapshot.asks.len(), fixture.snapshot.totals.rejected), (1, 1));
    // The text form of its id is taken, and a second decision changes nothing.
    payload[1].1 = true.into();
    fixture.handle(Input::Decided { by: by(), trace: ask.trace_id, body: body(&payload) });
    fixture.does("send", &gives(&[]));
    fixture.decide(&ask, false);
    assert_eq!((fixture.end(1).unwrap().0, fixture.snapshot.totals.rejected), ("succeeded", 2));
    let (_, _, says) = fixture.tapped.last().unwrap();
    assert!(
        says.starts_with(&format!("ignored a decision: {} is not awaiting approval", ask.action_id)),
        "{says}"
    );
}

#[test]
fn what_is_long_is_cut_until_it_fits() {
    let limits = limits::Runs { shown_ask_bytes_max: 256, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let with = serde_json::json!({"body": "ä".repeat(5_000), "all": (0..500).collect::<Vec<_>>(), "deep": {"er": [[["x"]]]}});
    fixture.submit(1, opening(vec![asking(&with)], &[]));
    let taken = taken(&fixture);
    assert_eq!(taken["with"]["body"], format!("{}…", "ä".repeat(80)));
    assert_eq!(taken["with"]["all"], serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7, "…"]));
    assert_eq!(taken["with"]["deep"], with["deep"]);
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let many: serde_json::Map<_, _> = (0..9).map(|n| (format!("{n}{}", "k".repeat(90)), n.into())).collect();
    fixture.submit(1, opening(vec![asking(&many.into())], &[]));
    assert_eq!(&*fixture.snapshot.asks[0].takes, "{}", "what cannot be cut is left out");
}
