//! How the station records, as the configuration says it.

use std::{fmt, sync::Arc};

use crate::recording::Attachment;

/// How the station records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingSettings {
    /// Whether it records by itself, from its start to its end.
    pub always: bool,
    /// At so many bytes such a recording continues in a new file.
    pub rotate_bytes: u64,
    /// After so many seconds, too; 0 is never.
    pub rotate_s: u64,
    /// Bytes of all such files; the oldest are deleted past them.
    pub keep_bytes: u64,
    /// Days that such a file is kept after its last entry; 0 is for good.
    pub keep_days: u64,
    /// Seconds before it was begun that a recording has as well, as far as the tap keeps them.
    pub preroll_s: u64,
    /// What is masked in recordings beyond secrets: rules, each a filter and a path.
    pub redact: Vec<String>,
    /// What is kept with each recording, without secrets.
    pub attachments: Vec<Attachment>,
    /// What the station reports of itself, to be kept with each recording too.
    pub report: ReportSource,
}

impl Default for RecordingSettings {
    fn default() -> Self {
        Self {
            always: false,
            rotate_bytes: 1_073_741_824,
            rotate_s: 3_600,
            keep_bytes: 34_359_738_368,
            keep_days: 14,
            preroll_s: 60,
            redact: Vec::new(),
            attachments: Vec::new(),
            report: ReportSource::default(),
        }
    }
}

/// Makes what the station reports of itself; it may take a while, and has no secrets.
#[derive(Clone, Default)]
pub struct ReportSource(Option<Arc<dyn Fn() -> Option<Attachment> + Send + Sync>>);

impl ReportSource {
    /// That of a function.
    pub fn new(make: impl Fn() -> Option<Attachment> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(make)))
    }

    pub(super) fn make(&self) -> Option<Attachment> {
        self.0.as_ref().and_then(|make| make())
    }
}

impl PartialEq for ReportSource {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

impl Eq for ReportSource {}

impl fmt::Debug for ReportSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReportSource").field(&self.0.is_some()).finish()
    }
}
