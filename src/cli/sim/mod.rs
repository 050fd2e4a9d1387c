//! Stand-ins for peers, without I/O: what a simulated adapter does with what it is sent (mpp-v2, from the adapter's side).

mod adapter;
mod chance;
mod event;
mod facts;
mod flood;
mod value;

pub(crate) use adapter::{Adapter, End, Input, Output};
pub(crate) use chance::Manner;
pub(crate) use event::Event;
pub(crate) use facts::Facts;
