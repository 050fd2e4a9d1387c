//! The tap: order, loss and resync, bounds, redaction.

use std::{ops::Range, sync::Arc};

use proptest::prelude::*;
use rl_console::{
    ids::{Peer, Seq},
    limits,
    tap::{
        Draft, Reader, Tap,
        entry::{Direction, Frame, Head, Link, Redaction, Transition, Verdict, What, mpp, station},
    },
    time::Now,
};

/// The narrowest ring that a configuration can ask for.
pub(crate) const NARROW: limits::Tap = limits::Tap {
    frame_bytes_max: 8_388_608,
    ring_bytes_max: 1_048_576,
    ring_entries_max: 1_024,
    readers_max: 4,
    frame_hashes_max: 1_024,
    keyframes_bytes_max: 65_536,
};

/// What the tests of the ring put into it.
fn operated() -> What {
    What::Transition(Transition::Station(station::Transition::Operated { by: None, command: None }))
}

pub(crate) fn draft(what: What, bytes: &[u8]) -> Draft<'_> {
    Draft { at: Now::at_ms(1), link: Link::Mpp, trace: None, cause: None, what, bytes }
}

pub(crate) fn notice(text: &str) -> Draft<'_> {
    let what = operated();
    Draft { link: Link::Station, ..draft(what, text.as_bytes()) }
}

pub(crate) fn frame(wire: &[u8], redaction: Redaction) -> Draft<'_> {
    let frame = Frame {
        direction: Direction::Inbound,
        peer: Peer::new("127.0.0.1:50312"),
        head: Head::Mpp(mpp::Head { kind: Some(mpp::FrameType::Hello), ..mpp::Head::default() }),
        verdict: Verdict::Mpp(mpp::Verdict::Accepted),
        wire_bytes: u32::try_from(wire.len()).unwrap(),
        redaction,
        origin: None,
    };
    draft(What::Frame(frame), wire)
}

fn all(reader: &mut Reader) -> Vec<(Seq, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(batch) = reader.read() {
        all.extend(batch.iter().map(|entry| (entry.entry.seq, entry.bytes.to_vec())));
    }
    all
}

#[test]
fn a_reader_gets_what_comes_after_it_in_order() {
    let tap = Tap::new(limits::Tap::default());
    tap.emit(notice("before"));
    let mut reader = tap.reader().unwrap();
    assert!(reader.read().is_none());
    for n in 0..1_000 {
        tap.emit(notice(&n.to_string()));
    }
    let expected: Vec<_> = (0..1_000).map(|n: u64| (Seq(n + 2), n.to_string().into_bytes())).collect();
    assert_eq!(all(&mut reader), expected);
    assert_eq!((reader.received(), reader.lost(), reader.lag()), (1_000, 0, 0));
}

#[test]
fn frames_are_kept_whole_until_all_that_asked_for_it_have_ended() {
    let tap = Tap::new(limits::Tap { frame_bytes_max: 1_024, ..limits::Tap::default() });
    let kept = || {
        let from = tap.last().next();
        tap.emit(notice(&"x".repeat(4_000)));
        tap.reader_from(from).unwrap().read().unwrap().iter().next().unwrap().bytes.len()
    };
    let before = kept();
    let (one, other) = (tap.keep_whole(), tap.keep_whole());
    let both = kept();
    drop(one);
    let still = kept();
    drop(other);
    assert_eq!((before, both, still, kept()), (1_024, 4_000, 4_000, 1_024));
}

#[test]
fn a_reader_from_the_oldest_gets_what_is_kept() {
    let tap = Tap::new(NARROW);
    assert!(tap.reader_from_oldest().unwrap().read().is_none());
    for n in 1..=5_000 {
        tap.emit(notice(&n.to_string()));
    }
    let kept = tap.counters().kept_entries;
    let mut reader = tap.reader_from_oldest().unwrap();
    let got = all(&mut reader);
    assert_eq!(got.len() as u64, kept);
    assert_eq!(got.last().unwrap().0, tap.last());
    assert_eq!(reader.lost(), 0);
}

#[test]
fn one_reader_too_many_is_refused_until_another_goes() {
    let tap = Tap::new(NARROW);
    let mut readers: Vec<_> = (0..4).map(|_| tap.reader().unwrap()).collect();
    assert_eq!(tap.reader().unwrap_err().limit, 4);
    readers.pop();
    assert!(tap.reader().is_ok());
}

