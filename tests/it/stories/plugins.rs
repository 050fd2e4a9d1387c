//! Plugins on stream: real processes below a real station, seen and answered at the console.
#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::{
    plugin_check::simulated,
    real::{self, cli, screen::Terminal},
};

/// What the operator's login is.
const TOKEN: &str = "c3RvcmllZC10b2tlbi1vZi10aGUtb3BlcmF0b3I";

/// Writes simulated plugins, each with its behaviour.
fn written(data: &Path, plugins: &[(&str, &[&str])]) -> Vec<PathBuf> {
    let write = |(id, behaviour): &(&str, &[&str])| {
        let into = data.join("sim").join(id);
        fs::create_dir_all(&into).unwrap();
        simulated(&into, &[&["--id", id], *behaviour].concat());
        into
    };
    plugins.iter().map(write).collect()
}

/// A console whose station serves simulated plugins, under this configuration.
fn on_stream(size: (u16, u16), config: &str, plugins: &[(&str, &[&str])]) -> (TempDir, Terminal) {
    let folder = tempdir().unwrap();
    configured(folder.path(), config);
    let folders = written(folder.path(), plugins);
    let mut args = vec!["--port", "0"];
    args.extend(folders.iter().flat_map(|folder| ["--plugins", folder.to_str().unwrap()]));
    let terminal = Terminal::start(folder.path(), size.0, size.1, &args);
    terminal.shows("LIVE");
    (folder, terminal)
}

fn configured(data: &Path, config: &str) {
    let folder = data.join("home/config/rl-console");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), config).unwrap();
}

fn login() -> String {
    format!("[plugins.twitch_android]\ncommand = \"echo {TOKEN}\"\n")
}

/// Whether a line of the screen has all of these.
fn has_line(screen: &str, words: &[&str]) -> bool {
    screen.lines().any(|line| words.iter().all(|word| line.contains(word)))
}

/// Opens the view and waits for the plugins in it.
fn view(terminal: &mut Terminal, id: &str) {
    terminal.keys("6");
    terminal.wait("the view of the plugins", |screen| {
        screen.contains("[6 Plugins]") && has_line(screen, &[id, "0/3"])
    });
}

/// Chooses in the palette.
fn palette(terminal: &mut Terminal, line: &str) {
    terminal.keys(&format!(":{line}\r"));
}

