//! What goes over the wire beside what is kept of it, told of it and counted of it.

use std::time::Duration;

use rl_console::{
    ids::{Seq, TraceId},
    port::{HopRow, Page, Query, RunEventRow},
    runs::RunState,
    station::bus::TokenKind,
};
use rmpv::Value;

use super::test_station::{
    AGENT_RESPONSE, Agent, AgentCall, CTRL_REQ, Client, Event, TestStation, completed, failed, header, id,
    success,
};
use crate::rmp_bus::{
    Peer,
    frames::{self, Frame, field, map},
};

/// The greatest number that an opening may have.
const GREATEST: i64 = i64::MAX;
/// The schema of reports of progress.
const OBSERVATION: u16 = 1;

pub(super) fn run(number: u128) -> TraceId {
    TraceId(uuid::Uuid::from_u128(number))
}

fn history(fixture: &TestStation, number: u128) -> Vec<RunEventRow> {
    match fixture.query(Query::RunEvents { run: run(number), after: 0, limit: 1_000 }) {
        Page::RunEvents { rows, more: false } => rows,
        other => panic!("{other:?}"),
    }
}

/// A value of a meta as JSON.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Map(pairs) => {
            pairs.iter().map(|(key, value)| (key.as_str().unwrap().to_owned(), json(value))).collect()
        }
        Value::String(text) => text.as_str().unwrap().into(),
        Value::Boolean(is_so) => (*is_so).into(),
        Value::Integer(number) => number.as_u64().unwrap().into(),
        Value::F64(number) => (*number).into(),
        other => panic!("{other:?}"),
    }
}

/// What an event says, without what the store adds to it.
type EventFields = (String, Option<String>, String, serde_json::Value);

fn on_wire(event: &Event) -> EventFields {
    (event.kind.clone(), event.level.clone(), event.message.clone(), json(&event.meta))
}

fn in_history(row: &RunEventRow) -> EventFields {
    let level = row.level.map(|level| level.name().to_owned());
    (row.kind.name().to_owned(), level, row.message.clone(), serde_json::from_str(row.meta.as_str()).unwrap())
}

/// The frames of a run of this client, from its answer to its last event.
fn frames(client: &mut Client) -> Vec<Frame> {
    let mut frames = Vec::new();
    loop {
        let (_, topic, frame) = client.peer.delivered();
        let is_last = topic.ends_with("/events")
            && field(&field(&frame.payload(), "meta"), "success").as_bool().is_some();
        if topic.ends_with("/events") || frame.schema_id() == 2002 {
            frames.push(frame);
        }
        if is_last {
            return frames;
        }
    }
}

fn created_at_ms(frame: &Frame) -> u64 {
    u64::from_be_bytes(frame.wire[24..32].try_into().unwrap())
}

/// The length of header and body, by what was read of the socket: the prefix is not counted (rmp-v0 §3).
fn read_len(frame: &Frame) -> u64 {
    frame.wire.len() as u64 - 4
}

#[test]
fn the_first_event_leaves_no_sooner_than_20_ms_behind_the_answer() {
    let fixture = TestStation::open();
    let mut client = fixture.agent_client();
    client.peer.subscribe(50, "rlp/runs/**");
    for number in 1..=8 {
        let yaml = "version: 0\nname: one\nnodes: [{id: a, use: agent:ghost}]\nedges: []\n";
        client.request(number, "RunSubmit", vec![("request_id", id(number)), ("opening_yaml", yaml.into())]);
        let frames = frames(&mut client);
        assert_eq!((frames[0].schema_id(), frames[1].schema_id()), (2002, 8), "the answer, then the events");
        let waited_ms = created_at_ms(&frames[1]) - created_at_ms(&frames[0]);
        assert!(waited_ms >= 20, "{waited_ms} ms");
    }
}

/// An agent that has what it was asked told, and answers nothing by itself.
pub(super) fn quiet(fixture: &TestStation, name: &str) -> (Agent, std::sync::mpsc::Receiver<String>) {
    let (tell, told) = std::sync::mpsc::sync_channel(16);
    let agent = fixture.agent(name, move |asked: &AgentCall| {
        tell.send(field(&asked.payload, "reply_topic").as_str().unwrap().to_owned()).unwrap();
        Vec::new()
    });
    (agent, told)
}

