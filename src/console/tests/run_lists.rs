//! The list of runs and what stands beside it: what is open, what failed, what the store alone has.

use crossterm::event::KeyCode;

use super::{
    answers::{answered, asked_by},
    runs_samples::{ASK, CUT, by, keys, plan, run, runs},
    test_console::{TestConsole, connected},
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        systems::runs::keys::RUN,
        ui::{event::Event, state::Focus},
    },
    port::{Query, Snapshot},
    runs::{EventKind, NodeRef, NodeState, RunState, Transition as T},
    tap::entry::station::Level,
    time::{Now, Wall},
};

#[test]
fn what_is_open_stays_on_the_screen_however_far_down_one_looks() {
    for (columns, rows) in [(80, 24), (160, 50)] {
        let mut stage = TestConsole::of_size(columns, rows);
        stage.resync(connected());
        let one = plan(&[("write", "agent:writer", None)], &[]);
        for number in 1..=40 {
            stage.submitted(number, "past", &one);
            stage.ended(number, RunState::Succeeded, "");
        }
        stage.char('4');
        for _ in 0..30 {
            stage.key(KeyCode::Down);
        }
        let selected = stage.ui.selected(PaneId::Runs, &stage.model);
        assert_eq!(selected, Some(RUN.of(run(10))));
        stage.submitted(50, "begins", &one);
        stage.pass(100);
        assert!(stage.text().contains("▶ begins"), "{}", stage.text());
        assert_eq!(stage.ui.selected(PaneId::Runs, &stage.model), selected);
        assert!(stage.text().contains(" 000a"), "the selected one is there too: {}", stage.text());
        stage.submitted(51, "asks", &one);
        let write = NodeRef { index: 0, id: "write".into() };
        stage.asked(50, ASK, write, Wall(u64::MAX), "write?");
        assert_eq!(
            keys(&stage, PaneId::Runs)[..2],
            [50, 51].map(|number| RUN.of(run(number))),
            "what asks is first"
        );
    }
}

#[test]
fn why_a_run_failed_is_read_in_the_list() {
    let text = runs(160, 50).text();
    assert!(text.contains("write failed: nobody answers on agent/writer"), "{text}");
    assert!(text.contains("auto-reject in 4m59s"), "{text}");
    let text = runs(80, 24).text();
    assert!(text.contains("write failed: nobody"), "{text}");
}

#[test]
fn a_run_that_a_restart_cut_is_shown_as_the_store_has_it() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let submitted = T::Submitted { run: run(CUT), name: "cut".into(), by: by("ann"), nodes: 2 };
    let began = Now::at_ms(stage.ms).wall.0 - 14_000;
    stage.runs(submitted, &format!(r#"{{"submitted_at_ms":{began}}}"#));
    stage.tells(
        CUT,
        6,
        (EventKind::Status, Some(Level::Error)),
        None,
        "the run failed: the station was restarted",
    );
    stage.runs(T::Done { run: run(CUT), nodes: 1 }, "");
    stage.ended(CUT, RunState::Failed, "the station was restarted");
    let effects = stage.char('4');
    assert_eq!(asked_by(PaneId::Plan, &effects).unwrap().1, Query::Run { run: run(CUT) });
    assert!(stage.text().contains("loading"), "{}", stage.text());
    answered(&mut stage, effects);
    let text = stage.text();
    for wanted in
        ["✓ write", "cut while running", "14s", " 1/2 ", "Plan cut c07e", "the station was restarted"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.ui.focus = Focus::Pane(PaneId::Plan);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("Node write of cut c07e"), "{}", stage.text());
}

#[test]
fn the_last_event_of_a_run_is_shown_where_it_was_told_while_nobody_listened() {
    for is_other_start in [false, true] {
        let mut stage = TestConsole::of_size(160, 50);
        stage.resync(connected());
        let one = plan(&[("write", "agent:writer", None), ("say", "agent:voice", None)], &[(0, 1, None)]);
        stage.submitted(CUT, "cut", &one);
        stage.char('4');
        let info = (EventKind::Status, Some(Level::Info));
        // Of another start, the third was told and never kept: the end took its number.
        let heard = if is_other_start { 3 } else { 2 };
        for (at, words) in (1..=heard).zip(["write is running", "write is completed", "never kept"]) {
            stage.tells(CUT, at, info, None, words);
        }
        assert_eq!(keys(&stage, PaneId::RunEvents).len() as u64, heard);
        stage.pass(5_000);
        let mut runs = stage.model.station_state.clone().unwrap().runs;
        let it = runs.runs.iter_mut().find(|view| view.run == run(CUT)).unwrap();
        (it.state, it.events, it.ended_at) = (RunState::Failed, 3, Some(Now::at_ms(stage.ms)));
        let mut snapshot = Snapshot { runs, ..connected() };
        if is_other_start {
            snapshot.station.started_at = Now::at_ms(stage.ms);
        }
        stage.pass(1_100);
        stage.model.resync(snapshot);
        stage.ui.time.anchor(&stage.model, false);
        let effects = stage.event(Event::Tick);
        assert_eq!(
            asked_by(PaneId::RunEvents, &effects).map(|(_, query)| query),
            Some(Query::RunEvents { run: run(CUT), after: 0, limit: 3 })
        );
        answered(&mut stage, effects);
        let text = stage.text();
        assert_eq!(keys(&stage, PaneId::RunEvents).len(), 3, "{text}");
        assert!(text.contains("say is running") && !text.contains("never kept"), "{is_other_start}: {text}");
        stage.pass(1_100);
        let effects = stage.event(Event::Tick);
        assert_eq!(asked_by(PaneId::RunEvents, &effects), None, "it is asked once");
        stage.tells(CUT, 4, info, None, "and on");
        assert_eq!(keys(&stage, PaneId::RunEvents).len(), 4, "{}", stage.text());
    }
}

#[test]
fn the_log_tells_what_becomes_of_runs() {
    let mut stage = runs(160, 50);
    stage.char('9');
    let text = stage.text();
    for wanted in [
        "chat_vote a41f accepted: 7 nodes",
        "chat_vote a41f needs approval for node give",
        "mend dead failed: write",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let mut small = runs(80, 24);
    small.char('9');
    assert!(small.text().contains("mend dead failed"), "the station's own log has it too: {}", small.text());
    stage.act(Action::OnAir);
    assert!(!stage.text().contains("write failed"), "why it failed may quote viewers");
}

#[test]
fn the_plan_moves_to_what_is_worked_on_until_a_node_is_chosen() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    let ids: Vec<String> = (0..60).map(|at| format!("n{at}")).collect();
    let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "agent:echo", None)).collect();
    let edges: Vec<_> = (1..60).map(|at: u32| (at - 1, at, None)).collect();
    stage.submitted(1, "long", &plan(&nodes, &edges));
    stage.char('4');
    for place in 0..40 {
        stage.moved(1, (place, &ids[place as usize]), NodeState::Running, 1, "");
        stage.moved(1, (place, &ids[place as usize]), NodeState::Completed, 1, "");
    }
    stage.moved(1, (40, "n40"), NodeState::Running, 1, "");
    assert!(stage.text().contains("▶ n40"), "{}", stage.text());
    stage.ui.focus = Focus::Pane(PaneId::Plan);
    stage.key(KeyCode::Home);
    stage.moved(1, (41, "n41"), NodeState::Running, 1, "");
    assert!(!stage.text().contains("▶ n41"), "{}", stage.text());
}
