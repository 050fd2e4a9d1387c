//! What the model keeps of runs: their events, the report and the notices.

pub(crate) mod alerts;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod journal;
mod node_status;

pub(crate) use history::{RunHistory, RunLine};
pub(crate) use node_status::{AWAITING, node_status};
