//! Where keys go.

use crate::console::input::pane_id::PaneId;

/// Where keys go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyScope {
    Queues,
    InFlight,
    Recent,
    Log,
    Started,
    History,
    OtherPack,
    Refunds,
    State,
    AdapterLog,
    Violations,
    StationLog,
    Meter,
    Wire,
    Topics,
    Subscribers,
    Peers,
    Drops,
    Runs,
    Plan,
    RunEvents,
    Artifacts,
    RunHistory,
    Sessions,
    Standings,
    Voices,
    SessionLog,
    SessionHistory,
    Trace,
    Chips,
    Pending,
    Details,
    /// An entry of the tap with its bytes.
    Inspector,
    /// A question that is answered by yes or no.
    Dialog,
    /// Whether to cancel, which may come with a refund.
    CancelDialog,
    /// Whether to cancel a session, which comes with a reason.
    ReasonDialog,
    /// That reason. What is typed is text.
    Reason,
    /// How to settle.
    SettleDialog,
    /// The list of events that work can be given of.
    Events,
    /// The fields of a form. What is typed is text.
    Form,
    /// A form as JSON. What is typed is text.
    FormJson,
    /// What is typed is text.
    Palette,
    Alerts,
    /// The columns of a pane.
    Columns,
    /// The list of keys. What is typed finds some of them.
    Keys,
    Help,
    /// What a subcommand printed.
    Output,
    /// The filter of a pane. What is typed is text.
    FilterLine,
    /// As what something is copied.
    CopyAs,
    /// The account of a pane.
    Ledger,
    /// An opening that is written to be submitted. What is typed is text.
    Submit,
    /// Its params. What is typed is text.
    SubmitParams,
    /// Openings to go on with.
    Files,
}

impl KeyScope {
    /// All of them.
    pub(crate) const ALL: [Self; 53] = [
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
        Self::Standings,
        Self::Voices,
        Self::SessionLog,
        Self::SessionHistory,
        Self::Trace,
        Self::Chips,
        Self::Pending,
        Self::Details,
        Self::Inspector,
        Self::Dialog,
        Self::CancelDialog,
        Self::ReasonDialog,
        Self::Reason,
        Self::SettleDialog,
        Self::Events,
        Self::Form,
        Self::FormJson,
        Self::Palette,
        Self::Alerts,
        Self::Columns,
        Self::Keys,
        Self::Help,
        Self::Output,
        Self::FilterLine,
        Self::CopyAs,
        Self::Ledger,
        Self::Submit,
        Self::SubmitParams,
        Self::Files,
    ];

    /// Panes of all views, and the chips above them.
    pub(crate) const VIEWS: &[Self] = super::table::VIEWS;

    /// Its name, as help has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Queues => "Queues",
            Self::InFlight => "In flight",
            Self::Recent => "Recent",
            Self::Log => "Log",
            Self::Started => "Getting started",
            Self::History => "History",
            Self::OtherPack => "Other pack",
            Self::Refunds => "Refunds",
            Self::State => "Pack state",
            Self::AdapterLog => "Adapter log",
            Self::Violations => "Violations",
            Self::StationLog => "Station log",
            Self::Meter => "Meter",
            Self::Wire => "Wire",
            Self::Topics => "Topics",
            Self::Subscribers => "Subscribers",
            Self::Peers => "Peers",
            Self::Drops => "Drops",
            Self::Runs => "Runs",
            Self::Plan => "Plan",
            Self::RunEvents => "Run events",
            Self::Artifacts => "Artifacts",
            Self::RunHistory => "Run history",
            Self::Sessions => "Sessions",
            Self::Standings => "Standings",
            Self::Voices => "Voices",
            Self::SessionLog => "Session log",
            Self::SessionHistory => "Session history",
            Self::Trace => "Trace",
            Self::Chips => "the chips",
            Self::Pending => "the pending list",
            Self::Details => "details",
            Self::Inspector => "the inspector",
            Self::Dialog => "a question",
            Self::CancelDialog => "the question before a cancellation",
            Self::ReasonDialog => "the question before a session is cancelled",
            Self::Reason => "the reason of a cancellation",
            Self::SettleDialog => "the question before a settlement",
            Self::Events => "the events",
            Self::Form => "a form",
            Self::FormJson => "a form as JSON",
            Self::Palette => "the palette",
            Self::Alerts => "the alerts",
            Self::Columns => "the columns",
            Self::Keys => "the list of keys",
            Self::Help => "help",
            Self::Output => "a command's output",
            Self::FilterLine => "the filter line",
            Self::CopyAs => "the menu of copying",
            Self::Ledger => "a ledger",
            Self::Submit => "a submission",
            Self::SubmitParams => "the params of a submission",
            Self::Files => "the openings",
        }
    }

    /// Whether what is typed there is text, so that only chords that type nothing can mean something.
    pub(crate) const fn takes_text(self) -> bool {
        matches!(
            self,
            Self::Form
                | Self::FormJson
                | Self::Palette
                | Self::Keys
                | Self::FilterLine
                | Self::Submit
                | Self::SubmitParams
                | Self::Reason
        )
    }
}

impl PaneId {
    /// The place of its keys.
    pub(crate) const fn key_scope(self) -> KeyScope {
        match self {
            Self::Queues => KeyScope::Queues,
            Self::InFlight => KeyScope::InFlight,
            Self::Recent => KeyScope::Recent,
            Self::Log => KeyScope::Log,
            Self::Started => KeyScope::Started,
            Self::History => KeyScope::History,
            Self::OtherPack => KeyScope::OtherPack,
            Self::Refunds => KeyScope::Refunds,
            Self::State => KeyScope::State,
            Self::AdapterLog => KeyScope::AdapterLog,
            Self::Violations => KeyScope::Violations,
            Self::StationLog => KeyScope::StationLog,
            Self::Meter => KeyScope::Meter,
            Self::Wire => KeyScope::Wire,
            Self::Topics => KeyScope::Topics,
            Self::Subscribers => KeyScope::Subscribers,
            Self::Peers => KeyScope::Peers,
            Self::Drops => KeyScope::Drops,
            Self::Runs => KeyScope::Runs,
            Self::Plan => KeyScope::Plan,
            Self::RunEvents => KeyScope::RunEvents,
            Self::Artifacts => KeyScope::Artifacts,
            Self::RunHistory => KeyScope::RunHistory,
            Self::Sessions => KeyScope::Sessions,
            Self::Positions => KeyScope::Standings,
            Self::Statements => KeyScope::Voices,
            Self::SessionLog => KeyScope::SessionLog,
            Self::SessionHistory => KeyScope::SessionHistory,
            Self::Trace => KeyScope::Trace,
            Self::Pending => KeyScope::Pending,
        }
    }
}
