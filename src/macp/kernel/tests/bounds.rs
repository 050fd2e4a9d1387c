//! What the protocol has no error for: bounds of names, payloads and what is not durable.

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

#[test]
fn a_peer_opens_no_more_sessions_than_its_share() {
    let mut fixture = TestKernel::with(limits::Macp { peer_sessions_max: 2, ..limits::Macp::default() });
    let open = |id| start(id, "m", &SessionStartPayload::default());
    fixture.peer_sessions = 1;
    accepted(&fixture.send(&open("s")));
    fixture.peer_sessions = 2;
    match fixture.receive(&open("t")) {
        Answer::Declined { status: Status::ResourceExhausted, why } => {
            assert!(why.contains("limits.macp.peer_sessions_max"), "{why}");
        }
        answer => panic!("{answer:?}"),
    }
    assert!(fixture.send(&open("s")).is_duplicate, "what is there is there");
    let of_no_mode = Envelope { mode: "none".to_owned(), ..open("t") };
    refused(&fixture.send(&of_no_mode), Fault::UnknownMode, Code::ModeNotSupported);
    accepted(&fixture.send_text("s", "Unheard", "m1", "a", ""));
    fixture.peer_sessions = 1;
    accepted(&fixture.send(&open("t")));
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
    let mut fixture = TestKernel::with(limits);
    accepted(&fixture.send(&start("s", "m", &SessionStartPayload::default())));
    accepted(&fixture.send(&start("t", "m", &SessionStartPayload::default())));
    let (status, why) = declined(fixture.receive(&start("u", "m", &SessionStartPayload::default())));
    assert!(status == Status::ResourceExhausted && why.contains("limits.macp.open_max"), "{why}");
    assert!(
        fixture.send(&start("t", "m", &SessionStartPayload::default())).is_duplicate,
        "what is there is there"
    );
    fixture.cancel("t", "");
    accepted(&fixture.send(&start("u", "m", &SessionStartPayload::default())));
    for n in 0..100 {
        accepted(&fixture.send_text("s", "Unheard", &format!("m{n}"), "a", ""));
    }
    let (_, why) = declined(fixture.receive(&envelope("s", "Unheard", "one more", "a", "")));
    assert!(why.contains("limits.macp.session_messages_max"), "{why}");
    let (_, why) = declined(fixture.receive(&envelope("u", "Unheard", "m1", "a", vec![0; 65_536])));
    assert!(why.contains("limits.macp.session_bytes_max"), "{why}");
    accepted(&fixture.send_text("u", "Unheard", "m1", "a", ""));
    // No mode knows the type, and the log has it.
    let (_, why) = declined(fixture.receive(&envelope("u", &"x".repeat(65_536), "m2", "a", "")));
    assert!(why.contains("limits.macp.session_bytes_max"), "{why}");
    // Two bytes each on the way, more where they are kept.
    fixture.cancel("u", "");
    let (_, why) = declined(fixture.receive(&start("v", "m", &participants(&vec![""; 5_000]))));
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
    let mut fixture = TestKernel::new();
    let long = long();
    // Rules 3 and 4, then 5.
    let of_mode = |mode: &str| Envelope {
        mode: mode.to_owned(),
        ..envelope(&long, "SessionStart", &long, &long, vec![0xff])
    };
    refused(&fixture.send(&of_mode("no mode")), Fault::UnknownMode, Code::ModeNotSupported);
    refused(&fixture.send(&of_mode("")), Fault::InvalidEnvelope, Code::InvalidEnvelope);
    assert!(!fixture.send(&of_mode("")).error.unwrap().1.contains("limits"));
    refused(
        &fixture.send(&start(
            &long,
            "m",
            &SessionStartPayload { ttl_ms: -1, ..SessionStartPayload::default() },
        )),
        Fault::InvalidTtl,
        Code::InvalidEnvelope,
    );
    accepted(&fixture.send(&start("s", "m", &participants(&["a"]))));
    refused(
        &fixture.send(&start("s", &long, &SessionStartPayload::default())),
        Fault::DuplicateSession,
        Code::InvalidEnvelope,
    );
    // Rules 6, 9 and 10.
    refused(
        &fixture.send_text(&long, "Vote", &long, &long, ""),
        Fault::UnknownSession,
        Code::SessionNotFound,
    );
    refused(
        &fixture.send_text("s", "Vote", &long, "b", "no json"),
        Fault::InvalidEnvelope,
        Code::InvalidEnvelope,
    );
    assert!(fixture.send_text("s", "Vote", &long, "b", "").error.unwrap().1.contains("not a participant"));
    accepted(&fixture.send(&start("ended", "m", &SessionStartPayload::default())));
    fixture.cancel("ended", "");
    refused(
        &fixture.send_text("ended", "Vote", &long, &long, ""),
        Fault::SessionNotOpen,
        Code::SessionNotOpen,
    );
    // Behind them, before the mode.
    let (records, image) = (fixture.log.len(), fixture.kernel.image("s"));
    too_long(&fixture.send_text("s", "Vote", &long, "a", "no json"), "message_id");
    accepted(&fixture.send(&start("open", "m", &SessionStartPayload::default())));
    too_long(&fixture.send_text("open", "Vote", "m2", &long, "no json"), "sender");
    too_long(&fixture.send(&start(&long, "m", &SessionStartPayload::default())), "session_id");
    too_long(&fixture.send(&start("t", &long, &SessionStartPayload::default())), "message_id");
    too_long(&fixture.send(&Envelope { sender: long.clone(), ..rounds("t", "m", &[]) }), "sender");
    assert_eq!((fixture.log.len(), fixture.kernel.image("s")), (records + 1, image), "nothing is recorded");
    let ack = fixture.send_text("s", "Vote", &long, "a", "");
    assert_eq!((ack.state, ack.at_ms), (Some(SessionState::Open), fixture.unix_ms()));
    assert_eq!(fixture.send(&start(&long, "m", &SessionStartPayload::default())).state, None);
    // A byte less is kept.
    accepted(&fixture.send_text("s", "Unheard", &long[1..], "a", ""));
    accepted(&fixture.send(&start(&long[1..], &long[1..], &SessionStartPayload::default())));
}

