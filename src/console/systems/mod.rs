//! One folder a system: its panes, details, confirmations, forms and actions.

pub(crate) mod bridge;
pub(crate) mod bus;
mod deck;
pub(crate) mod mplp;
pub(crate) mod plugins;
pub(crate) mod runs;
pub(crate) mod sessions;
pub(crate) mod station;
mod table;
