//! The guards of the plugins that run, for whoever asks whether a process belongs to a plugin.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::process_tree::{Descent, descends_from, descent};
use crate::ids::PluginId;

/// Guards that ended before what was below them, and are remembered.
const SURVIVED_MAX: usize = 64;

/// The guards of the plugins that run. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// Whether a plugin has run since the station started.
    has_run: bool,
    running: BTreeMap<PluginId, u32>,
    /// Guards that ended before what was below them.
    survived: VecDeque<u32>,
}

impl Guards {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn insert(&self, plugin: &PluginId, pid: u32) {
        let mut known = self.known();
        known.has_run = true;
        known.running.insert(plugin.clone(), pid);
    }

    /// A guard has ended; `is_survived` is whether processes below it may be there still.
    pub(super) fn remove(&self, plugin: &PluginId, is_survived: bool) {
        let mut known = self.known();
        let Some(pid) = known.running.remove(plugin).filter(|_| is_survived) else { return };
        if known.survived.len() >= SURVIVED_MAX {
            known.survived.pop_front();
        }
        known.survived.push_back(pid);
    }

    /// Each plugin that runs, with the process id of its guard.
    #[must_use]
    pub fn all(&self) -> Vec<(PluginId, u32)> {
        self.known().running.iter().map(|(plugin, pid)| (plugin.clone(), *pid)).collect()
    }

    /// Whose process it is; nothing where that plugin's guard has ended.
    #[must_use]
    pub fn plugin_of(&self, pid: u32) -> Option<PluginId> {
        let is_of = |(_, guard): &(PluginId, u32)| descent(pid, &[*guard]) == Descent::OfPlugin;
        self.all().into_iter().find(is_of).map(|(plugin, _)| plugin)
    }

    /// Whether a process descends from a plugin's, or cannot be shown not to (ruling Plugins 16); not while
    /// no plugin has run.
    #[must_use]
    pub fn has_below(&self, pid: u32) -> bool {
        let guards: Vec<u32> = {
            let known = self.known();
            if !known.has_run {
                return false;
            }
            known.running.values().chain(&known.survived).copied().collect()
        };
        descends_from(pid, &guards)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No process has such an id: they end below 2^22.
    const GONE: u32 = u32::MAX / 2;

    #[test]
    fn a_process_that_is_gone_is_a_plugins_once_one_has_run() {
        let (guards, own, plugin) = (Guards::default(), std::process::id(), PluginId::new("a.plugin"));
        assert!(!guards.has_below(GONE), "no plugin has run");
        guards.insert(&plugin, GONE - 1);
        assert!(guards.has_below(GONE) && !guards.has_below(own));
        guards.remove(&plugin, false);
        assert!(guards.has_below(GONE) && !guards.has_below(own), "no guard is left");
    }
}
