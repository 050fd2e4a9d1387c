//! Recordings of a real station, replayed on its screens.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use rl_console::{
    recording::{RecordedItem, read},
    tap::recorded::OwnedEntry,
};

use crate::{
    real::{Adapter, cli, json, pair, screen::Terminal},
    recording_station::configured,
    terminal::mpp_addr,
};

/// A recorded show, and the screen at its end as it was live: with time stopped, on the view of this key.
fn record(data: &Path, file: &str, view: char) -> String {
    let token = pair(data);
    let mut terminal = Terminal::start(data, 160, 50, &["--port", "0", "--record", file]);
    terminal.stable_text();
    let mut adapter = Adapter::ready(mpp_addr(data), &token);
    terminal.shows("MPP ●");
    for line in 0..40 {
        let frame = format!(r#"{{"mpp":2,"type":"log","level":"warn","message":"line {line} end"}}"#);
        adapter.send(&frame).unwrap();
    }
    terminal.keys(&view.to_string());
    terminal.shows("line 39 end");
    terminal.keys(" ");
    let live = terminal.shows("PAUSED");
    terminal.keys(" ");
    terminal.shows("LIVE");
    drop(adapter);
    terminal.shows("MPP ◐");
    terminal.keys("q");
    terminal.ended();
    live
}

/// The time of day that a screen is paused at, with milliseconds.
fn paused_at(screen: &str) -> String {
    let at = screen.split_once("PAUSED ").unwrap().1;
    at.split(' ').next().unwrap().to_owned()
}

/// What the panes show within their frames. Where time is stopped, a sign is at the moment.
fn panes(screen: &str) -> Vec<String> {
    let rows = screen.lines().filter(|line| line.starts_with('│'));
    rows.map(|line| line.trim_end().replace('‖', " ")).collect()
}

fn entries(file: &Path) -> Vec<OwnedEntry> {
    let entry = |item| match item {
        Ok(RecordedItem::Entry(entry)) => Some(entry),
        _ => None,
    };
    read(file).unwrap().filter_map(entry).collect()
}

fn replay(data: &Path, args: &[&str]) -> Terminal {
    let terminal = Terminal::start(data, 160, 50, &[&["replay"], args].concat());
    terminal.shows("REPLAY");
    terminal
}

#[test]
fn a_screen_of_the_past_is_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let live = record(data, "show.mcap", '8');
    let at = paused_at(&live);
    let mut terminal = replay(data, &["show.mcap", "--at", &at, "--view", "wire"]);
    let expected = panes(&live);
    terminal.wait("the panes as they were", |screen| panes(screen) == expected);
    let screen = terminal.text();
    assert!(!screen.contains("LIVE") && !screen.contains("PAUSED") && !screen.contains("REC"), "{screen}");
    assert!(screen.contains(&at), "the clock is the recording's:\n{screen}");

    // Elsewhere first, and back again by a time that is written.
    terminal.keys("\x1b[F");
    terminal.wait("its end", |screen| screen.contains("REPLAY") && panes(screen) != expected);
    terminal.keys("@");
    terminal.shows("recorded from");
    terminal.keys(&format!("{at}\r"));
    terminal.wait("the panes as they were", |screen| screen.contains(&at) && panes(screen) == expected);
    terminal.keys("q");
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[test]
fn a_console_opens_a_recording_over_its_station_and_returns() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    record(data, "show.mcap", '8');
    let mut terminal = Terminal::start(data, 160, 50, &["--port", "0"]);
    terminal.shows("LIVE");
    terminal.keys(":replay none.mcap\r");
    terminal.shows("none.mcap: ");
    terminal.keys(":replay show.mcap --at end --view wire\r");
    terminal.shows("REPLAY");
    terminal.shows("line 39 end");
    // The station keeps running, and what happens in it is there afterwards.
    let token = String::from_utf8(cli(data, &["pair", "--rotate"]).stdout).unwrap();
    let mut adapter = Adapter::ready(mpp_addr(data), token.trim());
    adapter.send(r#"{"mpp":2,"type":"log","level":"warn","message":"said meanwhile"}"#).unwrap();
    terminal.keys(":replay show.mcap\r");
    terminal.shows("a recording is shown here already");
    terminal.keys("\x1b");
    terminal.wait("no more of it", |screen| !screen.contains("shown here already"));
    terminal.keys("q");
    terminal.wait("the station", |screen| screen.contains("LIVE") && !screen.contains("REPLAY"));
    terminal.shows("MPP ●");
    terminal.keys("8");
    terminal.shows("said meanwhile");
    drop(adapter);
    terminal.shows("MPP ◐");
    terminal.keys("q");
    terminal.ended();
    terminal.assert_restored();
}

#[test]
fn what_the_station_waits_for_is_in_the_header_of_a_recording_over_it_and_rings() {
    let asks = "version: 0\nname: asks\nnodes: [{id: boss, use: agent:boss, \
        with: {text: x, require_human_confirm: true}}]\nedges: []\n";
    let triggers = "[[triggers]]\nname = \"boss\"\nwhen = \"topic:game/boss\"\nalert = true\n";
    let folder = configured(triggers);
    let data = folder.path();
    record(data, "show.mcap", '8');
    let mut terminal = Terminal::start(data, 160, 50, &["--port", "0"]);
    terminal.shows("LIVE");
    terminal.keys(":replay show.mcap --at end --view wire\r");
    terminal.shows("REPLAY");
    terminal.shows("line 39 end");
    // What the first line says of now; nothing of the recording is held, asked for or alerted.
    let now = |what: &str, wanted: &[&str]| {
        terminal.wait(what, |screen| {
            let line = screen.lines().next().unwrap_or_default();
            let now = line.split_once("(NOW: ").and_then(|(_, rest)| Some(rest.split_once(')')?.0));
            line.contains("REPLAY") && now.is_some_and(|now| wanted.iter().all(|it| now.contains(it)))
        })
    };
    json(data, &["hold", "boss"]);
    now("a brake", &["1 held"]);
    json(data, &["publish", "game/boss", "--type", "observation.note.v1", "--body", r#"{"hp":1}"#]);
    now("an alert", &["1 held", "1 alert"]);
    terminal.writes(b"\x07");
    let opening = data.join("asks.yaml");
    std::fs::write(&opening, asks).unwrap();
    json(data, &["submit", opening.to_str().unwrap()]);
    let screen = now("an approval", &["?1 ", "1 held", "1 alert"]);
    assert!(screen.contains("line 39 end"), "the recording is what is shown:\n{screen}");
    json(data, &["resume", "boss"]);
    terminal.wait("no brake", |screen| screen.contains("(NOW: ") && !screen.contains("1 held"));
    terminal.keys("q");
    terminal.wait("the station, which says it itself", |screen| {
        screen.contains("LIVE") && !screen.contains("NOW:") && screen.contains("1 approval")
    });
}

#[test]
fn it_plays_holds_steps_and_does_nothing_to_a_station() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    record(data, "show.mcap", '8');
    let all = entries(&data.join("show.mcap"));
    let of_line = |text: &str| {
        let is_it = |it: &&OwnedEntry| String::from_utf8_lossy(&it.bytes).contains(text);
        all.iter().find(is_it).unwrap().entry.seq
    };
    let begin = format!("seq:{}", of_line("line 5 end"));
    let mut terminal = replay(data, &["show.mcap", "--at", &begin, "--view", "wire"]);
    terminal.wait("that line, and none behind it", |screen| {
        screen.contains("line 5 end") && !screen.contains("line 7 end")
    });
    terminal.wait("what was before it", |screen| !screen.contains("loading the past"));
    // A step on hands out what is next; a step back goes through what is kept.
    for _ in 0..12 {
        terminal.keys(".");
    }
    terminal.shows("line 7 end");
    for _ in 0..12 {
        terminal.keys(",");
    }
    terminal.wait("the lines before", |screen| !screen.contains("line 7 end"));
    terminal.keys("]]");
    terminal.shows("×4");
    terminal.keys("]]]]]");
    terminal.shows("max");
    terminal.keys(" ");
    terminal.wait("the end", |screen| screen.contains("line 39 end"));
    terminal.keys(" ");
    terminal.shows("end of the recording");
    // What acts on a station is answered.
    terminal.keys("2");
    terminal.shows("Queues");
    terminal.keys("H");
    terminal.shows("replay of the past");
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn bookmarks_are_kept_next_to_the_recording_and_a_file_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    record(data, "show.mcap", '8');
    let kept = data.join("show.marks.json");
    let mut terminal = replay(data, &["show.mcap", "--at", "end", "--view", "wire"]);
    terminal.shows("line 39 end");
    terminal.keys("m");
    terminal.shows("bookmark 1 set");
    terminal.keys("q");
    assert!(terminal.ended().success());
    let text = std::fs::read_to_string(&kept).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["version"], &json["marks"][0]["view"]), (&1.into(), &"Wire".into()), "{text}");
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);

    let mut terminal = replay(data, &["show.mcap", "--at", "+0s"]);
    terminal.keys("'");
    terminal.shows("bookmark 1 of 1");
    terminal.shows("line 39 end");
    terminal.keys("q");
    assert!(terminal.ended().success());
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), text);

    let other = r#"{"shopping": ["milk"]}"#;
    std::fs::write(&kept, other).unwrap();
    let mut terminal = replay(data, &["show.mcap", "--at", "end", "--view", "wire"]);
    terminal.shows("show.marks.json");
    terminal.shows("line 39 end");
    terminal.keys("m");
    terminal.shows("bookmark 1 set");
    terminal.keys("q");
    assert!(terminal.ended().success());
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), other);
}

