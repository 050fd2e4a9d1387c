//! `plugin check`: faults and notes of a folder, without a station. What drives a plugin alone goes here too.

use std::path::Path;

use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error},
    plugin::manifest,
};

/// A fault or a note, as scripts read it.
#[derive(Serialize)]
struct Finding<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    severity: &'static str,
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

pub(super) fn run(context: &mut Context, dir: &Path, command: Option<&str>) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    let checked =
        manifest::load(dir, command, &settings.plugins.host_version, &settings.limits.plugin).checked;
    let path = dir.join("plugin.toml").display().to_string();
    let faults = checked.faults.iter().map(|fault| Finding {
        path: &path,
        line: fault.line,
        column: fault.column,
        severity: "fault",
        code: fault.kind.code(),
        message: fault.kind.to_string(),
        remedy: Some(fault.remedy()),
    });
    let notes = checked.notes.iter().map(|note| Finding {
        path: &path,
        line: note.line,
        column: note.column,
        severity: "note",
        code: note.kind.code(),
        message: note.kind.to_string(),
        remedy: None,
    });
    for finding in faults.chain(notes) {
        out.row(&finding, |it| {
            let remedy = it.remedy.as_ref().map(|remedy| format!(" ({remedy})")).unwrap_or_default();
            let note = if it.remedy.is_none() { "note: " } else { "" };
            format!("{}:{}:{}: {note}{}{remedy}", it.path, it.line, it.column, it.message)
        })?;
    }
    out.flush()?;
    match checked.manifest {
        Some(manifest) if !out.is_json() => {
            out.line(&format!("{path}: {} {} OK", manifest.id, manifest.version))
        }
        Some(_) => Ok(()),
        None => Err(Error::Input {
            what: path,
            message: crate::words::counted(checked.faults.len() as u64, "fault"),
            hint: "see the errors above".to_owned(),
        }),
    }
}