#[test]
fn a_fast_reader_does_not_narrow_what_is_kept() {
    let slow = Tap::new(limits::Tap::default());
    let fast = Tap::new(limits::Tap::default());
    let mut reader = fast.reader().unwrap();
    for n in 0..100_000_u32 {
        let text = n.to_string();
        slow.emit(notice(&text));
        fast.emit(notice(&text));
        assert_eq!(reader.read().unwrap().iter().len(), 1);
    }
    assert_eq!(fast.counters().kept_entries, slow.counters().kept_entries);
    assert!(fast.counters().kept_bytes <= slow.counters().kept_bytes * 11 / 10);
}

#[test]
fn memory_stays_flat() {
    let tap = Tap::new(NARROW);
    let mut most = 0;
    for n in 0..200_000_u64 {
        tap.emit(notice("some text of a usual length, as a reason or a log line has it"));
        most = most.max(tap.counters().kept_bytes);
        assert!(tap.counters().kept_entries <= 1_024, "after {n}");
    }
    assert!(most <= NARROW.ring_bytes_max);
}

#[test]
fn a_frame_larger_than_the_ring_is_cut_and_counted() {
    let tap = Tap::new(NARROW);
    let mut reader = tap.reader().unwrap();
    let wire = vec![b'x'; 4_000_000];
    tap.emit(frame(&wire, Redaction::None));
    assert_eq!(tap.counters().cut, 1);
    assert_eq!(all(&mut reader)[0].1.len(), 131_072);
    assert!(tap.counters().kept_bytes <= NARROW.ring_bytes_max);
}

#[test]
fn a_waiting_reader_is_woken_by_an_entry() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let tap = Tap::new(NARROW);
        let mut readers: Vec<_> = (0..4).map(|_| tap.reader().unwrap()).collect();
        let emitter = tap.clone();
        let waits = futures_util::future::join_all(readers.iter_mut().map(Reader::ready));
        let emits = async move {
            tokio::task::yield_now().await;
            emitter.emit(notice("now"));
        };
        tokio::join!(waits, emits);
        for reader in &mut readers {
            reader.ready().await;
            assert_eq!(all(reader).len(), 1);
        }
    });
}

#[test]
fn no_wakeup_is_missed_between_threads() {
    const ENTRIES: u64 = 20_000;
    let tap = Tap::new(limits::Tap::default());
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let mut reader = tap.reader().unwrap();
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                while reader.received() + reader.lost() < 2 * ENTRIES {
                    runtime.block_on(reader.ready());
                    while reader.read().is_some() {}
                }
            })
        })
        .collect();
    let emitters: Vec<_> = (0..2)
        .map(|_| {
            let tap = tap.clone();
            std::thread::spawn(move || {
                for _ in 0..ENTRIES {
                    tap.emit(notice("x"));
                }
            })
        })
        .collect();
    for thread in emitters.into_iter().chain(readers) {
        thread.join().unwrap();
    }
}

pub(crate) const TOKEN: &str = "dG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4";

/// A hello around the token, and where the token lies in it.
pub(crate) fn hello(before: &str, after: &str) -> (String, Range<u32>) {
    let start = u32::try_from(before.len() + 10).unwrap();
    let token = u32::try_from(TOKEN.len()).unwrap();
    (format!("{before}{{\"token\":\"{TOKEN}\"}}{after}"), start..start + token)
}

pub(crate) fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn a_masked_frame_keeps_its_length() {
    let tap = Tap::new(NARROW);
    let mut reader = tap.reader().unwrap();
    let (wire, range) = hello("", "");
    tap.emit(frame(wire.as_bytes(), Redaction::Masked(Arc::from([range]))));
    let stars = "*".repeat(TOKEN.len());
    assert_eq!(all(&mut reader)[0].1, format!("{{\"token\":\"{stars}\"}}").into_bytes());
}

#[derive(Clone, Debug)]
enum Step {
    Emit { entries: u16, bytes: u16 },
    Read { reader: u8 },
    ReadAll { reader: u8 },
    Join { reader: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..700_u16, prop_oneof![0..64_u16, 0..3_000_u16])
            .prop_map(|(entries, bytes)| Step::Emit { entries, bytes }),
        (0..4_u8).prop_map(|reader| Step::Read { reader }),
        (0..4_u8).prop_map(|reader| Step::ReadAll { reader }),
        (0..4_u8).prop_map(|reader| Step::Join { reader }),
    ]
}

/// A reader with what it must have seen.
struct ReaderModel {
    reader: Reader,
    began: u64,
    next: u64,
}

