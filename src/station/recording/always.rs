//! The recording that the station keeps by itself, from its start to its end.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    kept::{self, Bounds},
    settings::RecordingSettings,
    sources::{fresh_path, not_begun, sources},
};
use crate::{
    limits,
    port::{FileFault, PortError},
    recording::{Recorder, RecorderEvent, RecordingInfo},
    station::{local::Inner, past::beside, status::StationStatus},
    tap::entry::station::Transition,
    time::Mono,
};

/// What its files are named by, beside the date and time.
pub(super) const NAME: &str = "-always";

/// How long after it failed it is tried again, and how often its finished files are looked at.
const PERIOD: Duration = Duration::from_secs(10);

/// How far before its failure the next recording begins, where the tap keeps that: the last part of a file
/// may be missing.
const OVERLAP: Duration = Duration::from_secs(2);

/// Why it has ended, or was not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failure {
    why: String,
    is_disk_full: bool,
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Self {
        match error {
            // Its file has another name each time.
            PortError::File { why, fault, .. } => {
                let why = format!("no file can be made in recordings/ of the data folder: {why}");
                Self { why, is_disk_full: fault == FileFault::NoRoom }
            }
            error => Self { why: error.to_string(), is_disk_full: false },
        }
    }
}

/// What an on-going recording says: which file it writes, and why it has ended.
#[derive(Debug)]
struct Ongoing {
    file: Arc<Mutex<PathBuf>>,
    ended: oneshot::Receiver<Option<Failure>>,
}

/// What has failed before.
#[derive(Debug, Default)]
struct Failed {
    /// What was reported of it.
    reported: Option<String>,
    is_disk_full: bool,
    /// When nothing was recorded any longer, where that is made up for: what would fill a disk that is full
    /// again is not.
    at: Option<Mono>,
}

/// Keeps it for as long as the station runs. One that fails is followed by another one: at once where it has
/// recorded for a while, and is tried every 10 s while that fails.
pub(in crate::station) async fn keep(inner: Weak<Inner>) {
    let mut failed = Failed::default();
    loop {
        let Some(shared) = inner.upgrade() else { return };
        let is_low = shared.status.disk_low_now();
        room(&shared, None, is_low || failed.is_disk_full).await;
        let begun_at = shared.clock.now().mono;
        let begun = match shared.running().await {
            Ok(_) if is_low => {
                Err(Failure { why: "no room on the disk of the data folder".to_owned(), is_disk_full: false })
            }
            Ok(_) => begin(&shared, failed.at).await.map_err(Failure::from),
            Err(PortError::Stopping) => return,
            // The bridge may be started again.
            Err(error) => Err(error.into()),
        };
        drop(shared);
        let was_begun = begun.is_ok();
        let failure = match begun {
            Ok(ongoing) => {
                (failed.is_disk_full, failed.at) = (false, None);
                let Some(failure) = follow(&inner, ongoing).await else { return };
                failure
            }
            Err(failure) => failure,
        };
        let Some(shared) = inner.upgrade() else { return };
        let now = shared.clock.now().mono;
        let is_lasting = was_begun && now.since(begun_at) >= PERIOD;
        report_failure(&shared, &failure, failed.is_news(&failure.why, is_lasting));
        failed.is_disk_full = failure.is_disk_full;
        failed.at = failed.at.or(Some(now)).filter(|_| !failure.is_disk_full);
        drop(shared);
        if !is_lasting {
            tokio::time::sleep(PERIOD).await;
        }
    }
}

impl Failed {
    /// Whether a failure is news: it has another cause than the one before, or what it ended had recorded for
    /// a while. A disk that takes the head of a file, and no more, is reported once.
    fn is_news(&mut self, why: &str, was_lasting: bool) -> bool {
        let is_same = !was_lasting && self.reported.as_deref() == Some(why);
        self.reported = Some(why.to_owned());
        !is_same
    }
}

/// Says that it does not record and, where that is news, why.
fn report_failure(inner: &Inner, Failure { why, .. }: &Failure, is_news: bool) {
    if inner.status.view().0.always_recording.is_some() {
        inner.status.report(Transition::AlwaysRecording, "");
    }
    if is_news {
        tracing::error!("the recording that is always kept failed: {why}");
        let of = Transition::RecordingFailed { is_always: true };
        inner.status.report(of, &format!("{why}; it is tried again"));
    }
}

