//! A part of recordings, written as a recording of its own.

use std::path::Path;

use super::{
    attachment::{Attachment, attachments_of},
    format::{RecordingInfo, wall_ns},
    part::PartFile,
    reader::{Damage, RecordedItem},
    repair::RepairError,
    set_reader::{PlacedItem, SetCursor, SetReader},
    sources::EncodedSnapshot,
    tally::Tallied,
    writer::WriteError,
};
use crate::{
    limits,
    tap::{EntryRef, entry::Entry},
    time::{Mono, Now, Wall},
};

/// Damages that are listed of one part.
const LISTED_MAX: usize = 64;

/// What is taken of a recording.
pub struct Cut<'a> {
    /// The state that the part begins with.
    pub head: EncodedSnapshot,
    /// Behind what that state has.
    pub from: SetCursor,
    /// Up to this one.
    pub to_ns: u64,
    /// Whether an entry is taken.
    pub keeps: &'a mut dyn FnMut(EntryRef<'_>) -> bool,
    /// Whether that may leave entries out. The part says so, as it does of a recording that was filtered.
    pub is_filtered: bool,
    /// What an entry is counted as besides.
    pub tallied: fn(&Entry) -> Option<Tallied>,
}

impl std::fmt::Debug for Cut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { from, to_ns, .. } = self;
        f.debug_struct("Cut").field("from", from).field("to_ns", to_ns).finish_non_exhaustive()
    }
}

/// A part that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutPart {
    /// Entries in it.
    pub entries: u64,
    /// Keyframes in it.
    pub keyframes: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// What could not be read on the way, at most 64.
    pub damages: Vec<Damage>,
    /// How many further ones there are.
    pub more_damages: u64,
}

/// Writes a part of one start of a station into a new file, with a keyframe at its head and what is attached
/// to the file that it begins in.
///
/// # Errors
/// The file cannot be made or written; one that exists is left alone. One that was begun is removed.
pub fn cut(
    reader: &mut SetReader,
    mut cut: Cut<'_>,
    to: &Path,
    limits: limits::Recording,
) -> Result<CutPart, RepairError> {
    let set = std::sync::Arc::clone(reader.set());
    let first = cut.from.chunk().saturating_sub(1);
    let is_filtered = cut.is_filtered || set.is_filtered();
    let attached = set.file_of(first).map(|file| {
        let left_out = file
            .index
            .left_out
            .iter()
            .map(|(name, len)| Attachment { left_out: Some(*len), ..Attachment::file(name, "", Vec::new()) });
        attachments_of(&file.path, limits.file_bytes_max).into_iter().chain(left_out).collect::<Vec<_>>()
    });
    let of_set = RecordingInfo { redact_rules: set.redact_rules(), ..set.info_of(first) };
    let info = RecordingInfo { previous: None, is_always: false, is_filtered, ..of_set };
    let file = PartFile::begin(to, &info, limits, &cut.head, &attached.unwrap_or_default());
    let file = file.map_err(RepairError::Write)?;
    let mut copy = Copy { file, info, part: CutPart { keyframes: 1, ..CutPart::default() } };
    copy.all(reader, &mut cut).map_err(|error| RepairError::Write(error.into()))?;
    let bytes = copy.file.finish().map_err(RepairError::Write)?;
    Ok(CutPart { bytes, ..copy.part })
}

struct Copy {
    file: PartFile,
    info: RecordingInfo,
    part: CutPart,
}

impl Copy {
    fn all(&mut self, reader: &mut SetReader, cut: &mut Cut<'_>) -> Result<(), WriteError> {
        let writer = &mut self.file.writer;
        while let Some(item) = cut.from.next(reader) {
            match item {
                Ok(PlacedItem { log_ns, .. }) if log_ns > cut.to_ns => break,
                Ok(PlacedItem { log_ns, item: RecordedItem::Snapshot { at, bytes } }) => {
                    let at = moment(&self.info, log_ns, at);
                    // What was left out in front of it took its time.
                    writer.pass(at);
                    writer.keyframe(at.mono, at, &bytes)?;
                    self.part.keyframes += 1;
                }
                Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => {
                    if (cut.keeps)(entry.as_ref()) {
                        writer.entry(entry.as_ref(), (cut.tallied)(&entry.entry))?;
                        self.part.entries += 1;
                    }
                }
                Err(damage) if self.part.damages.len() < LISTED_MAX => self.part.damages.push(damage),
                Err(_) => self.part.more_damages += 1,
            }
        }
        Ok(())
    }
}

/// The moment of a snapshot, of which a recording has the wall clock's time alone.
fn moment(info: &RecordingInfo, log_ns: u64, wall: Wall) -> Now {
    let started = info.station_started;
    let passed_ns = log_ns.saturating_sub(wall_ns(started.wall));
    Now { mono: Mono(started.mono.0.saturating_add(passed_ns)), wall }
}
