//! Garbage of each protocol, made from a seed: what is valid, damaged. Each connection comes to an end, and
//! those who keep to their protocols lose nothing.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    path::PathBuf,
    time::Duration,
};

use fastrand::Rng;
use prost::Message as _;
use rl_console::macp::proto::v1::{Envelope, SendRequest, SessionStartPayload};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::transport::Endpoint;

use super::http2::{
    DATA, END_HEADERS, END_STREAM, HEADERS, PING, PREFACE, SETTINGS, WINDOW_UPDATE, frame, headers,
};
use super::operator_bounds::{lists, stops};
use crate::{
    macp::test_station::{Client, envelope},
    real::{Adapter, Station, json, pair},
    rmp_bus::{Peer, frames},
};

const SEED: u64 = 18;
const ROUNDS: usize = 20;
const CONNECTIONS: usize = 15;
const SEND: &str = "/macp.v1.MACPRuntimeService/Send";
/// How long the station may take to end a connection that says nothing more.
const END_MAX: Duration = Duration::from_secs(20);

/// An adapter, a peer of the bus and a caller, at work on a station in a process of its own.
struct Neighbours {
    folder: TempDir,
    station: Station,
    adapter: Adapter,
    bus: Peer,
    runtime: Runtime,
    caller: Client,
    turns: u64,
}

