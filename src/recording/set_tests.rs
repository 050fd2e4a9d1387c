//! Recordings as one: their order, what they are refused for, and what is said of them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Attachment, RecordedItem, RecordingInfo, RecordingSet, SetCursor, SetError, SetReader, files,
    test_files::TestFile, writer::Writer,
};
use crate::{
    ids::Seq,
    limits,
    tap::{
        EntryRef,
        entry::{Entry, Link, Transition, What, station},
    },
    time::{Mono, Now},
};

/// What a file says of a station that was started then.
fn info(started_ms: u64) -> RecordingInfo {
    RecordingInfo { station_started: Now::at_ms(started_ms), ..RecordingInfo::default() }
}

/// Begins a file with a keyframe and an entry for each of these times.
fn begin(path: &Path, info: &RecordingInfo, entries: &[(u64, u64)]) -> TestFile {
    let mut file = TestFile::begin(path, info, 16_384);
    file.keyframe(Now::at_ms(entries[0].1), b"state");
    for (seq, ms) in entries {
        let what = What::Transition(Transition::Station(station::Transition::Started));
        let at = Now::at_ms(*ms);
        let entry = Entry { seq: Seq(*seq), at, link: Link::Station, trace: None, cause: None, what };
        file.entry(EntryRef { entry: &entry, bytes: b"" }, None);
    }
    file
}

/// Writes files of these starts with entries at these times.
fn written(folder: &Path, files: &[(&str, u64, [u64; 2])]) -> Vec<PathBuf> {
    let write = |(name, started_ms, [first, last]): &(&str, u64, [u64; 2])| {
        let path = folder.join(name);
        begin(&path, &info(*started_ms), &[(*first, *first), (*last, *last)]).finish();
        path
    };
    files.iter().map(write).collect()
}

#[test]
fn starts_of_the_same_time_are_refused_and_those_that_follow_each_other_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let paths = written(
        folder.path(),
        &[
            ("a.mcap", 1_000, [1_000, 2_000]),
            ("a.2.mcap", 1_000, [5_000, 6_000]),
            ("b.mcap", 3_000, [3_000, 4_000]),
            ("c.mcap", 9_000, [9_000, 9_500]),
        ],
    );
    let [a, a2, b, c] = &paths[..] else { panic!("{paths:?}") };
    let refused = RecordingSet::open(&paths).unwrap_err();
    assert!(
        matches!(&refused, SetError::Overlap { one, other } if one == a2 && other == b),
        "a start goes around another: {refused}"
    );
    assert!(matches!(RecordingSet::open(&[folder.path().to_owned()]), Err(SetError::Overlap { .. })));
    let set = RecordingSet::open(&[c.clone(), b.clone(), a.clone()]).unwrap();
    assert_eq!((set.paths().collect::<Vec<_>>(), set.starts()), (vec![&**a, &**b, &**c], 3));
    assert_eq!(set.first_path_of_start(set.len() - 1), Some(&**c));
    let set = RecordingSet::open(&[c.clone(), a2.clone(), a.clone()]).unwrap();
    assert_eq!((set.paths().collect::<Vec<_>>(), set.starts()), (vec![&**a, &**a2, &**c], 2));
}

#[test]
fn what_is_as_it_should_be_is_not_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The file before it was deleted by the station that made it.
    let always = RecordingInfo { previous: Some("gone.mcap".to_owned()), is_always: true, ..info(1_000) };
    begin(&path("always.mcap"), &always, &[(1, 1_000), (2, 2_000)]).finish();
    // Some of it is in another file, too.
    begin(&path("clip.mcap"), &info(1_000), &[(2, 2_000)]).finish();
    // It is being written.
    let next = RecordingInfo { previous: Some("always.mcap".to_owned()), ..always.clone() };
    let mut written = begin(&path("always.2.mcap"), &next, &[(3, 3_000)]);
    written.flush();
    let open = std::fs::File::open(path("always.2.mcap")).unwrap();
    files::lock(&open);
    let of_folder = || RecordingSet::open(&[folder.path().to_owned()]).unwrap().notes().to_vec();
    assert_eq!(of_folder(), [""; 0]);
    assert_eq!(RecordingSet::open(&[path("always.2.mcap")]).unwrap().notes(), [""; 0]);
    // The same file where nobody writes it: it was cut off.
    drop(open);
    let notes = of_folder().join("\n");
    assert!(notes.contains("always.2.mcap") && notes.contains("is truncated"), "{notes}");
    // What an operator recorded is not deleted.
    let recorded = RecordingInfo { is_always: false, ..always };
    begin(&path("recorded.mcap"), &recorded, &[(4, 3_500)]).finish();
    let notes = of_folder().join("\n");
    assert!(notes.contains("follows gone.mcap, which is missing"), "{notes}");
    drop(written);
}

