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
    port::PortError,
    recording::{Recorder, RecorderEvent, RecordingInfo},
    station::{local::Inner, past::beside, status::StationStatus},
    tap::entry::station::Transition,
};

/// What its files are named by, beside the date and time.
pub(super) const NAME: &str = "-always";

/// How long after it failed it is tried again, and how often its finished files are looked at.
const PERIOD: Duration = Duration::from_secs(10);

/// What an on-going recording says: which file it writes, and why it has ended.
#[derive(Debug)]
struct Ongoing {
    file: Arc<Mutex<PathBuf>>,
    ended: oneshot::Receiver<Option<String>>,
}

/// Keeps it for as long as the station runs. While it fails it is tried again every 10 s.
pub(in crate::station) async fn keep(inner: Weak<Inner>) {
    let mut told = None;
    loop {
        let Some(shared) = inner.upgrade() else { return };
        let is_free = room(&shared, None, shared.status.disk_low_now()).await;
        let begun = match shared.running().await {
            Ok(_) if is_free => begin(&shared).await.map_err(|error| error.to_string()),
            Ok(_) => Err("no room on the disk of the data folder".to_owned()),
            Err(PortError::Stopping) => return,
            // The bridge may be started again.
            Err(error) => Err(error.to_string()),
        };
        drop(shared);
        let why = match begun {
            Ok(ongoing) => {
                told = None;
                match follow(&inner, ongoing).await {
                    Some(why) => why,
                    None => return,
                }
            }
            Err(why) => why,
        };
        let Some(shared) = inner.upgrade() else { return };
        if shared.status.view().0.always_recording.is_some() {
            shared.status.report(Transition::AlwaysRecording, "");
        }
        if told.as_ref() != Some(&why) {
            tracing::error!("the recording that is always kept failed: {why}");
            let failed = Transition::RecordingFailed { is_always: true };
            shared.status.report(failed, &format!("{why}; it is tried again"));
            told = Some(why);
        }
        drop(shared);
        tokio::time::sleep(PERIOD).await;
    }
}

/// Begins it in a new file.
async fn begin(inner: &Arc<Inner>) -> Result<Ongoing, PortError> {
    let settings = &inner.recording.settings;
    let mut sources = sources(inner, 0).await?;
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
async fn follow(inner: &Weak<Inner>, mut ongoing: Ongoing) -> Option<String> {
    loop {
        if let Ok(ended) = tokio::time::timeout(PERIOD, &mut ongoing.ended).await {
            return ended.ok().flatten();
        }
        let shared = inner.upgrade()?;
        let file = ongoing.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        room(&shared, Some(file), shared.status.disk_low_now()).await;
    }
}

/// Deletes what is over the bounds, and one file more where the disk is low; whether there is room then.
async fn room(inner: &Arc<Inner>, present: Option<PathBuf>, is_low: bool) -> bool {
    let RecordingSettings { keep_bytes, keep_days, .. } = inner.recording.settings;
    let age_max = (keep_days > 0).then(|| Duration::from_secs(keep_days.saturating_mul(86_400)));
    let bounds = Bounds { bytes_max: keep_bytes, age_max };
    let folder = inner.status.view().0.data.join("recordings");
    let now = inner.clock.now().wall;
    let freed = beside(move || kept::free(&folder, present.as_deref(), bounds, now, is_low)).await;
    match freed {
        Ok(Ok(())) => {}
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
        Ok(Err(error)) => tracing::warn!("old recordings cannot be deleted: {error}"),
        Err(_) => return false,
    }
    !is_low
}

/// Reports which file is written, and tells why it ended.
fn report_to(
    status: StationStatus,
    file: Arc<Mutex<PathBuf>>,
    end: oneshot::Sender<Option<String>>,
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
                let _ = end.send(summary.why);
            }
        }
    })
}
