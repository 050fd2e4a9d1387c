//! The wire: every entry of the tap that the console keeps, as a record with fields, in one line that is read
//! at a glance, and as a list that follows its end.

pub(crate) mod pane;
mod rescan;

pub(crate) use pane::{ENTRY, draw_preview};
pub use rescan::Rescan;
