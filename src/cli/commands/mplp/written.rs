//! Records that are written: judged first, and written only if nothing is found in them.

use std::path::Path;

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

/// What is wrong with a record.
#[derive(Debug)]
pub(in crate::cli) struct RecordFindings {
    /// The findings that are listed.
    pub(in crate::cli) shown: Findings,
    /// How many there are, as far as they were counted.
    pub(in crate::cli) count: u64,
    /// Why no more are listed, where there are more.
    pub(in crate::cli) more: &'static str,
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
    pub(in crate::cli) findings: RecordFindings,
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
    findings: u64,
}

/// Writes a record.
///
/// # Errors
/// Something was found in it, or the file is there, or cannot be written.
pub(in crate::cli) fn write(export: &Export<'_>, out: &mut Output) -> Result<(), Error> {
    let Export { subject, path, text, objects, findings, is_forced } = export;
    let (subject, objects) = (*subject, *objects);
    let written = Written { path, subject, objects, bytes: text.len(), findings: findings.count };
    print_findings(&written, findings, *is_forced, out)?;
    if path.as_os_str() == "-" {
        return out.bytes(text.as_bytes());
    }
    private_files::write_new(path, text.as_bytes()).map_err(Error::io(path.display().to_string()))?;
    out.row(&written, |row| {
        format!("{}  {}, {}", row.path.display(), counted(row.objects, "object"), counted(row.bytes, "byte"))
    })
}

/// Prints what was found; refuses to go on unless it is forced.
fn print_findings(
    written: &Written<'_>,
    findings: &RecordFindings,
    is_forced: bool,
    out: &mut Output,
) -> Result<(), Error> {
    if findings.shown.is_clean() {
        return Ok(());
    }
    if is_forced {
        report::print_note(&format!("written with {}", counted(written.findings, "finding")));
        return Ok(());
    }
    let place = Place::file(&written.path.display().to_string());
    Report::new(out, findings.more).findings(&place, &findings.shown, |_| None)?;
    out.flush()?;
    Err(MplpError::NotWritten { findings: written.findings }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::output::tests::Printed,
        mplp::{Finding, Path as Place},
    };

    fn export(path: &Path, is_forced: bool) -> Export<'_> {
        let finding = Finding {
            schema: "role".into(),
            path: Place::parse("$.roles[0].name").unwrap(),
            rule: "type".into(),
            requires: "type string".to_owned(),
            received: None,
        };
        let shown = Findings { list: vec![finding], is_cut: true };
        let findings = RecordFindings { shown, count: 7, more: "so it is" };
        let (subject, text) = (Subject::Session("s1"), "{}\n".to_owned());
        Export { subject, path, text, objects: 3, findings, is_forced }
    }

    #[test]
    fn findings_that_are_not_listed_are_counted_and_it_is_said_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.json");
        let printed = Printed::default();
        let error = write(&export(&path, false), &mut printed.output(false)).unwrap_err();
        assert_eq!(error.to_string(), "not written: the record has 7 findings");
        let text = printed.text();
        assert!(text.ends_with("one.json: and more; so it is\n") && !path.exists(), "{text}");
        let printed = Printed::default();
        write(&export(&path, true), &mut printed.output(true)).unwrap();
        let row: serde_json::Value = serde_json::from_str(&printed.text()).unwrap();
        assert_eq!((&row["findings"], &row["objects"]), (&7.into(), &3.into()));
    }
}
