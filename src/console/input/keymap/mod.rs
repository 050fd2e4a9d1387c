//! The keymap as data. Lookup, footer, help and palette all come from it.

mod chord;
mod key_scope;
mod map;
mod overrides;
mod scopes;
mod table;

pub(crate) use chord::Chord;
pub(crate) use key_scope::KeyScope;
pub use map::{KeyRow, Keymap};
pub use overrides::KeymapError;
pub(crate) use table::Binding;
