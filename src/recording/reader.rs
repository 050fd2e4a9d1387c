//! Reads a recording back, as much of it as is well.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    path::Path,
};

use mcap::{
    parse_record,
    records::{Metadata, Record, op},
};

use super::{
    chunk,
    format::{COMMANDS_TOPIC, FORM_VERSION, MARKS_TOPIC, METADATA, RecordingInfo, SNAPSHOT_TOPIC},
    records::{RECORD_BYTES_MAX, Records},
};
use crate::{
    tap::{
        entry::Link,
        recorded::{self, DecodeError, OwnedEntry},
    },
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
    let mut reading = RecordingReader {
        records: Records::open(path)?,
        info: RecordingInfo::default(),
        channels: BTreeMap::new(),
        ready: VecDeque::new(),
        done: false,
    };
    // Tools that sort or filter write it elsewhere, or not at all.
    let found = match reading.find_info()? {
        Some(info) => Some(info),
        None => super::index(path)?.info,
    };
    if found.is_none() {
        let why = "nothing says what recorded it: another tool took that away, or it is damaged".to_owned();
        reading.ready.push_back(Err(Damage::Part { at: 0, why }));
    }
    reading.info = found.unwrap_or_default();
    Ok(reading)
}

/// A recording that is being read: its snapshots and entries in the order in which they were written, and
/// what is damaged.
#[derive(Debug)]
pub struct RecordingReader {
    records: Records,
    info: RecordingInfo,
    channels: BTreeMap<u16, Channel>,
    ready: VecDeque<Result<RecordedItem, Damage>>,
    done: bool,
}

#[derive(Clone, Copy, Debug)]
enum Channel {
    Entries,
    Snapshots,
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

    /// What it says in front of its first chunk.
    fn find_info(&mut self) -> Result<Option<RecordingInfo>, OpenError> {
        let ended = |damage| match damage {
            Damage::Unreadable { why, .. } => OpenError::Io(io::Error::other(why)),
            _ => OpenError::NotOurs("it ends within its header"),
        };
        loop {
            let head = self.records.next().map_err(ended)?;
            let Some(head) = head else { return Err(OpenError::NotOurs("it has no header")) };
            if head.op == op::CHUNK {
                self.records.rewind();
                return Ok(None);
            }
            if head.op != op::METADATA {
                continue;
            }
            let body = self.records.body(head, RECORD_BYTES_MAX).map_err(ended)?;
            let Ok(Record::Metadata(metadata)) = parse_record(head.op, &body) else { continue };
            if metadata.name == METADATA {
                return checked_info(&metadata).map(|(_, info)| Some(info));
            }
        }
    }

    /// Takes in the next record.
    fn advance(&mut self) {
        let head = match self.records.next() {
            Ok(Some(head)) => head,
            Ok(None) => return self.done = true,
            Err(damage) => return self.end(damage),
        };
        if head.op != op::CHUNK {
            return;
        }
        if head.len > RECORD_BYTES_MAX {
            let why = format!("a part of {} bytes", head.len);
            return self.ready.push_back(Err(Damage::Part { at: head.at, why }));
        }
        match self.records.body(head, RECORD_BYTES_MAX) {
            Ok(body) => {
                if let Err(why) = self.chunk(&body) {
                    self.ready.push_back(Err(Damage::Part { at: head.at, why }));
                }
            }
            Err(damage) => self.end(damage),
        }
    }

    fn end(&mut self, damage: Damage) {
        self.ready.push_back(Err(damage));
        self.done = true;
    }

    /// Takes in a chunk: all of it or, when it is damaged, nothing.
    fn chunk(&mut self, body: &[u8]) -> Result<(), String> {
        chunk::records(body, |op, data| {
            match parse_record(op, data).map_err(|why| why.to_string())? {
                Record::Channel(channel) => self.channel(channel.id, &channel.topic),
                Record::Message { header, data } => self.message(header, &data),
                _ => {}
            }
            Ok(())
        })
    }

    fn channel(&mut self, id: u16, topic: &str) {
        if topic == SNAPSHOT_TOPIC {
            self.channels.insert(id, Channel::Snapshots);
        } else if [COMMANDS_TOPIC, MARKS_TOPIC].contains(&topic) || Link::from_name(topic).is_some() {
            self.channels.insert(id, Channel::Entries);
        }
    }

    fn message(&mut self, header: mcap::records::MessageHeader, data: &[u8]) {
        let recorded = match self.channels.get(&header.channel_id) {
            Some(Channel::Snapshots) => {
                Ok(RecordedItem::Snapshot { at: Wall(header.publish_time / 1_000_000), bytes: data.to_vec() })
            }
            Some(Channel::Entries) => recorded::decode(data)
                .map(RecordedItem::Entry)
                .map_err(|why| Damage::Entry { seq: header.sequence, why }),
            None => {
                let why = DecodeError::Missing("channel");
                Err(Damage::Entry { seq: header.sequence, why })
            }
        };
        self.ready.push_back(recorded);
    }
}

impl Iterator for RecordingReader {
    type Item = Result<RecordedItem, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.done {
            self.advance();
        }
        self.ready.pop_front()
    }
}
