//! The append-only journal that makes transitions outlive the process, written by the host's own thread.
//!
//! Segments `journal-<n>.log` lie in the data folder: eight bytes that name the format, then records. A segment ends past
//! `limits.store.journal_segment_bytes_max`; the writer deletes it when all its records are in their tables.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use super::{
    counters::Shared,
    held::{Place, Unfolded},
    intake::Intake,
    op::{CommitError, Op},
    record::{self, Record},
};

/// The first bytes of a segment; the last of them is the format's version.
pub(super) const MAGIC: &[u8; 8] = b"RLCJRNL\x01";

/// Where a segment's bytes go; tests put a failing disk here.
pub(super) trait Medium: Send {
    /// Writes some of the bytes at an offset; says how many.
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize>;
    /// Cuts what lies behind.
    fn set_len(&mut self, bytes: u64) -> io::Result<()>;
}

impl Medium for File {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize> {
        FileExt::write_at(self, bytes, at)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        File::set_len(self, bytes)
    }
}

/// Makes a segment's file.
pub(super) type Maker = Box<dyn FnMut(&Path) -> io::Result<Box<dyn Medium>> + Send>;

/// Makes a segment's file on disk.
pub(super) fn on_disk() -> Maker {
    Box::new(|path| {
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        Ok(Box::new(file))
    })
}

/// The path of a segment.
pub(super) fn segment_path(data: &Path, segment: u64) -> PathBuf {
    data.join(format!("journal-{segment}.log"))
}

/// Where the journal begins after a start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    pub(super) segment: u64,
    pub(super) seq: u64,
    pub(super) segment_bytes_max: u64,
    pub(super) unfolded_rows_max: u64,
}

/// The journal's only hand. The host's thread owns it: append what a turn of its loop caused, then [`commit`](Self::commit) once.
///
/// A commit is one `write()`. What it wrote outlives the death of the process and goes to the writer by itself, in the journal's order and
/// before every request that is made afterwards; it is not fsynced (see the [store's](super) words on a loss of power).
pub struct Journal {
    data: PathBuf,
    make: Maker,
    file: Option<Box<dyn Medium>>,
    begin: Begin,
    /// The present segment.
    segment: u64,
    /// Where its last good record ends.
    good_end: u64,
    /// Bytes of a failed write may lie behind `good_end`.
    torn: bool,
    next_seq: u64,
    buffer: Vec<u8>,
    appended: Vec<Record>,
    intake: Arc<Intake>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("segment", &self.segment).field("next_seq", &self.next_seq).finish_non_exhaustive()
    }
}

impl Journal {
    pub(super) fn new(data: &Path, make: Maker, begin: Begin, intake: Arc<Intake>, shared: Arc<Shared>) -> Self {
        Self {
            data: data.to_owned(),
            make,
            file: None,
            begin,
            segment: begin.segment,
            good_end: 0,
            torn: false,
            next_seq: begin.seq,
            buffer: Vec::new(),
            appended: Vec::new(),
            intake,
            shared,
        }
    }

    /// Whether an operation can be journalled: [`Op::Move`], [`Op::SetBrake`] and [`Op::WriteState`] can. All others tell something back
    /// and go through [`Handle::commit`](super::Handle::commit).
    #[must_use]
    pub const fn takes(op: &Op) -> bool {
        matches!(op, Op::Move(_) | Op::SetBrake { .. } | Op::WriteState { .. })
    }

    /// Puts an operation behind those that wait for [`commit`](Self::commit). Nothing is written yet.
    ///
    /// # Errors
    /// [`CommitError::Failed`] for an operation that cannot be journalled or is too long, [`CommitError::Busy`] when a whole segment waits
    /// to be committed already. What was appended before is untouched.
    pub fn append(&mut self, op: Op) -> Result<(), CommitError> {
        let waiting = u64::try_from(self.appended.len()).unwrap_or(u64::MAX);
        if u64::try_from(self.buffer.len()).unwrap_or(u64::MAX) >= self.begin.segment_bytes_max {
            return Err(CommitError::Busy { waiting });
        }
        let record =
            Record::of(op).ok_or_else(|| CommitError::Failed("only moves, brakes and state values can be journalled".to_owned()))?;
        record::encode(&mut self.buffer, self.next_seq.saturating_add(waiting), &record).map_err(CommitError::Failed)?;
        self.appended.push(record);
        Ok(())
    }

