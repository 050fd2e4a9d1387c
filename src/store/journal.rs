//! The append-only journal that makes transitions outlive the process, written by the host's own thread.
//!
//! Segments `journal-<n>.log` lie in the data folder: eight bytes that name the format, then records. A
//! segment ends past `limits.store.journal_segment_bytes_max`; the writer deletes it when all its records are
//! in their tables.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use super::{
    append::{Appender, FileFactory, Kind},
    counters::Shared,
    op::{CommitError, Op},
    pending_writes::{JournalPosition, JournalledOp},
    record::{self, Record},
    submission::SubmissionQueue,
};

/// The journal's files.
pub(super) const FILES: Kind = Kind { name: "journal", magic: *b"RLCJRNL\x01" };

/// Where the journal begins after a start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    pub(super) segment: u64,
    pub(super) seq: u64,
    pub(super) segment_bytes_max: u64,
    pub(super) unfolded_rows_max: u64,
}

/// The journal's only hand. The host's thread owns it: append what a turn of its loop caused, then
/// [`commit`](Self::commit) once.
///
/// A commit is one `write()`. What it wrote outlives the death of the process and goes to the writer by
/// itself, in the journal's order and before every request that is made afterwards; it is not fsynced (see
/// the [store's](super) words on a loss of power).
pub struct Journal {
    files: Appender,
    begin: Begin,
    next_seq: u64,
    buffer: Vec<u8>,
    appended: Vec<Record>,
    intake: Arc<SubmissionQueue>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("segment", &self.files.segment())
            .field("next_seq", &self.next_seq)
            .finish_non_exhaustive()
    }
}

impl Journal {
    pub(super) fn new(
        data: &Path,
        make: FileFactory,
        begin: Begin,
        intake: Arc<SubmissionQueue>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            files: Appender::new(data, FILES, make, begin.segment, begin.segment_bytes_max),
            begin,
            next_seq: begin.seq,
            buffer: Vec::new(),
            appended: Vec::new(),
            intake,
            shared,
        }
    }

    /// Whether an operation can be journalled: [`Op::Move`], [`Op::SetBrake`] and [`Op::WriteState`] can. All
    /// others tell something back and go through [`Handle::commit`](super::Handle::commit).
    #[must_use]
    pub const fn takes(op: &Op) -> bool {
        matches!(op, Op::Move(_) | Op::SetBrake { .. } | Op::WriteState { .. })
    }

    /// Puts an operation behind those that wait for [`commit`](Self::commit). Nothing is written yet.
    ///
    /// # Errors
    /// [`CommitError::Failed`] for an operation that cannot be journalled or is too long,
    /// [`CommitError::Busy`] when a whole segment waits to be committed already. What was appended before
    /// is untouched.
    pub fn append(&mut self, op: Op) -> Result<(), CommitError> {
        let waiting = u64::try_from(self.appended.len()).unwrap_or(u64::MAX);
        if u64::try_from(self.buffer.len()).unwrap_or(u64::MAX) >= self.begin.segment_bytes_max {
            return Err(CommitError::Busy { waiting });
        }
        let record = Record::of(op).ok_or_else(|| {
            CommitError::Failed("only moves, brakes and state values can be journalled".to_owned())
        })?;
        record::encode(&mut self.buffer, self.next_seq.saturating_add(waiting), &record)
            .map_err(CommitError::Failed)?;
        self.appended.push(record);
        Ok(())
    }

    /// Makes all that was appended since the last commit outlive the process, by one write, and hands it to
    /// the writer.
    ///
    /// # Errors
    /// Nothing of it happened, and nothing of it is appended any more: [`CommitError::Failed`] when the disk
    /// refuses or the database has refused until `limits.store.unfolded_rows_max` rows wait for it,
    /// [`CommitError::Busy`] when so many wait although it does not refuse.
    pub fn commit(&mut self) -> Result<(), CommitError> {
        if self.appended.is_empty() {
            return Ok(());
        }
        let outcome = self.admit().and_then(|()| self.write());
        self.buffer.clear();
        let segment = self.files.segment();
        let first = self.next_seq;
        let ops = (first..)
            .zip(self.appended.drain(..))
            .map(|(seq, record)| JournalledOp { position: Some(JournalPosition { segment, seq }), record });
        let ops: Vec<_> = ops.collect();
        outcome?;
        self.next_seq = self.next_seq.saturating_add(u64::try_from(ops.len()).unwrap_or(u64::MAX));
        self.intake.fold(ops)
    }

    /// How many appended operations wait for [`commit`](Self::commit).
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.appended.len()
    }

    fn admit(&self) -> Result<(), CommitError> {
        if self.intake.is_closed() {
            return Err(self.intake.closed());
        }
        let waiting = self.intake.unapplied();
        if waiting < self.begin.unfolded_rows_max {
            return Ok(());
        }
        match self.shared.rows_failing() {
            Some(why) => Err(CommitError::Failed(why)),
            None => Err(CommitError::Busy { waiting }),
        }
    }

    fn write(&mut self) -> Result<(), CommitError> {
        let was_failing = self.files.is_torn();
        let written = self.files.append(&self.buffer);
        self.shared.journal_bytes.fetch_add(self.files.take_grown(), Ordering::Relaxed);
        match written {
            Ok(()) => {
                if was_failing {
                    self.shared.set_journal_failing(None);
                }
                Ok(())
            }
            Err(error) => {
                let why = format!("the journal: {error}");
                self.shared.set_journal_failing(Some(why.clone()));
                Err(CommitError::Failed(why))
            }
        }
    }
}
