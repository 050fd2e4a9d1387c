//! What the operator sees and does: one screen over a [`StationPort`](crate::port::StationPort), never over a
//! host.
//!
//! An event (a key, an answer, entries of the tap) goes to `screen::dispatch`, which changes the `Ui`
//! and names effects; `app` carries the effects out and paints. The `model` folds snapshots and entries, and
//! knows neither the terminal nor the clock.
//!
//! ```text
//!  keys ──┐                     ┌─▶ effects ─▶ port ─▶ answers ─┐
//!  answers┼─▶ event ─▶ update ──┤                               │
//!   ▲     │                     └─▶ ui ─┐                       │
//!   └─────┼─────────────────────────────┼───────────────────────┘
//!  tap ───┴─▶ model ────────────────────┴─▶ draw ─▶ mailbox ─▶ writer thread
//! ```

mod app;
mod copy;
mod form;
mod gate;
mod inspect;
pub(crate) mod model;
mod overlays;
mod terminal;
mod wire;
mod workbench;
pub(crate) mod worker;

pub(crate) mod draw;
pub(crate) mod input;
mod records;
mod screen;
pub(crate) mod settings;
pub(crate) mod systems;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
mod ui;

#[doc(hidden)]
pub use app::play_through;
pub use app::{Still, run, still};
pub use draw::{Depth, OnAir, Role, Theme, ThemeError, Themes};
pub use input::{KeyRow, Keymap, KeymapError};
#[doc(hidden)]
pub use screen::PlanScroll;
pub(crate) use screen::reference;
pub use settings::{
    AlertRules, AppearanceSettings, BookmarkKeeper, CommandHints, Config, ConfigSource, ConsoleError,
    DeferredText, Desktop, Exit, Fault, OpenedRecording, Passthrough, RecordingOpener, Reload,
    ReplayedMoment, Runnable, Runner, RunningSubcommand, SavedBookmarks, SavedFrames, SavedLayout, Shell,
    Start, Subcommand, SubcommandEnd, SubcommandResult,
};
pub(crate) use ui::{named_filters::check as check_filter, start::check as check_start};
pub(crate) use workbench::{check_draft as check_frame_draft, check_sent as check_sent_frames};
pub use worker::{OpeningFile, OpeningFiles, OpeningListing, SnippetFolder, SnippetListing};

pub use terminal::install_panic_hook;
#[doc(hidden)]
pub use wire::Rescan;
