//! The one list of what the systems declare.

use crate::console::{
    input::pane_id::{PaneId, pane_table},
    records::system_state::{DeclareState, Systems},
    systems::{bridge, bus, runs, sessions, station},
    trace,
    ui::pane::Pane,
    wire,
};

/// Makes the way from a pane's key to its declaration.
macro_rules! declared_panes {
    ($( $(#[doc = $doc:literal])* $pane:ident = $name:literal in $($place:ident)::+ ),* $(,)?) => {
        impl PaneId {
            /// What its system declares of it.
            pub(crate) fn pane(self) -> &'static Pane {
                match self { $( Self::$pane => &$($place)::+, )* }
            }
        }
    };
}

pane_table!(declared_panes);

/// What the systems keep on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The cancellation of many rows that is under way.
    pub(crate) bulk_cancel: Option<bridge::BulkCancel>,
    /// What the store has of the run that is shown.
    pub(crate) run_pages: runs::pages::RunPages,
    /// The opening that was written last, and those that were submitted lately.
    pub(crate) opening_drafts: runs::openings::OpeningDrafts,
    /// What the store has of the session that is shown.
    pub(crate) session_pages: sessions::pages::SessionPages,
}

impl DeclareState for Systems {
    type State = State;
}
