//! Starting processes, up to `initialized` (streamnook-plugin-v1, Handshake; ruling Plugins 1).

use std::{collections::BTreeSet, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use super::{
    Output, SpawnFault, Supervisor,
    plugin::{Next, State},
};
use crate::{
    ids::PluginId,
    plugin::{
        DisableCause, ExitStatus, Lint, Transition, UnhealthyCause,
        capability::Hook,
        rpc::{PluginError, RawJson},
        session::{Lane, OpenRequest, Phase, Pings, Process},
        snapshot::RESTART_COUNTS,
    },
    time::Now,
};

/// The version of the protocol (streamnook-plugin-v1, Versioning rules).
pub(super) const PROTOCOL_VERSION: u64 = 1;

/// Bytes of an error's message that are kept.
const MESSAGE_BYTES_MAX: u64 = 65_536;

/// No params.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Empty {}

#[derive(Serialize)]
struct Initialize<'a> {
    protocol_version: u64,
    host_version: &'a str,
    plugin_id: &'a str,
    granted: Value,
    data_dir: String,
    log_dir: String,
}

/// What a plugin answers to `initialize`.
#[derive(Debug)]
pub(super) struct Introduction {
    pub(super) version: Arc<str>,
    pub(super) hooks: BTreeSet<Hook>,
    lints: Vec<(Lint, String)>,
}

impl Supervisor {
    /// Starts a process, or has it wait for others that are being started.
    pub(super) fn start(&mut self, now: Now, id: &PluginId) {
        let has_room = self.starting() < self.settings.limits.starting_max;
        let is_stopping = self.is_stopping;
        let limits = self.settings.limits;
        let Some(plugin) = self.plugin_mut(id) else { return };
        if plugin.process().is_some() {
            return;
        }
        if is_stopping || !plugin.may_start() {
            plugin.state = State::Stopped;
            return;
        }
        if !has_room {
            plugin.state = State::Queued;
            return;
        }
        plugin.processes += 1;
        let number = plugin.processes;
        plugin.next = Next::Judge;
        let process = Process::new(now, number, plugin.granted(), &limits);
        plugin.state = State::Running(Box::new(process));
        let counted = plugin.exits.iter().filter(|exit| now.since(**exit) < RESTART_COUNTS).count();
        let restarts = Some(u32::try_from(counted).unwrap_or(u32::MAX));
        self.emit(Transition::Starting { plugin: id.clone(), process: number, restarts });
        self.put_out(Output::Spawn { plugin: id.clone(), process: number });
    }

    /// Starts those that waited, as far as there is room.
    pub(super) fn start_queued(&mut self, now: Now) {
        for id in self.in_order() {
            if self.plugin(&id).is_some_and(|plugin| matches!(plugin.state, State::Queued)) {
                self.start(now, &id);
            }
        }
    }

    pub(super) fn on_spawned(&mut self, now: Now, id: &PluginId, pid: u32) {
        let Some(process) = self.process_mut(id) else { return };
        process.pid = Some(pid);
        if !matches!(process.phase, Phase::Starting { .. }) {
            return;
        }
        let granted = process.granted.lists();
        let folder = &self.settings.folder;
        let params = Initialize {
            protocol_version: PROTOCOL_VERSION,
            host_version: &self.settings.host_version.clone(),
            plugin_id: &id.to_string(),
            granted: serde_json::to_value(granted).unwrap_or_default(),
            data_dir: format!("{folder}/{id}/data"),
            log_dir: format!("{folder}/{id}/log"),
        };
        self.request(now, id, "initialize", &params, OpenRequest::Initialize);
    }

