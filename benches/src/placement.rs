//! Where the processes run: wherever the system puts them, or all on one core.

use clap::ValueEnum;
use color_eyre::eyre::{Result, WrapErr};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;

/// The core that everything shares in [`Placement::One`].
const CORE: usize = 0;

/// Where client and server run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// The system places client and server.
    Free,
    /// Client and server share one core.
    One,
}

impl Placement {
    /// As it is written in the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::One => "one core",
        }
    }

    /// Puts the calling thread there until the guard is dropped. Threads and processes started meanwhile
    /// inherit it, as under `taskset`; so a server is started, and a client connects, only after this.
    ///
    /// # Errors
    /// The system refuses, for instance because the core is not ours.
    pub fn enter(self) -> Result<Placed> {
        let before = sched_getaffinity(None).wrap_err("reading this thread's cores")?;
        if self == Self::One {
            let mut one = CpuSet::new();
            one.set(CORE);
            sched_setaffinity(None, &one).wrap_err("pinning this thread to core 0")?;
        }
        Ok(Placed { before })
    }
}

/// The cores that the thread goes back to.
#[must_use]
pub struct Placed {
    before: CpuSet,
}

impl Drop for Placed {
    fn drop(&mut self) {
        // It was in force before, so it is refused only when the machine took the cores away meanwhile:
        // nothing to do about that here.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// Which placements to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Placements {
    /// The system places the processes.
    Free,
    /// All on one core.
    One,
    /// Both, one after the other.
    Both,
}

impl Placements {
    /// The placements, in the order in which they are measured.
    #[must_use]
    pub const fn each(self) -> &'static [Placement] {
        match self {
            Self::Free => &[Placement::Free],
            Self::One => &[Placement::One],
            Self::Both => &[Placement::Free, Placement::One],
        }
    }
}
