//! Every action in every place: it does something, or says why not.

use super::{
    pack_events,
    runs_samples::with_runs,
    sessions_samples::with_sessions,
    steps::pending_list,
    test_console::{TestConsole, fresh, show},
};
use crate::{
    console::{
        input::{
            action::Action,
            keymap::{Binding, KeyScope},
            pane_id::PaneId,
            view_id::ViewId,
        },
        inspect,
        overlays::{Confirm, Dialog, Output},
        systems::{
            bridge::confirmations::{Cancel, Migrate, Settle},
            runs::rating::RateRun,
            sessions::confirmations::CancelSession,
            station::confirmations::Quit,
        },
        ui::state::Focus,
    },
    ids::{InvocationId, TraceId},
    macp::SessionRef,
    tap::entry::{mpp::Transition, station},
};

/// What moves, and at an end does nothing; and what only ever goes back.
const MOVES: &[Action] = &[
    Action::Back,
    Action::Close,
    Action::FocusNext,
    Action::FocusPrevious,
    Action::Up,
    Action::Down,
    Action::Left,
    Action::Right,
    Action::PageUp,
    Action::PageDown,
    Action::First,
    Action::Last,
    Action::Live,
    Action::ViewDeck,
    Action::ViewBridge,
    Action::ViewBus,
    Action::ViewRuns,
    Action::ViewSessions,
    Action::ViewPlugins,
    Action::ViewTrace,
    Action::ViewWire,
    Action::ViewJournal,
];

fn focused(mut stage: TestConsole, pane: PaneId) -> TestConsole {
    let view = ViewId::ALL.into_iter().find(|view| view.panes().contains(&pane)).unwrap_or(ViewId::Deck);
    stage.ui.show(view);
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = (pane != PaneId::Started).then_some(pane);
    stage
}

fn asking(mut stage: TestConsole, question: impl Confirm + 'static) -> TestConsole {
    stage.ui.push(Dialog::new(Box::new(question)));
    stage
}

fn after(mut stage: TestConsole, action: Action) -> TestConsole {
    stage.act(action);
    stage
}

/// A screen with the keys in this place, over a show or over nothing yet; nothing for a place that needs
/// more.
pub(super) fn at(place: KeyScope, base: fn() -> TestConsole) -> Option<TestConsole> {
    let (id, queue, event) = (InvocationId(43), "default".into(), "give_item".into());
    let stage = match place {
        KeyScope::Pane(PaneId::Started) => {
            let mut stage = TestConsole::of_size(80, 24);
            stage.resync(fresh());
            focused(stage, PaneId::Started)
        }
        KeyScope::Chips => {
            let mut stage = base();
            stage.ui.focus = Focus::Chips(0);
            stage
        }
        KeyScope::Pane(PaneId::Pending) => pending_list(43..=45, false),
        KeyScope::Details => after(at(KeyScope::Chips, base)?, Action::Open),
        KeyScope::Inspector => {
            let mut stage = base();
            stage.station(station::Transition::Operated { by: None, command: None }, "held boss");
            let seq = stage.tap.last();
            inspect::inspect(&mut stage.ui, &stage.view, seq);
            stage
        }
        KeyScope::Dialog => asking(base(), Migrate),
        KeyScope::QuitDialog => asking(base(), Quit),
        KeyScope::CancelDialog => asking(base(), Cancel { id, queue, event }),
        KeyScope::ReasonDialog => {
            asking(base(), CancelSession { session: SessionRef { number: 1, id: "s-1".into() } })
        }
        KeyScope::Reason => after(at(KeyScope::ReasonDialog, base)?, Action::Reason),
        KeyScope::RateDialog => {
            asking(base(), RateRun { run: TraceId(uuid::Uuid::nil()), name: "r".to_owned(), before: None })
        }
        KeyScope::SettleDialog => asking(base(), Settle { id, queue, event }),
        KeyScope::Events => pack_events::listed(show(80, 24), pack_events::events()),
        KeyScope::Form => pack_events::opened(show(80, 24), pack_events::events(), "give_item"),
        KeyScope::FormJson => after(at(KeyScope::Form, base)?, Action::AsJson),
        KeyScope::Help | KeyScope::Alerts => {
            after(base(), if place == KeyScope::Help { Action::Help } else { Action::Alerts })
        }
        KeyScope::Columns => after(focused(base(), PaneId::Queues), Action::Columns),
        KeyScope::Palette => after(base(), Action::Palette),
        KeyScope::FilterLine => after(focused(base(), PaneId::Recent), Action::Filter),
        KeyScope::SearchLine => after(focused(base(), PaneId::Recent), Action::Find),
        KeyScope::GoToTime => {
            let mut stage = base();
            stage.act(Action::GoToTime);
            if stage.ui.key_scope() != KeyScope::GoToTime {
                return None;
            }
            stage
        }
        KeyScope::Keys => after(base(), Action::Keys),
        KeyScope::Manual => after(base(), Action::Manual),
        KeyScope::ManualSearch => after(at(KeyScope::Manual, base)?, Action::Filter),
        KeyScope::Ledger => after(focused(base(), PaneId::Recent), Action::Ledger),
        KeyScope::CopyAs => {
            let mut stage = focused(base(), PaneId::Recent);
            stage.act(Action::CopyAs);
            if stage.ui.key_scope() != KeyScope::CopyAs {
                return None;
            }
            stage
        }
        KeyScope::Submit => after(show(80, 24), Action::Submit),
        KeyScope::SubmitParams | KeyScope::Files => after(
            at(KeyScope::Submit, base)?,
            if place == KeyScope::Files { Action::Files } else { Action::Params },
        ),
        KeyScope::Workbench | KeyScope::WorkbenchList | KeyScope::FrameList | KeyScope::SnippetName => {
            workbench(place)
        }
        KeyScope::GateRule => after(base(), Action::Gate),
        KeyScope::Gate => after(at(KeyScope::GateRule, base)?, Action::NextField),
        KeyScope::Output => {
            let mut stage = base();
            stage.ui.push(Output::running(1, ("ls queues", "")));
            stage
        }
        KeyScope::Pane(pane) => focused(base(), pane),
    };
    Some(stage)
}

