//! The program's own log: a file a day in the state folder, never the screen. A full buffer drops lines
//! rather than hold the program up.

use std::os::unix::fs::DirBuilderExt as _;

use tracing::level_filters::LevelFilter;
use tracing_appender::{
    non_blocking::{NonBlockingBuilder, WorkerGuard},
    rolling,
};

use super::env::{self, Env};

/// Lines that wait for the disk at most.
const LINES_MAX: usize = 8_192;
/// Days that are kept.
const FILES_MAX: usize = 7;

/// Begins to log. The log ends with the guard; without a state folder, or when it cannot be written, there is
/// none.
pub(crate) fn begin(env: &Env) -> Option<WorkerGuard> {
    let level =
        env.ours.get(env::LOG).map_or(LevelFilter::INFO, |level| level.parse().unwrap_or(LevelFilter::INFO));
    let folder = env.state_dir.as_ref()?.join("log");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    let file = rolling::Builder::new()
        .rotation(rolling::Rotation::DAILY)
        .filename_prefix("rl-console")
        .filename_suffix("log")
        .max_log_files(FILES_MAX)
        .build(folder)
        .ok()?;
    let (writer, guard) =
        NonBlockingBuilder::default().buffered_lines_limit(LINES_MAX).lossy(true).finish(file);
    let subscriber =
        tracing_subscriber::fmt().with_writer(writer).with_max_level(level).with_ansi(false).finish();
    tracing::subscriber::set_global_default(subscriber).ok()?;
    Some(guard)
}
