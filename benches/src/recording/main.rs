//! What recording costs and how fast recordings are replayed.
//!
//! `cargo bench --bench recording` prints medians of three rounds, the machine's load before each case, and
//! of each bound whether it is met. Words choose cases.
//!
//! | case | what | bound |
//! |---|---|---|
//! | `recorder` | entries of 300 bytes that a core records in a second, to tmpfs | ≥ 100,000 |
//! | | of them lost | 0 |
//! | | its time on a core, beside a bare `mcap::Writer` given the same messages | ≤ 1.5 times |
//! | `idle` | a console that records and where nothing happens, beside one that does not | ≤ 0.5 % of a core |
//! | `hosts` | durable cycles, 1:1 with acks, votes of 16 callers, recorded, beside not | ≥ 0.95 of it |
//! | | the same with a trigger armed that finds nothing | as near as two without |
//! | | looking for that trigger, 50,000 entries a second | ≤ 5 % of a core |
//! | `size` | bytes an entry, of the traffic of the simulated adapter | ≤ 60 |
//! | | that, and a night of 100 MB, beside one zstd stream of the same messages | ≤ 3 times |
//! | | the share of keyframes and tallies | ≤ 10 % |
//! | `fold` | entries a second from a file into the console's model | ≥ 500,000 |
//! | | the same beside the `mcap` crate's reader of the same file | ≥ 0.25 of it |
//! | `large` | a file of `--mb`: the first frame with an index, and without one | ≤ 150 ms, ≤ 500 ms |
//! | | a place that is gone to, until the state is exact, beside one chunk by the index | p99 ≤ 100 ms |
//! | | until all windows are full | ≤ 2 s |
//! | | the console's resident memory | ≤ 250 MiB |
//!
//! What is recorded: messages of the bus and log frames of 300 bytes, words of a chat in JSON. `recorder`
//! has a tap whose one reader is the recorder, and 100,000 entries a second; the bare writer has the
//! messages of the recorder's own file in memory, of the same rate, chunks and compression. A time on a
//! core is that of the one thread. `hosts` has four of each kind in this process that differ by who reads
//! their tap alone, each in turn within ten rounds, two of them without a reader: once on all cores, and
//! once, which is what the bounds are of, with hosts and clients on one core and who reads on another.
//! `fold`, `large` and one part of `size` have nights of 10,000 entries a second, in which invocations and
//! their states are too; the file is written by the recorder's writer, by the time of the entries. `fold` is
//! the whole path: the file is read, its entries are handed out, folded and kept, and nothing is drawn.
//! In `large`, first frames and memory are those of the whole program in a pseudo-terminal of 160×50, from
//! just before its start; the file without an index is a copy without its end. Places are gone to in this
//! process, by their time and by the number of an entry, and the state must have that entry and no later
//! one. Files are in the page cache. With `--folder` the large file is made there, once, and used again.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod bare;
mod fold;
#[path = "../hosts/mod.rs"]
#[expect(dead_code, reason = "the benchmark of the gate has use for the rest")]
mod hosts;
mod idle;
mod large;
#[path = "../screen/load.rs"]
#[expect(clippy::disallowed_methods, reason = "the benchmarks' own package reads the clock itself")]
#[expect(dead_code, reason = "the benchmark of the screen has use for the rest")]
mod load;
mod night;
#[path = "../screen/process.rs"]
mod process;
mod recorded_hosts;
mod recorder;
#[path = "../../plugin/report.rs"]
mod report;
mod size;
#[path = "../screen/terminal.rs"]
#[expect(clippy::disallowed_methods, reason = "the benchmarks' own package reads the clock itself")]
#[expect(dead_code, reason = "the benchmark of the screen has use for the rest")]
mod terminal;
mod traffic;

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use clap::Parser;
use report::Report;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The allocator of the program.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Where files are in memory.
const TMPFS: &str = "/dev/shm";

/// Measures what recording costs and how fast recordings are replayed.
#[derive(Parser)]
struct Args {
    /// The cases that are measured [default: all].
    #[arg(value_parser = CASES)]
    cases: Vec<String>,
    /// Megabytes of the large file.
    #[arg(long, default_value_t = 1_000)]
    mb: u64,
    /// Where the large file is made, once; otherwise in a temporary folder.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Rounds.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of recording in each round.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Places that are gone to, of each kind.
    #[arg(long, default_value_t = 200)]
    seeks: usize,
    /// The program that is measured [default: the one that was built].
    #[arg(long)]
    console: Option<PathBuf>,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Args {
    fn program(&self) -> &Path {
        self.console.as_deref().unwrap_or(Path::new(env!("CARGO_BIN_EXE_rl-console")))
    }
}

/// The cases, in the order in which they are measured.
const CASES: [&str; 6] = ["recorder", "idle", "hosts", "size", "fold", "large"];

fn main() -> Result<()> {
    let mut args = Args::parse();
    args.rounds = args.rounds.max(1);
    args.console = args.console.map(std::path::absolute).transpose()?;
    let is_chosen = |case: &str| args.cases.is_empty() || args.cases.iter().any(|it| it == case);
    let mut report = Report::default();
    for case in CASES.into_iter().filter(|case| is_chosen(case)) {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        println!("{case} (load {})", load.split(' ').next().unwrap_or("unknown"));
        match case {
            "recorder" => recorder::measure(&args, &mut report)?,
            "idle" => idle::measure(&args, &mut report)?,
            "hosts" => recorded_hosts::measure(&args, &mut report)?,
            "size" => size::measure(&args, &mut report)?,
            "fold" => fold::measure(&args, &mut report)?,
            _ => large::measure(&args, &mut report)?,
        }
    }
    report.finish();
    Ok(())
}

/// A folder that is removed at the end, in memory where there is such a place.
fn in_memory() -> Result<tempfile::TempDir> {
    let folder = if Path::new(TMPFS).is_dir() { tempfile::tempdir_in(TMPFS) } else { tempfile::tempdir() };
    Ok(folder?)
}
