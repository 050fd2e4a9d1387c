//! Carries a snapshot on by the tap's entries. Live, attached and replayed views are all made by this one
//! fold.

use std::{collections::VecDeque, sync::Arc};

use super::{
    About, Head, StreamChange, Transition, Verdict,
    capability::{Hook, Method},
    snapshot::{
        ActionView, AskedView, AuditKind, AuditView, DisabledView, LogView, PINGS_SHOWN_MAX, PanelView,
        PluginView, ReasonView, SlotView, Snapshot, State, StreamView, UpView, WaitingView, decision_text,
    },
};
use crate::{
    ids::{PluginId, TraceId},
    limits,
    tap::entry::{Direction, Entry, Frame, Head as AnyHead, Transition as Any, Verdict as AnyVerdict, What},
    time::Now,
    words,
};

/// What a transition is taken in with.
#[derive(Clone, Copy)]
struct Context<'a> {
    trace: Option<TraceId>,
    at: Now,
    text: &'a str,
    limits: &'a limits::Plugin,
}

impl Context<'_> {
    /// The text beside the transition, cut.
    fn visible_text(&self) -> Arc<str> {
        Arc::from(words::cut(self.text, self.limits.shown_text_bytes_max))
    }
}

impl Snapshot {
    /// Takes in one entry of the host's link that follows this snapshot; entries of other links change
    /// nothing. `text` is what lies beside a transition. A snapshot at any moment and the entries behind
    /// it make the host's own, within the windows that `limits` sets.
    pub fn apply(&mut self, entry: &Entry, text: &str, limits: &limits::Plugin) {
        match &entry.what {
            What::Frame(Frame { direction, head: AnyHead::Plugin(head), verdict, wire_bytes, .. }) => {
                let verdict = if let AnyVerdict::Plugin(verdict) = verdict { Some(*verdict) } else { None };
                self.record_frame(*direction, head, verdict, u64::from(*wire_bytes));
            }
            What::Transition(Any::Plugin(transition)) => {
                self.follow(transition, entry.trace, entry.at, text, limits);
            }
            _ => {}
        }
    }

    /// Takes in one frame that follows this snapshot; `verdict` is that of one that came.
    pub fn record_frame(&mut self, direction: Direction, head: &Head, verdict: Option<Verdict>, bytes: u64) {
        let Some(view) = self.plugins.get_mut(&head.plugin) else { return };
        let counts = &mut view.counts;
        match direction {
            Direction::Inbound => {
                counts.frames_in += 1;
                counts.bytes_in += bytes;
            }
            Direction::Outbound => {
                counts.frames_out += 1;
                counts.bytes_out += bytes;
                counts.events_sent += u64::from(is_event(head));
            }
        }
        match verdict {
            Some(Verdict::Accepted) => {
                counts.requests += 1;
                if let Some(method) = head.method.as_deref().and_then(Method::from_name) {
                    counts.called[method as usize] += 1;
                }
            }
            Some(Verdict::Refused(code)) => counts.refused[code.index()] += 1,
            Some(Verdict::Answered | Verdict::Ignored(_) | Verdict::Broken(_)) | None => {}
        }
    }

    /// Takes in one transition that follows this snapshot.
    pub fn follow(
        &mut self,
        transition: &Transition,
        trace: Option<TraceId>,
        at: Now,
        text: &str,
        limits: &limits::Plugin,
    ) {
        let cx = Context { trace, at, text, limits };
        match transition {
            Transition::Installed { plugin, about } => self.on_installed(plugin, about, cx),
            Transition::Removed { plugin } => drop(self.plugins.remove(plugin)),
            Transition::Stream { change } => {
                match change {
                    StreamChange::Chat { .. } => self.totals.chat_messages += 1,
                    StreamChange::ChatBatch { messages, .. } => self.totals.chat_messages += messages,
                    StreamChange::Tick => self.totals.ticks += 1,
                    _ => {}
                }
                self.stream.follow(change, cx);
            }
            other => {
                if let Some(view) = other.plugin().and_then(|plugin| self.plugins.get_mut(plugin)) {
                    view.follow(other, cx);
                }
            }
        }
    }

    fn on_installed(&mut self, plugin: &PluginId, about: &Arc<About>, cx: Context<'_>) {
        let has_room = (self.plugins.len() as u64) < cx.limits.plugins_max;
        let view = match self.plugins.get_mut(plugin) {
            Some(view) => view,
            None if has_room => self
                .plugins
                .entry(plugin.clone())
                .or_insert_with(|| PluginView::new(Arc::clone(about), cx.at)),
            None => return,
        };
        (view.about, view.installed_at) = (Arc::clone(about), cx.at);
        view.audit(AuditKind::Installed, Arc::clone(&about.version), cx);
    }
}

