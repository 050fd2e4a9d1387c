//! Lifecycle records in a station: what its hosts leave, translated for the cores of MPLP, which know no
//! host; a thread that keeps and tells them; what is asked of it.

pub(crate) mod alerts;
mod commands;
pub(crate) mod families;
mod handle;
mod host;
mod pages;
mod run;
mod serve;
mod session;

pub(super) use commands::command;
pub(super) use handle::Records;
pub use run::RunTranslation;
pub use session::SessionTranslation;
