//! The worked examples of the specification, verbatim.

use rl_console::{
    mpp::Verdict,
    tap::entry::mpp::{RowState, Transition},
};

use crate::harness::{HELLO, TestBridge};

#[test]
fn a_negotiation_succeeds() {
    let mut world = TestBridge::new();
    let conn = world.open();
    assert_eq!(world.line(conn, HELLO), Verdict::Accepted);
    assert_eq!(
        world.frames(),
        [r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer_login","session_id":42}"#]
    );
}

#[test]
fn mpp_1_is_rejected() {
    let mut world = TestBridge::new();
    let conn = world.open();
    world.line(
        conn,
        r#"{"mpp": 1, "type": "hello", "pack_id": "com.example.mypack", "manifest_hash": "sha256:abc123...", "bridge_token": "<raw-token>"}"#,
    );
    assert_eq!(
        world.frames(),
        [r#"{"mpp":2,"type":"hello_ack","ok":false,"reason":"unsupported_mpp_version"}"#]
    );
    assert_eq!(world.closed.len(), 1);
}

#[test]
fn a_persisted_value_is_replayed() {
    let (mut world, conn) = TestBridge::connected();
    world.line(
        conn,
        r#"{"mpp": 2, "type": "state_write", "key": "resets", "value": 3, "scope": "trainer:42"}"#,
    );
    assert!(world.frames().is_empty());
    world.close(conn, rl_console::mpp::CloseCause::PeerClosed);
    let conn = world.open();
    world.line(conn, HELLO);
    assert_eq!(
        world.frames(),
        [
            r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer_login","session_id":42,"persisted":[{"key":"resets","value":3,"scope":"trainer:42"}]}"#
        ]
    );
}

#[test]
fn the_sequence_of_section_9() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..42 {
        world.enqueue("give_item", r#"{"item_id": 4, "count": 1}"#);
    }
    for id in 1..=42 {
        world.line(conn, r#"{"mpp": 2, "type": "pull", "queue": "default"}"#);
        let invocation = format!(
            r#"{{"mpp":2,"type":"invocation","id":{id},"queue":"default","event":"give_item","params":{{"item_id":4,"count":1}}}}"#
        );
        // Line breaks and nothing else are taken out of the params as they came.
        assert_eq!(world.frames()[0].replace(": ", ":").replace(", ", ","), invocation);
        assert!(matches!(
            world.transitions()[..],
            [Transition::Parked { .. }, Transition::Dispatched { .. }]
        ));
        world.line(conn, &format!(r#"{{"mpp": 2, "type": "ack", "id": {id}}}"#));
        assert!(matches!(world.transitions()[..], [Transition::Acked { .. }]));
        world.line(
            conn,
            &format!(r#"{{"mpp": 2, "type": "applied", "id": {id}, "result": {{"resolved_item_id": 4, "resolved_count": 1}}}}"#),
        );
        assert!(matches!(world.transitions()[..], [Transition::Applied { cleared: true, .. }]));
        world.line(conn, &format!(r#"{{"mpp": 2, "type": "done", "id": {id}}}"#));
        assert!(matches!(world.transitions()[..], [Transition::Done { cleared: false, .. }]));
    }
    assert!(world.store.rows.values().all(|row| row.state == RowState::Done));
    assert_eq!(
        world.store.rows[&rl_console::ids::InvocationId(7)].result.as_ref().unwrap().as_str(),
        r#"{"resolved_item_id": 4, "resolved_count": 1}"#
    );
    world.line(conn, r#"{"mpp": 2, "type": "pull", "queue": "default"}"#);
    assert!(world.frames().is_empty());
    world.line(conn, r#"{"mpp": 2, "type": "log", "level": "info", "message": "loaded ROM in 12 ms"}"#);
    assert_eq!(world.bridge.snapshot().logs.len(), 1);
}

#[test]
fn the_two_failures() {
    let (mut world, conn) = TestBridge::connected();
    let first = world.enqueue("free", "{}");
    let second = world.enqueue("free", "{}");
    world.line(conn, r#"{"mpp": 2, "type": "pull", "queue": "default"}"#);
    world.line(conn, r#"{"mpp": 2, "type": "failed", "id": 1, "reason": "item not found in inventory"}"#);
    world.line(conn, r#"{"mpp": 2, "type": "pull", "queue": "default"}"#);
    world.line(
        conn,
        r#"{"mpp": 2, "type": "failed", "id": 2, "reason": "target already fainted", "refund": true}"#,
    );
    assert_eq!(world.row(first).state, RowState::Failed);
    assert_eq!(world.row(first).reason.as_deref(), Some("item not found in inventory"));
    assert_eq!(world.row(second).state, RowState::Refunded);
    assert_eq!(world.store.refunds.len(), 1);
}
