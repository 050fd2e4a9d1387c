//! What details tell of.

use std::{any::Any, fmt::Debug};

use crate::{
    console::{
        model::{EntryBuffer, Model, ReportLine},
        records::{
            entry_query::EntryQuery, record_key::RecordKey, row::PaneRecord, system_state::SystemState,
        },
        settings::view::View,
    },
    ids::{InvocationId, Seq, TraceId},
};

/// A record as its details tell of it: as it was, or found again by its key, for its row may be gone while it
/// is read.
pub(crate) trait DetailsRecord: Debug + Any {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// The title of its details.
    fn title(&self, model: &Model) -> String;

    /// What there is to tell of it.
    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine>;

    /// The row that can be copied of it, where there is one.
    fn row<'a>(&'a self, model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>>;

    /// What the entries that tell of it are found by.
    fn entry(&self) -> Option<EntryQuery>;

    /// The trace of the run that it is of.
    fn trace(&self) -> Option<TraceId>;

    /// Takes note of what came in meanwhile.
    fn follow(&mut self, _kept: &EntryBuffer, _systems: &SystemState) {}

    /// The invocation whose entries are listed below it.
    fn invocation(&self) -> Option<InvocationId> {
        None
    }

    /// The entry that it quotes.
    fn quoted_entry(&self) -> Option<Seq> {
        None
    }
}

impl dyn DetailsRecord {
    /// It, if it is of this type.
    pub(crate) fn of_type<T: DetailsRecord>(&self) -> Option<&T> {
        let record: &dyn Any = self;
        record.downcast_ref()
    }
}
