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
mod appearance;
mod backfill;
mod background_jobs;
mod body_text;
mod bookmarks;
mod class;
mod config;
mod config_watcher;
mod copy;
mod dag_layout;
mod draw;
mod event;
mod form;
mod format;
mod frame_scheduler;
mod fuzzy;
mod glyphs;
mod history;
mod inspect;
mod keymap;
mod ladder_view;
mod layout;
mod layouts;
mod ledger;
mod marked_rows;
mod master_detail;
mod model;
mod openings;
mod overlays;
mod paged_list;
mod paged_lists;
mod pane_id;
mod panes;
mod run_pages;
mod scroll;
mod selection;
mod self_metrics;
mod session_pages;
mod shell;
mod station_monitor;
mod stored_run;
mod table_settings;
mod terminal;
mod text;
mod theme;
mod ui;
mod update;
mod view;
mod view_id;
mod waiting;
mod wire;
mod worker;

#[cfg(test)]
mod tests;

pub use app::run;
pub use class::OnAir;
pub use config::{
    AlertRules, AppearanceSettings, CommandHints, Config, ConsoleError, Desktop, Exit, Passthrough,
};
pub use config_watcher::{ConfigSource, Fault, Reload};
pub(crate) use format::grouped;
pub use keymap::{KeyRow, Keymap, KeymapError};
pub use openings::{OpeningFile, OpeningFiles, OpeningListing};
#[doc(hidden)]
pub use scroll::PlanScroll;
pub use shell::{
    Runnable, Runner, RunningSubcommand, SavedLayout, Shell, Subcommand, SubcommandEnd, SubcommandResult,
};
pub(crate) use station_monitor::{AlertChange, QueueMetrics, StationMonitor, Summary};
pub use terminal::install_panic_hook;
pub use theme::{Depth, Role, Theme, ThemeError, Themes};
#[doc(hidden)]
pub use wire::Rescan;
