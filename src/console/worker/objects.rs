//! Reads large objects of lifecycle records beside the screen's thread.

use crate::{
    console::worker::Worker,
    dissect::{mplp::object::object_tree, tree::Tree},
    schema::JsonText,
};

/// An object that is to be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObjectJob {
    /// The name of its schema.
    pub(crate) schema: String,
    pub(crate) object: JsonText,
    /// Values that are read at most.
    pub(crate) nodes_max: usize,
}

/// The thread that reads them.
pub(crate) fn object_worker() -> Worker<ObjectJob, Tree> {
    Worker::new("records", |job| object_tree(&job.schema, job.object.as_str(), job.nodes_max))
}
