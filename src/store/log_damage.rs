//! A write-ahead log with less in it than was committed. `SQLite` reads it as far as it is whole and takes
//! that for its end, so that what was committed behind a damaged place would be gone in silence.
//!
//! The index beside it (`station.db-shm`) says how many frames were committed, and outlives the process as
//! the log does. Its form and the log's are those of <https://sqlite.org/walformat.html>. After a loss of
//! power the index may be an old one: one of another generation than the log says nothing.

use std::{
    fs,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use super::{
    StoreError,
    backup::copy_to,
    open::{DATABASE, LOG},
    quarantine::{free_name, quarantine, with_suffix},
};
use crate::{private_files, time::Wall};

const LOG_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// A header of the index, of which there are two.
const INDEX_HEADER_BYTES: usize = 48;
/// The version that both files name.
const VERSION: u32 = 3_007_000;
/// What a log begins with; the lowest bit says in which order its checksums take bytes.
const MAGIC: u32 = 0x377f_0682;

/// What was found, and what was done about it.
#[derive(Debug)]
pub(super) struct DamagedLog {
    /// What a person should read.
    pub(super) notice: String,
    /// Whether something is lost that was committed.
    pub(super) is_loss: bool,
}

/// What the index says.
#[derive(Clone, Copy, Debug)]
struct Index {
    /// The last frame that was committed.
    committed: u32,
    /// Up to which one the database has them.
    in_database: u32,
    salt: [u8; 8],
}

/// Looks whether the log has all that was committed. A damaged one is kept aside: a copy of it, where
/// `SQLite` is to take what is whole of it and not in the database yet.
///
/// # Errors
/// A file cannot be read, copied or renamed.
pub(super) fn set_aside(data: &Path, now: Wall) -> Result<Option<DamagedLog>, StoreError> {
    let log = data.join(LOG);
    let failed = || StoreError::io(format!("looking at {}", log.display()));
    let Some((index, what, whole)) = find(data).map_err(failed())? else { return Ok(None) };
    let is_loss = index.committed > index.in_database.max(whole);
    let is_there = log.try_exists().map_err(failed())?;
    let kept = if is_there {
        let aside = if whole > index.in_database {
            copy_aside(&log, now, |copy| fs::copy(&log, copy).map(drop))
        } else {
            // Nothing in it is needed any more.
            quarantine(&log, now)
        };
        format!("; moved to {}", aside.map_err(failed())?.display())
    } else {
        String::new()
    };
    let notice = if is_loss {
        format!(
            "{} was damaged ({what}{kept}): the last writes are lost. Check the disk, and restore a backup \
             if needed",
            log.display()
        )
    } else {
        format!("{} was damaged ({what}{kept}): no data is lost, the database contains it", log.display())
    };
    Ok(Some(DamagedLog { notice, is_loss }))
}

/// Keeps a copy of a log that `SQLite` still takes something from: it stays where it is, so that an
/// interrupted start or a full disk loses nothing of it. Says what the copy is called.
pub(super) fn copy_aside(
    log: &Path,
    now: Wall,
    copy: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    remove_partial_copies(log)?;
    let aside = free_name(log, now)?;
    copy_to(&aside, copy)?;
    Ok(aside)
}

/// Removes the unfinished copies of a log that an interrupted start has left.
fn remove_partial_copies(log: &Path) -> io::Result<()> {
    let (Some(data), Some(name)) = (log.parent(), log.file_name()) else { return Ok(()) };
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        let rest = entry.file_name();
        let rest = rest.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
        if rest.is_some_and(|rest| rest.starts_with(b".bad-") && rest.ends_with(b".partial")) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// What is wrong with a data folder's log, if anything is. Nothing is changed.
///
/// # Errors
/// A file cannot be read.
pub fn damage_of_log(data: &Path) -> io::Result<Option<String>> {
    // A station that runs may begin its log anew meanwhile.
    Ok(if find(data)?.is_some() { find(data)?.map(|(_, what, _)| what) } else { None })
}

/// What is wrong with the log, and up to which frame it is whole.
fn find(data: &Path) -> io::Result<Option<(Index, String, u32)>> {
    let Some(index) = index(&with_suffix(&data.join(DATABASE), "-shm"))? else { return Ok(None) };
    let log = match private_files::open(&data.join(LOG)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let lost = index.committed > index.in_database;
            return Ok(lost.then(|| (index, "missing".to_owned(), 0)));
        }
        log => log?,
    };
    let mut log = BufReader::with_capacity(1 << 16, log);
    let mut header = [0; LOG_HEADER_BYTES];
    if !read_whole(&mut log, &mut header)? {
        return Ok(Some((index, "its header is truncated".to_owned(), 0)));
    }
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let is_big_endian = word(0) & 1 == 1;
    let mut sum = Sum::default();
    sum.take(is_big_endian, &header[..24]);
    let is_valid = word(0) & !1 == MAGIC && word(4) == VERSION && sum.is(&header[24..32]);
    let page_bytes = usize::try_from(word(8)).unwrap_or(0);
    if !is_valid || !(512..=65_536).contains(&page_bytes) {
        return Ok(Some((index, "its header is unreadable".to_owned(), 0)));
    }
    if header[16..24] != index.salt {
        return Ok(None);
    }
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes];
    for number in 1..=index.committed {
        let is_there = read_whole(&mut log, &mut frame)?;
        sum.take(is_big_endian, &frame[..8]);
        sum.take(is_big_endian, &frame[FRAME_HEADER_BYTES..]);
        if !is_there || frame[8..16] != index.salt || !sum.is(&frame[16..24]) {
            let what = if is_there { "is unreadable" } else { "is missing" };
            let what = format!("committed frame {number} of {} {what}", index.committed);
            return Ok(Some((index, what, number - 1)));
        }
    }
    Ok(None)
}

/// What the index says; nothing where it is not whole, or nothing is committed.
fn index(path: &Path) -> io::Result<Option<Index>> {
    let mut bytes = [0; 2 * INDEX_HEADER_BYTES + 4];
    let mut file = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => private_files::open(path)?,
    };
    if !read_whole(&mut file, &mut bytes)? {
        return Ok(None);
    }
    let (first, second) = bytes.split_at(INDEX_HEADER_BYTES);
    let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut sum = Sum::default();
    sum.take(cfg!(target_endian = "big"), &first[..40]);
    let is_whole = *first == second[..INDEX_HEADER_BYTES]
        && word(0) == VERSION
        && first[12] == 1
        && (sum.0, sum.1) == (word(40), word(44));
    let mut salt = [0; 8];
    salt.copy_from_slice(&first[32..40]);
    let index = Index { committed: word(16), in_database: word(96).min(word(16)), salt };
    Ok((is_whole && index.committed > 0).then_some(index))
}

/// Reads all of a buffer; whether there was so much.
fn read_whole(from: &mut impl Read, into: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(into) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// The checksum of both files.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(u32, u32);

impl Sum {
    fn take(&mut self, is_big_endian: bool, bytes: &[u8]) {
        let (pairs, _) = bytes.as_chunks::<8>();
        for &[a, b, c, d, e, f, g, h] in pairs {
            let word =
                |bytes| if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            self.0 = self.0.wrapping_add(word([a, b, c, d])).wrapping_add(self.1);
            self.1 = self.1.wrapping_add(word([e, f, g, h])).wrapping_add(self.0);
        }
    }

    /// Whether it is what a log says, where its numbers stand in this order.
    fn is(self, bytes: &[u8]) -> bool {
        bytes == [self.0.to_be_bytes(), self.1.to_be_bytes()].as_flattened()
    }
}
