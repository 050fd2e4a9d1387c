//! What runs for this console beside its thread: subcommands, and the reading of large entries
//! and objects.

use std::{any::Any, collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc};

use crate::{
    console::{
        settings::{
            BookmarkKeeper,
            shell::{DeferredText, ReplayedMoment, Runner, Shell, SubcommandEnd, SubcommandResult},
        },
        ui::{effect::OnTree, event::Event},
        worker::{
            DecodeJob, ExportJob, FrameAnswer, FrameJob, ObjectJob, OpeningJob, OpeningWorker, SnippetJob,
            SnippetWorker, Worker, decode_worker, export_worker, frame_worker, object_worker,
        },
    },
    dissect::Tree,
};

/// Subcommands at one time.
const RUNNING_MAX: usize = 4;

/// Who runs them, and what holds them alive.
pub(crate) struct BackgroundJobs {
    runner: Option<Arc<dyn Runner>>,
    kill_guards: BTreeMap<u64, Box<dyn Any + Send>>,
    worker: Worker<DecodeJob, Tree>,
    objects: Worker<ObjectJob, Tree>,
    frames: Worker<FrameJob, FrameAnswer>,
    exports: Worker<ExportJob, Result<String, String>>,
    openings: OpeningWorker,
    snippets: SnippetWorker,
    bookmarks: Option<Arc<dyn BookmarkKeeper>>,
}

impl fmt::Debug for BackgroundJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningSet").field("held", &self.kill_guards.keys()).finish_non_exhaustive()
    }
}

impl BackgroundJobs {
    /// None yet.
    pub(crate) fn new(shell: Shell) -> Self {
        Self {
            runner: shell.runner,
            kill_guards: BTreeMap::new(),
            worker: decode_worker(),
            objects: object_worker(),
            frames: frame_worker(),
            exports: export_worker(),
            openings: OpeningWorker::new(shell.opening_files),
            snippets: SnippetWorker::new(shell.snippets),
            bookmarks: shell.bookmarks.and_then(|bookmarks| bookmarks.keeper),
        }
    }

    /// Starts one; its end comes with the future.
    pub(crate) fn run(
        &mut self,
        number: u64,
        words: &[String],
        replayed: Option<&ReplayedMoment>,
    ) -> impl Future<Output = Event> + use<> {
        let end = self.begin(number, words, replayed);
        async move { Event::SubcommandEnded { number, ran: end.await } }
    }

    fn begin(
        &mut self,
        number: u64,
        words: &[String],
        replayed: Option<&ReplayedMoment>,
    ) -> Pin<Box<dyn Future<Output = SubcommandResult> + Send>> {
        let refused = |why: &str| {
            let ran = SubcommandResult {
                output: String::new(),
                cut: false,
                end: SubcommandEnd::Failed(why.to_owned()),
            };
            Box::pin(std::future::ready(ran))
        };
        let Some(runner) = &self.runner else { return refused("this console cannot run subcommands") };
        if self.kill_guards.len() >= RUNNING_MAX {
            return refused("other subcommands are still running");
        }
        let running = runner.run(words, replayed);
        self.kill_guards.insert(number, running.kill_guard);
        running.end
    }

    /// Has an entry read beside this thread.
    pub(crate) fn decode(&mut self, job: DecodeJob) -> impl Future<Output = Event> + use<> {
        let number = job.number;
        let tree = self.worker.begin(job);
        async move { Event::Decoded { number, tree: tree.await } }
    }

    /// Has an object of a lifecycle record read beside this thread.
    pub(crate) fn read_object(
        &mut self,
        job: ObjectJob,
        on_tree: Box<dyn OnTree>,
    ) -> impl Future<Output = Event> + use<> {
        let tree = self.objects.begin(job);
        async move { Event::ObjectRead { on_tree, tree: tree.await } }
    }

    /// Has a frame of the workbench made or read beside this thread.
    pub(crate) fn frame(&mut self, job: FrameJob) -> impl Future<Output = Event> + use<> {
        let number = job.number;
        let answer = self.frames.begin(job);
        async move { Event::Frame { number, answer: answer.await.map(Box::new) } }
    }

    /// Has what a pane shows written to a file beside this thread.
    pub(crate) fn export(&mut self, job: ExportJob) -> impl Future<Output = Event> + use<> {
        let path = job.path.display().to_string();
        let written = self.exports.begin(job);
        async move {
            let replaced = || Err(format!("not exported to {path}: replaced by a later export"));
            Event::Exported(written.await.unwrap_or_else(replaced))
        }
    }

    /// Has something done with openings beside this thread.
    pub(crate) fn opening_job(&mut self, job: OpeningJob) -> impl Future<Output = Event> + use<> {
        let answer = self.openings.begin(job);
        async move { Event::Opening(answer.await) }
    }

    /// Has snippets listed or saved beside this thread.
    pub(crate) fn snippet_job(&mut self, job: SnippetJob) -> impl Future<Output = Event> + use<> {
        let answer = self.snippets.begin(job);
        async move { Event::Snippets(answer.await) }
    }

    /// Ends one, or lets go of one that has ended.
    pub(crate) fn end(&mut self, number: u64) {
        self.kill_guards.remove(&number);
    }

    /// Keeps how panes are looked at for the next start.
    pub(crate) fn save_layout(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.save_layout(text);
        }
    }

    /// Keeps an opening that is being written for the next start.
    pub(crate) fn save_draft(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.save_draft(text);
        }
    }

    /// Keeps the openings that were submitted lately for the next start.
    pub(crate) fn save_recent(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.save_recent(text);
        }
    }

    /// Keeps the frame that is edited in the workbench for the next start.
    pub(crate) fn save_frame_draft(&self, text: DeferredText) {
        if let Some(runner) = &self.runner {
            runner.save_frame_draft(text);
        }
    }

    /// Keeps the frames that the workbench sent for the next start.
    pub(crate) fn save_sent_frames(&self, text: DeferredText) {
        if let Some(runner) = &self.runner {
            runner.save_sent_frames(text);
        }
    }

    /// Keeps the bookmarks of a recording.
    pub(crate) fn save_bookmarks(&self, text: &str) {
        if let Some(keeper) = &self.bookmarks {
            keeper.save(text);
        }
    }

    /// Keeps a line for the next start.
    pub(crate) fn remember(&self, line: &str) {
        if let Some(runner) = &self.runner {
            runner.remember(line);
        }
    }

    /// Has a filter kept for the next start.
    pub(crate) fn remember_filter(&self, text: &str) {
        if let Some(runner) = &self.runner {
            runner.remember_filter(text);
        }
    }
}
