//! Which key means what, where.

use crossterm::event::KeyCode;

use super::{Chord, Place};
use crate::console::action::Action;

/// One line of the keymap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) keys: Vec<Chord>,
    pub(crate) action: Action,
    pub(crate) label: &'static str,
    /// Whether the footer names it, and the earlier the better.
    pub(crate) in_footer: bool,
    pub(super) places: &'static [Place],
}

/// One line of the shipped keymap.
#[derive(Debug)]
pub(super) struct Shipped {
    keys: &'static [Chord],
    action: Action,
    label: &'static str,
    in_footer: bool,
    places: &'static [Place],
}

impl Shipped {
    pub(super) fn binding(&self) -> Binding {
        Binding {
            keys: self.keys.to_vec(),
            action: self.action,
            label: self.label,
            in_footer: self.in_footer,
            places: self.places,
        }
    }
}

/// Places with rows in panes, but for Queues, and more of them.
macro_rules! rows_and {
    ($($more:ident),* $(,)?) => {
        rows_beside_runs_and!($($more,)* Runs, Plan, RunEvents, Artifacts, RunHistory, Subscribers, Peers)
    };
}

/// The same without those that tell of runs.
macro_rules! rows_beside_runs_and {
    ($($more:ident),* $(,)?) => {
        rows_beside_both_and!($($more,)* Sessions, Standings, Voices, SessionLog, SessionHistory)
    };
}

/// The same without those that tell of sessions.
macro_rules! rows_beside_both_and {
    ($($more:ident),* $(,)?) => {
        &[
            $( Place::$more, )*
            Place::InFlight,
            Place::Recent,
            Place::Log,
            Place::History,
            Place::OtherPack,
            Place::Refunds,
            Place::State,
            Place::AdapterLog,
            Place::Violations,
            Place::StationLog,
            Place::Meter,
            Place::Wire,
            Place::Topics,
            Place::Drops,
            Place::Trace,
        ]
    };
}

const PANES: &[Place] = rows_and!(Queues, Started);
/// Panes of all views, and the chips above them.
pub(super) const VIEWS: &[Place] = rows_and!(Queues, Started, Chips);
/// The same without those that tell of runs or of sessions: what concerns the adapter is not named there,
/// though it works.
const OF_ADAPTER: &[Place] = rows_beside_both_and!(Queues, Started, Chips);
/// The same, with those whose rows are sessions of the bus: among runs and sessions the key of a recording
/// says no to a question, or writes a reason.
const OF_GIVING: &[Place] = rows_beside_both_and!(Queues, Started, Chips, Subscribers, Peers);
/// Where a session of the bus is selected.
const SESSIONS: &[Place] = &[Place::Subscribers, Place::Peers];
/// Where keys that work on a queue only say where to go.
const BESIDE_QUEUES: &[Place] = rows_and!(Started, Chips);
/// Places with rows or lines to move among.
const LISTS: &[Place] =
    rows_and!(Queues, Pending, Facts, Inspector, Events, Tray, Columns, Help, Output, Files);
/// Where rows are found and columns are chosen.
const TABLES: &[Place] = rows_and!(Queues, Pending);
/// The same, in panes alone.
const ROWS: &[Place] = rows_and!(Queues);
/// Where a record is at hand that has a cause, a place in time, and something to copy.
const TRACED: &[Place] = rows_and!(Queues, Facts, Inspector);
/// The same, but for the inspector, where causes are what one comes for.
const CAUSED: &[Place] = rows_and!(Queues, Facts, Pending);
/// Where there is something to copy.
const COPIED: &[Place] = rows_and!(Queues, Facts, Pending, Inspector);
/// Where rows are counted.
const LEDGERS: &[Place] = rows_and!(Queues, Pending);
const MENU: &[Place] = &[Place::CopyAs];
/// Where time is stopped and stepped through. Where it is not, the last row is all that the key for live can
/// mean.
const TIMED: &[Place] =
    rows_and!(Queues, Started, Chips, Pending, Facts, Inspector, Events, Tray, Help, Output);
/// Where the palette and help open.
const ANYWHERE: &[Place] =
    rows_and!(Queues, Started, Chips, Pending, Facts, Inspector, Events, Tray, Columns, Files);
