//! The ladder of one trace: its pane and what keys do there.

pub(crate) mod actions;
pub(crate) mod ladder_view;
pub(crate) mod pane;
