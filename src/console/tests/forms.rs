//! Snapshots of the forms and of the questions, with their colours.

use crossterm::event::KeyCode;

use super::{
    bulk::with_others,
    pack_events::{event, events, listed, opened},
    screens::at_both_sizes,
    test_console::{TestConsole, dispatched, row, show},
};
use crate::{
    console::{
        input::{action::Action, direction::Direction},
        systems::bridge::pending::PendingPage,
        ui::event::Event,
    },
    ids::InvocationId,
    port::Page,
    tap::entry::mpp::{Brake, Transition},
};

fn pending(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    let asked = PendingPage { queue: "default".into(), direction: Direction::Initial, serial: 1 };
    stage.event(Event::QueryAnswered {
        on_page: Box::new(asked),
        page: Ok(Page::Invocations { rows: (42..=45).map(row).collect(), more: false, beyond: None }),
    });
    stage
}

#[test]
fn the_events_that_work_can_be_given_of() {
    at_both_sizes("events", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.mpp(
            Transition::Braked { queue: "boss".into(), brake: Brake { held: true, draining: false } },
            "",
        );
        listed(stage, events())
    });
}

#[test]
fn a_form_with_a_wrong_value() {
    at_both_sizes("form", |columns, rows| {
        let mut stage = opened(show(columns, rows), events(), "give_item");
        stage.write("1000");
        stage.ctrl('s');
        stage
    });
}

#[test]
fn a_form_with_every_kind_of_field() {
    at_both_sizes("form_kinds", |columns, rows| {
        let schema = serde_json::json!({
            "required": ["boss", "mood"],
            "additionalProperties": false,
            "properties": {
                "boss": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Who comes. The name is shown on the stream, and the game has no other check of it than this length."},
                "mood": {"enum": ["calm", "angry", "furious"], "default": "angry"},
                "at": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number", "minimum": 0, "maximum": 1}, "y": {"type": "number"}}},
                "shield": {"type": "boolean", "default": true},
                "loot": {"type": "array", "items": {"type": "integer"}},
                "greeting": {"type": "string", "default": "hi \u{202e}there\u{7}"},
            }
        });
        let mut stage = opened(show(columns, rows), event(&schema), "odd");
        stage.write("Żmij 日本");
        stage.key(KeyCode::Left);
        for _ in 0..3 {
            stage.key(KeyCode::Down);
        }
        stage.write("2");
        stage.key(KeyCode::Up);
        stage.key(KeyCode::Up);
        stage.key(KeyCode::Up);
        stage
    });
}

#[test]
fn a_form_as_json_with_an_error() {
    at_both_sizes("form_json", |columns, rows| {
        let mut stage = opened(show(columns, rows), events(), "spawn_boss");
        stage.write("kraken");
        stage.ctrl('e');
        stage.key(KeyCode::Down);
        stage.key(KeyCode::End);
        stage.write(", level 3");
        stage
    });
}

#[test]
fn cancelling_many() {
    at_both_sizes("cancel_many", |columns, rows| {
        let mut stage = pending(columns, rows);
        stage.key(KeyCode::Down);
        for _ in 0..3 {
            stage.char('v');
        }
        stage.char('x');
        stage.mpp(dispatched(44, "default"), "");
        stage
    });
}

#[test]
fn cancelling_one() {
    at_both_sizes("cancel", |columns, rows| {
        let mut stage = pending(columns, rows);
        stage.key(KeyCode::Down);
        stage.char('x');
        stage.char('r');
        stage.mpp(dispatched(43, "default"), "");
        stage
    });
}

#[test]
fn migrating() {
    at_both_sizes("migrate", |columns, rows| {
        let mut stage = with_others(columns, rows);
        stage.act(Action::Migrate);
        stage
    });
}

#[test]
fn stopping_a_recording() {
    at_both_sizes("stop_recording", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.ctrl('r');
        stage
    });
}

#[test]
fn kicking_and_settling() {
    at_both_sizes("kick", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.char('K');
        stage
    });
    at_both_sizes("settle", |columns, rows| {
        let mut stage = show(columns, rows);
        stage.mpp(Transition::Orphaned { id: InvocationId(46), queue: "boss".into() }, "");
        stage.key(KeyCode::Esc);
        stage.key(KeyCode::Tab);
        stage.key(KeyCode::Down);
        stage.char('E');
        stage
    });
}
