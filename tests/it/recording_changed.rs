//! Recordings that were cut, flipped and forged: what can be read of them is what was written.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::{Arc, OnceLock},
};

use mcap::records::op;
use proptest::prelude::*;
use rl_console::{
    recording::{
        ChunkPlace, Damage, RecordedItem, RecordingSet, RepairError, SetReader, index, read, repair,
    },
    tap::recorded::OwnedEntry,
};

use crate::recording_other_tools::{BAD_2, records};

/// A change of a file.
#[derive(Clone, Debug)]
enum Change {
    /// A byte is another one.
    Flip(prop::sample::Index, u8),
    /// A word of the head of one of its chunks: its length, its times, its checksum.
    Forge(prop::sample::Index, usize, u64),
    /// A record is left out, or is there twice.
    Drop(prop::sample::Index),
    Repeat(prop::sample::Index),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let at = any::<prop::sample::Index>;
        prop_oneof![
            (at(), any::<u8>()).prop_map(|(at, byte)| Self::Flip(at, byte)),
            (at(), 0_usize..37, any::<u64>()).prop_map(|(at, byte, word)| Self::Forge(at, byte, word)),
            at().prop_map(Self::Drop),
            at().prop_map(Self::Repeat),
        ]
    }

    fn make(&self, bytes: &mut Vec<u8>) {
        let all: Vec<_> = records(bytes).into_iter().filter(|(at, _, len)| at + len <= bytes.len()).collect();
        let record = |of: &prop::sample::Index| all.get(of.index(all.len().max(1))).copied();
        match self {
            Self::Flip(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Forge(of, byte, word) => {
                let chunks: Vec<usize> =
                    all.iter().filter(|(_, op, _)| *op == op::CHUNK).map(|(at, ..)| *at).collect();
                let Some(at) = chunks.get(of.index(chunks.len().max(1))) else { return };
                let at = at + 1 + byte;
                if let Some(place) = bytes.get_mut(at..at + 8) {
                    place.copy_from_slice(&word.to_le_bytes());
                }
            }
            Self::Drop(of) => {
                if let Some((at, _, len)) = record(of) {
                    drop(bytes.drain(at..at + len));
                }
            }
            Self::Repeat(of) => {
                if let Some((at, _, len)) = record(of) {
                    let again = bytes[at..at + len].to_vec();
                    drop(bytes.splice(at..at, again));
                }
            }
        }
    }
}

/// The entries that can be read of a file in its order.
fn in_order(path: &Path) -> Vec<OwnedEntry> {
    let mut found = Vec::new();
    for item in read(path).into_iter().flatten() {
        if let Ok(RecordedItem::Entry(entry)) = item {
            found.push(entry);
        }
    }
    found
}

/// Those, and those that are replayed.
fn entries(path: &Path) -> Vec<OwnedEntry> {
    let mut found = in_order(path);
    let Ok(set) = RecordingSet::open(&[path.to_owned()]) else { return found };
    let set = Arc::new(set);
    let mut reader = SetReader::new(Arc::clone(&set));
    for chunk in 0..set.len() {
        let items = reader.chunk(chunk).into_iter().flatten();
        found.extend(items.filter_map(|item| match item.item {
            RecordedItem::Entry(entry) => Some(entry),
            RecordedItem::Snapshot { .. } => None,
        }));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_read_of_a_file_that_was_changed_was_written(
        changes in prop::collection::vec(Change::any(), 0..6),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        static WRITTEN: OnceLock<BTreeMap<u64, OwnedEntry>> = OnceLock::new();
        let written = WRITTEN.get_or_init(|| {
            entries(Path::new(BAD_2)).into_iter().map(|entry| (entry.entry.seq.0, entry)).collect()
        });
        let mut bytes = fs::read(BAD_2).unwrap();
        for change in &changes {
            change.make(&mut bytes);
        }
        bytes.truncate(end.map_or(bytes.len(), |end| end.index(bytes.len() + 1)));
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("changed.mcap"), folder.path().join("repaired.mcap"));
        fs::write(&path, &bytes).unwrap();
        let found = entries(&path);
        if changes.is_empty() && end.is_none() {
            prop_assert_eq!(found.len(), 2 * written.len());
        }
        for entry in &found {
            prop_assert_eq!(Some(entry), written.get(&entry.entry.seq.0));
        }
        if let Ok(index) = index(&path) {
            prop_assert!(index.chunks.iter().all(|chunk| chunk.start_ns <= chunk.end_ns));
            match repair(&path, &out) {
                Err(RepairError::Nothing) => {
                    prop_assert!(in_order(&path).is_empty() && !out.exists());
                    return Ok(());
                }
                made => drop(made.unwrap()),
            }
            let read: BTreeSet<u64> = in_order(&path).iter().map(|entry| entry.entry.seq.0).collect();
            let kept: BTreeSet<u64> = in_order(&out).iter().map(|entry| entry.entry.seq.0).collect();
            prop_assert!(kept.is_superset(&read), "a repair keeps what is read");
            for entry in entries(&out) {
                prop_assert_eq!(Some(&entry), written.get(&entry.entry.seq.0));
            }
        }
    }
}

