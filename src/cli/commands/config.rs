//! `config show`: every value in force, and where it came from.

use serde::Serialize;

use crate::cli::{args::ConfigAction, config::Value, context::Context, error::Error};

/// What is printed for each key.
#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    value: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

pub(in crate::cli) fn run(context: &mut Context, action: &ConfigAction) -> Result<(), Error> {
    let ConfigAction::Show { origin: with_origin } = action;
    let Context { resolved, out, .. } = context;
    let keys = resolved.iter().map(|(key, ..)| key.name.len()).max().unwrap_or_default();
    let values = resolved.iter().map(|(_, value, _)| value.to_string().len()).max().unwrap_or_default();
    for (key, value, origin) in resolved.iter() {
        let row = Row { key: key.name, value, origin: with_origin.then(|| origin.to_string()) };
        out.row(&row, |row| {
            let value = row.value.to_string();
            match &row.origin {
                Some(origin) => format!("{:keys$} = {value:values$}  # {origin}", row.key),
                None => format!("{:keys$} = {value}", row.key),
            }
        })?;
    }
    Ok(())
}