#[test]
fn a_recording_is_told_in_lines_and_what_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    record(data, "show.mcap", '8');
    let path = |name: &str| data.join(name).display().to_string();
    let told = cli(data, &["replay", &path("show.mcap"), "--plain", "--json"]);
    assert!(told.status.success());
    let text = String::from_utf8(told.stdout).unwrap();
    assert!(text.contains("line 39 end") && text.contains("\"at_ms\""), "{text}");
    let all = text.lines().count();
    let seq = entries(&data.join("show.mcap")).iter().rev().nth(20).unwrap().entry.seq;
    let at = format!("seq:{seq}");
    let told = cli(data, &["replay", &path("show.mcap"), "--plain", "--json", "--at", &at]);
    let rest = String::from_utf8(told.stdout).unwrap();
    assert!(rest.lines().count() < all && text.ends_with(&rest), "{rest}");

    let code = |args: &[&str]| {
        let refused = cli(data, &[&["--json", "replay", "--plain"], args].concat());
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        (refused.status.code(), text)
    };
    std::fs::write(data.join("none.mcap"), "not a recording").unwrap();
    let (status, text) = code(&[&path("none.mcap")]);
    assert!(status == Some(6) && text.contains("no_recording"), "{status:?} {text}");
    let (status, text) = code(&[&path("show.mcap"), "--at", "soon"]);
    assert!(status == Some(2) && text.contains("seq:N"), "{status:?} {text}");
    std::fs::create_dir(data.join("empty")).unwrap();
    let (status, text) = code(&[&path("empty")]);
    assert!(status == Some(2) && text.contains("no_recording"), "{status:?} {text}");
}

