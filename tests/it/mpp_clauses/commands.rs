//! What operators ask (rulings MPP 5, 10, 11 and 17; idempotent enqueue).

use rl_console::{
    ids::{InvocationId, ManifestHash, QueueName},
    limits,
    mpp::{Command, NewInvocation, Outcome, Refusal},
    schema::JsonText,
    tap::entry::mpp::{Brake, RefundStatus, RowState, Transition},
};

use super::dispatch::{PULL, ids};
use crate::harness::{HELLO, Store, TestBridge, pack};

fn cancel(ids: &[u64], refund: bool) -> Command {
    Command::Cancel {
        ids: ids.iter().map(|id| InvocationId(*id)).collect(),
        reason: "not now".to_owned(),
        refund,
    }
}

fn queue(name: &str) -> QueueName {
    QueueName::new(name)
}

#[test]
fn enqueue_answers_row_by_row_in_order() {
    let mut world = TestBridge::new();
    let rows = vec![NewInvocation::new("free"), NewInvocation::new("nope"), NewInvocation::new("spawn")];
    let Ok(Outcome::Enqueued(answer)) = world.ask(Command::Enqueue { rows }) else { panic!("refused") };
    assert_eq!(answer[0].as_ref().unwrap().id, InvocationId(1));
    assert!(matches!(answer[1], Err(Refusal::UnknownEvent { .. })));
    assert_eq!(answer[2].as_ref().unwrap().queue.as_str(), "boss");
    assert_eq!(world.row(InvocationId(1)).source.kind, "manual");
}

#[test]
fn enqueue_is_answered_after_its_commit() {
    let mut world = TestBridge::new();
    world.prompt = false;
    world.command(Command::Enqueue { rows: vec![NewInvocation::new("free")] });
    while world.store.waiting.len() > 1 {
        world.answer_next(true);
    }
    assert!(world.answers.is_empty());
    world.answer_next(true);
    assert_eq!(world.answers.len(), 1);
}

#[test]
fn enqueue_a_repeated_key_yields_the_first_row() {
    let (mut world, conn) = TestBridge::connected();
    let row = NewInvocation {
        source: Some("channel_points".to_owned()),
        redemption: Some("r-1".to_owned()),
        ..NewInvocation::new("free")
    };
    assert_eq!(world.enqueue_row(row.clone()), Ok((InvocationId(1), RowState::Pending, false)));
    world.line(conn, PULL);
    assert_eq!(
        world.enqueue_row(row.clone()),
        Ok((InvocationId(1), RowState::Dispatched, true)),
        "the state as the bridge knows it"
    );
    let Ok(Outcome::Enqueued(both)) = world.ask(Command::Enqueue {
        rows: vec![
            NewInvocation { source: Some("bits".to_owned()), ..row.clone() },
            NewInvocation { source: Some("bits".to_owned()), ..row },
        ],
    }) else {
        panic!("refused")
    };
    assert_eq!(both[0].as_ref().unwrap().id, both[1].as_ref().unwrap().id);
    assert!(both[1].as_ref().unwrap().repeated);
    assert_eq!(world.bridge.snapshot().queues["default"].pending, 1);
}

#[test]
fn enqueue_bounds_rows_and_pending_rows() {
    let limits = limits::Mpp { command_rows_max: 3, pending_rows_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let rows = vec![NewInvocation::new("free"); 4];
    assert_eq!(
        world.ask(Command::Enqueue { rows: rows.clone() }),
        Err(Refusal::TooManyRows { rows: 4, limit: 3 })
    );
    let Ok(Outcome::Enqueued(answer)) = world.ask(Command::Enqueue { rows: rows[..3].to_vec() }) else {
        panic!("refused")
    };
    assert_eq!(answer[2], Err(Refusal::TooManyPending { limit: 2 }));
}

#[test]
fn cancel_makes_pending_rows_failed() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "free", "spawn"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, PULL);
    let Ok(Outcome::Cancelled(answer)) = world.ask(cancel(&[2, 1, 2, 77], false)) else { panic!("refused") };
    assert!(answer[0].is_ok() && answer[0] == answer[2]);
    assert_eq!(answer[1], Err(Refusal::WrongState { id: InvocationId(1), state: RowState::Dispatched }));
    assert_eq!(answer[3], Err(Refusal::NoSuchInvocation { id: InvocationId(77) }));
    assert_eq!(world.row(InvocationId(2)).reason.as_deref(), Some("cancelled: not now"));
    assert_eq!(world.bridge.snapshot().queues["default"].pending, 0);
    assert_eq!(
        world.ask(cancel(&[2], false)),
        Ok(Outcome::Cancelled(vec![Err(Refusal::WrongState {
            id: InvocationId(2),
            state: RowState::Failed
        })]))
    );
    assert!(world.store.refunds.is_empty());
}

