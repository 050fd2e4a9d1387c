//! `recording info`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, recording_error::RecordingError, report},
    recording::{self, Checksums, ChunkPlace, Damage, LinkTally, MERGED, OpenError, RecordingIndex, Tally},
    tap::entry::Link,
    time::Wall,
    words::{counted, format},
};

/// How far behind the last change of a file a time in it may be: clocks are set back.
const AHEAD_MS_MAX: u64 = 86_400_000;

/// What is said of a recording that was filtered.
pub(super) const LEFT_OUT: &str = "entries were left out";

/// What is said of a recording whose values were masked by so many rules.
pub(super) fn masked_by(rules: u64) -> String {
    format!("by {} (recording.redact), besides secrets", counted(rules, "rule"))
}

/// A recording as scripts read it.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of what scripts read")]
struct Row {
    path: String,
    form: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    station_started_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    bytes: u64,
    is_finished: bool,
    /// Whether a recorder writes to it now.
    is_being_written: bool,
    /// Whether entries were left out on purpose.
    is_filtered: bool,
    /// By how many rules values were masked, beyond secrets.
    redact_rules: u64,
    /// Whether another tool made it of recordings of several starts of a station.
    is_merged: bool,
    /// What another tool left out.
    missing: Vec<&'static str>,
    chunks: u64,
    keyframes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lasts_ms: Option<u64>,
    /// Messages by channel, of a file that was finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<BTreeMap<String, u64>>,
    /// As of the last keyframe.
    #[serde(skip_serializing_if = "Option::is_none")]
    tally: Option<TallyRow>,
    attachments: Vec<String>,
    /// The lengths of what was to be attached and is too long for it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attachments_left_out: BTreeMap<String, u64>,
    /// Why it was not read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<String>,
    #[serde(skip)]
    is_unchunked: bool,
}

/// What there was by then.
#[derive(Serialize)]
struct TallyRow {
    lost: u64,
    links: BTreeMap<&'static str, LinkRow>,
}

/// What there was of a link.
#[derive(Serialize)]
struct LinkRow {
    entries: u64,
    faults: u64,
    failures: u64,
    drops: u64,
    marks: u64,
}

impl TallyRow {
    fn new(tally: &Tally) -> Self {
        let row = |link: Link| {
            let LinkTally { entries, faults, failures, drops, marks } = *tally.link(link);
            let row = LinkRow { entries, faults, failures, drops, marks };
            (entries > 0).then_some((link.name(), row))
        };
        Self { lost: tally.lost, links: Link::ALL.into_iter().filter_map(row).collect() }
    }
}

/// The times of a file's chunks, in Unix milliseconds.
struct Times {
    /// The first one and the last one, of those that can be right.
    span: Option<(u64, u64)>,
    /// Chunks whose times cannot be right.
    wrong: u64,
}

impl Times {
    /// Times before the start of its station that a file names cannot be right, nor those behind its last
    /// change, where that start is not.
    fn of(path: &Path, index: &RecordingIndex) -> Self {
        let changed = fs::metadata(path).and_then(|about| about.modified()).ok();
        let changed_ms = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map(|at| at.as_millis());
        let latest =
            changed_ms.and_then(|ms| u64::try_from(ms).ok()).map(|ms| ms.saturating_add(AHEAD_MS_MAX));
        let started = index.info.as_ref().map_or(0, |info| info.station_started.wall.0);
        let latest = latest.filter(|latest| started <= *latest).unwrap_or(u64::MAX);
        // In the first form times are the wall clock's, which may be set back.
        let earliest = if index.form > 1 && !index.is_merged { started } else { 0 };
        let of_chunk = |chunk: &ChunkPlace| (chunk.start_ns / 1_000_000, chunk.end_ns / 1_000_000);
        let is_right = |(first, last): &(u64, u64)| *first >= earliest && *last <= latest;
        let (right, wrong): (Vec<_>, Vec<_>) = index.chunks.iter().map(of_chunk).partition(is_right);
        let first = right.iter().map(|(first, _)| *first).min();
        let last = right.iter().map(|(_, last)| *last).max();
        Self { span: first.zip(last), wrong: wrong.len() as u64 }
    }

