//! The station's recordings: the operator's, of which there is one at a time, and the one that the station
//! keeps by itself.
//!
//! ```text
//! Ctrl-R, record, --record ─▶ current ─┬─▶ sources: reader, snapshots, attachments ─▶ recorder thread
//! recording.always ─▶ always ──────────┤
//! B, clip ──────────▶ clip ────────────┤
//! clip OUT ─────────▶ clip_pages ──────┘   the client writes the file
//!                       ├─▶ redaction: what is masked of entries and snapshots
//!                       └─▶ kept: which of its finished files are deleted
//! ```

mod always;
mod attachments;
mod clip;
mod clip_pages;
mod current;
mod kept;
mod redaction;
mod settings;
mod sources;

pub(super) use always::keep;
pub(super) use clip::clip;
pub(super) use clip_pages::{clip_entries, clip_head};
pub(super) use current::{Begin, Recording};
pub use redaction::check_redact;
pub use settings::{RecordingSettings, ReportSource};
pub(crate) use sources::tallied;