#[test]
fn cancel_records_refunds_by_their_source() {
    let mut world = TestBridge::new();
    for source in ["channel_points", "bits", "manual"] {
        world
            .enqueue_row(NewInvocation { source: Some(source.to_owned()), ..NewInvocation::new("free") })
            .unwrap();
    }
    let Ok(Outcome::Cancelled(answer)) = world.ask(cancel(&[1, 2, 3], true)) else { panic!("refused") };
    let statuses: Vec<_> = answer.iter().map(|row| row.as_ref().unwrap().refund.unwrap().status).collect();
    assert_eq!(statuses, [RefundStatus::Requested, RefundStatus::Skipped, RefundStatus::Manual]);
    assert_eq!(
        world
            .transitions()
            .into_iter()
            .filter(|said| matches!(said, Transition::RefundRecorded { .. }))
            .count(),
        3
    );
}

#[test]
fn cancel_keeps_a_row_from_leaving_while_it_is_decided() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..2 {
        world.enqueue("free", "{}");
    }
    world.prompt = false;
    let request = world.command(cancel(&[1], false));
    world.line(conn, PULL);
    assert_eq!(ids(&world), [2]);
    world.prompt = true;
    world.run_until_idle();
    assert!(world.answers.contains_key(&request));
}

#[test]
fn cancel_that_cannot_be_stored_gives_the_row_back() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..2 {
        world.enqueue("free", "{}");
    }
    world.broken = true;
    let answer = world.ask(cancel(&[1], false));
    assert!(matches!(answer, Err(Refusal::NotStored { .. })));
    world.line(conn, PULL);
    assert_eq!(ids(&world), [1]);
}

#[test]
fn cancel_reaches_rows_that_are_not_in_memory() {
    let limits = limits::Mpp { head_rows_max: 8, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    for _ in 0..30 {
        world.enqueue("free", "{}");
    }
    world.ask(cancel(&[3, 9, 10, 29], false)).unwrap();
    let conn = world.connect();
    for _ in 0..26 {
        world.line(conn, PULL);
        let id = ids(&world).last().copied().unwrap();
        world.line(conn, &format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"x"}}"#));
    }
    let left: Vec<u64> = (1..=30).filter(|id| ![3, 9, 10, 29].contains(id)).collect();
    assert_eq!(ids(&world), left);
}

#[test]
fn brakes_hold_keeps_pulls_parked_and_takes_new_rows() {
    let (mut world, conn) = TestBridge::connected();
    assert_eq!(
        world.ask(Command::Hold { queue: Some(queue("nope")) }),
        Err(Refusal::UnknownQueue { queue: "nope".into() })
    );
    let held = Brake { held: true, draining: false };
    assert_eq!(
        world.ask(Command::Hold { queue: Some(queue("default")) }),
        Ok(Outcome::Braked(vec![("default".into(), held)]))
    );
    world.line(conn, PULL);
    world.enqueue("free", "{}");
    assert!(world.dispatched.is_empty());
    assert!(world.bridge.snapshot().queues["default"].parked);
    world.ask(Command::Hold { queue: Some(queue("default")) }).unwrap();
    assert!(world.transition_log.is_empty(), "nothing changed");
    world.ask(Command::Resume { queue: None }).unwrap();
    assert_eq!(
        world.transitions().into_iter().filter(|said| matches!(said, Transition::Braked { .. })).count(),
        1
    );
    assert_eq!(ids(&world), [1]);
}

