//! Where a key means something: the lists of scopes that the shipped keymap names.

use super::KeyScope::{self, Pane};
use crate::console::input::{action::Action, pane_id::PaneId};

/// Every pane with rows but Queues, with more panes and other places.
macro_rules! rows_and {
    ($($pane:ident),* $(; $($more:ident),*)?) => {
        rows_but_plugins_and!(
            $($pane,)* Plugins, Capabilities, PluginStatus, PluginLog, PluginAudit; $($($more),*)?
        )
    };
}

/// Every pane with rows but Queues and those of plugins, with more panes and other places.
macro_rules! rows_but_plugins_and {
    ($($pane:ident),* $(; $($more:ident),*)?) => {
        rows_but_records_and!($($pane,)* Lifecycle, SessionLifecycle; $($($more),*)?)
    };
}

/// Every pane with rows but Queues, those of plugins and those that show a record as a tree; with more panes
/// and other places.
macro_rules! rows_but_records_and {
    ($($pane:ident),* $(; $($more:ident),*)?) => {
        rows_of_bridge_and!(
            $($pane,)* Runs, Plan, RunEvents, Artifacts, RunHistory, Subscribers, Peers, Sessions, Positions,
            Statements, SessionLog, SessionHistory; $($($more),*)?
        )
    };
}

/// Every pane with rows but Queues, those of runs, of sessions and of the bus's connections; with more panes
/// and other places.
macro_rules! rows_of_bridge_and {
    ($($pane:ident),* $(; $($more:ident),*)?) => {
        &[
            $( Pane(PaneId::$pane), )*
            $( $( KeyScope::$more, )* )?
            Pane(PaneId::InFlight),
            Pane(PaneId::Recent),
            Pane(PaneId::Log),
            Pane(PaneId::History),
            Pane(PaneId::OtherPack),
            Pane(PaneId::Refunds),
            Pane(PaneId::State),
            Pane(PaneId::AdapterLog),
            Pane(PaneId::Violations),
            Pane(PaneId::Findings),
            Pane(PaneId::StationLog),
            Pane(PaneId::Meter),
            Pane(PaneId::Wire),
            Pane(PaneId::Topics),
            Pane(PaneId::Drops),
            Pane(PaneId::Trace),
        ]
    };
}

impl KeyScope {
    /// Panes of all views, and the chips above them.
    pub(crate) const VIEWS: &[Self] = VIEWS;
}

pub(super) const PANES: &[KeyScope] = rows_and!(Queues, Started);
/// Panes of all views, and the chips above them.
pub(super) const VIEWS: &[KeyScope] = rows_and!(Queues, Started; Chips);
/// Panes in which there is something to the left and to the right, and the chips.
pub(super) const BESIDE: &[KeyScope] = rows_but_records_and!(
    Queues, Started, Plugins, Capabilities, PluginStatus, PluginLog, PluginAudit; Chips
);
/// Panes that tell of neither runs nor sessions, and the chips: what concerns the adapter is not named in
/// the others, though it works.
pub(super) const OF_ADAPTER: &[KeyScope] = rows_of_bridge_and!(Queues, Started; Chips);
/// Panes that tell of neither runs nor sessions, those of the bus's connections, and the chips: among runs
/// and sessions the key of a recording says no to a question, or writes a reason.
pub(super) const INVOKES: &[KeyScope] = rows_of_bridge_and!(Queues, Started, Subscribers, Peers; Chips);
/// Where a session of the bus is selected.
pub(super) const SESSIONS: &[KeyScope] = &[Pane(PaneId::Subscribers), Pane(PaneId::Peers)];
/// Where keys that work on a queue only say where to go.
pub(super) const BESIDE_QUEUES: &[KeyScope] = rows_and!(Started; Chips);
/// Places with rows or lines to move among.
pub(super) const LISTS: &[KeyScope] = rows_and!(
    Queues, Pending;
    Details, Inspector, Events, Alerts, Columns, Help, Output, Files, WorkbenchList, Gate, Manual
);
/// Where rows are found and columns are chosen.
pub(super) const TABLES: &[KeyScope] = rows_and!(Queues, Pending);
/// Panes where rows are found.
pub(super) const ROWS: &[KeyScope] = rows_and!(Queues);
/// Where a record is at hand that has a cause, a place in time, and something to copy.
pub(super) const TRACED: &[KeyScope] = rows_and!(Queues; Details, Inspector);
/// Where a record at hand has a cause; in the inspector causes are what one comes for.
pub(super) const CAUSED: &[KeyScope] = rows_and!(Queues, Pending; Details);
/// Where there is something to copy.
pub(super) const COPIED: &[KeyScope] = rows_and!(Queues, Pending; Details, Inspector);
/// Where rows are counted.
pub(super) const LEDGERS: &[KeyScope] = rows_and!(Queues, Pending);
pub(super) const MENU: &[KeyScope] = &[KeyScope::CopyAs];
/// Where time is stopped and stepped through. Where it is not, the last row is all that the key for live can
/// mean.
pub(super) const TIMED: &[KeyScope] =
    rows_and!(Queues, Started, Pending; Chips, Details, Inspector, Events, Alerts, Help, Output);
