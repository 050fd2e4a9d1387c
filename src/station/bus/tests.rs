//! The operator service and the tap's publisher, at the ends of the channels that lead to the bus.

use std::{future::pending, sync::Arc, time::Duration};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::sync::{mpsc, watch};

use super::{
    entries,
    handle::Bus,
    operator::{self, Service},
};
use crate::{
    ids::{ConnectionId, Seq, TraceId},
    limits,
    port::{
        Answer, Command, HealthStatus, Operator, Outcome, Page, PortError, Query, Snapshot, StationPort,
        wire::{Assembly, Batch, Question, Reply, Response, StationInfo, entries as read, write_question},
    },
    rmp::{Kind, Listener, SchemaId, broker::OperatorRequest, host::Request},
    station::host::Health,
    tap::{
        Draft, Reader, Tap,
        entry::{Link, Transition, What, station},
    },
    time::{Clock, Now},
};

const PATIENCE: Duration = Duration::from_secs(30);

const TOKEN: &str = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ";

#[tokio::test]
async fn a_bus_that_is_asked_too_much_is_busy_and_neither_starting_nor_empty() {
    let bus = Bus::default();
    let (requests, asked) = mpsc::channel(1);
    bus.set_up("/run/rmp.sock".into(), requests.clone(), tokio::sync::watch::channel(0).1);
    let (answer, _answered) = tokio::sync::oneshot::channel();
    requests.try_send(Request::Snapshot { answer }).unwrap();
    let Err(error) = bus.snapshot().await else { panic!("what is on it is not known") };
    let health = Health::of_error(&error);
    assert_eq!((health.status, health.figures.as_str()), (HealthStatus::Degraded, "busy"), "{health:?}");
    assert!(health.detail.contains("limits.port.commands_max"), "{health:?}");

    drop(asked);
    let (_, rmp) = bus.snapshot().await.unwrap();
    assert_eq!(rmp.listener, Listener::Down("it has stopped".into()));
}

/// A station whose queries are never answered, and whose other answers come at once.
struct Slow;

impl Operator for Slow {
    fn command(&self, _: Command) -> Answer<Outcome> {
        Box::pin(async { Err(PortError::Recording("no active recording".to_owned())) })
    }

    fn query(&self, query: Query) -> Answer<Page> {
        match query {
            Query::Peers => Box::pin(async { Ok(Page::Queues(Vec::new())) }),
            Query::Health => Box::pin(async { Err(PortError::BadRequest(format!("said {TOKEN}"))) }),
            Query::State => Box::pin(async { Err(PortError::BadRequest("x".repeat(600_000))) }),
            _ => Box::pin(pending()),
        }
    }
}

impl StationPort for Slow {
    fn snapshot(&self) -> Answer<Snapshot> {
        Box::pin(async { Err(PortError::Stopping) })
    }

    fn entries(&self) -> Result<Reader, PortError> {
        Err(PortError::Stopping)
    }
}

fn on_a_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await.expect("it came to an end") })
}

/// A service with its two ends.
fn service(limits: limits::Port) -> (mpsc::Sender<OperatorRequest>, mpsc::Receiver<Request>) {
    let (ask, asked) = mpsc::channel(64);
    let (bus, requests) = mpsc::channel(1);
    let about = StationInfo {
        name: "friday-night".to_owned(),
        data: "/data".to_owned(),
        pid: 7,
        start: "a".to_owned(),
        version: "0.1.0".to_owned(),
        now: Now::default(),
    };
    let tap = Tap::new(limits::Tap::default());
    tap.mask_token("operator", Sha256::digest(TOKEN).into());
    tokio::spawn(operator::serve(
        Service { port_of: Box::new(|_| Arc::new(Slow)), tap, bus, about, clock: Clock::start(), limits },
        asked,
    ));
    (ask, requests)
}

fn asked(kind: Kind, session: u64, question: &Question) -> OperatorRequest {
    let payload = Bytes::from(write_question(question, u64::MAX).unwrap());
    let client = Arc::from("ops");
    OperatorRequest {
        session: ConnectionId(session),
        client,
        kind,
        trace: TraceId(uuid::Uuid::new_v4()),
        payload,
    }
}

