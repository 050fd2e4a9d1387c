//! The panes of all views, and the chips above them.

/// A pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PaneId {
    Queues,
    InFlight,
    Recent,
    /// Notices of all origins.
    Log,
    Started,
    /// Every row the store has, newest first, in pages.
    History,
    /// Pending rows of another manifest.
    OtherPack,
    /// Refund records.
    Refunds,
    /// Pack-state values.
    State,
    /// What the adapter says.
    AdapterLog,
    /// Faults of peers, by clause.
    Violations,
    /// What the station and this console say.
    StationLog,
    /// What this console costs, and how well it keeps up.
    Meter,
    /// Every kept entry of the tap, the newest last.
    Wire,
    /// What is published where on the bus.
    Topics,
    /// Subscriptions of the bus, and what waits for them.
    Subscribers,
    /// Connections of the bus.
    Peers,
    /// Messages of the bus that did not reach their subscribers.
    Drops,
    /// Runs of openings: those that are open first, then the newest.
    Runs,
    /// The plan of a run, with how its nodes stand.
    Plan,
    /// What a run told, the newest last.
    RunEvents,
    /// What a run kept.
    Artifacts,
    /// Every run that the store has, in pages.
    RunHistory,
    /// Sessions: those that are open first, then those that ended.
    Sessions,
    /// How a session stands: its proposals, or what its participants hold.
    Positions,
    /// Who said what of a session, the last first.
    Statements,
    /// A session's log, the newest last.
    SessionLog,
    /// Every session that the store has, in pages.
    SessionHistory,
    /// The messages of one trace.
    Trace,
    /// What waits on one queue: a list that lies over the panes.
    Pending,
}

impl PaneId {
    /// All of them.
    pub(crate) const ALL: [Self; 30] = [
        Self::Queues,
        Self::InFlight,
        Self::Recent,
        Self::Log,
        Self::Started,
        Self::History,
        Self::OtherPack,
        Self::Refunds,
        Self::State,
        Self::AdapterLog,
        Self::Violations,
        Self::StationLog,
        Self::Meter,
        Self::Wire,
        Self::Topics,
        Self::Subscribers,
        Self::Peers,
        Self::Drops,
        Self::Runs,
        Self::Plan,
        Self::RunEvents,
        Self::Artifacts,
        Self::RunHistory,
        Self::Sessions,
        Self::Positions,
        Self::Statements,
        Self::SessionLog,
        Self::SessionHistory,
        Self::Trace,
        Self::Pending,
    ];
}

/// A chip of the second line: a system, or a pane that has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChipId {
    Mpp,
    Rmp,
    Macp,
    Runs,
    Store,
    Hidden(PaneId),
}
