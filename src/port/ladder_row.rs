//! One step of a trace's ladder. The rows are printed as they are by `trace --json`.

use serde::{Deserialize, Serialize};

use crate::time::Wall;

/// A message from one party to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopRow {
    /// Its place in the tap; absent for one that is known from the store alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// When, in Unix milliseconds.
    pub at_ms: Wall,
    /// On which link: `rmp`, `mpp`, `macp`.
    pub link: String,
    /// Who sent it: `agent/writer`, a client with its session, `station`, `adapter`, a sender in a session
    /// and that session.
    pub from: String,
    /// For whom it is: the same, or a topic that anybody may hear.
    pub to: String,
    /// The topic, of a message of the bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// What it is: its schema's name, the body's type where that stands for a whole family, the frame's
    /// type, or the message's type with what its answer says.
    pub schema: String,
    /// Its schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_id: Option<u16>,
    /// Its length as it was sent: header and body (rmp-v0 §3). For the JSON dialect, which sends no frame,
    /// 64 and the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_len: Option<u64>,
    /// Microseconds since what it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<u64>,
    /// The place in the tap of what caused it, or of what it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<u64>,
    /// Subscriptions that took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<u32>,
    /// Subscriptions that did not.
    #[serde(default, skip_serializing_if = "is_none_or_zero")]
    pub dropped: Option<u32>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Who made it by hand, and through which door.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none_or_zero(count: &Option<u32>) -> bool {
    count.unwrap_or(0) == 0
}
