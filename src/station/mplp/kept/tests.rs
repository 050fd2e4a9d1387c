//! Which records are kept, and how long.

use super::*;
use crate::{
    ids::TraceId,
    limits,
    mplp::{
        Profile, SchemaId,
        lifecycle::{Bundle, Item, Origin},
    },
    time::Now,
};

fn run(n: u128) -> RecordOf {
    RecordOf::Run(TraceId(uuid::Uuid::from_u128(n)))
}

/// A record of about so many bytes.
fn record(of: RecordOf, version: u64, bytes: usize) -> Arc<BuiltRecord> {
    let item = Item::new(SchemaId::Plan, "x".repeat(bytes).into(), Origin::Beginning);
    let bundle = Bundle::new(Profile::Sa, vec![item]);
    Arc::new(BuiltRecord::new(of, version, bundle, &limits::Mplp::default()).unwrap())
}

fn at(s: u64) -> Mono {
    Now::at_ms(s * 1_000).mono
}

#[test]
fn a_record_is_found_by_its_state_and_for_a_while_by_whose_it_is() {
    let kept = KeptRecords::default();
    kept.put(record(run(1), 5, 10), 1_000, at(0));
    assert!(kept.of_version(&run(1), 6, at(1)).is_none() && kept.of_version(&run(2), 5, at(1)).is_none());
    assert!(kept.of_version(&RecordOf::Session("1".to_owned()), 5, at(1)).is_none());
    assert_eq!(kept.paged(&run(1), at(30)).map(|it| it.version), Some(5));
    assert!(kept.paged(&run(1), at(31)).is_none(), "it may be another");
    assert!(kept.of_version(&run(1), 5, at(40)).is_some(), "it is the same");
    assert!(kept.paged(&run(1), at(70)).is_some());
    // The next state takes its place.
    kept.put(record(run(1), 6, 10), 1_000, at(71));
    assert!(kept.of_version(&run(1), 5, at(71)).is_none());
    assert_eq!(kept.paged(&run(1), at(71)).map(|it| it.version), Some(6));
}

#[test]
fn those_that_were_used_last_are_kept_as_far_as_there_is_room() {
    let kept = KeptRecords::default();
    for n in 1..=3 {
        kept.put(record(run(n), 1, 300), 1_500, at(0));
    }
    assert!(kept.of_version(&run(1), 1, at(1)).is_some());
    kept.put(record(run(4), 1, 300), 1_500, at(2));
    let is_kept = |n| kept.lock().records.iter().any(|it| it.record.of == run(n));
    assert_eq!([1, 2, 3, 4].map(is_kept), [true, false, true, true]);
    kept.put(record(run(5), 1, 2_000), 1_500, at(2));
    assert!(kept.lock().records.is_empty(), "one that has no room is not kept");
}

#[test]
fn what_nobody_asks_for_goes() {
    let kept = KeptRecords::default();
    kept.put(record(run(1), 1, 10), 10_000, at(0));
    kept.put(record(run(2), 1, 10), 10_000, at(0));
    assert!(kept.of_version(&run(2), 1, at(50)).is_some());
    assert!(kept.drop_unused(at(60)));
    assert!(kept.of_version(&run(1), 1, at(60)).is_none());
    assert!(!kept.drop_unused(at(120)));
}

#[test]
fn whoever_watches_may_end_and_is_followed_by_another() {
    let kept = Arc::new(KeptRecords::default());
    let clock = Clock::start();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let first = runtime();
    first.block_on(async { kept.watch(clock) });
    assert!(kept.lock().is_watched);
    drop(first);
    assert!(!kept.lock().is_watched, "it ended with its runtime");
    let second = runtime();
    second.block_on(async {
        kept.watch(clock);
        kept.watch(clock);
        assert!(kept.lock().is_watched);
    });
}