/// Where the palette and help open.
pub(super) const ANYWHERE: &[KeyScope] = rows_and!(
    Queues, Started, Pending;
    Chips, Details, Inspector, Events, Alerts, Columns, Files, WorkbenchList, Gate, Manual
);
/// Where a host is started again: wherever it is said that it is down.
pub(super) const RESTARTS: &[KeyScope] = rows_but_plugins_and!(Queues, Started; Chips, Details, Alerts);
pub(super) const INVOCATIONS: &[KeyScope] = &[
    Pane(PaneId::InFlight),
    Pane(PaneId::Recent),
    Pane(PaneId::History),
    Pane(PaneId::OtherPack),
    Pane(PaneId::Pending),
    Pane(PaneId::Wire),
    Pane(PaneId::Trace),
];
pub(super) const RUNS: &[KeyScope] = &[
    Pane(PaneId::Runs),
    Pane(PaneId::Plan),
    Pane(PaneId::RunEvents),
    Pane(PaneId::Artifacts),
    Pane(PaneId::RunHistory),
];
/// Where the run that is shown is rated.
pub(super) const RATED: &[KeyScope] = &[
    Pane(PaneId::Runs),
    Pane(PaneId::Plan),
    Pane(PaneId::RunEvents),
    Pane(PaneId::Artifacts),
    Pane(PaneId::RunHistory),
    Pane(PaneId::Lifecycle),
    Pane(PaneId::SessionLifecycle),
    Pane(PaneId::Trace),
];
pub(super) const MACP_SESSIONS: &[KeyScope] = &[
    Pane(PaneId::Sessions),
    Pane(PaneId::Positions),
    Pane(PaneId::Statements),
    Pane(PaneId::SessionLog),
    Pane(PaneId::SessionHistory),
];
/// Where the lifecycle record of a run or session is shown.
pub(super) const LIFECYCLES: &[KeyScope] = &[Pane(PaneId::Lifecycle), Pane(PaneId::SessionLifecycle)];
pub(super) const PLUGINS: &[KeyScope] = &[
    Pane(PaneId::Plugins),
    Pane(PaneId::Capabilities),
    Pane(PaneId::PluginStatus),
    Pane(PaneId::PluginLog),
    Pane(PaneId::PluginAudit),
];
/// Actions of a place that have no key as shipped: the palette offers them.
pub(crate) fn unkeyed(place: KeyScope) -> &'static [Action] {
    if PLUGINS.contains(&place) {
        &[Action::GrantCapability, Action::RevokeCapability, Action::RemovePlugin]
    } else {
        &[]
    }
}
/// Where a credential that a plugin asks for may be at hand, beside the panes of plugins.
pub(super) const CONSENTS: &[KeyScope] = &[KeyScope::Alerts, KeyScope::Details];
/// Where a question of a run may be at hand.
pub(super) const ASKED: &[KeyScope] = &[
    KeyScope::Alerts,
    KeyScope::Details,
    Pane(PaneId::Runs),
    Pane(PaneId::Plan),
    Pane(PaneId::RunEvents),
    Pane(PaneId::Artifacts),
    Pane(PaneId::RunHistory),
];
/// Where what is selected is a piece of work, or a part of one.
pub(super) const OF_WORK: &[KeyScope] = &[
    Pane(PaneId::InFlight),
    Pane(PaneId::Recent),
    Pane(PaneId::History),
    Pane(PaneId::OtherPack),
    Pane(PaneId::Wire),
    Pane(PaneId::Runs),
    Pane(PaneId::Plan),
    Pane(PaneId::RunEvents),
    Pane(PaneId::Artifacts),
    Pane(PaneId::RunHistory),
    Pane(PaneId::Lifecycle),
    Pane(PaneId::Sessions),
    Pane(PaneId::SessionHistory),
    KeyScope::Inspector,
];
/// Where it may be.
pub(super) const BESIDE_WORK: &[KeyScope] = &[
    Pane(PaneId::Positions),
    Pane(PaneId::Statements),
    Pane(PaneId::SessionLog),
    Pane(PaneId::SessionLifecycle),
    Pane(PaneId::Log),
    Pane(PaneId::Refunds),
    Pane(PaneId::AdapterLog),
    Pane(PaneId::Violations),
    Pane(PaneId::Findings),
    Pane(PaneId::StationLog),
    Pane(PaneId::Drops),
    Pane(PaneId::Topics),
    Pane(PaneId::Queues),
    Pane(PaneId::Pending),
    KeyScope::Details,
];
pub(super) const READ: &[KeyScope] = &[
    Pane(PaneId::Log),
    Pane(PaneId::Refunds),
    Pane(PaneId::State),
    Pane(PaneId::AdapterLog),
    Pane(PaneId::Violations),
    Pane(PaneId::Findings),
    Pane(PaneId::StationLog),
    Pane(PaneId::Topics),
    Pane(PaneId::Drops),
    Pane(PaneId::Subscribers),
    Pane(PaneId::Peers),
];
pub(super) const CANCELLABLE: &[KeyScope] =
    &[Pane(PaneId::Pending), Pane(PaneId::History), Pane(PaneId::OtherPack)];
