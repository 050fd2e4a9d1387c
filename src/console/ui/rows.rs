//! The rows of every pane: which there are, in which order, and what identifies them.

use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        records::{
            row_list::Rows,
            selection::{RowKeys as _, Selection},
            table,
            table::inner_width,
            table_settings::TableSettings,
        },
        ui::{
            pane::{Columns, Source},
            state::Ui,
        },
    },
    field::{Column, Spec, index_of},
    filter::Filter,
    ids::TraceId,
};

/// The fields of a pane's rows.
pub(crate) fn specs(pane: PaneId) -> &'static [Spec] {
    pane.pane().specs
}

/// The columns that a pane has by itself, each with its field.
fn default_columns(pane: PaneId, ui: &Ui) -> Vec<(usize, Column)> {
    let specs = specs(pane);
    let named = match pane.pane().columns {
        Columns::Named(named) => named,
        Columns::Of(named) => named(ui),
        Columns::Declared => {
            return specs
                .iter()
                .enumerate()
                .filter_map(|(field, spec)| spec.column.map(|column| (field, column)))
                .collect();
        }
    };
    named.iter().filter_map(|(name, column)| index_of(specs, name).map(|field| (field, *column))).collect()
}

/// The columns of a pane in a table of this width, each with its field.
pub(crate) fn visible_columns(pane: PaneId, ui: &Ui, width: u16) -> Vec<(usize, Column)> {
    ui.table_settings(pane).visible_columns(specs(pane), &default_columns(pane, ui), width)
}

/// Whether a pane's rows come from the store in pages: they keep its order, and their filter goes with the
/// question.
pub(crate) fn is_paged(pane: PaneId) -> bool {
    pane.pane().source.is_paged()
}

/// Whether a pane's rows have an order of their own that stays: the store's, or the tap's.
pub(crate) fn has_fixed_order(pane: PaneId) -> bool {
    pane.pane().source.order().is_some()
}

/// The field that a pane's rows are always ordered by.
pub(crate) fn fixed_order(pane: PaneId) -> Option<usize> {
    index_of(specs(pane), pane.pane().source.order()?)
}

/// A pane's rows as they come, unfiltered, in the pane's own order.
fn unfiltered<'a>(pane: PaneId, ui: &'a Ui, model: &'a Model) -> Rows<'a> {
    if model.station_state.is_none() {
        return Rows::none();
    }
    (pane.pane().rows)(ui, model)
}

/// What an arrangement, or the hits of a search, were made of. While it stays so, so do they.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    table_settings: u64,
    model: u64,
    paged_lists: u64,
    /// Ages move on by tenths of a second.
    tenths: u64,
    /// The trace that is shown, and how far its ladder was made.
    ladder: (Option<TraceId>, u64),
}

/// The places of the rows that are shown, in the order that they are shown in. It is made once for a moment
/// and a state of the model: a screen asks for a pane's rows several times.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    stamp: Stamp,
    indexes: Vec<usize>,
    /// Rows before the filter.
    all: usize,
}

pub(super) fn stamp(ui: &Ui, model: &Model, lens: &TableSettings) -> Stamp {
    Stamp {
        table_settings: lens.revision(),
        model: model.revision(),
        paged_lists: ui.paged_lists.revision(),
        tenths: ui.moment().mono.0 / 100_000_000,
        ladder: (ui.ladder_view.trace(), ui.ladder_view.folded()),
    }
}

/// Arranges a pane's rows for this moment, unless that was done. Nothing where they are shown as they come.
pub(crate) fn arrangement(pane: PaneId, ui: &Ui, model: &Model) -> Option<Arrangement> {
    let lens = ui.table_settings(pane);
    if has_fixed_order(pane) || !lens.arranges() {
        return None;
    }
    let stamp = stamp(ui, model, lens);
    if let Some(known) = ui.arranged(pane).filter(|known| known.stamp == stamp) {
        return Some(known.clone());
    }
    let rows = unfiltered(pane, ui, model);
    Some(Arrangement { stamp, indexes: rows.arrange(lens, specs(pane), ui.moment()), all: rows.len() })
}

/// A pane's rows as they are shown, from the top.
pub(crate) fn rows<'a>(pane: PaneId, ui: &'a Ui, model: &'a Model) -> Rows<'a> {
    if matches!(pane.pane().source, Source::Tap { .. }) {
        return (pane.pane().rows)(ui, model);
    }
    let lens = ui.table_settings(pane);
    let follows = pane.pane().source == Source::Following && lens.sort().is_none();
    let rows = unfiltered(pane, ui, model).following_the_end(follows);
    if has_fixed_order(pane) || !lens.arranges() {
        return rows;
    }
    let stamp = stamp(ui, model, lens);
    if let Some(known) = ui.arranged(pane).filter(|known| known.stamp == stamp) {
        rows.reorder(&known.indexes)
    } else {
        let indexes = rows.arrange(lens, specs(pane), ui.moment());
        rows.reorder(&indexes)
    }
}

/// How many rows of a pane are shown, and how many there are without its filter. Of a list in pages, those
/// that are here.
pub(crate) fn counts(pane: PaneId, ui: &Ui, model: &Model) -> (usize, usize) {
    if matches!(pane.pane().source, Source::Tap { .. }) {
        let counts = ui.wire.counts(ui.time.entries());
        let whole = |count| usize::try_from(count).unwrap_or(usize::MAX);
        return (whole(counts.visible), whole(counts.kept));
    }
    match ui.arranged(pane).filter(|known| known.stamp == stamp(ui, model, ui.table_settings(pane))) {
        Some(known) => (known.indexes.len(), known.all),
        None => (rows(pane, ui, model).len(), unfiltered(pane, ui, model).len()),
    }
}

