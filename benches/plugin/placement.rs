//! Where processes run, and what processor time they take.

use std::time::Duration;

use rustix::{
    process::Pid,
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
    time::{ClockId, clock_gettime},
};

use crate::Result;

/// Where the processes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Where the system places them.
    Free,
    /// All on the first core.
    OneCore,
}

impl Placement {
    pub(crate) const ALL: [Self; 2] = [Self::Free, Self::OneCore];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::OneCore => "one core",
        }
    }

    /// Places all threads of this process and of others, until that is dropped.
    pub(crate) fn enter(self, others: &[u32]) -> Result<Placed> {
        let mut placed = Placed(Vec::new());
        if self == Self::OneCore {
            let mut one = CpuSet::new();
            one.set(0);
            for process in others.iter().copied().chain([std::process::id()]) {
                for thread in threads(process) {
                    let before = sched_getaffinity(Some(thread))?;
                    sched_setaffinity(Some(thread), &one)?;
                    placed.0.push((thread, before));
                }
            }
        }
        Ok(placed)
    }
}

/// Threads that were placed, and where they ran before.
#[must_use]
pub(crate) struct Placed(Vec<(Pid, CpuSet)>);

impl Drop for Placed {
    fn drop(&mut self) {
        for (thread, before) in &self.0 {
            // One that has ended meanwhile needs no place.
            let _ = sched_setaffinity(Some(*thread), before);
        }
    }
}

fn threads(process: u32) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.filter_map(|it| Pid::from_raw(it.file_name().to_str()?.parse().ok()?)).collect()
}

/// Processor time of this process.
pub(crate) fn own_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or_default());
    seconds + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or_default())
}
