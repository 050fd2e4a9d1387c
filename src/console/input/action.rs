//! What keys mean.

use super::view_id::{ViewId, view_table};

macro_rules! actions {
    ($( $(#[doc = $doc:literal])* $variant:ident = $name:literal $(| $old:literal)* ),* $(,)?) => {
        /// What a key or a click means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Action {
            $( $(#[doc = $doc])* $variant, )*
        }

        impl Action {
            /// All of them, in the order of the keymap's documentation.
            pub(crate) const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// Its name in the configuration (`console.keys.<name>`).
            pub(crate) const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// Its key in the configuration.
            pub(crate) const fn key(self) -> &'static str {
                match self { $( Self::$variant => concat!("console.keys.", $name), )* }
            }

            /// Names that it had in earlier versions: still read, and written no more.
            pub(crate) const fn old_names(self) -> &'static [&'static str] {
                match self { $( Self::$variant => &[$($old),*], )* }
            }

            /// What it does, in one line.
            pub(crate) const fn about(self) -> &'static str {
                match self { $( Self::$variant => concat!($($doc),*), )* }
            }
        }
    };
}

actions! {
    /// Quit: detach, or stop the station; asks first while work is in progress. An attached console only
    /// detaches.
    Quit = "quit",
    /// Keys of this place.
    Help = "help",
    /// All keys of all places, with their names in the configuration.
    Keys = "keys",
    /// The manual, at what describes the place of the cursor.
    Manual = "manual",
    /// Any action or subcommand by its name.
    Palette = "palette",
    /// Back: close overlay, clear marks, clear filter, unzoom, hide the first steps.
    Back = "back",
    /// Close the open reader or editor.
    Close = "close",
    /// The Deck: everything at a glance.
    ViewDeck = "deck",
    /// The Bridge: queues, history, refunds, pack state, the adapter's log.
    ViewBridge = "bridge",
    /// The Bus: topics, subscribers, peers, drops.
    ViewBus = "bus",
    /// The Runs: plans, events, artifacts, history.
    ViewRuns = "runs",
    /// The Sessions: proposals, evaluations and votes, or rounds; logs, history.
    ViewSessions = "sessions",
    /// The Plugins: state, pings and restarts; capabilities, status, log, audit.
    ViewPlugins = "plugins",
    /// The Trace: every message of one trace, with sender and receiver.
    ViewTrace = "trace",
    /// The Journal: notices, violations, the station's own log.
    ViewJournal = "journal",
    /// The Wire: every entry as received or sent, with its bytes.
    ViewWire = "wire",
    /// Go back to the previous view, pane and record.
    PlaceBefore = "previous-place" | "place-before",
    /// The next pane.
    FocusNext = "next-pane",
    /// The previous pane.
    FocusPrevious = "previous-pane",
    /// One row up.
    Up = "up",
    /// One row down.
    Down = "down",
    /// The cell to the left; from the first one, the pane to the left.
    Left = "left",
    /// The cell to the right; from the last one, the pane to the right.
    Right = "right",
    /// A page up.
    PageUp = "page-up",
    /// A page down.
    PageDown = "page-down",
    /// The first row.
    First = "first",
    /// The last row.
    Last = "last",
    /// Open or inspect what is selected.
    Open = "open",
    /// Show only the rows of this pane that match a filter.
    Filter = "filter",
    /// Filter by the selected cell.
    FilterCell = "filter-cell",
    /// Turn the default filter of this pane off or on.
    ShippedFilter = "default-filter" | "shipped-filter",
    /// Search the rows of this pane: matches are marked, and nothing is hidden.
    Find = "find",
    /// The next match of the search in this pane; wraps around.
    NextHit = "next-hit",
    /// The previous match of the search in this pane; wraps around.
    PreviousHit = "previous-hit",
    /// Choose the sorting and the columns of this pane.
    Columns = "columns",
    /// Show or hide the column of the selected field.
    ToggleColumn = "toggle-column",
    /// Sort by the selected field; again reverses, then clears the sorting.
    SortColumn = "sort-column",
    /// Move the selected column to the left.
    ColumnEarlier = "column-earlier",
    /// Move the selected column to the right.
    ColumnLater = "column-later",
    /// Reset sorting and columns of this pane to the defaults.
    ResetColumns = "reset-columns",
    /// Reset sorting and columns of every pane of this view to the defaults.
    ResetLayout = "reset-layout",
    /// Pause all panes at once, or resume them.
    Pause = "pause",
    /// Step one entry back.
    StepBack = "step-back",
    /// Step one entry forward.
    StepForward = "step-forward" | "step-on",
    /// Step one second back.
    SecondBack = "second-back",
    /// Step one second forward.
    SecondForward = "second-forward" | "second-on",
    /// Step ten seconds back.
    TenSecondsBack = "ten-seconds-back",
    /// Step ten seconds forward.
    TenSecondsForward = "ten-seconds-forward" | "ten-seconds-on",
    /// Step back to the previous failure, fault, loss, drop, alert, command, mark or bookmark.
    NoteBack = "previous-notable" | "event-of-note-before",
    /// Step forward to the next failure, fault, loss, drop, alert, command, mark or bookmark.
    NoteForward = "next-notable" | "event-of-note-after",
    /// Go to a time of day, or back by a duration.
    GoToTime = "go-to-time",
    /// Replay faster: up to 64 times, then as fast as possible. In a recording only.
    ReplayFaster = "replay-faster",
    /// Replay slower: down to a quarter. In a recording only.
    ReplaySlower = "replay-slower",
    /// Resume live; while live, go to the last row. In a recording, go to its end.
    Live = "live",
    /// The cause of this entry.
    Cause = "cause",
    /// The effects of this entry.
    Effect = "effect",
    /// The next entry of the same trace or invocation.
    RelatedNext = "next-related",
    /// The previous entry of the same trace or invocation.
    RelatedPrevious = "previous-related",
    /// The messages of the trace that this belongs to; from one of them, its entry in the Wire.
    Ladder = "ladder",
    /// Back to the previously inspected entry.
    Return = "previous-entry" | "entry-before",
    /// Set or remove a bookmark at this record and time.
    Bookmark = "bookmark",
    /// Go to the previous bookmark; again to the one before it.
    Jump = "jump",
    /// Copy the selected cell.
    Copy = "copy",
    /// Copy the selection as cell, JSON, hex, frame or command.
    CopyAs = "copy-as",
    /// Copy the value of the selected cell, or the text.
    CopyCell = "copy-cell",
    /// Copy the record as JSON.
    CopyJson = "copy-json",
    /// Copy the record's frame as hex.
    CopyHex = "copy-hex",
    /// Copy the record's frame as is.
    CopyFrame = "copy-frame",
    /// Copy the command to show the record.
    CopyLine = "copy-line",
    /// Copy the command to invoke the same event again.
    CopyAgain = "copy-again",
    /// Copy the command to inject the record's frame.
    CopyInject = "copy-inject",
    /// Copy the ladder as a sequence diagram in Mermaid's language.
    CopyDiagram = "copy-diagram",
    /// Write the lifecycle record of the selected run or session to a file.
    WriteRecord = "write-record",
    /// Go on or off air: mask or show logins, chat text and payload values on every screen.
    OnAir = "on-air",
    /// The ledger of this pane: rows received, shown, filtered, evicted and lost.
    Ledger = "ledger",
    /// Hold the selected queue (no dispatch), or resume it.
    Hold = "hold",
    /// Hold every queue and the new attempts of runs.
    HoldAll = "hold-all",
    /// Resume every queue and the attempts of runs; asks first.
    ResumeAll = "resume-all",
    /// Drain the selected queue: refuse new work, dispatch pending work; again ends it.
    Drain = "drain",
    /// Invoke an event of the pack, or in Plugins an action of the selected plugin, from a form.
    Invoke = "invoke",
    /// Submit a run: edit an opening and send it to the control plane.
    Submit = "submit",
    /// Open the workbench: a frame of any protocol, edited as JSON or bytes, with what its core would make of
    /// it now.
    Workbench = "workbench",
    /// Open the selected captured frame in the workbench.
    EditFrame = "edit-frame",
    /// Refresh the ids, times and TTLs of the frame; after its bytes were edited, make its JSON from them.
    RefreshFrame = "refresh-frame",
    /// Break the frame on purpose.
    BreakFrame = "break-frame",
    /// The frames that were sent, what became of each, and the snippets.
    SentFrames = "sent-frames",
    /// Save the frame as a snippet, under a name.
    SaveSnippet = "save-snippet",
    /// The trace of the frame that was sent last.
    SentTrace = "sent-trace",
    /// Keep an edit at the gate: the same change is made of every frame that the rule matches from then on.
    KeepEdit = "keep-edit",
    /// The gate: rules that hold frames on their way, and the frames that are held.
    Gate = "gate",
    /// Let the selected held frame pass.
    PassFrame = "pass-frame",
    /// Let every held frame pass.
    PassAllFrames = "pass-all-frames",
    /// Drop the selected held frame.
    DropFrame = "drop-frame",
    /// Disarm the selected rule of the gate; the frames that it holds pass.
    DisarmRule = "disarm-rule",
    /// Cancel the selected or marked rows; in Plugins, disable the selected plugin.
    Cancel = "cancel",
    /// Approve the selected pending approval; allow a plugin the credential it asks for, for this run
    /// of the station.
    Approve = "approve",
    /// Reject the selected pending approval; deny a plugin the credential it asks for.
    Reject = "reject",
    /// Allow a plugin the credential it asks for until it is revoked.
    AllowAlways = "allow-always",
    /// Grant the selected capability to its plugin.
    GrantCapability = "grant",
    /// Revoke the selected capability of its plugin.
    RevokeCapability = "revoke",
    /// Remove the selected plugin; its data is kept.
    RemovePlugin = "remove-plugin",
    /// Edit the panel of the selected plugin, in a form.
    EditPanel = "edit-panel",
    /// Rate the selected run: whether it did what it was for. The last rating holds.
    Rate = "rate",
    /// Mark the selected row; marked rows are cancelled together, or requeued if ended.
    Mark = "mark",
    /// Mark an orphaned row done or failed.
    Settle = "settle",
    /// Repeat: requeue the selected or marked ended rows; submit the opening of a run again, edited
    /// or unchanged.
    Again = "again",
    /// Disconnect the adapter; in Subscribers and Peers, the selected bus session.
    Kick = "disconnect" | "kick",
    /// Restart a failed host, such as the bridge or the bus; in Plugins, restart or enable the selected
    /// plugin.
    Restart = "restart",
    /// Move pending rows of a stale manifest to the active one.
    Migrate = "migrate",
    /// Start or stop a recording.
    Record = "record",
    /// Save the last minute as a recording.
    Clip = "clip",
    /// Alerts, active and resolved, and pending approvals.
    Alerts = "alerts",
    /// Acknowledge an alert.
    Acknowledge = "acknowledge",
    /// Zoom the focused pane to the whole screen, or unzoom.
    Zoom = "zoom",
    /// The next theme.
    NextTheme = "theme",
    /// Release the mouse to the terminal's own selection, or capture it again.
    FreeMouse = "mouse",
    /// Confirm a dialog.
    Confirm = "confirm",
    /// Go back from a dialog.
    Decline = "decline",
    /// Record refunds with a cancellation, or not.
    Refund = "refund",
    /// Edit the reason of a session's cancellation, or the note of a rating.
    Reason = "reason",
    /// Mark the orphaned row done.
    SettleDone = "settle-done",
    /// Mark the orphaned row failed.
    SettleFailed = "settle-failed",
    /// Rate the run as approved: it did what it was for.
    RateApproved = "rate-approved",
    /// Rate the run as rejected.
    RateRejected = "rate-rejected",
    /// Detach: close this screen; the station keeps running.
    Detach = "detach",
    /// Stop the station of this process, with its screen.
    StopStation = "stop-station",
    /// The next field of a form.
    NextField = "next-field",
    /// The previous field of a form.
    PreviousField = "previous-field",
    /// Send the form.
    Send = "send",
    /// Switch between a form's fields and its JSON.
    AsJson = "as-json",
    /// Switch between an opening's text and its params.
    Params = "params",
    /// Open an opening: recent submissions and files.
    Files = "openings",
    /// Reset the form to the schema's defaults, or undo that.
    Defaults = "defaults",
}

