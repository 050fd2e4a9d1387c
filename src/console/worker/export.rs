//! Writes what a pane or the screen shows to a file, beside the screen's thread.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value as Json};

use crate::{
    console::{draw::text::width, worker::Worker},
    field::Align,
    private_files,
};

/// What was shown, masked as it was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExportContent {
    /// The cells of a table, under the titles of its columns.
    Table { columns: Vec<(&'static str, Align)>, rows: Vec<Vec<String>> },
    /// One JSON object a line.
    Ndjson(Vec<Map<String, Json>>),
    /// The screen, as a picture or as text.
    Screen(String),
}

/// An export that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExportJob {
    /// Its name in the palette.
    pub(crate) verb: &'static str,
    pub(crate) path: PathBuf,
    /// Whether a file that is there is replaced.
    pub(crate) replaces: bool,
    pub(crate) content: ExportContent,
    /// How many rows of what, for the message.
    pub(crate) counted: String,
}

/// The thread that writes them; it answers with a message.
pub(crate) fn export_worker() -> Worker<ExportJob, Result<String, String>> {
    Worker::new("export", work)
}

fn work(job: ExportJob) -> Result<String, String> {
    let ExportJob { verb, path, replaces, content, counted } = job;
    let path = of_home(&path);
    let text = match content {
        ExportContent::Table { columns, rows } => table(&columns, &rows),
        ExportContent::Ndjson(rows) => ndjson(&rows),
        ExportContent::Screen(text) => text,
    };
    match write(&path, text.as_bytes(), replaces) {
        Ok(()) => Ok(format!("exported {counted} to {}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(format!("not exported: {0} already exists; `{verb}! {0}` replaces it", path.display()))
        }
        Err(error) => Err(format!("not exported to {}: {error}", path.display())),
    }
}

/// A path with the user's home for a `~` at its begin, as a shell has it.
fn of_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::var_os("HOME")) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path.to_owned(),
    }
}

/// Writes a file whole, readable by its owner alone. Where that fails, what was there before stays.
fn write(path: &Path, bytes: &[u8], replaces: bool) -> io::Result<()> {
    if replaces {
        return private_files::replace(path, bytes);
    }
    private_files::write_new(path, bytes)
}

fn table(columns: &[(&'static str, Align)], rows: &[Vec<String>]) -> String {
    let titles: Vec<String> = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    let mut widths: Vec<usize> = titles.iter().map(|title| width(title)).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&titles).chain(rows) {
        let mut line = String::new();
        for ((cell, (_, align)), columns) in row.iter().zip(columns).zip(&widths) {
            let blanks = " ".repeat(columns - width(cell));
            let (before, behind) = if *align == Align::Right { (&*blanks, "") } else { ("", &*blanks) };
            // Writing to memory cannot fail.
            let _ = write!(line, "{before}{cell}{behind}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn ndjson(rows: &[Map<String, Json>]) -> String {
    let mut text = String::new();
    for row in rows {
        // A map of text keys is always written.
        text.push_str(&serde_json::to_string(row).unwrap_or_default());
        text.push('\n');
    }
    text
}
