//! The supervisor: its plugins, and what it puts out.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use super::{
    Input, Output, PanelValues, ProcessInput, RestoredPlugin,
    kept::Invalid,
    plugin::{Consents, Package, Plugin, State},
    save_queue::SaveQueue,
    stream::Stream,
};
use crate::{
    ids::{PluginId, Ticket, TraceId},
    limits,
    plugin::{
        DisableCause, Transition,
        capability::{Capability, CapabilitySet},
        session::{Permit, Process},
    },
    store::plugins::StreamPart,
    time::{Mono, Now},
};

/// What the supervisor goes by.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its bounds.
    pub limits: limits::Plugin,
    /// The version of the host that plugins are told (ruling Plugins 3).
    pub host_version: String,
    /// The folder that has a folder for each plugin, absolute: `<folder>/<id>/data` and `log`.
    pub folder: String,
    /// The kinds of credentials that have a source.
    pub sources: BTreeSet<Arc<str>>,
}

/// All plugins of the station.
#[derive(Debug)]
pub struct Supervisor {
    pub(super) settings: Settings,
    pub(super) plugins: BTreeMap<PluginId, Plugin>,
    /// The panel values of plugins that are not there.
    pub(super) values_aside: BTreeMap<PluginId, PanelValues>,
    pub(super) stream: Stream,
    /// Bytes that wait for all plugins.
    pub(super) queued_bytes: u64,
    /// Whether nothing is started any more.
    pub(super) is_stopping: bool,
    /// Whose command is carried out.
    pub(super) by: Option<Arc<str>>,
    pub(super) saves: SaveQueue,
    ticket: Ticket,
    next_order: u64,
    outputs: VecDeque<Output>,
}

impl Supervisor {
    /// A supervisor with the plugins and the stream that were kept; nothing is started yet.
    #[must_use]
    pub fn new(
        now: Now,
        settings: Settings,
        kept: Vec<RestoredPlugin>,
        stream: Vec<(StreamPart, serde_json::Value)>,
    ) -> Self {
        let mut supervisor = Self {
            settings,
            plugins: BTreeMap::new(),
            values_aside: BTreeMap::new(),
            stream: Stream::kept(now, stream),
            queued_bytes: 0,
            is_stopping: false,
            by: None,
            saves: SaveQueue::default(),
            ticket: Ticket(0),
            next_order: 1,
            outputs: VecDeque::new(),
        };
        for kept in kept {
            supervisor.restore(kept);
        }
        supervisor.announce_stream();
        supervisor
    }

    /// Takes what happened; what it causes is to be polled before the next.
    pub fn handle(&mut self, now: Now, input: Input) {
        self.by = None;
        match input {
            Input::Process { plugin, process, what } => {
                if self.process(&plugin).is_some_and(|it| it.number == process) {
                    self.on_process(now, &plugin, what);
                }
            }
            Input::Fetched { ticket, result } => self.on_fetched(now, ticket, result),
            Input::Committed { ticket } => self.on_committed(now, ticket),
            Input::CommitFailed { ticket, error } => self.on_commit_failed(now, ticket, &error),
            Input::FilesDone { plugin, result } => self.on_files_done(now, &plugin, result),
            Input::Timeout => self.on_timeout(now),
        }
    }

    fn on_process(&mut self, now: Now, plugin: &PluginId, what: ProcessInput) {
        match what {
            ProcessInput::Spawned { pid } => self.on_spawned(now, plugin, pid),
            ProcessInput::SpawnFailed(fault) => self.on_spawn_failed(now, plugin, fault),
            ProcessInput::Frame(frame) => self.on_frame(now, plugin, &frame),
            ProcessInput::Broken(broken) => self.on_broken(now, plugin, &broken),
            ProcessInput::Read { bytes } => {
                if let Some(process) = self.process_mut(plugin) {
                    process.budget.on_bytes(now.mono, bytes);
                }
            }
            ProcessInput::Held => self.on_held(plugin),
            ProcessInput::Resumed => self.on_resumed(now, plugin),
            ProcessInput::Taken { lane, messages, bytes } => {
                if let Some(process) = self.process_mut(plugin) {
                    process.outbox.on_taken(now.mono, lane, messages, bytes);
                    self.queued_bytes = self.queued_bytes.saturating_sub(bytes);
                }
            }
            ProcessInput::StdoutClosed => self.on_stdout_closed(now, plugin),
            ProcessInput::Exited(status) => self.on_exited(now, plugin, status),
            ProcessInput::Sampled { memory_bytes, cpu_permille } => {
                let plugin = plugin.clone();
                self.emit(Transition::Sampled { plugin, memory_bytes, cpu_permille });
            }
        }
    }

    /// The next thing to do, in order.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The next moment at which something is due.
    #[must_use]
    pub fn timeout(&self) -> Option<Mono> {
        let tick = (!self.is_stopping).then(|| self.stream.next_tick());
        self.plugins.values().filter_map(Plugin::timeout).chain(tick).chain(self.saves.again_at).min()
    }

    /// Whether a process may be read from.
    #[must_use]
    pub fn permit(&self, now: Now, plugin: &PluginId, process: u64) -> Permit {
        let Some(it) = self.process(plugin).filter(|it| it.number == process) else { return Permit::Full };
        if !it.outbox.can_answer(&self.settings.limits) {
            return Permit::Full;
        }
        it.budget.permit(now.mono)
    }

