//! The state of the screen: focus, layout, message, history, and the events that change it.

pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod history;
pub(crate) mod layers;
pub(crate) mod layout;
pub(crate) mod layouts;
pub(crate) mod master_detail;
pub(crate) mod message;
pub(crate) mod state;