/// The next answer, every part of it taken at once, and whom it goes to.
async fn answer(requests: &mut mpsc::Receiver<Request>) -> (ConnectionId, TraceId, Reply) {
    let mut assembly = Assembly::default();
    loop {
        let Some(Request::Answer { session, trace, body, sent }) = requests.recv().await else {
            panic!("no answer")
        };
        let _ = sent.send(true);
        match assembly.take(&body, u64::MAX).unwrap() {
            Some(Response::Reply(reply)) => return (session, trace, *reply),
            Some(Response::Snapshot(_)) => panic!("a snapshot"),
            None => {}
        }
    }
}

#[test]
fn every_question_is_answered_to_its_session_by_its_trace_and_by_right() {
    on_a_runtime(async {
        let (ask, mut requests) = service(limits::Port::default());
        let stop = Question::Command(Command::RecordStop);
        for (kind, question, expected) in [
            (Kind::Tui, &stop, "Recording"),
            (Kind::Viewer, &stop, "Forbidden"),
            (Kind::Viewer, &Question::Query(Query::Peers), "Page"),
            (Kind::Cue, &Question::Snapshot, "Forbidden"),
            (Kind::Agent, &Question::About, "Forbidden"),
            (Kind::Cue, &Question::About, "friday-night"),
        ] {
            let one = asked(kind, 9, question);
            let trace = one.trace;
            ask.send(one).await.unwrap();
            let (session, answered, reply) = answer(&mut requests).await;
            assert_eq!((session, answered), (ConnectionId(9), trace));
            assert!(format!("{reply:?}").contains(expected), "{kind:?}: {reply:?}");
        }
        let nonsense = OperatorRequest { payload: Bytes::from_static(b"\x81"), ..asked(Kind::Tui, 9, &stop) };
        ask.send(nonsense).await.unwrap();
        assert!(matches!(answer(&mut requests).await.2, Reply::Error(PortError::BadRequest(_))));
    });
}

#[test]
fn an_answer_shows_a_token_to_operators_alone() {
    on_a_runtime(async {
        let (ask, mut requests) = service(limits::Port::default());
        for (kind, said) in [(Kind::Viewer, "*".repeat(TOKEN.len())), (Kind::Tui, TOKEN.to_owned())] {
            ask.send(asked(kind, 9, &Question::Query(Query::Health))).await.unwrap();
            let reply = answer(&mut requests).await.2;
            let Reply::Error(PortError::BadRequest(why)) = reply else { panic!("{reply:?}") };
            assert_eq!(why, format!("said {said}"));
        }
    });
}

#[test]
fn a_long_answer_comes_in_parts_and_one_over_the_bound_is_refused() {
    on_a_runtime(async {
        let (ask, mut requests) = service(limits::Port::default());
        ask.send(asked(Kind::Tui, 1, &Question::Query(Query::State))).await.unwrap();
        let Reply::Error(PortError::BadRequest(why)) = answer(&mut requests).await.2 else {
            panic!("another answer")
        };
        assert_eq!(why.len(), 600_000);
        let (ask, mut requests) =
            service(limits::Port { answer_bytes_max: 500_000, ..limits::Port::default() });
        ask.send(asked(Kind::Tui, 1, &Question::Query(Query::State))).await.unwrap();
        let Reply::Error(PortError::BadRequest(why)) = answer(&mut requests).await.2 else {
            panic!("another answer")
        };
        assert!(why.contains("limits.port.answer_bytes_max"), "{why}");
    });
}

#[test]
fn one_session_cannot_take_the_room_of_all() {
    on_a_runtime(async {
        let (ask, mut requests) = service(limits::Port { questions_max: 8, ..limits::Port::default() });
        let waits = Question::Query(Query::Queues);
        for _ in 0..3 {
            ask.send(asked(Kind::Tui, 1, &waits)).await.unwrap();
        }
        let (session, _, reply) = answer(&mut requests).await;
        assert_eq!(session, ConnectionId(1), "its third is turned away");
        assert!(matches!(reply, Reply::Error(PortError::Busy { .. })), "{reply:?}");
        ask.send(asked(Kind::Tui, 2, &Question::About)).await.unwrap();
        assert!(matches!(answer(&mut requests).await, (ConnectionId(2), _, Reply::About(_))));
    });
}

