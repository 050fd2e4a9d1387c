//! Where bytes that are not sent yet would come in.

use serde::{Deserialize, Serialize};

use super::{Dialect, Kind};
use crate::ids::ConnectionId;

/// Where a frame that is judged would stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// It comes from the client of a connection, at a border of its stream: behind its last whole unit, or
    /// behind a `Publish` that awaits its message.
    Connection(ConnectionId),
    /// It comes on a connection that is not there yet.
    Newcomer {
        /// In what the client speaks. Where it has said nothing, the first five bytes tell it instead.
        dialect: Dialect,
        /// What its session is, which is open and has no subscriptions; nothing where it has said nothing, so
        /// that the bytes begin with its first frame. Who speaks JSON is an agent (ruling RMP 16).
        kind: Option<Kind>,
    },
    /// It goes to the client of a connection, as if the station had sent it.
    Towards(ConnectionId),
}
