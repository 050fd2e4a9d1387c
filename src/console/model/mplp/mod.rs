//! What the model keeps of lifecycle records: their state, the report and the notices.

pub(crate) mod alerts;
pub(crate) mod health;
pub(crate) mod journal;
mod state;

pub(crate) use state::Records;
