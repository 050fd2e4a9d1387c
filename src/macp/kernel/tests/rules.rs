//! The validation rules in their order, the error table's rows, defaults.

use prost::Message as _;

use super::test_kernel::{TestKernel, accepted, envelope, participants, refused, rounds, start};
use crate::{
    limits,
    macp::{
        Code, Fault, SessionState, Status,
        kernel::Answer,
        proto::v1::{Envelope, SessionStartPayload},
    },
};

fn empty() -> SessionStartPayload {
    SessionStartPayload::default()
}

#[test]
fn rule_1_the_version_comes_before_everything_else() {
    let mut fixture = TestKernel::new();
    for version in ["", "v1", "1.1", "1.0 "] {
        let mut message = envelope("", "", "", "", "");
        message.macp_version = version.to_owned();
        let ack = fixture.send(&message);
        refused(&ack, Fault::InvalidMacpVersion, Code::UnsupportedProtocolVersion);
        assert_eq!(ack.state, None, "no such session");
    }
    accepted(&fixture.send(&start("s", "m", &empty())));
    let mut message = envelope("s", "Vote", "m", "a", "");
    message.macp_version = "v1".to_owned();
    assert_eq!(
        fixture.send(&message).state,
        Some(SessionState::Open),
        "an error tells how the session stands that exists"
    );
}

