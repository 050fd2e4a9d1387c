//! What the RMP codec costs a byte: frames cut from a stream and judged, judged alone, and made, with
//! payloads of three sizes and kinds.
//!
//! `cargo bench --bench rmp` prints criterion's times and throughputs. `judge` is what a broker does for each
//! frame: all checks, the envelope found, nothing decoded or copied; `show` also decodes the body into a
//! tree. `publish` is what the broker does for a message and its `Publish`, by the number of its subscribers;
//! what it queues for them leaves at once.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use rl_console::{
    admission::{Origin, Tally},
    ids::{ConnectionId, Peer, TraceId},
    limits,
    rmp::{
        Checks, Header, Registry, SchemaId,
        broker::{Broker, Input, Settings, Tokens, Wire},
        control::{self, FromClient},
        decode, encode,
        framing::{Framer, FramerEvent},
    },
    time::Now,
};
use rmpv::Value;

/// A payload with the name that it has in the figures.
fn payloads() -> [(&'static str, Value); 3] {
    let entry = |n: u64| {
        Value::Map(vec![
            ("id".into(), n.into()),
            ("state".into(), "dispatched".into()),
            ("queue".into(), "default".into()),
        ])
    };
    [
        ("event", entry(7)),
        ("table of 1,000 rows", Value::Array((0..1_000).map(entry).collect())),
        ("1 MiB of bytes", Value::Binary(vec![7; 1 << 20])),
    ]
}

fn header() -> Header {
    Header {
        schema_id: SchemaId::RUN_EVENT,
        created_at_ms: 1_790_000_000_000,
        ttl_ms: 30_000,
        trace_id: TraceId(uuid::Uuid::from_u128(7)),
        msg_id: 1,
    }
}

fn frame(payload: &Value) -> Vec<u8> {
    let body = encode::body("observation.run.event.v1", payload, None::<&Value>).unwrap_or_default();
    encode::frame(&header(), &body).unwrap_or_default()
}

/// A broker whose session 0 publishes, and whose other sessions subscribe to what it publishes on.
struct Bus {
    broker: Broker,
    now: Now,
    msg_id: u64,
}

impl Bus {
    const TOPIC: &str = "bench/events";

    fn with(subscribers: u64) -> Self {
        let now = Now::at_ms(0);
        let settings = Settings {
            limits: limits::Rmp::default(),
            registry: Registry::default(),
            tokens: Tokens::default(),
            server: "bench".into(),
            has_station_inbox: false,
            tally: Tally::default(),
        };
        let mut bus = Self { broker: Broker::new(settings, now), now, msg_id: 0 };
        for id in 0..=subscribers {
            let session = ConnectionId(id);
            bus.broker
                .handle(now, Input::Opened { session, peer: Peer::new("bench"), origin: Origin::Unknown });
            bus.say(
                id,
                &FromClient::Hello { v: control::VERSION, client: "bench", kind: "agent", token: None },
            );
            if id > 0 {
                bus.say(id, &FromClient::Subscribe { sub: 1, topic: Self::TOPIC });
            }
            bus.drain(id);
        }
        bus
    }

    fn say(&mut self, id: u64, message: &FromClient<'_>) {
        self.msg_id += 1;
        let mut wire = Vec::new();
        control::append(&mut wire, &control::header(self.now.wall.0, trace(), self.msg_id), message);
        self.send(id, &wire);
    }

    fn send(&mut self, id: u64, wire: &[u8]) {
        self.broker.handle(self.now, Input::Frame { session: ConnectionId(id), frame: Wire::Lent(wire) });
    }

    /// Has all leave that waits on a connection, and takes what the broker tells.
    fn drain(&mut self, id: u64) {
        let all = |front: rl_console::rmp::outbox::Front<'_>| {
            Ok::<_, ()>(front.slices().iter().map(|slice| slice.len()).sum())
        };
        let _ = self.broker.transmit(self.now, ConnectionId(id), all);
        while self.broker.poll_output().is_some() {}
    }

    /// A `Publish` and its message, which differs from all before by its number.
    fn publish(&mut self, publish: &[u8], message: &mut [u8]) {
        const MSG_ID: usize = 56;
        self.msg_id += 1;
        message[MSG_ID..MSG_ID + 8].copy_from_slice(&self.msg_id.to_be_bytes());
        self.send(0, publish);
        self.send(0, message);
        while let Some(id) = self.broker.poll_waiting() {
            self.drain(id.0);
        }
        while self.broker.poll_output().is_some() {}
    }
}

fn trace() -> TraceId {
    TraceId(uuid::Uuid::from_u128(7))
}

fn publishes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rmp publish");
    let header = Header { schema_id: SchemaId::OBSERVATION, created_at_ms: Now::at_ms(0).wall.0, ..header() };
    let body = encode::body("observation.bench.v1", &Value::from("x"), None::<&Value>).unwrap_or_default();
    let mut message = encode::frame(&header, &body).unwrap_or_default();
    let mut publish = Vec::new();
    let wanted = FromClient::Publish { topic: Bus::TOPIC, ack: false };
    control::append(&mut publish, &control::header(header.created_at_ms, trace(), 1), &wanted);
    for subscribers in [0, 1, 8, 64] {
        let mut bus = Bus::with(subscribers);
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::from_parameter(subscribers), |bencher| {
            bencher.iter(|| bus.publish(black_box(&publish), black_box(&mut message)));
        });
        assert_eq!(bus.broker.snapshot().totals.refused, 0);
        assert_eq!(
            bus.broker.snapshot().totals.delivered,
            subscribers * bus.broker.snapshot().totals.published
        );
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let registry = Registry::default();
    let limits = limits::Rmp::default();
    let checks = Checks { now_ms: Some(1_790_000_000_001), ..Checks::new(&registry, &limits) };
    let mut group = criterion.benchmark_group("rmp");
    for (name, payload) in payloads() {
        let wire = frame(&payload);
        assert!(decode(&wire, &checks).is_ok(), "{name}");
        group.throughput(Throughput::Bytes(wire.len() as u64));
        group.bench_with_input(BenchmarkId::new("judge", name), &wire, |bencher, wire| {
            bencher.iter(|| decode(black_box(wire), &checks).is_ok());
        });
        group.bench_with_input(BenchmarkId::new("show", name), &wire, |bencher, wire| {
            bencher.iter(|| {
                decode(black_box(wire), &checks)
                    .ok()
                    .and_then(|frame| frame.body.value(limits.shown_values_max))
            });
        });
        group.bench_with_input(BenchmarkId::new("cut and judge", name), &wire, |bencher, wire| {
            let mut framer = Framer::new(limits.body_bytes_max);
            bencher.iter(|| {
                for chunk in wire.chunks(64 << 10) {
                    framer.buffer().extend_from_slice(chunk);
                }
                matches!(framer.next(), Some(FramerEvent::Frame(bytes)) if decode(&bytes, &checks).is_ok())
            });
        });
        group.bench_with_input(BenchmarkId::new("make", name), &payload, |bencher, payload| {
            bencher.iter(|| frame(black_box(payload)));
        });
    }
    group.finish();
    publishes(&mut criterion);
    criterion.final_summary();
}
