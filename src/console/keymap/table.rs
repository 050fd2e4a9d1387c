//! Which key means what, where.

use crossterm::event::{KeyCode, KeyEvent};

use super::Chord;
use crate::console::action::Action;

/// Where keys go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Queues,
    InFlight,
    Recent,
    Log,
    Started,
    Chips,
    Pending,
    Facts,
    /// A question that is answered by yes or no.
    Dialog,
    /// Whether to cancel, which may come with a refund.
    CancelDialog,
    /// How to settle.
    SettleDialog,
    Help,
}

impl Place {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::Queues,
        Self::InFlight,
        Self::Recent,
        Self::Log,
        Self::Started,
        Self::Chips,
        Self::Pending,
        Self::Facts,
        Self::Dialog,
        Self::CancelDialog,
        Self::SettleDialog,
        Self::Help,
    ];

    /// Its name, as help has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Queues => "Queues",
            Self::InFlight => "In flight",
            Self::Recent => "Recent",
            Self::Log => "Log",
            Self::Started => "Getting started",
            Self::Chips => "the chips",
            Self::Pending => "the pending list",
            Self::Facts => "details",
            Self::Dialog | Self::CancelDialog | Self::SettleDialog => "a question",
            Self::Help => "help",
        }
    }
}

/// One line of the keymap.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) keys: &'static [Chord],
    pub(crate) action: Action,
    pub(crate) label: &'static str,
    /// Whether the footer names it, and the earlier the better.
    pub(crate) in_footer: bool,
    places: &'static [Place],
}

const DECK: &[Place] = &[Place::Queues, Place::InFlight, Place::Recent, Place::Log, Place::Started, Place::Chips];
const LISTS: &[Place] = &[Place::Queues, Place::InFlight, Place::Recent, Place::Log, Place::Pending, Place::Facts, Place::Help];
/// Where keys that work on a queue only say where to go.
const BESIDE_QUEUES: &[Place] = &[Place::InFlight, Place::Recent, Place::Log, Place::Started, Place::Chips];
const PANES: &[Place] = &[Place::Queues, Place::InFlight, Place::Recent, Place::Log, Place::Started];
const DIALOGS: &[Place] = &[Place::Dialog, Place::CancelDialog, Place::SettleDialog];
const OVERLAYS: &[Place] = &[Place::Pending, Place::Facts, Place::Help];

const fn bound(keys: &'static [Chord], action: Action, label: &'static str, in_footer: bool, places: &'static [Place]) -> Binding {
    Binding { keys, action, label, in_footer, places }
}

