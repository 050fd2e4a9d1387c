//! What a console makes of a recording is what it made of the tap that was recorded.

use crate::{
    console::tests::{findings, test_console::TestConsole},
    limits,
    recording::{self, EncodedSnapshot, RecordedItem, Recorder, RecordingInfo, Sources},
    tap::{Draft, recorded::OwnedEntry},
    time::{Clock, Now},
};

#[test]
fn a_recording_that_is_read_again_has_the_same_findings() {
    let (live, snapshot, reader) = findings::to_record();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("show.mcap");
    let before = EncodedSnapshot { at: Now::at_ms(0), bytes: snapshot.encode() };
    let taken = before.clone();
    let snapshot_again = Box::new(move || -> recording::SnapshotFuture {
        let before = taken.clone();
        Box::pin(async { Ok(before) })
    });
    let info = RecordingInfo { station_started: Now::at_ms(0), ..RecordingInfo::default() };
    let sources = Sources::new(reader, snapshot_again, Clock::ahead(), info);
    let recorder = Recorder::start(&path, sources, limits::Recording::default(), Box::new(|_| {})).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let summary = runtime.block_on(recorder.stop());
    assert_eq!((summary.why, summary.lost), (None, 0));
    let mut again = TestConsole::of_size(160, 50);
    // The snapshot is taken while entries are written already; it is of before all of them.
    again.begin(snapshot);
    for item in recording::read(&path).unwrap() {
        match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => assert_eq!(*bytes, *before.bytes),
            RecordedItem::Entry(OwnedEntry { entry, bytes }) => {
                let (at, link, trace) = (entry.at, entry.link, entry.trace);
                again.take(Draft { at, link, trace, cause: None, what: entry.what, bytes: &bytes });
            }
        }
    }
    findings::assert_same(live, again);
}
