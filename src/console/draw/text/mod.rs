//! Text from peers, made fit for a screen: nothing in it can move the cursor, reverse a line, hide, or take
//! other columns than it is given.

pub(crate) mod fit;
pub(crate) mod wrap;

pub(crate) use crate::words::{clusters, cut, truncate, visible, width};
pub(crate) use fit::{fit, fit_within};
pub(crate) use wrap::{wrap, wrap_command};
