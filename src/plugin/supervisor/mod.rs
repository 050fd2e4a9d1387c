//! All plugins, and what becomes of what they send: a core without I/O (streamnook-plugin-v1; rulings
//! Plugins).
//!
//! ```text
//! stopped ─▶ starting ─▶ up ─▶ stopping ─▶ stopped
//!    ▲          │ a fault │
//!    │          ▼         ▼
//!    ├────── waiting: 1, 5, 25 s after the first, second and third exit within ten minutes
//!    └─ by hand ─ disabled: after the fourth, for another version, without an entry, or by the operator
//! ```
//!
//! `handle(now, Input)` takes what happened to one plugin's process, `command(now, ..)` what the operator
//! wants; what follows is polled as [`Output`], [`Output::Received`] before all that it causes. A deadline
//! has passed when `now` is at it; the host hands in what has arrived before [`Input::Timeout`].

mod actions;
mod commands;
mod consent;
mod core;
mod ending;
mod events;
mod foresee;
mod frames;
mod health;
mod install;
mod io;
mod judge;
mod judge_to;
mod kept;
mod lifecycle;
mod methods;
mod notify;
mod plugin;
mod put;
mod queries;
mod save_queue;
mod stream;
#[cfg(test)]
mod tests;

pub use core::{Settings, Supervisor};
pub use io::{
    Cause, Fetched, Input, Installation, Output, ProcessInput, Record, RestoredPlugin, Source, SpawnFault,
};
pub use kept::PanelValues;
pub use queries::Launched;
