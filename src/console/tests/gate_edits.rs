//! The frame in the workbench for which another is written: what is foreseen of it at the gate, and what is
//! said once the gate holds it no longer.

use crossterm::event::KeyCode;

use super::{
    gate::{edit, held, pass},
    test_console::TestConsole,
    workbench::{answer, row},
};
use crate::{
    console::{input::keymap::KeyScope, ui::event::Event},
    port::JudgedRow,
};

/// What is said.
fn said(stage: &TestConsole) -> &str {
    stage.ui.message.as_ref().map_or("", |message| &message.text)
}

fn kept(stage: &TestConsole) -> Vec<u64> {
    stage.ui.systems.workbench.kept_edits.keys().copied().collect()
}

const TIME_UP: &str = "frame 1's time was up: it passed as it was";

#[test]
fn that_the_time_of_a_frame_is_up_is_said_at_once_and_when_its_edit_is_left() {
    let mut stage = held(160, 50);
    edit(&mut stage, 1);
    stage.pass(11_000);
    stage.event(Event::Tick);
    assert!(!said(&stage).contains("time was up"), "{}", said(&stage));
    stage.pass(1_000);
    stage.event(Event::Tick);
    assert_eq!(said(&stage), TIME_UP);
    assert!(stage.text().contains("rule 1, from 127.0.0.1:50312: frame 1's time was up"), "{}", stage.text());
    pass(&mut stage, 1);
    stage.ui.message = None;
    stage.key(KeyCode::Esc);
    assert_eq!((said(&stage), stage.ui.key_scope()), (TIME_UP, KeyScope::Gate));
    assert!(kept(&stage).is_empty(), "{:?}", kept(&stage));
}

#[test]
fn an_edit_that_is_left_goes_with_its_frame_and_that_is_said() {
    let mut stage = held(160, 50);
    edit(&mut stage, 1);
    stage.key(KeyCode::Esc);
    assert_eq!((said(&stage), kept(&stage)), ("edit of frame 1 kept; the frame is still held", vec![1]));
    stage.pass(12_000);
    stage.event(Event::Tick);
    assert_eq!((said(&stage), kept(&stage)), (TIME_UP, Vec::new()));
    // At the very moment.
    let mut stage = held(160, 50);
    edit(&mut stage, 1);
    stage.pass(12_000);
    stage.key(KeyCode::Esc);
    assert_eq!((said(&stage), kept(&stage)), (TIME_UP, Vec::new()));
    // Others decided on it.
    let mut stage = held(160, 50);
    edit(&mut stage, 1);
    pass(&mut stage, 1);
    stage.event(Event::Tick);
    assert_eq!(said(&stage), "frame 1 is held no longer: this edit was not sent");
}

#[test]
fn what_is_not_one_whole_frame_is_said_to_be_none_for_the_gate() {
    let mut stage = held(160, 50);
    let effects = edit(&mut stage, 1);
    let not_whole = Some("the line has no LF".to_owned());
    answer(&mut stage, effects, JudgedRow { not_whole, taken_bytes: 3, ..row("pending") });
    let text = stage.text();
    assert!(text.contains("the gate takes whole frames only: the line has no LF"), "{text}");
    assert!(!text.contains("judged with what is sent next"), "{text}");
}
