//! A station with its MACP port, and a client.

use std::time::Duration;

use bytes::Bytes;
use prost::Message as _;
use rl_console::{
    limits::Limits,
    macp::proto::v1::{
        Ack, CancelSessionRequest, Envelope, GetSessionRequest, SendRequest, SessionMetadata,
        SessionStartPayload, macp_runtime_service_client::MacpRuntimeServiceClient,
    },
    port::{Command, Outcome, Page, PortError, Query, StationPort},
    station::{Config, Station},
    time::Clock,
};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};

pub(crate) type Client = MacpRuntimeServiceClient<Channel>;

pub(crate) struct TestStation {
    station: Option<Station>,
    folder: TempDir,
    pub(crate) runtime: Runtime,
    pub(crate) client: Client,
    limits: Limits,
}

impl TestStation {
    pub(crate) fn open() -> Self {
        Self::with(&Limits::default())
    }

    pub(crate) fn with(limits: &Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (station, client) = start(&folder, &runtime, limits);
        Self { station: Some(station), folder, runtime, client, limits: *limits }
    }

    /// Ends the station in order and starts it again on the same folder.
    pub(crate) fn restart(&mut self) {
        self.restart_after(|_| ());
    }

    /// Restarts it, with something done to its folder meanwhile.
    pub(crate) fn restart_after(&mut self, meanwhile: impl FnOnce(&std::path::Path)) {
        self.station.take().unwrap().stop();
        meanwhile(self.folder.path());
        let (station, client) = start(&self.folder, &self.runtime, &self.limits);
        (self.station, self.client) = (Some(station), client);
    }

    /// The station itself, for who ends it in another way.
    pub(crate) fn take(&mut self) -> Station {
        self.station.take().unwrap()
    }

    pub(crate) fn data(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Where the MACP port is.
    pub(crate) fn addr(&self) -> std::net::SocketAddr {
        std::fs::read_to_string(self.data().join("macp.addr")).unwrap().trim_end().parse().unwrap()
    }

    /// A client with a connection of its own.
    pub(crate) fn another_client(&self) -> Client {
        let endpoint = Endpoint::new(format!("http://{}", self.addr())).unwrap();
        Client::new(self.runtime.block_on(endpoint.connect()).unwrap())
    }

    pub(crate) fn port(&self) -> std::sync::Arc<dyn StationPort> {
        self.station.as_ref().unwrap().port()
    }

    pub(crate) fn query(&self, query: Query) -> Page {
        self.runtime.block_on(self.port().query(query)).unwrap()
    }

    pub(crate) fn command(&self, command: Command) -> Result<Outcome, PortError> {
        self.runtime.block_on(self.port().command(command))
    }

    pub(crate) fn send(&self, envelope: Envelope) -> Ack {
        self.try_send(envelope).unwrap()
    }

    pub(crate) fn try_send(&self, envelope: Envelope) -> Result<Ack, Status> {
        let mut client = self.client.clone();
        let sent = self.runtime.block_on(client.send(SendRequest { envelope: Some(envelope) }));
        sent.map(|response| response.into_inner().ack.unwrap())
    }

    pub(crate) fn start(&self, session: &str, mode: &str, payload: &SessionStartPayload) -> Ack {
        let start = envelope(session, "SessionStart", "start", "alice", payload.encode_to_vec());
        self.send(Envelope { mode: mode.to_owned(), ..start })
    }

    pub(crate) fn say(
        &self,
        session: &str,
        message_type: &str,
        id: &str,
        sender: &str,
        payload: &str,
    ) -> Ack {
        self.send(envelope(session, message_type, id, sender, payload.to_owned()))
    }

    pub(crate) fn session(&self, session: &str) -> Result<SessionMetadata, Code> {
        let mut client = self.client.clone();
        let asked =
            self.runtime.block_on(client.get_session(GetSessionRequest { session_id: session.to_owned() }));
        asked.map(|response| response.into_inner().metadata.unwrap()).map_err(|status| status.code())
    }

    pub(crate) fn cancel(&self, session: &str, reason: &str) -> Ack {
        let mut client = self.client.clone();
        let request = CancelSessionRequest { session_id: session.to_owned(), reason: reason.to_owned() };
        self.runtime.block_on(client.cancel_session(request)).unwrap().into_inner().ack.unwrap()
    }

    /// Waits until something holds, whatever is told meanwhile.
    pub(crate) fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let mut reader = self.port().entries().unwrap();
        while !holds() {
            let told = self
                .runtime
                .block_on(async { tokio::time::timeout(Duration::from_secs(30), reader.ready()).await });
            assert!(told.is_ok(), "{what} does not come");
            while reader.read().is_some() {}
        }
    }
}

impl Drop for TestStation {
    fn drop(&mut self) {
        if let Some(station) = self.station.take() {
            station.stop();
        }
    }
}

fn start(folder: &TempDir, runtime: &Runtime, limits: &Limits) -> (Station, Client) {
    let config = Config { limits: *limits, ..Config::within(folder.path()) };
    let station = Station::start(config, Clock::start()).unwrap();
    let addr = runtime.block_on(station.ready()).unwrap().macp.unwrap();
    let channel = runtime.block_on(Endpoint::new(format!("http://{addr}")).unwrap().connect()).unwrap();
    (station, Client::new(channel))
}

pub(crate) fn envelope(
    session: &str,
    message_type: &str,
    id: &str,
    sender: &str,
    payload: impl Into<Bytes>,
) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: String::new(),
        message_type: message_type.to_owned(),
        message_id: id.to_owned(),
        session_id: session.to_owned(),
        sender: sender.to_owned(),
        timestamp_unix_ms: 7,
        payload: payload.into(),
    }
}

pub(crate) fn participants(names: &[&str]) -> SessionStartPayload {
    SessionStartPayload {
        participants: names.iter().map(ToString::to_string).collect(),
        ..SessionStartPayload::default()
    }
}
