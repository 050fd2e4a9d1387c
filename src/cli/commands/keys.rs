//! `keys`: every action of the console and every named filter with its keys, as the configuration leaves
//! them.

use serde::Serialize;

use crate::{
    cli::{
        context::Context,
        error::Error,
        table::{Align, Table},
    },
    console::input::KeyRow,
};

/// The output for each action.
#[derive(Serialize)]
struct Row<'a> {
    action: &'a str,
    keys: &'a [String],
    places: &'a [&'static str],
    about: &'a str,
    own: bool,
    /// Whether it is a named filter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    filter: bool,
}

const COLUMNS: &[(&str, Align)] =
    &[("keys", Align::Left), ("action", Align::Left), ("set by", Align::Left), ("does", Align::Left)];

pub(in crate::cli) fn run(context: &mut Context) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    let rows = settings.keymap.rows();
    let mut lines = Table::new(COLUMNS).page(rows.iter().map(cells).collect()).into_iter();
    if !out.is_json() {
        return lines.try_for_each(|line| out.line(&line));
    }
    for KeyRow { action, keys, scopes: places, about, own, is_filter } in &rows {
        out.row(&Row { action, keys, places, about, own: *own, filter: *is_filter }, |_| String::new())?;
    }
    Ok(())
}

fn cells(row: &KeyRow) -> Vec<String> {
    let keys = if row.keys.is_empty() { "-".to_owned() } else { row.keys.join(" ") };
    vec![keys, row.action.to_string(), if row.own { "yours" } else { "-" }.to_owned(), row.about.to_string()]
}
