//! What the figures are measured beside: the `mcap` crate alone, writing and reading the same messages.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    time::Duration,
};

use mcap::{
    Compression, MessageStream, Summary, WriteOptions,
    records::MessageHeader,
    sans_io::{
        indexed_reader::{IndexedReadEvent, IndexedReader, IndexedReaderOptions},
        summary_reader::{SummaryReadEvent, SummaryReader},
    },
};
use rl_console::time::{Clock, Mono};

use crate::Result;

/// How long messages gather before they are written, as the recorder lets them.
const GATHER: Duration = Duration::from_millis(20);
/// How often what is open is written.
const FLUSH: Duration = Duration::from_secs(1);
/// Bytes of a chunk.
const CHUNK_BYTES: u64 = 1 << 20;

/// The messages of a file, in its order.
pub(crate) struct Messages {
    topics: Vec<String>,
    all: Vec<(MessageHeader, Vec<u8>)>,
}

impl Messages {
    /// Reads them; the channel of each is the place of its topic.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path)?;
        let (mut topics, mut all) = (Vec::<String>::new(), Vec::new());
        for message in MessageStream::new(&bytes)? {
            let message = message?;
            let known = topics.iter().position(|it| *it == message.channel.topic);
            let place = known.unwrap_or_else(|| {
                topics.push(message.channel.topic.clone());
                topics.len() - 1
            });
            let header = MessageHeader {
                channel_id: u16::try_from(place)?,
                sequence: message.sequence,
                log_time: message.log_time,
                publish_time: message.publish_time,
            };
            all.push((header, message.data.into_owned()));
        }
        Ok(Self { topics, all })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Writes them into a new file within a time, as evenly as the recorder gets them; the time that this
    /// thread was on a core for it.
    pub(crate) fn write(&self, path: &Path, within: Duration) -> Result<Duration> {
        let mut writer = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_level(1)
            .compression_threads(0)
            .chunk_size(Some(CHUNK_BYTES))
            .create(BufWriter::new(File::create_new(path)?))?;
        let nothing = BTreeMap::new();
        let channel = |topic| writer.add_channel(0, topic, "protobuf", &nothing);
        let channels = self.topics.iter().map(String::as_str).map(channel);
        let channels = channels.collect::<std::result::Result<Vec<u16>, _>>()?;
        let rounds = within.as_millis().div_ceil(GATHER.as_millis()).max(1);
        let share = self.all.len().div_ceil(usize::try_from(rounds)?).max(1);
        let (clock, mut flushed_at, mut next) = (Clock::start(), Mono(0), Mono(0));
        let began = on_cpu()?;
        for messages in self.all.chunks(share) {
            for (header, data) in messages {
                let channel_id = channels.get(usize::from(header.channel_id)).copied().unwrap_or_default();
                writer.write_to_known_channel(&MessageHeader { channel_id, ..*header }, data)?;
            }
            if clock.mono().since(flushed_at) >= FLUSH {
                writer.flush()?;
                flushed_at = clock.mono();
            }
            next = next + GATHER;
            std::thread::sleep(clock.until(next));
        }
        let took = on_cpu()?.saturating_sub(began);
        writer.finish()?;
        Ok(took)
    }

    /// The length of one zstd stream of all of them.
    pub(crate) fn zstd_bytes(&self) -> Result<u64> {
        let mut stream = zstd::stream::write::Encoder::new(Counter(0), 0)?;
        for (_, data) in &self.all {
            stream.write_all(data)?;
        }
        Ok(stream.finish()?.0)
    }
}

/// Counts what is written.
struct Counter(u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How long this thread was on a core.
fn on_cpu() -> Result<Duration> {
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat")?;
    let ns = schedstat.split_whitespace().next().ok_or("the system says no time on a core")?;
    Ok(Duration::from_nanos(ns.parse()?))
}

/// Reads a file from its beginning to its end: its messages.
pub(crate) fn read(path: &Path) -> Result<u64> {
    let bytes = fs::read(path)?;
    let mut count = 0;
    for message in MessageStream::new(&bytes)? {
        std::hint::black_box(message?.data.len());
        count += 1;
    }
    Ok(count)
}

/// The index of a file.
pub(crate) fn summary(file: &mut File) -> Result<Summary> {
    let mut reader = SummaryReader::new();
    while let Some(event) = reader.next_event() {
        match event? {
            SummaryReadEvent::ReadRequest(bytes) => {
                let read = file.read(reader.insert(bytes))?;
                reader.notify_read(read);
            }
            SummaryReadEvent::SeekRequest(to) => reader.notify_seeked(file.seek(to)?),
        }
    }
    Ok(reader.finish().ok_or("the file has no index")?)
}

/// Reads one chunk by the index: its messages.
pub(crate) fn read_chunk(file: &mut File, summary: &Summary, number: usize) -> Result<u64> {
    let chunk = summary.chunk_indexes.get(number).ok_or("no such chunk")?;
    let options =
        IndexedReaderOptions::new().starting_at(chunk.message_start_time).ending_at(chunk.message_end_time);
    let mut reader = IndexedReader::new_with_options(summary, options)?;
    let (mut buffer, mut count) = (Vec::new(), 0);
    while let Some(event) = reader.next_event() {
        match event? {
            IndexedReadEvent::ReadChunkRequest { offset, length } => {
                file.seek(SeekFrom::Start(offset))?;
                buffer.resize(length, 0);
                file.read_exact(&mut buffer)?;
                reader.insert_chunk_record_data(offset, &buffer)?;
            }
            IndexedReadEvent::Message { data, .. } => {
                std::hint::black_box(data.len());
                count += 1;
            }
        }
    }
    Ok(count)
}
