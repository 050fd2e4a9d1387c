//! The lifecycle record of a run or session: its tree, its findings, the way to what a part was made of, and
//! how its pages come.

use crossterm::event::KeyCode;

use super::{
    answers::{answered, asked_by},
    lifecycle_samples::{EVENTS, objects, page_of},
    runs_samples::{GREET, VOTE, run, runs},
    sessions_samples::{self, RELEASE},
    test_console::TestConsole,
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        records::selection::RowKeys as _,
        settings::shell::{Runnable, Subcommand},
        systems::mplp,
        ui,
        ui::{
            effect::{Effect, PanePage},
            event::Event,
            state::Focus,
        },
    },
    field::Value,
    port::{LifecyclePage, LifecycleRow, Page, PortError, Query, RecordOf},
    runs::{EventKind, Transition},
    schema::JsonText,
    tap::entry::station::Level,
};

/// The Runs, with the record of the run that asks on the whole screen.
pub(super) fn shown(columns: u16, rows: u16) -> TestConsole {
    zoomed(runs(columns, rows), PaneId::Lifecycle)
}

fn zoomed(mut stage: TestConsole, pane: PaneId) -> TestConsole {
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = Some(pane);
    stage.pass(1_100);
    let effects = stage.event(Event::Tick);
    answered(&mut stage, effects);
    stage
}

/// A key, and everything that is asked for then answered.
pub(super) fn press(stage: &mut TestConsole, code: KeyCode) {
    let effects = stage.key(code);
    let pages =
        effects.into_iter().filter(|it| asked_by(PaneId::Lifecycle, std::slice::from_ref(it)).is_some());
    let pages = pages.collect();
    answered(stage, pages);
}

fn lines(stage: &TestConsole, pane: PaneId) -> usize {
    ui::rows(pane, &stage.ui, &stage.model).len()
}

/// Selects the first line of this name or value.
pub(super) fn select(stage: &mut TestConsole, text: &str) {
    let pane = PaneId::Lifecycle;
    let rows = ui::rows(pane, &stage.ui, &stage.model);
    let now = stage.view.now;
    let is = |at| rows.with(at, |row| [0, 1].map(|field| row.value(field, now)).contains(&Value::text(text)));
    let found = (0..rows.len()).find(|at| is(*at) == Some(true));
    let found = found.unwrap_or_else(|| panic!("no line says {text}"));
    drop(rows);
    stage.ui.select_in(pane, &stage.model, |selection, keys| selection.select(found, keys, 20));
}

