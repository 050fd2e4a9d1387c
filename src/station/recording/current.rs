//! The operator's recording: at most one at a time.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use tokio::sync::Mutex;

use super::{
    redaction::Redaction,
    settings::RecordingSettings,
    sources::{ended, fresh_path, not_begun, sources},
};
use crate::{
    port::{Outcome, PortError},
    recording::{Recorder, RecorderEvent, Sources},
    station::{local::Inner, status::StationStatus},
    tap::{WholeFrames, entry::station::Transition},
};

/// The recordings that run.
#[derive(Debug)]
pub(in crate::station) struct Recording {
    pub(super) settings: RecordingSettings,
    /// What is masked in all of them.
    pub(super) redaction: Redaction,
    current: Mutex<Option<Recorder>>,
    /// The one that the station keeps by itself.
    always: Mutex<Option<Recorder>>,
}

/// How a recording is begun.
#[derive(Clone, Debug, Default)]
pub(in crate::station) struct Begin {
    /// Its file; named by date and time where there is none.
    pub(in crate::station) path: Option<PathBuf>,
    /// Seconds before this moment that it has as well; as the configuration says where there are none.
    pub(in crate::station) preroll_s: Option<u64>,
    /// Whether frames are kept whole meanwhile.
    pub(in crate::station) whole: bool,
}

impl Recording {
    pub(in crate::station) fn new(settings: RecordingSettings) -> Self {
        Self {
            settings,
            redaction: Redaction::default(),
            current: Mutex::default(),
            always: Mutex::default(),
        }
    }

    /// Whether the station is to record by itself.
    pub(in crate::station) const fn is_always(&self) -> bool {
        self.settings.always
    }

    /// Begins a recording.
    pub(in crate::station) async fn start(
        &self,
        inner: &Arc<Inner>,
        begin: Begin,
    ) -> Result<Outcome, PortError> {
        let mut current = self.current.lock().await;
        if let (Some(_), Some(path)) = (current.as_ref(), inner.status.recording_path()) {
            return Err(PortError::Recording(format!("already recording to {}", path.display())));
        }
        let path = begin.path.map_or_else(|| fresh_path(inner, ""), Ok)?;
        let whole = begin.whole.then(|| inner.tap.keep_whole());
        let sources = sources(inner, begin.preroll_s.unwrap_or(self.settings.preroll_s)).await?;
        *current = Some(begin_in(inner, &path, sources, whole)?);
        Ok(Outcome::Recording { path })
    }

    /// Ends the recording and says what is in it.
    pub(in crate::station) async fn stop(&self) -> Result<Outcome, PortError> {
        let current = self.current.lock().await.take();
        let current = current.ok_or_else(|| PortError::Recording("no active recording".to_owned()))?;
        ended(current.stop().await)
    }

    /// The station keeps this one by itself.
    pub(super) async fn set_always(&self, recorder: Recorder) {
        *self.always.lock().await = Some(recorder);
    }

    /// Ends the recordings with the station.
    pub(in crate::station) async fn end(&self) {
        if let Some(current) = self.current.lock().await.take() {
            current.stop().await;
        }
        if let Some(recorder) = self.always.lock().await.take() {
            recorder.stop().await;
        }
    }
}

/// Begins a recording in this file. That it has begun is reported before all that becomes of it, and only
/// where it has.
fn begin_in(
    inner: &Inner,
    path: &Path,
    sources: Sources,
    whole: Option<WholeFrames>,
) -> Result<Recorder, PortError> {
    let reported = Arc::new(std::sync::Mutex::new(()));
    let begins = reported.lock().unwrap_or_else(PoisonError::into_inner);
    let (awaited, mut report) = (Arc::clone(&reported), report_to(inner.status.clone(), whole));
    let on_event = Box::new(move |event| {
        drop(awaited.lock().unwrap_or_else(PoisonError::into_inner));
        report(event);
    });
    let recorder = Recorder::start(path, sources, inner.limits.recording, on_event)
        .map_err(|error| not_begun(path, &error))?;
    inner.status.report(Transition::RecordingStarted, &path.display().to_string());
    drop(begins);
    Ok(recorder)
}

/// Reports what becomes of a recording. Frames are kept whole until it ends.
fn report_to(board: StationStatus, mut whole: Option<WholeFrames>) -> Box<dyn FnMut(RecorderEvent) + Send> {
    Box::new(move |event| match event {
        RecorderEvent::Grew { bytes } => {
            board.report(Transition::RecordingGrew { bytes }, "");
        }
        // It is one recording still.
        RecorderEvent::Rotated { next, .. } => {
            board.report(Transition::RecordingStarted, &next.display().to_string());
        }
        RecorderEvent::Stopped(summary) => {
            drop(whole.take());
            let path = summary.path.display().to_string();
            if let Some(why) = &summary.why {
                tracing::error!("the recording {path} stopped: {why}");
                let left = if summary.is_removed { "; its unfinished file is removed" } else { "" };
                let text = format!("{path}: {why}{left}");
                board.report(Transition::RecordingFailed { is_always: false }, &text);
            }
            board.report(Transition::RecordingStopped { bytes: summary.file_bytes }, &path);
        }
    })
}