/// Begins it in a new file: with what came since it failed, as far as the tap keeps that.
async fn begin(inner: &Arc<Inner>, failed_at: Option<Mono>) -> Result<Ongoing, PortError> {
    let settings = &inner.recording.settings;
    let now = inner.clock.now().mono;
    let preroll_s = failed_at.map_or(0, |at| (now.since(at) + OVERLAP).as_secs());
    let mut sources = sources(inner, preroll_s).await?;
    sources.info = RecordingInfo { is_always: true, ..sources.info };
    sources.rotate_after = (settings.rotate_s > 0).then(|| Duration::from_secs(settings.rotate_s));
    let named = Arc::downgrade(inner);
    sources.next_path = Some(Box::new(move |finished: &Path| {
        let fresh = named.upgrade().and_then(|inner| fresh_path(&inner, NAME).ok());
        fresh.unwrap_or_else(|| finished.to_owned())
    }));
    let limits = limits::Recording {
        file_bytes_max: settings.rotate_bytes.min(inner.limits.recording.file_bytes_max),
        // What is kept is bounded by deleting the oldest.
        bytes_max: u64::MAX / 2,
        ..inner.limits.recording
    };
    let path = fresh_path(inner, NAME)?;
    let (end, ended) = oneshot::channel();
    let file = Arc::new(Mutex::new(path.clone()));
    let on_event = report_to(inner.status.clone(), Arc::clone(&file), end);
    let recorder =
        Recorder::start(&path, sources, limits, on_event).map_err(|error| not_begun(&path, &error))?;
    inner.status.report(Transition::AlwaysRecording, &path.display().to_string());
    inner.recording.set_always(recorder).await;
    Ok(Ongoing { file, ended })
}

/// Waits for its end, and deletes what is over its bounds meanwhile: why it ended, where nobody ended it.
async fn follow(inner: &Weak<Inner>, mut ongoing: Ongoing) -> Option<Failure> {
    loop {
        if let Ok(ended) = tokio::time::timeout(PERIOD, &mut ongoing.ended).await {
            let gone = || Failure { why: "the recorder failed".to_owned(), is_disk_full: false };
            return ended.unwrap_or_else(|_| Some(gone()));
        }
        let shared = inner.upgrade()?;
        let file = ongoing.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        room(&shared, Some(file), shared.status.disk_low_now()).await;
    }
}

/// Deletes what is over the bounds, and one file at least where that is wanted.
async fn room(inner: &Arc<Inner>, present: Option<PathBuf>, frees_one: bool) {
    let RecordingSettings { keep_bytes, keep_days, .. } = inner.recording.settings;
    let age_max = (keep_days > 0).then(|| Duration::from_secs(keep_days.saturating_mul(86_400)));
    let bounds = Bounds { bytes_max: keep_bytes, age_max };
    let folder = inner.status.view().0.data.join("recordings");
    let now = inner.clock.now().wall;
    let freed = beside(move || kept::free(&folder, present.as_deref(), bounds, now, frees_one)).await;
    match freed {
        Ok(Ok(())) => {}
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
        Ok(Err(error)) => tracing::warn!("old recordings cannot be deleted: {error}"),
        Err(error) => tracing::warn!("old recordings were not looked at: {error}"),
    }
}

/// Reports which file is written, and tells why it ended.
fn report_to(
    status: StationStatus,
    file: Arc<Mutex<PathBuf>>,
    end: oneshot::Sender<Option<Failure>>,
) -> Box<dyn FnMut(RecorderEvent) + Send> {
    let mut end = Some(end);
    Box::new(move |event| match event {
        RecorderEvent::Grew { .. } => {}
        RecorderEvent::Rotated { next, .. } => {
            status.report(Transition::AlwaysRecording, &next.display().to_string());
            *file.lock().unwrap_or_else(PoisonError::into_inner) = next;
        }
        RecorderEvent::Stopped(summary) => {
            if let Some(end) = end.take() {
                let is_disk_full = summary.is_disk_full;
                let _ = end.send(summary.why.map(|why| Failure { why, is_disk_full }));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_reported_once_until_something_was_recorded_for_a_while() {
        let mut failed = Failed::default();
        assert!(failed.is_news("no room", false));
        assert!(!failed.is_news("no room", false));
        assert!(failed.is_news("read-only", false));
        assert!(failed.is_news("no room", false));
        assert!(failed.is_news("no room", true));
        assert!(!failed.is_news("no room", false));
    }
}
