//! Clicks on what the screen shows: they do it.

use crossterm::event::KeyCode;

use super::{
    test_console::{TestConsole, show},
    views::{click, click_on},
};
use crate::console::{
    input::{action::Action, keymap::KeyScope, pane_id::PaneId},
    ui::{effect::Effect, state::Focus},
};

#[test]
fn a_click_on_a_key_of_the_footer_presses_it() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage.text();
    click_on_footer(&mut stage, "z zoom");
    assert_eq!(stage.ui.zoomed, Some(PaneId::Recent));
    click_on_footer(&mut stage, "zoom");
    assert_eq!(stage.ui.zoomed, None, "its words are part of it");
    click_on_footer(&mut stage, "/ filter");
    assert_eq!(stage.ui.key_scope(), KeyScope::FilterLine);
    stage.write("fail");
    click_on_footer(&mut stage, "enter apply");
    assert_eq!(stage.ui.table_settings(PaneId::Recent).filter().unwrap().text(), "fail");
    click_on_footer(&mut stage, "? help");
    click_on_footer(&mut stage, "esc back");
    stage.act(Action::Palette);
    assert_eq!(stage.ui.key_scope(), KeyScope::Palette);
    click_on_footer(&mut stage, "esc back");
    assert_eq!(stage.ui.key_scope(), KeyScope::Pane(PaneId::Recent));
    assert!(
        click(&mut stage, 159, 49).is_empty() && stage.ui.overlays.is_empty(),
        "between keys lies nothing"
    );
}

#[test]
fn a_second_click_at_the_same_place_answers_no_question_that_nobody_has_seen() {
    let mut stage = show(160, 50);
    let place = stage.text();
    let column = place.lines().last().unwrap().find("q quit").and_then(|at| u16::try_from(at).ok());
    let column = column.unwrap_or_else(|| panic!("{place}"));
    click(&mut stage, column, 49);
    assert_eq!(stage.ui.key_scope(), KeyScope::QuitDialog);
    for column in 0..160 {
        assert!(click(&mut stage, column, 49).is_empty(), "{column}");
    }
    assert_eq!(stage.ui.key_scope(), KeyScope::QuitDialog, "it was not painted yet");
    stage.key(KeyCode::Null);
    let effects = click_on_footer(&mut stage, "d detach");
    assert!(effects.contains(&Effect::Detach), "{effects:?}");
}

#[test]
fn a_click_on_a_chip_opens_what_it_stands_for() {
    let mut stage = show(160, 50);
    click_on(&mut stage, "STORE");
    assert_eq!(stage.ui.key_scope(), KeyScope::Details);
    assert!(stage.text().contains("esc back"));
    stage.key(KeyCode::Esc);
    let mut stage = show(80, 24);
    click_on(&mut stage, "recent");
    assert_eq!((stage.ui.zoomed, stage.ui.focus), (Some(PaneId::Recent), Focus::Pane(PaneId::Recent)));
}

/// Clicks on words of the last line.
fn click_on_footer(stage: &mut TestConsole, words: &str) -> Vec<Effect> {
    stage.key(KeyCode::Null);
    let text = stage.text();
    let line = text.lines().last().unwrap();
    let column = line[..line.find(words).unwrap_or_else(|| panic!("{words}\n{text}"))].chars().count();
    click(stage, u16::try_from(column).unwrap(), stage.ui.rows - 1)
}
