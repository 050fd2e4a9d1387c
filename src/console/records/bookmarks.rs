//! Bookmarks: a record where it was seen, and the moment.

use std::{collections::VecDeque, time::Duration};

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
    pub(crate) record: Option<BookmarkedRecord>,
    /// The last entry that was shown.
    pub(crate) seq: Seq,
    /// The moment that was shown.
    pub(crate) at: Now,
    /// How far that is from the beginning of a recording, where it is known.
    pub(crate) after: Option<Duration>,
}

/// The record of a bookmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BookmarkedRecord {
    /// By its identity.
    Key(RecordKey),
    /// By the label of its identity, as a file has it.
    Labelled(String),
}

impl BookmarkedRecord {
    /// Whether it is this one.
    pub(crate) fn is_of(&self, key: &RecordKey) -> bool {
        match self {
            Self::Key(known) => known == key,
            Self::Labelled(label) => key.label().as_ref() == Some(label),
        }
    }

    /// What it is called in a file; nothing where that is too long.
    pub(crate) fn label(&self) -> Option<String> {
        match self {
            Self::Key(key) => key.label(),
            Self::Labelled(label) => Some(label.clone()),
        }
    }
}

impl Bookmark {
    /// Whether it is at the same record.
    fn is_at(&self, other: &Self) -> bool {
        let is_same = match (&self.record, &other.record) {
            (Some(record), Some(BookmarkedRecord::Key(key))) => record.is_of(key),
            (record, other) => record == other,
        };
        (self.view, self.pane) == (other.view, other.pane) && is_same
    }
}

/// How often the record of a bookmark is looked for where a recording was gone to.
const LOOKS_MAX: u8 = 10;

/// A bookmark whose place in a recording is gone to.
#[derive(Clone, Debug)]
pub(crate) struct AwaitedBookmark {
    pub(crate) bookmark: Bookmark,
    /// Whether the place before was left.
    pub(crate) has_left: bool,
    looks: u8,
}

impl AwaitedBookmark {
    /// Its place was asked for.
    pub(crate) const fn new(bookmark: Bookmark) -> Self {
        Self { bookmark, has_left: false, looks: 0 }
    }

    /// Whether its record is to be looked for once more: windows fill by and by.
    pub(crate) const fn looks_again(&mut self) -> bool {
        self.looks = self.looks.saturating_add(1);
        self.looks <= LOOKS_MAX
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
    /// These, the oldest first.
    pub(crate) fn of(all: Vec<Bookmark>) -> Self {
        Self { from: all.len(), all: all.into() }
    }

    /// All of them, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Bookmark> {
        self.all.iter()
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
        let of_pane = self.all.iter().filter(|known| known.pane == Some(pane));
        { of_pane }.any(|known| known.record.as_ref().is_some_and(|record| record.is_of(key)))
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
