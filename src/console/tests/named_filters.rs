//! Filters of the operator's own: a key opens the pane with one, and they are listed where keys are.

use crossterm::event::KeyCode;

use super::test_console::{TestConsole, show};
use crate::console::{
    draw::class::MaskPolicy,
    input::{
        Keymap,
        keymap::{NamedFilter, TakenKey},
        pane_id::PaneId,
        view_id::ViewId,
    },
    ui::state::Focus,
};

fn filter(name: &str, key: &str, pane: PaneId, text: &str) -> NamedFilter {
    NamedFilter::new(name, key, pane, text).unwrap()
}

fn stage(filters: Vec<NamedFilter>) -> TestConsole {
    let mut stage = show(160, 50);
    let (keymap, taken) = Keymap::default().with_filters(filters);
    assert_eq!(taken, []);
    stage.view.keymap = keymap;
    stage
}

fn text(stage: &TestConsole, pane: PaneId) -> String {
    stage.ui.table_settings(pane).filter().map_or_else(String::new, |filter| filter.text().to_owned())
}

#[test]
fn its_key_goes_to_the_pane_and_filters_it() {
    let mut stage = stage(vec![filter("broken", "f6", PaneId::Recent, "state:failed")]);
    stage.ui.focus = Focus::Chips(0);
    assert_eq!(text(&stage, PaneId::Recent), "");
    stage.key(KeyCode::F(6));
    assert_eq!((stage.ui.view, stage.ui.focus), (ViewId::Deck, Focus::Pane(PaneId::Recent)));
    assert!(stage.text().contains("/state:failed"), "{}", stage.text());
    assert_eq!(text(&stage, PaneId::Recent), "state:failed");
    stage.key(KeyCode::Esc);
    assert_eq!(text(&stage, PaneId::Recent), "", "Esc takes it off");
}

#[test]
fn from_another_view_it_goes_to_the_view_of_the_pane_and_back_goes_back() {
    let mut stage = stage(vec![filter("late", "alt-d", PaneId::Drops, "topic:agent/**")]);
    stage.key(KeyCode::Char('9'));
    let key = crossterm::event::KeyEvent::new(KeyCode::Char('d'), crossterm::event::KeyModifiers::ALT);
    let at = stage.view.now.mono;
    stage.event(crate::console::ui::event::Event::Key { key, at });
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Drops));
    assert_eq!(stage.ui.view, ViewId::Bus);
    assert_eq!(text(&stage, PaneId::Drops), "topic:agent/**");
    stage.key(KeyCode::Backspace);
    assert_eq!(stage.ui.view, ViewId::Journal);
}

#[test]
fn where_text_is_typed_and_in_layers_its_key_is_not_its_own() {
    let mut stage = stage(vec![filter("broken", "u", PaneId::Recent, "state:failed")]);
    stage.char('/');
    stage.write("u");
    stage.key(KeyCode::Esc);
    assert_eq!(text(&stage, PaneId::Recent), "");
    stage.char('?');
    stage.char('u');
    assert_eq!(text(&stage, PaneId::Recent), "");
}

#[test]
fn help_the_list_of_keys_and_the_palette_have_it() {
    let mut stage = stage(vec![filter("broken", "f6", PaneId::Recent, "state:failed")]);
    stage.char('?');
    let help = stage.text();
    assert!(help.contains("Your filters") && help.contains("broken, in Recent"), "{help}");
    stage.char('?');
    stage.write("broken");
    let keys = stage.text();
    assert!(keys.contains("console.filters.broken (custom)") && keys.contains("f6"), "{keys}");
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    stage.char(':');
    stage.write("broken");
    let palette = stage.text();
    assert!(palette.contains("state:failed") && palette.contains("f6"), "{palette}");
    stage.key(KeyCode::Enter);
    assert_eq!(text(&stage, PaneId::Recent), "state:failed");
}

#[test]
fn on_air_the_palette_shows_no_login_that_a_filter_quotes() {
    let mut stage = stage(vec![filter("hers", "f6", PaneId::Recent, "LVIEWER")]);
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    stage.char(':');
    stage.write("hers");
    assert!(!stage.text().contains("LVIEWER"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(!stage.text().contains("LVIEWER"), "{}", stage.text());
}

#[test]
fn a_key_that_means_something_in_some_pane_is_taken() {
    let filters = ["E", "f6", "f6"].map(|key| filter("one", key, PaneId::Recent, "x")).to_vec();
    let (_, taken) = Keymap::default().with_filters(filters);
    let by = |key: &str, by: &str| TakenKey { filter: "one".into(), key: key.into(), by: by.into() };
    assert_eq!(taken, [by("E", "`settle` in In flight"), by("f6", "the filter `one`")]);
}
