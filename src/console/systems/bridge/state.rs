//! What the bridge keeps on the screen.

use super::{bulk::Bulk, marked_rows::MarkedRows};
use crate::console::form::FormDrafts;

/// What the bridge keeps on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What is under way with many rows.
    pub(crate) bulk: Option<Bulk>,
    /// Rows to be cancelled or requeued together.
    pub(crate) marked_rows: MarkedRows,
    /// Forms that were left.
    pub(crate) form_drafts: FormDrafts,
    /// Counts the work given by hand, so that an answer finds its form.
    pub(crate) invoke_count: u64,
}
