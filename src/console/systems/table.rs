//! The one list of what the systems declare.

use crate::console::{
    input::pane_id::{PaneId, pane_table},
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
