//! Invocations as the store has them, in pages: all of them, those that wait under another manifest, and
//! those that wait on one queue.

use std::collections::BTreeMap;

use super::queues::state_sign;
use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::Model,
        records::{
            entry_query::EntryQuery,
            paged_list::{PageQuery, PageRows, station_list},
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::bridge::{keys::INVOCATION, marked_rows::with_mark_sign},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::{ListSource, Pages},
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Room, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{InvocationId, ManifestHash, TraceId},
    mpp::QueueView,
    port::{InvocationRow, Page, Query},
    schema::JsonText,
    tap::entry::mpp::{RefundStatus, RowState},
};

/// A row as a page has it, and where it stands now: pages are as old as their answer, the model is not.
pub(crate) struct StoredInvocation<'a> {
    pub(crate) row: &'a InvocationRow,
    pub(crate) state: RowState,
    /// What is shown is the past, and what became of the row since is not told.
    pub(crate) has_moved: bool,
    /// It was not there yet at the moment that is shown.
    pub(crate) is_later: bool,
}

fields! {
    StoredInvocation<'_> {
        "id", Serial, Public, "number" => |it, _| Value::Serial(it.row.id.0);
        "at", Time, Public, "time of the last state change" => |it, _| Value::Time(it.row.updated_at_ms);
        "state", State(&["pending", "dispatched", "applied", "done", "failed", "refunded"]), Public, "state"
            => |it, _| Value::text(if it.is_later { NOT_YET } else { it.state.name() });
        "queue", Text, Public, "queue" => |it, _| Value::text(it.row.queue.as_str());
        "event", Text, Public, "event" => |it, _| Value::text(it.row.event.as_str());
        "reason" | "reason_or_result", Text, Payload, "failure reason" => |it, _| Value::maybe(it.row.reason.as_deref());
        "result", Text, Payload, "result from the adapter" => |it, _| Value::maybe(it.row.result.as_ref().map(JsonText::as_str));
        "params", Text, Payload, "event parameters" => |it, _| Value::text(it.row.params.as_str());
        "source", Text, Public, "source of the request" => |it, _| Value::text(it.row.source.kind.as_str());
        "user", Text, Login, "viewer who asked for it" => |it, _| Value::maybe(it.row.source.user.as_deref());
        "redemption", Text, Payload, "redemption" => |it, _| Value::maybe(it.row.source.redemption.as_deref());
        "trace", Id, Public, "trace" => |it, _| Value::text(it.row.trace_id.0.hyphenated().to_string());
        "enqueued", Time, Public, "enqueue time" => |it, _| Value::Time(it.row.enqueued_at_ms);
        "age" | "waiting", Duration, Public, "time since it was enqueued" => |it, now| Value::Duration(crate::console::records::wall_ms(it.row.enqueued_at_ms, now));
        "manifest", Text, Public, "manifest it was enqueued under, if not the active one"
            => |it, _| Value::maybe(it.row.other_manifest.as_ref().map(ManifestHash::as_str));
        "refund", State(&RefundStatus::NAMES), Public, "refund status"
            => |it, _| Value::maybe(it.row.refund.map(RefundStatus::name));
        "requeued_from", Serial, Public, "invocation it was requeued from"
            => |it, _| it.row.requeued_from.map_or(Value::None, |id| Value::Serial(id.0));
        "damage", Text, Payload, "damage found in the stored row" => |it, _| Value::maybe(it.row.damage.as_deref());
    }
}

/// The columns of History.
pub(crate) const HISTORY: &[(&str, Column)] = &[
    ("id", Column::fixed("id", 8).right()),
    ("at", Column::fixed("at", 8)),
    ("state", Column::fixed("state", 12)),
    ("queue", Column::growing("queue", 8, 1).from(60)),
    ("event", Column::growing("event", 10, 1)),
    ("reason", Column::growing("reason or result", 8, 6)),
    ("params", Column::growing("params", 12, 4).from(104)),
    ("source", Column::fixed("source", 14).from(128)),
    ("user", Column::fixed("user", 12).from(148)),
    ("trace", Column::fixed("trace", 5).from(92)),
    ("requeued_from", Column::fixed("requeued from", 13).right().from(170)),
];

/// The columns of what waits under another manifest.
pub(crate) const OTHER_PACK: &[(&str, Column)] = &[
    ("id", Column::fixed("id", 8).right()),
    ("queue", Column::growing("queue", 8, 1)),
    ("event", Column::growing("event", 10, 1)),
    ("age", Column::fixed("waiting", 7).right()),
    ("manifest", Column::fixed("manifest", 8)),
    ("params", Column::growing("params", 8, 4)),
    ("source", Column::fixed("source", 14).from(90)),
    ("user", Column::fixed("user", 12).from(110)),
];

