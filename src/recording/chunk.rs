//! What is in a chunk.

use std::io::Read as _;

use mcap::{
    records::op,
    sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions},
};

use super::records::RECORD_BYTES_MAX;

/// Where a chunk says how long it is once it is no longer compressed.
const UNCOMPRESSED_AT: usize = 16;

/// Gives the records of a chunk, by their opcodes and bodies; none of one that is damaged.
///
/// # Errors
/// What is wrong with it.
pub(super) fn records(
    body: &[u8],
    mut on_record: impl FnMut(u8, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let length = body.get(UNCOMPRESSED_AT..).and_then(|rest| rest.first_chunk());
    let length = u64::from_le_bytes(*length.ok_or("a chunk without a head")?);
    // It is read as a whole, for its checksum.
    if length > RECORD_BYTES_MAX {
        return Err(format!("a chunk of {length} bytes"));
    }
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
        match event.map_err(|why| why.to_string())? {
            LinearReadEvent::ReadRequest(wanted) => {
                let read = input.read(reader.insert(wanted)).map_err(|why| why.to_string())?;
                reader.notify_read(read);
            }
            LinearReadEvent::Record { opcode, data } => on_record(opcode, data)?,
        }
    }
    Ok(())
}
