//! The program's own log: a file a day in the state folder, never the screen. A full buffer drops lines
//! rather than hold the program up.

use std::{
    io::{self, Write},
    os::unix::fs::DirBuilderExt as _,
};

use tracing::level_filters::LevelFilter;
use tracing_appender::{
    non_blocking::{NonBlockingBuilder, WorkerGuard},
    rolling,
};

use super::{
    env::{self, Env},
    table::visible,
};

/// Lines that wait for the disk at most.
const LINES_MAX: usize = 8_192;
/// Days that are kept.
const FILES_MAX: usize = 7;

/// Keeps from others every file that this process makes from now on, and begins to log. The log ends with the
/// guard; without a state folder, or when it cannot be written, there is none.
pub(crate) fn begin(env: &Env) -> Option<WorkerGuard> {
    // The log's files, the database's and the socket are made by others' code.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
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
    let lines = move || LogLines(writer.clone());
    let subscriber =
        tracing_subscriber::fmt().with_writer(lines).with_max_level(level).with_ansi(false).finish();
    tracing::subscriber::set_global_default(subscriber).ok()?;
    Some(guard)
}

/// Makes each event one line in which nothing steers: texts of peers can be a part of it, and a line break in
/// one begins no line that looks like ours.
struct LogLines<W>(W);

impl<W: Write> Write for LogLines<W> {
    /// Takes one event, as `tracing_subscriber` writes it.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = visible(text.strip_suffix('\n').unwrap_or(&text)) + "\n";
        self.0.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::cli::output::tests::Printed;

    #[test]
    fn a_peers_text_forges_no_line_of_the_log() {
        let printed = Printed::default();
        let sink = printed.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(Mutex::new(LogLines(sink)))
            .with_ansi(false)
            .without_time()
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let by = "agent\n2026-11-23T00:00:00Z ERROR forged: \u{202e}\u{9b}2J\x1b[1m";
            tracing::warn!("refused: {by}");
            tracing::warn!(by, "refused");
        });
        let text = printed.text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.lines().all(|line| line.contains("WARN") && line.contains("forged")), "{text}");
        assert!(!text.contains(['\u{202e}', '\u{9b}', '\x1b']), "{text}");
    }
}
