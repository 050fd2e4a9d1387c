//! How the operator looks at the rows of a pane: what is let through, in which order, in which columns, and
//! which cell is chosen.
//!
//! A pane's rows are filtered, then sorted; what is equal keeps the order that it has by itself. Lists that
//! come from the store in pages keep the store's order, and their filter goes with the question.

use std::cmp::Ordering;

use crate::{
    field::{Column, Kind, Spec, Value},
    filter::Filter,
};

/// By which field rows are sorted, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    /// The place of the field, whether it has a column or not.
    pub(crate) field: usize,
    pub(crate) descending: bool,
}

impl Sort {
    /// What a click on the head of a field's column makes of it: sorted by that field, or the other way
    /// round.
    pub(crate) fn toggled(present: Option<Self>, field: usize) -> Self {
        let descending = present.is_some_and(|sort| sort.field == field && !sort.descending);
        Self { field, descending }
    }

    /// What asking for it again and again makes of it: sorted by that field, then the other way round, then
    /// not at all.
    pub(crate) fn cycled(present: Option<Self>, field: usize) -> Option<Self> {
        let is_turned = present.is_some_and(|sort| sort.field == field && sort.descending);
        (!is_turned).then(|| Self::toggled(present, field))
    }

    /// The order of two values of the field: what has none comes last, whichever way.
    pub(crate) fn order(self, spec: &Spec, one: &Value<'_>, other: &Value<'_>) -> Ordering {
        let order = match (one, other, spec.kind) {
            (Value::None, _, _) | (_, Value::None, _) => return one.is_none().cmp(&other.is_none()),
            // States go by the order that they are declared in.
            (Value::Text(one), Value::Text(other), Kind::State(states)) => {
                let position =
                    |name: &str| states.iter().position(|state| *state == name).unwrap_or(states.len());
                position(one).cmp(&position(other)).then_with(|| one.cmp(other))
            }
            _ => one.order(other),
        };
        if self.descending { order.reverse() } else { order }
    }
}

/// How a pane is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableSettings {
    /// The filter that was kept.
    filter: Option<Filter>,
    /// What is looked for.
    search: Option<Filter>,
    sort: Option<Sort>,
    /// The fields that have a column, from the left; the pane's own choice without.
    columns: Option<Vec<usize>>,
    /// The field whose cell is chosen in the selected row.
    pub(crate) cell: Option<usize>,
    /// How often filter, search or sort were changed.
    revision: u64,
    /// How often sort or columns were changed.
    layout_revision: u64,
}

impl TableSettings {
    /// Everything as it comes.
    pub(crate) const DEFAULT: Self = Self {
        filter: None,
        search: None,
        sort: None,
        columns: None,
        cell: None,
        revision: 0,
        layout_revision: 0,
    };

    /// The filter that was kept.
    pub(crate) fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Keeps a filter, or none.
    pub(crate) fn set_filter(&mut self, filter: Option<Filter>) {
        self.filter = filter;
        self.revision += 1;
    }

    /// What is looked for: the rows that fit are marked.
    pub(crate) fn search(&self) -> Option<&Filter> {
        self.search.as_ref()
    }

    /// Looks for something, or for nothing.
    pub(crate) fn set_search(&mut self, search: Option<Filter>) {
        self.search = search;
        self.revision += 1;
    }

    /// By what rows are sorted that the pane has all of.
    pub(crate) fn sort(&self) -> Option<Sort> {
        self.sort
    }

    /// Sorts, or leaves rows in the pane's own order.
    pub(crate) fn set_sort(&mut self, sort: Option<Sort>) {
        self.sort = sort;
        self.revision += 1;
        self.layout_revision += 1;
    }

    /// Chooses the columns, or leaves them to the pane.
    pub(crate) fn set_columns(&mut self, columns: Option<Vec<usize>>) {
        self.columns = columns;
        self.layout_revision += 1;
    }

    /// The fields that were chosen to have a column.
    pub(crate) fn columns(&self) -> Option<&[usize]> {
        self.columns.as_deref()
    }

    /// Whether neither order nor columns were chosen.
    pub(crate) fn is_default(&self) -> bool {
        self.sort.is_none() && self.columns.is_none()
    }

    /// How often sort or columns were changed.
    pub(crate) fn layout_revision(&self) -> u64 {
        self.layout_revision
    }

    /// Whether rows are shown other than as they come.
    pub(crate) fn arranges(&self) -> bool {
        self.filter.is_some() || self.sort.is_some()
    }

    /// How often filter, search or sort were changed: what was arranged before is out of date.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The columns in a table of this width, each with its field. Those that were chosen stand while they
    /// fit, from the left; of a pane's own, some are left out of narrow tables.
    pub(crate) fn visible_columns(
        &self,
        specs: &[Spec],
        own: &[(usize, Column)],
        width: u16,
    ) -> Vec<(usize, Column)> {
        let Some(chosen) = &self.columns else {
            return own.iter().copied().filter(|(_, column)| width >= column.from).collect();
        };
        let mut room = width.saturating_sub(1);
        let column = |field: usize| {
            let known = own.iter().find(|(known, _)| *known == field).map(|(_, column)| *column);
            known
                .or_else(|| specs.get(field).map(Spec::column_or_default))
                .map(|column| (field, column.from(0)))
        };
        let fits = |(_, column): &(usize, Column)| match room.checked_sub(column.columns + 1) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        };
        chosen.iter().copied().filter_map(column).take_while(fits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Class;

    fn spec(kind: Kind) -> Spec {
        Spec { name: "state", also: &[], kind, reads: &[], class: Class::Public, about: "", column: None }
    }

    #[test]
    fn a_second_click_reverses() {
        let first = Sort::toggled(None, 1);
        assert_eq!(first, Sort { field: 1, descending: false });
        let second = Sort::toggled(Some(first), 1);
        assert_eq!((second.descending, Sort::toggled(Some(second), 1)), (true, first));
        assert_eq!(Sort::toggled(Some(second), 0), Sort { field: 0, descending: false });
    }

    #[test]
    fn what_has_no_value_comes_last_whichever_way_and_states_go_by_their_declaration() {
        for descending in [false, true] {
            let sort = Sort { field: 0, descending };
            assert_eq!(sort.order(&spec(Kind::Text), &Value::None, &Value::text("a")), Ordering::Greater);
            let states = spec(Kind::State(&["pending", "done"]));
            let order = sort.order(&states, &Value::text("pending"), &Value::text("done"));
            assert_eq!(order, if descending { Ordering::Greater } else { Ordering::Less });
        }
    }

    #[test]
    fn chosen_columns_stand_while_they_fit_and_own_ones_from_their_width() {
        let specs = [spec(Kind::Serial), spec(Kind::Number), spec(Kind::Number)];
        let own = [(0, Column::fixed("id", 7)), (1, Column::fixed("bytes", 5).from(60))];
        let places = |lens: &TableSettings, width| {
            lens.visible_columns(&specs, &own, width).iter().map(|(field, _)| *field).collect::<Vec<_>>()
        };
        let mut lens = TableSettings::default();
        assert_eq!((places(&lens, 59), places(&lens, 60)), (vec![0], vec![0, 1]));
        lens.set_columns(Some(vec![2, 1, 0]));
        assert_eq!(
            (places(&lens, 59), places(&lens, 16), places(&lens, 15)),
            (vec![2, 1, 0], vec![2, 1], vec![2])
        );
    }
}
