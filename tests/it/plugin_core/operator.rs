//! What the operator wants.

use rl_console::{
    ids::PluginId,
    plugin::{Channel, ChatMessage, Command, StreamCommand, Transition},
};
use serde_json::json;

use super::world::World;

pub(super) const HOOKS: [&str; 7] = [
    "on_stream_start",
    "on_stream_stop",
    "on_channel_change",
    "on_watch_tick",
    "on_followed_live",
    "on_chat_message",
    "on_panel_change",
];

const CAPABILITIES: [&str; 6] = ["twitch.android", "notify", "log", "on_watch_tick", "panel", "set_upstream"];

/// The manifest of a plugin, in a version.
pub(super) fn toml(id: &PluginId, version: u64) -> String {
    let hooks = HOOKS.join("\", \"");
    format!(
        r#"id = "{id}"
name = "Example"
version = "1.{version}.0"
author = "somebody"
tier = "B"
description = "does something"
host_min = "7.0.0"
[runtime]
kind = "process"
entry = "run"
[capabilities]
events = ["{hooks}"]
host_methods = ["get_followed_live", "set_upstream", "notify", "log", "register_panel", "get_panel_values"]
credentials = ["twitch.android"]
ui = ["panel"]
[contributes]
actions = ["clip.create"]
status = ["example.state"]
"#
    )
}

fn channel(login: &str) -> Channel {
    serde_json::from_value(json!({ "login": login })).unwrap()
}

impl World {
    fn do_command(&mut self, command: Command) -> bool {
        let cause = self.cause();
        let request = cause.request.0;
        self.begin_input();
        self.core.command(self.now, cause, command);
        self.drain(&[]);
        !self.unanswered.contains(&request)
    }

    /// A command for one plugin.
    pub(super) fn operate(&mut self, id: &PluginId, step: u64) {
        let plugin = id.clone();
        if self.rng.u8(..24) == 0 {
            self.disable(id);
            return if self.rng.bool() { self.enable(id) } else { self.restart(id) };
        }
        match self.rng.u8(..32) {
            0..2 => self.install(&toml(id, step), false, None),
            2 => {
                let grant = vec!["on_chat_message".to_owned(), "twitch.android".to_owned()];
                self.install(&toml(id, step), true, Some(grant));
            }
            3 => self.unserve(id),
            4 => self.remove(id),
            5 => self.enable(id),
            6 => self.disable(id),
            7..9 => self.restart(id),
            9..11 => self.grant(id),
            11..16 => {
                let always = self.rng.u8(..4) == 0;
                self.do_command(Command::Allow { plugin, always });
            }
            16..19 => _ = self.do_command(Command::Deny { plugin }),
            19..22 => self.set_value(step),
            22..29 => {
                let named = self.rng.bool().then_some(plugin);
                let timeout_ms = [1, 5_000, 30_000, 600_000][self.rng.usize(..4)];
                let (action, args) = ("clip.create".to_owned(), json!({ "n": step }));
                self.do_command(Command::Invoke { action, args, plugin: named, timeout_ms });
            }
            _ => {
                self.happened.push(("on_chat_message", format!("by hand {step};")));
                let (name, params) = ("on_chat_message".to_owned(), json!({"x": format!("by hand {step};")}));
                self.do_command(Command::Event { plugin, name, params });
            }
        }
    }

    /// Sets a value of a panel, of whoever has one.
    fn set_value(&mut self, step: u64) {
        let shown = self.tapped.live.plugins.iter();
        let mut with_panel: Vec<_> =
            shown.filter(|(_, view)| view.panel.is_some()).map(|(id, _)| id.clone()).collect();
        if with_panel.is_empty() {
            return;
        }
        let plugin = with_panel.swap_remove(self.rng.usize(..with_panel.len()));
        let text = (self.rng.u8(..4) > 0).then(|| format!("v{step};"));
        self.happened.push(("on_panel_change", text.clone().unwrap_or_default()));
        self.do_command(Command::Set { plugin, key: "name".to_owned(), value: text.map(Into::into) });
    }

    /// What a plugin asks for is allowed when its process is being killed.
    pub(super) fn allow_too_late(&mut self, id: &PluginId) {
        self.ask_credential(id);
        self.break_stream(id);
        self.do_command(Command::Allow { plugin: id.clone(), always: false });
        while !self.fetches.is_empty() {
            self.fetched(0);
        }
    }

    fn unserve(&mut self, id: &PluginId) {
        if self.served.remove(id) {
            self.mark_by_hand(id);
            let rule = self.rules.get_mut(id).unwrap();
            rule.exits = rule.aside.take().unwrap_or_default();
            (rule.due, rule.is_wanted) = (None, true);
        }
        self.do_command(Command::Unserve { plugin: id.clone() });
        if !self.core_knows(id) {
            self.rules.remove(id);
        }
    }

