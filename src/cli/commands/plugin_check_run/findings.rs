//! What was found, a line for each clause.

use serde::Serialize;

use super::clause::Clause;
use crate::cli::{error::Error, output::Output};

/// How a clause is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kept {
    /// It is.
    Ok,
    /// It is not.
    Failed,
    /// It could not be checked.
    Skipped,
}

/// One line.
#[derive(Debug, Serialize)]
struct Row<'a> {
    clause: &'static str,
    result: Kept,
    says: &'static str,
    seen: &'a str,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<(Clause, Kept, String)>);

impl Findings {
    /// Adds one; of a clause that was checked several times the first failure counts, else the first finding.
    pub(super) fn add(&mut self, clause: Clause, kept: Kept, seen: impl Into<String>) {
        let found = (clause, kept, seen.into());
        match self.0.iter_mut().find(|it| it.0 == clause) {
            None => self.0.push(found),
            Some(earlier) if kept == Kept::Failed && earlier.1 != Kept::Failed => *earlier = found,
            Some(_) => {}
        }
    }

    /// Adds whether a clause is kept.
    pub(super) fn judge(&mut self, clause: Clause, is_kept: bool, seen: impl Into<String>) {
        self.add(clause, if is_kept { Kept::Ok } else { Kept::Failed }, seen);
    }

    /// Adds all of another.
    pub(super) fn extend(&mut self, other: Self) {
        for (clause, kept, seen) in other.0 {
            self.add(clause, kept, seen);
        }
    }

    /// Prints a line for each clause.
    ///
    /// # Errors
    /// [`Error::PluginCheck`] where one is not kept.
    pub(super) fn print(&self, out: &mut Output) -> Result<(), Error> {
        let names = Clause::ALL.iter().map(|clause| clause.name().len()).max().unwrap_or_default();
        let mut failed = 0;
        for clause in Clause::ALL {
            let found = self.0.iter().find(|it| it.0 == clause);
            let (kept, seen) = found.map_or((Kept::Skipped, "not reached"), |it| (it.1, &it.2));
            failed += usize::from(kept == Kept::Failed);
            out.row(&Row { clause: clause.name(), result: kept, says: clause.says(), seen }, |row| {
                let result = match row.result {
                    Kept::Ok => "ok",
                    Kept::Failed => "failed",
                    Kept::Skipped => "skipped",
                };
                let seen = if row.seen.is_empty() { String::new() } else { format!(" ({})", row.seen) };
                format!("{result:7} {:names$}  {}{seen}", row.clause, row.says)
            })?;
        }
        out.flush()?;
        if failed == 0 { Ok(()) } else { Err(Error::PluginCheck { failed, all: Clause::ALL.len() }) }
    }
}
