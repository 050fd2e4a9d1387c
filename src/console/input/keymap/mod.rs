//! The keymap as data. Lookup, footer, help and palette all come from it.

mod chord;
mod filter_keys;
mod key_scope;
mod map;
mod named_filter;
mod overrides;
mod scopes;
mod table;
#[cfg(test)]
mod table_tests;

pub(crate) use chord::Chord;
pub(crate) use filter_keys::TakenKey;
pub(crate) use key_scope::KeyScope;
pub use map::{KeyRow, Keymap};
pub(crate) use named_filter::NamedFilter;
pub use overrides::KeymapError;
pub(crate) use scopes::unkeyed;
pub(crate) use table::Binding;
