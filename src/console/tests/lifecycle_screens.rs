//! The lifecycle record of a run, drawn.

use crossterm::event::KeyCode;

use super::{
    lifecycle::{press, select, shown},
    screens::at_both_sizes,
};
use crate::console::input::action::Action;

#[test]
fn the_record_on_and_off_air() {
    let opened = |columns, rows| {
        let mut stage = shown(columns, rows);
        for name in ["plan", "context"] {
            select(&mut stage, name);
            press(&mut stage, KeyCode::Right);
        }
        stage
    };
    at_both_sizes("lifecycle", opened);
    at_both_sizes("lifecycle_on_air", |columns, rows| {
        let mut stage = opened(columns, rows);
        stage.act(Action::OnAir);
        stage.ui.message = None;
        stage
    });
}
