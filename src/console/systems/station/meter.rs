//! Meter: what this console costs and how well it keeps up, against what bounds it.

use std::{borrow::Cow, time::Duration};

use crate::{
    console::{
        draw::{Cell, format, theme::Role},
        model::{Model, station::Measured},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, NO_ENTRY, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::station::keys::METRIC,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
};

/// An amount, as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    None,
    Time(Duration),
    Count(u64),
    CountPerS(u64),
    Bytes(u64),
    BytesPerS(u64),
    /// Thousandths.
    Share(u64),
}

impl Amount {
    fn text(self) -> Cow<'static, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Time(time) => Cow::Owned(format::fine(time)),
            Self::Count(count) => Cow::Owned(format::count(count)),
            Self::CountPerS(count) => Cow::Owned(format!("{}/s", format::count(count))),
            Self::Bytes(bytes) => Cow::Owned(format::bytes(bytes)),
            Self::BytesPerS(bytes) => Cow::Owned(format!("{}/s", format::bytes(bytes))),
            Self::Share(thousandths) => Cow::Owned(format!("{}.{}%", thousandths / 10, thousandths % 10)),
        }
    }

    fn time(time: Option<Duration>) -> Self {
        time.map_or(Self::None, Self::Time)
    }
}

/// One figure.
pub(crate) struct MetricRow {
    name: &'static str,
    last: Amount,
    minute: Amount,
    limit: Amount,
    about: &'static str,
    /// It says that the console does not keep up.
    is_bad: bool,
}

fields! {
    MetricRow {
        "metric" | "figure", Text, Public, "metric", Column::fixed("metric", 14) => |it, _| Value::text(it.name);
        "last", Text, Public, "current value, or over the last full second", Column::fixed("now", 10).right() => |it, _| Value::text(it.last.text());
        "minute", Text, Public, "maximum or percentile over the last minute", Column::fixed("minute", 10).right()
            => |it, _| Value::text(it.minute.text());
        "limit", Text, Public, "limit", Column::fixed("limit", 8).right() => |it, _| Value::text(it.limit.text());
        "about", Text, Public, "description", Column::growing("description", 20, 1).from(68) => |it, _| Value::text(it.about);
    }
}