/// The columns of what waits on one queue.
pub(crate) const PENDING: &[(&str, Column)] = &[
    ("id", Column::fixed("id", 10).right()),
    ("event", Column::growing("event", 12, 2)),
    ("state", Column::fixed("state", 12)),
    ("age", Column::fixed("waiting", 7).right()),
    ("params", Column::growing("params", 12, 4)),
    ("source", Column::fixed("source", 14).from(90)),
    ("user", Column::fixed("user", 12).from(110)),
];

impl PaneRecord for StoredInvocation<'_> {
    fn key(&self) -> RecordKey {
        INVOCATION.of(self.row.id)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let row = self.row;
        // In a list of what waits, a row that has gone on stands back.
        let is_back = self.is_later || (look.only_pending && self.state != RowState::Pending);
        let text = if is_back { Role::Muted } else { Role::Text };
        Some(match field {
            "id" => {
                let is_marked = look.systems.bridge.marked_rows.contains(row.id);
                Cell::new(
                    with_mark_sign(look.view, is_marked, &row.id.to_string()),
                    if is_marked { Role::Accent } else { text },
                )
            }
            "state" => self.state_cell(look),
            "queue" => Cell::new(row.queue.to_string(), Role::Muted),
            "event" => Cell::new(row.event.to_string(), text),
            "age" => Cell::new(format::age(look.view.now.wall.since(row.enqueued_at_ms)), text),
            "reason" if row.damage.is_some() => {
                let damage = row.damage.as_deref().unwrap_or_default();
                Cell::of_class(format!("damaged: {damage}"), Role::Warn, Class::Payload)
            }
            // What came of it takes the place of why nothing did.
            "reason" if self.has_moved => Cell::new("", Role::Muted),
            "reason" => {
                let told = row
                    .reason
                    .clone()
                    .or_else(|| row.result.as_ref().map(|result| result.as_str().to_owned()));
                Cell::of_class(told.unwrap_or_default(), Role::Text, Class::Payload)
            }
            "params" => Cell::of_class(row.params.as_str().to_owned(), Role::Muted, Class::Payload),
            "source" => Cell::new(row.source.kind.clone(), Role::Muted),
            "user" => Cell::of_class(row.source.user.clone().unwrap_or_default(), Role::Muted, Class::Login),
            "trace" => Cell::new(row.trace_id.short(), Role::Muted),
            "manifest" => {
                Cell::new(row.other_manifest.as_ref().map_or_else(String::new, short_hash), Role::Warn)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Invocation(self.row.id))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.row.trace_id)
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("invocations", &format!("id={}", self.row.id)))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        Some(serde_json::to_string(self.row))
    }

    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        Ok(self.row)
    }
}

impl StoredInvocation<'_> {
    fn state_cell(&self, look: &CellContext<'_>) -> Cell {
        if self.is_later {
            return Cell::new(format!("{} {NOT_YET}", look.view.glyphs.none), Role::Muted);
        }
        let (sign, role) = state_sign(self.state, look.view.glyphs);
        let is_other =
            self.row.other_manifest.is_some() && (look.only_pending || self.state == RowState::Pending);
        let (words, role) = if is_other { ("stale manifest", Role::Warn) } else { (self.state.name(), role) };
        Cell::new(format!("{sign} {words}"), role)
    }
}

/// The state of a row that was enqueued after the moment that is shown.
const NOT_YET: &str = "not yet";

/// Rows of a page, as they stand now; while time is stopped, as they stood then. The store knows nothing of
/// the past, and rows keep their places: one that was enqueued later says that it is not there yet, and one
/// that has moved since, without the model knowing it with the adapter or as ended, was still pending.
pub(super) fn rows<'a>(rows: &'a [InvocationRow], model: &Model) -> Rows<'a> {
    let mut ended: BTreeMap<InvocationId, RowState> = BTreeMap::new();
    let mpp = model.mpp();
    ended.extend(mpp.into_iter().flat_map(|mpp| &mpp.recent).map(|row| (row.id, row.state)));
    let live = |id: InvocationId| mpp.and_then(|mpp| mpp.live.get(&id)).map(|live| live.state);
    let state = |row: &InvocationRow| {
        live(row.id).or_else(|| ended.get(&row.id).copied()).unwrap_or_else(|| last_known_state(row, model))
    };
    let then = model.frozen.as_ref().map(|past| past.at.wall);
    let is_later = |row: &InvocationRow| then.is_some_and(|then| row.enqueued_at_ms > then);
    let stored = |row| {
        let (state, is_later) = (state(row), is_later(row));
        StoredInvocation {
            row,
            state,
            has_moved: is_later || (then.is_some() && state != row.state),
            is_later,
        }
    };
    rows.iter().map(stored).collect()
}

/// Where a row stood of which the model knows nothing.
pub(crate) fn last_known_state(row: &InvocationRow, model: &Model) -> RowState {
    let has_moved = model.frozen.as_ref().is_some_and(|past| row.updated_at_ms > past.at.wall);
    if has_moved { RowState::Pending } else { row.state }
}

