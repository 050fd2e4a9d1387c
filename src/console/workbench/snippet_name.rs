//! The name under which the frame is saved as a snippet.

use crossterm::event::KeyEvent;

use super::Workbench;
use crate::console::{
    draw::theme::Role,
    input::{action::Action, keymap::KeyScope},
    model::Model,
    settings::view::{Canvas, View},
    ui::{
        Layer, Line, Reaction, Scene, Target,
        act::{Act, Resolved, Unavailable},
        effect::Effect,
        layer::centred,
        layout::Layout,
        pane::PaneContext,
        state::Ui,
    },
};

/// The line in which the name is written.
#[derive(Debug)]
pub(crate) struct SnippetName {
    line: Line,
}

impl SnippetName {
    /// An empty line.
    pub(super) fn new() -> Self {
        Self { line: Line::new("") }
    }
}

impl Layer for SnippetName {
    fn key_scope(&self) -> KeyScope {
        KeyScope::SnippetName
    }

    fn is_of_present(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let area = centred(scene.body, 72, 4);
        canvas.clear(area);
        let inside = canvas.frame(area, "Save as a snippet", scene.is_top);
        let (x, room) = (inside.x + 1, inside.width.saturating_sub(2));
        let used = canvas.put(x, inside.y, room, "name: ", Role::Muted);
        self.line.draw(canvas, x + used, inside.y, room.saturating_sub(used));
        canvas.put(x, inside.y + 1, room, "in the folder snippets of the configuration", Role::Muted);
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        if action != Action::Open {
            return None;
        }
        let Some(bench) = cx.ui.layer::<Workbench>() else {
            return Some(Err("the workbench was closed".into()));
        };
        let job = bench.to_snippet(self.line.text().trim()).map_err(Unavailable::quoting);
        Some(job.map(|job| Act::close(move |_: Self, _, _| vec![Effect::Snippet(Box::new(job))])))
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(KeyScope::SnippetName, key).is_some() || !self.line.input(key) {
            return Reaction::Ignored;
        }
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        self.line.paste(text);
    }
}
