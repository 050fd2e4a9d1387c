//! Trace: the ladder of one piece of work, every message of it from whom and to whom.

use std::time::Duration;

use crate::{
    console::{
        draw::{Cell, class::Class, format, glyphs::Glyphs, theme::Role},
        input::{action::Action, pane_id::PaneId},
        model::Model,
        records::{
            entry_query::EntryQuery,
            ladder_view::{LANES_MAX, LadderView},
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        settings::view::View,
        ui,
        ui::{
            layout::ViewSpec,
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
        wire::ENTRY,
    },
    field::{Column, Fields as _, Value, fields},
    filter::Filter,
    ids::{Seq, TraceId},
    port::HopRow,
    tap::entry::Link,
    time::Wall,
};

/// A hop of the trace that is shown.
#[derive(Clone, Copy)]
pub(crate) struct LadderRow<'a> {
    hop: &'a HopRow,
    trace: TraceId,
    /// When the first hop was.
    first_at: Wall,
    ladder: &'a LadderView,
}

impl LadderRow<'_> {
    fn seq(&self) -> Seq {
        Seq(self.hop.seq.unwrap_or_default())
    }

    /// What it carries: a topic, or a frame.
    fn subject(&self) -> &str {
        self.hop.topic.as_deref().unwrap_or(&self.hop.schema)
    }

    /// The topic in a narrow column: the run's own topics without its name, which is that of the trace, and
    /// an agent's behind what it says there.
    fn subject_text(&self, glyphs: &Glyphs) -> String {
        let own = format!("rlp/runs/{}", self.trace);
        let shown = |rest: &str| {
            let says = match rest {
                rest if !rest.starts_with("/agents/") => "rlp/runs/",
                rest if rest.ends_with("/progress") => "progress ",
                _ => "answer ",
            };
            format!("{says}{}{rest}", glyphs.ellipsis)
        };
        self.subject().strip_prefix(&own).map_or_else(|| self.subject().to_owned(), shown)
    }

    /// Whether it is for people, who read it on the screens of their consoles without subscribing.
    fn is_for_people(&self) -> bool {
        matches!(self.subject(), "action.request" | "rlp/ctrl")
    }

    /// Whether it only tells how a run stands, and moves nothing: an event of it, or its records.
    fn is_run_event(&self) -> bool {
        let output = self.subject().strip_prefix("rlp/runs/").and_then(|rest| rest.split_once('/'));
        matches!(output, Some((_, "events" | "mplp")))
    }

    /// For whom it is, where that is not all of its topic.
    fn receiver(&self, glyphs: &Glyphs) -> String {
        match (
            self.hop.topic.as_deref() == Some(&*self.hop.to) && !self.hop.to.starts_with("agent/"),
            self.hop.reached,
        ) {
            (true, Some(0)) if self.is_for_people() => "the operator".to_owned(),
            (true, Some(0)) => "no subscriber".to_owned(),
            (false, Some(0)) if self.is_request() => format!("{} {}", glyphs.bad, self.hop.to),
            (true, Some(reached)) => format::many(reached.into(), "subscriber"),
            _ => self.hop.to.clone(),
        }
    }

    /// Whether somebody in particular is to answer it: what is told to all may find nobody who listens.
    fn is_request(&self) -> bool {
        self.hop.to.starts_with("agent/")
    }

    /// Whether it reached whom it was for.
    fn role(&self) -> Role {
        match (&self.hop.refused, self.hop.reached, self.hop.dropped) {
            (Some(_), ..) => Role::Bad,
            (None, _, Some(1..)) => Role::Warn,
            (None, Some(0), _) if self.is_request() => Role::Warn,
            _ => Role::Text,
        }
    }

    /// What became of it, where that is not what one expects.
    fn outcome(&self) -> String {
        match (&self.hop.refused, self.hop.reached, self.hop.dropped) {
            (Some(why), ..) => why.clone(),
            (None, _, Some(dropped @ 1..)) => format!("{dropped} dropped"),
            (None, Some(0), _) if self.is_request() => "no receiver".to_owned(),
            _ if self.hop.origin.is_some() => "injected".to_owned(),
            _ => String::new(),
        }
    }

    fn latency(&self) -> Option<Duration> {
        self.hop.latency_us.map(Duration::from_micros)
    }

    fn after(&self) -> Duration {
        self.hop.at_ms.since(self.first_at)
    }
}

