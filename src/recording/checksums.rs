//! Whether the parts of a file that have no entries are as they were written: attachments, metadata records,
//! the index at its end. Read block by block, whatever a record says of its length.

use std::path::Path;

use mcap::{MAGIC, records::op};

use super::{
    reader::{Damage, OpenError},
    records::{HEAD_BYTES, RecordHead, Records, u32_at},
};

/// Bytes that are read at one time.
const BLOCK_BYTES: u64 = 65_536;
/// A checksum at the end of a record.
const CHECKSUM_BYTES: u64 = 4;
/// The body of a footer: two places and a checksum.
const FOOTER_BYTES: u64 = 20;
const CUT: &str = "the index at its end is cut";
/// Damages of attachments that are listed.
const LISTED_MAX: usize = 64;

/// What is not as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checksums {
    /// Attachments, at most 64, and the index at the end.
    pub parts: Vec<Damage>,
    /// Anything in front of that index: it is damaged where a chunk or an attachment is; where none is, what
    /// lies between them.
    pub data: Option<Damage>,
}

/// Compares the parts of a file with their checksums, where its writer made them. Where the file is
/// truncated, which its reader says, only attachments are compared.
///
/// # Errors
/// It cannot be read, or is no MCAP file.
pub fn checksums(path: &Path) -> Result<Checksums, OpenError> {
    let mut records = Records::open(path)?;
    let mut found = Checksums::default();
    // Where it cannot be read on, nothing more is compared.
    if let Err(damage @ Damage::Part { .. }) = check(&mut records, &mut found) {
        found.parts.push(damage);
    }
    Ok(found)
}

fn check(records: &mut Records, found: &mut Checksums) -> Result<(), Damage> {
    let (mut data, mut end) = (crc32fast::Hasher::new(), MAGIC.len() as u64);
    update(records, &mut data, 0, end)?;
    while let Some(head) = records.next()? {
        if head.op == op::ATTACHMENT
            && found.parts.len() < LISTED_MAX
            && let Some(damage) = attachment(records, head)?
        {
            found.parts.push(damage);
        }
        update(records, &mut data, head.at, head.end())?;
        end = head.end();
    }
    let (head, body) = record(records, end, CHECKSUM_BYTES)?;
    if head.op == op::DATA_END {
        let why = "data checksum mismatch: metadata or something else between its chunks was changed";
        let is_damaged = is_other(u32_at(&body, 0), data.finalize());
        found.data = is_damaged.then(|| Damage::Part { at: MAGIC.len() as u64, why: why.to_owned() });
        index(records, head.end())?;
    }
    Ok(())
}

/// An attachment whose checksum is another.
fn attachment(records: &mut Records, head: RecordHead) -> Result<Option<Damage>, Damage> {
    let at = head.at;
    let cut = |why: &str| Damage::Part { at, why: why.to_owned() };
    if head.len < CHECKSUM_BYTES {
        return Ok(Some(cut("an attachment that is shorter than it says")));
    }
    let end = head.end() - CHECKSUM_BYTES;
    let mut checked = crc32fast::Hasher::new();
    update(records, &mut checked, at + HEAD_BYTES, end)?;
    let said = u32_at(&records.bytes(end, CHECKSUM_BYTES)?, 0);
    Ok(is_other(said, checked.finalize()).then(|| cut("attachment checksum mismatch")))
}

/// The index at the end, from its first record on, is as it was written, and the file ends behind it.
fn index(records: &mut Records, from: u64) -> Result<(), Damage> {
    let damaged = |at, why: &str| Err(Damage::Part { at, why: why.to_owned() });
    let Some(footer) = records.len().checked_sub(HEAD_BYTES + FOOTER_BYTES + MAGIC.len() as u64) else {
        return damaged(from, CUT);
    };
    if footer < from || records.bytes(footer, 1)? != [op::FOOTER] {
        return damaged(from, CUT);
    }
    let at = footer + HEAD_BYTES + FOOTER_BYTES;
    if records.bytes(at, MAGIC.len() as u64)? != MAGIC {
        return damaged(at, CUT);
    }
    let mut checked = crc32fast::Hasher::new();
    update(records, &mut checked, from, at - CHECKSUM_BYTES)?;
    let said = u32_at(&records.bytes(at - CHECKSUM_BYTES, CHECKSUM_BYTES)?, 0);
    if is_other(said, checked.finalize()) {
        return damaged(from, "index checksum mismatch");
    }
    Ok(())
}

/// A record that may be the one behind the data, with the first bytes of its body.
fn record(records: &mut Records, at: u64, bytes_max: u64) -> Result<(RecordHead, Vec<u8>), Damage> {
    let head = records.bytes(at, HEAD_BYTES)?;
    let (Some(op), Some(len)) = (head.first(), head.get(1..).and_then(<[u8]>::first_chunk)) else {
        return Err(Damage::Truncated { at });
    };
    let head = RecordHead { at, op: *op, len: u64::from_le_bytes(*len) };
    Ok((head, records.body(head, bytes_max)?))
}

/// Takes in a part of the file.
fn update(records: &mut Records, checked: &mut crc32fast::Hasher, from: u64, to: u64) -> Result<(), Damage> {
    let mut at = from;
    while at < to {
        let block = records.bytes(at, BLOCK_BYTES.min(to - at))?;
        if block.is_empty() {
            return Err(Damage::Truncated { at });
        }
        checked.update(&block);
        at += block.len() as u64;
    }
    Ok(())
}

/// Whether a checksum is another than it says; 0 says none.
const fn is_other(said: Option<u32>, found: u32) -> bool {
    matches!(said, Some(said) if said != 0 && said != found)
}
