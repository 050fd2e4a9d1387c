//! What tells the parts of lifecycle records apart.

use std::sync::Arc;

use crate::{console::records::record_key::KeyKind, port::RecordOf, schema::PathStep};

/// A part of a record. It is named by its way, so that it is found again in a later state of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartId {
    pub(crate) of: RecordOf,
    /// Where its object is in the bundle; of a list, its member.
    pub(crate) path: Arc<str>,
    pub(crate) part: PartOf,
}

/// Which part of an object or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartOf {
    /// A list of objects or events, or the findings of the bundle.
    List,
    /// An object or event.
    Whole,
    /// A finding of it, by its place.
    Finding(usize),
    /// A value within it.
    Value(Vec<PathStep>),
    /// What stands for the values of one that cannot be shown.
    Note,
    /// What is not loaded.
    Rest,
}

/// A part of a record.
pub(crate) const PART: KeyKind<PartId> = KeyKind::new("record part");
