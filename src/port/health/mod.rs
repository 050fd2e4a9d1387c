//! How each component of a station is: its row in `ls health`, and the one judgement of what is amiss with a
//! system, from which its chip, its report and its row are made.

pub(crate) mod macp;
pub(crate) mod mplp;
pub(crate) mod mpp;
pub(crate) mod plugin;
mod problem;
pub(crate) mod rmp;
mod row;
pub(crate) mod runs;
pub(crate) mod store;

pub(crate) use problem::{Problem, unjudged, word};
pub(crate) use row::RECORDING_TO;
pub use row::{HealthRow, HealthStatus};
