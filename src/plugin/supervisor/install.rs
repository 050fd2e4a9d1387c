//! Installing, serving and removing plugins; their files are the host's (rulings Plugins 7, 13).

use std::{collections::BTreeSet, sync::Arc};

use super::{
    Cause, Installation, Output, Record, Source, Supervisor,
    kept::Invalid,
    plugin::{Consents, Next, Package, Pending, Plugin, State, Update},
};
use crate::{
    ids::{PluginId, RequestId},
    limits,
    plugin::{
        About, Audited, DisableCause, Outcome, Refusal, Transition,
        capability::{Capability, CapabilitySet},
        manifest::Manifest,
    },
    time::Now,
};

impl Package {
    pub(super) fn new(
        manifest: Arc<Manifest>,
        text: Arc<str>,
        source: Source,
        command: Option<String>,
        granted: CapabilitySet,
        limits: &limits::Plugin,
    ) -> Self {
        let folder = if let Source::Folder(folder) = &source { Some(&**folder) } else { None };
        let about = Arc::new(manifest.about(folder, command.as_deref(), limits));
        Self { manifest, text, source, command, about, granted, consents: Consents::default() }
    }

    /// One that is installed.
    pub(super) fn installed(
        manifest: Arc<Manifest>,
        text: Arc<str>,
        command: Option<String>,
        granted: CapabilitySet,
        limits: &limits::Plugin,
    ) -> Self {
        Self::new(manifest, text, Source::Package, command, granted, limits)
    }
}

impl Plugin {
    /// What it was granted as it is installed, able to run or not.
    fn installed_grants(&self) -> CapabilitySet {
        let package = self.package.as_ref().map(|package| package.granted);
        package.or(self.invalid.as_ref().map(|invalid| invalid.granted)).unwrap_or_default()
    }

    /// What was decided of its credentials as it is installed, able to run or not.
    fn installed_consents(&self) -> Consents {
        let package = self.package.as_ref().map(|package| &package.consents);
        package.or(self.invalid.as_ref().map(|invalid| &invalid.consents)).cloned().unwrap_or_default()
    }
}

impl Supervisor {
    /// Installs or updates a plugin, or serves a folder. Of an installation the files are staged; the reply
    /// comes when they are in their place.
    ///
    /// # Errors
    /// If there are too many plugins, or a capability is none that the plugin asks for.
    pub fn install(&mut self, now: Now, cause: Cause, installation: Installation) -> Result<(), Refusal> {
        let Installation { manifest, text, folder, source, command, grant } = installation;
        let id = manifest.id.clone();
        let most = self.settings.limits.plugins_max;
        if !self.plugins.contains_key(&id) && self.plugins.len() as u64 >= most {
            return Err(Refusal::TooMany { most });
        }
        let is_served = matches!(source, Source::Folder(_));
        let kept = self.plugin(&id).filter(|_| !is_served).map(Plugin::installed_grants).unwrap_or_default();
        let granted = grants(&id, &manifest, grant)?.union(kept).intersection(manifest.asks);
        let mut package = Package::new(manifest, text, source, command, granted, &self.settings.limits);
        let plugin = self.plugin_or_new(&id);
        if plugin.pending.is_some() {
            return Err(Refusal::Invalid(format!("{id} is being installed or removed")));
        }
        if is_served {
            let aside = (plugin.disabled.take(), std::mem::take(&mut plugin.exits));
            let was_disabled = aside.0.is_some();
            match plugin.served.take() {
                None => plugin.set_aside = Some(aside),
                Some(before) if before.source == package.source => package.consents = before.consents,
                Some(_) => {}
            }
            package.consents.forget_denials(granted);
            plugin.served = Some(package);
            self.announce_current(&id);
            if was_disabled {
                self.emit(Transition::Enabled { plugin: id.clone() });
            }
            self.put_out(Output::Reply { request: cause.request, result: Ok(self.installed(&id, None)) });
            self.end(now, &id, Next::Start);
            return Ok(());
        }
        let update = Update { package, folder, was_disabled: plugin.disabled.is_some() };
        plugin.pending = Some(Pending::Install { update: Box::new(update), cause });
        self.end(now, &id, Next::Start);
        Ok(())
    }