#[test]
fn what_is_not_kept_may_be_of_any_length() {
    let mut fixture = TestKernel::new();
    let long = "x".repeat(100_000);
    accepted(&fixture.send_text(&long, "Signal", &long, &long, ""));
    accepted(&fixture.send(&start("s", "m", &SessionStartPayload::default())));
    accepted(&fixture.send_text("s", &long, "m1", "a", ""));
    accepted(&fixture.send(&Envelope { mode: long.clone(), ..envelope("s", "Unheard", "m2", "a", "") }));
    assert_eq!(fixture.state_of(&long), Err(Status::NotFound));
    refused(&fixture.cancel(&long, &long), Fault::UnknownSession, Code::SessionNotFound);
    let rebuilt = fixture.replayed();
    assert_eq!(rebuilt.images(), fixture.kernel.images());
}

#[test]
fn a_session_lists_nobody_who_could_not_speak() {
    let mut fixture = TestKernel::new();
    let long = long();
    too_long(&fixture.send(&rounds("s", "m", &["a", &long])), "participants[1]");
    too_long(&fixture.send(&start("s", "m", &participants(&[&long]))), "participants[0]");
    assert!(fixture.log.is_empty());
    accepted(&fixture.send(&rounds("s", "m", &["a", &long[1..]])));
    accepted(&fixture.send_text("s", "Contribute", "m1", &long[1..], r#"{"value":"x"}"#));
}

#[test]
fn what_is_not_durable_is_bounded() {
    let mut fixture = TestKernel::with(limits::Macp { unsaved_bytes_max: 10_000, ..limits::Macp::default() });
    accepted(&fixture.send(&start("s", "m", &SessionStartPayload::default())));
    accepted(&fixture.send(&envelope("s", "Unheard", "m1", "a", vec![0; 9_000])));
    let Answer::Declined { status: Status::Unavailable, why } =
        fixture.receive(&envelope("s", "Unheard", "m2", "a", vec![0; 9_000]))
    else {
        panic!()
    };
    assert!(why.contains("limits.macp.unsaved_bytes_max"), "{why}");
    fixture.durable();
    accepted(&fixture.send(&envelope("s", "Unheard", "m2", "a", vec![0; 9_000])));
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
        let input = Input::Message {
            envelope: message,
            bytes,
            parsed: parsed.as_ref(),
            peer_sessions: 0,
            traceparent: None,
            lookup: Lookup::NotAsked,
        };
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

#[test]
fn on_a_disk_that_is_nearly_full_nothing_is_taken_that_would_be_kept_and_sessions_can_be_cancelled() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&rounds("s", "m1", &["a", "b"])));
    fixture.kernel.set_disk_low(true);
    let is_exhausted = |answer: Answer| matches!(answer, Answer::Declined { status: Status::ResourceExhausted, ref why } if why.contains("disk_free_bytes_min"));
    assert!(is_exhausted(fixture.receive(&rounds("t", "m1", &["a", "b"]))));
    assert!(is_exhausted(fixture.receive(&envelope("s", "Contribute", "m2", "a", r#"{"value":"1"}"#))));
    assert!(fixture.send(&rounds("s", "m1", &["a", "b"])).is_duplicate, "what is kept is told again");
    accepted(&fixture.cancel("s", "no room"));
    fixture.kernel.set_disk_low(false);
    accepted(&fixture.send(&rounds("t", "m1", &["a", "b"])));
}
