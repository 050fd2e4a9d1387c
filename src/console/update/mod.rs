//! What an event does to the screen's state, and what it wants done outside. Pure: no I/O, no clock.

mod actions;
mod answers;
mod bulk;
mod columns;
mod copying;
mod dispatch;
mod filter;
mod inspecting;
mod invoke;
mod moving;
mod palette;
mod queue_control;
mod run_actions;
mod session_actions;
mod submitting;
mod time_travel;
mod trace_actions;
mod unavailable;

pub(crate) use bulk::BulkCancel;
#[cfg(test)]
#[cfg(test)]
pub(crate) use dispatch::attempt;
pub(crate) use dispatch::update;
#[cfg(test)]
pub(crate) use inspecting::open as inspect;
pub(crate) use inspecting::{InvocationEntry, invocation_entries};
pub(crate) use run_actions::has_target_approval;
pub(crate) use unavailable::{class_of_reason, concerns_run_or_session, unavailable};
