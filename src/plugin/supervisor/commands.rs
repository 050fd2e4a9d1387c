//! What the operator wants.

use std::sync::Arc;

use serde_json::Value;

use super::{Cause, Record, Supervisor, install::asked, methods::PanelValues, plugin::Next};
use crate::{
    ids::PluginId,
    plugin::{
        Audited, Command, DisableCause, Outcome, Refusal, Transition,
        capability::{Capability, Hook},
        rpc,
    },
    time::Now,
};

impl Supervisor {
    /// Does what the operator wants. Its result comes as [`Output::Reply`](super::Output::Reply), at once or
    /// later: that of a change when it is durable.
    pub fn command(&mut self, now: Now, cause: Cause, command: Command) {
        let request = cause.request;
        self.by.clone_from(&cause.by);
        let since = self.last_ticket();
        if let Some(result) = self.do_command(now, cause, command).transpose() {
            self.reply_when_kept(request, since, result);
        }
        self.by = None;
    }

    /// Nothing where the reply comes later.
    fn do_command(&mut self, now: Now, cause: Cause, command: Command) -> Result<Option<Outcome>, Refusal> {
        match command {
            // Their folders are looked at before: see `install`.
            Command::Install { folder, .. } | Command::Serve { folder, .. } => {
                Err(Refusal::Invalid(format!("{folder} was not looked at")))
            }
            Command::Unserve { plugin } => self.unserve(now, &plugin).map(Some),
            Command::Remove { plugin, purge } => self.remove(now, cause, &plugin, purge).map(|()| None),
            Command::Enable { plugin } => self.enable(now, &plugin).map(Some),
            Command::Disable { plugin } => self.disable_by_operator(now, &plugin).map(Some),
            Command::Restart { plugin } => self.restart_by_operator(now, &plugin).map(Some),
            Command::Grant { plugin, capabilities } => self.grant(now, &plugin, &capabilities).map(Some),
            Command::Revoke { plugin, capabilities } => self.revoke(now, &plugin, &capabilities).map(Some),
            Command::Allow { plugin, always } => {
                self.allow(now, &plugin, always).map(|()| Some(Outcome::Done))
            }
            Command::Deny { plugin } => self.deny(now, &plugin).map(|()| Some(Outcome::Done)),
            Command::Set { plugin, key, value } => self.set_value(now, &plugin, &key, value).map(Some),
            Command::Invoke { action, args, plugin, timeout_ms } => {
                self.invoke(now, &cause, &action, &args, plugin.as_ref(), timeout_ms).map(|()| None)
            }
            Command::Event { plugin, name, params } => self.event(now, &plugin, &name, &params).map(Some),
            Command::Stream(command) => self.declare(now, command).map(Some),
        }
    }

