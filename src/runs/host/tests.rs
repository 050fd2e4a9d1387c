//! The host with a store of its own, on a bus that the tests play.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tokio::sync::{Notify, mpsc, oneshot};

use super::{Bus, BusInput, Incoming, Message, NotSent, Question, ReachFuture, Records, Request, Setup, run};
use crate::{
    ids::{ConnectionId, ManifestHash, PackId, TopicName, TraceId},
    judged::Certainty,
    limits,
    runs::{
        Asker, AskerKind, ControlTopic, ControlVerdict, JudgedControl, Stand,
        engine::{Reach, RunFeed, Settings},
        openings::{NoLibrary, PortValue},
        payload::{
            AgentAnswer, AgentRequest, AgentResponse, ControlRequest, ControlResponse, RunEvent, schema,
        },
    },
    store::Store,
    tap::Tap,
    time::{Clock, Mono},
};

const PATIENCE: Duration = Duration::from_secs(60);
const ONE: &str = "version: 0\nname: one\nnodes: [{id: a, use: agent:x}]\nedges: []\n";

/// What the bus makes of what it is offered.
#[derive(Default)]
struct Line {
    /// Offers that find no room before one does; `u32::MAX` for ever.
    full: AtomicU32,
    is_down: std::sync::atomic::AtomicBool,
    /// The host may end.
    may_end: std::sync::atomic::AtomicBool,
    taken: Mutex<VecDeque<Message>>,
    news: Notify,
    /// Whether who makes records has no room.
    are_records_full: std::sync::atomic::AtomicBool,
    recorded: Mutex<Vec<RunFeed>>,
}

struct Played(Arc<Line>);

impl Bus for Played {
    fn publish(&self, message: Message) -> Result<Option<ReachFuture>, NotSent> {
        if self.0.is_down.load(Ordering::SeqCst) {
            return Err(NotSent::Down);
        }
        let full = self.0.full.load(Ordering::SeqCst);
        if full > 0 {
            self.0.full.store(if full == u32::MAX { full } else { full - 1 }, Ordering::SeqCst);
            return Err(NotSent::Full(message));
        }
        let reaching = message.asks_reach.then(|| -> ReachFuture {
            Box::pin(std::future::ready(Reach::Taken { peers: vec![ConnectionId(7)], msg_id: 1 }))
        });
        self.0.taken.lock().unwrap().push_back(message);
        self.0.news.notify_one();
        Ok(reaching)
    }
}

struct PlayedRecords(Arc<Line>);

impl Records for PlayedRecords {
    fn offer(&self, feed: RunFeed) -> Result<(), RunFeed> {
        if self.0.are_records_full.load(Ordering::SeqCst) {
            return Err(feed);
        }
        self.0.recorded.lock().unwrap().push(feed);
        Ok(())
    }
}

struct TestHost {
    store: crate::store::Handle,
    line: Arc<Line>,
    requests: mpsc::Sender<Request>,
    bus_inputs: mpsc::Sender<BusInput>,
    /// Asks for the store that find it closed.
    closed: Arc<AtomicU32>,
}

/// Serves runs beside a test.
fn with_runs<T: Future<Output = ()>>(test: impl FnOnce(TestHost) -> T) {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::start();
    let (store, _) = Store::open(
        folder.path(),
        &PackId::new("dev.test"),
        &ManifestHash::new("sha256:aa"),
        limits::Store::default(),
        clock,
    )
    .unwrap();
    let (handle, closed, line) = (store.handle(), Arc::new(AtomicU32::new(0)), Arc::new(Line::default()));
    let of_test = handle.clone();
    let ((requests, asked), (heard, mut hearing)) = (mpsc::channel(16), mpsc::channel(16));
    let is_closed = Arc::clone(&closed);
    let setup = Setup {
        settings: Settings {
            limits: limits::Runs { left_ms_max: 1, ..limits::Runs::default() },
            tells_records: true,
            ..Settings::default()
        },
        tap: Tap::new(limits::Tap::default()),
        clock,
        store: Box::new(move || {
            let left = is_closed.load(Ordering::SeqCst);
            is_closed.store(left.saturating_sub(1), Ordering::SeqCst);
            (left == 0).then(|| handle.clone())
        }),
        answers_max: 100,
        library: Box::new(NoLibrary),
        bus: Box::new(Played(Arc::clone(&line))),
        records: Box::new(PlayedRecords(Arc::clone(&line))),
        requests: asked,
        disk_low: Arc::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let line_of_test = Arc::clone(&line);
        let fixture = TestHost { store: of_test, line: line_of_test, requests, bus_inputs: heard, closed };
        let test = std::pin::pin!(test(fixture));
        tokio::time::timeout(PATIENCE, async {
            let host = async {
                let ended = run(setup, &mut hearing).await;
                assert!(line.may_end.load(Ordering::SeqCst), "the host ended: {ended:?}");
                std::future::pending::<()>().await;
            };
            tokio::select! {
                () = test => {}
                () = host => {}
            }
        })
        .await
        .unwrap();
    });
    store.close().unwrap();
    // Gone before, it would be said that the store lost it.
    drop(folder);
}

