//! A line of a record as a row of its pane.

use std::borrow::Cow;

use super::{
    details::FindingDetails,
    folds::Values,
    keys::PART,
    lines::{BUNDLE, Line, RowLine, RowLineKind, Shown},
    record::{HeldRow, Member},
};
use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, theme::Role},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, NO_ENTRY, PaneRecord},
            row_list::{Collected, RowList, Rows},
            selection::{RecordKey, RowKeys},
            table_settings::TableSettings,
        },
    },
    dissect::tree::{Kind, Node, Text, Tree, slice},
    field::{Column, Fields as _, Spec, Value, fields},
    ids::TraceId,
    mplp::{Finding, Path, lifecycle::Origin},
    port::RecordOf,
    runs::Transition as Runs,
    schema::JsonText,
    tap::entry::Transition,
    time::Now,
    words::counted,
};

/// Bytes of a value that are shown.
const VALUE_BYTES_MAX: usize = 512;
/// Columns by which what lies deeper stands further in.
const INDENT: usize = 2;

/// A line of a record.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) shown: Shown<'a>,
    pub(crate) line: Line,
}

fields! {
    Part<'_> {
        "part", Text, Public, "object, event or value" => |it, _| Value::text(it.name());
        "value", Text, Payload, "its value, or what it is in a few words"
            => |it, _| Value::text(it.value_text().0);
        "finding", Text, Public, "what is wrong with it: the rule, and what it requires"
            => |it, _| Value::maybe(it.finding_text());
        "schema", Text, Public, "schema of the object or event" => |it, _| Value::maybe(it.schema());
        "path", Text, Public, "path in the record; of a finding, of what is wrong" => |it, _| Value::text(it.path());
        "rule", Text, Public, "keyword of the schema, or rule, that is broken" => |it, _| Value::maybe(it.rule());
        "place", Serial, Public, "place in the record" => |it, _| it.row().map_or(Value::None, |row| Value::Serial(row.place));
        "number", Serial, Public, "number of the run event or log record that it was made of"
            => |it, _| it.origin_number().map_or(Value::None, Value::Serial);
        "bytes", Bytes, Public, "size of its JSON" => |it, _| it.bytes().map_or(Value::None, Value::Bytes);
    }
}

impl<'a> Part<'a> {
    const fn row_line(self) -> Option<RowLine> {
        match self.line {
            Line::Of(line) => Some(line),
            Line::Bundle | Line::BundleFinding(_) | Line::Rest => None,
        }
    }

