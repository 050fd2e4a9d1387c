//! The MACP runtime of a station, by a client that is made from the protos, over a real socket.

mod bare;
mod calls;
mod cost;
mod damaged;
mod failing;
mod hostile;
mod house;
mod kept;
mod limits;
mod protos;
mod stream;
mod tapped;
