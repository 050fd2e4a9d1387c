//! Filters on the command line: what is wrong with one, pointed at, and the language in short.

use std::fmt::{self, Write as _};

use super::table::visible;
use crate::{
    dissect::EntryRecord,
    field::{Fields as _, Spec},
    filter::{Fault, Filter, GRAMMAR},
    port::List,
    time::Now,
    words::width,
};

/// A filter that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FilterError {
    /// As it was written.
    pub(crate) text: String,
    /// The fault, and where it is.
    pub(crate) fault: Fault,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = &self.fault.at;
        let part = |range: std::ops::Range<usize>| visible(self.text.get(range).unwrap_or_default());
        let (before, meant) = (part(0..at.start), part(at.clone()));
        let (indent, carets) = (" ".repeat(width(&before)), "^".repeat(width(&meant).max(1)));
        write!(f, "invalid filter: {}\n  {}\n  {indent}{carets}", self.fault.words, visible(&self.text))
    }
}

impl std::error::Error for FilterError {}

/// Reads a filter for what is listed. Its times of day are of the system's zone.
pub(crate) fn read(text: &str, list: List, now: Now) -> Result<Filter, FilterError> {
    let filter =
        Filter::parse(text, list.specs()).map_err(|fault| FilterError { text: text.to_owned(), fault })?;
    Ok(filter.anchored(now, &jiff::tz::TimeZone::system()))
}

/// Columns of the help.
const HELP_COLUMNS: usize = 120;
/// The column at which the names of fields begin.
const NAMES_FROM: usize = 16;

/// The language in short, and the fields of lists.
pub(crate) fn help(lists: &[List]) -> String {
    help_of(lists.iter().map(|list| (list.name(), list.specs())))
}

/// The language in short, and the fields of the tap's entries.
pub(crate) fn help_of_entries() -> String {
    help_of([("frames", EntryRecord::SPECS)])
}

fn help_of(all: impl IntoIterator<Item = (&'static str, &'static [Spec])>) -> String {
    let forms = GRAMMAR.iter().map(|(form, finds)| format!("  {form:<29} {finds}"));
    let fields = all.into_iter().map(|(of, specs)| {
        let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        let mut line = format!("  {of:<13}");
        let mut columns = line.len();
        for name in names {
            if columns + 1 + name.len() > HELP_COLUMNS {
                let _ = write!(line, "\n{:width$}", "", width = NAMES_FROM - 1);
                columns = NAMES_FROM - 1;
            }
            let _ = write!(line, " {name}");
            columns += 1 + name.len();
        }
        line
    });
    let lines: Vec<String> = ["Filters:".to_owned()]
        .into_iter()
        .chain(forms)
        .chain(["\nFields:".to_owned()])
        .chain(fields)
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_what_is_meant_whatever_its_width() {
        let error = read("ｗide\t state:pendign", List::Invocations, Now::at_ms(0)).unwrap_err();
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("invalid filter: `state` is never `pendign`: did you mean `pending`?"),
            "{text}"
        );
        assert_eq!(lines[1..], ["  ｗide  state:pendign", "               ^^^^^^^"]);
        let open = read("(", List::Health, Now::at_ms(0)).unwrap_err().to_string();
        assert!(open.ends_with("\n  (\n  ^"), "{open}");
    }

    #[test]
    fn help_has_every_field() {
        let help = help(List::ALL);
        assert!(
            help.contains("  refunds       id invocation source user redemption status at age"),
            "{help}"
        );
        assert!(help.lines().all(|line| line.len() <= HELP_COLUMNS), "{help}");
    }
}