fn notice(tap: &Tap) {
    let what =
        What::Transition(Transition::Station(station::Transition::Operated { by: None, command: None }));
    tap.emit(Draft {
        at: Now::at_ms(1),
        link: Link::Station,
        trace: None,
        cause: None,
        what,
        bytes: b"words",
    });
}

/// The next batch: where it begins, and the places of its entries.
async fn batch(requests: &mut mpsc::Receiver<Request>) -> (Seq, Vec<Seq>) {
    let Some(Request::Publish { topic, schema_id, body, .. }) = requests.recv().await else {
        panic!("no batch")
    };
    assert_eq!((topic.as_str(), schema_id), ("rlp/sys/tap", SchemaId::TAP_ENTRY));
    let batch = Batch::read(&body).unwrap();
    let entries: Vec<_> = read(batch.entries).map(|entry| entry.unwrap().entry.seq).collect();
    assert_eq!(batch.count, entries.len() as u64);
    (batch.first, entries)
}

/// What a message's body may hold.
const BODY_BYTES_MAX: u64 = 1 << 20;

#[test]
fn entries_are_published_while_somebody_subscribes_and_a_newcomer_is_told_where_the_tap_stands() {
    on_a_runtime(async {
        let tap = Tap::new(limits::Tap::default());
        let (bus, mut requests) = mpsc::channel(4);
        let (subscribers, known) = watch::channel(0);
        let publishing =
            tokio::spawn(entries::publish(tap.clone(), bus, known, BODY_BYTES_MAX, Clock::start()));
        (0..3).for_each(|_| notice(&tap));
        tokio::task::yield_now().await;
        assert_eq!(tap.counters().readers, 0, "nobody reads for nobody");
        subscribers.send_replace(1);
        assert_eq!(batch(&mut requests).await, (Seq(4), vec![]));
        (0..2).for_each(|_| notice(&tap));
        assert_eq!(batch(&mut requests).await, (Seq(4), vec![Seq(4), Seq(5)]));
        subscribers.send_replace(2);
        assert_eq!(batch(&mut requests).await, (Seq(6), vec![]));
        // A second in which nothing happens.
        assert_eq!(batch(&mut requests).await, (Seq(6), vec![]));
        subscribers.send_replace(0);
        while tap.counters().readers > 0 {
            tokio::task::yield_now().await;
        }
        drop(subscribers);
        publishing.await.unwrap();
    });
}

#[test]
fn batches_hold_what_follows_without_a_gap_and_no_more_than_their_bytes() {
    on_a_runtime(async {
        let narrow =
            limits::Tap { ring_bytes_max: 1_048_576, ring_entries_max: 1_024, ..limits::Tap::default() };
        let tap = Tap::new(narrow);
        let (bus, mut requests) = mpsc::channel(1);
        let (subscribers, known) = watch::channel(1);
        tokio::spawn(entries::publish(tap.clone(), bus, known, BODY_BYTES_MAX, Clock::start()));
        assert_eq!(batch(&mut requests).await, (Seq(1), vec![]));
        // More than the ring keeps, while the publisher has no turn.
        (0..5_000).for_each(|_| notice(&tap));
        let (mut next, mut lost, mut came) = (Seq(1), 0, 0);
        while next < Seq(5_001) {
            let (first, entries) = batch(&mut requests).await;
            lost += first.0 - next.0;
            came += entries.len() as u64;
            assert!(entries.iter().zip(first.0..).all(|(seq, place)| seq.0 == place));
            next = Seq(first.0 + entries.len() as u64);
        }
        assert!(lost > 0);
        assert_eq!(lost + came, 5_000);
        drop(subscribers);
    });
}
