//! Recordings that follow each other, as one: where the chunks of all of them are.
//!
//! ```text
//! night.mcap      K e e e K e e     one start of the station: its places go on
//! night.2.mcap    K e e e e e
//! morning.mcap    K e e             another start, with places of its own
//! clip.mcap           K e e e       of the first start: what files before it have is left out
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    files::{FILES_MAX, files_of, is_being_written},
    format::{RecordingInfo, StartId},
    index::{ChunkPlace, RecordingIndex, index},
    reader::{Damage, MERGED, OpenError},
    tally::Tally,
};

/// What is said of a file that was filtered.
const FILTERED: &str = "entries were left out: between keyframes, what holds is as far as the others tell";

/// The shortest time between files of which it is said that nothing is recorded there, in nanoseconds.
const UNRECORDED_NS_MIN: u64 = 1_000_000_000;

/// Why a set is not opened.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file cannot be opened.
    #[error("{}: {why}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        why: OpenError,
    },
    /// A folder has no recordings.
    #[error("{} has no recordings", .0.display())]
    Empty(PathBuf),
    /// There are more than 4,096.
    #[error("more than {FILES_MAX} recordings")]
    TooMany,
    /// No file has a snapshot to begin with.
    #[error("{} has no keyframe", .0.display())]
    NoKeyframe(PathBuf),
    /// None has, and this one has messages outside of chunks.
    #[error("{} has its messages outside of chunks", .0.display())]
    Unchunked(PathBuf),
    /// Files of different starts of a station have the same time.
    #[error(
        "{} and {} overlap: they are of different starts of a station",
        one.display(),
        other.display()
    )]
    Overlap {
        /// A file of the start that begins first.
        one: PathBuf,
        /// The first file of the other.
        other: PathBuf,
    },
}

/// A chunk of one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetChunk {
    /// Which file, in the order of the set.
    pub file: usize,
    /// Where in it. Its times begin behind those of the files before it, of the same start of the station.
    pub place: ChunkPlace,
    /// Whether its first entries may be in a file before it, too: those are left out.
    pub(super) may_repeat: bool,
}

/// One of the files.
#[derive(Debug)]
pub(super) struct SetFile {
    pub(super) path: PathBuf,
    /// Its chunks are in those of the set.
    pub(super) index: RecordingIndex,
    is_being_written: bool,
    is_sparse: bool,
}

impl SetFile {
    fn open(path: PathBuf) -> Result<Self, SetError> {
        // Asked first: it may be finished meanwhile.
        let is_being_written = is_being_written(&path);
        match index(&path) {
            Ok(index) => Ok(Self { is_sparse: index.is_sparse(), path, index, is_being_written }),
            Err(why) => Err(SetError::Open { path, why }),
        }
    }

    fn begins_at(&self) -> u64 {
        self.index.chunks.first().map_or(u64::MAX, |chunk| chunk.start_ns)
    }

    fn ends_at(&self) -> Option<u64> {
        self.index.chunks.iter().map(|chunk| chunk.end_ns).max()
    }

    /// What is wrong with it: that the end of one that is being written is not there is not.
    fn damage(&self) -> Option<&Damage> {
        let is_to_come = |it: &&Damage| self.is_being_written && matches!(it, Damage::Truncated { .. });
        self.index.damage.as_ref().filter(|it| !is_to_come(it))
    }

    fn is_filtered(&self) -> bool {
        self.index.info.as_ref().is_some_and(|info| info.is_filtered)
    }

    fn info(&self) -> RecordingInfo {
        self.index.info.clone().unwrap_or_default()
    }

    /// The start of a station that it is of.
    fn start(&self) -> StartId {
        self.index.info.as_ref().map(RecordingInfo::start).unwrap_or_default()
    }
}

/// Puts the files of each start together, and the starts in the order of time.
fn sort(files: &mut [SetFile]) {
    let mut begins: BTreeMap<StartId, u64> = BTreeMap::new();
    for file in files.iter() {
        let begins_at = begins.entry(file.start()).or_insert(u64::MAX);
        *begins_at = file.begins_at().min(*begins_at);
    }
    files.sort_by_cached_key(|file| {
        let start = file.start();
        let start_begins_at = begins.get(&start).copied().unwrap_or(u64::MAX);
        // Of two that begin together the whole one has what the filtered one has too.
        (start_begins_at, start, file.begins_at(), file.is_filtered())
    });
}

/// Several starts are one line of time only where each begins when the one before it is over.
fn check_overlap(files: &[SetFile]) -> Result<(), SetError> {
    let mut last: Option<(u64, &SetFile)> = None;
    for file in files {
        let Some(ends_at) = file.ends_at() else { continue };
        if let Some((last_at, one)) = last
            && one.start() != file.start()
            && file.begins_at() <= last_at
        {
            return Err(SetError::Overlap { one: one.path.clone(), other: file.path.clone() });
        }
        if last.is_none_or(|(last_at, _)| ends_at > last_at) {
            last = Some((ends_at, file));
        }
    }
    Ok(())
}

