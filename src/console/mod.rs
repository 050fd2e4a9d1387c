//! What the operator sees and does: one screen over a [`StationPort`](crate::port::StationPort), never over a
//! host.
//!
//! An event (a key, an answer, entries of the tap) goes to `update`, which changes the `Ui` and names
//! effects; `app` carries the effects out and paints. The `model` folds snapshots and entries, and knows
//! neither the terminal nor the clock.
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
mod bookmarks;
mod class;
mod config;
mod copy;
mod draw;
mod event;
mod followed;
mod form;
mod format;
mod gauge;
mod glyphs;
mod history;
mod inspect;
mod keymap;
mod layout;
mod layouts;
mod ledger;
mod lens;
mod marks;
mod matching;
mod model;
mod older;
mod openings;
mod overlays;
mod pace;
mod pages;
mod pane_id;
mod panes;
mod picture;
mod reload;
mod run_pages;
mod rungs;
mod running;
mod scroll;
mod selection;
mod session_pages;
mod shell;
mod stored_run;
mod terminal;
mod text;
mod theme;
mod ui;
mod units;
mod update;
mod view;
mod view_id;
mod waiting;
mod wardrobe;
mod watch;
mod window;
mod wire;
mod worker;

#[cfg(test)]
mod tests;

pub use app::run;
pub use class::OnAir;
pub use config::{AlertRules, CommandHints, Config, ConsoleError, Desktop, Exit, Looks, Through};
pub(crate) use format::grouped;
pub use keymap::{KeyRow, Keymap, KeymapError};
pub use openings::{Shelf, ShelfFile, Shelved};
pub use reload::{Fault, Reload, Source};
#[doc(hidden)]
pub use scroll::PlanScroll;
pub use shell::{End, KeptLayout, Ran, Runner, Running, Runs, Shell, Subcommand};
pub use terminal::install_panic_hook;
pub use theme::{Depth, Role, Theme, ThemeError, Themes};
pub(crate) use watch::{AlertNews, Figures, Summary, Watch};
#[doc(hidden)]
pub use wire::Rescan;
