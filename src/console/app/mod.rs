//! The running console: its loop, and how it keeps up with the station.

mod answer;
#[expect(clippy::module_inception, reason = "the folder's one type")]
mod app;
mod background_jobs;
mod frame_scheduler;
mod headless;
mod inputs;
mod over_station;
mod paint;
mod past;
mod past_loader;
mod replay_sync;
mod replaying;
mod running;
pub(crate) mod self_metrics;
mod sync;
mod waiting;

#[cfg(test)]
pub(super) use answer::Answer;
#[cfg(test)]
pub(super) use app::App;
#[cfg(test)]
pub(super) use background_jobs::BackgroundJobs;
#[doc(hidden)]
pub use headless::play_through;
pub use headless::{Still, still};
#[cfg(test)]
pub(super) use inputs::Input;
pub use running::run;
