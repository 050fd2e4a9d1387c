//! Bodies written by hand from the texts.

use std::sync::Arc;

use rmpv::Value;
use uuid::Uuid;

use super::*;
use crate::{
    ids::{ActionId, OpeningId, TraceId},
    runs::openings::PortValue,
    tap::entry::{
        runs::{Asker, AskerKind, EventKind, Verdict},
        station::Level,
    },
    time::Wall,
    w3c::GivenTraceParent,
};

const ID: &[u8] = b"\xc4\x10\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff";

fn id() -> Uuid {
    Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)
}

fn body(kind: &str, payload: &[u8], meta: &[u8]) -> Vec<u8> {
    let head: &[u8] = if meta.is_empty() { b"\x82\xa4type" } else { b"\x83\xa4type" };
    let len = u8::try_from(kind.len()).unwrap();
    let kind = if len < 32 {
        [&[0xa0 | len], kind.as_bytes()].concat()
    } else {
        [&[0xd9, len], kind.as_bytes()].concat()
    };
    let meta = if meta.is_empty() { Vec::new() } else { [b"\xa4meta", meta].concat() };
    [head, &kind, b"\xa7payload", payload, &meta].concat()
}

#[test]
fn control_requests_are_as_the_text_has_them() {
    let submit = [b"\x81\xa9RunSubmit\x82\xaarequest_id", ID, b"\xacopening_yaml\xa3a: "].concat();
    let submit = body("intent.ctrl.request.v1", &submit, b"");
    let request = ControlRequest::RunSubmit {
        request_id: TraceId(id()),
        opening_yaml: "a: ".to_owned(),
        traceparent: None,
    };
    assert_eq!(request.encode(), submit);
    assert_eq!(ControlRequest::decode(&submit), Ok(request));

    let cancel = body("intent.ctrl.request.v1", &[b"\x81\xa9RunCancel\x81\xa8trace_id", ID].concat(), b"");
    let request = ControlRequest::RunCancel { trace_id: TraceId(id()) };
    assert_eq!(request.encode(), cancel);
    assert_eq!(ControlRequest::decode(&cancel), Ok(request));

    let describe = [b"\x81\xaeDescribeAgents\x82\xaarequest_id", ID, b"\xa6agents\x92\xa1a\xa1b"].concat();
    let describe = body("intent.ctrl.request.v1", &describe, b"");
    let request = ControlRequest::DescribeAgents {
        request_id: TraceId(id()),
        agents: vec!["a".to_owned(), "b".to_owned()],
    };
    assert_eq!(request.encode(), describe);
    assert_eq!(ControlRequest::decode(&describe), Ok(request));
}

#[test]
fn a_trace_context_goes_in_the_meta_of_a_submission() {
    // ruling MPLP 18; the header is the example of W3C Trace Context §3.2.4, of 55 bytes.
    const HEADER: &[u8] = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let submit = [b"\x81\xa9RunSubmit\x82\xaarequest_id", ID, b"\xacopening_yaml\xa3a: "].concat();
    let with = |meta: &[u8]| body("intent.ctrl.request.v1", &submit, meta);
    let request = |traceparent| ControlRequest::RunSubmit {
        request_id: TraceId(id()),
        opening_yaml: "a: ".to_owned(),
        traceparent,
    };
    let valid = with(&[b"\x81\xabtraceparent\xd9\x37", HEADER].concat());
    let header = GivenTraceParent::Valid(std::str::from_utf8(HEADER).unwrap().into());
    let expected = request(Some(header));
    assert_eq!(expected.encode(), valid);
    assert_eq!(ControlRequest::decode(&valid), Ok(expected));
    // What the meta has besides, and what is none.
    let none = [&b"\x81\xabtraceparent\xc0"[..], b"\x81\xa6tokens\x05", b"\x80", b"\xa1x", b"\xc0"];
    for meta in none {
        assert_eq!(ControlRequest::decode(&with(meta)), Ok(request(None)), "{meta:x?}");
    }
    for (meta, why) in [
        (&b"\x81\xabtraceparent\x07"[..], "traceparent is an integer, not a string"),
        (b"\x81\xabtraceparent\xa200", "traceparent has 2 bytes, fewer than 55"),
    ] {
        let left_out = request(Some(GivenTraceParent::LeftOut(why.to_owned())));
        assert_eq!(ControlRequest::decode(&with(meta)), Ok(left_out.clone()), "{meta:x?}");
        assert_eq!(left_out.encode(), with(b""), "it is never sent");
    }
}