#[test]
fn a_record_is_folded_to_a_screen_with_its_findings_counted_and_marked() {
    let mut stage = shown(160, 50);
    let text = stage.text();
    for wanted in [
        "Lifecycle chat_vote a41f · map · 1206 items · ✗ 2 findings",
        "▾ ✗ bundle",
        "map_turn_completion_matches_dispatch: an",
        "▸ context",
        "▸ ✗ plan",
        "in_progress",
        "sa_steps_agent_role: a text with content",
        "▸ roles",
        "▸ confirms",
        "▸ events",
        "1200",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert_eq!(lines(&stage, PaneId::Lifecycle), 8);
    let mut clean = runs(160, 50);
    clean.ui.systems.runs.run = Some(run(GREET));
    let text = zoomed(clean, PaneId::Lifecycle).text();
    assert!(text.contains("Lifecycle greet b007 · map · 1206 items ─"), "{text}");
}

#[test]
fn an_object_unfolds_to_the_value_that_is_wrong_and_folds_to_where_it_was() {
    let mut stage = shown(160, 50);
    select(&mut stage, "plan");
    press(&mut stage, KeyCode::Right);
    let text = stage.text();
    // The way to what is wrong is open; what is not wrong stays folded.
    for wanted in ["✗ $.plan.steps[1].agent_role", "▾ steps", "✗ agent_role", "\"objective\"", "agent:count"]
    {
        let wanted = wanted.trim_matches('"');
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(text.contains("▸ meta") && text.contains("▸ 0"), "{text}");
    select(&mut stage, "agent:count");
    // What is unfolded is folded first.
    for step in ["1", "1", "steps", "steps", "plan"] {
        press(&mut stage, KeyCode::Left);
        let key = stage.ui.selected_row(PaneId::Lifecycle, &stage.model).unwrap();
        assert!(format!("{:?}", key.value(0, stage.view.now)).contains(step), "{step}");
    }
    press(&mut stage, KeyCode::Left);
    assert_eq!(lines(&stage, PaneId::Lifecycle), 8);
}

#[test]
fn events_load_as_they_are_unfolded_and_scrolled_to() {
    let mut stage = runs(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Lifecycle);
    let wanted = |after| Query::Lifecycle { of: RecordOf::Run(run(VOTE)), after, limit: 500, bytes: None };
    // The first page has the objects and some events: no more is asked for while they are folded.
    stage.pass(5_000);
    let effects = stage.event(Event::Tick);
    assert_eq!(asked_by(PaneId::Lifecycle, &effects), None);
    select(&mut stage, "events");
    assert_eq!(asked_by(PaneId::Lifecycle, &stage.key(KeyCode::Right)), None);
    assert_eq!(lines(&stage, PaneId::Lifecycle), 8 + 494 + 1);
    stage.ui.select_in(PaneId::Lifecycle, &stage.model, |selection, keys| selection.select(480, keys, 10));
    let effects = stage.event(Event::Tick);
    assert_eq!(asked_by(PaneId::Lifecycle, &effects).map(|it| it.1), Some(wanted(500)));
    answered(&mut stage, effects);
    assert_eq!(lines(&stage, PaneId::Lifecycle), 8 + 994 + 1);
    press(&mut stage, KeyCode::End);
    let effects = stage.key(KeyCode::Char('G'));
    answered(&mut stage, effects);
    assert_eq!(lines(&stage, PaneId::Lifecycle), 8 + usize::try_from(EVENTS).unwrap());
}

#[test]
fn no_more_is_held_than_its_limit_and_the_last_line_says_so() {
    let mut stage = runs(160, 50);
    stage.ui.systems.mplp = mplp::state::State::default();
    stage.ui.limits.console.lifecycle_bytes_max = 65_536;
    let mut stage = zoomed(stage, PaneId::Lifecycle);
    select(&mut stage, "events");
    press(&mut stage, KeyCode::Right);
    press(&mut stage, KeyCode::Char('G'));
    let text = stage.text();
    assert!(text.contains("not held here: limits.console.lifecycle_bytes_max"), "{text}");
    stage.pass(5_000);
    assert_eq!(asked_by(PaneId::Lifecycle, &stage.event(Event::Tick)), None);
}

#[test]
fn enter_leads_to_the_event_in_its_pane_or_reads_one_that_is_not_listed() {
    let mut stage = shown(80, 24);
    select(&mut stage, "confirms");
    press(&mut stage, KeyCode::Enter);
    press(&mut stage, KeyCode::Down);
    press(&mut stage, KeyCode::Enter);
    assert_eq!((stage.ui.focus, stage.ui.zoomed), (Focus::Pane(PaneId::RunEvents), None));
    let key = stage.ui.selected(PaneId::RunEvents, &stage.model);
    assert_eq!(key, Some(crate::console::systems::runs::keys::RUN_EVENT.of((run(VOTE), 4))));
    // And back.
    stage.key(KeyCode::Backspace);
    assert_eq!(stage.ui.zoomed, Some(PaneId::Lifecycle));
    select(&mut stage, "events");
    press(&mut stage, KeyCode::Right);
    stage.ui.select_in(PaneId::Lifecycle, &stage.model, |selection, keys| selection.select(100, keys, 10));
    let effects = stage.key(KeyCode::Enter);
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Query { query: query @ Query::RunEvents { .. }, on_page } => Some((query, on_page)),
        _ => None,
    });
    let (query, on_page) = asked.unwrap();
    assert_eq!(query, Query::RunEvents { run: run(VOTE), after: 899, limit: 1 });
    let rows = vec![crate::port::RunEventRow {
        number: 900,
        kind: EventKind::Log,
        level: Some(Level::Info),
        message: "far back".to_owned(),
        meta: JsonText::null(),
        at_ms: stage.view.now.wall,
    }];
    stage.event(Event::QueryAnswered { on_page, page: Ok(Page::RunEvents { rows, more: false }) });
    let text = stage.text();
    assert!(text.contains("Event 900 of a41f") && text.contains("far back"), "{text}");
}

