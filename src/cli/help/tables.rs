//! Tables of the manual that are made of the program's own: configuration, limits, keys, views, columns and
//! filter fields, metrics, errors with their clauses, ways to break a frame, subcommands, themes, exit codes.

use std::fmt::Write as _;

use crate::{
    cli::{
        config::{Key, Kind, Value},
        error::Exit,
        shell,
    },
    console::{
        Theme, reference,
        reference::{KeyGroup, ViewReference},
    },
    dissect::{
        Breach, clause_text,
        frame_json::{Breakage, BrokenFormat},
        snippets::Stage,
    },
    limits::Limits,
    port::List,
    station::metrics,
};

/// The table of this name, in Markdown.
pub(super) fn table(name: &str) -> Option<String> {
    let (head, rows): (&[&str], Vec<Vec<String>>) = match name {
        "config" => (&["key", "default", "values", "what it sets"], config()),
        "limits" => (&["key", "default", "range", "what it bounds"], limits()),
        "keymap" => (&["name", "keys", "what it does"], keymap()),
        "views" => (&["key", "view", "panes", "what it shows"], views()),
        "metrics" => (&["metric", "type", "label", "what it measures"], metrics()),
        "commands" => (&["subcommand", "what it does"], commands()),
        "themes" => (&["theme"], Theme::shipped_names().map(|name| vec![code(name)]).collect()),
        "exit-codes" => (&["code", "meaning"], exit_codes()),
        "breakages" => (&["`--break`", "frames", "what is broken"], breakages()),
        "stages" => (&["`stage`", "what must be there first"], stages()),
        "columns" => return Some(columns()),
        "keys" => return Some(keys()),
        "clauses" => return Some(clauses()),
        _ => return None,
    };
    Some(markdown(head, &rows))
}

fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| escaped(cell).replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// A text whose `<` begin no HTML; what is within backticks stays as it is.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let escape =
        |(at, part): (usize, &str)| if at % 2 == 0 { part.replace('<', "\\<") } else { part.to_owned() };
    parts.map(escape).collect::<Vec<_>>().join("`")
}

/// Sections of one table each.
fn sections(head: &[&str], all: impl IntoIterator<Item = (String, String, Vec<Vec<String>>)>) -> String {
    let mut text = String::new();
    for (title, about, rows) in all {
        let _ = writeln!(text, "## {title}\n");
        if !about.is_empty() {
            let _ = writeln!(text, "{about}\n");
        }
        text.push_str(&markdown(head, &rows));
        text.push('\n');
    }
    text
}

fn code(text: impl std::fmt::Display) -> String {
    format!("`{text}`")
}

fn stages() -> Vec<Vec<String>> {
    Stage::ALL.iter().map(|stage| vec![code(stage.name()), stage.text().to_owned()]).collect()
}

/// Keys that are neither limits nor the keys of actions, which have tables of their own.
fn config() -> Vec<Vec<String>> {
    let plain = Key::all()
        .filter(|key| Limits::BOUNDS.iter().all(|bound| bound.key != key.name) && key.kind != Kind::Keys);
    plain
        .map(|key| {
            let default = match key.default(None) {
                Value::Absent => String::new(),
                value => code(value),
            };
            vec![code(key.name), default, values(key.kind), key.doc.trim().to_owned()]
        })
        .collect()
}

/// What a key takes.
fn values(kind: Kind) -> String {
    match kind {
        Kind::Integer { min, max } => format!("{min} to {max}"),
        Kind::Choice(choices) => choices.join(", "),
        Kind::Flag => "true, false".to_owned(),
        _ => String::new(),
    }
}

fn limits() -> Vec<Vec<String>> {
    let defaults = Limits::default();
    let row = |bound: &crate::limits::Bound| {
        let default = defaults.value(bound.key).map_or_else(String::new, |value| value.to_string());
        vec![code(bound.key), default, format!("{} to {}", bound.min, bound.max), bound.doc.trim().to_owned()]
    };
    Limits::BOUNDS.iter().map(row).collect()
}

fn codes(keys: &[String]) -> String {
    keys.iter().map(code).collect::<Vec<_>>().join(" ")
}

fn keymap() -> Vec<Vec<String>> {
    let rows = reference::keys().into_iter().flat_map(|group| group.rows);
    rows.map(|row| vec![code(row.name), codes(&row.keys), row.about.to_owned()]).collect()
}

/// A section for each group of keys.
fn keys() -> String {
    let section = |group: KeyGroup| {
        let with_keys = group.rows.into_iter().filter(|row| !row.keys.is_empty());
        let rows = with_keys.map(|row| vec![codes(&row.keys), row.about.to_owned(), row.scopes]);
        (group.title.to_owned(), String::new(), rows.collect())
    };
    sections(&["keys", "what they do", "where"], reference::keys().into_iter().map(section))
}

fn views() -> Vec<Vec<String>> {
    let row = |view: ViewReference| {
        vec![codes(&view.keys), view.name.to_owned(), view.panes.join(", "), view.about.to_owned()]
    };
    reference::views().into_iter().map(row).collect()
}

fn metrics() -> Vec<Vec<String>> {
    let row = |it: metrics::MetricReference| {
        vec![code(it.name), it.kind.to_owned(), it.label.map_or_else(String::new, code), it.help.to_owned()]
    };
    metrics::reference().into_iter().map(row).collect()
}

/// A section for each breach by a peer: the clause, and what to do.
fn clauses() -> String {
    let mut sections: Vec<String> = Vec::new();
    for breach in Breach::all() {
        let clause = match clause_text(breach.clause()) {
            "" => breach.clause().to_owned(),
            text => format!("{}: {text}", breach.clause()),
        };
        let remedy = breach.remedy_text();
        let to_do = if remedy.is_empty() { remedy } else { format!("\n\n- to do: {remedy}") };
        let section = format!("### {}\n\n{clause}{to_do}\n\n", breach.text());
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    escaped(&sections.concat())
}

fn commands() -> Vec<Vec<String>> {
    let shown = shell::subcommands().into_iter().filter(|it| !it.is_earlier);
    shown.map(|it| vec![code(it.name), it.about]).collect()
}

fn breakages() -> Vec<Vec<String>> {
    let formats = |it: Breakage| match it.formats() {
        all if all.len() == BrokenFormat::ALL.len() => "all".to_owned(),
        some => some.iter().map(|format| format.name()).collect::<Vec<_>>().join(", "),
    };
    let row = |it: &Breakage| vec![code(it.name()), formats(*it), it.about().trim().to_owned()];
    Breakage::ALL.iter().map(row).collect()
}

fn exit_codes() -> Vec<Vec<String>> {
    Exit::ALL.iter().map(|(exit, about)| vec![(*exit as u8).to_string(), (*about).to_owned()]).collect()
}

/// A section for each pane, and for each list of `ls`.
fn columns() -> String {
    let panes = reference::columns().into_iter().map(|pane| {
        let rows = pane.fields.into_iter();
        let rows = rows.map(|(name, title, about)| vec![code(name), title.to_owned(), about.to_owned()]);
        (pane.name.to_owned(), String::new(), rows.collect())
    });
    let lists = List::ALL.iter().map(|list| {
        let title = |spec: &crate::field::Spec| spec.column.map_or("", |column| column.title);
        let row =
            |spec: &crate::field::Spec| vec![code(spec.name), title(spec).to_owned(), spec.about.to_owned()];
        (format!("ls {}", list.name()), list.about().to_owned(), list.specs().iter().map(row).collect())
    });
    sections(&["field", "column", "what it is"], panes.chain(lists))
}
