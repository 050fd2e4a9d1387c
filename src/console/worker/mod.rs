//! Work beside the screen's thread: a thread with a mailbox, and what is done there.

mod decode;
mod export;
mod objects;
mod opening_files;
mod openings;
mod parsed_opening;
mod thread;

pub(crate) use decode::{DecodeJob, decode_worker};
pub(crate) use export::{ExportContent, ExportJob, export_worker};
pub(crate) use objects::{ObjectJob, object_worker};
pub use opening_files::{OpeningFile, OpeningFiles, OpeningListing};
pub(crate) use openings::{OpeningAnswer, OpeningJob, OpeningWorker};
pub(crate) use parsed_opening::{OpeningFault, ParsedOpening};
pub(crate) use thread::Worker;
