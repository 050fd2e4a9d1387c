//! `help`: the manual.

use clap::CommandFactory as _;
use serde::Serialize;

use crate::{
    cli::{
        args::{Cli, HelpArgs},
        env::Env,
        error::Error,
        help,
        output::Output,
        pager, shell,
        table::{Align, Table},
    },
    console::Depth,
    manual::{Block, Layout, Page, Span, Style, lines, target},
    words::nearest,
};

/// Columns of a page where nobody says how wide the terminal is, and at most.
const COLUMNS: usize = 100;
/// Places that a search lists.
const HITS_MAX: usize = 40;

/// The output of the list, with `--json`.
#[derive(Serialize)]
struct Listed<'a> {
    page: &'a str,
    title: &'a str,
}

/// The output of a search, with `--json`.
#[derive(Serialize)]
struct Found<'a> {
    page: &'a str,
    section: Option<&'a str>,
    text: &'a str,
}

/// The output of a page, with `--json`.
#[derive(Serialize)]
struct Whole<'a> {
    page: &'a str,
    text: &'a str,
}

pub(in crate::cli) fn run(args: &HelpArgs, env: &Env, out: &mut Output) -> Result<(), Error> {
    if !args.search.is_empty() {
        return search(&args.search.join(" "), out);
    }
    if args.name.is_empty() {
        return list(out);
    }
    let name = args.name.join(" ");
    let words: Vec<&str> = name.split_whitespace().collect();
    let (page, flags) = (help::page(&name), flags(&words));
    if page.is_none() && flags.is_none() {
        let subcommands = shell::subcommands().into_iter().filter(|it| !it.is_earlier).map(|it| it.name);
        let known: Vec<String> = help::names().map(str::to_owned).chain(subcommands).collect();
        let near = nearest(&name, known.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!("; did you mean `rl-console help {near}`?"));
        return Err(Error::usage(
            format!("no manual page or subcommand named `{name}`{near}"),
            "`rl-console help` lists the pages, `rl-console help --search WORDS` searches them",
        ));
    }
    let is_styled = env.terminals.stdout && !out.is_json() && env.depth() != Depth::None;
    let columns = out.columns().map_or(COLUMNS, |columns| columns.min(COLUMNS));
    let mut text = page.as_ref().map_or_else(String::new, |page| text(page, columns, is_styled));
    if let Some(flags) = flags {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&flags);
    }
    if out.is_json() {
        return out.row(&Whole { page: &name, text: &text }, |_| String::new());
    }
    if env.terminals.stdout { pager::show(&text, env, out) } else { out.text(&text) }
}

fn list(out: &mut Output) -> Result<(), Error> {
    if out.is_json() {
        return help::titles()
            .try_for_each(|(page, title)| out.row(&Listed { page, title }, |_| String::new()));
    }
    let columns = &[("page", Align::Left), ("title", Align::Left)];
    let rows = help::titles().map(|(page, title)| vec![page.to_owned(), title.to_owned()]).collect();
    for line in Table::new(columns).page(rows) {
        out.line(&line)?;
    }
    out.line("")?;
    out.line(
        "`rl-console help NAME` shows a page or the flags of a subcommand; `rl-console -h` lists the \
         subcommands.",
    )
}

fn search(words: &str, out: &mut Output) -> Result<(), Error> {
    let manual = help::manual();
    let hits = manual.search(words, HITS_MAX);
    if hits.is_empty() {
        return Err(Error::NoHits(words.to_owned()));
    }
    if out.is_json() {
        return hits.iter().try_for_each(|hit| {
            let found = Found { page: hit.page.name, section: hit.section, text: &hit.text };
            out.row(&found, |_| String::new())
        });
    }
    let columns = &[("page", Align::Left), ("section", Align::Left), ("text", Align::Left)];
    let row = |hit: &crate::manual::Hit<'_>| {
        let section = hit.section.unwrap_or(&hit.page.title).to_owned();
        vec![hit.page.name.to_owned(), section, hit.text.clone()]
    };
    let room = out.columns();
    for line in Table::new(columns).fitting(room).page(hits.iter().map(row).collect()) {
        out.line(&line)?;
    }
    Ok(())
}

/// The flags of a subcommand, where there is one of this name.
fn flags(name: &[&str]) -> Option<String> {
    let mut command = Cli::command();
    command.build();
    let mut found = &mut command;
    for word in name {
        found = found.find_subcommand_mut(word).filter(|below| !below.is_hide_set())?;
    }
    Some(found.render_long_help().to_string())
}

/// A page as lines, in the terminal's own styles where people read it there.
fn text(page: &Page, columns: usize, is_styled: bool) -> String {
    let mut text = String::new();
    for line in lines(&named_links(page), Layout { columns, breaks_code: false }) {
        text.push_str(&styled(&line.spans, is_styled));
        text.push('\n');
    }
    text
}

/// A page's blocks, its links with the other page that they lead to, where their text does not say it.
fn named_links(page: &Page) -> Vec<Block> {
    let (this, mut blocks) = (page.name, page.blocks.clone());
    for span in blocks.iter_mut().flat_map(Block::spans_mut) {
        let page = span.link.as_deref().filter(|link| !link.contains(':')).map(|link| target(link).0);
        if let Some(page) = page.filter(|page| *page != this && !span.text.eq_ignore_ascii_case(page)) {
            span.text = format!("{} ({page})", span.text);
        }
    }
    blocks
}

fn styled(line: &[Span], is_styled: bool) -> String {
    let span = |span: &Span| {
        let style = match (span.style, &span.link) {
            _ if !is_styled => return span.text.clone(),
            (_, Some(_)) => "4",
            (Style::Heading, _) => "1;4",
            (Style::Strong, _) => "1",
            (Style::Code, _) => "36",
            (Style::Plain, None) => return span.text.clone(),
        };
        format!("\x1b[{style}m{}\x1b[0m", span.text)
    };
    line.iter().map(span).collect()
}
