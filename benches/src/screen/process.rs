//! What `/proc` says of a process: its threads by name, their time on a core, its memory. And where its
//! threads may run.

use std::{fs, path::PathBuf, time::Duration};

use color_eyre::eyre::{Result, WrapErr, eyre};
use rustix::{
    process::Pid,
    thread::{CpuSet, sched_setaffinity},
};

/// A process by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// Its threads: number and name.
    fn threads(self) -> Vec<(u32, String)> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.0)).into_iter().flatten().flatten();
        tasks
            .filter_map(|task| {
                let name = fs::read_to_string(task.path().join("comm")).ok()?;
                Some((task.file_name().to_str()?.parse().ok()?, name.trim().to_owned()))
            })
            .collect()
    }

    /// Time on a core so far of the threads whose names are `wanted`. A thread that ends takes its time with
    /// it.
    pub(crate) fn cpu(self, wanted: impl Fn(&str) -> bool) -> Duration {
        let on_cpu_ns = |thread: u32| -> Option<u64> {
            let schedstat =
                fs::read_to_string(PathBuf::from(format!("/proc/{}/task/{thread}/schedstat", self.0)))
                    .ok()?;
            schedstat.split_whitespace().next()?.parse().ok()
        };
        let threads = self.threads().into_iter().filter(|(_, name)| wanted(name));
        Duration::from_nanos(threads.filter_map(|(thread, _)| on_cpu_ns(thread)).sum())
    }

    /// Puts each thread on the core that `core` names for it.
    ///
    /// # Errors
    /// The system refuses, for instance because there is no such core.
    pub(crate) fn pin(self, core: impl Fn(&str) -> usize) -> Result<()> {
        for (thread, name) in self.threads() {
            let mut one = CpuSet::new();
            one.set(core(&name));
            let thread = i32::try_from(thread)
                .ok()
                .and_then(Pid::from_raw)
                .ok_or_else(|| eyre!("thread {thread} has no number"))?;
            match sched_setaffinity(Some(thread), &one) {
                // It has ended meanwhile.
                Ok(()) | Err(rustix::io::Errno::SRCH) => {}
                Err(error) => return Err(error).wrap_err_with(|| format!("pinning the thread {name}")),
            }
        }
        Ok(())
    }

    /// Resident memory, in bytes.
    pub(crate) fn rss_bytes(self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() * 1_024
    }
}
