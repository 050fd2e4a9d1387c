//! Openings and runs on the screen: the lists, the plan, events and artifacts of one, approvals and
//! submission.

pub(crate) mod actions;
pub(crate) mod artifacts;
pub(crate) mod confirmations;
mod detail_run;
pub(crate) mod details;
mod entries;
pub(crate) mod events;
mod files;
pub(crate) mod history;
pub(crate) mod keys;
mod layers;
pub(crate) mod list;
pub(crate) mod openings;
pub(crate) mod pages;
pub(crate) mod plan;
mod question;
pub(crate) mod rating;
pub(crate) mod state;
mod stored_run;
mod submit;
pub(crate) mod submit_draw;
pub(crate) mod submitting;
pub(crate) mod system;

pub(crate) use files::Files;
pub(crate) use submit::{ANSWER_TIMEOUT, PendingRequest, Submit};
