//! What the lifecycle records keep on the screen.

use super::{
    folds::{Folds, Values},
    lines::{Line, Shown, lines},
    record::HeldRecord,
    requests::Requests,
};
use crate::{console::input::pane_id::PaneId, dissect::Tree, port::RecordOf, schema::JsonText};

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

    /// Unfolds an object.
    pub(super) fn open(&mut self, row: usize) {
        let Some(of) = self.record.as_ref().and_then(|record| record.rows.get(row)) else { return };
        let folded = self.folds.open(row, of, Vec::new());
        self.drop_objects(folded);
    }

    /// Folds an object.
    pub(super) fn close(&mut self, row: usize) {
        self.folds.close(row);
        self.drop_objects([row]);
    }

    /// Takes an object that was too large for a page, unless it is folded by now.
    pub(super) fn take_object(&mut self, row: usize, object: Option<JsonText>) {
        let (Some(record), Some(open)) = (self.record.as_mut(), self.folds.object_mut(row)) else { return };
        open.values = match object {
            Some(object) => {
                record.hold_object(row, object);
                Values::Unread
            }
            None => Values::Failed("too large to be sent: write the record to read it"),
        };
    }

    /// Lets those objects go of rows that were folded that are too large for a page.
    fn drop_objects(&mut self, rows: impl IntoIterator<Item = usize>) {
        if let Some(record) = &mut self.record {
            rows.into_iter().for_each(|row| record.drop_object(row));
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
            (Some(tree), Some(of)) => {
                let folded = self.folds.set_values(row, of, tree, nodes_max);
                self.drop_objects(folded);
            }
            _ => {
                if let Some(object) = self.folds.object_mut(row) {
                    object.values = Values::Unread;
                }
            }
        }
        self.rebuild();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dissect::mplp::object::object_tree,
        mplp::{Profile, lifecycle::Origin},
        port::{LifecyclePage, LifecycleRow},
    };

    const OBJECT: &str = r#"{"steps":[1,2,3]}"#;

    /// A record of objects that are all too large for a page.
    fn large(count: u64) -> PaneRecordState {
        let row = |place| LifecycleRow {
            place,
            schema: "role".to_owned(),
            path: format!("roles[{}]", place - 1),
            origin: Origin::Beginning,
            session: None,
            object: None,
            omitted_bytes: Some(OBJECT.len() as u64),
            findings: Vec::new(),
        };
        let page = LifecyclePage {
            profile: Profile::Sa,
            version: 1,
            total: count,
            findings: 0,
            more_findings: false,
            of_bundle: Vec::new(),
            rows: (1..=count).map(row).collect(),
            more: false,
        };
        let of = RecordOf::Station;
        let record = HeldRecord::begin(of.clone(), page, 1_000_000);
        PaneRecordState { of: Some(of), record: Some(record), ..PaneRecordState::default() }
    }

    fn fetch(state: &mut PaneRecordState, row: usize) {
        state.take_object(row, Some(JsonText::parse(OBJECT).unwrap()));
    }

    /// The rows whose objects are held, and the bytes of all that is.
    fn held(state: &PaneRecordState) -> (Vec<usize>, usize) {
        let record = state.record().unwrap();
        let rows = record.rows.iter().enumerate().filter(|(_, row)| row.object.is_some());
        (rows.map(|(at, _)| at).collect(), record.bytes())
    }

    #[test]
    fn a_large_object_is_held_and_counted_as_long_as_it_is_unfolded() {
        let mut state = large(2);
        let (_, without) = held(&state);
        state.open(0);
        fetch(&mut state, 0);
        fetch(&mut state, 0);
        assert_eq!(held(&state), (vec![0], without + OBJECT.len()));
        state.close(0);
        assert_eq!(held(&state), (vec![], without));
        // Its answer may come when it is folded again.
        fetch(&mut state, 0);
        assert_eq!(held(&state), (vec![], without));
    }

    #[test]
    fn large_objects_that_are_folded_for_others_are_let_go() {
        let mut state = large(70);
        let (_, without) = held(&state);
        for row in 0..70 {
            state.open(row);
            fetch(&mut state, row);
        }
        assert_eq!(held(&state), ((6..70).collect(), without + 64 * OBJECT.len()), "64 are unfolded at once");
        let mut state = large(3);
        for row in 0..3 {
            state.open(row);
            fetch(&mut state, row);
            // A tree of five values.
            state.set_values(row, Some(object_tree("role", OBJECT, 100)), 10);
        }
        assert_eq!(held(&state).0, [1, 2], "ten values are");
    }
}