    fn damage(&self) -> Option<String> {
        let chunks = counted(self.wrong, "chunk");
        (self.wrong > 0).then(|| format!("the recording is damaged: the times of {chunks} cannot be right"))
    }
}

fn damage_of_index(path: &Path) -> Option<String> {
    let Checksums { parts, data } = recording::checksums(path).ok()?;
    parts.into_iter().chain(data).last().map(|damage| damage.to_string())
}

impl Row {
    /// `is_being_written` as it was before the index was read.
    fn new(path: &Path, index: RecordingIndex, is_being_written: bool) -> Self {
        let (is_finished, missing) = (index.is_finished(), index.missing());
        let is_being_written = is_being_written && !is_finished;
        let keyframes = index.keyframes() as u64;
        let times = Times::of(path, &index);
        // Where it can be read to its end and has no index all the same, that may be damaged.
        let of_index = || if is_finished { None } else { damage_of_index(path) };
        let damage = index.damage.as_ref().map(ToString::to_string);
        let damage = damage.or_else(|| times.damage()).or_else(of_index);
        let info = index.info;
        Self {
            path: path.display().to_string(),
            form: index.form,
            host_version: info.as_ref().map(|info| info.host_version.clone()),
            station_started_ms: info.as_ref().map(|info| info.station_started.wall.0),
            is_filtered: info.as_ref().is_some_and(|info| info.is_filtered),
            redact_rules: info.as_ref().map_or(0, |info| info.redact_rules),
            previous: info.and_then(|info| info.previous),
            is_merged: index.is_merged,
            missing,
            bytes: index.bytes,
            is_finished,
            is_being_written,
            chunks: index.chunks.len() as u64,
            keyframes,
            first_ms: times.span.map(|(first, _)| first),
            last_ms: times.span.map(|(_, last)| last),
            lasts_ms: times.span.map(|(first, last)| last.saturating_sub(first)),
            messages: index.messages,
            tally: index.tallies.last().map(|(_, tally)| TallyRow::new(tally)),
            attachments: index.attachments,
            attachments_left_out: index.left_out,
            is_unchunked: matches!(index.damage, Some(Damage::Unchunked { .. })),
            damage,
        }
    }

    /// It for people.
    fn text(&self) -> String {
        let zone = TimeZone::system();
        let at = |ms: u64| {
            let (day, time) = (format::day_and_time(Wall(ms), &zone), format::time_of_day(Wall(ms), &zone));
            format!("{} {time}", day.split(' ').next().unwrap_or_default())
        };
        let mut lines = vec![format!("{}: {}, form {}", self.path, format::bytes(self.bytes), self.form)];
        let mut say = |what: &str, text: String| lines.push(format!("  {what:<10} {text}"));
        say("version", self.host_version.clone().unwrap_or_else(|| "unknown".to_owned()));
        if let (Some(first), Some(last)) = (self.first_ms, self.last_ms) {
            say("from", at(first));
            say("to", at(last));
            say("lasts", format::age(Duration::from_millis(last.saturating_sub(first))));
        }
        if let Some(previous) = &self.previous {
            say("previous", previous.clone());
        }
        say("parts", format!("{}, {}", counted(self.chunks, "chunk"), counted(self.keyframes, "keyframe")));
        if let Some(messages) = &self.messages {
            let all = messages.iter().map(|(channel, count)| format!("{channel} {count}"));
            say("messages", all.collect::<Vec<_>>().join(", "));
        }
        if self.is_filtered {
            say("filtered", LEFT_OUT.to_owned());
        }
        if self.redact_rules > 0 {
            say("masked", masked_by(self.redact_rules));
        }
        if self.is_merged {
            say("merged", MERGED.to_owned());
        }
        if !self.missing.is_empty() {
            say("without", format!("{}: another tool left that out", self.missing.join(", ")));
        }
        if !self.attachments.is_empty() {
            say("attached", self.attachments.join(", "));
        }
        if !self.attachments_left_out.is_empty() {
            let left_out = self.attachments_left_out.iter();
            let left_out = left_out.map(|(name, len)| format!("{name} of {}", format::bytes(*len)));
            let left_out: Vec<String> = left_out.collect();
            say("left out", format!("{}: too long to be attached", left_out.join(", ")));
        }
        let state = match (&self.damage, self.is_finished) {
            _ if self.is_being_written => "being written".to_owned(),
            (None, true) => "complete; `recording verify` says whether all of it can be read".to_owned(),
            (None, false) => "without an index: `recording repair` makes one".to_owned(),
            // It says what to do.
            (Some(damage), _) if self.is_unchunked => damage.clone(),
            (Some(damage), _) => format!("{damage}; `recording repair` makes the rest whole"),
        };
        say("state", state);
        lines.join("\n")
    }
}

