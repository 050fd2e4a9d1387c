//! Runs as they are told on the bus of a whole station.

use std::{sync::Arc, time::Duration};

use prost::Message as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tonic::transport::Endpoint;
use uuid::Uuid;

use super::{
    SessionTranslation,
    counts::Counted,
    handle::Records,
    run::{beginning, end_told},
};
use crate::{
    ids::TraceId,
    limits,
    macp::proto::v1::{
        Envelope, SendRequest, SessionStartPayload, macp_runtime_service_client::MacpRuntimeServiceClient,
    },
    mplp::{
        RecordContext, SchemaId as MplpSchema, is_clean,
        lifecycle::{Item, RecordSettings, run::RunRecord},
    },
    port::{Command, Page, Query, RunDetail},
    rmp::{
        SchemaId,
        client::{Client, Hello, Message, Subscription},
    },
    runs::{
        self, RunState,
        engine::{RunEnded, RunFeed},
        openings::PortValue,
        payload::{AgentAnswer, AgentRequest, AgentResponse, ControlRequest, RunEvent, schema},
    },
    station::{Config, Station},
    time::Clock,
};

const PATIENCE: Duration = Duration::from_secs(60);
const YAML: &str = "version: 0\nname: two\ngoals: [say hello]\nnodes:\n  - {id: a, use: 'agent:x'}\n  - {id: b, use: 'agent:x'}\nedges:\n  - {from: a.out, to: b.in}\n";

/// An item by the name of its schema.
type Named = (String, Value);

fn run_id() -> TraceId {
    TraceId(Uuid::from_u128(0x0192_f0c1_2b3a_7c4d_8e5f_6071_8293_a4b5))
}

struct TestStation {
    station: Station,
    folder: TempDir,
}

impl TestStation {
    async fn open(config: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Config::within(folder.path());
        config(&mut settings);
        let station = Station::start(settings, Clock::start()).unwrap();
        station.ready().await.unwrap();
        Self { station, folder }
    }

    async fn client(&self, name: &str) -> Client {
        Client::connect(&self.folder.path().join("rmp.sock"), Hello::agent(name)).await.unwrap()
    }

    async fn submit(&self, client: &Client) {
        let request = ControlRequest::RunSubmit {
            request_id: run_id(),
            opening_yaml: YAML.to_owned(),
            traceparent: None,
        };
        let message = Message::new(SchemaId(schema::CTRL_REQ), request.encode()).in_trace(run_id());
        client.publish("rlp/ctrl", &message).await.unwrap();
    }

    /// Answers both requests; before the first answer two sessions of the run's trace are begun and ended.
    async fn work(&self, agent: &Client, requests: &mut Subscription) {
        for n in 0..2 {
            let delivery = requests.next().await.unwrap();
            let request = AgentRequest::decode(delivery.wire.get(68..).unwrap()).unwrap();
            if n == 0 {
                // The first is one of two who are not listed.
                self.decide("s1", &[]).await;
                self.decide("s2", &["a", "b"]).await;
            }
            let value = PortValue { schema_id: 4, kind: "toolresult.generic.v1".into(), value: 1.into() };
            let ports = [("out".into(), vec![value])].into();
            let answer = AgentAnswer { response: AgentResponse::Completed { ports }, tokens: Some(3) };
            let message =
                Message::new(SchemaId(schema::AGENT_RESPONSE), answer.encode()).in_trace(request.trace_id);
            agent.publish(&request.reply_topic, &message).await.unwrap();
        }
    }

