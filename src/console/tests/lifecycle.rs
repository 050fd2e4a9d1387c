//! The lifecycle record of a run or session: its tree, its findings, the way to what a part was made of, and
//! how its pages come.

use crossterm::event::KeyCode;

use super::{
    answers::{answered, asked_by},
    lifecycle_pages::answer,
    lifecycle_samples::{EVENTS, objects},
    runs_samples::{GREET, VOTE, run, runs},
    sessions_samples::{self, RELEASE},
    test_console::TestConsole,
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
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
    mplp::lifecycle::Origin,
    port::{Page, PortError, Query, RecordOf},
    runs::EventKind,
    schema::JsonText,
    tap::entry::station::Level,
};

/// The Runs, with the record of the run that asks on the whole screen.
pub(super) fn shown(columns: u16, rows: u16) -> TestConsole {
    zoomed(runs(columns, rows), PaneId::Lifecycle)
}

pub(super) fn zoomed(mut stage: TestConsole, pane: PaneId) -> TestConsole {
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
        "Lifecycle chat_vote a41f · profile map · 1206 items · ✗ 2 findings",
        "▾ ✗ bundle",
        "map_turn_completion_matches_dispatch: an",
        "▸ context",
        "▸ ✗ plan",
        "in_progress",
        "sa_steps_have_agent_role: a text with content",
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
    let title = "Lifecycle greet b007 · profile map · 1206 items · ✓ no findings ─";
    assert!(text.contains(title), "{text}");
    let heads = text.lines().find(|line| line.contains("│ part")).unwrap();
    assert!(heads.contains("value") && !heads.contains("finding"), "{heads}");
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
fn right_and_left_move_in_the_tree_and_no_cell_keeps_them_from_it() {
    let mut stage = shown(160, 50);
    let name = |stage: &TestConsole| {
        let key = stage.ui.selected_row(PaneId::Lifecycle, &stage.model).unwrap();
        format!("{:?}", key.value(0, stage.view.now))
    };
    let cell = |stage: &TestConsole| stage.ui.table_settings(PaneId::Lifecycle).cell;
    select(&mut stage, "context");
    press(&mut stage, KeyCode::Right);
    assert!(name(&stage).contains("context\"") && stage.text().contains("context_id"));
    // What is open leads to what is first in it; what has nothing to be opened leads nowhere.
    for _ in 0..3 {
        press(&mut stage, KeyCode::Right);
        assert!(name(&stage).contains("context_id") && cell(&stage).is_none(), "{}", name(&stage));
    }
    press(&mut stage, KeyCode::Left);
    assert!(name(&stage).contains("context\""), "{}", name(&stage));
    // A cell that was clicked on is left by the keys that fold.
    stage.ui.table_settings_mut(PaneId::Lifecycle).cell = Some(1);
    press(&mut stage, KeyCode::Left);
    assert!(cell(&stage).is_none() && !stage.text().contains("context_id"), "{}", stage.text());
    stage.ui.table_settings_mut(PaneId::Lifecycle).cell = Some(0);
    press(&mut stage, KeyCode::Left);
    assert_eq!((cell(&stage), stage.ui.focus), (None, Focus::Pane(PaneId::Lifecycle)));
    let footer = stage.text().lines().last().unwrap().to_owned();
    assert!(footer.contains("→ unfold") && footer.contains("← fold"), "{footer}");
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
    let at = stage.view.time_of_day(stage.view.now).replace(':', "");
    let line = format!("run export {} --mplp greet-b007-{at}.mplp.json", run(GREET));
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
    let at = stage.view.time_of_day(stage.view.now).replace(':', "");
    let end = format!("--mplp chat_vote-a41f-{at}.mplp.json --force");
    assert!(line.is_some_and(|line| line.ends_with(&end)));
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
    assert_eq!(found("rule:sa_steps_have_agent_role"), 2, "the plan, and its finding");
    assert_eq!(found("path:\"$.roles[1]\""), 1);
    assert_eq!(
        found("schema:pipeline-stage-event"),
        usize::try_from(EVENTS).unwrap(),
        "all of them are loaded"
    );
}

#[test]
fn enter_on_what_is_of_a_session_of_the_run_leads_to_its_log() {
    let of_session = |stage: &mut TestConsole, origin| {
        let mut rows = objects("night of ann");
        let last = rows.last_mut().unwrap();
        (last.session, last.origin) = (Some("vote-9".into()), origin);
        stage.ui.systems.mplp = mplp::state::State::default();
        stage.pass(1_100);
        let effects = stage.event(Event::Tick);
        answer(stage, &effects, rows, 1);
        select(stage, "confirms");
        stage.key(KeyCode::Enter);
        stage.key(KeyCode::Down);
        stage.key(KeyCode::Enter)
    };
    let mut stage = shown(160, 50);
    let effects = of_session(&mut stage, Origin::Number(4));
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Query { query: query @ Query::SessionLog { .. }, .. } => Some(query),
        _ => None,
    });
    assert_eq!(asked, Some(Query::SessionLog { session: "vote-9".to_owned(), after: 3, limit: 1 }));
    of_session(&mut stage, Origin::Beginning);
    assert!(stage.text().contains("Session vote-9"), "{}", stage.text());
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
    let (name, version, what) = ("local".to_owned(), "0.6.0".to_owned(), "make lifecycle records".to_owned());
    let text = answer(&mut stage, serial, Err(PortError::OlderStation { name, version, what }));
    assert!(
        text.contains("local runs rl-console 0.6.0, which cannot make lifecycle records: start"),
        "{text}"
    );
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
