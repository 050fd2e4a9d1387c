//! Any bytes as a recording: it is indexed, read, replayed and repaired as far as it is sound, and what was
//! made of it is whole and has all that was read of it.

#![no_main]

use std::{fs, path::Path, process, sync::Arc};

use libfuzzer_sys::fuzz_target;
use rl_console::recording::{
    Cut, Damage, EncodedSnapshot, PlacedItem, RecordedItem, RecordingSet, RepairError, SetCursor, SetReader,
    checksums, cut, index, read, repair,
};
use rl_console::{limits, time::Now};

/// The place in the tap of what can be read; a snapshot has none.
fn place(item: &RecordedItem) -> u64 {
    match item {
        RecordedItem::Entry(entry) => entry.entry.seq.0,
        RecordedItem::Snapshot { .. } => 0,
    }
}

/// The places of all items that can be read, in the file's order, and what cannot be.
fn read_whole(path: &Path) -> (Vec<u64>, Vec<Damage>) {
    let (mut items, mut damages) = (Vec::new(), Vec::new());
    for item in read(path).expect("it was opened") {
        match item {
            Ok(item) => items.push(place(&item)),
            Err(damage) => damages.push(damage),
        }
    }
    (items, damages)
}

/// Reads it as it is replayed: from each start of a station on, and chunk by chunk.
fn replay(path: &Path) {
    let Ok(set) = RecordingSet::open(&[path.to_owned()]) else { return };
    let set = Arc::new(set);
    let mut reader = SetReader::new(Arc::clone(&set));
    let (first_ns, last_ns) = set.span_ns();
    assert!(first_ns <= last_ns && set.chunk_at(last_ns) < set.len());
    let mut cursor = SetCursor::at(&set, 0);
    while let Some(item) = cursor.next(&mut reader) {
        if let Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) = item {
            assert!(reader.chunk_of(entry.entry.seq, 0) < set.len());
            break;
        }
    }
    while cursor.next(&mut reader).is_some() {}
    for chunk in 0..set.len() {
        assert!(set.start_of(chunk).contains(&chunk));
        drop(reader.chunk(chunk));
    }
}

/// Cuts all of it into a file, which can be read.
fn cut_whole(path: &Path, to: &Path) {
    let Ok(set) = RecordingSet::open(&[path.to_owned()]) else { return };
    let mut reader = SetReader::new(Arc::new(set));
    let part = Cut {
        head: EncodedSnapshot { at: Now::default(), bytes: Vec::new() },
        from: SetCursor::at(&Arc::clone(reader.set()), 0),
        to_ns: u64::MAX,
        keeps: &mut |_| true,
        is_filtered: false,
        tallied: |_| None,
    };
    if cut(&mut reader, part, to, limits::Recording::default()).is_ok() {
        assert!(index(to).expect("it is ours").is_finished());
    }
    let _ = fs::remove_file(to);
}

fuzz_target!(|bytes: &[u8]| {
    let file = |name| std::env::temp_dir().join(format!("rl-console-fuzz-{}-{name}.mcap", process::id()));
    let (given, mended) = (file("given"), file("mended"));
    fs::write(&given, bytes).expect("it is written");
    let _ = fs::remove_file(&mended);
    let Ok(found) = index(&given) else {
        assert!(repair(&given, &mended).is_err());
        assert!(!mended.exists());
        return;
    };
    for chunk in &found.chunks {
        assert!(chunk.start_ns <= chunk.end_ns && chunk.at < found.bytes);
    }
    replay(&given);
    let _ = checksums(&given);
    cut_whole(&given, &mended);
    let Ok(_) = read(&given) else { return };
    let (items, damages) = read_whole(&given);
    match repair(&given, &mended) {
        Err(RepairError::Nothing) => {
            assert!(items.is_empty() && !mended.exists());
            return;
        }
        made => drop(made.expect("what opens is mended")),
    }
    let whole = index(&mended).expect("it is ours");
    assert!(whole.damage.is_none() && whole.is_finished());
    // Messages outside of chunks are read only then. What cannot be decoded is copied as it is.
    let (kept, still) = read_whole(&mended);
    let mut all = kept.iter();
    assert!(items.iter().all(|item| all.any(|kept| kept == item)), "nothing is left out");
    let is_unchunked = damages.iter().any(|damage| matches!(damage, Damage::Unchunked { .. }));
    assert!(is_unchunked || kept == items, "nothing is made up");
    let is_known = |damage: &Damage| matches!(damage, Damage::Entry { .. } | Damage::Part { at: 0, .. });
    assert!(still.iter().all(is_known), "{still:?}");
    replay(&mended);
});
