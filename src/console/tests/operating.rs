//! What an operator relies on among runs and sessions: what is looked at stays, keys mean one thing, words
//! say what is.

use super::test_console::of_type;
use crossterm::event::KeyCode;

use super::{
    runs_samples::{ASK, VOTE, by, plan, run, runs, with_runs},
    sessions_samples::{session, sessions, with_sessions},
    test_console::{TestConsole, connected},
    traces::with_messages,
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        records::selection::RecordKey,
        systems::{
            bridge::queue_control::Batch,
            runs::{
                confirmations::{CancelRun, Decided},
                keys::RUN,
            },
            sessions::keys::SESSION,
        },
        ui::{effect::Effect, event::Event, state::Focus},
    },
    ids::ActionId,
    macp::{Ending, Mode},
    port::{Command, Outcome},
    runs,
    runs::{NodeRef, NodeState, Transition as T, Verdict},
    tap::entry::alerts::AlertState,
    time::{Now, Wall},
};

fn selected(stage: &TestConsole, pane: PaneId) -> Option<RecordKey> {
    stage.ui.selected(pane, &stage.model)
}

fn open_more(stage: &mut TestConsole, number: u64) {
    stage.opened(number, Mode::Decision, ("what next", &["ann"]), 60_000);
    stage.event(Event::Tick);
}

/// Another run needs approval, which is rejected without an answer in so long.
fn asks(stage: &mut TestConsole, number: u64, action: u128, in_ms: u64) {
    stage.submitted(number, "other", &plan(&[("give", "agent:giver", None)], &[]));
    stage.moved(number, (0, "give"), NodeState::Asking, 0, "");
    let node = NodeRef { index: 0, id: "give".into() };
    let expires_at = Wall(Now::at_ms(stage.ms).wall.0 + in_ms);
    stage.asked(number, ActionId(uuid::Uuid::from_u128(action)), node, expires_at, "give?\n{}");
}

fn hold(stage: &mut TestConsole) {
    stage.runs(T::Braked { held: true, by: by("operator") }, "");
}

#[test]
fn what_a_key_did_something_to_stays_selected_whatever_begins() {
    for key in [KeyCode::Enter, KeyCode::Char('x')] {
        let mut stage = sessions(160, 50);
        assert_eq!(selected(&stage, PaneId::Sessions), Some(SESSION.of(session(18))));
        stage.key(key);
        open_more(&mut stage, 19);
        stage.key(KeyCode::Esc);
        open_more(&mut stage, 20);
        assert_eq!(selected(&stage, PaneId::Sessions), Some(SESSION.of(session(18))), "{key:?}");
        assert_eq!(
            stage.ui.systems.sessions.session.as_ref().map(|session| session.number),
            Some(18),
            "nor do the panes beside it change"
        );
        stage.char('x');
        assert!(stage.text().contains("Cancel s-18?"), "{}", stage.text());
    }
}

#[test]
fn what_is_looked_at_for_a_while_stays_selected_until_the_view_is_left() {
    let mut stage = sessions(160, 50);
    open_more(&mut stage, 19);
    assert_eq!(
        selected(&stage, PaneId::Sessions),
        Some(SESSION.of(session(19))),
        "at first the newest is selected"
    );
    stage.pass(1_500);
    stage.event(Event::Tick);
    open_more(&mut stage, 20);
    assert_eq!(selected(&stage, PaneId::Sessions), Some(SESSION.of(session(19))));
    stage.char('1');
    stage.char('5');
    assert_eq!(selected(&stage, PaneId::Sessions), Some(SESSION.of(session(20))));
}

#[test]
fn a_recording_has_a_key_of_its_own_in_every_pane() {
    let mut stage = sessions(160, 50);
    stage.closed(18, Ending::Resolved, "{}");
    // What has ended stands below.
    stage.char('G');
    stage.char('x');
    assert_eq!(stage.char('r'), [], "it writes a reason within the question alone");
    let records = |mut stage: TestConsole| {
        stage.resync(connected());
        assert_eq!(stage.char('r'), []);
        let effects = stage.ctrl('r');
        assert!(
            matches!(effects[..], [Effect::Command { command: Command::RecordStart { .. }, .. }]),
            "{effects:?}"
        );
    };
    records(stage);
    records(with_runs(TestConsole::of_size(160, 50)));
    records(TestConsole::of_size(160, 50));
}

