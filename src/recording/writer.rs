//! Writes a recording, and keeps it within its limit.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use mcap::{
    Compression, McapError, WriteOptions,
    records::{MessageHeader, Metadata},
};

use super::{
    attachment::Attachment,
    chunk,
    counting_writer::{ByteCounter, CountingWriter},
    format::{
        COMMANDS_TOPIC, ENCODING, LEFT_OUT, LogTimes, MARKS_TOPIC, METADATA, RecordingInfo, SNAPSHOT_TOPIC,
        TALLY, topic_of, wall_ns,
    },
    keyframes::KeyframeSchedule,
    tally::{Tallied, Tally},
};
use crate::{
    limits,
    tap::{
        EntryRef,
        entry::{Entry, Link, Transition, What, station},
        recorded,
    },
    time::{Mono, Now},
    words::write_failure,
};

/// What a message adds around its content at most: its header, its place in the index.
const MESSAGE_BYTES: u64 = 64;

/// What a chunk adds at most: its header, its indexes' headers, its place in the summary.
const CHUNK_BYTES: u64 = 512;

/// What a tally takes at most, in its place and in the summary.
const TALLY_BYTES: u64 = 2_048;

/// What an attachment adds to the summary at most, but for its name and type.
const ATTACHMENT_BYTES: u64 = 128;

/// Chunks of a file; its index has each of them.
const CHUNKS_MAX: u64 = 100_000;

/// What the end of a file takes at most, beside the schema and the chunks' places.
const END_BYTES: u64 = 4_096;

/// Hosts and recorder share the machine: zstd's default takes half as long again, for files about as long.
const COMPRESSION_LEVEL: u32 = 1;

/// Why nothing more is written.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    /// The next message would exceed the file's limit.
    #[error("a message does not fit a file of {limit} bytes (limits.recording.file_bytes_max)")]
    Full {
        /// The limit.
        limit: u64,
    },
    /// The file does not take it.
    #[error("{}", write_failure(.0))]
    Io(io::Error),
}

impl From<McapError> for WriteError {
    fn from(error: McapError) -> Self {
        match error {
            McapError::Io(error) => Self::Io(error),
            other => Self::Io(io::Error::other(other)),
        }
    }
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => error,
            full @ WriteError::Full { .. } => Self::new(io::ErrorKind::FileTooLarge, full),
        }
    }
}

/// A recording that is being written.
pub(super) struct Writer<W: Write> {
    mcap: mcap::Writer<CountingWriter<W>>,
    links: [u16; Link::ALL.len()],
    commands: u16,
    marks: u16,
    snapshot: u16,
    times: LogTimes,
    tally: Tally,
    /// The last one that is in this file.
    noted: Option<Tally>,
    schedule: KeyframeSchedule,
    file_bytes_max: u64,
    chunk_bytes_max: u64,
    written: ByteCounter,
    chunks: u64,
    /// What tallies take in the summary.
    summary_bytes: u64,
    pending_bytes: u64,
    pending_messages: u64,
    is_finished: bool,
}

impl<W: Write> Writer<W> {
    /// Writes all that comes before the first message.
    pub(super) fn begin(
        file: W,
        about: &RecordingInfo,
        limits: limits::Recording,
    ) -> Result<Self, WriteError> {
        let written = ByteCounter::default();
        let counted = CountingWriter::new(file, written.clone());
        let mut mcap = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_level(COMPRESSION_LEVEL)
            .compression_threads(0)
            .chunk_size(None)
            .disable_seeking(true)
            .library(concat!("rl-console/", env!("CARGO_PKG_VERSION")))
            .create(counted)?;
        mcap.write_metadata(&Metadata { name: METADATA.to_owned(), metadata: about.to_metadata() })?;
        let entry_schema = mcap.add_schema(recorded::ENTRY_MESSAGE, ENCODING, recorded::DESCRIPTOR)?;
        let snapshot_schema = mcap.add_schema(recorded::SNAPSHOT_MESSAGE, ENCODING, recorded::DESCRIPTOR)?;
        let mut links = [0; Link::ALL.len()];
        for link in Link::ALL {
            links[link.index()] = mcap.add_channel(entry_schema, link.name(), ENCODING, &BTreeMap::new())?;
        }
        let nothing = BTreeMap::new();
        let commands = mcap.add_channel(entry_schema, COMMANDS_TOPIC, ENCODING, &nothing)?;
        let marks = mcap.add_channel(entry_schema, MARKS_TOPIC, ENCODING, &nothing)?;
        let snapshot = mcap.add_channel(snapshot_schema, SNAPSHOT_TOPIC, ENCODING, &nothing)?;
        mcap.flush()?;
        Ok(Self {
            mcap,
            links,
            commands,
            marks,
            snapshot,
            times: LogTimes::new(about.station_started),
            tally: Tally::default(),
            noted: None,
            schedule: KeyframeSchedule::default(),
            file_bytes_max: limits.file_bytes_max,
            chunk_bytes_max: limits.chunk_bytes_max.min(limits.file_bytes_max / 8),
            written,
            chunks: 1,
            summary_bytes: 0,
            pending_bytes: 0,
            pending_messages: 0,
            is_finished: false,
        })
    }

