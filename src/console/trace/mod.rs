//! The ladder of one trace: its pane and what keys do there.

pub(crate) mod actions;
pub(crate) mod pane;