/// The width of the pane from which on there is a ladder.
const LADDER_FROM: u16 = 112;
/// The filter that a console begins with here.
const TRACE_DEFAULT_FILTER: &str = "events:hidden";
/// Cells of the widest ladder.
const LADDER_COLUMNS: u16 = 3 * LANES_MAX - 2;

fields! {
    LadderRow<'_> {
        "seq", Serial, Public, "sequence number of its entry" => |it, _| it.hop.seq.map_or(Value::None, Value::Serial);
        "at", Time, Public, "time it crossed the station's boundary", Column::fixed("at", 12) => |it, _| Value::Time(it.hop.at_ms);
        "after", Duration, Public, "time since the first message kept", Column::fixed("after", 7).right().from(126)
            => |it, _| Value::Duration(u64::try_from(it.after().as_millis()).unwrap_or(u64::MAX));
        "ladder", Text, Public, "path between the parties", Column::fixed("ladder", LADDER_COLUMNS).from(LADDER_FROM) => |_, _| Value::None;
        "from", Text, Public, "sender", Column::growing("from", 12, 2) => |it, _| Value::text(&*it.hop.from);
        "to", Text, Public, "receiver", Column::growing("to", 12, 2) => |it, _| Value::text(&*it.hop.to);
        "message" | "what", Text, Public, "topic or frame", Column::growing("message", 9, 4) => |it, _| Value::text(it.subject());
        "schema", Text, Public, "schema", Column::growing("schema", 14, 2).from(116) => |it, _| Value::text(&*it.hop.schema);
        "frame_len", Bytes, Public, "frame_len as sent; of an MPP frame, its bytes on the wire", Column::fixed("len", 7).right()
            => |it, _| it.hop.frame_len.map_or(Value::None, Value::Bytes);
        "latency", Number, Public, "milliseconds since the message it answers", Column::fixed("latency", 8).right()
            => |it, _| it.latency().map_or(Value::None, |took| Value::Number(took.as_secs_f64() * 1_000.0));
        "refused", Text, Public, "outcome, if it was not delivered", Column::fixed("outcome", 15).from(96)
            => |it, _| Value::text(it.outcome());
        "link", State(&Link::NAMES), Public, "protocol" => |it, _| Value::text(&*it.hop.link);
        "cause", Serial, Public, "entry that it answers or that caused it" => |it, _| it.hop.cause.map_or(Value::None, Value::Serial);
        "events" | "telling", State(&["yes", "no"]) reads (&[("hidden", "no")]), Public, "whether it is a run event; events:hidden leaves them out"
            => |it, _| Value::text(if it.is_run_event() { "yes" } else { "no" });
    }
}

