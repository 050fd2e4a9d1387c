//! As what something is copied: the menu. What it offers was made ready when it was opened, so that it is the
//! same record whatever happens behind it.

use ratatui::layout::Rect;

use crate::console::{
    copy::{CopyForm, CopyPayload},
    draw::{format, theme::Role},
    input::{action::Action, keymap::KeyScope},
    model::Model,
    overlays,
    settings::view::{Canvas, View},
    ui::{Acted, Layer, Offer, Scene, Target, layer::centred, layout::Layout, state::Ui},
};

/// The menu.
#[derive(Debug)]
pub(crate) struct CopyAs {
    ready: Vec<(CopyForm, Result<CopyPayload, &'static str>)>,
}

impl CopyAs {
    /// A menu of what is ready.
    pub(crate) fn of(ready: Vec<(CopyForm, Result<CopyPayload, &'static str>)>) -> Self {
        Self { ready }
    }

    /// What is ready of a form, or why it is not.
    pub(crate) fn ready(&self, form: CopyForm) -> Result<&CopyPayload, &'static str> {
        let found = self.ready.iter().find(|(known, _)| *known == form);
        found.map_or(Err("it is not offered"), |(_, ready)| ready.as_ref().map_err(|why| *why))
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let rows = u16::try_from(self.ready.len()).unwrap_or(u16::MAX).saturating_add(2);
        let area = centred(body, 72.min(body.width), rows);
        canvas.clear(area);
        let inside = canvas.frame(area, "Copy as", true);
        for ((form, ready), y) in self.ready.iter().zip(inside.y..inside.bottom()) {
            let key = canvas.view.key(form.action());
            canvas.put(inside.x + 1, y, 3, &key, if ready.is_ok() { Role::Accent } else { Role::Muted });
            let x = inside.x + 5;
            let used =
                canvas.put(x, y, 34, form.name(), if ready.is_ok() { Role::Text } else { Role::Muted });
            let words = match ready {
                Ok(copied) => format::bytes(copied.bytes.len() as u64),
                Err(why) => (*why).to_owned(),
            };
            let x = x + used + 2;
            canvas.put(x, y, inside.right().saturating_sub(x), &words, Role::Muted);
        }
    }
}

impl Layer for CopyAs {
    fn key_scope(&self) -> KeyScope {
        KeyScope::CopyAs
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body);
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn offer(&self, action: Action, ui: &Ui, _model: &Model, _view: &View) -> Offer {
        let form = CopyForm::of(action)?;
        Some(overlays::copying::fitting(form, self.ready(form).cloned(), ui).map(drop))
    }

    fn act(&mut self, action: Action, ui: &mut Ui, _model: &Model, _view: &View) -> Acted {
        let Some(form) = CopyForm::of(action) else { return Acted::Ignored };
        let copied = overlays::copying::fitting(form, self.ready(form).cloned(), ui);
        Acted::Closed(copied.map_or_else(|_| Vec::new(), |copied| overlays::copying::hand_over(ui, copied)))
    }
}