/// Where the bridge is started again: wherever it is said that it is down.
const RESTARTS: &[Place] = rows_and!(Queues, Started, Chips, Facts, Tray);
const INVOCATIONS: &[Place] = &[
    Place::InFlight,
    Place::Recent,
    Place::History,
    Place::OtherPack,
    Place::Pending,
    Place::Wire,
    Place::Trace,
];
const RUNS: &[Place] = &[Place::Runs, Place::Plan, Place::RunEvents, Place::Artifacts, Place::RunHistory];
const MACP_SESSIONS: &[Place] =
    &[Place::Sessions, Place::Standings, Place::Voices, Place::SessionLog, Place::SessionHistory];
/// Where a question of a run may be at hand.
const ASKED: &[Place] = &[
    Place::Tray,
    Place::Facts,
    Place::Runs,
    Place::Plan,
    Place::RunEvents,
    Place::Artifacts,
    Place::RunHistory,
];
/// Where what is selected is a piece of work, or a part of one.
const OF_WORK: &[Place] = &[
    Place::InFlight,
    Place::Recent,
    Place::History,
    Place::OtherPack,
    Place::Wire,
    Place::Runs,
    Place::Plan,
    Place::RunEvents,
    Place::Artifacts,
    Place::RunHistory,
    Place::Sessions,
    Place::SessionHistory,
    Place::Inspector,
];
/// Where it may be.
const BESIDE_WORK: &[Place] = &[
    Place::Standings,
    Place::Voices,
    Place::SessionLog,
    Place::Log,
    Place::Refunds,
    Place::AdapterLog,
    Place::Violations,
    Place::StationLog,
    Place::Drops,
    Place::Topics,
    Place::Queues,
    Place::Pending,
    Place::Facts,
];
const READ: &[Place] = &[
    Place::Log,
    Place::Refunds,
    Place::State,
    Place::AdapterLog,
    Place::Violations,
    Place::StationLog,
    Place::Topics,
    Place::Drops,
    Place::Subscribers,
    Place::Peers,
    Place::Tray,
];
const CANCELLABLE: &[Place] = &[Place::Pending, Place::History, Place::OtherPack];
const DIALOGS: &[Place] = &[Place::Dialog, Place::CancelDialog, Place::ReasonDialog, Place::SettleDialog];
const READERS: &[Place] = &[
    Place::Pending,
    Place::Facts,
    Place::Inspector,
    Place::Events,
    Place::Tray,
    Place::Columns,
    Place::Help,
    Place::Output,
    Place::CopyAs,
    Place::Ledger,
    Place::Files,
];
/// Layers in which there is something to the left and to the right.
const SIDEWAYS: &[Place] = &[Place::Pending, Place::Output, Place::Inspector];
const INSPECTOR: &[Place] = &[Place::Inspector];
const FORMS: &[Place] = &[Place::Form, Place::FormJson];
/// Where something is written that is sent.
const SENT: &[Place] = &[Place::Form, Place::FormJson, Place::Submit, Place::SubmitParams];
/// Where an opening is written.
const SUBMITS: &[Place] = &[Place::Submit, Place::SubmitParams];
/// Where a list is searched by what is typed.
const SEARCHED: &[Place] = &[Place::Palette, Place::Keys];
/// Where what is typed is text.
const WRITERS: &[Place] = &[
    Place::Form,
    Place::FormJson,
    Place::Palette,
    Place::Keys,
    Place::FilterLine,
    Place::Submit,
    Place::SubmitParams,
    Place::Reason,
];
/// Every layer above the panes in which no text is typed.
const LAYERS: &[Place] = &[
    Place::Pending,
    Place::Facts,
    Place::Inspector,
    Place::Dialog,
    Place::CancelDialog,
    Place::ReasonDialog,
    Place::SettleDialog,
    Place::Events,
    Place::Tray,
    Place::Columns,
    Place::Help,
    Place::Output,
    Place::CopyAs,
    Place::Ledger,
    Place::Files,
];

const fn bound(
    keys: &'static [Chord],
    action: Action,
    label: &'static str,
    in_footer: bool,
    places: &'static [Place],
) -> Shipped {
    Shipped { keys, action, label, in_footer, places }
}