    /// The object or event that it is, or is of.
    pub(crate) fn row(self) -> Option<&'a HeldRow> {
        let line = self.row_line().filter(|line| line.kind != RowLineKind::List)?;
        self.shown.record.rows.get(line.row)
    }

    /// The list that it is.
    fn member(self) -> Option<&'a Member> {
        let line = self.row_line().filter(|line| line.kind == RowLineKind::List)?;
        self.shown.record.members.iter().find(|member| member.first == line.row)
    }

    /// The value that it is: its tree, the bytes of its object, and its place.
    fn value_node(self) -> Option<(&'a Tree, &'a [u8], usize, &'a Node)> {
        let RowLine { row, kind: RowLineKind::Value(index) } = self.row_line()? else { return None };
        let (tree, bytes) = self.shown.values(row)?;
        Some((tree, bytes, index, tree.nodes.get(index)?))
    }

    /// What it is called.
    fn name(self) -> Cow<'a, str> {
        if let Some((_, bytes, _, node)) = self.value_node() {
            return node.name.read(bytes, VALUE_BYTES_MAX);
        }
        match (self.line, self.member(), self.row()) {
            (Line::Bundle, ..) => BUNDLE.into(),
            (Line::Rest, ..) => {
                let record = self.shown.record;
                counted(
                    usize::try_from(record.total.saturating_sub(record.last())).unwrap_or(usize::MAX),
                    "more item",
                )
                .into()
            }
            (_, Some(member), _) => Cow::Borrowed(&*member.name),
            (_, _, Some(row)) => match self.row_line().map(|line| line.kind) {
                Some(RowLineKind::Whole) if row.path.contains('[') => Cow::Borrowed(&*row.schema),
                Some(RowLineKind::Whole) => Cow::Borrowed(&*row.path),
                Some(RowLineKind::Finding(_)) => self.path(),
                _ => "".into(),
            },
            _ => self.path(),
        }
    }

    /// What stands behind its name, and who may see it.
    fn value_text(self) -> (Cow<'a, str>, Class) {
        if let Some((tree, bytes, index, node)) = self.value_node() {
            return value_of(tree, bytes, index, node);
        }
        let public = |text: String| (Cow::Owned(text), Class::Public);
        if let Line::Rest = self.line {
            return public(self.rest_text().to_owned());
        }
        if let Some(member) = self.member() {
            return public(format::count(self.shown.record.count(member)));
        }
        match (self.row_line().map(|line| line.kind), self.row()) {
            (Some(RowLineKind::Whole), Some(row)) => match row.omitted_bytes {
                Some(bytes) => public(format::bytes(bytes)),
                None if row.summary.is_empty() => {
                    public(self.bytes().map_or_else(String::new, format::bytes))
                }
                None => (Cow::Borrowed(&row.summary), Class::Public),
            },
            (Some(RowLineKind::Note), Some(_)) => public(self.note_text().to_owned()),
            _ if self.line == Line::Bundle => public(self.shown.record.of_bundle.len().to_string()),
            _ => match self.finding().and_then(|finding| finding.received.as_deref()) {
                Some(received) => (Cow::Borrowed(received), Class::Payload),
                None => public(String::new()),
            },
        }
    }

    fn note_text(self) -> &'static str {
        let object = self.row_line().and_then(|line| self.shown.folds.object(line.row));
        match object.map(|object| &object.values) {
            Some(Values::Failed(why)) => why,
            Some(Values::Read(_)) => "more values than are shown here (limits.console.inspect_nodes_max)",
            _ => "loading",
        }
    }

    const fn rest_text(self) -> &'static str {
        if self.shown.record.is_full() {
            "not held here: limits.console.lifecycle_bytes_max"
        } else {
            "loaded as you scroll"
        }
    }

    /// Whether it is the line of a finding.
    const fn is_finding(self) -> bool {
        match self.line {
            Line::BundleFinding(_) => true,
            Line::Of(line) => matches!(line.kind, RowLineKind::Finding(_)),
            Line::Bundle | Line::Rest => false,
        }
    }

    /// The finding that it is, or that is marked at it.
    pub(crate) fn finding(self) -> Option<&'a Finding> {
        self.shown.findings(self.line).0
    }

    fn finding_text(self) -> Option<String> {
        let (finding, count) = self.shown.findings(self.line);
        let finding = finding?;
        // Where the finding has a line of its own, that says what is required.
        let is_listed = !self.is_finding() && self.shown.is_folded(self.line) == Some(false);
        Some(match (count, is_listed) {
            (1, false) => format!("{}: {}", finding.rule, finding.requires),
            (1, true) => finding.rule.to_string(),
            (count, _) => format!("{}: {}", counted(count, "finding"), finding.rule),
        })
    }

    fn schema(self) -> Option<&'a str> {
        match self.row() {
            Some(row) => Some(&row.schema),
            None if self.member().is_some() => None,
            None => self.finding().map(|finding| &*finding.schema),
        }
    }

    fn path(self) -> Cow<'a, str> {
        match (self.value_node(), self.row(), self.member()) {
            _ if self.is_finding() => {
                self.finding().map_or(Cow::Borrowed(""), |it| it.path.to_string().into())
            }
            (Some((_, _, index, _)), Some(row), _) => {
                let way = self.row_line().map_or_else(Vec::new, |line| self.shown.way(line.row, index));
                let path = Path::parse(&format!("$.{}", row.path)).unwrap_or_default();
                path.then(way).to_string().into()
            }
            (_, Some(row), _) => format!("$.{}", row.path).into(),
            (_, _, Some(member)) => format!("$.{}", member.name).into(),
            _ => "$".into(),
        }
    }

    fn rule(self) -> Option<&'a str> {
        self.finding().map(|finding| &*finding.rule)
    }

    /// What it was made of.
    pub(crate) fn origin(self) -> Option<Origin> {
        self.row().map(|row| row.origin)
    }

    fn origin_number(self) -> Option<u64> {
        match self.origin()? {
            Origin::Number(number) => Some(number),
            Origin::Beginning | Origin::End => None,
        }
    }

    fn bytes(self) -> Option<u64> {
        if let Some((.., node)) = self.value_node() {
            return Some(node.value.len() as u64);
        }
        let line = self.row_line().filter(|line| line.kind == RowLineKind::Whole)?;
        let row = self.shown.record.rows.get(line.row)?;
        row.object.as_ref().map(|object| object.as_str().len() as u64).or(row.omitted_bytes)
    }

    /// Its JSON, where it has some: of a list, that of all that is held of it.
    fn json(self) -> Option<String> {
        if let Some((_, bytes, _, node)) = self.value_node() {
            let Text::Bytes(range) = &node.value else { return None };
            return Some(String::from_utf8_lossy(slice(bytes, range)).into_owned());
        }
        let text = |row: &'a HeldRow| row.object.as_ref().map(JsonText::as_str);
        if let Some(member) = self.member() {
            let rows = &self.shown.record.rows[member.first..member.end];
            let texts: Vec<&str> = rows.iter().filter_map(text).collect();
            return Some(format!("[{}]", texts.join(",")));
        }
        match self.row_line()?.kind {
            RowLineKind::Whole => self.row().and_then(text).map(ToOwned::to_owned),
            RowLineKind::Finding(_) => serde_json::to_string(self.finding()?).ok(),
            RowLineKind::List | RowLineKind::Value(_) | RowLineKind::Note => None,
        }
    }
}

