//! What is done to sessions: one is cancelled, with a reason.

use crossterm::event::KeyCode;

use super::{
    runs::{plan, with_runs},
    screens::at_three_sizes,
    sessions::{RELEASE, decision, session},
    stage::{Stage, show},
};
use crate::{
    console::{
        action::{Asked, Effect},
        event::Event,
        keymap::Place,
        pane_id::PaneId,
        ui::Focus,
        view_id::ViewId,
    },
    macp::{self, Ending, Mode, SessionState},
    port::{Command, Outcome},
};

fn cancel(reason: &str) -> Effect {
    let id = session(RELEASE).id.to_string();
    let command = Command::Macp(macp::Command::Cancel { session: id.clone(), reason: reason.to_owned() });
    Effect::Command { asked: Asked::CancelSession { id }, command }
}

#[test]
fn a_session_is_cancelled_with_the_reason_that_was_written() {
    let mut stage = decision(160, 50);
    stage.char('x');
    let screen = stage.text();
    for wanted in ["Cancel s-17?", "s-17, voting, ends before its time", "2 of 3 have voted", "none is written yet", "r write why"] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    stage.char('r');
    assert_eq!(stage.ui.place(), Place::Reason);
    stage.write("yes, x: the build is red");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.place(), Place::ReasonDialog);
    assert!(stage.text().contains("reason: yes, x: the build is red"), "{}", stage.text());
    assert_eq!(stage.char('x'), [], "the key that opened it confirms nothing");
    assert_eq!(stage.char('y'), [cancel("yes, x: the build is red")]);
    let outcome = Ok(Outcome::Macp(macp::Outcome::Cancelled { state: SessionState::Expired }));
    stage.event(Event::Commanded { asked: Asked::CancelSession { id: "s-17".to_owned() }, outcome });
    assert!(stage.text().contains("s-17 is cancelled; the reason is in its log"), "{}", stage.text());
}

#[test]
fn without_a_reason_it_says_who_did_it_and_escape_goes_back_one_layer_at_a_time() {
    let mut stage = decision(160, 50);
    stage.char('x');
    stage.char('r');
    stage.write("never mind");
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.place(), Place::ReasonDialog);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.place(), Place::Sessions);
    stage.char('x');
    assert_eq!(stage.char('y'), [cancel("by the operator")], "what was written before is gone");
}

#[test]
fn what_was_pasted_is_one_line_of_the_reason() {
    let mut stage = decision(160, 50);
    stage.char('x');
    stage.event(Event::Paste("lost".to_owned()));
    stage.char('r');
    stage.event(Event::Paste("two\nlines".to_owned()));
    stage.key(KeyCode::Enter);
    assert_eq!(stage.char('y'), [cancel("two lines")]);
}

#[test]
fn one_that_ended_meanwhile_is_left_alone() {
    let mut stage = decision(160, 50);
    stage.char('x');
    stage.closed(RELEASE, Ending::Resolved, "{}");
    assert!(stage.text().contains("has ended meanwhile, it is resolved"), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    assert!(stage.text().contains("nothing was cancelled"), "{}", stage.text());
    let mut stage = decision(160, 50);
    stage.closed(RELEASE, Ending::TtlExpired, "");
    stage.ui.focus = Focus::Pane(PaneId::Voices);
    stage.char('x');
    assert!(stage.text().contains("s-17 has ended: it is expired"), "{}", stage.text());
}

#[test]
fn the_question_names_what_hangs_on_the_sessions_trace() {
    let mut stage = with_runs(show(160, 50));
    stage.submitted(0x1, "chat_vote", &plan(&[("write", "agent:writer", None)], &[]));
    stage.opened(1, Mode::Decision, ("", &["ann"]), 60_000);
    // Whoever stages them gives all one trace: the run's name on the bus is another.
    let run = stage.model.runs().unwrap().runs.back().unwrap().run;
    let world = stage.model.world.as_mut().unwrap();
    world.macp.sessions.get_mut(&1).unwrap().trace = Some(run);
    stage.ui.show(ViewId::Sessions);
    stage.char('x');
    let screen = stage.text();
    assert!(screen.contains("It belongs to a run that goes on") && screen.contains("chat_vote"), "{screen}");
    assert!(screen.contains("Nobody said anything in it yet"), "{screen}");
}

#[test]
fn whether_to_cancel_a_session() {
    at_three_sizes("session_cancel", |columns, rows| {
        let mut stage: Stage = decision(columns, rows);
        stage.char('x');
        stage.char('r');
        stage.write("the build is red");
        stage
    });
}
