//! `recording verify`.

use std::path::Path;

use serde::Serialize;

use super::info::{LEFT_OUT, masked_by};
use crate::{
    cli::{context::Context, error::Error, recording_error::RecordingError, report},
    ids::Seq,
    port::Snapshot,
    recording::{self, Checksums, Damage, OpenError, RecordedItem, RecordingInfo, RecordingReader},
    tap::entry::What,
    words::counted,
};

/// Faults that are printed; further ones are counted.
const PRINTED_MAX: u64 = 100;

/// What is in a recording, as scripts read it.
#[derive(Default, Serialize)]
struct Row {
    path: String,
    entries: u64,
    keyframes: u64,
    /// Entries that were lost before they could be recorded.
    lost: u64,
    /// Whether entries were left out on purpose: that some are missing is no fault then.
    is_filtered: bool,
    /// Whether it goes on: what is there by now was read.
    is_being_written: bool,
    /// By how many rules values were masked, beyond secrets.
    redact_rules: u64,
    damaged: u64,
    faults: Vec<String>,
    /// Entries that are missing between others.
    missing: u64,
    /// Whether a repair has less of what is damaged: nothing brings back what is missing.
    #[serde(skip)]
    is_repairable: bool,
}

impl Row {
    fn damage(&mut self, damage: &Damage) {
        // What cannot be decoded, or was merged, is copied as it is.
        let stays =
            matches!(damage, Damage::Entry { .. } | Damage::Restarted { .. } | Damage::Part { at: 0, .. });
        self.is_repairable |= !stays;
        self.fault(damage.to_string());
    }

    fn fault(&mut self, fault: String) {
        self.damaged += 1;
        if self.damaged <= PRINTED_MAX {
            self.faults.push(fault);
        }
    }

    fn take(&mut self, item: RecordedItem, last: &mut Option<Seq>) {
        match item {
            RecordedItem::Snapshot { bytes, .. } => {
                self.keyframes += 1;
                if let Err(why) = Snapshot::decode(&bytes) {
                    self.fault(format!("keyframe {}: {why}", self.keyframes));
                }
            }
            RecordedItem::Entry(of) => {
                if let What::Loss { count } = of.entry.what {
                    self.lost += count;
                    // It has the number of the last that was lost.
                    *last = Some(of.entry.seq);
                    return;
                }
                self.entries += 1;
                let seq = of.entry.seq;
                match last.map(Seq::next) {
                    Some(due) if seq < due => {
                        self.damage(&Damage::Restarted { seq, last: Seq(due.0.saturating_sub(1)) });
                    }
                    Some(due) if seq > due && !self.is_filtered => {
                        self.missing += seq.0 - due.0;
                        self.fault(format!("entries {due} to {} are missing", seq.0 - 1));
                    }
                    _ => {}
                }
                *last = Some(seq);
            }
        }
    }

    /// What is wrong with what has no entries, and with how the file is laid out.
    fn outside(&mut self, file: &Path, is_damaged: bool) -> Result<(), OpenError> {
        let index = recording::index(file)?;
        if index.is_merged {
            self.fault(recording::MERGED.to_owned());
        }
        let of_layout = index.damage.filter(|damage| matches!(damage, Damage::Part { .. }));
        let Checksums { parts, data } = recording::checksums(file)?;
        let data = data.filter(|_| !is_damaged && parts.is_empty() && of_layout.is_none());
        for damage in of_layout.into_iter().chain(parts).chain(data) {
            self.damage(&damage);
        }
        Ok(())
    }

    fn text(&self) -> String {
        let mut lines = self.faults.clone();
        if let more @ 1.. = self.damaged.saturating_sub(PRINTED_MAX) {
            lines.push(format!("and {} more", counted(more, "fault")));
        }
        if self.is_filtered {
            lines.push(format!("filtered: {LEFT_OUT}"));
        }
        if self.redact_rules > 0 {
            lines.push(format!("masked: {}", masked_by(self.redact_rules)));
        }
        let what = format!("{}, {}", counted(self.entries, "entry"), counted(self.keyframes, "keyframe"));
        let lost = if self.lost > 0 { format!(", {} lost", self.lost) } else { String::new() };
        let missing = if self.missing > 0 { format!(", {} missing", self.missing) } else { String::new() };
        let state = if self.damaged == 0 { "ok".to_owned() } else { counted(self.damaged, "fault") };
        let goes_on = if self.is_being_written { ", still being written" } else { "" };
        lines.push(format!("{}: {what}{lost}{missing}: {state}{goes_on}", self.path));
        lines.join("\n")
    }
}

/// Reads a file, or each one in a folder.
pub(super) fn run(context: &mut Context, path: &Path) -> Result<(), Error> {
    let mut first: Option<RecordingError> = None;
    for file in recording::files_of(path).map_err(RecordingError::of_set)? {
        // Asked first: it may be finished meanwhile.
        let is_being_written = recording::is_being_written(&file);
        match recording::read(&file) {
            Ok(reading) => {
                let damaged = verify(context, &file, reading, is_being_written)?;
                first = first.or(damaged);
            }
            Err(why @ OpenError::NotOurs(_)) if file != path => {
                report::print_note(&format!("left out: {}: {why}", file.display()));
            }
            Err(why) => {
                let unread = RecordingError::Open { path: file, why };
                if first.is_some() {
                    report::print_note(&unread.to_string());
                }
                first.get_or_insert(unread);
            }
        }
    }
    first.map_or(Ok(()), |damaged| Err(damaged.into()))
}

/// Reads one, and prints what is in it; that it is damaged, where it is.
fn verify(
    context: &mut Context,
    file: &Path,
    reading: RecordingReader,
    is_being_written: bool,
) -> Result<Option<RecordingError>, Error> {
    let RecordingInfo { is_filtered, redact_rules, .. } = *reading.info();
    let mut row = Row { path: file.display().to_string(), is_filtered, redact_rules, ..Row::default() };
    let (mut last, mut is_damaged) = (None, false);
    for item in reading {
        match item {
            Ok(item) => row.take(item, &mut last),
            Err(Damage::Truncated { .. }) if is_being_written => row.is_being_written = true,
            Err(damage) => {
                is_damaged |= matches!(damage, Damage::Part { at: 1.., .. });
                row.damage(&damage);
            }
        }
    }
    // What is not there yet has no checksum.
    if !row.is_being_written {
        row.outside(file, is_damaged).map_err(|why| RecordingError::Open { path: file.to_owned(), why })?;
    }
    context.out.row(&row, Row::text)?;
    let what = match row.missing {
        1.. if !row.is_repairable => format!("{} missing", counted(row.missing, "entry")),
        _ => format!("{} damaged", counted(row.damaged, "part")),
    };
    let (path, is_repairable) = (file.to_owned(), row.is_repairable);
    Ok((row.damaged > 0).then_some(RecordingError::Damaged { path, what, is_repairable }))
}
