//! Layers over the Deck. The topmost takes the keys; `Esc` goes back one layer.

mod dialog;
mod facts;
mod help;
mod overlay;
mod pending;

pub(crate) use dialog::{Bound, Dialog};
pub(crate) use facts::{Facts, Subject};
pub(crate) use help::Help;
pub(crate) use overlay::{Overlay, draw};
pub(crate) use pending::Pending;