/// A file whose index leaves a chunk out, and whose counts and checksums agree with that.
fn with_hidden_chunk(bytes: &[u8]) -> Vec<u8> {
    let all = records(bytes);
    let place = |wanted: u8| all.iter().position(|(_, op, _)| *op == wanted).unwrap();
    // It has entries, and is neither the first nor the last.
    let chunks: Vec<usize> = (0..all.len() - 1)
        .filter(|at| all[*at].1 == op::CHUNK && all[at + 1].1 == op::MESSAGE_INDEX)
        .collect();
    let hidden = chunks[chunks.len() / 2];
    let body = |(at, _, len): (usize, u8, usize)| &bytes[at + 9..at + len];
    let indexes = all[hidden + 1..].iter().take_while(|(_, op, _)| *op == op::MESSAGE_INDEX);
    // By channel: its id, the length of the list, and 16 bytes each.
    let counts: BTreeMap<u16, u64> = indexes
        .map(|index| body(*index))
        .map(|index| (u16::from_le_bytes([index[0], index[1]]), (index.len() as u64 - 6) / 16))
        .collect();
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let begin = all[place(op::DATA_END)].0 + all[place(op::DATA_END)].2;
    let mut forged = bytes[..begin].to_vec();
    for (at, op, len) in all.iter().copied().filter(|(at, ..)| *at >= begin) {
        let mut record = bytes[at..at + len].to_vec();
        match op {
            op::CHUNK_INDEX if word(&record, 9 + 16) == all[hidden].0 as u64 => continue,
            op::SUMMARY_OFFSET => continue,
            op::STATISTICS => {
                // The count of messages first, then at last those by channel.
                let of_channel = |at: usize| {
                    let id = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
                    counts.get(&id).copied().unwrap_or_default()
                };
                let by_channel = (9 + 46..len).step_by(10).map(|from| (from + 2, of_channel(at + from)));
                for (from, count) in [(9, counts.values().sum())].into_iter().chain(by_channel) {
                    let left = word(&record, from) - count;
                    record[from..from + 8].copy_from_slice(&left.to_le_bytes());
                }
            }
            // Neither the place of its parts nor a checksum.
            op::FOOTER => record[9 + 8..9 + 20].fill(0),
            _ => {}
        }
        forged.extend_from_slice(&record);
    }
    [&forged, mcap::MAGIC].concat()
}

#[test]
fn a_chunk_that_the_index_leaves_out_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.mcap");
    fs::write(&path, with_hidden_chunk(&fs::read(BAD_2).unwrap())).unwrap();
    let [whole, forged] = [Path::new(BAD_2), &path].map(|path| index(path).unwrap().chunks);
    assert_eq!(forged, whole);
    assert!(entries(&path) == entries(Path::new(BAD_2)));
}

/// Changes the bodies of the indexes behind chunks. The index at the end of the file, which has their places,
/// is left out where they get other lengths.
fn with_message_indexes(bytes: &[u8], is_finished: bool, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let all = records(bytes);
    let end = all.iter().position(|(_, op, _)| *op == op::DATA_END).unwrap();
    let mut forged = mcap::MAGIC.to_vec();
    for (at, op, len) in all.iter().copied().take(if is_finished { all.len() } else { end }) {
        let mut body = bytes[at + 9..at + len].to_vec();
        if op == op::MESSAGE_INDEX {
            change(&mut body);
        }
        forged.push(op);
        forged.extend_from_slice(&(body.len() as u64).to_le_bytes());
        forged.extend_from_slice(&body);
    }
    forged.extend_from_slice(if is_finished { mcap::MAGIC } else { b"" });
    forged
}

#[test]
fn indexes_of_messages_that_cannot_be_of_their_chunk_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(BAD_2).unwrap();
    let path = folder.path().join("forged.mcap");
    let chunks = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        assert!(entries(&path) == entries(Path::new(BAD_2)));
        // Those behind a longer index are elsewhere.
        let chunks = index(&path).unwrap().chunks.into_iter();
        chunks.map(|chunk| ChunkPlace { at: 0, ..chunk }).collect::<Vec<_>>()
    };
    let lengths = |body: &mut Vec<u8>| body[2..6].fill(0xff);
    let places = |body: &mut Vec<u8>| body[6..].chunks_mut(16).for_each(|it| it[8..].fill(0xff));
    let last_place = |body: &mut Vec<u8>| *body.last_mut().unwrap() = 0xff;
    // The messages again and again, more than fit into any chunk.
    let counts = |body: &mut Vec<u8>| {
        let again = body[6..].repeat(262_144 / (body.len() - 6) + 1);
        body.truncate(2);
        body.extend_from_slice(&u32::try_from(again.len()).unwrap().to_le_bytes());
        body.extend_from_slice(&again);
    };
    let sound = chunks(&with_message_indexes(&whole, false, |_| {}));
    assert!(!sound.is_empty() && sound.iter().all(|chunk| chunk.messages > 0));
    for change in [lengths as fn(&mut Vec<u8>), places, last_place] {
        assert_eq!(chunks(&with_message_indexes(&whole, true, change)), sound);
        assert_eq!(chunks(&with_message_indexes(&whole, false, change)), sound);
    }
    assert_eq!(chunks(&with_message_indexes(&whole, false, counts)), sound);
}

#[test]
fn an_index_of_messages_that_is_longer_than_its_file_is_where_that_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.mcap");
    let mut bytes = fs::read(BAD_2).unwrap();
    let all = records(&bytes);
    let indexes: Vec<usize> =
        all.iter().filter(|(_, op, _)| *op == op::MESSAGE_INDEX).map(|(at, ..)| *at).collect();
    let at = indexes[indexes.len() / 2];
    bytes[at + 1..at + 9].copy_from_slice(&(u64::MAX - 8).to_le_bytes());
    bytes.truncate(all.iter().find(|(_, op, _)| *op == op::DATA_END).unwrap().0);
    fs::write(&path, &bytes).unwrap();
    let index = index(&path).unwrap();
    assert_eq!(index.damage, Some(Damage::Truncated { at: at as u64 }));
    let found = in_order(&path);
    assert!(!found.is_empty() && in_order(Path::new(BAD_2)).starts_with(&found));
}
