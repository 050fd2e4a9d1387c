//! What a filter costs (DESIGN 9 and the console's bound: at most 50 ms over 100,000 kept records).
//!
//! `cargo bench --bench filter` prints criterion's times of one pass over 100,000 records: entries of the tap
//! as the wire shows them, the wire's list tested anew in slices, and rows of invocations as a station's
//! pages have them.

use std::hint::black_box;

use criterion::Criterion;
use rl_console::{
    console::Rescan,
    field::Fields as _,
    filter::Filter,
    ids::{EventName, InvocationId, Peer, QueueName, TraceId},
    limits,
    port::InvocationRow,
    schema::JsonText,
    store::invocations::Source,
    tap::{
        Draft, Tap,
        entry::{
            Direction, Frame, Head, Link, Redaction, Verdict, What,
            mpp::{self, RowState},
        },
    },
    time::{Now, Wall},
};

const RECORDS: u64 = 100_000;

/// The end of a night that lasts so long, with a record each millisecond.
fn end() -> Now {
    Now::at_ms(RECORDS + 1_000)
}

const QUEUES: [&str; 4] = ["default", "boss", "chest", "weather"];

fn queue(at: u64) -> QueueName {
    QueueName::new(QUEUES[usize::try_from(at % 4).unwrap_or(0)])
}

fn trace(at: u64) -> TraceId {
    TraceId(uuid::Uuid::from_u128(u128::from(at) << 64 | 0x0191_d3c2_7a41_7f00))
}

fn entries() -> Rescan {
    let limits = limits::Console {
        kept_entries_max: RECORDS,
        kept_bytes_max: 1 << 30,
        ..limits::Limits::default().console
    };
    let tap = Tap::new(limits::Tap::default());
    let mut reader = tap.reader().expect("the first reader is within the limit");
    let mut rescan = Rescan::new(&limits);
    for at in 0..RECORDS {
        let queue = queue(at);
        let text = format!(
            "{{\"mpp\":2,\"type\":\"invocation\",\"id\":{at},\"queue\":\"{queue}\",\"event\":\"give_item\",\"params\":{{\"item\":{at}}}}}\n"
        );
        let head = mpp::Head {
            kind: Some(mpp::FrameType::Invocation),
            id: Some(InvocationId(at)),
            queue: Some(queue),
            event: Some(EventName::new("give_item")),
        };
        let frame = Frame {
            direction: Direction::Outbound,
            peer: Peer::new("127.0.0.1:50312"),
            head: Head::Mpp(head),
            verdict: Verdict::Sent,
            wire_bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
            redaction: Redaction::None,
            origin: None,
        };
        let what = What::Frame(frame);
        tap.emit(Draft {
            at: Now::at_ms(at + 1),
            link: Link::Mpp,
            trace: Some(trace(at)),
            cause: None,
            what,
            bytes: text.as_bytes(),
        });
        if at % 512 == 511 || at + 1 == RECORDS {
            while let Some(batch) = reader.read() {
                rescan.push(batch);
            }
        }
    }
    rescan
}

fn rows() -> Vec<InvocationRow> {
    let end_ms = end().wall.0;
    let row = |at: u64| InvocationRow {
        id: InvocationId(at),
        queue: queue(at),
        event: EventName::new("give_item"),
        state: if at.is_multiple_of(40) { RowState::Failed } else { RowState::Done },
        params: JsonText::parse(&format!("{{\"item\":{at},\"count\":3}}")).expect("this is JSON"),
        result: None,
        reason: (at.is_multiple_of(40)).then(|| "the adapter timed out".to_owned()),
        source: Source {
            kind: "channel_points".to_owned(),
            redemption: None,
            user: Some(format!("viewer{}", at % 997)),
        },
        trace_id: trace(at),
        enqueued_at_ms: Wall(end_ms - at),
        updated_at_ms: Wall(end_ms - at / 2),
        other_manifest: None,
        refund: None,
        requeued_from: None,
        damage: None,
    };
    (0..RECORDS).map(row).collect()
}

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let (mut rescan, end) = (entries(), end());
    assert!(rescan.kept() as u64 > RECORDS * 9 / 10, "{} entries are kept", rescan.kept());
    let read = |text: &str, specs| Filter::parse(text, specs).expect("this is a filter");
    let mut group = criterion.benchmark_group("100,000 entries");
    // A word of every field; figures and states; an expression with an id.
    for text in ["boss", "queue=boss bytes>90 age<1h", "text~item.:99 or trace:a417"] {
        let filter = read(text, Rescan::specs());
        group.bench_function(format!("filter {text}"), |bencher| {
            bencher.iter(|| black_box(rescan.admitted(&filter, end)));
        });
        group.bench_function(format!("list {text}"), |bencher| {
            bencher.iter(|| black_box(rescan.rescan(&filter, end)));
        });
    }
    group.finish();
    let rows = rows();
    let mut group = criterion.benchmark_group("100,000 invocations");
    for text in ["boss", "state:failed queue=boss age>5s", "reason~time.?d or trace:a417"] {
        let filter = read(text, InvocationRow::SPECS);
        let admitted = || rows.iter().filter(|row| filter.admits(*row, end)).count();
        group.bench_function(text, |bencher| bencher.iter(|| black_box(admitted())));
    }
    group.finish();
    criterion.final_summary();
}
