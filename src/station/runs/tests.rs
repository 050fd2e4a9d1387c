//! The control plane fails, and is started again, in a whole station.

use std::time::Duration;

use tempfile::TempDir;
use uuid::Uuid;

use crate::{
    ids::{TopicName, TraceId},
    port::{Command, Outcome},
    rmp::{
        SchemaId,
        client::{Client, Hello, Message, Subscription},
    },
    runs::{
        host::{BusInput, Incoming, Request},
        payload::{ControlRequest, ControlResponse, RunEvent},
    },
    station::{Config, Station},
    tap::entry::{Link, Transition, What, station},
    time::Clock,
};

const PATIENCE: Duration = Duration::from_secs(60);
/// A question that nobody answers.
const ASKS: &str = "version: 0\nname: asks\nnodes: [{id: a, use: agent:x, with: {require_human_confirm: true}}]\nedges: []\n";

struct TestStation {
    station: Station,
    folder: TempDir,
}

struct Asker {
    client: Client,
    responses: Subscription,
    events: Subscription,
}

impl TestStation {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let station = Station::start(Config::within(folder.path()), Clock::start()).unwrap();
        station.ready().await.unwrap().rmp.unwrap();
        Self { station, folder }
    }

    async fn asker(&self) -> Asker {
        let client =
            Client::connect(&self.folder.path().join("rmp.sock"), Hello::agent("tester")).await.unwrap();
        let responses = client.subscribe("rlp/ctrl").await.unwrap();
        let events = client.subscribe("rlp/runs/**").await.unwrap();
        Asker { client, responses, events }
    }

    /// The runs' thread panics, between two events of its loop.
    async fn break_runs(&self) {
        let mut reader = self.station.port().entries().unwrap();
        self.station.inner.hosts.runs.ask(Request::Break).unwrap();
        loop {
            while let Some(batch) = reader.read() {
                let is_down = |what: &What| {
                    matches!(
                        what,
                        What::Transition(Transition::Station(station::Transition::HostDown {
                            link: Link::Runs
                        }))
                    )
                };
                if batch.iter().any(|item| is_down(&item.entry.what)) {
                    return;
                }
            }
            reader.ready().await;
        }
    }
}

impl Asker {
    async fn send(&self, n: u128, request: &ControlRequest) {
        let message =
            Message::new(SchemaId::CTRL_REQ, request.encode()).in_trace(TraceId(Uuid::from_u128(n)));
        self.client.publish("rlp/ctrl", &message).await.unwrap();
    }

    /// The next answer, and which request it is for.
    async fn answered(&mut self) -> (u128, ControlResponse) {
        loop {
            let delivery = self.responses.next().await.unwrap();
            if delivery.header().schema_id == SchemaId::CTRL_RESP {
                let response = ControlResponse::decode(delivery.wire.get(68..).unwrap()).unwrap();
                return (delivery.header().trace_id.0.as_u128(), response);
            }
        }
    }

    async fn ask(&mut self, n: u128, request: &ControlRequest) -> ControlResponse {
        self.send(n, request).await;
        loop {
            let (of, response) = self.answered().await;
            if of == n {
                return response;
            }
        }
    }

    async fn submit(&mut self, n: u128) -> ControlResponse {
        self.ask(
            n,
            &ControlRequest::RunSubmit {
                request_id: TraceId(Uuid::from_u128(n)),
                opening_yaml: ASKS.to_owned(),
                traceparent: None,
            },
        )
        .await
    }

    /// How a run ended, by its last event.
    async fn end(&mut self, n: u128) -> (bool, String) {
        loop {
            let delivery = self.events.next().await.unwrap();
            if delivery.header().schema_id == SchemaId::RUN_EVENT
                && delivery.header().trace_id.0.as_u128() == n
            {
                let event = RunEvent::decode(delivery.wire.get(68..).unwrap()).unwrap();
                if let Some(success) = event.meta.success {
                    return (success, event.message);
                }
            }
        }
    }
}

/// Does a test, and ends its station behind it.
fn run(test: impl Future<Output = TestStation>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fixture = runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await.unwrap() });
    fixture.station.stop();
}

