//! Every bound of the program in one table: its default, its range and what it guards.
//!
//! A bound's configuration key is `limits.<group>.<name>`; the unit is the name's last word.

mod bound;
mod console;
mod declare;
mod protocol;
mod table;
#[cfg(test)]
mod tests;

pub use bound::{Bound, LimitError};
pub use declare::*;
pub use protocol::{
    MPP_FRAME_BYTES_MAX, PLUGIN_FRAME_BYTES_MAX, PLUGIN_HEADER_BYTES_MAX, QUEUE_NAME_BYTES_MAX,
};
