//! What is done to sessions: one is cancelled, with a reason.

use crossterm::event::KeyCode;

use super::{
    runs_samples::{plan, with_runs},
    screens::at_three_sizes,
    sessions_samples::{RELEASE, decision, session},
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        systems::sessions::confirmations::CancelSession,
        ui::{effect::Effect, event::Event, state::Focus},
    },
    macp,
    macp::{Ending, Mode, SessionState},
    port::{Command, Outcome},
};

fn cancel(reason: &str) -> Effect {
    let id = session(RELEASE).id.to_string();
    let command = Command::Macp(macp::Command::Cancel { session: id.clone(), reason: reason.to_owned() });
    Effect::command(command, CancelSession { session: session(RELEASE) })
}

#[test]
fn a_session_is_cancelled_with_the_reason_that_was_written() {
    let mut stage = decision(160, 50);
    stage.char('x');
    let screen = stage.text();
    for wanted in
        ["Cancel s-17?", "s-17 (voting) ends now", "2 of 3 have voted", "reason: by the operator", "r reason"]
    {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    stage.char('r');
    assert_eq!(stage.ui.key_scope(), KeyScope::Reason);
    stage.write("yes, x: the build is red");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::ReasonDialog);
    assert!(stage.text().contains("reason: yes, x: the build is red"), "{}", stage.text());
    assert_eq!(stage.char('x'), [], "the key that opened it confirms nothing");
    assert_eq!(stage.char('y'), [cancel("yes, x: the build is red")]);
    let outcome = Ok(Outcome::Macp(macp::Outcome::Cancelled { state: SessionState::Expired }));
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(CancelSession { session: session(RELEASE) }),
        outcome,
    });
    assert!(stage.text().contains("s-17 cancelled; the reason is in its log"), "{}", stage.text());
}

#[test]
fn open_streams_that_spoke_in_a_session_hang_on_it() {
    let mut stage = decision(160, 50);
    stage.macp(macp::Transition::Streaming { session: session(RELEASE), streams: 2 }, "");
    stage.char('x');
    assert!(stage.text().contains("2 streams that carried its messages"), "{}", stage.text());
    stage.macp(macp::Transition::Streaming { session: session(RELEASE), streams: 0 }, "");
    assert!(!stage.text().contains("that carried its messages"), "{}", stage.text());
}

#[test]
fn without_a_reason_it_says_who_did_it_and_escape_goes_back_one_layer_at_a_time() {
    let mut stage = decision(160, 50);
    stage.char('x');
    stage.char('r');
    stage.write("never mind");
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::ReasonDialog);
    assert!(stage.text().contains("reason: by the operator"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Sessions));
    stage.char('x');
    assert_eq!(stage.char('y'), [cancel("by the operator")], "what was written before is gone");
}

#[test]
fn escape_puts_the_reason_back_as_it_was_kept_and_ctrl_c_closes_the_question() {
    let mut stage = decision(160, 50);
    stage.char('x');
    stage.char('r');
    stage.write("the build is red");
    stage.key(KeyCode::Enter);
    stage.char('r');
    stage.write(", or not");
    assert!(stage.text().contains("the build is red, or not"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert_eq!(stage.char('y'), [cancel("the build is red")]);
    let mut stage = decision(160, 50);
    stage.char('x');
    stage.char('r');
    stage.write("never mind");
    stage.ctrl('c');
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Sessions));
    assert!(!stage.char('y').iter().any(|effect| matches!(effect, Effect::Command { .. })));
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
    assert!(stage.text().contains("has already ended (resolved)"), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    assert!(stage.text().contains("not cancelled"), "{}", stage.text());
    let mut stage = decision(160, 50);
    stage.closed(RELEASE, Ending::TtlExpired, "");
    stage.ui.focus = Focus::Pane(PaneId::Statements);
    stage.char('x');
    assert!(stage.text().contains("s-17 has ended (expired)"), "{}", stage.text());
}

#[test]
fn the_question_names_what_hangs_on_the_sessions_trace() {
    let mut stage = with_runs(show(160, 50));
    stage.submitted(0x1, "chat_vote", &plan(&[("write", "agent:writer", None)], &[]));
    stage.opened(1, Mode::Decision, ("", &["ann"]), 60_000);
    // Whoever stages them gives all one trace: the run's name on the bus is another.
    let run = stage.model.runs().unwrap().runs.back().unwrap().run;
    let world = stage.model.station_state.as_mut().unwrap();
    world.macp.sessions.get_mut(&1).unwrap().trace = Some(run);
    stage.ui.show(ViewId::Sessions);
    stage.char('x');
    let screen = stage.text();
    assert!(screen.contains("An open run may be waiting for it") && screen.contains("chat_vote"), "{screen}");
    assert!(screen.contains("It has no messages yet"), "{screen}");
}

#[test]
fn whether_to_cancel_a_session() {
    at_three_sizes("session_cancel", |columns, rows| {
        let mut stage: TestConsole = decision(columns, rows);
        stage.char('x');
        stage.char('r');
        stage.write("the build is red");
        stage
    });
}

#[test]
fn ids_that_begin_alike_are_told_apart_by_their_ends() {
    let mut stage = decision(80, 24);
    for number in 90..93 {
        let session =
            macp::SessionRef { number, id: format!("0191d3c2-7a41-7f00-8000-0000000000{number}").into() };
        let expires_at = crate::time::Now::at_ms(stage.ms + 60_000).wall;
        let (mode, by) = (Mode::Decision, "alice".into());
        let (intent, listed) = ("".into(), [].into());
        let opened =
            macp::Transition::Opened { session, mode, by, participants: 0, expires_at, intent, listed };
        stage.macp(opened, "{}");
    }
    stage.key(KeyCode::Home);
    let text = stage.text();
    assert!(
        (90..93).all(|number| text
            .lines()
            .any(|line| line.contains("▶ 0") && line.contains(&format!("0{number} ")))),
        "{text}"
    );
}
