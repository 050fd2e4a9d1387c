//! Rows that are marked, for all of them to be cancelled together where they are pending, and to be requeued
//! together where they have ended. What is marked is the record, wherever it
//! is listed.

use std::collections::BTreeMap;

use crate::{
    console::settings::view::View,
    ids::{InvocationId, QueueName},
};

/// A marked row, as it was then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkedRow {
    pub(crate) queue: QueueName,
    /// It had ended; else it was pending.
    pub(crate) has_ended: bool,
    /// It has a refund that was not skipped.
    pub(crate) is_refunded: bool,
}

/// The marked rows: all pending, or all ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MarkedRows(BTreeMap<InvocationId, MarkedRow>);

impl MarkedRows {
    /// Whether a row is marked.
    pub(crate) fn contains(&self, id: InvocationId) -> bool {
        self.0.contains_key(&id)
    }

    /// Rows that are marked.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether rows are marked that have ended.
    pub(crate) fn have_ended(&self) -> bool {
        self.0.values().any(|row| row.has_ended)
    }

    /// Whether none is.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Marks a row, or no longer does; whether it did either.
    pub(crate) fn toggle(&mut self, id: InvocationId, row: MarkedRow, marks_max: u64) -> bool {
        if self.0.remove(&id).is_some() {
            return true;
        }
        let has_room = (self.0.len() as u64) < marks_max;
        if has_room {
            self.0.insert(id, row);
        }
        has_room
    }

    /// Takes a mark off.
    pub(crate) fn remove(&mut self, id: InvocationId) {
        self.0.remove(&id);
    }

    /// Takes all marks off; whether there were any.
    pub(crate) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.0).is_empty()
    }

    /// The marked rows, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (InvocationId, &MarkedRow)> {
        self.0.iter().map(|(id, row)| (*id, row))
    }

    /// What a title says of them; nothing while there are none.
    pub(crate) fn title_text(&self) -> Option<String> {
        (!self.is_empty()).then(|| format!(", {} marked", self.len()))
    }
}

/// A row's first cell, with a sign when it is marked.
pub(crate) fn with_mark_sign(view: &View, is_marked: bool, words: &str) -> String {
    if is_marked { format!("{}{words}", view.glyphs.marked) } else { words.to_owned() }
}
