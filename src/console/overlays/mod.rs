//! Layers over the Deck. The topmost takes the keys; `Esc` goes back one layer.

mod copy_as;
pub(crate) mod copying;
pub(crate) mod detail;
pub(crate) mod details;
mod dialog;
pub(crate) mod draw_line;
mod help;
mod keys;
mod ledger_overlay;
mod manual;
pub(crate) mod output;

pub(crate) use crate::console::ui::confirm::{Answer, Answers, Confirm, DEFAULT_REASON};
pub(crate) use details::{Details, show_found};
pub(crate) use dialog::Dialog;
pub(crate) use help::Help;
pub(crate) use keys::KeyList;
pub(crate) use ledger_overlay::LedgerOverlay;
pub(crate) use manual::ManualReader;

pub(crate) use output::Output;
