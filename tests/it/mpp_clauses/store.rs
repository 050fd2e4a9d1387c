//! Durability: what waits for the store, and what happens while it refuses (rulings MPP 6 and 7).

use std::time::Duration;

use rl_console::{
    ids::InvocationId,
    limits,
    mpp::{Command, NewInvocation, Outcome, Refusal, Verdict},
    store::op::{Class, CommitError, Op},
    tap::entry::mpp::{RowState, Transition},
};

use super::dispatch::{PULL, PULL_BOSS};
use crate::harness::{Request, Store, TestBridge, pack};

fn classes(world: &TestBridge) -> Vec<(Class, &'static str)> {
    let persists = world.store.waiting.iter().filter_map(|request| match request {
        Request::Persist { class, op, .. } => Some((*class, op)),
        _ => None,
    });
    persists
        .map(|(class, op)| {
            let name = match op {
                Op::Enqueue { .. } => "enqueue",
                Op::Move(_) => "move",
                Op::Refund { .. } => "refund",
                Op::Change { .. } => "change",
                Op::Migrate { .. } => "migrate",
                Op::WriteState { .. } => "state",
                Op::SetBrake { .. } => "brake",
                Op::Alerts(_) => "alerts",
                Op::InjectedTraces(_) => "injected traces",
                Op::Trigger { .. } => "trigger",
                Op::Runs(_) => "runs",
                Op::Rate { .. } => "rating",
                Op::Macp(_) => "sessions",
                Op::Plugins(_) => "plugins",
            };
            (class, name)
        })
        .collect()
}

