//! The broker's core: sessions, subscriptions, messages (rmp-v0 §4, §5, §11; rulings RMP 1 to 9, 16 to 18).
//! It does no I/O and reads no clock.
//!
//! ```text
//! handle(now, Input) ─▶ Received · Answered · Transition · Asked · Close ─▶ poll_output
//!   Publish + message ─▶ decide ─▶ topic ─▶ targets ─▶ plan ─▶ outboxes ─▶ poll_waiting, transmit
//! ```
//!
//! What becomes of a frame is decided, and of a message planned, before anything changes, so that `judge`,
//! which goes no further, says what `handle` does; answers are made by the decision and queued apart. A
//! message is told of by one entry, whose verdict says how many subscriptions it was given to. A `Publish`
//! that is remembered byte for byte costs no MsgPack; whom a topic reaches is kept until a subscription
//! changes.

mod admission;
mod answers;
mod control_frames;
mod core;
mod decision;
mod deliver;
mod delivery_report;
mod drops;
mod gated;
mod io;
mod json_units;
mod judge;
mod judge_message;
mod judge_outbound;
mod judgement;
mod plan;
mod prefetch;
mod publish;
mod publish_cache;
mod put;
mod session;
mod settings;
mod shares;
mod station_delivery;
mod station_publish;
mod tick;
mod topics;
mod transmit;
mod unread_requests;
mod view;
mod visible_topics;
mod waiting;
mod wall;

pub(super) use admission::receiving_bytes_max;
pub use core::Broker;
pub use delivery_report::DeliveryReport;
pub(in crate::rmp) use gated::{bytes_that_leave, class_of};
pub use io::{
    Deadline, InboundForStation, Input, OperatorRequest, Output, STATION, StationMessage, Ticket,
    UnreadRequest, Wire,
};
pub use prefetch::PREFETCH_UNITS;
pub use settings::{Settings, Tokens};
pub use station_delivery::InboxCapacity;
pub use station_publish::AnswerError;
pub use transmit::WriteProgress;
