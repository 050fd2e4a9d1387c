//! The console as a whole process in a pseudo-terminal: how soon it paints, what it costs when nothing
//! happens, and how it holds under a flood. `btm` (bottom) beside it, where it is installed.
//!
//! ```sh
//! cargo build --profile dist && cd benches && cargo run --release --bin screen
//! ```
//!
//! **First paint**: from just before the start of the process until the first frame's words have come through
//! the terminal, on an empty data folder; console and `btm` in turn. **Idle**: once the hosts are up, frames
//! (synchronized updates) and bytes, and time on a core; in turn too, both at their own default rates.
//! **Flood**: `sim adapter --logs-per-s` logs, each frame of which makes two entries. The console's threads
//! `screen`, `console-writer` and `console-input` and this program, which is the terminal, have one core; the
//! rest of the station and the adapter have another. In each of several rounds, first data alone for a while,
//! then keys at random intervals, each of which changes something on the screen that no data does; the
//! latency of a key is from just before it is written until the frame that shows it has been read to its end.
//! The rounds are the Deck (Tab and Shift-Tab, every tenth time `z`), the same with a filter on its Log,
//! and with time stopped; the Wire (Tab and Shift-Tab), the same with a filter that lets an eighth through;
//! and the inspector (`j` and `k`). Then, with the Wire open, memory, after one million entries and after
//! ten. **Scrub**: time is stopped over a hundred thousand kept entries that came within a minute, and
//! stepped through on the Wire, by entry and by second. With `--doors` and `--held` so many connections of
//! the workbench are open, and so many frames held, while the flood passes. **Attached**: what a console adds
//! to the processor time of a station that it is attached to, under half of the flood. **Past**: how soon a
//! console that attaches to a full ring paints and has the past, and what keyframes cost the station.
//! **Lifecycle**:
//! keys in the Lifecycle pane of a run of 1,000 nodes, of one of 5,000 and of a session of 10,000 messages,
//! under the same flood.

mod attached;
mod flood;
mod lifecycle;
mod load;
mod occupied;
mod past;
mod process;
mod scrub;
mod table;
mod terminal;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::Parser;
use color_eyre::eyre::{Result, eyre};

use crate::{
    table::{Row, percentile},
    terminal::Terminal,
};

/// How long the hosts have to come up before it counts as idle.
const SETTLE: Duration = Duration::from_secs(3);
const MIB: f64 = 1_048_576.0;

/// Measures the console's first paint, idling, and keys under a flood.
#[derive(Parser)]
struct Args {
    /// The console's shipped binary.
    #[arg(long, default_value = "../target/dist/rl-console")]
    console: PathBuf,
    /// bottom's binary [default: `btm` on the path].
    #[arg(long, env = "BTM")]
    btm: Option<PathBuf>,
    /// Starts to measure the first paint over.
    #[arg(long, default_value_t = 15)]
    starts: usize,
    /// Seconds of idling, in two parts.
    #[arg(long, default_value_t = 20)]
    idle_s: u64,
    /// Log frames a second; each makes two entries.
    #[arg(long, default_value_t = 50_000)]
    logs_per_s: u32,
    /// Seconds of data alone, in each round of the flood.
    #[arg(long, default_value_t = 10)]
    data_s: u64,
    /// Keys to type in each round of the flood.
    #[arg(long, default_value_t = 500)]
    keys: usize,
    /// Entries to let pass for the memory; 0 skips the flood.
    #[arg(long, default_value_t = 10_000_000)]
    entries: u64,
    /// Steps back over a hundred thousand kept entries; 0 leaves them out. Seconds and steps on are a
    /// quarter of them.
    #[arg(long, default_value_t = 200)]
    steps: usize,
    /// Rounds of what an attached console costs the station; 0 leaves them out.
    #[arg(long, default_value_t = 5)]
    attached_rounds: usize,
    /// Consoles that attach one after the other to a station with a full ring; 0 leaves them out.
    #[arg(long, default_value_t = 7)]
    past_rounds: usize,
    /// Keys of each kind in the Lifecycle pane of each large record; 0 leaves them out.
    #[arg(long, default_value_t = 100)]
    lifecycle_keys: usize,
    /// Connections of the workbench that are open meanwhile, under the flood.
    #[arg(long, default_value_t = 0)]
    doors: usize,
    /// Frames that the gate holds meanwhile.
    #[arg(long, default_value_t = 0)]
    held: usize,
    /// Seconds without and with it in each round.
    #[arg(long, default_value_t = 6)]
    attached_s: u64,
    /// Log frames a second meanwhile; each makes two entries.
    #[arg(long, default_value_t = 25_000)]
    attached_logs_per_s: u32,
    /// The core of the screen and of this program.
    #[arg(long, default_value_t = 0)]
    screen_core: usize,
    /// The core of the load and the hosts.
    #[arg(long, default_value_t = 1)]
    load_core: usize,
    /// The terminal's size.
    #[arg(long, default_value_t = 160)]
    columns: u16,
    /// The terminal's size.
    #[arg(long, default_value_t = 50)]
    rows: u16,
}