/// Recordings in the order of time.
#[derive(Debug)]
pub struct RecordingSet {
    pub(super) files: Vec<SetFile>,
    chunks: Vec<SetChunk>,
    /// The chunks of each start of a station.
    starts: Vec<Range<usize>>,
    /// What is wrong with them, or missing, in words.
    notes: Vec<String>,
    is_sparse: bool,
}

impl RecordingSet {
    /// Finds where things are in files, and in those of folders, at most 4,096.
    ///
    /// # Errors
    /// [`SetError`]. In a folder, a file that is no recording is left out.
    /// [`SetError::Overlap`] where a start of a station begins before another one is over.
    pub fn open(paths: &[PathBuf]) -> Result<Self, SetError> {
        let (mut files, mut notes) = (Vec::new(), Vec::new());
        for path in paths {
            if path.is_dir() {
                files.extend(of_folder(path, &mut notes)?);
            } else {
                files.push(SetFile::open(path.clone())?);
            }
            if files.len() > FILES_MAX {
                return Err(SetError::TooMany);
            }
        }
        sort(&mut files);
        check_overlap(&files)?;
        let mut set = Self { files, chunks: Vec::new(), starts: Vec::new(), notes, is_sparse: false };
        set.join();
        if !set.chunks.iter().any(|chunk| chunk.place.has_keyframe) {
            return Err(set.no_keyframe());
        }
        Ok(set)
    }

    fn no_keyframe(&self) -> SetError {
        let is_unchunked = |file: &&SetFile| matches!(file.index.damage, Some(Damage::Unchunked { .. }));
        if let Some(file) = self.files.iter().find(is_unchunked) {
            return SetError::Unchunked(file.path.clone());
        }
        SetError::NoKeyframe(self.files.first().map(|file| file.path.clone()).unwrap_or_default())
    }

    /// Makes one list of the files' chunks, and notes which are of one start of the station. What an earlier
    /// file of that start has too is left out, so that times rise within it.
    fn join(&mut self) {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let names: BTreeSet<String> = self.files.iter().filter_map(|file| name(&file.path)).collect();
        let spans = whole_spans(&self.files);
        let mut before: Option<StartId> = None;
        // Until where whole files of this start have everything, and others some of it.
        let (mut covered_ns, mut partly_ns) = (None, None);
        for (number, file) in self.files.iter_mut().enumerate() {
            let (info, start) = (file.info(), file.start());
            let path = file.path.display().to_string();
            if let Some(damage) = file.damage() {
                self.notes.push(format!("{path}: {damage}"));
            }
            self.notes.extend(changes(&path, &file.index));
            // What the station keeps by itself it deletes in the end.
            let is_missing = |previous: &&String| !info.is_always && !names.contains(*previous);
            if let Some(previous) = info.previous.as_ref().filter(is_missing) {
                self.notes.push(format!("{path} follows {previous}, which is missing"));
            }
            let follows = before.as_ref() == Some(&start);
            if !follows {
                (covered_ns, partly_ns) = (None, None);
            }
            let (end_ns, begin) = (file.ends_at(), self.chunks.len());
            if file.is_filtered() {
                // What another file has whole is read there.
                let spans = spans.get(&start).map_or(&[][..], Vec::as_slice);
                let has_all =
                    |span: &WholeSpan| covered_ns.is_none_or(|covered_ns| span.last_ns > covered_ns);
                let is_there = |place: &ChunkPlace| spans.iter().any(|it| has_all(it) && it.overlaps(place));
                file.index.chunks.retain(|place| !is_there(place));
                self.chunks.extend(uncovered(file, number, partly_ns.max(covered_ns)));
                partly_ns = partly_ns.max(end_ns);
            } else {
                self.chunks.extend(uncovered(file, number, covered_ns));
                covered_ns = covered_ns.max(end_ns);
            }
            let has_any = self.chunks.len() > begin;
            self.is_sparse |= has_any && file.is_sparse;
            self.notes.extend((has_any && file.is_filtered()).then(|| format!("{path}: {FILTERED}")));
            match self.starts.last_mut() {
                Some(last) if follows => last.end = self.chunks.len(),
                _ => self.starts.push(begin..self.chunks.len()),
            }
            before = Some(start);
        }
        self.starts.retain(|start| !start.is_empty());
        // Of a filtered file there may be something in front of a whole one and behind that.
        for start in &self.starts {
            self.chunks[start.clone()].sort_by_key(|chunk| chunk.place.start_ns);
        }
    }

