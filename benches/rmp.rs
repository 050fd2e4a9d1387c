//! What the RMP codec costs a byte: frames cut from a stream and judged, judged alone, and made, with
//! payloads of three sizes and kinds.
//!
//! `cargo bench --bench rmp` prints criterion's times and throughputs. `judge` is what a broker does for each
//! frame: all checks, the envelope found, nothing decoded or copied; `show` also decodes the body into a
//! tree.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use rl_console::{
    ids::TraceId,
    limits,
    rmp::{
        Checks, Header, Registry, SchemaId, decode, encode,
        framing::{Framer, FramerEvent},
    },
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
            bencher.iter(|| frame(black_box(payload)))
        });
    }
    group.finish();
    criterion.final_summary();
}
