//! Steps through the past: from the key to the painted frame, over as many entries as are kept.
//!
//! A load that makes its hundred thousand entries in about a minute, so that there are seconds to step over;
//! then it ends, and the Wire is shown with time stopped. Its title counts the entries until the moment that
//! is shown, which each step changes and nothing else does.

use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, bail, eyre};

use crate::{
    Args, is_of_screen,
    load::{self, Adapter},
    ms,
    process::Process,
    table::{Row, percentile},
    terminal::Terminal,
};

/// Entries that are to be stepped over: as many as are kept by default.
const ENTRIES: u64 = 100_000;
/// Log frames a second; each makes two entries.
const LOGS_PER_S: u32 = 1_000;
/// How long they may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// Steps of one kind.
struct Steps {
    name: &'static str,
    key: &'static str,
    count: usize,
}

fn walk(terminal: &mut Terminal, steps: &Steps) -> Result<Vec<Row>> {
    let title = terminal.find("\u{25b8} Wire").ok_or_else(|| eyre!("there is no wire on the screen"))?;
    let mut latencies = Vec::with_capacity(steps.count);
    for _ in 0..steps.count {
        terminal.pass(Duration::from_millis(20));
        let before = terminal.line(title);
        let typed = Instant::now();
        terminal.keys(steps.key)?;
        let shown = terminal.shown(|terminal| terminal.line(title) != before)?;
        latencies.push(ms(shown.duration_since(typed)));
    }
    let Steps { name, .. } = steps;
    Ok(vec![
        Row::known(format!("{name}: p50"), percentile(&mut latencies, 50), "ms"),
        Row::bounded(format!("{name}: p99"), percentile(&mut latencies, 99), "ms", 16.0),
        Row::bounded(
            format!("{name}: max of {}", latencies.len()),
            percentile(&mut latencies, 100),
            "ms",
            16.0,
        ),
    ])
}

/// Time is stopped and stepped through.
#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
pub(crate) fn scrub(args: &Args) -> Result<Vec<Row>> {
    let data = tempfile::tempdir()?;
    let token = load::pair(&args.console, data.path())?;
    let mut terminal = args.console(data.path())?;
    terminal.first("Queues")?;
    let adapter = Adapter::start(&args.console, data.path(), &token, LOGS_PER_S)?;
    let process = terminal.process()?;
    process.pin(|name| if is_of_screen(name) { args.screen_core } else { args.load_core })?;
    adapter.process().pin(|_| args.load_core)?;
    Process(std::process::id()).pin(|_| args.screen_core)?;
    let began = Instant::now();
    while load::entries(&args.console, data.path())? < ENTRIES {
        if began.elapsed() > PATIENCE {
            bail!("the load does not keep its rate");
        }
        terminal.pass(Duration::from_secs(1));
    }
    drop(adapter);
    for keys in ["8", " "] {
        terminal.pass(Duration::from_secs(1));
        terminal.keys(keys)?;
    }
    terminal.pass(Duration::from_secs(1));
    println!("stepping through: {}", terminal.line(2).trim_matches(['\u{2500}', '\u{2510}', ' ']));
    let few = args.steps / 4;
    let mut rows = Vec::new();
    for (name, key, count) in [
        ("an entry back", ",", args.steps),
        ("a second back", "<", few.min(40)),
        ("an entry back, deep in the past", ",", args.steps),
        ("an entry on", ".", few),
        ("a second on", ">", few.min(30)),
    ] {
        rows.extend(walk(&mut terminal, &Steps { name, key, count })?);
    }
    Ok(rows)
}
