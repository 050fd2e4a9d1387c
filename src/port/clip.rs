//! What just happened, for who saves it in a file of their own: the state that it begins with, then its
//! entries, page by page, masked as in the station's recordings.

use serde::{Deserialize, Serialize};

use super::{PAGE_BYTES_MAX, PageBytes, wire};
use crate::{ids::Seq, tap::EntryRef, time::Now};

/// What a clip begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipHead {
    /// The version of the station's program.
    pub version: String,
    /// The start of the station.
    pub started: Now,
    /// By how many rules values are masked in it (`recording.redact`).
    pub redact_rules: u64,
    /// When the state held.
    pub at: Now,
    /// The state: a snapshot in its recorded form.
    pub snapshot: PageBytes,
    /// What is kept with it.
    pub attachments: Vec<ClipAttachment>,
    /// The first entry behind that state.
    pub from: Seq,
    /// The entry behind its last one.
    pub until: Seq,
}

/// A file that is kept with a clip.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipAttachment {
    /// Its name.
    pub name: String,
    /// What it is, such as `application/json`.
    pub media_type: String,
    /// Its content.
    pub bytes: PageBytes,
    /// The length of the content, where that is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
}

/// Entries of a clip that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipPage {
    /// Entries in front of them that the tap no longer keeps.
    pub lost: u64,
    /// Their recorded forms, each behind its length as a varint.
    pub entries: PageBytes,
    /// The entry behind the last of them.
    pub next: Seq,
}

impl ClipPage {
    /// An empty one, whose first entry would be this one.
    #[must_use]
    pub const fn at(next: Seq) -> Self {
        Self { lost: 0, entries: PageBytes(Vec::new()), next }
    }

    /// Adds the next entry. One that alone is longer than `bytes_max` loses what is too much of the bytes
    /// beside it.
    pub fn push(&mut self, entry: EntryRef<'_>, bytes_max: usize) {
        self.entries.0.extend(wire::encode_entry(entry, bytes_max));
        self.next = entry.entry.seq.next();
    }

    /// Whether one message carries no more.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.entries.0.len() >= PAGE_BYTES_MAX / 2
    }
}
