//! Frames that the gate holds, on a real station: nothing is lost, nothing is reordered, nobody else waits.

mod batches;
mod bridge;
mod bus;
mod faults;
mod gated;
mod meddler;
mod neighbours;
mod order;
mod order_bus;
mod plugins;
pub(crate) mod runtime;
mod runtime_faults;

use gated::Gated;
