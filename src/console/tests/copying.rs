//! Copying: what goes to the clipboard, and what is said of it.

use crossterm::event::KeyCode;

use super::stage::{Stage, row, show};
use crate::{
    console::{
        action::{Action, Asked, Effect},
        event::Event,
        keymap::Place,
        pane_id::PaneId,
        ui::Focus,
        view_id::ViewId,
    },
    ids::InvocationId,
    port::Page,
    tap::entry::mpp::{Level, RowState, Transition},
};

/// What was handed to the clipboard, as text.
fn copied(effects: &[Effect]) -> String {
    match effects {
        [Effect::Copy(bytes)] => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("not copied: {other:?}"),
    }
}

fn focused(pane: PaneId) -> Stage {
    let mut stage = show(160, 50);
    let view = ViewId::ALL.into_iter().find(|view| view.panes().contains(&pane)).unwrap();
    stage.ui.show(view);
    stage.ui.focus = Focus::Pane(pane);
    stage
}

#[test]
fn the_chosen_cell_is_copied_whole_and_only_its_size_is_said() {
    let mut stage = focused(PaneId::AdapterLog);
    stage.mpp(Transition::Logged { level: Level::Warn }, "ann says żółw");
    stage.act(Action::OnAir);
    for _ in 0..3 {
        stage.key(KeyCode::Right);
    }
    assert_eq!(copied(&stage.char('y')), "ann says żółw");
    let text = stage.text();
    assert!(text.contains("copied 16 B (cell)") && !text.contains("ann says"), "{text}");
    // Without a chosen cell it is the first.
    let mut stage = focused(PaneId::Recent);
    assert!(copied(&stage.char('y')).ends_with('Z'), "a moment");
}

#[test]
fn a_record_is_copied_in_every_form_that_it_has_and_says_why_not_in_others() {
    let mut stage = focused(PaneId::Recent);
    let json: serde_json::Value = {
        stage.char('Y');
        assert_eq!(stage.ui.place(), Place::CopyAs);
        serde_json::from_str(&copied(&stage.char('j'))).unwrap()
    };
    assert_eq!((&json["id"], &json["state"], &json["event"]), (&41.into(), &"failed".into(), &"give_item".into()));
    assert!(stage.ui.overlays.is_empty() && stage.text().contains("(JSON)"), "{}", stage.text());
    stage.char('Y');
    let line = copied(&stage.char('l'));
    let words = shlex::split(&line).unwrap();
    assert_eq!(words, ["rl-console", "--data", "./friday", "ls", "invocations", "--filter", "id=41", "--json"]);
    stage.char('Y');
    assert_eq!(stage.char('f'), []);
    assert!(stage.text().contains("not copied as frame: no frame of it is kept here"), "{}", stage.text());
    assert_eq!(stage.ui.place(), Place::CopyAs, "another form may do");
    stage.key(KeyCode::Esc);
    // With its details open it can be given again, word for word.
    stage.key(KeyCode::Enter);
    let mut found = row(41);
    found.state = RowState::Failed;
    stage.event(Event::Queried { asked: Asked::Details { id: InvocationId(41) }, page: Ok(Page::Invocation(Some(found.clone()))) });
    stage.char('Y');
    let words = shlex::split(&copied(&stage.char('a'))).unwrap();
    assert_eq!(words[3..], ["invoke", "give_item", "--params", found.params.as_str(), "--user", "viewer\u{202e}"]);
    stage.char('Y');
    assert_eq!(copied(&stage.char('j')), serde_json::to_string(&found).unwrap());
    assert!(copied(&stage.char('y')).starts_with("Invocation 41\nstate: failed\n"));
}

#[test]
fn a_menu_copies_what_it_was_opened_for_whatever_has_gone_meanwhile() {
    let mut stage = focused(PaneId::InFlight);
    let before = {
        stage.char('Y');
        stage.ui.overlays.len()
    };
    let failed = Transition::Requeued { id: InvocationId(42), queue: "default".into() };
    stage.mpp(failed, "");
    assert_eq!(stage.ui.overlays.len(), before);
    assert!(copied(&stage.char('j')).contains("\"id\":42"));
}

#[test]
fn what_is_too_large_for_a_terminal_is_refused_with_its_size_and_the_limit() {
    let mut stage = focused(PaneId::AdapterLog);
    stage.ui.limits.console.copy_bytes_max = 1_024;
    for bytes in [1_024, 1_025] {
        stage.mpp(Transition::Logged { level: Level::Info }, &"x".repeat(bytes));
        stage.ui.lens_mut(PaneId::AdapterLog).cell = Some(2);
        stage.act(Action::First);
        let effects = stage.char('y');
        if bytes == 1_024 {
            assert_eq!(copied(&effects).len(), bytes);
        } else {
            assert_eq!(effects, []);
            let text = stage.text();
            assert!(text.contains("1025 B are more than 1024") && text.contains("limits.console.copy_bytes_max"), "{text}");
        }
    }
}
