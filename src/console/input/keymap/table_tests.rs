//! The shipped keymap has no two meanings of one key.

use std::collections::{BTreeMap, BTreeSet};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    KeyScope::{self, Pane},
    Keymap,
    scopes::DIALOGS,
};
use crate::console::{
    draw::glyphs,
    input::{action::Action, pane_id::PaneId},
};

#[test]
fn no_key_means_two_things_in_one_place() {
    let keymap = Keymap::default();
    for place in KeyScope::all() {
        let mut seen = BTreeSet::new();
        for chord in keymap.bindings(place).flat_map(|binding| &binding.keys) {
            assert!(
                seen.insert(chord.name(&glyphs::UNICODE)),
                "{} twice in {}",
                chord.name(&glyphs::UNICODE),
                place.name()
            );
        }
    }
}

#[test]
fn no_question_is_confirmed_by_the_key_that_opened_it() {
    let answers = [
        Action::Confirm,
        Action::SettleDone,
        Action::SettleFailed,
        Action::RateApproved,
        Action::RateRejected,
        Action::Detach,
        Action::StopStation,
    ];
    // These never open one, wherever they are pressed.
    let harmless = [
        Action::Copy,
        Action::CopyFrame,
        Action::FilterCell,
        Action::Submit,
        Action::SortColumn,
        Action::DisarmRule,
    ];
    let keymap = Keymap::default();
    let answering =
        DIALOGS.iter().flat_map(|place| keymap.bindings(*place)).filter(|it| answers.contains(&it.action));
    let confirming: Vec<_> = answering.flat_map(|it| &it.keys).collect();
    for place in KeyScope::all().filter(|place| !DIALOGS.contains(place)) {
        let asking = keymap.bindings(place).filter(|it| !harmless.contains(&it.action));
        assert!(
            !asking.flat_map(|binding| &binding.keys).any(|chord| confirming.contains(&chord)),
            "in {}",
            place.name()
        );
    }
}

/// What a key means where work is shown: in the panes, on the chips and in details.
fn meanings() -> BTreeMap<String, BTreeSet<Action>> {
    let keymap = Keymap::default();
    let mut meanings: BTreeMap<String, BTreeSet<Action>> = BTreeMap::new();
    let is_shown = |place: &KeyScope| {
        matches!(place, Pane(_) | KeyScope::Chips | KeyScope::Details) && *place != Pane(PaneId::Pending)
    };
    for place in KeyScope::all().filter(is_shown) {
        for binding in keymap.bindings(place) {
            for chord in &binding.keys {
                meanings.entry(chord.name(&glyphs::UNICODE)).or_default().insert(binding.action);
            }
        }
    }
    meanings
}

#[test]
fn in_panes_and_details_a_key_has_one_meaning() {
    // What lies over the panes is closed by the key that quits them.
    let leaves = BTreeSet::from([Action::Quit, Action::Close]);
    // Manifests and what ended are of other systems, credentials and panels of plugins; where frames are
    // edited, nothing is given again.
    let apart = [
        BTreeSet::from([Action::AllowAlways, Action::Migrate]),
        BTreeSet::from([Action::EditPanel, Action::Again, Action::EditFrame]),
    ];
    for (key, actions) in meanings() {
        assert!(actions.len() == 1 || actions == leaves || apart.contains(&actions), "{key}: {actions:?}");
    }
}

#[test]
fn what_a_key_opens_does_nothing_by_that_key() {
    let keymap = Keymap::default();
    for (opens, place) in [
        (Action::Alerts, KeyScope::Alerts),
        (Action::Columns, KeyScope::Columns),
        (Action::CopyAs, KeyScope::CopyAs),
        (Action::Ledger, KeyScope::Ledger),
        (Action::Invoke, KeyScope::Events),
        (Action::Submit, KeyScope::Submit),
        (Action::Workbench, KeyScope::Workbench),
        (Action::Gate, KeyScope::Gate),
        (Action::Gate, KeyScope::GateRule),
        (Action::BreakFrame, KeyScope::WorkbenchList),
        (Action::SentFrames, KeyScope::FrameList),
        (Action::SaveSnippet, KeyScope::SnippetName),
        (Action::Files, KeyScope::Files),
        (Action::Filter, KeyScope::FilterLine),
        (Action::Find, KeyScope::SearchLine),
        (Action::Palette, KeyScope::Palette),
        (Action::Quit, KeyScope::QuitDialog),
    ] {
        for chord in Keymap::shipped(opens) {
            let bound = keymap.bindings(place).find(|binding| binding.keys.contains(&chord));
            let is_harmless = |action| matches!(action, Action::Close | Action::Decline);
            assert!(
                bound.is_none_or(|binding| binding.action == opens || is_harmless(binding.action)),
                "{} in {}",
                opens.name(),
                place.name()
            );
        }
    }
}

/// The whole keymap, by place: a second meaning of a key shows in review.
#[test]
fn the_keymap_by_place() {
    let keymap = Keymap::default();
    let of = |place: KeyScope| {
        let lines = keymap.bindings(place).map(|binding| {
            let keys: Vec<_> = binding.keys.iter().map(|key| key.name(&glyphs::UNICODE)).collect();
            format!("  {:<16} {:<16} {}", keys.join(" "), binding.action.name(), binding.label)
        });
        (place.name(), lines.collect::<BTreeSet<_>>())
    };
    let places: Vec<_> = KeyScope::all().map(of).collect();
    let everywhere = KeyScope::VIEWS.iter().map(|place| of(*place).1);
    let everywhere = everywhere.reduce(|all, next| &all & &next).unwrap_or_default();
    let mut text = String::new();
    let mut section = |name: &str, lines: &BTreeSet<String>| {
        text.push_str(name);
        text.push('\n');
        for line in lines {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    };
    section("every pane, and the chips", &everywhere);
    for (name, lines) in places {
        section(name, &(&lines - &everywhere));
    }
    insta::with_settings!({ snapshot_path => "../../../../tests/it/snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("keymap_by_place", text);
    });
}

#[test]
fn a_shifted_letter_is_itself_however_the_terminal_reports_it() {
    let keymap = Keymap::default();
    let with = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::SHIFT);
    let without = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::NONE);
    assert_eq!(keymap.lookup(Pane(PaneId::Queues), with), Some(Action::Hold));
    assert_eq!(keymap.lookup(Pane(PaneId::Queues), without), Some(Action::Hold));
    assert_eq!(
        keymap.lookup(Pane(PaneId::Queues), KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT)),
        Some(Action::FocusPrevious)
    );
}

#[test]
fn an_action_has_the_same_keys_wherever_it_is_bound_so_that_they_can_be_written_down_once() {
    let keymap = Keymap::default();
    for action in Action::ALL {
        let everywhere = Keymap::shipped(*action);
        for place in KeyScope::all() {
            for binding in keymap.bindings(place).filter(|binding| binding.action == *action) {
                let wanted: Vec<_> =
                    everywhere.iter().filter(|chord| !place.takes_text() || !chord.types()).collect();
                assert_eq!(
                    binding.keys.iter().collect::<Vec<_>>(),
                    wanted,
                    "{} in {}",
                    action.name(),
                    place.name()
                );
            }
        }
    }
}

#[test]
fn where_text_is_typed_no_bare_character_means_anything_else() {
    let keymap = Keymap::default();
    for place in KeyScope::all().filter(|place| place.takes_text()) {
        assert!(
            keymap.bindings(place).flat_map(|binding| &binding.keys).all(|chord| !chord.types()),
            "{}",
            place.name()
        );
    }
}