#[test]
fn ids_are_read_in_every_form_and_unknown_keys_and_nil_are_nothing() {
    let bare = b"\xd9\x2400112233-4455-6677-8899-aabbccddeeff";
    let prefixed = b"\xd9\x2atrace:00112233-4455-6677-8899-aabbccddeeff";
    let of_opening = b"\xd9\x2copening:00112233-4455-6677-8899-aabbccddeeff";
    let simple = b"\xd9\x2000112233445566778899aabbccddeeff";
    for written in [ID, bare, prefixed, of_opening, simple] {
        let payload = [
            b"\x81\xa9RunSubmit\x84\xadagent_digests\x80\xacopening_yaml\xa0\xaarequest_id",
            written,
            b"\xa1x\xc0",
        ]
        .concat();
        let read = ControlRequest::decode(&body("intent.ctrl.request.v1", &payload, b"\xc0"));
        assert_eq!(
            read,
            Ok(ControlRequest::RunSubmit {
                request_id: TraceId(id()),
                opening_yaml: String::new(),
                traceparent: None
            }),
            "{written:x?}"
        );
    }
}

#[test]
fn control_responses_are_as_the_text_has_them() {
    let kind = "toolresult.ctrl.response.v1";
    let accepted = [
        &b"\x81\xabRunAccepted\x84\xaarequest_id"[..],
        ID,
        b"\xa8trace_id",
        ID,
        b"\xaaopening_id",
        ID,
        b"\xacopening_name\xa1o",
    ]
    .concat();
    let (request_id, trace_id, opening_id) = (TraceId(id()), TraceId(id()), OpeningId(id()));
    let reason = || "no".to_owned();
    let cases = [
        (
            accepted,
            ControlResponse::RunAccepted { request_id, trace_id, opening_id, opening_name: "o".to_owned() },
        ),
        (
            [b"\x81\xabRunRejected\x82\xaarequest_id", ID, b"\xa6reason\xa2no"].concat(),
            ControlResponse::RunRejected { request_id, reason: reason() },
        ),
        (
            [b"\x81\xacRunCancelled\x82\xaarequest_id", ID, b"\xa8trace_id", ID].concat(),
            ControlResponse::RunCancelled { request_id, trace_id },
        ),
        (
            [b"\x81\xb4AgentsDescribeFailed\x82\xaarequest_id", ID, b"\xa6reason\xa2no"].concat(),
            ControlResponse::AgentsDescribeFailed { request_id, reason: reason() },
        ),
    ];
    for (payload, response) in cases {
        let written = body(kind, &payload, b"");
        assert_eq!(response.encode(), written);
        assert_eq!(ControlResponse::decode(&written), Ok(response));
    }
}

#[test]
fn an_agent_is_asked_as_the_text_has_it() {
    let node = b"\x86\xa2id\xa1n\xa3use\xa7agent:w\xa4with\x81\xa1k\x07\xa4tags\x91\xa1t\xaatimeout_ms\xcd\x03\xe8\xadbudget_tokens\x05";
    let inputs = b"\x81\xa2in\x91\x83\xa9schema_id\xcc\xdd\xa4type\xb7artifact.draft.email.v1\xa5value\xa2hi";
    let payload = [
        &b"\x86\xa4node"[..],
        node,
        b"\xa6inputs",
        inputs,
        b"\xa8trace_id",
        ID,
        b"\xaaopening_id",
        ID,
        b"\xa7attempt\x02\xabreply_topic\xa3a/b",
    ]
    .concat();
    let written = body("intent.executor.agent.request.v1", &payload, b"\xc0");
    let value =
        PortValue { schema_id: 221, kind: Arc::from("artifact.draft.email.v1"), value: Value::from("hi") };
    let request = AgentRequest {
        node: RequestNode {
            id: Arc::from("n"),
            uses: "agent:w".to_owned(),
            with: serde_json::json!({"k": 7}).as_object().unwrap().clone(),
            tags: vec!["t".to_owned()],
            timeout_ms: Some(1_000),
            budget_tokens: Some(5),
        },
        inputs: [(Arc::from("in"), vec![value])].into(),
        trace_id: TraceId(id()),
        opening_id: OpeningId(id()),
        attempt: 2,
        reply_topic: Arc::from("a/b"),
    };
    assert_eq!(request.encode(), written);
    assert_eq!(AgentRequest::decode(&written), Ok(request));
}

