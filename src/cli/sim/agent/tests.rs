//! What a simulated agent does with what it is sent, in virtual time.

use bytes::Bytes;
use rmpv::Value;
use serde_json::json;

use super::{Agent, Event, Output, Script, script::ScriptFault};
use crate::{
    ids::TraceId,
    rmp::{Body, Header, Registry, SchemaId, client::Delivery, encode, json},
    time::Now,
};

fn trace() -> TraceId {
    TraceId(uuid::Uuid::from_u128(0xaa))
}

fn delivery(schema_id: SchemaId, of_type: &str, payload: &serde_json::Value) -> Delivery {
    let payload: Value = json::parse(&payload.to_string()).unwrap();
    let body = encode::body(of_type, &payload, Some(&Value::Nil)).unwrap();
    let header = Header { schema_id, created_at_ms: 1, ttl_ms: 30_000, trace_id: trace(), msg_id: 1 };
    Delivery {
        sub: 1,
        topic: "agent/writer".into(),
        wire: Bytes::from(encode::frame(&header, &body).unwrap()),
    }
}

fn request(node: &str, attempt: u64) -> Delivery {
    let payload = json!({
        "node": {"id": node, "use": "agent:writer", "with": {"tone": "kind"}, "tags": []},
        "inputs": {"in": [{"schema_id": 5, "type": "artifact.draft.email.v1", "value": {"n": 7}}]},
        "trace_id": {"$hex": "000000000000000000000000000000aa"},
        "opening_id": {"$hex": "000000000000000000000000000000bb"},
        "attempt": attempt,
        "reply_topic": format!("rlp/runs/trace:1/agents/writer/{node}-{attempt}"),
    });
    delivery(SchemaId::EXECUTOR_AGENT_REQUEST, "intent.executor.agent.request.v1", &payload)
}

fn agent(script: &str, seed: u64) -> Agent {
    Agent::new(Script::parse(script).unwrap(), Registry::default(), seed)
}

/// What was published: topic, schema and body as JSON.
fn published(agent: &mut Agent) -> Vec<(String, u16, serde_json::Value)> {
    let mut all = Vec::new();
    while let Some(output) = agent.poll_output() {
        let Output::Publish { topic, message } = output else { continue };
        assert_eq!((message.trace_id, message.ttl_ms), (trace(), 30_000));
        let body = Body::decode(&message.body, 64).unwrap().value(1_000).unwrap();
        all.push((topic, message.schema_id.0, serde_json::to_value(json::JsonView(&body)).unwrap()));
    }
    all
}

#[test]
fn without_a_script_everything_comes_back() {
    let mut agent = agent("", 0);
    agent.on_delivery(Now::at_ms(0), &request("write", 1));
    let out = json!([{"schema_id": 221, "type": "artifact.draft.email.v1", "value": {"n": 7}}]);
    let body = json!({"type": "toolresult.executor.agent.response.v1", "payload": {"Completed": {"ports": {"out": out}}}});
    assert_eq!(published(&mut agent), [("rlp/runs/trace:1/agents/writer/write-1".to_owned(), 4_001, body)]);
    assert_eq!(agent.ended(), Event::Ended { completed: 1, failed: 0, silent: 0, cancelled: 0 });
}

#[test]
fn a_node_without_inputs_gets_its_parameters_back() {
    let mut agent = agent("", 0);
    let payload = json!({"node": {"id": "a", "with": {"tone": "kind"}}, "reply_topic": "r"});
    agent.on_delivery(
        Now::at_ms(0),
        &delivery(SchemaId::EXECUTOR_AGENT_REQUEST, "intent.executor.agent.request.v1", &payload),
    );
    let out = &published(&mut agent)[0].2["payload"]["Completed"]["ports"]["out"];
    assert_eq!(*out, json!([{"schema_id": 5, "type": "artifact.generic.v1", "value": {"tone": "kind"}}]));
}

