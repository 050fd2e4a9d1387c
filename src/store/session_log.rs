//! The log of sessions as it is written first, in `sessions-<n>.log`: one `write()` makes it outlive the
//! process. It goes into the database behind that, and the files go once it is there.

use std::{collections::VecDeque, fs, io, path::Path, path::PathBuf};

use bytes::Bytes;

use super::{
    StoreError,
    append::{Appender, FileFactory, Kind},
    quarantine::quarantine,
    record,
    replay::{self, Read, State},
};
use crate::{private_files, time::Wall};

pub(super) const FILES: Kind = Kind { name: "sessions", magic: *b"RLSESSN\x01" };

/// The longest piece that is believed.
const PIECE_BYTES_MAX: usize = 1 << 30;

/// The one hand that writes what is accepted in sessions.
///
/// A piece is all records that one [`append`](Self::append) is given. It outlives the death of the process;
/// it is not fsynced (see the [store's](super) words on a loss of power).
pub struct SessionLog {
    data: PathBuf,
    /// What the folder was when it was opened: another in its place has files of its own.
    folder: Option<(u64, u64)>,
    files: Appender,
    /// The number of the next piece.
    next: u64,
    /// Files with pieces that the database may lack, the oldest first. The last may be written on.
    log_files: VecDeque<LogFile>,
    buffer: Vec<u8>,
}

/// A file, and the last piece in it.
#[derive(Debug)]
struct LogFile {
    file: u64,
    last: u64,
    is_damaged: bool,
}

/// A log as a start finds it.
#[derive(Debug)]
pub struct OpenedLog {
    /// The log.
    pub log: SessionLog,
    /// Pieces with their numbers that the database lacks, in their order.
    pub unstored: Vec<(u64, Bytes)>,
    /// Files that are damaged, in their order. They are kept aside once the database has the rest of them.
    pub damaged: Vec<DamagedFile>,
    /// What a person should read beside: pieces that are missing.
    pub notices: Vec<String>,
    /// Unfinished writes that were left out; nothing of them was acknowledged.
    pub torn: Vec<String>,
}

/// A file of the log that cannot be read as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedFile {
    /// Which, and what is wrong with it.
    pub what: String,
    /// Pieces that the database lacks, as they are: their bytes are not what was written.
    pub lost: Vec<Bytes>,
    /// Whether nothing is lost but these.
    pub is_all: bool,
}

/// What the files of a log hold, as far as they are read, in their order.
#[derive(Debug, Default)]
struct ReadFiles {
    /// The last piece that the database has.
    stored: u64,
    /// The last piece that it or a file has.
    last: u64,
    /// The number of a file that was never there.
    next_file: u64,
    /// Whether the file before is damaged.
    was_damaged: bool,
    /// The last piece of all files.
    end: u64,
    /// Whether the file with that piece has nothing wrong but an end that cannot be read.
    may_be_torn: bool,
    files: VecDeque<LogFile>,
    unstored: Vec<(u64, Bytes)>,
    damaged: Vec<DamagedFile>,
    notices: Vec<String>,
    torn: Vec<String>,
}

impl ReadFiles {
    fn take(&mut self, data: &Path, file: u64, path: &Path, is_last: bool) -> Result<(), StoreError> {
        let bytes =
            Bytes::from(private_files::read(path).map_err(StoreError::io(path.display().to_string()))?);
        let read = replay::read(&bytes, FILES, |bytes| record::unframe(bytes, PIECE_BYTES_MAX));
        let state = read.state(bytes.len(), is_last);
        let is_damaged = matches!(state, State::Damaged(_));
        if self.may_be_torn && read.records.first().is_some_and(|(number, _)| *number == self.end + 1) {
            self.was_damaged = false;
            self.damaged.pop();
            self.files.back_mut().into_iter().for_each(|before| before.is_damaged = false);
        }
        self.end = read.records.last().map_or(self.end, |(number, _)| *number);
        self.may_be_torn = is_damaged && read.bad.is_empty() && self.end > 0;
        let lost = self.not_stored(&read, &bytes);
        for (number, piece) in read.records {
            if number <= self.last {
                continue;
            }
            // Of a file that is damaged that is said already.
            if number > self.last + 1 && !is_damaged && !self.was_damaged {
                self.notices.push(missing(data, self.last + 1, number - 1));
            }
            self.last = number;
            self.unstored.push((number, bytes.slice_ref(piece)));
        }
        match state {
            State::Whole => {}
            State::Torn { bytes } => self.torn.push(replay::torn(path, bytes)),
            State::Damaged(damage) => {
                let what = format!("{} is damaged ({damage})", path.display());
                self.damaged.push(DamagedFile { what, lost, is_all: read.good_end == bytes.len() });
            }
        }
        (self.next_file, self.was_damaged) = (file.saturating_add(1), is_damaged);
        self.files.push_back(LogFile { file, last: self.last, is_damaged });
        Ok(())
    }