/// Where a row stands now: pages are as old as their answer, the model is not.
pub(crate) fn state_now(row: &InvocationRow, model: &Model) -> RowState {
    let Some(mpp) = model.mpp() else { return row.state };
    if let Some(live) = mpp.live.get(&row.id) {
        return live.state;
    }
    mpp.recent
        .iter()
        .rev()
        .find(|ended| ended.id == row.id)
        .map_or_else(|| last_known_state(row, model), |ended| ended.state)
}

/// The first digits of a manifest's hash.
fn short_hash(hash: &ManifestHash) -> String {
    let digits = hash.as_str().strip_prefix("sha256:").unwrap_or(hash.as_str());
    digits.chars().take(8).collect()
}

/// Every row that the store has, newest first, in pages.
pub(crate) static HISTORY_PANE: Pane = Pane {
    specs: StoredInvocation::SPECS,
    columns: Columns::Named(HISTORY),
    source: Source::Pages { field: "id", oldest_first: false },
    rows: |ui, model| rows(ui.paged_lists.rows(PaneId::History), model),
    pages: Pages::List(&HISTORY_LIST),
    filter: None,
    title: Title::Of(|cx| with_marks("History".to_owned(), cx.ui)),
    empty: Empty::Text("no invocations yet"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let ended = |count: fn(&QueueView) -> u64| {
            cx.model.mpp().map_or(0, |mpp| mpp.queues.values().map(count).sum::<u64>())
        };
        let (done, bad) = (ended(|queue| queue.done), ended(|queue| queue.failed));
        let glyphs = cx.view.glyphs;
        let span = if room >= Room::Narrow && done + bad > 0 { " since start" } else { "" };
        let done = if room == Room::Least {
            String::new()
        } else {
            format!("{}{} ", format::count(done), glyphs.ok)
        };
        PaneChip::warning("history", format!("{done}{}{}{span}", format::count(bad), glyphs.bad), bad > 0)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.store.ended_rows_max", ui.limits.store.ended_rows_max);
        Some(Account::whole(LOADED_ROWS, all, bound))
    },
};

/// Pending rows of another manifest.
pub(crate) static OTHER_PACK_PANE: Pane = Pane {
    specs: StoredInvocation::SPECS,
    columns: Columns::Named(OTHER_PACK),
    source: Source::Pages { field: "id", oldest_first: true },
    rows: |ui, model| rows(ui.paged_lists.rows(PaneId::OtherPack), model),
    pages: Pages::List(&OTHER_PACK_LIST),
    filter: None,
    title: Title::Of(|cx| match other_pack_rows(cx.model) {
        0 => with_marks("Stale manifest".to_owned(), cx.ui),
        rows => with_marks(format!("Stale manifest {rows}"), cx.ui),
    }),
    empty: Empty::Text("no rows of a stale manifest"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let rows = other_pack_rows(cx.model);
        let name = if room == Room::Least { "old" } else { "stale manifest" };
        PaneChip::warning(name, format::count(rows), rows > 0)
    }),
    ledger: |ui, _, all| Some(Account::whole(LOADED_ROWS, all, pending_bound(ui))),
};

pub(super) const LOADED_ROWS: &str = "stored rows loaded so far; more load as you scroll";

static HISTORY_LIST: ListSource = ListSource {
    list: || station_list(false, invocations),
    query: |wanted, filter| query(wanted, None, false, filter),
    changes: |model| model.bridge.changes.rows,
    is_wanted: |area| area.is_some(),
};

static OTHER_PACK_LIST: ListSource = ListSource {
    list: || station_list(true, invocations),
    query: |wanted, filter| query(wanted, Some(RowState::Pending), true, filter),
    changes: |model| model.bridge.changes.others,
    is_wanted: |area| area.is_some(),
};

/// The rows of a page of invocations.
pub(crate) fn invocations(page: Page) -> Option<PageRows<InvocationRow>> {
    match page {
        Page::Invocations { rows, more, beyond } => {
            Some(PageRows { rows, more, beyond: beyond.map(|id| id.0) })
        }
        _ => None,
    }
}

fn query(wanted: PageQuery, state: Option<RowState>, other_manifest: bool, filter: Option<String>) -> Query {
    let PageQuery { beyond, oldest_first, limit, .. } = wanted;
    let beyond = beyond.map(InvocationId);
    Query::Invocations { state, queue: None, beyond, oldest_first, other_manifest, filter, limit }
}

pub(super) fn pending_bound(ui: &Ui) -> LedgerBound {
    LedgerBound::Limit("limits.mpp.pending_rows_max", ui.limits.mpp.pending_rows_max)
}

/// Rows that wait under another manifest.
fn other_pack_rows(model: &Model) -> u64 {
    model.mpp().map_or(0, |mpp| mpp.queues.values().map(|queue| queue.other_manifest).sum())
}

/// A title, and how many rows are marked: a cancellation takes them all, wherever they are listed.
fn with_marks(title: String, ui: &Ui) -> String {
    title + &ui.systems.bridge.marked_rows.title_text().unwrap_or_default()
}