/// The fields of a list that have columns, from the left.
pub(crate) fn column_fields(ui: &Ui, model: &Model, pane: PaneId) -> Vec<usize> {
    let width = inner_width(ui.layout(model).area_of(pane));
    visible_columns(pane, ui, width).into_iter().map(|(field, _)| field).collect()
}

/// The rows of a pane that fit its search, from the top.
#[derive(Debug)]
pub(crate) struct Hits {
    stamp: Stamp,
    pub(super) rows: Vec<usize>,
}

/// A row that fits, and which of all it is.
pub(super) struct Hit {
    pub(super) row: usize,
    pub(super) number: u64,
    pub(super) of: u64,
    /// Whether it lies on the other side of where was looked from.
    pub(super) is_wrapped: bool,
}

/// The hit nearest to the selected row in a direction, or at it.
pub(super) fn hit_from(ui: &Ui, model: &Model, pane: PaneId, forward: bool, may_stay: bool) -> Option<Hit> {
    let from = ui.selection(pane).map_or(0, Selection::index);
    let kept = ui.time.entries();
    let found = if is_of_tap(pane) { Vec::new() } else { found(ui, model, pane) };
    let (of, at, is_here) = if is_of_tap(pane) {
        let index = ui.wire.index(from, kept).unwrap_or(kept.end());
        let at = ui.wire_hits.row_from(index, kept);
        (ui.wire_hits.len(kept), at, ui.wire_hits.index(at, kept) == Some(index))
    } else {
        let at = found.partition_point(|row| *row < from);
        (found.len(), at, found.get(at) == Some(&from))
    };
    let last = of.checked_sub(1)?;
    let wanted = match (is_here, forward) {
        (true, _) if may_stay => Some(at),
        (_, true) => Some(at + usize::from(is_here)).filter(|at| *at < of),
        (_, false) => at.checked_sub(1),
    };
    let hit = wanted.unwrap_or(if forward { 0 } else { last });
    let row = if is_of_tap(pane) {
        ui.wire.row_from(ui.wire_hits.index(hit, kept)?, kept)
    } else {
        *found.get(hit)?
    };
    Some(Hit { row, number: hit as u64 + 1, of: of as u64, is_wrapped: wanted.is_none() })
}

pub(super) fn select(ui: &mut Ui, model: &Model, pane: PaneId, row: usize) {
    let height = table::list_height(ui.layout(model).area_of(pane));
    ui.select_in(pane, model, |selection, keys| selection.select(row, keys, height));
}

/// Whether a pane's rows are of the tap: so many that they are tested a part at a time.
pub(super) fn is_of_tap(pane: PaneId) -> bool {
    matches!(pane.pane().source, Source::Tap { .. })
}

/// What is looked for in the Wire, of what is shown there.
pub(crate) fn of_wire(settings: &std::collections::BTreeMap<PaneId, TableSettings>) -> Option<Filter> {
    let settings = settings.get(&PaneId::Wire)?;
    let search = settings.search()?;
    Some(settings.filter().map_or_else(|| search.clone(), |filter| filter.both(search)))
}

/// The rows that fit, from the top.
fn found(ui: &Ui, model: &Model, pane: PaneId) -> Vec<usize> {
    let stamp = stamp(ui, model, ui.table_settings(pane));
    if let Some(known) = ui.hits.get(&pane).filter(|known| known.stamp == stamp) {
        return known.rows.clone();
    }
    let rows = rows(pane, ui, model);
    (0..rows.len()).filter(|row| is_hit(pane, ui, &rows, *row)).collect()
}

/// Whether a row fits what is looked for in its pane.
pub(crate) fn is_hit(pane: PaneId, ui: &Ui, rows: &Rows<'_>, row: usize) -> bool {
    let search = ui.table_settings(pane).search();
    search.is_some_and(|search| rows.with(row, |row| search.admits(row, ui.moment())) == Some(true))
}

/// Settles which rows of a pane fit, and selects the first of them where that is still to be done. Its rows
/// and its selection are settled.
pub(crate) fn settle(ui: &mut Ui, model: &Model, pane: PaneId) {
    if ui.table_settings(pane).search().is_none() {
        ui.hits.remove(&pane);
        return;
    }
    if !is_of_tap(pane) {
        let (rows, stamp) = (found(ui, model, pane), stamp(ui, model, ui.table_settings(pane)));
        ui.hits.insert(pane, Hits { stamp, rows });
    }
    if ui.seek == Some(pane) && progress(pane, ui).is_none() {
        ui.seek = None;
        // A list that follows its end is read from there.
        let from_end =
            ui.selection(pane).is_none_or(Selection::is_untouched) && rows(pane, ui, model).follows_its_end();
        if let Some(hit) = hit_from(ui, model, pane, !from_end, true) {
            select(ui, model, pane, hit.row);
        }
    }
}

/// How many of a hundred parts were searched, while that goes on.
pub(super) fn progress(pane: PaneId, ui: &Ui) -> Option<u64> {
    ui.wire_hits.progress(ui.time.entries()).filter(|_| is_of_tap(pane))
}
