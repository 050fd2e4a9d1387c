//! The one list of what the systems declare.

use crate::{
    console::{
        input::{
            pane_id::{PaneId, pane_table},
            view_id::{ViewId, view_table},
        },
        records::system_state::{DeclareState, Systems},
        systems::{bridge, bus, deck, mplp, plugins, runs, sessions, station},
        trace,
        ui::{layout::ViewSpec, pane::Pane, system::System},
        wire, workbench,
    },
    tap::entry::Link,
};

/// Makes the way from a pane's key to its declaration.
macro_rules! declared_panes {
    ($(
        $(#[doc = $doc:literal])* $pane:ident = $name:literal $(| $old:literal)* in $($place:ident)::+
    ),* $(,)?) => {
        impl PaneId {
            /// What its system declares of it.
            pub(crate) fn pane(self) -> &'static Pane {
                match self { $( Self::$pane => &$($place)::+, )* }
            }
        }
    };
}

pane_table!(declared_panes);

/// What the systems keep on the screen, each for itself.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) bridge: bridge::state::State,
    pub(crate) runs: runs::state::State,
    pub(crate) sessions: sessions::state::State,
    pub(crate) plugins: plugins::state::State,
    pub(crate) mplp: mplp::state::State,
    pub(crate) station: station::started::State,
    pub(crate) workbench: workbench::State,
}

impl DeclareState for Systems {
    type State = State;
}

/// Makes the way from a view's key to its declaration.
macro_rules! declared_views {
    ($(
        $(#[doc = $doc:literal])* $view:ident = $name:literal, $action:ident in $($place:ident)::+
    ),* $(,)?) => {
        impl ViewId {
            /// What it shows, and where.
            pub(crate) fn spec(self) -> &'static ViewSpec {
                match self { $( Self::$view => &$($place)::+, )* }
            }

            /// Its panes, the most needed first.
            pub(crate) fn panes(self) -> &'static [PaneId] {
                self.spec().panes
            }
        }
    };
}

view_table!(declared_views);

/// The systems, in the order of their chips.
static SYSTEMS: [&System; Link::ALL.len()] = [
    &bridge::system::SYSTEM,
    &bus::system::SYSTEM,
    &sessions::system::SYSTEM,
    &plugins::system::SYSTEM,
    &runs::system::SYSTEM,
    &mplp::system::SYSTEM,
    &station::system::SYSTEM,
];

impl System {
    /// All of them, in the order of their chips.
    pub(crate) fn all() -> &'static [&'static Self] {
        &SYSTEMS
    }

    /// That of a link.
    pub(crate) fn of(link: Link) -> Option<&'static Self> {
        SYSTEMS.into_iter().find(|system| system.link == link)
    }
}
