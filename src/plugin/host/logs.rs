//! The logs of all plugins.

use std::{collections::HashMap, path::Path};

use super::{
    folders::Folders,
    log_file::{Line, LineSplitter, LogFile, Written},
};
use crate::{
    ids::PluginId,
    limits,
    plugin::{Level, LogSource},
    time::Now,
};

/// The logs of all plugins that wrote something.
#[derive(Debug)]
pub(super) struct Logs {
    data: std::path::PathBuf,
    limits: limits::Plugin,
    of: HashMap<PluginId, Log>,
}

#[derive(Debug)]
struct Log {
    file: LogFile,
    stderr: LineSplitter,
}

impl Logs {
    pub(super) fn new(data: &Path, limits: limits::Plugin) -> Self {
        Self { data: data.to_owned(), limits, of: HashMap::new() }
    }

    fn of(&mut self, plugin: &PluginId) -> Option<&mut Log> {
        if !self.of.contains_key(plugin) {
            let folders = Folders::of(&self.data, plugin).ok()?;
            let log = Log {
                file: LogFile::new(&folders.log_dir, &self.limits),
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
        self.of.get(plugin).is_some_and(|log| log.file.is_full(now))
    }

    /// Writes a line; whether it was not one too many for this second. A disk that takes none loses none
    /// on the screen.
    pub(super) fn write(
        &mut self,
        plugin: &PluginId,
        now: Now,
        level: Level,
        source: LogSource,
        line: &Line,
    ) -> bool {
        let Some(log) = self.of(plugin) else { return true };
        match log.file.write(now, level, source, line) {
            Ok(written) => written == Written::Whole,
            Err(error) => {
                tracing::warn!("the log of {plugin} cannot be written: {error}");
                true
            }
        }
    }

    /// The lines that end in what came from stderr.
    pub(super) fn lines(&mut self, plugin: &PluginId, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(log) = self.of(plugin) {
            log.stderr.push(bytes, |line| lines.push(line));
        }
        lines
    }

    /// The line that the end of stderr ends.
    pub(super) fn last_line(&mut self, plugin: &PluginId) -> Option<Line> {
        self.of.get_mut(plugin)?.stderr.finish()
    }

    /// Says in the log what did not fit, where a process has ended.
    pub(super) fn rest(&mut self, plugin: &PluginId, now: Now) {
        if let Some(log) = self.of.get_mut(plugin)
            && let Err(error) = log.file.report_dropped(now)
        {
            tracing::warn!("the log of {plugin} cannot be written: {error}");
        }
    }

    /// Closes a log, whose files may go.
    pub(super) fn close(&mut self, plugin: &PluginId) {
        self.of.remove(plugin);
    }
}
