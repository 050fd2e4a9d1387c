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
            Layer, Reaction, Scene, Target,
            act::{Act, Resolved, Unavailable},
            effect::Effect,
            layout::Layout,
            pane::PaneContext,
            state::Ui,
        },
        worker::OpeningJob,
    },
    ids::TraceId,
};
impl Layer for Submit {
    fn key_scope(&self) -> KeyScope {
        self.key_scope()
    }

    fn covers_body(&self) -> bool {
        true
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

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        let go_on = |by| Act::layer(move |submit: &mut Self, ui, _| submit.go_on(by, &ui.limits));
        let (why, act) = match action {
            Action::Send => (
                self.unavailable(),
                Act::layer_effects(|submit, ui, _| {
                    submitting::send(submit, ui, TraceId(uuid::Uuid::now_v7()))
                }),
            ),
            Action::NextField | Action::PreviousField => {
                let why = if self.shows_params() {
                    (!self.has_rows()).then_some("the opening has no params: write one as `name = value`")
                } else {
                    (!self.has_faults()).then_some("no errors")
                };
                (why.map(str::to_owned), go_on(if action == Action::NextField { 1 } else { -1 }))
            }
            Action::Defaults => (
                self.sent_already().or_else(|| self.is_blank().then(|| "already the example".to_owned())),
                Act::layer(|submit: &mut Self, _, _| submit.reset()),
            ),
            // From the palette it is not known what they are of.
            Action::Params if cx.ui.palette.is_none() => {
                (None, Act::layer(|submit, ui, _| submitting::switch_mode(submit, ui)))
            }
            Action::Files if cx.ui.palette.is_none() => {
                (None, Act::effects(|ui, _| submitting::list_files(ui)))
            }
            Action::Back if self.shows_params() => {
                (None, Act::layer(|submit, ui, _| submitting::leave_params(submit, ui)))
            }
            _ => return None,
        };
        let refuse = |why| if action == Action::Send { Unavailable::quoting(why) } else { why.into() };
        Some(why.map_or(Ok(act), |why| Err(refuse(why))))
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

    fn covers_body(&self) -> bool {
        true
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

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        if action != Action::Open {
            return None;
        }
        Some(match self.selected() {
            Some(SelectedFile::Recent(recent)) => {
                let draft = recent.draft.clone();
                Ok(Act::close(|_: Self, ui, _| submitting::load_draft(ui, draft)))
            }
            Some(SelectedFile::File(file)) => {
                Ok(Act::Do(vec![Effect::Opening(Box::new(OpeningJob::Text(file.path.clone())))]))
            }
            None => Err("no opening to open".into()),
        })
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let keys = self.keys();
        let index = row_at(layout.body, at.y, &self.selection).filter(|index| *index < keys.len())?;
        let was_there = self.selection.index() == index;
        self.selection.select(index, &keys, self.height);
        was_there.then_some(Action::Open)
    }
}