impl Action {
    /// The action of this name, or of one that it had in an earlier version.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name || action.old_names().contains(&name))
    }
}

/// Makes the way from a view to the action that shows it, and back.
macro_rules! view_actions {
    ($(
        $(#[doc = $doc:literal])* $view:ident = $name:literal, $action:ident in $($place:ident)::+
    ),* $(,)?) => {
        impl Action {
            /// The one that shows a view.
            pub(crate) const fn showing(view: ViewId) -> Self {
                match view { $( ViewId::$view => Self::$action, )* }
            }

            /// The view that it shows, if it does.
            pub(crate) const fn view(self) -> Option<ViewId> {
                match self {
                    $( Self::$action => Some(ViewId::$view), )*
                    _ => None,
                }
            }
        }
    };
}

view_table!(view_actions);

impl Action {
    /// Whether it gives the station or this console something to do for good: it is held against the present,
    /// also while the past is shown.
    pub(crate) const fn acts(self) -> bool {
        matches!(
            self,
            Self::Quit
                | Self::Detach
                | Self::StopStation
                | Self::Hold
                | Self::HoldAll
                | Self::ResumeAll
                | Self::Drain
                | Self::Invoke
                | Self::Submit
                | Self::Workbench
                | Self::EditFrame
                | Self::PassFrame
                | Self::PassAllFrames
                | Self::DropFrame
                | Self::DisarmRule
                | Self::Cancel
                | Self::Approve
                | Self::Reject
                | Self::AllowAlways
                | Self::GrantCapability
                | Self::RevokeCapability
                | Self::RemovePlugin
                | Self::EditPanel
                | Self::Rate
                | Self::Mark
                | Self::Settle
                | Self::Again
                | Self::Kick
                | Self::Restart
                | Self::Migrate
                | Self::Record
                | Self::Clip
                | Self::Acknowledge
                | Self::Confirm
                | Self::Refund
                | Self::Reason
                | Self::SettleDone
                | Self::SettleFailed
                | Self::RateApproved
                | Self::RateRejected
                | Self::Send
        )
    }

    /// Whether its key works wherever one is, also where text is typed.
    pub(crate) const fn works_everywhere(self) -> bool {
        matches!(self, Self::HoldAll | Self::Manual)
    }

    /// Whether it is about the selected record, which stays selected then whatever comes.
    pub(crate) const fn pins_selection(self) -> bool {
        matches!(
            self,
            Self::Open
                | Self::EditFrame
                | Self::Cancel
                | Self::Approve
                | Self::Reject
                | Self::AllowAlways
                | Self::GrantCapability
                | Self::RevokeCapability
                | Self::RemovePlugin
                | Self::EditPanel
                | Self::Restart
                | Self::Settle
                | Self::Rate
                | Self::Again
                | Self::Record
                | Self::Clip
                | Self::Ladder
                | Self::Cause
                | Self::Effect
                | Self::Bookmark
                | Self::Copy
                | Self::CopyAs
        )
    }

    /// Whether it gives the station something to do, or leads to what does.
    pub(crate) const fn acts_on_station(self) -> bool {
        self.acts() && !matches!(self, Self::Quit | Self::Detach | Self::StopStation | Self::Acknowledge)
    }

    /// Whether it is for a running station alone: in a replay it is refused before anything is asked or
    /// written. Frames can be made there, and kept.
    pub(crate) const fn is_of_station_alone(self) -> bool {
        let is_within = matches!(
            self,
            Self::Confirm
                | Self::Send
                | Self::Mark
                | Self::Reason
                | Self::Refund
                | Self::Workbench
                | Self::EditFrame
        );
        (self.acts_on_station() && !is_within) || matches!(self, Self::Acknowledge)
    }

    /// Whether it changes the moment that the panes show, or notes it.
    pub(crate) const fn is_of_time(self) -> bool {
        matches!(
            self,
            Self::Pause
                | Self::Live
                | Self::StepBack
                | Self::StepForward
                | Self::SecondBack
                | Self::SecondForward
                | Self::TenSecondsBack
                | Self::TenSecondsForward
                | Self::NoteBack
                | Self::NoteForward
                | Self::GoToTime
                | Self::ReplayFaster
                | Self::ReplaySlower
                | Self::Bookmark
                | Self::Jump
        )
    }
}
