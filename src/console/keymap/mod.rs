//! The keymap as data. Lookup, footer, help and palette all come from it.

mod chord;
mod map;
mod own;
mod place;
mod table;

pub(crate) use chord::Chord;
pub use map::{KeyRow, Keymap};
pub use own::KeymapError;
pub(crate) use place::Place;
pub(crate) use table::Binding;
