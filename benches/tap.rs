//! What the tap costs its emitters (DESIGN 9: mean ≤ 300 ns and p99 ≤ 2 µs an entry with 2 emitters and 4
//! readers; memory flat after 10 million entries).
//!
//! `cargo bench --bench tap` prints criterion's means, then the tails and the memory. A tail is of single
//! emissions, each timed by two looks at the clock, whose own cost is printed and not taken off. Where there
//! are fewer cores than threads, tails beyond the 99th percentile are the system's scheduling. With arguments
//! of its own (`-- publish`) it prints the means alone.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use criterion::{BenchmarkId, Criterion};
use rl_console::{
    ids::{ConnectionId, EventName, InvocationId, Peer, QueueName, Seq, TopicName, TraceId},
    limits,
    tap::{
        Draft, Reader, Tap,
        entry::{Direction, Frame, Head, Link, Redaction, Verdict, What, mpp, rmp},
    },
    time::{Clock, Now},
};

const WIRE: &[u8] = br#"{"mpp":2,"type":"invocation","id":123,"queue":"default","event":"give_item","params":{"item":"diamond","count":3}}
"#;

/// Entries whose emissions are timed one by one, of all emitters together.
const TIMED: usize = 2_000_000;

/// Entries after which memory is looked at.
const MANY: u64 = 10_000_000;

/// How readers go about it.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// As the recorder does: waits, reads all, lets entries gather for 20 ms.
    Gathering,
    /// Waits for each entry and reads at once: the worst that readers can do to emitters.
    Eager,
}

/// What an emitter has at hand.
struct Emitter {
    tap: Tap,
    head: mpp::Head,
    peer: Peer,
}

impl Emitter {
    fn new(tap: &Tap) -> Self {
        let head = mpp::Head {
            kind: Some(mpp::FrameType::Invocation),
            id: Some(InvocationId(123)),
            queue: Some(QueueName::new("default")),
            event: Some(EventName::new("give_item")),
        };
        Self { tap: tap.clone(), head, peer: Peer::new("127.0.0.1:50312") }
    }

    fn emit(&self, at: Now) -> Seq {
        let frame = Frame {
            direction: Direction::Outbound,
            peer: self.peer.clone(),
            head: Head::Mpp(self.head.clone()),
            verdict: Verdict::Sent,
            wire_bytes: u32::try_from(WIRE.len()).unwrap_or(u32::MAX),
            redaction: Redaction::None,
            origin: None,
        };
        self.tap.emit(Draft {
            at,
            link: Link::Mpp,
            trace: None,
            cause: None,
            what: What::Frame(frame),
            bytes: WIRE,
        })
    }
}

/// Bytes of a `Publish` and the message behind it, as the bus taps them.
const PUBLISH_BYTES: usize = 290;

/// Topics that a publisher goes round.
const TOPICS: usize = 16;

/// What the bus has at hand when a message was published.
struct Publisher {
    tap: Tap,
    topics: Vec<TopicName>,
    peer: Peer,
    wire: Vec<u8>,
    published: u64,
}

impl Publisher {
    fn new(tap: &Tap) -> Self {
        let topics = (0..TOPICS).map(|n| TopicName::new(&format!("stream/chat/messages/{n}"))).collect();
        let wire = (0..PUBLISH_BYTES).map(|n| u8::try_from(n % 256).unwrap_or_default()).collect();
        Self { tap: tap.clone(), topics, peer: Peer::new("uid 1000 pid 4711"), wire, published: 0 }
    }

    fn emit(&mut self, at: Now) -> Seq {
        self.published += 1;
        let topic = self.topics[usize::try_from(self.published).unwrap_or_default() % TOPICS].clone();
        let trace = TraceId(uuid::Uuid::from_u128(u128::from(self.published)));
        let head = rmp::Head {
            kind: Some(rmp::FrameKind::Publish),
            topic: Some(topic),
            schema_id: Some(1),
            msg_id: Some(self.published),
            session: Some(ConnectionId(7)),
            ..rmp::Head::default()
        };
        let frame = Frame {
            direction: Direction::Inbound,
            peer: self.peer.clone(),
            head: Head::Rmp(head),
            verdict: Verdict::Rmp(rmp::Verdict::Published { subscribers: 2, dropped: 0 }),
            wire_bytes: u32::try_from(self.wire.len()).unwrap_or(u32::MAX),
            redaction: Redaction::None,
            origin: None,
        };
        self.tap.emit(Draft {
            at,
            link: Link::Rmp,
            trace: Some(trace),
            cause: None,
            what: What::Frame(frame),
            bytes: &self.wire,
        })
    }
}

