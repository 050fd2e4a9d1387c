//! The wire: every entry of the tap that the console keeps, as a record with fields, in one line that is read
//! at a glance, and as a list that follows its end.

mod gist;
mod list;
mod of_macp;
mod of_mpp;
mod of_rmp;
mod of_runs;
mod of_station;
mod record;
mod rescan;
mod standing;
#[cfg(test)]
mod tests;
mod told;

pub(crate) use gist::gist;
pub(crate) use list::List;
pub(crate) use record::EntryRecord;
pub use rescan::Rescan;
pub(crate) use standing::Standing;
