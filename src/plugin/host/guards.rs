//! The guards of the plugins that run, for whoever asks whether a process belongs to a plugin.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::process_tree::descends_from;
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
    running: BTreeMap<PluginId, u32>,
    /// Guards that ended before what was below them.
    survived: VecDeque<u32>,
}

impl Guards {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn insert(&self, plugin: &PluginId, pid: u32) {
        self.known().running.insert(plugin.clone(), pid);
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

    /// Whether a process descends from a plugin's, or cannot be shown not to (ruling Plugins 16); not while
    /// no plugin has run.
    #[must_use]
    pub fn has_below(&self, pid: u32) -> bool {
        let guards: Vec<u32> = {
            let known = self.known();
            known.running.values().chain(&known.survived).copied().collect()
        };
        !guards.is_empty() && descends_from(pid, &guards)
    }
}