#[test]
fn the_first_rule_that_fits_decides() {
    let script = r#"
        [[rule]]
        node = "write"
        attempt = 1
        answer = "fail"
        retryable = true
        reason = "no quota"

        [[rule]]
        node = "write"
        tokens = 120
        [[rule.ports.mail]]
        type = "artifact.draft.email.v1"
        value = { subject = "hello", bytes = { "$hex" = "00ff" } }

        [[rule]]
        node = "quiet"
        answer = "none"
    "#;
    let mut agent = agent(script, 0);
    for (node, attempt) in [("write", 1), ("write", 2), ("quiet", 1), ("other", 1)] {
        agent.on_delivery(Now::at_ms(0), &request(node, attempt));
    }
    let published = published(&mut agent);
    assert_eq!(published[0].2["payload"], json!({"Failed": {"retryable": true, "reason": "no quota"}}));
    let mail = json!({"schema_id": 221, "type": "artifact.draft.email.v1", "value": {"subject": "hello", "bytes": {"$bin": "AP8="}}});
    assert_eq!(published[1].2["payload"], json!({"Completed": {"ports": {"mail": [mail]}}}));
    assert_eq!((&published[1].2["meta"], published[0].2.get("meta")), (&json!({"tokens": 120}), None));
    assert_eq!((published.len(), published[2].0.as_str()), (3, "rlp/runs/trace:1/agents/writer/other-1"));
    assert_eq!(agent.ended(), Event::Ended { completed: 2, failed: 1, silent: 1, cancelled: 0 });
}

#[test]
fn progress_is_said_in_equal_steps_before_the_answer() {
    let mut agent = agent("[[rule]]\ndelay_ms = 300\nprogress = [\"reading\", \"writing\"]\n", 0);
    agent.on_delivery(Now::at_ms(0), &request("write", 1));
    assert!(published(&mut agent).is_empty());
    let topic = "rlp/runs/trace:1/agents/writer/write-1";
    for (ms, word, done) in [(100, "reading", 1), (200, "writing", 2)] {
        agent.on_timeout(Now::at_ms(ms - 1));
        assert!(published(&mut agent).is_empty());
        assert_eq!(agent.next_due(), Some(Now::at_ms(ms).mono));
        agent.on_timeout(Now::at_ms(ms));
        let payload = json!({"message": word, "done": done, "total": 2});
        let body = json!({"type": "observation.progress.v1", "payload": payload});
        assert_eq!(published(&mut agent), [(format!("{topic}/progress"), 1, body)]);
    }
    agent.on_timeout(Now::at_ms(300));
    assert_eq!(published(&mut agent)[0].0, topic);
    assert_eq!(agent.next_due(), None);
}

#[test]
fn a_cancel_ends_what_it_names_and_nothing_else() {
    let mut agent = agent("[[rule]]\ndelay_ms = 300\n", 0);
    agent.on_delivery(Now::at_ms(0), &request("write", 1));
    agent.on_delivery(Now::at_ms(0), &request("read", 1));
    let cancel = |attempt: u64| {
        let reply_topic = "rlp/runs/trace:1/agents/writer/write-1";
        let payload = json!({"trace_id": {"$hex": "aa"}, "node_id": "write", "attempt": attempt, "reply_topic": reply_topic});
        delivery(SchemaId::INTENT, "intent.run.cancel.v1", &payload)
    };
    agent.on_delivery(Now::at_ms(10), &cancel(2));
    assert!(published(&mut agent).is_empty());
    agent.on_delivery(Now::at_ms(10), &cancel(1));
    let published_now = published(&mut agent);
    assert_eq!(published_now[0].2["payload"], json!({"Failed": {"retryable": false, "reason": "cancelled"}}));
    agent.on_timeout(Now::at_ms(300));
    assert_eq!(published(&mut agent)[0].0, "rlp/runs/trace:1/agents/writer/read-1");
    assert_eq!(agent.ended(), Event::Ended { completed: 1, failed: 0, silent: 0, cancelled: 1 });
}

