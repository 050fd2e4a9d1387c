//! Filters of panes: the line, what it says, what it leaves.

use crossterm::event::KeyCode;
use ratatui::style::Modifier;

use super::test_console::{TestConsole, row, show};
use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        systems::bridge::keys::INVOCATION,
        ui,
        ui::{effect::Effect, event::Event, state::Focus},
    },
    ids::InvocationId,
    port::{InvocationRow, Page, Query},
};

fn recent() -> TestConsole {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage
}

fn text(stage: &TestConsole, pane: PaneId) -> String {
    stage.ui.table_settings(pane).filter().map_or_else(String::new, |filter| filter.text().to_owned())
}

fn counts(stage: &TestConsole) -> (usize, usize) {
    ui::counts(PaneId::Recent, &stage.ui, &stage.model)
}

#[test]
fn filters_while_it_is_typed_and_keeps_or_restores() {
    let mut stage = recent();
    stage.char('/');
    assert_eq!(stage.ui.key_scope(), KeyScope::FilterLine);
    stage.write("fail");
    assert_eq!(counts(&stage), (1, 41));
    let screen = stage.text();
    assert!(screen.contains("✓ 1 of 41") && screen.contains("/fail 1 of 41"), "{screen}");
    stage.key(KeyCode::Enter);
    assert_eq!(
        (stage.ui.key_scope(), text(&stage, PaneId::Recent).as_str()),
        (KeyScope::Pane(PaneId::Recent), "fail")
    );
    stage.char('/');
    stage.write(" x");
    assert_eq!(counts(&stage), (0, 41));
    stage.key(KeyCode::Esc);
    assert_eq!((text(&stage, PaneId::Recent).as_str(), counts(&stage)), ("fail", (1, 41)));
    stage.char('/');
    stage.ctrl('u');
    stage.key(KeyCode::Enter);
    assert_eq!(counts(&stage), (41, 41));
    assert!(stage.ui.table_settings(PaneId::Recent).filter().is_none());
}

#[test]
fn esc_takes_a_kept_filter_off_before_anything_else_and_the_line_has_it_still() {
    let mut stage = recent();
    stage.char('z');
    stage.char('/');
    stage.write("fail");
    stage.key(KeyCode::Enter);
    stage.key(KeyCode::Esc);
    assert_eq!((counts(&stage), stage.ui.zoomed), ((41, 41), Some(PaneId::Recent)));
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.zoomed, None);
    stage.char('/');
    stage.key(KeyCode::Up);
    assert_eq!(counts(&stage), (1, 41));
}

#[test]
fn what_cannot_be_read_is_said_and_underlined_and_changes_nothing() {
    let mut stage = recent();
    stage.char('/');
    stage.write("fail");
    stage.write(" stat");
    let held = counts(&stage);
    stage.write(":done");
    assert_eq!(counts(&stage), held, "the last that could be read holds");
    assert_eq!(text(&stage, PaneId::Recent), "fail stat");
    let screen = stage.text();
    assert!(screen.contains("✗ there is no field `stat`: did you mean `state`?"), "{screen}");
    assert!(screen.contains("still /fail stat "), "the title says that it is the one before: {screen}");
    let buffer = stage.buffer();
    let underlined: String = buffer
        .content()
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::UNDERLINED))
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(underlined.contains("stat") && !underlined.contains("fail"), "{underlined}");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::FilterLine, "what cannot be read is not kept");
}

#[test]
fn what_is_typed_goes_beside_the_filter_that_is_there() {
    let mut stage = recent();
    stage.char('/');
    stage.write("fail");
    stage.key(KeyCode::Enter);
    stage.char('/');
    stage.write("item");
    assert_eq!(text(&stage, PaneId::Recent), "fail item");
    stage.key(KeyCode::Enter);
    stage.char('/');
    stage.key(KeyCode::Enter);
    assert_eq!(text(&stage, PaneId::Recent), "fail item", "nothing was typed");
}

#[test]
fn the_selection_survives_a_filter_that_lets_it_through() {
    let mut stage = recent();
    stage.key(KeyCode::Down);
    let chosen = stage.ui.selected(PaneId::Recent, &stage.model);
    let id = *INVOCATION.id(chosen.as_ref().unwrap()).unwrap();
    stage.char('/');
    // What is typed on the way there lets other rows through.
    stage.write(&format!("id:{id}"));
    assert_eq!((counts(&stage).0, stage.ui.selected(PaneId::Recent, &stage.model)), (1, chosen.clone()));
    stage.key(KeyCode::Esc);
    assert_eq!((counts(&stage).0, stage.ui.selected(PaneId::Recent, &stage.model)), (41, chosen));
}

