//! The keys that are named at 80 columns where a place has more of them: what one needs to act and to leave.

use crossterm::event::KeyCode;

use super::{
    gate::{edit, held},
    screens::at_both_sizes,
    test_console::{TestConsole, show},
    workbench::{answer, row},
};
use crate::{
    console::input::keymap::KeyScope,
    manual::{LazyManual, Manual, Page},
};

/// The workbench with its example, judged.
fn workbench(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    let effects = stage.char('i');
    answer(&mut stage, effects, row("accepted"));
    stage
}

/// The gate with two frames held, and its only rule selected.
fn rules(columns: u16, rows: u16) -> TestConsole {
    let mut stage = held(columns, rows);
    stage.key(KeyCode::BackTab);
    stage
}

/// A rule is being written.
fn new_rule(columns: u16, rows: u16) -> TestConsole {
    let mut stage = held(columns, rows);
    stage.key(KeyCode::Tab);
    stage
}

fn footer(stage: &mut TestConsole) -> String {
    stage.text().lines().last().unwrap_or_default().to_owned()
}

fn names(stage: &mut TestConsole, keys: &[&str]) {
    let footer = footer(stage);
    for key in keys {
        assert!(footer.contains(key), "{key}: {footer}");
    }
}

#[test]
fn the_workbench_names_what_sends_changes_finds_and_leaves() {
    let mut stage = workbench(80, 24);
    assert_eq!(stage.ui.key_scope(), KeyScope::Workbench);
    names(&mut stage, &["ctrl-s send", "f5 refresh", "f6 break", "ctrl-o frames", "esc back", "f1 help"]);
    names(&mut workbench(160, 50), &["ctrl-c close", "esc back"]);
    let mut stage = held(80, 24);
    edit(&mut stage, 1);
    names(&mut stage, &["ctrl-s pass", "f5 refresh", "f6 break", "ctrl-o frames", "esc back", "f1 help"]);
}

#[test]
fn the_gate_names_what_is_done_with_a_frame_or_with_a_rule() {
    let mut stage = held(80, 24);
    names(&mut stage, &["p let pass", "e edit", "x drop", "P let all pass", "tab next part", "esc back"]);
    let mut stage = rules(80, 24);
    names(&mut stage, &["d disarm rule", "tab next part", "P let all pass", "esc back", "? help"]);
    let mut stage = new_rule(80, 24);
    assert_eq!(stage.ui.key_scope(), KeyScope::GateRule);
    names(&mut stage, &["ctrl-s arm", "tab next part", "esc back", "f1 help"]);
}

#[test]
fn where_text_is_typed_the_named_key_opens_the_manual_at_its_page() {
    let pages = || Manual::new(vec![Page::read("workbench", "# Workbench\n\n## Keys\n\nAll of them.\n")]);
    let mut stage = workbench(80, 24);
    stage.view.manual = LazyManual::new(pages);
    stage.key(KeyCode::F(1));
    assert_eq!(stage.ui.key_scope(), KeyScope::Manual);
    assert!(stage.text().contains("Manual: Workbench"), "{}", stage.text());
}

#[test]
fn the_workbench_and_the_parts_of_the_gate_on_the_screen() {
    at_both_sizes("workbench", workbench);
    at_both_sizes("gate_rules", rules);
    at_both_sizes("gate_rule_of_held", new_rule);
}
