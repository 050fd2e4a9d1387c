//! Sessions as the port has them.

use serde_json::json;

use super::*;
use crate::{
    macp::{Mode, SessionState},
    mplp::judge_bundle,
    time::Wall,
};

const AT: u64 = 1_790_000_000_000;

fn row(n: u64, kind: LogKind, payload: &Value) -> SessionLogRow {
    SessionLogRow {
        number: n,
        at_ms: Wall(AT + n),
        kind,
        message_type: None,
        message_id: None,
        sender: None,
        timestamp_ms: None,
        payload: JsonText::from_value(payload),
    }
}

fn incoming(n: u64, sender: &str, message_type: &str, payload: &Value) -> SessionLogRow {
    SessionLogRow {
        message_type: Some(message_type.to_owned()),
        message_id: Some(format!("m{n}")),
        sender: Some(sender.to_owned()),
        ..row(n, LogKind::Incoming, payload)
    }
}

/// A decision of two, up to its votes.
fn debate() -> Vec<SessionLogRow> {
    vec![
        incoming(1, "alice", "SessionStart", &json!({ "intent": "which map?" })),
        incoming(2, "alice", "Proposal", &json!({ "proposal_id": "p", "option": "north" })),
        incoming(3, "bob", "Objection", &json!({ "proposal_id": "p", "reason": "dull" })),
        incoming(4, "bob", "Note", &json!({ "$bin": "//4=" })),
        incoming(5, "bob", "Vote", &json!({ "proposal_id": "p", "vote": "approve" })),
    ]
}

fn detail(ending: Option<Ending>, messages: u64) -> SessionDetail {
    SessionDetail {
        row: SessionRow {
            number: 7,
            session: "s".to_owned(),
            mode: Mode::Decision,
            mode_name: Mode::Decision.name().to_owned(),
            state: ending.map_or(SessionState::Open, Ending::state),
            ending,
            why: ending.filter(|it| *it == Ending::Cancelled).map(|_| "late".to_owned()),
            phase: None,
            round: None,
            by: "alice".to_owned(),
            intent: "which map?".to_owned(),
            participants: 2,
            messages,
            started_at_ms: Wall(AT),
            expires_at_ms: Wall(AT + 60_000),
            ended_at_ms: ending.map(|it| Wall(if it == Ending::LogDamaged { AT } else { AT + 9 })),
            trace_id: None,
        },
        mode_version: String::new(),
        configuration_version: String::new(),
        policy_version: String::new(),
        traceparent: None,
        listed: vec!["alice".to_owned(), "bob".to_owned()],
        resolution: None,
        progress: JsonText::from_value(&Value::Null),
    }
}

fn bundle(detail: &SessionDetail, log: &[SessionLogRow]) -> Value {
    let settings = RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() };
    let mut translation = SessionTranslation::new(detail, 512, &settings);
    for row in log {
        translation.log(row);
    }
    let bundle = translation.finish(&detail.row).into_value();
    let findings = judge_bundle(&bundle, None, 9);
    assert!(findings.is_clean(), "{findings:#?}");
    bundle
}

#[test]
fn a_log_is_a_clean_record_however_it_ends() {
    let resolved = vec![
        incoming(6, "alice", "Commitment", &json!({ "action": "play north" })),
        row(7, LogKind::Resolution, &json!({ "action": "play north" })),
    ];
    let expired = vec![row(6, LogKind::TtlExpired, &Value::Null), row(7, LogKind::TtlExpired, &Value::Null)];
    let cancelled = vec![row(6, LogKind::SessionCancel, &json!({ "reason": "late" }))];
    for (ending, end, status, last, number) in [
        (Ending::Resolved, resolved, "completed", "session.resolved", 7),
        (Ending::TtlExpired, expired, "cancelled", "session.expired", 6),
        (Ending::Cancelled, cancelled, "cancelled", "session.cancelled", 6),
    ] {
        let messages = 4 + u64::from(ending == Ending::Resolved);
        let bundle = bundle(&detail(Some(ending), messages), &[debate(), end].concat());
        assert_eq!((&bundle["profile"], &bundle["plan"]["status"]), (&json!("map"), &json!(status)));
        let events = bundle["trace"]["events"].as_array().unwrap();
        let found = &events[events.len() - 1];
        assert_eq!((&found["event_type"], &found["data"]["number"]), (&json!(last), &json!(number)));
        assert_eq!(events.len() as u64, messages + 2);
        assert_eq!(bundle["trace"]["root_span"]["attributes"]["messages_missing"], 0);
        let effects: Vec<_> = events[1..5].iter().map(|it| &it["data"]["effect"]["name"]).collect();
        assert_eq!(effects, ["proposed", "objected", "nothing", "voted"]);
        assert_eq!(events[1]["data"]["text"], "north");
    }
}

#[test]
fn an_open_session_is_a_clean_record() {
    let bundle = bundle(&detail(None, 4), &debate());
    assert_eq!(bundle["plan"]["steps"][2]["status"], "in_progress");
}

#[test]
fn the_old_form_of_a_resolution_is_read_as_text() {
    let old = [incoming(6, "alice", "Message", &json!({ "$text": "resolve" }))];
    let bundle = bundle(&detail(Some(Ending::Resolved), 5), &[&debate()[..], &old].concat());
    assert_eq!(bundle["trace"]["events"][5]["data"]["effect"]["name"], "resolved");
}

#[test]
fn what_a_damaged_log_lacks_is_counted() {
    let mut log = debate();
    log[4] = row(5, LogKind::Incoming, &json!({ "$damaged": "no record" }));
    let bundle = bundle(&detail(Some(Ending::LogDamaged), 4), &log);
    assert_eq!(bundle["trace"]["root_span"]["attributes"]["messages_missing"], 1);
    assert_eq!(bundle["trace"]["meta"]["tags"], json!(["session", "incomplete"]));
    // It ends behind its last message, whenever its row says that it did.
    assert_eq!(bundle["trace"]["finished_at"], bundle["trace"]["segments"][2]["finished_at"]);
}

#[test]
fn payloads_are_read_as_they_were() {
    for (payload, bytes) in [
        (json!({ "a": 1 }), &b"{\"a\":1}"[..]),
        (json!({ "$text": "resolve" }), b"resolve"),
        (json!({ "$bin": "/w==" }), b"\xff"),
        (json!({ "$bin": "no base64" }), b"{\"$bin\":\"no base64\"}"),
        (json!({ "$text": "a", "b": 1 }), b"{\"$text\":\"a\",\"b\":1}"),
    ] {
        assert_eq!(bytes_of(&JsonText::from_value(&payload)), bytes);
    }
}
