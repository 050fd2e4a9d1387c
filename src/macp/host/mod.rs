//! The host of the runtime: a gRPC service around the kernel, and the log's way to disk and store. It has a
//! thread of its own.
//!
//! ```text
//! tonic ─▶ Service ─lock─▶ Kernel ─▶ outputs ─▶ tap, snapshot, journal ──one write()──▶ sessions-<n>.log
//!             │                                                  │                          │
//!             └───────── the answer, once its ticket is durable ◀┼──────────────────────────┘
//!                                                                └─behind that─▶ store
//! ```
//!
//! tonic decodes; a codec keeps the exact bytes of what comes ([`Received`]; ruling MACP 9). Calls lock the
//! kernel for as long as it decides and never while they wait or write. Before a call's records are written,
//! whoever else is ready decides too, and all are written together. What cannot be written is kept and tried
//! again; who waits for it is told `UNAVAILABLE`, and finds a duplicate once it is durable.

mod admission;
mod call;
mod cancel_all;
mod codec;
mod conn;
mod connections;
mod end_signal;
mod ended_before;
mod frame_meter;
mod gated;
mod generated;
mod handle;
mod housekeeping;
mod journal;
mod judge;
mod listen;
mod long_messages;
mod messages;
mod metrics;
mod open_calls;
mod openers;
mod request_body;
pub(crate) mod run;
mod sent_frames;
mod service;
mod shared;
mod start;
mod stream;
mod stream_sessions;
mod trace_context;
mod unfinished;
mod untaken;
mod watch;

pub use codec::{Exact, Received, Reply};
pub use handle::{Client, RuntimeHandle};
pub use metrics::Metrics;
pub use run::{RunError, Setup, run};
pub use watch::{NobodyWatches, SessionWatch};