    fn remove(&mut self, id: &PluginId) {
        if self.core_knows(id) {
            self.mark_by_hand(id);
            self.rules.get_mut(id).unwrap().due = None;
        }
        let purge = self.rng.bool();
        self.do_command(Command::Remove { plugin: id.clone(), purge });
    }

    fn enable(&mut self, id: &PluginId) {
        let has_process = self.processes.contains_key(id);
        let before = self.rules.get(id).cloned();
        if let Some(rule) = self.rules.get_mut(id) {
            rule.is_wanted = true;
            rule.due = None;
        }
        self.do_command(Command::Enable { plugin: id.clone() });
        let is_enabled = self.moved.iter().any(|it| matches!(it, Transition::Enabled { .. }));
        if is_enabled || !has_process {
            if let Some(rule) = self.rules.get_mut(id) {
                rule.exits.clear();
            }
            if has_process {
                self.mark_by_hand(id);
            }
        } else if let Some(rule) = before {
            self.rules.insert(id.clone(), rule);
        }
    }

    fn disable(&mut self, id: &PluginId) {
        if self.core_knows(id) {
            self.mark_by_hand(id);
            let rule = self.rules.get_mut(id).unwrap();
            (rule.due, rule.is_wanted) = (None, false);
        }
        self.do_command(Command::Disable { plugin: id.clone() });
    }

    fn restart(&mut self, id: &PluginId) {
        self.mark_by_hand(id);
        if let Some(rule) = self.rules.get_mut(id) {
            rule.by_hand();
        }
        self.do_command(Command::Restart { plugin: id.clone() });
    }

    fn grant(&mut self, id: &PluginId) {
        let count = self.rng.usize(1..3);
        let names = (0..count).map(|_| CAPABILITIES[self.rng.usize(..CAPABILITIES.len())].to_owned());
        let (plugin, capabilities) = (id.clone(), names.collect());
        let is_granted = self.rng.u8(..3) > 0;
        if let Some(rule) = self.rules.get_mut(id).filter(|_| self.processes.contains_key(id)) {
            rule.is_wanted = true;
        }
        self.do_command(if is_granted {
            Command::Grant { plugin, capabilities }
        } else {
            Command::Revoke { plugin, capabilities }
        });
    }

    /// A declaration of the stream.
    pub(super) fn declare(&mut self, step: u64) {
        let command = match self.rng.u8(..16) {
            0..3 => {
                let login = format!("c{};", if self.rng.bool() { step } else { 1 });
                self.happened.push(("on_stream_start", login.clone()));
                self.happened.push(("on_channel_change", login.clone()));
                StreamCommand::Set { channel: channel(&login) }
            }
            3 => {
                let login = self.core.stream_detail().channel.map(|it| it.login).unwrap_or_default();
                self.happened.push(("on_stream_stop", login));
                StreamCommand::Stop
            }
            4 => {
                let login = format!("l{step};");
                self.happened.push(("on_followed_live", login.clone()));
                StreamCommand::Live { channels: vec![channel(&login)] }
            }
            5 => StreamCommand::AddSession { id: ["s1", "s2", "solo"][self.rng.usize(..3)].to_owned() },
            6 => StreamCommand::RemoveSession { id: ["s1", "s2"][self.rng.usize(..2)].to_owned() },
            _ => return self.chat(step),
        };
        self.do_command(Command::Stream(command));
    }

    fn chat(&mut self, step: u64) {
        let (count, length) =
            (self.rng.u64(1..12), [10, 200, 9_000][self.rng.choice([0, 0, 1, 1, 2]).unwrap()]);
        let messages: Vec<ChatMessage> = (0..count)
            .map(|n| {
                let text = format!("m{step}.{n};{}", "x".repeat(length));
                self.happened.push(("on_chat_message", format!("m{step}.{n};")));
                serde_json::from_value(json!({ "text": text })).unwrap()
            })
            .collect();
        let free: Vec<_> = self
            .processes
            .values()
            .filter(|it| it.is_introduced && !it.is_stopping && !it.is_killed && it.events.messages == 0)
            .filter(|it| it.hooks.contains(&"on_chat_message"))
            .map(|it| it.plugin.clone())
            .collect();
        let has_room = self.queued_bytes() + 20_000 * free.len() as u64 <= self.limits.queued_bytes_max;
        let plays = self.core.stream_detail().channel.is_some();
        let before = self.happened.len() - usize::try_from(count).unwrap();
        self.do_command(Command::Stream(StreamCommand::Chat { messages }));
        for id in free.into_iter().filter(|_| plays && has_room) {
            let process = &self.processes[&id];
            assert!(process.last_event.is_some_and(|at| at >= before), "{id} has room, and was sent nothing");
        }
    }
}
