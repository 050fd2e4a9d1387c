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
    let mut house = TestKernel::new();
    for version in ["", "v1", "1.1", "1.0 "] {
        let mut message = envelope("", "", "", "", "");
        message.macp_version = version.to_owned();
        let ack = house.send(&message);
        refused(&ack, Fault::InvalidMacpVersion, Code::UnsupportedProtocolVersion);
        assert_eq!(ack.state, None, "there is no such session");
    }
    accepted(&house.send(&start("s", "m", &empty())));
    let mut message = envelope("s", "Vote", "m", "a", "");
    message.macp_version = "v1".to_owned();
    assert_eq!(
        house.send(&message).state,
        Some(SessionState::Open),
        "an error tells how the session stands that exists"
    );
}

#[test]
fn rule_2_ids_are_required_and_a_signal_needs_no_session() {
    let mut house = TestKernel::new();
    for (session, message_type, id) in [
        ("", "SessionStart", "m"),
        ("s", "SessionStart", ""),
        ("", "Vote", "m"),
        ("s", "", ""),
        ("s", "Signal", ""),
        ("", "Signal", ""),
    ] {
        refused(
            &house.send(&envelope(session, message_type, id, "a", "")),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
    }
    let ack = house.send(&envelope("", "Signal", "m", "", ""));
    accepted(&ack);
    assert_eq!(ack.state, Some(SessionState::Open));
    let again = house.send(&envelope("nowhere", "Signal", "m", "", vec![0xff]));
    accepted(&again);
    assert!(
        house.log.is_empty() && house.transitions.is_empty(),
        "a signal is acknowledged and nothing else"
    );
}

#[test]
fn a_payload_is_measured_after_rule_2_and_before_all_others() {
    let mut house = TestKernel::with(limits::Macp { payload_bytes_max: 1_024, ..limits::Macp::default() });
    let long = vec![b' '; 1_025];
    refused(
        &house.send(&envelope("s", "Vote", "", "a", long.clone())),
        Fault::InvalidEnvelope,
        Code::InvalidEnvelope,
    );
    let mut message = envelope("s", "SessionStart", "m", "a", long.clone());
    message.mode = "nothing".to_owned();
    refused(&house.send(&message), Fault::PayloadTooLarge, Code::PayloadTooLarge);
    refused(
        &house.send(&envelope("s", "Vote", "m", "a", long.clone())),
        Fault::PayloadTooLarge,
        Code::PayloadTooLarge,
    );
    refused(
        &house.send(&envelope("", "Signal", "m", "a", long)),
        Fault::PayloadTooLarge,
        Code::PayloadTooLarge,
    );
    accepted(&house.send(&envelope("", "Signal", "m", "a", vec![b' '; 1_024])));
}

#[test]
fn the_time_that_a_client_says_is_used_for_nothing() {
    let at = |timestamp_unix_ms| {
        let mut house = TestKernel::new();
        let with = |message| Envelope { timestamp_unix_ms, ..message };
        let messages = [
            start("s", "m", &empty()),
            envelope("s", "Unheard", "m1", "a", ""),
            envelope("", "Signal", "m2", "a", ""),
        ];
        let mut acks: Vec<_> = messages.map(|message| house.send(&with(message))).into();
        house.ms += 60_001;
        acks.push(house.send(&with(envelope("s", "Unheard", "m3", "a", ""))));
        (acks, house.kernel.image("s").unwrap().metadata)
    };
    for timestamp in [i64::MIN, -1, 0, i64::MAX] {
        assert_eq!(at(timestamp), at(1));
    }
}

#[test]
fn rule_3_the_mode_must_be_registered() {
    let mut house = TestKernel::new();
    let mut message = start("s", "m", &empty());
    message.mode = "macp.mode.task.v1".to_owned();
    // Its payload is worse, and comes later.
    message.payload = vec![0xff].into();
    refused(&house.send(&message), Fault::UnknownMode, Code::ModeNotSupported);
    let with_mode =
        |mode: &str| Envelope { mode: mode.to_owned(), ..start(mode, "m", &participants(&["a"])) };
    for mode in ["macp.mode.decision.v1", "decision", "macp.mode.multi_round.v1", "multi_round"] {
        accepted(&house.send(&with_mode(mode)));
        assert_eq!(&*house.kernel.image(mode).unwrap().metadata.mode, mode, "it is told as it was sent");
    }
    accepted(&house.send(&start("empty", "m", &empty())));
    assert_eq!(&*house.kernel.image("empty").unwrap().metadata.mode, "macp.mode.decision.v1");
    let mut vote = envelope("empty", "Unheard", "m2", "a", "");
    vote.mode = "macp.mode.task.v1".to_owned();
    accepted(&house.send(&vote));
}

#[test]
fn rule_4_the_payload_is_a_session_start_and_its_ttl_within_a_day() {
    let mut house = TestKernel::new();
    for bytes in [vec![0xff], vec![0x0a, 0x05, b'x'], vec![0x0a, 0x02, 0xff, 0xfe]] {
        refused(
            &house.send(&envelope("s", "SessionStart", "m", "a", bytes)),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
    }
    for ttl_ms in [-1, i64::MIN, 86_400_001, i64::MAX] {
        let payload = SessionStartPayload { ttl_ms, ..empty() };
        refused(&house.send(&start("s", "m", &payload)), Fault::InvalidTtl, Code::InvalidEnvelope);
    }
    for (ttl_ms, expected) in [(0, 60_000), (1, 1), (86_400_000, 86_400_000)] {
        let name = format!("s{ttl_ms}");
        accepted(&house.send(&start(&name, "m", &SessionStartPayload { ttl_ms, ..empty() })));
        let told = house.kernel.image(&name).unwrap().metadata;
        assert_eq!((told.started_ms, told.expires_ms), (house.unix_ms(), house.unix_ms() + expected));
    }
    accepted(&house.send(&envelope("none", "SessionStart", "m", "a", "")));
    let told = house.kernel.image("none").unwrap().metadata;
    assert_eq!(
        (told.expires_ms, &*told.mode_version, &*told.policy_version),
        (house.unix_ms() + 60_000, "", "")
    );
}

#[test]
fn rule_4_comes_before_the_bound_of_participants() {
    let mut house = TestKernel::with(limits::Macp { participants_max: 16, ..limits::Macp::default() });
    let mut listed = participants(&["a"; 17]).encode_to_vec();
    let Answer::Declined { status: Status::ResourceExhausted, .. } =
        house.receive(&envelope("s", "SessionStart", "m", "a", listed.clone()))
    else {
        panic!()
    };
    // An intent that is no text, and a participant that is none.
    for wrong in [b"\x0a\x01\xff", b"\x12\x01\xff"] {
        listed.extend_from_slice(wrong);
        refused(
            &house.send(&envelope("s", "SessionStart", "m", "a", listed.clone())),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
        listed.truncate(listed.len() - wrong.len());
    }
}

#[test]
fn rule_4_comes_before_rule_5() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m", &empty())));
    refused(
        &house.send(&start("s", "m", &SessionStartPayload { ttl_ms: -1, ..empty() })),
        Fault::InvalidTtl,
        Code::InvalidEnvelope,
    );
}

#[test]
fn rule_5_a_start_is_a_duplicate_by_any_id_of_its_session_and_refused_by_another() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &empty())));
    let begun = house.unix_ms();
    house.ms += 10;
    accepted(&house.send_text("s", "Proposal", "m2", "a", r#"{"proposal_id":"p"}"#));
    let proposed = house.unix_ms();
    house.ms += 10;
    let records = house.log.len();
    let ack = house.send(&start("s", "m1", &empty()));
    assert_eq!(
        (ack.error.clone(), ack.is_duplicate, ack.at_ms, ack.state),
        (None, true, begun, Some(SessionState::Open))
    );
    // Any id that was seen there makes it a duplicate (ruling MACP 6), whatever the start says.
    let ack = house.send(&rounds("s", "m2", &["x"]));
    assert_eq!((ack.is_duplicate, ack.at_ms), (true, proposed));
    refused(&house.send(&start("s", "m3", &empty())), Fault::DuplicateSession, Code::InvalidEnvelope);
    assert_eq!(house.log.len(), records);
}

#[test]
fn rule_5_comes_before_what_the_mode_says() {
    let mut house = TestKernel::new();
    accepted(&house.send(&rounds("s", "m1", &["a"])));
    refused(&house.send(&rounds("s", "m2", &[])), Fault::DuplicateSession, Code::InvalidEnvelope);
    refused(&house.send(&rounds("t", "m1", &[])), Fault::InvalidPayload, Code::InvalidEnvelope);
    assert_eq!(house.state_of("t"), Err(Status::NotFound), "a start that is rejected makes no session");
    accepted(&house.send(&rounds("t", "m1", &["a"])));
}

#[test]
fn rule_6_a_message_needs_a_session() {
    let mut house = TestKernel::new();
    let ack = house.send_text("s", "Vote", "m", "a", "{}");
    refused(&ack, Fault::UnknownSession, Code::SessionNotFound);
    assert_eq!((ack.state, ack.at_ms), (None, house.unix_ms()));
}

#[test]
fn rule_7_a_message_is_taken_once_whatever_comes_behind_the_rule() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &participants(&["a"]))));
    accepted(&house.send_text("s", "Proposal", "m2", "a", r#"{"proposal_id":"p"}"#));
    let at = house.unix_ms();
    house.ms += 5;
    let records = house.log.len();
    // Another payload, another type, a sender who is none of the participants: it is the same message.
    let ack = house.send_text("s", "Vote", "m2", "mallory", "no json");
    assert_eq!((ack.error, ack.is_duplicate, ack.at_ms), (None, true, at));
    // After the session's end too: rule 7 comes before rules 8 and 9.
    house.cancel("s", "");
    let ack = house.send_text("s", "Proposal", "m2", "a", "");
    assert_eq!((ack.is_duplicate, ack.state), (true, Some(SessionState::Expired)));
    assert_eq!(house.log.len(), records + 1);
}

#[test]
fn a_message_that_is_rejected_is_judged_anew() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &empty())));
    refused(
        &house.send_text("s", "Evaluation", "m2", "a", r#"{"proposal_id":"p"}"#),
        Fault::InvalidPayload,
        Code::InvalidEnvelope,
    );
    accepted(&house.send_text("s", "Proposal", "m3", "a", r#"{"proposal_id":"p"}"#));
    accepted(&house.send_text("s", "Evaluation", "m2", "a", r#"{"proposal_id":"p"}"#));
    assert_eq!(house.log.len(), 3, "what is rejected leaves no record");
}

#[test]
fn rule_8_the_ttl_is_over_behind_its_expiry_and_not_at_it() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &SessionStartPayload { ttl_ms: 100, ..empty() })));
    house.ms = 100;
    accepted(&house.send_text("s", "Unheard", "m2", "a", ""));
    house.ms = 101;
    // Rule 7 comes before: a retry is answered as ever, and notices nothing.
    let ack = house.send_text("s", "Unheard", "m2", "a", "");
    assert_eq!((ack.is_duplicate, ack.state), (true, Some(SessionState::Open)));
    let ack = house.send_text("s", "Unheard", "m3", "a", "");
    refused(&ack, Fault::TtlExpired, Code::SessionNotOpen);
    assert_eq!(ack.state, Some(SessionState::Expired));
    refused(&house.send_text("s", "Unheard", "m3", "a", ""), Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(house.log.len(), 3, "its start, a message, the expiry");
}

#[test]
fn rule_8_comes_before_the_participants() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &SessionStartPayload { ttl_ms: 100, ..participants(&["a"]) })));
    house.ms = 101;
    refused(&house.send_text("s", "Vote", "m2", "mallory", ""), Fault::TtlExpired, Code::SessionNotOpen);
}

