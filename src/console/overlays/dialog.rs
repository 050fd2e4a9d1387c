//! A question before something that cannot be taken back. It says what it is bound to, and takes only keys
//! typed after it was on the screen.

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::{Answer, Confirm};
use crate::{
    console::{
        draw::{class::Class, text, theme::Role},
        input::{action::Action, keymap::KeyScope},
        model::Model,
        records::ManualPlace,
        settings::view::{Canvas, View},
        ui::{
            Layer, Line, Reaction, Scene, Target,
            act::{Act, Resolved},
            effect::Effect,
            layer::centred,
            layout::Layout,
            message::show_message,
            pane::PaneContext,
            state::Ui,
        },
    },
    time::Mono,
};

/// What stays in the record of what is done.
#[derive(Debug)]
struct Reason {
    line: Line,
    /// As it was before, while it is being written.
    before: Option<String>,
}

/// A question.
#[derive(Debug)]
pub(crate) struct Dialog {
    confirm: Box<dyn Confirm>,
    /// Whether a cancelled row gets a refund record.
    refund: bool,
    reason: Option<Reason>,
    drawn_in: Option<u64>,
    presented_at: Option<Mono>,
}

impl Dialog {
    /// A question that was not drawn yet.
    pub(crate) fn new(confirm: Box<dyn Confirm>) -> Self {
        let has_text = confirm.answers().text().is_some();
        let reason = has_text
            .then(|| Reason { line: Line::new(confirm.text_before().unwrap_or_default()), before: None });
        Self { confirm, refund: false, reason, drawn_in: None, presented_at: None }
    }

    /// What it asks.
    pub(crate) fn title(&self) -> String {
        self.confirm.title()
    }

    /// Whether its reason is being written.
    fn is_editing_reason(&self) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.before.is_some())
    }

    /// Lets its reason be written.
    fn edit_reason(&mut self) {
        if let Some(reason) = &mut self.reason {
            reason.before = Some(reason.line.text().to_owned());
        }
    }

    /// Keeps what was written.
    fn keep_reason(&mut self) {
        if let Some(reason) = &mut self.reason {
            reason.before = None;
        }
    }

    /// Puts its reason back as it was before, where it is being written.
    fn revert_reason(&mut self) {
        if let Some(reason) = &mut self.reason
            && let Some(before) = reason.before.take()
        {
            reason.line = Line::new(&before);
        }
    }

    /// The reason, where one was written.
    fn reason(&self) -> Option<&str> {
        self.reason.as_ref().map(|reason| reason.line.text().trim()).filter(|text| !text.is_empty())
    }

    /// The place of its keys.
    fn key_scope(&self) -> KeyScope {
        if self.is_editing_reason() { KeyScope::Reason } else { self.confirm.answers().key_scope() }
    }

    /// Does what was asked for, unless the record has changed meanwhile.
    fn commit(&self, chosen: Action, ui: &mut Ui, model: &Model) -> Vec<Effect> {
        let answer = Answer { chosen, refund: self.refund, reason: self.reason() };
        self.confirm.commit(answer, ui, model).unwrap_or_else(|why| {
            show_message(ui, why, true, ui.at);
            Vec::new()
        })
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = 64.min(body.width);
        let inner = usize::from(columns - 4);
        let mut lines: Vec<(String, Role)> = Vec::new();
        for (words, role) in self.confirm.describe(self.refund, model, canvas.view) {
            let words = text::visible(&words, canvas.view.glyphs.ascii).into_owned();
            lines.extend(text::wrap(&words, inner).into_iter().map(|line| (line, role)));
        }
        lines.push((String::new(), Role::Text));
        let more = if self.reason.is_some() { 5 } else { 3 };
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(more);
        let area = centred(body, columns, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &self.confirm.title(), true);
        for ((line, role), y) in lines.iter().zip(inside.y..inside.bottom()) {
            canvas.put(inside.x + 1, y, inside.width.saturating_sub(1), line, *role);
        }
        self.draw_reason(canvas, inside);
        self.draw_keys(canvas, inside);
    }

    /// The reason stands above the line of keys, one empty line before it.
    fn draw_reason(&self, canvas: &mut Canvas<'_>, inside: Rect) {
        let (Some(reason), Some((name, none))) = (&self.reason, self.confirm.answers().text()) else {
            return;
        };
        let (x, y) = (inside.x + 1, inside.bottom().saturating_sub(3));
        let x = x + canvas.put(x, y, inside.width.saturating_sub(1), &format!("{name}: "), Role::Accent);
        let columns = inside.right().saturating_sub(x + 1);
        match self.reason() {
            _ if reason.before.is_some() => reason.line.draw(canvas, x, y, columns),
            Some(text) => drop(canvas.put_as(x, y, columns, text, Role::Text, Class::Payload)),
            None => drop(canvas.put(x, y, columns, none, Role::Muted)),
        }
    }

    fn draw_keys(&self, canvas: &mut Canvas<'_>, inside: Rect) {
        let mut x = inside.x + 1;
        let y = inside.bottom().saturating_sub(1);
        let view = canvas.view;
        for binding in view.keymap.bindings(self.key_scope()).filter(|binding| binding.in_footer) {
            let key = binding.keys.first().map_or_else(String::new, |key| key.name(canvas.view.glyphs));
            x += canvas.put(x, y, inside.right().saturating_sub(x), &key, Role::Accent) + 1;
            let label = self.label(binding.action).unwrap_or(binding.label);
            x += canvas.put(x, y, inside.right().saturating_sub(x), label, Role::Text) + 3;
        }
    }
}