    /// The files, in the order of time.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// What is damaged or missing, as far as the indexes tell. What is as it should be is not said: the file
    /// that is being written, entries that two files have, and what a station deleted of what it keeps.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether entries were left out of one of the files on purpose.
    pub(crate) fn is_filtered(&self) -> bool {
        self.files.iter().any(SetFile::is_filtered)
    }

    /// Whether entries may be missing that were not lost: see [`RecordingIndex::is_sparse`].
    pub(crate) const fn is_sparse(&self) -> bool {
        self.is_sparse
    }

    /// By how many rules values of them were masked: the most that a file says.
    pub(super) fn redact_rules(&self) -> u64 {
        self.files.iter().map(|file| file.info().redact_rules).max().unwrap_or_default()
    }

    /// How many chunks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// A chunk by its number.
    #[must_use]
    pub fn chunk(&self, number: usize) -> Option<&SetChunk> {
        self.chunks.get(number)
    }

    /// The file that has a chunk.
    pub(super) fn file_of(&self, number: usize) -> Option<&SetFile> {
        self.files.get(self.chunks.get(number)?.file)
    }

    /// What the file that has a chunk says about itself.
    pub(super) fn info_of(&self, number: usize) -> RecordingInfo {
        self.file_of(number).map(SetFile::info).unwrap_or_default()
    }

    /// The chunks that are of one start of the station with this one.
    #[must_use]
    pub fn start_of(&self, number: usize) -> Range<usize> {
        self.starts.iter().find(|start| start.contains(&number)).cloned().unwrap_or(0..0)
    }

    /// How many starts of a station are in it.
    #[must_use]
    pub fn starts(&self) -> usize {
        self.starts.len()
    }

    /// The first file of the start of a station that a chunk is of.
    #[must_use]
    pub fn first_path_of_start(&self, number: usize) -> Option<&Path> {
        Some(self.file_of(self.start_of(number).start)?.path.as_path())
    }

    /// Whether entries that are missing between two chunks were lost: the file of the second goes on where
    /// that of the first ends, and nothing was left out of it on purpose.
    pub(super) fn is_continued(&self, before: usize, number: usize) -> bool {
        let (Some(one), Some(next)) = (self.file_of(before), self.file_of(number)) else { return false };
        let Some(info) = next.index.info.as_ref().filter(|_| !next.is_sparse) else { return false };
        let continues = || info.previous.as_deref().is_some_and(|name| one.path.ends_with(name));
        one.path == next.path || continues()
    }

    /// Entries that the recorder noted as lost until the keyframe of a chunk, since the beginning of its
    /// recording.
    #[must_use]
    pub fn lost_until(&self, number: usize) -> u64 {
        let (Some(chunk), Some(file)) = (self.chunk(number), self.file_of(number)) else { return 0 };
        let tally = file.index.tallies.iter().rev().find(|(at, _)| *at <= chunk.place.at);
        tally.map_or(0, |(_, tally)| tally.lost)
    }

    /// The time around a `log_time` of which nothing is recorded, in nanoseconds: from the end of one file to
    /// the beginning of another that does not continue it. A second at least.
    #[must_use]
    pub fn unrecorded(&self, log_ns: u64) -> Option<(u64, u64)> {
        let number = self.chunk_at(log_ns);
        let (chunk, next) = (self.chunk(number)?, self.chunk(number + 1)?);
        let (from, to) = (chunk.place.end_ns, next.place.start_ns);
        let is_between = log_ns > from && log_ns < to && to - from >= UNRECORDED_NS_MIN;
        let is_gap = is_between && chunk.file != next.file && !self.is_continued(number, number + 1);
        is_gap.then_some((from, to))
    }

    /// The first `log_time` and the last one, in nanoseconds.
    #[must_use]
    pub fn span_ns(&self) -> (u64, u64) {
        let first = self.chunks.iter().map(|chunk| chunk.place.start_ns).min();
        let last = self.chunks.iter().map(|chunk| chunk.place.end_ns).max();
        (first.unwrap_or_default(), last.unwrap_or_default())
    }

    /// The last chunk that begins until a `log_time`; the first one where none does.
    #[must_use]
    pub fn chunk_at(&self, log_ns: u64) -> usize {
        self.chunks.partition_point(|chunk| chunk.place.start_ns <= log_ns).saturating_sub(1)
    }

    /// The last chunk with a keyframe up to this one, of the same start of the station.
    #[must_use]
    pub fn keyframe_until(&self, number: usize) -> Option<usize> {
        let start = self.start_of(number);
        let until = start.start..start.end.min(number.saturating_add(1));
        until.rev().find(|at| self.has_keyframe(*at))
    }

    /// The first chunk with a keyframe from this one on, of the same start of the station.
    #[must_use]
    pub fn keyframe_from(&self, number: usize) -> Option<usize> {
        let start = self.start_of(number);
        (number.max(start.start)..start.end).find(|at| self.has_keyframe(*at))
    }