    /// The bad pieces of a file that the database lacks.
    fn not_stored(&self, read: &Read<'_, &[u8]>, bytes: &Bytes) -> Vec<Bytes> {
        // Pieces have numbers without gaps: a bad one has the one before the good one's behind it.
        let is_lost = |place: usize| {
            read.records.get(place).is_none_or(|(behind, _)| *behind > self.stored.saturating_add(1))
        };
        let bad = read.bad.iter().filter(|(place, _)| is_lost(*place));
        bad.map(|(_, piece)| bytes.slice_ref(piece)).collect()
    }
}

impl std::fmt::Debug for SessionLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionLog")
            .field("next", &self.next)
            .field("held", &self.log_files)
            .finish_non_exhaustive()
    }
}

impl SessionLog {
    /// Reads what the data folder has behind the piece `stored`, the last that the database has. A file ends
    /// past `bytes_max`.
    ///
    /// A torn end of the last file was never acknowledged and is left out. A bad piece with good ones behind
    /// it is damage: it is left out, those behind it count, and the file is kept aside once the database
    /// has them. So is one whose end cannot be read where the next file does not go on with the next
    /// piece: where it does, that end was torn at an earlier start.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn open(
        data: &Path,
        make: FileFactory,
        bytes_max: u64,
        stored: u64,
    ) -> Result<OpenedLog, StoreError> {
        let files = replay::files(data, FILES).map_err(StoreError::io(data.display().to_string()))?;
        let mut read = ReadFiles { stored, last: stored, next_file: 1, ..ReadFiles::default() };
        let count = files.len();
        for (index, (file, path)) in files.into_iter().enumerate() {
            read.take(data, file, &path, index + 1 == count)?;
        }
        let log = Self {
            data: data.to_owned(),
            folder: private_files::identity(data),
            files: Appender::new(data, FILES, make, read.next_file, bytes_max),
            next: read.last.saturating_add(1),
            log_files: read.files,
            buffer: Vec::new(),
        };
        let ReadFiles { unstored, damaged, notices, torn, .. } = read;
        Ok(OpenedLog { log, unstored, damaged, notices, torn })
    }

    /// Writes a piece; its number.
    ///
    /// # Errors
    /// What the disk says; nothing of it is there then.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<u64> {
        self.buffer.clear();
        let copy = |into: &mut Vec<u8>| {
            into.extend_from_slice(piece);
            Ok(())
        };
        record::frame(&mut self.buffer, self.next, PIECE_BYTES_MAX, copy).map_err(io::Error::other)?;
        let written = self.files.append(&self.buffer);
        if self.buffer.capacity() > BUFFER_KEPT {
            self.buffer = Vec::new();
        }
        written?;
        let number = self.next;
        self.next += 1;
        let file = self.files.segment();
        match self.log_files.back_mut() {
            Some(held) if held.file == file => held.last = number,
            _ => self.log_files.push_back(LogFile { file, last: number, is_damaged: false }),
        }
        Ok(number)
    }

    /// The database has all pieces up to this one: files without others go, but for the one that is written.
    ///
    /// One that cannot be deleted does no harm: a start knows what the database has.
    pub fn stored(&mut self, through: u64, now: Wall) {
        while let Some(held) = self.log_files.front()
            && private_files::identity(&self.data) == self.folder
            && held.last <= through
            && held.file != self.files.segment()
        {
            let path = FILES.path(&self.data, held.file);
            if held.is_damaged {
                let _ = quarantine(&path, now);
            } else {
                let _ = fs::remove_file(path);
            }
            self.log_files.pop_front();
        }
    }

    /// Nothing more is written: the last file goes too, if the database has all of it.
    pub fn end(&mut self, through: u64, now: Wall) {
        self.stored(through, now);
        if let Some(held) = self.log_files.pop_front()
            && private_files::identity(&self.data) == self.folder
            && held.last <= through
        {
            let _ = fs::remove_file(FILES.path(&self.data, held.file));
        }
    }
}

/// The message about pieces that are in no file.
fn missing(data: &Path, from: u64, to: u64) -> String {
    let what = if from == to { format!("piece {from} is") } else { format!("pieces {from} to {to} are") };
    format!(
        "{what} missing from the session log in {}: accepted session messages in it are lost",
        data.display()
    )
}

