//! `pack ls`, `pack check`, `pack hash`, `pack migrate`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{
    cli::{
        args::PackAction,
        context::Context,
        error::Error,
        operator,
        output::Output,
        report,
        table::{Align, Table},
    },
    ids::ManifestHash,
    mpp::{
        Command, Outcome, ReadyAfter,
        manifest::{self, ManifestError, Pack, Writer},
    },
    station::PackSource,
    words::counted,
};

pub(in crate::cli) fn run(context: &mut Context, action: PackAction) -> Result<(), Error> {
    match action {
        PackAction::Ls => list(&context.settings.pack, &mut context.out),
        PackAction::Check { path } => check(&of(context, path), &mut context.out),
        PackAction::Hash { path } => hash(&of(context, path), &mut context.out),
        PackAction::Migrate => migrate(context),
    }
}

/// The pack named, or the one in force.
fn of(context: &Context, path: Option<PathBuf>) -> PackSource {
    path.map_or_else(|| context.settings.pack.clone(), PackSource::File)
}

/// Loads a pack.
///
/// # Errors
/// [`Error::Pack`], that names the first fault.
pub(in crate::cli) fn load(source: &PackSource) -> Result<Pack, Error> {
    find_faults(source).map_err(|(path, errors)| summary(&path, &errors))
}

fn find_faults(source: &PackSource) -> Result<Pack, (PathBuf, Vec<ManifestError>)> {
    match source {
        PackSource::Sample => Ok(Pack::sample()),
        PackSource::File(path) => manifest::load(path).map_err(|errors| (path.clone(), errors)),
    }
}

fn summary(path: &Path, errors: &[ManifestError]) -> Error {
    let first = errors.first().map(|error| format!("{}:{error}", path.display()));
    Error::Pack { path: path.display().to_string(), errors: errors.len(), first: first.unwrap_or_default() }
}

fn display_path(source: &PackSource) -> String {
    match source {
        PackSource::Sample => "the built-in sample".to_owned(),
        PackSource::File(path) => path.display().to_string(),
    }
}

/// A fault as scripts read it.
#[derive(Serialize)]
struct Fault<'a> {
    path: String,
    #[serde(flatten)]
    error: &'a ManifestError,
}

fn check(source: &PackSource, out: &mut Output) -> Result<(), Error> {
    match find_faults(source) {
        Ok(pack) => declared(source, &pack, out),
        Err((path, errors)) => {
            for error in &errors {
                out.row(&Fault { path: path.display().to_string(), error }, |fault| {
                    format!("{}:{}", fault.path, fault.error)
                })?;
            }
            out.flush()?;
            Err(Error::Pack { path: path.display().to_string(), errors: errors.len(), first: String::new() })
        }
    }
}

/// What a pack declares, as scripts read it.
#[derive(Serialize)]
struct Declared<'a> {
    path: String,
    pack_id: &'a str,
    name: &'a str,
    version: &'a str,
    manifest_hash: &'a str,
    queues: Vec<QueueLine<'a>>,
    events: Vec<EventLine<'a>>,
    state: Vec<StateLine<'a>>,
}

#[derive(Serialize)]
struct QueueLine<'a> {
    queue: &'a str,
    ready_after: ReadyAfter,
}

#[derive(Serialize)]
struct EventLine<'a> {
    event: &'a str,
    queue: &'a str,
    title: Option<&'a str>,
    schema: bool,
}

#[derive(Serialize)]
struct StateLine<'a> {
    key: &'a str,
    writer: &'static str,
    persist: bool,
}

fn queues(pack: &Pack) -> Vec<QueueLine<'_>> {
    let named = pack.queues.iter();
    named.map(|(name, queue)| QueueLine { queue: name.as_str(), ready_after: queue.ready_after }).collect()
}

fn events(pack: &Pack) -> Vec<EventLine<'_>> {
    let named = pack.events.iter().map(|(name, event)| EventLine {
        event: name.as_str(),
        queue: event.queue.as_str(),
        title: event.title.as_deref(),
        schema: event.schema.is_some(),
    });
    named.collect()
}

