//! Lifecycle records in a station: what its hosts leave, translated for the cores of MPLP, which know no
//! host; a thread that keeps and tells them; what is asked of it.
//!
//! ```text
//! runs::host ──RunFeed, bounded, lossless──▶ live ──messages──▶ rmp::host
//! macp::host ──which sessions have news────▶ tell ──log──▶ live
//! ```

pub(crate) mod alerts;
mod built;
mod commands;
mod counts;
mod facts;
pub(crate) mod families;
mod handle;
mod host;
mod kept;
mod live;
mod open_runs;
mod pages;
mod read;
mod run;
mod serve;
mod session;
mod tell;
#[cfg(test)]
mod tests;

pub(super) use commands::command;
pub(super) use handle::{Records, RunsRecords};
pub use run::RunTranslation;
pub use session::SessionTranslation;
