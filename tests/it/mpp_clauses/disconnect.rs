//! The narrowed requeue, on every kind of disconnect (mpp-v2 §8; ruling MPP 9).

use rl_console::{
    ids::InvocationId,
    limits,
    mpp::{CloseCause, Command, Outcome, Refusal, Settlement},
    tap::entry::mpp::{FailedBy, RowState, Transition},
};

use super::dispatch::{PULL, PULL_BOSS};
use crate::harness::{TestBridge, pack};

/// default: 1 applied, 2 dispatched; boss: 3 applied; 4 pending; a pull is parked nowhere.
fn busy() -> (TestBridge, rl_console::ids::ConnectionId) {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "free", "spawn", "free"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, PULL);
    world.line(conn, r#"{"mpp":2,"type":"applied","id":1,"result":null}"#);
    world.line(conn, PULL);
    world.line(conn, PULL_BOSS);
    world.line(conn, r#"{"mpp":2,"type":"applied","id":3,"result":{}}"#);
    (world, conn)
}

fn check(world: &mut TestBridge) {
    let states: Vec<_> = world.store.rows.values().map(|row| row.state).collect();
    assert_eq!(states, [RowState::Applied, RowState::Pending, RowState::Applied, RowState::Pending]);
    let snapshot = world.bridge.snapshot();
    assert_eq!(snapshot.adapter, None);
    assert!(snapshot.queues.values().all(|queue| queue.in_flight.is_none() && !queue.parked));
    assert!(snapshot.live.values().all(|live| live.orphaned));
    world.dispatched.clear();
    let conn = world.connect();
    world.enqueue("spawn", "{}");
    world.line(conn, PULL);
    world.line(conn, PULL_BOSS);
    let ids: Vec<_> = world.dispatched.iter().map(|(_, id)| id.0).collect();
    assert_eq!(
        ids,
        [2, 5],
        "what was requeued is the oldest; what is left in applied does not occupy its queue"
    );
}

#[test]
fn disconnect_requeues_only_what_is_dispatched() {
    for cause in [
        CloseCause::PeerClosed,
        CloseCause::ReadFailed,
        CloseCause::WriteFailed,
        CloseCause::WriteStalled,
        CloseCause::NotReading,
    ] {
        let (mut world, conn) = busy();
        world.close(conn, cause);
        assert!(matches!(
            world.transitions()[..],
            [
                Transition::Orphaned { id: InvocationId(1), .. },
                Transition::Requeued { id: InvocationId(2), .. },
                Transition::Orphaned { id: InvocationId(3), .. },
                Transition::Disconnected { active: true, .. }
            ]
        ));
        check(&mut world);
    }
}

#[test]
fn disconnect_by_a_protocol_error_of_ours_requeues_alike() {
    let (mut world, conn) = busy();
    world.line(conn, "nonsense");
    check(&mut world);
}

#[test]
fn disconnect_by_a_protocol_error_of_the_adapter_requeues_alike() {
    let (mut world, conn) = busy();
    world.line(conn, r#"{"mpp":2,"type":"protocol_error","code":"LOST","message":"my state is gone"}"#);
    assert!(world.frames().is_empty(), "it is not answered");
    assert_eq!(world.closed.len(), 1);
    assert_eq!(world.bridge.snapshot().logs[0].text.as_ref(), "protocol_error LOST: my state is gone");
    check(&mut world);
}

#[test]
fn disconnect_by_a_kick_requeues_alike() {
    let (mut world, conn) = busy();
    assert!(matches!(world.ask(Command::Kick), Ok(Outcome::Kicked { .. })));
    assert_eq!(world.closed.last(), Some(&(conn, CloseCause::Kicked)));
    assert_eq!(world.ask(Command::Kick), Err(Refusal::NoAdapter));
    check(&mut world);
}

#[test]
fn disconnect_by_a_restart_requeues_alike() {
    let (world, _) = busy();
    let mut world = TestBridge::with(pack(), limits::Mpp::default(), world.store);
    check(&mut world);
}

#[test]
fn disconnect_a_parked_pull_is_dropped() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, PULL);
    world.close(conn, CloseCause::PeerClosed);
    let conn = world.connect();
    world.enqueue("free", "{}");
    assert!(world.dispatched.is_empty());
    world.line(conn, PULL);
    assert_eq!(world.dispatched.len(), 1);
}

#[test]
fn disconnect_does_not_let_the_next_row_overtake_the_commit() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..2 {
        world.enqueue("free", "{}");
    }
    world.line(conn, PULL);
    world.prompt = false;
    world.line(conn, r#"{"mpp":2,"type":"applied","id":1}"#);
    world.close(conn, CloseCause::PeerClosed);
    let conn = world.connect();
    world.line(conn, PULL);
    assert_eq!(world.dispatched.len(), 1);
    world.prompt = true;
    world.run_until_idle();
    assert_eq!(world.dispatched.len(), 2);
}

#[test]
fn left_in_applied_is_settled_by_the_operator_alone() {
    let (mut world, conn) = busy();
    let settle = |id, to| Command::Settle { id: InvocationId(id), to };
    assert_eq!(world.ask(settle(1, Settlement::Done)), Err(Refusal::WithAdapter { id: InvocationId(1) }));
    assert_eq!(world.ask(settle(2, Settlement::Done)), Err(Refusal::WithAdapter { id: InvocationId(2) }));
    world.close(conn, CloseCause::PeerClosed);
    assert_eq!(
        world.ask(settle(1, Settlement::Done)),
        Ok(Outcome::Settled { id: InvocationId(1), state: RowState::Done })
    );
    assert!(matches!(world.transitions()[..], [Transition::Done { settled: true, cleared: false, .. }]));
    assert_eq!(
        world.ask(settle(3, Settlement::Failed)),
        Ok(Outcome::Settled { id: InvocationId(3), state: RowState::Failed })
    );
    assert!(matches!(
        world.transitions()[..],
        [Transition::Failed { by: FailedBy::Settled, from: RowState::Applied, .. }]
    ));
    assert_eq!(
        world.ask(settle(1, Settlement::Done)),
        Err(Refusal::WrongState { id: InvocationId(1), state: RowState::Done })
    );
    assert_eq!(
        world.ask(settle(4, Settlement::Done)),
        Err(Refusal::WrongState { id: InvocationId(4), state: RowState::Pending })
    );
    assert_eq!(
        world.ask(settle(9, Settlement::Done)),
        Err(Refusal::NoSuchInvocation { id: InvocationId(9) })
    );
    assert!(world.bridge.snapshot().live.is_empty());
}

#[test]
fn left_in_applied_beyond_the_window_still_settles() {
    let limits = limits::Mpp { recent_rows_max: 2, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, crate::harness::Store::default());
    let conn = world.connect();
    for id in 1..=4 {
        world.enqueue("free", "{}");
        world.line(conn, PULL);
        world.line(conn, &format!(r#"{{"mpp":2,"type":"applied","id":{id}}}"#));
    }
    world.close(conn, CloseCause::PeerClosed);
    assert_eq!(world.bridge.snapshot().live.len(), 2);
    let id = InvocationId(1);
    assert_eq!(
        world.ask(Command::Settle { id, to: Settlement::Done }),
        Ok(Outcome::Settled { id, state: RowState::Done })
    );
}
