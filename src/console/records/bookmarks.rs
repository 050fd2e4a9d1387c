//! Bookmarks: a record where it was seen, and the moment.

use std::collections::VecDeque;

use super::selection::RecordKey;
use crate::{
    console::input::{pane_id::PaneId, view_id::ViewId},
    ids::Seq,
    time::Now,
};

/// One bookmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bookmark {
    pub(crate) view: ViewId,
    /// Nothing where a chip had the focus.
    pub(crate) pane: Option<PaneId>,
    pub(crate) key: Option<RecordKey>,
    /// The last entry that was shown.
    pub(crate) seq: Seq,
    /// The moment that was shown.
    pub(crate) at: Now,
}

impl Bookmark {
    /// Whether it is at the same record.
    fn is_at(&self, other: &Self) -> bool {
        (self.view, self.pane, &self.key) == (other.view, other.pane, &other.key)
    }
}

/// Those that are set, the oldest first, at most `limits.console.bookmarks_max`.
#[derive(Debug, Default)]
pub(crate) struct Bookmarks {
    all: VecDeque<Bookmark>,
    /// Where the next jump begins: the place behind the one that it leads to.
    from: usize,
}

impl Bookmarks {
    /// The moments that they are set at.
    pub(crate) fn moments(&self) -> impl Iterator<Item = Now> {
        self.all.iter().map(|bookmark| bookmark.at)
    }

    /// The entries that they are set at.
    pub(crate) fn seqs(&self) -> impl Iterator<Item = Seq> {
        self.all.iter().map(|bookmark| bookmark.seq)
    }

    /// Sets one, or takes it away that is there already; whether it was set. While time is stopped one record
    /// can have many, one for each moment; live, the moment moves on by itself, and the last one at the
    /// record is meant.
    pub(crate) fn toggle(&mut self, bookmark: Bookmark, is_live: bool, max: u64) -> bool {
        let known = self
            .all
            .iter()
            .rposition(|known| known.is_at(&bookmark) && (is_live || known.seq == bookmark.seq));
        if let Some(index) = known {
            self.all.remove(index);
            self.from = self.all.len();
            return false;
        }
        while self.all.len() as u64 >= max.max(1) {
            self.all.pop_front();
        }
        self.all.push_back(bookmark);
        self.from = self.all.len();
        true
    }

    /// The one before the last that was jumped to, and its number from 1; before the first comes the last.
    pub(crate) fn before(&mut self) -> Option<(usize, &Bookmark)> {
        let index = self.from.checked_sub(1).or(self.all.len().checked_sub(1))?;
        self.from = index;
        Some((index + 1, self.all.get(index)?))
    }

    /// Whether one is set at a record of a pane, at whatever moment.
    pub(crate) fn has(&self, pane: PaneId, key: &RecordKey) -> bool {
        self.all.iter().any(|known| known.pane == Some(pane) && known.key.as_ref() == Some(key))
    }

    /// How many are set.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether none is set.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
