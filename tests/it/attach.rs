//! Consoles on the station of another process, in real pseudo-terminals.

use std::path::Path;

use tempfile::TempDir;

use crate::{
    real::{Adapter, Station, cli, json, pair, screen::Terminal, test_station::TestStation},
    terminal::mpp_addr,
};

/// What the Deck shows of queues and of rows that ended, without rates: their seconds begin where each
/// console's clock does.
fn queues_and_rows(screen: &str) -> Vec<String> {
    let rates = screen.lines().find_map(|line| line.find("done/m").map(|at| line[..at].chars().count()));
    let queues = screen.lines().take_while(|line| !line.contains("Recent")).count();
    let of_line = |(row, line): (usize, &str)| {
        let is_rate = |at: usize| {
            row < queues && rates.is_some_and(|rates| (rates..rates + "done/m".len()).contains(&at))
        };
        let signs = line
            .chars()
            .take(80)
            .enumerate()
            .filter(|(at, sign)| !is_rate(*at) && !" ▁▂▃▄▅▆▇█".contains(*sign));
        signs.map(|(_, sign)| sign).collect::<String>()
    };
    screen.lines().enumerate().skip(2).map(of_line).collect()
}

/// The rows that ended.
fn rows(screen: &str) -> Vec<String> {
    let lines = queues_and_rows(screen);
    lines.into_iter().skip_while(|line| !line.contains("Recent")).collect()
}

fn attach(data: &Path, args: &[&str]) -> Terminal {
    let args: Vec<&str> = ["attach"].iter().chain(args).copied().collect();
    let terminal = Terminal::start(data, 160, 50, &args);
    terminal.stable_text();
    terminal
}

/// Gives so many rows, and has them all done.
fn work(data: &Path, adapter: &mut Adapter, rows: usize) {
    let file = data.join("rows.ndjson");
    std::fs::write(&file, "{\"event\":\"heal_party\"}\n".repeat(rows)).unwrap();
    json(data, &["invoke", "--from", file.to_str().unwrap()]);
    for _ in 0..rows {
        adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
        let id = adapter.receive().unwrap()["id"].as_u64().unwrap();
        adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
        adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
    }
}

#[test]
fn q_detaches_and_leaves_the_station_to_be_attached_to_again() {
    let fixture = TestStation::open();
    let data = fixture.folder.path();
    let mut adapter = fixture.adapter();
    let mut terminal = attach(data, &[]);
    let header = terminal.shows("attached to");
    assert!(header.lines().next().unwrap().contains(&fixture.station.pid().to_string()), "{header}");
    fixture.json(&["invoke", "heal_party"]);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    adapter.receive().unwrap();
    terminal.wait("it is in flight", |screen| screen.contains("heal_party") && screen.contains("1▶"));
    terminal.keys("q");
    assert!(terminal.ended().success(), "no question is asked");
    terminal.assert_restored();
    assert!(!fixture.json(&["ls", "queues"]).is_empty(), "the station goes on");
    let again = attach(data, &[]);
    again.wait("what is in flight still", |screen| screen.contains("heal_party") && screen.contains("1▶"));
}

#[test]
fn a_console_beside_a_station_attaches_to_it_and_says_so() {
    let fixture = TestStation::open();
    let mut terminal = Terminal::start(fixture.folder.path(), 160, 50, &[]);
    terminal.shows("attached to");
    terminal.keys("q");
    assert!(terminal.ended().success());
    let words = terminal.shows("attaching to it");
    assert!(words.contains(&format!("(process {})", fixture.station.pid())), "{words}");
}

#[test]
fn a_console_on_a_lost_terminal_is_taken_up_again() {
    let folder = TempDir::new().unwrap();
    let token = pair(folder.path());
    let mut lost = Terminal::start(folder.path(), 160, 50, &["--port", "0"]);
    lost.stable_text();
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    lost.hang_up();
    work(folder.path(), &mut adapter, 3);
    let terminal = Terminal::start(folder.path(), 160, 50, &[]);
    terminal.wait("what was done meanwhile", |screen| {
        screen.contains("attached to") && screen.matches("✓ done").count() == 3
    });
}

