//! Recordings on disks that fail: one that is full, one that is slow, one whose folder vanishes. The station
//! goes on, and what was written is read.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use rl_console::{
    recording::{RecordedItem, index, read},
    tap::entry::{Transition, What, station},
    time::Clock,
};

use crate::{
    real::{Station, cli, json, plugins::until},
    recording_flood::{Flood, Noise, Recorded, Watcher, pair_flood},
    recording_station::{configured, files, mark, marks, recorded},
    runs_cli::run,
};

const ALWAYS: &str = "[recording]\nalways = true\nrotate_bytes = 1048576\nrotate_s = 0\n";

/// Says why a test is skipped, which fails where these tests are required.
fn skip(why: &str) {
    let required = std::env::var_os("RL_CONSOLE_TESTS_DISKS").is_some_and(|value| value == "required");
    assert!(!required, "{why}, and RL_CONSOLE_TESTS_DISKS requires it");
    std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

/// A disk of its own for the recordings of a data folder, in memory.
struct Disk(PathBuf);

impl Disk {
    /// Of so many MiB; nothing where that may not be.
    fn mount(data: &Path, mib: u32) -> Option<Self> {
        let path = data.join("recordings");
        fs::create_dir_all(&path).unwrap();
        let options = format!("size={mib}m,mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "rl-console-test"]).arg(&path);
        if mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Some(Self(path));
        }
        skip("a disk is mounted by root alone");
        None
    }

    /// Takes all the room that is left.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("ballast");
        let mut file = fs::File::create(&path).unwrap();
        let block = [7_u8; 4_096];
        while file.write_all(&block).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The alerts that are active, by what they are about.
fn alerts(data: &Path) -> Vec<(String, String)> {
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = json(data, &["ls", "alerts"]);
    let active = rows.iter().filter(|row| row["resolved_at_ms"].is_null());
    active.map(|row| (text(row, "alert"), text(row, "subject"))).collect()
}

/// Whether there is one of a recording that failed: of the one that is always kept, or of the operator's.
fn has_failed(data: &Path, is_always: bool) -> bool {
    let is_it = |(alert, subject): &(String, String)| {
        alert == "recording_failed" && (subject == "always") == is_always
    };
    alerts(data).iter().any(is_it)
}

#[test]
fn on_a_full_disk_the_oldest_go_of_what_is_always_recorded_and_nothing_else() {
    let folder = configured(ALWAYS);
    let data = folder.path();
    let Some(_disk) = Disk::mount(data, 5) else { return };
    let station = Station::start(data);
    let own = recorded(data, "recordings/own.mcap", &[], || {
        mark(data, "mine");
    });
    // By its name alone it is one of the station's.
    let named = data.join("recordings/2026-01-01_00-00-00-always.mcap");
    fs::copy(&own, &named).unwrap();
    let watcher = Watcher::attach(data);
    let first = files(data).into_iter().find(|path| *path != own && *path != named).unwrap();
    let mut noise = Noise::of(&station);
    let is_gone = || {
        noise.publish();
        (!first.exists()).then_some(())
    };
    until(|| format!("{:?}", files(data)), is_gone);
    // It is tried again every 10 s: what comes until then is in no file.
    let has_mark = || {
        mark(data, "after");
        let mut all = files(data).into_iter().filter(|path| *path != own && *path != named);
        all.find(|path| marks_so_far(path).contains(&"after".to_owned()))
    };
    until(|| format!("{:?}", files(data)), has_mark);
    json(data, &["invoke", "heal_party"]);
    assert!(own.exists() && named.exists());
    assert_eq!(marks(&own), ["mine"]);
    let seen = watcher.end();
    assert!(station.terminate().success());
    for path in files(data).into_iter().filter(|path| *path != own && *path != named) {
        Recorded::of(&[path]).assert_is_of(&seen);
    }
}

/// The marks of a file that is still written, as far as it can be read.
fn marks_so_far(path: &Path) -> Vec<String> {
    let Ok(reading) = read(path) else { return Vec::new() };
    let of = |item| match item {
        Ok(RecordedItem::Entry(it)) => match it.entry.what {
            What::Transition(Transition::Station(station::Transition::Marked { .. })) => {
                Some(String::from_utf8_lossy(&it.bytes).into_owned())
            }
            _ => None,
        },
        _ => None,
    };
    reading.filter_map(of).collect()
}

#[test]
fn while_there_is_no_room_at_all_that_is_an_alert_and_leaves_no_files() {
    let folder = configured(ALWAYS);
    let data = folder.path();
    let Some(disk) = Disk::mount(data, 2) else { return };
    let ballast = disk.fill();
    let mut station = Station::start(data);
    let why = station.event("recording_failed")["why"].to_string();
    assert!(why.contains("no room on its disk") && why.contains("it is tried again"), "{why}");
    until(|| format!("{:?}", alerts(data)), || has_failed(data, true).then_some(()));
    // Whoever asks for a recording there is answered.
    let refused =
        run(data, &["record", data.join("recordings/own.mcap").to_str().unwrap(), "--for", "1"], "");
    assert_eq!(refused.exits(1).error["code"], "no_room");
    let clip = run(data, &["clip"], "").exits(1);
    assert_eq!(clip.error["code"], "no_room", "{clip:?}");
    json(data, &["invoke", "heal_party"]);
    assert_eq!(files(data), [ballast.as_path()], "what holds nothing is not left there");
    fs::remove_file(&ballast).unwrap();
    let begun = || files(data).into_iter().next();
    let path = until(|| "it is not tried again".to_owned(), begun);
    until(|| format!("{:?}", alerts(data)), || (!has_failed(data, true)).then_some(()));
    mark(data, "there is room");
    assert!(station.terminate().success());
    assert_eq!(marks(&path), ["there is room"]);
    assert!(index(&path).unwrap().is_finished());
}

#[test]
fn a_folder_that_is_removed_ends_what_was_recorded_there_and_the_next_is_begun() {
    let folder = configured(ALWAYS);
    let data = folder.path();
    pair_flood(data);
    let recordings = data.join("recordings");
    fs::create_dir(&recordings).unwrap();
    let own = recordings.join("own.mcap");
    let mut station = Station::start_with(data, &["--record", own.to_str().unwrap()]);
    let _flood = Flood::start(data, &station, 200);
    until(|| format!("{:?}", files(data)), || (files(data).len() == 2).then_some(()));
    fs::remove_dir_all(&recordings).unwrap();
    for _ in 0..2 {
        let why = station.event("recording_failed")["why"].to_string();
        assert!(why.contains("its file was removed"), "{why}");
    }
    let next = until(|| "it is not begun again".to_owned(), || files(data).into_iter().next());
    until(|| format!("{:?}", alerts(data)), || has_failed(data, false).then_some(()));
    mark(data, "after");
    json(data, &["invoke", "heal_party"]);
    assert!(station.terminate().success());
    assert_eq!(marks(&next), ["after"]);
    assert!(!own.exists());
    let verified = cli(data, &["recording", "verify", next.to_str().unwrap()]);
    assert!(verified.status.success(), "{verified:?}");
}

/// What makes each write into a recording take a while.
const SLOW: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int is_recording(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    return length > 5 && !memcmp(path + length - 5, ".mcap", 5);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (is_recording(fd)) usleep(150000);
    return real(fd, bytes, length);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    if (is_recording(fd)) sleep(5);
    return real(fd);
}
"#;

/// Compiles it; nothing where there is no compiler.
fn slow_library(folder: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("slow.c"), folder.join("slow.so"));
    fs::write(&source, SLOW).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
    if cfg!(target_os = "linux") && compiler.status().is_ok_and(|status| status.success()) {
        return Some(library);
    }
    skip("there is no C compiler");
    None
}

#[test]
fn a_slow_disk_holds_up_its_recording_alone_which_says_what_it_lost() {
    let folder = configured("limits.tap.ring_entries_max = 1024\n");
    let data = folder.path();
    let Some(library) = slow_library(data) else { return };
    pair_flood(data);
    let (path, preload) = (data.join("night.mcap"), format!("LD_PRELOAD={}", library.display()));
    let station = Station::start_by(data, &["env", &preload], &["--record", path.to_str().unwrap()]);
    let watcher = Watcher::attach(data);
    let flood = Flood::start(data, &station, 2_000);
    let clock = Clock::start();
    let mut slowest = Duration::ZERO;
    let is_enough = || {
        let asked = clock.mono();
        mark(data, "still here");
        slowest = slowest.max(clock.mono().since(asked));
        (watcher.count() > 20_000).then_some(())
    };
    until(|| format!("{} entries", watcher.count()), is_enough);
    drop(flood);
    let seen = watcher.end();
    let asked = clock.mono();
    // It is not waited for any longer than for anything else.
    station.terminate();
    let stopped = clock.mono().since(asked);
    let recorded = Recorded::of(&[path]);
    assert!(recorded.lost() > 0 && recorded.damages.is_empty(), "{:?}", recorded.damages);
    recorded.assert_is_of(&seen);
    assert!(slowest < Duration::from_secs(5) && stopped < Duration::from_secs(10), "{slowest:?} {stopped:?}");
}
