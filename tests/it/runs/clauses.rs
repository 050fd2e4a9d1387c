//! What the clauses and rulings ask of the control plane and of runs.

use std::time::Duration;

use rl_console::{
    port::{Command, Outcome, Page, Query},
    runs::{self, RunState},
    station::bus::TokenKind,
};
use rmpv::Value;

use super::test_station::{Agent, AgentCall, Event, TestStation, completed, failed, id, success, trace};
use crate::rmp_bus::frames::field;

/// Two nodes in a row.
const PAIR: &str = "version: 0\nname: pair\nnodes:\n  - {id: a, use: agent:echo, with: {text: hello}}\n  - {id: b, use: agent:echo}\nedges:\n  \
                    - {from: a.out, to: b.in}\n";

/// One node that asks this agent.
fn one(agent: &str) -> String {
    format!("version: 0\nname: one\nnodes:\n  - {{id: a, use: 'agent:{agent}'}}\nedges: []\n")
}

/// An agent that gives back what it is given.
fn echo(fixture: &TestStation) -> Agent {
    fixture.agent("echo", |asked: &AgentCall| {
        let given = asked.input("in").first().cloned().unwrap_or_else(|| asked.with("text"));
        vec![completed(vec![("out", given)])]
    })
}

fn messages(events: &[Event], kind: &str) -> Vec<String> {
    events.iter().filter(|event| event.kind == kind).map(|event| event.message.clone()).collect()
}

