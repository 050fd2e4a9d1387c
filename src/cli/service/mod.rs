//! `serve` as a systemd user service: what it tells its manager, and the unit that starts it.

mod notifier;
mod unit;

pub(crate) use notifier::Notifier;
pub(crate) use unit::{NAME, Unit, binary, is_as_shipped};
