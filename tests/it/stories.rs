//! What a person does at the console, step by step, with the real binary in a real terminal.

mod again;
mod folder_gone;
mod gate;
mod glance;
mod instrument;
mod leaving;
mod lifecycle;
mod plugins;
mod present;
mod recordings;
mod sessions;
mod two_stations;
mod workbench;

use std::process::Stdio;

use tempfile::tempdir;

use crate::{
    real::{Adapter, json, screen::Terminal},
    terminal::{console, mpp_addr},
};

const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

/// What follows `before` on the screen, up to the next space.
fn word_after(screen: &str, before: &str) -> String {
    let rest = &screen[screen.find(before).unwrap() + before.len()..];
    rest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn pair_and_connect() {
    let folder = tempdir().unwrap();
    let mut terminal = Terminal::start(folder.path(), 160, 50, &["--port", "0"]);
    // The screen itself says what to type, and in another terminal that is what is typed.
    // Where its lines break, the length of the program's path decides.
    let screen = terminal.wait("the first steps", |screen| {
        ["1 pair:", "--out", "bridge.token", "hello with the token"]
            .iter()
            .all(|words| screen.contains(words))
    });
    assert!(
        screen.contains("no pairing") || screen.contains("◐"),
        "the chip says that something is missing\n{screen}"
    );
    let file = folder.path().join("bridge.token");
    json(folder.path(), &["pair", "--out", file.to_str().unwrap()]);
    terminal.wait("the first step is done", |screen| screen.contains("✓ 1 pair"));
    let addr = word_after(&screen, "MPP v2 over TCP to ");
    let token = std::fs::read_to_string(&file).unwrap();
    let _adapter = Adapter::ready(addr.trim_end_matches(',').parse().unwrap(), token.trim());
    terminal.wait("the second step is done", |screen| screen.contains("✓ 2 connect"));
    json(folder.path(), &["invoke", "heal_party"]);
    terminal
        .wait("the lesson is over", |screen| !screen.contains("Getting started") && screen.contains("MPP ●"));
    // The chip tells who is connected.
    terminal.keys("\x1b[Z\r");
    terminal.wait("the bridge's report", |screen| {
        screen.contains("MPP bridge") && screen.contains("connected for")
    });
    assert!(!terminal.shows("MPP bridge").contains(token.trim()), "the token is on no screen");
}

#[test]
fn an_adapter_hangs_see_it_and_kick_it() {
    let (folder, token, mut terminal) = console(160, 50);
    let addr = mpp_addr(folder.path());
    let mut hung = Adapter::ready(addr, &token);
    json(folder.path(), &["invoke", "heal_party"]);
    hung.send(PULL).unwrap();
    let id = hung.receive().unwrap()["id"].as_u64().unwrap();
    // It takes the work and says nothing any more: the age of what it holds grows.
    terminal.wait("dispatched and ageing", |screen| {
        screen.lines().any(|line| {
            line.contains("heal_party")
                && line.contains("dispatched")
                && (line.contains("1.") || line.contains("2."))
        })
    });
    terminal.keys("K");
    let question = terminal.shows("Disconnect the adapter?");
    assert!(
        question.contains("1 dispatched will be requeued"),
        "it says what becomes of the work
{question}"
    );
    terminal.keys("y");
    terminal.wait("nothing is in flight", |screen| screen.contains("disconnected") && !screen.contains("1▶"));
    while hung.receive().is_some() {}
    // Another one takes over and gets the same work again.
    let mut other = Adapter::ready(addr, &token);
    other.send(PULL).unwrap();
    assert_eq!(other.receive().unwrap()["id"].as_u64(), Some(id));
    other.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
    other.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
    terminal.wait("it is done", |screen| {
        screen.lines().any(|line| line.contains("✓ done") && line.contains("heal_party"))
    });
}

#[test]
fn i_hit_the_brake_twice_and_resume() {
    let (folder, token, mut terminal) = console(80, 24);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    adapter.send(PULL).unwrap();
    terminal.keys("\x18");
    terminal.shows("ALL HELD");
    json(folder.path(), &["invoke", "heal_party"]);
    // The work waits, whatever the adapter pulls; the header goes on saying why.
    terminal.wait("it waits", |screen| {
        screen.contains("ALL HELD")
            && screen
                .lines()
                .any(|line| line.contains("default") && line.split_whitespace().any(|word| word == "1"))
    });
    let queues = json(folder.path(), &["ls", "queues"]);
    assert!(queues.iter().all(|row| row["held"] == true && row["in_flight"].is_null()), "{queues:?}");
    // A second stroke takes nothing back.
    terminal.keys("\x18");
    terminal.shows("everything is already held; U resumes it");
    terminal.keys("U");
    terminal.shows("Resume everything?");
    terminal.keys("y");
    terminal.wait("resumed", |screen| !screen.contains("ALL HELD"));
    assert_eq!(adapter.receive().unwrap()["event"], "heal_party");
}

#[test]
fn switch_theme_in_daylight() {
    let (folder, _token, mut terminal) = console(100, 30);
    terminal.keys("T");
    terminal.shows("theme: daylight");
    terminal.writes(b"48;2;251;250;246");
    // A theme of one's own, a few lines on top of another, and the configuration that asks for it.
    let config = folder.path().join("home/config/rl-console");
    std::fs::create_dir_all(config.join("themes")).unwrap();
    let theme = config.join("themes/terrace.toml");
    let write = |background: &str| {
        let text = format!("base = \"daylight\"\n[roles]\nbackground = {{ rgb = \"{background}\" }}\n");
        std::fs::write(&theme, text).unwrap();
    };
    write("#fff8e7");
    std::fs::write(config.join("config.toml"), "[console]\ntheme = \"terrace\"\n").unwrap();
    terminal.writes(b"48;2;255;248;231");
    // A slip is told where one looks, and what was good stays.
    write("#fff8e");
    terminal.shows("~/config/rl-console/themes/terrace.toml:3:22: `#fff8e` is not #rrggbb: write six digits");
    write("#fff8dd");
    terminal.writes(b"48;2;255;248;221");
    terminal.wait("the error is gone", |screen| !screen.contains("#fff8e"));
    // What the operator chose by the key stays when something else changes.
    terminal.keys("T");
    terminal.shows("theme: midnight");
    std::fs::write(
        config.join("config.toml"),
        "[console]\ntheme = \"terrace\"\nascii = true\n[mpp]\nport = 9\n",
    )
    .unwrap();
    terminal.wait("plain characters", |screen| screen.contains("+ > Queues"));
    terminal.keys("T");
    terminal.shows("theme: daylight");
    terminal.keys("q");
    assert!(terminal.ended().success());
}

/// A simulated adapter in a process of its own, ended with the test.
struct SimAdapter(std::process::Child);

impl Drop for SimAdapter {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn give_an_item_by_hand_with_a_wrong_value_first() {
    let (folder, token, mut terminal) = console(100, 30);
    let file = folder.path().join("sim.token");
    rl_console::private_files::replace(&file, token.as_bytes()).unwrap();
    let addr = mpp_addr(folder.path()).to_string();
    let mut sim = crate::real::command(folder.path());
    sim.args(["sim", "adapter", "--addr", &addr, "--latency", "1", "--token-file"]).arg(&file);
    let _sim =
        SimAdapter(sim.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    terminal.wait("connected", |screen| screen.contains("MPP ●"));
    terminal.keys("n");
    terminal.wait("the events", |screen| screen.contains("choose an event") && screen.contains("spawn_boss"));
    terminal.keys("j\r");
    terminal.wait("the form", |screen| screen.contains("item_id") && screen.contains("required"));
    terminal.keys("1000");
    terminal.shows("it is greater than the maximum of 999");
    // It cannot be sent, and says why; nothing reaches the station.
    terminal.keys("\x13");
    terminal.wait("why not", |screen| {
        screen.lines().filter(|line| line.contains("item_id: it is greater")).count() == 2
    });
    assert!(json(folder.path(), &["ls", "invocations"]).is_empty());
    terminal.keys("\x7f\x7f\x7f\x7f4\t\x1b[C");
    terminal
        .wait("all is well", |screen| !screen.contains("it is greater") && screen.contains("count     1"));
    terminal.keys("\x13");
    // The form closes, and the row is followed where it was given until the adapter has done it.
    terminal.wait("given and done", |screen| screen.contains("last run") && screen.contains("✓ 1 done"));
    let rows = json(folder.path(), &["ls", "invocations"]);
    assert_eq!(
        (&rows[0]["params"], &rows[0]["source"]["kind"]),
        (&serde_json::json!({"count": 1, "item_id": 4}), &"manual".into())
    );
    // What was last run is there again.
    terminal.keys("\r");
    terminal.wait("the last values", |screen| {
        screen.contains("item_id") && screen.lines().any(|line| line.contains("item_id   4"))
    });
}

#[test]
fn a_mebibyte_is_pasted_into_a_form_and_no_key_is_lost() {
    let (folder, _token, mut terminal) = console(80, 24);
    terminal.wait("the station is there", |screen| {
        screen.lines().any(|line| line.contains("default") && line.contains("applied"))
    });
    terminal.keys("n");
    terminal.wait("the events", |screen| screen.contains("choose an event") && screen.contains("spawn_boss"));
    terminal.keys("G\r");
    terminal.shows("level");
    let flood = format!("\x1b[200~{}\x1b[201~", "kraken \u{202e}x".repeat(100_000));
    terminal.keys(&flood);
    terminal.shows("did not fit and were cut");
    terminal.keys("\x05");
    terminal.shows("as form");
    terminal.keys("\x05");
    terminal.shows("as JSON");
    // Ctrl-U empties the field, and what is typed then stands alone.
    terminal.keys("\x15hydra");
    terminal.wait("only what was typed", |screen| screen.contains("hydra") && !screen.contains("kraken"));
    terminal.keys("\x1b");
    terminal.shows("choose an event");
    terminal.keys("\x1b");
    terminal.wait("the Deck", |screen| screen.contains("Queues") && !screen.contains("choose an event"));
    assert!(json(folder.path(), &["ls", "invocations"]).is_empty());
}
