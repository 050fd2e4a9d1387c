//! What no console should have to bear: storms of sizes, huge pastes, tiny and huge terminals, themes
//! changing without end, floods. It must not panic, leave garbage or lose a key.
//!
//! The long form of the flood takes a minute: `cargo test --release --test it torture -- --ignored`.

use std::{
    process::{Child, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use crate::{
    real::{command, json, screen::Terminal},
    terminal::{busy, console, mpp_addr},
};

const DOWN: &str = "\x1b[B";
const SHIFT_TAB: &str = "\x1b[Z";

/// The simulated adapter, serving and flooding; killed when it is dropped.
struct Flood(Child);

impl Flood {
    fn start(folder: &TempDir, token: &str, logs_per_s: u32) -> Self {
        let mut adapter = command(folder.path());
        adapter.args([
            "sim",
            "adapter",
            "--addr",
            &mpp_addr(folder.path()).to_string(),
            "--logs-per-s",
            &logs_per_s.to_string(),
        ]);
        adapter
            .env("RL_CONSOLE_BRIDGE_TOKEN", token)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self(adapter.spawn().unwrap())
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The frames of the panes: all else is blank. Their lower and upper lines carry words, so only corners and
/// sides count.
fn frames(screen: &str) -> String {
    let lines = screen.lines().map(|line| {
        let line: String =
            line.chars().map(|letter| if "┌┐└┘│".contains(letter) { letter } else { ' ' }).collect();
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Opens the help and closes it: whatever was typed before has had its effect then.
fn wait_stable(terminal: &mut Terminal) -> String {
    terminal.keys("?");
    terminal.shows("Keys of");
    terminal.keys("\x1b");
    terminal.wait("help is gone", |screen| !screen.contains("Keys of"))
}

/// Switches to the next theme; gives its name.
fn next_theme(terminal: &mut Terminal) -> String {
    wait_stable(terminal);
    terminal.keys("T");
    let screen = terminal.shows("theme: ");
    let after = screen.split("theme: ").nth(1).unwrap();
    after.split_whitespace().next().unwrap().to_owned()
}

/// The themes, in the order of the key, from the one after the next.
fn themes(terminal: &mut Terminal) -> Vec<String> {
    let first = next_theme(terminal);
    let mut names = vec![first];
    loop {
        let name = next_theme(terminal);
        if name == names[0] {
            return names;
        }
        names.push(name);
    }
}

/// Rows that ended on the default queue; the screen shows them all. The last one's id.
fn work(folder: &TempDir, terminal: &Terminal, rows: usize) -> u64 {
    let file = folder.path().join("rows.ndjson");
    std::fs::write(&file, "{\"event\":\"heal_party\"}\n".repeat(rows)).unwrap();
    json(folder.path(), &["invoke", "--from", file.to_str().unwrap()]);
    let last = json(folder.path(), &["invoke", "heal_party", "--wait", "done"]);
    let id = last[0]["id"].as_u64().unwrap();
    terminal.wait("the last row among those that ended", |screen| {
        screen.lines().any(|line| line.contains(&format!(" {id} ✓ done")))
    });
    id
}

/// Keys while log lines pour in, `rounds` times: themes, focus, zoom, selection. What they come to in the end
/// is known.
fn keys_under_a_flood(logs_per_s: u32, rounds: usize, pause: Duration) {
    let (folder, token, mut terminal) = console(160, 50);
    let flood = Flood::start(&folder, &token, logs_per_s);
    let last = work(&folder, &terminal, 40);
    let names = themes(&mut terminal);
    let fresh = frames(&wait_stable(&mut terminal));

    // The theme is the second of them now. In each round: one on; to the next pane and back; zoomed and back.
    for _ in 0..rounds {
        for key in ["T", "\t", SHIFT_TAB, "z", "z"] {
            terminal.keys(key);
        }
        std::thread::sleep(pause);
    }
    let name = next_theme(&mut terminal);
    assert_eq!(name, names[(rounds + 1) % names.len()], "of {rounds} themes, some were lost or came twice");
    let after = wait_stable(&mut terminal);
    assert!(after.contains("▸ Queues"), "the focus is back where it was\n{after}");

    // Two panes on are the rows that ended. None of thirty steps down is lost, however many entries come
    // between.
    terminal.keys("\t\t");
    terminal.shows("▸ Recent");
    for _ in 0..30 {
        terminal.keys(DOWN);
    }
    terminal.keys("\r");
    terminal.shows(&format!("Invocation {}", last - 30));
    terminal.keys("\x1b");
    terminal.wait("details are gone", |screen| !screen.contains("Invocation "));
    terminal.keys(SHIFT_TAB);
    terminal.keys(SHIFT_TAB);
    terminal.shows("▸ Queues");
    let after = wait_stable(&mut terminal);
    assert_eq!(frames(&after), fresh, "garbage is left:\n{after}");
    drop(flood);
    quit(&mut terminal);
}

fn quit(terminal: &mut Terminal) {
    terminal.keys("q");
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[test]
fn no_key_is_lost_under_a_flood() {
    keys_under_a_flood(5_000, 101, Duration::ZERO);
}

#[test]
#[ignore = "takes a minute"]
fn no_key_is_lost_under_a_flood_of_a_minute() {
    keys_under_a_flood(50_000, 601, Duration::from_millis(100));
}

#[test]
fn no_key_is_lost_of_a_heap_that_comes_at_once() {
    let (_folder, _token, mut terminal) = console(160, 50);
    terminal.shows("Getting started");
    let names = themes(&mut terminal);
    // The first of them is on. Heaps that fill what is read at once, and more; sequences are split wherever
    // that ends.
    let mut at = 0;
    for heap in [1_023, 1_024, 1_025, 5_001] {
        terminal.keys(&"T".repeat(heap));
        at += heap + 1;
        assert_eq!(
            next_theme(&mut terminal),
            names[at % names.len()],
            "of {heap} themes, some were lost or came twice"
        );
    }
    terminal.keys(&SHIFT_TAB.repeat(1_201));
    wait_stable(&mut terminal);
    terminal.keys(&"\t".repeat(1_201));
    let after = wait_stable(&mut terminal);
    assert!(after.contains("▸ Queues"), "the focus is back where it was\n{after}");
    quit(&mut terminal);
}

#[test]
fn a_storm_of_sizes_leaves_a_whole_screen() {
    let (_folder, _token, mut terminal) = console(160, 50);
    terminal.shows("Getting started");
    let fresh = frames(&wait_stable(&mut terminal));
    for round in 0..200_u16 {
        let (columns, rows) = match round % 5 {
            0 => (20, 5),
            1 => (300, 100),
            2 => (80 + round, 24),
            3 => (1 + round, 1 + round / 4),
            _ => (160, 50 - round % 7),
        };
        terminal.resize(columns, rows);
        if round % 3 == 0 {
            terminal.keys("T");
        }
    }
    terminal.resize(160, 50);
    terminal.wait("the screen as it was", |screen| frames(screen) == fresh);
    let after = wait_stable(&mut terminal);
    assert_eq!(frames(&after), fresh, "garbage is left:\n{after}");
    quit(&mut terminal);
}

#[test]
fn a_terminal_that_is_slow_at_the_end_is_given_back_all_the_same() {
    let (_folder, _token, mut terminal) = console(300, 100);
    terminal.stall(true);
    // Whole frames, until the terminal has no room for more.
    for _ in 0..30 {
        terminal.keys("T");
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.keys("q");
    std::thread::sleep(Duration::from_millis(700));
    terminal.stall(false);
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[test]
fn a_paste_of_a_mebibyte_is_no_key_and_harms_nothing() {
    let (_folder, _token, mut terminal) = console(100, 30);
    terminal.shows("Getting started");
    let fresh = wait_stable(&mut terminal);
    // Each of these would do something, were it typed: q quits, H holds, y confirms, T and z change the
    // screen.
    let paste = "qy\x18HDTz:?\t\r\n\u{202e}日本".repeat(1 << 16);
    assert!(paste.len() > 1 << 20);
    terminal.keys(&format!("\x1b[200~{paste}\x1b[201~"));
    let after = wait_stable(&mut terminal);
    assert_eq!(frames(&after), frames(&fresh), "garbage is left:\n{after}");
    assert!(after.contains("▸ Queues") && !after.contains("held") && !after.contains("theme:"), "{after}");
    quit(&mut terminal);
}

#[test]
fn a_paste_of_a_mebibyte_into_a_form_is_cut_and_the_form_goes_on() {
    let (folder, _token, mut terminal) = console(160, 50);
    terminal.shows("Getting started");
    let fresh = frames(&wait_stable(&mut terminal));
    terminal.keys("n");
    terminal.wait("the events", |screen| screen.contains("choose an event") && screen.contains("heal_party"));
    terminal.keys(DOWN);
    terminal.keys("\r");
    terminal.shows("Invoke: Give an item");
    for paste in ["9".repeat(1 << 20), "{\"a\": [1,\u{202e}\r\n".repeat(1 << 16)] {
        terminal.keys(&format!("\x1b[200~{paste}\x1b[201~"));
    }
    terminal.shows("did not fit");
    terminal.keys("\x1b");
    terminal.shows("choose an event");
    terminal.keys("\x1b");
    terminal.wait("the screen as it was", |screen| frames(screen) == fresh);
    assert!(json(folder.path(), &["ls", "invocations"]).is_empty(), "nothing was given");
    quit(&mut terminal);
}

#[test]
fn a_paste_confirms_no_question() {
    let (folder, token, mut terminal) = console(100, 30);
    let _adapter = busy(folder.path(), &token, &terminal);
    terminal.keys("q");
    terminal.shows("requeue");
    terminal.keys("\x1b[200~yyyy\x1b[201~");
    // A key behind the paste has its effect: the paste was read, and the question stands until then.
    terminal.keys("n");
    terminal.wait("the question is gone", |screen| !screen.contains("requeue"));
    wait_stable(&mut terminal);
}

#[test]
fn a_terminal_too_small_says_so_and_takes_no_key_but_the_one_that_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::start(folder.path(), 20, 5, &["--port", "0"]);
    terminal.shows("80×24 is needed");
    terminal.keys("HDT\tz\r:\x18");
    quit(&mut terminal);
    // Brakes survive a restart, had one been put on.
    let mut terminal = Terminal::start(folder.path(), 160, 50, &["--port", "0"]);
    let screen = terminal.wait("the queues", |screen| screen.contains("Queues") && screen.contains("boss"));
    assert!(!screen.to_lowercase().contains("held") && !screen.contains("drain:"), "{screen}");
    terminal.resize(20, 5);
    terminal.shows("80×24 is needed");
    quit(&mut terminal);
}

#[test]
fn a_huge_terminal_is_filled() {
    let (folder, token, mut terminal) = console(300, 100);
    let _flood = Flood::start(&folder, &token, 1_000);
    work(&folder, &terminal, 10);
    let screen = wait_stable(&mut terminal);
    assert!(screen.lines().count() >= 99, "{screen}");
    assert!(screen.lines().take(98).any(|line| line.chars().count() >= 299), "{screen}");
    quit(&mut terminal);
}
