//! The validation rules in their order, the error table's rows, defaults.

use prost::Message as _;

use super::test_kernel::{TestKernel, accepted, envelope, participants, refused, rounds, start};
use crate::{
    limits,
    macp::{
        Code, Fault, SessionState, Status,
        kernel::{Answer, Input, Lookup, parse_ahead},
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

#[test]
fn what_the_protocol_has_no_error_for_ends_the_call_and_names_the_bound() {
    let declined = |answer: Answer| match answer {
        Answer::Declined { status, why } => (status, why),
        answer => panic!("{answer:?}"),
    };
    let limits = limits::Macp {
        open_max: 2,
        session_messages_max: 100,
        session_bytes_max: 65_536,
        ..limits::Macp::default()
    };
    let mut house = TestKernel::with(limits);
    accepted(&house.send(&start("s", "m", &empty())));
    accepted(&house.send(&start("t", "m", &empty())));
    let (status, why) = declined(house.receive(&start("u", "m", &empty())));
    assert!(status == Status::ResourceExhausted && why.contains("limits.macp.open_max"), "{why}");
    assert!(house.send(&start("t", "m", &empty())).is_duplicate, "what is there is there");
    house.cancel("t", "");
    accepted(&house.send(&start("u", "m", &empty())));
    for n in 0..100 {
        accepted(&house.send_text("s", "Unheard", &format!("m{n}"), "a", ""));
    }
    let (_, why) = declined(house.receive(&envelope("s", "Unheard", "one more", "a", "")));
    assert!(why.contains("limits.macp.session_messages_max"), "{why}");
    let (_, why) = declined(house.receive(&envelope("u", "Unheard", "m1", "a", vec![0; 65_536])));
    assert!(why.contains("limits.macp.session_bytes_max"), "{why}");
    accepted(&house.send_text("u", "Unheard", "m1", "a", ""));
    // No mode knows the type, and the log has it.
    let (_, why) = declined(house.receive(&envelope("u", &"x".repeat(65_536), "m2", "a", "")));
    assert!(why.contains("limits.macp.session_bytes_max"), "{why}");
    // Two bytes each on the way, more where they are kept.
    house.cancel("u", "");
    let (_, why) = declined(house.receive(&start("v", "m", &participants(&vec![""; 5_000]))));
    assert!(why.contains("limits.macp.session_bytes_max"), "{why}");
}

/// One byte more than a name that is kept may have.
fn long() -> String {
    "x".repeat(1_025)
}

#[track_caller]
fn too_long(ack: &crate::macp::kernel::Acked, name: &str) {
    refused(ack, Fault::InvalidEnvelope, Code::InvalidEnvelope);
    let (_, why) = ack.error.as_ref().unwrap();
    assert_eq!(why, &format!("{name} has 1025 bytes; limits.macp.id_bytes_max allows 1024"));
}

#[test]
fn a_name_that_is_too_long_to_be_kept_is_refused_behind_every_rule_of_the_text() {
    let mut house = TestKernel::new();
    let long = long();
    // Rules 3 and 4, then 5.
    let of_mode = |mode: &str| Envelope {
        mode: mode.to_owned(),
        ..envelope(&long, "SessionStart", &long, &long, vec![0xff])
    };
    refused(&house.send(&of_mode("no mode")), Fault::UnknownMode, Code::ModeNotSupported);
    refused(&house.send(&of_mode("")), Fault::InvalidEnvelope, Code::InvalidEnvelope);
    assert!(!house.send(&of_mode("")).error.unwrap().1.contains("limits"));
    refused(
        &house.send(&start(&long, "m", &SessionStartPayload { ttl_ms: -1, ..empty() })),
        Fault::InvalidTtl,
        Code::InvalidEnvelope,
    );
    accepted(&house.send(&start("s", "m", &participants(&["a"]))));
    refused(&house.send(&start("s", &long, &empty())), Fault::DuplicateSession, Code::InvalidEnvelope);
    // Rules 6, 9 and 10.
    refused(&house.send_text(&long, "Vote", &long, &long, ""), Fault::UnknownSession, Code::SessionNotFound);
    refused(
        &house.send_text("s", "Vote", &long, "b", "no json"),
        Fault::InvalidEnvelope,
        Code::InvalidEnvelope,
    );
    assert!(house.send_text("s", "Vote", &long, "b", "").error.unwrap().1.contains("no participant"));
    accepted(&house.send(&start("ended", "m", &empty())));
    house.cancel("ended", "");
    refused(&house.send_text("ended", "Vote", &long, &long, ""), Fault::SessionNotOpen, Code::SessionNotOpen);
    // Behind them, before the mode.
    let (records, image) = (house.log.len(), house.kernel.image("s"));
    too_long(&house.send_text("s", "Vote", &long, "a", "no json"), "message_id");
    accepted(&house.send(&start("open", "m", &empty())));
    too_long(&house.send_text("open", "Vote", "m2", &long, "no json"), "sender");
    too_long(&house.send(&start(&long, "m", &empty())), "session_id");
    too_long(&house.send(&start("t", &long, &empty())), "message_id");
    too_long(&house.send(&Envelope { sender: long.clone(), ..rounds("t", "m", &[]) }), "sender");
    assert_eq!((house.log.len(), house.kernel.image("s")), (records + 1, image), "nothing is recorded");
    let ack = house.send_text("s", "Vote", &long, "a", "");
    assert_eq!((ack.state, ack.at_ms), (Some(SessionState::Open), house.unix_ms()));
    assert_eq!(house.send(&start(&long, "m", &empty())).state, None);
    // A byte less is kept.
    accepted(&house.send_text("s", "Unheard", &long[1..], "a", ""));
    accepted(&house.send(&start(&long[1..], &long[1..], &empty())));
}

#[test]
fn what_is_not_kept_may_be_of_any_length() {
    let mut house = TestKernel::new();
    let long = "x".repeat(100_000);
    accepted(&house.send_text(&long, "Signal", &long, &long, ""));
    accepted(&house.send(&start("s", "m", &empty())));
    accepted(&house.send_text("s", &long, "m1", "a", ""));
    accepted(&house.send(&Envelope { mode: long.clone(), ..envelope("s", "Unheard", "m2", "a", "") }));
    assert_eq!(house.state_of(&long), Err(Status::NotFound));
    refused(&house.cancel(&long, &long), Fault::UnknownSession, Code::SessionNotFound);
    let rebuilt = house.replayed();
    assert_eq!(rebuilt.images(), house.kernel.images());
}

#[test]
fn a_session_lists_nobody_who_could_not_speak() {
    let mut house = TestKernel::new();
    let long = long();
    too_long(&house.send(&rounds("s", "m", &["a", &long])), "participants[1]");
    too_long(&house.send(&start("s", "m", &participants(&[&long]))), "participants[0]");
    assert!(house.log.is_empty());
    accepted(&house.send(&rounds("s", "m", &["a", &long[1..]])));
    accepted(&house.send_text("s", "Contribute", "m1", &long[1..], r#"{"value":"x"}"#));
}

#[test]
fn what_is_not_durable_is_bounded() {
    let mut house = TestKernel::with(limits::Macp { unsaved_bytes_max: 10_000, ..limits::Macp::default() });
    accepted(&house.send(&start("s", "m", &empty())));
    accepted(&house.send(&envelope("s", "Unheard", "m1", "a", vec![0; 9_000])));
    let Answer::Declined { status: Status::Unavailable, why } =
        house.receive(&envelope("s", "Unheard", "m2", "a", vec![0; 9_000]))
    else {
        panic!()
    };
    assert!(why.contains("limits.macp.unsaved_bytes_max"), "{why}");
    house.durable();
    accepted(&house.send(&envelope("s", "Unheard", "m2", "a", vec![0; 9_000])));
}

#[test]
fn a_long_payload_that_was_parsed_before_is_judged_as_one_that_was_not() {
    let limits = limits::Macp::default();
    let long = "x".repeat(20_000);
    let payload = |listed: usize| SessionStartPayload {
        participants: vec!["a".to_owned(); listed],
        intent: long.clone(),
        ..SessionStartPayload::default()
    };
    let messages = [
        start("s", "m0", &payload(1)),
        start("t", "m0", &payload(10_001)),
        start("s", "m9", &payload(1)),
        envelope("t", "SessionStart", "m0", "a", vec![0xff; 20_000]),
        rounds("r", "m0", &vec!["a"; 9_000]),
        envelope("s", "Proposal", "m1", "a", format!(r#"{{"proposal_id":"p","option":"{long}"}}"#)),
        envelope("s", "Evaluation", "m2", "a", format!(r#"{{"proposal_id":"p","reason":"{long}"}}"#)),
        envelope("s", "Objection", "m3", "a", format!(r#"{{"proposal_id":"p","reason":"{long}"}}"#)),
        envelope("s", "Vote", "m4", "a", format!(r#"{{"proposal_id":"p","reason":"{long}"}}"#)),
        envelope("s", "Vote", "m5", "a", long.clone()),
        envelope("s", "Evaluation", "m6", "a", format!(r#"{{"proposal_id":"{long}"}}"#)),
        envelope("s", "Contribute", "m7", "a", format!(r#"{{"value":"{long}"}}"#)),
        envelope("r", "Vote", "m1", "a", format!(r#"{{"proposal_id":"p","reason":"{long}"}}"#)),
        envelope("r", "Contribute", "m2", "a", format!(r#"{{"value":7,"more":"{long}"}}"#)),
        envelope("s", "Commitment", "m8", "a", format!(r#"{{"action":"{long}"}}"#)),
        envelope("r", "Contribute", "m3", "a", format!(r#"{{"value":"{long}"}}"#)),
    ];
    let (mut plain, mut ahead) = (TestKernel::new(), TestKernel::new());
    for message in &messages {
        let parsed = parse_ahead(message, &limits);
        assert!(parsed.is_some(), "{}", message.message_type);
        let bytes = bytes::Bytes::from(message.encode_to_vec());
        let input =
            Input::Message { envelope: message, bytes, parsed: parsed.as_ref(), lookup: Lookup::NotAsked };
        assert_eq!(ahead.input(input), Some(Ok(plain.receive(message))), "{}", message.message_type);
    }
    assert_eq!((ahead.kernel.images(), ahead.log), (plain.kernel.images(), plain.log));
    assert!(parse_ahead(&envelope("s", "Vote", "m", "a", "{}"), &limits).is_none(), "short ones are not");
    assert!(parse_ahead(&envelope("s", "Unheard", "m", "a", long.clone()), &limits).is_none());
    assert!(
        parse_ahead(&envelope("s", "Vote", &long, "a", long.clone()), &limits).is_none(),
        "nor what no mode sees"
    );
    assert!(
        parse_ahead(&envelope("s", "SessionStart", &long, "a", long.clone()), &limits).is_some(),
        "rule 4 is before that"
    );
}
