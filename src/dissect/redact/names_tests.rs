//! What stays whatever values are called, and what cannot be read and is masked.

use super::tests::{
    body_of, control, entry, frame, give_item_head, hides, message, of_mpp, recorded, redactor, station_says,
    text, unit,
};
use crate::{
    dissect::{Subject, decoder::decode},
    field::Class,
    ids::TraceId,
    mpp,
    rmp::{self, SchemaId},
    tap::{
        entry::{Frame, Head, Link, Transition, What, runs},
        recorded::OwnedEntry,
    },
};

/// A unit in the JSON dialect, of what a unit says in the other.
fn in_json_dialect(unit: &[u8]) -> Vec<u8> {
    let numbers: Vec<String> = unit[68..].iter().map(ToString::to_string).collect();
    let body = numbers.join(",");
    let json =
        format!(r#"{{"Publish":{{"id":1,"topic":"rlp/a","message":{{"header":{{}},"body":[{body}]}}}}}}"#);
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

#[test]
fn an_answer_to_an_operator_is_masked_to_where_it_was_cut() {
    let answer = unit(
        r#"{"type":"toolresult.operator.response.v1","payload":{"v":1,"json":"{\"rows\":[\"alice_77\"]}"}}"#,
    );
    let said = memchr::memmem::find(&answer, b"rows").unwrap();
    for len in said..answer.len() {
        for schema in [Some(SchemaId::OPERATOR_RESP.0), None] {
            let head = rmp::Head { topic: Some("rlp/a".into()), schema_id: schema, ..rmp::Head::default() };
            let cut = frame(Head::Rmp(head), answer.len());
            let of = entry(Link::Rmp, What::Frame(cut), &answer[..len]);
            let read = recorded(&mut redactor(&["event:give_item $.user"]), &[of]);
            hides(&read, "rows");
            hides(&read, "ali");
            assert_eq!(read[0].bytes[..68], answer[..68]);
        }
    }
    let json = in_json_dialect(&answer);
    for len in [json.len(), json.len() - 30] {
        let of = message("rlp/a", Some(SchemaId::OPERATOR_RESP.0), &json[..len]);
        let read = recorded(&mut redactor(&["event:give_item $.user"]), &[of]);
        let ali: Vec<String> = b"ali".iter().map(ToString::to_string).collect();
        hides(&read, &ali.join(","));
    }
}

#[test]
fn frames_in_questions_are_found_in_whatever_order_its_members_are() {
    let read = |json: &str| {
        let quoted = serde_json::to_string(json).unwrap();
        let body = format!(r#"{{"type":"intent.operator.request.v1","payload":{{"v":1,"json":{quoted}}}}}"#);
        let of = message("rlp/operator", Some(SchemaId::OPERATOR_REQ.0), &unit(&body));
        let read = recorded(&mut redactor(&["event:give_item $.user"]), &[of]);
        body_of(&read[0].bytes)["payload"]["json"].as_str().unwrap().to_owned()
    };
    for json in [
        r#"{ "command" : {"workbench": {"send": {"bytes": "YWxp"}}}}"#,
        r#"{"trace":"7f3a","command":{"note":1,"gate":{"edit":{"bytes":"YWxp"}}}}"#,
        r#"{"command":{"w\u006frkbench":{"send":{"bytes":"YWxp"}}}}"#,
        r#"{"command":{"mark":{"text":"YWxp"#,
    ] {
        assert!(read(json).bytes().all(|byte| byte == b'*'), "{json}");
    }
    for json in [r#"{"command":{"mark":{"text":"workbench"}}}"#, r#"{"command":"stop"}"#, r#""about""#] {
        assert_eq!(read(json), json);
    }
}

#[test]
fn json_in_too_many_texts_and_too_deep_is_masked_whole() {
    let nested = |levels: usize| {
        let inner = serde_json::json!({"event": "give_item", "params": {"user": "alice_77"}});
        (0..levels).fold(inner, |inner, _| serde_json::json!({"inner": inner.to_string(), "note": "seen"}))
    };
    for levels in 0..7 {
        let read = recorded(
            &mut redactor(&["event:give_item $.user"]),
            &[station_says(&nested(levels).to_string())],
        );
        hides(&read, "alice");
        assert_eq!(text(&read[0]).contains("seen"), levels > 0, "{levels}");
    }
    let deep = format!("{}{}", r#"{"a":"#.repeat(70), nested(0)) + &"}".repeat(70);
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &[station_says(&deep)]);
    hides(&read, "alice");
}

#[test]
fn a_member_is_found_however_its_name_is_escaped() {
    let line =
        r#"{"mpp":2,"type":"invocation","event":"give\u005fitem","par\u0061ms":{"us\u0065r":"alice_77"}}"#;
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &[of_mpp(line), station_says(line)]);
    hides(&read, "alice");
}

/// One who is called like this, and what a recording has of what comes then.
fn called(name: &str, then: &[OwnedEntry]) -> Vec<OwnedEntry> {
    let params =
        serde_json::json!({"mpp": 2, "type": "invocation", "event": "give_item", "params": {"user": name}});
    let mut redactor = redactor(&["event:give_item $.user"]);
    redactor.learn(&[of_mpp(&params.to_string()).as_ref()]);
    recorded(&mut redactor, then)
}

#[test]
fn what_others_refer_to_in_frames_stays_whatever_somebody_is_called() {
    let line = |name: &str| {
        serde_json::json!({
            "mpp": 2, "type": "failed", "id": 4_711_042, "queue": "default", "reason": format!("no {name} here"),
        })
        .to_string()
    };
    for name in ["default", "failed", "4711042", "give_item"] {
        let read = called(name, &[of_mpp(&line(name))]);
        let expected = line(name).replace(&format!("no {name}"), &format!("no {}", "*".repeat(name.len())));
        assert_eq!(text(&read[0]), expected);
        let What::Frame(Frame { head, .. }) = &read[0].entry.what else { panic!() };
        assert_eq!(*head, give_item_head());
    }
    let refusal = |message: &str| {
        control(&format!(
            r#"{{"type":"intent.control.v1","payload":{{"Error":{{"re":1,"code":"agent/a","message":"{message}"}}}}}}"#
        ))
    };
    let error = |bytes: &[u8]| {
        let head = rmp::Head { kind: Some(rmp::FrameKind::Error), ..rmp::Head::default() };
        entry(Link::Rmp, What::Frame(frame(Head::Rmp(head), bytes.len())), bytes)
    };
    let note = unit(r#"{"type":"agent/a","payload":{"type":"agent/a"}}"#);
    let read = called("agent/a", &[error(&refusal("no agent/a")), message("agent/a", None, &note)]);
    assert_eq!(read[0].bytes, refusal("no *******"));
    assert_eq!(body_of(&read[1].bytes)["type"].as_str(), Some("agent/a"));
    assert_eq!(body_of(&read[1].bytes)["payload"]["type"].as_str(), Some("*******"));
}

#[test]
fn a_rule_for_all_that_is_published_leaves_the_frame_that_says_where() {
    let publish =
        control(r#"{"type":"intent.control.v1","payload":{"Publish":{"topic":"agent/a","ack":true}}}"#);
    let note = unit(r#"{"type":"a.b.v1","payload":{"user":"alice_77"}}"#);
    let both = [publish.clone(), note.clone()].concat();
    let head = rmp::Head {
        kind: Some(rmp::FrameKind::Publish),
        topic: Some("agent/a".into()),
        ..rmp::Head::default()
    };
    let of = |bytes: &[u8]| entry(Link::Rmp, What::Frame(frame(Head::Rmp(head.clone()), bytes.len())), bytes);
    let read = recorded(&mut redactor(&["topic:agent/* $"]), &[of(&both), of(&in_json_dialect(&note))]);
    assert_eq!(read[0].bytes[..publish.len()], publish);
    assert_eq!(body_of(&read[0].bytes[publish.len()..])["type"].as_str(), Some("a.b.v1"));
    hides(&read, "alice");
    let json: serde_json::Value = serde_json::from_slice(&read[1].bytes[4..]).unwrap();
    assert_eq!(json["Publish"]["topic"], "rlp/a");
    let body = crate::dissect::rmp::body_text::message(&read[1].bytes).unwrap().into_owned();
    assert!(memchr::memmem::find(&body, b"alice").is_none());
    assert_eq!(crate::dissect::rmp::body_text::type_of(&body), Some("a.b.v1"));
}

#[test]
fn the_plan_that_a_replay_reads_keeps_its_nodes() {
    let plan = r#"{"nodes":[{"id":"writer","use":"invoke:give_item"}],"edges":[{"from":0,"from_port":"writer","to":0,"to_port":"x","when":"writer"}]}"#;
    let planned =
        What::Transition(Transition::Runs(runs::Transition::Planned { run: TraceId(uuid::Uuid::nil()) }));
    let of = entry(Link::Runs, planned, plan.as_bytes());
    let read = called("writer", std::slice::from_ref(&of));
    assert_eq!(text(&read[0]), plan.replace(r#""when":"writer""#, r#""when":"******""#));
    let read =
        recorded(&mut redactor(&["event:give_item $", "link:runs $.nodes"]), std::slice::from_ref(&of));
    assert_eq!(read, [of]);
}

/// What the station publishes: a message without a control frame.
fn published(topic: &str, schema: SchemaId, body: &str) -> OwnedEntry {
    let head = rmp::Head {
        kind: Some(rmp::FrameKind::Publish),
        topic: Some(topic.into()),
        schema_id: Some(schema.0),
        ..rmp::Head::default()
    };
    let bytes = unit(body);
    entry(Link::Rmp, What::Frame(frame(Head::Rmp(head), bytes.len())), &bytes)
}

#[test]
fn what_the_station_publishes_is_a_message() {
    let note = r#"{"type":"a.b.v1","payload":{"topic":"alice_77","client":"alice_77 again"}}"#;
    let answer = r#"{"type":"toolresult.operator.response.v1","payload":{"v":1,"json":"{\"rows\":[1]}"}}"#;
    let all = [
        published("agent/a", SchemaId::OBSERVATION, note),
        published("other", SchemaId::OBSERVATION, note),
        published("rlp/operator", SchemaId::OPERATOR_RESP, answer),
    ];
    let read = recorded(&mut redactor(&["topic:agent/* $.payload.topic"]), &all);
    hides(&read, "alice");
    hides(&read, "rows");
    assert_eq!(body_of(&read[1].bytes)["payload"]["client"].as_str(), Some("******** again"));
    let subject = Subject { entry: all[0].entry.clone(), bytes: all[0].bytes.clone().into() };
    let tree = decode(&subject, 1_000);
    for name in ["topic", "client"] {
        let found = tree.nodes.iter().find(|it| it.name.read(&subject.bytes, 16) == name).unwrap();
        assert!(found.class == Class::Payload && found.hides_name, "on air: {found:?}");
    }
}

#[test]
fn a_frame_with_too_many_values_is_masked_whole() {
    let many = "0,".repeat(70_000);
    let line = |before: &str| {
        let row = r#"{"event":"give_item","params":{"user":"alice_77"}}"#;
        format!(r#"{{"mpp":2,"type":"invocation"{before},"rows":[{many}{row}]}}"#)
    };
    let head = Head::Mpp(mpp::Head::default());
    let of = |line: &str| entry(Link::Mpp, What::Frame(frame(head.clone(), line.len())), line.as_bytes());
    let read = |rule: &str, line: &str| recorded(&mut redactor(&[rule]), &[of(line)]);
    for rule in ["event:give_item $.user", "topic:agent/* $.key", "link:mpp $.rows[*].params.user"] {
        for line in [line(""), line(r#","event":"boss","params":{"user":"bob_1"}"#)] {
            let read = read(rule, &line);
            hides(&read, "alice");
            hides(&read, "invocation");
            assert!(serde_json::from_slice::<serde_json::Value>(&read[0].bytes).is_ok());
        }
    }
    let line = line("");
    assert_eq!(text(&read("link:rmp $", &line)[0]), line);
    let body = format!(r#"{{"type":"a.b.v1","payload":{{"list":[{many}0],"key":"alice_77"}}}}"#);
    let all = [message("agent/a", None, &unit(&body)), station_says(&line)];
    let read = recorded(&mut redactor(&["topic:agent/* $.payload.key", "event:give_item $.user"]), &all);
    hides(&read, "alice");
}

#[test]
fn what_may_name_its_event_or_topic_behind_the_cut_is_masked() {
    let head = Head::Mpp(mpp::Head::default());
    let cut = |line: &str| {
        let at = line.find("event").map_or(line.len(), |at| at - 1);
        entry(Link::Mpp, What::Frame(frame(head.clone(), line.len())), &line.as_bytes()[..at])
    };
    let line = r#"{"mpp":2,"type":"x","params":[{"params":{"user":"alice_77"},"event":"give_item"}]}"#;
    for (rule, is_masked) in [
        ("event:give_item $.user", true),
        ("topic:agent/* $.user", true),
        ("link:rmp event:give_item $.user", true),
        ("link:rmp $.user", false),
    ] {
        let read = recorded(&mut redactor(&[rule]), &[cut(line)]);
        assert_eq!(text(&read[0]).contains("alice_77"), !is_masked, "{rule}: {}", text(&read[0]));
        assert!(text(&read[0]).starts_with(r#"{"mpp":2,"type":"x","#), "{}", text(&read[0]));
    }
    // Another event is named before the cut; a text that begins as JSON does is not cut.
    for line in [
        r#"{"mpp":2,"event":"boss","params":{"user":"alice_77","z":"#,
        r#"{"mpp":2,"type":"log","message":"[INFO] alice_77"}"#,
    ] {
        let of = entry(Link::Mpp, What::Frame(frame(head.clone(), 99)), line.as_bytes());
        let read = recorded(&mut redactor(&["event:give_item $.user"]), std::slice::from_ref(&of));
        assert_eq!(read, [of]);
    }
}

#[test]
fn numbers_that_two_rules_name_are_looked_for_as_they_were() {
    let line =
        r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"seat":47110,"to":{"seat":47110}}}"#;
    let rules = ["event:give_item $.seat", "kind:invocation $.params.seat", "event:give_item $.to"];
    let read = recorded(&mut redactor(&rules), &[of_mpp(line), station_says("47110 of 10000")]);
    assert_eq!(text(&read[0]), line.replace("47110", "10000").replace(r#"to":{"seat"#, r#"to":{"****"#));
    assert_eq!(text(&read[1]), "***** of 10000");
}
