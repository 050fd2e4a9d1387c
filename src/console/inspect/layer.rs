//! The inspector as a layer.

use ratatui::layout::Position;

use super::{Inspector, actions};
use crate::{
    console::{
        copy::CopySource,
        input::{action::Action, keymap::KeyScope},
        model::Model,
        settings::view::{Canvas, View},
        ui::{Layer, Scene, Target, act::Resolved, layout::Layout, pane::PaneContext, state::Ui},
    },
    dissect::EntryRecord,
};

impl Layer for Inspector {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Inspector
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, ui: &Ui) {
        self.fit(layout.body);
        self.update_context(ui.time.entries(), ui.time.visible_until());
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.step(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Entry(&self.subject)
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        actions::act(self, action)
    }

    fn navigate(&mut self, action: Action, _page: usize, _model: &Model) -> bool {
        self.navigate(action);
        true
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        self.click(layout.body, at.x, at.y).then_some(Action::Open)
    }

    fn copy_source<'a>(&'a self, _view: &View, _model: &'a Model) -> Option<CopySource<'a>> {
        let record = EntryRecord(self.subject.entry_ref());
        Some(CopySource::Text(self.selected_value(), Some(Box::new(record))))
    }
}
