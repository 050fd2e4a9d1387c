//! The editor of an opening and the list of openings, as the layers that they are.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use crate::{
    console::{
        input::{action::Action, keymap::KeyScope},
        model::Model,
        overlays::draw_line::GUTTER,
        records::table::{list_height, row_at},
        settings::view::{Canvas, View},
        systems::runs::{Files, Submit, files::SelectedFile, submit_draw, submitting},
        ui::{
            Acted, Layer, Offer, Reaction, Scene, Target, effect::Effect, layout::Layout, needs, state::Ui,
        },
        worker::OpeningJob,
    },
    ids::TraceId,
};
impl Layer for Submit {
    fn key_scope(&self) -> KeyScope {
        self.key_scope()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        submit_draw::draw(self, canvas, scene.body, scene.live, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.height = usize::from(submit_draw::list_area(layout.body).height).max(1);
        let at = self.params.as_ref().map_or_else(|| self.editor.cursor().0, |params| params.focus);
        self.offset = self.offset.min(at).max((at + 1).saturating_sub(self.height));
    }

    fn step(&mut self, by: isize, _model: &Model) {
        match &mut self.params {
            Some(params) => params.focus_row(params.focus.saturating_add_signed(by)),
            None => self.editor.step(by),
        }
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn offer(&self, action: Action, ui: &Ui, _model: &Model, _view: &View) -> Offer {
        match action {
            Action::Send => Some(self.unavailable().map_or(Ok(()), Err)),
            Action::NextField | Action::PreviousField if self.shows_params() => {
                needs(self.has_rows(), "the text has no params: write one as `name = value`")
            }
            Action::NextField | Action::PreviousField => needs(self.has_faults(), "nothing is wrong with it"),
            Action::Defaults if self.sent.is_some() => {
                needs(false, "it is sent already: the control plane has not answered yet")
            }
            Action::Defaults => needs(!self.is_blank(), "nothing is written yet: this is the example"),
            // From the palette it is not known what they are of.
            Action::Params | Action::Files => ui.palette.is_none().then_some(Ok(())),
            _ => None,
        }
    }

    fn act(&mut self, action: Action, ui: &mut Ui, _model: &Model, _view: &View) -> Acted {
        match action {
            Action::Send => return Acted::Open(submitting::send(self, ui, TraceId(uuid::Uuid::now_v7()))),
            Action::NextField => self.go_on(1, &ui.limits),
            Action::PreviousField => self.go_on(-1, &ui.limits),
            Action::Defaults => self.reset(),
            Action::Params => submitting::switch_mode(self, ui),
            Action::Files => return Acted::Open(submitting::list_files(ui)),
            Action::Back if self.shows_params() => submitting::leave_params(self, ui),
            _ => return Acted::Ignored,
        }
        Acted::Open(Vec::new())
    }

    fn on_refused(&mut self, action: Action) {
        if action == Action::Send {
            self.go_to_fault();
        }
    }

    fn leave(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        submitting::keep(&self, ui)
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        self.type_key(key, view)
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        self.paste(text);
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let area = submit_draw::list_area(layout.body);
        let line = at.y.checked_sub(area.y).filter(|line| *line < area.height)?;
        let line = self.offset + usize::from(line);
        match &mut self.params {
            Some(params) if line < params.rows() => params.focus_row(line),
            Some(_) => {}
            None => self.editor.jump(line, usize::from(at.x.saturating_sub(area.x + GUTTER))),
        }
        None
    }
}

impl Layer for Files {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Files
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.height = list_height(layout.body).saturating_sub(self.errors().len());
        let keys = self.keys();
        self.selection.reconcile(&keys, self.height);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        let keys = self.keys();
        self.selection.step(by, &keys, self.height);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn offer(&self, action: Action, _ui: &Ui, _model: &Model, _view: &View) -> Offer {
        match action {
            Action::Open => needs(self.selected().is_some(), "there is nothing to go on with"),
            _ => None,
        }
    }

    fn act(&mut self, action: Action, ui: &mut Ui, _model: &Model, _view: &View) -> Acted {
        match (action, self.selected()) {
            (Action::Open, Some(SelectedFile::Recent(recent))) => {
                Acted::Closed(submitting::load_draft(ui, recent.draft.clone()))
            }
            (Action::Open, Some(SelectedFile::File(file))) => {
                Acted::Open(vec![Effect::Opening(Box::new(OpeningJob::Text(file.path.clone())))])
            }
            _ => Acted::Ignored,
        }
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let keys = self.keys();
        let index = row_at(layout.body, at.y, &self.selection).filter(|index| *index < keys.len())?;
        let was_there = self.selection.index() == index;
        self.selection.select(index, &keys, self.height);
        was_there.then_some(Action::Open)
    }
}