/// The workbench, or a list of it.
fn workbench(place: KeyScope) -> TestConsole {
    let mut stage = show(80, 24);
    stage.act(Action::Workbench);
    stage.key(crossterm::event::KeyCode::Null);
    match place {
        KeyScope::WorkbenchList => drop(stage.act(Action::BreakFrame)),
        KeyScope::FrameList => drop(stage.act(Action::SentFrames)),
        KeyScope::SnippetName => drop(stage.act(Action::SaveSnippet)),
        _ => {}
    }
    stage
}

fn does_or_says(place: KeyScope, base: fn() -> TestConsole, action: Action) -> Option<String> {
    let mut stage = at(place, base)?;
    stage.key(crossterm::event::KeyCode::Null);
    assert_eq!(stage.ui.key_scope(), place);
    stage.ui.message = None;
    let before = format!("{:?}", stage.ui);
    let effects = stage.act(action);
    let has_changed = format!("{:?}", stage.ui) != before;
    (!has_changed && effects.is_empty()).then(|| format!("{} in {}", action.name(), place.name()))
}

/// One in so many actions that a place shares its key for with few others, and one in so many of what is
/// everywhere and of what comes from the palette, others in each place.
fn in_every_place(base: fn() -> TestConsole, own_in: usize, one_in: usize) {
    const FEW: usize = 4;
    let mut idle = Vec::new();
    for (nth, place) in KeyScope::all().enumerate() {
        let stage = base();
        let (own, shared): (Vec<_>, Vec<_>) =
            stage.view.keymap.bindings(place).partition(|binding| binding.scopes.len() <= FEW);
        let actions = |of: Vec<&Binding>| of.into_iter().map(|binding| binding.action).collect::<Vec<_>>();
        let (own, shared) = (actions(own), actions(shared));
        // From the palette any action comes, wherever it opens.
        let any = if shared.contains(&Action::Palette) { Action::ALL } else { &[] };
        let some = shared.iter().chain(any).skip(nth % one_in).step_by(one_in);
        let own = own.iter().skip(nth % own_in).step_by(own_in);
        for action in own.chain(some).filter(|action| !MOVES.contains(action)) {
            idle.extend(does_or_says(place, base, *action));
        }
    }
    assert!(idle.is_empty(), "these do nothing and say nothing: {}", idle.join(", "));
}

fn a_show() -> TestConsole {
    show(160, 50)
}

fn runs() -> TestConsole {
    with_runs(show(160, 50))
}

fn sessions() -> TestConsole {
    with_sessions(show(160, 50))
}

fn a_row_left_in_applied() -> TestConsole {
    let mut stage = show(80, 24);
    stage.mpp(Transition::Orphaned { id: InvocationId(46), queue: "boss".into() }, "");
    stage
}

fn nothing_said() -> TestConsole {
    TestConsole::of_size(160, 50)
}

fn nothing_happened() -> TestConsole {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(fresh());
    stage.ui.systems.station.onboarding_dismissed = true;
    stage
}

#[test]
fn in_the_middle_of_a_show() {
    in_every_place(a_show, 1, 10);
}

#[test]
fn with_runs_that_go_on() {
    in_every_place(runs, 5, 10);
}

#[test]
fn with_sessions_that_are_open() {
    in_every_place(sessions, 5, 10);
}

#[test]
fn with_a_row_left_in_applied() {
    in_every_place(a_row_left_in_applied, 5, 10);
}

#[test]
fn before_the_station_has_said_anything() {
    in_every_place(nothing_said, 5, 10);
}

#[test]
fn on_a_station_where_nothing_happened_yet() {
    in_every_place(nothing_happened, 5, 10);
}

#[test]
#[ignore = "more than ten times the tests above: minutes without optimization"]
fn all_of_the_palette_everywhere() {
    for base in [a_show, runs, sessions, a_row_left_in_applied, nothing_said, nothing_happened] {
        in_every_place(base, 1, 1);
    }
}
