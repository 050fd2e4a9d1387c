//! The broker's core: sessions, subscriptions, messages (rmp-v0 §4, §5, §11; rulings RMP 1 to 9, 16 to 18).
//! It does no I/O and reads no clock.
//!
//! ```text
//! handle(now, Input) ─▶ Received · Answered · Transition · Asked · Close ─▶ poll_output
//!   Publish + message ─▶ judge ─▶ topic ─▶ targets ─▶ outboxes ─▶ poll_waiting, transmit
//! ```
//!
//! A message is told of by one entry, whose verdict says how many subscriptions it was given to. A `Publish`
//! that is remembered byte for byte costs no MsgPack; whom a topic reaches is kept until a subscription
//! changes.

mod ahead;
mod core;
mod deliver;
mod drops;
mod heard;
mod intake;
mod io;
mod memo;
mod own;
mod publish;
mod reach;
mod session;
mod settings;
mod shown;
mod tick;
mod topics;
mod transmit;
mod units;
mod unread;
mod view;
mod wall;

pub use ahead::AHEAD_UNITS;
pub use core::Broker;
pub use heard::Room;
pub use io::{Asked, Deadline, Heard, Input, Output, Own, STATION, Ticket, Unread, Wire};
pub use own::NotAnswered;
pub use reach::Reach;
pub use settings::{Settings, Tokens};
pub use transmit::Left;