#[test]
fn a_control_plane_that_is_down_says_so_and_is_started_again() {
    run(async {
        let fixture = TestStation::open().await;
        let mut asker = fixture.asker().await;
        let accepted = asker.submit(1).await;
        assert!(matches!(accepted, ControlResponse::RunAccepted { .. }));
        fixture.break_runs().await;
        let why = "the control plane is down: restart it with `rl-console host restart runs`, or see \
                   `rl-console doctor`";
        let rejected = |response| match response {
            ControlResponse::RunRejected { request_id, reason } => (request_id.0.as_u128(), reason),
            other => panic!("{other:?}"),
        };
        assert_eq!(rejected(asker.submit(2).await), (2, why.to_owned()));
        let cancel = ControlRequest::RunCancel { trace_id: TraceId(Uuid::from_u128(1)) };
        assert_eq!(rejected(asker.ask(3, &cancel).await), (3, why.to_owned()));
        let describe =
            ControlRequest::DescribeAgents { request_id: TraceId(Uuid::from_u128(4)), agents: Vec::new() };
        assert!(matches!(asker.ask(4, &describe).await, ControlResponse::AgentsDescribeFailed { .. }));

        assert_eq!(asker.submit(1).await, accepted, "what was answered before is answered so");
        let restarted = fixture.station.port().command(Command::Restart { link: Link::Runs }).await;
        assert_eq!(restarted, Ok(Outcome::Restarted { link: Link::Runs }));
        assert_eq!(
            asker.end(1).await,
            (false, "the run failed: interrupted by a stop of the station".to_owned())
        );
        assert_eq!(
            rejected(asker.submit(2).await),
            (2, why.to_owned()),
            "the same request has the same answer"
        );
        assert_eq!(rejected(asker.ask(3, &cancel).await), (3, why.to_owned()));
        assert!(
            matches!(asker.submit(6).await, ControlResponse::RunAccepted { .. }),
            "the inbox is open again"
        );
        assert!(
            matches!(asker.submit(1).await, ControlResponse::RunAccepted { .. }),
            "what was answered before is answered so"
        );
        assert_eq!(asker.end(1).await.1, "the run failed: interrupted by a stop of the station");
        let cancelled =
            asker.ask(5, &ControlRequest::RunCancel { trace_id: TraceId(Uuid::from_u128(6)) }).await;
        assert!(matches!(cancelled, ControlResponse::RunCancelled { .. }));
        asker.client.close().await;
        fixture
    });
}

#[test]
fn a_request_that_expired_before_a_control_plane_that_is_down_could_take_it_is_not_answered() {
    run(async {
        let fixture = TestStation::open().await;
        let mut asker = fixture.asker().await;
        fixture.break_runs().await;
        let now = fixture.station.inner.clock.now();
        for (n, expires_at) in [(1, now.mono), (2, now.mono + PATIENCE)] {
            let trace = TraceId(Uuid::from_u128(n));
            let body = ControlRequest::RunCancel { trace_id: trace }.encode().into();
            let by = crate::runs::Asker { kind: crate::runs::AskerKind::Agent, client: "late".into() };
            let heard = Incoming {
                session: crate::ids::ConnectionId(1),
                topic: TopicName::new("rlp/ctrl"),
                by,
                trace,
                expires_at,
                body,
                room: Box::new(()),
            };
            super::serve::refuse(&fixture.station.inner, BusInput::Message(heard)).await;
        }
        assert_eq!(asker.answered().await.0, 2, "rmp-v0 §4");
        asker.client.close().await;
        fixture
    });
}

#[test]
fn requests_that_meet_runs_which_fail_at_that_moment_are_answered_all_the_same() {
    run(async {
        let fixture = TestStation::open().await;
        let mut asker = fixture.asker().await;
        for round in 0..5_u128 {
            let numbers = 100 * round..100 * round + 50;
            for n in numbers.clone() {
                if n % 50 == 25 {
                    fixture.station.inner.hosts.runs.ask(Request::Break).unwrap();
                }
                // Answered at once: none is lost between what is written and what is told.
                asker
                    .send(
                        n,
                        &ControlRequest::DescribeAgents {
                            request_id: TraceId(Uuid::from_u128(n)),
                            agents: Vec::new(),
                        },
                    )
                    .await;
            }
            let mut answered = std::collections::BTreeSet::new();
            while answered.len() < 50 {
                answered.extend(Some(asker.answered().await.0).filter(|n| numbers.contains(n)));
            }
            while fixture.station.port().command(Command::Restart { link: Link::Runs }).await.is_err() {
                tokio::task::yield_now().await;
            }
        }
        asker.client.close().await;
        fixture
    });
}

#[test]
fn it_may_fail_again_and_again_while_it_is_spoken_to() {
    run(async {
        let fixture = TestStation::open().await;
        let mut asker = fixture.asker().await;
        for round in 0..3_u128 {
            assert!(matches!(asker.submit(10 + round).await, ControlResponse::RunAccepted { .. }));
            fixture.break_runs().await;
            for n in 0..20 {
                let response = asker.submit(100 + 100 * round + n).await;
                assert!(matches!(response, ControlResponse::RunRejected { .. }), "{response:?}");
            }
            fixture.station.port().command(Command::Restart { link: Link::Runs }).await.unwrap();
        }
        assert!(matches!(asker.submit(20).await, ControlResponse::RunAccepted { .. }));
        asker.client.close().await;
        fixture
    });
}