#[test]
fn durability_each_request_has_its_class() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "spawn", "free"] {
        world.enqueue(event, "{}");
    }
    world.prompt = false;
    world.line(conn, PULL);
    world.line(conn, r#"{"mpp":2,"type":"failed","id":1,"reason":"x","refund":true}"#);
    world.line(conn, PULL_BOSS);
    world.line(conn, r#"{"mpp":2,"type":"applied","id":2}"#);
    world.line(conn, r#"{"mpp":2,"type":"state_write","key":"resets","value":1}"#);
    world.command(Command::Enqueue { rows: vec![NewInvocation::new("free")] });
    world.command(Command::Cancel { ids: vec![InvocationId(3)], reason: String::new(), refund: true });
    world.command(Command::Hold { queue: Some("boss".into()) });
    assert_eq!(
        classes(&world),
        [
            (Class::WriteBehind, "move"),
            (Class::Power, "refund"),
            (Class::WriteBehind, "move"),
            (Class::Process, "move"),
            (Class::WriteBehind, "state"),
            (Class::Power, "enqueue"),
            (Class::Power, "change"),
            (Class::Process, "brake"),
        ]
    );
}

#[test]
fn failing_store_refuses_new_rows_and_holds_what_it_must() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "free", "spawn"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, PULL);
    world.broken = true;
    world.line(conn, r#"{"mpp":2,"type":"applied","id":1,"result":{"n":1}}"#);
    assert!(matches!(world.transitions()[..], [Transition::Applied { .. }, Transition::CommitsFailing]));
    assert_eq!(
        world.bridge.snapshot().commits_failing.as_deref(),
        Some("the store cannot write: no space left on device")
    );
    assert_eq!(world.line(conn, PULL), Verdict::Accepted);
    assert_eq!(world.dispatched.len(), 1, "parked");
    assert!(matches!(world.enqueue_row(NewInvocation::new("free")), Err(Refusal::NotStored { .. })));
    assert!(matches!(
        world.ask(Command::Cancel { ids: vec![InvocationId(2)], reason: String::new(), refund: false }),
        Err(Refusal::NotStored { .. })
    ));
    assert_eq!(world.bridge.dirty()[&InvocationId(1)].state, RowState::Applied);
    world.line(conn, r#"{"mpp":2,"type":"done","id":1}"#);
    world.pass(Duration::from_secs(60));
    assert_eq!(world.bridge.dirty()[&InvocationId(1)].state, RowState::Done);
    world.broken = false;
    world.pass(Duration::from_secs(5));
    assert_eq!(world.row(InvocationId(1)).state, RowState::Done);
    assert_eq!(
        world.row(InvocationId(1)).result.as_ref().unwrap().as_str(),
        r#"{"n":1}"#,
        "the older transition is in it"
    );
    assert_eq!(world.dispatched.len(), 2, "the parked pull is served");
    assert!(world.transitions().contains(&&Transition::CommitsOk));
    assert_eq!(world.bridge.snapshot().commits_failing, None);
    assert!(world.enqueue_row(NewInvocation::new("free")).is_ok());
}

#[test]
fn failing_store_an_enqueue_that_failed_is_probed_for() {
    let mut world = TestBridge::new();
    world.broken = true;
    assert!(matches!(world.enqueue_row(NewInvocation::new("free")), Err(Refusal::NotStored { .. })));
    world.broken = false;
    world.pass(Duration::from_millis(100));
    assert!(world.transitions().contains(&&Transition::CommitsOk));
    assert!(world.enqueue_row(NewInvocation::new("free")).is_ok());
}

#[test]
fn failing_store_a_refund_is_recorded_once_it_can_be() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.line(conn, PULL);
    world.broken = true;
    world.line(conn, r#"{"mpp":2,"type":"failed","id":1,"reason":"x","refund":true}"#);
    world.pass(Duration::from_secs(1));
    world.broken = false;
    world.pass(Duration::from_secs(5));
    assert_eq!(world.store.refunds.len(), 1);
    assert_eq!(world.row(InvocationId(1)).state, RowState::Refunded);
    assert!(world.transitions().into_iter().any(|said| matches!(said, Transition::RefundRecorded { .. })));
}

#[test]
fn failing_store_a_brake_holds_at_once_and_is_stored_later() {
    let mut world = TestBridge::new();
    world.broken = true;
    assert!(matches!(world.ask(Command::Hold { queue: None }), Err(Refusal::NotStored { .. })));
    assert!(world.bridge.snapshot().queues["boss"].brake.held);
    world.broken = false;
    world.pass(Duration::from_secs(1));
    assert!(world.store.brakes["boss"].held && world.store.brakes["default"].held);
    assert!(matches!(world.ask(Command::Resume { queue: None }), Ok(Outcome::Braked(_))));
}

#[test]
fn failing_store_what_may_be_dirty_is_bounded() {
    let limits = limits::Mpp { dirty_rows_max: 3, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    let conn = world.connect();
    for _ in 0..6 {
        world.enqueue("give_item", r#"{"item_id":"bad"}"#);
    }
    world.enqueue("free", "{}");
    world.prompt = false;
    world.line(conn, PULL);
    assert_eq!(world.bridge.dirty().len(), 3);
    world.prompt = true;
    world.run_until_idle();
    assert_eq!(world.dispatched.len(), 1);
}

#[test]
fn read_ahead_from_the_start_does_not_take_up_what_is_under_way() {
    let mut world = TestBridge::new();
    world.enqueue("free", "{}");
    let mut new = pack();
    new.hash = rl_console::ids::ManifestHash::new("sha256:new");
    let mut world = TestBridge::with(new, limits::Mpp::default(), world.store);
    let conn = world.connect();
    for _ in 0..3 {
        world.enqueue("free", "{}");
    }
    world.prompt = false;
    world.line(conn, PULL);
    // The dispatch of 2 is written behind, and lost.
    world.answer_next(false);
    world.prompt = true;
    assert_eq!(world.ask(Command::Migrate), Ok(Outcome::Migrated { moved: 1, failed: 0, left: 0 }));
    assert_eq!(world.row(InvocationId(2)).state, RowState::Pending);
    for id in [2, 1, 3] {
        world.line(conn, &format!(r#"{{"mpp":2,"type":"applied","id":{id}}}"#));
        world.line(conn, PULL);
    }
    let ids: Vec<u64> = world.dispatched.iter().map(|(_, id)| id.0).collect();
    assert_eq!(ids, [2, 1, 3, 4]);
}

#[test]
fn failing_store_a_read_that_failed_is_asked_again() {
    let mut world = TestBridge::new();
    for _ in 0..3 {
        world.enqueue("free", "{}");
    }
    let mut world = TestBridge::with(pack(), limits::Mpp::default(), world.store);
    world.store.waiting.clear();
    world.handle(rl_console::mpp::Input::FetchFailed {
        queue: "default".into(),
        error: rl_console::store::op::CommitError::Busy { waiting: 1 },
    });
    let conn = world.connect();
    world.line(conn, PULL);
    world.pass(Duration::from_secs(1));
    assert_eq!(world.dispatched.len(), 1);
}

/// The store is too busy for its next request that waits for an answer.
fn busy(world: &mut TestBridge) {
    while let Some(request) = world.store.waiting.pop_front() {
        match request {
            Request::Persist { ticket, class: Class::Process | Class::Power, .. } => {
                let error = CommitError::Busy { waiting: 1 };
                return world.handle(rl_console::mpp::Input::CommitFailed { ticket, error });
            }
            other => world.answer_request(other, true),
        }
    }
    panic!("nothing was asked");
}

#[test]
fn busy_store_refuses_one_command_and_is_not_failing() {
    let mut world = TestBridge::new();
    world.enqueue("free", "{}");
    world.prompt = false;
    let request = world.command(Command::Enqueue { rows: vec![NewInvocation::new("free")] });
    busy(&mut world);
    assert!(matches!(world.answers[&request], Err(Refusal::NotStored { .. })));
    assert_eq!(world.bridge.snapshot().commits_failing, None);
    let request =
        world.command(Command::Cancel { ids: vec![InvocationId(1)], reason: String::new(), refund: false });
    busy(&mut world);
    assert!(matches!(world.answers[&request], Err(Refusal::NotStored { .. })));
    world.prompt = true;
    assert!(world.enqueue_row(NewInvocation::new("free")).is_ok(), "the next is taken at once");
    assert_eq!(world.deadline, None, "nothing is to be tried again");
}

#[test]
fn busy_store_is_offered_transitions_and_brakes_again() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "free", "spawn"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, PULL);
    world.line(conn, PULL_BOSS);
    world.prompt = false;
    world.line(conn, r#"{"mpp":2,"type":"applied","id":1}"#);
    busy(&mut world);
    world.line(conn, r#"{"mpp":2,"type":"applied","id":3}"#);
    busy(&mut world);
    world.command(Command::Hold { queue: Some("boss".into()) });
    busy(&mut world);
    world.line(conn, PULL);
    assert_eq!(world.dispatched.len(), 2, "nothing leaves before its predecessor is stored");
    assert_eq!(world.bridge.snapshot().commits_failing, None);
    world.prompt = true;
    world.pass(Duration::from_secs(1));
    assert_eq!(world.row(InvocationId(1)).state, RowState::Applied);
    assert_eq!(world.row(InvocationId(3)).state, RowState::Applied);
    assert!(world.store.brakes["boss"].held);
    assert_eq!(world.dispatched.len(), 3);
    assert!(
        world
            .transitions()
            .into_iter()
            .all(|said| !matches!(said, Transition::CommitsFailing | Transition::CommitsOk))
    );
}

#[test]
fn busy_store_a_requeue_that_it_did_not_take_does_not_undo_a_cancel() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.prompt = false;
    world.line(conn, PULL);
    // The dispatch is written behind, and lost; so the store has the row as pending.
    world.answer_next(false);
    world.close(conn, rl_console::mpp::CloseCause::PeerClosed);
    busy(&mut world);
    let request =
        world.command(Command::Cancel { ids: vec![InvocationId(1)], reason: String::new(), refund: false });
    world.pass(Duration::from_secs(1));
    world.prompt = true;
    world.run_until_idle();
    assert!(matches!(&world.answers[&request], Ok(Outcome::Cancelled(rows)) if rows[0].is_ok()));
    world.pass(Duration::from_secs(10));
    assert_eq!(world.row(InvocationId(1)).state, RowState::Failed);
    assert!(world.bridge.dirty().is_empty());
}
