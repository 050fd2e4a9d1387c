//! What the sessions keep on the screen.

use super::pages::SessionPages;
use crate::macp::{Mode, SessionRef};

/// What the sessions keep on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The session that the panes beside the lists of sessions tell of.
    pub(crate) session: Option<SessionRef>,
    /// Its mode, as far as that is known.
    pub(crate) mode: Option<Mode>,
    /// What the store has of it.
    pub(crate) pages: SessionPages,
}
