//! The line of each frame: `mpp` and `type` first, then the fields in the specification's order, one LF at
//! the end and none before it.

pub use super::{
    dispatch::{invocation, invocation_len, pull},
    error::protocol_error,
    handshake::{PERSISTED_BYTES, hello, hello_ack, hello_ack_len, hello_refused, persisted_row_len},
    keepalive::heartbeat,
    outcome::{ack, applied, done, failed},
    telemetry::{log, state_write},
};
