//! What the loop has the host do.

use super::{handle::Request, shared::Host};
use crate::{
    ids::PluginId,
    plugin::{Detail, supervisor::ProcessInput},
};

impl Host {
    pub(super) fn request(&mut self, request: Request) {
        match request {
            Request::Command { command, cause, trace, answer } => {
                self.command(command, cause, trace, answer);
            }
            Request::Detail { plugin, answer } => {
                let source = self.files.sources.get(&plugin).cloned().unwrap_or_default();
                let detail = self.core.detail(&plugin).map(|detail| Detail { source, ..detail });
                let _ = answer.send(self.without_secrets(detail));
            }
            Request::Stream { answer } => {
                let _ = answer.send(self.without_secrets(self.core.stream_detail()));
            }
        }
    }

    pub(super) fn sampled(&mut self, plugin: &PluginId, sample: ProcessInput) {
        if let Some((process, _)) = self.children.get(plugin) {
            self.process_input(plugin, *process, sample);
        }
    }

    /// Whether a reader has more to read than it has read.
    pub(super) fn is_reading(&self) -> bool {
        self.children.values().any(|(_, child)| child.is_busy.get())
    }

    pub(super) fn stop(&mut self) {
        let now = self.clock.now();
        self.core.stop_all(now);
        self.drain(now, &[]);
    }

    pub(super) fn kill_all(&mut self) {
        let now = self.clock.now();
        self.core.kill_all(now);
        self.drain(now, &[]);
    }
}
