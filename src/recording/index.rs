//! Where things are in a recording: by the index at its end, or, where there is none or it leaves something
//! out, from the heads of its records.

use std::{collections::BTreeMap, path::Path};

use mcap::{
    MAGIC, parse_record,
    records::{ChunkIndex, Footer, Record, op},
};

use super::{
    channels::known_topic,
    format::{COMMANDS_TOPIC, LEFT_OUT, MARKS_TOPIC, METADATA, RecordingInfo, SNAPSHOT_TOPIC, TALLY},
    hopping::by_hopping,
    reader::{Damage, OpenError, checked_info},
    records::{RECORD_BYTES_MAX, RecordHead, Records, parsed},
    tally::Tally,
    tiles::Tiles,
};
use crate::tap::{entry::Link, recorded};

/// Chunks, and tallies, of a file that are known; those behind them are not.
const PLACES_MAX: usize = 1_000_000;
/// Attachments of which the names are known.
const ATTACHMENTS_MAX: usize = 4_096;
/// The beginnings of records that have texts: attachments, schemas, channels.
pub(super) const TEXT_BYTES_MAX: u64 = 4_096;
/// Bytes of a metadata record that are read.
pub(super) const METADATA_BYTES_MAX: u64 = 65_536;
/// An index of a chunk's messages of one channel: its head, the channel with a length, and a message.
const MESSAGE_INDEX_BYTES: (u64, u64, u64) = (9, 6, 16);
/// The shortest message in a chunk: its head, a channel, a number and two times.
const MESSAGE_BYTES_MIN: u64 = 9 + 22;
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
    /// Whether a mark is in it, where the index tells.
    pub has_marks: Option<bool>,
    /// Its messages, as far as the indexes behind it tell.
    pub messages: u64,
}

/// Where things are in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingIndex {
    /// What it says about itself, first of all; nothing where another tool took that away.
    pub info: Option<RecordingInfo>,
    /// Whether it says that it is of several starts of a station: another tool made one file of theirs.
    pub is_merged: bool,
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
    /// The lengths in bytes of what was to be attached and was left out, by name.
    pub left_out: BTreeMap<String, u64>,
    /// The topics of its channels; those that are not ours are empty.
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
    if let Some(summary) = summary.as_ref().filter(|summary| summary.is_all()) {
        return Ok(summary.index.clone());
    }
    // Another tool may have left out the places of what it kept.
    records.rewind();
    let mut hopped = by_hopping(&mut records)?;
    if let Some(Summary { index: RecordingIndex { messages, channels, .. }, .. }) = summary {
        hopped.messages = messages;
        for (id, topic) in channels {
            hopped.channels.entry(id).or_insert(topic);
        }
    }
    Ok(hopped)
}

/// Whether a schema is one of ours: what another program recorded is none of our files.
pub(super) fn is_ours(schema: &str) -> bool {
    [recorded::ENTRY_MESSAGE, recorded::SNAPSHOT_MESSAGE].contains(&schema)
}

impl RecordingIndex {
    pub(super) fn empty(bytes: u64) -> Self {
        Self {
            info: None,
            is_merged: false,
            form: super::format::FORM_VERSION,
            bytes,
            chunks: Vec::new(),
            tallies: Vec::new(),
            attachments: Vec::new(),
            left_out: BTreeMap::new(),
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

    /// What another tool left out that every recording has, in words.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let is_without = self.info.is_none();
        let has_no_counts = self.tallies.is_empty() && self.form > 1 && self.keyframes() > 0;
        let missing = [
            (is_without, "what recorded it"),
            (has_no_counts, "the counts at its keyframes"),
            (self.is_without_links(), "all entries of a link"),
            // One that was cut out of another one has none.
            (is_without && self.attachments.is_empty(), "its attachments"),
        ];
        missing.into_iter().filter_map(|(is_missing, what)| is_missing.then_some(what)).collect()
    }

    /// Whether entries may be missing in it that were not lost: they were left out on purpose, or by another
    /// tool.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.info.as_ref().is_none_or(|info| info.is_filtered) || self.is_without_links()
    }

