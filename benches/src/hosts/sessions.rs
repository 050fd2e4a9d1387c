//! The coordination runtime: votes of 16 callers over one connection, each in a session of its own.

use std::{net::SocketAddr, sync::Arc};

use prost::Message as _;
use rl_console::{
    admission::Tally,
    gate::Gate,
    limits,
    macp::{
        host::{self, Setup},
        proto::v1::{
            Envelope, SendRequest, SessionStartPayload, macp_runtime_service_client::MacpRuntimeServiceClient,
        },
    },
    mpp::manifest::Pack,
    store::{Store, append},
    tap::Tap,
    time::Clock,
};
use tempfile::TempDir;
use tokio::{
    runtime::Runtime,
    sync::oneshot,
    task::{JoinHandle, JoinSet},
};
use tonic::transport::{Channel, Endpoint};

use super::Host;
use crate::{Result, report::number};

type Client = MacpRuntimeServiceClient<Channel>;

const CALLERS: u64 = 16;
/// Votes of a caller in a round.
const VOTES: u64 = 500;

pub(crate) struct Sessions {
    runtime: Runtime,
    client: Client,
    next: u64,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
    store: Option<Store>,
    _folder: TempDir,
}

fn envelope(
    caller: u64,
    number: u64,
    (mode, message_type, sender): (&str, &str, &str),
    payload: Vec<u8>,
) -> SendRequest {
    let envelope = Envelope {
        macp_version: "1.0".to_owned(),
        mode: mode.to_owned(),
        message_type: message_type.to_owned(),
        message_id: format!("{message_type} {number}"),
        session_id: format!("session {caller}"),
        sender: sender.to_owned(),
        timestamp_unix_ms: 0,
        payload: payload.into(),
    };
    SendRequest { envelope: Some(envelope) }
}

async fn send(client: &mut Client, request: SendRequest) -> std::result::Result<(), String> {
    let answer = client.send(request).await.map_err(|status| status.to_string())?.into_inner();
    let is_taken = answer.ack.as_ref().is_some_and(|ack| ack.ok);
    if is_taken { Ok(()) } else { Err(format!("{answer:?}")) }
}

impl Host for Sessions {
    const NAME: &'static str = "sessions, votes of 16 callers";

    fn start(gate: Gate, tap: Tap) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let (clock, pack) = (Clock::start(), Pack::sample());
        let (store, _) = Store::open(folder.path(), &pack.id, &pack.hash, limits::Store::default(), clock)?;
        let handle = store.handle();
        let (ready, is_ready) = oneshot::channel();
        let (stop, stops) = oneshot::channel();
        let setup = Setup {
            addr: SocketAddr::from(([127, 0, 0, 1], 0)),
            limits: limits::Macp::default(),
            tally: Tally::default(),
            ended_sessions_max: 1_000,
            ended_sessions_bytes_max: 1 << 30,
            disk_low: Arc::default(),
            tap,
            clock,
            gate,
            store: Box::new(move || Some(handle.clone())),
            data: folder.path().to_owned(),
            log: append::on_disk(),
            log_file_bytes_max: limits::Store::default().journal_segment_bytes_max,
            watch: Arc::new(host::NobodyWatches),
            notice: Box::new(|_, _| {}),
            ready,
            stop: stops,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let task = runtime.spawn(async { drop(host::run(setup).await) });
        let (addr, _) = runtime.block_on(is_ready)??;
        let channel = runtime.block_on(Endpoint::new(format!("http://{addr}"))?.connect())?;
        let mut client = Client::new(channel);
        runtime.block_on(async {
            for caller in 0..CALLERS {
                let start = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
                let start = envelope(caller, 0, ("decision", "SessionStart", "a"), start.encode_to_vec());
                send(&mut client, start).await?;
                let proposal = br#"{"proposal_id":"p","option":"go"}"#.to_vec();
                send(&mut client, envelope(caller, 0, ("", "Proposal", "a"), proposal)).await?;
            }
            Ok::<_, String>(())
        })?;
        Ok(Self {
            runtime,
            client,
            next: 0,
            stop: Some(stop),
            task: Some(task),
            store: Some(store),
            _folder: folder,
        })
    }

    fn round(&mut self) -> Result<f64> {
        let clock = Clock::start();
        let first = self.next;
        self.next += VOTES;
        let began = clock.mono();
        self.runtime.block_on(async {
            let mut callers = JoinSet::new();
            for caller in 0..CALLERS {
                let mut client = self.client.clone();
                callers.spawn(async move {
                    for number in first..first + VOTES {
                        let vote = br#"{"proposal_id":"p","vote":"approve","reason":"well"}"#.to_vec();
                        let voter = format!("voter {number}");
                        send(&mut client, envelope(caller, number, ("", "Vote", &voter), vote)).await?;
                    }
                    Ok::<_, String>(())
                });
            }
            while let Some(done) = callers.join_next().await {
                done??;
            }
            Ok::<_, Box<dyn std::error::Error>>(())
        })?;
        Ok(number(CALLERS * VOTES) / clock.mono().since(began).as_secs_f64())
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(task) = self.task.take() {
            let _ = self.runtime.block_on(task);
        }
        if let Some(store) = self.store.take() {
            let _ = store.close();
        }
    }
}
