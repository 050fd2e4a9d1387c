//! The rows of every pane: which there are, in which order, and what identifies them.

use crate::console::{
    systems::{
        bridge,
        bridge::{Pending, adapter_log, in_flight, pack_state, queues, refunds},
        bus::{drops, peers, subscribers, topics},
        runs,
        runs::{artifacts, events, plan},
        sessions,
        sessions::{log, positions, statements},
        station::meter,
    },
    trace::pane,
};
use std::{cmp::Reverse, collections::VecDeque};

use super::Row;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::{
            FaultGroup, Model, Notice,
            runs::RunLine,
            sessions::{PositionRow, SessionLine, StatementRow},
        },
        records::{
            selection::{RecordKey, RowKeys},
            table_settings::TableSettings,
        },
        ui::state::Ui,
        wire::pane::Entries,
    },
    dissect::EntryRecord,
    field::{Column, Fields, Record as _, Spec, index_of},
    ids::TraceId,
    macp::{Mode, SessionRef, SessionView},
    mpp::EndedView,
    port::{ArtifactRow, RunRow, SessionRow},
};

/// The fields of a pane's rows.
pub(crate) fn specs(pane: PaneId) -> &'static [Spec] {
    match pane {
        PaneId::Queues => queues::Queue::SPECS,
        PaneId::InFlight => in_flight::InFlight::SPECS,
        PaneId::Recent => EndedView::SPECS,
        PaneId::Log | PaneId::StationLog => Notice::SPECS,
        PaneId::History | PaneId::OtherPack | PaneId::Pending => bridge::history::StoredInvocation::SPECS,
        PaneId::Refunds => refunds::Refund::SPECS,
        PaneId::State => pack_state::StateValue::SPECS,
        PaneId::AdapterLog => adapter_log::LogLine::SPECS,
        PaneId::Violations => FaultGroup::SPECS,
        PaneId::Meter => meter::MetricRow::SPECS,
        PaneId::Wire => EntryRecord::SPECS,
        PaneId::Topics => topics::Topic::SPECS,
        PaneId::Subscribers => subscribers::Subscriber::SPECS,
        PaneId::Peers => peers::BusPeer::SPECS,
        PaneId::Drops => drops::Drops::SPECS,
        PaneId::Runs => runs::list::Run::SPECS,
        PaneId::Plan => plan::PlannedNode::SPECS,
        PaneId::RunEvents => RunLine::SPECS,
        PaneId::Artifacts => ArtifactRow::SPECS,
        PaneId::RunHistory => RunRow::SPECS,
        PaneId::Sessions => SessionView::SPECS,
        PaneId::Positions => PositionRow::SPECS,
        PaneId::Statements => StatementRow::SPECS,
        PaneId::SessionLog => SessionLine::SPECS,
        PaneId::SessionHistory => SessionRow::SPECS,
        PaneId::Trace => pane::LadderRow::SPECS,
        PaneId::Started => &[],
    }
}