impl Neighbours {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = pair(folder.path());
        let station = Station::start_with(folder.path(), &["--metrics", "0"]);
        let rows = folder.path().join("rows.ndjson");
        std::fs::write(&rows, "{\"event\":\"heal_party\"}\n".repeat(ROUNDS)).unwrap();
        assert_eq!(json(folder.path(), &["invoke", "--from", rows.to_str().unwrap()]).len(), ROUNDS);
        let adapter = Adapter::ready(station.mpp, &token);
        let mut bus = Peer::greeted(&folder.path().join("rmp.sock"), "agent", None);
        bus.subscribe(1, "neighbour/work");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let macp = station.ready["macp"].as_str().unwrap();
        let endpoint = Endpoint::new(format!("http://{macp}")).unwrap();
        let caller = Client::new(runtime.block_on(endpoint.connect()).unwrap());
        let mut all = Self { folder, station, adapter, bus, runtime, caller, turns: 0 };
        let start = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
        all.call(envelope("neighbour", "SessionStart", "start", "a", start.encode_to_vec()));
        all.call(envelope("neighbour", "Proposal", "p", "a", r#"{"proposal_id":"p"}"#.to_owned()));
        all
    }

    fn port(&self, name: &str) -> SocketAddr {
        self.station.ready[name].as_str().unwrap().parse().unwrap()
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("rmp.sock")
    }

    #[track_caller]
    fn call(&mut self, envelope: Envelope) {
        let sent = self.caller.send(SendRequest { envelope: Some(envelope) });
        let ack = self.runtime.block_on(sent).unwrap().into_inner().ack.unwrap();
        assert!(ack.ok && !ack.duplicate, "{ack:?}");
    }

    /// One piece of work of each: none may be lost, come twice or in another order.
    #[track_caller]
    fn work(&mut self) {
        self.turns += 1;
        let id = self.turns;
        self.adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
        let invocation = std::iter::from_fn(|| self.adapter.receive())
            .find(|frame| frame["type"] == "invocation")
            .expect("the bridge closed the adapter's connection");
        assert_eq!(invocation["id"], id);
        for settled in [r#""applied","result":null"#, r#""done""#] {
            self.adapter.send(&format!(r#"{{"mpp":2,"id":{id},"type":{settled}}}"#)).unwrap();
        }
        let message = frames::message(id, "x");
        self.bus.publish("neighbour/work", false, &message);
        assert_eq!(self.bus.delivered().2.wire, message);
        let evaluation = r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9}"#.to_owned();
        self.call(envelope("neighbour", "Evaluation", &id.to_string(), "a", evaluation));
        let mut metrics = TcpStream::connect(self.port("metrics")).unwrap();
        metrics.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut text = String::new();
        metrics.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    }

    /// Every part of the station is as it should be.
    #[track_caller]
    fn are_well(&self) {
        let unwell = |row: &Value| row["well"] != true;
        let health = lists(self.folder.path());
        assert!(!health.iter().any(unwell), "{health:?}");
    }
}

/// Connections, most of which begin well, with up to four damaged inputs each.
#[track_caller]
fn throw<S: Read + Write>(
    opening: &[u8],
    templates: &[Vec<u8>],
    connect: impl Fn(&Neighbours) -> S,
    shutdown: impl Fn(&S) -> std::io::Result<()>,
) {
    let mut neighbours = Neighbours::start();
    let mut random = Rng::with_seed(SEED);
    for round in 0..ROUNDS {
        let mut begun: Vec<_> = (0..CONNECTIONS).map(|_| connect(&neighbours)).collect();
        for stream in &mut begun {
            if sends(stream, opening, templates, &mut random) {
                let _ = shutdown(stream);
            }
        }
        for (number, mut stream) in begun.into_iter().enumerate() {
            let ended = std::io::copy(&mut stream, &mut std::io::sink());
            let waited = ended.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
            assert!(!waited, "connection {number} of round {round} does not end");
        }
        neighbours.work();
    }
    neighbours.are_well();
    let mut begun: Vec<_> = (0..CONNECTIONS).map(|_| connect(&neighbours)).collect();
    for stream in &mut begun {
        sends(stream, opening, templates, &mut random);
    }
    stops(neighbours.folder.path());
    assert!(neighbours.station.terminate().success(), "it ended in order");
}

/// Sends damaged inputs; whether all were taken: it may be told no and closed at any of them.
fn sends(stream: &mut impl Write, opening: &[u8], templates: &[Vec<u8>], random: &mut Rng) -> bool {
    let mut inputs = vec![if random.u8(..8) > 0 { opening.to_vec() } else { Vec::new() }];
    inputs.extend((0..random.usize(1..=4)).map(|_| damaged(templates, random)));
    inputs.iter().all(|it| stream.write_all(it).is_ok())
}

/// One of the templates, changed in up to eight places, or bytes of no order.
pub(super) fn damaged(templates: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut bytes = match random.choice(templates) {
        Some(template) if random.u8(..8) > 0 => template.clone(),
        _ => (0..random.usize(..256)).map(|_| random.u8(..)).collect(),
    };
    for _ in 0..random.usize(..8) {
        let at = random.usize(..=bytes.len());
        match random.u8(..4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.u8(..)),
            2 => {
                let end = (at + random.usize(..32)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            _ => {}
        }
    }
    bytes
}

fn tcp(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(END_MAX)).unwrap();
    stream
}

fn unix(neighbours: &Neighbours) -> UnixStream {
    let stream = UnixStream::connect(neighbours.socket()).unwrap();
    stream.set_read_timeout(Some(END_MAX)).unwrap();
    stream
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn damaged_lines_at_the_bridge() {
    let templates = texts(&[
        "{\"mpp\":2,\"type\":\"hello\",\"pack_id\":\"a\",\"manifest_hash\":\"sha256:0\",\"bridge_token\":\"b\"}\n",
        "{\"mpp\":2,\"type\":\"pull\",\"queue\":\"default\"}\n",
        "{\"mpp\":2,\"type\":\"applied\",\"id\":1,\"result\":{\"a\":[1,2.5e300,null]}}\r\n",
        "{\"mpp\":2,\"type\":\"failed\",\"id\":18446744073709551615,\"reason\":\"\\ud83d\",\"refund\":true}\n",
        "{\"mpp\":2,\"type\":\"state_write\",\"key\":\"k\",\"value\":[[[[]]]],\"scope\":\"\\u202e\"}\n",
    ]);
    throw(b"", &templates, |it| tcp(it.station.mpp), |it| it.shutdown(Shutdown::Write));
}

fn hello() -> Vec<u8> {
    frames::control(1, "Hello", vec![("v", 1.into()), ("client", "test".into()), ("kind", "agent".into())])
}

#[test]
fn damaged_frames_at_the_bus() {
    let publish = frames::control(3, "Publish", vec![("topic", "a/b".into()), ("ack", true.into())]);
    let templates = [
        hello(),
        frames::control(2, "Subscribe", vec![("sub", 1.into()), ("topic", "a/**".into())]),
        [publish, frames::message(4, "x")].concat(),
        frames::message(5, "x"),
        frames::control(6, "Unsubscribe", vec![("sub", 1.into())]),
        frames::control(7, "Ping", Vec::new()),
    ];
    throw(&hello(), &templates, unix, |it| it.shutdown(Shutdown::Write));
}

#[test]
fn damaged_units_of_the_json_dialect_at_the_bus() {
    let unit = |text: &str| [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat();
    let publish = r#"{"Publish":{"id":1,"topic":"a","message":{"header":{"header_version":0,"header_len":64,
        "flags":0,"schema_id":1,"body_len":3,"created_at_ms":1,"ttl_ms":9999999999999,"trace_id":1,"msg_id":1},
        "body":[129,161,97]}}}"#;
    let templates = [
        unit(r#"{"Hello":{"kind":"Agent"}}"#),
        unit(r#"{"Subscribe":{"id":2,"topic":"a/**","sub_id":1}}"#),
        unit(r#"{"Unsubscribe":{"sub_id":1}}"#),
        unit(publish),
    ];
    throw(&templates[0], &templates, unix, |it| it.shutdown(Shutdown::Write));
}

#[test]
fn damaged_frames_and_messages_at_the_macp_port() {
    let call = |message_type: &str, payload: &str| {
        let envelope = envelope("garbage", message_type, "m", "a", payload.to_owned());
        let message = SendRequest { envelope: Some(envelope) }.encode_to_vec();
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        let data = [&[0], &length[..], &message].concat();
        [frame(HEADERS, END_HEADERS, 1, &headers(SEND)), frame(DATA, END_STREAM, 1, &data)].concat()
    };
    let templates = [
        call("Signal", "{}"),
        call("SessionStart", ""),
        call("Vote", r#"{"proposal_id":"p","vote":"approve"}"#),
        frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]),
        frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff]),
        frame(PING, 0, 0, &[0; 8]),
    ];
    let opening = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    throw(&opening, &templates, |it| tcp(it.port("macp")), |it| it.shutdown(Shutdown::Write));
}

#[test]
fn damaged_requests_at_the_metrics() {
    let templates = texts(&[
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551615\r\n\r\n",
        "GET http://[::1/metrics HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]);
    throw(b"", &templates, |it| tcp(it.port("metrics")), |it| it.shutdown(Shutdown::Write));
}