#[test]
fn while_runs_are_held_an_approval_promises_no_more_than_it_does() {
    let mut stage = runs(160, 50);
    hold(&mut stage);
    stage.char('p');
    assert!(stage.text().contains("on approval, give starts once they are"), "{}", stage.text());
    let effects = stage.char('y');
    let asked = Decided { approved: true, held: true };
    assert!(
        matches!(
            &effects[..],
            [Effect::Command { on_outcome, .. }] if of_type(&**on_outcome) == Some(&asked)
        ),
        "{effects:?}"
    );
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(asked),
        outcome: Ok(Outcome::Runs(runs::Outcome::Decided)),
    });
    assert!(stage.text().contains("the node starts once runs are resumed"), "{}", stage.text());
}

#[test]
fn the_question_that_silence_answers_first_stands_first_everywhere() {
    let mut stage = runs(160, 50);
    asks(&mut stage, 0xbeef, 7, 11_000);
    asks(&mut stage, 0xcafe, 8, 600_000);
    let text = stage.text();
    assert!(text.contains("? 3 approvals 11s"), "{text}");
    let runs = super::runs_samples::keys(&stage, PaneId::Runs);
    assert_eq!(runs[..3], [0xbeef, VOTE, 0xcafe].map(|number| RUN.of(run(number))));
    stage.char('a');
    let text = stage.text();
    let line = |wanted: &str| text.lines().position(|line| line.contains(wanted)).unwrap();
    assert!(
        line("beef pending") < line("a41f pending") && line("a41f pending") < line("cafe pending"),
        "{text}"
    );
}

#[test]
fn a_run_that_asks_is_found_by_the_word_that_its_row_shows() {
    let mut stage = runs(160, 50);
    for (filter, found) in [("state:asks", 1), ("state:running", 0)] {
        stage.char('/');
        stage.ctrl('u');
        stage.write(filter);
        stage.key(KeyCode::Enter);
        assert_eq!(
            super::runs_samples::keys(&stage, PaneId::Runs).len(),
            found,
            "{filter}: {}",
            stage.text()
        );
        stage.key(KeyCode::Esc);
    }
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.lines().any(|line| line.contains("state") && line.contains("awaiting")), "{text}");
}

#[test]
fn a_session_that_was_cancelled_is_found_by_that_word() {
    let mut stage = sessions(160, 50);
    stage.char('/');
    stage.write("state:cancelled");
    stage.key(KeyCode::Enter);
    assert_eq!(
        super::runs_samples::keys(&stage, PaneId::Sessions),
        [SESSION.of(session(16))],
        "{}",
        stage.text()
    );
}

#[test]
fn the_deck_shows_runs_and_sessions_as_soon_as_there_are_some() {
    for (columns, rows) in [(80, 24), (120, 30), (160, 50)] {
        let mut stage = TestConsole::of_size(columns, rows);
        stage.resync(connected());
        let layout = stage.ui.layout(&stage.model);
        assert!(columns == 160 || !layout.has(PaneId::Runs) && !layout.has(PaneId::Sessions));
        let mut stage = with_sessions(with_runs(stage));
        stage.ui.show(ViewId::Deck);
        let text = stage.text();
        for wanted in ["chat_vote", "auto-reject in", "s-17", "Queues", "In flight"] {
            assert!(text.contains(wanted), "{wanted} at {columns}x{rows}: {text}");
        }
        assert!(text.lines().next().is_some_and(|line| line.contains('?')), "{text}");
    }
}

#[test]
fn holding_and_releasing_say_what_becomes_of_queues_and_of_runs() {
    let asked = |effects: &[Effect]| {
        let words = effects.iter().filter_map(|effect| match effect {
            Effect::Command { on_outcome, .. } => of_type::<Batch>(&**on_outcome)?.0.clone(),
            _ => None,
        });
        words.collect::<Vec<_>>()
    };
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let effects = stage.ctrl('x');
    assert_eq!(asked(&effects).len(), 1, "one answer tells it all: {effects:?}");
    assert!(asked(&effects)[0].starts_with("everything held: "), "{effects:?}");
    for queue in ["boss", "default"] {
        let brake = crate::tap::entry::mpp::Brake { held: true, draining: false };
        stage.mpp(crate::tap::entry::mpp::Transition::Braked { queue: queue.into(), brake }, "");
    }
    hold(&mut stage);
    assert_eq!(stage.ctrl('x'), [], "the brake never releases");
    assert!(stage.text().contains("everything is already held; U resumes it"), "{}", stage.text());
    assert_eq!(stage.char('U'), [], "it asks");
    let text = stage.text();
    for wanted in ["Resume everything?", "boss will dispatch again", "Runs start new attempts again."] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let effects = stage.char('y');
    assert_eq!(asked(&effects), ["resumed: boss resumed, default resumed, runs resumed"]);
    let asked = Batch(asked(&effects).pop());
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(asked),
        outcome: Ok(Outcome::Runs(runs::Outcome::Braked { held: false })),
    });
    assert!(stage.text().contains("runs resumed"), "{}", stage.text());
}