/// Where ended rows are listed.
pub(super) const ENDED: &[KeyScope] =
    &[Pane(PaneId::Recent), Pane(PaneId::History), Pane(PaneId::OtherPack), Pane(PaneId::Refunds)];
pub(super) const DIALOGS: &[KeyScope] = &[
    KeyScope::Dialog,
    KeyScope::CancelDialog,
    KeyScope::ReasonDialog,
    KeyScope::SettleDialog,
    KeyScope::RateDialog,
    KeyScope::QuitDialog,
];
/// Where it is asked how to leave.
pub(super) const QUITS: &[KeyScope] = &[KeyScope::QuitDialog];
pub(super) const READERS: &[KeyScope] = &[
    Pane(PaneId::Pending),
    KeyScope::Details,
    KeyScope::Inspector,
    KeyScope::Events,
    KeyScope::Alerts,
    KeyScope::Columns,
    KeyScope::Help,
    KeyScope::Output,
    KeyScope::CopyAs,
    KeyScope::Ledger,
    KeyScope::Files,
    KeyScope::WorkbenchList,
    KeyScope::Gate,
    KeyScope::Manual,
];
/// Layers in which there is something to the left and to the right.
pub(super) const SIDEWAYS: &[KeyScope] = &[Pane(PaneId::Pending), KeyScope::Output, KeyScope::Inspector];
pub(super) const INSPECTOR: &[KeyScope] = &[KeyScope::Inspector];
pub(super) const FORMS: &[KeyScope] = &[KeyScope::Form, KeyScope::FormJson];
/// Where something is written that is sent.
pub(super) const SENT: &[KeyScope] =
    &[KeyScope::Form, KeyScope::FormJson, KeyScope::Submit, KeyScope::SubmitParams, KeyScope::Workbench];
