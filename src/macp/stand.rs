//! Where a call would stand that is not made yet.

use serde::{Deserialize, Serialize};

use super::Rpc;
use crate::ids::Peer;

/// Where a call would stand. Its bytes are those of the request message, without the five bytes that gRPC
/// puts before it; of [`Rpc::StreamSession`] those of one message of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Stand {
    /// Which call.
    pub rpc: Rpc,
    /// Who makes it, as the runtime lists its clients: a session that begins counts for its share
    /// (`limits.macp.peer_sessions_max`). Nobody who has any sessions open where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<Peer>,
}

impl Stand {
    /// A call of somebody who has no sessions open.
    #[must_use]
    pub const fn new(rpc: Rpc) -> Self {
        Self { rpc, peer: None }
    }
}
