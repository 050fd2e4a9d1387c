//! What is kept, and how it is found.

use proptest::prelude::*;

use super::EntryBuffer;
use crate::{
    ids::{InvocationId, QueueName, Seq, TraceId},
    limits::{self, Limits},
    tap::{
        Draft, Reader, Tap,
        entry::{Link, Transition, What, mpp, station},
    },
    time::Now,
};

fn limits(entries: u64, bytes: u64) -> limits::Console {
    limits::Console { kept_entries_max: entries, kept_bytes_max: bytes, ..Limits::default().console }
}

fn emit(tap: &Tap, ms: u64, cause: Option<u64>, what: What, bytes: &[u8]) -> Seq {
    tap.emit(Draft { at: Now::at_ms(ms), link: Link::Mpp, trace: None, cause: cause.map(Seq), what, bytes })
}

fn say(tap: &Tap, ms: u64, text: &str) -> Seq {
    let level = mpp::Level::Info;
    emit(
        tap,
        ms,
        None,
        What::Transition(Transition::Station(station::Transition::Notice { level })),
        text.as_bytes(),
    )
}

fn read_all(kept: &mut EntryBuffer, reader: &mut Reader) {
    while let Some(batch) = reader.read() {
        kept.push(batch);
    }
}

#[test]
fn small_batches_become_few_and_every_entry_keeps_its_bytes() {
    let tap = Tap::new(Limits::default().tap);
    let mut reader = tap.reader().unwrap();
    let mut kept = EntryBuffer::new(&limits(100_000, 1 << 25));
    for at in 0..1_000 {
        say(&tap, at, &format!("line {at}"));
        if at % 3 == 0 {
            read_all(&mut kept, &mut reader);
        }
    }
    read_all(&mut kept, &mut reader);
    assert_eq!(kept.len(), 1_000);
    assert!(kept.chunks.len() <= 8, "{} chunks", kept.chunks.len());
    for (index, found) in kept.iter() {
        assert_eq!(
            (found.entry.seq, found.text().as_ref()),
            (Seq(index + 1), format!("line {index}").as_str())
        );
    }
    let held: usize = kept.chunks.iter().map(|chunk| chunk.batch.memory_bytes()).sum();
    assert_eq!(kept.bytes, held);
}

#[test]
fn the_oldest_go_first_when_there_are_too_many_or_they_are_too_large() {
    for (limits, text) in
        [(limits(4_096, 1 << 25), "short".to_owned()), (limits(100_000, 1 << 20), "long ".repeat(200))]
    {
        let tap = Tap::new(Limits::default().tap);
        let mut reader = tap.reader().unwrap();
        let mut kept = EntryBuffer::new(&limits);
        for at in 0..20_000 {
            say(&tap, at, &text);
            read_all(&mut kept, &mut reader);
            assert!(
                kept.len() as u64 <= limits.kept_entries_max
                    && kept.memory_bytes() as u64 <= limits.kept_bytes_max
            );
        }
        let ledger = kept.ledger();
        assert_eq!((ledger.received, ledger.kept + ledger.evicted, ledger.lost), (20_000, 20_000, 0));
        assert!(ledger.kept > 500, "{ledger:?}");
        assert_eq!(kept.first_seq(), Some(Seq(ledger.evicted + 1)));
        assert!(kept.entry(kept.first() - 1).is_none() && kept.at(Seq(1)).is_none());
        assert_eq!(kept.last_seq(), Some(Seq(20_000)));
    }
}

#[test]
fn what_was_lost_lies_between_two_entries() {
    let small = limits::Tap { ring_entries_max: 1_024, ..Limits::default().tap };
    let tap = Tap::new(small);
    let mut reader = tap.reader().unwrap();
    let mut kept = EntryBuffer::new(&limits(100_000, 1 << 25));
    say(&tap, 0, "first");
    read_all(&mut kept, &mut reader);
    for at in 1..5_000 {
        say(&tap, at, "more");
    }
    read_all(&mut kept, &mut reader);
    let lost = kept.lost_within(1..2);
    assert!(lost > 3_000);
    assert_eq!(kept.ledger().received + kept.ledger().lost, 5_000);
    assert_eq!(kept.entry(1).unwrap().entry.seq, Seq(lost + 2));
    assert_eq!((kept.index_of(Seq(lost)), kept.index_of(Seq(5_000))), (None, Some(kept.end() - 1)));
    // A reader that is given up leaves a gap that no batch tells of.
    let mut reader = tap.reader().unwrap();
    say(&tap, 5_000, "unread");
    kept.record_loss(reader.lag());
    drop(std::mem::replace(&mut reader, tap.reader().unwrap()));
    say(&tap, 5_001, "read");
    read_all(&mut kept, &mut reader);
    assert_eq!(kept.lost_within(kept.end() - 1..kept.end()), 1);
    assert_eq!(kept.ledger().received + kept.ledger().lost, 5_002);
}

