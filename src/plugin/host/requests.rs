//! What the loop has the host do.

use std::sync::{Arc, PoisonError};

use super::{handle::Request, shared::Host};
use crate::{
    ids::{PluginId, Ticket},
    plugin::{
        Detail,
        supervisor::{Input, ProcessInput},
    },
    tap::entry::station::Level as NoticeLevel,
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

    /// A record is kept, or is not: that is said once, until one is kept again.
    pub(super) fn on_committed(&mut self, ticket: Ticket, result: Result<(), String>) {
        let impaired = result.as_ref().err().map(|error| {
            Arc::from(format!("it cannot record what plugins may use and how they ended: {error}"))
        });
        {
            let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.impaired.is_none()
                && let Some(why) = &impaired
            {
                (self.notice)(NoticeLevel::Error, &format!("the plugin host: {why}"));
            }
            state.impaired = impaired;
        }
        self.input(match result {
            Ok(()) => Input::Committed { ticket },
            Err(error) => Input::CommitFailed { ticket, error },
        });
    }
}