/// Readers on threads of their own, until dropped.
struct Readers {
    stop: Arc<AtomicBool>,
    tap: Tap,
    threads: Vec<thread::JoinHandle<(u64, u64)>>,
}

impl Readers {
    fn start(tap: &Tap, count: usize, pace: Pace) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let spawn = |_| {
            let reader = tap.reader().expect("the limit is above the count");
            let stop = Arc::clone(&stop);
            thread::spawn(move || read(reader, &stop, pace))
        };
        let threads = (0..count).map(spawn).collect();
        Self { stop, tap: tap.clone(), threads }
    }

    /// Entries received and lost by all together.
    fn end(self) -> (u64, u64) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes those that wait.
        Emitter::new(&self.tap).emit(Now::default());
        let sums = self.threads.into_iter().map(|it| it.join().expect("a reader does not panic"));
        sums.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }
}

fn read(mut reader: Reader, stop: &AtomicBool, pace: Pace) -> (u64, u64) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime without I/O can be built");
    while !stop.load(Ordering::Relaxed) {
        runtime.block_on(reader.ready());
        while let Some(batch) = reader.read() {
            for entry in batch.iter() {
                black_box(entry.bytes.len());
            }
        }
        if let Pace::Gathering = pace {
            thread::sleep(Duration::from_millis(20));
        }
    }
    (reader.received(), reader.lost())
}

fn means(criterion: &mut Criterion) {
    let clock = Clock::start();
    let mut group = criterion.benchmark_group("emit");
    for (readers, pace) in [(0, Pace::Gathering), (4, Pace::Gathering), (4, Pace::Eager)] {
        for emitters in [1, 2] {
            let name = format!("{emitters} emitters, {readers} readers {pace:?}");
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                let tap = Tap::new(limits::Tap::default());
                let reading = Readers::start(&tap, readers, pace);
                bencher.iter_custom(|times| {
                    let began = clock.now().mono;
                    thread::scope(|scope| {
                        for _ in 0..emitters {
                            scope.spawn(|| {
                                let emitter = Emitter::new(&tap);
                                for _ in 0..times {
                                    black_box(emitter.emit(Now::default()));
                                }
                            });
                        }
                    });
                    // The time of one emission as its emitter has it: emitters run side by side.
                    clock.now().mono.since(began)
                });
                reading.end();
            });
        }
    }
    group.finish();
}

/// One emitter, as the bus is, on a ring that went round.
fn publishes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("publish");
    for (readers, pace) in [(0, Pace::Gathering), (1, Pace::Gathering), (1, Pace::Eager)] {
        let name = if readers == 0 { "no reader".to_owned() } else { format!("{readers} reader {pace:?}") };
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            let tap = Tap::new(limits::Tap::default());
            let mut publisher = Publisher::new(&tap);
            let rounds = 3 * limits::Tap::default().ring_entries_max;
            for _ in 0..rounds {
                black_box(publisher.emit(Now::default()));
            }
            let reading = Readers::start(&tap, readers, pace);
            bencher.iter(|| publisher.emit(Now::default()));
            reading.end();
        });
    }
    group.finish();
}

/// Frames as large as they are kept, of words as JSON has them and of one run of base64url: what it costs to
/// look for tokens in them, beside the copy.
fn large_frames(criterion: &mut Criterion) {
    let bytes = usize::try_from(limits::Tap::default().frame_bytes_max).unwrap_or_default();
    let words = br#"{"event":"give_item","params":{"item":"diamond","count":3}},"#;
    let mut group = criterion.benchmark_group("64 KiB");
    group.throughput(criterion::Throughput::Bytes(bytes as u64));
    for (name, pattern) in [("words", &words[..]), ("one run", b"abcd"), ("binary", b"\x92\xc0a\xff")] {
        let wire: Vec<u8> = pattern.iter().copied().cycle().take(bytes).collect();
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            let tap = Tap::new(limits::Tap::default());
            tap.mask_token("operator", [7; 32]);
            let mut publisher = Publisher { wire: wire.clone(), ..Publisher::new(&tap) };
            bencher.iter(|| publisher.emit(Now::default()));
        });
        group.bench_function(BenchmarkId::new("copy alone", name), |bencher| {
            let mut copy = Vec::with_capacity(wire.len());
            bencher.iter(|| {
                copy.clear();
                copy.extend_from_slice(black_box(&wire));
                black_box(copy.len())
            });
        });
    }
    group.finish();
}