/// Lists the queues and events of a pack: for scripts one object each, events those with `event`.
fn list(source: &PackSource, out: &mut Output) -> Result<(), Error> {
    let pack = load(source)?;
    let (queues, events) = (queues(&pack), events(&pack));
    if out.is_json() {
        queues.iter().try_for_each(|queue| out.row(queue, |_| String::new()))?;
        return events.iter().try_for_each(|event| out.row(event, |_| String::new()));
    }
    report::print_note(&format!("{}: {} {} ({})", display_path(source), pack.id, pack.version, pack.name));
    for line in queue_table(&queues).iter().chain([&String::new()]).chain(&event_table(&events)) {
        out.line(line)?;
    }
    Ok(())
}

fn queue_table(queues: &[QueueLine<'_>]) -> Vec<String> {
    let cells = queues.iter().map(|queue| {
        let ready_after = match queue.ready_after {
            ReadyAfter::Applied => "applied",
            ReadyAfter::Done => "done",
        };
        vec![queue.queue.to_owned(), ready_after.to_owned()]
    });
    Table::new(&[("queue", Align::Left), ("releases on", Align::Left)]).page(cells.collect())
}

fn event_table(events: &[EventLine<'_>]) -> Vec<String> {
    const L: Align = Align::Left;
    let cells = events.iter().map(|event| {
        let params = if event.schema { "schema" } else { "any" };
        vec![
            event.event.to_owned(),
            event.queue.to_owned(),
            params.to_owned(),
            event.title.unwrap_or_default().to_owned(),
        ]
    });
    Table::new(&[("event", L), ("queue", L), ("params", L), ("title", L)]).page(cells.collect())
}

fn declared(source: &PackSource, pack: &Pack, out: &mut Output) -> Result<(), Error> {
    let state = pack.state.iter().map(|(key, decl)| StateLine {
        key: key.as_str(),
        writer: match decl.writer {
            Writer::Adapter => "adapter",
            Writer::Platform => "platform",
        },
        persist: decl.persist,
    });
    let declared = Declared {
        path: display_path(source),
        pack_id: pack.id.as_str(),
        name: &pack.name,
        version: &pack.version,
        manifest_hash: pack.hash.as_str(),
        queues: queues(pack),
        events: events(pack),
        state: state.collect(),
    };
    out.row(&declared, Declared::text)
}

impl Declared<'_> {
    fn text(&self) -> String {
        const L: Align = Align::Left;
        let mut lines = vec![
            format!("{}: {} {} ({}) OK", self.path, self.pack_id, self.version, self.name),
            self.manifest_hash.to_owned(),
            String::new(),
        ];
        lines.extend(queue_table(&self.queues));
        lines.push(String::new());
        lines.extend(event_table(&self.events));
        lines.push(String::new());
        let state = self.state.iter().map(|state| {
            vec![
                state.key.to_owned(),
                state.writer.to_owned(),
                if state.persist { "yes" } else { "no" }.to_owned(),
            ]
        });
        lines.extend(Table::new(&[("state", L), ("writer", L), ("persisted", L)]).page(state.collect()));
        lines.join("\n")
    }
}

/// What `pack hash` prints.
#[derive(Serialize)]
struct Hash<'a> {
    path: String,
    manifest_hash: &'a ManifestHash,
}

fn hash(source: &PackSource, out: &mut Output) -> Result<(), Error> {
    let pack = load(source)?;
    out.row(&Hash { path: display_path(source), manifest_hash: &pack.hash }, |hash| {
        hash.manifest_hash.to_string()
    })
}

/// What `pack migrate` prints.
#[derive(Serialize)]
struct Migrated {
    moved: u64,
    failed: u64,
    left: u64,
}

fn migrate(context: &mut Context) -> Result<(), Error> {
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::mpp(&station, Command::Migrate).await
    })?;
    let Outcome::Migrated { moved, failed, left } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Migrated { moved, failed, left }, |row| {
        format!(
            "{} migrated to the active pack, {} failed, {} unchanged",
            counted(row.moved, "row"),
            row.failed,
            row.left
        )
    })
}
