//! Peers that mean no good, at the real sockets: one file a link, written from the specifications. Whoever
//! keeps to them goes on meanwhile, and the operator is answered in time (`operator_bounds`).

mod addresses;
mod bus;
mod bus_shares;
mod files;
mod garbage;
mod grpc;
mod grpc_calls;
mod http2;
mod memory;
mod metrics;
mod mpp;
mod operator;
mod operator_bounds;
mod runs;
mod storm;
