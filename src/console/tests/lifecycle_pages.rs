//! The pages of a lifecycle record: when they are asked for, and what becomes of those that come.

use crossterm::event::KeyCode;
use serde_json::json;

use super::{
    answers::asked_by,
    lifecycle::{press, select, shown, zoomed},
    lifecycle_samples::{objects, page_of},
    runs_samples::{VOTE, run, runs},
    test_console::TestConsole,
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        systems::mplp,
        ui::{
            effect::{Effect, PanePage},
            event::Event,
            state::Focus,
        },
    },
    port::{LifecyclePage, LifecycleRow, Page, Query, RecordOf},
    runs::{EventKind, Transition},
    schema::JsonText,
    tap::entry::station::Level,
};

pub(super) fn answer(
    stage: &mut TestConsole,
    effects: &[Effect],
    rows: Vec<LifecycleRow>,
    version: u64,
) -> Vec<Effect> {
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
    let answered = |stage: &mut TestConsole, serial| {
        let rows = vec![whole.clone()];
        let page = LifecyclePage { rows, ..page_of(objects("night of ann"), 1, 0, 1) };
        let page = Ok(Page::Lifecycle(Some(Box::new(page))));
        let on_page = Box::new(PanePage { pane: PaneId::Lifecycle, serial });
        stage.event(Event::QueryAnswered { on_page, page });
    };
    let is_held = |stage: &TestConsole| {
        stage.ui.systems.mplp.of(PaneId::Lifecycle).record().unwrap().rows[1].object.is_some()
    };
    answered(&mut stage, serial);
    assert!(is_held(&stage) && stage.text().contains("plan_id"), "{}", stage.text());
    stage.key(KeyCode::Left);
    assert!(!is_held(&stage));
    // Nor is it held where it comes when it is folded again.
    let effects = stage.key(KeyCode::Right);
    let (serial, _) = asked_by(PaneId::Lifecycle, &effects).unwrap();
    stage.key(KeyCode::Left);
    answered(&mut stage, serial);
    assert!(!is_held(&stage));
}

#[test]
fn on_air_the_stage_of_a_session_does_not_say_its_intent() {
    let mut stage = runs(160, 50);
    stage.ui.systems.mplp = mplp::state::State::default();
    stage.pass(1_100);
    let effects = stage.event(Event::Tick);
    let mut rows = objects("night of ann");
    let object = json!({ "event_id": "e-9", "event_type": "plan_status_changed", "stage_name": "which map for ann",
        "stage_status": "running" });
    let (schema, path) = ("pipeline-stage-event".to_owned(), "events[0]".to_owned());
    rows.push(LifecycleRow {
        place: 7,
        schema,
        path,
        object: Some(JsonText::from_value(&object)),
        ..rows[0].clone()
    });
    answer(&mut stage, &effects, rows, 1);
    let mut stage = zoomed(stage, PaneId::Lifecycle);
    for name in ["events", "pipeline-stage-event"] {
        select(&mut stage, name);
        press(&mut stage, KeyCode::Right);
    }
    let open = stage.text();
    assert!(open.contains("plan_status_changed running") && open.contains("which map for ann"), "{open}");
    stage.act(Action::OnAir);
    let text = stage.text();
    assert!(text.contains("plan_status_changed running") && !text.contains("which map"), "{text}");
}
