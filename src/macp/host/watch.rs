//! Who is told which sessions change.

use crate::{ids::TraceId, tap::entry::macp::SessionRef};

/// Who is told of sessions that have a trace. It is asked while the kernel is locked, and never waits.
pub trait SessionWatch: Send + Sync {
    /// A session of a trace began, accepted a message, or ended; its log says what.
    fn changed(&self, trace: TraceId, session: &SessionRef);
}

/// Nobody.
#[derive(Clone, Copy, Debug)]
pub struct NobodyWatches;

impl SessionWatch for NobodyWatches {
    fn changed(&self, _: TraceId, _: &SessionRef) {}
}
