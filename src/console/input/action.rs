//! What keys mean.

use super::view_id::{ViewId, view_table};

macro_rules! actions {
    ($( $(#[doc = $doc:literal])* $variant:ident = $name:literal ),* $(,)?) => {
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

            /// What it does, in one line.
            pub(crate) const fn about(self) -> &'static str {
                match self { $( Self::$variant => concat!($($doc),*), )* }
            }
        }
    };
}

actions! {
    /// Leave: detach, or stop the station, after a question while work goes on; an attached console only
    /// detaches.
    Quit = "quit",
    /// The keys of this place.
    Help = "help",
    /// Every key of every place, with its name in the configuration.
    Keys = "keys",
    /// The manual, at what describes the place of the cursor.
    Manual = "manual",
    /// Any action or subcommand by its name.
    Palette = "palette",
    /// One layer back: what is open, marks, the filter, the zoom, the first steps.
    Back = "back",
    /// Close what is open to be read or written.
    Close = "close",
    /// The Deck: everything at a glance.
    ViewDeck = "deck",
    /// The Bridge: queues, history, refunds, pack state, the adapter's log.
    ViewBridge = "bridge",
    /// The Bus: topics, subscribers, peers, drops.
    ViewBus = "bus",
    /// The Runs: plans, what they tell and keep, history.
    ViewRuns = "runs",
    /// The Sessions: proposals, opinions and votes, or rounds; their logs, history.
    ViewSessions = "sessions",
    /// The Trace: every message of one piece of work, from whom and to whom.
    ViewTrace = "trace",
    /// The Journal: notices, violations, the station's own log.
    ViewJournal = "journal",
    /// The Wire: every entry as it came, with its bytes.
    ViewWire = "wire",
    /// To the view, the pane and the record before.
    PlaceBefore = "place-before",
    /// The next pane.
    FocusNext = "next-pane",
    /// The previous pane.
    FocusPrevious = "previous-pane",
    /// One row up.
    Up = "up",
    /// One row down.
    Down = "down",
    /// The cell to the left, beyond the first the pane beside.
    Left = "left",
    /// The cell to the right, beyond the last the pane beside.
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
    /// Show only the rows of this pane that a filter lets through.
    Filter = "filter",
    /// Filter by the selected cell.
    FilterCell = "filter-cell",
    /// Take the filter that this pane begins with off, or put it on again.
    ShippedFilter = "shipped-filter",
    /// Look for rows of this pane: those that fit are marked, and none is hidden.
    Find = "find",
    /// The next row that fits the search of this pane; behind the last the first.
    NextHit = "next-hit",
    /// The row before that fits the search of this pane; before the first the last.
    PreviousHit = "previous-hit",
    /// Choose what this pane is sorted by and which columns it has.
    Columns = "columns",
    /// Give the selected field a column, or take it away.
    ToggleColumn = "toggle-column",
    /// Sort by the selected field; again the other way round, then not at all.
    SortColumn = "sort-column",
    /// Move the selected column to the left.
    ColumnEarlier = "column-earlier",
    /// Move the selected column to the right.
    ColumnLater = "column-later",
    /// This pane's order and columns as shipped.
    ResetColumns = "reset-columns",
    /// Order and columns as shipped, of every pane of this view.
    ResetLayout = "reset-layout",
    /// Stop time for every pane at once, or let it go on.
    Pause = "pause",
    /// One entry back in time.
    StepBack = "step-back",
    /// One entry on in time.
    StepForward = "step-on",
    /// One second back in time.
    SecondBack = "second-back",
    /// One second on in time.
    SecondForward = "second-on",
    /// Ten seconds back in time.
    TenSecondsBack = "ten-seconds-back",
    /// Ten seconds on in time.
    TenSecondsForward = "ten-seconds-on",
    /// Back in time to the failure, fault, loss, drop, alert or bookmark before.
    NoteBack = "event-of-note-before",
    /// On in time to the next failure, fault, loss, drop, alert or bookmark.
    NoteForward = "event-of-note-after",
    /// To a moment: a time of day, or so long ago.
    GoToTime = "go-to-time",
    /// Back to now; while the screen is live, the last row.
    Live = "live",
    /// What caused this.
    Cause = "cause",
    /// What this caused.
    Effect = "effect",
    /// The next entry of the same work: of its trace or its invocation.
    RelatedNext = "next-related",
    /// The previous entry of the same work.
    RelatedPrevious = "previous-related",
    /// The messages of the piece of work that this belongs to; from one of them, its entry in the Wire.
    Ladder = "ladder",
    /// Back to the entry that was inspected before.
    Return = "entry-before",
    /// Set a bookmark at this record and moment, or take it away.
    Bookmark = "bookmark",
    /// To the bookmark before; again to the one before that.
    Jump = "jump",
    /// Copy the selected cell.
    Copy = "copy",
    /// Copy what is selected as cell, JSON, hex, frame or command line.
    CopyAs = "copy-as",
    /// Copy the value of the selected cell, or what is told.
    CopyCell = "copy-cell",
    /// Copy the record as JSON.
    CopyJson = "copy-json",
    /// Copy the record's frame as hex.
    CopyHex = "copy-hex",
    /// Copy the record's frame as it was.
    CopyFrame = "copy-frame",
    /// Copy the command line that shows the record.
    CopyLine = "copy-line",
    /// Copy the command line that gives the same work again.
    CopyAgain = "copy-again",
    /// Mask logins, chat text and payload values on every screen, or show them again.
    OnAir = "on-air",
    /// The account of this pane: what was received, shown, filtered, evicted and lost.
    Ledger = "ledger",
    /// Hold the selected queue (no dispatch), or resume it.
    Hold = "hold",
    /// Hold every queue and the attempts of runs.
    HoldAll = "hold-all",
    /// Resume every queue and the attempts of runs, after a question.
    ResumeAll = "resume-all",
    /// Refuse new work on the selected queue and dispatch what is pending; again ends it.
    Drain = "drain",
    /// Give the adapter work by hand: an event of the pack, from a form.
    Invoke = "invoke",
    /// Submit a run: an opening is written, and sent to the control plane.
    Submit = "submit",
    /// Cancel what is selected or marked.
    Cancel = "cancel",
    /// Answer the selected question of a run with yes.
    Approve = "approve",
    /// Answer the selected question of a run with no.
    Reject = "reject",
    /// Mark the selected row, for all marked to be cancelled together, or requeued where they have ended.
    Mark = "mark",
    /// End a row by hand that was left in applied.
    Settle = "settle",
    /// Once more: an ended row, or all that are marked, is requeued; the opening of a run is submitted
    /// again, edited or as it was.
    Again = "again",
    /// Disconnect the adapter; among the sessions of the bus, the selected one.
    Kick = "kick",
    /// Start the bridge or the bus again after it failed.
    Restart = "restart",
    /// Move pending rows of another manifest to the one in force.
    Migrate = "migrate",
    /// Start or stop a recording.
    Record = "record",
    /// The alerts that wait, and those that passed.
    Alerts = "alerts",
    /// Put an alert away as seen.
    Acknowledge = "acknowledge",
    /// Give the focused pane the whole screen, or put it back.
    Zoom = "zoom",
    /// The next theme.
    NextTheme = "theme",
    /// Leave the mouse to the terminal's own selection, or take it back.
    FreeMouse = "mouse",
    /// Answer a question with yes.
    Confirm = "confirm",
    /// Answer a question with no.
    Decline = "decline",
    /// Record refunds with a cancellation, or do not.
    Refund = "refund",
    /// Write why a session is cancelled.
    Reason = "reason",
    /// Settle as done.
    SettleDone = "settle-done",
    /// Settle as failed.
    SettleFailed = "settle-failed",
    /// End this screen; the station goes on without it.
    Detach = "detach",
    /// End the station of this process, with its screen.
    StopStation = "stop-station",
    /// The next field of a form.
    NextField = "next-field",
    /// The previous field of a form.
    PreviousField = "previous-field",
    /// Send what a form holds.
    Send = "send",
    /// Between a form's fields and its JSON.
    AsJson = "as-json",
    /// Between an opening's text and its params.
    Params = "params",
    /// Openings to go on with: those that were submitted lately, and files.
    Files = "openings",
    /// Put the schema's defaults in the place of what a form holds, or bring that back.
    Defaults = "defaults",
}

