//! Every action in every place: it does something, or says why not.

use super::{
    offered,
    runs::with_runs,
    sessions::with_sessions,
    stage::{Stage, fresh, show},
    steps::pending_list,
};
use crate::{
    console::{
        action::Action,
        keymap::Place,
        overlays::{Bound, Dialog, Output, Overlay},
        pane_id::PaneId,
        ui::Focus,
        update,
        view_id::ViewId,
    },
    ids::InvocationId,
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
    Action::ViewTrace,
    Action::ViewWire,
    Action::ViewJournal,
];

fn focused(mut stage: Stage, pane: PaneId) -> Stage {
    let view = ViewId::ALL.into_iter().find(|view| view.panes().contains(&pane)).unwrap_or(ViewId::Deck);
    stage.ui.show(view);
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = (pane != PaneId::Started).then_some(pane);
    stage
}

fn asking(mut stage: Stage, bound: Bound) -> Stage {
    stage.ui.overlays.push(Overlay::Dialog(Box::new(Dialog::new(bound))));
    stage
}

/// A screen with the keys in this place, over a show or over nothing yet; nothing for a place that needs
/// more.
pub(super) fn at(place: Place, base: fn() -> Stage) -> Option<Stage> {
    let (id, queue, event) = (InvocationId(43), "default".into(), "give_item".into());
    let stage = match place {
        Place::Started => {
            let mut stage = Stage::of_size(80, 24);
            stage.resync(fresh());
            focused(stage, PaneId::Started)
        }
        Place::Chips => {
            let mut stage = base();
            stage.ui.focus = Focus::Chips(0);
            stage
        }
        Place::Pending => pending_list(43..=45, false),
        Place::Facts => {
            let mut stage = at(Place::Chips, base)?;
            stage.act(Action::Open);
            stage
        }
        Place::Inspector => {
            let mut stage = base();
            stage.station(station::Transition::Operated, "held boss");
            let seq = stage.tap.last();
            update::inspect(&mut stage.ui, &stage.view, seq);
            stage
        }
        Place::Dialog => asking(base(), Bound::Quit),
        Place::CancelDialog => asking(base(), Bound::Cancel { id, queue, event }),
        Place::ReasonDialog => {
            asking(base(), Bound::CancelSession { session: SessionRef { number: 1, id: "s-1".into() } })
        }
        Place::Reason => {
            let mut stage = at(Place::ReasonDialog, base)?;
            stage.act(Action::Reason);
            stage
        }
        Place::SettleDialog => asking(base(), Bound::Settle { id, queue, event }),
        Place::Events => offered::listed(show(80, 24), offered::events()),
        Place::Form => offered::opened(show(80, 24), offered::events(), "give_item"),
        Place::FormJson => {
            let mut stage = at(Place::Form, base)?;
            stage.act(Action::AsJson);
            stage
        }
        Place::Help | Place::Tray => {
            let mut stage = base();
            stage.act(if place == Place::Help { Action::Help } else { Action::Tray });
            stage
        }
        Place::Columns => {
            let mut stage = focused(base(), PaneId::Queues);
            stage.act(Action::Columns);
            stage
        }
        Place::Palette => {
            let mut stage = base();
            stage.act(Action::Palette);
            stage
        }
        Place::FilterLine => {
            let mut stage = focused(base(), PaneId::Recent);
            stage.act(Action::Filter);
            stage
        }
        Place::Keys => {
            let mut stage = base();
            stage.act(Action::Keys);
            stage
        }
        Place::Ledger => {
            let mut stage = focused(base(), PaneId::Recent);
            stage.act(Action::Ledger);
            stage
        }
        Place::CopyAs => {
            let mut stage = focused(base(), PaneId::Recent);
            stage.act(Action::CopyAs);
            if stage.ui.place() != Place::CopyAs {
                return None;
            }
            stage
        }
        Place::Submit => {
            let mut stage = show(80, 24);
            stage.act(Action::Submit);
            stage
        }
        Place::SubmitParams | Place::Files => {
            let mut stage = at(Place::Submit, base)?;
            stage.act(if place == Place::Files { Action::Files } else { Action::Params });
            stage
        }
        Place::Output => {
            let mut stage = base();
            stage.ui.overlays.push(Overlay::Output(Output::running(1, ("ls queues", ""))));
            stage
        }
        _ => focused(base(), PaneId::ALL.into_iter().find(|pane| pane.place() == place)?),
    };
    Some(stage)
}

fn does_or_says(place: Place, base: fn() -> Stage, action: Action) -> Option<String> {
    let mut stage = at(place, base)?;
    stage.key(crossterm::event::KeyCode::Null);
    assert_eq!(stage.ui.place(), place);
    stage.ui.message = None;
    let before = format!("{:?}", stage.ui);
    let effects = stage.act(action);
    let has_changed = format!("{:?}", stage.ui) != before;
    (!has_changed && effects.is_empty()).then(|| format!("{} in {}", action.name(), place.name()))
}

fn in_every_place(base: fn() -> Stage) {
    let mut idle = Vec::new();
    for place in Place::ALL {
        let stage = base();
        let bound: Vec<Action> = stage.view.keymap.bindings(place).map(|binding| binding.action).collect();
        // From the palette any action comes, wherever it opens.
        let any = if bound.contains(&Action::Palette) { Action::ALL } else { &[] };
        for action in bound.iter().chain(any).filter(|action| !MOVES.contains(action)) {
            idle.extend(does_or_says(place, base, *action));
        }
    }
    assert!(idle.is_empty(), "these do nothing and say nothing: {}", idle.join(", "));
}

#[test]
fn in_the_middle_of_a_show() {
    in_every_place(|| show(160, 50));
}

#[test]
fn with_runs_that_go_on() {
    in_every_place(|| with_runs(show(160, 50)));
}

#[test]
fn with_sessions_that_are_open() {
    in_every_place(|| with_sessions(show(160, 50)));
}

#[test]
fn with_a_row_left_in_applied() {
    in_every_place(|| {
        let mut stage = show(80, 24);
        stage.mpp(Transition::LeftApplied { id: InvocationId(46), queue: "boss".into() }, "");
        stage
    });
}

#[test]
fn before_the_station_has_said_anything() {
    in_every_place(|| Stage::of_size(160, 50));
}

#[test]
fn on_a_station_where_nothing_happened_yet() {
    in_every_place(|| {
        let mut stage = Stage::of_size(80, 24);
        stage.resync(fresh());
        stage.ui.lessons_dismissed = true;
        stage
    });
}
