//! What runs for this console beside its thread: subcommands, and the reading of large entries.

use std::{any::Any, collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc};

use super::{
    event::Event,
    inspect::{self, Job, Tree},
    openings::{Desk, DeskJob, Shelf},
    shell::{End, Ran, Runner},
    worker::Worker,
};

/// Subcommands at one time.
const RUNNING_MAX: usize = 4;

/// Who runs them, and what holds them alive.
pub(super) struct RunningSet {
    runner: Option<Arc<dyn Runner>>,
    held: BTreeMap<u64, Box<dyn Any + Send>>,
    worker: Worker<Job, Tree>,
    desk: Desk,
}

impl fmt::Debug for RunningSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningSet").field("held", &self.held.keys()).finish_non_exhaustive()
    }
}

impl RunningSet {
    /// None yet.
    pub(super) fn new(runner: Option<Arc<dyn Runner>>, shelf: Option<Arc<dyn Shelf>>) -> Self {
        Self { runner, held: BTreeMap::new(), worker: inspect::worker(), desk: Desk::new(shelf) }
    }

    /// Starts one; its end comes with the future.
    pub(super) fn run(&mut self, number: u64, words: &[String]) -> impl Future<Output = Event> + use<> {
        let end = self.begin(number, words);
        async move { Event::Ran { number, ran: end.await } }
    }

    fn begin(&mut self, number: u64, words: &[String]) -> Pin<Box<dyn Future<Output = Ran> + Send>> {
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

    /// Has an entry read beside this thread.
    pub(super) fn decode(&mut self, job: Job) -> impl Future<Output = Event> + use<> {
        let number = job.number;
        let tree = self.worker.begin(job);
        async move { Event::Decoded { number, tree: tree.await } }
    }

    /// Has something done with openings beside this thread.
    pub(super) fn desk(&mut self, job: DeskJob) -> impl Future<Output = Event> + use<> {
        let answer = self.desk.begin(job);
        async move { Event::Desk(answer.await) }
    }

    /// Ends one, or lets go of one that has ended.
    pub(super) fn end(&mut self, number: u64) {
        self.held.remove(&number);
    }

    /// Keeps how panes are looked at for the next start.
    pub(super) fn keep_layout(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.keep_layout(text);
        }
    }

    /// Keeps an opening that is being written for the next start.
    pub(super) fn keep_draft(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.keep_draft(text);
        }
    }

    /// Keeps the openings that were submitted lately for the next start.
    pub(super) fn keep_recent(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.keep_recent(text);
        }
    }

    /// Keeps a line for the next start.
    pub(super) fn remember(&self, line: &str) {
        if let Some(runner) = &self.runner {
            runner.remember(line);
        }
    }

    /// Has a filter kept for the next start.
    pub(super) fn remember_filter(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.remember_filter(text);
        }
    }
}
