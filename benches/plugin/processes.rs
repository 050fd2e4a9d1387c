//! Other processes: what `/proc` says of them, and simulated plugins.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{Result, station::PROGRAM};

/// Processor time of all threads of a process, to the nanosecond.
pub(crate) fn time_of(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| {
            let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            text.split_ascii_whitespace().next()?.parse().ok().map(Duration::from_nanos)
        })
        .sum()
}

/// Memory of a process that it shares with no other, in KiB.
pub(crate) fn private_kib(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    lines.filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()).sum()
}

/// Whether a process is there and has not ended.
pub(crate) fn is_there(process: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    text.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Writes the folder of a simulated plugin below a folder.
pub(crate) fn simulated(below: &Path, id: &str, behaviour: &[&str]) -> Result<PathBuf> {
    let into = below.join(id);
    let made = Command::new(PROGRAM)
        .args(["sim", "plugin", "--id", id, "--into"])
        .arg(&into)
        .args(behaviour)
        .env("HOME", below)
        .output()?;
    if made.status.success() { Ok(into) } else { Err(String::from_utf8_lossy(&made.stderr).into()) }
}
