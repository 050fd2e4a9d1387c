//! The list of the pages.

use super::tables;
use crate::manual::{Manual, Page};

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        /// Every page with its text, in the order in which they are listed.
        pub(super) const PAGES: &[(&str, &str)] = &[$( ($name, include_str!(concat!($name, ".md"))) ),*];
    };
}

pages! {
    "keys", "views", "filter", "time", "inspector", "palette", "columns", "forms", "copy", "on-air", "ledgers",
    "themes", "keymap", "attach", "openings", "agents", "sessions", "mplp", "plugins", "bus", "frames", "workbench", "gate", "pack", "mpp", "cli",
    "exit-codes", "metrics", "service", "alerts", "config", "limits", "recording", "security", "glossary",
    "benchmarks", "contributing",
}

/// The whole manual.
pub(in crate::cli) fn manual() -> Manual {
    Manual::new(PAGES.iter().map(|(name, text)| Page::read(name, &filled_in(text))).collect())
}

/// One page of it.
pub(in crate::cli) fn page(name: &str) -> Option<Page> {
    PAGES.iter().find(|(known, _)| *known == name).map(|(name, text)| Page::read(name, &filled_in(text)))
}

/// The names of all pages.
pub(in crate::cli) fn names() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(name, _)| *name)
}

/// The names of all pages with their titles.
pub(in crate::cli) fn titles() -> impl Iterator<Item = (&'static str, &'static str)> {
    let title = |text: &'static str| text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    PAGES.iter().map(move |(name, text)| (*name, title(text)))
}

/// The pages about frames by hand whose table of errors has this code.
pub(in crate::cli) fn pages_of_error(code: &str) -> Vec<&'static str> {
    let named = format!("`{code}`");
    // Its first cell, which may have several.
    let has_code = |line: &str| {
        line.strip_prefix("| ")
            .and_then(|row| row.split(" |").next())
            .is_some_and(|cell| cell.contains(&named))
    };
    let has_row = |text: &str| {
        let mut sections =
            text.split("\n## ").filter(|it| it.starts_with("Errors") || it.starts_with("Workbench errors"));
        sections.any(|errors| errors.lines().any(has_code))
    };
    let pages = PAGES.iter().filter(|(name, text)| matches!(*name, "frames" | "gate") && has_row(text));
    pages.map(|(name, _)| *name).collect()
}

/// A text with a table in the place of each line `{{its name}}`.
pub(super) fn filled_in(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    for line in text.lines() {
        let name = line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        match name.and_then(tables::table) {
            Some(table) => filled.push_str(&table),
            None => filled.push_str(line),
        }
        filled.push('\n');
    }
    filled
}