#[test]
fn a_plugin_dies_on_stream_see_why_and_restart_it() {
    let folder = tempdir().unwrap();
    let data = folder.path();
    let folders = written(data, &[("sim.drops", &[])]);
    // Its first process ends after a moment, and so does each other one until it is mended.
    let [ran, mended] = ["ran", "mended"].map(|name| data.join(name).display().to_string());
    let of_sim = fs::read_to_string(folders[0].join("main.sh")).unwrap();
    let run = of_sim.lines().last().unwrap();
    let main = format!(
        "#!/bin/sh\nif [ -e {mended} ]; then {run}; fi\nif [ -e {ran} ]; then\n  echo no such channel >&2\n  \
         exit 7\nfi\ntouch {ran}\n{run} --crash-after 1 --exit-code 7\n"
    );
    fs::write(folders[0].join("main.sh"), main).unwrap();
    fs::set_permissions(folders[0].join("main.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut terminal = Terminal::start(data, 160, 50, &["--port", "0"]);
    terminal.stable_text();
    real::json(data, &["plugin", "install", folders[0].to_str().unwrap(), "--yes"]);
    // One glance at the Deck: which, how and why.
    terminal.wait("it died", |screen| {
        screen.contains("PLUG ◐") && has_line(screen, &["sim.drops", "exited: exit code 7"])
    });
    terminal.keys("6");
    terminal.wait("what it said last", |screen| {
        screen.contains("[6 Plugins]") && has_line(screen, &["stderr", "no such channel"])
    });
    terminal.wait("it will take a while", |screen| {
        has_line(screen, &["sim.drops", "waiting", "3/3", "exited: exit code 7"])
            || has_line(screen, &["sim.drops", "disabled", "restart limit"])
    });
    fs::write(&mended, "").unwrap();
    terminal.keys("R");
    terminal.wait("the question", |screen| {
        screen.contains("Restart sim.drops?") || screen.contains("Enable sim.drops?")
    });
    terminal.keys("y");
    terminal.wait("it is up, and what was counted is forgotten", |screen| {
        screen.contains("PLUG ● 1/1") && has_line(screen, &["sim.drops", "up", "0/3"])
    });
    terminal.keys("9");
    terminal.wait("the Journal has it all", |screen| {
        screen.contains("sim.drops ended, exited: exit code 7") && screen.contains("is restarted, 3 of 3")
    });
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn it_asks_for_the_login_deny_then_allow_for_good_then_revoke() {
    let (folder, mut terminal) = on_stream((160, 50), &login(), &[("sim.asks", &["--ask-credential"])]);
    let data = folder.path();
    terminal.record_frames();
    // It is seen from anywhere, with what is left of its time.
    terminal.wait("it asks", |screen| screen.contains("? 1 approval 1m") && screen.contains("PLUG ◐ asking"));
    terminal.keys("a");
    terminal.wait("who asks for what", |screen| {
        has_line(screen, &["credential", "left", "sim.asks asks for twitch.android"])
    });
    terminal.keys("r");
    terminal.shows("Deny twitch.android to sim.asks?");
    terminal.keys("y");
    terminal.shows("twitch.android denied to sim.asks");
    terminal.keys("\x1b");
    terminal.wait("the tray is closed", |screen| !screen.contains("▸ Alerts"));
    view(&mut terminal, "sim.asks");
    terminal.shows("no credential: consent_denied");
    // Second thoughts: granted again it may ask again.
    terminal.keys("\t\t\x1b[F");
    terminal.shows("▸ Capabilities sim.asks");
    terminal.keys("\x1b[A");
    palette(&mut terminal, "grant");
    terminal.shows("Grant twitch.android to sim.asks?");
    terminal.keys("y");
    terminal.shows("twitch.android granted to sim.asks");
    terminal.keys("R");
    terminal.shows("Restart sim.asks?");
    terminal.keys("y");
    terminal.wait("it asks again", |screen| has_line(screen, &["! sim.asks", "asks for twitch.android"]));
    terminal.keys("P");
    terminal.wait("what that means", |screen| {
        screen.contains("Always allow twitch.android to sim.asks?") && screen.contains("in your name")
    });
    terminal.keys("y");
    terminal.wait("it is handed over, and written down", |screen| {
        has_line(screen, &["allowed", "twitch.android"]) && has_line(screen, &["handed", "twitch.android"])
    });
    terminal.wait("what it makes of it is masked", |screen| has_line(screen, &["log", "the token is"]));
    palette(&mut terminal, "revoke");
    terminal.shows("Revoke twitch.android from sim.asks?");
    terminal.keys("y");
    terminal.wait("it is taken back", |screen| {
        has_line(screen, &["twitch.android", "no"]) && has_line(screen, &["revoked", "twitch.android"])
    });
    let audit = real::json(data, &["plugin", "audit", "sim.asks"]);
    let of: Vec<_> = audit
        .iter()
        .filter(|row| row["text"].as_str().is_some_and(|text| text.starts_with("twitch.android")))
        .filter_map(|row| row["what"].as_str())
        .collect();
    let wanted = ["asked", "denied", "asked", "allowed_always", "handed", "revoked"];
    assert_eq!(of, wanted, "{audit:#?}");
    let (frames, raw) = terminal.recorded_frames();
    assert!(frames.len() > 10 && memchr::memmem::find(&raw, &TOKEN.as_bytes()[..12]).is_none());
    terminal.keys("q");
    assert!(terminal.ended().success());
}

/// A child that is gone with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until a file has a text so many times.
fn has_told(file: &Path, times: usize, text: &str) {
    for _ in 0..600 {
        if fs::read_to_string(file).unwrap().matches(text).count() >= times {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("never told: {text}: {}", fs::read_to_string(file).unwrap());
}

#[test]
fn write_a_plugin_with_dev_and_watch_it() {
    let folder = tempdir().unwrap();
    let data = folder.path();
    let folders = written(data, &[("sim.mine", &[])]);
    let mut terminal = Terminal::start(data, 160, 50, &["--port", "0"]);
    terminal.stable_text();
    terminal.keys("6");
    terminal.shows("no plugins installed");
    let mut dev = real::command(data);
    dev.args(["plugin", "dev", folders[0].to_str().unwrap()]);
    let told = data.join("dev.err");
    let stderr = fs::File::create(&told).unwrap();
    let mut dev = Running(dev.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap());
    terminal.wait("it is up", |screen| has_line(screen, &["● sim.mine", "up"]));
    // What is saved runs.
    let main = folders[0].join("main.sh");
    let text = fs::read_to_string(&main).unwrap().replacen('\n', "\necho the second one >&2\n", 1);
    fs::write(&main, text).unwrap();
    terminal.wait("the other one is up", |screen| {
        has_line(screen, &["stderr", "the second one"]) && has_line(screen, &["● sim.mine", "up", "0/3"])
    });
    // A slip is said in the terminal of the command, and what ran before runs on.
    let manifest = folders[0].join("plugin.toml");
    let good = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, good.replace("tier = \"A\"", "tier = \"Z\"")).unwrap();
    has_told(&told, 1, "`tier` is \"Z\"");
    assert!(has_line(&terminal.text(), &["● sim.mine", "up"]), "{}", terminal.text());
    fs::write(&manifest, good).unwrap();
    has_told(&told, 2, "serving sim.mine");
    terminal.wait("it is up again", |screen| has_line(screen, &["● sim.mine", "up"]));
    // It is gone with the command.
    rustix::process::kill_process(rustix::process::Pid::from_child(&dev.0), rustix::process::Signal::INT)
        .unwrap();
    dev.0.wait().unwrap();
    terminal.shows("no plugins installed");
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn edit_its_panel() {
    let (folder, mut terminal) = on_stream((80, 24), "", &[("sim.well", &[])]);
    view(&mut terminal, "sim.well");
    terminal.shows("read the panel's values");
    terminal.keys("e");
    terminal.wait("its form", |screen| screen.contains("Panel of sim.well") && screen.contains("Count"));
    // The count is a number of at most 10.
    terminal.keys("\t\x1577");
    terminal.shows("must be at most 10");
    terminal.keys("\x13");
    terminal.wait("it is not sent", |screen| screen.contains("Panel of sim.well"));
    terminal.keys("\x157\x13");
    terminal.shows("panel of sim.well saved");
    terminal.wait("the plugin is told", |screen| has_line(screen, &["log", "on_panel_change"]));
    let shown = real::json(folder.path(), &["plugin", "show", "sim.well"]);
    assert_eq!(shown[0]["values"]["count"], json!(7), "{shown:#?}");
    // What the form has next time is what was saved.
    terminal.keys("e");
    terminal.wait("the value is there", |screen| has_line(screen, &["Count", "7"]));
    terminal.keys("\x1b");
    terminal.wait("the form is closed", |screen| !screen.contains("Panel of"));
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn who_is_flooding() {
    let config = "[limits.plugin]\nframes_per_s_max = 200\n";
    let plugins: [(&str, &[&str]); 2] = [("sim.flood", &["--flood", "frames"]), ("sim.well", &[])];
    let (folder, mut terminal) = on_stream((80, 24), config, &plugins);
    terminal.keys("6");
    terminal.wait("at a glance", |screen| {
        has_line(screen, &["◐ sim.flood", "up", "throttled"]) && has_line(screen, &["● sim.well", "up"])
    });
    terminal.shows("! 1 alert");
    terminal.keys("a");
    terminal.wait("who, and what to do", |screen| {
        has_line(screen, &["active", "sim.flood sends more"]) && screen.contains("disable the plugin")
    });
    // It leads there, whatever was selected.
    terminal.keys("\r");
    terminal.wait("there", |screen| screen.contains("Plugin log sim.flood") && !screen.contains("Alerts:"));
    terminal.keys("x");
    terminal.shows("Disable sim.flood?");
    terminal.keys("y");
    terminal.wait("it is quiet", |screen| {
        has_line(screen, &["sim.flood", "disabled"])
            && has_line(screen, &["● sim.well", "up"])
            && !screen.contains("! 1 alert")
    });
    let rows = real::json(folder.path(), &["ls", "plugins"]);
    assert!(rows.iter().any(|row| row["plugin"] == "sim.well" && row["state"] == "up"), "{rows:#?}");
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn the_line_of_the_login_is_in_the_colour_of_warnings() {
    let folder = tempdir().unwrap();
    let data = folder.path();
    let folders = written(data, &[("sim.asks", &["--ask-credential"])]);
    let _station = real::Station::start(data);
    let program = env!("CARGO_BIN_EXE_rl-console");
    let (data_text, dir) = (data.display().to_string(), folders[0].display().to_string());
    let install = |no_color: &str| {
        let words = ["/usr/bin/env", no_color, program, "--data", &data_text, "plugin", "install", &dir];
        let mut terminal = Terminal::run(data, 100, 30, &words.map(str::to_owned));
        terminal.wait("what it may do", |screen| screen.contains("[y/N]"));
        terminal.keys("n\r");
        assert!(!terminal.ended().success());
        assert!(terminal.shows("nothing was installed").contains("! use your Twitch login token"));
        terminal.has_written(b"\x1b[1;33m  ! use your Twitch login token")
    };
    assert!(install("NO_COLOR="));
    assert!(!install("NO_COLOR=1"));
    assert!(!cli(data, &["plugin", "install", &dir]).status.success(), "nobody is there to be asked");
}