impl Action {
    /// The action of this name.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
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

/// What actions are told together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// What is done here.
    Here,
    /// The show as a whole.
    Show,
    /// Moving about.
    Moving,
    /// Stopping time.
    Time,
    /// The screen itself.
    Screen,
}

impl Group {
    /// All of them, the most used first.
    pub(crate) const ALL: [Self; 5] = [Self::Here, Self::Show, Self::Moving, Self::Time, Self::Screen];

    /// Its title in the manual, where there is no place that keys are listed of.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Here => "Records and dialogs",
            _ => self.name(),
        }
    }

    /// Its name, as help has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Here => "Here",
            Self::Show => "The show",
            Self::Moving => "Moving",
            Self::Time => "Time",
            Self::Screen => "The screen",
        }
    }
}

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
                | Self::Cancel
                | Self::Approve
                | Self::Reject
                | Self::Mark
                | Self::Settle
                | Self::Again
                | Self::Kick
                | Self::Restart
                | Self::Migrate
                | Self::Record
                | Self::Acknowledge
                | Self::Confirm
                | Self::Refund
                | Self::Reason
                | Self::SettleDone
                | Self::SettleFailed
                | Self::Send
        )
    }

    /// Whether it is about the selected record, which stays selected then whatever comes.
    pub(crate) const fn pins_selection(self) -> bool {
        matches!(
            self,
            Self::Open
                | Self::Cancel
                | Self::Approve
                | Self::Reject
                | Self::Settle
                | Self::Again
                | Self::Record
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
                | Self::Bookmark
                | Self::Jump
        )
    }

    /// What it is told with.
    pub(crate) const fn group(self) -> Group {
        match self {
            Self::HoldAll
            | Self::ResumeAll
            | Self::Kick
            | Self::Invoke
            | Self::Submit
            | Self::Record
            | Self::Alerts
            | Self::Detach
            | Self::StopStation
            | Self::Quit => Group::Show,
            Self::PlaceBefore
            | Self::FocusNext
            | Self::FocusPrevious
            | Self::Up
            | Self::Down
            | Self::Left
            | Self::Right
            | Self::PageUp
            | Self::PageDown
            | Self::First
            | Self::Last
            | Self::Live
            | Self::Bookmark
            | Self::Jump
            | Self::NextHit
            | Self::PreviousHit
            | Self::RelatedNext
            | Self::RelatedPrevious
            | Self::Ladder
            | Self::Return
            | Self::NextField
            | Self::PreviousField => Group::Moving,
            _ if self.is_of_time() => Group::Time,
            Self::OnAir
            | Self::Zoom
            | Self::NextTheme
            | Self::FreeMouse
            | Self::Help
            | Self::Keys
            | Self::Manual
            | Self::Palette
            | Self::Back
            | Self::Close => Group::Screen,
            _ if self.view().is_some() => Group::Screen,
            _ => Group::Here,
        }
    }
}

/// Which way a window of a list grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the start.
    Initial,
    /// Behind the last row.
    Forward,
    /// Before the first row.
    Backward,
    /// What is shown, as it is now.
    Refresh,
}