    async fn decide(&self, session: &str, listed: &[&str]) {
        let addr = self.station.inner.hosts.sessions.addr().unwrap();
        let channel = Endpoint::new(format!("http://{addr}")).unwrap().connect().await.unwrap();
        let mut client = MacpRuntimeServiceClient::new(channel);
        let start = SessionStartPayload {
            ttl_ms: 60_000,
            intent: format!("which map, {session}?"),
            participants: listed.iter().map(|&it| it.to_owned()).collect(),
            context: json!({ "trace_id": run_id() }).to_string().into(),
            ..SessionStartPayload::default()
        };
        let messages = [
            ("a", "SessionStart", start.encode_to_vec()),
            ("a", "Proposal", br#"{"proposal_id":"p","option":"north"}"#.to_vec()),
            ("b", "Vote", br#"{"proposal_id":"p","vote":"approve"}"#.to_vec()),
            ("a", "Commitment", br#"{"action":"play north"}"#.to_vec()),
        ];
        for (n, (sender, message_type, payload)) in messages.into_iter().enumerate() {
            let envelope = Envelope {
                macp_version: "1.0".to_owned(),
                message_type: message_type.to_owned(),
                message_id: format!("{session}-{n}"),
                session_id: session.to_owned(),
                sender: sender.to_owned(),
                payload: payload.into(),
                ..Envelope::default()
            };
            let sent = client.send(SendRequest { envelope: Some(envelope) }).await.unwrap();
            let ack = sent.into_inner().ack.unwrap();
            assert!(ack.ok, "{message_type}: {ack:?}");
        }
    }

    async fn query(&self, query: Query) -> Page {
        self.station.port().query(query).await.unwrap()
    }

    async fn run_row(&self) -> Option<Box<RunDetail>> {
        let Page::Run(found) = self.query(Query::Run { run: run_id() }).await else { panic!("no run") };
        found
    }

    /// The record as the store has it: events and objects.
    async fn exported(&self) -> Vec<Named> {
        let settings = RecordSettings {
            environment: "live".into(),
            created_by: concat!("rl-console/", env!("CARGO_PKG_VERSION")).into(),
        };
        let detail = self.run_row().await.unwrap();
        let (mut record, _) = RunRecord::begin(beginning(&detail, &limits::Runs::default()), &settings);
        let Page::RunEvents { rows, .. } =
            self.query(Query::RunEvents { run: run_id(), after: 0, limit: 1_000 }).await
        else {
            panic!("no events")
        };
        for row in rows {
            let (number, kind, level) = (row.number, row.kind, row.level);
            let (message, meta, at) = (row.message, row.meta, row.at_ms);
            record.read(&crate::store::runs::EventRow { number, kind, level, message, meta, at });
        }
        for session in ["s1", "s2"] {
            let session = session.to_owned();
            let Page::Session(Some(found)) = self.query(Query::Session { session: session.clone() }).await
            else {
                continue;
            };
            let mut translation =
                SessionTranslation::new(&found, limits::Macp::default().shown_text_bytes_max, &settings);
            let Page::SessionLog { rows, .. } =
                self.query(Query::SessionLog { session, after: 0, limit: 1_000 }).await
            else {
                panic!("no log")
            };
            for row in &rows {
                translation.log(row);
            }
            record.add_session(translation.items_for_run(&found.row));
        }
        let row = &detail.row;
        let end = RunEnded {
            run: run_id(),
            state: row.state,
            why: row.why.clone(),
            tokens: row.tokens,
            events_missing: 0,
            artifacts_missing: 0,
            at: row.ended_at_ms.unwrap(),
        };
        let bundle = record.into_bundle(Some(&end_told(end)));
        let named = |item: &Item| (item.schema.name().to_owned(), item.object.clone());
        bundle.items().iter().map(named).collect()
    }
}

/// What one message has.
fn items(wire: &[u8]) -> Vec<Named> {
    let mut body: Value = rmp_serde::from_slice(&wire[68..]).unwrap();
    assert_eq!((&body["type"], &body["payload"]["v"]), (&json!("observation.mplp.event.v1"), &json!(1)));
    let Value::Array(items) = body["payload"]["items"].take() else { panic!("{body:#}") };
    items.into_iter().map(|it| (it["schema"].as_str().unwrap().to_owned(), it["object"].clone())).collect()
}

fn is_event(item: &Named) -> bool {
    item.1.get("event_type").is_some()
}

fn in_order_of_ids(mut events: Vec<Named>) -> Vec<Named> {
    events.sort_by_key(|item| item.1["event_id"].to_string());
    events
}

/// Does a test, and ends its station behind it.
fn test(test: impl Future<Output = TestStation>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fixture = runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await.unwrap() });
    fixture.station.stop();
}

#[test]
fn a_run_and_its_sessions_are_told_as_they_are_exported() {
    test(async {
        let fixture = TestStation::open(|_| {}).await;
        let (agent, client) = (fixture.client("x").await, fixture.client("reader").await);
        let mut requests = agent.subscribe("agent/x").await.unwrap();
        let mut messages = client.subscribe("rlp/runs/**").await.unwrap();
        fixture.submit(&client).await;
        fixture.work(&agent, &mut requests).await;
        let mut told: Vec<Named> = Vec::new();
        // The Dialogs come last but for the Collabs: the second time, the record is whole.
        let plans = |told: &[Named]| told.iter().filter(|item| item.0 == "plan").count();
        let collabs = |told: &[Named]| told.iter().filter(|item| item.0 == "collab").count();
        while plans(&told) < 2 || collabs(&told) < 2 {
            let delivery = messages.next().await.unwrap();
            if delivery.header().schema_id != SchemaId::MPLP_EVENT {
                continue;
            }
            assert_eq!(delivery.topic.as_str(), format!("rlp/runs/{}/mplp", run_id()));
            assert_eq!(delivery.header().trace_id, run_id());
            assert!(delivery.wire.len() <= 65_536 + 68);
            told.extend(items(&delivery.wire));
        }
        let names: Vec<&str> = told.iter().map(|item| item.0.as_str()).take(5).collect();
        assert_eq!(names, ["context", "plan", "trace", "core", "network"]);
        for (name, object) in &told {
            assert!(
                is_clean(MplpSchema::named(name).unwrap(), object, RecordContext::default()),
                "{object:#}"
            );
        }
        let first_event = told.iter().position(is_event).unwrap();
        let (events, objects): (Vec<_>, Vec<_>) = told.split_off(first_event).into_iter().partition(is_event);
        let (expected_events, expected): (Vec<_>, Vec<_>) =
            fixture.exported().await.into_iter().partition(is_event);
        assert_eq!(objects, expected);
        assert_eq!(in_order_of_ids(events), in_order_of_ids(expected_events));
        let counted = fixture.station.inner.hosts.records.counted();
        assert_eq!((counted.bus_down, counted.not_taken, counted.open), (0, 0, 0));
        let snapshot = fixture.station.port().snapshot().await.unwrap();
        assert_eq!(snapshot.mplp.withheld, 0, "{:?}", snapshot.mplp.recent);
        agent.close().await;
        client.close().await;
        fixture
    });
}

#[test]
fn without_emission_nothing_is_told() {
    test(async {
        let fixture = TestStation::open(|config| config.mplp_emit = false).await;
        let (agent, client) = (fixture.client("x").await, fixture.client("reader").await);
        let mut requests = agent.subscribe("agent/x").await.unwrap();
        let mut messages = client.subscribe("rlp/runs/**").await.unwrap();
        fixture.submit(&client).await;
        fixture.work(&agent, &mut requests).await;
        loop {
            let delivery = messages.next().await.unwrap();
            assert_ne!(delivery.header().schema_id, SchemaId::MPLP_EVENT);
            let is_event = delivery.header().schema_id == SchemaId::RUN_EVENT;
            if is_event && RunEvent::decode(&delivery.wire[68..]).unwrap().meta.success.is_some() {
                break;
            }
        }
        assert_eq!(fixture.station.inner.hosts.records.counted(), Counted::default());
        agent.close().await;
        client.close().await;
        fixture
    });
}

#[test]
fn what_is_told_without_a_bus_is_dropped_and_counted() {
    test(async {
        let fixture = TestStation::open(|config| {
            config.socket = None;
            config.limits.runs.offer_ms_max = 0;
        })
        .await;
        let submit =
            runs::Command::Submit { request: run_id(), opening_yaml: YAML.into(), traceparent: None };
        fixture.station.port().command(Command::Runs(submit)).await.unwrap();
        while fixture.run_row().await.is_none_or(|run| run.row.state == RunState::Running) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let records = &fixture.station.inner.hosts.records;
        while records.counted().open > 0 || records.counted().bus_down < 20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let counted = records.counted();
        assert!(counted.objects >= 16 && counted.events > 10, "{counted:?}");
        assert_eq!((counted.batches, counted.bytes), (0, 0));
        fixture
    });
}

#[test]
fn a_full_route_gives_back_what_it_has_no_room_for_and_without_one_it_is_counted() {
    let records = Records::default();
    assert_eq!(records.offer(RunFeed::Started), Ok(()));
    assert_eq!(records.counted().not_taken, 1);
    let (feeds, mut taken) = tokio::sync::mpsc::channel(1);
    records.set(None, Some(feeds));
    assert_eq!(records.offer(RunFeed::Started), Ok(()));
    assert_eq!(records.offer(RunFeed::Started), Err(RunFeed::Started));
    assert_eq!(taken.try_recv(), Ok(RunFeed::Started));
    assert_eq!(records.offer(RunFeed::Started), Ok(()));
    drop(taken);
    assert_eq!(records.offer(RunFeed::Started), Ok(()));
    assert_eq!(records.counted().not_taken, 2);
    assert_eq!(Arc::strong_count(&records.counts()), 2);
}