/// Counts of nanoseconds, one by one up to 200 µs.
struct Histogram {
    counts: Vec<u32>,
    total_ns: u64,
    max_ns: u64,
}

impl Histogram {
    fn new() -> Self {
        Self { counts: vec![0; 200_001], total_ns: 0, max_ns: 0 }
    }

    fn add(&mut self, took: Duration) {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let place = usize::try_from(ns).unwrap_or(usize::MAX).min(self.counts.len() - 1);
        self.counts[place] += 1;
        self.total_ns += ns;
        self.max_ns = self.max_ns.max(ns);
    }

    fn merge(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total_ns += other.total_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
        self
    }

    fn quantile(&self, per_mille: u64) -> usize {
        let count: u64 = self.counts.iter().map(|&it| u64::from(it)).sum();
        let mut left = count * per_mille / 1_000;
        for (ns, &count) in self.counts.iter().enumerate() {
            left = left.saturating_sub(u64::from(count));
            if left == 0 {
                return ns;
            }
        }
        self.counts.len()
    }

    fn print(&self, name: &str) {
        let count: u64 = self.counts.iter().map(|&it| u64::from(it)).sum();
        let [p50, p99, p999] = [500, 990, 999].map(|it| self.quantile(it));
        let mean = self.total_ns / count.max(1);
        println!(
            "{name:<44} mean {mean:>5} ns  p50 {p50:>5} ns  p99 {p99:>6} ns  p99.9 {p999:>6} ns  max {} µs",
            self.max_ns / 1_000
        );
    }
}

/// Times single emissions. `gap` is how long each emitter waits between them; the wait is busy, as a host at
/// work is.
fn tail(name: &str, emitters: usize, readers: usize, pace: Pace, gap: Duration) {
    let clock = Clock::start();
    let tap = Tap::new(limits::Tap::default());
    let reading = Readers::start(&tap, readers, pace);
    let times = if gap.is_zero() { TIMED / emitters } else { TIMED / emitters / 4 };
    let all = thread::scope(|scope| {
        let emit = || {
            let emitter = Emitter::new(&tap);
            let mut histogram = Histogram::new();
            let mut next = clock.now().mono;
            for _ in 0..times {
                while clock.now().mono < next {
                    std::hint::spin_loop();
                }
                let began = clock.now();
                black_box(emitter.emit(began));
                histogram.add(clock.now().mono.since(began.mono));
                next = next + gap;
            }
            histogram
        };
        let threads: Vec<_> = (0..emitters).map(|_| scope.spawn(emit)).collect();
        threads
            .into_iter()
            .fold(Histogram::new(), |all, it| all.merge(&it.join().expect("an emitter does not panic")))
    });
    all.print(name);
    let (received, lost) = reading.end();
    if readers > 0 {
        println!("{:<44} readers received {received} and lost {lost}", "");
    }
}

fn tails() {
    let clock = Clock::start();
    let mut looks = Histogram::new();
    for _ in 0..TIMED {
        let began = clock.now();
        looks.add(clock.now().mono.since(began.mono));
    }
    looks.print("two looks at the clock");
    tail("1 emitter, no readers, flat out", 1, 0, Pace::Gathering, Duration::ZERO);
    for pace in [Pace::Gathering, Pace::Eager] {
        tail(&format!("2 emitters, 4 readers {pace:?}, flat out"), 2, 4, pace, Duration::ZERO);
        tail(&format!("2 emitters, 4 readers {pace:?}, 100,000/s"), 2, 4, pace, Duration::from_micros(20));
    }
}

/// The resident set in KiB, where the system tells it.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}

fn memory() {
    let tap = Tap::new(limits::Tap::default());
    let emitter = Emitter::new(&tap);
    let readers = Readers::start(&tap, 4, Pace::Gathering);
    let before = resident_kib();
    for n in 1..=MANY {
        emitter.emit(Now::default());
        if n == MANY / 10 || n == MANY {
            let kept = tap.counters().kept_bytes / 1_024;
            println!(
                "after {n:>8} entries: resident {:?} KiB (before: {before:?}), the tap says {kept} KiB",
                resident_kib()
            );
        }
    }
    readers.end();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().measurement_time(Duration::from_secs(3));
    means(&mut criterion);
    publishes(&mut criterion);
    large_frames(&mut criterion);
    criterion.final_summary();
    // Under `cargo test` and with arguments of its own the figures are not asked for.
    if std::env::args().skip(1).all(|it| it == "--bench") && std::env::args().len() > 1 {
        tails();
        memory();
    }
}
