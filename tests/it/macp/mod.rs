//! The MACP runtime of a station, by a client that is made from the protos, over a real socket.

mod calls;
mod cost;
mod damaged;
mod failing;
mod hostile;
mod judged;
mod judged_random;
mod limits;
mod persistence;
mod protos;
pub(crate) mod raw;
mod records;
mod stream;
mod tapped;
mod test_runtime;
pub(crate) mod test_station;
mod trace_context;
