//! The person at the screen leaves it: the station goes on without one, or stops in order.

use tempfile::tempdir;

use crate::{
    real::{cli, command, json, pair, screen::Terminal, test_station::TestStation},
    terminal::console,
};

/// A shell with job control, in a terminal of its own.
fn shell(data: &std::path::Path) -> Terminal {
    let words = ["bash", "--norc", "--noprofile", "-i"].map(str::to_owned);
    let mut terminal = Terminal::run(data, 160, 50, &words);
    terminal.keys("PS1='READY> '\n");
    terminal.wait("its prompt", |screen| screen.lines().any(|line| line.starts_with("READY> ")));
    terminal
}

/// Rows that wait, of all queues.
fn pending(data: &std::path::Path) -> u64 {
    json(data, &["ls", "queues"]).iter().filter_map(|queue| queue["pending"].as_u64()).sum()
}

#[test]
fn leave_it_running_and_go() {
    let folder = tempdir().unwrap();
    let data = folder.path();
    pair(data);
    let mut terminal = shell(data);
    terminal.keys(&format!("{} --data {} --port 0\n", env!("CARGO_BIN_EXE_rl-console"), data.display()));
    terminal.stable_text();
    json(data, &["invoke", "heal_party"]);
    terminal.shows("✓ 3 invoke an event");
    terminal.keys("q");
    let asked = terminal.shows("Quit?");
    assert!(asked.contains("1 pending stay as they are."), "{asked}");
    terminal.keys("d");
    terminal.shows("station continues without a screen");
    terminal.wait("the shell's prompt, and that the job goes on", |screen| {
        screen.contains("rl-console") && screen.lines().last().is_some_and(|line| line.starts_with("READY>"))
    });
    terminal.keys("sleep 0.5; jobs; echo $((40 + 2))\n");
    let jobs = terminal.wait("what was typed is run", |screen| screen.lines().any(|line| line == "42"));
    assert!(jobs.contains("Running"), "{jobs}");
    assert_eq!(pending(data), 1, "it answers");
    // The same command line shows it again, and the shell's end does not end it.
    terminal.keys(&format!("{} --data {}\n", env!("CARGO_BIN_EXE_rl-console"), data.display()));
    // A line says so before there is a screen that takes keys.
    terminal.shows("LIVE");
    terminal.keys("q");
    terminal.wait("the prompt once more", |screen| {
        !screen.contains("LIVE") && screen.lines().last().is_some_and(|line| line.starts_with("READY>"))
    });
    terminal.hang_up();
    assert_eq!(pending(data), 1, "it answers still");
    assert!(cli(data, &["stop", "--force"]).status.success());
}

#[test]
fn without_job_control_the_terminal_stays_with_the_station_that_goes_on() {
    let (folder, _token, mut terminal) = console(100, 30);
    json(folder.path(), &["invoke", "heal_party"]);
    terminal.shows("✓ 3 invoke an event");
    terminal.keys("q");
    terminal.shows("Quit?");
    terminal.keys("d");
    let words = terminal.shows("no job control in this shell");
    assert!(words.contains(&format!("process {}", terminal.pid())), "{words}");
    assert_eq!(json(folder.path(), &["ls", "queues"]).len(), 2, "it answers");
    terminal.keys("\x03");
    assert!(terminal.ended().success());
}

#[test]
fn who_stopped_it() {
    let fixture = TestStation::open();
    let data = fixture.folder.path();
    let terminal = Terminal::start(data, 160, 50, &["attach"]);
    terminal.stable_text();
    let stopped = command(data).args(["stop", "--force"]).output().unwrap();
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    let header = terminal.wait("who stopped it", |screen| screen.contains("STOPPED by operator"));
    assert!(!header.contains("LOST") && !header.contains("LIVE"), "{header}");
}