    /// Makes all that was appended since the last commit outlive the process, by one write, and hands it to the writer.
    ///
    /// # Errors
    /// Nothing of it happened, and nothing of it is appended any more: [`CommitError::Failed`] when the disk refuses or the database has
    /// refused until `limits.store.unfolded_rows_max` rows wait for it, [`CommitError::Busy`] when so many wait although it does not
    /// refuse.
    pub fn commit(&mut self) -> Result<(), CommitError> {
        if self.appended.is_empty() {
            return Ok(());
        }
        let outcome = self.admit().and_then(|()| self.write());
        let bytes = u64::try_from(self.buffer.len()).unwrap_or(u64::MAX);
        self.buffer.clear();
        let segment = self.segment;
        let first = self.next_seq;
        let ops = (first..).zip(self.appended.drain(..)).map(|(seq, record)| Unfolded { place: Some(Place { segment, seq }), record });
        let ops: Vec<_> = ops.collect();
        outcome?;
        self.good_end = self.good_end.saturating_add(bytes);
        self.next_seq = self.next_seq.saturating_add(u64::try_from(ops.len()).unwrap_or(u64::MAX));
        self.shared.journal_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.intake.fold(ops)
    }

    /// How many appended operations wait for [`commit`](Self::commit).
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.appended.len()
    }

    fn admit(&self) -> Result<(), CommitError> {
        if self.intake.is_closed() {
            return Err(CommitError::Failed("the store is closed".to_owned()));
        }
        let waiting = self.intake.unfolded();
        if waiting < self.begin.unfolded_rows_max {
            return Ok(());
        }
        match self.shared.rows_failing() {
            Some(why) => Err(CommitError::Failed(why)),
            None => Err(CommitError::Busy { waiting }),
        }
    }

    fn write(&mut self) -> Result<(), CommitError> {
        let written = self.try_write();
        let why = written.err().map(|error| format!("the journal: {error}"));
        match why {
            None => {
                if self.torn {
                    self.shared.set_journal_failing(None);
                }
                self.torn = false;
                Ok(())
            }
            Some(why) => {
                // Cut now so that a start finds no half record; when even that fails, the next write cuts before it writes.
                if let Some(file) = &mut self.file {
                    let _ = file.set_len(self.good_end);
                }
                self.torn = true;
                self.shared.set_journal_failing(Some(why.clone()));
                Err(CommitError::Failed(why))
            }
        }
    }

    fn try_write(&mut self) -> io::Result<()> {
        let bytes = u64::try_from(self.buffer.len()).unwrap_or(u64::MAX);
        let header = u64::try_from(MAGIC.len()).unwrap_or(0);
        if self.torn
            && let Some(file) = &mut self.file
        {
            file.set_len(self.good_end)?;
        }
        if self.good_end > header && self.good_end.saturating_add(bytes) > self.begin.segment_bytes_max {
            self.segment += 1;
            self.good_end = 0;
            self.file = None;
        }
        if self.file.is_none() {
            let mut file = (self.make)(&segment_path(&self.data, self.segment))?;
            write_all_at(file.as_mut(), MAGIC, 0)?;
            self.good_end = header;
            self.shared.journal_bytes.fetch_add(header, Ordering::Relaxed);
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        write_all_at(file.as_mut(), &self.buffer, self.good_end)
    }
}

fn write_all_at(file: &mut dyn Medium, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write_at(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).unwrap_or_default();
                at = at.saturating_add(u64::try_from(written).unwrap_or(0));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
