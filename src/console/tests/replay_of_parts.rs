//! Recordings that have not all entries: of some were left out, others are damaged.

use std::{path::Path, sync::Arc};

use super::loops::config;
use crate::{
    console::{
        app::App,
        settings::{Config, Start},
        terminal::Mailbox,
    },
    limits::Limits,
    port::{ReplayPlace, Speed},
    station::test_recordings::{KeyedFile, block_on, cut, damage, held, shipped},
    tap::Batch,
    time::Clock,
};

/// A console on a recording that played it to its end, and how many entries that were.
async fn played(path: &Path, from: ReplayPlace) -> (App, u64) {
    let (port, clock) = (Arc::new(held(path, from, Speed::MAX)), Clock::start());
    let config = config(&Limits::default(), clock);
    let mut app = App::new(port, config, clock.now(), Arc::new(Mailbox::closed()), (160, 50));
    app.settle().await;
    let count = if from == ReplayPlace::Start { app.play_through().await } else { 0 };
    app.settle().await;
    (app, count)
}

fn says(app: &App, words: &str) -> bool {
    app.model.journal.notices.iter().any(|notice| notice.text.contains(words))
}

#[test]
fn a_part_of_which_entries_were_left_out_has_the_others_and_lost_none() {
    let (path, _, entries) = shipped("bad.mcap");
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("part.mcap");
    let kept = cut(&path, &part, &mut |entry| entry.seq.0.is_multiple_of(3));
    assert!(kept > 50 && kept < entries.len() as u64 / 2, "{kept}");
    block_on(async {
        let (played, count) = played(&part, ReplayPlace::Start).await;
        assert_eq!(count, kept);
        let (gone_to, _) = self::played(&part, ReplayPlace::End).await;
        for app in [&played, &gone_to] {
            let ledger = app.ui.time.entries().ledger();
            assert_eq!((app.model.lost, ledger.received, ledger.lost), (0, kept, 0));
            assert!(!says(app, "fell behind") && app.view.replay.as_ref().unwrap().lost == 0);
        }
        let [played, gone_to] = [&played, &gone_to].map(|app| app.model.station_state.as_ref().unwrap());
        assert!(played.as_of == gone_to.as_of && played.mpp == gone_to.mpp && played.rmp == gone_to.rmp);
    });
}

#[test]
fn a_ladder_has_the_hops_that_came_from_before_what_it_began_with() {
    let (path, ..) = shipped("calm.mcap");
    block_on(async {
        let (port, clock) = (Arc::new(held(&path, ReplayPlace::End, Speed::MAX)), Clock::start());
        let start = Start { view: Some("runs".to_owned()), ..Start::default() };
        let config = Config { start, ..config(&Limits::default(), clock) };
        let mut app = App::new(port, config, clock.now(), Arc::new(Mailbox::closed()), (160, 50));
        app.settle().await;
        let ladder = &app.ui.ladder_view;
        assert!(ladder.trace().is_some() && ladder.hops(None).count() > 0);
    });
}

#[test]
fn what_is_lost_in_a_recording_no_console_fell_behind_of() {
    let (_, first, entries) = shipped("bad.mcap");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.mcap");
    let mut file = KeyedFile::begin(&path, &first, 8_192);
    for batch in &Batch::of(entries) {
        file.entries(batch);
    }
    file.finish();
    damage(&path);
    block_on(async {
        let (app, _) = played(&path, ReplayPlace::Start).await;
        let lost = app.view.replay.as_ref().unwrap().lost;
        assert!(lost > 1 && app.model.lost == 0 && !says(&app, "fell behind"), "{lost}");
        let now = app.port.snapshot().await.unwrap();
        assert!(app.model.station_state.as_ref().is_some_and(|state| state.as_of == now.as_of));
    });
}
