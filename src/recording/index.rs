//! Where things are in a recording: by the index at its end, or, where there is none, from the heads of its
//! records. Nothing that is compressed is read for it.

use std::{collections::BTreeMap, path::Path};

use mcap::{
    MAGIC, parse_record,
    records::{Footer, Record, op},
};

use super::{
    chunk,
    format::{METADATA, RecordingInfo, SNAPSHOT_TOPIC, TALLY},
    reader::{Damage, OpenError, checked_info},
    records::{RECORD_BYTES_MAX, RecordHead, Records},
    tally::Tally,
};
use crate::tap::recorded;

/// Chunks, and tallies, of a file that are known; those behind them are not.
const PLACES_MAX: usize = 1_000_000;
/// The heads of attachments: two times, two texts.
const ATTACHMENT_BYTES_MAX: u64 = 4_096;
/// Bytes of a metadata record that are read.
const METADATA_BYTES_MAX: u64 = 65_536;
/// What a chunk says of itself before its records: two times, a length, a checksum.
const CHUNK_HEAD_BYTES: u64 = 28;
/// An index of a chunk's messages of one channel: its head, the channel with a length, and a message.
const MESSAGE_INDEX_BYTES: (u64, u64, u64) = (9, 6, 16);
/// The footer with its head, and the magic bytes at the end.
const END_BYTES: u64 = 9 + 20 + MAGIC.len() as u64;

/// A chunk of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// Its first byte in the file.
    pub at: u64,
    /// Its length.
    pub len: u64,
    /// The `log_time` of its first message, in nanoseconds.
    pub start_ns: u64,
    /// That of its last.
    pub end_ns: u64,
    /// Whether a keyframe is in it.
    pub has_keyframe: bool,
    /// Its messages, as far as the indexes behind it tell.
    pub messages: u64,
}

/// Where things are in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingIndex {
    /// What it says about itself; nothing where another tool took that away.
    pub info: Option<RecordingInfo>,
    /// The version of its form; 2 where nothing is said.
    pub form: u32,
    /// Its length in bytes.
    pub bytes: u64,
    /// In the order of the file.
    pub chunks: Vec<ChunkPlace>,
    /// What there was so far, by the place in the file.
    pub tallies: Vec<(u64, Tally)>,
    /// The names of what is attached.
    pub attachments: Vec<String>,
    /// The topics of its channels, of a file that was finished.
    pub channels: BTreeMap<u16, String>,
    /// Messages by channel, of a file that was finished.
    pub messages: Option<BTreeMap<String, u64>>,
    /// Why it was not read to its end.
    pub damage: Option<Damage>,
}

/// Finds where things are in a recording.
///
/// # Errors
/// It cannot be read, is no recording, or was made by a newer version.
pub fn index(path: &Path) -> Result<RecordingIndex, OpenError> {
    let mut records = Records::open(path)?;
    let summary = from_summary(&mut records)?;
    if let Some(index) = summary.as_ref().filter(|index| index.info.is_some()) {
        return Ok(index.clone());
    }
    // Another tool may have left out the places of what it kept.
    records.rewind();
    let hopped = by_hopping(&mut records)?;
    Ok(match summary {
        Some(RecordingIndex { messages, channels, .. }) => RecordingIndex { channels, messages, ..hopped },
        None => hopped,
    })
}

/// Whether a schema is one of ours: what another program recorded is none of our files.
fn is_ours(schema: &str) -> bool {
    [recorded::ENTRY_MESSAGE, recorded::SNAPSHOT_MESSAGE].contains(&schema)
}

impl RecordingIndex {
    fn empty(bytes: u64) -> Self {
        Self {
            info: None,
            form: super::format::FORM_VERSION,
            bytes,
            chunks: Vec::new(),
            tallies: Vec::new(),
            attachments: Vec::new(),
            channels: BTreeMap::new(),
            messages: None,
            damage: None,
        }
    }

