//! What an event does to the screen's state, and what it wants done outside. Pure: no I/O, no clock.

mod acting;
mod answers;
mod brakes;
mod bulk;
mod columns;
mod copying;
mod dispatch;
mod filter;
mod giving;
mod hindrance;
mod inspecting;
mod laddering;
mod meeting;
mod moving;
mod palette;
mod running;
mod submitting;
mod timing;

pub(crate) use bulk::Bulk;
#[cfg(test)]
#[cfg(test)]
pub(crate) use dispatch::attempt;
pub(crate) use dispatch::update;
pub(crate) use hindrance::{hindrance, quoted_by, tells_of_what_is_cancelled};
#[cfg(test)]
pub(crate) use inspecting::open as inspect;
pub(crate) use inspecting::{ToldOf, told_of};
pub(crate) use running::is_question_at_hand;
