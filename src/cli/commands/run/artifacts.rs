//! `run artifacts`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{
    cli::{
        commands::ls::TableRow as _,
        error::Error,
        operator,
        output::Output,
        report,
        run_error::RunError,
        table::{LocalClock, Table},
    },
    ids::TraceId,
    port::{ArtifactRow, Operator, Page, Query},
    private_files,
    words::counted,
};

/// Artifacts asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 100;
/// Characters of a node's or a port's name that a file's name takes.
const NAME_CHARS_MAX: usize = 80;

/// A file that was written.
#[derive(Serialize)]
struct Written {
    number: u64,
    path: PathBuf,
    bytes: usize,
}

/// Prints what a run kept, or writes it into files of a folder of its own, which is named by the opening and
/// the run's last digits.
pub(in crate::cli) async fn artifacts(
    station: &dyn Operator,
    run: TraceId,
    folder: Option<&Path>,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let Page::Run(found) = operator::query(station, Query::Run { run }).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let found = found.ok_or_else(|| RunError::Unknown { name: run.to_string(), is_tail: false })?;
    // Runs of one opening save under the same names.
    let folder = folder.map(|folder| folder.join(format!("{}-{}", safe(&found.row.name), run.short())));
    if let Some(folder) = &folder {
        private_files::make_folder(folder).map_err(Error::io(folder.display().to_string()))?;
    }
    let mut table = Table::new(ArtifactRow::COLUMNS).timed(clock).fitting(out.columns());
    let mut after = 0;
    let is_over = found.row.ended_at_ms.is_some();
    loop {
        let query = Query::RunArtifacts { run, after, limit: PAGE_ROWS };
        let Page::RunArtifacts { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        let last = rows.last().map(|row| row.number);
        if after == 0 && rows.is_empty() && !out.is_json() {
            report::print_note(if is_over { "no artifacts" } else { "no artifacts yet" });
        }
        match &folder {
            Some(folder) => rows.iter().try_for_each(|row| write(folder, row, out))?,
            None => print(&rows, &mut table, clock, out)?,
        }
        out.flush()?;
        match last {
            Some(last) if more => after = last,
            _ => return Ok(()),
        }
    }
}

fn print(rows: &[ArtifactRow], table: &mut Table, clock: &LocalClock, out: &mut Output) -> Result<(), Error> {
    if out.is_json() {
        return rows.iter().try_for_each(|row| out.row(row, |_| String::new()));
    }
    if rows.is_empty() {
        return Ok(());
    }
    table.page(rows.iter().map(|row| row.cells(clock)).collect()).iter().try_for_each(|line| out.line(line))
}

fn write(folder: &Path, row: &ArtifactRow, out: &mut Output) -> Result<(), Error> {
    let path = folder.join(format!("{}-{}-{}.json", row.number, safe(&row.node), safe(&row.port)));
    let text = format!("{}\n", row.value.as_str());
    private_files::write_new(&path, text.as_bytes()).map_err(Error::io(path.display().to_string()))?;
    let written = Written { number: row.number, path, bytes: text.len() };
    out.row(&written, |row| format!("{}  {}", row.path.display(), counted(row.bytes, "byte")))
}

/// A name as a part of a file's: an agent names its ports as it likes.
fn safe(name: &str) -> String {
    let kept = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.') { letter } else { '_' }
    };
    name.chars().take(NAME_CHARS_MAX).map(kept).collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        port::RunDetail,
        schema::JsonText,
        time::Wall,
    };

    fn kept(number: u64, node: &str, port: &str) -> ArtifactRow {
        ArtifactRow {
            number,
            node: node.to_owned(),
            port: port.to_owned(),
            kind: "artifact.generic.v1".to_owned(),
            schema_id: 5,
            bytes: 3,
            value: JsonText::parse(r#"{"a":1}"#).unwrap(),
            at_ms: Wall(0),
        }
    }

    fn written(folder: &Path) -> Result<String, Error> {
        let detail = RunDetail {
            row: crate::cli::commands::short_ids::tests::row(1, 7),
            yaml: String::new(),
            plan: JsonText::parse("{}").unwrap(),
            traceparent: None,
            artifacts_missing: 0,
            rating: None,
        };
        let first = Page::RunArtifacts { rows: vec![kept(1, "outer/draft", "out")], more: true };
        let second = Page::RunArtifacts { rows: vec![kept(2, "b", "../../x\u{202e}")], more: false };
        let (station, printed) =
            (Scripted::pages([Page::Run(Some(Box::new(detail))), first, second]), Printed::default());
        let run = TraceId(uuid::Uuid::from_u128(7));
        let clock = LocalClock::new(Wall(0));
        operator::block_on(async {
            artifacts(&station, run, Some(folder), &clock, &mut printed.output(false)).await
        })?;
        Ok(printed.text())
    }

    #[test]
    fn each_artifact_gets_a_file_in_the_folder_and_none_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("made/here");
        let line = written(&made).unwrap();
        let made = made.join("poll-0007");
        assert!(line.starts_with(made.to_str().unwrap()), "{line}");
        let mut names: Vec<_> = fs::read_dir(&made)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["1-outer_draft-out.json", "2-b-.._.._x_.json"]);
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode_of(&made), mode_of(&made.join(&names[0]))), (0o700, 0o600));
        assert_eq!(fs::read_to_string(made.join("1-outer_draft-out.json")).unwrap(), "{\"a\":1}\n");
        assert_eq!(written(made.parent().unwrap()).unwrap_err().code(), "file");
    }
}