/// Prints what is said of a file, or of each one in a folder.
pub(super) fn run(context: &mut Context, path: &Path) -> Result<(), Error> {
    for file in recording::files_of(path).map_err(RecordingError::of_set)? {
        // Asked first: it may be finished meanwhile.
        let is_being_written = recording::is_being_written(&file);
        match recording::index(&file) {
            Ok(index) => context.out.row(&Row::new(&file, index, is_being_written), Row::text)?,
            Err(why @ OpenError::NotOurs(_)) if file != path => {
                report::print_note(&format!("left out: {}: {why}", file.display()));
            }
            Err(why) => return Err(RecordingError::Open { path: file, why }.into()),
        }
    }
    Ok(())
}

/// Prints what is attached to a file under a name.
pub(super) fn print_attachment(context: &mut Context, path: &Path, name: &str) -> Result<(), Error> {
    let files = recording::files_of(path).map_err(RecordingError::of_set)?;
    let mut has = BTreeSet::new();
    for file in files {
        let index = match recording::index(&file) {
            Ok(index) => index,
            Err(OpenError::NotOurs(_)) if file != path => continue,
            Err(why) => return Err(RecordingError::Open { path: file, why }.into()),
        };
        if let Some(found) = recording::attachment(&file, name) {
            return context.out.bytes(&found.bytes);
        }
        has.extend(index.attachments);
    }
    let has = has.into_iter().collect();
    Err(RecordingError::NoAttachment { path: path.to_owned(), name: name.to_owned(), has }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{recording::RecordingInfo, time::Now};

    #[test]
    fn a_time_that_cannot_be_right_is_left_out_and_said() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let changed = fs::metadata(file.path()).unwrap().modified().unwrap();
        let changed_ms = u64::try_from(changed.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
        let started = changed_ms - 10_000;
        let station_started = Now { wall: Wall(started), ..Now::default() };
        let chunk = |start_ms: u64, end_ms: u64| ChunkPlace {
            at: 8,
            len: 1,
            start_ns: start_ms * 1_000_000,
            end_ns: end_ms * 1_000_000,
            has_keyframe: true,
            has_marks: None,
            messages: 1,
        };
        let index = |chunks: Vec<ChunkPlace>, form| RecordingIndex {
            info: Some(RecordingInfo { station_started, ..RecordingInfo::default() }),
            is_merged: false,
            form,
            bytes: 9,
            chunks,
            tallies: Vec::new(),
            attachments: Vec::new(),
            left_out: BTreeMap::new(),
            channels: BTreeMap::new(),
            messages: Some(BTreeMap::new()),
            damage: None,
        };
        let right = chunk(started, changed_ms);
        let (early, late) = (chunk(started - 1, changed_ms), chunk(started, changed_ms + AHEAD_MS_MAX + 1));
        let row = |index| Row::new(file.path(), index, false);
        let whole = row(index(vec![right], 2));
        assert_eq!((whole.lasts_ms, whole.damage), (Some(10_000), None));
        let wrong = row(index(vec![early, right, late], 2));
        assert_eq!((wrong.first_ms, wrong.last_ms), (Some(started), Some(changed_ms)));
        assert!(
            wrong.text().contains("is damaged: the times of 2 chunks cannot be right"),
            "{}",
            wrong.text()
        );
        let left_out = [("pack.toml".to_owned(), 5_000_000)].into();
        let report = row(RecordingIndex { left_out, ..index(vec![right], 2) }).text();
        assert!(report.contains("pack.toml of ") && report.contains(": too long to be attached"), "{report}");
        // A wall clock that was set back.
        assert_eq!(row(index(vec![early], 1)).damage, None);
    }
}