    /// Removes a plugin; the reply comes when its files are gone.
    pub(super) fn remove(
        &mut self,
        now: Now,
        cause: Cause,
        id: &PluginId,
        purge: bool,
    ) -> Result<(), Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        if plugin.pending.is_some() {
            return Err(Refusal::Invalid(format!("{id} is being installed or removed")));
        }
        plugin.pending = Some(Pending::Remove { purge, cause });
        self.end(now, id, Next::Stop);
        Ok(())
    }

    /// Serves a folder no longer: what is installed under the same id runs again.
    pub(super) fn unserve(&mut self, now: Now, id: &PluginId) -> Result<Outcome, Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        if plugin.served.take().is_none() {
            return Err(Refusal::Invalid(format!("{id} is not served from a folder")));
        }
        let (disabled, exits) = plugin.set_aside.take().unwrap_or_default();
        (plugin.disabled, plugin.exits) = (disabled.clone(), exits);
        let is_installed = plugin.is_installed();
        self.announce_current(id);
        self.end(
            now,
            id,
            match disabled {
                Some((cause, why)) => Next::Disable(cause, why),
                None if is_installed => Next::Start,
                None => Next::Stop,
            },
        );
        Ok(Outcome::Done)
    }

    /// Nothing of the plugin runs: its files may be put into place, or deleted.
    pub(super) fn carry_out_pending(&mut self, id: &PluginId) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        plugin.state = State::Stopped;
        if std::mem::replace(&mut plugin.is_pending_begun, true) {
            return;
        }
        let output = match &plugin.pending {
            Some(Pending::Install { .. }) => Output::Place { plugin: id.clone() },
            Some(Pending::Remove { purge, .. }) => Output::Delete { plugin: id.clone(), purge: *purge },
            None => return,
        };
        self.put_out(output);
    }

    /// The files are where they belong, or are not.
    pub(super) fn on_files_done(&mut self, now: Now, id: &PluginId, result: Result<(), String>) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        plugin.is_pending_begun = false;
        let Some(pending) = plugin.pending.take() else { return };
        match pending {
            Pending::Install { update, cause } => {
                self.by = cause.by;
                self.on_placed(now, id, *update, cause.request, result);
            }
            Pending::Remove { purge, cause } => {
                self.by = cause.by;
                self.on_deleted(now, id, purge, cause.request, result);
            }
        }
    }

    fn on_placed(
        &mut self,
        now: Now,
        id: &PluginId,
        Update { package, folder, was_disabled }: Update,
        request: RequestId,
        result: Result<(), String>,
    ) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        if let Err(why) = result {
            // One that cannot run here, and one that was installed before, stay as they were.
            if plugin.is_there() {
                self.start(now, id);
            } else {
                let was_served = plugin.processes > 0;
                self.forget(id);
                if was_served {
                    self.emit(Transition::Removed { plugin: id.clone() });
                }
            }
            let refusal = Refusal::Invalid(format!("{id} was not installed: {why}"));
            self.put_out(Output::Reply { request, result: Err(refusal) });
            return;
        }
        let granted = package.granted;
        let had = plugin.installed_grants();
        let mut consents = plugin.installed_consents();
        consents.forget_denials(granted.difference(had));
        let replaced = plugin.package.replace(Package { consents, ..package });
        plugin.folder.clone_from(&folder);
        plugin.invalid = None;
        let (mut disabled, mut is_enabled) = (None, false);
        if plugin.served.is_some() {
            plugin.set_aside = None;
        } else if was_disabled {
            is_enabled = plugin.disabled.take().is_some();
            plugin.exits.clear();
        } else {
            // What the operator disabled meanwhile stays so.
            disabled.clone_from(&plugin.disabled);
            plugin.exits.clear();
        }
        let Some(package) = plugin.package.as_ref() else { return };
        let (text, command) = (package.text.clone(), package.command.clone());
        let version = package.manifest.version.to_string();
        let since = self.last_ticket();
        self.audit(now, id, Audited::Installed, &version);
        self.persist(Record::Installed { plugin: id.clone(), text, version, folder, command });
        self.persist(Record::Disabled { plugin: id.clone(), cause: disabled });
        self.persist(Record::Exits { plugin: id.clone(), exits: Vec::new() });
        self.keep_grants_of(id, granted);
        for capability in granted.iter().filter(|it| !had.contains(*it)) {
            self.audit(now, id, Audited::Granted, capability.name());
        }
        self.announce_current(id);
        if is_enabled {
            self.emit(Transition::Enabled { plugin: id.clone() });
        }
        let outcome = self.installed(id, replaced.map(|package| package.manifest.version.to_string()));
        self.reply_when_kept(request, since, Ok(outcome));
        self.start(now, id);
    }

    fn on_deleted(
        &mut self,
        now: Now,
        id: &PluginId,
        purge: bool,
        request: RequestId,
        result: Result<(), String>,
    ) {
        let since = self.last_ticket();
        let result = match result {
            Ok(()) => {
                if purge {
                    self.purge(id);
                } else {
                    self.forget(id);
                }
                self.persist(Record::Removed { plugin: id.clone(), purge });
                if !purge {
                    self.audit(now, id, Audited::Removed, "");
                }
                self.emit(Transition::Removed { plugin: id.clone() });
                Ok(Outcome::Done)
            }
            // It was stopped for this. The operator starts it again, or removes it once the cause is gone.
            Err(why) => {
                self.disable(now, id, DisableCause::ByOperator, format!("it was not removed: {why}"));
                Err(Refusal::Invalid(format!("{id} was not removed, and is disabled: {why}")))
            }
        };
        self.reply_when_kept(request, since, result);
    }

    fn installed(&self, id: &PluginId, replaced: Option<String>) -> Outcome {
        let about = self.plugin(id).and_then(|plugin| plugin.current()).map(|it| it.about.clone());
        let version = about.map(|about| about.version.to_string()).unwrap_or_default();
        Outcome::Installed { plugin: id.clone(), version, replaced }
    }

    /// Says what a plugin is and what it may use.
    pub(super) fn announce(&mut self, id: &PluginId, package: &Package) {
        let about: Arc<About> = package.about.clone();
        self.emit(Transition::Installed { plugin: id.clone(), about });
        let capabilities = package.granted.iter().map(|it| Arc::from(it.name())).collect();
        self.emit(Transition::Granted { plugin: id.clone(), capabilities });
    }

    pub(super) fn announce_current(&mut self, id: &PluginId) {
        let Some(plugin) = self.plugin(id) else { return };
        match (plugin.current().cloned(), &plugin.invalid) {
            (Some(package), _) => self.announce(id, &package),
            (None, Some(Invalid { granted, .. })) => self.announce_invalid(id, *granted),
            (None, None) => {}
        }
    }

    /// Keeps what an installed plugin may use.
    pub(super) fn keep_grants(&mut self, id: &PluginId) {
        let Some(plugin) = self.plugin(id).filter(|plugin| plugin.is_kept()) else { return };
        let granted = plugin.package.as_ref().map(|package| package.granted).unwrap_or_default();
        self.keep_grants_of(id, granted);
    }

    fn keep_grants_of(&mut self, id: &PluginId, granted: CapabilitySet) {
        let Some(plugin) = self.plugin(id) else { return };
        let capabilities = granted.iter().map(|it| it.name().to_owned()).collect();
        let always = plugin.installed_consents().always.iter().map(ToString::to_string).collect();
        self.persist(Record::Grants { plugin: id.clone(), capabilities, always });
    }
}

/// What is to be granted: what is named, else all that it asks for; a credential is asked for still.
fn grants(id: &PluginId, manifest: &Manifest, named: Option<Vec<String>>) -> Result<CapabilitySet, Refusal> {
    let Some(named) = named else { return Ok(manifest.asks) };
    asked(id, manifest.asks, &named)
}

/// The capabilities of these names, each one that the plugin asks for.
pub(super) fn asked(id: &PluginId, asks: CapabilitySet, named: &[String]) -> Result<CapabilitySet, Refusal> {
    let wanted: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    wanted
        .into_iter()
        .map(|name| {
            Capability::from_name(name)
                .filter(|it| asks.contains(*it))
                .ok_or_else(|| Refusal::UnknownCapability { plugin: id.clone(), capability: name.to_owned() })
        })
        .collect()
}
