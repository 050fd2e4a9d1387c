//! Work beside the screen's thread: a thread with a mailbox, and what is done there.

mod decode;
mod export;
mod frames;
mod objects;
mod opening_files;
mod openings;
mod parsed_opening;
mod snippets;
mod thread;
mod unwritten_snippet;

pub(crate) use decode::{DecodeJob, decode_worker};
pub(crate) use export::{ExportContent, ExportJob, export_worker};
pub(crate) use frames::{
    Before, FrameAnswer, FrameJob, FrameWork, JsonFault, MadeFrame, Reads, example, frame_worker,
};
pub(crate) use objects::{ObjectJob, object_worker};
pub use opening_files::{OpeningFile, OpeningFiles, OpeningListing};
pub(crate) use openings::{OpeningAnswer, OpeningJob, OpeningWorker};
pub(crate) use parsed_opening::{OpeningFault, ParsedOpening};
#[cfg(test)]
pub(crate) use snippets::list;
pub(crate) use snippets::{ListedSnippet, SnippetAnswer, SnippetJob, SnippetWorker};
pub use snippets::{SnippetFolder, SnippetListing};
pub(crate) use thread::Worker;
pub(crate) use unwritten_snippet::{UncheckedFrame, UnwrittenSnippet};
