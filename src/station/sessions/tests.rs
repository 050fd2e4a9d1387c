//! The MACP runtime fails, and is started again, in a whole station.

use std::net::SocketAddr;

use prost::Message as _;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::{Code, Status, transport::Endpoint};

use crate::{
    macp::{
        Listener,
        proto::v1::{
            Ack, Envelope, SendRequest, SessionStartPayload,
            macp_runtime_service_client::MacpRuntimeServiceClient,
        },
    },
    port::{Command, HealthStatus, HostState, Outcome, Page, PortError, Query},
    station::{ADDR_FILE, Config, Station, bridge::tests::until},
    tap::{
        Reader,
        entry::{Link, station},
    },
    time::Clock,
};

struct TestStation {
    runtime: Runtime,
    folder: TempDir,
    station: Station,
}

impl TestStation {
    fn open() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let station = Station::start(Config::within(folder.path()), Clock::start()).unwrap();
        runtime.block_on(station.ready()).unwrap().macp.unwrap();
        Self { runtime, folder, station }
    }

    fn addr(&self) -> SocketAddr {
        self.station.inner.hosts.sessions.addr().unwrap()
    }

    fn send(&self, message_type: &str, id: &str, payload: impl Into<bytes::Bytes>) -> Result<Ack, Status> {
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            message_type: message_type.to_owned(),
            message_id: id.to_owned(),
            session_id: "s".to_owned(),
            sender: "a".to_owned(),
            payload: payload.into(),
            ..Envelope::default()
        };
        self.runtime.block_on(async {
            // It may have been found out before.
            let gone = |error: tonic::transport::Error| Status::unavailable(error.to_string());
            let addr = self.station.inner.hosts.sessions.addr().map_err(Status::unavailable)?;
            let channel = Endpoint::new(format!("http://{addr}")).unwrap().connect().await.map_err(gone)?;
            let mut client = MacpRuntimeServiceClient::new(channel);
            let sent = client.send(SendRequest { envelope: Some(envelope) }).await;
            sent.map(|response| response.into_inner().ack.unwrap())
        })
    }

    /// Begins a decision with a proposal.
    fn begin(&self) {
        let payload = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
        assert!(self.send("SessionStart", "start", payload.encode_to_vec()).unwrap().ok);
        assert!(self.send("Proposal", "m1", r#"{"proposal_id":"p"}"#).unwrap().ok);
    }

    fn fail(&self) {
        let mut reader = self.station.port().entries().unwrap();
        self.station.inner.hosts.sessions.handle().unwrap().fail();
        // The next call finds it.
        let _ = self.send("Vote", "m2", "{}");
        self.until(&mut reader, |it| matches!(it, station::Transition::HostDown { link: Link::Macp }));
    }

    fn until(&self, reader: &mut Reader, wanted: impl Fn(&station::Transition) -> bool) {
        until(&self.runtime, reader, wanted);
    }

    fn restart(&self) -> Result<Outcome, PortError> {
        self.runtime.block_on(self.station.port().command(Command::Restart { link: Link::Macp }))
    }

    fn messages(&self) -> u64 {
        let shown = self
            .runtime
            .block_on(self.station.port().query(Query::Session { session: "s".to_owned() }))
            .unwrap();
        let Page::Session(Some(detail)) = shown else { panic!("{shown:?}") };
        detail.row.messages
    }
}

#[test]
fn a_runtime_that_failed_is_started_again_with_all_that_was_accepted() {
    let fixture = TestStation::open();
    assert_eq!(fixture.restart(), Err(PortError::HostUp { link: Link::Macp }));
    for round in 1..=2 {
        if round == 1 {
            fixture.begin();
        }
        // Rows are written when they are asked for, or once a second.
        assert_eq!(fixture.messages(), round);
        fixture.fail();
        let page = fixture.runtime.block_on(fixture.station.port().query(Query::Health)).unwrap();
        let Page::Health(rows) = page else { panic!() };
        let health = rows.into_iter().find(|row| row.component == "macp").unwrap();
        assert!(
            health.status == HealthStatus::Down && health.detail.contains("`rl-console host restart macp`"),
            "{health:?}"
        );
        let snapshot = fixture.runtime.block_on(fixture.station.port().snapshot()).unwrap();
        assert!(matches!(snapshot.macp.listener, Listener::Down(_)));
        assert!(matches!(snapshot.station.hosts[Link::Macp.index()], HostState::Down(_)));
        assert!(!fixture.folder.path().join(ADDR_FILE).exists(), "nobody is led to it");
        assert_eq!(fixture.messages(), round, "what is in the store is told all the same");

        assert_eq!(fixture.restart(), Ok(Outcome::Restarted { link: Link::Macp }));
        let recorded = std::fs::read_to_string(fixture.folder.path().join(ADDR_FILE)).unwrap();
        assert_eq!(recorded.trim_end(), fixture.addr().to_string());
        let again = fixture.send("Proposal", "m1", "").unwrap();
        assert!(again.ok && again.duplicate, "no message is lost");
        let vote = fixture.send("Vote", &format!("v{round}"), "{}").unwrap();
        assert!(vote.ok && !vote.duplicate);
        let snapshot = fixture.runtime.block_on(fixture.station.port().snapshot()).unwrap();
        assert_eq!((snapshot.macp.totals.open, snapshot.macp.session("s").unwrap().messages), (1, round + 1));
    }
    let TestStation { station, .. } = fixture;
    station.stop();
}

#[test]
fn whoever_calls_a_runtime_that_fails_is_told() {
    let fixture = TestStation::open();
    fixture.begin();
    fixture.station.inner.hosts.sessions.handle().unwrap().fail();
    let status = fixture.send("Vote", "m2", "{}").unwrap_err();
    assert!(
        matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal),
        "{status:?}"
    );
    fixture.station.stop();
}