    /// Whether it counted entries of a link, and has none of them.
    fn is_without_links(&self) -> bool {
        let (Some(messages), [(_, first), .., (_, last)]) = (&self.messages, &self.tallies[..]) else {
            return false;
        };
        let kept = |topic: &str| messages.get(topic).copied().unwrap_or_default();
        Link::ALL.into_iter().any(|link| {
            let of_station = [COMMANDS_TOPIC, MARKS_TOPIC].map(kept).iter().sum::<u64>();
            let kept = kept(link.name()) + if link == Link::Station { of_station } else { 0 };
            kept == 0 && last.link(link).entries > first.link(link).entries
        })
    }

    /// Chunks with a keyframe.
    #[must_use]
    pub fn keyframes(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.has_keyframe).count()
    }

    /// Notes what is wrong, where nothing was before.
    pub(super) fn note(&mut self, damage: Damage) {
        self.damage.get_or_insert(damage);
    }

    pub(super) fn chunk(&mut self, chunk: ChunkPlace) {
        if self.chunks.len() < PLACES_MAX {
            self.chunks.push(chunk);
        } else {
            let why = format!("more than {PLACES_MAX} chunks");
            self.note(Damage::Part { at: chunk.at, why });
        }
    }

    pub(super) fn attached(&mut self, name: Option<String>) {
        self.attachments.extend(name.filter(|_| self.attachments.len() < ATTACHMENTS_MAX));
    }

    /// Notes a metadata record; whether it is a tally.
    pub(super) fn metadata(&mut self, at: u64, body: &[u8]) -> Result<bool, OpenError> {
        let Ok(Record::Metadata(metadata)) = parse_record(op::METADATA, body) else { return Ok(false) };
        if metadata.name == METADATA {
            let (form, info) = checked_info(&metadata)?;
            if let Some(first) = &self.info {
                self.is_merged |= first.start() != info.start();
            } else {
                (self.form, self.info) = (form, Some(info));
            }
        } else if metadata.name == TALLY && self.tallies.len() < PLACES_MAX {
            self.tallies.push((at, Tally::from_metadata(&metadata.metadata)));
        } else if metadata.name == LEFT_OUT && self.left_out.len() < ATTACHMENTS_MAX {
            let lengths = metadata.metadata.into_iter();
            self.left_out.extend(lengths.filter_map(|(name, len)| Some((name, len.parse().ok()?))));
        }
        Ok(metadata.name == TALLY)
    }
}

/// The index that a writer left.
struct Summary {
    index: RecordingIndex,
    /// Whether a schema in it is one of ours.
    is_ours: bool,
    /// Metadata records of the file, and those whose places it has.
    metadata: (u64, u64),
    tiles: Tiles,
}

impl Summary {
    /// Whether it has all that can be found in the file.
    fn is_all(&self) -> bool {
        let (metadata, placed) = self.metadata;
        let in_chunks = self.index.chunks.iter().fold(0_u64, |sum, chunk| sum.saturating_add(chunk.messages));
        let counts = self.index.messages.iter().flat_map(BTreeMap::values);
        let in_order = |chunk: &ChunkPlace| chunk.start_ns <= chunk.end_ns;
        (self.index.info.is_some() || (self.is_ours && metadata <= placed))
            && in_chunks == counts.fold(0_u64, |sum, count| sum.saturating_add(*count))
            && self.index.chunks.iter().all(in_order)
    }
}

