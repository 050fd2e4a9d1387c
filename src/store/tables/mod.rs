//! The database's tables, one file a family: their SQL and nothing else.

pub(super) mod alerts;
pub(super) mod brakes;
pub(super) mod injected_traces;
pub(super) mod invocations;
pub(super) mod macp;
pub(super) mod macp_logs;
mod macp_seen;
pub(super) mod manifests;
pub(super) mod meta;
pub(super) mod mplp;
pub(super) mod plugins;
pub(super) mod refunds;
pub(super) mod runs;
pub(super) mod state;
pub(super) mod triggers;
mod values;

pub(super) use values::int;
