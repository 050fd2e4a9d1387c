//! What an operator can ask for: actions, their keys, and the panes and views that take them.

pub(crate) mod action;
pub(crate) mod direction;
pub(crate) mod fuzzy;
pub(crate) mod group;
pub(crate) mod keymap;
pub(crate) mod pane_id;
pub(crate) mod view_id;

pub use keymap::{KeyRow, Keymap, KeymapError};