fn rows(fixture: &TestStation) -> Vec<rl_console::port::RunRow> {
    let query = Query::Runs {
        state: None,
        name: None,
        since_ms: None,
        beyond: None,
        oldest_first: true,
        filter: None,
        limit: 100,
    };
    match fixture.query(query) {
        Page::Runs { rows, .. } => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_submitted_opening_runs_from_its_first_event_to_its_last() {
    let fixture = TestStation::open();
    let _echo = echo(&fixture);
    let mut client = fixture.agent_client();
    let answer = client.submit(7, PAIR);
    assert_eq!((answer.variant.as_str(), answer.trace), ("RunAccepted", 7));
    assert_eq!((field(&answer.fields, "request_id"), field(&answer.fields, "trace_id")), (id(7), id(7)));
    assert_eq!(
        (
            answer.text("opening_name").as_str(),
            field(&answer.fields, "opening_id").as_slice().map(<[u8]>::len)
        ),
        ("pair", Some(16))
    );
    let events = client.events();
    assert!(success(&events), "{events:#?}");
    assert_eq!(events[0].kind, "plan", "the first event comes late enough to be subscribed to");
    for event in &events {
        assert_eq!(field(&event.meta, "run_id").as_str().map(str::to_owned), Some(trace(7)), "{event:?}");
        assert!(field(&event.meta, "ts_ms").is_u64(), "{event:?}");
        assert!(
            event.level.as_deref().is_none_or(|level| ["info", "warn", "error"].contains(&level)),
            "{event:?}"
        );
    }
    let nodes: Vec<_> =
        events.iter().filter_map(|event| field(&event.meta, "node_id").as_str().map(str::to_owned)).collect();
    assert!(
        nodes.iter().position(|node| node == "b") > nodes.iter().rposition(|node| node == "a"),
        "{nodes:?}"
    );
    let row = rows(&fixture).pop().unwrap();
    assert_eq!((row.state, row.nodes, row.name.as_str()), (RunState::Succeeded, 2, "pair"));
    assert_eq!(row.events, events.len() as u64, "what was told is durable");
}

#[test]
fn a_request_that_cannot_be_run_is_rejected_with_what_a_person_can_act_on() {
    let fixture = TestStation::open();
    let mut client = fixture.agent_client();
    let answer = client.submit(1, "version: 0\nname: x\nnodes:\n  - {id: A, use: agent:echo}\nedges: []\n");
    assert_eq!((answer.variant.as_str(), answer.trace), ("RunRejected", 1));
    assert!(answer.text("reason").contains("4:"), "{}", answer.text("reason"));
    client.request(2, "RunSubmit", vec![("request_id", id(3)), ("opening_yaml", PAIR.into())]);
    let answer = client.answer();
    assert_eq!((answer.variant.as_str(), answer.trace), ("RunRejected", 2), "{answer:?}");
    client.request(4, "RunCancel", vec![("trace_id", id(77))]);
    let answer = client.answer();
    assert_eq!((answer.variant.as_str(), field(&answer.fields, "request_id")), ("RunRejected", id(4)));
    client.request(
        5,
        "DescribeAgents",
        vec![("request_id", id(5)), ("agents", Value::Array(vec!["writer".into()]))],
    );
    let answer = client.answer();
    assert_eq!((answer.variant.as_str(), answer.trace), ("AgentsDescribeFailed", 5));
    assert!(!answer.text("reason").is_empty());
}

#[test]
fn the_same_request_has_the_same_answer_and_one_run_also_after_a_restart() {
    let mut fixture = TestStation::open();
    let first = {
        let _echo = echo(&fixture);
        let mut client = fixture.agent_client();
        let first = client.submit(7, PAIR);
        assert_eq!(client.submit(7, PAIR), first);
        client.events();
        first
    };
    fixture.restart();
    let mut client = fixture.agent_client();
    assert_eq!(client.submit(7, PAIR), first);
    assert_eq!(rows(&fixture).len(), 1);
    // An id may be sent as text, with or without its prefix, and is the same (runloop facts, Payloads).
    for text in [trace(7), trace(7)["trace:".len()..].to_owned()] {
        client.request(
            7,
            "RunSubmit",
            vec![("request_id", text.as_str().into()), ("opening_yaml", PAIR.into())],
        );
        assert_eq!(client.answer(), first);
    }
}

#[test]
fn nobody_on_an_agents_topic_is_a_clear_failure_and_no_hang() {
    let fixture = TestStation::open();
    let mut client = fixture.agent_client();
    let events = client.run(7, &one("ghost"));
    assert!(!success(&events));
    assert!(events.iter().any(|event| event.message.contains("agent/ghost")), "{events:#?}");
}

#[test]
fn a_run_is_cancelled_in_the_middle_and_its_agents_are_told() {
    let fixture = TestStation::open();
    let (tell, told) = std::sync::mpsc::sync_channel(16);
    let _slow = fixture.agent("slow", move |asked: &AgentCall| {
        tell.send((asked.kind.clone(), field(&asked.payload, "node_id").as_str().map(str::to_owned)))
            .unwrap();
        Vec::new()
    });
    let mut client = fixture.agent_client();
    assert_eq!(client.submit(7, &one("slow")).variant, "RunAccepted");
    let wait = Duration::from_secs(20);
    assert_eq!(told.recv_timeout(wait).unwrap().0, "intent.executor.agent.request.v1");
    client.request(8, "RunCancel", vec![("trace_id", id(7))]);
    let answer = client.answer();
    assert_eq!((answer.variant.as_str(), answer.trace), ("RunCancelled", 8));
    assert_eq!((field(&answer.fields, "request_id"), field(&answer.fields, "trace_id")), (id(8), id(7)));
    assert_eq!(told.recv_timeout(wait).unwrap(), ("intent.run.cancel.v1".to_owned(), Some("a".to_owned())));
    assert_eq!(rows(&fixture)[0].state, RunState::Cancelled);
    client.request(9, "RunCancel", vec![("trace_id", id(7))]);
    assert_eq!(client.answer().variant, "RunRejected", "it has ended");
}

#[test]
fn a_retryable_failure_is_tried_again_and_another_is_not() {
    let fixture = TestStation::open();
    let _flaky = fixture.agent("flaky", |asked: &AgentCall| {
        vec![if asked.attempt() < 3 {
            failed(true, "not yet")
        } else {
            completed(vec![("out", true.into())])
        }]
    });
    let _broken = fixture.agent("broken", |_: &AgentCall| vec![failed(false, "never")]);
    let opening = |agent: &str| {
        format!(
            "version: 0\nname: x\nnodes:\n  - {{id: a, use: 'agent:{agent}', retry: {{max_attempts: 3, backoff_ms: 1}}}}\nedges: []\n"
        )
    };
    let mut client = fixture.agent_client();
    let events = client.run(1, &opening("flaky"));
    assert!(success(&events), "{events:#?}");
    let mut client = fixture.agent_client();
    let events = client.run(2, &opening("broken"));
    assert!(!success(&events));
    assert!(events.iter().any(|event| event.message.contains("never")), "{events:#?}");
}

#[test]
fn a_node_that_asks_waits_for_a_person() {
    let fixture = TestStation::open();
    let _echo = echo(&fixture);
    let yaml = "version: 0\nname: asks\nnodes:\n  - {id: a, use: agent:echo, with: {text: x, require_human_confirm: true}}\nedges: []\n";
    let mut person = fixture.client("tui", Some(TokenKind::Operator));
    person.peer.subscribe(50, "action.request");
    for (run, approved) in [(1, true), (2, false)] {
        let mut client = fixture.agent_client();
        assert_eq!(client.submit(run, yaml).variant, "RunAccepted");
        let (action, summary) = person.asked();
        assert!(!summary.is_empty());
        if approved {
            // An agent does not decide.
            let mut agent = fixture.agent_client();
            agent.decide(&action, false);
            assert_eq!(agent.peer.hear().error().1, "Forbidden");
        }
        person.decide(&action, approved);
        assert_eq!(person.peer.hear().name(), "Ok");
        assert_eq!(success(&client.events()), approved);
    }
}

#[test]
fn a_run_that_a_restart_interrupts_ends_as_failed_and_says_so() {
    let mut fixture = TestStation::open();
    // It is there until the station goes: one that leaves before fails its attempt.
    let _silent = fixture.agent("silent", |_: &AgentCall| Vec::new());
    let mut client = fixture.agent_client();
    assert_eq!(client.submit(7, &one("silent")).variant, "RunAccepted");
    client.event();
    fixture.restart();
    // The runs come up behind the bus.
    for _ in 0..4_000 {
        if rows(&fixture)[0].state != RunState::Running {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let rows = rows(&fixture);
    assert_eq!(
        (rows[0].state, rows[0].why.as_deref()),
        (RunState::Failed, Some("interrupted by a stop of the station"))
    );
    let Page::RunEvents { rows: events, .. } =
        fixture.query(Query::RunEvents { run: rows[0].run, after: 0, limit: 100 })
    else {
        panic!()
    };
    let last = events.last().unwrap();
    assert!(
        last.message.contains("interrupted by a stop") && last.meta.as_str().contains("\"success\":false"),
        "{last:?}"
    );
}

#[test]
fn what_a_key_does_the_port_does() {
    let fixture = TestStation::open();
    let _silent = fixture.agent("silent", |_: &AgentCall| Vec::new());
    let request = rl_console::ids::TraceId(uuid::Uuid::from_u128(7));
    let mut client = fixture.agent_client();
    let submit = runs::Command::Submit { request, opening_yaml: one("silent"), traceparent: None };
    assert_eq!(fixture.command(Command::Runs(submit)), Ok(Outcome::Runs(runs::Outcome::Taken)));
    assert_eq!(client.answer().variant, "RunAccepted");
    let cancelled = fixture.command(Command::Runs(runs::Command::Cancel { run: request }));
    assert_eq!(cancelled, Ok(Outcome::Runs(runs::Outcome::Cancelled { nodes: 1 })));
    let refused = fixture.command(Command::Runs(runs::Command::Cancel { run: request })).unwrap_err();
    assert_eq!(refused.code(), "unknown_run");
}

#[test]
fn what_is_saved_is_there_afterwards() {
    let fixture = TestStation::open();
    let _echo = echo(&fixture);
    let mut client = fixture.agent_client();
    let events = client.run(7, &format!("{PAIR}artifacts:\n  save: [b.out]\n"));
    assert!(success(&events));
    assert_eq!(messages(&events, "artifact").len(), 1);
    let run = rows(&fixture)[0].run;
    let Page::RunArtifacts { rows, .. } = fixture.query(Query::RunArtifacts { run, after: 0, limit: 10 })
    else {
        panic!()
    };
    assert_eq!(
        (rows.len(), rows[0].node.as_str(), rows[0].port.as_str(), rows[0].value.as_str()),
        (1, "b", "out", "\"hello\"")
    );
}

#[test]
fn a_node_that_nothing_leads_to_is_skipped_and_says_by_what() {
    let fixture = TestStation::open();
    let _echo = echo(&fixture);
    let opening = "version: 0\nname: branch\nnodes:\n  - {id: a, use: agent:echo, with: {text: yes}}\n  - {id: b, use: agent:echo}\n  - \
                   {id: c, use: agent:echo}\n  - {id: d, use: agent:echo}\nedges:\n  - \
                   {from: 'a.out ==no', to: b.in}\n  - {from: b.out, to: c.in}\n  - \
                   {from: a.other, to: d.in}\n";
    let events = fixture.agent_client().run(7, opening);
    let skipped: Vec<_> =
        messages(&events, "status").into_iter().filter(|message| message.contains("skipped:")).collect();
    assert_eq!(skipped, ["b is skipped: a.out is not \"no\"", "c is skipped: b was skipped"]);
    assert!(!success(&events), "{events:#?}");
    assert_eq!(
        events.last().unwrap().message,
        "the run failed: node d failed: a has no value on port `other`",
        "no predicate lets it"
    );
}

#[test]
fn an_agent_that_leaves_in_mid_run_fails_its_attempt_though_others_watch() {
    let fixture = TestStation::open();
    let (tell, told) = std::sync::mpsc::sync_channel(8);
    let agent = fixture.agent("slow", move |_: &AgentCall| {
        tell.send(()).unwrap();
        Vec::new()
    });
    let mut client = fixture.agent_client();
    let mut watcher = fixture.agent_client();
    watcher.peer.subscribe(7, "agent/*");
    assert_eq!(client.submit(1, &one("slow")).variant, "RunAccepted");
    told.recv().unwrap();
    drop(agent);
    let events = client.events();
    assert_eq!(
        events.last().unwrap().message,
        "the run failed: node a failed: agent/slow disconnected before it answered"
    );
    let says = "agent/slow disconnected before it answered: waiting 2000 ms more for an answer";
    assert!(messages(&events, "log").contains(&says.to_owned()), "{events:#?}");
}

#[test]
fn who_watches_is_no_agent_and_those_that_are_there_are_named() {
    let fixture = TestStation::open();
    let _echo = echo(&fixture);
    let (mut viewer, mut all) = (fixture.client("viewer", Some(TokenKind::Viewer)), fixture.agent_client());
    viewer.peer.subscribe(7, "agent/*");
    all.peer.subscribe(7, "**");
    all.peer.subscribe(8, "agent/*");
    let mut client = fixture.agent_client();
    let events = client.run(1, &one("ecoh"));
    let why = "no agent subscribed to agent/ecoh: start the agent, or correct the node's `use` (connected \
               agents: echo)";
    assert_eq!(events.last().unwrap().message, format!("the run failed: node a failed: {why}"));
}

#[test]
fn whoever_submits_a_run_that_has_ended_again_learns_how_it_ended() {
    let fixture = TestStation::open();
    let mut first = fixture.agent_client();
    let events = first.run(1, &one("nobody"));
    let mut again = fixture.agent_client();
    let answer = again.submit(1, &one("nobody"));
    assert_eq!(answer.variant, "RunAccepted");
    let told = again.events();
    assert_eq!((told.len(), &told[0].message, success(&told)), (1, &events.last().unwrap().message, false));
}

#[test]
fn messages_of_the_station_have_the_ttl_and_the_schema_of_the_text() {
    let fixture = TestStation::open();
    let mut all = fixture.client("tui", Some(TokenKind::Operator));
    for (sub, topic) in [(11, "agent/*"), (12, "action.request"), (13, "rlp/runs/**")] {
        all.peer.subscribe(sub, topic);
    }
    let agent = fixture.agent("x", |_: &AgentCall| Vec::new());
    let mut client = fixture.agent_client();
    let nodes = "  - {id: a, use: agent:x}\n  - {id: b, use: agent:x, with: {require_human_confirm: true}}\n";
    client.submit(1, &format!("version: 0\nname: ttl\nnodes:\n{nodes}edges: []\n"));
    let mut seen = std::collections::BTreeMap::new();
    let mut cancelled = false;
    while seen.len() < 6 {
        let (_, topic, frame) = all.peer.delivered();
        let kind = topic.split('/').next().unwrap().to_owned();
        let ttl_ms = u64::from_be_bytes(frame.wire[32..40].try_into().unwrap());
        if frame.schema_id() == 2001 {
            continue;
        }
        let is_request = frame.schema_id() == 4000;
        seen.insert((kind, frame.schema_id()), ttl_ms);
        if is_request && !cancelled {
            cancelled = true;
            client.request(9, "RunCancel", vec![("trace_id", id(1))]);
        }
    }
    drop(agent);
    let asked = seen.remove(&("action.request".to_owned(), 3005)).unwrap();
    assert!(
        (290_000..300_000).contains(&asked),
        "a question is worth an answer until it expires, and that is before the run's end: {asked}"
    );
    let expected =
        [("agent", 2), ("agent", 4000), ("rlp", 8), ("rlp", 131), ("rlp", 2002)].map(|it| (it, 30_000));
    let seen: Vec<_> = seen.iter().map(|((kind, schema), ttl)| ((kind.as_str(), *schema), *ttl)).collect();
    assert_eq!(seen, expected);
}
