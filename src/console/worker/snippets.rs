//! The snippets that there are, and those that are saved, beside the screen's thread.

use std::{collections::BTreeSet, fmt, future::Future, path::PathBuf, sync::Arc};

use super::unwritten_snippet::UnwrittenSnippet;
use crate::{
    console::worker::Worker,
    dissect::snippets::{Snippet, shipped},
};

/// The user's own snippets. Everything here may wait for the disk.
pub trait SnippetFolder: Send + Sync + fmt::Debug {
    /// Those that there are.
    fn list(&self) -> SnippetListing;

    /// Writes one of a link (`mpp`, `rmp`, `macp`, `plugin`) under a name that is not taken; its file.
    ///
    /// # Errors
    /// Why it cannot be written, for a person.
    fn save(&self, link: &str, name: &str, text: &str) -> Result<PathBuf, String>;
}

/// The user's own snippets that there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnippetListing {
    /// Each with its name (its link's, and that of the file) and its text.
    pub files: Vec<(String, String)>,
    /// Files that are no snippets, and why.
    pub troubles: Vec<String>,
}

/// A snippet with its name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListedSnippet {
    /// The link's name, and that of the file.
    pub(crate) name: String,
    /// Whether it is of the user's own.
    pub(crate) is_own: bool,
    pub(crate) snippet: Snippet,
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SnippetJob {
    List,
    Save { name: String, snippet: Box<UnwrittenSnippet> },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SnippetAnswer {
    /// The snippets, the user's own first, and what is wrong with other files.
    Listed(Vec<Arc<ListedSnippet>>, Vec<String>),
    /// The file, or why there is none.
    Saved(Result<PathBuf, String>),
}

type WorkerJob = (Option<Arc<dyn SnippetFolder>>, SnippetJob);

/// Does it on two threads: what is listed does not take the place of what is saved.
#[derive(Debug)]
pub(crate) struct SnippetWorker {
    folder: Option<Arc<dyn SnippetFolder>>,
    lists: Worker<WorkerJob, SnippetAnswer>,
    saves: Worker<WorkerJob, SnippetAnswer>,
}

impl SnippetWorker {
    /// One of this folder; without one only what is shipped is listed.
    pub(crate) fn new(folder: Option<Arc<dyn SnippetFolder>>) -> Self {
        Self { folder, lists: Worker::new("snippets", work), saves: Worker::new("snippet-files", work) }
    }

    /// Does something. The future yields nothing when a newer job took its place.
    pub(crate) fn begin(
        &mut self,
        job: SnippetJob,
    ) -> impl Future<Output = Option<SnippetAnswer>> + Send + use<> {
        let worker = if job == SnippetJob::List { &mut self.lists } else { &mut self.saves };
        worker.begin((self.folder.clone(), job))
    }
}

fn work((folder, job): WorkerJob) -> SnippetAnswer {
    match job {
        SnippetJob::List => list(folder.as_deref().map(SnippetFolder::list).unwrap_or_default()),
        SnippetJob::Save { name, snippet } => SnippetAnswer::Saved(match folder {
            Some(folder) => {
                snippet.text(&name).and_then(|text| folder.save(snippet.link.name(), &name, &text))
            }
            None => Err("there is no configuration folder for snippets".to_owned()),
        }),
    }
}

/// The user's own before those that are shipped; of two of one name only the user's.
pub(crate) fn list(own: SnippetListing) -> SnippetAnswer {
    let SnippetListing { files, mut troubles } = own;
    let mut all = Vec::new();
    let mut names = BTreeSet::new();
    for (name, text) in files {
        match Snippet::read(&name, &text) {
            Ok(snippet) => {
                names.insert(name.clone());
                all.push(Arc::new(ListedSnippet { name, is_own: true, snippet }));
            }
            Err(fault) => troubles.push(fault.to_string()),
        }
    }
    let others = shipped().iter().filter(|it| !names.contains(it.name));
    all.extend(others.map(|it| {
        Arc::new(ListedSnippet { name: it.name.to_owned(), is_own: false, snippet: it.snippet.clone() })
    }));
    SnippetAnswer::Listed(all, troubles)
}