#[test]
fn a_seed_repeats_itself_and_shares_are_kept() {
    let script = r#"
        [[rule]]
        chance = 0.25
        answer = "fail"

        [[rule]]
        delay_ms = [0, 1000]
        [[rule.ports.out]]
        type = "artifact.note.v1"
        schema = { type = "object", required = ["n"], properties = { n = { type = "integer", minimum = 0, maximum = 9 } } }
    "#;
    let outcome = |seed| {
        let mut agent = agent(script, seed);
        for _ in 0..400 {
            agent.on_delivery(Now::at_ms(0), &request("write", 1));
        }
        agent.on_timeout(Now::at_ms(1_000));
        let bodies: Vec<_> =
            published(&mut agent).into_iter().map(|(_, _, body)| body["payload"].clone()).collect();
        (bodies, agent.ended())
    };
    assert_eq!(outcome(7), outcome(7));
    assert_ne!(outcome(7), outcome(8));
    let (bodies, Event::Ended { completed, failed, .. }) = outcome(7) else { unreachable!() };
    assert_eq!(completed + failed, 400);
    assert!((60..140).contains(&failed), "{failed}");
    let drawn = bodies.iter().filter_map(|body| body["Completed"]["ports"]["out"][0]["value"]["n"].as_u64());
    assert!(drawn.clone().all(|n| n < 10) && drawn.collect::<std::collections::BTreeSet<_>>().len() > 5);
}

#[test]
fn what_it_cannot_serve_is_told() {
    let mut agent = agent("", 0);
    agent.on_delivery(Now::at_ms(0), &delivery(SchemaId::INTENT, "intent.other.v1", &json!({})));
    let no_topic = json!({"node": {"id": "a"}});
    agent.on_delivery(
        Now::at_ms(0),
        &delivery(SchemaId::EXECUTOR_AGENT_REQUEST, "intent.executor.agent.request.v1", &no_topic),
    );
    let told = |agent: &mut Agent| match agent.poll_output() {
        Some(Output::Tell(Event::Ignored { why, .. })) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(told(&mut agent), "neither a request nor a cancel");
    assert_eq!(told(&mut agent), "`reply_topic` is missing");
}

#[test]
fn a_fault_of_a_script_has_its_line() {
    let fault = |text: &str| {
        let ScriptFault { line, what } = Script::parse(text).unwrap_err();
        (line, what)
    };
    let says = |text: &str, line: usize, part: &str| {
        let (at, what) = fault(text);
        assert!(at == line && what.contains(part), "{text:?}: {at}: {what}");
    };
    says("[[rule]]\nnode = \n", 2, "");
    says("[[rule]]\n\nnodes = \"a\"\n", 3, "unknown field `nodes`");
    says("[[rule]]\nchance = 1.5\n", 2, "`chance` takes 0 to 1");
    says("[[rule]]\nattempt = 0\n", 2, "starts at 1");
    says("[[rule]]\ndelay_ms = [3, 2]\n", 2, "`delay_ms` takes");
    says("[[rule]]\ndelay_ms = \"x\"\n", 2, "takes milliseconds");
    says("[[rule]]\nanswer = \"maybe\"\n", 2, "maybe");
    says("[[rule]]\nreason = \"x\"\n", 2, "requires answer = \"fail\"");
    says("[[rule]]\n[[rule]]\nanswer = \"ports\"\n", 2, "needs [[rule.ports.NAME]]");
    says("[[rule]]\n[[rule.ports.out]]\ntype = \"artifact\"\nvalue = 1\n", 3, "is not a type");
    says("[[rule]]\n[[rule.ports.out]]\ntype = \"artifact.a.v1\"\n", 2, "needs a `value` or a `schema`");
    says(
        "[[rule]]\n[[rule.ports.out]]\ntype = \"artifact.a.v1\"\nvalue = 1\nschema = { type = \"string\" }\n",
        5,
        "does not match",
    );
    says("[[rule]]\n[[rule.ports.out]]\ntype = \"artifact.a.v1\"\nschema = { type = 7 }\n", 4, "");
    says(
        "[[rule]]\n[[rule.ports.out]]\ntype = \"artifact.a.v1\"\nschema = { type = \"string\", pattern = \"^[0-9]$\" }\n",
        4,
        "cannot generate",
    );
}