#[test]
fn what_is_kept_of_a_run_is_what_was_on_the_wire_in_its_order_also_after_a_restart() {
    let mut fixture = TestStation::open();
    let wire = {
        let _flaky = fixture.agent("flaky", |asked: &AgentCall| {
            vec![if asked.attempt() < 2 {
                failed(true, "not yet")
            } else {
                completed(vec![("out", "x".into())])
            }]
        });
        let (_slow, asked) = quiet(&fixture, "slow");
        let nodes = [
            "{id: a, use: agent:flaky, retry: {max_attempts: 2, backoff_ms: 1}}",
            "{id: b, use: agent:slow}",
            "{id: c, use: agent:flaky}",
            "{id: d, use: agent:ghost}",
        ];
        let nodes = nodes.map(|node| format!("  - {node}\n")).concat();
        let edges =
            "  - {from: a.out, to: b.in}\n  - {from: 'a.out ==no', to: c.in}\n  - {from: b.out, to: d.in}\n";
        let yaml = format!(
            "version: 0\nname: all\nnodes:\n{nodes}edges:\n{edges}artifacts: {{save: [a.out, b.out]}}\n"
        );
        let mut client = fixture.agent_client();
        assert_eq!(client.submit(7, &yaml).variant, "RunAccepted");
        let reply = asked.recv_timeout(Duration::from_secs(20)).unwrap();
        let mut slow = Peer::greeted(&fixture.path(), "agent", None);
        let report = map(vec![("message", "reading".into()), ("done", 3.into()), ("total", Value::F64(4.5))]);
        let body = frames::body("observation.progress.v1", report);
        let msg_id = slow.next_id();
        slow.publish(
            &format!("{reply}/progress"),
            false,
            &frames::frame(header(OBSERVATION, 9, msg_id), &body),
        );
        let body = frames::body("toolresult.executor.agent.response.v1", completed(vec![("out", 5.into())]));
        let msg_id = slow.next_id();
        slow.publish(&reply, false, &frames::frame(header(AGENT_RESPONSE, 9, msg_id), &body));
        client.events()
    };
    let said: Vec<EventFields> = wire.iter().map(on_wire).collect();
    for kind in ["status", "plan", "trace", "artifact", "progress"] {
        assert!(said.iter().any(|said| said.0 == kind), "{kind}: {said:#?}");
    }
    assert_eq!(history(&fixture, 7).iter().map(in_history).collect::<Vec<_>>(), said);
    let numbers: Vec<u64> = history(&fixture, 7).iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=said.len() as u64).collect::<Vec<_>>());
    fixture.restart();
    assert_eq!(history(&fixture, 7).iter().map(in_history).collect::<Vec<_>>(), said);
}

