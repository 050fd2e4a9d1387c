//! Which key means what, where.

use crossterm::event::KeyCode;

use super::{
    Chord,
    KeyScope::{self, Pane},
    scopes::{
        ANYWHERE, ASKED, BESIDE_QUEUES, BESIDE_WORK, CANCELLABLE, CAUSED, COPIED, DIALOGS, ENDED, FILTERS,
        FORMS, FOUND, INSPECTOR, INVOCATIONS, INVOKES, LAYERS, LEDGERS, LISTS, MACP_SESSIONS, MANUAL,
        MANUALS, MENU, OF_ADAPTER, OF_WORK, PANES, QUITS, READ, READERS, RESTARTS, ROWS, RUNS, SEARCHED,
        SENT, SESSIONS, SIDEWAYS, SUBMITS, TABLES, TIMED, TRACED, VIEWS, WRITERS,
    },
};
use crate::console::input::{action::Action, pane_id::PaneId};

/// One line of the keymap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) keys: Vec<Chord>,
    pub(crate) action: Action,
    pub(crate) label: &'static str,
    /// Whether the footer names it, and the earlier the better.
    pub(crate) in_footer: bool,
    pub(super) scopes: &'static [KeyScope],
}

/// One line of the shipped keymap.
#[derive(Debug)]
pub(super) struct ShippedBinding {
    keys: &'static [Chord],
    action: Action,
    label: &'static str,
    in_footer: bool,
    scopes: &'static [KeyScope],
}

impl ShippedBinding {
    pub(super) fn binding(&self) -> Binding {
        Binding {
            keys: self.keys.to_vec(),
            action: self.action,
            label: self.label,
            in_footer: self.in_footer,
            scopes: self.scopes,
        }
    }
}

const fn binding_in(
    keys: &'static [Chord],
    action: Action,
    label: &'static str,
    in_footer: bool,
    places: &'static [KeyScope],
) -> ShippedBinding {
    ShippedBinding { keys, action, label, in_footer, scopes: places }
}

