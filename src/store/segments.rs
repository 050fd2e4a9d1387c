//! Which journal segments still hold something that the tables lack.

use std::{collections::VecDeque, fs, path::Path};

use super::{journal::FILES, pending_writes::JournalledOp};

/// The segments that the writer was given records of, each with its last record, oldest first. The last one
/// is still being written.
#[derive(Debug, Default)]
pub(super) struct Segments(VecDeque<(u64, u64)>);

impl Segments {
    /// Takes note of where records are.
    pub(super) fn note(&mut self, ops: &[JournalledOp]) {
        for place in ops.iter().filter_map(|op| op.position) {
            match self.0.back_mut() {
                Some((segment, seq)) if *segment == place.segment => *seq = place.seq,
                _ => self.0.push_back((place.segment, place.seq)),
            }
        }
    }

    /// Deletes segments whose records are all applied, but for the one that is being written; how many bytes
    /// they had.
    ///
    /// One that cannot be deleted does no harm: the next start knows that its records are applied.
    pub(super) fn delete_applied(&mut self, data: &Path, through: u64) -> u64 {
        let mut bytes = 0;
        while self.0.len() > 1
            && let Some(&(segment, last)) = self.0.front()
            && last <= through
        {
            self.0.pop_front();
            let path = FILES.path(data, segment);
            bytes += fs::metadata(&path).map_or(0, |metadata| metadata.len());
            let _ = fs::remove_file(path);
        }
        bytes
    }

    /// Deletes all, for the end of a store.
    pub(super) fn delete_all(&self, data: &Path) {
        for (segment, _) in &self.0 {
            let _ = fs::remove_file(FILES.path(data, *segment));
        }
    }

    /// The last record that was given.
    pub(super) fn last_seq(&self) -> u64 {
        self.0.back().map_or(0, |(_, seq)| *seq)
    }
}