pub(super) const TABLE: &[Shipped] = &[
    bound(
        &[Chord::char('y')],
        Action::Confirm,
        "yes",
        true,
        &[Place::Dialog, Place::CancelDialog, Place::ReasonDialog],
    ),
    bound(&[Chord::char('d')], Action::SettleDone, "it is done", true, &[Place::SettleDialog]),
    bound(&[Chord::char('f')], Action::SettleFailed, "it failed", true, &[Place::SettleDialog]),
    bound(
        &[Chord::char('n'), Chord::key(KeyCode::Esc), Chord::ctrl('c')],
        Action::Decline,
        "no, go back",
        true,
        DIALOGS,
    ),
    bound(&[Chord::char('r')], Action::Reason, "write why", true, &[Place::ReasonDialog]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "keep", true, &[Place::Reason]),
    bound(&[Chord::char('r')], Action::Refund, "with a refund", true, &[Place::CancelDialog]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "pending", true, &[Place::Queues]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, INVOCATIONS),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, RUNS),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, MACP_SESSIONS),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "read whole", true, READ),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "open", true, INSPECTOR),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "its entry", true, &[Place::Facts]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "fill in", true, &[Place::Events]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "run", true, &[Place::Palette]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "why, what to do", true, &[Place::Chips]),
    bound(&[Chord::char(' ')], Action::ToggleColumn, "show/hide", true, &[Place::Columns]),
    bound(
        &[Chord::char('s'), Chord::key(KeyCode::Enter)],
        Action::SortColumn,
        "sort",
        true,
        &[Place::Columns],
    ),
    bound(
        &[Chord::char('<'), Chord::shift(KeyCode::Up)],
        Action::ColumnEarlier,
        "to the left",
        true,
        &[Place::Columns],
    ),
    bound(
        &[Chord::char('>'), Chord::shift(KeyCode::Down)],
        Action::ColumnLater,
        "to the right",
        true,
        &[Place::Columns],
    ),
    bound(&[Chord::char('r')], Action::ResetColumns, "as shipped", true, &[Place::Columns]),
    bound(&[Chord::char('R')], Action::ResetLayout, "all of the view", true, &[Place::Columns]),
    bound(&[Chord::ctrl('s')], Action::Send, "send", true, SENT),
    bound(&[Chord::key(KeyCode::Tab)], Action::NextField, "next", true, &[Place::Form]),
    bound(&[Chord::key(KeyCode::Tab)], Action::NextField, "next fault", true, &[Place::Submit]),
    bound(&[Chord::key(KeyCode::Tab)], Action::NextField, "next", true, &[Place::SubmitParams]),
    bound(&[Chord::ctrl('e')], Action::Params, "params", true, &[Place::Submit]),
    bound(&[Chord::ctrl('e')], Action::Params, "the text", true, &[Place::SubmitParams]),
    bound(&[Chord::ctrl('o')], Action::Files, "open", true, SUBMITS),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "go on with it", true, &[Place::Files]),
    bound(&[Chord::key(KeyCode::Tab)], Action::NextField, "complete", true, &[Place::Palette]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "keep", true, &[Place::FilterLine]),
    bound(&[Chord::key(KeyCode::Tab)], Action::NextField, "complete", true, &[Place::FilterLine]),
    bound(
        &[Chord::key(KeyCode::BackTab)],
        Action::PreviousField,
        "complete, backwards",
        false,
        &[Place::FilterLine],
    ),
    bound(&[Chord::key(KeyCode::Up)], Action::Up, "earlier filters", true, &[Place::FilterLine]),
    bound(&[Chord::key(KeyCode::Down)], Action::Down, "later filters", false, &[Place::FilterLine]),
    bound(
        &[Chord::key(KeyCode::BackTab)],
        Action::PreviousField,
        "previous",
        false,
        &[Place::Form, Place::SubmitParams],
    ),
    bound(&[Chord::ctrl('e')], Action::AsJson, "as JSON", true, &[Place::Form]),
    bound(&[Chord::ctrl('e')], Action::AsJson, "as a form", true, &[Place::FormJson]),
    bound(&[Chord::ctrl('l')], Action::Defaults, "defaults", true, FORMS),
    bound(&[Chord::key(KeyCode::Esc)], Action::Back, "back", true, WRITERS),
    bound(&[Chord::ctrl('l')], Action::Defaults, "begin again", true, &[Place::Submit]),
    bound(&[Chord::ctrl('c')], Action::Close, "close", false, WRITERS),
    bound(
        &[Chord::key(KeyCode::Up)],
        Action::Up,
        "up",
        false,
        &[Place::Form, Place::Keys, Place::SubmitParams],
    ),
    bound(&[Chord::key(KeyCode::Up)], Action::Up, "up, earlier lines", true, &[Place::Palette]),
    bound(
        &[Chord::key(KeyCode::Down)],
        Action::Down,
        "down",
        false,
        &[Place::Form, Place::Palette, Place::Keys, Place::SubmitParams],
    ),
    bound(&[Chord::key(KeyCode::PageUp)], Action::PageUp, "a page up", false, SEARCHED),
    bound(&[Chord::key(KeyCode::PageDown)], Action::PageDown, "a page down", false, SEARCHED),
    bound(&[Chord::char('p')], Action::Approve, "approve", true, ASKED),
    bound(&[Chord::char('r')], Action::Reject, "reject", true, ASKED),
    bound(&[Chord::char('a')], Action::Acknowledge, "seen", true, &[Place::Tray]),
    bound(&[Chord::char('x')], Action::Cancel, "cancel", true, CANCELLABLE),
    bound(&[Chord::char('x')], Action::Cancel, "cancel run", true, RUNS),
    bound(&[Chord::char('x')], Action::Cancel, "cancel session", true, MACP_SESSIONS),
    bound(&[Chord::char('x')], Action::Cancel, "cancel", true, &[Place::Facts]),
    bound(&[Chord::char('v')], Action::Mark, "mark", true, CANCELLABLE),
    bound(&[Chord::char('e')], Action::Settle, "settle", true, &[Place::InFlight, Place::Tray]),
    bound(&[Chord::char('P')], Action::Migrate, "move to this pack", true, &[Place::OtherPack]),
    bound(&[Chord::ctrl('x')], Action::HoldAll, "hold all", true, VIEWS),
    bound(&[Chord::char('n')], Action::Invoke, "give work", true, OF_GIVING),
    bound(&[Chord::char('n')], Action::Invoke, "give work", false, RUNS),
    bound(&[Chord::char('n')], Action::Invoke, "give work", false, MACP_SESSIONS),
    bound(&[Chord::char('s')], Action::Submit, "submit run", true, VIEWS),
    bound(&[Chord::key(KeyCode::Tab)], Action::FocusNext, "tree/bytes", true, INSPECTOR),
    bound(&[Chord::key(KeyCode::BackTab)], Action::FocusPrevious, "tree/bytes", false, INSPECTOR),
    bound(&[Chord::char('c')], Action::Cause, "its cause", true, INSPECTOR),
    bound(&[Chord::char('C')], Action::Effect, "what it caused", true, INSPECTOR),
    bound(&[Chord::char('n')], Action::RelatedNext, "next of this work", true, INSPECTOR),
    bound(&[Chord::char('N')], Action::RelatedPrevious, "previous", false, INSPECTOR),
    bound(&[Chord::key(KeyCode::Backspace)], Action::Return, "entry before", true, INSPECTOR),
    bound(&[Chord::char('H')], Action::Hold, "hold/resume", true, &[Place::Queues, Place::Pending]),
    bound(&[Chord::char('D')], Action::Drain, "drain", true, &[Place::Queues, Place::Pending]),
    bound(&[Chord::char('H')], Action::Hold, "hold/resume", false, BESIDE_QUEUES),
    bound(&[Chord::char('D')], Action::Drain, "drain", false, BESIDE_QUEUES),
    bound(
        &[Chord::char('x')],
        Action::Cancel,
        "cancel",
        false,
        &[Place::InFlight, Place::Recent, Place::Queues],
    ),
    bound(&[Chord::ctrl('x')], Action::HoldAll, "hold all", false, LAYERS),
    bound(&[Chord::ctrl('x')], Action::HoldAll, "hold all", false, WRITERS),
    bound(&[Chord::char('K')], Action::Kick, "kick adapter", true, OF_ADAPTER),
    bound(&[Chord::char('K')], Action::Kick, "kick adapter", false, RUNS),
    bound(&[Chord::char('K')], Action::Kick, "kick adapter", false, MACP_SESSIONS),
    bound(&[Chord::char('K')], Action::Kick, "kick peer", true, SESSIONS),
    bound(&[Chord::char('K')], Action::Kick, "kick adapter", true, &[Place::Tray]),
    bound(&[Chord::char('K')], Action::Kick, "kick adapter", false, &[Place::Facts]),
    bound(&[Chord::char('R')], Action::Restart, "restart what is down", false, RESTARTS),
    bound(&[Chord::char('a')], Action::Tray, "alerts", true, VIEWS),
    bound(&[Chord::char('r')], Action::Reason, "write why", false, MACP_SESSIONS),
    bound(&[Chord::char('r')], Action::Record, "record", false, OF_GIVING),
    bound(&[Chord::char('t')], Action::Ladder, "its trace", true, OF_WORK),
    bound(&[Chord::char('t')], Action::Ladder, "its trace", false, BESIDE_WORK),
    bound(&[Chord::char('t')], Action::Ladder, "in the Wire", true, &[Place::Trace]),
    bound(&[Chord::char('z')], Action::Zoom, "zoom", true, PANES),
    bound(&[Chord::char(' ')], Action::Pause, "stop time", true, TIMED),
    bound(&[Chord::char('/')], Action::Filter, "filter", true, ROWS),
    bound(
        &[Chord::char('/')],
        Action::Filter,
        "filter",
        false,
        &[Place::Pending, Place::Chips, Place::Started],
    ),
    bound(&[Chord::key(KeyCode::Esc)], Action::Back, "back", true, READERS),
    bound(&[Chord::char('q'), Chord::ctrl('c')], Action::Close, "close", false, READERS),
    bound(&[Chord::key(KeyCode::Esc)], Action::Back, "back", false, VIEWS),
    bound(&[Chord::char('1')], Action::ViewDeck, "Deck", false, VIEWS),
    bound(&[Chord::char('2')], Action::ViewBridge, "Bridge", false, VIEWS),
    bound(&[Chord::char('3')], Action::ViewBus, "Bus", false, VIEWS),
    bound(&[Chord::char('4')], Action::ViewRuns, "Runs", false, VIEWS),
    bound(&[Chord::char('5')], Action::ViewSessions, "Sessions", false, VIEWS),
    bound(&[Chord::char('7')], Action::ViewTrace, "Trace", false, VIEWS),
    bound(&[Chord::char('8')], Action::ViewWire, "Wire", false, VIEWS),
    bound(&[Chord::char('9')], Action::ViewJournal, "Journal", false, VIEWS),
    bound(&[Chord::char(':')], Action::Palette, "command", true, ANYWHERE),
    bound(&[Chord::char('?')], Action::Help, "help", true, ANYWHERE),
    bound(&[Chord::char('?')], Action::Keys, "all keys", true, &[Place::Help]),
    bound(&[Chord::char('q'), Chord::ctrl('c')], Action::Quit, "quit", true, VIEWS),
    bound(&[Chord::key(KeyCode::Tab)], Action::FocusNext, "next pane", false, VIEWS),
    bound(&[Chord::key(KeyCode::BackTab)], Action::FocusPrevious, "previous pane", false, VIEWS),
    bound(&[Chord::key(KeyCode::Up), Chord::char('k')], Action::Up, "up", false, LISTS),
    bound(&[Chord::key(KeyCode::Down), Chord::char('j')], Action::Down, "down", false, LISTS),
    bound(&[Chord::key(KeyCode::PageUp)], Action::PageUp, "a page up", false, LISTS),
    bound(&[Chord::key(KeyCode::PageDown)], Action::PageDown, "a page down", false, LISTS),
    bound(&[Chord::key(KeyCode::Home), Chord::char('g')], Action::First, "first", false, LISTS),
    bound(&[Chord::char('G')], Action::Last, "last", false, LISTS),
    bound(&[Chord::key(KeyCode::End)], Action::Live, "live again, last", false, TIMED),
    bound(&[Chord::char(',')], Action::StepBack, "an entry back", false, TIMED),
    bound(&[Chord::char('.')], Action::StepOn, "an entry on", false, TIMED),
    bound(&[Chord::char('<')], Action::SecondBack, "a second back", false, TIMED),
    bound(&[Chord::char('>')], Action::SecondOn, "a second on", false, TIMED),
    bound(&[Chord::char('f')], Action::FilterCell, "only like this cell", false, TABLES),
    bound(&[Chord::char('o')], Action::Columns, "sort, columns", false, TABLES),
    bound(&[Chord::char('c')], Action::Cause, "its cause", false, CAUSED),
    bound(&[Chord::char('C')], Action::Effect, "what it caused", false, CAUSED),
    bound(&[Chord::char('m')], Action::Bookmark, "bookmark", false, TRACED),
    bound(&[Chord::char('\'')], Action::Jump, "to the bookmark", false, TRACED),
    bound(&[Chord::char('y')], Action::Copy, "copy", false, COPIED),
    bound(&[Chord::char('Y')], Action::CopyAs, "copy as", false, COPIED),
    bound(&[Chord::char('c')], Action::CopyCell, "cell", true, MENU),
    bound(&[Chord::char('j')], Action::CopyJson, "JSON", true, MENU),
    bound(&[Chord::char('h')], Action::CopyHex, "hex", true, MENU),
    bound(&[Chord::char('f')], Action::CopyFrame, "frame", true, MENU),
    bound(&[Chord::char('l')], Action::CopyLine, "command line", true, MENU),
    bound(&[Chord::char('a')], Action::CopyAgain, "to give it again", true, MENU),
    bound(&[Chord::char('L')], Action::Ledger, "ledger", false, LEDGERS),
    bound(&[Chord::char('O')], Action::OnAir, "on air", false, VIEWS),
    bound(&[Chord::char('O')], Action::OnAir, "on air", false, LAYERS),
    bound(&[Chord::key(KeyCode::Left), Chord::char('h')], Action::Left, "left", false, VIEWS),
    bound(&[Chord::key(KeyCode::Right), Chord::char('l')], Action::Right, "right", false, VIEWS),
    bound(&[Chord::key(KeyCode::Left), Chord::char('h')], Action::Left, "left", false, SIDEWAYS),
    bound(&[Chord::key(KeyCode::Right), Chord::char('l')], Action::Right, "right", false, SIDEWAYS),
    bound(
        &[Chord::key(KeyCode::Down), Chord::char('j')],
        Action::Down,
        "to the panes",
        false,
        &[Place::Chips],
    ),
    bound(&[Chord::char('T')], Action::NextTheme, "next theme", false, VIEWS),
    bound(&[Chord::char('M')], Action::FreeMouse, "free the mouse", false, VIEWS),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crossterm::event::{KeyEvent, KeyModifiers};

    use super::*;
    use crate::console::{glyphs, keymap::Keymap};

    #[test]
    fn no_key_means_two_things_in_one_place() {
        let keymap = Keymap::default();
        for place in Place::ALL {
            let mut seen = BTreeSet::new();
            for chord in keymap.bindings(place).flat_map(|binding| &binding.keys) {
                assert!(
                    seen.insert(chord.name(&glyphs::UNICODE)),
                    "{} twice in {}",
                    chord.name(&glyphs::UNICODE),
                    place.name()
                );
            }
        }
    }

    #[test]
    fn no_question_is_confirmed_by_the_key_that_opened_it() {
        let answers = [Action::Confirm, Action::SettleDone, Action::SettleFailed];
        // These never open one, wherever they are pressed.
        let harmless = [Action::Copy, Action::CopyFrame, Action::FilterCell];
        let keymap = Keymap::default();
        let answering = DIALOGS
            .iter()
            .flat_map(|place| keymap.bindings(*place))
            .filter(|it| answers.contains(&it.action));
        let confirming: Vec<_> = answering.flat_map(|it| &it.keys).collect();
        for place in Place::ALL.into_iter().filter(|place| !DIALOGS.contains(place)) {
            let asking = keymap.bindings(place).filter(|it| !harmless.contains(&it.action));
            assert!(
                !asking.flat_map(|binding| &binding.keys).any(|chord| confirming.contains(&chord)),
                "in {}",
                place.name()
            );
        }
    }

    #[test]
    fn a_shifted_letter_is_itself_however_the_terminal_reports_it() {
        let keymap = Keymap::default();
        let with = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::SHIFT);
        let without = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::NONE);
        assert_eq!(keymap.lookup(Place::Queues, with), Some(Action::Hold));
        assert_eq!(keymap.lookup(Place::Queues, without), Some(Action::Hold));
        assert_eq!(
            keymap.lookup(Place::Queues, KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT)),
            Some(Action::FocusPrevious)
        );
    }

    #[test]
    fn an_action_has_the_same_keys_wherever_it_is_bound_so_that_they_can_be_written_down_once() {
        let keymap = Keymap::default();
        for action in Action::ALL {
            let everywhere = Keymap::shipped(*action);
            for place in Place::ALL {
                for binding in keymap.bindings(place).filter(|binding| binding.action == *action) {
                    let wanted: Vec<_> =
                        everywhere.iter().filter(|chord| !place.takes_text() || !chord.types()).collect();
                    assert_eq!(
                        binding.keys.iter().collect::<Vec<_>>(),
                        wanted,
                        "{} in {}",
                        action.name(),
                        place.name()
                    );
                }
            }
        }
    }

    #[test]
    fn where_text_is_typed_no_bare_character_means_anything_else() {
        let keymap = Keymap::default();
        for place in Place::ALL.into_iter().filter(|place| place.takes_text()) {
            assert!(
                keymap.bindings(place).flat_map(|binding| &binding.keys).all(|chord| !chord.types()),
                "{}",
                place.name()
            );
        }
    }
}