pub(super) const TABLE: &[ShippedBinding] = &[
    binding_in(
        &[Chord::char('y')],
        Action::Confirm,
        "confirm",
        true,
        &[KeyScope::Dialog, KeyScope::CancelDialog, KeyScope::ReasonDialog],
    ),
    binding_in(&[Chord::char('d')], Action::SettleDone, "mark done", true, &[KeyScope::SettleDialog]),
    binding_in(&[Chord::char('f')], Action::SettleFailed, "mark failed", true, &[KeyScope::SettleDialog]),
    binding_in(&[Chord::char('d')], Action::Detach, "detach", true, QUITS),
    binding_in(&[Chord::char('s')], Action::StopStation, "stop the station", true, QUITS),
    binding_in(&[Chord::char('r')], Action::Reason, "reason", true, &[KeyScope::ReasonDialog]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "save", true, &[KeyScope::Reason]),
    binding_in(&[Chord::char('r')], Action::Refund, "refund", true, &[KeyScope::CancelDialog]),
    binding_in(
        &[Chord::key(KeyCode::Esc), Chord::char('n'), Chord::ctrl('c')],
        Action::Decline,
        "back",
        true,
        DIALOGS,
    ),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "pending", true, &[Pane(PaneId::Queues)]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, INVOCATIONS),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, RUNS),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, MACP_SESSIONS),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "details", true, READ),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "go to", true, &[KeyScope::Alerts]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "open", true, INSPECTOR),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "show entry", true, &[KeyScope::Details]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "fill in", true, &[KeyScope::Events]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "run", true, &[KeyScope::Palette]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "explain", true, &[KeyScope::Chips]),
    binding_in(&[Chord::char(' ')], Action::ToggleColumn, "show/hide", true, &[KeyScope::Columns]),
    binding_in(
        &[Chord::char('s'), Chord::key(KeyCode::Enter)],
        Action::SortColumn,
        "sort",
        true,
        &[KeyScope::Columns],
    ),
    binding_in(
        &[Chord::char('<'), Chord::shift(KeyCode::Up)],
        Action::ColumnEarlier,
        "move left",
        true,
        &[KeyScope::Columns],
    ),
    binding_in(
        &[Chord::char('>'), Chord::shift(KeyCode::Down)],
        Action::ColumnLater,
        "move right",
        true,
        &[KeyScope::Columns],
    ),
    binding_in(&[Chord::char('r')], Action::ResetColumns, "reset", true, &[KeyScope::Columns]),
    binding_in(&[Chord::char('R')], Action::ResetLayout, "reset view", true, &[KeyScope::Columns]),
    binding_in(&[Chord::ctrl('s')], Action::Send, "send", true, SENT),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::NextField, "next", true, &[KeyScope::Form]),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::NextField, "next error", true, &[KeyScope::Submit]),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::NextField, "next", true, &[KeyScope::SubmitParams]),
    binding_in(&[Chord::ctrl('e')], Action::Params, "params", true, &[KeyScope::Submit]),
    binding_in(&[Chord::ctrl('e')], Action::Params, "text", true, &[KeyScope::SubmitParams]),
    binding_in(&[Chord::ctrl('o')], Action::Files, "open", true, SUBMITS),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "open", true, &[KeyScope::Files]),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::NextField, "complete", true, &[KeyScope::Palette]),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "apply", true, FILTERS),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::NextField, "complete", true, FILTERS),
    binding_in(&[Chord::key(KeyCode::BackTab)], Action::PreviousField, "previous completion", false, FILTERS),
    binding_in(&[Chord::key(KeyCode::Up)], Action::Up, "earlier filters", true, FILTERS),
    binding_in(&[Chord::key(KeyCode::Down)], Action::Down, "later filters", false, FILTERS),
    binding_in(
        &[Chord::key(KeyCode::BackTab)],
        Action::PreviousField,
        "previous",
        false,
        &[KeyScope::Form, KeyScope::SubmitParams],
    ),
    binding_in(&[Chord::ctrl('e')], Action::AsJson, "as JSON", true, &[KeyScope::Form]),
    binding_in(&[Chord::ctrl('e')], Action::AsJson, "as form", true, &[KeyScope::FormJson]),
    binding_in(&[Chord::ctrl('l')], Action::Defaults, "defaults", true, FORMS),
    binding_in(&[Chord::key(KeyCode::Esc)], Action::Back, "back", true, WRITERS),
    binding_in(&[Chord::ctrl('l')], Action::Defaults, "clear", true, &[KeyScope::Submit]),
    binding_in(&[Chord::ctrl('c')], Action::Close, "close", false, WRITERS),
    binding_in(
        &[Chord::key(KeyCode::Up)],
        Action::Up,
        "up",
        false,
        &[KeyScope::Form, KeyScope::Keys, KeyScope::SubmitParams, KeyScope::ManualSearch],
    ),
    binding_in(&[Chord::key(KeyCode::Up)], Action::Up, "up, history", true, &[KeyScope::Palette]),
    binding_in(
        &[Chord::key(KeyCode::Down)],
        Action::Down,
        "down",
        false,
        &[KeyScope::Form, KeyScope::Palette, KeyScope::Keys, KeyScope::SubmitParams, KeyScope::ManualSearch],
    ),
    binding_in(&[Chord::key(KeyCode::PageUp)], Action::PageUp, "page up", false, SEARCHED),
    binding_in(&[Chord::key(KeyCode::PageDown)], Action::PageDown, "page down", false, SEARCHED),
    binding_in(&[Chord::char('p')], Action::Approve, "approve", true, ASKED),
    binding_in(&[Chord::char('r')], Action::Reject, "reject", true, ASKED),
    binding_in(&[Chord::char('A')], Action::Acknowledge, "acknowledge", true, &[KeyScope::Alerts]),
    binding_in(&[Chord::char('x')], Action::Cancel, "cancel", true, CANCELLABLE),
    binding_in(&[Chord::char('x')], Action::Cancel, "cancel run", true, RUNS),
    binding_in(&[Chord::char('x')], Action::Cancel, "cancel session", true, MACP_SESSIONS),
    binding_in(&[Chord::char('x')], Action::Cancel, "cancel", true, &[KeyScope::Details]),
    binding_in(&[Chord::char('v')], Action::Mark, "mark", true, CANCELLABLE),
    binding_in(
        &[Chord::char('E')],
        Action::Settle,
        "mark done or failed",
        true,
        &[Pane(PaneId::InFlight), KeyScope::Alerts],
    ),
    binding_in(&[Chord::char('e')], Action::Again, "again", true, ENDED),
    binding_in(&[Chord::char('P')], Action::Migrate, "move to this pack", true, &[Pane(PaneId::OtherPack)]),
    binding_in(&[Chord::ctrl('x')], Action::HoldAll, "hold all", true, VIEWS),
    binding_in(&[Chord::char('U')], Action::ResumeAll, "resume all", false, VIEWS),
    binding_in(&[Chord::char('n')], Action::Invoke, "invoke", true, INVOKES),
    binding_in(&[Chord::char('n')], Action::Invoke, "invoke", false, RUNS),
    binding_in(&[Chord::char('n')], Action::Invoke, "invoke", false, MACP_SESSIONS),
    binding_in(&[Chord::char('s')], Action::Submit, "submit run", true, VIEWS),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::FocusNext, "tree/bytes", true, INSPECTOR),
    binding_in(&[Chord::key(KeyCode::BackTab)], Action::FocusPrevious, "tree/bytes", false, INSPECTOR),
    binding_in(&[Chord::char('c')], Action::Cause, "cause", true, INSPECTOR),
    binding_in(&[Chord::char('C')], Action::Effect, "effects", true, INSPECTOR),
    binding_in(&[Chord::char('n')], Action::RelatedNext, "next in trace", true, INSPECTOR),
    binding_in(&[Chord::char('N')], Action::RelatedPrevious, "previous", false, INSPECTOR),
    binding_in(&[Chord::key(KeyCode::Backspace)], Action::Return, "previous entry", true, INSPECTOR),
    binding_in(
        &[Chord::char('H')],
        Action::Hold,
        "hold/resume",
        true,
        &[Pane(PaneId::Queues), Pane(PaneId::Pending)],
    ),
    binding_in(
        &[Chord::char('D')],
        Action::Drain,
        "drain",
        true,
        &[Pane(PaneId::Queues), Pane(PaneId::Pending)],
    ),
    binding_in(&[Chord::char('H')], Action::Hold, "hold/resume", false, BESIDE_QUEUES),
    binding_in(&[Chord::char('D')], Action::Drain, "drain", false, BESIDE_QUEUES),
    binding_in(
        &[Chord::char('x')],
        Action::Cancel,
        "cancel",
        false,
        &[Pane(PaneId::InFlight), Pane(PaneId::Recent), Pane(PaneId::Queues)],
    ),
    binding_in(&[Chord::ctrl('x')], Action::HoldAll, "hold all", false, LAYERS),
    binding_in(&[Chord::ctrl('x')], Action::HoldAll, "hold all", false, WRITERS),
    binding_in(&[Chord::char('K')], Action::Kick, "disconnect adapter", true, OF_ADAPTER),
    binding_in(&[Chord::char('K')], Action::Kick, "disconnect adapter", false, RUNS),
    binding_in(&[Chord::char('K')], Action::Kick, "disconnect adapter", false, MACP_SESSIONS),
    binding_in(&[Chord::char('K')], Action::Kick, "disconnect peer", true, SESSIONS),
    binding_in(&[Chord::char('K')], Action::Kick, "disconnect adapter", true, &[KeyScope::Alerts]),
    binding_in(&[Chord::char('K')], Action::Kick, "disconnect adapter", false, &[KeyScope::Details]),
    binding_in(&[Chord::char('R')], Action::Restart, "restart failed host", false, RESTARTS),
    binding_in(&[Chord::char('a')], Action::Alerts, "alerts", true, VIEWS),
    binding_in(&[Chord::char('e')], Action::Again, "again", true, RUNS),
    binding_in(&[Chord::ctrl('r')], Action::Record, "record", false, VIEWS),
    binding_in(&[Chord::char('t')], Action::Ladder, "trace", true, OF_WORK),
    binding_in(&[Chord::char('t')], Action::Ladder, "trace", false, BESIDE_WORK),
    binding_in(&[Chord::char('t')], Action::Ladder, "show in Wire", true, &[Pane(PaneId::Trace)]),
    binding_in(&[Chord::char('z')], Action::Zoom, "zoom", true, PANES),
    binding_in(&[Chord::char(' ')], Action::Pause, "pause", true, TIMED),
    binding_in(&[Chord::char('/')], Action::Filter, "filter", true, ROWS),
    binding_in(
        &[Chord::char('/')],
        Action::Filter,
        "filter",
        false,
        &[Pane(PaneId::Pending), KeyScope::Chips, Pane(PaneId::Started)],
    ),
    binding_in(&[Chord::ctrl('f')], Action::Find, "find", false, TABLES),
    binding_in(&[Chord::ctrl('n')], Action::NextHit, "next hit", false, FOUND),
    binding_in(&[Chord::ctrl('p')], Action::PreviousHit, "previous hit", false, FOUND),
    binding_in(&[Chord::key(KeyCode::Esc)], Action::Back, "back", true, READERS),
    binding_in(&[Chord::char('q'), Chord::ctrl('c')], Action::Close, "close", false, READERS),
    binding_in(&[Chord::key(KeyCode::Esc)], Action::Back, "back", false, VIEWS),
    binding_in(&[Chord::char('1')], Action::ViewDeck, "Deck", false, VIEWS),
    binding_in(&[Chord::char('2')], Action::ViewBridge, "Bridge", false, VIEWS),
    binding_in(&[Chord::char('3')], Action::ViewBus, "Bus", false, VIEWS),
    binding_in(&[Chord::char('4')], Action::ViewRuns, "Runs", false, VIEWS),
    binding_in(&[Chord::char('5')], Action::ViewSessions, "Sessions", false, VIEWS),
    binding_in(&[Chord::char('7')], Action::ViewTrace, "Trace", false, VIEWS),
    binding_in(&[Chord::char('8')], Action::ViewWire, "Wire", false, VIEWS),
    binding_in(&[Chord::char('9')], Action::ViewJournal, "Journal", false, VIEWS),
    binding_in(&[Chord::char(':')], Action::Palette, "command", true, ANYWHERE),
    binding_in(&[Chord::char(':')], Action::Palette, "command", false, &[KeyScope::Help]),
    binding_in(&[Chord::char('?')], Action::Help, "help", true, ANYWHERE),
    binding_in(&[Chord::key(KeyCode::F(1))], Action::Manual, "manual", false, VIEWS),
    binding_in(&[Chord::key(KeyCode::F(1))], Action::Manual, "manual", false, LAYERS),
    binding_in(&[Chord::key(KeyCode::F(1))], Action::Manual, "manual", false, WRITERS),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "open", true, MANUALS),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::NextField, "next link", true, MANUAL),
    binding_in(&[Chord::key(KeyCode::BackTab)], Action::PreviousField, "previous link", false, MANUAL),
    binding_in(&[Chord::char('/')], Action::Filter, "search all pages", true, MANUAL),
    binding_in(&[Chord::key(KeyCode::Backspace)], Action::PlaceBefore, "page before", true, MANUAL),
    binding_in(&[Chord::char('?')], Action::Keys, "all keys", true, &[KeyScope::Help]),
    binding_in(&[Chord::char('q'), Chord::ctrl('c')], Action::Quit, "quit", true, VIEWS),
    binding_in(&[Chord::key(KeyCode::Tab)], Action::FocusNext, "next pane", false, VIEWS),
    binding_in(&[Chord::key(KeyCode::BackTab)], Action::FocusPrevious, "previous pane", false, VIEWS),
    binding_in(&[Chord::key(KeyCode::Up), Chord::char('k')], Action::Up, "up", false, LISTS),
    binding_in(&[Chord::key(KeyCode::Down), Chord::char('j')], Action::Down, "down", false, LISTS),
    binding_in(&[Chord::key(KeyCode::PageUp)], Action::PageUp, "page up", false, LISTS),
    binding_in(&[Chord::key(KeyCode::PageDown)], Action::PageDown, "page down", false, LISTS),
    binding_in(&[Chord::key(KeyCode::Home), Chord::char('g')], Action::First, "first", false, LISTS),
    binding_in(&[Chord::char('G')], Action::Last, "last", false, LISTS),
    binding_in(&[Chord::key(KeyCode::End)], Action::Live, "resume live, last row", false, TIMED),
    binding_in(&[Chord::char(',')], Action::StepBack, "entry back", false, TIMED),
    binding_in(&[Chord::char('.')], Action::StepForward, "entry forward", false, TIMED),
    binding_in(&[Chord::char('<')], Action::SecondBack, "1 s back", false, TIMED),
    binding_in(&[Chord::char('>')], Action::SecondForward, "1 s forward", false, TIMED),
    binding_in(&[Chord::char('f')], Action::FilterCell, "filter by cell", false, TABLES),
    binding_in(&[Chord::char('(')], Action::TenSecondsBack, "10 s back", false, TIMED),
    binding_in(&[Chord::char(')')], Action::TenSecondsForward, "10 s forward", false, TIMED),
    binding_in(&[Chord::char('{')], Action::NoteBack, "previous notable event", false, TIMED),
    binding_in(&[Chord::char('}')], Action::NoteForward, "next notable event", false, TIMED),
    binding_in(&[Chord::char('@')], Action::GoToTime, "go to time", false, TIMED),
    binding_in(&[Chord::key(KeyCode::Enter)], Action::Open, "go", true, &[KeyScope::GoToTime]),
    binding_in(&[Chord::key(KeyCode::Backspace)], Action::PlaceBefore, "previous place", false, VIEWS),
    binding_in(&[Chord::char('F')], Action::ShippedFilter, "show/hide routine", true, &[Pane(PaneId::Wire)]),
    binding_in(
        &[Chord::char('F')],
        Action::ShippedFilter,
        "show/hide run events",
        true,
        &[Pane(PaneId::Trace)],
    ),
    binding_in(&[Chord::char('o')], Action::Columns, "sort, columns", false, TABLES),
    binding_in(&[Chord::char('c')], Action::Cause, "cause", false, CAUSED),
    binding_in(&[Chord::char('C')], Action::Effect, "effects", false, CAUSED),
    binding_in(&[Chord::char('m')], Action::Bookmark, "bookmark", false, TRACED),
    binding_in(&[Chord::char('\'')], Action::Jump, "go to bookmark", false, TRACED),
    binding_in(&[Chord::char('y')], Action::Copy, "copy", false, COPIED),
    binding_in(&[Chord::char('Y')], Action::CopyAs, "copy as", false, COPIED),
    binding_in(&[Chord::char('c')], Action::CopyCell, "cell", true, MENU),
    binding_in(&[Chord::char('j')], Action::CopyJson, "JSON", true, MENU),
    binding_in(&[Chord::char('h')], Action::CopyHex, "hex", true, MENU),
    binding_in(&[Chord::char('f')], Action::CopyFrame, "frame", true, MENU),
    binding_in(&[Chord::char('l')], Action::CopyLine, "command", true, MENU),
    binding_in(&[Chord::char('a')], Action::CopyAgain, "command to invoke again", true, MENU),
    binding_in(&[Chord::char('L')], Action::Ledger, "ledger", false, LEDGERS),
    binding_in(&[Chord::char('O')], Action::OnAir, "on air", false, VIEWS),
    binding_in(&[Chord::char('O')], Action::OnAir, "on air", false, LAYERS),
    binding_in(&[Chord::key(KeyCode::Left), Chord::char('h')], Action::Left, "left", false, VIEWS),
    binding_in(&[Chord::key(KeyCode::Right), Chord::char('l')], Action::Right, "right", false, VIEWS),
    binding_in(&[Chord::key(KeyCode::Left), Chord::char('h')], Action::Left, "left", false, SIDEWAYS),
    binding_in(&[Chord::key(KeyCode::Right), Chord::char('l')], Action::Right, "right", false, SIDEWAYS),
    binding_in(
        &[Chord::key(KeyCode::Down), Chord::char('j')],
        Action::Down,
        "panes",
        false,
        &[KeyScope::Chips],
    ),
    binding_in(&[Chord::char('T')], Action::NextTheme, "next theme", false, VIEWS),
    binding_in(&[Chord::char('M')], Action::FreeMouse, "release mouse", false, VIEWS),
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use crossterm::event::{KeyEvent, KeyModifiers};

    use super::*;
    use crate::console::{draw::glyphs, input::keymap::Keymap};

    #[test]
    fn no_key_means_two_things_in_one_place() {
        let keymap = Keymap::default();
        for place in KeyScope::all() {
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
        let answers =
            [Action::Confirm, Action::SettleDone, Action::SettleFailed, Action::Detach, Action::StopStation];
        // These never open one, wherever they are pressed.
        let harmless =
            [Action::Copy, Action::CopyFrame, Action::FilterCell, Action::Submit, Action::SortColumn];
        let keymap = Keymap::default();
        let answering = DIALOGS
            .iter()
            .flat_map(|place| keymap.bindings(*place))
            .filter(|it| answers.contains(&it.action));
        let confirming: Vec<_> = answering.flat_map(|it| &it.keys).collect();
        for place in KeyScope::all().filter(|place| !DIALOGS.contains(place)) {
            let asking = keymap.bindings(place).filter(|it| !harmless.contains(&it.action));
            assert!(
                !asking.flat_map(|binding| &binding.keys).any(|chord| confirming.contains(&chord)),
                "in {}",
                place.name()
            );
        }
    }

    /// What a key means where work is shown: in the panes, on the chips and in details.
    fn meanings() -> BTreeMap<String, BTreeSet<Action>> {
        let keymap = Keymap::default();
        let mut meanings: BTreeMap<String, BTreeSet<Action>> = BTreeMap::new();
        let is_shown = |place: &KeyScope| {
            matches!(place, Pane(_) | KeyScope::Chips | KeyScope::Details) && *place != Pane(PaneId::Pending)
        };
        for place in KeyScope::all().filter(is_shown) {
            for binding in keymap.bindings(place) {
                for chord in &binding.keys {
                    meanings.entry(chord.name(&glyphs::UNICODE)).or_default().insert(binding.action);
                }
            }
        }
        meanings
    }

    #[test]
    fn in_panes_and_details_a_key_has_one_meaning() {
        // What lies over the panes is closed by the key that quits them.
        let leaves = BTreeSet::from([Action::Quit, Action::Close]);
        for (key, actions) in meanings() {
            assert!(actions.len() == 1 || actions == leaves, "{key}: {actions:?}");
        }
    }

    #[test]
    fn what_a_key_opens_does_nothing_by_that_key() {
        let keymap = Keymap::default();
        for (opens, place) in [
            (Action::Alerts, KeyScope::Alerts),
            (Action::Columns, KeyScope::Columns),
            (Action::CopyAs, KeyScope::CopyAs),
            (Action::Ledger, KeyScope::Ledger),
            (Action::Invoke, KeyScope::Events),
            (Action::Submit, KeyScope::Submit),
            (Action::Files, KeyScope::Files),
            (Action::Filter, KeyScope::FilterLine),
            (Action::Find, KeyScope::SearchLine),
            (Action::Palette, KeyScope::Palette),
            (Action::Quit, KeyScope::QuitDialog),
        ] {
            for chord in Keymap::shipped(opens) {
                let bound = keymap.bindings(place).find(|binding| binding.keys.contains(&chord));
                let is_harmless = |action| matches!(action, Action::Close | Action::Decline);
                assert!(
                    bound.is_none_or(|binding| binding.action == opens || is_harmless(binding.action)),
                    "{} in {}",
                    opens.name(),
                    place.name()
                );
            }
        }
    }

    /// The whole keymap, by place: a second meaning of a key shows in review.
    #[test]
    fn the_keymap_by_place() {
        let keymap = Keymap::default();
        let of = |place: KeyScope| {
            let lines = keymap.bindings(place).map(|binding| {
                let keys: Vec<_> = binding.keys.iter().map(|key| key.name(&glyphs::UNICODE)).collect();
                format!("  {:<16} {:<16} {}", keys.join(" "), binding.action.name(), binding.label)
            });
            (place.name(), lines.collect::<BTreeSet<_>>())
        };
        let places: Vec<_> = KeyScope::all().map(of).collect();
        let everywhere = KeyScope::VIEWS.iter().map(|place| of(*place).1);
        let everywhere = everywhere.reduce(|all, next| &all & &next).unwrap_or_default();
        let mut text = String::new();
        let mut section = |name: &str, lines: &BTreeSet<String>| {
            text.push_str(name);
            text.push('\n');
            for line in lines {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        section("every pane, and the chips", &everywhere);
        for (name, lines) in places {
            section(name, &(&lines - &everywhere));
        }
        insta::with_settings!({ snapshot_path => "../../../../tests/it/snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("keymap_by_place", text);
        });
    }

    #[test]
    fn a_shifted_letter_is_itself_however_the_terminal_reports_it() {
        let keymap = Keymap::default();
        let with = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::SHIFT);
        let without = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::NONE);
        assert_eq!(keymap.lookup(Pane(PaneId::Queues), with), Some(Action::Hold));
        assert_eq!(keymap.lookup(Pane(PaneId::Queues), without), Some(Action::Hold));
        assert_eq!(
            keymap.lookup(Pane(PaneId::Queues), KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT)),
            Some(Action::FocusPrevious)
        );
    }

    #[test]
    fn an_action_has_the_same_keys_wherever_it_is_bound_so_that_they_can_be_written_down_once() {
        let keymap = Keymap::default();
        for action in Action::ALL {
            let everywhere = Keymap::shipped(*action);
            for place in KeyScope::all() {
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
        for place in KeyScope::all().filter(|place| place.takes_text()) {
            assert!(
                keymap.bindings(place).flat_map(|binding| &binding.keys).all(|chord| !chord.types()),
                "{}",
                place.name()
            );
        }
    }
}