#[test]
fn an_agents_answer_is_read_as_the_text_has_it() {
    let kind = "toolresult.executor.agent.response.v1";
    // 0x00D1 as the text prints it: the type decides.
    let out = b"\x91\x83\xa9schema_id\xcc\xd1\xa4type\xb7artifact.draft.email.v1\xa5value\x80";
    let completed = [&b"\x81\xa9Completed\x81\xa5ports\x81\xa3out"[..], out].concat();
    let answer = AgentAnswer::decode(&body(kind, &completed, b"\x81\xa6tokens\xcd\x04\xd2")).unwrap();
    assert_eq!(answer.tokens, Some(1_234));
    let AgentResponse::Completed { ports } = answer.response else { panic!("completed") };
    assert_eq!((ports["out"][0].schema_id, ports["out"][0].value.clone()), (221, Value::Map(Vec::new())));

    let failed = body(kind, b"\x81\xa6Failed\x82\xa9retryable\xc2\xa6reason\xa7timeout", b"");
    let answer = AgentAnswer {
        response: AgentResponse::Failed { retryable: false, reason: "timeout".to_owned() },
        tokens: None,
    };
    assert_eq!(answer.encode(), failed);
    assert_eq!(AgentAnswer::decode(&failed), Ok(answer));
    let other = body(
        kind,
        b"\x81\xa9Completed\x81\xa5ports\x81\xa1p\x91\x82\xa4type\xb0artifact.note.v1\xa5value\xc3",
        b"",
    );
    let AgentResponse::Completed { ports } = AgentAnswer::decode(&other).unwrap().response else {
        panic!("completed")
    };
    assert_eq!(ports["p"][0].schema_id, 5, "without an id the family's");
}

#[test]
fn what_is_on_a_reply_topic_is_an_answer_something_else_or_faulty() {
    let kind = "toolresult.executor.agent.response.v1";
    let nothing = AgentResponse::Completed { ports: Ports::new() };
    for written in
        [&b"\x81\xa9Completed\x80"[..], b"\x81\xa9Completed\xc0", b"\x81\xa9Completed\x81\xa5ports\xc0"]
    {
        assert_eq!(
            AgentAnswer::decode(&body(kind, written, b"")).unwrap().response,
            nothing,
            "nil is nothing"
        );
    }
    let foreign = body("intent.generic.v1", b"\x80", b"");
    assert_eq!(
        AgentAnswer::read(&foreign),
        Err(NotAnAnswer::Foreign { kind: "intent.generic.v1".to_owned() })
    );
    assert!(matches!(AgentAnswer::read(&body(kind, b"\x80", b"")), Err(NotAnAnswer::Faulty(_))));
    for (tokens, says) in [
        (&b"\xa3150"[..], "a string"),
        (b"\xcb\x3f\xf8\0\0\0\0\0\0", "a float"),
        (b"\xd1\xfc\x18", "an integer"),
    ] {
        let answered =
            AgentAnswer::read(&body(kind, b"\x81\xa9Completed\xc0", &[b"\x81\xa6tokens", tokens].concat()))
                .unwrap();
        let fault = answered.tokens_fault.unwrap().to_string();
        assert_eq!(
            (answered.answer.tokens, fault),
            (None, format!("meta.tokens is {says}, not a non-negative integer"))
        );
    }
    let head = &b"\x81\xa9Completed\x81\xa5ports\x81\xa1p\x91\x82\xa4type\xb0artifact.note.v1\xa5value\xdd\x00\x10\x00\x00"[..];
    let nils = [head, &vec![0xc0; 0x0010_0000]];
    let fault = AgentAnswer::read(&body(kind, &nils.concat(), b"")).unwrap_err().to_string();
    assert_eq!(fault, "the body has more than 262144 keys and values");
}