impl PaneRecord for LadderRow<'_> {
    fn key(&self) -> RecordKey {
        ENTRY.of(self.seq())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        let role = self.role();
        let hue = Link::from_name(&self.hop.link).map_or(Role::Text, Role::of);
        Some(match field {
            "at" => Cell::new(format::time_of_day_ms(self.hop.at_ms, &look.view.zone), Role::Muted),
            "after" => Cell::new(format::fine(self.after()), Role::Muted),
            "ladder" => Cell::new(self.ladder.lanes_of(self.hop).drawn(glyphs), hue),
            "from" | "to" => {
                let party = if field == "from" { self.hop.from.clone() } else { self.receiver(glyphs) };
                Cell::of_class(party, role, Class::Public)
            }
            "message" => Cell::new(self.subject_text(glyphs), hue),
            "schema" => Cell::new(self.hop.schema.trim_start_matches("CT_").to_owned(), Role::Muted),
            "frame_len" => {
                Cell::new(self.hop.frame_len.map_or_else(String::new, format::grouped), Role::Text)
            }
            "latency" => Cell::new(self.latency().map_or_else(String::new, format::fine), Role::Text),
            "refused" => Cell::new(self.outcome(), role),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Itself(self.seq()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// The hops of the trace that is shown, up to the moment that is shown.
fn rows(ui: &Ui) -> Rows<'_> {
    let Some(trace) = ui.ladder_view.trace() else { return Rows::none() };
    let mut hops = ui.ladder_view.hops(ui.time.visible_until()).peekable();
    let began = hops.peek().map_or(Wall(0), |hop| hop.at_ms);
    hops.map(|hop| LadderRow { hop, trace, first_at: began, ladder: &ui.ladder_view }).collect()
}

/// Whose trace it is, and how many hops were cut.
fn title(model: &Model, ui: &Ui) -> String {
    let Some(trace) = ui.ladder_view.trace() else { return "Trace".to_owned() };
    let run =
        model.runs().and_then(|runs| runs.run(trace)).map(|run| format!(" {}", run.name)).unwrap_or_default();
    let cut = match ui.ladder_view.cut() {
        0 => String::new(),
        cut => format!(", {} older cut", format::count(cut)),
    };
    format!("Trace{run} {}{cut}", trace.short())
}

/// What stands on the frame's lower line: whose the lanes of the ladder are, where it has room, and what is
/// left out by the filter that a console begins with.
fn footer_line(ui: &Ui, view: &View, width: u16) -> Option<String> {
    let parties: Vec<&str> = ui.ladder_view.lane_names().collect();
    let lanes =
        (width >= LADDER_FROM && !parties.is_empty()).then(|| format!("lanes: {}", parties.join(", ")));
    let is_quiet = ui
        .table_settings(PaneId::Trace)
        .filter()
        .is_some_and(|filter| Filter::has_term(filter.text(), TRACE_DEFAULT_FILTER));
    let quiet =
        is_quiet.then(|| format!("run events hidden, {} shows them", view.key(Action::ShippedFilter)));
    let words: Vec<String> = lanes.into_iter().chain(quiet).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Why there is no hop: none is kept, or so many that only tell how a run stands are left out.
fn empty_text(ui: &Ui, view: &View, left_out: usize) -> String {
    let key = view.key(Action::Ladder);
    let Some(trace) = ui.ladder_view.trace().map(TraceId::short) else {
        return format!(
            "no trace selected: {key} on a run, an invocation or a Wire entry shows its messages here"
        );
    };
    let kept = match left_out {
        0 => format!("no messages of {trace} are kept here"),
        _ => format!(
            "only run events of {trace} are kept here; {} shows them",
            view.key(Action::ShippedFilter)
        ),
    };
    let command = view.commands.line(&format!("trace {trace}"));
    let rest = format!("`{command}` reads a run's history, and a recording keeps everything");
    format!("{kept}: they predate this console or were evicted; {rest}")
}

/// The Trace: its one pane over the whole body.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[PaneId::Trace],
    occasional: |_, _| Vec::new(),
    arrange: |body, _| vec![(PaneId::Trace, body)],
    glance_from: None,
};

/// The messages of one trace.
pub(crate) static PANE: Pane = Pane {
    specs: LadderRow::SPECS,
    columns: Columns::Declared,
    source: Source::Following,
    rows: |ui, _| rows(ui),
    pages: Pages::None,
    filter: Some(TRACE_DEFAULT_FILTER),
    title: Title::Of(|cx| title(cx.model, cx.ui)),
    empty: Empty::Wrapped(|cx| empty_text(cx.ui, cx.view, ui::counts(PaneId::Trace, cx.ui, cx.model).1)),
    drawing: Drawing::Marked(|canvas, area, has_rows, cx| {
        let width = area.width.saturating_sub(2);
        if let Some(foot) = has_rows.then(|| footer_line(cx.ui, cx.view, width)).flatten() {
            let (y, room) = (area.bottom().saturating_sub(1), area.width.saturating_sub(4));
            canvas.put(area.x + 2, y, room, &format!(" {foot} "), Role::Muted);
        }
    }),
    chip: Some(|cx, _| {
        let count = cx.ui.ladder_view.hops(cx.ui.time.visible_until()).count();
        PaneChip::new("trace", format::count(count as u64), Role::Text)
    }),
    ledger: |ui, _, all| {
        let cut = ui.ladder_view.cut();
        let bound = LedgerBound::Limit("limits.port.ladder_hops_max", ui.limits.port.ladder_hops_max);
        let what = "messages of the selected trace that are kept";
        Some(Account::cut(what, all.saturating_add(cut), cut, bound))
    },
};