/// A value as it is shown: a text without its quotes, of what holds others how many.
fn value_of<'a>(tree: &'a Tree, bytes: &'a [u8], index: usize, node: &'a Node) -> (Cow<'a, str>, Class) {
    let count = |one| counted(tree.children(index).count(), one);
    match node.kind {
        Kind::Object => (count("field").into(), Class::Public),
        Kind::Array => (count("item").into(), Class::Public),
        Kind::Text => {
            let written = node.value.read(bytes, VALUE_BYTES_MAX);
            let meant = serde_json::from_str::<String>(&written);
            (meant.map_or_else(|_| written.trim_start_matches('"').to_owned().into(), Cow::Owned), node.class)
        }
        _ => (node.value.read(bytes, VALUE_BYTES_MAX), node.class),
    }
}

impl PaneRecord for Part<'_> {
    fn key(&self) -> RecordKey {
        PART.of(self.shown.id(self.line))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        let (_, findings) = self.shown.findings(self.line);
        let is_held = !matches!(self.line, Line::Rest);
        Some(match field {
            "part" => {
                let sign = match self.shown.is_folded(self.line) {
                    Some(true) => glyphs.into,
                    Some(false) => glyphs.descending,
                    None => " ",
                };
                let indent = " ".repeat(INDENT * self.shown.depth(self.line));
                let class = match self.value_node() {
                    Some((.., node)) if node.hides_name => node.class,
                    _ => Class::Public,
                };
                let is_whole = self.value_node().is_none() && is_held;
                let role = match findings {
                    0 if is_whole => Role::Text,
                    0 => Role::Muted,
                    _ => Role::Bad,
                };
                let mark = if findings > 0 { format!("{} ", glyphs.bad) } else { String::new() };
                Cell::of_class(format!("{indent}{sign} {mark}{}", self.name()), role, class)
            }
            "value" => {
                let (text, class) = self.value_text();
                let is_muted = self.value_node().is_none_or(|(tree, _, index, _)| tree.is_folder(index));
                let role = if is_muted { Role::Muted } else { Role::Text };
                Cell::of_class(text.into_owned(), role, class)
            }
            "finding" => Cell::new(self.finding_text().unwrap_or_default(), Role::Bad),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        let finding = self.finding().filter(|_| self.is_finding())?;
        Some(Box::new(FindingDetails { key: self.key(), finding: finding.clone() }))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        match (&self.shown.record.of, self.origin_number()) {
            (RecordOf::Run(run), Some(number)) if self.row().is_some_and(|row| row.session.is_none()) => {
                let run = *run;
                Ok(EntryQuery::changing(move |_, transition| {
                    matches!(transition, Transition::Runs(Runs::Event { run: of, number: its, .. })
                        if *of == run && *its == number)
                }))
            }
            _ => Err(NO_ENTRY.to_owned()),
        }
    }

    fn trace(&self) -> Option<TraceId> {
        match &self.shown.record.of {
            RecordOf::Run(run) => Some(*run),
            RecordOf::Session(_) | RecordOf::Station => None,
        }
    }

    fn command(&self) -> Option<String> {
        Some(export_command(&self.shown.record.of, "-"))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        self.json().map(Ok)
    }
}

/// The subcommand that writes a record to a file.
pub(super) fn export_command(of: &RecordOf, file: &str) -> String {
    let file = line::quoted(file);
    match of {
        RecordOf::Station => format!("mplp station --mplp {file}"),
        RecordOf::Run(run) => format!("run export {run} --mplp {file}"),
        RecordOf::Session(session) => format!("session export {} --mplp {file}", line::quoted(session)),
    }
}

/// The lines of a record. None is made into a row before it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    shown: Shown<'a>,
    lines: &'a [Line],
}

