//! The gate as the console has it: the frames that are held, a rule that is being written, and the rules that
//! are armed.
//!
//! ```text
//!  entries ─▶ model.station.intercepted ─▶ held frames ─┬─▶ let pass, drop
//!                                                       └─▶ the workbench ─▶ edited
//!  station ─▶ rules ◀─ armed ◀─ a new rule, of the focused pane's filter
//! ```

pub(crate) mod actions;
mod bounds;
mod commands;
mod draw;
mod layer;
mod list;
mod rule_form;

pub(crate) use list::GateList;
