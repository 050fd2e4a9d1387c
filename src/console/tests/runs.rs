//! Runs: what their view shows, what their chip says, what is asked for and done there.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::{
    answers::{answered, asked_by},
    screens::at_both_sizes,
    test_console::{TestConsole, connected, fresh, show},
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        systems::runs::keys::{NODE, RUN, RUN_EVENT},
        ui::{effect::PanePage, event::Event, state::Focus},
    },
    port::{Page, Query},
    runs::{EventKind, NodeState, RunState},
    tap::entry::station::Level,
};

use super::runs_samples::{GREET, VOTE, keys, over, plan, run, runs, told, with_runs};

#[test]
fn open_runs_come_first_then_the_newest() {
    let stage = runs(160, 50);
    assert_eq!(stage.ui.view, ViewId::Runs);
    let wanted = [VOTE, 0xdead, GREET].map(|number| RUN.of(run(number)));
    assert_eq!(keys(&stage, PaneId::Runs), wanted);
}

#[test]
fn the_plan_has_its_nodes_by_layers_with_states_attempts_and_progress() {
    let mut stage = runs(160, 50);
    let text = stage.text();
    for wanted in ["Plan chat_vote a41f", "✓ poll", "▶ count", "38%", "! give", "1.2k", "1/7"] {
        assert!(text.contains(wanted) || (wanted == "1.2k" && text.contains("1234")), "{wanted}: {text}");
    }
    let places: Vec<_> = keys(&stage, PaneId::Plan);
    let places = places.iter().map(|key| NODE.id(key).unwrap().1);
    assert_eq!(places.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6], "what is nested stands behind its node");
}

#[test]
fn events_follow_their_end_until_one_is_chosen_and_levels_are_filtered() {
    let mut stage = over(PaneId::RunEvents);
    assert_eq!(stage.ui.selected(PaneId::RunEvents, &stage.model), Some(RUN_EVENT.of((run(VOTE), 5))));
    stage.tells(VOTE, 6, (EventKind::Log, Some(Level::Info)), None, "and on");
    assert_eq!(stage.ui.selected(PaneId::RunEvents, &stage.model), Some(RUN_EVENT.of((run(VOTE), 6))));
    stage.key(KeyCode::Up);
    stage.tells(VOTE, 7, (EventKind::Log, Some(Level::Info)), None, "and on and on");
    assert_eq!(stage.ui.selected(PaneId::RunEvents, &stage.model), Some(RUN_EVENT.of((run(VOTE), 5))));
    stage.char('/');
    stage.write("level:warn or level:error");
    stage.key(KeyCode::Enter);
    assert_eq!(keys(&stage, PaneId::RunEvents).len(), 2, "{}", stage.text());
}

#[test]
fn what_was_told_before_this_console_came_is_asked_of_the_store_page_by_page() {
    let mut stage = over(PaneId::RunHistory);
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Home);
    let (_, query) = asked_by(PaneId::RunEvents, &effects).unwrap();
    assert_eq!(query, Query::RunEvents { run: run(9), after: 250, limit: 200 });
    answered(&mut stage, effects);
    assert_eq!(stage.ui.systems.runs.run, Some(run(9)));
    assert_eq!(keys(&stage, PaneId::RunEvents).len(), 200);
    assert!(stage.text().contains("step 450"));
    stage.ui.focus = Focus::Pane(PaneId::RunEvents);
    for expected in [Some(50), Some(0), None] {
        stage.pass(1_100);
        let effects = stage.key(KeyCode::Home);
        let asked = asked_by(PaneId::RunEvents, &effects).map(|(_, query)| query);
        let limit = if expected == Some(0) { 50 } else { 200 };
        assert_eq!(asked, expected.map(|after| Query::RunEvents { run: run(9), after, limit }));
        answered(&mut stage, effects);
    }
    assert_eq!(keys(&stage, PaneId::RunEvents).len(), 450);
}

#[test]
fn an_answer_for_the_run_that_was_shown_before_finds_no_place() {
    let mut stage = over(PaneId::RunHistory);
    stage.pass(1_100);
    let effects = stage.key(KeyCode::Home);
    let (serial, _) = asked_by(PaneId::RunEvents, &effects).unwrap();
    stage.pass(1_100);
    stage.key(KeyCode::Down);
    assert_eq!(stage.ui.systems.runs.run, Some(run(8)));
    let page = Ok(Page::RunEvents { rows: told(run(9), 250, 200), more: false });
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::RunEvents, serial }),
        page,
    });
    assert_eq!(keys(&stage, PaneId::RunEvents), []);
}