    /// Whether its writer finished it: it has an index of its own.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.messages.is_some()
    }

    /// Notes a chunk; one without messages has only schemas and channels, and no times.
    fn chunk(&mut self, head: RecordHead, body: &[u8], is_behind_tally: bool) {
        // A file of form 1 begins with its snapshot.
        let has_keyframe = is_behind_tally || (self.form == 1 && self.chunks.is_empty());
        let Some(chunk) = chunk_place(head, body, has_keyframe).filter(|chunk| chunk.end_ns > 0) else {
            return;
        };
        if self.chunks.len() < PLACES_MAX {
            self.chunks.push(chunk);
        } else {
            let why = format!("more than {PLACES_MAX} chunks");
            self.damage = Some(Damage::Part { at: head.at, why });
        }
    }

    fn metadata(&mut self, at: u64, body: &[u8]) -> Result<(), OpenError> {
        let Ok(Record::Metadata(metadata)) = parse_record(op::METADATA, body) else { return Ok(()) };
        if metadata.name == METADATA {
            let (form, info) = checked_info(&metadata)?;
            (self.form, self.info) = (form, Some(info));
        } else if metadata.name == TALLY && self.tallies.len() < PLACES_MAX {
            self.tallies.push((at, Tally::from_metadata(&metadata.metadata)));
        }
        Ok(())
    }
}

/// By the index that its writer left; nothing where there is none, or where it is damaged.
fn from_summary(records: &mut Records) -> Result<Option<RecordingIndex>, OpenError> {
    let len = records.len();
    let Some(end) = len.checked_sub(END_BYTES) else { return Ok(None) };
    let Ok(footer) = records.bytes(end, END_BYTES) else { return Ok(None) };
    let Some((footer, MAGIC)) = footer.split_at_checked(29) else { return Ok(None) };
    let Some((_, footer)) = footer.split_at_checked(9).filter(|(head, _)| head.first() == Some(&op::FOOTER))
    else {
        return Ok(None);
    };
    let Ok(Record::Footer(footer)) = parse_record(op::FOOTER, footer) else { return Ok(None) };
    let start = footer.summary_start;
    if start == 0 || start >= end || end - start > RECORD_BYTES_MAX {
        return Ok(None);
    }
    let Ok(summary) = records.bytes(start, end - start) else { return Ok(None) };
    if !is_intact(&summary, &footer) {
        return Ok(None);
    }
    let mut index = RecordingIndex::empty(len);
    let Some(places) = summary_places(&summary, &mut index) else { return Ok(None) };
    for at in places {
        let read = records.record_at(at, METADATA_BYTES_MAX);
        let Ok((RecordHead { op: op::METADATA, .. }, body)) = read else { return Ok(None) };
        index.metadata(at, &body)?;
    }
    if index.chunks.iter().any(|chunk| chunk.at.saturating_add(chunk.len) > start) {
        return Ok(None);
    }
    index.tallies.sort_by_key(|(at, _)| *at);
    index.chunks.sort_by_key(|chunk| chunk.at);
    Ok(Some(index))
}

/// Whether the summary is as it was written, where its writer noted how that can be known.
fn is_intact(summary: &[u8], footer: &Footer) -> bool {
    let mut checked = crc32fast::Hasher::new();
    checked.update(summary);
    checked.update(&[op::FOOTER]);
    checked.update(&20_u64.to_le_bytes());
    checked.update(&footer.summary_start.to_le_bytes());
    checked.update(&footer.summary_offset_start.to_le_bytes());
    footer.summary_crc == 0 || footer.summary_crc == checked.finalize()
}

/// Reads the summary; the places of metadata records. Nothing where it is damaged.
fn summary_places(mut summary: &[u8], index: &mut RecordingIndex) -> Option<Vec<u64>> {
    let (mut topics, mut chunks, mut places) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut counts = None;
    while let Some((head, rest)) = summary.split_at_checked(9) {
        let [op, len @ ..] = head else { return None };
        let len = usize::try_from(u64::from_le_bytes(len.try_into().ok()?)).ok()?;
        let (body, rest) = rest.split_at_checked(len)?;
        summary = rest;
        match parse_record(*op, body).ok()? {
            Record::Channel(channel) => drop(topics.insert(channel.id, channel.topic)),
            Record::ChunkIndex(chunk) if chunks.len() < PLACES_MAX => chunks.push(chunk),
            Record::MetadataIndex(metadata) if [METADATA, TALLY].contains(&metadata.name.as_str()) => {
                places.push(metadata.offset);
            }
            Record::AttachmentIndex(attachment) => index.attachments.push(attachment.name),
            Record::Statistics(statistics) => counts = Some(statistics.channel_message_counts),
            _ => {}
        }
    }
    let topic = |id: &u16| topics.get(id).map_or("", String::as_str);
    index.chunks = chunks
        .into_iter()
        .filter(|chunk| !chunk.message_index_offsets.is_empty())
        .map(|chunk| ChunkPlace {
            at: chunk.chunk_start_offset,
            len: chunk.chunk_length,
            start_ns: chunk.message_start_time,
            end_ns: chunk.message_end_time,
            has_keyframe: chunk.message_index_offsets.keys().any(|id| topic(id) == SNAPSHOT_TOPIC),
            messages: messages_of(chunk.message_index_length, chunk.message_index_offsets.len() as u64),
        })
        .collect();
    let mut messages = BTreeMap::new();
    for (id, count) in counts? {
        *messages.entry(topic(&id).to_owned()).or_default() += count;
    }
    index.messages = Some(messages);
    index.channels = topics;
    Some(places)
}

