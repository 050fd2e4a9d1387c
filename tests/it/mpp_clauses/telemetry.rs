//! Heartbeats, the log, pack state (mpp-v2, heartbeat, log, `state_write`; rulings MPP 4, 12 and 13).

use std::time::Duration;

use rl_console::{
    limits,
    mpp::{ErrorCode, Fault, Level, Verdict, Violation},
    tap::entry::mpp::Transition,
};

use crate::harness::{Store, TOML, TestBridge};

const HEARTBEAT: &str = r#"{"mpp":2,"type":"heartbeat"}"#;

#[test]
fn heartbeat_ours_goes_out_after_15_s_without_outbound_traffic() {
    let (mut world, _) = TestBridge::connected();
    world.pass(Duration::from_millis(14_999));
    assert!(world.frames().is_empty());
    world.pass(Duration::from_millis(1));
    assert_eq!(world.frames(), [HEARTBEAT]);
    world.pass(Duration::from_secs(15));
    assert_eq!(world.frames(), [HEARTBEAT]);
}

#[test]
fn heartbeat_outbound_traffic_puts_ours_off() {
    let (mut world, conn) = TestBridge::connected();
    world.pass(Duration::from_secs(10));
    world.enqueue("free", "{}");
    world.line(conn, super::dispatch::PULL);
    world.pass(Duration::from_secs(14));
    assert!(world.frames().is_empty());
    world.pass(Duration::from_secs(1));
    assert_eq!(world.frames(), [HEARTBEAT]);
}

#[test]
fn heartbeat_stale_is_inbound_silence_of_30_s_and_is_said_once() {
    let (mut world, conn) = TestBridge::connected();
    let stale = |world: &TestBridge| {
        world.transitions().into_iter().filter(|said| matches!(said, Transition::Stale { .. })).count()
    };
    world.pass(Duration::from_millis(29_999));
    assert_eq!(stale(&world), 0);
    world.pass(Duration::from_millis(1));
    assert_eq!(world.transitions().last(), Some(&&Transition::Stale { silent_s: 30 }));
    world.pass(Duration::from_secs(600));
    assert_eq!(stale(&world), 0);
    assert!(world.bridge.snapshot().adapter.unwrap().stale);
    world.line(conn, HEARTBEAT);
    assert!(world.frames().is_empty(), "no response is required");
    assert!(!world.bridge.snapshot().adapter.unwrap().stale);
    world.pass(Duration::from_secs(30));
    assert_eq!(stale(&world), 1);
}

#[test]
fn log_keeps_the_last_1000_lines() {
    let (mut world, conn) = TestBridge::connected();
    for line in 0..1_001 {
        world.line(conn, &format!(r#"{{"mpp":2,"type":"log","level":"warn","message":"line {line}"}}"#));
    }
    let logs = world.bridge.snapshot().logs;
    assert_eq!(logs.len(), 1_000);
    assert_eq!((logs[0].text.as_ref(), logs[0].level), ("line 1", Level::Warn));
    assert_eq!(world.transition_log.last().unwrap().1, "line 1000");
}

#[test]
fn log_takes_the_five_levels() {
    let (mut world, conn) = TestBridge::connected();
    for level in Level::ALL {
        let line = format!(r#"{{"mpp":2,"type":"log","level":"{}","message":""}}"#, level.name());
        assert_eq!(world.line(conn, &line), Verdict::Accepted);
    }
}

#[test]
fn state_write_the_checks_come_in_order() {
    let cases = [
        (
            r#"{"mpp":2,"type":"state_write","key":"nope","value":"x"}"#,
            ErrorCode::InvalidFrame,
            Violation::UndeclaredKey,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"goal","value":"x"}"#,
            ErrorCode::InvalidFrame,
            Violation::NotTheWriter,
        ),
        (
            r#"{"mpp":2,"type":"state_write","key":"resets","value":"x"}"#,
            ErrorCode::SchemaViolation,
            Violation::StateSchema,
        ),
    ];
    for (line, code, violation) in cases {
        let (mut world, conn) = TestBridge::connected();
        assert_eq!(world.line(conn, line), Verdict::Refused(Fault::Protocol { code, violation }));
        assert!(world.store.state.is_empty() && world.bridge.state_rows().is_empty());
    }
}

#[test]
fn state_write_is_silent_and_stored_behind_only_when_it_persists() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"mood","value":["a", 1],"scope":"run"}"#);
    assert!(world.frames().is_empty() && world.store.state.is_empty());
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"notes","value":{"a":1},"scope":"run"}"#);
    assert!(world.frames().is_empty());
    assert_eq!(world.store.state["notes"].1.as_deref(), Some("run"));
    let rows = world.bridge.state_rows();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (rows[0].key.as_str(), rows[0].value.as_str(), rows[0].scope.as_deref(), rows[0].persist),
        ("mood", r#"["a", 1]"#, None, false)
    );
    assert!(rows[1].persist);
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"notes","value":2}"#);
    assert_eq!(
        world.store.state["notes"],
        (rl_console::schema::JsonText::parse("2").unwrap(), None),
        "the last write wins, its scope too"
    );
}

