//! One row of a pane, whatever it is a row of.

use crate::console::draw::format;
use std::time::Duration;

use crate::{
    console::{
        draw::{Cell, theme::Role},
        model::{
            FaultGroup, Notice,
            runs::RunLine,
            sessions::{PositionRow, SessionLine, StatementRow},
        },
        records::{marked_rows::MarkedRows, selection::RecordKey},
        settings::view::View,
        systems::{
            bridge::{
                adapter_log::LogLine, history::StoredInvocation, in_flight::InFlight, pack_state::StateValue,
                queues::Queue, refunds::Refund,
            },
            bus::{drops::Drops, peers::BusPeer, subscribers::Subscriber, topics::Topic},
            runs::{artifacts::Artifact, list::Run, plan::PlannedNode},
            station::meter::MetricRow,
        },
        trace::pane::LadderRow,
    },
    dissect::EntryRecord,
    field::{Kind, Record, Spec, Value},
    macp::SessionView,
    mpp::EndedView,
    port::{RunRow, SessionRow},
    tap::entry::What,
    time::Now,
};

/// A record that a pane has rows of.
pub(crate) trait PaneRecord: Record {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// The cell of a field, where it is not simply the value.
    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell>;
}

/// What cells are made with.
#[derive(Clone, Copy)]
pub(crate) struct CellContext<'a> {
    pub(crate) view: &'a View,
    /// Rows that are marked.
    pub(crate) marks: &'a MarkedRows,
    /// The width of the table.
    pub(crate) width: u16,
    /// Whether the list is one of what waits, in which a row that has gone on stands back.
    pub(crate) only_pending: bool,
}

/// One row of a pane.
pub(crate) enum Row<'a> {
    Queue(Queue<'a>),
    InFlight(InFlight<'a>),
    Ended(&'a EndedView),
    Notice(&'a Notice),
    StoredInvocation(StoredInvocation<'a>),
    Refund(Refund<'a>),
    Value(StateValue<'a>),
    Line(LogLine<'a>),
    Fault(&'a FaultGroup),
    Entry(EntryRecord<'a>),
    Metric(MetricRow),
    Topic(Topic<'a>),
    Subscriber(Subscriber<'a>),
    BusPeer(BusPeer<'a>),
    Drops(Drops),
    Run(Run<'a>),
    Node(PlannedNode<'a>),
    RunLine(&'a RunLine),
    Artifact(Artifact<'a>),
    StoredRun(&'a RunRow),
    Session(&'a SessionView),
    StoredSession(&'a SessionRow),
    Position(PositionRow),
    Statement(StatementRow),
    SessionLine(&'a SessionLine),
    LadderRow(LadderRow<'a>),
}

impl Row<'_> {
    fn record(&self) -> &dyn PaneRecord {
        match self {
            Self::Queue(row) => row,
            Self::InFlight(row) => row,
            Self::Ended(row) => *row,
            Self::Notice(row) => *row,
            Self::StoredInvocation(row) => row,
            Self::Refund(row) => row,
            Self::Value(row) => row,
            Self::Line(row) => row,
            Self::Fault(row) => *row,
            Self::Entry(row) => row,
            Self::Metric(row) => row,
            Self::Topic(row) => row,
            Self::Subscriber(row) => row,
            Self::BusPeer(row) => row,
            Self::Drops(row) => row,
            Self::Run(row) => row,
            Self::Node(row) => row,
            Self::RunLine(row) => *row,
            Self::Artifact(row) => row,
            Self::StoredRun(row) => *row,
            Self::Session(row) => *row,
            Self::StoredSession(row) => *row,
            Self::Position(row) => row,
            Self::Statement(row) => row,
            Self::SessionLine(row) => *row,
            Self::LadderRow(row) => row,
        }
    }

    /// Its identity.
    pub(crate) fn key(&self) -> RecordKey {
        self.record().key()
    }

    /// The bytes of the frame that it tells of, as they were, where they are kept.
    pub(crate) fn frame(&self) -> Option<&[u8]> {
        match self {
            Self::Fault(group) => group.full_frame.as_deref(),
            Self::Entry(record) if matches!(record.0.entry.what, What::Frame(_)) => Some(record.0.bytes),
            _ => None,
        }
    }

    /// The cell of a field.
    pub(crate) fn cell(&self, field: usize, look: &CellContext<'_>) -> Cell {
        let Some(spec) = self.specs().get(field) else { return Cell::new("", Role::Text) };
        self.record()
            .cell(spec.name, look)
            .unwrap_or_else(|| plain(spec, &self.value(field, look.view.now), look.view))
    }
}

impl Record for Row<'_> {
    fn specs(&self) -> &'static [Spec] {
        self.record().specs()
    }

    fn value(&self, field: usize, now: Now) -> Value<'_> {
        self.record().value(field, now)
    }
}

/// A value as people read it.
pub(crate) fn plain(spec: &Spec, value: &Value<'_>, view: &View) -> Cell {
    let text = match value {
        Value::None => String::new(),
        Value::Text(text) => text.clone().into_owned(),
        Value::Number(figure) => count_text(*figure),
        Value::Duration(ms) => format::age(Duration::from_millis(*ms)),
        Value::Bytes(bytes) => format::bytes(*bytes),
        Value::Time(at) => format::time_of_day(*at, &view.zone),
        Value::Serial(number) => number.to_string(),
    };
    let role = if matches!(spec.kind, Kind::Time | Kind::Id) { Role::Muted } else { Role::Text };
    Cell::of_class(text, role, spec.class)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "only whole figures that fit are counts"
)]
fn count_text(figure: f64) -> String {
    let is_count = figure >= 0.0 && figure.fract() == 0.0 && figure < 9.0e15;
    if is_count { format::count(figure as u64) } else { format!("{figure:.1}") }
}
