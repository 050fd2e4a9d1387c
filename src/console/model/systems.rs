//! What the model asks of a system.

use super::{
    journal::{Journal, NoticeDraft},
    station::StationState,
};
use crate::{
    limits,
    port::Snapshot,
    tap::{EntryRef, entry::station::Level},
};

/// What a row of an ordered map costs beside itself, in bytes: about a third of its nodes is empty.
pub(super) const NODE_BYTES: usize = 64;

/// What the model keeps of one system beside the state that snapshots carry.
pub(crate) trait SystemModel {
    /// From which level on its notices are of the station's own log; none where they are of who speaks with
    /// it.
    const STATION_LOG: Option<Level>;

    /// The state of a system of which nothing was heard.
    fn new(limits: &limits::Limits) -> Self;

    /// Forgets what it knows of a station that was started again since.
    fn reset(&mut self);

    /// Starts again from a snapshot. Windows of its own stay.
    fn resync(&mut self, to: &mut Resync<'_>);

    /// Takes one entry of its link: into what it keeps, into the state, and what a person should know of it
    /// into the journal.
    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>);

    /// What a copy of it holds, in bytes, with its part of the state and their texts as if no other copy
    /// shared them.
    fn memory_bytes(&self, state: Option<&StationState>) -> usize;
}

/// A snapshot to start again from.
pub(crate) struct Resync<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// What was known until now, if that was of the same start of the station.
    pub(crate) known: Option<&'a StationState>,
    /// Whether it is the first since the console came up.
    pub(crate) is_first: bool,
    pub(crate) journal: &'a mut Journal,
}

/// What an entry is folded into, beside the system's own.
pub(crate) struct Folding<'a> {
    /// The state before the entry.
    pub(super) state: Option<&'a mut StationState>,
    /// Whether the snapshot that the state is of has the entry, or the next one will have it.
    pub(super) is_in_snapshot: bool,
    /// Whether the state is void now, because a host began anew.
    pub(super) is_void: bool,
    pub(super) journal: &'a mut Journal,
}

impl Folding<'_> {
    /// The state as it is.
    pub(super) fn known(&self) -> Option<&StationState> {
        self.state.as_deref()
    }

    /// The state, where the entry is to be taken into it.
    pub(super) fn carried(&mut self) -> Option<&mut StationState> {
        if self.is_in_snapshot { None } else { self.state.as_deref_mut() }
    }

    /// Adds a notice to the journal, if the entry is worth one.
    pub(super) fn note(&mut self, entry: EntryRef<'_>, notice: Option<NoticeDraft>) {
        if let Some(notice) = notice {
            self.journal.push(entry.entry.at, Some(entry.entry.seq), notice);
        }
    }
}
