//! A recording of form 1, read back as a console would.

use std::path::Path;

use rl_console::{
    limits::Limits,
    port::Snapshot,
    recording::{self, RecordedItem},
    tap::entry::{Link, What, mpp::RowState},
};

#[test]
fn folds_from_its_first_snapshot_to_the_end_of_the_rehearsal() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/recordings/form_1.mcap");
    let limits = Limits::default();
    let mut state: Option<Snapshot> = None;
    let mut frames = 0;
    for recorded in recording::read(&path).unwrap() {
        match recorded.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => state = Some(Snapshot::decode(&bytes).unwrap()),
            RecordedItem::Entry(owned) => {
                let state = state.as_mut().expect("a recording begins with a snapshot");
                frames += u32::from(matches!(owned.entry.what, What::Frame(_)));
                if owned.entry.link == Link::Mpp && !state.as_of.covers(Link::Mpp, owned.entry.seq) {
                    state.mpp.apply(&owned.entry, &String::from_utf8_lossy(&owned.bytes), &limits.mpp);
                }
            }
        }
    }
    let mpp = state.unwrap().mpp;
    let (done, failed) =
        mpp.queues.values().fold((0, 0), |(done, failed), queue| (done + queue.done, failed + queue.failed));
    assert_eq!(done + failed, 30, "{mpp:?}");
    assert!(failed >= 5, "rows with an item that does not exist fail by their schema");
    assert_eq!(mpp.recent.len(), 30);
    assert!(mpp.recent.iter().any(|ended| ended.state == RowState::Refunded));
    assert!(mpp.live.is_empty() && mpp.queues.values().all(|queue| queue.pending == 0));
    assert!(frames > 100, "{frames}");
}
