//! What is in a chunk.

use std::{collections::VecDeque, io::Read as _};

use mcap::{
    parse_record,
    records::{Record, op},
    sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions},
};

use super::{
    channels::Channels,
    reader::Damage,
    records::{RECORD_BYTES_MAX, RecordHead, Records, u32_at, u64_at},
    set_reader::PlacedItem,
};

/// Snapshots and entries of a chunk, and those that cannot be read.
pub(super) type Items = VecDeque<Result<PlacedItem, Damage>>;

/// Messages of one chunk, and other records of it. One with more is damaged: it is found while it is read,
/// before more is kept.
pub(super) const MESSAGES_MAX: usize = 262_144;

/// Where a chunk says how long it is once it is no longer compressed.
const UNCOMPRESSED_AT: usize = 16;
/// Where it names how it is compressed, behind two times, that length and a checksum.
const COMPRESSION_AT: usize = 28;
const NO_HEAD: &str = "a chunk without a head";

/// Reads a chunk of a file whose channels are known as far as they came: all that is in it or, when it is
/// damaged, nothing.
///
/// # Errors
/// [`Damage::Part`] where it is damaged, and [`Damage::Unreadable`] where the file is.
pub(super) fn items(
    file: &mut Records,
    head: RecordHead,
    has_keyframe: bool,
    channels: &mut Channels,
) -> Result<Items, Damage> {
    let body = file.whole_body(head)?;
    let mut items = Items::new();
    let read = records(&body, |record| match record {
        Record::Channel(channel) => channels.insert(channel.id, &channel.topic),
        Record::Message { header, data } => {
            let item = channels.item(has_keyframe, header, &data);
            items.push_back(item.map(|item| PlacedItem { log_ns: header.log_time, item }));
        }
        _ => {}
    });
    read.map_err(|why| Damage::Part { at: head.at, why })?;
    Ok(items)
}

/// Gives the schemas, channels and messages of a chunk; nothing else belongs into one. None of one whose
/// checksum is another.
///
/// # Errors
/// What is wrong with it, maybe behind the first of them.
pub(super) fn records(body: &[u8], mut on_record: impl FnMut(Record<'_>)) -> Result<(), String> {
    // It is read as a whole, for its checksum.
    let length = u64_at(body, UNCOMPRESSED_AT).ok_or(NO_HEAD)?;
    if length > RECORD_BYTES_MAX {
        return Err(format!("a chunk of {length} bytes"));
    }
    // What lies behind its content is none of it.
    let body = body.get(..end(body).ok_or(NO_HEAD)?).ok_or("a chunk that is shorter than it says")?;
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
    let (mut messages, mut others) = (0, 0);
    while let Some(event) = reader.next_event() {
        let (op, data) = match event.map_err(|why| why.to_string())? {
            LinearReadEvent::ReadRequest(wanted) => {
                let read = input.read(reader.insert(wanted)).map_err(|why| why.to_string())?;
                reader.notify_read(read);
                continue;
            }
            LinearReadEvent::Record { opcode, data } => (opcode, data),
        };
        let (count, what) =
            if op == op::MESSAGE { (&mut messages, "messages") } else { (&mut others, "other records") };
        *count += 1;
        if *count > MESSAGES_MAX {
            return Err(format!("a chunk with more than {MESSAGES_MAX} {what}"));
        }
        if [op::SCHEMA, op::CHANNEL, op::MESSAGE].contains(&op) {
            on_record(parse_record(op, data).map_err(|why| why.to_string())?);
        }
    }
    Ok(())
}

/// Where the content of a chunk ends: behind the name of how it is compressed, and its length.
fn end(body: &[u8]) -> Option<usize> {
    let name = u32_at(body, COMPRESSION_AT)?;
    let at = (COMPRESSION_AT + 4).checked_add(usize::try_from(name).ok()?)?;
    let length = usize::try_from(u64_at(body, at)?).ok()?;
    at.checked_add(8)?.checked_add(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chunk of records that are not compressed.
    fn chunk(records: &[u8], behind: &[u8]) -> Vec<u8> {
        let len = (records.len() as u64).to_le_bytes();
        [&[0; 16][..], &len, &[0; 4], &[0; 4], &len, records, behind].concat()
    }

    fn message(bytes: &[u8]) -> Vec<u8> {
        let body = [&[0; 22][..], bytes].concat();
        [&[op::MESSAGE][..], &(body.len() as u64).to_le_bytes(), &body].concat()
    }

    fn counted(chunk: &[u8]) -> (usize, Result<(), String>) {
        let mut count = 0;
        let read = records(chunk, |_| count += 1);
        (count, read)
    }

    #[test]
    fn a_chunk_with_more_messages_than_any_has_is_damaged() {
        let full = message(b"").repeat(MESSAGES_MAX);
        assert_eq!(counted(&chunk(&full, b"")), (MESSAGES_MAX, Ok(())));
        let more = [full, message(b"")].concat();
        let said = Err("a chunk with more than 262144 messages".to_owned());
        assert_eq!(counted(&chunk(&more, b"")), (MESSAGES_MAX, said));
        let others = [&[0x80][..], &[0; 8]].concat().repeat(MESSAGES_MAX + 1);
        let said = Err("a chunk with more than 262144 other records".to_owned());
        assert_eq!(counted(&chunk(&others, b"")), (0, said));
    }

    #[test]
    fn what_lies_behind_the_content_of_a_chunk_is_none_of_it() {
        let one = message(b"one");
        assert_eq!(counted(&chunk(&one, b"padding")), (1, Ok(())));
        // A record that reaches beyond the content, into what lies behind it.
        let (begin, rest) = one.split_at(one.len() - 2);
        assert!(counted(&chunk(begin, rest)).1.is_err());
        let mut longer = chunk(&one, b"");
        longer.pop();
        assert_eq!(counted(&longer), (0, Err("a chunk that is shorter than it says".to_owned())));
        for len in 0..longer.len() {
            assert!(counted(&longer[..len]).1.is_err(), "{len}");
        }
    }
}