fn trace(n: u128) -> TraceId {
    TraceId(uuid::Uuid::from_u128(n))
}

impl TestHost {
    async fn publish(&self, topic: &str, trace: TraceId, body: Vec<u8>) {
        let by = Asker { kind: AskerKind::Agent, client: Arc::from("tester") };
        let message = Incoming {
            topic: TopicName::new(topic),
            by,
            session: ConnectionId(1),
            trace,
            expires_at: Mono(u64::MAX),
            body: body.into(),
            room: Box::new(()),
        };
        self.bus_inputs.send(BusInput::Message(message)).await.unwrap();
    }

    /// What nobody waits for any more.
    async fn publish_expired(&self, topic: &str, trace: TraceId, body: Vec<u8>) {
        let by = Asker { kind: AskerKind::Agent, client: Arc::from("tester") };
        let message = Incoming {
            topic: TopicName::new(topic),
            by,
            session: ConnectionId(1),
            trace,
            expires_at: Mono(0),
            body: body.into(),
            room: Box::new(()),
        };
        self.bus_inputs.send(BusInput::Message(message)).await.unwrap();
    }

    async fn submit(&self, n: u128) {
        let request = ControlRequest::RunSubmit {
            request_id: trace(n),
            opening_yaml: ONE.to_owned(),
            traceparent: None,
        };
        self.publish("rlp/ctrl", trace(n), request.encode()).await;
    }

    /// The next message that the bus took.
    async fn taken(&self) -> Message {
        loop {
            if let Some(message) = self.line.taken.lock().unwrap().pop_front() {
                return message;
            }
            self.line.news.notified().await;
        }
    }

    async fn response(&self) -> ControlResponse {
        loop {
            let message = self.taken().await;
            if message.schema_id == schema::CTRL_RESP {
                return ControlResponse::decode(&message.body).unwrap();
            }
        }
    }

    async fn asked(&self) -> AgentRequest {
        loop {
            let message = self.taken().await;
            if message.schema_id == schema::AGENT_REQUEST {
                return AgentRequest::decode(&message.body).unwrap();
            }
        }
    }

    /// All events up to the last one.
    async fn events(&self) -> Vec<RunEvent> {
        let mut events: Vec<RunEvent> = Vec::new();
        while events.last().is_none_or(|event| event.meta.success.is_none()) {
            let message = self.taken().await;
            if message.schema_id == schema::RUN_EVENT {
                events.push(RunEvent::decode(&message.body).unwrap());
            }
        }
        events
    }

    async fn answer(&self, request: &AgentRequest) {
        let value = PortValue { schema_id: 5, kind: Arc::from("artifact.generic.v1"), value: 1.into() };
        let ports = [(Arc::from("out"), vec![value])].into();
        let answer = AgentAnswer { response: AgentResponse::Completed { ports }, tokens: None };
        self.publish(&request.reply_topic, request.trace_id, answer.encode()).await;
    }

    async fn metrics(&self) -> crate::runs::Metrics {
        let (answer, answered) = oneshot::channel();
        self.requests.send(Request::Metrics { answer }).await.unwrap();
        answered.await.unwrap()
    }
}

#[test]
fn what_finds_no_room_on_the_bus_is_sent_in_its_order_once_there_is() {
    with_runs(|fixture| async move {
        fixture.line.full.store(20, Ordering::SeqCst);
        fixture.submit(1).await;
        assert!(matches!(fixture.response().await, ControlResponse::RunAccepted { .. }), "it is first");
        let request = fixture.asked().await;
        fixture.line.full.store(20, Ordering::SeqCst);
        fixture.answer(&request).await;
        let told: Vec<_> =
            fixture.events().await.into_iter().map(|event| event.meta.state.unwrap_or_default()).collect();
        assert_eq!(told, ["", "running", "running", "", "completed", "succeeded"]);
    });
}

