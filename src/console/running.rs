//! The subcommands that run for this console.

use std::{any::Any, collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc};

use super::shell::{End, Ran, Runner};

/// Subcommands at one time.
const RUNNING_MAX: usize = 4;

/// Who runs them, and what holds them alive.
#[derive(Default)]
pub(super) struct RunningSet {
    runner: Option<Arc<dyn Runner>>,
    held: BTreeMap<u64, Box<dyn Any + Send>>,
}

impl fmt::Debug for RunningSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningSet").field("held", &self.held.keys()).finish_non_exhaustive()
    }
}

impl RunningSet {
    /// None yet.
    pub(super) fn new(runner: Option<Arc<dyn Runner>>) -> Self {
        Self { runner, held: BTreeMap::new() }
    }

    /// Starts one; its end comes with the future.
    pub(super) fn begin(&mut self, number: u64, words: &[String]) -> Pin<Box<dyn Future<Output = Ran> + Send>> {
        let refused = |why: &str| {
            let ran = Ran { output: String::new(), cut: false, end: End::Failed(why.to_owned()) };
            Box::pin(std::future::ready(ran))
        };
        let Some(runner) = &self.runner else { return refused("this console runs no subcommands") };
        if self.held.len() >= RUNNING_MAX {
            return refused("others are still running");
        }
        let running = runner.run(words);
        self.held.insert(number, running.hold);
        running.end
    }

    /// Ends one, or lets go of one that has ended.
    pub(super) fn end(&mut self, number: u64) {
        self.held.remove(&number);
    }

    /// Keeps a line for the next start.
    pub(super) fn remember(&self, line: &str) {
        if let Some(runner) = &self.runner {
            runner.remember(line);
        }
    }
}
