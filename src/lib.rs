//! rl-console: the operator console that hosts and shows everything a stream's automation runs on.
//!
//! The map of the house, floor by floor; each imports only from below (`tests/architecture.rs` checks it):
//!
//! 1. [`ids`], [`limits`], [`time`], [`schema`], [`registry`], `msgpack`, [`field`], [`filter`], [`words`]:
//!    identities, bounds, clocks, JSON Schema, the schemas of messages and ports, the shape of MsgPack, what
//!    records are made of, the language that finds them, and texts and counts in words.
//! 2. [`tap`], [`store`]: the ordered stream of all that happens; what outlives the process.
//! 3. [`mpp`], [`rmp`], [`macp`], [`runs`], [`recording`]: the protocols' cores with their hosts, openings
//!    and their runs; recordings of the tap.
//! 4. [`port`], `dissect`: the one way to act on a station and to ask it; what bytes and entries mean.
//! 5. [`console`] and [`station`]: what the operator sees; what runs.
//! 6. [`cli`]: the command line.

pub mod cli;
pub mod console;
mod dissect;
pub mod field;
pub mod filter;
pub mod ids;
pub mod limits;
pub mod macp;
pub mod mpp;
mod msgpack;
pub mod port;
pub mod recording;
pub mod registry;
pub mod rmp;
pub mod runs;
pub mod schema;
pub mod station;
pub mod store;
pub mod tap;
pub mod time;
pub mod words;
