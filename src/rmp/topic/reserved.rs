//! The topics that the protocol and the station name.

/// Control plane: submitted runs and what becomes of them (rmp-v0 §9).
pub const CTRL: &str = "rlp/ctrl";
/// Operators' requests to the station, and its answers to each of them alone (ruling RMP 6).
pub const OPERATOR: &str = "rlp/operator";
/// The tap's entries (ruling RMP 17).
pub const TAP: &str = "rlp/sys/tap";
/// Notices of dropped messages (rmp-v0 §5).
pub const DROPS: &str = "rlp/sys/drops";
/// The dropped messages themselves (ruling RMP 9).
pub const DROPS_BODIES: &str = "rlp/sys/drops/bodies";
/// Snapshots of the station's counters.
pub const METRICS: &str = "rlp/sys/metrics";
/// What a human must confirm (ruling RMP 13).
pub const ACTION_REQUEST: &str = "action.request";
/// What the human said (ruling RMP 13).
pub const ACTION_DECISION: &str = "action.decision";
