//! The console in a real pseudo-terminal.

use std::{io::Write as _, time::Duration};

use rl_console::{
    port::{Operator, Page, Query},
    station::OperatorClient,
};
use tempfile::{TempDir, tempdir};

use crate::real::{Adapter, json, pair, screen::Terminal};

/// A console on a paired data folder of its own, and where its adapters connect.
pub(crate) fn console(columns: u16, rows: u16) -> (TempDir, String, Terminal) {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let terminal = Terminal::start(folder.path(), columns, rows, &["--port", "0"]);
    terminal.stable_text();
    // The screen is there before its station answers.
    mpp_addr(folder.path());
    (folder, token, terminal)
}

/// Where the station of a data folder listens; asked again until it does.
pub(crate) fn mpp_addr(folder: &std::path::Path) -> std::net::SocketAddr {
    for _ in 0..600 {
        let output = crate::real::cli(folder, &["--json", "ls", "health"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some(at) = text.find("listening on ") {
            let rest = &text[at + "listening on ".len()..];
            return rest[..rest.find(',').unwrap()].parse().unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the station never listened");
}

/// An adapter that holds one row and says nothing more, as the screen shows it.
pub(crate) fn busy(folder: &std::path::Path, token: &str, terminal: &Terminal) -> Adapter {
    let mut adapter = Adapter::ready(mpp_addr(folder), token);
    json(folder, &["invoke", "heal_party"]);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    adapter.receive().unwrap();
    terminal.shows("heal_party");
    adapter
}

#[test]
fn a_first_run_teaches_and_ticks_off_what_is_done() {
    let folder = tempdir().unwrap();
    let terminal = Terminal::start(folder.path(), 160, 50, &["--port", "0"]);
    terminal.shows("Getting started");
    let token = pair(folder.path());
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    json(folder.path(), &["invoke", "heal_party"]);
    terminal.wait("the lesson is over", |screen| !screen.contains("Getting started"));
    terminal.shows("heal_party");
}

#[test]
fn work_is_seen_from_its_pull_to_its_end() {
    let (folder, token, terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    json(folder.path(), &["hold"]);
    terminal.shows("held");
    json(folder.path(), &["resume"]);
    json(folder.path(), &["invoke", "spawn_boss", "--params", r#"{"boss":"kraken"}"#]);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"boss"}"#).unwrap();
    let id = adapter.receive().unwrap()["id"].as_u64().unwrap();
    terminal.wait("dispatched", |screen| screen.contains("spawn_boss") && screen.contains("1▶"));
    adapter.send(&format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"the sea is calm"}}"#)).unwrap();
    terminal.shows("the sea is calm");
}

#[test]
fn keys_move_the_focus_open_and_close_help_and_ask_before_quitting() {
    let (folder, token, mut terminal) = console(100, 30);
    let _adapter = busy(folder.path(), &token, &terminal);
    terminal.keys("?");
    terminal.shows("Keys of");
    terminal.keys("\x1b");
    terminal.wait("help is gone", |screen| !screen.contains("Keys of"));
    terminal.keys("q");
    terminal.wait("the question", |screen| screen.contains("requeue"));
    terminal.keys("n");
    terminal.wait("the question is gone", |screen| !screen.contains("requeue"));
    terminal.keys("q");
    terminal.wait("the question again", |screen| screen.contains("requeue"));
    terminal.keys("s");
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[test]
fn a_resize_draws_the_whole_screen_anew_and_too_small_says_so() {
    let (_folder, _token, terminal) = console(160, 50);
    terminal.resize(80, 24);
    terminal.wait("80 columns", |screen| {
        screen.contains("Queues") && screen.lines().all(|line| line.chars().count() <= 80)
    });
    terminal.resize(60, 15);
    terminal.wait("too small", |screen| {
        screen.contains("80") && screen.contains("24") && !screen.contains("Queues")
    });
    terminal.resize(160, 50);
    terminal.shows("Queues");
}

#[test]
fn a_station_that_cannot_start_gives_the_terminal_back_and_says_why() {
    let folder = tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("station.db")).unwrap();
    database
        .execute_batch("PRAGMA user_version = 99; PRAGMA application_id = 7; CREATE TABLE x (a);")
        .unwrap();
    drop(database);
    let mut terminal = Terminal::start(folder.path(), 100, 30, &["--port", "0"]);
    assert!(!terminal.ended().success());
    terminal.assert_restored();
    terminal.shows("use another data folder");
}

#[test]
fn sigterm_restores_the_terminal() {
    let (_folder, _token, mut terminal) = console(80, 24);
    let pid = rustix::process::Pid::from_raw(i32::try_from(terminal.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[cfg(debug_assertions)]
#[test]
fn a_fault_of_the_screen_ends_neither_the_station_nor_the_sight_of_it() {
    const F12: &str = "\x1b[24~";
    let (folder, _token, mut terminal) = console(100, 30);
    let addr = mpp_addr(folder.path());
    json(folder.path(), &["invoke", "heal_party"]);
    for round in 1..=3 {
        terminal.keys(F12);
        terminal.wait("the screen again", |_| terminal.entered() == round + 1);
        // The first key goes to the new screen: nobody reads for the old one any more.
        terminal.keys("?");
        terminal.shows("Keys of");
        terminal.keys("\x1b");
        terminal.wait("help is gone", |screen| screen.contains("Queues") && !screen.contains("Keys of"));
    }
    assert_eq!(mpp_addr(folder.path()), addr);
    terminal.keys(F12);
    assert!(!terminal.ended().success(), "a screen that fails again and again ends");
    terminal.assert_restored();
}

#[test]
fn a_console_that_was_stopped_takes_the_terminal_again() {
    let (folder, _token, mut terminal) = console(100, 30);
    mpp_addr(folder.path());
    let pid = rustix::process::Pid::from_raw(i32::try_from(terminal.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    wait_for("the console is stopped", || state_of(pid) == 'T');
    // What a shell does with the terminal of a job that stopped.
    let mut tty = terminal.tty();
    let mut mode = rustix::termios::tcgetattr(&tty).unwrap();
    mode.local_modes |= rustix::termios::LocalModes::ICANON
        | rustix::termios::LocalModes::ECHO
        | rustix::termios::LocalModes::ISIG;
    rustix::termios::tcsetattr(&tty, rustix::termios::OptionalActions::Now, &mode).unwrap();
    tty.write_all(b"\x1b[?1049l\x1b[?25hshell$ fg\r\n").unwrap();
    drop(tty);
    terminal.shows("shell$ fg");
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    terminal.wait("the console's screen", |screen| terminal.entered() == 2 && screen.contains("Queues"));
    terminal.keys("?");
    terminal.shows("Keys of");
    terminal.keys("\x1b");
    terminal.wait("help is gone", |screen| !screen.contains("Keys of"));
    json(folder.path(), &["ls", "health"]);
    terminal.keys("q");
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[test]
fn the_show_goes_on_when_a_terminal_is_gone_whose_leader_ignores_sighup() {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let script = format!(
        "trap '' HUP; {} --data {} --port 0; sleep 600",
        env!("CARGO_BIN_EXE_rl-console"),
        folder.path().display()
    );
    let mut terminal =
        Terminal::run(folder.path(), 100, 30, &["/bin/sh".to_owned(), "-c".to_owned(), script]);
    terminal.stable_text();
    let addr = mpp_addr(folder.path());
    terminal.hang_up();
    // Long after the console must have ended, the station serves.
    std::thread::sleep(Duration::from_millis(1_500));
    let mut adapter = Adapter::ready(addr, &token);
    json(folder.path(), &["invoke", "heal_party"]);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    assert_eq!(adapter.receive().unwrap()["event"], "heal_party");
    let threads = station_threads(folder.path());
    assert!(!threads.iter().any(|name| name == "screen"), "the console still runs: {threads:?}");
    let pid = holder(folder.path());
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    assert!(adapter.receive().is_none());
}

#[test]
fn a_stalled_terminal_stalls_nothing_else() {
    let (folder, token, terminal) = console(160, 50);
    let addr = mpp_addr(folder.path());
    terminal.stall(true);
    let mut adapter = Adapter::ready(addr, &token);
    let rows: String = (0..300).map(|_| "{\"event\":\"heal_party\"}\n").collect();
    let file = folder.path().join("rows.ndjson");
    std::fs::write(&file, rows).unwrap();
    json(folder.path(), &["invoke", "--from", file.to_str().unwrap()]);
    for _ in 0..300 {
        adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
        let id = adapter.receive().unwrap()["id"].as_u64().unwrap();
        adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
        adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = OperatorClient::connect(folder.path()).await.unwrap();
        let Page::Queues(queues) = client.query(Query::Queues).await.unwrap() else { panic!("another page") };
        assert!(queues.iter().all(|row| row.pending == 0), "{queues:?}");
    });
    terminal.stall(false);
    terminal.shows("300");
}

fn holder(data: &std::path::Path) -> i32 {
    std::fs::read_to_string(data.join("station.lock")).unwrap().trim().parse().unwrap()
}

/// The state of a process: one letter.
fn state_of(pid: rustix::process::Pid) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    stat.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap()
}

/// Waits for something that must come.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never came: {what}");
}

fn station_threads(data: &std::path::Path) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", holder(data))).unwrap();
    tasks
        .map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap().trim().to_owned())
        .collect()
}
