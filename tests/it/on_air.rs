//! A noisy night in a real terminal: what must be on no screen, in no log and in no recording.

use std::{ops::Range, path::Path};

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
        let mut frames = std::iter::from_fn(|| adapter.receive());
        let frame = frames.find(|frame| frame["type"] != "heartbeat").unwrap();
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

/// Which marks are on no frame of any round. A terminal tells Esc from what follows it by time alone: on a
/// busy machine a round can go astray.
fn unseen_in_rounds<'a>(marks: &[&'a str], mut round: impl FnMut() -> Vec<String>) -> Vec<&'a str> {
    let mut unseen = marks.to_vec();
    for _ in 0..4 {
        if unseen.is_empty() {
            break;
        }
        let frames = round();
        unseen.retain(|mark| !frames.iter().any(|frame| frame.contains(mark)));
    }
    unseen
}

/// Goes through every view of the bridge's and every pane, opens what is selected there, and with it zoomed.
fn look_around(terminal: &mut Terminal) {
    look_around_in(terminal, &[("1", "Deck"), ("2", "Bridge"), ("9", "Journal")]);
}

fn look_around_in(terminal: &mut Terminal, views: &[(&str, &str)]) {
    for (key, name) in views {
        open_view(terminal, key, name);
        for keys in ["\t", "\r", "\x1b"].repeat(9).iter().chain(&["z", "\r", "\x1b", "z"]) {
            terminal.wait_stable(keys);
        }
    }
    open_view(terminal, "1", "Deck");
}

/// Whether nothing is open over a view: its keys are on the last line.
fn is_view(screen: &str) -> bool {
    screen.trim_end().lines().last().is_some_and(|keys| keys.ends_with("q quit"))
}

/// Closes all that is open, and waits each time until that has come.
fn close_all(terminal: &mut Terminal) {
    // What changes by itself is in the first lines.
    let below = |screen: &str| screen.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    for _ in 0..8 {
        let before = terminal.text();
        if is_view(&before) {
            return;
        }
        terminal.keys("\x1b");
        terminal.wait("it is closed", |screen| is_view(screen) || below(screen) != below(&before));
    }
    terminal.wait("a view", is_view);
}

/// Opens a view. A terminal tells Esc from what follows it by time alone: what an earlier Esc was to close
/// may be open still, and take the key.
fn open_view(terminal: &mut Terminal, key: &str, name: &str) {
    let tab = format!("[{key} {name}]");
    for _ in 0..2 {
        close_all(terminal);
        terminal.keys(key);
        let screen = terminal.wait(&tab, |screen| screen.contains(&tab) || !is_view(screen));
        if screen.contains(&tab) && is_view(&screen) {
            return;
        }
    }
    panic!("{tab} does not open:\n{}", terminal.text());
}

/// Makes the screen small: which of the recorded frames are painted meanwhile. These are of neither size, and
/// may lack a line.
fn shrink(terminal: &Terminal) -> Range<usize> {
    let from = terminal.recorded_frames().0.len();
    terminal.resize(80, 24);
    terminal.wait("a small screen", |screen| {
        screen.lines().next().is_some_and(|line| line.contains("ON AIR") && line.len() < 100)
    });
    from..terminal.recorded_frames().0.len()
}

/// What is masked of the recorded nights: params, results, reasons, intents, proposals and what is said of
/// them, answers to approvals, messages of agents and values of the adapter.
const NIGHT_VALUES: [&str; 20] = [
    "{\"item_id\":",
    "pickaxe",
    "give an item",
    "spawn a boss",
    "into the mine",
    "how long the break is",
    "where the party goes",
    "which song follows",
    "what the chat may do",
    "five minutes",
    "the slow one",
    "the loud one",
    "we have the time",
    "it was fun last time",
    "the chat asks for it",
    "most votes",
    "the chat has spoken",
    "the simulated game could not do it",
    "reading chat",
    "agent/chat answered",
];

/// What of it is there.
fn values_in(text: &str) -> Vec<&'static str> {
    NIGHT_VALUES.into_iter().filter(|value| text.contains(value)).collect()
}

/// Whether a text has a run that a token of a station could be.
fn has_token(text: &str) -> bool {
    let is_of_it = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    let is_token = |run: &str| {
        run.len() == 43
            && [char::is_uppercase, char::is_lowercase, char::is_numeric]
                .into_iter()
                .all(|is| run.contains(is))
    };
    text.split(|it| !is_of_it(it)).any(is_token)
}

