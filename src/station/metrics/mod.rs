//! Everything that the station counts: as Prometheus text on HTTP, and as the snapshots that go on
//! `rlp/sys/metrics`.
//!
//! ```text
//! snapshot, counters ─▶ figures ─▶ families ─┬▶ text ─▶ host (GET /metrics)
//!                                            └▶ payload (CT_METRICS_SNAPSHOT)
//! ```

mod families;
mod family;
mod figures;
mod host;
mod payload;
mod request;
mod standing;
#[cfg(test)]
mod tests;
mod text;

pub use figures::{Figures, HttpFigures};
pub use payload::MetricsSnapshot;

pub(super) use figures::collect;
pub(super) use host::start;
pub(super) use standing::{Endpoint, Standing};