impl Args {
    fn console(&self, data: &Path) -> Result<Terminal> {
        let data_arg = data.to_str().ok_or_else(|| eyre!("the folder has no name in UTF-8"))?;
        Terminal::start(
            &self.console,
            &["--port", "0", "--grpc", "127.0.0.1:0", "--data", data_arg],
            data,
            self.columns,
            self.rows,
        )
    }

    /// bottom, if it is there.
    fn btm(&self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join("btm")).find(|file| file.is_file());
        self.btm
            .clone()
            .or(found)
            .and_then(|file| std::path::absolute(file).ok())
            .filter(|file| file.is_file())
    }
}

/// One of the two programs that are measured in turn.
struct Subject {
    name: &'static str,
    /// Words on its first frame.
    words: &'static str,
    btm: Option<PathBuf>,
}

impl Subject {
    fn start(&self, args: &Args, home: &Path) -> Result<Terminal> {
        match &self.btm {
            Some(btm) => Terminal::start(btm, &[], home, args.columns, args.rows),
            None => args.console(home),
        }
    }
}

fn is_of_screen(name: &str) -> bool {
    matches!(name, "screen" | "console-writer" | "console-input")
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "figures of a benchmark stay far below 2^52")]
fn number(count: usize) -> f64 {
    count as f64
}

fn first_paint(args: &Args, subjects: &[Subject]) -> Result<Vec<Row>> {
    let mut paints: Vec<Vec<f64>> = vec![Vec::new(); subjects.len()];
    for _ in 0..args.starts {
        for (subject, paints) in subjects.iter().zip(&mut paints) {
            let home = tempfile::tempdir()?;
            paints.push(ms(subject.start(args, home.path())?.first(subject.words)?));
        }
    }
    let mut rows = Vec::new();
    for (subject, paints) in subjects.iter().zip(&mut paints) {
        let median = percentile(paints, 50);
        let what = format!("{}: first paint, median", subject.name);
        rows.push(if subject.btm.is_none() {
            Row::bounded(what, median, "ms", 60.0)
        } else {
            Row::known(what, median, "ms")
        });
        rows.push(Row::known(format!("{}: first paint, min", subject.name), percentile(paints, 0), "ms"));
        rows.push(Row::known(format!("{}: first paint, max", subject.name), percentile(paints, 100), "ms"));
    }
    if let [console, btm] = &mut paints[..] {
        rows.push(Row::bounded(
            "first paint, console against btm, medians",
            percentile(console, 50) / percentile(btm, 50),
            "×",
            1.0,
        ));
    }
    Ok(rows)
}

/// What idling cost in all parts.
#[derive(Clone, Default)]
struct Idle {
    time: Duration,
    cpu: Duration,
    screen_cpu: Duration,
    frames: Vec<f64>,
    rss_bytes: u64,
}