impl ReaderModel {
    fn join(tap: &Tap) -> Self {
        let began = tap.last().0 + 1;
        Self { reader: tap.reader().unwrap(), began, next: began }
    }

    fn read(&mut self) -> bool {
        let Some(batch) = self.reader.read() else { return false };
        self.next += batch.lost;
        for entry in batch.iter() {
            assert_eq!(entry.entry.seq.0, self.next);
            assert_eq!(
                entry.bytes.first().copied().unwrap_or(0),
                if entry.bytes.is_empty() { 0 } else { (self.next % 251) as u8 }
            );
            self.next += 1;
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn received_and_lost_are_what_was_emitted(steps in prop::collection::vec(step(), 1..60)) {
        let tap = Tap::new(NARROW);
        let mut readers: Vec<_> = (0..4).map(|_| ReaderModel::join(&tap)).collect();
        let text = vec![0_u8; 3_000];
        for step in steps {
            match step {
                Step::Emit { entries, bytes } => {
                    for _ in 0..entries {
                        let mut text = text[..usize::from(bytes)].to_vec();
                        if let Some(first) = text.first_mut() {
                            *first = ((tap.last().0 + 1) % 251) as u8;
                        }
                        let what = operated();
                        tap.emit(draft(what, &text));
                    }
                }
                Step::Read { reader } => {
                    readers[usize::from(reader)].read();
                }
                Step::ReadAll { reader } => while readers[usize::from(reader)].read() {},
                Step::Join { reader } => {
                    readers.remove(usize::from(reader));
                    readers.insert(usize::from(reader), ReaderModel::join(&tap));
                }
            }
            let counters = tap.counters();
            prop_assert!(counters.kept_bytes <= NARROW.ring_bytes_max, "{counters:?}");
            prop_assert!(counters.kept_entries <= NARROW.ring_entries_max, "{counters:?}");
            prop_assert_eq!(counters.kept_entries + counters.evicted, counters.emitted);
            for watched in &readers {
                let seen = watched.reader.received() + watched.reader.lost() + watched.reader.lag();
                prop_assert_eq!(seen + watched.began, counters.emitted + 1);
            }
        }
        for watched in &mut readers {
            while watched.read() {}
            prop_assert_eq!(
                watched.reader.received() + watched.reader.lost() + watched.began,
                tap.last().0 + 1
            );
        }
    }

    #[test]
    fn of_a_secret_that_was_handed_over_not_even_its_beginning_is_kept(
        secret in "[A-Z]{216,2000}",
        before in "[ a-z]{0,300}",
        frame_bytes_max in 256_u64..700,
        is_escaped: bool,
    ) {
        let tap = Tap::new(limits::Tap { frame_bytes_max, ..NARROW });
        let mut reader = tap.reader().unwrap();
        tap.mask_secret(&secret);
        let said = |text: &str| {
            let escaped = |it: char| format!("\\u{:04x}", u32::from(it));
            if is_escaped { text.chars().map(escaped).collect() } else { text.to_owned() }
        };
        let (wire, shown) = (format!("{before}\"{}\" and on", said(&secret)), said(&secret[..2]));
        tap.emit(frame(wire.as_bytes(), Redaction::None));
        tap.emit(notice(&wire));
        for (_, kept) in all(&mut reader) {
            prop_assert!(!contains(&kept, shown.as_bytes()), "{}", String::from_utf8_lossy(&kept));
        }
    }

    #[test]
    fn a_token_is_never_kept(
        before in "[ a-z]{0,300}",
        after in "[ a-z]{0,300}",
        frame_bytes_max in 256_u64..700,
        withhold: bool,
    ) {
        let tap = Tap::new(limits::Tap { frame_bytes_max, ..NARROW });
        let mut reader = tap.reader().unwrap();
        let (wire, range) = hello(&before, &after);
        let redaction = if withhold { Redaction::Withheld } else { Redaction::Masked(Arc::from([range])) };
        tap.emit(frame(wire.as_bytes(), redaction));
        let kept = all(&mut reader).remove(0).1;
        // Not even its beginning, where the cut lies within it.
        prop_assert!(!contains(&kept, &TOKEN.as_bytes()[..4]));
        if withhold {
            let note: serde_json::Value = serde_json::from_slice(&kept).unwrap();
            prop_assert_eq!(note["withheld"]["bytes"].as_u64(), Some(wire.len() as u64));
        } else {
            prop_assert_eq!(kept.len() as u64, frame_bytes_max.min(wire.len() as u64));
        }
    }
}
