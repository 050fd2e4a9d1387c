//! `heartbeat`, both ways (mpp-v2, heartbeat). It has no fields.

use super::write::Line;
use crate::tap::entry::mpp::FrameType;

/// `heartbeat`.
#[must_use]
pub fn heartbeat() -> Vec<u8> {
    Line::bytes(FrameType::Heartbeat).end()
}
