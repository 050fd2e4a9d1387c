//! What plugins use, sampled now and then.

use std::{collections::HashMap, time::Duration};

use super::process_tree::usage;
use crate::{ids::PluginId, plugin::supervisor::ProcessInput, time::Mono};

/// How often.
pub(super) const SAMPLE_EVERY: Duration = Duration::from_secs(5);

/// The samples of before, by the guard.
#[derive(Debug, Default)]
pub(super) struct Samples {
    before: HashMap<u32, (Mono, u64)>,
}

impl Samples {
    /// What the plugins of these guards use now.
    pub(super) fn take(&mut self, now: Mono, guards: Vec<(PluginId, u32)>) -> Vec<(PluginId, ProcessInput)> {
        let ticks_per_s = rustix::param::clock_ticks_per_second().max(1);
        let mut latest = HashMap::new();
        let mut samples = Vec::new();
        for (plugin, guard) in guards {
            let used = usage(guard);
            let (at, ticks) = self.before.get(&guard).copied().unwrap_or((now, used.cpu_ticks));
            let ms = u64::try_from(now.since(at).as_millis()).unwrap_or(u64::MAX);
            let ticks = used.cpu_ticks.saturating_sub(ticks);
            let permille = (ticks * 1_000_000 / ticks_per_s).checked_div(ms).unwrap_or_default();
            latest.insert(guard, (now, used.cpu_ticks));
            let cpu_permille = u32::try_from(permille).unwrap_or(u32::MAX);
            samples.push((plugin, ProcessInput::Sampled { memory_bytes: used.memory_bytes, cpu_permille }));
        }
        self.before = latest;
        samples
    }
}
