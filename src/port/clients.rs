//! Who is connected to the station's ports.

use serde::{Deserialize, Serialize};

use crate::{ids::Peer, tap::entry::Link, time::Wall};

/// `ls clients`: also who has said nothing yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientRow {
    /// By which port; `station` is that of the metrics.
    pub link: Link,
    /// From where, as the operating system says; what `session cancel --by` takes; `others` is all that are
    /// gone and are not listed one by one.
    pub peer: Peer,
    /// The name that it gave itself.
    pub client: Option<String>,
    /// Since when, in Unix milliseconds; null of one that is gone and still holds sessions.
    pub connected_at_ms: Option<Wall>,
    /// For how many milliseconds it has been connected and has said nothing: no first frame (MACP: made no
    /// call, metrics: no whole request); null of one that has.
    pub silent_ms: Option<u64>,
    /// Sessions that are open and that it opened since the runtime started; of an address that is not
    /// loopback those of all its connections.
    pub sessions: u64,
    /// Its subscriptions.
    pub subscriptions: u64,
}
