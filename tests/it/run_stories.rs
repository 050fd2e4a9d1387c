//! What a person does with openings and runs at the console, step by step, with the real binary in a real
//! terminal.

use std::fs;

use crate::{
    real::{json, screen::Terminal},
    runs_cli::Agent,
    terminal::console,
};

/// `uze` in line 8 is the mistake.
const PARTY: &str = "\
version: 0
name: party
params:
  user: bob
nodes:
  - id: draft
    use: agent:writer
  - uze: agent:writer
    id: give
    with: {text: 'for {{params.user}}', require_human_confirm: true}
edges:
  - {from: draft.out, to: give.in}
artifacts:
  save: [give.out]
";

const ENDLESS: &str = "version: 0\nname: endless\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n";

#[test]
fn submit_with_a_mistake_fix_it_at_its_line_watch_confirm_and_cancel_another() {
    let (folder, _token, mut terminal) = console(160, 50);
    let data = folder.path();
    let _agents = [
        ("writer", "[[rule]]\nnode = \"draft\"\nprogress = [\"half\"]\n"),
        ("mute", "[[rule]]\nanswer = \"none\"\n"),
    ]
    .map(|(name, script)| Agent::start(data, name, script));
    fs::create_dir_all(data.join("openings")).unwrap();
    fs::write(data.join("openings/party.yaml"), PARTY).unwrap();
    // The file is found by the picker, and its mistake at its line.
    terminal.keys("s");
    terminal.shows("Submit an opening");
    terminal.keys("\x0f");
    terminal
        .wait("the file is listed", |screen| screen.contains("▸ Openings") && screen.contains("party.yaml"));
    terminal.keys("\r");
    terminal.wait("its fault at its place", |screen| {
        screen.contains("Submit an opening: party.yaml") && screen.contains("✗ 8:5: ")
    });
    terminal.keys("\x13");
    terminal.shows("line 8, column 5");
    // The cursor went there: the key is written anew.
    terminal.keys("\x1b[3~\x1b[3~\x1b[3~use");
    terminal.shows("✓ party: 2 nodes");
    // A param, by its form.
    terminal.keys("\x05");
    terminal.shows("party.yaml, its params");
    terminal.keys("\x15ann");
    terminal.keys("\x13");
    // It is accepted and followed; its second node asks.
    terminal.wait("the run is followed", |screen| {
        screen.contains("[4 Runs]") && screen.contains("party") && screen.contains("awaiting approval")
    });
    let screen = terminal.wait("the question counts down", |screen| {
        screen.contains("? 1 approval") && screen.contains("reject in 4m")
    });
    assert!(screen.contains("✓ draft"), "{screen}");
    terminal.keys("a");
    terminal.wait("the question", |screen| {
        screen.contains("Approvals: 1 pending") && screen.contains("party: run agent writer for node give")
    });
    terminal.keys("p");
    terminal.shows("Approve give?");
    terminal.keys("y");
    terminal.shows("approved: the node starts");
    terminal.keys("\x1b");
    terminal.wait("it succeeds", |screen| {
        screen.contains("✓ party") && screen.contains("succeeded") && !screen.contains("? 1 approval")
    });
    // Who said what to whom.
    terminal.keys("t");
    terminal.wait("the ladder", |screen| {
        screen.contains("[7 Trace]") && screen.contains("agent/writer") && screen.contains("CTRL_RESP")
    });
    terminal.keys("t");
    terminal.wait("the entry in the Wire", |screen| screen.contains("[8 Wire]"));
    // Another one, which would never end, is cancelled.
    let endless = data.join("endless.yaml");
    fs::write(&endless, ENDLESS).unwrap();
    json(data, &["submit", endless.to_str().unwrap()]);
    terminal.keys("4");
    terminal.wait("it is worked on", |screen| screen.contains("▶ endless"));
    terminal.keys("\x1b[H");
    terminal.keys("x");
    let question = terminal.shows("Cancel endless?");
    assert!(
        question.contains("running node") && question.contains("wait"),
        "it says what hangs on it\n{question}"
    );
    terminal.keys("y");
    terminal.wait("it cancelling", |screen| screen.contains("— endless") && screen.contains("cancelled"));
    terminal.keys("q");
    assert!(terminal.ended().success());
    terminal.assert_restored();
}

#[test]
fn a_draft_is_there_again_after_the_console_was_started_again() {
    let (folder, _token, mut terminal) = console(100, 30);
    terminal.wait("the station", |screen| screen.contains("LIVE"));
    terminal.keys("s");
    terminal.shows("Submit an opening");
    terminal.keys("# mine and only mine\r\x1b");
    terminal.shows("draft of the opening kept");
    terminal.keys("q");
    assert!(terminal.ended().success());
    let mut terminal = Terminal::start(folder.path(), 100, 30, &["--port", "0"]);
    terminal.wait("the station", |screen| screen.contains("LIVE"));
    terminal.keys("s");
    terminal.shows("# mine and only mine");
    // What came of it is among the recent ones once another is taken up.
    terminal.keys("\x0f");
    terminal.shows("▸ Openings");
    terminal.keys("\x1b");
    terminal.wait("the list is closed", |screen| !screen.contains("▸ Openings"));
    terminal.keys("\x1b");
    terminal.wait("the editor is closed", |screen| !screen.contains("Submit an opening"));
    terminal.keys("q");
    assert!(terminal.ended().success());
    terminal.assert_restored();
}
