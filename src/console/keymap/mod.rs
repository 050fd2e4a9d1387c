//! The keymap as data. Lookup, footer and help all come from it.

mod chord;
mod table;

pub(crate) use chord::Chord;
pub(crate) use table::{Binding, Place, bindings, lookup};