impl PluginView {
    fn follow(&mut self, transition: &Transition, cx: Context<'_>) {
        match transition {
            Transition::Granted { .. }
            | Transition::Revoked { .. }
            | Transition::Asked { .. }
            | Transition::Decided { .. }
            | Transition::Handed { .. }
            | Transition::ValueSet { .. } => self.on_permission(transition, cx),
            Transition::Enabled { .. }
            | Transition::Starting { .. }
            | Transition::Up { .. }
            | Transition::Unhealthy { .. }
            | Transition::Waiting { .. }
            | Transition::Disabled { .. }
            | Transition::Stopping { .. }
            | Transition::Stopped { .. } => self.on_process(transition, cx),
            Transition::Pinged { us, .. } => {
                self.ping(Some(*us));
                self.counts.pings_answered += 1;
                self.counts.ping_us = self.counts.ping_us.saturating_add(*us);
            }
            Transition::Missed { misses, .. } => {
                self.ping(None);
                self.counts.pings_missed += 1;
                self.misses = *misses;
            }
            Transition::Linted { .. } => self.counts.lints += 1,
            Transition::Notified { .. } => self.counts.notices += 1,
            Transition::Logged { level, source, .. } => {
                self.counts.log_lines += 1;
                let number = self.counts.log_lines;
                let line =
                    LogView { number, at: cx.at, level: *level, source: *source, text: cx.visible_text() };
                self.log.push_back(line);
                bound(&mut self.log, cx.limits.shown_lines_max);
            }
            Transition::Status { slot, .. } => self.on_status(slot, cx),
            Transition::Panel { fields, .. } => {
                self.panel = (*fields > 0).then(|| PanelView { title: cx.visible_text(), fields: *fields });
            }
            Transition::ActionBegun { action, call, .. } => {
                self.counts.actions += 1;
                if (self.actions.len() as u64) < cx.limits.actions_max {
                    let action = ActionView { action: Arc::clone(action), at: cx.at, trace: cx.trace };
                    self.actions.insert(*call, action);
                }
            }
            Transition::ActionEnded { call, .. } => drop(self.actions.remove(call)),
            Transition::EventsDropped { events, .. } => self.counts.events_dropped += events,
            Transition::Throttled { on: true, .. } => {
                self.throttled_since = self.throttled_since.or(Some(cx.at));
            }
            Transition::Throttled { on: false, .. } => self.throttled_no_longer(cx.at),
            Transition::LinesCut { cut, dropped, .. } => {
                self.counts.lines_cut += cut;
                self.counts.lines_dropped += dropped;
            }
            Transition::Sampled { memory_bytes, cpu_permille, .. } => {
                (self.memory_bytes, self.cpu_permille) = (*memory_bytes, *cpu_permille);
            }
            Transition::Installed { .. } | Transition::Removed { .. } | Transition::Stream { .. } => {}
        }
    }

    /// How its process comes and goes.
    fn on_process(&mut self, transition: &Transition, cx: Context<'_>) {
        match transition {
            Transition::Enabled { .. } => {
                self.audit(AuditKind::Enabled, Arc::from(""), cx);
                self.restarts = 0;
                // Its process may be ending still.
                if matches!(self.state, State::Disabled(_)) {
                    self.state = State::Stopped;
                }
            }
            Transition::Starting { process, restarts, .. } => {
                (self.state, self.process, self.misses) = (State::Starting, *process, 0);
                self.restarts = restarts.unwrap_or(self.restarts);
            }
            Transition::Up { pid, version, hooks, .. } => {
                let (version, hooks) = (Arc::clone(version), Arc::clone(hooks));
                self.state = State::Up(UpView { version, hooks, since: cx.at, pid: *pid });
            }
            Transition::Unhealthy { cause, .. } => {
                self.counts.restarts += 1;
                self.last = Some(ReasonView { cause: *cause, text: cx.visible_text(), at: cx.at });
            }
            Transition::Waiting { until, nth, .. } => {
                self.restarts = *nth;
                self.state = State::Waiting(WaitingView { until: *until, nth: *nth });
            }
            Transition::Disabled { cause, .. } => {
                self.audit(AuditKind::Disabled, Arc::from(cause.name()), cx);
                self.state = State::Disabled(DisabledView { cause: *cause, text: cx.visible_text() });
            }
            Transition::Stopping { .. } => self.leave_to(State::Stopping),
            Transition::Stopped { .. } => {
                self.leave_to(State::Stopped);
                self.panel = None;
                self.slots.clear();
                self.actions.clear();
                self.asked = None;
                self.throttled_no_longer(cx.at);
                (self.memory_bytes, self.cpu_permille, self.misses) = (0, 0, 0);
            }
            _ => {}
        }
    }

