//! Which parts of the bridge's heads and transitions are texts.

use super::{Head, Transition};
use crate::tap::entry::texts::{Texts, texts};

texts! {
    Head {
        Self { kind: _, id: _, queue, event } => [queue event],
    }
    Transition {
        Self::Listening { addr: _ } | Self::NotListening | Self::Paired | Self::Stale { silent_s: _ }
            | Self::RefundRecorded { refund: _, id: _, status: _ } | Self::Logged { level: _ }
            | Self::CommitsFailing | Self::CommitsOk | Self::ReadsFailing | Self::ReadsOk => [],
        Self::Connected { peer } | Self::Handshaken { peer, session_id: _, persisted: _ }
            | Self::Disconnected { peer, active: _, cause: _ } => [peer],
        Self::Parked { queue } | Self::Acked { id: _, queue } | Self::Applied { id: _, queue, cleared: _ }
            | Self::Requeued { id: _, queue } | Self::Orphaned { id: _, queue }
            | Self::OtherCancelled { id: _, queue } | Self::Migrated { queue, rows: _, failed: _ }
            | Self::Braked { queue, brake: _ } | Self::Drained { queue } => [queue],
        Self::Enqueued { id: _, queue, event, requeued_from: _ } | Self::Dispatched { id: _, queue, event }
            | Self::Done { id: _, queue, event, cleared: _, settled: _ }
            | Self::Failed { id: _, queue, event, from: _, cleared: _, by: _ }
            | Self::Refunded { id: _, queue, event } => [queue event],
        Self::StateWritten { key, persist: _ } | Self::PersistedLeftOut { key } => [key],
        Self::PackLoaded { pack_id, manifest_hash } => [pack_id manifest_hash],
    }
}
