//! Ending processes, and what comes after (streamnook-plugin-v1, Shutdown, Health and restarts; rulings
//! Plugins 4, 6, 7).

use std::{sync::Arc, time::Duration};

use super::{
    Output, Record, Supervisor,
    actions::Unanswered,
    lifecycle::Empty,
    plugin::{Next, State},
};
use crate::{
    ids::PluginId,
    plugin::{
        Audited, Code, DisableCause, ExitStatus, Lint, Transition, UnhealthyCause,
        framing::Broken,
        session::{Lane, OpenRequest, Phase, Process},
        snapshot::RESTART_COUNTS,
    },
    time::Now,
};

/// For the answer to `shutdown`, and then from `exit` to the end.
const STEP_MAX: Duration = Duration::from_secs(5);

/// From the end of stdout to that of the process, before the former is taken for the fault.
const EXIT_AFTER_STDOUT: Duration = Duration::from_millis(500);

/// The waits before the first, second and third restart.
pub(super) const BACKOFF: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

impl Supervisor {
    /// Asks a process to end; what comes next where there is none comes at once.
    pub(super) fn end(&mut self, now: Now, id: &PluginId, next: Next) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        let Some(process) = plugin.process() else {
            plugin.state = State::Stopped;
            self.carry_out(now, id, next);
            return;
        };
        let (is_ending, has_guard) = (process.is_ending(), process.pid.is_some());
        // One that is disabled stays so, whatever else ends its process.
        plugin.next = match (&plugin.disabled, next) {
            (Some((cause, why)), Next::Start | Next::Stop) => Next::Disable(*cause, why.clone()),
            (_, next) => next,
        };
        if is_ending {
            return;
        }
        self.emit(Transition::Stopping { plugin: id.clone() });
        if !has_guard {
            self.kill(id);
            return;
        }
        self.refuse_calls(now, id);
        self.request(now, id, "shutdown", &Empty {}, OpenRequest::Shutdown);
        if let Some(process) = self.process_mut(id) {
            process.phase = Phase::ShuttingDown { until: now.mono + STEP_MAX };
        }
    }

    /// The answer to `shutdown`, whatever it says, or its time is over.
    pub(super) fn on_shut_down(&mut self, now: Now, id: &PluginId) {
        self.notification(now, id, "exit", &Empty {}, Lane::Answer);
        if let Some(process) = self.process_mut(id) {
            process.phase = Phase::Exiting { until: now.mono + STEP_MAX };
        }
    }

    /// Ends a process with all that it started.
    pub(super) fn kill(&mut self, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        if process.phase == Phase::Killed {
            return;
        }
        process.phase = Phase::Killed;
        let process = process.number;
        // What is on its way is not handed over to it any more.
        if let Some(plugin) = self.plugin_mut(id) {
            plugin.fetching.clear();
            plugin.handovers.clear();
        }
        self.put_out(Output::Kill { plugin: id.clone(), process });
    }

    /// Ends a process for a cause of its own. One that is asked to end anyway is not blamed.
    pub(super) fn fail(&mut self, _now: Now, id: &PluginId, cause: UnhealthyCause, why: String) {
        let Some(process) = self.process(id) else { return };
        if process.phase == Phase::Killed {
            return;
        }
        if !process.is_ending() {
            self.emit_with(Transition::Unhealthy { plugin: id.clone(), cause }, why);
            self.put_next(id, Next::Judge);
        }
        self.kill(id);
    }

    pub(super) fn on_broken(&mut self, now: Now, id: &PluginId, broken: &Broken) {
        let Some(process) = self.process(id) else { return };
        if process.phase == Phase::Killed {
            return;
        }
        let head = crate::plugin::Head::new(id.clone());
        let verdict = crate::plugin::Verdict::Broken(broken.violation);
        self.put_out(Output::Received { head, verdict, trace: None });
        let why = format!("{}: {}", broken.violation.text(), broken.seen);
        self.fail(now, id, UnhealthyCause::BrokenFrame, why);
    }

    pub(super) fn on_stdout_closed(&mut self, now: Now, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        if !process.is_ending() {
            process.stdout_closed.get_or_insert(now.mono + EXIT_AFTER_STDOUT);
        }
    }

    /// It is gone, with all that it started.
    pub(super) fn on_exited(&mut self, now: Now, id: &PluginId, status: ExitStatus) {
        let Some(process) = self.process(id) else { return };
        let (phase, is_ending) = (process.phase, process.is_ending());
        if !is_ending {
            let cause = UnhealthyCause::Exited;
            self.emit_with(Transition::Unhealthy { plugin: id.clone(), cause }, status.to_string());
            self.put_next(id, Next::Judge);
        } else if phase != Phase::Killed && status != ExitStatus::Code(0) {
            self.lint(id, Lint::ExitCode, status.to_string());
        }
        let Some(plugin) = self.plugin_mut(id) else { return };
        let State::Running(process) = std::mem::take(&mut plugin.state) else { return };
        let next = plugin.next.clone();
        self.clear_up(now, id, *process);
        self.emit(Transition::Stopped { plugin: id.clone(), status });
        if next == Next::Judge {
            self.judge_exit(now, id);
        }
        self.carry_out(now, id, next);
        self.start_queued(now);
    }

    /// Ends what hung on a process.
    pub(super) fn clear_up(&mut self, now: Now, id: &PluginId, process: Process) {
        self.queued_bytes = self.queued_bytes.saturating_sub(process.outbox.bytes());
        self.report_dropped(id, process.dropped.unreported);
        for (number, open) in process.open {
            if let OpenRequest::Action { action, request, trace, sent_at, .. } = open {
                let us = u64::try_from(now.mono.since(sent_at).as_micros()).unwrap_or(u64::MAX);
                self.end_action(id, (&action, number, trace), request, us, Unanswered::Gone);
            }
        }
        self.drop_calls(now, id);
        for slot in process.status.into_keys() {
            self.emit(Transition::Status { plugin: id.clone(), slot });
        }
        if process.panel.is_some() {
            self.emit(Transition::Panel { plugin: id.clone(), fields: 0 });
        }
        if process.throttle.is_on {
            self.emit(Transition::Throttled { plugin: id.clone(), on: false });
        }
    }

    /// Another process after a while, or none: by the number of earlier exits within ten minutes.
    pub(super) fn judge_exit(&mut self, now: Now, id: &PluginId) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        plugin.exits.retain(|exit| now.since(*exit) < RESTART_COUNTS);
        let earlier = plugin.exits.len();
        plugin.exits.push_back(now);
        let exits = plugin.exits.iter().map(|exit| exit.wall).collect();
        let is_kept = plugin.is_kept();
        if is_kept {
            self.persist(Record::Exits { plugin: id.clone(), exits });
        }
        let Some(wait) = BACKOFF.get(earlier) else {
            let why = "a fourth exit within ten minutes".to_owned();
            self.disable(now, id, DisableCause::RestartLimit, why);
            return;
        };
        if self.is_stopping {
            return;
        }
        let until = now.after(*wait);
        if let Some(plugin) = self.plugin_mut(id) {
            plugin.state = State::Waiting { until: until.mono };
        }
        let nth = u32::try_from(earlier + 1).unwrap_or(u32::MAX);
        self.emit(Transition::Waiting { plugin: id.clone(), until: until.wall, nth });
    }

    /// No process until somebody enables it.
    pub(super) fn disable(&mut self, now: Now, id: &PluginId, cause: DisableCause, why: String) {
        // One whose folder is no longer served is gone; one that cannot run here stays.
        if self.plugin(id).is_none_or(|plugin| !plugin.is_there()) {
            return;
        }
        self.keep_disabled(now, id, cause, why.clone());
        self.emit_with(Transition::Disabled { plugin: id.clone(), cause }, why);
    }

    /// Remembers that a plugin is disabled, before its process has ended.
    pub(super) fn keep_disabled(&mut self, now: Now, id: &PluginId, cause: DisableCause, why: String) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        let kept = Some((cause, why));
        let is_known = plugin.disabled == kept;
        plugin.disabled.clone_from(&kept);
        if plugin.process().is_none() {
            plugin.state = State::Stopped;
        }
        let is_kept = plugin.is_kept();
        if !is_known && is_kept {
            self.persist(Record::Disabled { plugin: id.clone(), cause: kept });
        }
        if !is_known {
            self.audit(now, id, Audited::Disabled, cause.name());
        }
    }

    /// What comes after a process; nothing of the plugin runs.
    pub(super) fn carry_out(&mut self, now: Now, id: &PluginId, next: Next) {
        if self.plugin(id).is_some_and(|plugin| plugin.pending.is_some()) {
            // It stays so where its files cannot be put into place or deleted.
            if let Next::Disable(cause, why) = next {
                self.disable(now, id, cause, why);
            }
            self.carry_out_pending(id);
            return;
        }
        match next {
            Next::Judge | Next::Stop => {}
            Next::Start => self.start(now, id),
            Next::Disable(cause, why) => self.disable(now, id, cause, why),
        }
        if self.plugin(id).is_some_and(|plugin| !plugin.is_there()) {
            self.forget(id);
            self.emit(Transition::Removed { plugin: id.clone() });
        }
    }

    pub(super) fn put_next(&mut self, id: &PluginId, next: Next) {
        if let Some(plugin) = self.plugin_mut(id) {
            plugin.next = next;
        }
    }

    /// Answers all calls that wait with `shutting_down`.
    fn refuse_calls(&mut self, now: Now, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        let calls = std::mem::take(&mut process.calls);
        for call in calls {
            self.refuse(now, id, Some(&call.id), Code::ShuttingDown, "the plugin is being stopped", None);
        }
        self.drop_calls(now, id);
    }

    /// Notes a departure from the specification.
    pub(super) fn lint(&mut self, id: &PluginId, lint: Lint, seen: impl AsRef<str>) {
        self.emit_with(Transition::Linted { plugin: id.clone(), lint }, seen.as_ref());
    }

    /// A text as it is shown.
    pub(super) fn shown(&self, text: &str) -> Arc<str> {
        Arc::from(crate::words::cut(text, self.settings.limits.id_bytes_max))
    }
}