impl PaneRecord for MetricRow {
    fn key(&self) -> RecordKey {
        METRIC.of(self.name)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let role = if self.is_bad { Role::Warn } else { Role::Text };
        Some(match field {
            // What it says is not told by colour alone.
            "metric" if self.is_bad => Cell::new(format!("{} {}", look.view.glyphs.warn, self.name), role),
            "last" => Cell::new(self.last.text(), role),
            "limit" => Cell::new(self.limit.text(), Role::Muted),
            "about" => Cell::new(self.about, Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Err(NO_ENTRY.to_owned())
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

impl MetricRow {
    const fn new(
        name: &'static str,
        last: Amount,
        minute: Amount,
        limit: Amount,
        about: &'static str,
    ) -> Self {
        Self { name, last, minute, limit, about, is_bad: false }
    }

    fn frame(
        name: &'static str,
        time: Measured<Option<Duration>>,
        limit: Amount,
        about: &'static str,
    ) -> Self {
        Self::new(name, Amount::time(time.last), Amount::time(time.minute), limit, about)
    }

    fn rate(
        name: &'static str,
        it: Measured<u64>,
        unit: fn(u64) -> Amount,
        limit: Amount,
        about: &'static str,
    ) -> Self {
        Self::new(name, unit(it.last), unit(it.minute), limit, about)
    }

    /// A number that is true of now, and has no history.
    const fn now(name: &'static str, last: Amount, limit: Amount, about: &'static str) -> Self {
        Self::new(name, last, Amount::None, limit, about)
    }

    const fn bad_if(self, is_bad: bool) -> Self {
        Self { is_bad, ..self }
    }
}

/// All metrics. They are of the present, whatever moment is shown.
fn rows<'a>(ui: &Ui, model: &Model) -> Rows<'a> {
    frame_rows(ui, model).into_iter().chain(entry_rows(ui, model)).collect()
}

/// What drawing costs.
fn frame_rows(ui: &Ui, model: &Model) -> [MetricRow; 5] {
    let (metrics, frames_max) = (model.console_health.metrics, ui.limits.console.frames_per_s_max);
    // A frame that takes so long is followed by so long a rest that there are half as many.
    let longest = Amount::Time(Duration::from_millis(1_000 / frames_max.max(1) / 2));
    let half = "median time to draw and write a frame";
    let fewer = "reduced while lagging or drawing slowly";
    let is_slow = model.console_health.frames_per_s.is_some();
    [
        MetricRow::frame("frame p50", metrics.p50, Amount::None, half),
        MetricRow::frame("frame p95", metrics.p95, Amount::None, "95th percentile of frame times"),
        MetricRow::frame(
            "frame longest",
            metrics.longest,
            longest,
            "above the limit, the frame rate is reduced",
        ),
        MetricRow::rate("frames", metrics.frames, Amount::CountPerS, Amount::CountPerS(frames_max), fewer)
            .bad_if(is_slow),
        MetricRow::rate(
            "frame bytes",
            metrics.bytes,
            Amount::BytesPerS,
            Amount::None,
            "written to the terminal",
        ),
    ]
}

/// The entries that are read of the tap and kept.
fn entry_rows(ui: &Ui, model: &Model) -> [MetricRow; 7] {
    let (health, limits, kept) = (model.console_health, &ui.limits, ui.time.entries().ledger());
    let metrics = health.metrics;
    let is_slow = health.frames_per_s.is_some();
    let checkpoint_bytes = Amount::Bytes(ui.time.checkpoint_bytes() as u64);
    let kept_entries_max = Amount::Count(limits.console.kept_entries_max);
    let kept_bytes_max = Amount::Bytes(limits.console.kept_bytes_max);
    let checkpoint_bytes_max = Amount::Bytes(limits.console.checkpoint_bytes_max);
    [
        MetricRow::new(
            "lag",
            Amount::Count(health.lag),
            Amount::Count(metrics.lag.minute.max(health.lag)),
            Amount::Count(limits.tap.ring_entries_max),
            "entries not processed yet; beyond the limit they are lost",
        )
        .bad_if(is_slow && health.lag > 0),
        MetricRow::rate("processed", metrics.processed, Amount::CountPerS, Amount::None, "entries processed"),
        MetricRow::rate(
            "CPU share",
            metrics.processing_ms,
            Amount::Share,
            Amount::None,
            "share of time spent processing entries",
        ),
        MetricRow::now(
            "kept entries",
            Amount::Count(kept.kept),
            kept_entries_max,
            "entries available for time travel",
        ),
        MetricRow::now("kept bytes", Amount::Bytes(kept.bytes), kept_bytes_max, "memory of the kept entries"),
        MetricRow::now(
            "checkpoints",
            checkpoint_bytes,
            checkpoint_bytes_max,
            "memory of the states for time travel",
        ),
        MetricRow::now("lost", Amount::Count(model.lost), Amount::None, "entries lost since start")
            .bad_if(model.lost > 0),
    ]
}

/// What this console costs, and how well it keeps up.
pub(crate) static PANE: Pane = Pane {
    specs: MetricRow::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(ui, model),
    pages: Pages::None,
    filter: None,
    title: Title::Name,
    empty: Empty::Text(""),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let health = &cx.model.console_health;
        let p95 = health.metrics.p95.minute.map_or_else(|| cx.view.glyphs.none.to_owned(), format::fine);
        let slowed = health.frames_per_s.map(|frames| format!("~{frames} fps"));
        let warns = slowed.is_some();
        PaneChip::warning("meter", slowed.unwrap_or(p95), warns)
    }),
    ledger: |_, _, all| {
        let bound = LedgerBound::Text("fixed set of metrics");
        Some(Account::whole("metrics of this console", all, bound))
    },
};