    /// Whether nothing runs, and no files are being put into place or deleted.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.plugins.values().all(|plugin| plugin.process().is_none() && plugin.pending.is_none())
    }

    /// Whether it was told to end all plugins, and they have ended.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.is_stopping && self.is_idle()
    }

    /// The plugins that have a process.
    pub fn running(&self) -> impl Iterator<Item = (&PluginId, u64)> {
        self.plugins.values().filter_map(|plugin| Some((&plugin.id, plugin.process()?.number)))
    }

    pub(super) fn plugin(&self, id: &PluginId) -> Option<&Plugin> {
        self.plugins.get(id)
    }

    pub(super) fn plugin_mut(&mut self, id: &PluginId) -> Option<&mut Plugin> {
        self.plugins.get_mut(id)
    }

    pub(super) fn process(&self, id: &PluginId) -> Option<&Process> {
        self.plugin(id)?.process()
    }

    pub(super) fn process_mut(&mut self, id: &PluginId) -> Option<&mut Process> {
        self.plugin_mut(id)?.process_mut()
    }

    /// Processes that are being started.
    pub(super) fn starting(&self) -> u64 {
        use crate::plugin::session::Phase;
        let starting = |plugin: &&Plugin| {
            plugin.process().is_some_and(|process| matches!(process.phase, Phase::Starting { .. }))
        };
        self.plugins.values().filter(starting).count() as u64
    }

    pub(super) const fn take_order(&mut self) -> u64 {
        let order = self.next_order;
        self.next_order += 1;
        order
    }

    /// The ticket that was given last.
    pub(super) const fn last_ticket(&self) -> Ticket {
        self.ticket
    }

    pub(super) const fn take_ticket(&mut self) -> Ticket {
        self.ticket = Ticket(self.ticket.0 + 1);
        self.ticket
    }

    pub(super) fn put_out(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(super) fn emit(&mut self, transition: Transition) {
        self.emit_with(transition, String::new());
    }

    pub(super) fn emit_with(&mut self, transition: Transition, text: impl Into<String>) {
        self.emit_of(None, transition, text);
    }

    pub(super) fn emit_of(&mut self, trace: Option<TraceId>, it: Transition, text: impl Into<String>) {
        self.put_out(Output::Transition { transition: it, text: text.into(), trace });
    }

    /// Takes a plugin over as it was kept.
    fn restore(&mut self, kept: RestoredPlugin) {
        let order = self.take_order();
        let mut plugin = Plugin::new(kept.plugin.clone(), order);
        plugin.exits = kept.exits.iter().map(|wall| Now { mono: Mono(0), wall: *wall }).collect();
        plugin.folder = kept.folder;
        plugin.values = kept.values.into_iter().collect();
        plugin.disabled = kept.disabled;
        let granted: CapabilitySet =
            kept.grants.iter().filter_map(|name| Capability::from_name(name)).collect();
        let always = kept.always.iter().map(|kind| Arc::from(kind.as_str())).collect();
        let consents = Consents { always, ..Consents::default() };
        match kept.manifest {
            Ok(manifest) => {
                let limits = &self.settings.limits;
                let package = Package::installed(manifest, kept.text, kept.command, granted, limits);
                let package = Package { consents, ..package };
                self.announce(&kept.plugin, &package);
                plugin.package = Some(package);
            }
            Err(why) => {
                self.announce_invalid(&kept.plugin, granted);
                plugin.invalid = Some(Invalid { text: kept.text, command: kept.command, granted, consents });
                plugin.disabled.get_or_insert((DisableCause::Manifest, why));
            }
        }
        if let Some((cause, why)) = plugin.disabled.clone() {
            self.emit_with(Transition::Disabled { plugin: kept.plugin.clone(), cause }, why);
        }
        self.plugins.insert(kept.plugin, plugin);
    }

    /// Starts all plugins that are not disabled.
    pub fn start_all(&mut self, now: Now) {
        for id in self.in_order() {
            self.start(now, &id);
        }
    }

    /// Asks all processes to end, side by side; nothing is started from now on.
    pub fn stop_all(&mut self, now: Now) {
        self.is_stopping = true;
        self.offer_again(now);
        for id in self.in_order() {
            self.end(now, &id, super::plugin::Next::Stop);
        }
    }

    /// Ends all processes at once.
    pub fn kill_all(&mut self, now: Now) {
        self.stop_all(now);
        for id in self.in_order() {
            self.kill(&id);
        }
    }

    /// All plugins, in the order in which they were installed.
    pub(super) fn in_order(&self) -> Vec<PluginId> {
        let mut plugins: Vec<_> = self.plugins.values().collect();
        plugins.sort_unstable_by_key(|plugin| plugin.order);
        plugins.into_iter().map(|plugin| plugin.id.clone()).collect()
    }

    fn on_timeout(&mut self, now: Now) {
        for id in self.in_order() {
            let Some(plugin) = self.plugin(&id) else { continue };
            if plugin.question.as_ref().is_some_and(|question| question.until <= now.mono) {
                self.on_question_over(now, &id);
            }
            match self.plugin(&id).map(|plugin| &plugin.state) {
                Some(State::Waiting { until }) if *until <= now.mono => self.start(now, &id),
                Some(State::Running(_)) => self.on_process_timeout(now, &id),
                _ => {}
            }
        }
        if self.saves.again_at.is_some_and(|at| at <= now.mono) {
            self.offer_again(now);
        }
        if !self.is_stopping && self.stream.next_tick() <= now.mono {
            self.on_tick(now);
        }
    }
}
