//! What the bridge keeps on the screen.

use super::{bulk::BulkCancel, marked_rows::MarkedRows};
use crate::console::form::FormDrafts;

/// What the bridge keeps on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The cancellation of many rows that is under way.
    pub(crate) bulk_cancel: Option<BulkCancel>,
    /// Rows to be cancelled together.
    pub(crate) marked_rows: MarkedRows,
    /// Forms that were left.
    pub(crate) form_drafts: FormDrafts,
    /// Counts the work given by hand, so that an answer finds its form.
    pub(crate) invoke_count: u64,
}
