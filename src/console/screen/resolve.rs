//! What an action does here and now, or why nothing: found once, for the footer that greys it, for the
//! palette and for the dispatch that does it.

use super::{columns, go_to_time, manual, replaying, time_travel};
use crate::{
    console::{
        copy::CopyForm,
        draw::theme::Role,
        gate,
        input::action::Action,
        inspect,
        model::Model,
        overlays::{Answer, Answers, Confirm, Details, Dialog, Help, KeyList, LedgerOverlay, copying},
        records::ManualPlace,
        settings::view::View,
        trace,
        ui::{
            Target,
            act::{Act, ActContext, Resolved, act_if},
            effect::Effect,
            filter,
            message::show_message,
            moving,
            palette::Palette,
            pane::PaneContext,
            places, search,
            state::{Focus, Ui},
            system::{ChipId, System},
        },
        wire::ENTRY,
        workbench,
    },
    port::PortError,
};

/// The data that are masked on air.
pub(super) const MASKED: &str = "logins, chat text and payload values";

/// What the action does, or why it would do nothing.
pub(crate) fn resolve(action: Action, cx: &PaneContext<'_>) -> Resolved {
    if action.acts_on_station()
        && let Some(why) = cx.model.read_only_reason()
    {
        return Err(why.into());
    }
    if !cx.view.offers(action) {
        return Err(replayed(cx.view).into());
    }
    resolve_here(action, cx)
}

/// Why nothing is done in a replay, and where it is.
fn replayed(view: &View) -> String {
    let refused = PortError::Replayed;
    if view.is_over_station {
        return format!(
            "{refused}; {} returns to the console of the station, where it can",
            view.key(Action::Quit)
        );
    }
    format!("{refused}; {}", refused.hint())
}

/// What it would do where nothing keeps this console from acting on the station.
pub(super) fn resolve_here(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let of_layer = cx.ui.overlays.last().and_then(|layer| layer.act(action, cx));
    let systems = System::all().iter();
    let first = of_layer.or_else(|| systems.clone().find_map(|system| (system.act_first)(action, cx)));
    let otherwise = first.or_else(|| systems.clone().find_map(|system| (system.act_otherwise)(action, cx)));
    otherwise.unwrap_or_else(|| act(action, cx))
}

/// What an action does that is no system's.
fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { ui, .. } = *cx;
    Ok(match action {
        Action::GoToTime => return go_to_time::resolve(cx),
        action if action.is_of_time() && cx.view.replay.is_some() && !is_of_bookmark(action) => {
            return replaying::act(action, cx);
        }
        action if action.is_of_time() => return time_travel::act(action, cx),
        Action::Filter | Action::FilterCell | Action::ShippedFilter => return filter::act(action, cx),
        Action::Find | Action::NextHit | Action::PreviousHit => return search::act(action, cx),
        Action::Columns
        | Action::ToggleColumn
        | Action::SortColumn
        | Action::ColumnEarlier
        | Action::ColumnLater
        | Action::ResetColumns
        | Action::ResetLayout => return columns::act(action, cx),
        action if action == Action::CopyAs || CopyForm::of(action).is_some() => {
            return copying::act(action, cx);
        }
        action if gate::actions::is_of_it(action) => return gate::actions::act(action, cx),
        action if workbench::actions::is_of_it(action) => return workbench::actions::act(action, cx),
        Action::Cause | Action::Effect | Action::RelatedNext | Action::RelatedPrevious | Action::Return => {
            return inspect::actions::resolve(action, cx);
        }
        Action::Ladder => return trace::actions::act(cx),
        Action::Open => return open(cx),
        Action::Ledger => {
            let pane = ui.target_list().ok_or("no pane focused; Tab moves to one")?;
            Act::open(LedgerOverlay { pane })
        }
        Action::Help => Act::change(|ui, cx| ui.push(Help::of(ui.key_scope(), cx.view))),
        Action::Manual => manual::act(cx),
        Action::Keys => Act::change(|ui, cx| ui.push(KeyList::of(cx.view))),
        Action::Palette => Act::change(|ui, cx| {
            ui.palette = Some(Box::new(Palette::over(ui.key_scope(), cx.view)));
        }),
        Action::Zoom => {
            let is_pane = ui.overlays.is_empty() && matches!(ui.focus, Focus::Pane(_));
            return act_if(
                is_pane,
                || Act::change(|ui, _| moving::zoom(ui)),
                "no pane focused; Tab moves to one",
            );
        }
        Action::PlaceBefore => {
            let go_back = |ui: &mut Ui, cx: &ActContext<'_>| {
                if !places::go_back(ui, cx.model) {
                    show_message(ui, "its record is no longer listed here".to_owned(), true, cx.now);
                }
            };
            return act_if(!ui.places.is_empty(), || Act::change(go_back), "no previous place");
        }
        Action::NextTheme => Act::change(|ui, _| ui.theme_steps = ui.theme_steps.wrapping_add(1)),
        Action::FreeMouse => Act::effects(free_mouse),
        Action::OnAir => return on_air(cx),
        Action::Back | Action::Close => Act::effects(|ui, cx| moving::back(ui, cx.model)),
        Action::Send | Action::AsJson | Action::Defaults | Action::NextField | Action::PreviousField => {
            return Err("no form is open".into());
        }
        Action::Acknowledge => return Err("nothing selected".into()),
        Action::Confirm | Action::Decline => return Err("no dialog is open".into()),
        _ => match action.view() {
            Some(shown) => Act::change(move |ui, _| ui.show(shown)),
            None => Act::change(move |ui, cx| moving::go(ui, cx.model, action)),
        },
    })
}