#[test]
fn a_refusal_has_the_form_of_what_was_asked() {
    let trace = TraceId(Uuid::from_u128(9));
    let refused = |payload: &[u8]| refusal(trace, &body("intent.ctrl.request.v1", payload, b""), "no");
    let rejected = |request_id| Some(ControlResponse::RunRejected { request_id, reason: "no".to_owned() });
    let submit = [&b"\x81\xa9RunSubmit\x81\xaarequest_id"[..], ID].concat();
    assert_eq!(refused(&submit), rejected(TraceId(id())));
    assert_eq!(refused(&[&b"\x81\xa9RunCancel\x81\xa8trace_id"[..], ID].concat()), rejected(trace));
    let failed =
        |request_id| Some(ControlResponse::AgentsDescribeFailed { request_id, reason: "no".to_owned() });
    assert_eq!(
        refused(&[&b"\x81\xaeDescribeAgents\x81\xaarequest_id"[..], ID].concat()),
        failed(TraceId(id()))
    );
    assert_eq!(refused(b"\x81\xaeDescribeAgents\xc0"), failed(trace));
    assert_eq!(refused(b"\x07"), None);
}

#[test]
fn an_event_is_as_the_text_has_it() {
    let meta = [
        &b"\x84\xa5ts_ms\x07\xa6run_id\xd9\x2atrace:00112233-4455-6677-8899-aabbccddeeff"[..],
        b"\xa7node_id\xa1n\xa7span_id\xa3n#1",
    ]
    .concat();
    let payload = [&b"\x84\xa4kind\xa6status\xa5level\xa4info\xa7message\xa1m\xa4meta"[..], &meta].concat();
    let written = body("observation.run.event.v1", &payload, b"");
    let event = RunEvent {
        kind: EventKind::Status,
        level: Some(Level::Info),
        message: "m".to_owned(),
        meta: EventMeta {
            ts_ms: 7,
            run_id: Some(TraceId(id())),
            node_id: Some("n".to_owned()),
            span_id: Some("n#1".to_owned()),
            ..EventMeta::default()
        },
    };
    assert_eq!(event.encode(), written);
    assert_eq!(RunEvent::decode(&written), Ok(event.clone()));
    let artifact = Some(ArtifactMeta {
        port: "out".to_owned(),
        schema_id: 5,
        kind: "artifact.x.v1".to_owned(),
        bytes: 9,
    });
    let (success, done, total, latency_ms) =
        (Some(false), Some(Amount::Fraction(1.5)), Some(Amount::Whole(2)), Some(4));
    let hop = Some(HopMeta { agent: "agent/a".to_owned(), request_frame_len: 160, answer_frame_len: 96 });
    let meta = EventMeta {
        artifact,
        success,
        done,
        total,
        latency_ms,
        hop,
        state: Some("failed".to_owned()),
        ..event.meta.clone()
    };
    let full = RunEvent { meta, level: None, ..event };
    let meta = [
        &b"\xde\x00\x10\xa5ts_ms\x07\xa6run_id\xd9\x2atrace:00112233-4455-6677-8899-aabbccddeeff\xa7node_id\xa1n\xa7span_id\xa3n#1"[..],
        b"\xa5state\xa6failed\xa7success\xc2\xaalatency_ms\x04",
        b"\xa5agent\xa7agent/a\xb1request_frame_len\xcc\xa0\xb0answer_frame_len\x60",
        b"\xa4done\xcb\x3f\xf8\0\0\0\0\0\0\xa5total\x02",
        b"\xa4port\xa3out\xa9schema_id\x05\xa4type\xadartifact.x.v1\xa5bytes\x09",
    ];
    let payload = [&b"\x83\xa4kind\xa6status\xa7message\xa1m\xa4meta"[..], &meta.concat()].concat();
    assert_eq!(full.encode(), body("observation.run.event.v1", &payload, b""));
    assert_eq!(RunEvent::decode(&full.encode()), Ok(full));
}

