//! Rows that do not read, and reads that fail: each fails alone (mpp-v2 §6).

use rl_console::{
    ids::InvocationId,
    limits,
    mpp::{Command, Input},
    store::op::{CommitError, Fetched},
    tap::entry::mpp::{FailedBy, RowState, Transition},
};

use super::dispatch::{PULL, ids};
use crate::harness::{TestBridge, pack};

#[test]
fn a_damaged_row_fails_alone_and_the_next_leaves_on_the_same_pull() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..3 {
        world.enqueue("free", "{}");
    }
    // They are read again, as at a start.
    let mut store = std::mem::take(&mut world.store);
    store.rows.get_mut(&InvocationId(1)).unwrap().damage = Some("params cannot be read: no JSON".to_owned());
    store.rows.get_mut(&InvocationId(3)).unwrap().damage = Some("trace cannot be read".to_owned());
    drop((world, conn));
    let mut world = TestBridge::with(pack(), limits::Mpp::default(), store);
    let conn = world.connect();
    world.line(conn, PULL);
    assert_eq!(ids(&world), [2]);
    assert_eq!(world.row(InvocationId(1)).state, RowState::Failed);
    assert_eq!(world.row(InvocationId(1)).reason.as_deref(), Some("damaged: params cannot be read: no JSON"));
    let failed = |said: &&&Transition| matches!(said, Transition::Failed { by: FailedBy::Damage, .. });
    assert_eq!(world.transitions().iter().filter(failed).count(), 1);
    let cancel = Command::Cancel { ids: vec![InvocationId(3)], reason: "no use".to_owned(), refund: true };
    assert!(world.ask(cancel).is_ok());
    assert_eq!(world.row(InvocationId(3)).state, RowState::Failed);
    assert_eq!(world.store.refunds.len(), 1);
    assert_eq!(world.bridge.snapshot().queues["default"].pending, 0);
}

#[test]
fn a_read_that_fails_twice_is_told_until_all_queues_are_read() {
    let (mut world, _) = TestBridge::connected();
    let fail = |world: &mut TestBridge, queue: &str| {
        world.handle(Input::FetchFailed {
            queue: queue.into(),
            error: CommitError::Failed("the database: disk I/O error".to_owned()),
        });
    };
    let read = |world: &mut TestBridge, queue: &str| {
        world.handle(Input::Fetched(Fetched {
            queue: queue.into(),
            after: InvocationId(0),
            rows: Vec::new(),
            more: false,
        }));
    };
    fail(&mut world, "default");
    read(&mut world, "default");
    fail(&mut world, "default");
    assert_eq!(world.bridge.snapshot().reads_failing, None, "once is tried again");
    fail(&mut world, "default");
    fail(&mut world, "boss");
    fail(&mut world, "boss");
    assert_eq!(
        world.bridge.snapshot().reads_failing.as_deref(),
        Some("default: the store cannot write: the database: disk I/O error")
    );
    assert_eq!(world.fold.reads_failing, world.bridge.snapshot().reads_failing);
    read(&mut world, "default");
    assert_eq!(
        world.bridge.snapshot().reads_failing.as_deref(),
        Some("boss: the store cannot write: the database: disk I/O error"),
        "the one that is not read yet"
    );
    assert_eq!(world.fold.reads_failing, world.bridge.snapshot().reads_failing);
    read(&mut world, "boss");
    assert_eq!((world.bridge.snapshot().reads_failing, world.fold.reads_failing.take()), (None, None));
    let told = |said: &&&Transition| matches!(said, Transition::ReadsFailing | Transition::ReadsOk);
    assert_eq!(world.transitions().iter().filter(told).count(), 3);
}