#[test]
fn a_host_that_takes_nothing_still_tells_how_it_is_and_stops() {
    with_runs(|fixture| async move {
        fixture.line.full.store(u32::MAX, Ordering::SeqCst);
        fixture.submit(1).await;
        while fixture.metrics().await.running == 0 {}
        let (answer, answered) = oneshot::channel();
        fixture.requests.send(Request::Asks { answer }).await.unwrap();
        assert!(answered.await.unwrap().is_empty());
        // The room that it holds is bounded: of more than the channel has places for, some find none, and
        // nobody waits behind it.
        let offers = 2..20;
        let offered = offers.clone().map(|n| {
            let request = ControlRequest::RunSubmit {
                request_id: trace(n),
                opening_yaml: ONE.to_owned(),
                traceparent: None,
            };
            let by = Asker { kind: AskerKind::Agent, client: Arc::from("tester") };
            let topic = TopicName::new("rlp/ctrl");
            let message = Incoming {
                topic,
                by,
                session: ConnectionId(1),
                trace: trace(n),
                expires_at: Mono(u64::MAX),
                body: request.encode().into(),
                room: Box::new(()),
            };
            let offered = fixture.bus_inputs.try_send(BusInput::Message(message));
            matches!(offered, Err(mpsc::error::TrySendError::Full(_)))
        });
        let refused = offered.filter(|is_refused| *is_refused).count();
        assert_eq!(refused, 2, "{} were offered to 16 places", offers.count());
        assert_eq!(fixture.metrics().await.running, 1);
    });
}

