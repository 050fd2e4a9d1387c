//! What the loop has the host do.

use std::{borrow::Cow, sync::Arc};

use super::{files::ending, handle::Request, log_file::Losses, shared::Host};
use crate::{
    ids::PluginId,
    judged::Judged,
    plugin::{Command, Transition, supervisor::ProcessInput},
    tap::entry::Head,
};

impl Host {
    pub(super) fn request(&mut self, request: Request) {
        match request {
            Request::Command { command, cause, trace, by, answer } => {
                self.command(command, cause, trace, by, answer);
            }
            Request::Detail { plugin, answer } => {
                let _ = answer.send(self.without_secrets(self.core.detail(&plugin)));
            }
            Request::Stream { answer } => {
                let _ = answer.send(self.without_secrets(self.core.stream_detail()));
            }
            Request::Put { plugin, direction, bytes, origin, answer } => {
                let _ = answer.send(self.put(&plugin, direction, bytes, origin));
            }
            Request::Judge { stand, bytes, answer } => {
                let judged = self.core.judge(self.clock.now(), &stand, &bytes);
                let _ = answer.send(judged.map(|judged| self.masked_judged(judged)));
            }
        }
    }

    /// A judgement whose texts say no secret: they may repeat what the judged bytes say. The bytes of its
    /// answers are masked where they are shown.
    fn masked_judged(&self, mut judged: Judged) -> Judged {
        let texts = judged.effect.iter_mut().chain(judged.ends.iter_mut());
        for text in texts {
            if let Cow::Owned(masked) = self.tap.text_without_tokens(text) {
                *text = masked;
            }
        }
        judged.head = self.masked_head(judged.head);
        for answer in &mut judged.answers {
            answer.head = self.masked_head(answer.head.clone());
        }
        judged
    }

    fn masked_head(&self, head: Head) -> Head {
        let Head::Plugin(mut head) = head else { return head };
        for text in head.method.iter_mut().chain(head.id.iter_mut()) {
            if let Cow::Owned(masked) = self.tap.text_without_tokens(text) {
                *text = Arc::from(masked);
            }
        }
        Head::Plugin(head)
    }

    /// Reads the manifest of a plugin that is to run again by hand: the operator may have mended it.
    pub(super) fn reread(&mut self, command: &Command) {
        let (Command::Enable { plugin } | Command::Restart { plugin }) = command else { return };
        if let Some(run) = self.core.launch(plugin) {
            self.core.reread(plugin, self.files.manifest(plugin, &run));
        }
    }

    pub(super) fn sampled(&mut self, plugin: &PluginId, sample: ProcessInput) {
        if let Some((process, _)) = self.children.get(plugin) {
            self.process_input(plugin, *process, sample);
        }
    }

    /// Says how many lines of logs were lost since this was said last.
    pub(super) fn emit_losses(&mut self) {
        self.cause = None;
        for (plugin, Losses { cut, dropped }) in self.logs.take_losses() {
            self.emit(self.clock.now(), Transition::LinesCut { plugin, cut, dropped }, "", None);
        }
    }

    /// Whether a reader has more to read than it has read.
    pub(super) fn is_reading(&self) -> bool {
        self.children.values().any(|(_, child)| child.is_busy.get())
    }

    pub(super) fn stop(&mut self) {
        for request in self.files.stop() {
            self.reply(request, Err(ending()));
        }
        let now = self.clock.now();
        self.core.stop_all(now);
        self.drain(now, None, &[]);
    }

    pub(super) fn kill_all(&mut self) {
        let now = self.clock.now();
        self.core.kill_all(now);
        self.drain(now, None, &[]);
    }
}
