//! What is done to runs: a question is answered, a run is cancelled, an opening is submitted.

use super::test_console::of_type;
use crossterm::event::KeyCode;

use super::{
    runs_samples::{ASK, VOTE, plan, run, runs as shown, with_runs},
    screens::at_both_sizes,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        systems::runs::{
            confirmations::{CancelRun, Decided},
            keys::RUN,
            submitting::Submission,
        },
        ui::{effect::Effect, event::Event, state::Focus, system::ChipId},
    },
    ids::{ConnectionId, TraceId},
    port::{Command, Outcome, PortError},
    rmp::{Dialect, Kind},
    runs,
    runs::{RunState, Transition as T, Verdict},
    tap::entry::{Link, rmp},
};

/// The alerts, with the question of a run selected.
fn asked() -> TestConsole {
    let mut stage = shown(160, 50);
    stage.char('a');
    stage
}

#[test]
fn a_question_waits_first_among_the_alerts_and_in_the_first_line() {
    let mut stage = asked();
    let text = stage.text();
    for wanted in [
        "? 1 approval",
        "Approvals: 1 pending.",
        "a41f pending",
        "4m59s left",
        "item: 4  in: to ann  give item 4 to viewer ann?",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(stage.char('A').is_empty() && stage.text().contains("p approves, r rejects"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("Node give"));
}

#[test]
fn an_approval_is_bound_to_its_question_and_confirmed_by_another_key() {
    let mut stage = asked();
    stage.char('p');
    let text = stage.text();
    assert!(text.contains("Approve give?") && text.contains("give item 4 to viewer ann?"), "{text}");
    assert!(
        text.contains("with item: 4") && text.contains("input in: to ann") && text.contains("chat_vote a41f"),
        "{text}"
    );
    assert_eq!(stage.char('p'), []);
    let command = Command::Runs(runs::Command::Decide { action: ASK, approved: true, note: None });
    assert_eq!(stage.char('y'), [Effect::command(command, Decided { approved: true, held: false })]);
    let outcome = Ok(Outcome::Runs(runs::Outcome::Decided));
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(Decided { approved: true, held: false }),
        outcome,
    });
    assert!(stage.text().contains("approved: the node starts"));
}

#[test]
fn a_question_is_masked_on_air_also_where_it_is_answered() {
    let mut stage = asked();
    stage.act(Action::OnAir);
    let text = stage.text();
    assert!(!text.contains("viewer ann") && !text.contains("to ann"), "{text}");
    assert!(text.contains("a41f pending") && text.contains("4m59s left"), "which run, and how long: {text}");
    stage.char('p');
    let text = stage.text();
    assert!(
        text.contains("Approve give?") && !text.contains("viewer ann") && !text.contains("to ann"),
        "{text}"
    );
}

#[test]
fn questions_that_are_not_shown_are_counted_and_it_is_said_where_they_are() {
    let mut stage = asked();
    stage.model.station_state.as_mut().unwrap().runs.asks_unshown = 3;
    stage.tick();
    let text = stage.text();
    for wanted in ["? 4 approvals", "Approvals: 4 pending, the 3 oldest only in `ls confirmations`."] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(
        stage.model.alerts().listed().iter().any(|alert| alert.text.contains("3 more approvals pending"))
    );
    stage.key(KeyCode::Esc);
    let runs = stage
        .ui
        .layout(&stage.model)
        .chips()
        .iter()
        .position(|chip| matches!(chip, ChipId::System(system) if system.link == Link::Runs));
    stage.ui.focus = Focus::Chips(runs.unwrap());
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("also pending: 3 more approvals"), "{}", stage.text());
    assert!(stage.text().contains("ls confirmations"), "{}", stage.text());
}

#[test]
fn a_question_is_answered_where_its_run_and_its_node_are_looked_at() {
    for pane in [PaneId::Runs, PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts] {
        let mut stage = shown(160, 50);
        stage.ui.focus = Focus::Pane(pane);
        assert!(
            stage.text().contains("p approve") && stage.text().contains("r reject"),
            "{pane:?}: {}",
            stage.text()
        );
        stage.char('p');
        assert!(stage.text().contains("Approve give?"), "{pane:?}: {}", stage.text());
        stage.char('n');
        stage.key(KeyCode::Enter);
        stage.char('r');
        assert_eq!(
            stage.text().contains("Reject give?"),
            pane != PaneId::Artifacts,
            "{pane:?}: {}",
            stage.text()
        );
    }
    let mut stage = asked();
    stage.key(KeyCode::Enter);
    assert!(
        stage.text().contains("Node give of chat_vote a41f") && stage.text().contains("p approve"),
        "{}",
        stage.text()
    );
    stage.char('p');
    assert!(stage.text().contains("Approve give?"), "{}", stage.text());
}

