//! The station and this console on the screen: first steps, log, violations, findings and the console's own
//! metrics.

pub(crate) mod actions;
mod alert_list;
pub(crate) mod confirmations;
pub(crate) mod details;
pub(crate) mod findings;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod meter;
pub(crate) mod outcomes;
pub(crate) mod started;
pub(crate) mod system;
pub(crate) mod violations;

pub(crate) use alert_list::AlertList;
