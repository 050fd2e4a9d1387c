//! The guards of the plugins that run, for whoever asks whether a process belongs to a plugin.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::process_tree::{Descent, descent};
use crate::ids::PluginId;

/// The guards of the plugins that run. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    pids: Arc<Mutex<BTreeMap<PluginId, u32>>>,
}

impl Guards {
    pub(super) fn insert(&self, plugin: &PluginId, pid: u32) {
        self.pids.lock().unwrap_or_else(PoisonError::into_inner).insert(plugin.clone(), pid);
    }

    pub(super) fn remove(&self, plugin: &PluginId) {
        self.pids.lock().unwrap_or_else(PoisonError::into_inner).remove(plugin);
    }

    /// Each plugin that runs, with the process id of its guard.
    #[must_use]
    pub fn all(&self) -> Vec<(PluginId, u32)> {
        let pids = self.pids.lock().unwrap_or_else(PoisonError::into_inner);
        pids.iter().map(|(plugin, pid)| (plugin.clone(), *pid)).collect()
    }

    /// Whether a process descends from a plugin's (ruling Plugins 16); not while no plugin runs.
    #[must_use]
    pub fn has_below(&self, pid: u32) -> bool {
        let guards: Vec<u32> = self.all().into_iter().map(|(_, pid)| pid).collect();
        !guards.is_empty() && descent(pid, &guards) == Descent::OfPlugin
    }
}
