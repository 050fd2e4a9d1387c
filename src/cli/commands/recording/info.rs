//! `recording info`.

use std::{collections::BTreeMap, path::Path};

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, recording_error::RecordingError, report},
    recording::{self, Damage, MERGED, OpenError, RecordingIndex, Tally},
    tap::entry::Link,
    words::{counted, format},
};

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
    /// Messages by channel, of a file that was finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<BTreeMap<String, u64>>,
    /// As of the last keyframe.
    #[serde(skip_serializing_if = "Option::is_none")]
    tally: Option<TallyRow>,
    attachments: Vec<String>,
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
    drops: u64,
    marks: u64,
}

impl TallyRow {
    fn new(tally: &Tally) -> Self {
        let row = |link: Link| {
            let of = tally.link(link);
            let row = LinkRow { entries: of.entries, faults: of.faults, drops: of.drops, marks: of.marks };
            (of.entries > 0).then_some((link.name(), row))
        };
        Self { lost: tally.lost, links: Link::ALL.into_iter().filter_map(row).collect() }
    }
}

impl Row {
    fn new(path: &Path, index: RecordingIndex) -> Self {
        let (is_finished, missing) = (index.is_finished(), index.missing());
        let keyframes = index.keyframes() as u64;
        let info = index.info;
        let ms = |ns: u64| ns / 1_000_000;
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
            is_being_written: !is_finished && recording::is_being_written(path),
            chunks: index.chunks.len() as u64,
            keyframes,
            first_ms: index.chunks.iter().map(|chunk| ms(chunk.start_ns)).min(),
            last_ms: index.chunks.iter().map(|chunk| ms(chunk.end_ns)).max(),
            messages: index.messages,
            tally: index.tallies.last().map(|(_, tally)| TallyRow::new(tally)),
            attachments: index.attachments,
            is_unchunked: matches!(index.damage, Some(Damage::Unchunked { .. })),
            damage: index.damage.map(|damage| damage.to_string()),
        }
    }

    /// It for people.
    fn text(&self) -> String {
        let zone = TimeZone::system();
        let at = |ms: u64| format::day_and_time(crate::time::Wall(ms), &zone);
        let mut lines = vec![format!("{}: {}, form {}", self.path, format::bytes(self.bytes), self.form)];
        let mut say = |what: &str, text: String| lines.push(format!("  {what:<10} {text}"));
        say("version", self.host_version.clone().unwrap_or_else(|| "unknown".to_owned()));
        if let (Some(first), Some(last)) = (self.first_ms, self.last_ms) {
            say("from", at(first));
            say("to", at(last));
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
        match recording::index(&file) {
            Ok(index) => context.out.row(&Row::new(&file, index), Row::text)?,
            Err(why @ OpenError::NotOurs(_)) if file != path => {
                report::print_note(&format!("left out: {}: {why}", file.display()));
            }
            Err(why) => return Err(RecordingError::Open { path: file, why }.into()),
        }
    }
    Ok(())
}