#[test]
fn brakes_drain_refuses_new_rows_and_tells_when_empty() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..2 {
        world.enqueue("free", "{}");
    }
    world.ask(Command::Drain { queue: Some(queue("default")) }).unwrap();
    assert_eq!(
        world.enqueue_row(NewInvocation::new("free")),
        Err(Refusal::Draining { queue: "default".into() })
    );
    let drained =
        |world: &TestBridge| world.transitions().contains(&&Transition::Drained { queue: "default".into() });
    for id in 1..=2 {
        world.line(conn, PULL);
        assert!(!drained(&world));
        world.line(conn, &format!(r#"{{"mpp":2,"type":"applied","id":{id}}}"#));
    }
    assert!(drained(&world));
    world.line(conn, PULL);
    assert!(!drained(&world), "it is told once");
    world.ask(Command::Drain { queue: None }).unwrap();
    assert!(
        world.transitions().contains(&&Transition::Drained { queue: "boss".into() }),
        "an empty queue is drained at once"
    );
    world.ask(Command::Resume { queue: None }).unwrap();
    assert!(world.enqueue_row(NewInvocation::new("free")).is_ok());
}

#[test]
fn brakes_release_ends_the_hold_alone_and_takes_no_new_row_meanwhile() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.ask(Command::Drain { queue: Some(queue("default")) }).unwrap();
    world.ask(Command::Hold { queue: None }).unwrap();
    world.line(conn, PULL);
    assert!(world.dispatched.is_empty());
    assert_eq!(
        world.ask(Command::Release { queue: Some(queue("nope")) }),
        Err(Refusal::UnknownQueue { queue: "nope".into() })
    );
    let draining = Brake { held: false, draining: true };
    let told = Outcome::Braked(vec![("boss".into(), Brake::default()), ("default".into(), draining)]);
    assert_eq!(world.ask(Command::Release { queue: None }), Ok(told));
    assert_eq!(ids(&world), [1], "what is pending leaves");
    let refused = world.enqueue_row(NewInvocation::new("free"));
    assert_eq!(refused, Err(Refusal::Draining { queue: "default".into() }));
}

#[test]
fn brakes_survive_a_restart() {
    let (mut world, _) = TestBridge::connected();
    world.ask(Command::Hold { queue: Some(queue("default")) }).unwrap();
    world.ask(Command::Drain { queue: Some(queue("boss")) }).unwrap();
    let world = TestBridge::with(pack(), limits::Mpp::default(), world.store);
    let queues = world.bridge.snapshot().queues;
    assert_eq!(queues["default"].brake, Brake { held: true, draining: false });
    assert_eq!(queues["boss"].brake, Brake { held: false, draining: true });
}