#[test]
fn what_is_run_in_a_replay_asks_the_recording_and_leaves_a_running_station_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = crate::real::Station::start(data);
    let bad = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");
    let mut terminal = replay(data, &[bad, "--at", "+14s"]);
    terminal.keys(":ls runs\r");
    terminal
        .wait("the runs of that moment", |screen| screen.contains("exit 0") && screen.contains("submitted"));
    terminal.keys("\x1b");
    terminal.wait("no output", |screen| !screen.contains("exit 0"));
    for line in ["hold boss", "mark here", "pair --rotate --out token.txt"] {
        terminal.keys(&format!(":{line}\r"));
        terminal.wait(line, |screen| screen.contains("exit 1") && screen.contains("replay of the past"));
        terminal.keys("\x1b");
        terminal.wait("no output", |screen| !screen.contains("exit 1"));
    }
    let queues = crate::real::json(data, &["ls", "queues"]);
    assert!(!queues.is_empty() && queues.iter().all(|row| row["held"] == false), "{queues:#?}");
    drop(station);
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn a_dialog_takes_its_keys_while_no_time_passes() {
    let folder = tempfile::tempdir().unwrap();
    let bad = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");
    let mut terminal = replay(folder.path(), &[bad, "--at", "+14s"]);
    terminal.keys("O");
    terminal.shows("ON AIR");
    terminal.keys("O");
    terminal.shows("Go off air?");
    terminal.keys("O");
    terminal.shows("the dialog is open already");
    terminal.keys("y");
    terminal.wait("off air", |screen| !screen.contains("ON AIR") && !screen.contains("Go off air?"));
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn without_a_terminal_the_recording_is_checked_and_other_ways_to_read_it_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let bad = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");
    for (args, code, why) in [
        (&["nosuch.mcap"][..], 2, "nosuch.mcap"),
        (&[bad, "--at", "soon"], 2, "seq:N"),
        (&[bad], 1, "stdin is not a terminal"),
    ] {
        let refused = cli(folder.path(), &[&["replay"], args].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(code) && said.contains(why), "{args:?}: {said}");
        let is_hinted = said.contains(&format!("replay {bad} --plain`")) && said.contains("--headless");
        assert_eq!(is_hinted, code == 1, "{said}");
        assert!(!said.contains("serve"), "{said}");
    }
}