#[test]
fn enter_on_what_a_run_begins_with_shows_the_run_and_on_a_finding_what_it_says() {
    let mut stage = shown(160, 50);
    select(&mut stage, "context");
    press(&mut stage, KeyCode::Enter);
    assert!(stage.text().contains("Run chat_vote a41f"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    select(&mut stage, "$.events[3]");
    press(&mut stage, KeyCode::Enter);
    let text = stage.text();
    for wanted in ["Finding map_turn_completion", "requires", "an answer to each turn", "clause", "§4.2"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn a_part_is_copied_as_json() {
    let copied = |effects: &[Effect]| {
        let text = effects.iter().find_map(|effect| match effect {
            Effect::Copy(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
            _ => None,
        });
        text.unwrap()
    };
    let mut stage = shown(160, 50);
    select(&mut stage, "context");
    let object = copied(&stage.char('y'));
    let wanted = objects("night of ann")[0].object.as_ref().unwrap().as_str().to_owned();
    assert_eq!(object, wanted);
    press(&mut stage, KeyCode::Right);
    select(&mut stage, "root");
    let value: serde_json::Value = serde_json::from_str(&copied(&stage.char('y'))).unwrap();
    assert_eq!(value["client"], "ann");
    select(&mut stage, "roles");
    let list: serde_json::Value = serde_json::from_str(&copied(&stage.char('y'))).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 2);
    stage.char('Y');
    assert!(stage.text().contains("Copy as"), "{}", stage.text());
}

/// A console that knows the subcommand.
fn with_export(mut stage: TestConsole) -> TestConsole {
    let mut known: Vec<Subcommand> = stage.view.subcommands.to_vec();
    known.push(Subcommand {
        name: "run export".to_owned(),
        about: "Write a run".to_owned(),
        usage: "run export <ID>".to_owned(),
        needs_more: true,
        runnable: Runnable::Here,
        is_earlier: false,
    });
    stage.view.subcommands = known.into();
    stage
}

#[test]
fn a_clean_record_is_written_by_the_command_that_the_palette_holds_ready() {
    let mut stage = runs(160, 50);
    stage.ui.systems.runs.run = Some(run(GREET));
    let mut stage = with_export(zoomed(stage, PaneId::Lifecycle));
    stage.char('w');
    let line = format!("run export {} --mplp greet-b007.mplp.json", run(GREET));
    assert_eq!(stage.ui.palette.as_ref().map(|palette| palette.text()), Some(&*line));
    let effects = stage.key(KeyCode::Enter);
    let words = effects.iter().find_map(|effect| match effect {
        Effect::Run { words, .. } => Some(words.join(" ")),
        _ => None,
    });
    assert_eq!(words, Some(line));
}

#[test]
fn a_record_with_findings_is_written_only_after_a_question_that_counts_them() {
    let mut stage = with_export(shown(160, 50));
    stage.char('w');
    let text = stage.text();
    assert!(text.contains("Write the record of chat_vote a41f?") && text.contains("2 findings"), "{text}");
    stage.char('w');
    assert!(stage.ui.palette.is_none(), "not by the key that asked");
    stage.key(KeyCode::Esc);
    assert!(stage.ui.palette.is_none());
    stage.char('w');
    stage.char('y');
    let line = stage.ui.palette.as_ref().map(|palette| palette.text().to_owned());
    assert!(line.is_some_and(|line| line.ends_with("--mplp chat_vote-a41f.mplp.json --force")));
}

#[test]
fn on_air_nothing_is_seen_that_a_viewer_or_an_agent_wrote() {
    let mut stage = shown(160, 50);
    let names =
        ["events", "confirms", "roles", "trace", "segments", "0", "attributes", "plan", "context", "root"];
    for name in names {
        select(&mut stage, name);
        press(&mut stage, KeyCode::Right);
    }
    stage.ui.zoomed = Some(PaneId::Lifecycle);
    let open = stage.text();
    assert!(open.contains("ann said hello") || open.contains("give ann an item"), "{open}");
    stage.act(Action::OnAir);
    for top in [0, 20, 40, 60] {
        let row = top + 10;
        stage
            .ui
            .select_in(PaneId::Lifecycle, &stage.model, |selection, keys| selection.select(row, keys, 40));
        let text = stage.text();
        for hidden in ["night of ann", "give ann", "ann said hello", "ann won", "viewer ann"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
    }
    stage.ui.select_in(PaneId::Lifecycle, &stage.model, |selection, keys| selection.select(0, keys, 40));
    let text = stage.text();
    assert!(text.contains("▒▒▒▒▒▒") && text.contains("c-1") && text.contains("in_progress"), "{text}");
}

#[test]
fn a_filter_finds_objects_by_schema_rule_and_path_in_every_list() {
    let found = |filter: &str| {
        let mut stage = shown(160, 50);
        press(&mut stage, KeyCode::Char('/'));
        filter.chars().for_each(|letter| press(&mut stage, KeyCode::Char(letter)));
        press(&mut stage, KeyCode::Enter);
        lines(&stage, PaneId::Lifecycle)
    };
    assert_eq!(found("schema:role"), 2);
    assert_eq!(found("rule:sa_steps_agent_role"), 2, "the plan, and its finding");
    assert_eq!(found("path:\"$.roles[1]\""), 1);
    assert_eq!(
        found("schema:pipeline-stage-event"),
        usize::try_from(EVENTS).unwrap(),
        "all of them are loaded"
    );
}

fn answer(stage: &mut TestConsole, effects: &[Effect], rows: Vec<LifecycleRow>, version: u64) -> Vec<Effect> {
    let (serial, query) = asked_by(PaneId::Lifecycle, effects).unwrap();
    let Query::Lifecycle { after, limit, .. } = query else { panic!("{query:?}") };
    let page = Ok(Page::Lifecycle(Some(Box::new(page_of(rows, version, after, limit)))));
    stage
        .event(Event::QueryAnswered { on_page: Box::new(PanePage { pane: PaneId::Lifecycle, serial }), page })
}

#[test]
fn an_open_record_is_taken_anew_at_most_every_two_seconds_and_what_is_unfolded_stays_so() {
    let mut stage = shown(160, 50);
    select(&mut stage, "plan");
    press(&mut stage, KeyCode::Right);
    select(&mut stage, "agent:count");
    let tells = |stage: &mut TestConsole, number| {
        let (kind, level) = (EventKind::Log, Some(Level::Info));
        stage.runs(Transition::Event { run: run(VOTE), number, kind, level, node: None }, "and on")
    };
    stage.pass(2_100);
    let effects = tells(&mut stage, 6);
    let mut rows = objects("night two");
    rows.remove(0);
    answer(&mut stage, &effects, rows, 2);
    let text = stage.text();
    assert!(text.contains("night two") && !text.contains("night of"), "{text}");
    assert!(text.contains("agent:count"), "what was unfolded is so: {text}");
    for _ in 0..10 {
        stage.pass(150);
        assert_eq!(asked_by(PaneId::Lifecycle, &tells(&mut stage, 7)), None);
    }
    stage.pass(600);
    assert!(asked_by(PaneId::Lifecycle, &tells(&mut stage, 8)).is_some());
    // Off the screen nothing is asked for.
    let mut hidden = shown(160, 50);
    hidden.ui.show(ViewId::Deck);
    hidden.pass(9_000);
    assert_eq!(asked_by(PaneId::Lifecycle, &tells(&mut hidden, 9)), None);
}

#[test]
fn a_record_that_goes_on_between_two_pages_is_begun_again() {
    let mut stage = runs(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Lifecycle);
    select(&mut stage, "events");
    stage.key(KeyCode::Right);
    stage.ui.select_in(PaneId::Lifecycle, &stage.model, |selection, keys| selection.select(480, keys, 10));
    let effects = stage.event(Event::Tick);
    let rows = super::lifecycle_samples::rows(&RecordOf::Run(run(VOTE)));
    stage.pass(1_100);
    let effects = answer(&mut stage, &effects, rows, 2);
    let effects = if effects.is_empty() { stage.event(Event::Tick) } else { effects };
    let (_, query) = asked_by(PaneId::Lifecycle, &effects).unwrap();
    assert!(matches!(query, Query::Lifecycle { after: 0, .. }), "{query:?}");
}

#[test]
fn a_large_object_is_read_beside_the_screen() {
    let mut stage = runs(160, 50);
    stage.ui.limits.console.inspect_inline_bytes_max = 100;
    let mut stage = zoomed(stage, PaneId::Lifecycle);
    select(&mut stage, "plan");
    let effects = stage.key(KeyCode::Right);
    assert!(stage.text().contains("loading"), "{}", stage.text());
    let read = effects.into_iter().find_map(|effect| match effect {
        Effect::ReadObject { job, on_tree } => Some((job, on_tree)),
        _ => None,
    });
    let (job, on_tree) = read.unwrap();
    let tree = crate::dissect::mplp::object::object_tree(&job.schema, job.object.as_str(), job.nodes_max);
    stage.event(Event::ObjectRead { on_tree, tree: Some(tree) });
    assert!(stage.text().contains("plan_id"), "{}", stage.text());
}

#[test]
fn an_object_that_no_page_has_room_for_is_fetched_once_it_is_unfolded_and_let_go_once_it_is_folded() {
    let mut stage = runs(160, 50);
    stage.ui.systems.mplp = mplp::state::State::default();
    stage.ui.focus = Focus::Pane(PaneId::Lifecycle);
    stage.pass(1_100);
    let effects = stage.event(Event::Tick);
    let mut rows = objects("night of ann");
    let whole = rows[1].clone();
    (rows[1].object, rows[1].omitted_bytes) = (None, Some(3_000_000));
    answer(&mut stage, &effects, rows, 1);
    assert!(stage.text().contains("2 MiB"), "{}", stage.text());
    select(&mut stage, "plan");
    let effects = stage.key(KeyCode::Right);
    let wanted =
        Query::Lifecycle { of: RecordOf::Run(run(VOTE)), after: 1, limit: 1, bytes: Some(3_000_000) };
    assert_eq!(asked_by(PaneId::Lifecycle, &effects).map(|it| it.1), Some(wanted));
    let (serial, _) = asked_by(PaneId::Lifecycle, &effects).unwrap();
    let page = LifecyclePage { rows: vec![whole], ..page_of(objects("night of ann"), 1, 0, 1) };
    let page = Ok(Page::Lifecycle(Some(Box::new(page))));
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::Lifecycle, serial }),
        page,
    });
    assert!(stage.text().contains("plan_id"), "{}", stage.text());
    stage.key(KeyCode::Left);
    let kept = stage.ui.systems.mplp.of(PaneId::Lifecycle).record();
    assert!(kept.unwrap().rows[1].object.is_none());
}

#[test]
fn an_empty_pane_says_why() {
    let mut stage = runs(160, 50);
    stage.ui.systems.mplp = mplp::state::State::default();
    stage.ui.focus = Focus::Pane(PaneId::Lifecycle);
    stage.pass(1_100);
    let effects = stage.event(Event::Tick);
    let (serial, _) = asked_by(PaneId::Lifecycle, &effects).unwrap();
    let answer = |stage: &mut TestConsole, serial, page| {
        stage.event(Event::QueryAnswered {
            on_page: Box::new(PanePage { pane: PaneId::Lifecycle, serial }),
            page,
        });
        stage.text()
    };
    let older = PortError::BadRequest("unknown variant `lifecycle`, expected one of".to_owned());
    let text = answer(&mut stage, serial, Err(older));
    assert!(text.contains("an earlier version, which has no lifecycle records"), "{text}");
    stage.pass(1_100);
    let effects = stage.event(Event::Tick);
    let (serial, _) = asked_by(PaneId::Lifecycle, &effects).unwrap();
    let text = answer(&mut stage, serial, Ok(Page::Lifecycle(None)));
    assert!(text.contains("no longer stored"), "{text}");
    let mut empty = TestConsole::of_size(160, 50);
    empty.resync(super::test_console::connected());
    empty.char('4');
    empty.ui.zoomed = Some(PaneId::Lifecycle);
    empty.ui.focus = Focus::Pane(PaneId::Lifecycle);
    assert!(empty.text().contains("no run is selected"), "{}", empty.text());
}

#[test]
fn a_session_has_its_record_too_and_leads_to_its_log() {
    let mut stage = sessions_samples::sessions(160, 50);
    let pane = PaneId::SessionLifecycle;
    stage.ui.systems.sessions.session = Some(sessions_samples::session(RELEASE));
    let mut stage = {
        stage.ui.zoomed = Some(pane);
        stage.ui.focus = Focus::Pane(pane);
        stage.pass(1_100);
        let effects = stage.event(Event::Tick);
        answered(&mut stage, effects);
        stage
    };
    let text = stage.text();
    assert!(text.contains("Session lifecycle ") && text.contains("18 items"), "{text}");
    stage.key(KeyCode::Char('G'));
    stage.key(KeyCode::Right);
    stage.key(KeyCode::Down);
    let effects = stage.key(KeyCode::Enter);
    let asks = effects
        .iter()
        .any(|it| matches!(it, Effect::Query { query: Query::SessionLog { limit: 1, .. }, .. }));
    assert!(asks || stage.ui.focus == Focus::Pane(PaneId::SessionLog), "{effects:?}");
}
