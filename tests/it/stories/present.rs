//! An approval comes while the operator looks back.

use crate::{
    real::{cli, json},
    terminal::console,
};

const ASKS: &str = "version: 0
name: asks
nodes: [{id: boss, use: agent:boss, with: {text: x, require_human_confirm: true}}]
edges: []
";

#[test]
fn an_approval_comes_while_i_look_back() {
    let (folder, _token, mut terminal) = console(160, 50);
    terminal.keys(" ");
    terminal.wait("time stands still", |screen| screen.contains("PAUSED"));
    let opening = folder.path().join("asks.yaml");
    std::fs::write(&opening, ASKS).unwrap();
    let submitted = cli(folder.path(), &["submit", opening.to_str().unwrap()]);
    assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    let screen = terminal.wait("it is seen though time stands", |screen| {
        screen.contains("PAUSED") && screen.contains("NOW:") && screen.contains("1 approval")
    });
    assert!(!screen.contains("✓ asks"), "{screen}");
    terminal.keys("a");
    terminal.shows("boss");
    terminal.keys("p");
    terminal.shows("y approve");
    terminal.keys("y");
    terminal.wait("it is answered, and time still stands", |screen| {
        screen.contains("PAUSED") && !screen.contains("1 approval")
    });
    assert_eq!(json(folder.path(), &["ls", "confirmations"]).len(), 0);
}

#[test]
fn two_runs_that_ask_are_two_alerts() {
    let (folder, _token, _terminal) = console(160, 50);
    let opening = folder.path().join("asks.yaml");
    std::fs::write(&opening, ASKS).unwrap();
    for _ in 0..2 {
        let submitted = cli(folder.path(), &["submit", opening.to_str().unwrap()]);
        assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    }
    let listed = || json(folder.path(), &["ls", "alerts", "--filter", "alert:confirmation_waiting"]);
    for _ in 0..200 {
        if listed().len() == 2 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let two = listed();
    let runs = json(folder.path(), &["ls", "runs"]);
    for run in runs {
        let subject = format!("{}/boss", run["run"].as_str().unwrap());
        assert_eq!(two.iter().filter(|alert| alert["subject"] == subject).count(), 1, "{subject}: {two:?}");
    }
}
