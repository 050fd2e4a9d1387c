//! Reads a recording back, as much of it as is well.

use std::{collections::BTreeSet, io, path::Path};

use mcap::records::{Metadata, op};

use super::{
    channels::Channels,
    chunk::{self, Items},
    format::{FORM_VERSION, RecordingInfo},
    index::TEXT_BYTES_MAX,
    records::{RecordHead, Records, text_at},
};
use crate::{
    ids::Seq,
    tap::recorded::{DecodeError, OwnedEntry},
    time::Wall,
};

/// One thing in a recording.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one is read at a time, and nearly all are entries")]
pub enum RecordedItem {
    /// A snapshot in its recorded form.
    Snapshot {
        /// When it was taken.
        at: Wall,
        /// The message.
        bytes: Vec<u8>,
    },
    /// An entry.
    Entry(OwnedEntry),
}

/// What is said of a file that another tool made of several.
pub const MERGED: &str = "the recording was merged from several starts of the station: use the recordings \
                          that it was merged from";

/// A part of a recording that cannot be read. What lies behind it may be well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The file ends early: its writer was killed, or the file was cut. Nothing lies behind.
    #[error("the recording is truncated at byte {at}: the last entries are missing")]
    Truncated {
        /// The first byte that is not whole.
        at: u64,
    },
    /// A part of the file is not what was written.
    #[error("the recording is damaged at byte {at}: {why}")]
    Part {
        /// Where it begins.
        at: u64,
        /// The fault.
        why: String,
    },
    /// An entry is not of this version, or damaged.
    #[error("cannot read entry {seq} of the recording: {why}")]
    Entry {
        /// The low 32 bits of its place in the tap.
        seq: u32,
        /// The fault.
        why: DecodeError,
    },
    /// Messages are outside of chunks, where none is read.
    #[error(
        "messages from byte {at} of the recording on are outside of chunks: `rl-console recording repair IN OUT` \
         writes a file that can be read"
    )]
    Unchunked {
        /// The first of them.
        at: u64,
    },
    /// An entry comes behind a later one, or is there again.
    #[error("entry {seq} comes after entry {last}: {}", MERGED)]
    Restarted {
        /// Its place in the tap.
        seq: Seq,
        /// That of the last one in front of it.
        last: Seq,
    },
    /// The file cannot be read any further.
    #[error("cannot read the recording at byte {at}: {why}")]
    Unreadable {
        /// Where.
        at: u64,
        /// What the system says.
        why: String,
    },
}

/// Why a file is not opened as a recording.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error("cannot open the recording: {0}")]
    Io(#[from] io::Error),
    /// It is a folder.
    #[error("it is a folder")]
    Folder,
    /// It is no recording of rl-console.
    #[error("not a recording of rl-console: {0}")]
    NotOurs(&'static str),
    /// It was recorded by a newer version.
    #[error(
        "the recording has format {form}; this rl-console reads formats up to {}: use version \
         {host_version} or newer",
        FORM_VERSION
    )]
    Newer {
        /// The version of its form.
        form: u32,
        /// The program that recorded it.
        host_version: String,
    },
}

/// Opens a recording.
///
/// # Errors
/// It cannot be read, is no recording, or was made by a newer version.
pub fn read(path: &Path) -> Result<RecordingReader, OpenError> {
    let index = super::index(path)?;
    let mut ready = Items::new();
    if index.info.is_none() {
        let why = "nothing says what recorded it: another tool took that away, or it is damaged".to_owned();
        ready.push_back(Err(Damage::Part { at: 0, why }));
    }
    Ok(RecordingReader {
        records: Records::open(path)?,
        info: index.info.unwrap_or_default(),
        channels: Channels(index.channels),
        keyframes: index.chunks.iter().filter(|it| it.has_keyframe).map(|it| it.at).collect(),
        ready,
        is_unchunked: false,
        done: false,
    })
}

/// A recording that is being read: its snapshots and entries in the order in which they were written, and
/// what is damaged.
#[derive(Debug)]
pub struct RecordingReader {
    records: Records,
    info: RecordingInfo,
    channels: Channels,
    /// Where its chunks with keyframes are.
    keyframes: BTreeSet<u64>,
    ready: Items,
    /// Whether it was said that messages are outside of chunks.
    is_unchunked: bool,
    done: bool,
}

/// What a recording says about itself, where this program reads such.
pub(super) fn checked_info(metadata: &Metadata) -> Result<(u32, RecordingInfo), OpenError> {
    let (form, info) = RecordingInfo::from_metadata(&metadata.metadata)
        .ok_or(OpenError::NotOurs("its header is damaged"))?;
    if form > FORM_VERSION {
        return Err(OpenError::Newer { form, host_version: info.host_version });
    }
    Ok((form, info))
}

impl RecordingReader {
    /// What the recording says about itself.
    #[must_use]
    pub fn info(&self) -> &RecordingInfo {
        &self.info
    }

    /// Takes in the next record.
    fn advance(&mut self) {
        let head = match self.records.next() {
            Ok(Some(head)) => head,
            Ok(None) => return self.done = true,
            Err(damage) => return self.end(damage),
        };
        match head.op {
            op::CHUNK => self.chunk(head),
            op::CHANNEL => self.channel_outside(head),
            op::MESSAGE if !std::mem::replace(&mut self.is_unchunked, true) => {
                self.ready.push_back(Err(Damage::Unchunked { at: head.at }));
            }
            _ => {}
        }
    }

    fn end(&mut self, damage: Damage) {
        self.ready.push_back(Err(damage));
        self.done = true;
    }

    fn chunk(&mut self, head: RecordHead) {
        let has_keyframe = self.keyframes.contains(&head.at);
        match chunk::items(&mut self.records, head, has_keyframe, &mut self.channels) {
            Ok(items) => self.ready.extend(items),
            Err(damage @ Damage::Part { .. }) => self.ready.push_back(Err(damage)),
            Err(damage) => self.end(damage),
        }
    }

    /// A channel that is not in a chunk.
    fn channel_outside(&mut self, head: RecordHead) {
        let Ok(body) = self.records.body(head, TEXT_BYTES_MAX) else { return };
        let id = body.first_chunk().map(|id| u16::from_le_bytes(*id));
        if let Some((id, (topic, _))) = id.zip(text_at(&body, 4)) {
            self.channels.insert(id, &topic);
        }
    }
}

impl Iterator for RecordingReader {
    type Item = Result<RecordedItem, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.done {
            self.advance();
        }
        Some(self.ready.pop_front()?.map(|placed| placed.item))
    }
}
