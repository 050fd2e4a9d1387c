//! What the model keeps of the bus: its topics and drops over time, its report and its notices.

pub(crate) mod alerts;
pub(crate) mod health;
pub(crate) mod journal;
pub(crate) mod peer_name;
pub(crate) mod state;

pub(crate) use health::drop_remedy;
pub(crate) use peer_name::{is_console, peer_name};
pub(crate) use state::{BYTES, Bus, DELIVERED, MESSAGES};