impl<'a> Parts<'a> {
    /// These lines.
    pub(crate) const fn of(shown: Shown<'a>, lines: &'a [Line]) -> Self {
        Self { shown, lines }
    }

    fn part(self, at: usize) -> Option<Part<'a>> {
        self.lines.get(at).map(|line| Part { shown: self.shown, line: *line })
    }
}

impl RowKeys for Parts<'_> {
    fn len(&self) -> usize {
        self.lines.len()
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        self.part(row).map(|part| part.key())
    }

    fn row(&self, key: &RecordKey) -> Option<usize> {
        let line = self.shown.line(PART.id(key)?)?;
        self.lines.binary_search(&line).ok()
    }

    /// What is folded away is within the line that stands before its place.
    fn neighbour(&self, gone: &RecordKey, row: usize) -> usize {
        let line = PART.id(gone).and_then(|id| self.shown.line(id));
        let place = line.map(|line| self.lines.partition_point(|known| *known <= line).saturating_sub(1));
        place.unwrap_or(row).min(self.lines.len().saturating_sub(1))
    }
}

impl<'a> RowList<'a> for Parts<'a> {
    fn look(&self, at: usize, look: &mut dyn FnMut(&dyn PaneRecord)) {
        if let Some(part) = self.part(at) {
            look(&part);
        }
    }

    fn into_row(self: Box<Self>, at: usize) -> Option<Box<dyn PaneRecord + 'a>> {
        self.part(at).map(|part| Box::new(part) as Box<dyn PaneRecord + 'a>)
    }

    fn arrange(&self, settings: &TableSettings, specs: &'static [Spec], now: Now) -> Vec<usize> {
        self.collected().arrange(settings, specs, now)
    }

    fn follow_the_end(&mut self, _follows: bool) {}

    fn reorder(self: Box<Self>, places: &[usize]) -> Box<dyn RowList<'a> + 'a> {
        Box::new(self.collected()).reorder(places)
    }
}

impl<'a> Parts<'a> {
    fn collected(self) -> Collected<Part<'a>> {
        self.lines.iter().map(|line| Part { shown: self.shown, line: *line }).collect()
    }

    /// The rows of a pane.
    pub(crate) fn rows(self) -> Rows<'a> {
        Rows::of(self)
    }
}

/// The columns of a line; the last one is of what is wrong.
pub(super) const COLUMNS: &[(&str, Column)] = &[
    ("part", Column::growing("part", 20, 3)),
    ("value", Column::growing("value", 12, 4)),
    ("finding", Column::growing("finding", 10, 5)),
];

/// The fields of a line.
pub(super) const SPECS: &[Spec] = Part::SPECS;
