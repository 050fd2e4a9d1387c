//! Text from peers, made fit for a screen: nothing in it can move the cursor, reverse a line, hide, or take
//! other columns than it is given.

mod characters;
pub(crate) mod fit;
pub(crate) mod visible;
pub(crate) mod wrap;

pub(crate) use characters::clusters;
pub(crate) use fit::{fit, fit_within, head, truncate, width};
pub(crate) use visible::visible;
pub(crate) use wrap::{wrap, wrap_command};
