//! The rows of every pane: which there are, in which order, and what identifies them.

use super::Row;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        records::{
            pane::{Columns, Source},
            selection::{RecordKey, RowKeys},
            table_settings::TableSettings,
        },
        ui::state::Ui,
        wire::pane::Entries,
    },
    field::{Column, Record as _, Spec, index_of},
    ids::TraceId,
    macp::SessionRef,
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
fn unfiltered<'a>(pane: PaneId, ui: &'a Ui, model: &'a Model) -> Vec<Row<'a>> {
    if model.station_state.is_none() {
        return Vec::new();
    }
    (pane.pane().rows)(ui, model)
}

/// What an arrangement was made of. While it stays so, so does the arrangement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    table_settings: u64,
    model: u64,
    paged_lists: u64,
    /// Ages move on by tenths of a second.
    tenths: u64,
    /// The run that panes tell of.
    run: Option<TraceId>,
    /// The session that panes tell of.
    session: Option<SessionRef>,
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

fn stamp(ui: &Ui, model: &Model, lens: &TableSettings) -> Stamp {
    Stamp {
        table_settings: lens.revision(),
        model: model.revision(),
        paged_lists: ui.paged_lists.revision(),
        tenths: ui.moment().mono.0 / 100_000_000,
        run: ui.run,
        session: ui.session.clone(),
        ladder: (ui.ladder_view.trace(), ui.ladder_view.folded()),
    }
}

fn arrange(rows: &[Row<'_>], pane: PaneId, ui: &Ui) -> Vec<usize> {
    let (lens, specs, now) = (ui.table_settings(pane), specs(pane), ui.moment());
    let admits = |row: &Row<'_>| lens.filter().is_none_or(|filter| filter.admits(row, now));
    let mut places: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| admits(row)).map(|(at, _)| at).collect();
    if let Some((sort, spec)) = lens.sort().and_then(|sort| specs.get(sort.field).map(|spec| (sort, spec))) {
        let mut valued: Vec<_> = places.iter().map(|at| (rows[*at].value(sort.field, now), *at)).collect();
        valued.sort_by(|(one, _), (other, _)| sort.order(spec, one, other));
        places = valued.into_iter().map(|(_, at)| at).collect();
    }
    places
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
    Some(Arrangement { stamp, indexes: arrange(&rows, pane, ui), all: rows.len() })
}

/// The rows of a pane as they are shown, from the top.
pub(crate) enum Rows<'a> {
    /// All of them.
    Collected(Vec<Row<'a>>),
    /// All of them, of a list that follows its end.
    Following(Vec<Row<'a>>),
    /// Entries of the tap, each made when it is asked for.
    Entries(Entries<'a>),
}

impl Rows<'_> {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks at one row.
    pub(crate) fn with<T>(&self, at: usize, look: impl FnOnce(&Row<'_>) -> T) -> Option<T> {
        match self {
            Self::Collected(rows) | Self::Following(rows) => rows.get(at).map(look),
            Self::Entries(entries) => entries.row_at(at).map(|row| look(&row)),
        }
    }
}

impl<'a> Rows<'a> {
    /// One row, for good.
    pub(crate) fn into_row(self, at: usize) -> Option<Row<'a>> {
        match self {
            Self::Collected(rows) | Self::Following(rows) => rows.into_iter().nth(at),
            Self::Entries(entries) => entries.row_at(at),
        }
    }
}

impl RowKeys for Rows<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Collected(rows) | Self::Following(rows) => rows.len(),
            Self::Entries(entries) => entries.len(),
        }
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        match self {
            Self::Collected(rows) | Self::Following(rows) => rows.get(row).map(Row::key),
            Self::Entries(entries) => entries.key(row),
        }
    }

    fn row(&self, key: &RecordKey) -> Option<usize> {
        match self {
            Self::Collected(rows) | Self::Following(rows) => rows.iter().position(|row| row.key() == *key),
            Self::Entries(entries) => entries.row(key),
        }
    }

    fn neighbour(&self, gone: &RecordKey, row: usize) -> usize {
        match self {
            Self::Collected(rows) | Self::Following(rows) => row.min(rows.len().saturating_sub(1)),
            Self::Entries(entries) => entries.neighbour(gone, row),
        }
    }

    fn follows_its_end(&self) -> bool {
        matches!(self, Self::Entries(_) | Self::Following(_))
    }

    fn leading(&self) -> usize {
        let Self::Collected(rows) = self else { return 0 };
        let ranked = rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| if let Row::Node(node) = row { Some((node.rank()?, at)) } else { None });
        ranked.min().map_or(0, |(_, at)| at)
    }

    fn pinned(&self) -> usize {
        match self {
            Self::Collected(rows) => {
                let is_open = |row: &&Row<'_>| match row {
                    Row::Run(run) => !run.view.state.is_end(),
                    Row::Session(session) => session.end.is_none(),
                    _ => false,
                };
                rows.iter().take_while(is_open).count()
            }
            Self::Following(_) | Self::Entries(_) => 0,
        }
    }
}

/// A pane's rows as they are shown, from the top.
pub(crate) fn rows<'a>(pane: PaneId, ui: &'a Ui, model: &'a Model) -> Rows<'a> {
    if matches!(pane.pane().source, Source::Tap { .. }) {
        return Rows::Entries(Entries { list: &ui.wire, buffer: ui.time.entries() });
    }
    let rows = unfiltered(pane, ui, model);
    let lens = ui.table_settings(pane);
    let follows = pane.pane().source == Source::Following && lens.sort().is_none();
    let made = if follows { Rows::Following } else { Rows::Collected };
    if has_fixed_order(pane) || !lens.arranges() {
        return made(rows);
    }
    let stamp = stamp(ui, model, lens);
    let known = ui.arranged(pane).filter(|known| known.stamp == stamp);
    let places = known.map_or_else(|| arrange(&rows, pane, ui), |known| known.indexes.clone());
    let mut rows: Vec<Option<Row<'_>>> = rows.into_iter().map(Some).collect();
    made(places.into_iter().filter_map(|at| rows.get_mut(at).and_then(Option::take)).collect())
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
