//! Pulls, credit of one, `ready_after`, queues (mpp-v2 §6, unknown queue; rulings MPP 3, 4, 5, 6, 8 and 11).

use rl_console::{
    ids::{InvocationId, ManifestHash},
    limits,
    mpp::{CloseCause, Command, ErrorCode, Fault, NewInvocation, Refusal, Settlement, Verdict, Violation},
    schema::JsonText,
    tap::entry::mpp::{FailedBy, RowState, Transition},
};

use crate::harness::{Store, TestBridge, pack};

pub(super) const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;
pub(super) const PULL_BOSS: &str = r#"{"mpp":2,"type":"pull","queue":"boss"}"#;

fn refused(code: ErrorCode, violation: Violation) -> Verdict {
    Verdict::Refused(Fault::Protocol { code, violation })
}

fn applied(id: u64) -> String {
    format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)
}

fn done(id: u64) -> String {
    format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)
}

/// The invocations that the adapter got, in their order.
pub(super) fn ids(world: &TestBridge) -> Vec<u64> {
    world.dispatched.iter().map(|(_, id)| id.0).collect()
}

#[test]
fn pull_nothing_is_dispatched_without_one() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    assert!(world.dispatched.is_empty());
    world.line(conn, PULL);
    assert_eq!(ids(&world), [1]);
}

#[test]
fn pull_a_parked_one_takes_the_next_row() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, PULL);
    assert!(world.frames().is_empty());
    assert!(world.bridge.snapshot().queues["default"].parked);
    world.enqueue("free", "{}");
    assert_eq!(
        world.frames(),
        [r#"{"mpp":2,"type":"invocation","id":1,"queue":"default","event":"free","params":{}}"#]
    );
}

#[test]
fn pull_a_second_one_while_parked_is_an_invalid_frame() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, PULL);
    assert_eq!(world.line(conn, PULL), refused(ErrorCode::InvalidFrame, Violation::AlreadyParked));
    assert_eq!(
        world.frames(),
        [
            r#"{"mpp":2,"type":"protocol_error","code":"INVALID_FRAME","message":"a pull is already parked on this queue"}"#
        ]
    );
}

#[test]
fn pull_one_while_in_flight_is_an_invalid_frame() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.line(conn, PULL);
    assert_eq!(world.line(conn, PULL), refused(ErrorCode::InvalidFrame, Violation::StillInFlight));
    assert_eq!(world.row(InvocationId(1)).state, RowState::Pending, "requeued");
}

#[test]
fn pull_of_an_unknown_queue_is_fatal() {
    let (mut world, conn) = TestBridge::connected();
    assert_eq!(
        world.line(conn, r#"{"mpp":2,"type":"pull","queue":"nope"}"#),
        refused(ErrorCode::UnknownQueue, Violation::NoSuchQueue)
    );
    assert_eq!(
        world.frames(),
        [
            r#"{"mpp":2,"type":"protocol_error","code":"UNKNOWN_QUEUE","message":"the manifest has no queue 'nope'"}"#
        ]
    );
    assert_eq!(world.closed.len(), 1);
}

#[test]
fn ready_after_applied_frees_the_queue() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..2 {
        world.enqueue("free", "{}");
    }
    world.line(conn, PULL);
    world.line(conn, &applied(1));
    world.line(conn, PULL);
    assert_eq!(ids(&world), [1, 2]);
    assert_eq!(world.line(conn, &done(1)), Verdict::Accepted);
}

#[test]
fn ready_after_done_holds_the_queue_until_done() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..2 {
        world.enqueue("spawn", "{}");
    }
    world.line(conn, PULL_BOSS);
    world.line(conn, &applied(1));
    assert_eq!(world.bridge.snapshot().queues["boss"].in_flight, Some(InvocationId(1)));
    assert_eq!(world.judge(conn, PULL_BOSS), refused(ErrorCode::InvalidFrame, Violation::StillInFlight));
    world.line(conn, &done(1));
    world.line(conn, PULL_BOSS);
    assert_eq!(ids(&world), [1, 2]);
}

#[test]
fn ready_after_failed_always_frees_the_queue() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..3 {
        world.enqueue("spawn", "{}");
    }
    world.line(conn, PULL_BOSS);
    world.line(conn, r#"{"mpp":2,"type":"failed","id":1,"reason":"no"}"#);
    world.line(conn, PULL_BOSS);
    world.line(conn, &applied(2));
    world.line(conn, r#"{"mpp":2,"type":"failed","id":2,"reason":"no","refund":false}"#);
    assert!(matches!(
        world.transitions()[..],
        [Transition::Failed { from: RowState::Applied, cleared: true, by: FailedBy::Adapter, .. }]
    ));
    world.line(conn, PULL_BOSS);
    assert_eq!(ids(&world), [1, 2, 3]);
}

#[test]
fn queues_are_independent_and_each_is_served_oldest_first() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "spawn", "free", "spawn"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, PULL);
    world.line(conn, PULL_BOSS);
    assert_eq!(ids(&world), [1, 2]);
    world.line(conn, &applied(2));
    world.line(conn, &done(2));
    world.line(conn, PULL_BOSS);
    world.line(conn, &applied(1));
    world.line(conn, PULL);
    assert_eq!(ids(&world), [1, 2, 4, 3]);
}

