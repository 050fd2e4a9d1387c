//! What the workbench costs: a verdict on the screen, a judgement, a large body, a frame that is sent.
//!
//! `cargo bench --bench workbench` prints medians of five rounds, and the machine's load before each case.
//! Behind `--`, a number is another count of rounds, and words choose cases.
//!
//! | case | what | bound |
//! |---|---|---|
//! | `judge` | a core's judgement of a frame of 1 KiB, beside `handle` of the same frame | ≤ 20 µs |
//! | `verdict` | a key in a frame of 64 KiB until its verdict, idle and flooded | p99 ≤ 5 ms |
//! | | entries a second while it is flooded | ≥ 45,000 |
//! | `large` | a captured frame of 8 MiB, inspected and opened: the first frame on the screen | ≤ 33 ms |
//! | | inspected, until its tree is there | ≤ 300 ms |
//! | | a page further in its bytes | p99 ≤ 33 ms |
//! | `inject` | the command `inject` of one frame, beside the command `publish` | p50 ≤ 2 times |
//! | | the same without a command around it, through an open door, beside a client's `publish` | none |
//! | | `inject --count`, beside our client of the bus, which waits for each `Ok` | ≥ 0.8 of it |
//! | `gate` | a host's look at a closed gate | ≤ 5 ns |
//! | | hosts with a closed gate, beside hosts without one | as near as two without one |
//! | | armed on another link | ≥ 0.95 |
//! | | armed on theirs, matching nothing | ≥ 0.9 |
//! | | the bus while a frame of another connection is held, beside a bus without one | ≥ 0.9 |
//!
//! `judge` has the cores without their hosts, with 100,000 subscriptions and 10,000 sessions: a frame is
//! judged, then handed in, and all that comes of it is taken. `verdict` and `large` have the whole program
//! in a pseudo-terminal of 160×50. A key's time is from just before it is written until the frame that shows
//! its verdict has been read to its end; each key turns the verdict over, so that none is taken for the one
//! before. Keys come at random intervals of 60 to 160 ms. The screen and this program, which is the
//! terminal, have one core; the rest of the station and the simulated adapter have the other one. Flooded,
//! 50,000 entries pass a second; of MPP the frame is the longest line that there may be. The bare decoder
//! reads the same bytes in each round. Behind each key the screen's core does work in registers alone that is
//! the same each time; where that takes half as long again as usual, the machine was slow, and the bound is
//! of the other keys. How many were left out is printed, and the figures of all.
//!
//! `inject` has a station in a process of its own, and both sides of a pair in turn, over the same socket.
//! `gate` has the hosts of the bus, the bridge and the sessions in this process, six of each kind that differ
//! by their gate alone, each in turn within ten rounds, two of them without one; what matches nothing is the
//! filter `kind:nothing`, as a station reads it, and what reads every frame is a closure. The look at a
//! closed gate is criterion's, whose figures are printed first.
#![expect(
    clippy::similar_names,
    reason = "what was sent beside what was published, what was judged beside what was handled"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod gate;
#[path = "../src/hosts/mod.rs"]
mod hosts;
mod inject;
mod judge;
mod large;
#[path = "../src/screen/load.rs"]
#[expect(clippy::disallowed_methods, reason = "the benchmarks' own package reads the clock itself")]
mod load;
#[path = "../src/screen/process.rs"]
#[expect(dead_code, reason = "the benchmark of the screen has use for the rest")]
mod process;
#[path = "../plugin/report.rs"]
mod report;
mod screen;
#[path = "../src/screen/terminal.rs"]
#[expect(clippy::disallowed_methods, reason = "the benchmarks' own package reads the clock itself")]
#[expect(dead_code, reason = "the benchmark of the screen has use for the rest")]
mod terminal;
mod verdict;

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use report::Report;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The allocator of the program.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The program that is measured: the one that is shipped, or another one that `WORKBENCH_PROGRAM` names, such
/// as the one before a change.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        std::env::var_os("WORKBENCH_PROGRAM")
            .map_or_else(|| env!("CARGO_BIN_EXE_rl-console").into(), Into::into)
    })
}

/// The cases, in the order in which they are measured.
const CASES: [&str; 5] = ["judge", "verdict", "large", "inject", "gate"];

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(5).max(1);
    let is_named = |case: &&str| args.iter().any(|arg| arg == case);
    let is_all = !CASES.iter().any(is_named);
    let mut report = Report::default();
    for case in CASES.iter().filter(|case| is_all || is_named(case)) {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        println!("{case} (load {})", load.split(' ').next().unwrap_or("unknown"));
        match *case {
            "judge" => judge::measure(rounds, &mut report)?,
            "verdict" => verdict::measure(rounds, &mut report)?,
            "large" => large::measure(rounds, &mut report)?,
            "inject" => inject::measure(rounds, &mut report)?,
            _ => gate::measure(&mut report)?,
        }
    }
    report.finish();
    Ok(())
}
