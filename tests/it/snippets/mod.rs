//! Every shipped snippet, staged on a real station, judged, and sent through its door.

mod cli;
mod failing_store;
mod mpp;
mod plugin;
mod rmp;
pub(crate) mod sent;
mod wire;