fn night(file: &str) -> String {
    format!("{}/recordings/{file}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_view_of_the_bad_nights_is_masked_on_air() {
    let folder = tempdir().unwrap();
    let views = ["deck", "bridge", "bus", "runs", "sessions", "plugins", "trace", "wire", "journal"];
    for (file, places) in [("bad.mcap", &["+6s", "+14s", "+22s", "end"][..]), ("bad.2.mcap", &["+1s", "end"])]
    {
        let mut seen = std::collections::BTreeSet::new();
        for view in views {
            let shown = |on_air: bool| {
                let path = |at: &&str| folder.path().join(format!("{on_air}{at}"));
                let shots: Vec<String> =
                    places.iter().map(|at| format!("{at}={}", path(at).display())).collect();
                let night = night(file);
                let mut args = vec!["replay", &night, "--headless", "--view", view];
                args.extend(shots.iter().flat_map(|shot| ["--shot", shot.as_str()]));
                args.extend(on_air.then_some("--on-air"));
                let drawn = cli(folder.path(), &args);
                assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
                let read = |at| std::fs::read_to_string(path(at)).unwrap();
                places.iter().map(read).collect::<Vec<String>>()
            };
            let open = shown(false);
            seen.extend(open.iter().flat_map(|screen| values_in(screen)));
            for screen in shown(true) {
                assert!(screen.contains("ON AIR"), "{screen}");
                assert_eq!(values_in(&screen), Vec::<&str>::new(), "{file}, {view}:\n{screen}");
                assert!(!has_token(&screen), "{screen}");
            }
            assert!(!open.iter().any(|screen| has_token(screen)), "{open:?}");
        }
        assert!(seen.len() >= 4, "off air, no more of {file} is on a screen than {seen:?}");
    }
}

#[test]
fn a_bad_night_is_replayed_on_air() {
    for file in ["bad.mcap", "bad.2.mcap"] {
        // That it is on air is remembered for the folder.
        let folder = tempdir().unwrap();
        let night = night(file);
        let args = ["replay", &night, "--at", "end", "--view", "wire", "--filter", "event:give_item"];
        let mut terminal = Terminal::start(folder.path(), 160, 50, &args);
        terminal.shows("REPLAY");
        terminal.wait("what was before", |screen| !screen.contains("loading the past"));
        let views = [
            ("1", "Deck"),
            ("2", "Bridge"),
            ("4", "Runs"),
            ("5", "Sessions"),
            ("6", "Plugins"),
            ("8", "Wire"),
            ("9", "Journal"),
        ];
        terminal.record_frames();
        look_around_in(&mut terminal, &views);
        let (open, _) = terminal.recorded_frames();
        let seen: std::collections::BTreeSet<_> = open.iter().flat_map(|frame| values_in(frame)).collect();
        let is_enough = seen.contains(NIGHT_VALUES[0]) && seen.len() > 1;
        assert!(is_enough, "off air, no more of {file} was on a screen than {seen:?}");
        terminal.keys("O");
        terminal.shows("ON AIR");
        terminal.record_frames();
        look_around_in(&mut terminal, &views);
        // And through its moments.
        for _ in 0..12 {
            terminal.wait_stable("{");
            terminal.wait_stable("\r");
            terminal.wait_stable("\x1b");
        }
        let (masked, _) = terminal.recorded_frames();
        assert!(masked.len() > 50, "{}", masked.len());
        for frame in &masked {
            let seen = values_in(frame);
            assert!(seen.is_empty() && frame.contains("ON AIR"), "{file}: {seen:?}:\n{frame}");
        }
        assert!(!open.iter().chain(&masked).any(|frame| has_token(frame)), "a token was on a screen");
        terminal.keys("q");
        assert!(terminal.ended().success());
    }
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
    let unseen = unseen_in_rounds(&MARKS, || {
        look_around(&mut terminal);
        terminal.recorded_frames().0
    });
    assert!(unseen.is_empty(), "off air, these were on no screen: {unseen:?}");
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
    let resized = shrink(&terminal);
    look_around(&mut terminal);
    let (masked, raw) = terminal.recorded_frames();
    assert!(masked.len() > 50, "{}", masked.len());
    for (at, frame) in masked.iter().enumerate() {
        let told: Vec<_> = MARKS.iter().filter(|mark| frame.contains(visible_mark(mark))).collect();
        let is_on_air = frame.contains("ON AIR") || resized.contains(&at);
        assert!(told.is_empty() && is_on_air, "{told:?}:\n{frame}");
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

/// What a plugin hears, says and is told: the channel, who chats and what, a notice, a status, a value of the
/// panel, arguments.
const PLUGIN_MARKS: [&str; 7] = [
    "LCHANNEL",
    "LCHATTER",
    "PCHATTED",
    "the simulated plugin is up",
    "no credential: con",
    "PPANELED",
    "PARGUED",
];

fn make_plugin_noise(folder: &Path) {
    json(folder, &["plugin", "restart", "sim.asks"]);
    json(folder, &["stream", "set", "LCHANNEL"]);
    json(folder, &["stream", "chat", "--as", "LCHATTER", "PCHATTED"]);
    json(folder, &["plugin", "set", "sim.well", "greeting", "PPANELED"]);
    json(folder, &["plugin", "invoke", "sim.echo", "--plugin", "sim.well", "--args", r#"{"a":"PARGUED"}"#]);
}

/// Goes through the panes of the plugins, the entries and the Journal, and opens what is there.
fn look_at_plugins(terminal: &mut Terminal, with_deck: bool) {
    for (key, name, down) in [("6", "Plugins", 3), ("8", "Wire", 12), ("9", "Journal", 4), ("1", "Deck", 0)] {
        if key == "1" && !with_deck {
            continue;
        }
        open_view(terminal, key, name);
        for keys in ["\t", "\r", "\x1b"].repeat(if key == "6" { 6 } else { 2 }) {
            terminal.wait_stable(keys);
        }
        for keys in ["z", "\x1b[F"] {
            terminal.wait_stable(keys);
        }
        for keys in ["\r", "\x1b", "\x1b[A"].repeat(down) {
            terminal.wait_stable(keys);
        }
        terminal.wait_stable("z");
    }
    // The form of the panel, and the one of an action with its last arguments.
    open_view(terminal, "6", "Plugins");
    for keys in ["\x1b[H", "e", "\t", "\x1b", "\x1b[B", "e", "\t", "\x1b", "a", "\r", "\x1b", "\x1b"] {
        terminal.wait_stable(keys);
    }
}

#[test]
fn what_plugins_hear_and_say_is_masked_on_air() {
    let folder = tempdir().unwrap();
    let config = folder.path().join("home/config/rl-console");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[plugins.twitch_android]\ncommand = \"echo t\"\n").unwrap();
    let mut args = vec!["--port".to_owned(), "0".to_owned()];
    for (id, more) in [("sim.well", &[][..]), ("sim.asks", &["--ask-credential"])] {
        let into = folder.path().join(id);
        std::fs::create_dir_all(&into).unwrap();
        crate::plugin_check::simulated(&into, &[&["--id", id], more].concat());
        args.extend(["--plugins".to_owned(), into.display().to_string()]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(folder.path(), 160, 50, &args);
    terminal.stable_text();
    terminal.shows("? 1 approval");
    json(folder.path(), &["plugin", "deny", "sim.asks"]);
    terminal.record_frames();
    let unseen = unseen_in_rounds(&PLUGIN_MARKS, || {
        // What is new is among the last entries, of which each is opened.
        make_plugin_noise(folder.path());
        look_at_plugins(&mut terminal, true);
        terminal.recorded_frames().0
    });
    assert!(unseen.is_empty(), "off air, these were on no screen: {unseen:?}");
    terminal.keys("O");
    terminal.shows("ON AIR");
    terminal.record_frames();
    make_plugin_noise(folder.path());
    look_at_plugins(&mut terminal, true);
    let resized = shrink(&terminal);
    look_at_plugins(&mut terminal, false);
    let (masked, _) = terminal.recorded_frames();
    assert!(masked.len() > 50, "{}", masked.len());
    for (at, frame) in masked.iter().enumerate() {
        // As much of each as the narrowest column shows.
        let told_of = |mark: &'static str| {
            let is_marked = mark.starts_with(char::is_uppercase);
            &mark[..if is_marked { 4 } else { 12 }]
        };
        let told: Vec<_> = PLUGIN_MARKS.into_iter().filter(|mark| frame.contains(told_of(mark))).collect();
        let is_on_air = frame.contains("ON AIR") || resized.contains(&at);
        assert!(told.is_empty() && is_on_air, "{told:?}:\n{frame}");
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
