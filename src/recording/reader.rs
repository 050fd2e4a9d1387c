//! Reads a recording back, as much of it as is well.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use mcap::{
    MAGIC, parse_record,
    records::{Record, op},
    sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions},
};

use super::format::{METADATA, RecordingInfo, SNAPSHOT_TOPIC};
use crate::{
    tap::{
        entry::Link,
        recorded::{self, DecodeError, OwnedEntry},
    },
    time::Wall,
};

/// The longest record that is read, compressed or not. It bounds memory, whatever a file says.
const RECORD_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The opcode and the length before each record.
const RECORD_HEAD_BYTES: u64 = 9;

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
    /// It is no recording of rl-console.
    #[error("not a recording of rl-console: {0}")]
    NotOurs(&'static str),
    /// It was recorded by a newer version.
    #[error(
        "the recording has format {form}; this rl-console reads formats up to {}: use version \
         {host_version} or newer",
        recorded::VERSION
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
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    let mut file = BufReader::new(file);
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic).map_err(|_| OpenError::NotOurs("too short"))?;
    if magic != *MAGIC {
        return Err(OpenError::NotOurs("not an MCAP file"));
    }
    let mut reading = RecordingReader {
        file,
        len,
        at: MAGIC.len() as u64,
        info: RecordingInfo { host_version: String::new(), station_started: Wall(0) },
        channels: BTreeMap::new(),
        ready: VecDeque::new(),
        done: false,
    };
    reading.info = reading.find_info()?;
    Ok(reading)
}

/// A recording that is being read: its snapshots and entries in the order in which they were written, and
/// what is damaged.
#[derive(Debug)]
pub struct RecordingReader {
    file: BufReader<File>,
    len: u64,
    at: u64,
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

/// A record of the file, or what stands in its place.
enum Part {
    Whole { at: u64, op: u8, body: Vec<u8> },
    Skipped { at: u64, len: u64 },
    End,
}

impl RecordingReader {
    /// What the recording says about itself.
    #[must_use]
    pub fn info(&self) -> &RecordingInfo {
        &self.info
    }

    fn find_info(&mut self) -> Result<RecordingInfo, OpenError> {
        loop {
            let part = self.part().map_err(|_| OpenError::NotOurs("it ends within its header"))?;
            let Part::Whole { op, body, .. } = part else {
                return Err(OpenError::NotOurs("it has no header"));
            };
            if op == op::CHUNK {
                return Err(OpenError::NotOurs("it has no header"));
            }
            let Ok(Record::Metadata(metadata)) = parse_record(op, &body) else { continue };
            if metadata.name != METADATA {
                continue;
            }
            let (form, about) = RecordingInfo::from_metadata(&metadata.metadata)
                .ok_or(OpenError::NotOurs("its header is damaged"))?;
            if form > recorded::VERSION {
                return Err(OpenError::Newer { form, host_version: about.host_version });
            }
            return Ok(about);
        }
    }

    /// The next record of the file.
    fn part(&mut self) -> Result<Part, Damage> {
        let at = self.at;
        let rest = self.len.saturating_sub(at);
        if rest < RECORD_HEAD_BYTES {
            return Err(Damage::Truncated { at });
        }
        let mut head = [0; 9];
        self.file.read_exact(&mut head).map_err(|why| unreadable(at, &why))?;
        let [op, len @ ..] = head;
        let len = u64::from_le_bytes(len);
        if len > rest - RECORD_HEAD_BYTES {
            return Err(Damage::Truncated { at });
        }
        self.at = at + RECORD_HEAD_BYTES + len;
        if op == op::DATA_END || op == op::FOOTER {
            return Ok(Part::End);
        }
        let Ok(size) = usize::try_from(len.min(RECORD_BYTES_MAX + 1)) else {
            return Ok(Part::Skipped { at, len });
        };
        if len > RECORD_BYTES_MAX {
            self.file.seek(SeekFrom::Start(self.at)).map_err(|why| unreadable(at, &why))?;
            return Ok(Part::Skipped { at, len });
        }
        let mut body = vec![0; size];
        self.file.read_exact(&mut body).map_err(|why| unreadable(at, &why))?;
        Ok(Part::Whole { at, op, body })
    }

    /// Takes in the next record.
    fn advance(&mut self) {
        match self.part() {
            Ok(Part::Whole { at, op: op::CHUNK, body }) => {
                if let Err(why) = self.chunk(&body) {
                    self.ready.push_back(Err(Damage::Part { at, why: why.to_string() }));
                }
            }
            Ok(Part::Whole { .. }) => {}
            Ok(Part::Skipped { at, len }) => {
                self.ready.push_back(Err(Damage::Part { at, why: format!("a part of {len} bytes") }));
            }
            Ok(Part::End) => self.done = true,
            Err(damage) => {
                self.ready.push_back(Err(damage));
                self.done = true;
            }
        }
    }

    /// Takes in a chunk: all of it or, when it is damaged, nothing.
    fn chunk(&mut self, body: &[u8]) -> Result<(), mcap::McapError> {
        let options = LinearReaderOptions {
            skip_start_magic: true,
            skip_end_magic: true,
            prevalidate_chunk_crcs: true,
            record_length_limit: Some(usize::try_from(RECORD_BYTES_MAX).unwrap_or(usize::MAX)),
            ..LinearReaderOptions::default()
        };
        let mut reader = LinearReader::new_with_options(options);
        let head = [&[op::CHUNK][..], &(body.len() as u64).to_le_bytes()].concat();
        let mut input = head.as_slice().chain(body);
        while let Some(event) = reader.next_event() {
            match event? {
                LinearReadEvent::ReadRequest(wanted) => {
                    let read = input.read(reader.insert(wanted))?;
                    reader.notify_read(read);
                }
                LinearReadEvent::Record { opcode, data } => match parse_record(opcode, data)? {
                    Record::Channel(channel) => self.channel(channel.id, &channel.topic),
                    Record::Message { header, data } => self.message(header, &data),
                    _ => {}
                },
            }
        }
        Ok(())
    }

    fn channel(&mut self, id: u16, topic: &str) {
        if topic == SNAPSHOT_TOPIC {
            self.channels.insert(id, Channel::Snapshots);
        } else if Link::ALL.iter().any(|link| link.name() == topic) {
            self.channels.insert(id, Channel::Entries);
        }
    }

    fn message(&mut self, header: mcap::records::MessageHeader, data: &[u8]) {
        let recorded = match self.channels.get(&header.channel_id) {
            Some(Channel::Snapshots) => {
                Ok(RecordedItem::Snapshot { at: Wall(header.log_time / 1_000_000), bytes: data.to_vec() })
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

fn unreadable(at: u64, why: &io::Error) -> Damage {
    Damage::Unreadable { at, why: why.to_string() }
}
