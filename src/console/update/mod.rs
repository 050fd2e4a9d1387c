//! What an event does to the screen's state, and what it wants done outside. Pure: no I/O, no clock.

mod acting;
mod answers;
mod brakes;
mod dispatch;
mod hindrance;
mod moving;

pub(crate) use dispatch::update;
pub(crate) use hindrance::hindrance;
