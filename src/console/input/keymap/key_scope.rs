//! Where keys go.

use crate::console::input::pane_id::PaneId;

/// Where keys go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyScope {
    /// A pane; the pending list too, which lies over the panes.
    Pane(PaneId),
    Chips,
    Details,
    /// An entry of the tap with its bytes.
    Inspector,
    /// A question that is answered by yes or no.
    Dialog,
    /// Whether to cancel, which may come with a refund.
    CancelDialog,
    /// Whether to cancel a session, which comes with a reason.
    ReasonDialog,
    /// That reason, or the note of a rating. What is typed is text.
    Reason,
    /// How to settle.
    SettleDialog,
    /// How a run is rated.
    RateDialog,
    /// How to leave.
    QuitDialog,
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
    /// What is looked for in a pane. What is typed is text.
    SearchLine,
    /// A moment to go to. What is typed is text.
    GoToTime,
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
    /// A frame that is edited to be sent. What is typed is text.
    Workbench,
    /// The ways to break a frame, in the workbench.
    WorkbenchList,
    /// The frames that were sent, and the snippets. What is typed finds some of them.
    FrameList,
    /// The name of a snippet that is saved. What is typed is text.
    SnippetName,
    /// The rules and the held frames of the gate.
    Gate,
    /// A rule of the gate that is being written. What is typed is text.
    GateRule,
    /// A page of the manual.
    Manual,
    /// Words that are looked for in the manual. What is typed is text.
    ManualSearch,
}

/// The scopes behind the panes of views, in the order of their layers.
const LAYERS: [KeyScope; 36] = [
    KeyScope::Chips,
    KeyScope::Pane(PaneId::Pending),
    KeyScope::Details,
    KeyScope::Inspector,
    KeyScope::Dialog,
    KeyScope::CancelDialog,
    KeyScope::ReasonDialog,
    KeyScope::Reason,
    KeyScope::SettleDialog,
    KeyScope::RateDialog,
    KeyScope::QuitDialog,
    KeyScope::Events,
    KeyScope::Form,
    KeyScope::FormJson,
    KeyScope::Palette,
    KeyScope::Alerts,
    KeyScope::Columns,
    KeyScope::Keys,
    KeyScope::Help,
    KeyScope::Output,
    KeyScope::FilterLine,
    KeyScope::SearchLine,
    KeyScope::GoToTime,
    KeyScope::CopyAs,
    KeyScope::Ledger,
    KeyScope::Submit,
    KeyScope::SubmitParams,
    KeyScope::Files,
    KeyScope::Workbench,
    KeyScope::WorkbenchList,
    KeyScope::FrameList,
    KeyScope::SnippetName,
    KeyScope::Gate,
    KeyScope::GateRule,
    KeyScope::Manual,
    KeyScope::ManualSearch,
];

impl KeyScope {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let panes = PaneId::ALL.iter().map(|pane| Self::Pane(*pane));
        panes.filter(|pane| !LAYERS.contains(pane)).chain(LAYERS)
    }

    /// Its name, as help has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pane(pane) => pane.name(),
            Self::Chips => "the chips",
            Self::Details => "details",
            Self::Inspector => "the inspector",
            Self::Dialog => "a dialog",
            Self::CancelDialog => "the cancel dialog",
            Self::ReasonDialog => "the cancel-session dialog",
            Self::Reason => "the reason line",
            Self::SettleDialog => "the settle dialog",
            Self::RateDialog => "the rating dialog",
            Self::QuitDialog => "the quit dialog",
            Self::Events => "the event list",
            Self::Form => "a form",
            Self::FormJson => "a form as JSON",
            Self::Palette => "the palette",
            Self::Alerts => "the alerts",
            Self::Columns => "the columns",
            Self::Keys => "the list of keys",
            Self::Help => "help",
            Self::Output => "a command's output",
            Self::FilterLine => "the filter line",
            Self::SearchLine => "the search line",
            Self::GoToTime => "the go-to-time line",
            Self::CopyAs => "the copy menu",
            Self::Ledger => "a ledger",
            Self::Submit => "the submit editor",
            Self::SubmitParams => "the submit params",
            Self::Files => "the openings",
            Self::Workbench => "the workbench",
            Self::WorkbenchList => "a list of the workbench",
            Self::FrameList => "the frames of the workbench",
            Self::SnippetName => "the name of a snippet",
            Self::Gate => "the gate",
            Self::GateRule => "a new rule of the gate",
            Self::Manual => "the manual",
            Self::ManualSearch => "the search of the manual",
        }
    }

    /// The page of the manual that describes it.
    pub(crate) const fn page(self) -> &'static str {
        match self {
            Self::Pane(_) | Self::Chips | Self::Details => "views",
            Self::Inspector => "inspector",
            Self::Dialog
            | Self::CancelDialog
            | Self::ReasonDialog
            | Self::Reason
            | Self::SettleDialog
            | Self::RateDialog
            | Self::Keys
            | Self::Help => "keys",
            Self::QuitDialog => "attach",
            Self::Events | Self::Form | Self::FormJson => "forms",
            Self::Palette | Self::Output => "palette",
            Self::Alerts => "alerts",
            Self::Columns => "columns",
            Self::FilterLine | Self::SearchLine => "filter",
            Self::GoToTime => "time",
            Self::CopyAs => "copy",
            Self::Ledger => "ledgers",
            Self::Submit | Self::SubmitParams | Self::Files => "openings",
            Self::Workbench | Self::WorkbenchList | Self::FrameList | Self::SnippetName => "workbench",
            Self::Gate | Self::GateRule => "gate",
            Self::Manual | Self::ManualSearch => "contents",
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
                | Self::SearchLine
                | Self::GoToTime
                | Self::Submit
                | Self::SubmitParams
                | Self::Reason
                | Self::Workbench
                | Self::FrameList
                | Self::SnippetName
                | Self::GateRule
                | Self::ManualSearch
        )
    }
}