#[test]
fn state_write_that_would_lock_the_adapter_out_is_a_schema_violation() {
    let (mut world, conn) = TestBridge::connected();
    let value = |length: usize| {
        format!(r#"{{"mpp":2,"type":"state_write","key":"notes","value":"{}"}}"#, "x".repeat(length))
    };
    let frame = r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer_login","session_id":18446744073709551615,"persisted":[{"key":"notes","value":""}]}"#;
    let room = 65_536 - frame.len() - 1;
    assert_eq!(world.line(conn, &value(room)), Verdict::Accepted);
    let fault = Fault::Protocol { code: ErrorCode::SchemaViolation, violation: Violation::StateTooLarge };
    assert_eq!(world.judge(conn, &value(room + 1)), Verdict::Refused(fault));
    let other = r#"{"mpp":2,"type":"state_write","key":"resets","value":3}"#;
    assert_eq!(world.line(conn, other), Verdict::Refused(fault));
    world.connect();
}

#[test]
fn state_write_what_cannot_be_judged_fails_its_schema() {
    let nullable = r#"schema = { type = ["integer", "null"] }"#;
    let toml = TOML.replacen(
        r#"schema = { type = "integer" }
[state.notes]"#,
        &format!("{nullable}\n[state.notes]"),
        1,
    );
    assert_ne!(toml, TOML);
    let mut pack =
        rl_console::mpp::manifest::Pack::parse(toml.as_bytes(), &mut |path| Err(path.to_owned())).unwrap();
    pack.hash = crate::harness::pack().hash;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for value in ["1e999", deep.as_str(), r#""\ud800""#] {
        let mut world = TestBridge::with(pack.clone(), limits::Mpp::default(), Store::default());
        let conn = world.connect();
        assert_eq!(
            world.line(conn, r#"{"mpp":2,"type":"state_write","key":"resets","value":null}"#),
            Verdict::Accepted
        );
        let verdict =
            world.line(conn, &format!(r#"{{"mpp":2,"type":"state_write","key":"resets","value":{value}}}"#));
        let fault = Fault::Protocol { code: ErrorCode::SchemaViolation, violation: Violation::StateSchema };
        assert_eq!(verdict, Verdict::Refused(fault), "{value}");
        assert!(world.frames()[0].contains("cannot be judged"), "{:?}", world.frames());
        assert_eq!(world.store.state["resets"].0.as_str(), "null");
        // Without a schema there is nothing to judge.
        let conn = world.connect();
        assert_eq!(
            world.line(conn, &format!(r#"{{"mpp":2,"type":"state_write","key":"mood","value":{value}}}"#)),
            Verdict::Accepted
        );
        // A restart judges what was stored alike.
        world
            .store
            .state
            .insert("resets".into(), (rl_console::schema::JsonText::parse(value).unwrap(), None));
        let mut world = TestBridge::with(pack.clone(), limits::Mpp::default(), world.store);
        world.connect();
        assert!(
            world.transitions().contains(&&Transition::PersistedLeftOut { key: "resets".into() }),
            "{value}"
        );
    }
}

#[test]
fn state_write_a_small_key_beside_one_that_no_longer_fits_is_taken() {
    let mut store = Store::default();
    let text =
        |length: usize| rl_console::schema::JsonText::parse(&format!("\"{}\"", "x".repeat(length))).unwrap();
    store.state.insert("notes".into(), (text(65_500), None));
    let mut world = TestBridge::with(crate::harness::pack(), limits::Mpp::default(), store);
    let conn = world.connect();
    assert!(world.transitions().contains(&&Transition::PersistedLeftOut { key: "notes".into() }));
    assert_eq!(
        world.line(conn, r#"{"mpp":2,"type":"state_write","key":"resets","value":3}"#),
        Verdict::Accepted
    );
    let fault = Fault::Protocol { code: ErrorCode::SchemaViolation, violation: Violation::StateTooLarge };
    let large = format!(r#"{{"mpp":2,"type":"state_write","key":"notes","value":{}}}"#, text(65_420));
    assert_eq!(world.judge(conn, &large), Verdict::Refused(fault), "a key that would be left out is refused");
    let lesser = format!(r#"{{"mpp":2,"type":"state_write","key":"notes","value":{}}}"#, text(65_380));
    assert_eq!(world.judge(conn, &lesser), Verdict::Refused(fault), "so is one that would drive another out");
    assert_eq!(
        world.line(conn, r#"{"mpp":2,"type":"state_write","key":"notes","value":1}"#),
        Verdict::Accepted
    );
}

#[test]
fn log_lines_and_reasons_are_kept_in_part() {
    let (mut world, conn) = TestBridge::connected();
    let text = "é".repeat(20_000);
    world.line(conn, &format!(r#"{{"mpp":2,"type":"log","level":"info","message":"{text}"}}"#));
    assert_eq!(world.transition_log[0].1, text, "the tap has it whole");
    let kept = world.bridge.snapshot().logs[0].text.to_string();
    assert_eq!((kept.len(), kept.ends_with("é…")), (4_095, true));
    world.enqueue("free", "{}");
    world.line(conn, super::dispatch::PULL);
    world.line(conn, &format!(r#"{{"mpp":2,"type":"failed","id":1,"reason":"{text}"}}"#));
    let kept = world.bridge.snapshot().recent[0].reason.clone().unwrap();
    assert_eq!((kept.len(), kept.ends_with("é…")), (1_023, true));
    assert_eq!(
        world.row(rl_console::ids::InvocationId(1)).reason.as_deref(),
        Some(text.as_str()),
        "the store keeps it verbatim"
    );
}