    pub(super) fn on_spawn_failed(&mut self, now: Now, id: &PluginId, fault: SpawnFault) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        let State::Running(process) = std::mem::take(&mut plugin.state) else { return };
        let (next, is_blamed) = (plugin.next.clone(), process.is_ending());
        self.clear_up(now, id, *process);
        self.emit(Transition::Stopped { plugin: id.clone(), status: ExitStatus::Unknown });
        // One that was to end anyway is not blamed: what runs next may be another entry.
        if next == Next::Judge && fault.is_entry {
            self.disable(now, id, DisableCause::EntryNotExecutable, fault.why);
        } else if next == Next::Judge {
            if !is_blamed {
                let cause = UnhealthyCause::Exited;
                self.emit_with(Transition::Unhealthy { plugin: id.clone(), cause }, fault.why);
            }
            self.judge_exit(now, id);
        }
        self.carry_out(now, id, next);
        self.start_queued(now);
    }

    /// The answer to `initialize`.
    pub(super) fn on_initialized(&mut self, now: Now, id: &PluginId, outcome: Result<RawJson, PluginError>) {
        match self.introduction(id, outcome) {
            Ok(introduction) => self.on_introduced(now, id, introduction),
            Err((Some(cause), why)) => self.fail(now, id, cause, why),
            Err((None, why)) => {
                self.put_next(id, Next::Disable(DisableCause::ProtocolVersion, why));
                self.kill(id);
            }
        }
    }

    /// What the answer says; or why the process is ended, without a cause where it speaks another version.
    pub(super) fn introduction(
        &self,
        id: &PluginId,
        outcome: Result<RawJson, PluginError>,
    ) -> Result<Introduction, (Option<UnhealthyCause>, String)> {
        let refused = Some(UnhealthyCause::HandshakeRefused);
        let result = match outcome {
            Ok(result) => result,
            Err(error) if error.code == crate::plugin::Code::InvalidRequest.number() => {
                return Err((
                    None,
                    format!("initialize was refused: {} ({})", cut(&error.message), error.code),
                ));
            }
            Err(error) => {
                return Err((
                    refused,
                    format!("initialize failed: {} ({})", cut(&error.message), error.code),
                ));
            }
        };
        let Ok(Value::Object(result)) = serde_json::from_str(result.text()) else {
            return Err((refused, "the result of initialize is no object".to_owned()));
        };
        if let Some(version) = result.get("protocol_version").and_then(integer)
            && version != PROTOCOL_VERSION.to_string()
        {
            return Err((None, format!("it speaks protocol version {version}; this host speaks 1")));
        }
        let mut lints = Vec::new();
        let version = result.get("plugin_version").and_then(Value::as_str).unwrap_or_else(|| {
            lints.push((Lint::PluginVersion, String::new()));
            "unknown"
        });
        let version = Arc::from(crate::words::cut(version, self.settings.limits.id_bytes_max));
        let mut hooks = BTreeSet::new();
        for name in hook_names(&result, &mut lints) {
            let granted = self.process(id).map(|process| process.granted).unwrap_or_default();
            match Hook::from_name(&name).filter(|hook| granted.takes(*hook)) {
                Some(hook) => _ = hooks.insert(hook),
                None => lints.push((Lint::HookNotGranted, name)),
            }
        }
        Ok(Introduction { version, hooks, lints })
    }

    fn on_introduced(&mut self, now: Now, id: &PluginId, introduction: Introduction) {
        for (lint, seen) in introduction.lints {
            self.lint(id, lint, seen);
        }
        let names = introduction.hooks.iter().map(|hook| Arc::from(hook.name())).collect();
        let Some(process) = self.process_mut(id) else { return };
        process.phase = Phase::Up;
        process.hooks = introduction.hooks;
        process.pings = Some(Pings::new(now.mono));
        let pid = process.pid.unwrap_or_default();
        let start_us = u64::try_from(now.since(process.spawned_at).as_micros()).unwrap_or(u64::MAX);
        self.notification(now, id, "initialized", &Empty {}, Lane::Answer);
        let (plugin, version) = (id.clone(), introduction.version);
        self.emit(Transition::Up { plugin, pid, version, hooks: names, start_us });
        self.send_followed_live(now, id);
        self.start_queued(now);
    }
}

/// A message of a plugin that is kept; the host masks and cuts it further.
fn cut(message: &str) -> &str {
    crate::words::cut(message, MESSAGE_BYTES_MAX)
}

/// An integer as its text, however large.
fn integer(value: &Value) -> Option<String> {
    value.as_number().filter(|number| !number.is_f64()).map(ToString::to_string)
}

fn hook_names(result: &serde_json::Map<String, Value>, lints: &mut Vec<(Lint, String)>) -> Vec<String> {
    let names = result.get("hooks").and_then(Value::as_array).and_then(|hooks| {
        hooks.iter().map(|hook| hook.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    names.unwrap_or_else(|| {
        lints.push((Lint::Hooks, String::new()));
        Vec::new()
    })
}