#[test]
fn an_event_of_a_question_says_which_and_how_it_ended() {
    let asked = QuestionMeta {
        action: ActionId(id()),
        expires_at: Some(Wall(9)),
        verdict: None,
        by: None,
        note: None,
    };
    let decided = QuestionMeta {
        expires_at: None,
        verdict: Some(Verdict::Approved),
        by: Some(Asker { kind: AskerKind::Ui, client: "bob".into() }),
        note: Some("go".to_owned()),
        ..asked.clone()
    };
    let id = "action:00112233-4455-6677-8899-aabbccddeeff";
    for (question, members) in [
        (asked, serde_json::json!({"action_id": id, "expires_at_ms": 9})),
        (
            decided,
            serde_json::json!({
                "action_id": id, "verdict": "approved", "by": "bob", "by_kind": "ui", "note": "go",
            }),
        ),
    ] {
        let run_id = Some(TraceId(self::id()));
        let meta = EventMeta { ts_ms: 7, run_id, question: Some(question), ..EventMeta::default() };
        let json = meta.json();
        let members = members.as_object().unwrap();
        assert!(members.iter().all(|(name, value)| json.get(name) == Some(value)), "{json}");
        assert_eq!(json.as_object().unwrap().len(), members.len() + 2);
        let event = RunEvent { kind: EventKind::Log, level: None, message: "m".to_owned(), meta };
        assert_eq!(RunEvent::decode(&event.encode()), Ok(event));
    }
}

#[test]
fn cancels_progress_and_confirmations_are_as_the_rulings_have_them() {
    let payload =
        [&b"\x84\xa8trace_id"[..], ID, b"\xa7node_id\xa1n\xa7attempt\x03\xabreply_topic\xa1t"].concat();
    let written = body("intent.run.cancel.v1", &payload, b"");
    let notice = CancelNotice {
        trace_id: TraceId(id()),
        node_id: Arc::from("n"),
        attempt: 3,
        reply_topic: Arc::from("t"),
    };
    assert_eq!((notice.encode(), CancelNotice::decode(&written)), (written, Ok(notice)));

    let written = body(
        "observation.progress.v1",
        b"\x83\xa7message\xa1m\xa4done\x03\xa5total\xcb\x40\x10\0\0\0\0\0\0",
        b"",
    );
    let report = ProgressReport {
        message: "m".to_owned(),
        done: Some(Amount::Whole(3)),
        total: Some(Amount::Fraction(4.0)),
    };
    assert_eq!(ProgressReport::decode(&written), Ok(report.clone()));
    assert_eq!(report.encode(), written, "a whole number stays whole");

    let payload = [
        &b"\x86\xa1v\x01\xa9action_id"[..],
        ID,
        b"\xa8trace_id",
        ID,
        b"\xa7node_id\xa1n\xa7summary\xa2s?\xadexpires_at_ms\xcd\x03\xe8",
    ]
    .concat();
    let written = body("intent.action.request.v1", &payload, b"");
    let request = ActionRequest {
        action_id: ActionId(id()),
        trace_id: TraceId(id()),
        node_id: Arc::from("n"),
        summary: "s?".to_owned(),
        expires_at: Wall(1_000),
    };
    assert_eq!((request.encode(), ActionRequest::decode(&written)), (written, Ok(request)));

    let payload = [&b"\x84\xa1v\x01\xa9action_id"[..], ID, b"\xa8approved\xc3\xa4note\xa2ok"].concat();
    let written = body("toolresult.action.decision.v1", &payload, b"");
    let decision = Decision { action_id: ActionId(id()), approved: true, note: Some("ok".to_owned()) };
    assert_eq!((decision.encode(), Decision::decode(&written)), (written, Ok(decision)));
}

