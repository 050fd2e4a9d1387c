//! The state of the screen itself: what is focused, selected, open, said.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    keymap::Place,
    layout::{self, Layout},
    model::Model,
    overlays::Overlay,
    panes,
};
use crate::{
    ids::{InvocationId, QueueName},
    time::Mono,
};

/// A pane of the Deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PaneId {
    Queues,
    InFlight,
    Recent,
    Log,
    Started,
}

impl PaneId {
    /// The place of its keys.
    pub(crate) const fn place(self) -> Place {
        match self {
            Self::Queues => Place::Queues,
            Self::InFlight => Place::InFlight,
            Self::Recent => Place::Recent,
            Self::Log => Place::Log,
            Self::Started => Place::Started,
        }
    }
}

/// A chip of the second line: a system, or a pane that has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChipId {
    Mpp,
    Store,
    Hidden(PaneId),
}

/// Where keys go when nothing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Pane(PaneId),
    /// The chips; the place of the selected one.
    Chips(usize),
}

/// The identity of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordKey {
    Queue(QueueName),
    Invocation(InvocationId),
    Notice(u64),
}

/// A selected record, and where it last stood, for when it goes away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    key: Option<RecordKey>,
    index: usize,
    offset: usize,
}

impl Selection {
    /// The row that is selected.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The first row that is drawn.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Finds the record again among these rows; when it is gone, its neighbour takes its place. While nothing was ever chosen, the first
    /// row is.
    pub(crate) fn settle(&mut self, keys: &[RecordKey], height: usize) {
        let found = self.key.as_ref().and_then(|key| keys.iter().position(|known| known == key));
        match (found, &self.key) {
            (Some(index), _) => {
                // The record stays at its line of the screen while rows come and go before it.
                self.offset = (self.offset + index).saturating_sub(self.index);
                self.index = index;
            }
            (None, Some(_)) => {
                self.index = self.index.min(keys.len().saturating_sub(1));
                self.key = keys.get(self.index).cloned();
            }
            (None, None) => self.index = 0,
        }
        self.offset = self.offset.min(self.index).max((self.index + 1).saturating_sub(height.max(1)));
        self.offset = self.offset.min(keys.len().saturating_sub(height.max(1)));
    }

    /// Selects the row at `index`, or the nearest there is.
    pub(crate) fn select(&mut self, index: usize, keys: &[RecordKey], height: usize) {
        self.index = index.min(keys.len().saturating_sub(1));
        self.key = keys.get(self.index).cloned();
        self.settle(keys, height);
    }

    /// Moves by some rows.
    pub(crate) fn step(&mut self, by: isize, keys: &[RecordKey], height: usize) {
        self.select(self.index.saturating_add_signed(by), keys, height);
    }
}

/// One line above the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    /// When it goes.
    pub(crate) until: Mono,
}

/// The state of the screen.
#[derive(Debug)]
pub(crate) struct Ui {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) focus: Focus,
    pub(crate) selections: BTreeMap<PaneId, Selection>,
    pub(crate) overlays: Vec<Overlay>,
    pub(crate) message: Option<Message>,
    pub(crate) zoomed: Option<PaneId>,
    pub(crate) lessons_dismissed: bool,
    /// Whether the first steps were shown after the last event.
    pub(crate) was_taught: bool,
    /// The queues that this console held with all the others, for the release to leave alone those that were held before.
    pub(crate) held_here: BTreeSet<QueueName>,
    pub(crate) mouse: bool,
    /// Counts the times that the operator asked for the next theme.
    pub(crate) theme_steps: u32,
}

impl Ui {
    /// A screen of this size with nothing open.
    pub(crate) fn new(columns: u16, rows: u16, mouse: bool) -> Self {
        Self {
            columns,
            rows,
            focus: Focus::Pane(PaneId::Queues),
            selections: BTreeMap::new(),
            overlays: Vec::new(),
            message: None,
            zoomed: None,
            lessons_dismissed: false,
            was_taught: false,
            held_here: BTreeSet::new(),
            mouse,
            theme_steps: 0,
        }
    }

    /// Whether the first steps are shown.
    pub(crate) fn teaches(&self, model: &Model) -> bool {
        model.is_first_run && !self.lessons_dismissed && !model.lessons.all_done()
    }

    /// Where everything is.
    pub(crate) fn layout(&self, model: &Model) -> Layout {
        layout::of(self.columns, self.rows, self.zoomed, self.teaches(model))
    }

    /// Where the next key goes.
    pub(crate) fn place(&self) -> Place {
        match (self.overlays.last(), self.focus) {
            (Some(overlay), _) => overlay.place(),
            (None, Focus::Pane(pane)) => pane.place(),
            (None, Focus::Chips(_)) => Place::Chips,
        }
    }

    /// The selected record of a pane.
    pub(crate) fn selected(&self, pane: PaneId, model: &Model) -> Option<RecordKey> {
        let index = self.selections.get(&pane).map_or(0, Selection::index);
        panes::keys(pane, model).into_iter().nth(index)
    }

    /// Fits focus and selections to what there is now. Called before anything is drawn.
    pub(crate) fn settle(&mut self, model: &Model) {
        let layout = self.layout(model);
        match self.focus {
            Focus::Pane(pane) if !layout.has(pane) => {
                self.focus = Focus::Pane(layout.panes.first().map_or(PaneId::Queues, |(pane, _)| *pane));
            }
            Focus::Chips(at) => self.focus = Focus::Chips(at.min(layout.chips().len().saturating_sub(1))),
            Focus::Pane(_) => {}
        }
        for (pane, area) in &layout.panes {
            let height = panes::list_height(*area);
            self.selections.entry(*pane).or_default().settle(&panes::keys(*pane, model), height);
        }
        for overlay in &mut self.overlays {
            overlay.settle(layout.body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(ids: impl IntoIterator<Item = u64>) -> Vec<RecordKey> {
        ids.into_iter().map(|id| RecordKey::Invocation(InvocationId(id))).collect()
    }

    #[test]
    fn new_rows_do_not_move_the_selection() {
        let mut selection = Selection::default();
        selection.select(1, &keys([9, 8, 7]), 10);
        selection.settle(&keys([11, 10, 9, 8, 7]), 10);
        assert_eq!(selection.index(), 3);
    }

    #[test]
    fn a_neighbour_takes_the_place_of_a_record_that_went_away() {
        let mut selection = Selection::default();
        selection.select(2, &keys([1, 2, 3, 4]), 10);
        selection.settle(&keys([1, 2, 4]), 10);
        assert_eq!(selection.index(), 2);
        selection.settle(&keys([1, 4]), 10);
        assert_eq!(selection.index(), 1);
        selection.settle(&[], 10);
        assert_eq!(selection.index(), 0);
        selection.settle(&keys([7]), 10);
        assert_eq!(selection.index(), 0);
    }

    #[test]
    fn a_selected_record_keeps_its_line_while_rows_come_before_it() {
        let mut selection = Selection::default();
        let before = keys((0..100).rev());
        selection.select(50, &before, 10);
        let line = selection.index() - selection.offset();
        selection.settle(&keys((0..140).rev()), 10);
        assert_eq!(selection.index() - selection.offset(), line);
    }

    #[test]
    fn nothing_chosen_follows_the_first_row() {
        let mut selection = Selection::default();
        selection.settle(&keys([3, 2, 1]), 2);
        selection.settle(&keys([9, 8, 7]), 2);
        assert_eq!((selection.index(), selection.offset()), (0, 0));
    }
}