/// The columns that a pane has by itself, each with its field; some go by the mode of the session that is
/// shown.
fn default_columns(pane: PaneId, mode: Option<Mode>) -> Vec<(usize, Column)> {
    let specs = specs(pane);
    let named = match pane {
        PaneId::History => bridge::history::HISTORY,
        PaneId::OtherPack => bridge::history::OTHER_PACK,
        PaneId::Pending => bridge::history::PENDING,
        PaneId::RunHistory => runs::history::COLUMNS,
        PaneId::SessionHistory => sessions::history::COLUMNS,
        PaneId::Positions => positions::columns(mode),
        PaneId::Statements => statements::columns(mode),
        _ => {
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
    ui.table_settings(pane).visible_columns(specs(pane), &default_columns(pane, ui.mode), width)
}

/// Whether a pane's rows come from the store in pages: they keep its order, and their filter goes with the
/// question.
pub(crate) const fn is_paged(pane: PaneId) -> bool {
    matches!(
        pane,
        PaneId::History
            | PaneId::OtherPack
            | PaneId::Refunds
            | PaneId::Pending
            | PaneId::RunHistory
            | PaneId::SessionHistory
    )
}

/// Whether a pane's rows have an order of their own that stays: the store's, or the tap's.
pub(crate) const fn has_fixed_order(pane: PaneId) -> bool {
    is_paged(pane) || matches!(pane, PaneId::Wire)
}

/// The field that a pane's rows are always ordered by.
pub(crate) fn fixed_order(pane: PaneId) -> Option<usize> {
    match pane {
        PaneId::Wire => index_of(specs(pane), "at"),
        PaneId::RunHistory | PaneId::SessionHistory => index_of(specs(pane), "number"),
        _ if is_paged(pane) => index_of(specs(pane), "id"),
        _ => None,
    }
}

/// Notices, the latest first: one that was told of again stands where it was told last.
fn notices(notices: &VecDeque<Notice>) -> Vec<Row<'_>> {
    let mut latest: Vec<_> = notices.iter().rev().collect();
    latest.sort_by_key(|notice| Reverse(notice.at.mono));
    latest.into_iter().map(Row::Notice).collect()
}

/// A pane's rows as they come, unfiltered, in the pane's own order.
fn unfiltered<'a>(pane: PaneId, ui: &'a Ui, model: &'a Model) -> Vec<Row<'a>> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    match pane {
        PaneId::Queues => queues::rows(mpp, model, ui),
        PaneId::InFlight => in_flight::rows(mpp),
        PaneId::Recent => model.ended().map(Row::Ended).collect(),
        PaneId::Log => notices(&model.journal.notices),
        PaneId::StationLog => notices(&model.journal.station),
        PaneId::History => bridge::history::rows(ui.paged_lists.history.rows(), model),
        PaneId::OtherPack => bridge::history::rows(ui.paged_lists.other_pack.rows(), model),
        PaneId::Pending => ui
            .layer::<Pending>()
            .map_or_else(Vec::new, |pending| bridge::history::rows(pending.window.rows(), model)),
        PaneId::Refunds => {
            ui.paged_lists.refunds.rows().iter().map(|row| Row::Refund(refunds::Refund(row))).collect()
        }
        PaneId::State => {
            ui.paged_lists.state.rows().iter().map(|row| Row::Value(pack_state::StateValue(row))).collect()
        }
        PaneId::AdapterLog => adapter_log::rows(model),
        PaneId::Violations => model.faults.groups().map(Row::Fault).collect(),
        PaneId::Meter => meter::rows(ui, model),
        PaneId::Topics => topics::rows(model, ui.moment()),
        PaneId::Subscribers => subscribers::rows(model, ui),
        PaneId::Peers => peers::rows(model),
        PaneId::Drops => drops::rows(model),
        PaneId::Runs => runs::list::rows(model, ui),
        PaneId::Plan => plan::rows(model, ui),
        PaneId::RunEvents => events::rows(model, ui),
        PaneId::Artifacts => artifacts::rows(model, ui),
        PaneId::RunHistory => ui.paged_lists.run_history.rows().iter().map(Row::StoredRun).collect(),
        PaneId::Sessions => sessions::list::rows(model, ui.moment()),
        PaneId::Positions => positions::rows(model, ui),
        PaneId::Statements => statements::rows(model, ui),
        PaneId::SessionLog => log::rows(model, ui),
        PaneId::SessionHistory => {
            ui.paged_lists.session_history.rows().iter().map(Row::StoredSession).collect()
        }
        PaneId::Trace => pane::rows(ui),
        // Too many to be named all: see [`rows`].
        PaneId::Wire | PaneId::Started => Vec::new(),
    }
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
    if pane == PaneId::Wire {
        return Rows::Entries(Entries { list: &ui.wire, buffer: ui.time.entries() });
    }
    let rows = unfiltered(pane, ui, model);
    let lens = ui.table_settings(pane);
    let made =
        if matches!(pane, PaneId::RunEvents | PaneId::SessionLog | PaneId::Trace) && lens.sort().is_none() {
            Rows::Following
        } else {
            Rows::Collected
        };
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
    if pane == PaneId::Wire {
        let counts = ui.wire.counts(ui.time.entries());
        let whole = |count| usize::try_from(count).unwrap_or(usize::MAX);
        return (whole(counts.visible), whole(counts.kept));
    }
    match ui.arranged(pane).filter(|known| known.stamp == stamp(ui, model, ui.table_settings(pane))) {
        Some(known) => (known.indexes.len(), known.all),
        None => (rows(pane, ui, model).len(), unfiltered(pane, ui, model).len()),
    }
}
