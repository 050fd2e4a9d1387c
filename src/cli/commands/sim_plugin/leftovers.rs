//! Processes that are left running.

use std::{
    io,
    process::{Command, Stdio},
};

/// One in the group, one in a session of its own, one behind a double fork.
const SCRIPT: &str = "sleep $1 &
if command -v setsid >/dev/null; then setsid sleep $1 & fi
( ( sleep $1 & ) & )";

/// The seconds that they sleep with the seed 0.
const SECONDS: u64 = 1_000_000_000;

/// Starts them.
pub(super) fn start(seed: u64) -> io::Result<()> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT, "sh", &(SECONDS + seed).to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map(drop)
}
