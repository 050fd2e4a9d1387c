//! `config show`: every value in force, and where it came from. `config themes`: the themes, and what is
//! wrong with them.

use serde::Serialize;

use crate::{
    cli::{
        appearance::own_themes,
        args::ConfigAction,
        config::{ConfigError, Key, Value},
        context::Context,
        env::Env,
        error::Error,
        output::Output,
    },
    console::draw::Theme,
};

/// The output for each key.
#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    value: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

/// The output for each key with `--defaults`.
#[derive(Serialize)]
struct Default {
    key: &'static str,
    value: Value,
    doc: &'static str,
}

/// Every key with its default and its meaning; needs no configuration that is in order.
pub(in crate::cli) fn defaults(env: &Env, out: &mut Output) -> Result<(), Error> {
    let rows = Key::all().map(|key| Default {
        key: key.name,
        value: key.default(env.data_dir.as_deref()),
        doc: key.doc.trim(),
    });
    let rows: Vec<Default> = rows.collect();
    let keys = rows.iter().map(|row| row.key.len()).max().unwrap_or_default();
    let values = rows.iter().map(|row| row.value.to_string().len()).max().unwrap_or_default();
    for row in &rows {
        out.row(row, |row| format!("{:keys$} = {:values$}  # {}", row.key, row.value.to_string(), row.doc))?;
    }
    Ok(())
}

pub(in crate::cli) fn run(context: &mut Context, action: &ConfigAction) -> Result<(), Error> {
    match action {
        ConfigAction::Show { origin, .. } => show(context, *origin),
        ConfigAction::Themes => themes(context),
    }
}

fn show(context: &mut Context, with_origin: bool) -> Result<(), Error> {
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

/// The output for each theme.
#[derive(Serialize)]
struct ThemeRow {
    theme: String,
    /// `shipped`, or its file.
    from: String,
    in_force: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Every theme that `T` steps through, in its order, and what is wrong with the user's own.
fn themes(context: &mut Context) -> Result<(), Error> {
    let in_force = context.settings.theme.clone();
    let own = own_themes(context.env.themes().as_deref(), context.env.depth());
    let is_shipped = |name: &str| Theme::shipped_names().any(|shipped| shipped == name);
    let row = |name: &str| {
        let mine = own.iter().find(|own| own.name == name);
        let fault = mine.and_then(|own| own.theme.as_ref().err());
        ThemeRow {
            theme: name.to_owned(),
            from: mine.map_or_else(|| "shipped".to_owned(), |own| own.path.display().to_string()),
            // A shipped one stands in for its own that is broken.
            in_force: name == in_force && (fault.is_none() || is_shipped(name)),
            error: fault.map(|fault| format!("{fault}: {}", fault.hint)),
        }
    };
    let further = own.iter().map(|own| own.name.as_str()).filter(|name| !is_shipped(name));
    let rows: Vec<ThemeRow> = Theme::shipped_names().map(row).chain(further.map(row)).collect();
    let names = rows.iter().map(|row| row.theme.chars().count()).max().unwrap_or_default();
    for row in &rows {
        context.out.row(row, |row| {
            let mark = if row.in_force { "*" } else { " " };
            format!("{mark} {:names$}  {}", row.theme, row.error.as_ref().unwrap_or(&row.from))
        })?;
    }
    let faults: Vec<_> = own.into_iter().filter_map(|own| own.theme.err()).collect();
    if faults.is_empty() { Ok(()) } else { Err(ConfigError { faults }.into()) }
}