/// Whether it is of bookmarks, which are the same in a recording.
const fn is_of_bookmark(action: Action) -> bool {
    matches!(action, Action::Bookmark | Action::Jump)
}

/// Gives the mouse to the terminal, or takes it again.
fn free_mouse(ui: &mut Ui, cx: &ActContext<'_>) -> Vec<Effect> {
    ui.mouse = !ui.mouse;
    let text = if ui.mouse {
        "the mouse is captured: it selects and scrolls here"
    } else {
        "the mouse is free for the terminal"
    };
    show_message(ui, text.to_owned(), false, cx.now);
    vec![Effect::Mouse(ui.mouse)]
}

/// Masks what is not for everybody's eyes.
fn go_on_air(ui: &mut Ui, cx: &ActContext<'_>) -> Vec<Effect> {
    let text = format!("on air: {MASKED} are masked until {}", cx.view.key(Action::OnAir));
    show_message(ui, text, false, cx.now);
    vec![Effect::OnAir(true)]
}

/// On air at once, off air when that is confirmed; that is asked once.
fn on_air(cx: &PaneContext<'_>) -> Resolved {
    let title = OffAir.title();
    let is_open = cx.ui.top::<Dialog>().is_some_and(|dialog| dialog.title() == title);
    match cx.view.mask_policy.is_on() {
        true if is_open => Err("the dialog is open already".into()),
        true => Ok(Act::confirm(OffAir)),
        false => Ok(Act::effects(go_on_air)),
    }
}

/// Show again what is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OffAir;

impl Confirm for OffAir {
    fn title(&self) -> String {
        "Go off air?".to_owned()
    }

    fn describe(&self, _refund: bool, _model: &Model, view: &View) -> Vec<(String, Role)> {
        if !view.mask_policy.is_on() {
            return vec![("Already off air.".to_owned(), Role::Warn)];
        }
        vec![(format!("This screen shows {MASKED} again."), Role::Warn)]
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::page("on-air")
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("go off air")
    }

    fn commit(&self, _answer: Answer<'_>, ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        show_message(ui, format!("off air: {MASKED} are shown"), false, ui.at);
        Ok(vec![Effect::OnAir(false)])
    }
}

/// Opens the selected record, or the pane that a chip stands for.
fn open(cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, .. } = *cx;
    if let Target::Row(pane) = ui.target(model)
        && ui.selected(pane, model).is_none()
    {
        return Err("nothing here".into());
    }
    Ok(match ui.focus {
        Focus::Chips(_) => match ui.focused_chip(model) {
            Some(ChipId::Hidden(pane)) => Act::change(move |ui: &mut Ui, _| {
                (ui.zoomed, ui.focus) = (Some(pane), Focus::Pane(pane));
            }),
            Some(ChipId::System(system)) => Act::open(Details::of_present(Box::new(system))),
            None => Act::Do(Vec::new()),
        },
        Focus::Pane(pane) => match ui.selected(pane, model).as_ref().and_then(|key| ENTRY.id(key)).copied() {
            Some(seq) => Act::effects(move |ui, cx| inspect::actions::open(ui, cx.view, seq)),
            None => match ui.selected_row(pane, model).and_then(|row| row.details()) {
                Some(record) => Act::open(Details::of(record)),
                None => Act::Do(Vec::new()),
            },
        },
    })
}
