//! Installing, serving and removing plugins; their files are the host's (rulings Plugins 7, 13).

use std::{collections::BTreeSet, sync::Arc};

use super::{
    Cause, Installation, Output, Record, Source, Supervisor,
    plugin::{Next, Package, Pending, Plugin, State},
};
use crate::{
    ids::{PluginId, RequestId},
    limits,
    plugin::{
        About, Audited, Outcome, Refusal, Transition,
        capability::{Capability, CapabilitySet},
        manifest::Manifest,
    },
    time::Now,
};

impl Package {
    fn new(
        manifest: Arc<Manifest>,
        text: Arc<str>,
        source: Source,
        command: Option<String>,
        granted: CapabilitySet,
        limits: &limits::Plugin,
    ) -> Self {
        let folder = if let Source::Folder(folder) = &source { Some(&**folder) } else { None };
        let about = Arc::new(manifest.about(folder, command.as_deref(), limits));
        Self { manifest, text, source, command, about, granted }
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

impl Supervisor {
    /// Installs or updates a plugin, or serves a folder. Of an installation the files are staged; the reply
    /// comes when they are in their place.
    ///
    /// # Errors
    /// If there are too many plugins, or a capability is none that the plugin asks for.
    pub fn install(&mut self, now: Now, cause: Cause, installation: Installation) -> Result<(), Refusal> {
        let Installation { manifest, text, source, command, grant } = installation;
        let id = manifest.id.clone();
        let most = self.settings.limits.plugins_max;
        if !self.plugins.contains_key(&id) && self.plugins.len() as u64 >= most {
            return Err(Refusal::TooMany { most });
        }
        let is_served = matches!(source, Source::Folder(_));
        let before = self.plugin(&id).and_then(|plugin| plugin.package.as_ref());
        let kept = before.filter(|_| !is_served).map(|package| package.granted).unwrap_or_default();
        let granted = grants(&id, &manifest, grant)?.union(kept).intersection(manifest.asks);
        let package = Package::new(manifest, text, source, command, granted, &self.settings.limits);
        let order = self.take_order();
        let plugin = self.plugins.entry(id.clone()).or_insert_with(|| Plugin::new(id.clone(), order));
        if plugin.pending.is_some() {
            return Err(Refusal::Invalid(format!("{id} is being installed or removed")));
        }
        if is_served {
            let aside = (plugin.disabled.take(), std::mem::take(&mut plugin.exits));
            if plugin.served.replace(package).is_none() {
                plugin.set_aside = Some(aside);
            }
            plugin.forget_denials(granted);
            self.announce_current(&id);
            self.put_out(Output::Reply { request: cause.request, result: Ok(self.installed(&id, None)) });
            self.end(now, &id, Next::Start);
            return Ok(());
        }
        plugin.pending = Some(Pending::Install { package: Box::new(package), request: cause.request });
        self.end(now, &id, Next::Start);
        Ok(())
    }

    /// Removes a plugin; the reply comes when its files are gone.
    pub(super) fn remove(
        &mut self,
        now: Now,
        request: RequestId,
        id: &PluginId,
        purge: bool,
    ) -> Result<(), Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        if plugin.pending.is_some() {
            return Err(Refusal::Invalid(format!("{id} is being installed or removed")));
        }
        plugin.pending = Some(Pending::Remove { purge, request });
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
        let is_installed = plugin.package.is_some();
        if is_installed {
            self.announce_current(id);
        }
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
            Pending::Install { package, request } => {
                self.on_placed(now, id, *package, request, result);
            }
            Pending::Remove { purge, request } => self.on_deleted(id, purge, request, result),
        }
    }

    fn on_placed(
        &mut self,
        now: Now,
        id: &PluginId,
        package: Package,
        request: RequestId,
        result: Result<(), String>,
    ) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        if let Err(why) = result {
            let is_new = plugin.current().is_none();
            if is_new {
                self.plugins.remove(id);
            } else {
                self.start(now, id);
            }
            let refusal = Refusal::Invalid(format!("{id} was not installed: {why}"));
            self.put_out(Output::Reply { request, result: Err(refusal) });
            return;
        }
        let granted = package.granted;
        let replaced = plugin.package.replace(package);
        let had = replaced.as_ref().map(|package| package.granted).unwrap_or_default();
        if plugin.served.is_some() {
            plugin.set_aside = None;
        } else {
            plugin.disabled = None;
            plugin.exits.clear();
        }
        plugin.forget_denials(granted.difference(had));
        let Some(package) = plugin.package.as_ref() else { return };
        let (text, command) = (package.text.clone(), package.command.clone());
        let version = package.manifest.version.to_string();
        self.persist(Record::Installed { plugin: id.clone(), text, version, command });
        self.persist(Record::Disabled { plugin: id.clone(), cause: None });
        self.persist(Record::Exits { plugin: id.clone(), exits: Vec::new() });
        self.keep_grants_of(id, granted);
        for capability in granted.iter().filter(|it| !had.contains(*it)) {
            self.audit(now, id, Audited::Granted, capability.name());
        }
        self.announce_current(id);
        let outcome = self.installed(id, replaced.map(|package| package.manifest.version.to_string()));
        self.put_out(Output::Reply { request, result: Ok(outcome) });
        self.start(now, id);
    }

    fn on_deleted(&mut self, id: &PluginId, purge: bool, request: RequestId, result: Result<(), String>) {
        let result = match result {
            Ok(()) => {
                self.plugins.remove(id);
                self.persist(Record::Removed { plugin: id.clone(), purge });
                self.emit(Transition::Removed { plugin: id.clone() });
                Ok(Outcome::Done)
            }
            Err(why) => Err(Refusal::Invalid(format!("{id} was not removed: {why}"))),
        };
        self.put_out(Output::Reply { request, result });
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
        if let Some(package) = self.plugin(id).and_then(|plugin| plugin.current()).cloned() {
            self.announce(id, &package);
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
        let always = plugin.always.iter().map(ToString::to_string).collect();
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