#[test]
fn a_run_that_asks_nothing_says_so() {
    let mut stage = shown(160, 50);
    stage.key(KeyCode::Down);
    assert!(!stage.text().contains("p approve"));
    assert_eq!(stage.char('r'), []);
    let text = stage.text();
    assert!(text.contains("nothing to approve here"), "{text}");
}

#[test]
fn a_rejection_says_what_hangs_on_it_and_nothing_is_answered_once_it_was_decided_elsewhere() {
    let mut stage = asked();
    stage.char('r');
    let text = stage.text();
    assert!(
        text.contains("Reject give?")
            && text.contains("give fails")
            && text.contains("1 downstream node may be blocked"),
        "{text}"
    );
    stage.runs(T::Decided { run: run(VOTE), action: ASK, verdict: Verdict::Approved, by: None }, "");
    assert!(stage.text().contains("It is no longer pending"));
    assert_eq!(stage.char('y'), []);
    assert!(stage.text().contains("no longer pending"), "{}", stage.text());
}

#[test]
fn a_run_is_cancelled_after_a_question_that_says_what_hangs_on_it() {
    let mut stage = shown(160, 50);
    stage.char('x');
    let text = stage.text();
    for wanted in [
        "Cancel chat_vote?",
        "3 running nodes will be cancelled",
        "3 will not start",
        "Withdrawn with it: 1 pending approval.",
        "1 completed",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let asked = CancelRun { run: run(VOTE), name: "chat_vote".to_owned() };
    let command = Command::Runs(runs::Command::Cancel { run: run(VOTE) });
    assert_eq!(stage.char('y'), [Effect::command(command, asked.clone())]);
    let outcome = Ok(Outcome::Runs(runs::Outcome::Cancelled { nodes: 6 }));
    stage.event(Event::CommandAnswered { on_outcome: Box::new(asked), outcome });
    assert!(stage.text().contains("chat_vote cancelled: 6 nodes not finished"));
    stage.char('x');
    stage.runs(T::Ended { run: run(VOTE), state: RunState::Succeeded }, "");
    assert!(stage.text().contains("has already ended"));
    assert_eq!(stage.char('y'), []);
    stage.char('x');
    assert!(stage.text().contains("chat_vote has ended (succeeded)"), "{}", stage.text());
}

/// The editor over a show.
pub(super) fn writing() -> TestConsole {
    let mut stage = show(160, 50);
    stage.char('s');
    stage
}

/// Sends what is written; the request.
pub(super) fn send(stage: &mut TestConsole) -> (TraceId, String) {
    let effects = stage.ctrl('s');
    let command = effects.iter().find_map(|effect| match effect {
        Effect::Command {
            command: Command::Runs(runs::Command::Submit { request, opening_yaml, .. }),
            on_outcome,
        } if of_type(&**on_outcome) == Some(&Submission { request: *request }) => {
            Some((*request, opening_yaml.clone()))
        }
        _ => None,
    });
    command.unwrap_or_else(|| panic!("{effects:?}: {}", stage.text()))
}

#[test]
fn faults_stand_at_their_lines_a_moment_after_they_are_typed_and_hold_a_submission_back() {
    let mut stage = writing();
    assert!(stage.text().contains("✓ example: 1 node"), "{}", stage.text());
    stage.write("nmae: x\n");
    let text = stage.text();
    assert!(text.contains("✗ 1:1: "), "{text}");
    assert_eq!(stage.ctrl('s'), []);
    assert!(stage.text().contains("line 1, column 1"), "{}", stage.text());
    send(&mut writing());
}

#[test]
fn an_agent_that_nobody_is_stands_below_what_the_opening_is() {
    let mut stage = writing();
    let silent = "no agent subscribed to agent/echo";
    assert!(stage.text().contains(silent), "{}", stage.text());
    // Whoever watches, or takes all agents by a pattern, answers nothing.
    for (session, kind, topic) in [(70, Kind::Viewer, "agent/echo"), (71, Kind::Agent, "agent/*")] {
        stage.join(ConnectionId(session), "watcher", kind, Dialect::Frames);
        stage.rmp(
            rmp::Transition::Subscribed { session: ConnectionId(session), sub: 1, topic: topic.into() },
            "",
        );
        assert!(stage.text().contains(silent), "{topic}");
    }
    stage.join(ConnectionId(72), "echo", Kind::Agent, Dialect::Frames);
    stage.rmp(
        rmp::Transition::Subscribed { session: ConnectionId(72), sub: 1, topic: "agent/echo".into() },
        "",
    );
    let text = stage.text();
    assert!(text.contains("✓ example: 1 node") && !text.contains("nobody answers"), "{text}");
}

#[test]
fn an_accepted_run_is_followed() {
    let mut stage = writing();
    let (request, yaml) = send(&mut stage);
    assert!(yaml.contains("name: example"), "{yaml}");
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(Submission { request }),
        outcome: Ok(Outcome::Runs(runs::Outcome::Taken)),
    });
    assert!(stage.text().contains("waiting for the control plane"));
    let by = runs::Asker { kind: runs::AskerKind::Tui, client: "console".into() };
    let submitted = T::Submitted { run: request, name: "example".into(), by, nodes: 1 };
    stage.runs(submitted, &serde_json::to_string(&plan(&[("first", "agent:echo", None)], &[])).unwrap());
    assert_eq!((stage.ui.view, stage.ui.systems.runs.run), (ViewId::Runs, Some(request)));
    assert_eq!(stage.ui.selected(PaneId::Runs, &stage.model), Some(RUN.of(request)));
    assert!(stage.text().contains("accepted: 1 node"), "{}", stage.text());
}

