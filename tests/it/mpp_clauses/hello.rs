//! `hello`, `hello_ack`, the order of their checks (mpp-v2, hello; rulings MPP 1, 2, 13, 14 and 15).

use std::time::Duration;

use rl_console::{
    ids::ConnectionId,
    limits,
    mpp::{
        CloseCause, Command, ErrorCode, Fault, HelloReason, Outcome, Refusal, TokenHash, Verdict, Violation,
    },
    tap::entry::{Redaction, mpp::Transition},
};

use crate::harness::{HELLO, Store, TOKEN, TestBridge, pack};

fn hello(pack: &str, hash: &str, token: &str) -> String {
    format!(
        r#"{{"mpp":2,"type":"hello","pack_id":"{pack}","manifest_hash":"{hash}","bridge_token":"{token}"}}"#
    )
}

/// The code that a first line is refused with.
fn refusal(world: &mut TestBridge, line: &str) -> String {
    let conn = world.open();
    let Verdict::Refused(fault) = world.line(conn, line) else { panic!("{line} was taken") };
    assert_eq!(world.closed, [(conn, CloseCause::Fault(fault))]);
    assert_eq!(world.frames().len(), 1);
    match fault {
        Fault::Hello(reason) => {
            let answer = format!(r#"{{"mpp":2,"type":"hello_ack","ok":false,"reason":"{}"}}"#, reason.code());
            assert_eq!(world.frames(), [answer]);
            reason.code().to_owned()
        }
        Fault::Protocol { code, .. } => {
            let start = format!(r#"{{"mpp":2,"type":"protocol_error","code":"{}","message":"#, code.code());
            assert!(world.frames()[0].starts_with(&start), "{:?}", world.frames());
            code.code().to_owned()
        }
        Fault::ByAdapter => panic!("{fault:?}"),
    }
}

#[test]
fn hello_must_come_within_10_s() {
    let mut world = TestBridge::new();
    let conn = world.open();
    world.pass(Duration::from_millis(9_999));
    assert!(world.closed.is_empty());
    world.pass(Duration::from_millis(1));
    assert_eq!(world.closed, [(conn, CloseCause::HelloTimeout)]);
    assert!(world.frames().is_empty(), "closed silently");
    assert_eq!(world.line(conn, HELLO), Verdict::TooLate);
    assert!(world.frames().is_empty());
}

#[test]
fn hello_that_was_read_before_its_time_was_found_to_be_over_came_in_time() {
    let mut world = TestBridge::new();
    let conn = world.open();
    world.now = world.now.after(Duration::from_secs(11));
    assert_eq!(world.line(conn, HELLO), Verdict::Accepted);
    world.pass(Duration::ZERO);
    assert_eq!(world.closed, []);
}

#[test]
fn hello_the_first_line_is_judged_in_the_order_of_ruling_1() {
    let mut world = TestBridge::new();
    assert_eq!(refusal(&mut world, "{"), "INVALID_FRAME");
    assert_eq!(refusal(&mut world, "[2]"), "INVALID_FRAME");
    assert_eq!(refusal(&mut world, r#"{"type":"hello"}"#), "unsupported_mpp_version");
    assert_eq!(
        refusal(&mut world, r#"{"mpp":3,"type":"pull","queue":"default"}"#),
        "unsupported_mpp_version"
    );
    assert_eq!(refusal(&mut world, r#"{"mpp":2,"type":"pull","queue":"default"}"#), "INVALID_FRAME");
    assert_eq!(
        refusal(&mut world, r#"{"mpp":2,"type":"hello","pack_id":7,"manifest_hash":"x","bridge_token":"x"}"#),
        "INVALID_FRAME"
    );
    assert_eq!(
        refusal(&mut world, r#"{"mpp":2,"type":"hello","pack_id":"x","bridge_token":"x"}"#),
        "INVALID_FRAME"
    );
}

#[test]
fn hello_the_checks_come_in_the_order_of_ruling_2() {
    let mut unpaired = TestBridge::start(pack(), limits::Mpp::default(), Store::default(), None);
    assert_eq!(refusal(&mut unpaired, &hello("other", "other", "other")), "unpaired");

    let mut world = TestBridge::new();
    let (id, hash) = ("com.example.mypack", "sha256:abc123...");
    for active in [false, true] {
        if active {
            world.connect();
        }
        assert_eq!(refusal(&mut world, &hello("other", "other", "other")), "invalid_token");
        assert_eq!(refusal(&mut world, &hello("other", "other", TOKEN)), "pack_id_mismatch");
        assert_eq!(refusal(&mut world, &hello(id, "other", TOKEN)), "manifest_hash_mismatch");
    }
    assert_eq!(refusal(&mut world, &hello(id, hash, TOKEN)), "already_connected");
}

#[test]
fn hello_every_reason_code_has_been_seen() {
    let codes: Vec<_> = HelloReason::ALL.iter().map(|reason| reason.code()).collect();
    let seen = [
        "unsupported_mpp_version",
        "unpaired",
        "invalid_token",
        "pack_id_mismatch",
        "manifest_hash_mismatch",
        "already_connected",
    ];
    assert_eq!(codes, seen);
}

#[test]
fn hello_the_slot_is_free_as_soon_as_a_fault_ended_the_last() {
    let (mut world, first) = TestBridge::connected();
    world.line(first, "}");
    assert_eq!(world.closed.len(), 1);
    // Its close lingers: nothing was heard of it yet.
    world.connect();
}

#[test]
fn hello_a_rotated_token_is_in_force_at_once_and_the_adapter_stays() {
    use sha2::Digest;
    let (mut world, conn) = TestBridge::connected();
    let hex = format!("{:x}", sha2::Sha256::digest("new"));
    assert_eq!(world.ask(Command::Pair { token_sha256: "xyz".to_owned() }), Err(Refusal::NotAHash));
    assert_eq!(world.ask(Command::Pair { token_sha256: hex.clone() }), Ok(Outcome::Paired));
    assert_eq!(TokenHash::from_hex(&hex), Some(TokenHash::of("new")));
    assert_eq!(world.line(conn, r#"{"mpp":2,"type":"heartbeat"}"#), Verdict::Accepted);
    // The old token is still kept from view.
    world.line(conn, r#"{"mpp":2,"type":"log","level":"info","message":"<raw-token>"}"#);
    assert_eq!(world.bridge.snapshot().logs[0].text.as_ref(), "***********");
    assert_eq!(refusal(&mut world, HELLO), "invalid_token");
}

#[test]
fn hello_one_connection_too_many_takes_the_place_of_the_oldest_guest() {
    let limits = limits::Mpp { connections_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    world.connect();
    let second = world.open();
    let third = world.open();
    assert_eq!(world.closed, [(second, CloseCause::MadeRoom)]);
    assert_eq!(third, ConnectionId(3));
    assert_ne!(world.line(third, HELLO), Verdict::TooLate);
}

#[test]
fn hello_a_second_one_is_an_invalid_frame() {
    let (mut world, conn) = TestBridge::connected();
    let fault = Fault::Protocol { code: ErrorCode::InvalidFrame, violation: Violation::SecondHello };
    assert_eq!(world.line(conn, HELLO), Verdict::Refused(fault));
}

#[test]
fn hello_a_first_line_that_is_no_hello_is_withheld() {
    let mut world = TestBridge::new();
    let conn = world.open();
    world.line(conn, r#"{"bridge_token":"<raw-token>""#);
    assert_eq!(world.received.last().unwrap().1, Redaction::Withheld);
    let conn = world.open();
    world.line(conn, HELLO);
    assert!(matches!(world.received.last().unwrap().1, Redaction::Masked(_)));
}

#[test]
fn hello_a_token_said_by_escapes_is_withheld() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, r#"{"mpp":2,"type":"log","level":"info","message":"\u003craw-token>"}"#);
    assert_eq!(world.received.last().unwrap().1, Redaction::Withheld);
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"mood","value":{"x":["\u003craw-token>"]}}"#);
    assert_eq!(world.received.last().unwrap().1, Redaction::Withheld);
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"<raw-token>"}"#);
    assert_eq!(
        world.frames(),
        [
            r#"{"mpp":2,"type":"protocol_error","code":"UNKNOWN_QUEUE","message":"the manifest has no queue '***********'"}"#
        ]
    );
}

#[test]
fn hello_persisted_rows_are_revalidated() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"resets","value":3}"#);
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"notes","value":null}"#);
    let mut pack = pack();
    pack.state.remove("notes");
    pack.state.get_mut("resets").unwrap().schema =
        Some(rl_console::schema::Schema::compile(serde_json::json!({"type": "string"})).unwrap());
    let mut world = TestBridge::with(pack, limits::Mpp::default(), world.store);
    let conn = world.open();
    world.line(conn, HELLO);
    assert!(!world.frames()[0].contains("persisted"));
    let left_out = world
        .transitions()
        .into_iter()
        .filter(|transition| matches!(transition, Transition::PersistedLeftOut { .. }))
        .count();
    assert_eq!(left_out, 2);
}

#[test]
fn hello_null_is_a_value_and_text_is_echoed_as_it_came() {
    let (mut world, conn) = TestBridge::connected();
    world.line(
        conn,
        r#"{"mpp":2,"type":"state_write","key":"notes","value":{ "b": 1.0,  "a": 12345678901234567890123 }}"#,
    );
    let mut world = TestBridge::with(pack(), limits::Mpp::default(), world.store);
    let conn = world.open();
    world.line(conn, HELLO);
    assert!(
        world.frames()[0].ends_with(
            r#""persisted":[{"key":"notes","value":{ "b": 1.0,  "a": 12345678901234567890123 }}]}"#
        )
    );
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"notes","value":null}"#);
    let mut world = TestBridge::with(pack(), limits::Mpp::default(), world.store);
    let conn = world.open();
    world.line(conn, HELLO);
    assert!(world.frames()[0].ends_with(r#""persisted":[{"key":"notes","value":null}]}"#));
}

#[test]
fn hello_silent_guests_do_not_shut_the_adapter_out() {
    let mut world = TestBridge::new();
    let guests: Vec<_> = (0..64).map(|_| world.open()).collect();
    assert!(world.closed.is_empty());
    let conn = world.connect();
    assert_eq!(world.line(conn, r#"{"mpp":2,"type":"heartbeat"}"#), Verdict::Accepted);
    assert_eq!(world.line(guests[0], HELLO), Verdict::TooLate, "the oldest went");
    world.closed.clear();
    for _ in 0..200 {
        world.open();
    }
    assert_eq!(world.closed.len(), 200);
    assert!(world.closed.iter().all(|(closed, cause)| *closed != conn && *cause == CloseCause::MadeRoom));
    assert!(world.bridge.snapshot().adapter.is_some(), "the adapter stays");
}

#[test]
fn token_in_what_is_said_back_is_masked_before_it_is_cut() {
    for (line, place) in [
        (r#"{"mpp":2,"type":"X"}"#, "unknown type: '"),
        (r#"{"mpp":2,"type":"state_write","key":"X","value":1}"#, "the manifest declares no state key '"),
        (r#"{"mpp":2,"type":"pull","queue":"X"}"#, "the manifest has no queue '"),
    ] {
        // The token's end lies behind every cut there is or was.
        for cut in [64, 512, 1_024 - place.len() - 3, 1_024 - place.len()] {
            let (mut world, conn) = TestBridge::connected();
            let name = format!("{}<raw-token>{}", "x".repeat(cut - 5), "y".repeat(2_000));
            world.line(conn, &line.replace('X', &name));
            let frame = world.frames()[0];
            assert!(frame.contains(&format!("{place}xxx")), "{frame}");
            assert!(!frame.contains("<ra"), "{frame}");
        }
    }
}

#[test]
fn token_said_by_escapes_withholds_the_line_wherever_it_stands() {
    let secret = r"\u003craw-tok\u0065n>";
    for line in [
        format!(r#"{{"mpp":2,"type":"heartbeat","later":"{secret}"}}"#),
        format!(r#"{{"mpp":2,"type":"heartbeat","{secret}":1}}"#),
        format!(r#"{{"mpp":2,"type":"{secret}"}}"#),
        format!(r#"{{"mpp":2,"type":"log","level":"{secret}","message":"x"}}"#),
        format!(r#"{{"mpp":2,"type":"heartbeat","x":"{secret}""#),
        format!(r#"{{"mpp":2,"type":"state_write","key":"notes","value":[1e999,"{secret}"]}}"#),
        format!("nonsense {secret}"),
    ] {
        let (mut world, conn) = TestBridge::connected();
        world.line(conn, &line);
        assert_eq!(world.received.last().unwrap().1, Redaction::Withheld, "{line}");
        assert!(world.store.state.values().all(|(value, _)| value.as_str() == "null"), "{line}");
        for (_, text, _) in &world.transition_log {
            assert!(!text.contains("raw-tok"), "{text}");
        }
    }
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, r#"{"mpp":2,"type":"log","level":"info","message":"line\nline \u003craw"}"#);
    assert_eq!(world.received.last().unwrap().1, Redaction::None, "no token, nothing withheld");
    let mut cut = vec![b' '; 65_536 - 13];
    cut.extend_from_slice(br"\u003craw-tok");
    let (mut world, conn) = TestBridge::connected();
    world.bytes(conn, &cut);
    assert_eq!(
        world.received.last().unwrap().1,
        Redaction::Withheld,
        "its beginning, where the line was cut"
    );
}

#[test]
fn token_said_again_by_escapes_in_a_hello_withholds_it() {
    let mut world = TestBridge::new();
    let conn = world.open();
    world.line(conn, &HELLO.replace('}', r#", "x": "\u003craw-token>"}"#));
    assert_eq!(world.received.last().unwrap().1, Redaction::Withheld);
}
