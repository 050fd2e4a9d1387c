//! The wire: every entry of the tap that the console keeps, as a record with fields, in one line that is read
//! at a glance, and as a list that follows its end.

mod body_preview;
mod entry_summary;
mod list;
mod macp_summary;
mod mpp_summary;
mod outcome;
pub(crate) mod pane;
mod record;
mod rescan;
mod rmp_summary;
mod runs_summary;
mod station_summary;
#[cfg(test)]
mod tests;

pub(crate) use body_preview::body_preview;
pub(crate) use list::List;
pub(crate) use outcome::EntryOutcome;
pub(crate) use pane::draw_preview;
pub(crate) use record::EntryRecord;
pub use rescan::Rescan;
