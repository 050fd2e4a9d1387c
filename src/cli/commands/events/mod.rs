//! What the tap tells people and scripts, line by line: one vocabulary for `serve`, which tells what is
//! notable, and `--plain`, which tells everything that a screen would show.

mod event;
mod of_tap;
mod pace;
mod told;
mod words;

pub(super) use event::Event;
pub(super) use pace::Pace;
pub(super) use told::{Detail, Told};
