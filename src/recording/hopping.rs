//! Finds where things are in a recording that has no index of its own: from the heads of its records, and
//! from the indexes behind each chunk. Of what is compressed only chunks are read that a channel is new in,
//! that have no indexes or such as cannot be theirs, or whose times are not those of their messages.

use std::collections::BTreeSet;

use mcap::records::{Record, op};

use super::{
    channels::known_topic,
    chunk,
    format::{MARKS_TOPIC, SNAPSHOT_TOPIC},
    index::{ChunkPlace, METADATA_BYTES_MAX, RecordingIndex, TEXT_BYTES_MAX, has_room, is_ours},
    reader::{Damage, OpenError},
    records::{RecordHead, Records, text_at, u32_at, u64_at},
};

/// What a chunk says of itself before its records: two times, a length, a checksum.
const CHUNK_HEAD_BYTES: u64 = 28;
/// An index of messages has the channel and a length, and of each message its time and its place.
const MESSAGE_INDEX_HEAD_BYTES: u64 = 6;
const MESSAGE_INDEX_BYTES: u64 = 16;

/// Finds where things are, record by record.
///
/// # Errors
/// Nothing in it is ours, or it was made by a newer version.
pub(super) fn by_hopping(records: &mut Records) -> Result<RecordingIndex, OpenError> {
    let mut scan = RecordScan {
        index: RecordingIndex::empty(records.len()),
        chunk: None,
        is_behind_tally: false,
        is_ours: false,
        unknown: BTreeSet::new(),
    };
    loop {
        match next_place(records) {
            Ok(Some((head, body))) => scan.record(records, head, &body)?,
            Ok(None) => break,
            Err(damage) => {
                scan.index.note(damage);
                break;
            }
        }
    }
    scan.end_chunk(records);
    if scan.index.info.is_none() && !scan.is_ours {
        return Err(OpenError::NotOurs("nothing in it is rl-console's"));
    }
    Ok(scan.index)
}

/// The next record that says where something is, with the beginning of its body.
fn next_place(records: &mut Records) -> Result<Option<(RecordHead, Vec<u8>)>, Damage> {
    while let Some(head) = records.next()? {
        let bytes_max = match head.op {
            op::CHUNK => CHUNK_HEAD_BYTES,
            op::METADATA => METADATA_BYTES_MAX,
            op::ATTACHMENT | op::SCHEMA | op::CHANNEL => TEXT_BYTES_MAX,
            op::MESSAGE_INDEX => MESSAGE_INDEX_HEAD_BYTES + MESSAGE_INDEX_BYTES,
            op::MESSAGE => 0,
            _ => continue,
        };
        return Ok(Some((head, records.body(head, bytes_max)?)));
    }
    Ok(None)
}

/// What is known of a file so far.
struct RecordScan {
    index: RecordingIndex,
    /// The last chunk, whose indexes come behind it.
    chunk: Option<ScannedChunk>,
    /// Whether the next chunk is behind a tally: only a keyframe is there.
    is_behind_tally: bool,
    is_ours: bool,
    /// Channels of which no chunk says what they are.
    unknown: BTreeSet<u16>,
}

/// A chunk, and what is known of its messages.
struct ScannedChunk {
    head: RecordHead,
    /// The first time in it and the last one, by its own words.
    declared: Option<(u64, u64)>,
    /// Bytes of its records, by its own words.
    content_bytes: u64,
    is_behind_tally: bool,
    /// Whether an index behind it has another length than it says, or places and more messages than the chunk
    /// has room for: nothing that the indexes say is taken then.
    is_misindexed: bool,
    messages: Messages,
}

/// Messages of a chunk.
#[derive(Default)]
struct Messages {
    count: u64,
    times: Option<(u64, u64)>,
    channels: BTreeSet<u16>,
}

impl Messages {
    fn time(&mut self, at: u64) {
        let (first, last) = self.times.unwrap_or((at, at));
        self.times = Some((first.min(at), last.max(at)));
    }
}

impl RecordScan {
    fn record(&mut self, records: &mut Records, head: RecordHead, body: &[u8]) -> Result<(), OpenError> {
        match head.op {
            op::CHUNK => {
                self.end_chunk(records);
                let is_behind_tally = std::mem::take(&mut self.is_behind_tally);
                self.chunk = Some(ScannedChunk {
                    head,
                    declared: u64_at(body, 0).zip(u64_at(body, 8)),
                    content_bytes: u64_at(body, 16).unwrap_or_default(),
                    is_behind_tally,
                    is_misindexed: false,
                    messages: Messages::default(),
                });
            }
            op::MESSAGE_INDEX => {
                if let Some(chunk) = &mut self.chunk {
                    chunk.index(records, head, body);
                }
            }
            op::METADATA => self.is_behind_tally = self.index.metadata(head.at, body)?,
            op::ATTACHMENT => self.index.attached(text_at(body, 16).map(|(name, _)| name)),
            op::SCHEMA => self.is_ours |= text_at(body, 2).is_some_and(|(name, _)| is_ours(&name)),
            op::CHANNEL => {
                let id = body.first_chunk().map(|id| u16::from_le_bytes(*id));
                if let Some((id, (topic, _))) = id.zip(text_at(body, 4)) {
                    self.index.channels.insert(id, known_topic(&topic));
                }
            }
            // What comes between chunks is not read.
            _ => self.index.note(Damage::Unchunked { at: head.at }),
        }
        Ok(())
    }

