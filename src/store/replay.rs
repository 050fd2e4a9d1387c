//! Reading the journal at a start.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    StoreError,
    append::Kind,
    journal,
    quarantine::quarantine,
    record::{self, HEAD_BYTES, Record},
};
use crate::{private_files, time::Wall};

/// A segment found in the data folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    number: u64,
    path: PathBuf,
    /// The damage, when it is more than a torn end.
    damage: Option<String>,
}

/// What the journal held.
#[derive(Debug, Default)]
pub(super) struct ReplayedJournal {
    /// The records that the tables lack, in their order.
    pub(super) records: Vec<(u64, Record)>,
    /// The greatest record number seen.
    pub(super) last_seq: u64,
    /// The number of a segment that was never there.
    pub(super) next_segment: u64,
    /// What a person should read of damage.
    pub(super) notices: Vec<String>,
    /// Unfinished writes that were left out; nothing of them was acknowledged.
    pub(super) torn: Vec<String>,
    segments: Vec<Segment>,
}

impl ReplayedJournal {
    /// Removes the segments once their records are in the tables; damaged ones are set aside.
    ///
    /// # Errors
    /// A file could not be removed or renamed. It does no harm: its records are known to be applied.
    pub(super) fn retire(&mut self, now: Wall) -> io::Result<()> {
        for segment in self.segments.drain(..) {
            match segment.damage {
                None => fs::remove_file(&segment.path)?,
                Some(damage) => {
                    let aside = quarantine(&segment.path, now)?;
                    self.notices.push(format!(
                        "{} was damaged ({damage}); moved to {}",
                        segment.path.display(),
                        aside.display()
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Reads all segments and keeps the records after `applied_through`.
///
/// A torn end of the last segment was never acknowledged and is left out. A bad record with good ones behind
/// it is damage: the record is left out, those behind it count, and the file is to be set aside.
///
/// # Errors
/// A file could not be read.
pub(super) fn replay(data: &Path, applied_through: u64) -> Result<ReplayedJournal, StoreError> {
    let mut replayed =
        ReplayedJournal { last_seq: applied_through, next_segment: 1, ..ReplayedJournal::default() };
    let segments = files(data, journal::FILES).map_err(StoreError::io(data.display().to_string()))?;
    let count = segments.len();
    for (index, (number, path)) in segments.into_iter().enumerate() {
        let bytes = private_files::read(&path).map_err(StoreError::io(path.display().to_string()))?;
        let read = read(&bytes, journal::FILES, record::decode);
        let damage = match read.state(bytes.len(), index + 1 == count) {
            State::Whole => None,
            State::Torn { bytes } => {
                replayed.torn.push(torn(&path, bytes));
                None
            }
            State::Damaged(damage) => Some(damage),
        };
        for (seq, record) in read.records {
            if seq > replayed.last_seq {
                replayed.last_seq = seq;
                replayed.records.push((seq, record));
            }
        }
        replayed.next_segment = number.saturating_add(1);
        replayed.segments.push(Segment { number, path, damage });
    }
    debug_assert!(replayed.segments.is_sorted_by_key(|segment| segment.number));
    Ok(replayed)
}

/// The files of a kind that are there, in their order.
pub(super) fn files(data: &Path, kind: Kind) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if let Some(number) = entry.file_name().to_str().and_then(|name| kind.number(name)) {
            files.push((number, entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

/// The message about a torn end.
pub(super) fn torn(path: &Path, bytes: usize) -> String {
    format!("{} ended with {bytes} bytes of an incomplete write; ignored them", path.display())
}

/// What a file holds.
pub(super) struct Read<'a, T> {
    pub(super) records: Vec<(u64, T)>,
    /// The payloads of bad records with good ones behind them: each with the place of that one.
    pub(super) bad: Vec<(usize, &'a [u8])>,
    /// Where what can be read ends.
    pub(super) good_end: usize,
    /// Whether what lies behind is what a write leaves that was not finished: less than a record, or zeros.
    is_torn: bool,
}

/// How a file is.
pub(super) enum State {
    Whole,
    /// The last of its kind ends within a record.
    Torn {
        bytes: usize,
    },
    Damaged(String),
}

impl<T> Read<'_, T> {
    /// How the file of so many bytes is; `is_last` of its kind.
    pub(super) fn state(&self, bytes: usize, is_last: bool) -> State {
        match (self.bad.len(), bytes - self.good_end) {
            (0, 0) => State::Whole,
            (0, bytes) if is_last && self.is_torn => State::Torn { bytes },
            (skipped, left) => {
                State::Damaged(format!("{skipped} bad records, {left} unreadable bytes at the end"))
            }
        }
    }
}

/// Reads the records of a file.
pub(super) fn read<'a, T>(
    bytes: &'a [u8],
    kind: Kind,
    decode: impl Fn(&'a [u8]) -> Option<(u64, T, usize)>,
) -> Read<'a, T> {
    let mut read = Read { records: Vec::new(), bad: Vec::new(), good_end: 0, is_torn: false };
    if !bytes.starts_with(&kind.magic) {
        read.is_torn = kind.magic.starts_with(bytes);
        return read;
    }
    read.good_end = kind.magic.len();
    let mut last_seq = 0;
    let mut at = read.good_end;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if let Some((seq, record, len)) = decode(rest)
            && seq > last_seq
        {
            last_seq = seq;
            read.records.push((seq, record));
            at += len;
            read.good_end = at;
        } else if let Some(skip) = length_of_a_bad_record(rest, &decode) {
            read.bad.push((read.records.len(), &rest[HEAD_BYTES..skip]));
            at += skip;
        } else {
            read.is_torn = is_unfinished(rest);
            break;
        }
    }
    read
}

/// Whether a write that was not finished leaves such bytes.
fn is_unfinished(bytes: &[u8]) -> bool {
    let len = bytes.first_chunk::<4>().and_then(|len| usize::try_from(u32::from_le_bytes(*len)).ok());
    bytes.iter().all(|byte| *byte == 0)
        || len.is_none_or(|len| len.checked_add(HEAD_BYTES).is_none_or(|len| bytes.len() < len))
}

/// How long a bad record is, if its length leads to a good one.
fn length_of_a_bad_record<'a, T>(
    bytes: &'a [u8],
    decode: impl Fn(&'a [u8]) -> Option<(u64, T, usize)>,
) -> Option<usize> {
    let len = usize::try_from(u32::from_le_bytes(*bytes.first_chunk::<4>()?)).ok()?;
    let skip = HEAD_BYTES.checked_add(len)?;
    decode(bytes.get(skip..)?).map(|_| skip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::InvocationId, store::invocations::Move, tap::entry::mpp::RowState};

    fn moved(id: u64) -> Record {
        Record::Move(Move {
            id: InvocationId(id),
            state: RowState::Done,
            result: None,
            reason: None,
            at: Wall(id),
        })
    }

    /// A segment of records `from..=to`, with the offset at which each begins and the length.
    fn segment(from: u64, to: u64) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = journal::FILES.magic.to_vec();
        let mut offsets = Vec::new();
        for seq in from..=to {
            offsets.push(bytes.len());
            record::encode(&mut bytes, seq, &moved(seq)).unwrap();
        }
        (bytes, offsets)
    }

    fn seqs(replayed: &ReplayedJournal) -> Vec<u64> {
        replayed.records.iter().map(|(seq, _)| *seq).collect()
    }

    #[test]
    fn a_tail_torn_at_any_byte_leaves_out_its_record_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (bytes, offsets) = segment(1, 3);
        for cut in offsets[2]..bytes.len() {
            fs::write(folder.path().join("journal-4.log"), &bytes[..cut]).unwrap();
            let mut replayed = replay(folder.path(), 0).unwrap();
            assert_eq!(seqs(&replayed), [1, 2], "cut at {cut}");
            assert_eq!(replayed.torn.len(), usize::from(cut > offsets[2]));
            assert_eq!((replayed.last_seq, replayed.next_segment), (2, 5));
            replayed.retire(Wall(0)).unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_tail_of_rubbish_or_zeros_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for tail in [vec![0; 100], vec![0xff; 100], b"RLCJRNL".to_vec()] {
            let (mut bytes, _) = segment(1, 2);
            bytes.extend(tail);
            fs::write(folder.path().join("journal-1.log"), &bytes).unwrap();
            assert_eq!(seqs(&replay(folder.path(), 0).unwrap()), [1, 2]);
        }
    }

    #[test]
    fn a_last_record_that_is_all_there_and_bad_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal-1.log");
        let (whole, offsets) = segment(1, 3);
        let mut flipped = whole.clone();
        flipped[offsets[2] + HEAD_BYTES] ^= 1;
        for (bytes, kept) in [(flipped, 2), (vec![7; whole.len()], 0)] {
            fs::write(&path, &bytes).unwrap();
            let mut replayed = replay(folder.path(), 0).unwrap();
            assert_eq!((replayed.records.len(), replayed.torn.len()), (kept, 0));
            replayed.retire(Wall(17)).unwrap();
            assert_eq!(replayed.notices.len(), 1);
            assert_eq!(fs::read(folder.path().join("journal-1.log.bad-17")).unwrap(), bytes);
            fs::remove_file(folder.path().join("journal-1.log.bad-17")).unwrap();
        }
    }

    #[test]
    fn a_bad_record_amid_good_ones_is_left_out_and_its_file_is_kept_aside() {
        let folder = tempfile::tempdir().unwrap();
        let (mut bytes, offsets) = segment(1, 4);
        bytes[offsets[1] + HEAD_BYTES] ^= 1;
        fs::write(folder.path().join("journal-1.log"), &bytes).unwrap();
        let mut replayed = replay(folder.path(), 0).unwrap();
        assert_eq!(seqs(&replayed), [1, 3, 4]);
        replayed.retire(Wall(17)).unwrap();
        assert_eq!(replayed.notices.len(), 1);
        assert_eq!(fs::read(folder.path().join("journal-1.log.bad-17")).unwrap(), bytes);
    }

    #[test]
    fn a_torn_segment_that_is_not_the_last_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let (first, _) = segment(1, 2);
        let (second, _) = segment(3, 4);
        fs::write(folder.path().join("journal-9.log"), &first[..first.len() - 1]).unwrap();
        fs::write(folder.path().join("journal-10.log"), &second).unwrap();
        let mut replayed = replay(folder.path(), 0).unwrap();
        assert_eq!(seqs(&replayed), [1, 3, 4]);
        replayed.retire(Wall(1)).unwrap();
        assert!(folder.path().join("journal-9.log.bad-1").exists());
        assert!(!folder.path().join("journal-10.log").exists());
    }

    #[test]
    fn what_the_tables_have_already_is_not_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("journal-1.log"), segment(1, 5).0).unwrap();
        assert_eq!(seqs(&replay(folder.path(), 3).unwrap()), [4, 5]);
        let replayed = replay(folder.path(), 50).unwrap();
        assert_eq!((seqs(&replayed), replayed.last_seq), (vec![], 50));
    }
}
