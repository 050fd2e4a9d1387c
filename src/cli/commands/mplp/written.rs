//! Records that are written: judged first, and written only if nothing is found in them.

use std::{io::Write as _, path::Path};

use serde::Serialize;

use super::{Place, Report};
use crate::{
    cli::{error::Error, mplp_error::MplpError, output::Output, report},
    ids::TraceId,
    mplp::Findings,
    private_files,
    words::counted,
};

/// What a record is of.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::cli) enum Subject<'a> {
    /// A run.
    Run(TraceId),
    /// A session.
    Session(&'a str),
    /// The station, which is always said to be it.
    Station(bool),
}

/// A record that is to be written.
#[derive(Debug)]
pub(in crate::cli) struct Export<'a> {
    /// What it is of.
    pub(in crate::cli) subject: Subject<'a>,
    /// A file that is not there yet; `-` for stdout.
    pub(in crate::cli) path: &'a Path,
    /// Its bytes.
    pub(in crate::cli) text: String,
    /// How many objects it has.
    pub(in crate::cli) objects: usize,
    /// What was found in it.
    pub(in crate::cli) findings: Findings,
    /// Whether it is written all the same.
    pub(in crate::cli) is_forced: bool,
}

/// A record that was written, as scripts read it.
#[derive(Serialize)]
struct Written<'a> {
    path: &'a Path,
    #[serde(flatten)]
    subject: Subject<'a>,
    objects: usize,
    bytes: usize,
    findings: usize,
}

/// Writes a record.
///
/// # Errors
/// Something was found in it, or the file is there, or cannot be written.
pub(in crate::cli) fn write(export: &Export<'_>, out: &mut Output) -> Result<(), Error> {
    let Export { subject, path, text, objects, findings, is_forced } = export;
    let (subject, objects) = (*subject, *objects);
    let written = Written { path, subject, objects, bytes: text.len(), findings: findings.list.len() };
    print_findings(&written, findings, *is_forced, out)?;
    if path.as_os_str() == "-" {
        return out.bytes(text.as_bytes());
    }
    private_files::create_new(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(Error::io(path.display().to_string()))?;
    out.row(&written, |row| {
        format!("{}  {}, {}", row.path.display(), counted(row.objects, "object"), counted(row.bytes, "byte"))
    })
}

/// Prints what was found; refuses to go on unless it is forced.
fn print_findings(
    written: &Written<'_>,
    findings: &Findings,
    is_forced: bool,
    out: &mut Output,
) -> Result<(), Error> {
    if findings.is_clean() {
        return Ok(());
    }
    if is_forced {
        report::print_note(&format!("written with {}", counted(written.findings, "finding")));
        return Ok(());
    }
    let place = Place::file(&written.path.display().to_string());
    Report::new(out).findings(&place, findings, |_| None)?;
    out.flush()?;
    Err(MplpError::NotWritten { findings: written.findings }.into())
}
