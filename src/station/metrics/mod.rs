//! Everything that the station counts: as Prometheus text on HTTP, and as the snapshots that go on
//! `rlp/sys/metrics`.
//!
//! ```text
//! hosts, counters ─▶ figures ─▶ families ─┬▶ text ─▶ host (GET /metrics)
//!                                            └▶ payload (CT_METRICS_SNAPSHOT)
//! ```

mod collector;
mod connections;
mod endpoint;
mod families;
mod family;
mod host;
mod payload;
mod reference;
mod request;
#[cfg(test)]
mod tests;
mod text;

pub use collector::{HttpMetrics, Metrics};
pub use payload::MetricsSnapshot;
pub(crate) use reference::{MetricReference, reference};

pub(super) use collector::collect;
pub(super) use connections::Client;
pub(super) use endpoint::{Endpoint, EndpointState};
pub(super) use families::seconds;
#[cfg(test)]
pub(super) use family::Number;
pub(super) use family::{Family, Kind, Series};
pub(super) use host::{REFUSALS_MAX, start};
