//! The bridge's core: a state machine without I/O, clock or lock (DESIGN 3). Values go in by
//! [`Bridge::handle`] and [`Bridge::command`], and what is to be done comes out of [`Bridge::poll_output`],
//! in order; drain it after each.
//!
//! ```text
//! Line ──▶ decide (reads) ──▶ Decision ──▶ apply (writes) ──▶ Received · Persist · Transition · Transmit · Close
//!              └──▶ judge                     │
//!                                   Committed ──▶ pump: the queue's next row leaves (ruling MPP 6)
//! ```
//!
//! Decisions where the specification and its rulings leave room:
//!
//! - A brake holds at once and is stored afterwards: an operator who holds the show must not wait for a disk.
//!   Its command is answered when it is stored, or refused when that fails; it then goes on holding, and
//!   storing it is tried again.
//! - A transition that could not be stored is tried again with everything known of its row by then, so that
//!   an old try never overwrites a later state. One request probes the store at a growing delay; when it
//!   succeeds, the others follow.
//! - Of what an adapter sends, its own token is overwritten by `*` wherever it would be kept, shown or sent
//!   back.
//! - A token that the station lent is used up by the first hello that shows it from its address, also where
//!   that is refused for another reason.
//! - One connection has at most `limits.mpp.live_rows_max` rows in `applied`; beyond, the oldest is left in
//!   applied as by a disconnect.

mod cancel;
mod commands;
mod commits;
mod connections;
mod core;
mod decide;
mod dispatch;
mod enqueue;
mod frames;
mod handshake;
mod hanging;
mod judge;
mod judge_towards;
mod lent;
mod migrate;
mod pack_state;
mod requeue;
mod settle;
mod timers;
mod view;

pub use self::{
    core::{Bridge, Settings},
    lent::{LENT_TOKENS_MAX, LendError, LentCounts},
    view::{StateValue, UncommittedRow, WrittenBy},
};
