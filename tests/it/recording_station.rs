//! What a station records by itself, what it marks, and what a recording has of before.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use rl_console::{
    port::{Command, Operator as _},
    recording::{RecordedItem, index, read},
    station::OperatorClient,
    tap::entry::{Transition, What, station},
};
use serde_json::Value;

use crate::{
    real::{Station, cli, json, plugins::until},
    rmp_bus::{Peer, frames::message},
    runs_cli::run,
};

/// A data folder whose configuration is this.
pub(crate) fn configured(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/config/rl-console");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), config).unwrap();
    folder
}

/// The recordings in the data folder, by their names.
pub(crate) fn files(data: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(data.join("recordings")).map_or_else(|_| Vec::new(), Iterator::collect);
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The station's transitions that a recording has, with their texts.
fn transitions(path: &Path) -> Vec<(station::Transition, String)> {
    let entries = read(path).unwrap().filter_map(|item| match item.unwrap() {
        RecordedItem::Entry(entry) => Some(entry),
        RecordedItem::Snapshot { .. } => None,
    });
    let of_station = entries.filter_map(|entry| match entry.entry.what {
        What::Transition(Transition::Station(it)) => {
            Some((it, String::from_utf8_lossy(&entry.bytes).into_owned()))
        }
        _ => None,
    });
    of_station.collect()
}

pub(crate) fn marks(path: &Path) -> Vec<String> {
    let all = transitions(path).into_iter();
    all.filter(|(it, _)| matches!(it, station::Transition::Marked { .. })).map(|(_, text)| text).collect()
}

/// Records into a file of the data folder until what is done there has been done; the lines that are printed.
pub(crate) fn recorded(data: &Path, name: &str, flags: &[&str], done: impl FnOnce()) -> PathBuf {
    let path = data.join(name);
    let mut command = crate::real::command(data);
    command.args(["--json", "record", path.to_str().unwrap()]).args(flags);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert!(lines.next().unwrap().unwrap().contains(r#""event":"recording""#));
    done();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert!(lines.next().unwrap().unwrap().contains(r#""event":"recorded""#));
    assert!(child.wait().unwrap().success());
    path
}

pub(crate) fn mark(data: &Path, text: &str) -> u64 {
    json(data, &["mark", text])[0]["entry"].as_u64().unwrap()
}

#[test]
fn a_clip_has_its_seconds_and_begins_with_the_state_of_then() {
    let folder = configured("");
    let data = folder.path();
    let _station = Station::start(data);
    json(data, &["hold", "default"]);
    mark(data, "before it");
    // Meanwhile time passes.
    let between = data.join("between.mcap");
    run(data, &["record", between.to_str().unwrap(), "--for", "3"], "").exits(0);
    mark(data, "in it");
    let clip = data.join("short.mcap");
    let clip = clip.to_str().unwrap();
    json(data, &["clip", "2", clip]);
    assert_eq!(marks(Path::new(clip)), ["in it"]);
    let queues = json(data, &["--recording", clip, "--at", "+0s", "ls", "queues"]);
    let held: Vec<&str> =
        queues.iter().filter(|row| row["held"] == true).map(|row| row["queue"].as_str().unwrap()).collect();
    assert_eq!(held, ["default"], "{queues:?}");
    let whole = data.join("whole.mcap");
    json(data, &["clip", "60", whole.to_str().unwrap()]);
    assert_eq!(marks(&whole), ["before it", "in it"]);
}

#[test]
fn the_end_of_a_file_that_is_being_written_is_no_damage() {
    let folder = configured("");
    let data = folder.path();
    let _station = Station::start(data);
    let of = |what: &str, path: &str| run(data, &["recording", what, path], "").exits(0).rows.remove(0);
    let path = recorded(data, "night.mcap", &[], || {
        let path = data.join("night.mcap");
        let path = path.to_str().unwrap();
        crate::real::plugins::until(
            || format!("{path} has no keyframe yet"),
            || {
                let info = json(data, &["recording", "info", path]);
                (info.first()?["keyframes"].as_u64()? > 0).then_some(())
            },
        );
        let (verified, info) = (of("verify", path), of("info", path));
        assert_eq!((&verified["is_being_written"], &verified["damaged"]), (&true.into(), &0.into()));
        assert_eq!(info["is_being_written"], true, "{info}");
        let out = |name: &str| data.join(name).display().to_string();
        let (part, copy) = (out("part.mcap"), out("copy.mcap"));
        for args in [
            &["ls", "queues", "--recording", path][..],
            &["recording", "cut", path, &part],
            &["recording", "repair", path, &copy],
            &["recording", "export", path],
        ] {
            let output = cli(data, args);
            let said = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap()).concat();
            assert!(output.status.success() && !said.contains("truncated"), "{args:?}: {said}");
            assert!(said.contains("still being written: what came until now"), "{args:?}: {said}");
        }
    });
    let (verified, info) = (of("verify", path.to_str().unwrap()), of("info", path.to_str().unwrap()));
    assert_eq!((&verified["is_being_written"], &info["is_being_written"]), (&false.into(), &false.into()));
    assert_eq!((&verified["damaged"], &info["is_finished"]), (&0.into(), &true.into()));
}

#[test]
fn a_mark_is_in_the_recording_and_counted_with_what_operators_did_and_what_came_of_it() {
    let folder = configured("");
    let data = folder.path();
    let _station = Station::start(data);
    let path = recorded(data, "night.mcap", &[], || {
        mark(data, "the boss is here");
        let long = "x".repeat(256);
        mark(data, &long);
        run(data, &["mark", &format!("{long}x")], "").exits(2);
        let none = run(data, &["mark", "--entry", "99999999"], "").exits(1);
        assert_eq!(none.error["code"], "no_entry", "{none:?}");
        json(data, &["hold", "boss"]);
        run(data, &["run", "cancel", "00000000-0000-4000-8000-000000000001"], "").exits(1);
    });
    let found = marks(&path);
    assert_eq!((found.len(), found[0].as_str(), found[1].len()), (2, "the boss is here", 256));
    let all = transitions(&path);
    let commands: Vec<&str> = all
        .iter()
        .filter_map(|(it, _)| match it {
            station::Transition::Operated { command, .. } => command.as_deref(),
            _ => None,
        })
        .collect();
    let command: Value = serde_json::from_str(commands[0]).unwrap();
    assert!(command["mpp"].to_string().contains("boss"), "{command}");
    let is_end = |it: &station::Transition| matches!(it, station::Transition::OperationEnded { .. });
    assert!(all.iter().any(|(it, _)| is_end(it)), "{all:?}");
    let bytes = fs::read(&path).unwrap();
    let topics = |wanted: &str| {
        let messages = mcap::MessageStream::new(&bytes).unwrap().map(Result::unwrap);
        messages.filter(|message| message.channel.topic == wanted).count()
    };
    assert_eq!(topics("marks"), 2);
    assert!(topics("commands") >= 2, "{}", topics("commands"));
}

#[test]
fn a_recording_keeps_how_its_station_was_started_and_what_it_reports_of_itself() {
    let folder = configured("[plugins.twitch_android]\ncommand = \"echo a-token-of-mine\"\n");
    let data = folder.path();
    let _station = Station::start(data);
    let path = recorded(data, "night.mcap", &[], || {
        let has_all =
            || index(&data.join("night.mcap")).is_ok_and(|it| it.attachments.len() == 5).then_some(());
        until(|| format!("{:?}", index(&data.join("night.mcap"))), has_all);
    });
    let bytes = fs::read(&path).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let text = |name: &str| {
        let found = summary.attachment_indexes.iter().find(|it| it.name == name).unwrap();
        String::from_utf8(mcap::read::attachment(&bytes, found).unwrap().data.into_owned()).unwrap()
    };
    assert!(text("version.json").contains(env!("CARGO_PKG_VERSION")));
    assert!(text("config.toml").contains("recording.preroll_s = 60"));
    assert!(text("pack.toml").contains("[pack]") || text("pack.toml").contains("id ="));
    assert!(text("registry.json").contains("observation.generic.v1"));
    assert!(text("doctor.ndjson").lines().count() > 5);
    assert!(!memchr::memmem::find(&bytes, b"a-token-of-mine").is_some_and(|_| true), "no secret is kept");
}

/// Has the station do these, one behind the other.
fn commanded(data: &Path, commands: impl IntoIterator<Item = Command>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let station = OperatorClient::connect(data).await.unwrap();
        for command in commands {
            station.command(command).await.unwrap();
        }
    });
}

#[test]
fn a_recording_has_what_was_before_it_where_that_is_asked_for() {
    let folder = configured("");
    let data = folder.path();
    let _station = Station::start(data);
    mark(data, "before");
    let with = recorded(data, "with.mcap", &["--preroll", "60"], || {
        mark(data, "after");
    });
    let without = recorded(data, "without.mcap", &[], || {
        mark(data, "later");
    });
    let by_key = Command::RecordStart { path: Some(data.join("by-key.mcap")), preroll_s: None, whole: false };
    commanded(data, [by_key, Command::RecordStop]);
    assert_eq!(marks(&with), ["before", "after"]);
    assert_eq!(marks(&without), ["later"]);
    assert_eq!(marks(&data.join("by-key.mcap")), ["before", "after", "later"], "recording.preroll_s");
    let verified = cli(data, &["recording", "verify", with.to_str().unwrap()]);
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn frames_are_kept_whole_while_that_is_asked_for() {
    let folder = configured("[limits.tap]\nframe_bytes_max = 1024\n");
    let data = folder.path();
    let _station = Station::start(data);
    let text = format!(r#"{{"text":"{}"}}"#, "long ".repeat(1_000));
    let longest = |path: &Path| {
        let lengths = read(path).unwrap().filter_map(|item| match item.unwrap() {
            RecordedItem::Entry(entry) => Some(entry.bytes.len()),
            RecordedItem::Snapshot { .. } => None,
        });
        lengths.max().unwrap()
    };
    let publish = || {
        drop(run(data, &["publish", "a/b", "--type", "observation.note.v1", "--body", &text], "").exits(0));
    };
    let whole = recorded(data, "whole.mcap", &["--whole"], publish);
    let cut = recorded(data, "cut.mcap", &[], publish);
    assert!(longest(&whole) > 5_000, "{}", longest(&whole));
    assert_eq!(longest(&cut), 1_024);
}

#[test]
fn a_recording_by_hand_continues_in_a_new_file_that_names_the_one_before() {
    let folder = configured("[limits.recording]\nfile_bytes_max = 1048576\n");
    let data = folder.path();
    let station = Station::start(data);
    let filler = crate::recording::noise(3_000_000);
    let socket = PathBuf::from(station.ready["rmp"].as_str().unwrap());
    let mut peer = Peer::greeted(&socket, "agent", None);
    let first = recorded(data, "own.mcap", &[], || {
        for number in 0..150_u64 {
            let from = usize::try_from(number).unwrap() * 20_000;
            peer.publish("a/b", true, &message(number + 1, &filler[from..from + 20_000]));
            peer.hear();
        }
        mark(data, "the last");
    });
    let next = data.join("own.2.mcap");
    let info = json(data, &["recording", "info", next.to_str().unwrap()]).remove(0);
    assert_eq!(info["previous"], "own.mcap", "{info:#}");
    assert!(index(&next).unwrap().chunks[0].has_keyframe, "it begins with the state");
    assert!(index(&first).unwrap().is_finished());
    let last = (2..).map(|number| data.join(format!("own.{number}.mcap"))).take_while(|path| path.exists());
    assert_eq!(marks(&last.last().unwrap()), ["the last"]);
    let alerts = json(data, &["ls", "alerts"]);
    assert!(!alerts.iter().any(|alert| alert.to_string().contains(".mcap")), "{alerts:?}");
}

#[test]
fn a_station_that_always_records_keeps_its_newest_files_and_all_that_others_recorded() {
    let config = "[recording]\nalways = true\nrotate_bytes = 1048576\nkeep_bytes = 1048576\nrotate_s = 0\n";
    let folder = configured(config);
    let data = folder.path();
    let station = Station::start(data);
    let first = until(|| "nothing is recorded".to_owned(), || files(data).into_iter().next());
    let own = recorded(data, "recordings/own.mcap", &[], || {
        mark(data, "mine");
    });
    // What zstd cannot make much smaller.
    let (filler, mut number) = (crate::recording::noise(4_000_000), 0);
    let socket = PathBuf::from(station.ready["rmp"].as_str().unwrap());
    let mut peer = Peer::greeted(&socket, "agent", None);
    let is_gone = || {
        if number < 200 {
            let from = usize::try_from(number).unwrap() * 20_000;
            peer.publish("a/b", true, &message(number + 1, &filler[from..from + 20_000]));
            peer.hear();
            number += 1;
        }
        (!first.exists()).then_some(())
    };
    until(|| format!("{:?}", files(data)), is_gone);
    assert!(own.exists(), "what an operator recorded is not deleted");
    // Until then one more may be deleted.
    assert!(station.terminate().success());
    let kept: Vec<PathBuf> = files(data).into_iter().filter(|path| *path != own).collect();
    assert!(!kept.is_empty() && kept.iter().all(|path| read(path).unwrap().info().is_always), "{kept:?}");
    assert!(!read(&own).unwrap().info().is_always);
    let last = kept.last().unwrap();
    assert!(index(last).unwrap().is_finished(), "it is ended with the station");
}

#[test]
fn a_station_that_always_records_deletes_its_own_files_after_their_days_and_no_other() {
    let folder = configured("[recording]\nalways = true\nkeep_days = 1\n");
    let data = folder.path();
    let written = || -> PathBuf {
        let before = files(data);
        let station = Station::start(data);
        let is_new = |path: &PathBuf| !before.contains(path) && index(path).is_ok();
        let path = until(|| format!("{:?}", files(data)), || files(data).into_iter().find(is_new));
        mark(data, "a mark");
        assert!(station.terminate().success());
        assert!(index(&path).unwrap().is_finished(), "{}", path.display());
        path
    };
    let (old, young) = (written(), written());
    // Named as its own, and made by an operator; and one of its own that somebody renamed.
    let [named, renamed] =
        ["2026-01-01_00-00-00-always.mcap", "renamed.mcap"].map(|name| data.join("recordings").join(name));
    let station = Station::start(data);
    let own = recorded(data, "own.mcap", &[], || {
        mark(data, "mine");
    });
    assert!(station.terminate().success());
    fs::rename(own, &named).unwrap();
    fs::copy(&young, &renamed).unwrap();
    for (path, hours) in [(&old, 25), (&young, 23), (&named, 25), (&renamed, 25)] {
        let file = fs::File::options().append(true).open(path).unwrap();
        let written_at = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written_at - Duration::from_secs(hours * 3_600)).unwrap();
    }
    let station = Station::start(data);
    until(|| format!("{:?}", files(data)), || (!old.exists()).then_some(()));
    // Until then others may be deleted behind it.
    assert!(station.terminate().success());
    assert!([&young, &named, &renamed].into_iter().all(|path| path.exists()), "{:?}", files(data));
}

#[test]
fn a_file_that_is_old_enough_is_continued_by_another() {
    let folder = configured("[recording]\nalways = true\nrotate_s = 1\n");
    let data = folder.path();
    let station = Station::start(data);
    let mut marked = 0;
    let has_rotated = || {
        mark(data, "tick");
        marked += 1;
        (files(data).len() > 1).then_some(())
    };
    until(|| format!("{:?}", files(data)), has_rotated);
    assert!(station.terminate().success());
    let all = files(data);
    let of = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let continued: Vec<String> =
        all.iter().filter_map(|path| read(path).unwrap().info().previous.clone()).collect();
    assert!(
        continued.len() + 1 == all.len() && continued.iter().all(|it| all.iter().any(|path| of(path) == *it))
    );
    assert_eq!(all.iter().flat_map(|path| marks(path)).count(), marked);
}

#[test]
fn what_just_happened_is_saved_after_the_fact() {
    let folder = configured("");
    let data = folder.path();
    let _station = Station::start(data);
    mark(data, "that was it");
    let clipped = json(data, &["clip"]);
    let path = PathBuf::from(clipped[0]["path"].as_str().unwrap());
    assert!(path.parent().unwrap().ends_with("recordings") && path.to_str().unwrap().ends_with("-clip.mcap"));
    assert_eq!(marks(&path), ["that was it"]);
    let first = read(&path).unwrap().next().unwrap().unwrap();
    assert!(matches!(first, RecordedItem::Snapshot { .. }), "it begins with the state");
    assert!(index(&path).unwrap().is_finished());
    let again = json(data, &["clip"]);
    assert_ne!(again[0]["path"], clipped[0]["path"], "also within one second");
    let own = data.join("own.mcap");
    json(data, &["clip", "5", own.to_str().unwrap()]);
    assert!(index(&own).unwrap().is_finished());
    let kept = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(kept, 2, "who asks writes what it names");
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o600);
    let [there, here] = [&path, &own].map(|path| index(path).unwrap());
    assert_eq!(here.info, there.info);
    // The report may take longer than it is waited for.
    let [there, here] = [there, here].map(|it| it.attachments.into_iter().filter(|it| it != "doctor.ndjson"));
    assert!(there.eq(here));
    assert_eq!(marks(&own), ["that was it"]);
    let again = run(data, &["clip", "5", own.to_str().unwrap()], "").exits(1);
    assert_eq!(again.error["code"], "exists", "{again:?}");
    assert!(again.error["hint"].as_str().unwrap().contains("a new file"), "{again:?}");
    for args in
        [&["record", own.to_str().unwrap(), "--for", "1"][..], &["serve", "--record", own.to_str().unwrap()]]
    {
        let again = run(data, args, "").exits(1);
        assert_eq!((&again.error["code"], again.rows.len()), (&"exists".into(), 0), "{again:?}");
    }
    let nowhere = data.join("none/own.mcap");
    run(data, &["clip", "5", nowhere.to_str().unwrap()], "").exits(1);
    run(data, &["clip", "0"], "").exits(2);
}
