//! `opening ls`.

use serde::Serialize;

use super::opening::{load, read};
use crate::{
    cli::{
        config::Settings,
        error::Error,
        opening_files::Folders,
        output::Output,
        report,
        table::{Align, Table},
    },
    console::OpeningFiles as _,
    runs::{
        Plan,
        openings::{Fault, Map},
    },
};

/// A file of the folder of openings, as scripts read it.
#[derive(Serialize)]
struct Listed {
    /// What `node: opening` and `submit` name it by: the file without its extension.
    opening: String,
    path: String,
    valid: bool,
    /// As it names itself; absent where it is not valid.
    name: Option<String>,
    nodes: Option<usize>,
    edges: Option<usize>,
    /// The first of them (`limits.runs.faults_max`), at their lines.
    faults: Vec<Fault>,
    /// How many more there are.
    more: usize,
    /// Why the file cannot be read.
    error: Option<String>,
}

impl Listed {
    fn of(settings: &Settings, path: &str, stem: String) -> Result<Self, Error> {
        let mut row = Self {
            opening: stem,
            path: path.to_owned(),
            valid: false,
            name: None,
            nodes: None,
            edges: None,
            faults: Vec::new(),
            more: 0,
            error: None,
        };
        let text = match read(path, settings.limits.runs.yaml_bytes_max) {
            Ok(text) => text,
            Err(error) => {
                row.error = Some(error.to_string());
                return Ok(row);
            }
        };
        match load(settings, path, &text, &Map::new())? {
            Ok(opening) => {
                let plan = Plan::from(&opening);
                row.valid = true;
                row.name = Some(opening.name.to_string());
                (row.nodes, row.edges) = (Some(plan.nodes.len()), Some(plan.edges.len()));
            }
            Err(faults) => (row.faults, row.more) = (faults.list().to_vec(), faults.more()),
        }
        Ok(row)
    }

    fn cells(&self) -> Vec<String> {
        let count = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let first = self.faults.first().map(ToString::to_string).or_else(|| self.error.clone());
        let faults = self.faults.len() + self.more + usize::from(self.error.is_some());
        vec![
            self.opening.clone(),
            self.name.clone().unwrap_or_else(|| "-".to_owned()),
            count(self.nodes),
            count(self.edges),
            faults.to_string(),
            first.unwrap_or_default(),
        ]
    }
}

/// Lists the openings of the folder `runs.openings` by their names.
pub(super) fn list(settings: &Settings, out: &mut Output) -> Result<(), Error> {
    const L: Align = Align::Left;
    const R: Align = Align::Right;
    const COLUMNS: &[(&str, Align)] =
        &[("opening", L), ("name", L), ("nodes", R), ("edges", R), ("errors", R), ("first error", L)];
    let (folder, limits) = (settings.openings()?, &settings.limits);
    let files = Folders::new(&folder, None, limits.runs.yaml_bytes_max, limits.console.openings_max).list();
    let mut rows = Vec::new();
    for file in &files.files {
        let stem = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        rows.push(Listed::of(settings, &file.path.to_string_lossy(), stem)?);
    }
    rows.sort_by(|one, other| one.path.cmp(&other.path));
    files.troubles.iter().for_each(|trouble| report::print_note(trouble));
    if files.cut > 0 {
        report::print_note(&format!(
            "{} of {} (limits.console.openings_max)",
            rows.len(),
            rows.len() + files.cut
        ));
    }
    if out.is_json() {
        return rows.iter().try_for_each(|row| out.row(row, |_| String::new()));
    }
    if rows.is_empty() {
        report::print_note(&format!("no openings in {} (runs.openings)", folder.display()));
    }
    let mut table = Table::new(COLUMNS).fitting(out.columns());
    table.page(rows.iter().map(Listed::cells).collect()).iter().try_for_each(|line| out.line(line))
}