#[test]
fn dispatch_order_the_next_row_waits_for_the_commit_that_freed_the_queue() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "free", "spawn"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, PULL);
    world.prompt = false;
    world.line(conn, &applied(1));
    // In one segment with `applied`: the credit is fine, the row has to wait.
    assert_eq!(world.line(conn, PULL), Verdict::Accepted);
    assert_eq!(ids(&world), [1]);
    // `done` on an `applied` queue holds nothing back, and another queue does not wait.
    world.line(conn, &done(1));
    world.line(conn, PULL_BOSS);
    assert_eq!(ids(&world), [1, 3]);
    while ids(&world).len() < 3 {
        assert!(world.answer_next(true));
    }
    assert_eq!(ids(&world), [1, 3, 2]);
    assert_ne!(world.row(InvocationId(1)).state, RowState::Dispatched, "the store says that 1 was applied");
}

#[test]
fn dispatch_params_that_do_not_fit_fail_and_keep_the_credit() {
    let (mut world, conn) = TestBridge::connected();
    let bad = world.enqueue("give_item", r#"{"item_id":"four"}"#);
    let good = world.enqueue("give_item", r#"{"item_id":4}"#);
    world.line(conn, PULL);
    assert_eq!(ids(&world), [good.0]);
    assert_eq!(world.row(bad).state, RowState::Failed);
    let reason = world.row(bad).reason.clone().unwrap();
    assert!(reason.starts_with("schema_validation: ") && reason.ends_with(" at /item_id"), "{reason}");
}

#[test]
fn dispatch_a_stored_row_that_the_manifest_no_longer_fits_fails() {
    let (mut world, _) = TestBridge::connected();
    let gone = world.enqueue("free", "{}");
    let lost = world.enqueue("spawn", "{}");
    let mut pack = pack();
    pack.events.remove("free");
    pack.queues.remove("boss");
    let mut world = TestBridge::with(pack, limits::Mpp::default(), world.store);
    assert_eq!(world.row(lost).reason.as_deref(), Some("unknown_queue: boss"));
    assert!(!world.bridge.snapshot().queues.contains_key("boss"));
    let conn = world.connect();
    world.line(conn, PULL);
    assert_eq!(world.row(gone).state, RowState::Failed);
    assert!(world.row(gone).reason.as_ref().unwrap().starts_with("schema_validation: "));
}

#[test]
fn dispatch_a_frame_that_would_be_too_large_fails() {
    let (mut world, _) = TestBridge::connected();
    let id = world.enqueue("free", "{}");
    world.store.rows.get_mut(&id).unwrap().params =
        JsonText::parse(&format!(r#"{{"x":"{}"}}"#, "y".repeat(65_536))).unwrap();
    let mut world = TestBridge::with(pack(), limits::Mpp::default(), world.store);
    let conn = world.connect();
    world.line(conn, PULL);
    assert_eq!(world.row(id).reason.as_deref(), Some("schema_validation: frame of 65624 bytes"));
}

#[test]
fn enqueue_refuses_what_could_never_be_sent() {
    let mut world = TestBridge::new();
    let big = NewInvocation {
        params: Some(JsonText::parse(&format!(r#"{{"x":"{}"}}"#, "y".repeat(65_536))).unwrap()),
        ..NewInvocation::new("free")
    };
    assert_eq!(world.enqueue_row(big), Err(Refusal::FrameTooLarge { bytes: 65_624 }));
    let array = NewInvocation { params: Some(JsonText::parse("[]").unwrap()), ..NewInvocation::new("free") };
    assert_eq!(world.enqueue_row(array), Err(Refusal::ParamsNotObject));
    let near = world.enqueue_row(NewInvocation::new("give_itm"));
    assert_eq!(
        near,
        Err(Refusal::UnknownEvent { event: "give_itm".into(), nearest: Some("give_item".into()) })
    );
    let long = NewInvocation { queue: Some("q".repeat(65).as_str().into()), ..NewInvocation::new("free") };
    assert_eq!(world.enqueue_row(long), Err(Refusal::QueueNameTooLong { bytes: 65 }));
    assert!(world.store.rows.is_empty());
}

#[test]
fn enqueue_a_frame_of_exactly_65536_bytes_leaves() {
    let (mut world, conn) = TestBridge::connected();
    let room = 65_536
        - r#"{"mpp":2,"type":"invocation","id":1,"queue":"default","event":"free","params":{"x":""}}"#.len()
        - 1;
    world.enqueue("free", &format!(r#"{{"x":"{}"}}"#, "y".repeat(room)));
    world.line(conn, PULL);
    assert_eq!(world.frames()[0].len(), 65_535);
}

#[test]
fn enqueue_params_of_several_lines_leave_as_one() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("give_item", "{\n  \"item_id\": 4\n}");
    world.line(conn, PULL);
    assert_eq!(world.frames().len(), 1);
}

#[test]
fn unknown_queue_a_row_is_recorded_and_fails_at_once() {
    let mut world = TestBridge::new();
    let row = NewInvocation { queue: Some("nope".into()), ..NewInvocation::new("free") };
    let (id, state, _) = world.enqueue_row(row).unwrap();
    assert_eq!(state, RowState::Failed);
    assert_eq!(world.row(id).reason.as_deref(), Some("unknown_queue: nope"));
    assert!(matches!(
        world.transitions()[..],
        [
            Transition::Enqueued { .. },
            Transition::Failed { from: RowState::Pending, by: FailedBy::UnknownQueue, .. }
        ]
    ));
    assert_eq!(world.bridge.snapshot().queues.len(), 2, "no such queue is shown");
}

#[test]
fn identity_rows_of_another_manifest_wait() {
    let (mut world, _) = TestBridge::connected();
    world.enqueue("free", "{}");
    let mut other = pack();
    other.hash = ManifestHash::new("sha256:other");
    let mut world = TestBridge::with(other, limits::Mpp::default(), world.store);
    let conn = world.open();
    world.line(conn, &crate::harness::HELLO.replace("sha256:abc123...", "sha256:other"));
    world.line(conn, PULL);
    assert!(world.dispatched.is_empty());
    let queue = &world.bridge.snapshot().queues["default"];
    assert_eq!((queue.pending, queue.other_manifest), (0, 1));
}

#[test]
fn late_frames_are_told_apart_as_ruling_8_says() {
    let cases: [(&str, ErrorCode, Violation); 9] = [
        (r#"{"mpp":2,"type":"ack","id":99}"#, ErrorCode::UnknownInvocationId, Violation::NotDispatchedHere),
        (r#"{"mpp":2,"type":"ack","id":1}"#, ErrorCode::UnexpectedStateTransition, Violation::AlreadyEnded),
        (
            r#"{"mpp":2,"type":"applied","id":1}"#,
            ErrorCode::UnexpectedStateTransition,
            Violation::AlreadyEnded,
        ),
        (r#"{"mpp":2,"type":"done","id":1}"#, ErrorCode::UnexpectedStateTransition, Violation::AlreadyEnded),
        (
            r#"{"mpp":2,"type":"failed","id":1,"reason":"x"}"#,
            ErrorCode::UnexpectedStateTransition,
            Violation::AlreadyEnded,
        ),
        (r#"{"mpp":2,"type":"done","id":3}"#, ErrorCode::UnexpectedStateTransition, Violation::NotApplied),
        (
            r#"{"mpp":2,"type":"applied","id":2}"#,
            ErrorCode::UnexpectedStateTransition,
            Violation::AlreadyApplied,
        ),
        (
            r#"{"mpp":2,"type":"failed","id":2,"reason":"x","refund":true}"#,
            ErrorCode::UnexpectedStateTransition,
            Violation::RefundAfterApplied,
        ),
        (r#"{"mpp":2,"type":"done","id":4}"#, ErrorCode::UnknownInvocationId, Violation::NotDispatchedHere),
    ];
    for (line, code, violation) in cases {
        let (mut world, first) = TestBridge::connected();
        for event in ["free", "free", "free", "spawn"] {
            world.enqueue(event, "{}");
        }
        // 4 is left in applied by an earlier connection; 1 ended, 2 is applied, 3 dispatched.
        world.line(first, PULL_BOSS);
        world.line(first, &applied(4));
        world.close(first, CloseCause::ReadFailed);
        let conn = world.connect();
        world.line(conn, PULL);
        world.line(conn, &applied(1));
        world.line(conn, &done(1));
        world.line(conn, PULL);
        world.line(conn, &applied(2));
        world.line(conn, PULL);
        for ack in [2, 3] {
            assert_eq!(
                world.line(conn, &format!(r#"{{"mpp":2,"type":"ack","id":{ack}}}"#)),
                Verdict::Accepted
            );
        }
        assert_eq!(world.line(conn, line), refused(code, violation), "{line}");
        assert!(world.frames()[0].contains(code.code()));
    }
}

#[test]
fn late_frames_an_id_of_an_earlier_connection_is_unknown() {
    let (mut world, first) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.line(first, PULL);
    world.close(first, CloseCause::PeerClosed);
    let conn = world.connect();
    assert_eq!(
        world.line(conn, &applied(1)),
        refused(ErrorCode::UnknownInvocationId, Violation::NotDispatchedHere)
    );
}

#[test]
fn late_frames_only_so_many_ended_ids_are_remembered() {
    let limits = limits::Mpp { remembered_ids_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let conn = world.connect();
    for id in 1..=3 {
        world.enqueue("free", "{}");
        world.line(conn, PULL);
        world.line(conn, &format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"x"}}"#));
    }
    let judge = |id: u64| world.judge(conn, &done(id));
    assert_eq!(judge(1), refused(ErrorCode::UnknownInvocationId, Violation::NotDispatchedHere));
    assert_eq!(judge(2), refused(ErrorCode::UnexpectedStateTransition, Violation::AlreadyEnded));
}

#[test]
fn applied_without_done_for_ever_is_bounded() {
    let limits = limits::Mpp { live_rows_max: 4, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let conn = world.connect();
    for id in 1..=6 {
        world.enqueue("free", "{}");
        world.line(conn, PULL);
        world.line(conn, &applied(id));
    }
    let live = world.bridge.snapshot().live;
    assert_eq!(live.values().filter(|live| live.orphaned).count(), 2);
    assert_eq!(world.line(conn, &done(3)), Verdict::Accepted);
    let snapshot = world.bridge.snapshot();
    assert!(snapshot.live.values().filter(|live| !live.orphaned).count() <= 4);
}

#[test]
fn applied_without_done_past_both_bounds_is_forgotten() {
    let limits = limits::Mpp { live_rows_max: 2, recent_rows_max: 1, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let conn = world.connect();
    for id in 1..=5 {
        world.enqueue("free", "{}");
        world.line(conn, PULL);
        world.line(conn, &applied(id));
    }
    assert_eq!(world.bridge.snapshot().live.len(), 3);
    assert_eq!(world.line(conn, &done(3)), Verdict::Accepted);
    assert_eq!(
        world.line(conn, &done(1)),
        refused(ErrorCode::UnknownInvocationId, Violation::NotDispatchedHere)
    );
}

#[test]
fn dispatch_a_million_rows_are_read_a_head_at_a_time() {
    let mut store = Store::default();
    let mut seed = TestBridge::new();
    seed.enqueue("free", "{}");
    let row = seed.row(InvocationId(1)).clone();
    for id in 1..=500 {
        store.insert(rl_console::store::invocations::Row { id: InvocationId(id), ..row.clone() });
    }
    let mut world =
        TestBridge::with(pack(), limits::Mpp { head_rows_max: 8, ..limits::Mpp::default() }, store);
    let conn = world.connect();
    for id in 1..=500 {
        world.line(conn, PULL);
        world.line(conn, &applied(id));
        world.line(conn, &done(id));
    }
    assert_eq!(ids(&world), (1..=500).collect::<Vec<_>>());
    assert_eq!(world.bridge.snapshot().queues["default"].pending, 0);
}

#[test]
fn lifecycle_a_row_left_beyond_live_rows_max_may_still_be_ended_by_its_connection() {
    let limits = limits::Mpp { live_rows_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let conn = world.connect();
    for id in 1..=5 {
        world.enqueue("free", "{}");
        world.line(conn, PULL);
        world.line(conn, &format!(r#"{{"mpp":2,"type":"applied","id":{id}}}"#));
    }
    assert_eq!(world.bridge.snapshot().live.values().filter(|live| live.orphaned).count(), 3);
    assert_eq!(world.line(conn, r#"{"mpp":2,"type":"done","id":1}"#), Verdict::Accepted);
    assert_eq!(world.line(conn, r#"{"mpp":2,"type":"failed","id":2,"reason":"x"}"#), Verdict::Accepted);
    assert_eq!(
        (world.row(InvocationId(1)).state, world.row(InvocationId(2)).state),
        (RowState::Done, RowState::Failed)
    );
    // An operator who settles one speaks for it.
    let settle = Command::Settle { id: InvocationId(3), to: Settlement::Done };
    assert!(world.ask(settle).is_ok());
    world.close(conn, CloseCause::PeerClosed);
    let conn = world.connect();
    let fault =
        Fault::Protocol { code: ErrorCode::UnknownInvocationId, violation: Violation::NotDispatchedHere };
    assert_eq!(
        world.line(conn, r#"{"mpp":2,"type":"done","id":4}"#),
        Verdict::Refused(fault),
        "another connection's"
    );
}
