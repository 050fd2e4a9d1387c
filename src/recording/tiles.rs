//! Whether an index has all that lies in the data of its file: what it leaves out could be a chunk.

use mcap::{MAGIC, records::op};

use super::records::Records;

/// The record that ends the data, with its head.
const DATA_END_BYTES: u64 = 9 + 4;

/// The places of a file that its index has.
#[derive(Default)]
pub(super) struct Tiles {
    /// Where they begin, and their lengths.
    places: Vec<(u64, u64)>,
    /// Those that are no chunks, with the kind of their record.
    records: Vec<(u8, u64, u64)>,
}

impl Tiles {
    /// A chunk with the indexes behind it.
    pub(super) fn chunk(&mut self, at: u64, len: u64) {
        self.places.push((at, len));
    }

    /// A record between chunks.
    pub(super) fn record(&mut self, op: u8, at: u64, len: u64) {
        self.places.push((at, len));
        self.records.push((op, at, len));
    }

    /// Whether they lie side by side, from behind the head of the file until the end of its data, in front of
    /// the summary; and whether what is no chunk is what the index says. Chunks are looked at when they are
    /// read.
    pub(super) fn is_whole(&mut self, records: &mut Records, summary_start: u64) -> bool {
        let Ok((header, _)) = records.record_at(MAGIC.len() as u64, 0) else { return false };
        self.places.sort_unstable();
        self.places.dedup();
        let follow = |end: u64, (at, len): &(u64, u64)| {
            Some(*at).filter(|at| *at == end && *len > 0).and_then(|at| at.checked_add(*len))
        };
        let end = self.places.iter().try_fold(header.end(), follow);
        header.op == op::HEADER
            && end.and_then(|end| end.checked_add(DATA_END_BYTES)) == Some(summary_start)
            && self.records.iter().all(|(op, at, len)| {
                let head = records.record_at(*at, 0).map(|(head, _)| head);
                head.is_ok_and(|head| head.op == *op && head.end() - head.at == *len)
            })
    }
}
