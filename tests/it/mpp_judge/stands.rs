//! Frames of an adapter, on a connection that there is and on one that there is not yet.

use std::time::Duration;

use rl_console::{
    ids::ConnectionId,
    judged::{Certainty, Doubt, Judged, Pending},
    limits,
    mpp::{Fault, HelloReason, Stand, Verdict, Violation},
};

use crate::harness::{
    HELLO, Request, Store, TestBridge,
    judged::{agrees, says_no_token, text, verdict},
    pack,
};

const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

fn protocol(violation: Violation) -> Verdict {
    Verdict::Refused(Fault::Protocol { code: violation.code(), violation })
}

fn hello_refused(reason: HelloReason) -> Verdict {
    Verdict::Refused(Fault::Hello(reason))
}

fn judge(world: &TestBridge, stand: &Stand, line: &str) -> Judged {
    let wire = format!("{line}\n");
    let judged = world.bridge.judge(world.now, stand, format!("{wire}behind").as_bytes());
    assert_eq!(judged.taken_bytes, wire.len(), "only the first line is judged");
    says_no_token(&judged);
    judged
}

fn answers(judged: &Judged) -> Vec<&str> {
    judged.answers.iter().map(|answer| text(&answer.bytes)).collect()
}

/// An adapter with 1 dispatched on default, 2 in applied and in flight on boss, 3 ended, 4 pending.
fn busy() -> (TestBridge, ConnectionId) {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.enqueue("spawn", "{}");
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"boss"}"#);
    world.line(conn, r#"{"mpp":2,"type":"applied","id":2,"result":null}"#);
    world.line(conn, PULL);
    world.line(conn, r#"{"mpp":2,"type":"failed","id":1,"reason":"x"}"#);
    world.enqueue("free", "{}");
    world.line(conn, PULL);
    world.enqueue("free", "{}");
    (world, conn)
}

#[test]
fn a_line_that_is_accepted_says_what_it_changes() {
    let (world, conn) = busy();
    let cases = [
        (r#"{"mpp":2,"type":"ack","id":3}"#, Some("3 acked"), Certainty::AsOfNow),
        (
            r#"{"mpp":2,"type":"applied","id":3,"result":null}"#,
            Some("3 dispatched → applied, queue default free"),
            Certainty::AsOfNow,
        ),
        (r#"{"mpp":2,"type":"done","id":2}"#, Some("2 applied → done, queue boss free"), Certainty::AsOfNow),
        (
            r#"{"mpp":2,"type":"failed","id":3,"reason":"item not found","refund":true}"#,
            Some("3 dispatched → refunded, queue default free"),
            Certainty::AsOfNow,
        ),
        (
            r#"{"mpp":2,"type":"failed","id":2,"reason":"gone"}"#,
            Some("2 applied → failed, queue boss free"),
            Certainty::AsOfNow,
        ),
        (r#"{"mpp":2,"type":"heartbeat"}"#, None, Certainty::AsOfNow),
        (
            r#"{"mpp":2,"type":"log","level":"info","message":"<raw-token>"}"#,
            Some("one line of level info logged"),
            Certainty::Certain,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"resets","value":3}"#,
            Some("state resets written and persisted"),
            Certainty::AsOfNow,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"mood","value":"<raw-token>"}"#,
            Some("state mood written"),
            Certainty::AsOfNow,
        ),
    ];
    for (line, effect, certainty) in cases {
        let judged = judge(&world, &Stand::Connection(conn), line);
        assert_eq!(verdict(&judged), Verdict::Accepted, "{line}");
        assert_eq!((judged.effect.as_deref(), judged.certainty), (effect, certainty), "{line}");
        assert!(judged.answers.is_empty() && judged.ends.is_none() && judged.shortfall.is_none(), "{line}");
    }
    let commit = judge(&world, &Stand::Connection(conn), r#"{"mpp":2,"type":"done","id":2}"#);
    assert_eq!(commit.doubts, [Doubt::AnotherPeer, Doubt::Commit]);
}

#[test]
fn every_breach_says_its_answer_and_what_hangs_on_the_connection() {
    let (world, conn) = busy();
    let stand = Stand::Connection(conn);
    let cases = [
        ("\u{0}", Violation::NotJson, Certainty::Certain),
        ("[]", Violation::NotObject, Certainty::Certain),
        (r#"{"mpp":1,"type":"heartbeat"}"#, Violation::Version, Certainty::Certain),
        (r#"{"mpp":2}"#, Violation::NoType, Certainty::Certain),
        (r#"{"mpp":2,"type":"<raw-token>"}"#, Violation::UnknownType, Certainty::Certain),
        (HELLO, Violation::SecondHello, Certainty::Certain),
        (r#"{"mpp":2,"type":"invocation"}"#, Violation::WrongDirection, Certainty::Certain),
        (r#"{"mpp":2,"type":"done"}"#, Violation::Missing("id"), Certainty::Certain),
        (r#"{"mpp":2,"type":"done","id":"2"}"#, Violation::Mistyped("id"), Certainty::Certain),
        (PULL, Violation::StillInFlight, Certainty::AsOfNow),
        (r#"{"mpp":2,"type":"pull","queue":"<raw-token>"}"#, Violation::NoSuchQueue, Certainty::AsOfNow),
        (r#"{"mpp":2,"type":"ack","id":999}"#, Violation::NotDispatchedHere, Certainty::AsOfNow),
        (r#"{"mpp":2,"type":"done","id":1}"#, Violation::AlreadyEnded, Certainty::AsOfNow),
        (r#"{"mpp":2,"type":"done","id":3}"#, Violation::NotApplied, Certainty::AsOfNow),
        (r#"{"mpp":2,"type":"applied","id":2,"result":null}"#, Violation::AlreadyApplied, Certainty::AsOfNow),
        (
            r#"{"mpp":2,"type":"failed","id":2,"reason":"x","refund":true}"#,
            Violation::RefundAfterApplied,
            Certainty::AsOfNow,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"none","value":1}"#,
            Violation::UndeclaredKey,
            Certainty::AsOfNow,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"goal","value":1}"#,
            Violation::NotTheWriter,
            Certainty::AsOfNow,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"resets","value":"x"}"#,
            Violation::StateSchema,
            Certainty::AsOfNow,
        ),
    ];
    for (line, violation, certainty) in cases {
        let judged = judge(&world, &stand, line);
        assert_eq!(verdict(&judged), protocol(violation), "{line}");
        assert_eq!(judged.certainty, certainty, "{line}");
        let code = violation.code().code();
        assert_eq!(judged.ends.as_deref(), Some(format!("{code}: {violation}").as_str()), "{line}");
        let start = format!(r#"{{"mpp":2,"type":"protocol_error","code":"{code}","message":""#);
        assert!(matches!(answers(&judged)[..], [answer] if answer.starts_with(&start)), "{judged:?}");
        let effect = "adapter disconnected, 1 in flight would be requeued, 1 would stay applied";
        assert_eq!(judged.effect.as_deref(), Some(effect), "{line}");
    }
}

#[test]
fn a_line_that_is_no_utf8_too_large_or_the_adapters_own_error_ends_the_connection() {
    let (world, conn) = busy();
    let stand = Stand::Connection(conn);
    let judge = |wire: &[u8]| world.bridge.judge(world.now, &stand, wire);
    let judged = judge(b"{\"mpp\":2,\"x\":\"\xff\"}\n");
    assert_eq!(verdict(&judged), protocol(Violation::NotUtf8));
    assert_eq!(judged.shortfall.map(|shortfall| shortfall.byte), Some(14));
    let large = judge(&vec![b' '; 70_000]);
    assert_eq!(verdict(&large), protocol(Violation::TooLarge));
    assert_eq!((large.taken_bytes, large.shortfall.map(|it| it.byte)), (65_536, Some(65_535)));
    assert!(matches!(large.ends.as_deref(), Some(ends) if ends.starts_with("FRAME_TOO_LARGE")));
    let own = judge(b"{\"mpp\":2,\"type\":\"protocol_error\",\"code\":\"X\",\"message\":\"y\"}\n");
    assert_eq!(verdict(&own), Verdict::Refused(Fault::ByAdapter));
    assert!(own.answers.is_empty() && own.ends.is_some(), "it is not answered");
}

#[test]
fn a_shortfall_names_the_byte_and_repeats_nothing() {
    let (world, conn) = TestBridge::connected();
    let at = |line: &str| {
        let shortfall = judge(&world, &Stand::Connection(conn), line).shortfall.unwrap();
        (shortfall.byte, shortfall.expected, shortfall.got)
    };
    let is = |byte: usize, expected: &str, got: &str| (byte, expected.to_owned(), got.to_owned());
    assert_eq!(at(r#"{"mpp":2,"type":7}"#), is(16, "`type` is a string", "a number"));
    assert_eq!(at(r#"{"mpp":2,"type":"done","id":"2"}"#), is(28, "`id` is of its type", "a string"));
    assert_eq!(at(r#"{"mpp":2,"type":"done"}"#), is(0, "`id`", "nothing"));
    assert_eq!(at("  [1]"), is(2, "a JSON object", "an array"));
    assert_eq!(at(r#"{"mpp":2 "type":"done"}"#), is(9, "a whole JSON object", "something else"));
}

#[test]
fn a_pull_says_the_row_that_it_would_get_at_once() {
    let (mut world, conn) = TestBridge::connected();
    let stand = Stand::Connection(conn);
    let parked = judge(&world, &stand, PULL);
    assert_eq!(
        (verdict(&parked), parked.effect.as_deref()),
        (Verdict::Accepted, Some("queue default parked"))
    );
    world.enqueue("give_item", r#"{"item_id":4,"count":1}"#);
    let judged = judge(&world, &stand, PULL);
    let invocation = r#"{"mpp":2,"type":"invocation","id":1,"queue":"default","event":"give_item","params":{"item_id":4,"count":1}}"#;
    assert_eq!(answers(&judged), [invocation]);
    assert_eq!(judged.effect.as_deref(), Some("1 pending → dispatched on queue default"));
    assert_eq!((judged.certainty, judged.doubts.as_slice()), (Certainty::AsOfNow, &[Doubt::AnotherPeer][..]));
    world.ask(rl_console::mpp::Command::Hold { queue: None }).unwrap();
    let held = judge(&world, &stand, PULL);
    assert_eq!((held.answers.len(), held.effect.as_deref()), (0, Some("queue default parked, held")));
}

#[test]
fn a_pull_behind_a_row_that_is_not_stored_yet_waits_for_its_commit() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.enqueue("free", "{}");
    world.line(conn, PULL);
    world.prompt = false;
    world.line(conn, r#"{"mpp":2,"type":"applied","id":1,"result":null}"#);
    let judged = judge(&world, &Stand::Connection(conn), PULL);
    assert_eq!(judged.effect.as_deref(), Some("queue default parked, its last row is not stored yet"));
    assert!(judged.answers.is_empty() && judged.doubts.contains(&Doubt::Commit));
}

#[test]
fn rows_that_are_not_read_yet_are_known_after_a_look() {
    let limits = limits::Mpp { head_rows_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    for _ in 0..4 {
        world.enqueue("free", "{}");
    }
    let conn = world.connect();
    world.prompt = false;
    for id in 1..=2 {
        world.line(conn, PULL);
        world.line(conn, &format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"x"}}"#));
        while let Some(at) = world.store.waiting.iter().position(|it| matches!(it, Request::Persist { .. })) {
            let request = world.store.waiting.remove(at).unwrap();
            world.answer_request(request, true);
        }
    }
    let judged = judge(&world, &Stand::Connection(conn), PULL);
    assert_eq!(judged.certainty, Certainty::AfterALook);
    let effect = "queue default parked, its next row is read from the store first";
    assert_eq!(judged.effect.as_deref(), Some(effect));
}

#[test]
fn a_hello_is_judged_in_the_order_of_its_checks() {
    let mut world = TestBridge::new();
    let guest = Stand::Connection(world.open());
    let wrong = |from: &str, to: &str| HELLO.replace(from, to);
    let cases = [
        (wrong("\"mpp\": 2", "\"mpp\": 1"), HelloReason::UnsupportedMppVersion),
        (wrong("<raw-token>", "another"), HelloReason::InvalidToken),
        (wrong("com.example.mypack", "other"), HelloReason::PackIdMismatch),
        (wrong("sha256:abc123...", "sha256:0"), HelloReason::ManifestHashMismatch),
    ];
    for stand in [guest, Stand::Newcomer] {
        for (line, reason) in &cases {
            let judged = judge(&world, &stand, line);
            assert_eq!(verdict(&judged), hello_refused(*reason));
            let answer = format!(r#"{{"mpp":2,"type":"hello_ack","ok":false,"reason":"{}"}}"#, reason.code());
            assert_eq!(answers(&judged), [answer]);
            assert!(judged.effect.is_none() && judged.ends.is_some());
        }
        let judged = judge(&world, &stand, HELLO);
        assert_eq!(verdict(&judged), Verdict::Accepted);
        assert_eq!(
            answers(&judged),
            [
                r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer_login","session_id":42}"#
            ]
        );
        assert_eq!(judged.effect.as_deref(), Some("adapter connected, 0 state values restored"));
        let first = judge(&world, &stand, PULL);
        assert_eq!(verdict(&first), protocol(Violation::HelloFirst));
    }
    let conn = world.connect();
    let second = judge(&world, &Stand::Newcomer, HELLO);
    assert_eq!(verdict(&second), hello_refused(HelloReason::AlreadyConnected));
    assert!(second.doubts.contains(&Doubt::AnotherPeer) && second.effect.is_none(), "{conn} stays");
    let unpaired = TestBridge::start(pack(), limits::Mpp::default(), Store::default(), None);
    assert_eq!(verdict(&judge(&unpaired, &Stand::Newcomer, HELLO)), hello_refused(HelloReason::Unpaired));
}

#[test]
fn a_hello_holds_for_the_ten_seconds_that_its_connection_has() {
    let mut world = TestBridge::new();
    let conn = world.open();
    world.pass(Duration::from_secs(3));
    let judged = judge(&world, &Stand::Connection(conn), HELLO);
    assert_eq!(judged.holds_until, Some(world.now.after(Duration::from_secs(7))));
    assert!(judged.doubts.contains(&Doubt::Time));
    world.pass(Duration::from_secs(7));
    assert_eq!(verdict(&judge(&world, &Stand::Connection(conn), HELLO)), Verdict::TooLate);
}

#[test]
fn the_first_frame_after_a_hello_is_foreseen_before_its_adapter_connects() {
    let heartbeat = r#"{"mpp":2,"type":"heartbeat"}"#;
    for line in [PULL, heartbeat, HELLO, r#"{"mpp":2,"type":"done","id":1}"#, "[]"] {
        let mut world = TestBridge::new();
        world.enqueue("free", "{}");
        let judged = judge(&world, &Stand::Greeted, line);
        assert!(judged.doubts.contains(&Doubt::AnotherPeer), "{judged:?}");
        let conn = world.connect();
        let second = judge(&world, &Stand::Greeted, line);
        assert_eq!(verdict(&second), hello_refused(HelloReason::AlreadyConnected));
        let handled = world.line(conn, line);
        agrees(&world, conn, &handled, &judged);
    }
}

#[test]
fn a_heartbeat_holds_until_the_adapter_would_be_stale() {
    let (mut world, conn) = TestBridge::connected();
    let alive = r#"{"mpp":2,"type":"heartbeat"}"#;
    world.pass(Duration::from_secs(10));
    let judged = judge(&world, &Stand::Connection(conn), alive);
    assert_eq!(judged.holds_until, Some(world.now.after(Duration::from_secs(20))));
    world.pass(Duration::from_secs(20));
    let judged = judge(&world, &Stand::Connection(conn), alive);
    assert_eq!((judged.effect.as_deref(), judged.holds_until), (Some("adapter no longer stale"), None));
}

#[test]
fn a_line_without_its_lf_is_awaited_and_dropped_at_a_cut() {
    let mut world = TestBridge::new();
    let guest = world.open();
    let ms = world.limits.frame_ms_max;
    let by = |ms: u64| Some(world.now.after(Duration::from_millis(ms.min(10_000))));
    for stand in [Stand::Connection(guest), Stand::Newcomer] {
        let judged = world.bridge.judge(world.now, &stand, b"{\"mpp\":2");
        let if_cut = "the unfinished line is dropped with the connection";
        assert_eq!(judged.verdict, Err(Pending { missing_bytes: Some(1), if_cut }));
        assert_eq!((judged.taken_bytes, judged.holds_until), (8, by(ms)));
        assert!(judged.doubts.contains(&Doubt::Time) && judged.answers.is_empty());
    }
    let nothing = world.bridge.judge(world.now, &Stand::Newcomer, b"");
    assert_eq!(nothing.verdict, Err(Pending { missing_bytes: Some(1), if_cut: "nothing has come" }));
}

#[test]
fn a_connection_that_is_not_there_is_too_late() {
    let (mut world, conn) = TestBridge::connected();
    world.close(conn, rl_console::mpp::CloseCause::PeerClosed);
    for stand in [Stand::Connection(conn), Stand::Towards(conn), Stand::Connection(ConnectionId(0))] {
        let judged = judge(&world, &stand, HELLO);
        assert_eq!((verdict(&judged), judged.certainty), (Verdict::TooLate, Certainty::Certain));
        assert!(judged.answers.is_empty() && judged.ends.is_none() && judged.effect.is_none());
    }
}

#[test]
fn a_newcomer_takes_the_place_of_who_says_nothing_or_has_none() {
    let limits = limits::Mpp { connections_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let adapter = world.connect();
    let silent = world.open();
    let judged = judge(&world, &Stand::Newcomer, HELLO);
    assert_eq!(verdict(&judged), hello_refused(HelloReason::AlreadyConnected));
    let peer = format!("127.0.0.1:{}", 50_000 + silent.0);
    assert_eq!(judged.effect, Some(format!("{peer} closed to make room")));
    assert_eq!(judged.doubts, [Doubt::AnotherPeer, Doubt::Transport]);
    let limits = limits::Mpp { connections_max: 1, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    assert_eq!(world.connect(), adapter);
    let judged = judge(&world, &Stand::Newcomer, HELLO);
    assert_eq!((verdict(&judged), judged.ends.as_deref()), (Verdict::TooLate, Some("too_many_connections")));
    let opened = world.open();
    assert_eq!(
        world.closed.last().map(|(conn, cause)| (*conn, cause.code())),
        Some((opened, "too_many_connections"))
    );
}

#[test]
fn stands_travel_as_json() {
    let cases = [
        (Stand::Connection(ConnectionId(7)), r#"{"connection":7}"#),
        (Stand::Newcomer, r#""newcomer""#),
        (Stand::Towards(ConnectionId(7)), r#"{"towards":7}"#),
    ];
    for (stand, json) in cases {
        assert_eq!(serde_json::to_string(&stand).unwrap(), json);
        assert_eq!(serde_json::from_str::<Stand>(json).unwrap(), stand);
    }
}
