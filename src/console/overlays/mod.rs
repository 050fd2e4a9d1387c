//! Layers over the Deck. The topmost takes the keys; `Esc` goes back one layer.

mod account;
mod bus_facts;
mod columns;
mod copy_as;
mod dialog;
mod events;
mod facts;
mod filter_line;
mod help;
mod invoke;
mod keys;
mod line;
mod output;
mod overlay;
mod palette;
mod pending;
mod question;
mod told;
mod tray;
mod written;

pub(crate) use account::Account;
pub(crate) use columns::Columns;
pub(crate) use copy_as::CopyAs;
pub(crate) use dialog::{Bound, Dialog};
pub(crate) use events::Events;
pub(crate) use facts::{Facts, Subject, refund_word, writer_word, written_by_words};
pub(crate) use filter_line::FilterLine;
pub(crate) use help::Help;
pub(crate) use keys::KeyList;
pub(crate) use line::Line;
pub(crate) use output::Output;
pub(crate) use overlay::{Overlay, Reaction, draw};
pub(crate) use palette::{Hit, Palette};
pub(crate) use pending::Pending;
pub(crate) use question::meanwhile;
pub(crate) use tray::Tray;