#[test]
fn causes_effects_and_relatives_are_found_both_ways() {
    let tap = Tap::new(Limits::default().tap);
    let mut reader = tap.reader().unwrap();
    let mut kept = EntryBuffer::new(&limits(100_000, 1 << 25));
    let cleared = |id| {
        What::Transition(Transition::Mpp(mpp::Transition::Acked {
            id: InvocationId(id),
            queue: QueueName::new("boss"),
        }))
    };
    let trace = Some(TraceId(uuid::Uuid::from_u128(7)));
    let frame = say(&tap, 0, "frame");
    let first = emit(&tap, 1, Some(frame.0), cleared(7), b"");
    say(&tap, 2, "between");
    let second = emit(&tap, 3, Some(frame.0), cleared(8), b"");
    let third = emit(&tap, 4, None, cleared(7), b"");
    let what = What::Committed { through: crate::ids::Ticket(1) };
    let traced = tap.emit(Draft {
        at: Now::at_ms(5),
        link: Link::Mpp,
        trace,
        cause: None,
        what: what.clone(),
        bytes: b"",
    });
    let again = tap.emit(Draft { at: Now::at_ms(6), link: Link::Mpp, trace, cause: None, what, bytes: b"" });
    read_all(&mut kept, &mut reader);
    assert_eq!(kept.effects_of(frame).map(|found| found.entry.seq).collect::<Vec<_>>(), [first, second]);
    let next = |seq, forward| kept.next_related(seq, forward).map(|found| found.entry.seq);
    assert_eq!((next(first, true), next(third, true), next(third, false)), (Some(third), None, Some(first)));
    assert_eq!(
        (next(traced, true), next(again, false), next(frame, true)),
        (Some(again), Some(traced), None)
    );
}

#[test]
fn moments_are_found() {
    let tap = Tap::new(Limits::default().tap);
    let mut reader = tap.reader().unwrap();
    let mut kept = EntryBuffer::new(&limits(100_000, 1 << 25));
    assert_eq!(kept.last_until(Now::at_ms(0).mono), None);
    for ms in [10, 20, 20, 35] {
        say(&tap, ms, "");
    }
    read_all(&mut kept, &mut reader);
    let until = |ms| kept.last_until(Now::at_ms(ms).mono);
    assert_eq!([9, 10, 19, 20, 34, 99].map(until), [None, Some(0), Some(0), Some(2), Some(2), Some(3)]);
}

#[test]
fn another_stations_tap_begins_anew() {
    let (one, other) = (Tap::new(Limits::default().tap), Tap::new(Limits::default().tap));
    let mut kept = EntryBuffer::new(&limits(100_000, 1 << 25));
    for (tap, text) in [(&one, "one"), (&other, "other")] {
        let mut reader = tap.reader().unwrap();
        say(tap, 0, text);
        read_all(&mut kept, &mut reader);
    }
    assert_eq!((kept.first(), kept.end()), (1, 2));
    assert_eq!(kept.at(Seq(1)).unwrap().text(), "other");
}

proptest! {
    #[test]
    fn every_way_to_an_entry_leads_to_the_same(
        sizes in prop::collection::vec(1usize..400, 1..20),
        read in prop::collection::vec(any::<bool>(), 20),
    ) {
        let tap = Tap::new(Limits::default().tap);
        let mut reader = tap.reader().unwrap();
        let mut kept = EntryBuffer::new(&limits(4_096, 1 << 20));
        let mut all = 0;
        for (size, read) in sizes.iter().zip(&read) {
            for _ in 0..*size {
                all += 1;
                say(&tap, all, &all.to_string());
            }
            if *read {
                read_all(&mut kept, &mut reader);
            }
        }
        read_all(&mut kept, &mut reader);
        prop_assert_eq!(kept.end(), all);
        for index in kept.first()..kept.end() {
            let found = kept.entry(index).unwrap();
            prop_assert_eq!(found.text().into_owned(), (index + 1).to_string());
            prop_assert_eq!(kept.index_of(found.entry.seq), Some(index));
        }
        let (from, to) = (kept.first() + 1, kept.end().saturating_sub(1));
        let forth: Vec<_> = kept.range(from..to).map(|(index, _)| index).collect();
        let mut back: Vec<_> = kept.range(from..to).rev().map(|(index, _)| index).collect();
        back.reverse();
        prop_assert_eq!(&forth, &(from..to).collect::<Vec<_>>());
        prop_assert_eq!(forth, back);
    }
}
