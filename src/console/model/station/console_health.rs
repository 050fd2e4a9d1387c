//! What the console says of itself: it is of the present, whatever moment is shown.

use std::time::Duration;

/// How well the console keeps up, and what it costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConsoleHealth {
    /// Frames a second, while they are fewer than they should be.
    pub(crate) frames_per_s: Option<u64>,
    /// Entries of the tap that were not taken in when the last frame was made.
    pub(crate) lag: u64,
    /// Taken anew once a second.
    pub(crate) metrics: HealthMetrics,
}

/// A figure of the last whole second, and the most of the last minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measured<T> {
    pub(crate) last: T,
    pub(crate) minute: T,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HealthMetrics {
    /// From the start of drawing to the frame handed over: half of all frames took so long at most.
    pub(crate) p50: Measured<Option<Duration>>,
    /// 95 of 100 took so long at most.
    pub(crate) p95: Measured<Option<Duration>>,
    pub(crate) longest: Measured<Option<Duration>>,
    /// Frames in a second.
    pub(crate) frames: Measured<u64>,
    /// Bytes of them.
    pub(crate) bytes: Measured<u64>,
    /// Entries that waited to be taken in, at most.
    pub(crate) lag: Measured<u64>,
    /// Entries that were taken in in a second.
    pub(crate) processed: Measured<u64>,
    /// Milliseconds of a second that this took.
    pub(crate) processing_ms: Measured<u64>,
}
