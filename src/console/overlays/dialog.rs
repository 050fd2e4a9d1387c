//! A question before something that cannot be taken back. It says what it is bound to, and takes only keys
//! typed after it was on the screen.

use crate::{
    console::{
        draw::text,
        input::{action::Action, keymap, keymap::KeyScope},
        overlays::{Acted, Layer, Offer, Scene, Target},
        screen::actions,
        ui::{layout::Layout, state::Ui},
    },
    mpp,
};
use std::{path::PathBuf, sync::Arc};

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::{Line, Reaction, confirmation_text, layer::centred};
use crate::{
    console::{
        draw::{class::Class, theme::Role},
        model::Model,
        settings::view::{Canvas, View},
    },
    ids::{ActionId, ConnectionId, EventName, InvocationId, Peer, QueueName, TraceId},
    macp::SessionRef,
    time::Mono,
};

/// What a question is bound to. It is the same record whatever happens behind the dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// End the console and the station with it.
    Quit,
    /// Cancel this pending row.
    Cancel { id: InvocationId, queue: QueueName, event: EventName },
    /// Drop this adapter.
    Kick { peer: Peer },
    /// Drop this session of the bus.
    KickPeer { session: ConnectionId, client: String },
    /// End this row that was left in applied.
    Settle { id: InvocationId, queue: QueueName, event: EventName },
    /// Cancel these rows, those of them that are still pending.
    CancelMany { rows: Vec<(InvocationId, QueueName)> },
    /// Move the pending rows of another manifest to the one in force.
    Migrate,
    /// End the recording into this file.
    StopRecording { path: PathBuf },
    /// End this run before its time.
    CancelRun { run: TraceId, name: String },
    /// End this session before its time.
    CancelSession { session: SessionRef },
    /// Answer this question of a run.
    Decide { action: ActionId, node: Arc<str>, approved: bool },
}

/// The reason that is recorded where an operator writes none.
pub(crate) const DEFAULT_REASON: &str = "by the operator";

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
    pub(crate) confirmation: Confirmation,
    /// Whether a cancelled row gets a refund record.
    pub(crate) refund: bool,
    reason: Option<Reason>,
    drawn_in: Option<u64>,
    presented_at: Option<Mono>,
}

impl Dialog {
    /// A question that was not drawn yet.
    pub(crate) fn new(confirmation: Confirmation) -> Self {
        let reason = matches!(confirmation, Confirmation::CancelSession { .. })
            .then(|| Reason { line: Line::new(""), before: None });
        Self { confirmation, refund: false, reason, drawn_in: None, presented_at: None }
    }

