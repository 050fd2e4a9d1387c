//! Makes a whole file of one that is not: all that can be read of it, with an index.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Seek, Write},
    path::Path,
};

use mcap::{
    Attachment, Compression, McapError, WriteOptions,
    records::{MessageHeader, Record, op},
};

use super::{
    channels::Channels,
    chunk,
    format::{ENCODING, MADE_BY, METADATA, SNAPSHOT_TOPIC, topic_of},
    index::RecordingIndex,
    reader::{Damage, OpenError, RecordedItem},
    records::{Records, parsed},
    unlink_on_drop::UnlinkOnDrop,
    writer::WriteError,
};
use crate::{private_files, tap::recorded};

/// Bytes and messages after which a chunk of the copy is written, where that of the file is longer or there
/// is none.
const CHUNK_BYTES: usize = 1_048_576;
const CHUNK_MESSAGES: usize = 65_536;
/// Damages that are kept of a file; further ones are counted.
const DAMAGES_MAX: usize = 64;

/// What was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Messages in it.
    pub messages: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// What is missing of the other one, at most 64.
    pub damages: Vec<Damage>,
    /// How many further ones there are.
    pub more_damages: u64,
}

/// Why none was made.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The file is no recording, or cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is nothing in it, or nothing that can be read.
    #[error("nothing in it can be read")]
    Nothing,
    /// The other file cannot be written. One that exists is left alone.
    #[error("cannot write the repaired recording: {0}")]
    Write(io::Error),
}

impl From<McapError> for RepairError {
    fn from(error: McapError) -> Self {
        Self::Write(WriteError::from(error).into())
    }
}

/// Writes all that can be read of a file into another one, which is whole.
///
/// # Errors
/// The file is no recording, or nothing in it can be read; the other one exists, or cannot be written.
pub fn repair(from: &Path, to: &Path) -> Result<Repaired, RepairError> {
    // A file that is none of ours makes none.
    let index = super::index(from)?;
    let mut records = Records::open(from)?;
    let file = private_files::create_new(to).map_err(RepairError::Write)?;
    // Half of a file is of no use.
    let made = UnlinkOnDrop::at(to);
    let (repaired, file) = Copy::into(file, index)?.all(&mut records)?;
    if repaired.messages == 0 {
        return Err(RepairError::Nothing);
    }
    file.sync_all().map_err(RepairError::Write)?;
    made.keep();
    Ok(repaired)
}

/// A copy that is being made.
struct Copy<W: Write + Seek> {
    mcap: mcap::Writer<W>,
    /// The schemas and channels of the copy, by those of the file.
    schemas: BTreeMap<u16, u16>,
    channels: BTreeMap<u16, u16>,
    /// The channel of snapshots in the copy.
    snapshots: Option<u16>,
    /// What is known of channels whose part of the file cannot be read.
    known: Channels,
    /// Where the file's chunks with keyframes are.
    keyframes: BTreeSet<u64>,
    /// Bytes and messages of the open chunk.
    open: (usize, usize),
    made: Repaired,
}

impl<W: Write + Seek> Copy<W> {
    fn into(file: W, index: RecordingIndex) -> Result<Self, RepairError> {
        let mcap = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_threads(0)
            .chunk_size(None)
            .library(concat!("rl-console/", env!("CARGO_PKG_VERSION")))
            .create(file)?;
        Ok(Self {
            mcap,
            schemas: BTreeMap::new(),
            channels: BTreeMap::new(),
            snapshots: None,
            known: Channels(index.channels),
            keyframes: index.chunks.iter().filter(|it| it.has_keyframe).map(|it| it.at).collect(),
            open: (0, 0),
            made: Repaired::default(),
        })
    }

    fn all(mut self, records: &mut Records) -> Result<(Repaired, W), RepairError> {
        while let Some(head) = records.next().transpose() {
            match head.and_then(|head| Ok((head, records.whole_body(head)?))) {
                Ok((head, body)) => self.record(head.at, head.op, &body)?,
                Err(damage) => {
                    let can_go_on = matches!(damage, Damage::Part { .. });
                    self.damage(damage);
                    if !can_go_on {
                        break;
                    }
                }
            }
        }
        self.mcap.finish()?;
        let mut file = self.mcap.into_inner();
        self.made.bytes = file.stream_position().map_err(RepairError::Write)?;
        Ok((self.made, file))
    }

    fn damage(&mut self, damage: Damage) {
        if self.made.damages.len() < DAMAGES_MAX {
            self.made.damages.push(damage);
        } else {
            self.made.more_damages += 1;
        }
    }