/// By the index that its writer left; nothing where there is none, or where it is damaged.
fn from_summary(records: &mut Records) -> Result<Option<Summary>, OpenError> {
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
    let Some((mut found, places)) = summary_places(&summary, len) else { return Ok(None) };
    let index = &mut found.index;
    for at in places {
        let read = records.record_at(at, METADATA_BYTES_MAX);
        let Ok((RecordHead { op: op::METADATA, .. }, body)) = read else { return Ok(None) };
        index.metadata(at, &body)?;
    }
    if !found.tiles.is_whole(records, start) {
        return Ok(None);
    }
    index.tallies.sort_by_key(|(at, _)| *at);
    index.chunks.sort_by_key(|chunk| chunk.at);
    Ok(Some(found))
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

/// Reads the summary; the places of metadata records, in the order of the file. Nothing where it is damaged.
fn summary_places(mut summary: &[u8], bytes: u64) -> Option<(Summary, Vec<u64>)> {
    let (index, tiles) = (RecordingIndex::empty(bytes), Tiles::default());
    let mut found = Summary { index, is_ours: false, metadata: (0, 0), tiles };
    let (mut topics, mut chunks, mut places) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut counts = None;
    while let Some((head, rest)) = summary.split_at_checked(9) {
        let [op, len @ ..] = head else { return None };
        let len = usize::try_from(u64::from_le_bytes(len.try_into().ok()?)).ok()?;
        let (body, rest) = rest.split_at_checked(len)?;
        summary = rest;
        match parsed(*op, body).ok()? {
            Record::Schema { header, .. } => found.is_ours |= is_ours(&header.name),
            Record::Channel(channel) => drop(topics.insert(channel.id, channel.topic)),
            Record::ChunkIndex(chunk) if chunks.len() < PLACES_MAX => {
                let len = chunk.chunk_length.checked_add(chunk.message_index_length)?;
                if !has_room(chunk.uncompressed_size, messages_of(&chunk)) {
                    return None;
                }
                found.tiles.chunk(chunk.chunk_start_offset, len);
                chunks.push(chunk);
            }
            Record::MetadataIndex(metadata) => {
                found.tiles.record(op::METADATA, metadata.offset, metadata.length);
                found.metadata.1 += 1;
                if [METADATA, TALLY, LEFT_OUT].contains(&metadata.name.as_str()) && places.len() < PLACES_MAX
                {
                    places.push(metadata.offset);
                }
            }
            Record::AttachmentIndex(attachment) => {
                found.tiles.record(op::ATTACHMENT, attachment.offset, attachment.length);
                found.index.attached(Some(attachment.name));
            }
            Record::Statistics(statistics) => {
                found.metadata.0 = statistics.metadata_count.into();
                counts = Some(statistics.channel_message_counts);
            }
            _ => {}
        }
    }
    places.sort_unstable();
    places.dedup();
    let topic = |id: &u16| topics.get(id).map_or("", String::as_str);
    let mut messages = BTreeMap::new();
    for (id, count) in counts? {
        let of: &mut u64 = messages.entry(topic(&id).to_owned()).or_default();
        *of = of.saturating_add(count);
    }
    let place = |chunk: ChunkIndex| ChunkPlace {
        at: chunk.chunk_start_offset,
        len: chunk.chunk_length,
        start_ns: chunk.message_start_time,
        end_ns: chunk.message_end_time,
        has_keyframe: chunk.message_index_offsets.keys().any(|id| topic(id) == SNAPSHOT_TOPIC),
        has_marks: Some(chunk.message_index_offsets.keys().any(|id| topic(id) == MARKS_TOPIC)),
        messages: messages_of(&chunk),
    };
    let has_messages = |chunk: &ChunkIndex| !chunk.message_index_offsets.is_empty();
    let chunks = chunks.into_iter().filter(has_messages).map(place).collect();
    (found.index.chunks, found.index.messages) = (chunks, Some(messages));
    found.index.channels = topics.iter().map(|(id, topic)| (*id, known_topic(topic))).collect();
    Some((found, places))
}

/// How many messages there are in the indexes of a chunk, by their length.
fn messages_of(chunk: &ChunkIndex) -> u64 {
    let (head, channel, message) = MESSAGE_INDEX_BYTES;
    let channels = chunk.message_index_offsets.len() as u64;
    chunk.message_index_length.saturating_sub(channels.saturating_mul(head + channel)) / message
}

/// Whether so many messages can be in a chunk of so many bytes, no longer compressed.
pub(super) const fn has_room(content_bytes: u64, messages: u64) -> bool {
    messages <= content_bytes / MESSAGE_BYTES_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_its_writer_left_is_taken_as_it_is() {
        for name in ["calm", "bad", "bad.2", "errors"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("recordings/{name}.mcap"));
            let summary = from_summary(&mut Records::open(&path).unwrap()).unwrap();
            assert!(summary.is_some_and(|summary| summary.is_all()), "{name}");
        }
    }
}
