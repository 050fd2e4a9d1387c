//! The panes of all views, and the chips above them.

/// Declares the panes' keys: each with its name, as its title and help have it.
macro_rules! panes {
    ($( $(#[doc = $doc:literal])* $pane:ident = $name:literal ),* $(,)?) => {
        /// A pane.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum PaneId {
            $( $(#[doc = $doc])* $pane, )*
        }

        impl PaneId {
            /// All of them.
            pub(crate) const ALL: &'static [Self] = &[$( Self::$pane, )*];

            /// Its name, as its title and help have it.
            pub(crate) const fn name(self) -> &'static str {
                match self { $( Self::$pane => $name, )* }
            }
        }
    };
}

panes! {
    Queues = "Queues",
    InFlight = "In flight",
    Recent = "Recent",
    /// Notices of all origins.
    Log = "Log",
    Started = "Getting started",
    /// Every row the store has, newest first, in pages.
    History = "History",
    /// Pending rows of another manifest.
    OtherPack = "Other pack",
    /// Refund records.
    Refunds = "Refunds",
    /// Pack-state values.
    State = "Pack state",
    /// What the adapter says.
    AdapterLog = "Adapter log",
    /// Faults of peers, by clause.
    Violations = "Violations",
    /// What the station and this console say.
    StationLog = "Station log",
    /// What this console costs, and how well it keeps up.
    Meter = "Meter",
    /// Every kept entry of the tap, the newest last.
    Wire = "Wire",
    /// What is published where on the bus.
    Topics = "Topics",
    /// Subscriptions of the bus, and what waits for them.
    Subscribers = "Subscribers",
    /// Connections of the bus.
    Peers = "Peers",
    /// Messages of the bus that did not reach their subscribers.
    Drops = "Drops",
    /// Runs of openings: those that are open first, then the newest.
    Runs = "Runs",
    /// The plan of a run, with how its nodes stand.
    Plan = "Plan",
    /// What a run told, the newest last.
    RunEvents = "Run events",
    /// What a run kept.
    Artifacts = "Artifacts",
    /// Every run that the store has, in pages.
    RunHistory = "Run history",
    /// Sessions: those that are open first, then those that ended.
    Sessions = "Sessions",
    /// How a session stands: its proposals, or what its participants hold.
    Positions = "Standings",
    /// Who said what of a session, the last first.
    Statements = "Voices",
    /// A session's log, the newest last.
    SessionLog = "Session log",
    /// Every session that the store has, in pages.
    SessionHistory = "Session history",
    /// The messages of one trace.
    Trace = "Trace",
    /// What waits on one queue: a list that lies over the panes.
    Pending = "the pending list",
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
