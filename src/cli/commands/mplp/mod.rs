//! `mplp validate`, `mplp schemas`, `mplp schema`, `mplp invariants`, without a station; `mplp station`; and
//! how records are read of a station and written.

mod bundle;
mod dispatch;
mod input;
mod lists;
mod record;
mod recorded;
mod rows;
mod station;
mod validate;
mod written;

pub(in crate::cli) use dispatch::run;
pub(in crate::cli) use record::{read_record, tell_export};
pub(in crate::cli) use rows::{Place, Report};
pub(in crate::cli) use written::{Export, RecordFindings, Subject, write};
