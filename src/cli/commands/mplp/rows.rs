//! What `mplp validate` prints: findings, what was not judged, and what was.

use std::fmt::Write as _;

use serde::Serialize;

use crate::{
    cli::{error::Error, mplp_error::MplpError, output::Output, table::visible},
    mplp::{Finding, Findings},
    words::counted,
};

/// Where an object came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(in crate::cli) struct Place {
    /// The file, the folder, or `stdin`.
    pub(super) file: String,
    /// The line of NDJSON, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u64>,
    /// The number of the entry in the tap, of a recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<u64>,
}

impl Place {
    /// A whole file.
    pub(in crate::cli) fn file(file: &str) -> Self {
        Self { file: file.to_owned(), line: None, entry: None }
    }

    /// A line of it.
    pub(super) fn line(file: &str, line: u64) -> Self {
        Self { line: Some(line), ..Self::file(file) }
    }

    /// An entry of a recording.
    pub(super) fn entry(file: &str, entry: u64) -> Self {
        Self { entry: Some(entry), ..Self::file(file) }
    }

    fn shown(&self) -> String {
        match (self.line, self.entry) {
            (Some(line), _) => format!("{}:{line}", self.file),
            (None, Some(entry)) => format!("{}: entry {entry}", self.file),
            (None, None) => self.file.clone(),
        }
    }
}

/// A finding as scripts read it.
#[derive(Serialize)]
struct FindingRow<'a> {
    #[serde(flatten)]
    place: &'a Place,
    #[serde(flatten)]
    finding: &'a Finding,
}

/// More findings than were asked for.
#[derive(Serialize)]
struct MoreRow<'a> {
    #[serde(flatten)]
    place: &'a Place,
    more: bool,
}

/// Something that was not judged.
#[derive(Serialize)]
struct NotJudgedRow<'a> {
    #[serde(flatten)]
    place: &'a Place,
    error: &'a str,
    hint: &'a str,
}

/// Why a message is not judged of which not all is kept.
const CUT: &str = "the tap kept a part of it";

/// What a recording is called as an input.
pub(super) const RECORDING: &str = "recording";

/// What became of a file, a folder or a bundle of files.
#[derive(Serialize)]
pub(super) struct InputRow {
    /// The file or folder.
    pub(super) file: String,
    /// Whether all that is in it is judged and clean.
    pub(super) valid: bool,
    /// What it is: a schema, `bundle`, `ndjson`, or [`RECORDING`].
    pub(super) schema: &'static str,
    /// Objects in it that were judged.
    pub(super) objects: u64,
    /// How many of them have findings; a bundle counts as one.
    pub(super) broken: u64,
    /// Lines, or messages of a recording, that were not judged.
    pub(super) not_judged: u64,
}

impl InputRow {
    fn part(&self) -> &'static str {
        if self.schema == RECORDING { "message" } else { "line" }
    }

    fn text(&self) -> String {
        let what = match (self.schema, self.objects) {
            ("bundle", count) => format!("bundle of {}", counted(count, "object")),
            ("ndjson" | RECORDING, count) => counted(count, "object"),
            (schema, _) => schema.to_owned(),
        };
        let mut text = format!("{}: {what}", self.file);
        if self.valid {
            return text + " OK";
        }
        if matches!(self.schema, "ndjson" | RECORDING) {
            if self.broken > 0 {
                // Writing to memory cannot fail.
                let _ = write!(text, ", {} not valid", self.broken);
            }
            if self.not_judged > 0 {
                let _ = write!(text, ", {} not judged", counted(self.not_judged, self.part()));
            }
        } else {
            text += " not valid";
        }
        text
    }
}

/// Prints, and counts for the exit code.
pub(in crate::cli) struct Report<'a> {
    out: &'a mut Output,
    /// Said where there are more findings than were printed: why, or how to have them.
    more: &'static str,
    judged: u64,
    broken: u64,
    not_judged: u64,
    /// The first entry that was cut of a file that is being judged, and how many were.
    cut: Option<(u64, u64)>,
}

impl<'a> Report<'a> {
    /// Nothing is printed yet; `more` is said where there are more findings than are printed.
    pub(in crate::cli) fn new(out: &'a mut Output, more: &'static str) -> Self {
        Self { out, more, judged: 0, broken: 0, not_judged: 0, cut: None }
    }

    /// Counts an object or bundle, and prints its findings, each at the place that `place` says.
    pub(in crate::cli) fn findings(
        &mut self,
        whole: &Place,
        findings: &Findings,
        place: impl Fn(&Finding) -> Option<Place>,
    ) -> Result<(), Error> {
        self.judged += 1;
        if findings.is_clean() {
            return Ok(());
        }
        self.broken += 1;
        for finding in &findings.list {
            let own = place(finding);
            let row = FindingRow { place: own.as_ref().unwrap_or(whole), finding };
            self.out.row(&row, finding_text)?;
        }
        if findings.is_cut {
            let more = self.more;
            self.out.row(&MoreRow { place: whole, more: true }, |row| {
                visible(&format!("{}: and more; {more}", row.place.shown()))
            })?;
        }
        Ok(())
    }

    /// Counts and prints something that was not judged.
    pub(super) fn not_judged(&mut self, place: &Place, error: &str, hint: &str) -> Result<(), Error> {
        self.not_judged += 1;
        self.out.row(&NotJudgedRow { place, error, hint }, |row| {
            visible(&format!("{}: not judged: {}; {}", row.place.shown(), row.error, row.hint))
        })
    }

    /// Counts a message that the tap kept a part of. Scripts get each of them, people one line for all.
    pub(super) fn cut(&mut self, file: &str, seq: u64, hint: &str) -> Result<(), Error> {
        if self.out.is_json() {
            return self.not_judged(&Place::entry(file, seq), CUT, hint);
        }
        self.not_judged += 1;
        let (_, count) = self.cut.get_or_insert((seq, 0));
        *count += 1;
        Ok(())
    }

    /// Says how many were cut of a file.
    pub(super) fn end_of_cut(&mut self, file: &str, hint: &str) -> Result<(), Error> {
        let Some((first, count)) = self.cut.take() else { return Ok(()) };
        let which = if count == 1 { "entry" } else { "the first is entry" };
        let messages = counted(count, "message");
        let text = format!("{file}: {messages} not judged: {CUT} ({which} {first}); {hint}");
        self.out.line(&visible(&text))
    }

    /// Prints what became of an input.
    pub(super) fn input(&mut self, row: &InputRow) -> Result<(), Error> {
        self.out.row(row, |row| visible(&row.text()))?;
        self.flush()
    }

    /// Sends what was printed on its way.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.out.flush()
    }

    /// Objects and bundles with findings, and what was not judged, up to now.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.broken, self.not_judged)
    }

    /// Fails if anything was found or not judged.
    pub(super) fn end(self) -> Result<(), Error> {
        match (self.not_judged, self.broken) {
            (0, 0) => Ok(()),
            (0, broken) => Err(MplpError::Findings { broken, all: self.judged }.into()),
            (count, _) => Err(MplpError::NotJudged { count }.into()),
        }
    }
}

fn finding_text(row: &FindingRow<'_>) -> String {
    let Finding { path, rule, requires, received, .. } = row.finding;
    let received = received.as_deref().unwrap_or("nothing");
    visible(&format!("{}: {path}: {rule}: requires {requires}, received {received}", row.place.shown()))
}
