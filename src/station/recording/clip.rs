//! What was, saved after the fact.

use std::{path::PathBuf, sync::Arc};

use super::sources::{ended, fresh_path, not_begun, sources};
use crate::{
    port::{Outcome, PortError},
    recording::Recorder,
    station::local::Inner,
};

/// Seconds that a clip may have at most; the tap seldom keeps so many.
const SECONDS_MAX: u64 = 86_400;

/// Saves so many seconds before this moment, as far as the tap keeps them. It begins with the state that was
/// noted last before that, so it may begin earlier.
pub(in crate::station) async fn clip(
    inner: &Arc<Inner>,
    seconds: u64,
    path: Option<PathBuf>,
) -> Result<Outcome, PortError> {
    let path = path.map_or_else(|| fresh_path(inner, "-clip"), Ok)?;
    let sources = sources(inner, seconds.min(SECONDS_MAX)).await?;
    let recorder = Recorder::start(&path, sources, inner.limits.recording, Box::new(|_| {}))
        .map_err(|error| not_begun(&path, &error))?;
    ended(recorder.stop().await)
}
