//! Tables of the manual that are made: configuration keys, limits, actions with their keys, exit codes,
//! columns and filter fields.

use std::fmt::Write as _;

use crate::{
    cli::{
        config::{Key, Kind, Value},
        error::Exit,
    },
    console::input::Keymap,
    limits::Limits,
    port::List,
};

/// The table of this name, in Markdown.
pub(super) fn table(name: &str) -> Option<String> {
    let (head, rows): (&[&str], Vec<Vec<String>>) = match name {
        "config" => (&["key", "default", "values", "what it sets"], config()),
        "limits" => (&["key", "default", "range", "what it bounds"], limits()),
        "keymap" => (&["keys", "name", "what it does"], keymap()),
        "exit-codes" => (&["code", "meaning"], exit_codes()),
        "columns" => return Some(columns()),
        _ => return None,
    };
    Some(markdown(head, &rows))
}

fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

fn code(text: impl std::fmt::Display) -> String {
    format!("`{text}`")
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

fn keymap() -> Vec<Vec<String>> {
    let rows = Keymap::default().rows();
    rows.iter()
        .map(|row| {
            let keys: Vec<_> = row.keys.iter().map(code).collect();
            vec![keys.join(" "), code(&row.action), row.about.trim().to_owned()]
        })
        .collect()
}

fn exit_codes() -> Vec<Vec<String>> {
    Exit::ALL.iter().map(|(exit, about)| vec![(*exit as u8).to_string(), (*about).to_owned()]).collect()
}

/// A heading and a table for each list of `ls`.
fn columns() -> String {
    let mut text = String::new();
    for list in List::ALL {
        let _ = writeln!(text, "## ls {}\n\n{}\n", list.name(), list.about());
        let rows: Vec<_> =
            list.specs().iter().map(|spec| vec![code(spec.name), spec.about.to_owned()]).collect();
        text.push_str(&markdown(&["field", "what it is"], &rows));
        text.push('\n');
    }
    text
}
