//! The panes of all views, and the chips above them.

/// The panes, for a macro that makes something of all of them: each with its key, its name as its title and
/// help have it, behind `|` the names that it had before, and where it is declared.
macro_rules! pane_table {
    ($make:ident) => {
        $make! {
            Queues = "Queues" in bridge::queues::PANE,
            InFlight = "In flight" in bridge::in_flight::PANE,
            Recent = "Recent" in bridge::recent::PANE,
            /// Notices of all origins.
            Log = "Log" in station::log::PANE,
            Started = "Getting started" in station::started::PANE,
            /// Every row the store has, newest first, in pages.
            History = "History" in bridge::history::HISTORY_PANE,
            /// Pending rows of another manifest.
            OtherPack = "Stale manifest" | "Other pack" in bridge::history::OTHER_PACK_PANE,
            /// Refund records.
            Refunds = "Refunds" in bridge::refunds::PANE,
            /// Pack-state values.
            State = "Pack state" in bridge::pack_state::PANE,
            /// What the adapter says.
            AdapterLog = "Adapter log" in bridge::adapter_log::PANE,
            /// Faults of peers, by clause.
            Violations = "Violations" in station::violations::PANE,
            /// Findings in the MPLP messages of the bus, by rule.
            Findings = "Findings" in station::findings::PANE,
            /// What the station and this console say.
            StationLog = "Station log" in station::log::STATION_PANE,
            /// What this console costs, and how well it keeps up.
            Meter = "Meter" in station::meter::PANE,
            /// Every kept entry of the tap, the newest last.
            Wire = "Wire" in wire::pane::PANE,
            /// Topics of the bus.
            Topics = "Topics" in bus::topics::PANE,
            /// Subscriptions of the bus, and what waits for them.
            Subscribers = "Subscribers" in bus::subscribers::PANE,
            /// Connections of the bus.
            Peers = "Peers" in bus::peers::PANE,
            /// Messages of the bus that did not reach their subscribers.
            Drops = "Drops" in bus::drops::PANE,
            /// Runs of openings: those that are open first, then the newest.
            Runs = "Runs" in runs::list::PANE,
            /// The plan of a run, with how its nodes stand.
            Plan = "Plan" in runs::plan::PANE,
            /// What a run told, the newest last.
            RunEvents = "Run events" in runs::events::PANE,
            /// What a run kept.
            Artifacts = "Artifacts" in runs::artifacts::PANE,
            /// Every run that the store has, in pages.
            RunHistory = "Run history" in runs::history::PANE,
            /// The lifecycle record of a run.
            Lifecycle = "Lifecycle" in mplp::panes::RUN_PANE,
            /// Sessions: those that are open first, then those that ended.
            Sessions = "Sessions" in sessions::list::PANE,
            /// How a session stands: its proposals, or what its participants hold.
            Positions = "Positions" | "Standings" in sessions::positions::PANE,
            /// Who said what of a session, the last first.
            Statements = "Messages" | "Voices" in sessions::statements::PANE,
            /// A session's log, the newest last.
            SessionLog = "Session log" in sessions::log::PANE,
            /// Every session that the store has, in pages.
            SessionHistory = "Session history" in sessions::history::PANE,
            /// The lifecycle record of a session.
            SessionLifecycle = "Session lifecycle" in mplp::panes::SESSION_PANE,
            /// Plugins: those that need a look first.
            Plugins = "Plugins" in plugins::list::PANE,
            /// What a plugin asked for, and what it has.
            Capabilities = "Capabilities" in plugins::capabilities::PANE,
            /// The status slots of a plugin.
            PluginStatus = "Plugin status" in plugins::status::PANE,
            /// A plugin's log, the newest last.
            PluginLog = "Plugin log" in plugins::log::PANE,
            /// What a plugin was granted, asked for and was handed, the newest last.
            PluginAudit = "Plugin audit" in plugins::audit::PANE,
            /// The messages of one trace.
            Trace = "Trace" in trace::pane::PANE,
            /// What waits on one queue: a list that lies over the panes.
            Pending = "the pending list" in bridge::pending::PANE,
        }
    };
}
pub(crate) use pane_table;

/// Makes the panes' keys.
macro_rules! pane_ids {
    ($(
        $(#[doc = $doc:literal])* $pane:ident = $name:literal $(| $old:literal)* in $($place:ident)::+
    ),* $(,)?) => {
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

            /// Names that it had in earlier versions: still read, and written no more.
            pub(crate) const fn old_names(self) -> &'static [&'static str] {
                match self { $( Self::$pane => &[$($old),*], )* }
            }
        }
    };
}

pane_table!(pane_ids);
