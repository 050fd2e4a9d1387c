//! Recordings of a station that is killed while it is flooded.

use std::{fs, path::Path};

use rl_console::recording::{Damage, RecordedItem, RecordingSet, index, read};

use crate::{
    real::{Station, cli, plugins::until},
    recording_flood::{Flood, Noise, Recorded, Watcher, last_ms, pair_flood},
    recording_station::{configured, files},
};

/// How much later than a second after it was emitted an entry may be on the disk, on a machine that does much
/// else.
const LATE_MS: u64 = 700;

/// Kills a station so many times, at other moments each time.
fn kill(rounds: u64) {
    let mut random = fastrand::Rng::with_seed(rounds);
    for round in 0..rounds {
        let folder = configured("");
        let data = folder.path();
        pair_flood(data);
        let path = data.join("night.mcap");
        let station = Station::start_with(data, &["--record", path.to_str().unwrap()]);
        let watcher = Watcher::attach(data);
        let flood = Flood::start(data, &station, random.u32(1_000..4_000));
        let wanted = random.usize(500..8_000);
        until(|| format!("{} of {wanted}", watcher.count()), || (watcher.count() >= wanted).then_some(()));
        station.kill();
        let seen = watcher.end();
        drop(flood);

        let recorded = Recorded::of(std::slice::from_ref(&path));
        recorded.assert_is_of(&seen);
        let (last, last_seen) = (recorded.last_ms(), last_ms(&seen));
        assert!(last + 1_000 + LATE_MS >= last_seen, "round {round}: {} ms are missing", last_seen - last);
        // Chunk by chunk it is the same, and is said to end early.
        let (mut entries, mut damages) = (Vec::new(), Vec::new());
        for item in read(&path).unwrap() {
            match item {
                Ok(RecordedItem::Entry(entry)) => entries.push(entry),
                Ok(_) => {}
                Err(damage) => damages.push(damage),
            }
        }
        assert_eq!(entries, recorded.entries);
        assert!(matches!(damages[..], [Damage::Truncated { .. }]), "{damages:?}");
        repair(&path, &recorded, data);
    }
}

/// What is left is found to be damaged, and is made whole.
fn repair(path: &Path, recorded: &Recorded, data: &Path) {
    let verify = |path: &Path| cli(data, &["recording", "verify", path.to_str().unwrap()]);
    assert_eq!(verify(path).status.code(), Some(6), "{:?}", verify(path));
    let repaired = data.join("repaired.mcap");
    let made = cli(data, &["recording", "repair", path.to_str().unwrap(), repaired.to_str().unwrap()]);
    assert!(made.status.success(), "{made:?}");
    assert!(verify(&repaired).status.success(), "{:?}", verify(&repaired));
    assert!(Recorded::of(&[repaired]).entries == recorded.entries);
}

#[test]
fn the_recording_of_a_station_that_is_killed_has_what_was_but_for_the_last_second() {
    kill(2);
}

#[test]
#[ignore = "ten times the test above"]
fn the_recording_of_a_station_that_is_killed_anywhere_has_what_was_but_for_the_last_second() {
    kill(20);
}

/// Kills a station while its recording goes from file to file.
fn kill_while_rotating(night: u64) {
    let mut random = fastrand::Rng::with_seed(night);
    let folder = configured("[recording]\nalways = true\nrotate_bytes = 1048576\nrotate_s = 0\n");
    let data = folder.path();
    pair_flood(data);
    let station = Station::start(data);
    let watcher = Watcher::attach(data);
    let flood = Flood::start(data, &station, 1_000);
    let mut noise = Noise::of(&station);
    let has_several = || {
        noise.publish();
        (files(data).len() > 4).then_some(())
    };
    until(|| format!("{:?}", files(data)), has_several);
    (0..random.usize(..60)).for_each(|_| noise.publish());
    station.kill();
    let seen = watcher.end();
    drop(flood);

    let set = RecordingSet::open(&[data.join("recordings")]).unwrap();
    let is_end = |note: &String| note.contains("truncated");
    assert!(set.notes().len() <= 1 && set.notes().iter().all(is_end), "{:?}", set.notes());
    let recorded = Recorded::of(&[data.join("recordings")]);
    recorded.assert_is_of(&seen);
    assert_eq!((recorded.damages.len(), recorded.lost()), (0, 0));
    let (last, last_seen) = (recorded.last_ms(), last_ms(&seen));
    assert!(last + 1_000 + LATE_MS >= last_seen, "{} ms are missing", last_seen - last);
    let (mut before, mut count) = (None, 0);
    for path in set.paths() {
        assert!(fs::metadata(path).unwrap().len() <= 1_048_576);
        let Ok(reading) = read(path) else { continue };
        assert_eq!(reading.info().previous, before);
        before = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if index(path).is_ok_and(|index| index.is_finished()) {
            let verified = cli(data, &["recording", "verify", path.to_str().unwrap()]);
            assert!(verified.status.success(), "{verified:?}");
            count += 1;
        }
    }
    assert!(count >= 4, "{count} files were finished");
}

#[test]
fn the_files_of_a_flood_are_one_recording_though_its_station_is_killed() {
    kill_while_rotating(1);
}

#[test]
#[ignore = "ten times the test above"]
fn the_files_of_a_flood_are_one_recording_wherever_its_station_is_killed() {
    (1..=10).for_each(kill_while_rotating);
}