#[test]
fn migrate_takes_what_fits_fails_unknown_queues_and_leaves_the_rest() {
    let mut world = TestBridge::new();
    for (event, params) in [
        ("free", "{}"),
        ("give_item", r#"{"item_id":1}"#),
        ("spawn", "{}"),
        ("give_item", r#"{"item_id":"x"}"#),
    ] {
        world.enqueue(event, params);
    }
    let mut new = pack();
    new.hash = ManifestHash::new("sha256:new");
    new.events.remove("free");
    new.queues.remove("boss");
    let limits = limits::Mpp { command_rows_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(new, limits, world.store);
    assert_eq!(world.bridge.snapshot().queues["boss"].other_manifest, 1);
    assert_eq!(world.ask(Command::Migrate), Ok(Outcome::Migrated { moved: 1, failed: 1, left: 2 }));
    assert_eq!(world.row(InvocationId(3)).reason.as_deref(), Some("unknown_queue: boss"));
    let queues = world.bridge.snapshot().queues;
    assert!(!queues.contains_key("boss"));
    assert_eq!((queues["default"].pending, queues["default"].other_manifest), (1, 2));
    let conn = world.open();
    world.line(conn, &HELLO.replace("sha256:abc123...", "sha256:new"));
    world.line(conn, PULL);
    assert_eq!(ids(&world), [2]);
    let Ok(Outcome::Cancelled(rows)) = world.ask(cancel(&[1, 4], false)) else { panic!("refused") };
    assert!(rows.iter().all(Result::is_ok), "rows of another manifest can be cancelled");
    assert!(matches!(
        world.transitions()[..],
        [Transition::OtherCancelled { .. }, Transition::OtherCancelled { .. }]
    ));
}

#[test]
fn migrate_puts_older_rows_before_newer_ones() {
    let mut world = TestBridge::new();
    for _ in 0..3 {
        world.enqueue("free", "{}");
    }
    let mut new = pack();
    new.hash = ManifestHash::new("sha256:new");
    let mut world = TestBridge::with(new, limits::Mpp::default(), world.store);
    world.enqueue("free", "{}");
    world.prompt = false;
    let first = world.command(Command::Migrate);
    assert_eq!(world.ask(Command::Migrate), Err(Refusal::MigrationRunning));
    world.prompt = true;
    world.run_until_idle();
    assert_eq!(world.answers[&first], Ok(Outcome::Migrated { moved: 3, failed: 0, left: 0 }));
    let conn = world.open();
    world.line(conn, &HELLO.replace("sha256:abc123...", "sha256:new"));
    for id in 1..=4 {
        world.line(conn, PULL);
        world.line(conn, &format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"x"}}"#));
    }
    assert_eq!(ids(&world), [1, 2, 3, 4]);
}

#[test]
fn enqueue_passes_a_trace_on() {
    let (mut world, conn) = TestBridge::connected();
    let trace = "trace:0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap();
    let params = Some(JsonText::parse("{}").unwrap());
    world.enqueue_row(NewInvocation { trace_id: Some(trace), params, ..NewInvocation::new("free") }).unwrap();
    world.line(conn, PULL);
    assert!(
        world
            .transition_log
            .iter()
            .any(|(said, _, of)| matches!(said, Transition::Dispatched { .. }) && *of == Some(trace))
    );
    assert_eq!(world.bridge.snapshot().live[&InvocationId(1)].trace, Some(trace));
}

#[test]
fn enqueue_a_repeated_key_yields_the_first_row_even_when_it_would_be_refused_now() {
    let limits = limits::Mpp { pending_rows_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let keyed =
        |event: &str, key: &str| NewInvocation { key: Some(key.to_owned()), ..NewInvocation::new(event) };
    let first = Ok((InvocationId(1), RowState::Pending, true));
    world.enqueue_row(keyed("free", "a")).unwrap();
    world.enqueue_row(keyed("spawn", "b")).unwrap();
    assert_eq!(world.enqueue_row(keyed("free", "c")), Err(Refusal::TooManyPending { limit: 2 }));
    assert_eq!(world.enqueue_row(keyed("free", "a")), first, "too many pending");
    assert!(matches!(world.enqueue_row(keyed("nope", "c")), Err(Refusal::UnknownEvent { .. })));
    let is_conflict =
        |answer: Result<_, Refusal>| matches!(answer, Err(Refusal::KeyConflict { id: InvocationId(1), .. }));
    assert!(is_conflict(world.enqueue_row(keyed("nope", "a"))), "another event");
    let huge = Some(JsonText::parse(&format!(r#"{{"x":"{}"}}"#, "x".repeat(65_536))).unwrap());
    let of = |params| NewInvocation { params, ..keyed("free", "a") };
    assert!(is_conflict(world.enqueue_row(of(huge))), "other params, and too large");
    assert!(is_conflict(world.enqueue_row(of(Some(JsonText::null())))), "other params, and no object");
    assert_eq!(world.enqueue_row(of(Some(JsonText::parse("{ }").unwrap()))), first, "written otherwise");
    assert_eq!(
        world.enqueue_row(NewInvocation { queue: Some(queue(&"q".repeat(65))), ..keyed("free", "a") }),
        first,
        "a long name"
    );
    world.ask(Command::Drain { queue: None }).unwrap();
    assert_eq!(world.enqueue_row(keyed("free", "a")), first, "draining");
    assert_eq!(world.enqueue_row(keyed("free", "c")), Err(Refusal::Draining { queue: "default".into() }));
    let redeemed = NewInvocation {
        source: Some("bits".to_owned()),
        redemption: Some("a".to_owned()),
        ..NewInvocation::new("free")
    };
    assert_eq!(
        world.enqueue_row(redeemed),
        Err(Refusal::Draining { queue: "default".into() }),
        "a key is its source's own"
    );
    world.broken = true;
    assert!(matches!(world.enqueue_row(keyed("free", "a")), Err(Refusal::NotStored { .. })));
}

#[test]
fn enqueue_answers_known_keys_among_refused_and_new_rows_in_order() {
    let mut world = TestBridge::new();
    let keyed =
        |event: &str, key: &str| NewInvocation { key: Some(key.to_owned()), ..NewInvocation::new(event) };
    world.enqueue_row(keyed("spawn", "a")).unwrap();
    world.ask(Command::Drain { queue: Some(queue("boss")) }).unwrap();
    let rows = vec![
        keyed("spawn", "x"),
        keyed("free", "b"),
        keyed("spawn", "a"),
        NewInvocation::new("nope"),
        NewInvocation { queue: Some(queue("boss")), ..keyed("free", "b") },
        keyed("spawn", "b"),
    ];
    let Ok(Outcome::Enqueued(answer)) = world.ask(Command::Enqueue { rows }) else { panic!("refused") };
    assert_eq!(answer[0], Err(Refusal::Draining { queue: "boss".into() }));
    assert!(answer[1].as_ref().is_ok_and(|row| row.id == InvocationId(2) && !row.repeated));
    assert!(
        answer[2]
            .as_ref()
            .is_ok_and(|row| row.id == InvocationId(1) && row.repeated && row.queue.as_str() == "boss")
    );
    assert!(matches!(answer[3], Err(Refusal::UnknownEvent { .. })));
    assert!(
        answer[4].as_ref().is_ok_and(|row| row.id == InvocationId(2) && row.repeated),
        "the same command recorded it"
    );
    assert!(matches!(answer[5], Err(Refusal::KeyConflict { id: InvocationId(2), .. })), "for other work");
}

#[test]
fn brakes_drain_is_told_again_after_a_migration_brought_rows() {
    let mut world = TestBridge::new();
    for _ in 0..2 {
        world.enqueue("free", "{}");
    }
    let mut new = pack();
    new.hash = ManifestHash::new("sha256:new");
    let mut world = TestBridge::with(new, limits::Mpp::default(), world.store);
    let drained =
        |world: &TestBridge| world.transitions().contains(&&Transition::Drained { queue: "default".into() });
    world.ask(Command::Drain { queue: Some(queue("default")) }).unwrap();
    assert!(drained(&world));
    assert_eq!(world.ask(Command::Migrate), Ok(Outcome::Migrated { moved: 2, failed: 0, left: 0 }));
    assert!(!drained(&world));
    let conn = world.connect();
    for id in 1..=2 {
        world.line(conn, PULL);
        assert!(!drained(&world));
        world.line(conn, &format!(r#"{{"mpp":2,"type":"applied","id":{id}}}"#));
    }
    assert!(drained(&world));
}

#[test]
fn enqueue_bounds_the_bytes_of_pending_rows_and_those_that_leave_make_room() {
    let params =
        |bytes: usize| Some(JsonText::parse(&format!(r#"{{"x":"{}"}}"#, "x".repeat(bytes))).unwrap());
    let limit = 200_000;
    let limits = limits::Mpp { pending_bytes_max: limit, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let row = |bytes: usize| NewInvocation { params: params(bytes), ..NewInvocation::new("free") };
    for _ in 0..3 {
        world.enqueue_row(row(60_000)).unwrap();
    }
    assert_eq!(world.enqueue_row(row(60_000)), Err(Refusal::TooManyPendingBytes { limit }));
    world.enqueue_row(row(10)).unwrap();
    let keyed = NewInvocation { key: Some("k".repeat(60_000)), ..row(10) };
    assert_eq!(world.enqueue_row(keyed), Err(Refusal::TooManyPendingBytes { limit }), "all texts count");
    // What is refused by the store was never there.
    world.broken = true;
    assert!(world.enqueue_row(row(10_000)).is_err());
    world.broken = false;
    world.pass(std::time::Duration::from_secs(6));
    // Cancelled, and sent.
    let cancel = Command::Cancel { ids: vec![InvocationId(1)], reason: String::new(), refund: false };
    world.ask(cancel).unwrap();
    world.enqueue_row(row(60_000)).unwrap();
    assert!(world.enqueue_row(row(60_000)).is_err());
    let conn = world.connect();
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"default"}"#);
    world.enqueue_row(row(60_000)).unwrap();
    assert!(world.enqueue_row(row(60_000)).is_err());
    // Requeued: it waits again, and the bound holds no less for that.
    world.close(conn, rl_console::mpp::CloseCause::PeerClosed);
    assert!(world.enqueue_row(row(10)).is_err());
    // Another start counts what there is.
    let store = std::mem::take(&mut world.store);
    let mut world = TestBridge::with(pack(), limits, store);
    assert!(world.enqueue_row(row(10)).is_err());
}