#[test]
fn a_rejection_is_shown_with_its_reason_and_the_text_stays() {
    let mut stage = writing();
    let (request, _) = send(&mut stage);
    let by = runs::Asker { kind: runs::AskerKind::Tui, client: "console".into() };
    stage.runs(T::Rejected { request, by: by.clone() }, "256 runs are open already (limits.runs.open_max)");
    let text = stage.text();
    assert!(text.contains("rejected: 256 runs are open already") && text.contains("name: example"), "{text}");
    let (request, _) = send(&mut stage);
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(Submission { request }),
        outcome: Err(PortError::Stopping),
    });
    assert!(stage.text().contains("the station is stopping"));
}

#[test]
fn without_an_answer_it_says_so_after_two_seconds() {
    let mut stage = writing();
    send(&mut stage);
    stage.pass(1_900);
    stage.event(Event::Tick);
    assert!(!stage.text().contains("no answer within"));
    assert_eq!(stage.ctrl('s'), [], "it is sent once");
    stage.pass(200);
    stage.event(Event::Tick);
    assert!(stage.text().contains("no answer within 2,000 ms"), "{}", stage.text());
}

#[test]
fn a_draft_is_there_again_after_it_was_left() {
    let mut stage = writing();
    stage.write("# mine");
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Queues));
    stage.char('s');
    assert!(stage.text().contains("# mine"), "{}", stage.text());
}

#[test]
fn the_questions_of_runs() {
    at_both_sizes("run_questions", |columns, rows| {
        let mut stage = shown(columns, rows);
        stage.char('a');
        stage
    });
}

#[test]
fn whether_to_cancel_a_run() {
    at_both_sizes("run_cancel", |columns, rows| {
        let mut stage = shown(columns, rows);
        stage.char('x');
        stage
    });
}

#[test]
fn an_opening_that_is_written() {
    at_both_sizes("run_submit", |columns, rows| {
        let mut stage = with_runs(show(columns, rows));
        stage.char('s');
        stage.write("nmae: x");
        stage.event(Event::Tick);
        stage
    });
}

#[test]
fn what_is_brought_takes_the_place_of_the_example_and_a_key_brings_that_back() {
    let mut stage = writing();
    stage.event(Event::Paste(
        "version: 0\nname: mine\nnodes:\n  - {id: a, use: 'agent:x'}\nedges: []\n".to_owned(),
    ));
    let text = stage.text();
    assert!(text.contains("✓ mine: 1 node") && !text.contains("name: example"), "{text}");
    stage.ctrl('l');
    assert!(stage.text().contains("✓ example: 1 node"), "{}", stage.text());
    assert_eq!(stage.ctrl('l'), []);
    assert!(stage.text().contains("already the example"), "{}", stage.text());
    stage.ctrl('z');
    stage.ctrl('z');
    assert!(stage.text().contains("name: mine"), "{}", stage.text());
}
