//! A noisy night in a real terminal: what must be on no screen, in no log and in no recording.

use std::path::Path;

use tempfile::tempdir;

use crate::{
    real::{Adapter, cli, json, pair, screen::Terminal},
    terminal::mpp_addr,
};

/// Texts that are masked while the show is on air: a viewer's login, what the adapter says, params, a result,
/// a reason, a value.
const MARKS: [&str; 6] = ["LVIEWER", "PLOGGED", "PARAMS", "PRESULT", "PREASON", "PSTATE"];

/// As much of a mark as the narrowest column shows.
fn visible_mark<'a>(mark: &&'a str) -> &'a str {
    &mark[..4]
}

/// Work, answered in each way; a log line that quotes a token, a value.
fn make_noise(folder: &Path, adapter: &mut Adapter, token: &str) {
    adapter
        .send(&format!(r#"{{"mpp":2,"type":"log","level":"warn","message":"PLOGGED {token} by LVIEWER"}}"#))
        .unwrap();
    adapter.send(r#"{"mpp":2,"type":"state_write","key":"party","value":["PSTATE"]}"#).unwrap();
    for end in ["done", "failed", "pending"] {
        json(folder, &["invoke", "spawn_boss", "--params", r#"{"boss":"PARAMS"}"#, "--user", "LVIEWER"]);
        if end == "pending" {
            break;
        }
        adapter.send(r#"{"mpp":2,"type":"pull","queue":"boss"}"#).unwrap();
        let frame = adapter.receive().unwrap();
        let id = frame["id"].as_u64().unwrap_or_else(|| panic!("{frame}"));
        let failed =
            format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"PREASON {token} of LVIEWER"}}"#);
        let applied = format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":{{"is":"PRESULT"}}}}"#);
        let answers = if end == "failed" {
            vec![failed]
        } else {
            vec![applied, format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)]
        };
        for answer in answers {
            adapter.send(&answer).unwrap();
        }
    }
}

/// Goes through every view and every pane, opens what is selected there, and with it zoomed.
fn look_around(terminal: &mut Terminal) {
    for (key, name) in [("1", "Deck"), ("2", "Bridge"), ("9", "Journal")] {
        terminal.keys(key);
        terminal.shows(&format!("[{key} {name}]"));
        for keys in ["\t", "\r", "\x1b"].repeat(9).iter().chain(&["z", "\r", "\x1b", "z"]) {
            terminal.wait_stable(keys);
        }
    }
    terminal.keys("1");
    terminal.shows("[1 Deck]");
}

#[test]
fn go_on_air_in_the_middle_of_it() {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let recording = folder.path().join("night.mcap");
    let mut terminal =
        Terminal::start(folder.path(), 160, 50, &["--port", "0", "--record", recording.to_str().unwrap()]);
    terminal.stable_text();
    terminal.record_frames();
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    make_noise(folder.path(), &mut adapter, &token);
    terminal.wait("the noise", |screen| screen.contains("PREASON") && screen.contains("PLOGGED"));
    // A terminal tells Esc from what follows it by time alone: on a busy machine a round can go astray.
    let mut rounds = (0..4).map(|_| {
        look_around(&mut terminal);
        let (open, _) = terminal.recorded_frames();
        MARKS.into_iter().filter(|mark| !open.iter().any(|frame| frame.contains(mark))).collect::<Vec<_>>()
    });
    assert!(rounds.any(|unseen| unseen.is_empty()), "off air, some of these were on no screen: {MARKS:?}");
    let (open, _) = terminal.recorded_frames();
    terminal.keys("O");
    let screen = terminal.shows("ON AIR");
    assert!(screen.contains("on air: logins, chat text and payload values are masked until O"), "{screen}");
    terminal.record_frames();
    make_noise(folder.path(), &mut adapter, &token);
    look_around(&mut terminal);
    // What a subcommand prints, and the line that ran it, called back.
    terminal.keys(":ls invocations --json\r");
    terminal.shows("exit 0");
    terminal.wait_stable("\x1b");
    for keys in [":", "\x1b[A", "\x1b"] {
        terminal.wait_stable(keys);
    }
    terminal.resize(80, 24);
    terminal.wait("a small screen", |screen| {
        screen.lines().next().is_some_and(|line| line.contains("ON AIR") && line.len() < 100)
    });
    look_around(&mut terminal);
    let (masked, raw) = terminal.recorded_frames();
    assert!(masked.len() > 50, "{}", masked.len());
    for frame in &masked {
        let told: Vec<_> = MARKS.iter().filter(|mark| frame.contains(visible_mark(mark))).collect();
        assert!(told.is_empty() && frame.contains("ON AIR"), "{told:?}:\n{frame}");
    }
    // On air or not, a token is nowhere.
    for frame in open.iter().chain(&masked) {
        assert!(!frame.contains(&token[..8]), "{frame}");
    }
    let has_token = |bytes: &[u8]| memchr::memmem::find(bytes, &token.as_bytes()[..8]).is_some();
    assert!(!has_token(&raw));
    terminal.keys("q");
    // Whatever is in flight is asked for.
    if terminal
        .wait("the end, or a question", |screen| screen.contains("Quit?") || !screen.contains("ON AIR"))
        .contains("Quit?")
    {
        terminal.keys("s");
    }
    assert!(terminal.ended().success());
    let bytes = std::fs::read(&recording).unwrap();
    let mut messages = 0;
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        assert!(!has_token(&message.unwrap().data));
        messages += 1;
    }
    assert!(messages > 20, "{messages}");
    for file in std::fs::read_dir(folder.path().join("home/state/rl-console/log")).unwrap() {
        assert!(!has_token(&std::fs::read(file.unwrap().path()).unwrap()));
    }
}

#[test]
fn a_screen_that_is_drawn_anew_after_a_fault_of_ours_is_still_on_air() {
    let folder = tempdir().unwrap();
    let mut terminal = Terminal::start(folder.path(), 100, 30, &["--port", "0", "--on-air"]);
    terminal.shows("ON AIR");
    terminal.keys("O");
    terminal.shows("Go off air?");
    terminal.keys("y");
    terminal.wait("off air", |screen| !screen.contains("ON AIR"));
    terminal.keys("O");
    terminal.shows("ON AIR");
    let entered = terminal.entered();
    terminal.record_frames();
    // F12 is a fault in a debug build.
    terminal.keys("\x1b[24~");
    terminal.wait("another screen", |screen| terminal.entered() > entered && screen.contains("ON AIR"));
    let (frames, _) = terminal.recorded_frames();
    assert!(frames.iter().filter(|frame| frame.contains("rl-console")).all(|frame| frame.contains("ON AIR")));
    terminal.keys("O");
    terminal.shows("Go off air?");
    terminal.keys("y");
    terminal.wait("off air", |screen| !screen.contains("ON AIR"));
    let entered = terminal.entered();
    terminal.keys("\x1b[24~");
    terminal.wait("another screen, off air as the one before", |screen| {
        terminal.entered() > entered && screen.contains("Queues") && !screen.contains("ON AIR")
    });
}

#[test]
fn the_start_is_on_air_where_the_configuration_or_a_variable_says_so() {
    let folder = tempdir().unwrap();
    let shown = |args: &[&str]| {
        let output = cli(folder.path(), &[&["config", "show", "--origin"], args].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find(|line| line.contains("console.on_air")).unwrap().to_owned()
    };
    assert!(
        shown(&[]).contains("false")
            && shown(&["--on-air"]).contains("true")
            && shown(&["--on-air"]).contains("flag --on-air")
    );
    let config = folder.path().join("home/config/rl-console");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[console]\non_air = true\n").unwrap();
    assert!(shown(&[]).contains("true"));
    let terminal = Terminal::start(folder.path(), 80, 24, &["--port", "0"]);
    terminal.shows("ON AIR");
}