    /// Copies a record of the file.
    fn record(&mut self, at: u64, op: u8, body: &[u8]) -> Result<(), RepairError> {
        if op == op::CHUNK {
            return self.chunk(at, body);
        }
        if ![op::SCHEMA, op::CHANNEL, op::MESSAGE, op::METADATA, op::ATTACHMENT].contains(&op) {
            return Ok(());
        }
        match parsed(op, body) {
            Ok(record) => self.parsed(at, record),
            Err(why) => {
                self.damage(Damage::Part { at, why });
                Ok(())
            }
        }
    }

    /// Copies a chunk: all of it or, when it is damaged, nothing.
    fn chunk(&mut self, at: u64, body: &[u8]) -> Result<(), RepairError> {
        self.flush()?;
        let mut records = Vec::new();
        let read = chunk::records(body, |record| records.push(record.into_owned()));
        if let Err(why) = read {
            self.damage(Damage::Part { at, why });
            return Ok(());
        }
        for record in records {
            self.parsed(at, record)?;
        }
        // Its chunks are those of the file.
        self.flush()
    }

    fn flush(&mut self) -> Result<(), RepairError> {
        self.open = (0, 0);
        Ok(self.mcap.flush()?)
    }

    fn parsed(&mut self, at: u64, record: Record<'_>) -> Result<(), RepairError> {
        match record {
            Record::Schema { header, data } => {
                let id = self.mcap.add_schema(&header.name, &header.encoding, &data)?;
                self.schemas.insert(header.id, id);
            }
            Record::Channel(channel) => {
                let schema = self.schemas.get(&channel.schema_id).copied().unwrap_or_default();
                let id = self.mcap.add_channel(
                    schema,
                    &channel.topic,
                    &channel.message_encoding,
                    &channel.metadata,
                )?;
                self.channels.insert(channel.id, id);
                if channel.topic == SNAPSHOT_TOPIC {
                    self.snapshots = Some(id);
                }
            }
            Record::Message { header, data } => return self.message(at, header, &data),
            Record::Metadata(mut metadata) => {
                // What is repaired is the operator's: the station deletes only what it made itself.
                if metadata.name == METADATA {
                    metadata.metadata.remove(MADE_BY);
                }
                self.mcap.write_metadata(&metadata)?;
            }
            Record::Attachment { header, data, .. } => self.mcap.attach(&Attachment {
                log_time: header.log_time,
                create_time: header.create_time,
                name: header.name,
                media_type: header.media_type,
                data,
            })?,
            _ => {}
        }
        Ok(())
    }

    fn message(&mut self, at: u64, header: MessageHeader, data: &[u8]) -> Result<(), RepairError> {
        let known = self.channels.get(&header.channel_id).copied();
        let Some(channel_id) = known.map_or_else(|| self.channel_of(at, header, data), |id| Ok(Some(id)))?
        else {
            self.damage(Damage::Part { at, why: "a message of no channel".to_owned() });
            return Ok(());
        };
        // A keyframe is in a chunk of its own.
        let is_keyframe = self.snapshots == Some(channel_id);
        if is_keyframe {
            self.flush()?;
        }
        self.mcap.write_to_known_channel(&MessageHeader { channel_id, ..header }, data)?;
        self.made.messages += 1;
        self.open = (self.open.0 + data.len(), self.open.1 + 1);
        if is_keyframe || self.open.0 >= CHUNK_BYTES || self.open.1 >= CHUNK_MESSAGES {
            self.flush()?;
        }
        Ok(())
    }

    /// The channel of a message by what it is, where that of the file cannot be read.
    fn channel_of(
        &mut self,
        at: u64,
        header: MessageHeader,
        data: &[u8],
    ) -> Result<Option<u16>, RepairError> {
        let (topic, schema) = match self.known.item(self.keyframes.contains(&at), header, data) {
            Ok(RecordedItem::Snapshot { .. }) => (SNAPSHOT_TOPIC, recorded::SNAPSHOT_MESSAGE),
            Ok(RecordedItem::Entry(entry)) => (topic_of(&entry.entry), recorded::ENTRY_MESSAGE),
            Err(_) => return Ok(None),
        };
        let schema = self.mcap.add_schema(schema, ENCODING, recorded::DESCRIPTOR)?;
        let id = self.mcap.add_channel(schema, topic, ENCODING, &BTreeMap::new())?;
        if topic == SNAPSHOT_TOPIC {
            self.snapshots = Some(id);
        }
        Ok(Some(id))
    }
}
