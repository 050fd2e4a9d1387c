//! What a recorder works with.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use jiff::{Timestamp, tz::TimeZone};

use super::{attachments, current::Recording};
use crate::{
    dissect::{EntryOutcome, EntrySummary},
    ids::Seq,
    plugin,
    port::{FileFault, Outcome, PortError, Snapshot, StationPort as _},
    private_files,
    recording::{EncodedSnapshot, RecordingInfo, SnapshotFuture, Sources, Summary, Tallied},
    rmp,
    station::{
        keyframes::Encoded,
        local::{Inner, LocalPort},
        past::beside,
        replay::{Carried, ReplayState},
    },
    tap::{
        Reader, Tap,
        entry::{Entry, Transition as AnyTransition, What, station},
    },
    time::Mono,
    words::write_failure,
};

/// The sources of a recording that has so many seconds before this moment, as far as they are kept.
pub(super) async fn sources(inner: &Arc<Inner>, preroll_s: u64) -> Result<Sources, PortError> {
    let port = LocalPort::own(Arc::clone(inner));
    // Taken here, so that a station that stops soon after its start still has a recording that can be folded.
    let (reader, first) = if let Some(found) = before(inner, preroll_s).await? {
        found
    } else {
        let reader = port.entries()?;
        (reader, encoded(&port.snapshot().await?, &inner.tap))
    };
    let mut first = Some(first);
    let snapshot = Box::new(move || -> SnapshotFuture {
        if let Some(first) = first.take() {
            return Box::pin(async move { Ok(first) });
        }
        let port = port.clone();
        Box::pin(async move {
            let inner = &port.inner;
            let seq = inner.tap.last();
            let snapshot = port.snapshot().await.map_err(|error| error.to_string())?;
            let snapshot = encoded(&snapshot, &inner.tap);
            // Then the ring need not ask the hosts for one of its own.
            inner.keyframes.note(seq, &snapshot);
            Ok(snapshot)
        })
    });
    let Recording { redaction, settings, .. } = &inner.recording;
    let (redact, redact_rules) = redaction.of(&settings.redact, &inner.tap)?;
    let info = RecordingInfo {
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        station_started: inner.status.view().0.started_at,
        previous: None,
        is_always: false,
        is_filtered: false,
        redact_rules,
    };
    Ok(Sources {
        tallied,
        disk_low: inner.status.disk_low(),
        attachments: attachments::of(inner),
        report: attachments::report(inner),
        redact,
        ..Sources::new(reader, snapshot, inner.clock, info)
    })
}

/// The state so many seconds ago, or the first one that is known since, and a reader of what followed.
async fn before(inner: &Arc<Inner>, seconds: u64) -> Result<Option<(Reader, EncodedSnapshot)>, PortError> {
    let moment = inner.clock.now().before(Duration::from_secs(seconds)).mono;
    let noted = inner.keyframes.at_or_before(moment).filter(|_| seconds > 0);
    let Some(noted) = noted else { return Ok(None) };
    let moved = if noted.at.mono < moment {
        let (past, noted) = (Arc::clone(inner), noted.clone());
        beside(move || moved_on(&past, &noted, moment)).await?
    } else {
        None
    };
    let (seq, snapshot) = moved.unwrap_or_else(|| {
        let Encoded { seq, at, bytes } = noted;
        (seq, EncodedSnapshot { at, bytes: bytes.to_vec() })
    });
    Ok(inner.tap.reader_from(seq.next()).ok().map(|reader| (reader, snapshot)))
}

/// The state at a moment, which is the noted one with the entries until then, and the last of these. None
/// where there are none, or where they alone do not say what held.
fn moved_on(inner: &Inner, noted: &Encoded, moment: Mono) -> Option<(Seq, EncodedSnapshot)> {
    let mut state = ReplayState::of(Snapshot::decode(&noted.bytes).ok()?);
    let mut reader = inner.tap.reader_from(noted.seq.next()).ok()?;
    'read: while let Some(batch) = reader.read().filter(|batch| batch.lost == 0) {
        for entry in batch.iter() {
            if entry.entry.at.mono > moment {
                break 'read;
            }
            if state.take(entry, &inner.limits) == Carried::Unknown {
                return None;
            }
        }
    }
    Some((state.last()?, encoded(&state.snapshot(), &inner.tap)))
}

fn encoded(taken: &Snapshot, tap: &Tap) -> EncodedSnapshot {
    EncodedSnapshot { at: taken.at, bytes: tap.without_tokens(taken.encode()) }
}

/// What an entry is counted as in a recording's tallies.
pub(crate) fn tallied(entry: &Entry) -> Option<Tallied> {
    match &entry.what {
        What::Transition(AnyTransition::Rmp(rmp::Transition::Dropped { .. })) => Some(Tallied::Drop),
        What::Transition(AnyTransition::Plugin(plugin::Transition::EventsDropped { .. })) => {
            Some(Tallied::Drop)
        }
        What::Transition(AnyTransition::Station(station::Transition::Marked { .. })) => Some(Tallied::Mark),
        _ => match EntrySummary::of(entry).outcome {
            EntryOutcome::Fault => Some(Tallied::Fault),
            outcome => outcome.is_bad().then_some(Tallied::Failure),
        },
    }
}

/// A recording cannot be written.
fn unwritten(file: &Path, why: &dyn std::fmt::Display, fault: FileFault) -> PortError {
    PortError::File { what: format!("cannot record to {}", file.display()), why: why.to_string(), fault }
}

/// One cannot be begun.
pub(super) fn not_begun(file: &Path, error: &io::Error) -> PortError {
    unwritten(file, &write_failure(error), FileFault::of(error.kind()))
}

/// What became of one: what is in it, or why it ended by itself.
pub(super) fn ended(summary: Summary) -> Result<Outcome, PortError> {
    let Summary { path, bytes, entries, files, why, is_disk_full, is_removed, .. } = summary;
    match why {
        None => Ok(Outcome::Recorded { path, bytes, entries, files }),
        Some(why) => {
            let fault = if is_disk_full { FileFault::NoRoom } else { FileFault::Other };
            let left = if is_removed { "; its unfinished file is removed" } else { "" };
            Err(unwritten(&path, &format!("{why}{left}"), fault))
        }
    }
}

/// Files of one second that have names of their own.
const SAME_SECOND_MAX: u32 = 1_000;

/// A file of the data folder's `recordings/`, named by the date and time of this moment and with what follows
/// that. The folder is made if it is missing.
pub(super) fn fresh_path(inner: &Inner, behind: &str) -> Result<PathBuf, PortError> {
    let failed = |what: &Path, why: &dyn std::fmt::Display| unwritten(what, why, FileFault::Other);
    let data = inner.status.view().0.data;
    let folder = std::path::absolute(data.join("recordings"))
        .map_err(|error| failed(&data, &write_failure(&error)))?;
    private_files::make_folder(&folder).map_err(|error| failed(&folder, &write_failure(&error)))?;
    let ms = i64::try_from(inner.clock.now().wall.0).unwrap_or(i64::MAX);
    let stamp = Timestamp::from_millisecond(ms)
        .map_err(|error| failed(&folder, &error))?
        .to_zoned(TimeZone::system());
    let named =
        |number: &str| folder.join(format!("{}{behind}{number}.mcap", stamp.strftime("%Y-%m-%d_%H-%M-%S")));
    // Several may be of one second.
    let numbered = (2..=SAME_SECOND_MAX).map(|number| named(&format!("-{number}")));
    let mut candidates = std::iter::once(named("")).chain(numbered);
    Ok(candidates.find(|path| !path.exists()).unwrap_or_else(|| named("")))
}
