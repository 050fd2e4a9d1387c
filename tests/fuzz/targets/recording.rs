//! Any bytes as a recording: it is indexed, read and repaired as far as it is sound, and what was made of it
//! is whole and has all that was read of it.

#![no_main]

use std::{fs, path::PathBuf, process};

use libfuzzer_sys::fuzz_target;
use rl_console::recording::{RecordedItem, index, read, repair};

/// The place in the tap of each item that can be read, in the file's order.
fn read_whole(path: &PathBuf) -> (Vec<u64>, bool) {
    let (mut items, mut is_damaged) = (Vec::new(), false);
    for item in read(path).expect("it was opened") {
        match item {
            Ok(RecordedItem::Entry(entry)) => items.push(entry.entry.seq.0),
            Ok(RecordedItem::Snapshot { .. }) => items.push(0),
            Err(_) => is_damaged = true,
        }
    }
    (items, is_damaged)
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
    let Ok(_) = read(&given) else { return };
    let (items, _) = read_whole(&given);
    repair(&given, &mended).expect("what opens is mended");
    assert!(index(&mended).expect("it is ours").damage.is_none());
    assert!(index(&mended).expect("it is ours").is_finished());
    assert_eq!(read_whole(&mended), (items, false));
});
