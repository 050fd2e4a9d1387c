//! Pack-state values that persist.

use serde::{Deserialize, Serialize};

use crate::{ids::StateKey, schema::JsonText, time::Wall};

/// A persisted pack-state value, keyed by `(pack_id, key)`; the last write wins (mpp-v2, `state_write`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateRow {
    /// Its key.
    pub key: StateKey,
    /// The JSON text that came.
    pub value: JsonText,
    /// The adapter's opaque tag, stored and echoed verbatim.
    pub scope: Option<String>,
    /// When it was written.
    pub at_ms: Wall,
}