const TABLE: &[Binding] = &[
    bound(&[Chord::char('y')], Action::Confirm, "yes", true, &[Place::Dialog, Place::CancelDialog]),
    bound(&[Chord::char('d')], Action::SettleDone, "it is done", true, &[Place::SettleDialog]),
    bound(&[Chord::char('f')], Action::SettleFailed, "it failed", true, &[Place::SettleDialog]),
    bound(&[Chord::char('n'), Chord::key(KeyCode::Esc)], Action::Decline, "no, go back", true, DIALOGS),
    bound(&[Chord::char('r')], Action::Refund, "with a refund", true, &[Place::CancelDialog]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "pending", true, &[Place::Queues]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "inspect", true, &[Place::InFlight, Place::Recent, Place::Pending]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "read whole", true, &[Place::Log]),
    bound(&[Chord::key(KeyCode::Enter)], Action::Open, "why, what to do", true, &[Place::Chips]),
    bound(&[Chord::char('x')], Action::Cancel, "cancel", true, &[Place::Pending]),
    bound(&[Chord::char('e')], Action::Settle, "settle", true, &[Place::InFlight]),
    bound(&[Chord::char('H')], Action::Hold, "hold/resume", true, &[Place::Queues, Place::Pending]),
    bound(&[Chord::char('D')], Action::Drain, "drain", true, &[Place::Queues, Place::Pending]),
    bound(&[Chord::char('H')], Action::Hold, "hold/resume", false, BESIDE_QUEUES),
    bound(&[Chord::char('D')], Action::Drain, "drain", false, BESIDE_QUEUES),
    bound(&[Chord::char('x')], Action::Cancel, "cancel", false, &[Place::InFlight]),
    bound(&[Chord::ctrl('x')], Action::HoldAll, "hold all", true, DECK),
    bound(&[Chord::char('K')], Action::Kick, "kick adapter", true, DECK),
    bound(&[Chord::char('z')], Action::Zoom, "zoom", true, PANES),
    bound(&[Chord::key(KeyCode::Esc), Chord::char('q')], Action::Back, "back", true, OVERLAYS),
    bound(&[Chord::key(KeyCode::Esc)], Action::Back, "back", false, DECK),
    bound(
        &[Chord::char('?')],
        Action::Help,
        "help",
        true,
        &[Place::Queues, Place::InFlight, Place::Recent, Place::Log, Place::Started, Place::Chips, Place::Pending, Place::Facts],
    ),
    bound(&[Chord::char('q'), Chord::ctrl('c')], Action::Quit, "quit", true, DECK),
    bound(&[Chord::key(KeyCode::Tab)], Action::FocusNext, "next pane", false, DECK),
    bound(&[Chord::key(KeyCode::BackTab)], Action::FocusPrevious, "previous pane", false, DECK),
    bound(&[Chord::key(KeyCode::Up), Chord::char('k')], Action::Up, "up", false, LISTS),
    bound(&[Chord::key(KeyCode::Down), Chord::char('j')], Action::Down, "down", false, LISTS),
    bound(&[Chord::key(KeyCode::PageUp)], Action::PageUp, "a page up", false, LISTS),
    bound(&[Chord::key(KeyCode::PageDown)], Action::PageDown, "a page down", false, LISTS),
    bound(&[Chord::key(KeyCode::Home), Chord::char('g')], Action::First, "first", false, LISTS),
    bound(&[Chord::key(KeyCode::End), Chord::char('G')], Action::Last, "last", false, LISTS),
    bound(&[Chord::key(KeyCode::Left), Chord::char('h')], Action::Left, "left", false, DECK),
    bound(&[Chord::key(KeyCode::Right), Chord::char('l')], Action::Right, "right", false, DECK),
    bound(&[Chord::key(KeyCode::Down), Chord::char('j')], Action::Down, "to the panes", false, &[Place::Chips]),
    bound(&[Chord::char('T')], Action::NextTheme, "next theme", false, DECK),
    bound(&[Chord::char('M')], Action::FreeMouse, "free the mouse", false, DECK),
];

/// What a key means in a place.
pub(crate) fn lookup(place: Place, key: KeyEvent) -> Option<Action> {
    let chord = Chord::of(key);
    bindings(place).find(|binding| binding.keys.contains(&chord)).map(|binding| binding.action)
}

/// The keys of a place, the most used first.
pub(crate) fn bindings(place: Place) -> impl Iterator<Item = &'static Binding> {
    TABLE.iter().filter(move |binding| binding.places.contains(&place))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crossterm::event::KeyModifiers;

    use super::*;
    use crate::console::glyphs;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for place in Place::ALL {
            let mut seen = BTreeSet::new();
            for chord in bindings(place).flat_map(|binding| binding.keys) {
                assert!(seen.insert(chord.name(&glyphs::UNICODE)), "{} twice in {}", chord.name(&glyphs::UNICODE), place.name());
            }
        }
    }

    #[test]
    fn no_question_is_confirmed_by_the_key_that_opened_it() {
        let answers = [Action::Confirm, Action::SettleDone, Action::SettleFailed];
        let confirming: Vec<_> =
            DIALOGS.iter().flat_map(|place| bindings(*place)).filter(|it| answers.contains(&it.action)).flat_map(|it| it.keys).collect();
        for place in Place::ALL.into_iter().filter(|place| !DIALOGS.contains(place)) {
            assert!(!bindings(place).flat_map(|binding| binding.keys).any(|chord| confirming.contains(&chord)));
        }
    }

    #[test]
    fn a_shifted_letter_is_itself_however_the_terminal_reports_it() {
        let with = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::SHIFT);
        let without = KeyEvent::new(KeyCode::Char('H'), KeyModifiers::NONE);
        assert_eq!(lookup(Place::Queues, with), Some(Action::Hold));
        assert_eq!(lookup(Place::Queues, without), Some(Action::Hold));
        assert_eq!(lookup(Place::Queues, KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT)), Some(Action::FocusPrevious));
    }
}
