//! What details are made of.

use crate::{
    console::{class::Class, format, model::Sentence, view::View},
    time::Wall,
};

/// Characters of a text that are shown.
const CHARS_MAX: usize = 16_000;

/// A fact that anybody may see.
pub(super) fn fact(name: &'static str, value: impl Into<String>) -> Sentence {
    Sentence::Fact(name, value.into(), Class::Public)
}

/// What agents and viewers said, as much of it as is shown.
pub(super) fn payload(name: &'static str, value: &str) -> Sentence {
    Sentence::Fact(name, value.chars().take(CHARS_MAX).collect(), Class::Payload)
}

/// A time of day, to the millisecond.
pub(super) fn at(view: &View, wall: Wall) -> String {
    format::time_of_day_ms(wall, &view.zone)
}