#[test]
fn rule_9_what_has_ended_takes_nothing_and_comes_before_the_participants() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &participants(&["a"]))));
    house.cancel("s", "enough");
    let ack = house.send_text("s", "Vote", "m2", "mallory", "");
    refused(&ack, Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(ack.state, Some(SessionState::Expired));
    accepted(&house.send(&start("r", "m1", &participants(&["a"]))));
    assert_eq!(house.send_text("r", "Message", "m2", "a", "resolve").state, Some(SessionState::Resolved));
    let ack = house.send_text("r", "Message", "m3", "mallory", "");
    refused(&ack, Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(ack.state, Some(SessionState::Resolved));
    // A session that is resolved does not expire.
    house.ms += 60_001;
    assert_eq!(house.send_text("r", "Message", "m3", "a", "").state, Some(SessionState::Resolved));
}

#[test]
fn rule_10_only_participants_take_part_where_some_are_listed() {
    let mut house = TestKernel::new();
    // Who begins a session need not be one (ruling MACP 6).
    accepted(&house.send(&start("s", "m1", &participants(&["bob", "carol"]))));
    for sender in ["alice", "", "Bob", "bob "] {
        refused(
            &house.send_text("s", "Vote", "m2", sender, "no json"),
            Fault::InvalidEnvelope,
            Code::InvalidEnvelope,
        );
    }
    accepted(&house.send_text("s", "Unheard", "m2", "bob", ""));
    accepted(&house.send(&start("open", "m1", &empty())));
    for (n, sender) in ["anybody", ""].into_iter().enumerate() {
        accepted(&house.send_text("open", "Unheard", &format!("m{n}x"), sender, ""));
    }
}

#[test]
fn rule_11_what_the_mode_rejects_is_told_and_changes_nothing() {
    let mut house = TestKernel::new();
    accepted(&house.send(&start("s", "m1", &empty())));
    let before = house.kernel.image("s");
    let ack = house.send_text("s", "Commitment", "m2", "a", "{}");
    refused(&ack, Fault::InvalidPayload, Code::InvalidEnvelope);
    assert_eq!((ack.state, house.kernel.image("s")), (Some(SessionState::Open), before));
}
