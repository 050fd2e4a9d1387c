//! Work on openings that may wait for the disk.

use std::{future::Future, path::PathBuf, sync::Arc};

use super::ParsedOpening;
use crate::{
    console::worker::{OpeningFiles, OpeningListing, Worker},
    ids::TraceId,
    limits::Limits,
    runs::openings::bundle,
};

/// Something to be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OpeningJob {
    /// Read a text with all that it nests. The number tells what its answer is of.
    Check { number: u64, text: String, origin: Option<PathBuf>, limits: Box<Limits> },
    /// Put what lies beside its file into a text that is to be sent.
    Bundle { request: TraceId, text: String, origin: PathBuf, limits: Box<Limits> },
    /// List the files.
    List,
    /// Read one.
    Text(PathBuf),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OpeningAnswer {
    Checked { number: u64, found: ParsedOpening },
    Bundled { request: TraceId, text: Result<String, String> },
    Listed(OpeningListing),
    Text(PathBuf, Result<String, String>),
}

type WorkerJob = (Arc<dyn OpeningFiles>, OpeningJob);

/// Does it on two threads: one reads what is written, as often as that changes; the other does what was asked
/// for once.
#[derive(Debug)]
pub(crate) struct OpeningWorker {
    opening_files: Option<Arc<dyn OpeningFiles>>,
    checks: Worker<WorkerJob, OpeningAnswer>,
    files: Worker<WorkerJob, OpeningAnswer>,
}

impl OpeningWorker {
    /// A desk beside this shelf; without one nothing is done.
    pub(crate) fn new(opening_files: Option<Arc<dyn OpeningFiles>>) -> Self {
        Self {
            opening_files,
            checks: Worker::new("openings", work),
            files: Worker::new("opening-files", work),
        }
    }

    /// Does something. The future yields nothing when a newer job took its place, or when there is no shelf.
    pub(crate) fn begin(
        &mut self,
        job: OpeningJob,
    ) -> impl Future<Output = Option<OpeningAnswer>> + Send + use<> {
        let worker = if matches!(job, OpeningJob::Check { .. }) { &mut self.checks } else { &mut self.files };
        let answer = self.opening_files.as_ref().map(|shelf| worker.begin((Arc::clone(shelf), job)));
        async move {
            match answer {
                Some(answer) => answer.await,
                None => None,
            }
        }
    }
}

fn work((shelf, job): WorkerJob) -> OpeningAnswer {
    match job {
        OpeningJob::Check { number, text, origin, limits } => OpeningAnswer::Checked {
            number,
            found: ParsedOpening::of(&text, origin.as_deref(), &*shelf, true, &limits),
        },
        OpeningJob::Bundle { request, text, origin, limits } => {
            let folder = origin.parent();
            let beside = |name: &str| {
                // What does not lie beside the file, the station looks for in its own folder.
                let found = shelf.read(name, folder).ok().filter(|(_, path)| path.parent() == folder);
                Ok(found.map(|(text, _)| text))
            };
            OpeningAnswer::Bundled {
                request,
                text: bundle(&text, beside, &limits.runs).map_err(|error| error.to_string()),
            }
        }
        OpeningJob::List => OpeningAnswer::Listed(shelf.list()),
        OpeningJob::Text(path) => {
            let text = shelf.text(&path);
            OpeningAnswer::Text(path, text)
        }
    }
}