/// A buffer that a long piece made is not kept.
const BUFFER_KEPT: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::append::on_disk;

    fn open(data: &Path, stored: u64) -> OpenedLog {
        SessionLog::open(data, on_disk(), 100, stored).unwrap()
    }

    fn names(data: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(data)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn unstored(found: &OpenedLog) -> Vec<(u64, &[u8])> {
        found.unstored.iter().map(|(number, piece)| (*number, piece.as_ref())).collect()
    }

    #[test]
    fn pieces_come_back_in_their_order_and_files_go_once_they_are_stored() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let mut found = open(data, 7);
        assert!(
            found.unstored.is_empty() && names(data).is_empty(),
            "nothing is made before there is something to write"
        );
        for number in 8..=13 {
            assert_eq!(found.log.append(&[u8::try_from(number).unwrap(); 40]).unwrap(), number);
        }
        assert_eq!(
            names(data),
            [
                "sessions-1.log",
                "sessions-2.log",
                "sessions-3.log",
                "sessions-4.log",
                "sessions-5.log",
                "sessions-6.log"
            ]
        );
        found.log.stored(10, Wall(0));
        assert_eq!(names(data), ["sessions-4.log", "sessions-5.log", "sessions-6.log"]);
        drop(found);
        let again = open(data, 11);
        assert_eq!(
            unstored(&again),
            [(12, &[12; 40][..]), (13, &[13; 40][..])],
            "what the database has already is not told"
        );
        let mut log = again.log;
        assert_eq!(log.append(b"x").unwrap(), 14);
        assert_eq!(names(data).last().unwrap(), "sessions-7.log", "a file of before is not written on");
        log.stored(14, Wall(0));
        assert_eq!(names(data), ["sessions-7.log"]);
        log.end(14, Wall(0));
        assert!(names(data).is_empty());
    }

    #[test]
    fn what_is_not_stored_at_the_end_is_there_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let mut found = open(folder.path(), 0);
        found.log.append(b"one").unwrap();
        found.log.append(b"two").unwrap();
        found.log.end(1, Wall(0));
        assert_eq!(unstored(&open(folder.path(), 1)), [(2, &b"two"[..])]);
        assert!(open(folder.path(), 9).unstored.is_empty());
        assert_eq!(
            open(folder.path(), 9).log.append(b"x").unwrap(),
            10,
            "a number that the database has is not given again"
        );
    }

    #[test]
    fn files_of_a_folder_that_took_the_place_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (data, away) = (folder.path().join("data"), folder.path().join("away"));
        fs::create_dir(&data).unwrap();
        let mut found = open(&data, 0);
        found.log.append(b"one").unwrap();
        fs::rename(&data, &away).unwrap();
        fs::create_dir(&data).unwrap();
        fs::write(data.join("sessions-1.log"), "another's").unwrap();
        found.log.end(1, Wall(0));
        assert_eq!(names(&data), ["sessions-1.log"]);
    }

    #[test]
    fn a_torn_end_is_left_out_and_a_damaged_file_is_kept_aside_once_its_rest_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let mut found = open(data, 0);
        for piece in [b"one", b"two", b"six"] {
            found.log.append(piece).unwrap();
        }
        drop(found);
        let path = data.join("sessions-1.log");
        let whole = fs::read(&path).unwrap();
        let (head, piece) = (8, 16 + 3);
        for cut in head + 2 * piece..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let found = open(data, 0);
            assert_eq!(
                (unstored(&found), found.torn.len()),
                (vec![(1, &b"one"[..]), (2, &b"two"[..])], usize::from(cut > head + 2 * piece))
            );
        }
        let mut damaged = whole;
        damaged[head + piece + 17] ^= 1; // "tvo"
        fs::write(&path, &damaged).unwrap();
        let found = open(data, 0);
        assert_eq!((unstored(&found), found.notices.len()), (vec![(1, &b"one"[..]), (3, &b"six"[..])], 0));
        let [file] = &found.damaged[..] else { panic!("{found:?}") };
        assert!(file.what.contains("sessions-1.log is damaged"), "{}", file.what);
        assert_eq!((&file.lost[..], file.is_all), (&[Bytes::from_static(b"tvo")][..], true));
        // What the database has is not lost.
        assert!(open(data, 2).damaged[0].lost.is_empty());
        let mut log = found.log;
        log.stored(2, Wall(5));
        assert!(path.exists());
        log.stored(3, Wall(5));
        assert_eq!(fs::read(data.join("sessions-1.log.bad-5")).unwrap(), damaged);
    }

    /// What gathers while nothing can be written is one piece then, with what frames its records.
    #[test]
    fn all_that_may_wait_fits_one_piece_and_one_row() {
        /// What `SQLite` takes as one value.
        const ROW_BYTES_MAX: u64 = 1_000_000_000;
        let bound = crate::limits::Limits::BOUNDS
            .iter()
            .find(|bound| bound.key == "limits.macp.unsaved_bytes_max")
            .unwrap();
        // A record has no fewer bytes than what frames it, and one cancellation or resolution may come behind
        // the bound.
        let longest = 2 * bound.max + (64 << 20) + (1 << 20);
        assert!(longest <= PIECE_BYTES_MAX as u64 && longest <= ROW_BYTES_MAX, "{longest}");
    }

    #[test]
    fn an_end_that_was_torn_at_an_earlier_start_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        open(data, 0).log.append(b"one").unwrap();
        let path = data.join("sessions-1.log");
        let torn = [&fs::read(&path).unwrap()[..], b"\x09\0\0"].concat();
        fs::write(&path, &torn).unwrap();
        let mut again = open(data, 0);
        assert_eq!((again.torn.len(), again.damaged.len()), (1, 0));
        again.log.append(b"two").unwrap();
        let mut third = open(data, 0);
        assert_eq!((unstored(&third), third.notices.len()), (vec![(1, &b"one"[..]), (2, &b"two"[..])], 0));
        assert!(third.damaged.is_empty());
        third.log.stored(2, Wall(5));
        assert!(names(data).is_empty(), "none is kept aside");
        // One that the next file does not go on from.
        fs::write(&path, &torn).unwrap();
        SessionLog::open(data, on_disk(), 100, 2).unwrap().log.append(b"three").unwrap();
        let found = open(data, 0);
        assert_eq!((unstored(&found), found.damaged.len()), (vec![(1, &b"one"[..]), (3, &b"three"[..])], 1));
        assert!(!found.damaged[0].is_all);
    }

    #[test]
    fn pieces_that_are_in_no_file_are_said_to_be_lost() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let mut found = open(data, 0);
        for number in 1..=6 {
            found.log.append(&[number; 40]).unwrap();
        }
        drop(found);
        for gone in [2, 4, 5] {
            fs::remove_file(data.join(format!("sessions-{gone}.log"))).unwrap();
        }
        let found = open(data, 0);
        assert_eq!(found.unstored.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 3, 6]);
        let [one, two] = &found.notices[..] else { panic!("{:?}", found.notices) };
        assert!(
            one.contains("piece 2 is missing") && two.contains("pieces 4 to 5 are missing"),
            "{one}\n{two}"
        );
        assert_eq!(open(data, 5).notices, [""; 0], "what the database has is not missed");
        assert_eq!(open(data, 4).notices.len(), 1);
    }

    #[test]
    fn of_a_file_of_any_bytes_no_piece_is_told_but_as_it_was_written() {
        let written: Vec<Vec<u8>> = (1..=12_u8).map(|n| vec![n; usize::from(n) * 5]).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions-1.log");
        let mut found = SessionLog::open(folder.path(), on_disk(), 1 << 20, 0).unwrap();
        for piece in &written {
            found.log.append(piece).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        let (mut told, mut damaged) = (0, 0);
        for seed in 0..1_000 {
            let mut chance = fastrand::Rng::with_seed(seed);
            let mut bytes = whole.clone();
            for _ in 0..chance.usize(1..4) {
                let at = chance.usize(..bytes.len().max(1));
                match chance.u8(..5) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at.min(bytes.len()), chance.u8(..)),
                    2 => drop(bytes.splice(at..at, whole[..chance.usize(..whole.len())].iter().copied())),
                    _ if at < bytes.len() => bytes[at] ^= 1 << chance.u8(..8),
                    _ => {}
                }
            }
            fs::write(&path, &bytes).unwrap();
            let found = open(folder.path(), 0);
            for (number, piece) in &found.unstored {
                assert_eq!(piece, &written[usize::try_from(*number).unwrap() - 1], "seed {seed}");
            }
            assert!(found.unstored.is_sorted_by(|one, other| one.0 < other.0), "seed {seed}");
            let is_said = !(found.damaged.is_empty() && found.notices.is_empty() && found.torn.is_empty());
            assert!(
                found.unstored.len() == written.len() || is_said || whole.starts_with(&bytes),
                "seed {seed}"
            );
            (told, damaged) = (told + found.unstored.len(), damaged + found.damaged.len());
        }
        assert!(told > 1_000 && damaged > 200, "{told} {damaged}");
    }
}
