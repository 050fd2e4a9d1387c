//! What the model keeps of runs: their events, the report and the notices.

pub(crate) mod alerts;
mod health;
pub(crate) mod history;
pub(crate) mod journal;

pub(crate) use health::runs_report;
pub(crate) use history::{RunHistory, RunLine};