#[test]
fn what_a_filter_left_out_is_read_from_the_files_that_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let entries = |ms: &[u64]| -> Vec<(u64, u64)> { ms.iter().map(|ms| (*ms / 10, *ms)).collect() };
    let (whole, filtered) = (info(0), RecordingInfo { is_filtered: true, ..info(0) });
    for (name, info, times) in [
        ("a.mcap", &whole, &[1_000, 1_500, 2_000][..]),
        ("b.mcap", &whole, &[2_010, 2_500, 3_000]),
        ("part.mcap", &filtered, &[1_500, 2_500]),
        ("before.mcap", &filtered, &[500]),
    ] {
        begin(&path(name), info, &entries(times)).finish();
    }
    let set = RecordingSet::open(&[folder.path().to_owned()]).unwrap();
    let starts: Vec<u64> = (0..set.len()).map(|at| set.chunk(at).unwrap().place.start_ns).collect();
    assert!(starts.is_sorted() && !starts.is_empty(), "{starts:?}");
    let mut reader = SetReader::new(Arc::new(set));
    let mut cursor = SetCursor::at(&Arc::clone(reader.set()), 0);
    let mut seqs = Vec::new();
    while let Some(item) = cursor.next(&mut reader) {
        if let RecordedItem::Entry(entry) = item.unwrap().item
            && !matches!(entry.entry.what, What::Loss { .. })
        {
            seqs.push(entry.entry.seq.0);
        }
    }
    assert_eq!(seqs, [50, 100, 150, 200, 201, 250, 300]);
}

#[test]
fn what_is_without_all_entries_of_a_link_was_changed_by_another_tool() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.mcap");
    begin(&path, &info(0), &[(1, 1_000), (2, 2_000)]).finish();
    let whole = super::index(&path).unwrap();
    assert!(!whole.is_sparse() && whole.missing().is_empty());
    let mut without = whole.clone();
    let messages = without.messages.as_mut().unwrap();
    messages.retain(|topic, _| topic == super::format::SNAPSHOT_TOPIC);
    assert!(without.is_sparse() && without.missing() == ["all entries of a link"]);
    let unnamed = super::RecordingIndex { info: None, ..whole };
    assert!(unnamed.is_sparse(), "nobody knows what another tool left out");
}

#[test]
fn what_is_too_long_to_be_attached_is_named_with_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.mcap");
    let limits = limits::Recording { file_bytes_max: 800_000, ..limits::Recording::default() };
    let mut writer = Writer::begin(std::fs::File::create_new(&path).unwrap(), &info(0), limits).unwrap();
    writer.keyframe(Mono(0), Now::at_ms(1), b"state").unwrap();
    let of = |name: &str, len: usize| Attachment::file(name, "text/plain", vec![b'a'; len]);
    let all = [of("fits", 60_000), of("too long", 60_000), of("longer than is kept", 9).within(8)];
    writer.attach(Now::at_ms(1), &all).unwrap();
    let check = || {
        let index = super::index(&path).unwrap();
        let left_out = [("longer than is kept".to_owned(), 9), ("too long".to_owned(), 60_000)];
        assert_eq!((index.attachments, index.left_out), (vec!["fits".to_owned()], left_out.into()));
    };
    check();
    writer.finish().unwrap();
    check();
}