    /// Whether its reason is being written.
    pub(crate) fn is_editing_reason(&self) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.before.is_some())
    }

    /// Lets its reason be written.
    pub(crate) fn edit_reason(&mut self) {
        if let Some(reason) = &mut self.reason {
            reason.before = Some(reason.line.text().to_owned());
        }
    }

    /// Keeps what was written.
    pub(crate) fn keep_reason(&mut self) {
        if let Some(reason) = &mut self.reason {
            reason.before = None;
        }
    }

    /// Puts its reason back as it was before; false where none was being written.
    pub(crate) fn revert_reason(&mut self) -> bool {
        let before = self.reason.as_mut().and_then(|reason| Some((reason.before.take()?, reason)));
        before.map(|(before, reason)| reason.line = Line::new(&before)).is_some()
    }

    /// The reason, where one was written.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.as_ref().map(|reason| reason.line.text().trim()).filter(|text| !text.is_empty())
    }

    /// The place of its keys.
    pub(crate) fn key_scope(&self) -> keymap::KeyScope {
        match self.confirmation {
            Confirmation::CancelSession { .. } if self.is_editing_reason() => keymap::KeyScope::Reason,
            Confirmation::CancelSession { .. } => keymap::KeyScope::ReasonDialog,
            Confirmation::Cancel { .. } | Confirmation::CancelMany { .. } => keymap::KeyScope::CancelDialog,
            Confirmation::Settle { .. } => keymap::KeyScope::SettleDialog,
            Confirmation::Quit
            | Confirmation::Kick { .. }
            | Confirmation::KickPeer { .. }
            | Confirmation::Migrate
            | Confirmation::StopRecording { .. }
            | Confirmation::CancelRun { .. }
            | Confirmation::Decide { .. } => keymap::KeyScope::Dialog,
        }
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = 64.min(body.width);
        let inner = usize::from(columns - 4);
        let mut lines: Vec<(String, Role)> = Vec::new();
        for (words, role) in confirmation_text::describe(self, model, canvas.view) {
            let words = text::visible(&words, canvas.view.glyphs.ascii).into_owned();
            lines.extend(text::wrap(&words, inner).into_iter().map(|line| (line, role)));
        }
        lines.push((String::new(), Role::Text));
        let more = if self.reason.is_some() { 5 } else { 3 };
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(more);
        let area = centred(body, columns, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &confirmation_text::title(&self.confirmation), true);
        for ((line, role), y) in lines.iter().zip(inside.y..inside.bottom()) {
            canvas.put(inside.x + 1, y, inside.width.saturating_sub(1), line, *role);
        }
        self.draw_reason(canvas, inside);
        self.draw_keys(canvas, inside);
    }

    /// The reason stands above the line of keys, one empty line before it.
    fn draw_reason(&self, canvas: &mut Canvas<'_>, inside: Rect) {
        let Some(reason) = &self.reason else { return };
        let (x, y) = (inside.x + 1, inside.bottom().saturating_sub(3));
        let x = x + canvas.put(x, y, inside.width.saturating_sub(1), "reason: ", Role::Accent);
        let columns = inside.right().saturating_sub(x + 1);
        match self.reason() {
            _ if reason.before.is_some() => reason.line.draw(canvas, x, y, columns),
            Some(text) => drop(canvas.put_as(x, y, columns, text, Role::Text, Class::Payload)),
            None => drop(canvas.put(x, y, columns, DEFAULT_REASON, Role::Muted)),
        }
    }

    fn draw_keys(&self, canvas: &mut Canvas<'_>, inside: Rect) {
        let mut x = inside.x + 1;
        let y = inside.bottom().saturating_sub(1);
        let view = canvas.view;
        for binding in view.keymap.bindings(self.key_scope()).filter(|binding| binding.in_footer) {
            let key = binding.keys.first().map_or_else(String::new, |key| key.name(canvas.view.glyphs));
            x += canvas.put(x, y, inside.right().saturating_sub(x), &key, Role::Accent) + 1;
            x += canvas.put(x, y, inside.right().saturating_sub(x), binding.label, Role::Text) + 3;
        }
    }
}

impl Layer for Dialog {
    fn key_scope(&self) -> KeyScope {
        self.key_scope()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.live);
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn offer(&self, action: Action, ui: &Ui, _model: &Model, _view: &View) -> Offer {
        // Its keys alone answer it.
        let takes = ui.palette.is_none();
        match (action, self.key_scope()) {
            (Action::Confirm, KeyScope::Dialog | KeyScope::CancelDialog | KeyScope::ReasonDialog)
            | (Action::Refund, KeyScope::CancelDialog)
            | (Action::Reason, KeyScope::ReasonDialog)
            | (Action::SettleDone | Action::SettleFailed, KeyScope::SettleDialog)
                if takes =>
            {
                Some(Ok(()))
            }
            (Action::Decline, _) => Some(Ok(())),
            _ => None,
        }
    }

    fn act(&mut self, action: Action, ui: &mut Ui, model: &Model, _view: &View) -> Acted {
        match action {
            Action::Confirm => return Acted::Closed(actions::confirm(self, ui, model)),
            Action::SettleDone => return Acted::Closed(actions::settle(self, mpp::Settlement::Done)),
            Action::SettleFailed => return Acted::Closed(actions::settle(self, mpp::Settlement::Failed)),
            Action::Decline | Action::Close => return Acted::Closed(Vec::new()),
            Action::Refund => self.refund = !self.refund,
            Action::Reason => self.edit_reason(),
            Action::Open => self.keep_reason(),
            Action::Back if self.revert_reason() => {}
            _ => return Acted::Ignored,
        }
        Acted::Open(Vec::new())
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

    #[test]
    fn takes_only_what_was_typed_after_it_was_on_the_screen() {
        let mut dialog = Dialog::new(Confirmation::Quit);
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