#[test]
fn several_consoles_show_under_a_flood_what_the_stations_own_shows() {
    let folder = TempDir::new().unwrap();
    let token = pair(folder.path());
    let own = Terminal::start(folder.path(), 160, 50, &["--port", "0"]);
    own.stable_text();
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    let first = attach(folder.path(), &[]);
    let mut second = attach(folder.path(), &[]);
    second.keys(" ");
    second.shows("PAUSED");
    work(folder.path(), &mut adapter, 2_000);
    let third = attach(folder.path(), &[]);
    work(folder.path(), &mut adapter, 1_000);
    first.wait("the first", |screen| queues_and_rows(screen) == queues_and_rows(&own.text()));
    // What was done in the minute before it came is not among its rates.
    third.wait("the third", |screen| rows(screen) == rows(&own.text()));
    second.shows("PAUSED");
    second.keys(" ");
    second.wait("the second, once time goes on", |screen| {
        queues_and_rows(screen) == queues_and_rows(&own.text())
    });
}

#[test]
fn a_station_that_is_killed_and_started_again_is_shown_as_it_is_throughout() {
    let mut fixture = TestStation::open();
    let data = fixture.folder.path().to_path_buf();
    let mut terminal = attach(&data, &[]);
    let mut adapter = fixture.adapter();
    work(&data, &mut adapter, 2);
    terminal.wait("both are done", |screen| screen.matches("✓ done").count() == 2);
    let first = fixture.station.pid();
    fixture.station.kill();
    let gone = terminal.shows("LOST");
    assert!(!gone.contains("LIVE") && gone.contains("✓ done"), "{gone}");
    terminal.keys("H");
    terminal.shows("the station does not answer");
    fixture.station = Station::start(&data);
    let second = fixture.station.pid();
    let back = terminal.shows("LIVE");
    assert!(
        !back.contains("LOST") && back.contains(&second.to_string()) && !back.contains(&first.to_string()),
        "{back}"
    );
    terminal.shows(&format!("the station was restarted (pid {second})"));
    fixture.json(&["invoke", "spawn_boss", "--params", r#"{"boss":"kraken"}"#]);
    let mut adapter = fixture.adapter();
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"boss"}"#).unwrap();
    adapter.receive().unwrap();
    let screen = terminal
        .wait("the work of the new start", |screen| screen.contains("spawn_boss") && screen.contains("1▶"));
    assert!(
        screen.contains("loss 0"),
        "what it said before it was attached to, nobody fell behind of: {screen}"
    );
    terminal.keys("q");
    assert!(terminal.ended().success());
}

#[test]
fn a_read_only_token_looks_and_does_nothing() {
    let fixture = TestStation::open();
    let data = fixture.folder.path();
    let file = data.join("viewer.token");
    let mut terminal = attach(data, &["--token-file", file.to_str().unwrap()]);
    terminal.shows("read-only");
    terminal.keys("H");
    terminal.shows("read-only token");
    // What its palette runs has no more rights.
    for line in ["hold default", "stop --yes", "session start hack --as me"] {
        terminal.keys(&format!(":{line}\r"));
        terminal.wait(line, |screen| screen.contains("✗ exit") && screen.contains("token"));
        terminal.keys("\x1b");
        terminal.wait("its output is gone", |screen| !screen.contains("✗ exit"));
    }
    fixture.json(&["hold"]);
    terminal.shows("ALL HELD");
    let strange = data.join("strange.token");
    rl_console::private_files::replace(&strange, "A".repeat(43).as_bytes()).unwrap();
    let mut refused = Terminal::start(data, 160, 50, &["attach", "--token-file", strange.to_str().unwrap()]);
    assert!(!refused.ended().success());
    refused.shows("not one of this station's");
}

#[test]
fn without_a_station_there_is_nothing_to_attach_to() {
    let folder = TempDir::new().unwrap();
    let mut terminal = Terminal::start(folder.path(), 80, 24, &["attach"]);
    assert_eq!(terminal.ended().exit_code(), 3);
    terminal.shows("no station is running");
    let output = cli(folder.path(), &["attach"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a terminal"));
}