    /// Notes the last chunk; one without messages has only schemas and channels, and no times.
    fn end_chunk(&mut self, records: &mut Records) {
        let Some(mut chunk) = self.chunk.take() else { return };
        let by_index = chunk.by_index();
        let ScannedChunk { head, declared, is_behind_tally, .. } = chunk;
        let is_new = |id: &u16| !self.index.channels.contains_key(id) && !self.unknown.contains(id);
        let is_known =
            by_index.count > 0 && by_index.times == declared && !by_index.channels.iter().any(is_new);
        let looked = if is_known { None } else { self.look(records, head) };
        if let (Some(Messages { times: Some(times), .. }), Some(declared)) = (&looked, declared)
            && *times != declared
        {
            let why = "the times of a chunk are not those of its messages".to_owned();
            self.index.note(Damage::Part { at: head.at, why });
        }
        let is_read = looked.is_some();
        let messages = looked.unwrap_or(by_index);
        let topic = |id: &u16| self.index.channels.get(id);
        self.unknown.extend(messages.channels.iter().filter(|id| topic(id).is_none()));
        // Of what cannot be read it is known by its place.
        let is_unknown = messages.channels.iter().all(|id| topic(id).is_none());
        let has_keyframe = (is_behind_tally && is_unknown)
            || messages.channels.iter().any(|id| topic(id).is_some_and(|topic| topic == SNAPSHOT_TOPIC));
        let times = if is_read { messages.times } else { messages.times.or(declared) };
        if let Some((start_ns, end_ns)) = times.filter(|(_, end_ns)| *end_ns > 0) {
            let len = head.end() - head.at;
            let (start_ns, count) = (start_ns.min(end_ns), messages.count);
            let is_marks = |id: &u16| topic(id).map(|topic| topic == MARKS_TOPIC);
            // None where there is a channel that is not known.
            let has_marks =
                messages.channels.iter().map(is_marks).reduce(|one, it| Some(one? || it?)).flatten();
            self.index.chunk(ChunkPlace {
                at: head.at,
                len,
                start_ns,
                end_ns,
                has_keyframe,
                has_marks,
                messages: count,
            });
        }
    }

    /// Looks into a chunk; nothing where it is damaged.
    fn look(&mut self, records: &mut Records, head: RecordHead) -> Option<Messages> {
        let body = records.whole_body(head).ok()?;
        let mut found = Messages::default();
        let read = chunk::records(&body, |record| match record {
            Record::Schema { header, .. } => self.is_ours |= is_ours(&header.name),
            Record::Channel(channel) => {
                self.index.channels.insert(channel.id, known_topic(&channel.topic));
            }
            Record::Message { header, .. } => {
                found.count += 1;
                found.time(header.log_time);
                found.channels.insert(header.channel_id);
            }
            _ => {}
        });
        read.is_ok().then_some(found)
    }
}

impl ScannedChunk {
    /// An index of its messages of one channel: their number, the first and the last of them.
    fn index(&mut self, records: &mut Records, head: RecordHead, body: &[u8]) {
        let len = head.len.saturating_sub(MESSAGE_INDEX_HEAD_BYTES);
        self.is_misindexed |= u32_at(body, 2).is_none_or(|said| u64::from(said) != len);
        let Some(id) = body.first_chunk() else { return };
        let count = len / MESSAGE_INDEX_BYTES;
        let Some(first) = u64_at(body, 6).filter(|_| count > 0) else { return };
        self.messages.channels.insert(u16::from_le_bytes(*id));
        self.messages.count = self.messages.count.saturating_add(count);
        self.messages.time(first);
        let last = records.bytes(head.end().saturating_sub(MESSAGE_INDEX_BYTES), MESSAGE_INDEX_BYTES);
        let last = last.unwrap_or_default();
        if let Some(last) = u64_at(&last, 0) {
            self.messages.time(last);
        }
        let is_in_it = |at: Option<u64>| at.is_some_and(|at| at < self.content_bytes);
        self.is_misindexed |= !is_in_it(u64_at(body, 14)) || !is_in_it(u64_at(&last, 8));
    }

    /// Its messages by the indexes behind it; none where these cannot be of it.
    fn by_index(&mut self) -> Messages {
        let by_index = std::mem::take(&mut self.messages);
        let is_of_it = !self.is_misindexed && has_room(self.content_bytes, by_index.count);
        if is_of_it { by_index } else { Messages::default() }
    }
}