/// Where a rule of the gate is written.
pub(super) const GATE_RULES: &[KeyScope] = &[KeyScope::GateRule];
/// The rules and the held frames of the gate.
pub(super) const GATE: &[KeyScope] = &[KeyScope::Gate];
/// Both.
pub(super) const GATES: &[KeyScope] = &[KeyScope::Gate, KeyScope::GateRule];
/// Where a frame is edited.
pub(super) const WORKBENCH: &[KeyScope] = &[KeyScope::Workbench];
/// What the workbench lists.
pub(super) const WORKBENCH_LISTS: &[KeyScope] = &[KeyScope::WorkbenchList, KeyScope::FrameList];
/// Where a captured frame is selected, or a record of one.
pub(super) const CAPTURED: &[KeyScope] = &[
    Pane(PaneId::InFlight),
    Pane(PaneId::Wire),
    Pane(PaneId::Trace),
    Pane(PaneId::Drops),
    Pane(PaneId::Violations),
    Pane(PaneId::AdapterLog),
    KeyScope::Inspector,
    KeyScope::Details,
];
/// Where an opening is written.
pub(super) const SUBMITS: &[KeyScope] = &[KeyScope::Submit, KeyScope::SubmitParams];
/// Where a list is searched by what is typed.
pub(super) const SEARCHED: &[KeyScope] =
    &[KeyScope::Palette, KeyScope::Keys, KeyScope::ManualSearch, KeyScope::FrameList];
/// The lines in which is written what a pane's rows are to fit.
pub(super) const FILTERS: &[KeyScope] = &[KeyScope::FilterLine, KeyScope::SearchLine];
/// Where a search may be in force.
pub(super) const FOUND: &[KeyScope] = rows_and!(Queues, Pending; SearchLine);
/// A page of the manual.
pub(super) const MANUAL: &[KeyScope] = &[KeyScope::Manual];
/// The manual, read or searched.
pub(super) const MANUALS: &[KeyScope] = &[KeyScope::Manual, KeyScope::ManualSearch];
/// Where what is typed is text.
pub(super) const WRITERS: &[KeyScope] = &[
    KeyScope::Form,
    KeyScope::FormJson,
    KeyScope::Palette,
    KeyScope::Keys,
    KeyScope::FilterLine,
    KeyScope::SearchLine,
    KeyScope::GoToTime,
    KeyScope::Submit,
    KeyScope::SubmitParams,
    KeyScope::Reason,
    KeyScope::FrameList,
    KeyScope::SnippetName,
    KeyScope::GateRule,
    KeyScope::ManualSearch,
];
/// Every layer above the panes in which no text is typed.
pub(super) const LAYERS: &[KeyScope] = &[
    Pane(PaneId::Pending),
    KeyScope::Details,
    KeyScope::Inspector,
    KeyScope::Dialog,
    KeyScope::CancelDialog,
    KeyScope::ReasonDialog,
    KeyScope::SettleDialog,
    KeyScope::RateDialog,
    KeyScope::QuitDialog,
    KeyScope::Events,
    KeyScope::Alerts,
    KeyScope::Columns,
    KeyScope::Help,
    KeyScope::Output,
    KeyScope::CopyAs,
    KeyScope::Ledger,
    KeyScope::Files,
    KeyScope::WorkbenchList,
    KeyScope::Gate,
    KeyScope::Manual,
];