#[test]
fn a_selected_record_that_a_filter_hides_comes_back_with_its_end() {
    let chosen = |stage: &TestConsole| stage.ui.selected(PaneId::Recent, &stage.model);
    let mut stage = recent();
    (0..5).for_each(|_| drop(stage.key(KeyCode::Down)));
    let before = chosen(&stage);
    let has_it = |stage: &TestConsole| chosen(stage) == before;
    stage.char('/');
    stage.write("fail");
    assert!(!has_it(&stage) && counts(&stage).0 == 1);
    stage.key(KeyCode::Esc);
    assert!(has_it(&stage), "given up");
    stage.char('/');
    stage.write("fail");
    stage.key(KeyCode::Enter);
    stage.char('/');
    stage.ctrl('u');
    stage.key(KeyCode::Enter);
    assert!(has_it(&stage), "kept, then emptied");
    stage.char('/');
    stage.write("done");
    stage.key(KeyCode::Enter);
    stage.key(KeyCode::Up);
    let other = chosen(&stage);
    stage.char('/');
    stage.ctrl('u');
    stage.key(KeyCode::Enter);
    assert!(other != before && chosen(&stage) == other, "another that was chosen meanwhile stays");
}

#[test]
fn tab_completes_fields_states_and_values_that_were_seen() {
    let mut stage = recent();
    stage.char('/');
    stage.write("stat");
    stage.key(KeyCode::Tab);
    stage.write("f");
    stage.key(KeyCode::Tab);
    assert_eq!(counts(&stage), (1, 41));
    stage.write(" queue:");
    stage.key(KeyCode::Tab);
    let screen = stage.text();
    assert!(screen.contains("/ state:failed queue:") && screen.contains("has no value"), "{screen}");
    stage.key(KeyCode::BackTab);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.key_scope(), KeyScope::FilterLine, "the first Esc puts away what could be written");
    stage.key(KeyCode::Enter);
    assert_eq!(text(&stage, PaneId::Recent), "state:failed queue:any");
}

#[test]
fn filters_that_were_kept_are_called_back() {
    let mut stage = recent();
    for kept in ["done", "fail"] {
        stage.char('/');
        stage.ctrl('u');
        stage.write(kept);
        stage.key(KeyCode::Enter);
    }
    stage.char('/');
    stage.key(KeyCode::Up);
    stage.key(KeyCode::Up);
    assert_eq!((text(&stage, PaneId::Recent).as_str(), counts(&stage).0), ("done", 40));
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    assert_eq!(text(&stage, PaneId::Recent), "fail");
}

#[test]
fn f_filters_by_the_cell_and_twice_by_two() {
    let mut stage = recent();
    let field = |name| crate::field::index_of(ui::specs(PaneId::Recent), name);
    stage.ui.table_settings_mut(PaneId::Recent).cell = field("state");
    stage.act(Action::FilterCell);
    let first = text(&stage, PaneId::Recent);
    assert!(first.starts_with("state:"), "{first}");
    stage.ui.table_settings_mut(PaneId::Recent).cell = field("id");
    stage.act(Action::FilterCell);
    assert!(text(&stage, PaneId::Recent).starts_with(&format!("{first} id=")));
    assert_eq!(counts(&stage), (1, 41));
}

#[test]
fn the_filter_of_a_list_in_pages_goes_with_the_question() {
    let mut stage = show(160, 50);
    stage.ui.show(ViewId::Bridge);
    stage.ui.focus = Focus::Pane(PaneId::History);
    stage.event(Event::Tick);
    stage.char('/');
    stage.write("id:4");
    let effects = stage.char('5');
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Query {
            on_page,
            query: Query::Invocations { filter: Some(filter), beyond: None, state: None, .. },
        } => Some((on_page, filter)),
        _ => None,
    });
    let (on_page, filter) = asked.expect("a question");
    assert_eq!(filter, "id=45");
    let page = Page::Invocations { rows: vec![row(45)], more: false, beyond: Some(InvocationId(1)) };
    stage.event(Event::QueryAnswered { on_page, page: Ok(page) });
    assert_eq!(stage.ui.paged_lists.rows::<InvocationRow>(PaneId::History).len(), 1);
}

#[test]
fn on_a_chip_the_views_first_pane_is_filtered_and_nothing_that_is_typed_acts() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Chips(1);
    stage.char('/');
    assert_eq!(stage.ui.key_scope(), KeyScope::FilterLine);
    stage.write("nmae>1s");
    assert!(stage.text().contains("✗ "), "what is wrong with it is said while it is typed: {}", stage.text());
    assert!(!stage.ui.time.is_stopped() && stage.ui.view == ViewId::Deck);
    stage.key(KeyCode::Esc);
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Queues));
    stage.ui.focus = Focus::Chips(1);
    stage.char('1');
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Queues), "who asks for a view looks at its panes");
}
