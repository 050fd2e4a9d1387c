//! What finding a topic's subscribers costs, from 10 to 100,000 subscriptions: it must not grow with them.
//!
//! `cargo bench --bench routes` prints criterion's times. Of ten subscriptions seven name a topic, two end in
//! `/*` and one in `/**`, each below a parent of its own; every topic asked for reaches one of them. `one
//! topic` asks for the same over and over, `each in turn` for up to 1,000 different ones, which also shows
//! what the processor's caches make of it. `come and go` is a subscription made and ended.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use rl_console::{
    ids::ConnectionId,
    limits,
    rmp::{
        routes::{Route, Routes},
        topic::{Pattern, Topic},
    },
};

const COUNTS: [u64; 5] = [10, 100, 1_000, 10_000, 100_000];
/// Different topics that are asked for, at most.
const TOPICS_MAX: u64 = 1_000;
/// Subscriptions of one session.
const EACH: u64 = 100;

/// The subscription of this number, and a topic that it alone matches.
fn subscription(at: u64) -> (String, String) {
    let parent = format!("area/{at}/events");
    match at % 10 {
        0..7 => (parent.clone(), parent),
        7 | 8 => (format!("{parent}/*"), format!("{parent}/made")),
        _ => (format!("{parent}/**"), format!("{parent}/made/here")),
    }
}

fn routes(count: u64) -> Routes {
    let mut routes = Routes::new(&limits::Rmp::default());
    for at in 0..count {
        let pattern = Pattern::parse(&subscription(at).0).expect("it is a pattern");
        routes
            .insert(Route { connection: ConnectionId(at / EACH), sub: at % EACH }, pattern)
            .expect("it is within the limits");
    }
    routes
}

/// Topics spread over all subscriptions.
fn topics(count: u64) -> Vec<Topic> {
    let asked = count.min(TOPICS_MAX);
    // Not a multiple of ten, so that every kind has its share.
    let step = (count / asked) | 1;
    (0..asked).map(|at| Topic::parse(&subscription(at * step % count).1).expect("it is a topic")).collect()
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("routes");
    group.throughput(Throughput::Elements(1));
    for count in COUNTS {
        let (mut routes, topics) = (routes(count), topics(count));
        let mut found = Vec::new();
        for topic in &topics {
            routes.matches(topic, &mut found);
            assert_eq!(found.len(), 1, "{topic:?} of {count}");
        }
        group.bench_function(BenchmarkId::new("one topic", count), |bencher| {
            bencher.iter(|| routes.matches(black_box(&topics[0]), &mut found));
        });
        let mut turn = topics.iter().cycle();
        group.bench_function(BenchmarkId::new("each in turn", count), |bencher| {
            bencher.iter(|| turn.next().map(|topic| routes.matches(black_box(topic), &mut found)));
        });
        let pattern = Pattern::parse("area/guest/**").expect("it is a pattern");
        let guest = Route { connection: ConnectionId(u64::MAX), sub: 1 };
        group.bench_function(BenchmarkId::new("come and go", count), |bencher| {
            bencher.iter(|| routes.insert(guest, pattern.clone()).map(|()| routes.remove(guest)));
        });
    }
    group.finish();
    criterion.final_summary();
}
