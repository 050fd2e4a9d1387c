//! Refunds: what becomes of each, newest first, in pages.

use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        records::{
            entry_query::EntryQuery,
            paged_list::{PageQuery, PageRows, station_list},
            row::{CellContext, DetailsRecord, PaneRecord},
            selection::RecordKey,
        },
        settings::view::View,
        systems::bridge::{
            details::{refund_details, refund_word},
            keys::REFUND,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::{ListSource, Pages},
            pane::{Columns, Drawing, Empty, Pane, PaneChip, PaneContext, Room, Source, Title},
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{RefundId, TraceId},
    port::{Page, Query, RefundRow},
    tap::{UntracedRow, entry::mpp::RefundStatus},
};

/// A refund record.
pub(crate) struct Refund<'a>(pub(crate) &'a RefundRow);

fields! {
    Refund<'_> {
        "id", Serial, Public, "number", Column::fixed("id", 6).right() => |it, _| Value::Serial(it.0.id.0);
        "at", Time, Public, "time recorded", Column::fixed("at", 8) => |it, _| Value::Time(it.0.at_ms);
        "invocation", Serial, Public, "refunded invocation", Column::fixed("invocation", 10).right() => |it, _| Value::Serial(it.0.invocation_id.0);
        "status", State(&["requested", "skipped", "manual"]), Public, "refund status", Column::fixed("status", 11)
            => |it, _| Value::text(status(it.0.status));
        "source", Text, Public, "source of the invocation", Column::growing("source", 8, 1)
            => |it, _| Value::text(it.0.source.kind.as_str());
        "user", Text, Login, "viewer", Column::growing("user", 8, 1).from(56) => |it, _| Value::maybe(it.0.source.user.as_deref());
        "redemption", Text, Payload, "redemption", Column::growing("redemption", 8, 2).from(70)
            => |it, _| Value::maybe(it.0.source.redemption.as_deref());
        "damage", Text, Payload, "damage found in the stored row" => |it, _| Value::maybe(it.0.damage.as_deref());
        "age", Duration, Public, "time since it was recorded" => |it, now| Value::Duration(crate::console::records::wall_ms(it.0.at_ms, now));
    }
}

const fn status(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped",
        RefundStatus::Manual => "manual",
    }
}

impl PaneRecord for Refund<'_> {
    fn key(&self) -> RecordKey {
        REFUND.of(self.0.id)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        Some(match field {
            "status" => {
                let (sign, role) = match self.0.status {
                    RefundStatus::Requested => (glyphs.refunded, Role::Text),
                    RefundStatus::Skipped => (glyphs.bad, Role::Warn),
                    RefundStatus::Manual => (glyphs.warn, Role::Warn),
                };
                Cell::new(format!("{sign} {}", refund_word(self.0.status)), role)
            }
            "source" => Cell::new(self.0.source.kind.clone(), Role::Muted),
            "redemption" => Cell::of_class(
                self.0.source.redemption.clone().unwrap_or_default(),
                Role::Muted,
                Class::Payload,
            ),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.0.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Invocation(self.0.invocation_id))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn marked_by(&self) -> Option<TraceId> {
        Some(UntracedRow::Refund(self.0.id).mark())
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("refunds", &format!("id={}", self.0.id)))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        Some(serde_json::to_string(self.0))
    }
}

/// The refund records of the store.
pub(crate) static PANE: Pane = Pane {
    specs: Refund::SPECS,
    columns: Columns::Declared,
    source: Source::Pages { field: "id", oldest_first: false },
    rows: |ui, _| ui.paged_lists.rows(PaneId::Refunds).iter().map(Refund).collect(),
    pages: Pages::List(&LIST),
    filter: None,
    title: Title::Of(|cx| match count(cx) {
        _ if cx.model.frozen.is_some() => stored_title(PaneId::Refunds),
        (0, _) => "Refunds".to_owned(),
        (refunds, more) => format!("Refunds {refunds}{}", if more { "+" } else { "" }),
    }),
    empty: Empty::Text("no refunds"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let (refunds, more) = count(cx);
        let figure = format!("{}{}", format::count(refunds), if more { "+" } else { "" });
        PaneChip::new(if room == Room::Least { "refund" } else { "refunds" }, figure, Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.store.refund_rows_max", ui.limits.store.refund_rows_max);
        let what = "stored refunds loaded so far; more load as you scroll";
        Some(Account::whole(what, all, bound))
    },
};

static LIST: ListSource = ListSource {
    list: || {
        station_list::<RefundRow>(false, |page| match page {
            Page::Refunds { rows, more, beyond } => {
                Some(PageRows { rows, more, beyond: beyond.map(|id| id.0) })
            }
            _ => None,
        })
    },
    query: |PageQuery { beyond, oldest_first, limit, .. }, filter| Query::Refunds {
        status: None,
        beyond: beyond.map(RefundId),
        oldest_first,
        filter,
        limit,
    },
    changes: |model| model.bridge.changes.refunds,
    is_wanted: |_| true,
};

/// How many refunds there are, and whether there are more than that.
fn count(cx: &PaneContext<'_>) -> (u64, bool) {
    cx.ui.paged_lists.count_with_new(PaneId::Refunds, cx.model.bridge.changes.refunds)
}

/// The title of a list of the store while time is stopped: the store knows nothing of the past.
pub(super) fn stored_title(pane: PaneId) -> String {
    format!("{}, as of the pause", pane.name())
}

impl DetailsRecord for RefundRow {
    fn key(&self) -> RecordKey {
        REFUND.of(self.id)
    }

    fn title(&self, _model: &Model) -> String {
        format!("Refund {}", self.id)
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        refund_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(Refund(self)))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(EntryQuery::Invocation(self.invocation_id))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}