/// The ladder of a run, once it has so many hops.
fn hops(fixture: &TestStation, number: u128, count: usize) -> Vec<HopRow> {
    for _ in 0..4_000 {
        let Page::Trace { hops, .. } =
            fixture.query(Query::Trace { trace: run(number), after: Seq(0), events: true, limit: 1_000 })
        else {
            panic!()
        };
        // Of the run's records no number is known.
        let hops: Vec<HopRow> = hops.into_iter().filter(|hop| hop.schema_id != Some(131)).collect();
        if hops.len() >= count {
            return hops;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("fewer than {count} hops");
}

#[test]
fn a_hop_has_the_length_of_what_was_read_of_a_socket_or_written_to_one() {
    let fixture = TestStation::open();
    let mut agent = Peer::greeted(&fixture.path(), "agent", None);
    agent.subscribe(1, "agent/raw");
    let mut client = fixture.agent_client();
    client.peer.subscribe(50, "rlp/runs/**");
    let yaml = "version: 0\nname: one\nnodes: [{id: a, use: agent:raw, with: {text: hello}}]\nedges: []\n";
    let submit = map(vec![("RunSubmit", map(vec![("request_id", id(7)), ("opening_yaml", yaml.into())]))]);
    let submit = frames::frame(header(CTRL_REQ, 7, 40), &frames::body("intent.ctrl.request.v1", submit));
    client.peer.publish("rlp/ctrl", false, &submit);
    let (_, _, request) = agent.delivered();
    let reply = field(&request.payload(), "reply_topic").as_str().unwrap().to_owned();
    let answer = frames::body(
        "toolresult.executor.agent.response.v1",
        completed(vec![("out", "x".repeat(300).into())]),
    );
    let answer = frames::frame(header(AGENT_RESPONSE, 7, 41), &answer);
    agent.publish(&reply, false, &answer);
    let read = frames(&mut client);
    let written = |frame: &[u8]| frame.len() as u64 - 4;
    let [accepted, events @ ..] = &read[..] else { panic!("nothing was read") };
    assert_eq!(u64::from(u32::from_be_bytes(accepted.wire[..4].try_into().unwrap())), read_len(accepted));
    let hops = hops(&fixture, 7, 4 + events.len());
    let lens = |schema_id: u16| -> Vec<u64> {
        hops.iter().filter(|hop| hop.schema_id == Some(schema_id)).map(|hop| hop.frame_len.unwrap()).collect()
    };
    assert_eq!(lens(2001), [written(&submit)]);
    assert_eq!(lens(2002), [read_len(accepted)]);
    assert_eq!(lens(4000), [read_len(&request)]);
    assert_eq!(lens(4001), [written(&answer)]);
    assert_eq!(lens(8), events.iter().map(read_len).collect::<Vec<_>>());
    let trace = events
        .iter()
        .map(|event| field(&event.payload(), "meta"))
        .find(|meta| !field(meta, "agent").is_nil())
        .unwrap();
    let told = ["request_frame_len", "answer_frame_len"].map(|name| field(&trace, name).as_u64().unwrap());
    assert_eq!(told, [read_len(&request), written(&answer)], "and the run tells the same");
}

#[test]
fn the_greatest_times_and_counts_of_an_opening_run_and_are_cancelled() {
    let fixture = TestStation::open();
    let _agents = [
        fixture.agent("echo", |_: &AgentCall| vec![completed(vec![("out", 1.into())])]),
        fixture.agent("flaky", |_: &AgentCall| vec![failed(true, "not yet")]),
    ];
    let all = format!(
        "timeout_ms: {GREATEST}, budget_tokens: {GREATEST}, retry: {{max_attempts: {}, backoff_ms: {GREATEST}}}",
        u32::MAX
    );
    let nodes = [
        format!("{{id: a, use: agent:echo, {all}}}"),
        format!("{{id: b, use: agent:flaky, {all}}}"),
        format!("{{id: c, use: agent:echo, with: {{require_human_confirm: true}}, {all}}}"),
    ];
    let nodes = nodes.map(|node| format!("  - {node}\n")).concat();
    let policy = format!("policy: {{timeout_ms: {GREATEST}, budget_tokens: {GREATEST}}}\n");
    let mut client = fixture.agent_client();
    let answer = client.submit(7, &format!("version: 0\nname: endless\n{policy}nodes:\n{nodes}edges: []\n"));
    assert_eq!(answer.variant, "RunAccepted", "{answer:?}");
    let mut left = vec!["a is completed", "b is retrying: not yet", "c is asking"];
    while !left.is_empty() {
        let event = client.event();
        left.retain(|says| *says != event.message);
    }
    client.request(8, "RunCancel", vec![("trace_id", id(7))]);
    assert_eq!(client.answer().variant, "RunCancelled");
    let events = client.events();
    assert_eq!(events.last().unwrap().message, "the run cancelled: cancelled by test");
}

#[test]
fn a_decision_may_name_its_question_by_text_and_the_first_one_counts() {
    let fixture = TestStation::open();
    let _echo = fixture.agent("echo", |_: &AgentCall| vec![completed(vec![("out", 1.into())])]);
    let yaml = "version: 0\nname: asks\nnodes: [{id: a, use: agent:echo, with: {require_human_confirm: true}}]\nedges: []\n";
    let mut person = fixture.client("tui", Some(TokenKind::Operator));
    person.peer.subscribe(50, "action.request");
    for (number, approved) in [(1, true), (2, false)] {
        let mut client = fixture.agent_client();
        assert_eq!(client.submit(number, yaml).variant, "RunAccepted");
        let (action, _) = person.asked();
        let text = uuid::Uuid::from_slice(action.as_slice().unwrap()).unwrap().to_string();
        for (text, approved) in [(format!("action:{text}"), approved), (text, !approved)] {
            person.decide(&text.as_str().into(), approved);
            assert_eq!(person.peer.hear().name(), "Ok");
        }
        person.decide(&action, !approved);
        assert_eq!(person.peer.hear().name(), "Ok");
        assert_eq!(success(&client.events()), approved, "the others came too late");
    }
}

#[test]
fn a_cue_submits_runs_and_is_told_that_it_may_ask_for_nothing_else() {
    let fixture = TestStation::open();
    let mut cue = fixture.client("cue", Some(TokenKind::Cue));
    cue.request(
        5,
        "DescribeAgents",
        vec![("request_id", id(6)), ("agents", Value::Array(vec!["writer".into()]))],
    );
    let answer = cue.answer();
    assert_eq!(
        (answer.variant.as_str(), answer.trace, field(&answer.fields, "request_id")),
        ("AgentsDescribeFailed", 5, id(6))
    );
    assert_eq!(answer.text("reason"), "a cue can only submit runs");
    cue.request(7, "RunCancel", vec![("trace_id", id(1))]);
    let answer = cue.answer();
    assert_eq!(
        (answer.variant.as_str(), answer.text("reason").as_str()),
        ("RunRejected", "a cue cannot cancel runs")
    );
    let yaml = "version: 0\nname: one\nnodes: [{id: a, use: agent:ghost}]\nedges: []\n";
    cue.request(1, "RunSubmit", vec![("request_id", id(1)), ("opening_yaml", yaml.into())]);
    assert_eq!(cue.answer().variant, "RunAccepted");
}

#[test]
fn whoever_takes_an_agents_own_topic_as_an_agent_is_that_agent_and_others_watch() {
    let fixture = TestStation::open();
    let watchers = [("viewer", TokenKind::Viewer), ("tui", TokenKind::Operator), ("ui", TokenKind::Operator)];
    let mut watchers = watchers.map(|(kind, token)| fixture.client(kind, Some(token)));
    for watcher in &mut watchers {
        watcher.peer.subscribe(7, "agent/ghost");
    }
    let yaml = "version: 0\nname: one\nnodes: [{id: a, use: agent:ghost, timeout_ms: 50}]\nedges: []\n";
    let mut client = fixture.agent_client();
    let last = client.run(1, yaml).pop().unwrap();
    let why = "no agent subscribed to agent/ghost: start the agent, or correct the node's `use`";
    assert_eq!(last.message, format!("the run failed: node a failed: {why}"));
    let mut tail = fixture.agent_client();
    tail.peer.subscribe(7, "agent/ghost");
    let mut client = fixture.agent_client();
    let last = client.run(2, yaml).pop().unwrap();
    assert_eq!(last.message, "the run failed: node a failed: timed out after 50 ms");
}

#[test]
fn how_much_of_a_run_was_done_is_said_while_it_goes_on_and_after_a_restart() {
    let mut fixture = TestStation::open();
    let (_silent, asked) = quiet(&fixture, "silent");
    let _echo = fixture.agent("echo", |_: &AgentCall| vec![completed(vec![("out", "yes".into())])]);
    let nodes = [
        "{id: a, use: agent:echo}",
        "{id: b, use: agent:silent}",
        "{id: c, use: agent:echo}",
        "{id: d, use: agent:echo}",
    ];
    let nodes = nodes.map(|node| format!("  - {node}\n")).concat();
    let edges =
        "  - {from: a.out, to: b.in}\n  - {from: 'a.out ==no', to: c.in}\n  - {from: b.out, to: d.in}\n";
    let mut client = fixture.agent_client();
    assert_eq!(
        client.submit(7, &format!("version: 0\nname: half\nnodes:\n{nodes}edges:\n{edges}")).variant,
        "RunAccepted"
    );
    asked.recv_timeout(Duration::from_secs(20)).unwrap();
    let row = |fixture: &TestStation| match fixture.query(Query::Run { run: run(7) }) {
        Page::Run(Some(detail)) => detail.row,
        other => panic!("{other:?}"),
    };
    let until = |fixture: &TestStation, is_so: &dyn Fn(&rl_console::port::RunRow) -> bool| {
        for _ in 0..4_000 {
            if is_so(&row(fixture)) {
                return row(fixture);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("{:?}", row(fixture));
    };
    let open = until(&fixture, &|row| row.done == 2);
    assert_eq!((open.state, open.nodes), (RunState::Running, 4), "a is completed, c is skipped");
    fixture.restart();
    let cut = until(&fixture, &|row| row.state != RunState::Running);
    assert_eq!((cut.state, cut.done, cut.nodes), (RunState::Failed, 2, 4));
}

#[test]
fn the_command_lines_requests_are_as_the_text_has_them() {
    let fixture = TestStation::open();
    let _silent = fixture.agent("silent", |_: &AgentCall| Vec::new());
    let mut watcher = fixture.agent_client();
    let yaml = "version: 0\nname: one\nparams: {user: bob}\nnodes: [{id: a, use: agent:silent, with: {to: '{{params.user}}'}}]\nedges: []\n";
    let file = fixture.folder.path().join("one.yaml");
    std::fs::write(&file, yaml).unwrap();
    let args =
        |args: &[&str]| assert!(crate::real::cli(fixture.folder.path(), args).status.success(), "{args:?}");
    args(&["submit", file.to_str().unwrap(), "-p", "user=ann"]);
    let requested = |watcher: &mut Client| loop {
        let (_, topic, frame) = watcher.peer.delivered();
        if frame.schema_id() == CTRL_REQ {
            assert_eq!((topic.as_str(), frame.kind().as_str()), ("rlp/ctrl", "intent.ctrl.request.v1"));
            assert_eq!(u64::from_be_bytes(frame.wire[32..40].try_into().unwrap()), 30_000, "ttl_ms");
            return (frame.trace_id(), frame.payload());
        }
    };
    let (run, payload) = requested(&mut watcher);
    let submit = field(&payload, "RunSubmit");
    assert_eq!(
        (field(&submit, "request_id"), submit.as_map().unwrap().len()),
        (id(run), 2),
        "the header's trace is the request's id"
    );
    let sent = field(&submit, "opening_yaml").as_str().unwrap().to_owned();
    assert_eq!(sent, yaml.replace("bob", "ann"), "params are merged into the text that is sent");
    args(&["cancel", "run", &super::test_station::trace(run)]);
    let (request, payload) = requested(&mut watcher);
    let cancel = field(&payload, "RunCancel");
    assert_eq!((field(&cancel, "trace_id"), cancel.as_map().unwrap().len()), (id(run), 1));
    assert_ne!(request, run, "a cancel has a trace of its own");
    let answer = watcher.answer();
    assert_eq!(
        (answer.variant.as_str(), answer.trace, field(&answer.fields, "request_id")),
        ("RunCancelled", request, id(request))
    );
}

#[test]
fn each_attempt_is_asked_for_on_its_agents_topic_with_a_reply_topic_of_its_own() {
    let fixture = TestStation::open();
    let mut agent = Peer::greeted(&fixture.path(), "agent", None);
    agent.subscribe(1, "agent/raw");
    let mut client = fixture.agent_client();
    let yaml =
        "version: 0\nname: one\nnodes: [{id: a, use: agent:raw, retry: {max_attempts: 2}}]\nedges: []\n";
    assert_eq!(client.submit(7, yaml).variant, "RunAccepted");
    let mut replies = std::collections::BTreeSet::new();
    for attempt in 1..=2_u64 {
        let (_, topic, frame) = agent.delivered();
        assert_eq!((topic.as_str(), frame.schema_id(), frame.trace_id()), ("agent/raw", 4000, 7));
        let payload = frame.payload();
        assert_eq!(
            (field(&payload, "trace_id"), field(&payload, "attempt").as_u64()),
            (id(7), Some(attempt))
        );
        let reply = field(&payload, "reply_topic").as_str().unwrap().to_owned();
        let last =
            reply.strip_prefix(&format!("rlp/runs/{}/agents/raw/", super::test_station::trace(7))).unwrap();
        assert!(uuid::Uuid::parse_str(last).is_ok(), "{reply}");
        let body = frames::body("toolresult.executor.agent.response.v1", failed(true, "no"));
        let msg_id = agent.next_id();
        agent.publish(&reply, false, &frames::frame(header(AGENT_RESPONSE, 7, msg_id), &body));
        replies.insert(reply);
    }
    assert_eq!((replies.len(), success(&client.events())), (2, false));
}

#[test]
fn who_subscribes_in_the_middle_of_a_run_hears_what_is_told_from_then_on() {
    let fixture = TestStation::open();
    let (_slow, asked) = quiet(&fixture, "slow");
    let yaml = "version: 0\nname: one\nnodes: [{id: a, use: agent:slow}]\nedges: []\n";
    let mut first = fixture.agent_client();
    assert_eq!(first.submit(7, yaml).variant, "RunAccepted");
    let reply = asked.recv_timeout(Duration::from_secs(20)).unwrap();
    while first.event().message != "a is running" {}
    let mut late = fixture.agent_client();
    late.peer.subscribe(50, &format!("rlp/runs/{}/events", super::test_station::trace(7)));
    let body = frames::body("toolresult.executor.agent.response.v1", completed(Vec::new()));
    let msg_id = late.peer.next_id();
    late.peer.publish(&reply, false, &frames::frame(header(AGENT_RESPONSE, 9, msg_id), &body));
    let said = |events: Vec<Event>| events.iter().map(on_wire).collect::<Vec<_>>();
    let (heard, rest) = (said(late.events()), said(first.events()));
    assert_eq!(heard, rest, "no backfill (rmp-v0 §10)");
    assert_eq!(heard[0].0, "trace");
}