#[test]
fn a_node_says_what_feeds_it_what_waits_and_what_it_feeds() {
    // It is what one looks for first.
    let mut stage = over(PaneId::Plan);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in [
        "Node give of chat_vote a41f",
        "awaiting",
        "node give needs approval",
        "give item 4 to viewer ann?",
        "in from count.out (running), when it is true",
        "out to report.in (waiting)",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.act(Action::OnAir);
    assert!(!stage.text().contains("viewer ann"), "a question quotes what viewers wrote");
}

#[test]
fn a_run_an_event_and_an_artifact_are_read_whole_and_their_entries_are_found() {
    for (pane, wanted) in [
        (PaneId::Runs, vec!["Run chat_vote a41f", "7: ", "1 completed", "run events trace:0191"]),
        (PaneId::RunEvents, vec!["Event 5 of a41f", "the overlay did not answer"]),
        (PaneId::Artifacts, vec!["Artifact 1 of a41f", "count.out", "pikachu"]),
        (
            PaneId::RunHistory,
            vec!["Run greet", "450 events", "cancelled", "3 of 4 completed or were skipped", " 3/4 "],
        ),
    ] {
        let mut stage = over(pane);
        stage.pass(10);
        stage.key(KeyCode::Enter);
        let text = stage.text();
        for wanted in wanted {
            assert!(text.contains(wanted), "{pane:?} {wanted}: {text}");
        }
    }
    let mut stage = over(PaneId::RunEvents);
    stage.char('c');
    assert!(stage.text().contains("told"), "{}", stage.text());
}

#[test]
fn the_chip_tells_how_the_runs_are_and_why() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    assert!(stage.text().contains("RUNS ● 0▶   MPLP ●   STORE"), "{}", stage.text());
    let mut stage = with_runs(stage);
    assert!(stage.text().contains("RUNS ◐ 1 approval 1▶ since start 1✓ 1✗"), "{}", stage.text());
    stage.ui.focus = Focus::Chips(4);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in [
        "chat_vote needs approval for node give",
        "mend dead failed in the last minute",
        "nobody answers on agent/writer",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.key(KeyCode::Esc);
    stage.ended(VOTE, RunState::Cancelled, "");
    stage.pass(70_000);
    assert!(stage.text().contains("RUNS ● 0▶ since start 1✓ 1✗"), "{}", stage.text());
}

#[test]
fn the_journal_names_who_cancelled_a_run() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let mut stage = with_runs(stage);
    stage.ended(VOTE, RunState::Cancelled, "cancelled by helper");
    let texts: Vec<_> = stage.model.journal.notices.iter().map(|notice| notice.text.to_string()).collect();
    let named =
        texts.iter().filter(|text| text.contains("chat_vote") && text.ends_with("was cancelled by helper"));
    assert_eq!(named.count(), 1, "{texts:?}");
}

#[test]
fn a_station_without_runs_says_so_in_every_pane() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(fresh());
    stage.char('4');
    let text = stage.text();
    assert!(text.contains("no runs yet") && text.contains("no run is selected"), "{text}");
}

#[test]
fn a_plan_of_a_thousand_nodes_is_laid_out_once_and_its_end_is_reached() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let ids: Vec<String> = (0..1_000).map(|at| format!("n{at}")).collect();
    let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "agent:echo", None)).collect();
    let edges: Vec<_> =
        (1..1_000).flat_map(|at: u32| [(at / 2, at, None), (at.saturating_sub(5), at, None)]).collect();
    stage.submitted(1, "wide", &plan(&nodes, &edges));
    stage.char('4');
    stage.ui.focus = Focus::Pane(PaneId::Plan);
    stage.buffer();
    let view = stage.model.runs().unwrap().run(run(1)).unwrap().clone();
    let first = stage.ui.systems.runs.dag_layout_of(&view);
    stage.key(KeyCode::Char('G'));
    let last = first.lines.last().unwrap().index;
    assert!(stage.text().contains(&format!("n{last}")), "{}", stage.text());
    assert!(Arc::ptr_eq(&first, &stage.ui.systems.runs.dag_layout_of(&view)), "the layout is kept");
    stage.moved(1, (999, "n999"), NodeState::Completed, 1, "");
    assert!(Arc::ptr_eq(
        &first,
        &stage.ui.systems.runs.dag_layout_of(stage.model.runs().unwrap().run(run(1)).unwrap())
    ));
}

#[test]
fn the_runs_in_full_swing() {
    at_both_sizes("runs", runs);
}

#[test]
fn the_deck_with_runs() {
    at_both_sizes("deck_runs", |columns, rows| with_runs(show(columns, rows)));
}

#[test]
fn the_plan_alone() {
    at_both_sizes("run_plan", |columns, rows| {
        let mut stage = runs(columns, rows);
        (stage.ui.focus, stage.ui.zoomed) = (Focus::Pane(PaneId::Plan), Some(PaneId::Plan));
        stage
    });
}

#[test]
fn a_run_in_words() {
    at_both_sizes("run_facts", |columns, rows| {
        let mut stage = runs(columns, rows);
        stage.key(KeyCode::Enter);
        stage
    });
}

#[test]
fn the_report_of_the_runs() {
    at_both_sizes("runs_report", |columns, rows| {
        let mut stage = with_runs(show(columns, rows));
        stage.ui.focus = Focus::Chips(4);
        stage.key(KeyCode::Enter);
        stage
    });
}
