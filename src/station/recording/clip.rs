//! What was, saved after the fact.

use std::{fs, path::PathBuf, sync::Arc};

use super::sources::{ended, fresh_path, not_begun, sources};
use crate::{
    port::{Outcome, PortError},
    recording::{OpenError, Recorder, Summary, index},
    station::local::Inner,
};

/// Seconds that a clip may have at most; the tap seldom keeps so many.
pub(super) const SECONDS_MAX: u64 = 86_400;

/// Saves so many seconds before this moment, as far as the tap keeps them. It begins with the state of then.
pub(in crate::station) async fn clip(
    inner: &Arc<Inner>,
    seconds: u64,
    path: Option<PathBuf>,
) -> Result<Outcome, PortError> {
    let path = path.map_or_else(|| fresh_path(inner, "-clip"), Ok)?;
    let sources = sources(inner, seconds.min(SECONDS_MAX)).await?;
    let recorder = Recorder::start(&path, sources, inner.limits.recording, Box::new(|_| {}))
        .map_err(|error| not_begun(&path, &error))?;
    ended(without_part(recorder.stop().await))
}

/// A clip that failed, without the file that it failed in: a part of one is of no use, and takes room. What
/// cannot be looked at, and what is finished, stays.
fn without_part(summary: Summary) -> Summary {
    let is_part = || match index(&summary.path) {
        Ok(index) => !index.is_finished(),
        Err(why) => matches!(why, OpenError::NotOurs(_)),
    };
    let has_part = summary.why.is_some() && !summary.is_removed && is_part();
    let is_removed = summary.is_removed || has_part && fs::remove_file(&summary.path).is_ok();
    Summary { is_removed, ..summary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_that_failed_leaves_no_file_and_one_that_did_not_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-clip.mcap");
        fs::write(&path, "a part").unwrap();
        let whole = Summary { path: path.clone(), ..Summary::default() };
        assert!(!without_part(whole.clone()).is_removed && path.exists());
        let failed = without_part(Summary { why: Some("no room on its disk".to_owned()), ..whole });
        assert!(failed.is_removed && !path.exists());
        let error = ended(failed).unwrap_err();
        let said = format!(
            "cannot record to {}: no room on its disk; its unfinished file is removed",
            path.display()
        );
        assert_eq!(error.to_string(), said);
    }
}
