//! The records of a recording's file, one after the other, without what is in them.

use std::{
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use mcap::{
    MAGIC, parse_record,
    records::{Record, op},
};

use super::reader::{Damage, OpenError};

/// The longest record that is read, compressed or not. It bounds memory, whatever a file says.
pub(super) const RECORD_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The opcode and the length before each record.
pub(super) const HEAD_BYTES: u64 = 9;

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordHead {
    /// Its first byte in the file.
    pub(super) at: u64,
    pub(super) op: u8,
    /// Bytes of its body.
    pub(super) len: u64,
}

impl RecordHead {
    /// The first byte behind it.
    pub(super) const fn end(self) -> u64 {
        self.at.saturating_add(HEAD_BYTES).saturating_add(self.len)
    }
}

/// A file that is read record by record.
#[derive(Debug)]
pub(super) struct Records {
    file: BufReader<File>,
    len: u64,
    /// Where the next record begins.
    next: u64,
    /// Where the file is read; not known after an error.
    at: Option<u64>,
}

impl Records {
    /// Opens a file that begins as an MCAP file does.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(OpenError::Folder);
        }
        let len = about.len();
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(|_| OpenError::NotOurs("too short"))?;
        if magic != *MAGIC {
            return Err(OpenError::NotOurs("not an MCAP file"));
        }
        let at = MAGIC.len() as u64;
        Ok(Self { file, len, next: at, at: Some(at) })
    }

    /// The file's length.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// The next record; nothing behind the last one of the data.
    pub(super) fn next(&mut self) -> Result<Option<RecordHead>, Damage> {
        let at = self.next;
        self.go(at)?;
        let rest = self.len.saturating_sub(at);
        if rest < HEAD_BYTES {
            return Err(Damage::Truncated { at });
        }
        let mut head = [0; 9];
        self.read(&mut head)?;
        let [op, len @ ..] = head;
        let head = RecordHead { at, op, len: u64::from_le_bytes(len) };
        if head.len > rest - HEAD_BYTES {
            return Err(Damage::Truncated { at });
        }
        self.next = head.end();
        Ok((op != op::DATA_END && op != op::FOOTER).then_some(head))
    }

    /// The first bytes of the body of the record that was read last; at most so many.
    pub(super) fn body(&mut self, head: RecordHead, bytes_max: u64) -> Result<Vec<u8>, Damage> {
        self.go(head.at + HEAD_BYTES)?;
        let len = usize::try_from(head.len.min(bytes_max).min(RECORD_BYTES_MAX)).unwrap_or(0);
        let mut body = vec![0; len];
        self.read(&mut body)?;
        Ok(body)
    }

    /// All of the body of a record. Behind one that is too long it can be read on.
    ///
    /// # Errors
    /// [`Damage::Part`] for one that is too long, and [`Damage::Unreadable`] for the file.
    pub(super) fn whole_body(&mut self, head: RecordHead) -> Result<Vec<u8>, Damage> {
        if head.len > RECORD_BYTES_MAX {
            return Err(Damage::Part { at: head.at, why: format!("a part of {} bytes", head.len) });
        }
        self.body(head, RECORD_BYTES_MAX)
    }

    /// The record at a place, with the first bytes of its body; at most so many.
    pub(super) fn record_at(&mut self, at: u64, bytes_max: u64) -> Result<(RecordHead, Vec<u8>), Damage> {
        self.next = at;
        let head = self.next()?.ok_or(Damage::Truncated { at })?;
        let body = self.body(head, bytes_max)?;
        Ok((head, body))
    }

    /// Bytes of the file.
    pub(super) fn bytes(&mut self, at: u64, len: u64) -> Result<Vec<u8>, Damage> {
        self.go(at)?;
        let len = len.min(self.len.saturating_sub(at)).min(RECORD_BYTES_MAX);
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    /// Back to the first record.
    pub(super) fn rewind(&mut self) {
        self.next = MAGIC.len() as u64;
    }

    fn go(&mut self, to: u64) -> Result<(), Damage> {
        let by = self.at.and_then(|at| Some(i64::try_from(to).ok()? - i64::try_from(at).ok()?));
        let moved = match by {
            Some(0) => Ok(()),
            Some(by) => self.file.seek_relative(by),
            None => self.file.seek(SeekFrom::Start(to)).map(drop),
        };
        self.at = moved.is_ok().then_some(to);
        moved.map_err(|why| unreadable(to, &why))
    }

    fn read(&mut self, into: &mut [u8]) -> Result<(), Damage> {
        let at = self.at.take().unwrap_or_default();
        self.file.read_exact(into).map_err(|why| unreadable(at, &why))?;
        self.at = Some(at + into.len() as u64);
        Ok(())
    }
}

/// A record by its body. An attachment's checksum is checked.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parsed(op: u8, body: &[u8]) -> Result<Record<'_>, String> {
    if op == op::ATTACHMENT && !has_checksum(body) {
        return Err("an attachment that is shorter than it says".to_owned());
    }
    parse_record(op, body).map_err(|why| why.to_string())
}

/// Whether an attachment has a checksum behind its two times, two texts and a length.
fn has_checksum(body: &[u8]) -> bool {
    let behind_type = || text_at(body, text_at(body, 16)?.1).map(|(_, end)| end);
    behind_type().is_some_and(|end| body.len().saturating_sub(end) >= 12)
}

/// A text with its length before it, and where it ends.
pub(super) fn text_at(body: &[u8], at: usize) -> Option<(String, usize)> {
    let (len, rest) = body.get(at..)?.split_first_chunk()?;
    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
    let text = String::from_utf8_lossy(rest.get(..len)?).into_owned();
    Some((text, at + 4 + len))
}

fn unreadable(at: u64, why: &io::Error) -> Damage {
    Damage::Unreadable { at, why: why.to_string() }
}

/// A number at a place of a record's body.
pub(super) fn u64_at(body: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*body.get(at..)?.first_chunk()?))
}

/// A shorter one.
pub(super) fn u32_at(body: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*body.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_that_is_cut_is_refused_wherever_it_was_cut() {
        let texts = [&4_u32.to_le_bytes()[..], b"name", &4_u32.to_le_bytes(), b"type"].concat();
        let whole = [&[0; 16][..], &texts, &3_u64.to_le_bytes(), b"abc", &[0; 4]].concat();
        assert!(matches!(parsed(op::ATTACHMENT, &whole), Ok(Record::Attachment { .. })));
        for len in 0..whole.len() {
            assert!(parsed(op::ATTACHMENT, &whole[..len]).is_err(), "{len}");
        }
    }
}