    /// Its process ends; what comes of the plugin may have been decided before.
    fn leave_to(&mut self, state: State) {
        if !matches!(self.state, State::Disabled(_) | State::Waiting(_)) {
            self.state = state;
        }
    }

    /// What it may do, and what the operator decides and sets.
    fn on_permission(&mut self, transition: &Transition, cx: Context<'_>) {
        match transition {
            Transition::Granted { capabilities, .. } => {
                self.granted = Arc::clone(capabilities);
                let names: Vec<&str> = capabilities.iter().map(|name| &**name).collect();
                let text = names.join(" ");
                self.audit(AuditKind::Granted, words::cut(&text, cx.limits.shown_text_bytes_max).into(), cx);
            }
            Transition::Revoked { capability, .. } => {
                self.granted = self.granted.iter().filter(|name| *name != capability).cloned().collect();
                self.audit(AuditKind::Revoked, Arc::clone(capability), cx);
            }
            Transition::Asked { plugin, kind, until } => {
                let (plugin, kind) = (plugin.clone(), Arc::clone(kind));
                self.asked = Some(AskedView { plugin, kind: Arc::clone(&kind), at: cx.at, until: *until });
                self.audit(AuditKind::Asked, kind, cx);
            }
            Transition::Decided { kind, decision, .. } => {
                if self.asked.as_ref().is_some_and(|asked| asked.kind == *kind) {
                    self.asked = None;
                }
                let text = format!("{kind}: {}", decision_text(*decision));
                self.audit(AuditKind::Decided, text.into(), cx);
            }
            Transition::Handed { kind, .. } => self.audit(AuditKind::Handed, Arc::clone(kind), cx),
            Transition::ValueSet { key, .. } => self.audit(AuditKind::ValueSet, Arc::clone(key), cx),
            _ => {}
        }
    }

    fn on_status(&mut self, slot: &Arc<str>, cx: Context<'_>) {
        let has_room = (self.slots.len() as u64) < cx.limits.shown_names_max;
        if cx.text.is_empty() {
            self.slots.remove(slot);
        } else if has_room || self.slots.contains_key(slot) {
            self.slots.insert(Arc::clone(slot), SlotView { value: cx.visible_text(), at: cx.at });
        }
    }

    fn throttled_no_longer(&mut self, now: Now) {
        self.counts.throttled_us = self.throttled_us_at(now);
        self.throttled_since = None;
    }

    fn ping(&mut self, us: Option<u64>) {
        self.misses = 0;
        self.pings.push_back(us);
        bound(&mut self.pings, PINGS_SHOWN_MAX as u64);
    }

    fn audit(&mut self, what: AuditKind, text: Arc<str>, cx: Context<'_>) {
        self.counts.audit_rows += 1;
        self.audit.push_back(AuditView { number: self.counts.audit_rows, at: cx.at, what, text });
        bound(&mut self.audit, cx.limits.shown_lines_max);
    }
}

impl StreamView {
    fn follow(&mut self, change: &StreamChange, cx: Context<'_>) {
        match change {
            StreamChange::Channel { login } => self.channel.clone_from(login),
            StreamChange::Live { channels } => self.live = *channels,
            StreamChange::Session { id, is_there: false } => drop(self.sessions.remove(id)),
            StreamChange::Session { id, is_there: true } => {
                // One more than the operator may declare: `solo`.
                if (self.sessions.len() as u64) <= cx.limits.stream_sessions_max {
                    self.sessions.entry(Arc::clone(id)).or_default();
                }
            }
            StreamChange::Upstream { plugin, id } => {
                if let Some(session) = self.sessions.get_mut(id) {
                    (session.by, session.upstream) = (Some(plugin.clone()), Some(cx.visible_text()));
                }
            }
            StreamChange::Chat { .. } | StreamChange::ChatBatch { .. } | StreamChange::Tick => {}
        }
    }
}

/// Whether a message to a plugin is an event: a notification that is no part of the lifecycle.
fn is_event(head: &Head) -> bool {
    let is_notification = !head.is_answer && head.id.is_none();
    is_notification && head.method.as_deref().is_some_and(|method| Hook::from_name(method).is_some())
}

/// Drops what does not fit a window, the oldest first.
fn bound<T>(window: &mut VecDeque<T>, max: u64) {
    while window.len() as u64 > max {
        window.pop_front();
    }
}

#[cfg(test)]
mod tests;
