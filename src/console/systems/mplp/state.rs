//! What the lifecycle records keep on the screen.

use super::{
    folds::{Folds, Values},
    lines::{Line, Shown, lines},
    record::HeldRecord,
    requests::Requests,
};
use crate::{console::input::pane_id::PaneId, dissect::Tree, port::RecordOf};

/// What the lifecycle records keep on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    run: PaneRecordState,
    session: PaneRecordState,
    /// The command line that is to be written into the palette.
    pub(super) command: Option<String>,
}

/// The panes that show a record.
pub(crate) const PANES: [PaneId; 2] = [PaneId::Lifecycle, PaneId::SessionLifecycle];

impl State {
    /// What a pane keeps.
    pub(crate) fn of(&self, pane: PaneId) -> &PaneRecordState {
        if pane == PaneId::SessionLifecycle { &self.session } else { &self.run }
    }

    /// What a pane keeps, to be changed.
    pub(crate) fn of_mut(&mut self, pane: PaneId) -> &mut PaneRecordState {
        if pane == PaneId::SessionLifecycle { &mut self.session } else { &mut self.run }
    }
}

/// What a pane keeps of the record that it shows.
#[derive(Debug, Default)]
pub(crate) struct PaneRecordState {
    pub(super) of: Option<RecordOf>,
    pub(super) record: Option<HeldRecord>,
    /// A later state of it that is still loaded.
    pub(super) next: Option<HeldRecord>,
    pub(super) requests: Requests,
    pub(super) folds: Folds,
    /// The lines that are not folded away.
    lines: Vec<Line>,
    is_narrowed: bool,
    /// Whether the station has no such record.
    pub(super) is_unknown: bool,
    /// Why the last page did not come.
    pub(super) error: Option<String>,
}

impl PaneRecordState {
    /// What is shown.
    pub(crate) fn shown(&self) -> Option<Shown<'_>> {
        let record = self.record.as_ref()?;
        Some(Shown { record, folds: &self.folds, is_narrowed: self.is_narrowed })
    }

    /// The record that is shown.
    pub(crate) const fn record(&self) -> Option<&HeldRecord> {
        self.record.as_ref()
    }

    /// The lines that are shown, in their order.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether every list is unfolded, for the pane's rows are narrowed.
    pub(super) const fn is_narrowed(&self) -> bool {
        self.is_narrowed
    }

    /// Why there is nothing.
    pub(crate) fn empty_text(&self) -> String {
        match (&self.error, self.is_unknown) {
            (Some(why), _) => why.clone(),
            (None, true) => "no longer stored".to_owned(),
            (None, false) => "loading".to_owned(),
        }
    }

    /// Turns to another record; whether it is another.
    pub(super) fn switch_to(&mut self, of: Option<&RecordOf>) -> bool {
        let is_other = self.of.as_ref() != of;
        if is_other {
            let requests = self.requests.reset();
            *self = Self { of: of.cloned(), requests, is_narrowed: self.is_narrowed, ..Self::default() };
        }
        is_other
    }

    /// Has every list unfolded while the pane's rows are narrowed; whether that is new.
    pub(super) fn narrow(&mut self, is_narrowed: bool) -> bool {
        let is_new = self.is_narrowed != is_narrowed;
        if is_new {
            self.is_narrowed = is_narrowed;
            self.rebuild();
        }
        is_new
    }

    /// Folds an object. One that is too large for a page is not held any longer.
    pub(super) fn close(&mut self, row: usize) {
        self.folds.close(row);
        let of = self.record.as_mut().and_then(|record| record.rows.get_mut(row));
        if let Some(of) = of.filter(|of| of.omitted_bytes.is_some()) {
            of.object = None;
        }
    }

    /// Finds the lines anew.
    pub(super) fn rebuild(&mut self) {
        self.lines = self.shown().map_or_else(Vec::new, |it| lines(it.record, it.folds, it.is_narrowed));
    }

    /// Shows another state of the record; what is unfolded stays so.
    pub(super) fn replace(&mut self, record: HeldRecord) {
        if let Some(before) = self.record.take() {
            self.folds = self.folds.carried_over(&before, &record);
        }
        self.record = Some(record);
        self.rebuild();
    }

    /// Takes the values that the worker read under this number.
    pub(super) fn take_values(&mut self, number: u64, tree: Option<Tree>, nodes_max: usize) {
        let Some(row) = self.folds.reading(number) else { return };
        self.set_values(row, tree, nodes_max);
    }

    /// Takes the values of a row; without any they are to be read again.
    pub(super) fn set_values(&mut self, row: usize, tree: Option<Tree>, nodes_max: usize) {
        match (tree, self.record.as_ref().and_then(|record| record.rows.get(row))) {
            (Some(tree), Some(of)) => self.folds.set_values(row, of, tree, nodes_max),
            _ => {
                if let Some(object) = self.folds.object_mut(row) {
                    object.values = Values::Unread;
                }
            }
        }
        self.rebuild();
    }
}
