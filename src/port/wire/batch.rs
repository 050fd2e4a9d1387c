//! The tap's entries in batches, encoded once for all that read them.

use prost::{
    bytes::Buf as _,
    encoding::{decode_varint, encode_varint},
};
use serde::{Deserialize, Serialize};

use super::{
    VERSION,
    bytes::{Bin, WireError, envelope, expect_version, payload},
};
use crate::{
    ids::Seq,
    tap::{
        EntryRef,
        recorded::{self, DecodeError, EncodedEntry, OwnedEntry},
    },
};

/// The type of a batch's body.
const ENTRY_TYPE: &str = "observation.tap.entry.v1";

#[derive(Debug, Serialize, Deserialize)]
struct Payload<'a> {
    v: u64,
    first: u64,
    count: u64,
    #[serde(borrow)]
    entries: Bin<'a>,
}

/// Entries that follow each other without a gap, to be sent. One without any says where the tap stands.
#[derive(Debug)]
pub struct BatchDraft {
    first: Seq,
    count: u64,
    bytes: Vec<u8>,
}

impl BatchDraft {
    /// An empty one, the next entry being at `first`.
    #[must_use]
    pub fn new(first: Seq) -> Self {
        Self { first, count: 0, bytes: Vec::new() }
    }

    /// The place of the entry that would be next.
    #[must_use]
    pub fn next(&self) -> Seq {
        Seq(self.first.0.saturating_add(self.count))
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of their recorded forms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the next entry: its length as a varint, then its recorded form. One that alone is longer than
    /// `bytes_max` loses what is too much of the bytes beside it.
    pub fn push(&mut self, entry: EntryRef<'_>, bytes_max: usize) {
        append_entry(entry, bytes_max, &mut self.bytes);
        self.count += 1;
    }

    /// The body, and an empty draft behind it.
    #[must_use]
    pub fn take_body(&mut self) -> Vec<u8> {
        let body = envelope(
            ENTRY_TYPE,
            &Payload { v: VERSION, first: self.first.0, count: self.count, entries: Bin(&self.bytes) },
        );
        self.first = self.next();
        self.count = 0;
        self.bytes.clear();
        body
    }

    /// Goes on from another place. What was not sent is gone.
    pub fn begin_at(&mut self, first: Seq) {
        (self.first, self.count) = (first, 0);
        self.bytes.clear();
    }
}

fn append_entry(entry: EntryRef<'_>, bytes_max: usize, to: &mut Vec<u8>) {
    let form = EncodedEntry::new(entry).cut_to(bytes_max);
    encode_varint(form.len() as u64, to);
    form.append_to(to);
}

/// One entry as a batch has it: its length as a varint, then its recorded form.
pub(in crate::port) fn encode_entry(entry: EntryRef<'_>, bytes_max: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    append_entry(entry, bytes_max, &mut bytes);
    bytes
}

/// Entries as they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch<'a> {
    /// The place of the first, or where the tap stands.
    pub first: Seq,
    /// How many there are.
    pub count: u64,
    /// Their recorded forms, each behind its length.
    pub entries: &'a [u8],
}

impl<'a> Batch<'a> {
    /// Reads a batch's body.
    ///
    /// # Errors
    /// [`WireError`] for what is no batch.
    pub fn read(body: &'a [u8]) -> Result<Self, WireError> {
        let Payload { v, first, count, entries: Bin(entries) } = payload(body)?;
        expect_version(v)?;
        Ok(Self { first: Seq(first), count, entries })
    }
}

/// The entries of a batch. One of a kind that this version does not know is an error, and the next follows
/// it.
pub fn entries(mut bytes: &[u8]) -> impl Iterator<Item = Result<OwnedEntry, DecodeError>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let entry = decode_varint(&mut bytes)
            .ok()
            .and_then(|len| usize::try_from(len).ok())
            .and_then(|len| bytes.get(..len));
        let Some(entry) = entry else {
            bytes = &[];
            return Some(Err(DecodeError::Invalid("batch")));
        };
        bytes.advance(entry.len());
        Some(recorded::decode(entry))
    })
}
