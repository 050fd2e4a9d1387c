//! The running console: its loop, and how it keeps up with the station.

#[expect(clippy::module_inception, reason = "the folder's one type")]
mod app;
mod sync;

#[cfg(test)]
pub(super) use app::App;
pub use app::run;
