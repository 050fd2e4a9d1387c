//! A bad hour of plugins in a recording.

use std::sync::mpsc::sync_channel;

use rl_console::{
    limits,
    port::Snapshot,
    recording::{EncodedSnapshot, RecordedItem, Recorder, RecorderEvent, Sources, read},
    time::Clock,
};

use super::{tapped::fold, world::World};

#[test]
fn a_bad_hour_in_a_recording_decodes_to_its_entries_and_folds_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hour.mcap");
    let mut world = World::begun(7);
    let from = world.tapped.entries.len();
    let encoded = EncodedSnapshot { at: world.now, bytes: world.tapped.encoded() };
    let info = crate::recording::about();
    let (tell, told) = sync_channel(1_024);
    let snapshot = Box::new(move || -> rl_console::recording::SnapshotFuture {
        let encoded = encoded.clone();
        Box::pin(async move { Ok(encoded) })
    });
    let reader = world.tapped.tap.reader().unwrap();
    let sources = Sources::new(reader, snapshot, Clock::ahead(), info);
    let on_event = Box::new(move |event| drop(tell.try_send(event)));
    let recorder = Recorder::start(&path, sources, limits::Recording::default(), on_event).unwrap();
    assert!(matches!(told.recv().unwrap(), RecorderEvent::Grew { .. }), "the snapshot is written");
    let hour_ms = world.now.mono.0 / 1_000_000 + 3_600_000;
    for step in (1..).filter(|step| step % 400 != 399) {
        if world.now.mono.0 / 1_000_000 >= hour_ms {
            break;
        }
        world.step(step);
    }
    let summary = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(recorder.stop());
    assert_eq!((summary.why, summary.lost), (None, 0));
    let (mut snapshots, mut entries) = (Vec::new(), Vec::new());
    for item in read(&path).unwrap() {
        match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => snapshots.push(Snapshot::decode(&bytes).unwrap().plugin),
            RecordedItem::Entry(entry) => entries.push(entry),
        }
    }
    assert!(entries == world.tapped.entries[from..], "the entries that it was made of");
    assert!(entries.len() > 500, "{}", entries.len());
    assert_eq!(snapshots.len(), 1);
    assert_eq!(fold(snapshots.remove(0), &entries, &world.limits), world.tapped.live);
}
