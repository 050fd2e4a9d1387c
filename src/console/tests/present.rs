//! The present while time is stopped: what is urgent is of now in header, chips and tray, says so, and can be
//! acted on.

use crossterm::event::KeyCode;

use super::{
    runs_samples::{ASK, VOTE, by, run, with_runs},
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        ui::{effect::Effect, state::Focus},
    },
    ids::ActionId,
    port::Command,
    runs,
    runs::{NodeRef, Transition as T, Verdict},
    tap::entry::mpp::{Brake, Transition},
    time::Wall,
};

const LATE: ActionId = ActionId(uuid::Uuid::from_u128(7));

/// A line of the screen.
fn line(stage: &mut TestConsole, at: usize) -> String {
    stage.text().lines().nth(at).unwrap().to_owned()
}

/// Runs of which none asks, with time stopped.
fn stopped(columns: u16, rows: u16) -> TestConsole {
    let mut stage = with_runs(show(columns, rows));
    decided(&mut stage, ASK);
    stage.tick();
    stage.char(' ');
    stage.pass(1_000);
    stage
}

fn asks(stage: &mut TestConsole) {
    let expires_at = Wall(stage.view.clock.wall.0 + 48_000);
    stage.asked(VOTE, LATE, NodeRef { index: 6, id: "report".into() }, expires_at, "publish?");
    stage.tick();
}

fn decided(stage: &mut TestConsole, action: ActionId) {
    stage.runs(T::Decided { run: run(VOTE), action, verdict: Verdict::Approved, by: None }, "");
}

#[test]
fn an_approval_that_comes_while_time_is_stopped_is_seen_listed_and_answered() {
    for (columns, rows) in [(80, 24), (160, 50)] {
        let mut stage = stopped(columns, rows);
        assert!(!line(&mut stage, 0).contains('?'), "{}", line(&mut stage, 0));
        asks(&mut stage);
        let header = line(&mut stage, 0);
        let (label, left) = (header.find("NOW:").unwrap(), header.find("48s").unwrap());
        assert!(header.find("PAUSED").unwrap() < label && label < left, "{header}");
        stage.char('a');
        assert!(stage.text().contains("publish?"), "the tray lists it:\n{}", stage.text());
        stage.char('p');
        assert!(stage.text().contains("Approve report?"), "{}", stage.text());
        let decide = Command::Runs(runs::Command::Decide { action: LATE, approved: true, note: None });
        let effects = stage.char('y');
        assert!(
            matches!(&effects[..], [Effect::Command { command, .. }] if *command == decide),
            "{effects:?}"
        );
        decided(&mut stage, LATE);
        stage.tick();
        assert!(!stage.text().contains("publish?"), "what was answered is gone:\n{}", stage.text());
        assert!(stage.ui.time.is_stopped(), "time stays where it was");
    }
}

#[test]
fn what_was_asked_at_the_moment_that_is_shown_is_listed_no_more_once_it_was_answered() {
    let mut stage = with_runs(show(160, 50));
    stage.tick();
    stage.char(' ');
    decided(&mut stage, ASK);
    stage.tick();
    assert!(!line(&mut stage, 0).contains("question"), "{}", line(&mut stage, 0));
    stage.char('a');
    assert!(!stage.text().contains("viewer ann"), "{}", stage.text());
}

#[test]
fn brakes_chips_and_their_reports_are_of_the_present_and_say_so() {
    let mut stage = stopped(160, 50);
    assert!(line(&mut stage, 1).starts_with(" NOW: "), "{}", line(&mut stage, 1));
    let held = Brake { held: true, draining: false };
    for queue in ["default", "boss"] {
        stage.mpp(Transition::Braked { queue: queue.into(), brake: held }, "");
    }
    stage.runs(T::Braked { held: true, by: by("operator") }, "");
    stage.tick();
    assert!(line(&mut stage, 0).contains("ALL HELD"), "{}", line(&mut stage, 0));
    stage.ui.focus = Focus::Chips(0);
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Details);
    assert!(stage.text().contains("held"), "the report is of now:\n{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::End);
    assert!(!line(&mut stage, 0).contains("NOW:") && !line(&mut stage, 1).contains("NOW:"));
}

#[test]
fn a_step_in_time_below_the_tray_shows_in_the_wire_as_it_does_without() {
    let entry = |has_tray: bool| {
        let mut stage = stopped(160, 50);
        stage.ui.show(ViewId::Wire);
        stage.ui.focus = Focus::Pane(PaneId::Wire);
        stage.key(KeyCode::Home);
        stage.key(KeyCode::Down);
        if has_tray {
            stage.char('a');
        }
        stage.char(',');
        stage.ui.selected(PaneId::Wire, &stage.model)
    };
    assert_eq!(entry(true), entry(false));
}