impl Layer for Dialog {
    fn key_scope(&self) -> KeyScope {
        self.key_scope()
    }

    fn manual_place(&self, _cx: &PaneContext<'_>) -> ManualPlace {
        self.confirm.manual_place()
    }

    fn label(&self, action: Action) -> Option<&'static str> {
        if action == Action::Confirm { self.confirm.answers().verb() } else { None }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.live);
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        // Its keys alone answer it.
        let takes = cx.ui.palette.is_none();
        Some(Ok(match (action, self.key_scope()) {
            (Action::Confirm, KeyScope::Dialog | KeyScope::CancelDialog | KeyScope::ReasonDialog)
            | (Action::SettleDone | Action::SettleFailed, KeyScope::SettleDialog)
            | (Action::RateApproved | Action::RateRejected, KeyScope::RateDialog)
            | (Action::Detach | Action::StopStation, KeyScope::QuitDialog)
                if takes =>
            {
                Act::close(move |dialog: Self, ui, cx| dialog.commit(action, ui, cx.model))
            }
            (Action::Refund, KeyScope::CancelDialog) if takes => {
                Act::layer(|dialog: &mut Self, _, _| dialog.refund = !dialog.refund)
            }
            (Action::Reason, KeyScope::ReasonDialog | KeyScope::RateDialog) if takes => {
                Act::layer(|dialog: &mut Self, _, _| dialog.edit_reason())
            }
            (Action::Open, _) => Act::layer(|dialog: &mut Self, _, _| dialog.keep_reason()),
            (Action::Back, _) if self.is_editing_reason() => {
                Act::layer(|dialog: &mut Self, _, _| dialog.revert_reason())
            }
            (Action::Decline | Action::Close, _) => Act::close(|_: Self, _, _| Vec::new()),
            _ => return None,
        }))
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        let is_bound = view.keymap.lookup(self.key_scope(), key).is_some();
        let reason = self.reason.as_mut().filter(|reason| reason.before.is_some() && !is_bound);
        if reason.is_some_and(|reason| reason.line.input(key)) {
            Reaction::Consumed(Vec::new())
        } else {
            Reaction::Ignored
        }
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        if let Some(reason) = self.reason.as_mut().filter(|reason| reason.before.is_some()) {
            reason.line.paste(text);
        }
    }

    fn accepts(&self, typed_at: Mono) -> bool {
        self.presented_at.is_some_and(|shown_at| typed_at > shown_at)
    }

    fn on_drawn(&mut self, frame: u64) {
        // The first one counts.
        self.drawn_in.get_or_insert(frame);
    }

    fn on_presented(&mut self, frame: u64, at: Mono) {
        if self.presented_at.is_none() && self.drawn_in.is_some_and(|shown_in| shown_in <= frame) {
            self.presented_at = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::overlays::Answers;

    #[derive(Debug)]
    struct Question;

    impl Confirm for Question {
        fn title(&self) -> String {
            String::new()
        }

        fn describe(&self, _refund: bool, _model: &Model, _view: &View) -> Vec<(String, Role)> {
            Vec::new()
        }

        fn manual_place(&self) -> ManualPlace {
            ManualPlace::page("keys")
        }

        fn answers(&self) -> Answers {
            Answers::YesNo("ask")
        }

        fn commit(&self, _: Answer<'_>, _: &mut Ui, _: &Model) -> Result<Vec<Effect>, String> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn takes_only_what_was_typed_after_it_was_on_the_screen() {
        let mut dialog = Dialog::new(Box::new(Question));
        assert!(!dialog.accepts(Mono(5)));
        dialog.on_presented(3, Mono(10));
        assert!(!dialog.accepts(Mono(20)), "a frame without it does not count");
        dialog.on_drawn(4);
        dialog.on_drawn(5);
        dialog.on_presented(3, Mono(15));
        assert!(!dialog.accepts(Mono(20)));
        dialog.on_presented(4, Mono(30));
        assert!(!dialog.accepts(Mono(30)));
        assert!(dialog.accepts(Mono(31)));
    }
}
