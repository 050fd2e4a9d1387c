//! What a pane has rows of, and what details tell of.

use std::{any::Any, fmt::Debug, time::Duration};

use crate::{
    console::{
        draw::{Cell, format, theme::Role},
        model::{EntryBuffer, Model, ReportLine},
        records::{ManualPlace, entry_query::EntryQuery, selection::RecordKey, system_state::SystemState},
        settings::view::View,
    },
    field::{Kind, Record, Spec, Value},
    ids::{InvocationId, Seq, TraceId},
    port::InvocationRow,
    tap::EntryRef,
};

/// Why no entry is looked at of a record that the tap does not tell of.
pub(crate) const NO_ENTRY: &str = "no entry for this row";
/// Why a record is not given again.
pub(crate) const NOT_WORK: &str = "not an invocation";
/// Why an invocation is not given again whose params are not known here.
pub(crate) const OPEN_FIRST: &str = "open details first";

/// Fields whose values begin alike and differ at their ends.
const ID_FIELDS: [&str; 5] = ["topic", "path", "peer", "client", "session"];

/// A record that a pane has rows of.
pub(crate) trait PaneRecord: Record {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// The cell of a field, where it is not simply the value.
    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell>;

    /// What its details tell of, where it has some.
    fn details(&self) -> Option<Box<dyn DetailsRecord>>;

    /// What the entries that tell of it are found by, or why there are none.
    fn entry(&self) -> Result<EntryQuery, String>;

    /// The trace of the work that it belongs to, where it names one.
    fn trace(&self) -> Option<TraceId>;

    /// The subcommand that shows it, if one does.
    fn command(&self) -> Option<String>;

    /// Where the manual describes what it is an example of, beside its pane.
    fn manual_place(&self) -> Option<ManualPlace> {
        None
    }

    /// It as the station has it, in JSON; its declared fields where there is no such form.
    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        None
    }

    /// The bytes of the frame that it tells of, where they are its own.
    fn frame(&self) -> Option<&[u8]> {
        None
    }

    /// Whether it tells of a frame that was made by hand, beside those of its trace.
    fn is_by_hand(&self) -> bool {
        false
    }

    /// What is known of it where it came of an injected frame: its trace, or what is in the place of one.
    fn marked_by(&self) -> Option<TraceId> {
        self.trace()
    }

    /// The entry of the tap that it is.
    fn tap_entry(&self) -> Option<EntryRef<'_>> {
        None
    }

    /// The invocation that can be given again, or why there is none.
    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        Err(NOT_WORK)
    }
}

impl<T: PaneRecord> PaneRecord for &T {
    fn key(&self) -> RecordKey {
        (**self).key()
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        (**self).cell(field, look)
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        (**self).details()
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        (**self).entry()
    }

    fn trace(&self) -> Option<TraceId> {
        (**self).trace()
    }

    fn command(&self) -> Option<String> {
        (**self).command()
    }

    fn manual_place(&self) -> Option<ManualPlace> {
        (**self).manual_place()
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        (**self).stored_json()
    }

    fn frame(&self) -> Option<&[u8]> {
        (**self).frame()
    }

    fn is_by_hand(&self) -> bool {
        (**self).is_by_hand()
    }

    fn marked_by(&self) -> Option<TraceId> {
        (**self).marked_by()
    }

    fn tap_entry(&self) -> Option<EntryRef<'_>> {
        (**self).tap_entry()
    }

    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        (**self).invocation()
    }
}

/// A record as its details tell of it: as it was, or found again by its key, for its row may be gone while it
/// is read.
pub(crate) trait DetailsRecord: Debug + Any {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// The title of its details.
    fn title(&self, model: &Model) -> String;

    /// What there is to tell of it.
    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine>;

    /// The row that can be copied of it, where there is one.
    fn row<'a>(&'a self, model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>>;

    /// What the entries that tell of it are found by.
    fn entry(&self) -> Option<EntryQuery>;

    /// The trace of the run that it is of.
    fn trace(&self) -> Option<TraceId>;

    /// Where the manual describes what it is an example of.
    fn manual_place(&self, model: &Model) -> Option<ManualPlace> {
        self.row(model)?.manual_place()
    }

    /// Takes note of what came in meanwhile.
    fn follow(&mut self, _kept: &EntryBuffer, _systems: &SystemState) {}

    /// The invocation whose entries are listed below it.
    fn invocation(&self) -> Option<InvocationId> {
        None
    }

    /// The entry that it quotes.
    fn quoted_entry(&self) -> Option<Seq> {
        None
    }
}

impl dyn DetailsRecord {
    /// It, if it is of this type.
    pub(crate) fn of_type<T: DetailsRecord>(&self) -> Option<&T> {
        let record: &dyn Any = self;
        record.downcast_ref()
    }
}

/// What cells are made with.
#[derive(Clone, Copy)]
pub(crate) struct CellContext<'a> {
    pub(crate) view: &'a View,
    /// What the systems keep: which rows are marked, and how.
    pub(crate) systems: &'a SystemState,
    /// The width of the table.
    pub(crate) width: u16,
    /// Whether the list is one of what waits, in which a row that has gone on stands back.
    pub(crate) only_pending: bool,
}

/// The cell of a field of a record.
pub(crate) fn cell(record: &dyn PaneRecord, field: usize, look: &CellContext<'_>) -> Cell {
    let Some(spec) = record.specs().get(field) else { return Cell::new("", Role::Text) };
    record
        .cell(spec.name, look)
        .unwrap_or_else(|| plain(spec, &record.value(field, look.view.now), look.view))
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
    let cell = Cell::of_class(text, role, spec.class);
    if spec.kind == Kind::Id || ID_FIELDS.contains(&spec.name) { cell.cut_within() } else { cell }
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
