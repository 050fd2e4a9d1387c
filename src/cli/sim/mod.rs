//! Stand-ins for peers, without I/O: what a simulated adapter or agent does with what it is sent, and what
//! simulated participants say (mpp-v2, rmp-v0 §9.1 and macp-v1, from the other side).

mod adapter;
pub(crate) mod agent;
mod chance;
mod event;
mod facts;
mod flood;
pub(crate) mod session;
mod value;

pub(crate) use adapter::{Adapter, End, Input, Output};
pub(crate) use chance::AdapterProfile;
pub(crate) use event::Event;
pub(crate) use facts::Facts;