#[test]
fn faults_say_what_and_where() {
    let kind = "intent.ctrl.request.v1";
    let cases: [(Vec<u8>, &str); 13] = [
        (b"\x81".to_vec(), "the body is not valid MsgPack: "),
        (b"\x01".to_vec(), "the body is an integer, not a map"),
        ([body(kind, b"\x80", b""), vec![0]].concat(), "the body is followed by 1 more bytes"),
        (b"\x81\xa7payload\x80".to_vec(), "type is missing"),
        (b"\x81\xa4type\xa1x".to_vec(), "payload is missing"),
        (body("intent.other.v1", b"\x80", b""), "type is intent.other.v1, not intent.ctrl.request.v1"),
        (body(kind, b"\x80", b""), "payload is an empty map, not a map with one variant name"),
        (
            body(kind, b"\x81\xa3Run\x80", b""),
            "payload is \"Run\", not RunSubmit, RunCancel or DescribeAgents",
        ),
        (body(kind, b"\x81\xa9RunCancel\x80", b""), "payload.RunCancel.trace_id is missing"),
        (
            body(kind, b"\x81\xa9RunCancel\x81\xa8trace_id\xc4\x01\x00", b""),
            "payload.RunCancel.trace_id is 1 bytes, not a UUID: 16 bytes, or a string with or without \
             `trace:`",
        ),
        (
            body(kind, &[b"\x81\xa9RunSubmit\x82\xaarequest_id", ID, b"\xacopening_yaml\x07"].concat(), b""),
            "payload.RunSubmit.opening_yaml is an integer, not a string",
        ),
        // A struct is a map, and no list of its fields (ruling RMP 12).
        (body(kind, &[b"\x81\xa9RunCancel\x91", ID].concat(), b""), "payload.RunCancel is a list, not a map"),
        (body(kind, b"\xa9RunCancel", b""), "payload is a string, not a map with one variant name"),
    ];
    for (bytes, says) in cases {
        let fault = ControlRequest::decode(&bytes).unwrap_err().to_string();
        assert!(fault.starts_with(says), "{fault}");
    }
}

#[test]
fn a_decision_is_of_version_1_and_names_its_question_in_every_form() {
    let decision = |v: &[u8], written: &[u8]| {
        let payload = [&b"\x83\xa1v"[..], v, b"\xa9action_id", written, b"\xa8approved\xc2"].concat();
        Decision::decode(&body("toolresult.action.decision.v1", &payload, b""))
    };
    let no = Decision { action_id: ActionId(id()), approved: false, note: None };
    let (bare, prefixed) = (
        b"\xd9\x2400112233-4455-6677-8899-aabbccddeeff",
        b"\xd9\x2baction:00112233-4455-6677-8899-aabbccddeeff",
    );
    for written in [ID, bare, prefixed] {
        assert_eq!(decision(b"\x01", written), Ok(no.clone()), "{written:x?}");
    }
    assert_eq!(decision(b"\x02", ID).unwrap_err().to_string(), "payload.v is 2, not 1");
}

#[test]
fn a_body_cut_or_changed_anywhere_is_read_or_refused_without_panic() {
    let request = ControlRequest::RunSubmit {
        request_id: TraceId(id()),
        opening_yaml: "a: ".to_owned(),
        traceparent: None,
    }
    .encode();
    for at in 0..request.len() {
        assert!(ControlRequest::decode(&request[..at]).is_err());
        for byte in [0x00, 0x7f, 0x80, 0x9f, 0xc0, 0xc1, 0xc4, 0xdd, 0xdf, 0xff] {
            let mut changed = request.clone();
            changed[at] = byte;
            let _ = ControlRequest::decode(&changed);
        }
    }
    // A head that promises more than there is takes no memory for it.
    assert!(ControlRequest::decode(b"\xdf\xff\xff\xff\xff").is_err());
    assert!(ControlRequest::decode(&vec![0x91; 100_000]).is_err());
}
