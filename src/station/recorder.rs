//! The station's recording: at most one at a time.

use std::{path::PathBuf, sync::Arc};

use jiff::{Timestamp, tz::TimeZone};
use tokio::sync::Mutex;

use super::{
    local::{Inner, LocalPort},
    status::StationStatus,
};
use crate::{
    dissect::{EntryOutcome, EntrySummary},
    plugin,
    port::{Outcome, PortError, Snapshot, StationPort},
    private_files,
    recording::{EncodedSnapshot, Recorder, RecorderEvent, RecordingInfo, Sources, Summary, Tallied},
    rmp,
    tap::{
        Tap,
        entry::{Entry, Transition as AnyTransition, What, station::Transition},
    },
};

/// The recording that runs, if one does.
#[derive(Debug, Default)]
pub(super) struct Recording {
    current: Mutex<Option<Recorder>>,
}

impl Recording {
    /// Begins a recording.
    pub(super) async fn start(
        &self,
        inner: &Arc<Inner>,
        path: Option<PathBuf>,
    ) -> Result<Outcome, PortError> {
        let mut current = self.current.lock().await;
        if let (Some(_), Some(path)) = (current.as_ref(), inner.status.recording_path()) {
            return Err(PortError::Recording(format!("already recording to {}", path.display())));
        }
        let path = path.map_or_else(|| fresh_path(inner), Ok)?;
        let port = LocalPort::own(Arc::clone(inner));
        let reader = port.entries()?;
        // Taken here, so that a station that stops soon after its start still has a recording that can be
        // folded.
        let taken = port.snapshot().await?;
        let encoded = |taken: &Snapshot, tap: &Tap| EncodedSnapshot {
            at: taken.at,
            bytes: tap.without_tokens(taken.encode()),
        };
        let mut first = Some(encoded(&taken, &inner.tap));
        let snapshot = Box::new(move || -> crate::recording::SnapshotFuture {
            if let Some(taken) = first.take() {
                return Box::pin(async move { Ok(taken) });
            }
            let port = port.clone();
            Box::pin(async move {
                let snapshot = port.snapshot().await.map_err(|error| error.to_string())?;
                Ok(encoded(&snapshot, &port.inner.tap))
            })
        });
        let about = RecordingInfo {
            host_version: env!("CARGO_PKG_VERSION").to_owned(),
            station_started: inner.status.view().0.started_at,
            previous: None,
        };
        inner.status.report(Transition::RecordingStarted, &path.display().to_string());
        let recorder = Recorder::start(
            &path,
            Sources {
                reader,
                snapshot,
                tallied,
                disk_low: inner.status.disk_low(),
                clock: inner.clock,
                info: about,
            },
            inner.limits.recording,
            report_to(inner.status.clone()),
        )
        .map_err(|error| {
            inner.status.report(Transition::RecordingStopped { bytes: 0 }, &path.display().to_string());
            PortError::File { what: format!("recording to {}", path.display()), why: error.to_string() }
        })?;
        *current = Some(recorder);
        Ok(Outcome::Recording { path })
    }

    /// Ends the recording and says what is in it.
    pub(super) async fn stop(&self) -> Result<Outcome, PortError> {
        let recorder = self
            .current
            .lock()
            .await
            .take()
            .ok_or_else(|| PortError::Recording("no active recording".to_owned()))?;
        let Summary { path, bytes, entries, files, .. } = recorder.stop().await;
        Ok(Outcome::Recorded { path, bytes, entries, files })
    }

    /// Ends the recording with the station.
    pub(super) async fn end(&self) {
        if let Some(recorder) = self.current.lock().await.take() {
            recorder.stop().await;
        }
    }
}

/// Reports what becomes of a recording.
fn report_to(board: StationStatus) -> Box<dyn FnMut(RecorderEvent) + Send> {
    Box::new(move |event| match event {
        RecorderEvent::Grew { bytes } => {
            board.report(Transition::RecordingGrew { bytes }, "");
        }
        // It is one recording still.
        RecorderEvent::Rotated { next, .. } => {
            board.report(Transition::RecordingStarted, &next.display().to_string());
        }
        RecorderEvent::Stopped(summary) => {
            let path = summary.path.display().to_string();
            if let Some(why) = &summary.why {
                tracing::error!("the recording {path} stopped: {why}");
                board.report(Transition::RecordingFailed, &format!("{path}: {why}"));
            }
            board.report(Transition::RecordingStopped { bytes: summary.file_bytes }, &path);
        }
    })
}

/// What an entry is counted as in a recording's tallies.
fn tallied(entry: &Entry) -> Option<Tallied> {
    match &entry.what {
        What::Transition(AnyTransition::Rmp(rmp::Transition::Dropped { .. })) => Some(Tallied::Drop),
        What::Transition(AnyTransition::Plugin(plugin::Transition::EventsDropped { .. })) => {
            Some(Tallied::Drop)
        }
        _ => (EntrySummary::of(entry).outcome == EntryOutcome::Fault).then_some(Tallied::Fault),
    }
}

/// A file of the data folder's `recordings/`, named by the date and time of this moment. The folder is made
/// if it is missing.
fn fresh_path(inner: &Inner) -> Result<PathBuf, PortError> {
    let failed = |what: &std::path::Path, why: &dyn std::fmt::Display| PortError::File {
        what: format!("recording to {}", what.display()),
        why: why.to_string(),
    };
    let data = inner.status.view().0.data;
    let folder = std::path::absolute(data.join("recordings")).map_err(|error| failed(&data, &error))?;
    private_files::make_folder(&folder).map_err(|error| failed(&folder, &error))?;
    let ms = i64::try_from(inner.clock.now().wall.0).unwrap_or(i64::MAX);
    let stamp = Timestamp::from_millisecond(ms)
        .map_err(|error| failed(&folder, &error))?
        .to_zoned(TimeZone::system());
    Ok(folder.join(format!("{}.mcap", stamp.strftime("%Y-%m-%d_%H-%M-%S"))))
}
