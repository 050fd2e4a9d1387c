//! What it takes to write the record of a run or of a session to a file, by the program that is shipped:
//! `run export` and `session export` from the start of the process to its end. Each is of a run or session of
//! its own, so that the station reads it from its store and makes it; the file is read afterwards.

use std::{fs, path::Path, time::Duration};

use rl_console::time::Clock;
use serde_json::Value;

use crate::{ROUNDS, Result, median, station::Station};

/// Nodes of a run, and what the export of its record may take, in ms.
const RUNS: [(usize, f64); 2] = [(1_000, 300.0), (5_000, 2_000.0)];
/// Messages of a session, and what the export of its record may take, in ms.
const SESSION: (usize, f64) = (10_000, 1_000.0);

/// Runs of both sizes, and sessions of both modes.
pub(crate) fn print() -> Result<()> {
    let station = Station::start()?;
    for (nodes, bound_ms) in RUNS {
        let export = |file: &Path| {
            let run = station.run_of(nodes)?;
            exported(&station, ["run", &run], file)
        };
        let about = format!("the record of a run of {nodes} nodes");
        measured(&station, &about, ("plan", "steps", nodes), bound_ms, export)?;
    }
    for mode in ["decision", "multi_round"] {
        let (messages, bound_ms) = SESSION;
        let export = |file: &Path| {
            let session = station.session_of(mode, messages)?;
            exported(&station, ["session", &session], file)
        };
        let about = format!("the record of a session ({mode}) of {messages} messages");
        measured(&station, &about, ("trace", "segments", messages), bound_ms, export)?;
    }
    Ok(())
}

/// How long an export took, and the same again, for which the station has the record already.
struct Export {
    first: Duration,
    again: Duration,
}

fn exported(station: &Station, [kind, id]: [&str; 2], file: &Path) -> Result<Export> {
    let clock = Clock::start();
    let mut times = [Duration::ZERO; 2];
    for time in &mut times {
        let _ = fs::remove_file(file);
        let began = clock.mono();
        station.program(&[kind, "export", id, "--mplp", &file.to_string_lossy()])?;
        *time = clock.mono().since(began);
    }
    let [first, again] = times;
    Ok(Export { first, again })
}

/// Prints the medians of all rounds. In each record a list has at least so many items.
fn measured(
    station: &Station,
    about: &str,
    (object, list, least): (&str, &str, usize),
    bound_ms: f64,
    export: impl Fn(&Path) -> Result<Export>,
) -> Result<()> {
    let file = station.folder().join("record.json");
    let (mut first, mut again, mut size) = (Vec::new(), Vec::new(), (0, 0));
    for _ in 0..ROUNDS {
        let took = export(&file)?;
        first.push(took.first.as_secs_f64() * 1e3);
        again.push(took.again.as_secs_f64() * 1e3);
        let bytes = fs::read(&file)?;
        let bundle: Value = serde_json::from_slice(&bytes)?;
        let items = |value: &Value| value.as_array().map_or(0, Vec::len);
        let found = items(&bundle[object][list]);
        if found < least {
            return Err(format!("{about}: {found} {list}").into());
        }
        size = (bytes.len(), items(&bundle["events"]));
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{about}: {} events, {} bytes (load {})", size.1, size.0, load.split(' ').next().unwrap_or("?"));
    let most = first.iter().copied().fold(0.0, f64::max);
    let first = median(first);
    let word = if first <= bound_ms { "met" } else { "NOT MET" };
    println!("  exported  {first:>8.0} ms, the slowest {most:.0} (at most {bound_ms} ms: {word})");
    println!("  again     {:>8.0} ms, where the station keeps the record", median(again));
    Ok(())
}
