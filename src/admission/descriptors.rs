//! How many connections fit into the process's limit of open files.

/// Descriptors that are not the tables': the store and its journal, the log, a recording, this program's own
/// sockets and threads, runs' files, and a few for an operator at the worst moment.
pub(crate) const RESERVED_DESCRIPTORS: u64 = 256;

/// A table of connections, each with a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableSize {
    /// Places that it has.
    pub(crate) count: u64,
    /// Places that are left to it in any case, if it has as many.
    pub(crate) least: u64,
}

/// A table that had to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Which, by its place in what was given.
    pub(crate) index: usize,
    /// Places that it should have.
    pub(crate) wanted: u64,
    /// Places that it has.
    pub(crate) left: u64,
}

/// Cuts tables, each by the same part, until all of them and [`RESERVED_DESCRIPTORS`] fit into the limit of
/// open files; those that were cut.
#[must_use]
pub(crate) fn fit_tables(tables: &mut [TableSize], open_files_max: u64) -> Vec<Cut> {
    let wanted: u64 = tables.iter().map(|table| table.count).sum();
    // Of a very low limit half is left to the tables.
    let room = open_files_max.saturating_sub(RESERVED_DESCRIPTORS.min(open_files_max / 2));
    if wanted <= room {
        return Vec::new();
    }
    let mut cut = Vec::new();
    for (index, TableSize { count, least }) in tables.iter_mut().enumerate() {
        let part = u128::from(*count) * u128::from(room) / u128::from(wanted);
        let left = u64::try_from(part).unwrap_or(u64::MAX).max(*least).min(*count);
        if left < *count {
            cut.push(Cut { index, wanted: *count, left });
            *count = left;
        }
    }
    cut
}