fn idle(args: &Args, subjects: &[Subject]) -> Result<Vec<Row>> {
    const PARTS: u64 = 2;
    let mut idles = vec![Idle::default(); subjects.len()];
    for _ in 0..PARTS {
        for (subject, idle) in subjects.iter().zip(&mut idles) {
            let home = tempfile::tempdir()?;
            let mut terminal = subject.start(args, home.path())?;
            terminal.first(subject.words)?;
            terminal.pass(SETTLE);
            // From just after one second's frame until the middle between two others.
            terminal.next_frame(Duration::from_secs(1));
            terminal.take_frames();
            let process = terminal.process()?;
            let (began, cpu, screen_cpu) = (Instant::now(), process.cpu(|_| true), process.cpu(is_of_screen));
            terminal.pass(Duration::from_secs(args.idle_s / PARTS) + Duration::from_millis(500));
            idle.time += began.elapsed();
            idle.cpu += process.cpu(|_| true).saturating_sub(cpu);
            idle.screen_cpu += process.cpu(is_of_screen).saturating_sub(screen_cpu);
            idle.frames.extend(terminal.take_frames().into_iter().map(number));
            idle.rss_bytes = idle.rss_bytes.max(process.rss_bytes());
        }
    }
    let mut rows = Vec::new();
    for (subject, idle) in subjects.iter().zip(&mut idles) {
        let percent = |cpu: Duration| cpu.as_secs_f64() / idle.time.as_secs_f64() * 100.0;
        let (cpu, screen_cpu) = (percent(idle.cpu), percent(idle.screen_cpu));
        if subject.btm.is_none() {
            let frames = number(idle.frames.len()) / idle.time.as_secs_f64();
            rows.push(Row::bounded("console, idle: frames a second", frames, "", 1.0));
            rows.push(Row::bounded(
                "console, idle: bytes a frame, p95",
                percentile(&mut idle.frames, 95),
                "B",
                200.0,
            ));
            rows.push(Row::bounded("console, idle: one core", cpu, "%", 0.5));
            rows.push(Row::known("console, idle: one core, its screen alone", screen_cpu, "%"));
        } else {
            rows.push(Row::known(format!("{}, idle: one core", subject.name), cpu, "%"));
        }
        #[expect(clippy::cast_precision_loss, reason = "memory stays far below 2^52 bytes")]
        rows.push(Row::known(format!("{}, idle: memory", subject.name), idle.rss_bytes as f64 / MIB, "MiB"));
    }
    if let [console, btm] = &idles[..] {
        let ratio = (console.cpu.as_secs_f64() / console.time.as_secs_f64())
            / (btm.cpu.as_secs_f64() / btm.time.as_secs_f64());
        rows.push(Row::bounded("idle, console against btm, time on a core", ratio, "×", 1.0));
    }
    Ok(rows)
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() -> Result<()> {
    color_eyre::install()?;
    let mut args = Args::parse();
    args.console = std::path::absolute(&args.console)?;
    let mut subjects = vec![Subject { name: "console", words: "rl-console", btm: None }];
    match args.btm() {
        Some(btm) => subjects.push(Subject { name: "btm", words: "CPU", btm: Some(btm) }),
        None => println!("btm is not installed: cargo install bottom\n"),
    }
    let mut rows = Vec::new();
    if args.starts > 0 {
        rows.extend(first_paint(&args, &subjects)?);
    }
    if args.idle_s > 0 {
        rows.extend(idle(&args, &subjects)?);
    }
    if args.entries > 0 {
        rows.extend(flood::flood(&args)?);
    }
    if args.attached_rounds > 0 {
        rows.extend(attached::attached(&args)?);
    }
    if args.past_rounds > 0 {
        rows.extend(past::past(&args)?);
    }
    if args.steps > 0 {
        rows.extend(scrub::scrub(&args)?);
    }
    if args.lifecycle_keys > 0 {
        rows.extend(lifecycle::lifecycle(&args)?);
    }
    for row in rows {
        println!("{}", row.line());
    }
    Ok(())
}
