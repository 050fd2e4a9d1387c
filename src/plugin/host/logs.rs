//! The logs of all plugins.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

use tokio::sync::oneshot;

use super::{
    folders::Folders,
    log_file::{Line, LineRate, LineSplitter, Losses},
    log_thread::{Entry, LogThread},
};
use crate::{
    ids::PluginId,
    limits,
    plugin::{Level, LogSource},
    time::Now,
};

/// The logs of all plugins that wrote something. A thread of their own writes the files.
#[derive(Debug)]
pub(super) struct Logs {
    data: PathBuf,
    limits: limits::Plugin,
    of: HashMap<PluginId, Log>,
    thread: LogThread,
}

#[derive(Debug)]
struct Log {
    dir: PathBuf,
    rate: LineRate,
    stderr: LineSplitter,
}

impl Logs {
    /// The logs below a station's data folder.
    ///
    /// # Errors
    /// Why there is no thread that writes them.
    pub(super) fn new(data: &Path, limits: limits::Plugin) -> io::Result<Self> {
        let thread = LogThread::start(limits)?;
        Ok(Self { data: data.to_owned(), limits, of: HashMap::new(), thread })
    }

    fn of(&mut self, plugin: &PluginId) -> Option<&mut Log> {
        if !self.of.contains_key(plugin) {
            let folders = Folders::of(&self.data, plugin).ok()?;
            let log = Log {
                dir: folders.log_dir,
                rate: LineRate::new(&self.limits),
                // A token at the cut is whole until it is masked.
                stderr: LineSplitter::new(
                    self.limits.log_line_bytes_max.saturating_add(self.limits.credential_bytes_max),
                ),
            };
            self.of.insert(plugin.clone(), log);
        }
        self.of.get_mut(plugin)
    }

    /// Whether a line of the plugin would be one too many for this second.
    pub(super) fn is_full(&self, plugin: &PluginId, now: Now) -> bool {
        self.of.get(plugin).is_some_and(|log| log.rate.is_full(now))
    }

    /// Has a line written; whether it was not one too many for this second. Lines of the host never are. A
    /// disk that takes none loses none on the screen.
    pub(super) fn write(
        &mut self,
        plugin: &PluginId,
        now: Now,
        level: Level,
        source: LogSource,
        line: &Line,
    ) -> bool {
        let Some(log) = self.of(plugin) else { return true };
        if log.rate.begins_second(now) {
            self.rest(plugin, now);
        }
        let Some(log) = self.of.get_mut(plugin) else { return true };
        if source != LogSource::Host && !log.rate.take(line) {
            return false;
        }
        let entry = Entry { plugin: plugin.clone(), at: now.wall, level, source, line: line.clone() };
        if let Err(line) = self.thread.write(log.dir.clone(), entry) {
            log.rate.on_unwritten(&line);
        }
        true
    }

    /// The lines that end in what came from stderr; none while they would be too many for this second: they
    /// are counted.
    pub(super) fn lines(&mut self, plugin: &PluginId, now: Now, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let Some(log) = self.of(plugin) else { return lines };
        if log.rate.is_full(now) {
            let (skipped, bytes) = log.stderr.skip(bytes);
            log.rate.count_dropped(skipped, bytes);
        } else {
            log.stderr.push(bytes, |line| lines.push(line));
        }
        lines
    }

    /// The line that the end of stderr ends.
    pub(super) fn last_line(&mut self, plugin: &PluginId) -> Option<Line> {
        self.of.get_mut(plugin)?.stderr.finish()
    }

    /// Says in the log what did not fit: where a process has ended, or a second is over.
    pub(super) fn rest(&mut self, plugin: &PluginId, now: Now) {
        let Some(log) = self.of.get_mut(plugin) else { return };
        for text in log.rate.take_dropped() {
            let (level, source, line) = (Level::Warning, LogSource::Host, Line { text, cut_bytes: 0 });
            let entry = Entry { plugin: plugin.clone(), at: now.wall, level, source, line };
            if let Err(line) = self.thread.write(log.dir.clone(), entry) {
                log.rate.on_unwritten(&line);
            }
        }
    }

    /// What was lost of each log since this was asked last: of those of which something was.
    pub(super) fn take_losses(&mut self) -> Vec<(PluginId, Losses)> {
        let all = self.of.iter_mut().map(|(plugin, log)| (plugin.clone(), log.rate.take_losses()));
        all.filter(|(_, losses)| *losses != Losses::default()).collect()
    }

    /// Closes a log; told when its files may go.
    pub(super) fn close(&mut self, plugin: &PluginId) -> oneshot::Receiver<()> {
        self.of.remove(plugin);
        self.thread.close(plugin.clone())
    }
}
