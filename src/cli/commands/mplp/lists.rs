//! `mplp schemas` and `mplp invariants`.

use serde::Serialize;
use serde_json::Value;

use crate::{
    cli::{
        error::Error,
        output::Output,
        table::{Align, Table},
    },
    mplp::{RULES, Rule, SchemaId},
};

const L: Align = Align::Left;

/// A schema as scripts read it.
#[derive(Serialize)]
struct SchemaRow {
    schema: &'static str,
    group: &'static str,
    file: &'static str,
    /// What the paths of findings begin with, after `$.`.
    path: &'static str,
    id: String,
    title: String,
}

impl From<SchemaId> for SchemaRow {
    fn from(id: SchemaId) -> Self {
        let document: Value = serde_json::from_str(id.text()).unwrap_or_default();
        let text = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
        Self {
            schema: id.name(),
            group: id.group().as_str(),
            file: id.path(),
            path: id.start(),
            id: text("$id"),
            title: text("title"),
        }
    }
}

/// Lists the schemas in the order of the catalog.
pub(super) fn schemas(out: &mut Output) -> Result<(), Error> {
    const COLUMNS: &[(&str, Align)] = &[("schema", L), ("group", L), ("file", L), ("title", L)];
    let rows: Vec<SchemaRow> = SchemaId::ALL.into_iter().map(SchemaRow::from).collect();
    let cells = |row: &SchemaRow| {
        vec![row.schema.to_owned(), row.group.to_owned(), row.file.to_owned(), row.title.clone()]
    };
    print(out, COLUMNS, &["file"], &rows, cells)
}

/// Lists the rules in the order of their tables.
pub(super) fn invariants(out: &mut Output) -> Result<(), Error> {
    const COLUMNS: &[(&str, Align)] =
        &[("rule", L), ("object", L), ("path", L), ("requires", L), ("when", L), ("what it is for", L)];
    let rows: Vec<_> = RULES.iter().collect();
    let cells = |rule: &&Rule| {
        vec![
            rule.id.to_owned(),
            rule.scope.as_str().to_owned(),
            rule.path.to_owned(),
            rule.check.to_string(),
            rule.condition.to_string(),
            rule.description.to_owned(),
        ]
    };
    print(out, COLUMNS, &["what it is for", "object"], &rows, cells)
}

fn print<T: Serialize>(
    out: &mut Output,
    columns: &'static [(&'static str, Align)],
    spare: &'static [&'static str],
    rows: &[T],
    cells: impl Fn(&T) -> Vec<String>,
) -> Result<(), Error> {
    if out.is_json() {
        return rows.iter().try_for_each(|row| out.row(row, |_| String::new()));
    }
    let mut table = Table::new(columns).fitting(out.columns()).sparing(spare);
    table.page(rows.iter().map(cells).collect()).iter().try_for_each(|line| out.line(line))
}
