//! A layer over the Deck: what it owes to the screen that draws it, sends it keys and asks what they do
//! there.

use std::{any::Any, fmt::Debug};

use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use crate::{
    console::{
        copy::CopySource,
        input::{action::Action, keymap::KeyScope, pane_id::PaneId},
        model::Model,
        records::{ManualPlace, row::DetailsRecord, selection::Selection},
        settings::view::{Canvas, View},
        ui::{
            act::Resolved, effect::Effect, layout::Layout, pane::PaneContext, question::Question, state::Ui,
        },
    },
    dissect::Subject,
    tap::entry::alerts::Alert,
    time::Mono,
};

/// What a layer does with a key before the keymap is asked.
#[derive(Debug, PartialEq)]
pub(crate) enum Reaction {
    /// It is not for this layer.
    Ignored,
    /// It was taken in.
    Consumed(Vec<Effect>),
}

/// What an action on a record is for.
#[derive(Debug)]
pub(crate) enum Target<'a> {
    /// There is none.
    Nothing,
    /// The selected row of a list.
    Row(PaneId),
    /// The record that is told of.
    Record(&'a dyn DetailsRecord),
    /// The entry that is inspected.
    Entry(&'a Subject),
    /// The selected alert; nothing where none is listed.
    Alert(Option<&'a Alert>),
    /// The selected question, of whichever system.
    Question(&'a dyn Question),
}

/// What a layer is drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// The screen without header, chips and footer.
    pub(crate) body: Rect,
    /// The model that is shown: the past, while time is stopped.
    pub(crate) model: &'a Model,
    /// The present.
    pub(crate) live: &'a Model,
    pub(crate) ui: &'a Ui,
    /// Whether the layer has the keys.
    pub(crate) is_top: bool,
}

/// A layer over the Deck. Where a method takes a [`Ui`], that one has the layers below, and not this one.
pub(crate) trait Layer: Debug + Any {
    /// Where its keys are bound.
    fn key_scope(&self) -> KeyScope;

    /// Whether it is of the present whatever moment the panes show: all that it is drawn from, moved about in
    /// and asked for is then held against the live model.
    fn is_of_present(&self) -> bool {
        false
    }

    /// Where the manual describes what has the keys.
    fn manual_place(&self, _cx: &PaneContext<'_>) -> ManualPlace {
        ManualPlace::page(self.key_scope().page())
    }

    /// What the key of an action does here, where that depends on more than the place.
    fn label(&self, _action: Action) -> Option<&'static str> {
        None
    }

    /// Whether nothing is seen of what lies below it: that is not drawn then, and it finds the body empty.
    fn covers_body(&self) -> bool {
        false
    }

    /// Draws it.
    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>);

    /// Fits it to the room there is, and to what there is to be shown.
    fn reconcile(&mut self, layout: &Layout, model: &Model, ui: &Ui);

    /// Moves the selection, or the text, by some rows; the last one stays on the screen.
    fn step(&mut self, by: isize, model: &Model);

    /// What the actions on a record are for while it has the keys.
    fn target<'a>(&'a self, model: &'a Model) -> Target<'a>;

    /// What an action does here, or why nothing; none where it is none of the layer's. The screen has this
    /// layer, on top.
    fn act(&self, _action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        None
    }

    /// Shows why an action of its own would do nothing, where that is to be seen in it.
    fn on_refused(&mut self, _action: Action) {}

    /// The effects when the operator goes back from it.
    fn leave(self: Box<Self>, _ui: &mut Ui) -> Vec<Effect> {
        Vec::new()
    }

    /// Takes a key before the keymap is asked: a layer in which text is written takes what types.
    fn on_key(&mut self, _key: KeyEvent, _ui: &mut Ui, _view: &View) -> Reaction {
        Reaction::Ignored
    }

    /// Takes pasted text, where text is written.
    fn on_paste(&mut self, _text: &str, _ui: &mut Ui, _view: &View) {}

    /// Takes a click; what it does besides, on the row that was selected already.
    fn click(&mut self, _layout: &Layout, _at: Position, _model: &Model) -> Option<Action> {
        None
    }

    /// Moves about in it, of what moves; whether the action was taken. `page` is the height of the screen.
    fn navigate(&mut self, action: Action, page: usize, model: &Model) -> bool {
        let by = rows_of(action, self.page().unwrap_or(page));
        if let Some(by) = by {
            self.step(by, model);
        }
        by.is_some()
    }

    /// The rows of one of its pages, where that is not the height of the screen.
    fn page(&self) -> Option<usize> {
        None
    }

    /// The list of records that it is, with cells, a filter and columns as a pane has them.
    fn list(&self) -> Option<(PaneId, &Selection)> {
        None
    }

    /// The selection of its list, to be changed.
    fn list_selection_mut(&mut self) -> Option<&mut Selection> {
        None
    }

    /// How many rows of its list are here, and whether there are more before them and behind them.
    fn loaded(&self) -> (usize, (bool, bool)) {
        (0, (false, false))
    }

    /// Has its list filtered where it comes from.
    fn set_filter(&mut self, _filter: Option<String>) {}

    /// What it asks the station for as time goes on.
    fn refresh(&mut self, _model: &Model) -> Option<Effect> {
        None
    }

    /// The page that its selection has come near to.
    fn next_page(&mut self) -> Option<Effect> {
        None
    }

    /// The source of copies while it has the keys.
    fn copy_source<'a>(&'a self, _view: &View, _model: &'a Model) -> Option<CopySource<'a>> {
        None
    }

    /// Whether a key typed at this moment can be meant for it.
    fn accepts(&self, _typed_at: Mono) -> bool {
        true
    }

    /// This frame has it.
    fn on_drawn(&mut self, _frame: u64) {}

    /// The terminal was given this frame at this moment.
    fn on_presented(&mut self, _frame: u64, _at: Mono) {}
}

/// Rows that an action moves by, if it moves by rows.
pub(crate) fn rows_of(action: Action, page: usize) -> Option<isize> {
    const ALL: isize = 1_000_000;
    let page = isize::try_from(page).unwrap_or(ALL);
    match action {
        Action::Up => Some(-1),
        Action::Down => Some(1),
        Action::PageUp => Some(-page),
        Action::PageDown => Some(page),
        Action::First => Some(-ALL),
        Action::Last => Some(ALL),
        _ => None,
    }
}

/// The topmost layer below which nothing is seen, panes included.
pub(crate) fn covering(ui: &Ui) -> Option<usize> {
    ui.overlays.iter().rposition(|layer| layer.covers_body())
}

/// Draws the layers of which anything is seen, the lowest first.
pub(crate) fn draw(canvas: &mut Canvas<'_>, body: Rect, model: &Model, live: &Model, ui: &Ui) {
    for (index, layer) in ui.overlays.iter().enumerate().skip(covering(ui).unwrap_or_default()) {
        let is_top = index + 1 == ui.overlays.len();
        let model = if layer.is_of_present() { live } else { model };
        layer.draw(canvas, &Scene { body, model, live, ui, is_top });
    }
}

/// The middle of an area.
pub(crate) fn centred(area: Rect, columns: u16, rows: u16) -> Rect {
    let (columns, rows) = (columns.min(area.width), rows.min(area.height));
    Rect::new(area.x + (area.width - columns) / 2, area.y + (area.height - rows) / 2, columns, rows)
}