#[test]
fn records_without_room_hold_the_intake_and_lose_nothing() {
    with_runs(|fixture| async move {
        fixture.submit(1).await;
        let request = fixture.asked().await;
        // Its record begins once its events may leave.
        while fixture.line.recorded.lock().unwrap().len() < 2 {
            fixture.metrics().await;
        }
        fixture.line.are_records_full.store(true, Ordering::SeqCst);
        fixture.answer(&request).await;
        assert_eq!(fixture.events().await.last().unwrap().meta.success, Some(true));
        let before = fixture.line.recorded.lock().unwrap().len();
        fixture.submit(2).await;
        // What is asked is answered; what comes on the bus is not taken.
        for _ in 0..50 {
            assert_eq!(fixture.metrics().await.submitted, 1);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(fixture.line.recorded.lock().unwrap().len(), before);
        fixture.line.are_records_full.store(false, Ordering::SeqCst);
        fixture.asked().await;
        let recorded = fixture.line.recorded.lock().unwrap();
        assert!(matches!(recorded[..2], [RunFeed::Started, RunFeed::Begun(_)]), "{recorded:?}");
        let number = |feed: &RunFeed| match feed {
            RunFeed::Event { run, event, is_kept: true } if *run == trace(1) => Some(event.number),
            _ => None,
        };
        let numbers: Vec<_> = recorded.iter().filter_map(number).collect();
        assert_eq!(numbers, (1..=6).collect::<Vec<_>>());
        let ended = recorded.iter().find_map(|feed| match feed {
            RunFeed::Ended(ended) => Some(ended),
            _ => None,
        });
        assert_eq!(ended.map(|end| (end.run, end.events_missing)), Some((trace(1), 0)));
    });
}

#[test]
fn a_store_that_is_opened_again_is_waited_for() {
    with_runs(|fixture| async move {
        // It has read what was left.
        fixture.metrics().await;
        fixture.closed.store(3, Ordering::SeqCst);
        fixture.submit(1).await;
        assert!(matches!(fixture.response().await, ControlResponse::RunAccepted { .. }));
        let request = fixture.asked().await;
        fixture.closed.store(3, Ordering::SeqCst);
        fixture.answer(&request).await;
        assert_eq!(fixture.events().await.last().unwrap().meta.success, Some(true));
    });
}

#[test]
fn a_run_that_the_store_refuses_is_rejected_and_the_next_one_begins_once_it_writes() {
    with_runs(|fixture| async move {
        fixture.store.refuse_writes(Clock::start(), Mono(u64::MAX), 1);
        fixture.submit(1).await;
        let rejected = fixture.response().await;
        let ControlResponse::RunRejected { request_id, reason } = &rejected else { panic!("{rejected:?}") };
        assert_eq!(*request_id, trace(1));
        assert!(reason.starts_with("cannot store the run: the store cannot write: "), "{reason}");
        fixture.store.refuse_writes(Clock::start(), Mono(0), 1);
        fixture.submit(2).await;
        assert!(matches!(fixture.response().await, ControlResponse::RunAccepted { .. }));
    });
}

#[test]
fn who_leaves_behind_its_answer_has_answered_and_who_leaves_before_has_not() {
    with_runs(|fixture| async move {
        fixture.submit(1).await;
        let request = fixture.asked().await;
        fixture.answer(&request).await;
        fixture.bus_inputs.send(BusInput::SessionOver(ConnectionId(7))).await.unwrap();
        assert_eq!(fixture.events().await.last().unwrap().meta.success, Some(true));
        fixture.submit(2).await;
        fixture.asked().await;
        fixture.bus_inputs.send(BusInput::SessionOver(ConnectionId(7))).await.unwrap();
        let last = fixture.events().await.pop().unwrap();
        assert_eq!(last.message, "the run failed: node a failed: agent/x disconnected before it answered");
    });
}

#[test]
fn a_request_that_expired_on_its_way_is_not_done_and_an_answer_that_did_is_taken() {
    with_runs(|fixture| async move {
        let request = ControlRequest::RunSubmit {
            request_id: trace(1),
            opening_yaml: ONE.to_owned(),
            traceparent: None,
        };
        fixture.publish_expired("rlp/ctrl", trace(1), request.encode()).await;
        fixture.submit(2).await;
        assert_eq!(fixture.response().await.request_id(), trace(2));
        let request = fixture.asked().await;
        let answer = AgentAnswer { response: AgentResponse::Completed { ports: [].into() }, tokens: None };
        fixture.publish_expired(&request.reply_topic, trace(2), answer.encode()).await;
        assert_eq!(fixture.events().await.last().unwrap().meta.success, Some(true));
        let figures = fixture.metrics().await;
        assert_eq!((figures.submitted, figures.rejected.iter().sum::<u64>()), (1, 1));
    });
}

#[test]
fn what_an_agent_did_not_read_in_time_fails_its_attempt() {
    with_runs(|fixture| async move {
        fixture.submit(1).await;
        fixture.asked().await;
        fixture.bus_inputs.send(BusInput::Unread { peer: ConnectionId(7), msg_id: 1 }).await.unwrap();
        let last = fixture.events().await.pop().unwrap();
        assert_eq!(
            last.message,
            "the run failed: node a failed: agent/x did not read its request within 30000 ms"
        );
    });
}

#[test]
fn a_host_that_stops_tells_agents_that_nobody_awaits_their_answers() {
    with_runs(|fixture| async move {
        fixture.submit(1).await;
        fixture.asked().await;
        fixture.line.may_end.store(true, Ordering::SeqCst);
        let (answer, answered) = oneshot::channel();
        fixture.requests.send(Request::Stop { answer }).await.unwrap();
        let notice = loop {
            let message = fixture.taken().await;
            if message.schema_id == schema::INTENT {
                break message;
            }
        };
        assert_eq!(notice.topic.as_str(), "agent/x");
        answered.await.unwrap();
    });
}

#[test]
fn a_run_that_ended_is_told_of_again_from_the_store() {
    with_runs(|fixture| async move {
        fixture.submit(1).await;
        let request = fixture.asked().await;
        fixture.answer(&request).await;
        let first = fixture.events().await.pop().unwrap();
        fixture.submit(1).await;
        assert!(matches!(fixture.response().await, ControlResponse::RunAccepted { .. }));
        let again = fixture.events().await;
        assert_eq!((again.len(), &again[0].message, again[0].meta.success), (1, &first.message, Some(true)));
    });
}

#[test]
fn without_a_bus_an_attempt_says_so_and_goes_on_once_it_is_back() {
    with_runs(|fixture| async move {
        fixture.line.is_down.store(true, Ordering::SeqCst);
        fixture.submit(1).await;
        while fixture.metrics().await.in_flight == 0 {}
        fixture.line.is_down.store(false, Ordering::SeqCst);
        let request = fixture.asked().await;
        assert_eq!(request.attempt, 1, "offered again");
        fixture.answer(&request).await;
        assert_eq!(fixture.events().await.last().unwrap().meta.success, Some(true));
    });
}

/// What would be made of a message.
async fn judged(fixture: &TestHost, stand: Stand, body: impl Into<bytes::Bytes>) -> JudgedControl {
    let (answer, answered) = oneshot::channel();
    let question = Question { stand, body: body.into(), answer };
    fixture.requests.send(Request::Judge(question)).await.unwrap();
    answered.await.unwrap()
}

#[test]
fn a_message_is_judged_with_its_opening_and_the_stores_answers_and_nothing_begins() {
    with_runs(|fixture| async move {
        let stand = |n| Stand {
            topic: ControlTopic::Control,
            kind: AskerKind::Agent,
            client: "tester".to_owned(),
            session: None,
            trace: trace(n),
            ttl_ms: 1_000,
        };
        let submit = |n| {
            let (request_id, opening_yaml) = (trace(n), ONE.to_owned());
            ControlRequest::RunSubmit { request_id, opening_yaml, traceparent: None }.encode()
        };
        let first = judged(&fixture, stand(1), submit(1)).await;
        assert_eq!((first.verdict, first.certainty), (ControlVerdict::Accepted, Certainty::AsOfNow));
        assert_eq!(first.effect.as_deref(), Some("run one begins: 1 node"));
        assert_eq!(fixture.metrics().await.running, 0);
        fixture.submit(1).await;
        let accepted = fixture.response().await;
        let again = judged(&fixture, stand(1), submit(1)).await;
        let foreseen = ControlResponse::decode(&again.answers[0].body).unwrap();
        assert_eq!((again.verdict, foreseen), (ControlVerdict::Duplicate, accepted));
    });
}
