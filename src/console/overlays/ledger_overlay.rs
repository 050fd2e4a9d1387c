//! The account of a pane, as of now.

use crate::{
    console::{
        draw::{text, theme::Role},
        input::{keymap::KeyScope, pane_id::PaneId},
        model::Model,
        settings::view::Canvas,
        ui::{Layer, Scene, Target, layer::centred, layout::Layout, ledger, ledger::LedgerBound, state::Ui},
    },
    words::counted,
};

/// The account of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LedgerOverlay {
    pub(crate) pane: PaneId,
}

impl Layer for LedgerOverlay {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Ledger
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let Scene { body, model, ui, .. } = *scene;
        let Some(ledger) = ledger::of(self.pane, ui, model) else { return };
        let area = centred(body, 72.min(body.width), 12);
        canvas.clear(area);
        let inside = canvas.frame(area, &format!("Ledger of {}", self.pane.name()), true);
        let (x, room) = (inside.x + 1, inside.width.saturating_sub(2));
        canvas.put(x, inside.y, room, ledger.what, Role::Muted);
        let lost = if ledger.lost > 0 { Role::Warn } else { Role::Text };
        let evicted = if ledger.evicted > 0 { Role::Warn } else { Role::Text };
        let lines = [
            ("  received", ledger.received, Role::Text),
            ("= shown", ledger.visible, Role::Text),
            ("+ filtered", ledger.filtered, Role::Text),
            ("+ evicted", ledger.evicted, evicted),
            ("+ lost", ledger.lost, lost),
        ];
        for ((name, figure, role), y) in lines.into_iter().zip(inside.y + 1..inside.bottom()) {
            canvas.put(x, y, 14, name, Role::Text);
            canvas.put_right(
                x + 14,
                y,
                16,
                &figure.to_string(),
                role,
                crate::console::draw::class::Class::Public,
            );
        }
        let words = match ledger.bound {
            LedgerBound::Limit(key, value) => format!("bounded by {key} = {value}: raise it for more"),
            LedgerBound::Text(words) => words.to_owned(),
        };
        let mut y = inside.y + 7;
        for line in text::wrap(&words, usize::from(room)) {
            canvas.put(x, y, room, &line, Role::Muted);
            y += 1;
        }
        if model.lost > 0 {
            let words =
                format!("this console lost {} of the tap; no pane shows them", counted(model.lost, "entry"));
            canvas.put(x, y, room, &words, Role::Warn);
        }
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }
}
