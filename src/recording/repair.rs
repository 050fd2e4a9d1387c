//! Makes a whole file of one that is not: all that can be read of it, with an index.

use std::{
    collections::BTreeMap,
    io::{self, Seek, Write},
    path::Path,
};

use mcap::{
    Attachment, Compression, McapError, WriteOptions, parse_record,
    records::{MessageHeader, Record, op},
};

use super::{
    chunk,
    format::{MADE_BY, METADATA},
    reader::{Damage, OpenError},
    records::{RECORD_BYTES_MAX, Records},
};
use crate::private_files;

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
    /// The other file cannot be written. One that exists is left alone.
    #[error("cannot write the repaired recording: {0}")]
    Write(io::Error),
}

impl From<McapError> for RepairError {
    fn from(error: McapError) -> Self {
        Self::Write(match error {
            McapError::Io(error) => error,
            other => io::Error::other(other),
        })
    }
}

/// Writes all that can be read of a file into another one, which is whole.
///
/// # Errors
/// The file is no recording; the other one exists, or cannot be written.
pub fn repair(from: &Path, to: &Path) -> Result<Repaired, RepairError> {
    // A file that is none of ours makes none.
    super::index(from)?;
    let mut records = Records::open(from)?;
    let file = private_files::create_new(to).map_err(RepairError::Write)?;
    let made = Copy::into(file).and_then(|copy| {
        let (made, file) = copy.all(&mut records)?;
        file.sync_all().map_err(RepairError::Write)?;
        Ok(made)
    });
    if made.is_err() {
        // Half of a file is of no use.
        let _ = std::fs::remove_file(to);
    }
    made
}

/// A copy that is being made.
struct Copy<W: Write + Seek> {
    mcap: mcap::Writer<W>,
    /// The schemas and channels of the copy, by those of the file.
    schemas: BTreeMap<u16, u16>,
    channels: BTreeMap<u16, u16>,
    made: Repaired,
}

impl<W: Write + Seek> Copy<W> {
    fn into(file: W) -> Result<Self, RepairError> {
        let mcap = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_threads(0)
            .chunk_size(None)
            .library(concat!("rl-console/", env!("CARGO_PKG_VERSION")))
            .create(file)?;
        let (schemas, channels) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { mcap, schemas, channels, made: Repaired::default() })
    }

    fn all(mut self, records: &mut Records) -> Result<(Repaired, W), RepairError> {
        loop {
            match records.next() {
                Ok(Some(head)) if head.len > RECORD_BYTES_MAX => {
                    self.damage(Damage::Part { at: head.at, why: format!("a part of {} bytes", head.len) });
                }
                Ok(Some(head)) => match records.body(head, RECORD_BYTES_MAX) {
                    Ok(body) => self.record(head.at, head.op, &body)?,
                    Err(damage) => {
                        self.damage(damage);
                        break;
                    }
                },
                Ok(None) => break,
                Err(damage) => {
                    self.damage(damage);
                    break;
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

    fn record(&mut self, at: u64, op: u8, body: &[u8]) -> Result<(), RepairError> {
        if op == op::CHUNK {
            let mut records = Vec::new();
            let read = chunk::records(body, |op, body| {
                records.push((op, body.to_vec()));
                Ok(())
            });
            if let Err(why) = read {
                self.damage(Damage::Part { at, why });
                return Ok(());
            }
            for (op, body) in records {
                if op == op::CHUNK {
                    self.damage(Damage::Part { at, why: "a chunk within a chunk".to_owned() });
                } else {
                    self.record(at, op, &body)?;
                }
            }
            // Its chunks are the file's: a keyframe stays the first of one.
            return Ok(self.mcap.flush()?);
        }
        match parse_record(op, body) {
            Ok(Record::Schema { header, data }) => {
                let id = self.mcap.add_schema(&header.name, &header.encoding, &data)?;
                self.schemas.insert(header.id, id);
            }
            Ok(Record::Channel(channel)) => {
                let schema = self.schemas.get(&channel.schema_id).copied().unwrap_or_default();
                let id = self.mcap.add_channel(
                    schema,
                    &channel.topic,
                    &channel.message_encoding,
                    &channel.metadata,
                )?;
                self.channels.insert(channel.id, id);
            }
            Ok(Record::Message { header, data }) => {
                let Some(channel_id) = self.channels.get(&header.channel_id).copied() else {
                    self.damage(Damage::Part { at, why: "a message of no channel".to_owned() });
                    return Ok(());
                };
                self.mcap.write_to_known_channel(&MessageHeader { channel_id, ..header }, &data)?;
                self.made.messages += 1;
            }
            Ok(Record::Metadata(mut metadata)) => {
                // What is mended is the operator's: the station deletes only what it made itself.
                if metadata.name == METADATA {
                    metadata.metadata.remove(MADE_BY);
                }
                self.mcap.write_metadata(&metadata)?;
            }
            Ok(Record::Attachment { header, data, .. }) => self.mcap.attach(&Attachment {
                log_time: header.log_time,
                create_time: header.create_time,
                name: header.name,
                media_type: header.media_type,
                data,
            })?,
            Ok(_) => {}
            Err(why) => self.damage(Damage::Part { at, why: why.to_string() }),
        }
        Ok(())
    }
}
