//! The views: what the whole screen is about.

use super::pane_id::PaneId;

/// A view, by its number key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ViewId {
    /// Everything at a glance.
    #[default]
    Deck,
    /// The MPP bridge.
    Bridge,
    /// The RMP bus.
    Bus,
    /// Openings and their runs.
    Runs,
    /// Sessions in which agents decide together.
    Sessions,
    /// The ladder of one trace.
    Trace,
    /// Every entry of the tap.
    Wire,
    /// What a person should read.
    Journal,
}

impl ViewId {
    /// All of them, in the order of their keys.
    pub(crate) const ALL: [Self; 8] = [
        Self::Deck,
        Self::Bridge,
        Self::Bus,
        Self::Runs,
        Self::Sessions,
        Self::Trace,
        Self::Wire,
        Self::Journal,
    ];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Deck => "Deck",
            Self::Bridge => "Bridge",
            Self::Bus => "Bus",
            Self::Runs => "Runs",
            Self::Sessions => "Sessions",
            Self::Trace => "Trace",
            Self::Wire => "Wire",
            Self::Journal => "Journal",
        }
    }

    /// Its panes, the most needed first.
    pub(crate) const fn panes(self) -> &'static [PaneId] {
        match self {
            Self::Deck => &[
                PaneId::Queues,
                PaneId::InFlight,
                PaneId::Recent,
                PaneId::Drops,
                PaneId::Sessions,
                PaneId::Log,
                PaneId::Runs,
            ],
            Self::Bridge => &[
                PaneId::Queues,
                PaneId::InFlight,
                PaneId::History,
                PaneId::OtherPack,
                PaneId::Refunds,
                PaneId::State,
                PaneId::AdapterLog,
            ],
            Self::Bus => &[PaneId::Topics, PaneId::Subscribers, PaneId::Peers, PaneId::Drops],
            Self::Runs => &[
                PaneId::Runs,
                PaneId::Plan,
                PaneId::RunEvents,
                PaneId::Artifacts,
                PaneId::RunHistory,
                PaneId::Trace,
            ],
            Self::Sessions => &[
                PaneId::Sessions,
                PaneId::Positions,
                PaneId::Statements,
                PaneId::SessionLog,
                PaneId::SessionHistory,
            ],
            Self::Trace => &[PaneId::Trace],
            Self::Wire => &[PaneId::Wire],
            Self::Journal => &[PaneId::Log, PaneId::Violations, PaneId::StationLog, PaneId::Meter],
        }
    }
}
