//! Requeuing what has ended: each row is recorded once more, as a new one.

use rl_console::{
    ids::InvocationId,
    limits,
    mpp::{Command, EnqueuedRow, NewInvocation, Outcome, Refusal},
    schema::JsonText,
    store::{invocations::Row, op::Class},
    tap::entry::mpp::{RefundStatus, RowState, Transition},
};

use super::dispatch::{PULL, ids};
use crate::harness::{Request, Store, TestBridge, pack};

fn requeue(ids: &[u64], even_if_refunded: bool) -> Command {
    Command::Requeue { ids: ids.iter().map(|id| InvocationId(*id)).collect(), even_if_refunded }
}

fn ask(world: &mut TestBridge, ids: &[u64], even_if_refunded: bool) -> Vec<Result<EnqueuedRow, Refusal>> {
    match world.ask(requeue(ids, even_if_refunded)) {
        Ok(Outcome::Requeued(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

/// A redemption of a viewer, with every field.
fn redeemed(source: &str) -> NewInvocation {
    NewInvocation {
        params: Some(JsonText::parse(r#"{"item_id": 4}"#).unwrap()),
        queue: Some("boss".into()),
        source: Some(source.to_owned()),
        redemption: Some("r-1".to_owned()),
        user: Some("ada".to_owned()),
        key: Some("k-1".to_owned()),
        ..NewInvocation::new("give_item")
    }
}

fn cancel(world: &mut TestBridge, id: u64, refund: bool) {
    let command = Command::Cancel { ids: vec![InvocationId(id)], reason: "x".to_owned(), refund };
    world.ask(command).unwrap();
}

#[test]
fn a_new_row_of_the_same_without_redemption_and_key() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue_row(redeemed("channel_points")).unwrap();
    world.line(conn, &PULL.replace("default", "boss"));
    world.line(conn, r#"{"mpp":2,"type":"applied","id":1}"#);
    world.line(conn, r#"{"mpp":2,"type":"done","id":1}"#);
    world.transition_log.clear();
    let answer = ask(&mut world, &[1, 1], false);
    let row = answer[0].as_ref().unwrap();
    assert_eq!(
        (row.id, row.requeued_from, row.state),
        (InvocationId(2), Some(InvocationId(1)), RowState::Pending)
    );
    assert_eq!(answer.len(), 1, "an id that is given twice is requeued once");
    let (first, again) = (world.row(InvocationId(1)).clone(), world.row(InvocationId(2)));
    assert_eq!((&again.event, &again.queue, &again.params), (&first.event, &first.queue, &first.params));
    assert_eq!((&again.source.kind, &again.source.user), (&first.source.kind, &first.source.user));
    assert_eq!((&again.source.redemption, &again.key), (&None, &None));
    assert_eq!(again.requeued_from, Some(InvocationId(1)));
    assert_ne!(again.trace_id, first.trace_id);
    assert_eq!(first.state, RowState::Done, "the first stays as it is");
    assert!(matches!(
        world.transitions()[..],
        [Transition::Enqueued { id: InvocationId(2), requeued_from: Some(InvocationId(1)), .. }]
    ));
    world.line(conn, &PULL.replace("default", "boss"));
    assert_eq!(ids(&world), [1, 2], "it is dispatched like any other");
}

#[test]
fn it_is_answered_once_the_new_row_outlives_a_loss_of_power() {
    let mut world = TestBridge::new();
    world.enqueue("free", "{}");
    cancel(&mut world, 1, false);
    world.prompt = false;
    world.command(requeue(&[1], false));
    assert!(matches!(world.store.waiting[0], Request::FetchInvocations { .. }));
    world.answers.clear();
    world.answer_next(true);
    assert!(matches!(world.store.waiting[0], Request::Persist { class: Class::Power, .. }));
    assert!(world.answers.is_empty());
    world.answer_next(true);
    assert_eq!(world.answers.len(), 1);
}

#[test]
fn what_has_not_ended_and_what_is_not_there_is_refused_row_by_row() {
    let (mut world, conn) = TestBridge::connected();
    for _ in 0..3 {
        world.enqueue("free", "{}");
    }
    world.line(conn, PULL);
    cancel(&mut world, 3, false);
    let answer = ask(&mut world, &[1, 2, 77, 3], true);
    let not_ended = |id, state| Err(Refusal::NotEnded { id: InvocationId(id), state });
    assert_eq!(answer[0], not_ended(1, RowState::Dispatched));
    assert_eq!(answer[1], not_ended(2, RowState::Pending));
    assert_eq!(answer[2], Err(Refusal::NoSuchInvocation { id: InvocationId(77) }));
    assert_eq!(answer[3].as_ref().unwrap().id, InvocationId(4));
    assert_eq!(world.store.rows.len(), 4);
}

#[test]
fn what_is_refunded_only_where_that_is_said() {
    let (mut world, conn) = TestBridge::connected();
    for source in ["channel_points", "channel_points", "bits", "manual"] {
        let row = NewInvocation { source: Some(source.to_owned()), ..NewInvocation::new("free") };
        world.enqueue_row(row).unwrap();
    }
    world.line(conn, PULL);
    world.line(conn, r#"{"mpp":2,"type":"failed","id":1,"reason":"x","refund":true}"#);
    for id in 2..=4 {
        cancel(&mut world, id, true);
    }
    assert_eq!(world.row(InvocationId(1)).state, RowState::Refunded);
    let answer = ask(&mut world, &[1, 2, 3, 4], false);
    let refunded = |id, refund| Err(Refusal::RefundRequested { id: InvocationId(id), refund });
    assert_eq!(answer[0], refunded(1, RefundStatus::Requested));
    assert_eq!(answer[1], refunded(2, RefundStatus::Requested), "cancelled with a refund");
    assert!(answer[2].is_ok(), "nothing is given back for bits");
    assert_eq!(answer[3], refunded(4, RefundStatus::Manual));
    assert!(ask(&mut world, &[1, 2, 4], true).iter().all(Result::is_ok));
}

#[test]
fn a_refund_that_is_not_stored_yet_counts() {
    let (mut world, conn) = TestBridge::connected();
    let row = NewInvocation { source: Some("channel_points".to_owned()), ..NewInvocation::new("free") };
    world.enqueue_row(row).unwrap();
    world.line(conn, PULL);
    world.prompt = false;
    world.line(conn, r#"{"mpp":2,"type":"failed","id":1,"reason":"x","refund":true}"#);
    world.command(requeue(&[1], false));
    let place = world.store.waiting.iter().position(|it| matches!(it, Request::FetchInvocations { .. }));
    let request = world.store.waiting.remove(place.unwrap()).unwrap();
    world.answers.clear();
    world.answer_request(request, true);
    let (_, answer) = world.answers.pop_first().unwrap();
    let refused = Refusal::RefundRequested { id: InvocationId(1), refund: RefundStatus::Requested };
    assert_eq!(answer, Ok(Outcome::Requeued(vec![Err(refused)])));
}

#[test]
fn what_would_only_fail_is_refused() {
    let mut world = TestBridge::new();
    world.enqueue("free", "{}");
    cancel(&mut world, 1, false);
    let first = world.row(InvocationId(1)).clone();
    let of = |id: u64| Row { id: InvocationId(id), ..first.clone() };
    let params = JsonText::parse(r#"{"item_id": "four"}"#).unwrap();
    world.store.insert(Row { event: "give_item".into(), params, ..of(11) });
    world.store.insert(Row { event: "gone".into(), ..of(12) });
    world.store.insert(Row { queue: "gone".into(), ..of(13) });
    world.store.insert(Row { damage: Some("event".to_owned()), ..of(14) });
    let answer = ask(&mut world, &[11, 12, 13, 14], true);
    let codes: Vec<_> = answer.iter().map(|row| row.as_ref().unwrap_err().code()).collect();
    assert_eq!(codes, ["params_mismatch", "unknown_event", "unknown_queue", "damaged"]);
    world.ask(Command::Drain { queue: None }).unwrap();
    assert_eq!(ask(&mut world, &[1], false), [Err(Refusal::Draining { queue: "default".into() })]);
}

#[test]
fn its_rows_and_what_waits_are_bounded_as_those_of_an_enqueue() {
    let limits = limits::Mpp { command_rows_max: 2, pending_rows_max: 1, ..limits::Mpp::default() };
    let mut world = TestBridge::with(pack(), limits, Store::default());
    for _ in 0..2 {
        world.enqueue("free", "{}");
        let last = world.store.rows.keys().last().unwrap().0;
        cancel(&mut world, last, false);
    }
    assert_eq!(world.ask(requeue(&[1, 2, 3], false)), Err(Refusal::TooManyRows { rows: 3, limit: 2 }));
    let answer = ask(&mut world, &[1, 2], false);
    assert!(answer[0].is_ok());
    assert_eq!(answer[1], Err(Refusal::TooManyPending { limit: 1 }));
}

#[test]
fn a_store_that_fails_refuses_it_whole() {
    let mut world = TestBridge::new();
    world.enqueue("free", "{}");
    cancel(&mut world, 1, false);
    world.broken = true;
    assert!(matches!(world.ask(requeue(&[1], false)), Err(Refusal::NotStored { .. })));
    assert_eq!(world.store.rows.len(), 1);
}