    /// Writes what is kept with the recording, all that fits an eighth of the file, and names the rest.
    /// A finished file takes nothing.
    pub(super) fn attach(&mut self, at: Now, all: &[Attachment]) -> Result<(), WriteError> {
        if self.is_finished {
            return Ok(());
        }
        self.flush()?;
        let (mut room, mut left_out) = (self.file_bytes_max / 8, BTreeMap::new());
        for Attachment { name, media_type, bytes, left_out: missing } in all {
            let len = missing.unwrap_or(bytes.len() as u64);
            let Some(left) = room.checked_sub(len).filter(|_| missing.is_none()) else {
                left_out.insert(name.clone(), len.to_string());
                continue;
            };
            room = left;
            self.mcap.attach(&mcap::Attachment {
                log_time: self.times.now(at),
                create_time: wall_ns(at.wall),
                name: name.clone(),
                media_type: media_type.clone(),
                data: std::borrow::Cow::Borrowed(bytes),
            })?;
            self.summary_bytes += ATTACHMENT_BYTES + (name.len() + media_type.len()) as u64;
        }
        if !left_out.is_empty() {
            self.summary_bytes += ATTACHMENT_BYTES;
            self.mcap.write_metadata(&Metadata { name: LEFT_OUT.to_owned(), metadata: left_out })?;
        }
        Ok(())
    }

    /// Writes an entry, and counts it.
    pub(super) fn entry(&mut self, entry: EntryRef<'_>, as_what: Option<Tallied>) -> Result<(), WriteError> {
        self.encoded_entry(entry.entry, &recorded::encode(entry), as_what)
    }

    /// Writes the recorded form of an entry, and counts it.
    pub(super) fn encoded_entry(
        &mut self,
        of: &Entry,
        encoded: &[u8],
        as_what: Option<Tallied>,
    ) -> Result<(), WriteError> {
        let channel = match topic_of(of) {
            COMMANDS_TOPIC => self.commands,
            MARKS_TOPIC => self.marks,
            _ => self.links[of.link.index()],
        };
        self.message(channel, of.seq.0, of.at, encoded)?;
        self.tally.add(of, as_what);
        if is_seen(&of.what) {
            self.schedule.entry();
        }
        Ok(())
    }

    /// Writes a snapshot in a chunk of its own, behind the tally so far. It has all that is in front of it.
    pub(super) fn keyframe(&mut self, now: Mono, at: Now, bytes: &[u8]) -> Result<(), WriteError> {
        self.flush()?;
        // The tally is in its place and in the summary.
        if self.is_full(bytes.len() as u64 + 2 * TALLY_BYTES) {
            return Err(WriteError::Full { limit: self.file_bytes_max });
        }
        let begin = self.bytes();
        self.note_tally()?;
        let log_time = self.times.behind(at);
        self.write(self.snapshot, (0, log_time, at), bytes)?;
        self.flush()?;
        self.schedule.taken(now, begin, self.bytes());
        Ok(())
    }

    /// Nothing more comes of before this moment.
    pub(super) fn pass(&mut self, at: Now) {
        self.times.pass(at);
    }

    /// Writes the counts so far.
    fn note_tally(&mut self) -> Result<(), WriteError> {
        self.mcap.write_metadata(&Metadata { name: TALLY.to_owned(), metadata: self.tally.to_metadata() })?;
        self.summary_bytes += TALLY_BYTES;
        self.noted = Some(self.tally);
        Ok(())
    }

