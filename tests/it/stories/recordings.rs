//! What recordings are for: it just happened, what was it like then, and save it when it happens again.

use std::path::{Path, PathBuf};

use rl_console::recording::index;

use crate::{
    real::{Adapter, cli, json, plugins::until, screen::Terminal},
    terminal::{console, mpp_addr},
};

/// `Ctrl-R`.
const RECORD: &str = "\x12";
const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

/// The finished file whose name ends so, as soon as it is there.
fn finished(data: &Path, ending: &str) -> PathBuf {
    let folder = data.join("recordings");
    let found = || {
        let files = std::fs::read_dir(&folder).ok()?.filter_map(|file| Some(file.ok()?.path()));
        files
            .filter(|path| path.to_string_lossy().ends_with(ending))
            .find(|path| index(path).is_ok_and(|index| index.is_finished()))
    };
    until(|| format!("no finished {ending} in {}", folder.display()), found)
}

/// Pulls work, and does it.
fn work(adapter: &mut Adapter) {
    adapter.send(PULL).unwrap();
    let id = adapter.receive().unwrap()["id"].as_u64().unwrap();
    adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
    adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
}

#[test]
fn clip_that() {
    let (folder, token, mut terminal) = console(160, 50);
    let data = folder.path();
    let mut adapter = Adapter::ready(mpp_addr(data), &token);
    adapter.send(r#"{"mpp":2,"type":"log","level":"warn","message":"the dragon fell through"}"#).unwrap();
    terminal.shows("the dragon fell through");
    // Nobody recorded; what was a moment ago is saved all the same.
    terminal.keys("B");
    terminal.shows("-clip.mcap");
    let clip = finished(data, "-clip.mcap");
    // It is looked at where it was made, and the station is still there.
    terminal.keys(&format!(":replay {} --at end\r", clip.display()));
    terminal.shows("REPLAY");
    terminal.keys("8");
    terminal.shows("the dragon fell through");
    terminal.keys("q");
    terminal.wait("the station", |screen| screen.contains("LIVE") && screen.contains("MPP ●"));
}

#[test]
fn what_was_the_queue_like_when_she_redeemed_it() {
    let (folder, token, mut terminal) = console(160, 50);
    let data = folder.path();
    terminal.keys(RECORD);
    terminal.shows("●REC");
    for _ in 0..3 {
        json(data, &["invoke", "heal_party"]);
    }
    let redeemed = ["invoke", "give_item", "--params", r#"{"item_id":41}"#, "--source", "channel_points"];
    json(data, &redeemed);
    json(data, &["invoke", "set_weather", "--params", r#"{"weather":"rain"}"#]);
    let mut adapter = Adapter::ready(mpp_addr(data), &token);
    (0..5).for_each(|_| work(&mut adapter));
    terminal.shows("5 ✓ done");
    terminal.keys(RECORD);
    terminal.shows("Stop recording?");
    terminal.wait_stable("y");
    terminal.wait("no recording", |screen| !screen.contains("●REC"));
    let file = finished(data, ".mcap");

    let mut replay =
        Terminal::start(data, 160, 50, &["replay", file.to_str().unwrap(), "--at", "end", "--view", "wire"]);
    replay.shows("REPLAY");
    let queue = |screen: &str| {
        let row = screen.lines().find(|line| line.contains("default   applied"))?;
        row.split_whitespace().nth(3)?.parse::<u32>().ok()
    };
    replay.keys("2");
    replay.wait("an empty queue", |screen| queue(screen) == Some(0));
    // The redemption is found by its name, and its moment is gone to.
    replay.keys("8/kind:enqueued event:give_item\r");
    replay.shows("4 give_item on default");
    replay.keys("g@");
    replay.shows("alone: to the selected entry");
    replay.keys("\r2");
    replay.wait("three before it, and it", |screen| queue(screen) == Some(4));
    replay.keys("q");
    assert!(replay.ended().success());
}

#[test]
fn seek_through_a_night_filter_inspect_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let night = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name);
    let (first, second) = (night("bad.mcap"), night("bad.2.mcap"));
    let files = [first.to_str().unwrap(), second.to_str().unwrap()];
    let args = [&["replay"], &files[..], &["--view", "wire", "--at", "+0s"]].concat();
    let mut terminal = Terminal::start(folder.path(), 160, 50, &args);
    terminal.shows("REPLAY ‖");
    // From one event of note to the next, until something failed.
    terminal.keys("/kind:failed\r");
    terminal.shows("kind:failed ─");
    let found = |screen: &str| {
        let count = screen.split_once("Wire ").map_or("", |(_, title)| title);
        count.split_once(" of ").is_some_and(|(count, _)| count != "0")
    };
    while !found(&terminal.text()) {
        terminal.wait_stable("}");
    }
    // What was gone to last is there before it is looked at.
    terminal.wait_stable("");
    let at = clock(&terminal.text());
    terminal.wait_stable("\r");
    terminal.wait("why", |screen| {
        !screen.contains("▸ Wire") && screen.contains("the simulated game could not do it")
    });
    terminal.keys("\x1b");
    terminal.shows("▸ Wire");
    // On, as fast as it was.
    terminal.keys(" ");
    terminal.wait("it plays", |screen| screen.contains("REPLAY") && !screen.contains("REPLAY ‖"));
    terminal.wait("time passes", |screen| clock(screen) != at);
    terminal.keys("q");
    assert!(terminal.ended().success());
}

/// The moment that the header of a replay has.
fn clock(screen: &str) -> String {
    let at = screen.split_once("REPLAY").map_or("", |(_, at)| at.trim_start_matches([' ', '‖']));
    at.split_whitespace().next().unwrap_or_default().to_owned()
}

#[test]
fn save_it_when_it_happens_again() {
    let (folder, token, mut terminal) = console(160, 50);
    let data = folder.path();
    let mut adapter = Adapter::ready(mpp_addr(data), &token);
    let fall = r#"{"mpp":2,"type":"log","level":"warn","message":"the dragon fell through"}"#;
    terminal.keys(":trigger kind:log\r");
    terminal.shows("added");
    adapter.send(fall).unwrap();
    // It is marked, and heard of.
    terminal.wait("the alert", |screen| screen.contains("! 1 alert"));
    let fired = || {
        let rows = json(data, &["trigger", "ls"]);
        rows.first().filter(|row| row["fired"] == 1).map(|row| row["name"].as_str().unwrap().to_owned())
    };
    let name = until(|| "it has not fired".to_owned(), fired);
    terminal.keys("a");
    terminal.shows(&format!("trigger {name}"));
    terminal.keys("\x1b");
    // From now on with what was before it and behind it.
    json(data, &["trigger", "rm", &name]);
    json(data, &["trigger", "add", "fall", "--when", "kind:log", "--clip", "30,1"]);
    adapter.send(fall).unwrap();
    let clip = finished(data, "-clip.mcap");
    let told = cli(data, &["replay", clip.to_str().unwrap(), "--plain"]).stdout;
    let told = String::from_utf8(told).unwrap();
    let falls = told.lines().filter(|line| line.contains("the dragon fell through")).count();
    assert!(falls >= 2, "also the one before the trigger was there: {told}");
}
