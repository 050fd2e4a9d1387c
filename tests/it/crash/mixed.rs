//! The load of the bus, the runs and the sessions beside the bridge's, and what was acknowledged of it.

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::SocketAddr,
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use prost::Message as _;
use rl_console::macp::proto::v1::{Envelope, SendRequest, SessionStartPayload};
use tonic::transport::Endpoint;

use crate::{
    macp::test_station::{Client, envelope},
    real::json,
    rmp_bus::frames::{self, Header},
};

/// Runs that are submitted before a kill.
const RUNS: u64 = 2;
/// How long an answer may take on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// A run that ends soon: nobody answers for its agent.
const OPENING: &str = "version: 0\nname: crash\nnodes:\n  - {id: a, use: 'agent:nobody'}\nedges: []\n";

/// What was acknowledged before a kill.
#[derive(Default)]
pub(super) struct Acknowledged {
    /// As `ls runs` has them.
    runs: BTreeSet<String>,
    messages: Vec<Envelope>,
}

impl Acknowledged {
    pub(super) fn extend(&mut self, more: Self) {
        self.runs.extend(more.runs);
        self.messages.extend(more.messages);
    }
}

/// Submits runs, then publishes and takes what was published, until the station is gone.
pub(super) fn bus_until_gone(data: &Path, round: u64) -> Acknowledged {
    let mut all = Acknowledged::default();
    let _ = bus(data, round, &mut all);
    all
}

fn bus(data: &Path, round: u64, all: &mut Acknowledged) -> std::io::Result<()> {
    let mut stream = UnixStream::connect(data.join("rmp.sock"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let hello = vec![("v", 1.into()), ("client", "crash".into()), ("kind", "agent".into())];
    let subscribe = |sub: u64, topic: &str| vec![("sub", sub.into()), ("topic", topic.into())];
    let opening = [
        frames::control(1, "Hello", hello),
        frames::control(2, "Subscribe", subscribe(1, "rlp/ctrl")),
        frames::control(3, "Subscribe", subscribe(2, "crash")),
    ];
    stream.write_all(&opening.concat())?;
    for number in 0.. {
        let is_run = number < RUNS;
        let topic = if is_run { "rlp/ctrl" } else { "crash" };
        let id = 10 + number;
        let publish = vec![("topic", topic.into()), ("ack", false.into())];
        let trace_id = u128::from(round) << 64 | u128::from(id) << 32 | 0x1234;
        let message = if is_run { submit(id, trace_id) } else { frames::message(id, "x") };
        stream.write_all(&[frames::control(id, "Publish", publish), message].concat())?;
        // One's own message comes back, or the answer to it.
        let awaited: &[u8] = if is_run { b"RunAccepted" } else { b"observation.note.v1" };
        while !next(&mut stream)?.windows(awaited.len()).any(|part| part == awaited) {}
        if is_run {
            all.runs.insert(trace_name(trace_id));
        }
    }
    Ok(())
}

fn submit(id: u64, trace_id: u128) -> Vec<u8> {
    let request_id = rmpv::Value::Binary(trace_id.to_be_bytes().to_vec());
    let request = frames::map(vec![("request_id", request_id), ("opening_yaml", OPENING.into())]);
    let body = frames::body("intent.ctrl.request.v1", frames::map(vec![("RunSubmit", request)]));
    let header = Header { schema_id: 2_001, created_at_ms: 1, ttl_ms: u64::MAX - 2, trace_id, msg_id: id };
    frames::frame(header, &body)
}

fn next(stream: &mut UnixStream) -> std::io::Result<Vec<u8>> {
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix)?;
    let mut wire = vec![0; u32::from_be_bytes(prefix) as usize];
    stream.read_exact(&mut wire)?;
    Ok(wire)
}

fn trace_name(trace_id: u128) -> String {
    let hex = format!("{trace_id:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &hex[part]);
    format!("trace:{}", parts.join("-"))
}

/// Says messages in a session of the round's own until the station is gone.
pub(super) fn session_until_gone(addr: SocketAddr, round: u64) -> Acknowledged {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut all = Acknowledged::default();
    runtime.block_on(async {
        let Ok(channel) = Endpoint::new(format!("http://{addr}")).unwrap().connect().await else { return };
        let mut client = Client::new(channel);
        for number in 0_u64.. {
            let envelope = message(&format!("crash {round}"), number);
            let request = SendRequest { envelope: Some(envelope.clone()) };
            let Ok(Ok(answer)) = tokio::time::timeout(PATIENCE, client.send(request)).await else { return };
            let ack = answer.into_inner().ack.unwrap();
            assert!(ack.ok && !ack.duplicate, "{ack:?}");
            all.messages.push(envelope);
        }
    });
    all
}

/// `SessionStart`, a proposal, then evaluations.
fn message(session: &str, number: u64) -> Envelope {
    let id = number.to_string();
    match number {
        0 => {
            let start = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
            envelope(session, "SessionStart", &id, "a", start.encode_to_vec())
        }
        1 => envelope(session, "Proposal", &id, "a", r#"{"proposal_id":"p"}"#.to_owned()),
        _ => {
            let payload = r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9}"#.to_owned();
            envelope(session, "Evaluation", &id, "a", payload)
        }
    }
}

/// Each run is listed, and each message is a duplicate when it is said again.
pub(super) fn nothing_is_lost(data: &Path, macp: SocketAddr, all: &Acknowledged, kills: u64) {
    let is_enough = !all.runs.is_empty() && all.messages.len() as u64 > kills;
    assert!(is_enough, "the load was too small to show anything");
    let rows = json(data, &["ls", "runs", "--limit", "10000"]);
    let listed: BTreeSet<_> = rows.iter().map(|row| row["run"].as_str().unwrap().to_owned()).collect();
    let lost: Vec<_> = all.runs.difference(&listed).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let endpoint = Endpoint::new(format!("http://{macp}")).unwrap();
        let mut client = Client::new(endpoint.connect().await.unwrap());
        for envelope in &all.messages {
            let request = SendRequest { envelope: Some(envelope.clone()) };
            let ack = client.send(request).await.unwrap().into_inner().ack.unwrap();
            assert!(ack.duplicate, "{envelope:?} was acknowledged and is lost");
        }
    });
}