#[test]
fn rule_2_ids_are_required_and_a_signal_needs_no_session() {
    let mut fixture = TestKernel::new();
    for (session, message_type, id) in [
        ("", "SessionStart", "m"),
        ("s", "SessionStart", ""),
        ("", "Vote", "m"),
        ("s", "", ""),
        ("s", "Signal", ""),
        ("", "Signal", ""),
    ] {
        refused(
            &fixture.send(&envelope(session, message_type, id, "a", "")),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
    }
    let ack = fixture.send(&envelope("", "Signal", "m", "", ""));
    accepted(&ack);
    assert_eq!(ack.state, Some(SessionState::Open));
    let again = fixture.send(&envelope("nowhere", "Signal", "m", "", vec![0xff]));
    accepted(&again);
    assert!(
        fixture.log.is_empty() && fixture.transitions.is_empty(),
        "a signal is acknowledged and nothing else"
    );
}

#[test]
fn a_payload_is_measured_after_rule_2_and_before_all_others() {
    let mut fixture = TestKernel::with(limits::Macp { payload_bytes_max: 1_024, ..limits::Macp::default() });
    let long = vec![b' '; 1_025];
    refused(
        &fixture.send(&envelope("s", "Vote", "", "a", long.clone())),
        Fault::InvalidEnvelope,
        Code::InvalidEnvelope,
    );
    let mut message = envelope("s", "SessionStart", "m", "a", long.clone());
    message.mode = "nothing".to_owned();
    refused(&fixture.send(&message), Fault::PayloadTooLarge, Code::PayloadTooLarge);
    refused(
        &fixture.send(&envelope("s", "Vote", "m", "a", long.clone())),
        Fault::PayloadTooLarge,
        Code::PayloadTooLarge,
    );
    refused(
        &fixture.send(&envelope("", "Signal", "m", "a", long)),
        Fault::PayloadTooLarge,
        Code::PayloadTooLarge,
    );
    accepted(&fixture.send(&envelope("", "Signal", "m", "a", vec![b' '; 1_024])));
}

#[test]
fn the_time_that_a_client_says_is_used_for_nothing() {
    let at = |timestamp_unix_ms| {
        let mut fixture = TestKernel::new();
        let with = |message| Envelope { timestamp_unix_ms, ..message };
        let messages = [
            start("s", "m", &empty()),
            envelope("s", "Unheard", "m1", "a", ""),
            envelope("", "Signal", "m2", "a", ""),
        ];
        let mut acks: Vec<_> = messages.map(|message| fixture.send(&with(message))).into();
        fixture.ms += 60_001;
        acks.push(fixture.send(&with(envelope("s", "Unheard", "m3", "a", ""))));
        (acks, fixture.kernel.image("s").unwrap().metadata)
    };
    for timestamp in [i64::MIN, -1, 0, i64::MAX] {
        assert_eq!(at(timestamp), at(1));
    }
}

#[test]
fn rule_3_the_mode_must_be_registered() {
    let mut fixture = TestKernel::new();
    let mut message = start("s", "m", &empty());
    message.mode = "macp.mode.task.v1".to_owned();
    // Its payload is worse, and comes later.
    message.payload = vec![0xff].into();
    refused(&fixture.send(&message), Fault::UnknownMode, Code::ModeNotSupported);
    let with_mode =
        |mode: &str| Envelope { mode: mode.to_owned(), ..start(mode, "m", &participants(&["a"])) };
    for mode in ["macp.mode.decision.v1", "decision", "macp.mode.multi_round.v1", "multi_round"] {
        accepted(&fixture.send(&with_mode(mode)));
        assert_eq!(&*fixture.kernel.image(mode).unwrap().metadata.mode, mode, "it is told as it was sent");
    }
    accepted(&fixture.send(&start("empty", "m", &empty())));
    assert_eq!(&*fixture.kernel.image("empty").unwrap().metadata.mode, "macp.mode.decision.v1");
    let mut vote = envelope("empty", "Unheard", "m2", "a", "");
    vote.mode = "macp.mode.task.v1".to_owned();
    accepted(&fixture.send(&vote));
}

#[test]
fn rule_4_the_payload_is_a_session_start_and_its_ttl_within_a_day() {
    let mut fixture = TestKernel::new();
    for bytes in [vec![0xff], vec![0x0a, 0x05, b'x'], vec![0x0a, 0x02, 0xff, 0xfe]] {
        refused(
            &fixture.send(&envelope("s", "SessionStart", "m", "a", bytes)),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
    }
    for ttl_ms in [-1, i64::MIN, 86_400_001, i64::MAX] {
        let payload = SessionStartPayload { ttl_ms, ..empty() };
        refused(&fixture.send(&start("s", "m", &payload)), Fault::InvalidTtl, Code::InvalidEnvelope);
    }
    for (ttl_ms, expected) in [(0, 60_000), (1, 1), (86_400_000, 86_400_000)] {
        let name = format!("s{ttl_ms}");
        accepted(&fixture.send(&start(&name, "m", &SessionStartPayload { ttl_ms, ..empty() })));
        let told = fixture.kernel.image(&name).unwrap().metadata;
        assert_eq!((told.started_ms, told.expires_ms), (fixture.unix_ms(), fixture.unix_ms() + expected));
    }
    accepted(&fixture.send(&envelope("none", "SessionStart", "m", "a", "")));
    let told = fixture.kernel.image("none").unwrap().metadata;
    assert_eq!(
        (told.expires_ms, &*told.mode_version, &*told.policy_version),
        (fixture.unix_ms() + 60_000, "", "")
    );
}

#[test]
fn rule_4_comes_before_the_bound_of_participants() {
    let mut fixture = TestKernel::with(limits::Macp { participants_max: 16, ..limits::Macp::default() });
    let mut listed = participants(&["a"; 17]).encode_to_vec();
    let Answer::Declined { status: Status::ResourceExhausted, .. } =
        fixture.receive(&envelope("s", "SessionStart", "m", "a", listed.clone()))
    else {
        panic!()
    };
    // An intent that is no text, and a participant that is none.
    for wrong in [b"\x0a\x01\xff", b"\x12\x01\xff"] {
        listed.extend_from_slice(wrong);
        refused(
            &fixture.send(&envelope("s", "SessionStart", "m", "a", listed.clone())),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
        listed.truncate(listed.len() - wrong.len());
    }
}

#[test]
fn rule_4_comes_before_rule_5() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m", &empty())));
    refused(
        &fixture.send(&start("s", "m", &SessionStartPayload { ttl_ms: -1, ..empty() })),
        Fault::InvalidTtl,
        Code::InvalidEnvelope,
    );
}

#[test]
fn rule_5_a_start_is_a_duplicate_by_any_id_of_its_session_and_refused_by_another() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &empty())));
    let begun = fixture.unix_ms();
    fixture.ms += 10;
    accepted(&fixture.send_text("s", "Proposal", "m2", "a", r#"{"proposal_id":"p"}"#));
    let proposed = fixture.unix_ms();
    fixture.ms += 10;
    let records = fixture.log.len();
    let ack = fixture.send(&start("s", "m1", &empty()));
    assert_eq!(
        (ack.error.clone(), ack.is_duplicate, ack.at_ms, ack.state),
        (None, true, begun, Some(SessionState::Open))
    );
    // Any id that was seen there makes it a duplicate (ruling MACP 6), whatever the start says.
    let ack = fixture.send(&rounds("s", "m2", &["x"]));
    assert_eq!((ack.is_duplicate, ack.at_ms), (true, proposed));
    refused(&fixture.send(&start("s", "m3", &empty())), Fault::DuplicateSession, Code::InvalidEnvelope);
    assert_eq!(fixture.log.len(), records);
}

#[test]
fn rule_5_comes_before_what_the_mode_says() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&rounds("s", "m1", &["a"])));
    refused(&fixture.send(&rounds("s", "m2", &[])), Fault::DuplicateSession, Code::InvalidEnvelope);
    refused(&fixture.send(&rounds("t", "m1", &[])), Fault::InvalidPayload, Code::InvalidEnvelope);
    assert_eq!(fixture.state_of("t"), Err(Status::NotFound), "a start that is rejected makes no session");
    accepted(&fixture.send(&rounds("t", "m1", &["a"])));
}

#[test]
fn rule_6_a_message_needs_a_session() {
    let mut fixture = TestKernel::new();
    let ack = fixture.send_text("s", "Vote", "m", "a", "{}");
    refused(&ack, Fault::UnknownSession, Code::SessionNotFound);
    assert_eq!((ack.state, ack.at_ms), (None, fixture.unix_ms()));
}

