//! The broker's host: one Unix socket for bus and control (rmp-v0 §12; rulings RMP 2, 15, 16), around the
//! core, on a thread of its own.
//!
//! ```text
//! accept ─▶ a task a connection ─▶ read into the one scratch ─▶ frames ─▶ Broker ─▶ outputs ─▶ tap
//!                                                                    └▶ outboxes ─▶ written at once; the rest when writable
//! ```
//!
//! All connections share one buffer for reading; what a read leaves of a frame is kept with its connection. A
//! connection is read for one buffer's length a turn, so that none starves another.

mod by_hand;
mod conn;
mod drain;
mod gated;
mod gated_out;
mod listen;
mod path;
mod receiving;
mod requests;
pub(crate) mod run;
pub(crate) mod station_inbox;
#[cfg(test)]
mod test_setup;
mod turn;

pub use path::{BoundSocket, PathError, bind};
pub use requests::{PublishReport, Request};
pub use run::{Confinement, Setup, TokenIgnoredFn, run};
pub use station_inbox::{BusEvent, Message, StationInbox, station_inbox};
