//! What the plugin host costs beside a bare tokio pipe: the same child behind both, in turns, in one run.
//!
//! `cargo bench --bench plugin` prints medians of five rounds. Behind `--`, a number is another count of
//! rounds, and words choose cases.
//!
//! | case | what | bound |
//! |---|---|---|
//! | `events` | chat messages of some 300 bytes to one plugin and to eight, a second | ≥ 0.4 of the bare pipe's |
//! | `trips` | a plugin's request and its answer | p50 ≤ the bare echo's + 30 µs, p99 ≤ 3 times the bare echo's |
//! | `large` | an action whose arguments and result are 4 MiB each, bytes a second | ≥ 0.5 of the bare pipe's |
//! | `idle` | 20 plugins from their start until all are up | ≤ 2 s |
//! | | station and guards of 50 plugins that do nothing, for 35 s | ≤ 0.5 % of one core |
//! | | private pages of the largest guard | ≤ 3 MiB |
//! | `neighbours` | a request beside plugins that flood, are stopped, and restart for ever | p99 ≤ 20 ms |
//! | `death` | from SIGKILL of a station to the end of the last process of its plugins | ≤ 2 s |
//!
//! The first three are measured where the system places the processes, and with all of them on one core. The
//! station is in this process, with one reader of its tap, and is given events through its port in batches of
//! 256; the child is this program again, below a guard that is the real one. It counts frames by their
//! headers, and says over a socket how far it is, so that a round ends when it has the last frame. The bare
//! side is a program of tokio alone: it encodes the same structs with `serde_json`, once for all children,
//! hands each frame to a writer through a channel of 1,024, writes what is queued, at most 64 KiB at a time,
//! and parses what comes as far as the envelope. Nice is 0 on both sides; the rates at which a plugin is read
//! are raised for these cases, and are the default for the other ones.
//!
//! Processor time is that of this whole process: of the host it includes the port, the tap and its reader.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod bare;
mod child;
mod control;
mod death;
mod events;
mod idle;
mod large;
mod neighbours;
mod placement;
mod processes;
mod report;
mod station;
mod trips;

use std::error::Error;

use placement::Placement;
use report::Report;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The allocator of the program.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The cases, in the order in which they are measured.
const CASES: [&str; 6] = ["events", "trips", "large", "idle", "neighbours", "death"];

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, socket, name] = args.as_slice()
        && mode == child::MODE
    {
        return child::run(socket, name);
    }
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(5).max(1);
    let is_named = |case: &&str| args.iter().any(|arg| arg == case);
    let is_all = !CASES.iter().any(is_named);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    for case in CASES.iter().filter(|case| is_all || is_named(case)) {
        runtime.block_on(measure(case, rounds, &mut report))?;
    }
    report.finish();
    Ok(())
}

async fn measure(case: &str, rounds: usize, report: &mut Report) -> Result<()> {
    match case {
        "events" => {
            for placement in Placement::ALL {
                for plugins in [1, 8] {
                    events::measure(placement, plugins, rounds, report).await?;
                }
            }
        }
        "trips" => {
            for placement in Placement::ALL {
                trips::measure(placement, rounds, report).await?;
            }
        }
        "large" => {
            for placement in Placement::ALL {
                large::measure(placement, rounds, report).await?;
            }
        }
        "idle" => idle::measure(report).await?,
        "neighbours" => neighbours::measure(rounds, report).await?,
        _ => death::measure(rounds, report).await?,
    }
    Ok(())
}
