//! `snippet ls` and `snippet show`.

use serde::Serialize;

use crate::{
    cli::{
        args::SnippetShowArgs,
        context::Context,
        error::Error,
        report::{Warning, print_note, print_warning},
        snippet_files::{NamedSnippet, SnippetFiles},
        table::{Align, Table},
    },
    dissect::snippets::{Expected, SnippetDoor, SnippetLink, Stage},
};

const COLUMNS: &[(&str, Align)] = &[
    ("snippet", Align::Left),
    ("door", Align::Left),
    ("expected", Align::Left),
    ("needs", Align::Left),
    ("about", Align::Left),
];

/// A snippet as scripts read it.
#[derive(Serialize)]
struct Row<'a> {
    snippet: &'a str,
    link: SnippetLink,
    about: &'a str,
    door: SnippetDoor,
    stage: &'a [Stage],
    expect: &'a Expected,
    /// The file, of the user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    toml: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn new(it: &'a NamedSnippet) -> Self {
        let snippet = &it.snippet;
        Self {
            snippet: &it.name,
            link: snippet.link,
            about: &snippet.about,
            door: snippet.door,
            stage: &snippet.stage,
            expect: &snippet.expect,
            path: it.path.as_ref().map(|path| path.display().to_string()),
            toml: None,
        }
    }
}

pub(super) fn ls(context: &mut Context) -> Result<(), Error> {
    let files = SnippetFiles::new(&context.env);
    let out = &mut context.out;
    for fault in &files.faults {
        let (message, hint) = (fault.to_string(), fault.hint.clone());
        print_warning(&Warning { code: "bad_snippet", message, hint }, out.is_json());
    }
    let mut rows: Vec<Row<'_>> = files.all.iter().map(Row::new).collect();
    rows.sort_by_key(|row| row.link);
    if out.is_json() {
        return rows.iter().try_for_each(|row| out.row(row, |_| String::new()));
    }
    let cells = |row: &Row<'_>| {
        let Expected { verdict, code, .. } = row.expect;
        let expected = code.as_ref().or(verdict.as_ref()).cloned().unwrap_or_default();
        let needs: Vec<&str> = row.stage.iter().map(|stage| stage.name()).collect();
        let (name, door) = (row.snippet.to_owned(), row.door.name().to_owned());
        vec![name, door, expected, needs.join(", "), row.about.to_owned()]
    };
    let mut table = Table::new(COLUMNS).fitting(out.columns()).sparing(&["door"]);
    table.page(rows.iter().map(cells).collect()).iter().try_for_each(|line| out.line(line))
}

pub(super) fn show(context: &mut Context, args: &SnippetShowArgs) -> Result<(), Error> {
    let files = SnippetFiles::new(&context.env);
    let shown = files.show(&args.name)?;
    for why in &shown.without {
        print_note(&format!("note: {why}"));
    }
    for (place, it) in shown.all.iter().enumerate() {
        let row = Row { toml: Some(&it.text), ..Row::new(it) };
        context.out.row(&row, |_| {
            let origin = it.path.as_ref().map_or_else(String::new, |path| format!(" ({})", path.display()));
            let gap = if place > 0 { "\n" } else { "" };
            format!("{gap}# {}{origin}\n{}", it.name, it.text.trim_end())
        })?;
    }
    Ok(())
}