/// How many messages there are in indexes of so many bytes, of so many channels.
fn messages_of(bytes: u64, channels: u64) -> u64 {
    let (head, channel, message) = MESSAGE_INDEX_BYTES;
    bytes.saturating_sub(channels.saturating_mul(head + channel)) / message
}

/// From the heads of its records. A chunk behind a tally has a keyframe.
fn by_hopping(records: &mut Records) -> Result<RecordingIndex, OpenError> {
    let mut index = RecordingIndex::empty(records.len());
    let mut is_behind_tally = false;
    loop {
        match next_place(records) {
            Ok(Some((head, body))) => match head.op {
                op::METADATA => {
                    let known = index.tallies.len();
                    index.metadata(head.at, &body)?;
                    is_behind_tally = index.tallies.len() > known;
                }
                op::ATTACHMENT => index.attachments.extend(attachment_name(&body)),
                op::MESSAGE_INDEX => {
                    if let Some(chunk) = index.chunks.last_mut() {
                        let (bytes, _, _) = MESSAGE_INDEX_BYTES;
                        let more = messages_of(head.len.saturating_add(bytes), 1);
                        chunk.messages = chunk.messages.saturating_add(more);
                    }
                }
                _ => {
                    index.chunk(head, &body, is_behind_tally);
                    is_behind_tally = false;
                }
            },
            Ok(None) => break,
            Err(damage) => {
                index.damage = Some(damage);
                break;
            }
        }
    }
    if index.info.is_none() && !has_our_schema(records) {
        return Err(OpenError::NotOurs("nothing in it is rl-console's"));
    }
    Ok(index)
}

/// The next record that says where something is, with the beginning of its body.
fn next_place(records: &mut Records) -> Result<Option<(RecordHead, Vec<u8>)>, Damage> {
    while let Some(head) = records.next()? {
        let bytes_max = match head.op {
            op::CHUNK => CHUNK_HEAD_BYTES,
            op::METADATA => METADATA_BYTES_MAX,
            op::ATTACHMENT => ATTACHMENT_BYTES_MAX,
            op::MESSAGE_INDEX => 0,
            _ => continue,
        };
        return Ok(Some((head, records.body(head, bytes_max)?)));
    }
    Ok(None)
}

/// Whether the first chunk, which need not have messages, has a schema of ours.
fn has_our_schema(records: &mut Records) -> bool {
    records.rewind();
    let head = loop {
        match records.next() {
            Ok(Some(head)) if head.op == op::CHUNK => break head,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return false,
        }
    };
    let Ok(body) = records.body(head, RECORD_BYTES_MAX) else { return false };
    let mut is_found = false;
    let read = chunk::records(&body, |op, data| {
        if let (op::SCHEMA, Ok(Record::Schema { header, .. })) = (op, parse_record(op, data)) {
            is_found |= is_ours(&header.name);
        }
        Ok(())
    });
    read.is_ok() && is_found
}

/// The name of an attachment, after its two times.
fn attachment_name(body: &[u8]) -> Option<String> {
    let (len, rest) = body.get(16..)?.split_first_chunk()?;
    let name = rest.get(..usize::try_from(u32::from_le_bytes(*len)).ok()?)?;
    Some(String::from_utf8_lossy(name).into_owned())
}

fn chunk_place(head: RecordHead, body: &[u8], has_keyframe: bool) -> Option<ChunkPlace> {
    let (start, rest) = body.split_first_chunk()?;
    let (end, _) = rest.split_first_chunk()?;
    let (start_ns, end_ns) = (u64::from_le_bytes(*start), u64::from_le_bytes(*end));
    let len = head.end() - head.at;
    Some(ChunkPlace { at: head.at, len, start_ns, end_ns, has_keyframe, messages: 0 })
}
