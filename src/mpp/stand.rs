//! Where a frame would stand that is judged before it is sent.

use serde::{Deserialize, Serialize};

use crate::ids::ConnectionId;

/// Where a frame would stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// From the peer of a connection that there is.
    Connection(ConnectionId),
    /// The first one of a connection that is made now, from 127.0.0.1.
    Newcomer,
    /// The first one behind the hello of an adapter that connects now; the hello is taken for granted.
    Greeted,
    /// From the bridge, into a connection that there is.
    Towards(ConnectionId),
}
