//! The head of a frame, read at a glance, and what the host made of it.

use std::sync::Arc;

use super::{Code, Lint, Violation};
use crate::ids::PluginId;

/// What a frame speaks of; what could not be read is absent. Texts are cut at `limits.plugin.id_bytes_max`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Whose it is.
    pub plugin: PluginId,
    /// The method of a request or notification; of an answer, that of its request.
    pub method: Option<Arc<str>>,
    /// The id, as its JSON text.
    pub id: Option<Arc<str>>,
    /// Of an answer with an error, its code.
    pub code: Option<i64>,
    /// Whether it is an answer.
    pub is_answer: bool,
}

impl Head {
    /// A head that names the plugin alone.
    #[must_use]
    pub const fn new(plugin: PluginId) -> Self {
        Self { plugin, method: None, id: None, code: None, is_answer: false }
    }
}

/// What the host made of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// A request or a notification that was accepted.
    Accepted,
    /// An answer to a request that waited for it.
    Answered,
    /// It was answered by an error, or is one that nothing can be answered to.
    Refused(Code),
    /// It was passed over.
    Ignored(Lint),
    /// It ended the process.
    Broken(Violation),
}
