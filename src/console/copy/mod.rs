//! Copying: what a record is as text, in each way that it can be handed on, and why it cannot where it
//! cannot.
//!
//! What is copied is the true value, on air too: it goes to the clipboard and onto no screen, and what is
//! said of it is its size alone.

mod door;
mod dump;
mod form;
pub(crate) mod line;
mod source;

pub(crate) use door::{CLIENT, door_of};
pub(crate) use dump::pairs;
pub(crate) use form::CopyForm;
pub(crate) use line::quoted;
pub(crate) use source::{CopyPayload, CopySource, json_of};
