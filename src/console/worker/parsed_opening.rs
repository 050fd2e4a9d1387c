//! The findings on an opening's text.

use std::{collections::BTreeSet, path::Path};

use crate::{
    limits::Limits,
    runs::openings::{FaultCause, FaultKind, Library, Map, Opening},
};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpeningFault {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The character of the line, from 1.
    pub(crate) column: usize,
    pub(crate) text: String,
    /// Whether it holds a submission back. What is wrong with nested files, the station may see otherwise:
    /// it has folders of its own.
    pub(crate) is_blocking: bool,
    /// Whether its place is one of this text.
    pub(crate) is_in_text: bool,
}

/// What was found of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParsedOpening {
    pub(crate) faults: Vec<OpeningFault>,
    /// How many more there are.
    pub(crate) more: usize,
    /// What it is, where nothing is wrong.
    pub(crate) summary: Option<String>,
    /// The topics of the agents that it gives work to, where nothing is wrong.
    pub(crate) agents: BTreeSet<String>,
    /// Params that are used and not declared.
    pub(crate) missing: Vec<String>,
    /// Whether openings that it nests are still to be looked for.
    pub(crate) has_unresolved: bool,
}

impl ParsedOpening {
    /// Reads a text. Without a library, the openings that it nests are not looked for.
    pub(crate) fn of(
        text: &str,
        origin: Option<&Path>,
        library: &dyn Library,
        has_library: bool,
        limits: &Limits,
    ) -> Self {
        let faults = match Opening::load(text, origin, &Map::new(), library, &limits.runs) {
            Ok(opening) => {
                let nodes = crate::console::draw::format::many(opening.nodes_count() as u64, "node");
                return Self {
                    summary: Some(format!("{}: {nodes}", opening.name)),
                    agents: opening.agents(),
                    ..Self::default()
                };
            }
            Err(faults) => faults,
        };
        let mut found = Self { more: faults.more(), ..Self::default() };
        for fault in faults.list() {
            let is_missing_file =
                matches!(&fault.wrong, FaultCause::Opening(FaultKind::OpeningNotFound { .. }));
            if is_missing_file && !has_library {
                found.has_unresolved = true;
                continue;
            }
            if let FaultCause::Opening(FaultKind::UnknownParam { param }) = &fault.wrong
                && fault.file.is_none()
                && !found.missing.contains(param)
            {
                found.missing.push(param.clone());
            }
            let fix = fault.fix.as_ref().map_or_else(String::new, |fix| format!("; {fix}"));
            let file = fault.file.as_ref().map_or_else(String::new, |file| format!("{}, ", file.display()));
            found.faults.push(OpeningFault {
                line: fault.at.line as usize,
                column: fault.at.column as usize,
                text: format!("{file}{}:{}: {}{fix}", fault.at.line, fault.at.column, fault.wrong),
                is_blocking: !is_missing_file && fault.file.is_none(),
                is_in_text: fault.file.is_none(),
            });
        }
        if found.faults.is_empty() && found.has_unresolved {
            found.summary = Some("nested openings are checked when it is sent".to_owned());
        }
        found
    }

    /// The first that holds a submission back.
    pub(crate) fn first_blocking_fault(&self) -> Option<&OpeningFault> {
        self.faults.iter().find(|fault| fault.is_blocking)
    }
}
