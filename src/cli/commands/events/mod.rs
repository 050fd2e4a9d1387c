//! What the tap tells people and scripts, line by line: one vocabulary for `serve`, which tells what is
//! notable, and `--plain`, which tells everything that a screen would show.

mod coalesce;
mod event;
mod gate;
mod line;
mod of_tap;
mod plugin;
mod text;

pub(super) use coalesce::Coalescer;
pub(super) use event::Event;
pub(super) use line::{Detail, EventLine};
