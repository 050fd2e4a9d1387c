//! What is shown of runs when their station was stopped and started again.

use std::time::Duration;

use rl_console::{
    port::{Page, Query},
    runs::RunState,
    time::Now,
};

use super::{
    test_station::TestStation,
    wire::{quiet, run},
};
use crate::real::screen::Terminal;

#[test]
fn after_a_restart_the_runs_of_before_are_shown_with_how_long_they_lived() {
    let mut fixture = TestStation::open();
    let (_silent, asked) = quiet(&fixture, "silent");
    let mut client = fixture.agent_client();
    let yaml = |name, agent| {
        format!("version: 0\nname: {name}\nnodes: [{{id: a, use: agent:{agent}}}]\nedges: []\n")
    };
    assert_eq!(client.submit(7, &yaml("was-cut", "silent")).variant, "RunAccepted");
    asked.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(client.submit(8, &yaml("had-failed", "ghost")).variant, "RunAccepted");
    let stored = |fixture: &TestStation, number| match fixture.query(Query::Run { run: run(number) }) {
        Page::Run(Some(detail)) => detail.row,
        other => panic!("{other:?}"),
    };
    let until_ended = |fixture: &TestStation, number| {
        for _ in 0..4_000 {
            if stored(fixture, number).state != RunState::Running {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it goes on");
    };
    until_ended(&fixture, 8);
    // So long it lived at least.
    std::thread::sleep(Duration::from_millis(50));
    fixture.restart();
    until_ended(&fixture, 7);
    let snapshot = fixture.snapshot();
    let shown: Vec<_> = snapshot.runs.runs.iter().map(|view| (view.run, view.state)).collect();
    assert_eq!(shown, [(run(7), RunState::Failed), (run(8), RunState::Failed)], "as they were submitted");
    let (lived, row) = (snapshot.runs.runs[0].duration(Now::default()), stored(&fixture, 7));
    assert!(lived >= Duration::from_millis(50), "{lived:?}");
    let ended = snapshot.runs.runs[0].ended_at.unwrap();
    assert_eq!(
        (snapshot.runs.runs[0].submitted_at.wall, Some(ended.wall)),
        (row.submitted_at_ms, row.ended_at_ms),
        "list and history agree"
    );
    let health = crate::real::cli(fixture.folder.path(), &["--json", "ls", "health"]);
    let health = String::from_utf8_lossy(&health.stdout).into_owned();
    assert!(health.contains("was-cut") && !health.contains("had-failed"), "{health}");
    let mut terminal = Terminal::start(fixture.folder.path(), 160, 50, &["attach"]);
    terminal
        .wait("the deck has both", |screen| screen.contains("✗ was-cut") && screen.contains("✗ had-failed"));
    terminal.keys("4");
    terminal.wait("the plan of the first is had from the store", |screen| screen.contains("Plan had-failed"));
}