#[test]
fn a_decision_of_an_operator_is_in_the_trace_and_who_reads_on_a_screen_is_not_nobody() {
    let mut stage = with_messages(160, 50);
    stage.runs(
        T::Decided { run: run(VOTE), action: ASK, verdict: Verdict::Approved, by: Some(by("operator")) },
        "",
    );
    stage.char('t');
    let text = stage.text();
    assert!(text.contains("approved: ac"), "{text}");
    assert!(text.contains("✗ agent/writer") && text.contains("lanes: ann (9), station"), "{text}");
    let mut stage = with_messages(80, 24);
    stage.char('t');
    assert!(stage.text().contains("answer …/agen"), "{}", stage.text());
}

#[test]
fn details_of_a_session_count_its_votes_and_say_one_word_once() {
    let mut stage = sessions(160, 50);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("2 approve"), "{}", stage.text());
    assert!(stage.text().contains("x cancel"), "what is open can be cancelled here: {}", stage.text());
    stage.char('x');
    assert!(stage.text().contains("Cancel s-17?"), "{}", stage.text());
    let mut stage = sessions(160, 50);
    stage.key(KeyCode::End);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(
        text.contains("summon the dragon")
            && !text.contains("commitment_id")
            && !text.contains("resolved, resolved"),
        "{text}"
    );
    stage.char('x');
    assert!(stage.text().contains("s-14 has ended (resolved)"), "{}", stage.text());
}

#[test]
fn details_of_a_run_cancel_it_and_a_key_of_queues_says_where_they_are() {
    let mut stage = runs(160, 50);
    stage.char('H');
    assert!(stage.text().contains("H needs a queue: 1 shows them"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    stage.char('x');
    let command = Command::Runs(runs::Command::Cancel { run: run(VOTE) });
    assert_eq!(
        stage.char('y'),
        [Effect::command(command, CancelRun { run: run(VOTE), name: "chat_vote".to_owned() })]
    );
    stage.ui.overlays.clear();
    stage.ui.focus = Focus::Pane(PaneId::Runs);
    assert!(!stage.text().is_empty() && stage.act(Action::Open).is_empty());
}

#[test]
fn a_question_of_a_run_whose_other_node_failed_says_so_before_it_is_approved() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let nodes =
        [("draft", "agent:writer", None), ("give", "agent:giver", None), ("thank", "agent:ghost", None)];
    stage.submitted(1, "big", &plan(&nodes, &[(0, 1, None), (0, 2, None)]));
    stage.moved(1, (1, "give"), NodeState::Asking, 0, "");
    let (node, expires_at) =
        (NodeRef { index: 1, id: "give".into() }, Wall(Now::at_ms(stage.ms).wall.0 + 30_000));
    stage.asked(1, ASK, node, expires_at, "give?\n{}");
    stage.char('4');
    assert!(!stage.text().contains("thank failed"), "{}", stage.text());
    stage.moved(1, (2, "thank"), NodeState::Failed, 1, "nobody answers on agent/ghost");
    assert!(stage.text().contains("; thank failed"), "{}", stage.text());
    stage.char('p');
    let text = stage.text();
    assert!(text.contains("thank has failed: the run can succeed only if"), "{text}");
    stage.key(KeyCode::Esc);
    stage.char('r');
    assert!(!stage.text().contains("thank has failed"), "a no is right all the same: {}", stage.text());
}

#[test]
fn a_question_is_listed_and_counted_once_and_what_became_of_it_is_said() {
    for (verdict, became) in
        [(Verdict::Approved, "approved"), (Verdict::Expired, "no answer in time, rejected")]
    {
        let mut stage = runs(160, 50);
        stage.tick();
        let head = stage.text().lines().next().unwrap_or_default().to_owned();
        let waiting =
            stage.model.alerts().listed().iter().filter(|alert| alert.state() == AlertState::Active).count();
        assert!(
            head.contains(&format!("! {} alert", waiting - 1)) && head.contains("? 1 approval"),
            "{head}"
        );
        stage.char('a');
        let text = stage.text();
        assert!(text.contains("a41f pending"), "{text}");
        assert_eq!(text.matches("node give needs approval").count(), 1, "in its details alone: {text}");
        stage.runs(T::Decided { run: run(VOTE), action: ASK, verdict, by: None }, "");
        stage.tick();
        let text = stage.text();
        assert!(text.contains(&format!("chat_vote, approval for node give: {became}")), "{text}");
        assert!(!text.contains("auto-rejects in"), "{text}");
    }
}
