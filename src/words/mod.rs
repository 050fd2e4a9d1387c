//! Texts as people read them: counts with their nouns, texts that are cut, the name that was meant, and
//! foreign text made safe to print.

mod characters;
pub(crate) mod counted;
pub(crate) mod cut;
pub(crate) mod format;
mod hex;
mod nearest;
mod seconds;
mod shell;
mod steering;
pub(crate) mod token;
pub(crate) mod visible;
mod write_failure;

pub(crate) use characters::clusters;
pub use counted::{counted, counted_as};
pub(crate) use cut::with_ellipsis;
pub use cut::{cut, cut_marked, floor, truncate, width};
pub use hex::hex;
pub use nearest::nearest;
pub(crate) use seconds::seconds;
pub(crate) use shell::quoted;
pub use steering::{escaped_json, visible_file};
#[cfg(test)]
pub(crate) use visible::HOSTILE_TEXTS;
pub use visible::visible;
pub(crate) use write_failure::{is_no_room, write_failure};
