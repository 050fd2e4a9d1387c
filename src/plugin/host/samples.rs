//! What plugins use, sampled now and then, on a thread beside the host's: `/proc` may take its time.

use std::{collections::HashMap, time::Duration};

use tokio::{
    task::JoinHandle,
    time::{Interval, MissedTickBehavior, interval},
};

use super::{guards::Guards, process_tree::usage};
use crate::{
    ids::PluginId,
    plugin::supervisor::ProcessInput,
    time::{Clock, Mono},
};

/// How often.
const SAMPLE_EVERY: Duration = Duration::from_secs(5);

/// What was sampled, of each plugin.
pub(super) type Sampled = Vec<(PluginId, ProcessInput)>;

/// Samples again and again.
#[derive(Debug)]
pub(super) struct Sampling {
    clock: Clock,
    guards: Guards,
    due: Interval,
    /// Nothing while they are taken.
    samples: Option<Samples>,
    taking: Option<JoinHandle<(Samples, Sampled)>>,
}

impl Sampling {
    pub(super) fn new(clock: Clock, guards: Guards) -> Self {
        let mut due = interval(SAMPLE_EVERY);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { clock, guards, due, samples: Some(Samples::default()), taking: None }
    }

    /// The next samples, once they are taken. Safe to be dropped while it waits.
    pub(super) async fn next(&mut self) -> Sampled {
        if self.taking.is_none() {
            self.due.tick().await;
            let (clock, guards) = (self.clock, self.guards.all());
            let mut samples = self.samples.take().unwrap_or_default();
            self.taking = Some(tokio::task::spawn_blocking(move || {
                let taken = samples.take(clock, guards);
                (samples, taken)
            }));
        }
        let Some(taking) = &mut self.taking else { return Vec::new() };
        let taken = taking.await;
        self.taking = None;
        let (samples, found) = taken.unwrap_or_default();
        self.samples = Some(samples);
        found
    }
}

/// The samples of before, by the guard.
#[derive(Debug, Default)]
struct Samples {
    before: HashMap<u32, (Mono, u64)>,
}

impl Samples {
    /// What the plugins of these guards use now.
    fn take(&mut self, clock: Clock, guards: Vec<(PluginId, u32)>) -> Sampled {
        let ticks_per_s = rustix::param::clock_ticks_per_second().max(1);
        let mut latest = HashMap::new();
        let mut samples = Vec::new();
        for (plugin, guard) in guards {
            let (now, used) = (clock.mono(), usage(guard));
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
