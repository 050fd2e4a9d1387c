//! What the operator sees and does: one screen over a [`StationPort`](crate::port::StationPort), never over a host.
//!
//! An event (a key, an answer, entries of the tap) goes to `update`, which changes the `Ui` and names effects; `app` carries the
//! effects out and paints. The `model` folds snapshots and entries, and knows neither the terminal nor the clock.
//!
//! ```text
//!  keys ──┐                     ┌─▶ effects ─▶ port ─▶ answers ─┐
//!  answers┼─▶ event ─▶ update ──┤                               │
//!   ▲     │                     └─▶ ui ─┐                       │
//!   └─────┼─────────────────────────────┼───────────────────────┘
//!  tap ───┴─▶ model ────────────────────┴─▶ draw ─▶ mailbox ─▶ writer thread
//! ```

mod action;
mod app;
mod config;
mod draw;
mod event;
mod format;
mod glyphs;
mod keymap;
mod layout;
mod model;
mod overlays;
mod panes;
mod terminal;
mod text;
mod theme;
mod ui;
mod update;
mod view;

#[cfg(test)]
mod tests;

pub use app::run;
pub use config::{CommandHints, Config, ConsoleError, Exit};
pub use terminal::install_panic_hook;
pub use theme::{Depth, Role, Theme, ThemeError};
