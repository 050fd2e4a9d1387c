//! A vote that the session would refuse is held on its way, mended, and let pass.

use super::{sessions::Agents, word_after};
use crate::terminal::console;

#[test]
fn hold_the_vote_that_would_break_the_session_mend_it_and_let_it_pass() {
    let (_folder, _token, mut terminal) = console(160, 50);
    terminal.wait("the port answers", |screen| screen.contains("MACP ●"));
    terminal.keys("\x1b[Z\x1b[C\x1b[C\r");
    let screen = terminal.wait("the runtime's report", |screen| {
        screen.contains("MACP runtime") && screen.contains("listening")
    });
    let mut agents = Agents::connect(&word_after(&screen, "listening"));
    agents.start("s-1", "decision", "which boss comes next");
    agents.decide("s-1", "Proposal", "ann", r#"{"proposal_id":"p1","option":"the dragon"}"#);
    terminal.keys("q5");
    terminal.shows("the dragon");
    // The rule is filled in from the pane: what is asked is the type, and that it comes.
    terminal.keys("I");
    terminal.shows("filter     link:macp");
    terminal.keys("type:Vote\x1b[B\x1b[C\x13");
    terminal.shows("Rules: 1 armed");
    let voting = std::thread::spawn(move || {
        let vote = r#"{"proposal_id":"p1","vote":"approve"}"#;
        (agents.decide("s-1", "Vote", "eve", vote), agents)
    });
    let held = terminal
        .wait("the vote", |screen| screen.contains("INTERCEPTED 1") && screen.contains("Gate: 1 frame held"));
    assert!(held.contains("✗ refused"), "who votes takes no part: {held}");
    terminal.keys("e");
    let opened = terminal.wait("its JSON", |screen| screen.contains("\"sender\": \"eve\","));
    let at = |wanted: &str| opened.lines().position(|line| line.contains(wanted)).unwrap();
    // Down to the sender, and to the end of its line.
    terminal.keys(&"\x1b[B".repeat(at("\"sender\"") - at(" 1 {")));
    terminal.keys("\x1b[F");
    terminal.keys(&"\x7f".repeat("eve\",".len()));
    terminal.keys("bob\",");
    terminal.wait("the verdict", |screen| screen.contains("\"bob\"") && screen.contains("accepted"));
    terminal.keys("\x13");
    let (rejected, agents) = voting.join().unwrap();
    assert_eq!(rejected, None, "the mended vote is taken");
    terminal.wait("the gate, empty", |screen| screen.contains("no frame is held"));
    terminal.keys("\x1b");
    terminal.wait("the vote", |screen| screen.contains("1 approve"));
    drop(agents);
}
