//! What a console that is attached costs the station, under a flood of entries.
//!
//! The station shows nothing itself. In each round it runs for a while alone and for a while with a console
//! attached, which has a core with this program; the station and the load have the other one. What is
//! compared is its time on a core within each round.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, eyre};
use rl_console_benches::{console, server::Server};
use tempfile::TempDir;

use crate::{
    Args,
    load::{self, Adapter},
    process::Process,
    table::{Row, percentile},
    terminal::Terminal,
};

/// How long the load has to come to its rate, and a console to what it shows.
const SETTLE: Duration = Duration::from_secs(3);

/// A station of its own with an adapter that floods it with log frames.
pub(crate) struct Flooded {
    pub(crate) folder: TempDir,
    pub(crate) data: PathBuf,
    /// It ends with this.
    pub(crate) _server: Server,
    pub(crate) station: Process,
    pub(crate) adapter: Adapter,
}

impl Flooded {
    pub(crate) fn start(args: &Args, logs_per_s: u32) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        let token = load::pair(&args.console, &data)?;
        let mut command = console::command(&args.console, folder.path());
        let (server, _ready) = console::serve(&mut command, &folder.path().join("station.log"))?;
        let station = Process(server.tree().root());
        let adapter = Adapter::start(&args.console, &data, &token, logs_per_s)?;
        Ok(Self { folder, data, _server: server, station, adapter })
    }
}

/// A while of the flood.
struct While {
    entries_per_s: f64,
    /// Of a core, in percent.
    cpu: f64,
}

fn measure(args: &Args, data: &Path, station: Process, pass: impl FnOnce(Duration)) -> Result<While> {
    let (began, from, cpu) = (Instant::now(), load::entries(&args.console, data)?, station.cpu(|_| true));
    pass(Duration::from_secs(args.attached_s));
    let cpu = station.cpu(|_| true).saturating_sub(cpu).as_secs_f64();
    let passed = load::entries(&args.console, data)?.saturating_sub(from);
    let seconds = began.elapsed().as_secs_f64();
    let entries = f64::from(u32::try_from(passed)?);
    Ok(While { entries_per_s: entries / seconds, cpu: cpu / seconds * 100.0 })
}

/// All rounds.
pub(crate) fn attached(args: &Args) -> Result<Vec<Row>> {
    let Flooded { folder, data, _server, station, adapter } = Flooded::start(args, args.attached_logs_per_s)?;
    station.pin(|_| args.load_core)?;
    adapter.process().pin(|_| args.load_core)?;
    Process(std::process::id()).pin(|_| args.screen_core)?;
    std::thread::sleep(SETTLE);
    let data_arg = data.to_str().ok_or_else(|| eyre!("the folder has no name in UTF-8"))?;
    let (mut rates, mut alone, mut with, mut added) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.attached_rounds {
        let before = measure(args, &data, station, std::thread::sleep)?;
        let mut terminal = Terminal::start(
            &args.console,
            &["--data", data_arg, "attach"],
            folder.path(),
            args.columns,
            args.rows,
        )?;
        terminal.first("Queues")?;
        terminal.pass(SETTLE);
        let after = measure(args, &data, station, |time| terminal.pass(time))?;
        drop(terminal);
        std::thread::sleep(SETTLE);
        rates.extend([before.entries_per_s, after.entries_per_s]);
        alone.push(before.cpu);
        with.push(after.cpu);
        added.push(after.cpu - before.cpu);
    }
    Ok(vec![
        Row::known("attached: entries a second, median", percentile(&mut rates, 50), ""),
        Row::known("attached: one core, the station alone", percentile(&mut alone, 50), "%"),
        Row::known("attached: one core, with a console attached", percentile(&mut with, 50), "%"),
        Row::bounded("attached: one core, what it adds", percentile(&mut added, 50), "%", 5.0),
    ])
}
