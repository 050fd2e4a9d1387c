//! The time bar of a live console, where time is stopped.

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::test_console::{TestConsole, enqueued, show};
use crate::{
    console::{draw::class::MaskPolicy, ui::event::Event},
    ids::ConnectionId,
    tap::entry::station::{OperatedBy, Transition},
    time::Now,
};

/// The line of messages, where the time bar is.
fn bar(stage: &mut TestConsole) -> String {
    stage.text().lines().rev().nth(1).unwrap().to_owned()
}

/// The column of the moment that is shown.
fn marked_column(stage: &mut TestConsole) -> Option<usize> {
    bar(stage).chars().position(|it| it == '|')
}

fn click(stage: &mut TestConsole, column: u16, row: u16) {
    let kind = MouseEventKind::Down(MouseButton::Left);
    stage.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

#[test]
fn while_time_is_stopped_a_bar_shows_what_is_kept_and_a_click_goes_there() {
    let mut stage = show(160, 50);
    assert_eq!(marked_column(&mut stage), None, "not while time runs");
    stage.char(' ');
    assert_eq!(marked_column(&mut stage), Some(105), "{}", bar(&mut stage));
    assert!(bar(&mut stage).contains('█'), "{}", bar(&mut stage));
    click(&mut stage, 10, 48);
    assert_eq!(
        (stage.ui.time.instant(), stage.ui.message.as_ref()),
        (Some(Now::at_ms(1_501)), None),
        "with its millisecond"
    );
    let oldest = stage.ui.time.current();
    assert_eq!(marked_column(&mut stage), Some(10), "{}", bar(&mut stage));
    click(&mut stage, 80, 48);
    let shown = marked_column(&mut stage).unwrap();
    assert!((79..=81).contains(&shown), "{shown}: {}", bar(&mut stage));
    assert!(stage.ui.time.current() > oldest);
    click(&mut stage, 105, 48);
    assert_eq!(stage.ui.time.current(), stage.ui.time.entries().last_seq());
    click(&mut stage, 5, 48);
    assert_eq!(stage.ui.time.current(), stage.ui.time.entries().last_seq(), "its time is no place");
    // What comes meanwhile is in it.
    let before = bar(&mut stage);
    for id in 100..140 {
        stage.pass(100);
        stage.mpp(enqueued(id, "default"), "");
    }
    assert_ne!(bar(&mut stage), before);
    assert!(marked_column(&mut stage).unwrap() < 105);
    stage.key(KeyCode::End);
    assert_eq!(marked_column(&mut stage), None);
}

#[test]
fn what_time_was_stepped_to_is_said_where_it_is_of_note() {
    let mut stage = show(160, 50);
    stage.char(' ');
    assert!(!bar(&mut stage).contains("failed"), "{}", bar(&mut stage));
    stage.char('{');
    assert!(bar(&mut stage).contains("logged warn"), "{}", bar(&mut stage));
    stage.char('{');
    let said = bar(&mut stage);
    assert!(said.contains("failed 41 give_item on default"), "{said}");
    let shown = stage.ui.time.current();
    click(&mut stage, 10, 48);
    assert!(stage.ui.time.current() < shown);
    assert!(!bar(&mut stage).contains("failed"), "{}", bar(&mut stage));
}

#[test]
fn of_a_command_or_a_mark_its_text_is_said_and_not_on_air() {
    let by = Some(OperatedBy { session: Some(ConnectionId(7)), ..OperatedBy::own_console() });
    for (transition, text, said, masked) in [
        (Transition::Operated { by, command: None }, "held boss", "held boss, by ", "operated by "),
        (Transition::Marked { by: None, entry: None }, "a\nlaugh", "mark: a", "mark"),
        (Transition::Marked { by: None, entry: None }, "", "mark", "mark"),
    ] {
        let mut stage = show(160, 50);
        stage.station(transition, text);
        stage.pass(500);
        stage.mpp(enqueued(99, "default"), "");
        stage.char(' ');
        stage.char('{');
        let shown = bar(&mut stage);
        assert!(shown.contains(said) && !shown.contains("operated"), "{shown}");
        stage.view.mask_policy = MaskPolicy::for_on_air(true);
        let hidden = bar(&mut stage);
        assert!(hidden.contains(masked) && !hidden.contains("held") && !hidden.contains("laugh"), "{hidden}");
    }
}