    fn known(&self, id: &PluginId) -> Result<(), Refusal> {
        self.plugin(id).map(|_| ()).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))
    }

    /// Why a plugin whose manifest is not valid cannot be worked with.
    fn cannot_run(&self, id: &PluginId) -> Refusal {
        let why = self.plugin(id).and_then(|plugin| plugin.disabled.as_ref()).map(|(_, why)| why.clone());
        Refusal::CannotRun { plugin: id.clone(), why: why.unwrap_or_default() }
    }

    fn enable(&mut self, now: Now, id: &PluginId) -> Result<Outcome, Refusal> {
        self.known(id)?;
        let Some(plugin) = self.plugin_mut(id) else { return Ok(Outcome::Done) };
        if plugin.current().is_none() {
            return Err(self.cannot_run(id));
        }
        if plugin.disabled.take().is_some() {
            if plugin.is_kept() {
                self.persist(Record::Disabled { plugin: id.clone(), cause: None });
            }
            self.audit(now, id, Audited::Enabled, "");
            self.emit(Transition::Enabled { plugin: id.clone() });
            self.restart(now, id);
        } else if self.process(id).is_none() {
            self.restart(now, id);
        }
        Ok(Outcome::Done)
    }

    fn restart_by_operator(&mut self, now: Now, id: &PluginId) -> Result<Outcome, Refusal> {
        self.known(id)?;
        if self.plugin(id).is_some_and(|plugin| plugin.disabled.is_some()) {
            return self.enable(now, id);
        }
        self.restart(now, id);
        Ok(Outcome::Done)
    }

    fn disable_by_operator(&mut self, now: Now, id: &PluginId) -> Result<Outcome, Refusal> {
        self.known(id)?;
        if self.plugin(id).is_some_and(|plugin| plugin.disabled.is_some()) {
            return Ok(Outcome::Done);
        }
        if self.plugin(id).is_some_and(|plugin| plugin.current().is_none()) {
            return Err(Refusal::NotUp(id.clone()));
        }
        let (cause, why) = (DisableCause::ByOperator, "by the operator".to_owned());
        self.keep_disabled(now, id, cause, why.clone());
        self.end(now, id, Next::Disable(cause, why));
        Ok(Outcome::Done)
    }

    /// Forgets earlier exits.
    pub(super) fn clear_exits(&mut self, id: &PluginId) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        let had = !plugin.exits.is_empty();
        plugin.exits.clear();
        if had && plugin.is_kept() {
            self.persist(Record::Exits { plugin: id.clone(), exits: Vec::new() });
        }
    }

    fn grant(&mut self, now: Now, id: &PluginId, names: &[String]) -> Result<Outcome, Refusal> {
        self.known(id)?;
        let Some(package) = self.plugin_mut(id).and_then(|plugin| plugin.current_mut()) else {
            return Err(self.cannot_run(id));
        };
        let wanted = asked(id, package.manifest.asks, names)?;
        let added: Vec<Capability> = wanted.iter().filter(|it| !package.granted.contains(*it)).collect();
        package.granted = package.granted.union(wanted);
        package.consents.forget_denials(wanted);
        for capability in &added {
            self.audit(now, id, Audited::Granted, capability.name());
        }
        self.on_grants(now, id, !added.is_empty());
        Ok(Outcome::Done)
    }

    fn revoke(&mut self, now: Now, id: &PluginId, names: &[String]) -> Result<Outcome, Refusal> {
        self.known(id)?;
        let Some(package) = self.plugin_mut(id).and_then(|plugin| plugin.current_mut()) else {
            return Err(self.cannot_run(id));
        };
        let taken = asked(id, package.manifest.asks, names)?;
        let taken: Vec<Capability> = taken.iter().filter(|it| package.granted.contains(*it)).collect();
        for capability in &taken {
            package.granted.remove(*capability);
        }
        let mut needs_restart = false;
        for capability in taken {
            let name: Arc<str> = Arc::from(capability.name());
            self.audit(now, id, Audited::Revoked, &name);
            self.emit(Transition::Revoked { plugin: id.clone(), capability: name.clone() });
            match capability {
                Capability::Credential(_) => self.revoke_credential(now, id, &name),
                _ => needs_restart = true,
            }
        }
        self.on_grants(now, id, needs_restart);
        Ok(Outcome::Done)
    }

    /// What a plugin may use changed: it learns of it by a restart, which is not counted.
    fn on_grants(&mut self, now: Now, id: &PluginId, needs_restart: bool) {
        self.keep_grants(id);
        let granted = self.plugin(id).and_then(|plugin| plugin.current()).map(|it| it.granted);
        let capabilities = granted.unwrap_or_default().iter().map(|it| Arc::from(it.name())).collect();
        self.emit(Transition::Granted { plugin: id.clone(), capabilities });
        if needs_restart && self.process(id).is_some_and(|process| !process.is_ending()) {
            self.end(now, id, Next::Start);
        }
    }

    fn set_value(
        &mut self,
        now: Now,
        id: &PluginId,
        key: &str,
        value: Option<Value>,
    ) -> Result<Outcome, Refusal> {
        self.known(id)?;
        let unknown = || Refusal::UnknownKey { plugin: id.clone(), key: key.to_owned() };
        let process = self.process(id).ok_or_else(|| Refusal::NotUp(id.clone()))?;
        let schema = process.panel.clone().ok_or_else(|| Refusal::NoPanel(id.clone()))?;
        let field = schema.field(key).ok_or_else(unknown)?;
        if let Some(value) = &value {
            field.check(value).map_err(|fault| Refusal::Value { key: key.to_owned(), fault })?;
        }
        let Some(plugin) = self.plugin_mut(id) else { return Ok(Outcome::Done) };
        let text = value.as_ref().map(ToString::to_string).unwrap_or_default();
        match value.clone() {
            Some(value) => _ = plugin.values.insert(key.to_owned(), value),
            None => _ = plugin.values.remove(key),
        }
        self.persist(Record::Value { plugin: id.clone(), key: key.to_owned(), value });
        self.audit(now, id, Audited::ValueSet, key);
        self.emit_with(Transition::ValueSet { plugin: id.clone(), key: Arc::from(key) }, text);
        let takes = self.process(id).is_some_and(|process| process.hooks.contains(&Hook::OnPanelChange));
        let params = PanelValues { values: self.panel_values(id) };
        if takes {
            self.send_hook(now, id, Hook::OnPanelChange, &params);
        }
        Ok(Outcome::Done)
    }

    /// Delivers one event by hand.
    fn event(&mut self, now: Now, id: &PluginId, name: &str, params: &Value) -> Result<Outcome, Refusal> {
        self.known(id)?;
        let Some(process) = self.process(id).filter(|process| process.pings.is_some()) else {
            return Err(Refusal::NotUp(id.clone()));
        };
        let Some(hook) = Hook::from_name(name) else {
            return Err(Refusal::Invalid(format!(
                "no event {name}: one of {}",
                Hook::ALL.map(Hook::name).join(", ")
            )));
        };
        if !process.hooks.contains(&hook) {
            let hooks: Vec<_> = process.hooks.iter().map(|hook| hook.name()).collect();
            let takes = if hooks.is_empty() { "none".to_owned() } else { hooks.join(", ") };
            return Err(Refusal::Invalid(format!("{id} does not take {name}: it takes {takes}")));
        }
        if !params.is_object() {
            return Err(Refusal::Invalid("the params must be a JSON object".to_owned()));
        }
        let Ok(frame) = rpc::notification(hook.name(), params) else {
            return Err(Refusal::Invalid("the event is over 4 MiB".to_owned()));
        };
        let sent = self.send_event(now, id, &Arc::from(hook.name()), frame);
        Ok(Outcome::Delivered { receivers: u64::from(sent) })
    }
}