    fn has_keyframe(&self, number: usize) -> bool {
        self.chunks.get(number).is_some_and(|chunk| chunk.place.has_keyframe)
    }

    /// What each file counted.
    #[must_use]
    pub fn counted(&self) -> Vec<FileCounts> {
        let mut chunks: BTreeMap<usize, Vec<ChunkPlace>> = BTreeMap::new();
        for chunk in &self.chunks {
            chunks.entry(chunk.file).or_default().push(chunk.place);
        }
        let of_file = |(number, chunks): (usize, Vec<ChunkPlace>)| {
            let (first_ns, last_ns) = (chunks.first()?.start_ns, chunks.last()?.end_ns);
            let at_time = |(at, tally): &(u64, Tally)| {
                let behind = chunks.partition_point(|chunk| chunk.at < *at);
                // Behind the last chunk are the counts of the whole file.
                (chunks.get(behind).map_or(last_ns, |chunk| chunk.start_ns), *tally)
            };
            let tallies = self.files.get(number)?.index.tallies.iter().map(at_time).collect();
            Some(FileCounts { first_ns, last_ns, tallies })
        };
        chunks.into_iter().filter_map(of_file).collect()
    }
}

/// What a file counted.
#[derive(Clone, Debug)]
pub struct FileCounts {
    /// The first `log_time` that the set has of it, and the last one, in nanoseconds.
    pub first_ns: u64,
    /// See `first_ns`.
    pub last_ns: u64,
    /// The counts at its keyframes and at its end, by their `log_time`, since the beginning of its recording.
    pub tallies: Vec<(u64, Tally)>,
}

/// What another tool did to a file, in words.
fn changes(path: &str, index: &RecordingIndex) -> impl Iterator<Item = String> {
    let missing = index.missing().join(", ");
    let is_missing = !missing.is_empty();
    let missing = is_missing.then(|| format!("{path} is without {missing}: another tool left that out"));
    missing.into_iter().chain(index.is_merged.then(|| format!("{path}: {MERGED}")))
}

/// The times of which a file has everything.
struct WholeSpan {
    first_ns: u64,
    last_ns: u64,
}

impl WholeSpan {
    const fn overlaps(&self, place: &ChunkPlace) -> bool {
        place.start_ns <= self.last_ns && place.end_ns >= self.first_ns
    }
}

/// Those of the files of which nothing was left out, by the start of their station.
fn whole_spans(files: &[SetFile]) -> BTreeMap<StartId, Vec<WholeSpan>> {
    let mut spans: BTreeMap<_, Vec<WholeSpan>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.is_filtered()) {
        let Some(last_ns) = file.ends_at() else { continue };
        spans.entry(file.start()).or_default().push(WholeSpan { first_ns: file.begins_at(), last_ns });
    }
    spans
}

/// Takes the chunks of a file that have anything behind `covered_ns`, and the counts from there on. One that
/// begins before that begins later in the set.
fn uncovered(file: &mut SetFile, number: usize, covered_ns: Option<u64>) -> Vec<SetChunk> {
    let begin_ns = file.begins_at();
    let places = std::mem::take(&mut file.index.chunks);
    let whole = |place| SetChunk { file: number, place, may_repeat: false };
    let Some(covered_ns) = covered_ns.filter(|covered_ns| begin_ns <= *covered_ns) else {
        return places.into_iter().map(whole).collect();
    };
    let mut chunks = Vec::new();
    let mut has_state = false;
    for place in places.into_iter().filter(|place| place.end_ns > covered_ns) {
        let is_behind = place.start_ns > covered_ns;
        // From a keyframe on it is read as it is: the state has just what is in front of that.
        has_state |= is_behind && place.has_keyframe;
        let start_ns = place.start_ns.max(covered_ns.saturating_add(1));
        let has_keyframe = place.has_keyframe && is_behind;
        let place = ChunkPlace { start_ns, has_keyframe, ..place };
        chunks.push(SetChunk { file: number, place, may_repeat: !has_state || !is_behind });
    }
    let first_at = chunks.first().map_or(u64::MAX, |chunk| chunk.place.at);
    // Counts are since the beginning of the file: the last ones that are left out are counted from.
    let known = file.index.tallies.partition_point(|(at, _)| *at < first_at).saturating_sub(1);
    file.index.tallies.drain(..known);
    chunks
}

/// The recordings of a folder; those that are none are noted.
fn of_folder(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<SetFile>, SetError> {
    let mut files = Vec::new();
    for path in files_of(folder)? {
        match SetFile::open(path) {
            Ok(file) => files.push(file),
            Err(error) => notes.push(format!("left out: {error}")),
        }
    }
    if files.is_empty() { Err(SetError::Empty(folder.to_owned())) } else { Ok(files) }
}
