//! As what something is copied: the menu. What it offers was made ready when it was opened, so that it is the
//! same record whatever happens behind it.

use ratatui::layout::Rect;

use crate::console::{
    copy::{CopyForm, CopyPayload},
    draw::{format, theme::Role},
    input::{action::Action, keymap::KeyScope},
    model::Model,
    settings::view::Canvas,
    ui::{
        Layer, Scene, Target,
        act::{Act, Resolved},
        effect::Effect,
        layer::centred,
        layout::Layout,
        message::show_message,
        pane::PaneContext,
        state::Ui,
    },
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

    /// The text of a form, or why there is none.
    pub(crate) fn ready(&self, form: CopyForm) -> Result<&CopyPayload, &'static str> {
        let found = self.ready.iter().find(|(known, _)| *known == form);
        found.map_or(Err("not available"), |(_, ready)| ready.as_ref().map_err(|why| *why))
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

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        let form = CopyForm::of(action)?;
        let copied = fitting(form, self.ready(form).cloned(), cx.ui);
        Some(copied.map_err(Into::into).map(|copied| Act::close(|_: Self, ui, _| hand_over(ui, copied))))
    }
}

/// What was made ready in a form, if a terminal takes that much; or why it is not copied.
pub(super) fn fitting(
    form: CopyForm,
    copied: Result<CopyPayload, &'static str>,
    ui: &Ui,
) -> Result<CopyPayload, String> {
    let copied = copied.map_err(|why| format!("not copied as {}: {why}", form.name()))?;
    let (bytes, bytes_max) = (copied.bytes.len() as u64, ui.limits.console.copy_bytes_max);
    if bytes > bytes_max {
        return Err(format!(
            "not copied: {bytes} B exceed {bytes_max} B (limits.console.copy_bytes_max); write it to a file with `record` or `ls`"
        ));
    }
    Ok(copied)
}

/// Hands what was made ready to the terminal. What it is, is not said: the show may be on air.
pub(super) fn hand_over(ui: &mut Ui, copied: CopyPayload) -> Vec<Effect> {
    let size = format::bytes(copied.bytes.len() as u64);
    show_message(ui, format!("copied {size} ({})", copied.form.name()), false, ui.at);
    vec![Effect::Copy(copied.bytes)]
}