#[test]
fn rule_7_a_message_is_taken_once_whatever_comes_behind_the_rule() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &participants(&["a"]))));
    accepted(&fixture.send_text("s", "Proposal", "m2", "a", r#"{"proposal_id":"p"}"#));
    let at = fixture.unix_ms();
    fixture.ms += 5;
    let records = fixture.log.len();
    // Another payload, another type, a sender who is none of the participants: it is the same message.
    let ack = fixture.send_text("s", "Vote", "m2", "mallory", "no json");
    assert_eq!((ack.error, ack.is_duplicate, ack.at_ms), (None, true, at));
    // After the session's end too: rule 7 comes before rules 8 and 9.
    fixture.cancel("s", "");
    let ack = fixture.send_text("s", "Proposal", "m2", "a", "");
    assert_eq!((ack.is_duplicate, ack.state), (true, Some(SessionState::Expired)));
    assert_eq!(fixture.log.len(), records + 1);
}

#[test]
fn a_message_that_is_rejected_is_judged_anew() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &empty())));
    refused(
        &fixture.send_text("s", "Evaluation", "m2", "a", r#"{"proposal_id":"p"}"#),
        Fault::InvalidPayload,
        Code::InvalidEnvelope,
    );
    accepted(&fixture.send_text("s", "Proposal", "m3", "a", r#"{"proposal_id":"p"}"#));
    accepted(&fixture.send_text("s", "Evaluation", "m2", "a", r#"{"proposal_id":"p"}"#));
    assert_eq!(fixture.log.len(), 3, "what is rejected leaves no record");
}

#[test]
fn rule_8_the_ttl_is_over_behind_its_expiry_and_not_at_it() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &SessionStartPayload { ttl_ms: 100, ..empty() })));
    fixture.ms = 100;
    accepted(&fixture.send_text("s", "Unheard", "m2", "a", ""));
    fixture.ms = 101;
    // Rule 7 comes before: a retry is answered as ever, and notices nothing.
    let ack = fixture.send_text("s", "Unheard", "m2", "a", "");
    assert_eq!((ack.is_duplicate, ack.state), (true, Some(SessionState::Open)));
    let ack = fixture.send_text("s", "Unheard", "m3", "a", "");
    refused(&ack, Fault::TtlExpired, Code::SessionNotOpen);
    assert_eq!(ack.state, Some(SessionState::Expired));
    refused(&fixture.send_text("s", "Unheard", "m3", "a", ""), Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(fixture.log.len(), 3, "its start, a message, the expiry");
}

#[test]
fn rule_8_comes_before_the_participants() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &SessionStartPayload { ttl_ms: 100, ..participants(&["a"]) })));
    fixture.ms = 101;
    refused(&fixture.send_text("s", "Vote", "m2", "mallory", ""), Fault::TtlExpired, Code::SessionNotOpen);
}

#[test]
fn rule_9_what_has_ended_takes_nothing_and_comes_before_the_participants() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &participants(&["a"]))));
    fixture.cancel("s", "enough");
    let ack = fixture.send_text("s", "Vote", "m2", "mallory", "");
    refused(&ack, Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(ack.state, Some(SessionState::Expired));
    accepted(&fixture.send(&start("r", "m1", &participants(&["a"]))));
    assert_eq!(fixture.send_text("r", "Message", "m2", "a", "resolve").state, Some(SessionState::Resolved));
    let ack = fixture.send_text("r", "Message", "m3", "mallory", "");
    refused(&ack, Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(ack.state, Some(SessionState::Resolved));
    // A session that is resolved does not expire.
    fixture.ms += 60_001;
    assert_eq!(fixture.send_text("r", "Message", "m3", "a", "").state, Some(SessionState::Resolved));
}

#[test]
fn rule_10_only_participants_take_part_where_some_are_listed() {
    let mut fixture = TestKernel::new();
    // Who begins a session need not be one (ruling MACP 6).
    accepted(&fixture.send(&start("s", "m1", &participants(&["bob", "carol"]))));
    for sender in ["alice", "", "Bob", "bob "] {
        refused(
            &fixture.send_text("s", "Vote", "m2", sender, "no json"),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
    }
    accepted(&fixture.send_text("s", "Unheard", "m2", "bob", ""));
    accepted(&fixture.send(&start("open", "m1", &empty())));
    for (n, sender) in ["anybody", ""].into_iter().enumerate() {
        accepted(&fixture.send_text("open", "Unheard", &format!("m{n}x"), sender, ""));
    }
}

#[test]
fn rule_11_what_the_mode_rejects_is_told_and_changes_nothing() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &empty())));
    let before = fixture.kernel.image("s");
    let ack = fixture.send_text("s", "Commitment", "m2", "a", "{}");
    refused(&ack, Fault::InvalidPayload, Code::InvalidEnvelope);
    assert_eq!((ack.state, fixture.kernel.image("s")), (Some(SessionState::Open), before));
}