    /// Continues the times and counts of the file before it.
    pub(super) fn follow(&mut self, before: &Self) {
        (self.times, self.tally) = (before.times, before.tally);
    }

    /// No keyframe could be taken: it is tried again later.
    pub(super) fn keyframe_failed(&mut self, now: Mono) {
        self.schedule.failed(now);
    }

    /// Whether the next keyframe is due.
    pub(super) fn is_keyframe_due(&self, now: Mono) -> bool {
        self.schedule.is_due(now, self.bytes())
    }

    /// Whether entries alone do not say the state, as behind a loss.
    pub(super) const fn is_keyframe_needed(&self) -> bool {
        self.schedule.is_needed()
    }

    /// Entries alone do not say the state from now on.
    pub(super) fn need_keyframe(&mut self) {
        self.schedule.need();
    }

    fn message(&mut self, channel_id: u16, seq: u64, at: Now, bytes: &[u8]) -> Result<(), WriteError> {
        let len = bytes.len() as u64;
        if self.is_full(len) {
            self.flush()?;
            if self.is_full(len) {
                return Err(WriteError::Full { limit: self.file_bytes_max });
            }
        }
        let log_time = self.times.next(at);
        self.write(channel_id, (seq, log_time, at), bytes)
    }

    fn write(
        &mut self,
        channel_id: u16,
        (seq, log_time, at): (u64, u64, Now),
        bytes: &[u8],
    ) -> Result<(), WriteError> {
        let sequence = u32::try_from(seq & u64::from(u32::MAX)).unwrap_or_default();
        self.mcap.write_to_known_channel(
            &MessageHeader { channel_id, sequence, log_time, publish_time: wall_ns(at.wall) },
            bytes,
        )?;
        self.pending_bytes += bytes.len() as u64;
        self.pending_messages += 1;
        if self.pending_bytes >= self.chunk_bytes_max || self.pending_messages >= chunk::MESSAGES_MAX as u64 {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the open chunk, so that it outlives the process.
    pub(super) fn flush(&mut self) -> Result<(), WriteError> {
        if self.pending_messages > 0 {
            self.mcap.flush()?;
            self.pending_bytes = 0;
            self.pending_messages = 0;
            self.chunks += 1;
        }
        Ok(())
    }

    /// Writes what was counted since the last keyframe, and the summary, which makes the file whole. Again,
    /// it does nothing.
    pub(super) fn finish(&mut self) -> Result<(), WriteError> {
        if self.is_finished {
            return Ok(());
        }
        self.flush()?;
        if self.noted != Some(self.tally) {
            self.note_tally()?;
        }
        self.mcap.finish()?;
        self.is_finished = true;
        Ok(())
    }

    /// Bytes handed to the file.
    pub(super) fn bytes(&self) -> u64 {
        self.written.bytes()
    }

    /// Whether no message is in the file.
    pub(super) const fn is_empty(&self) -> bool {
        self.chunks <= 1
    }

    /// Whether it has no room for a message of this length.
    fn is_full(&self, len: u64) -> bool {
        self.chunks >= CHUNKS_MAX || self.bytes_at_end(len) > self.file_bytes_max
    }

    /// The length of the finished file at most, if a message of this length is its last.
    fn bytes_at_end(&self, len: u64) -> u64 {
        let content = self.pending_bytes + len;
        let messages = (self.pending_messages + 1) * MESSAGE_BYTES;
        // What zstd cannot compress grows by less than 1/128.
        let chunk = content + content / 128 + messages;
        // The last tally is in its place and in the summary.
        let end = END_BYTES + 2 * TALLY_BYTES + 2 * recorded::DESCRIPTOR.len() as u64;
        self.written.bytes() + chunk + (self.chunks + 1) * CHUNK_BYTES + self.summary_bytes + end
    }
}

/// Whether anything happened but that the file grew.
fn is_seen(what: &What) -> bool {
    !matches!(what, What::Transition(Transition::Station(station::Transition::RecordingGrew { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        tap::entry::{Entry, Transition, What, station},
        time::Now,
    };

    fn about() -> RecordingInfo {
        RecordingInfo { host_version: "0.1.0".to_owned(), ..RecordingInfo::default() }
    }

    /// Takes so many bytes and is full then.
    struct Disk {
        left: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.left == 0 {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            let taken = bytes.len().min(self.left);
            self.left -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn fill<W: Write>(writer: &mut Writer<W>, compressible: bool) -> WriteError {
        let what =
            What::Transition(Transition::Station(station::Transition::Operated { by: None, command: None }));
        let mut noise = 1_u64;
        for n in 1_u64.. {
            let entry = Entry {
                seq: Seq(n),
                at: Now::at_ms(n),
                link: Link::Station,
                trace: None,
                cause: None,
                what: what.clone(),
            };
            let bytes: Vec<u8> = (0..600)
                .map(|_| {
                    noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if compressible { b'x' } else { noise.to_be_bytes()[0] }
                })
                .collect();
            if let Err(error) = writer.entry(EntryRef { entry: &entry, bytes: &bytes }, None) {
                return error;
            }
        }
        unreachable!("the limit comes first")
    }

    #[test]
    fn a_full_disk_is_said_so_wherever_it_comes() {
        for left in (0..200_000).step_by(9_973) {
            let limits = limits::Recording { chunk_bytes_max: 65_536, ..limits::Recording::default() };
            let error = match Writer::begin(Disk { left }, &about(), limits) {
                Ok(mut writer) => {
                    let error = fill(&mut writer, false);
                    assert!(writer.finish().is_err());
                    error
                }
                Err(error) => error,
            };
            assert!(
                matches!(&error, WriteError::Io(error) if error.kind() == io::ErrorKind::StorageFull),
                "{left}: {error}"
            );
        }
    }

    #[test]
    fn what_comes_behind_the_last_keyframe_is_counted_at_the_end_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.mcap");
        let file = std::fs::File::create_new(&path).unwrap();
        let mut writer = Writer::begin(file, &about(), limits::Recording::default()).unwrap();
        let what = What::Transition(Transition::Station(station::Transition::Started));
        let entry = |n| Entry {
            seq: Seq(n),
            at: Now::at_ms(1_000 + n),
            link: Link::Station,
            trace: None,
            cause: None,
            what: what.clone(),
        };
        writer.keyframe(Mono(0), Now::at_ms(1_000), b"state").unwrap();
        for n in 1..=3 {
            writer.entry(EntryRef { entry: &entry(n), bytes: b"" }, Some(Tallied::Mark)).unwrap();
        }
        writer.finish().unwrap();
        writer.finish().unwrap();
        let late = Attachment::text("doctor.json", "application/json", "{}".to_owned());
        writer.attach(Now::at_ms(9_000), &[late]).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), writer.bytes(), "once");
        let index = crate::recording::index(&path).unwrap();
        assert!(index.is_finished());
        let set = crate::recording::RecordingSet::open(&[path]).unwrap();
        let counted = |tally: &Tally| (tally.entries(), tally.link(Link::Station).marks);
        let tallies: Vec<_> = set
            .counted()
            .into_iter()
            .flat_map(|file| file.tallies)
            .map(|(at, tally)| (at, counted(&tally)))
            .collect();
        let (first, last) = set.span_ns();
        assert_eq!(tallies, [(first, (0, 0)), (last, (3, 3))]);
    }

    #[test]
    fn a_file_that_ends_with_a_keyframe_has_its_counts_once() {
        let mut file = Vec::new();
        let mut writer = Writer::begin(&mut file, &about(), limits::Recording::default()).unwrap();
        writer.keyframe(Mono(0), Now::at_ms(0), b"state").unwrap();
        let noted = writer.summary_bytes;
        writer.finish().unwrap();
        assert_eq!(writer.summary_bytes, noted);
    }

    #[test]
    fn a_finished_file_stays_within_its_limit() {
        for (limit, compressible) in [(1_048_576, false), (1_048_576, true), (3_000_000, false)] {
            let limits = limits::Recording { file_bytes_max: limit, ..limits::Recording::default() };
            let mut file = Vec::new();
            let mut writer = Writer::begin(&mut file, &about(), limits).unwrap();
            assert!(matches!(fill(&mut writer, compressible), WriteError::Full { .. }));
            writer.finish().unwrap();
            let counted = writer.bytes();
            drop(writer);
            assert_eq!(file.len() as u64, counted);
            assert!(counted <= limit && counted > limit * 3 / 4, "{counted} of {limit}");
        }
    }
}
