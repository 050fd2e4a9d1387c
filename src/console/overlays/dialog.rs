//! A question before something that cannot be taken back. It says what it is bound to, and takes only keys typed after it was on the
//! screen.

use ratatui::layout::Rect;

use super::overlay::centred;
use crate::{
    console::{keymap, model::Model, text, theme::Role, view::Canvas},
    ids::{EventName, InvocationId, Peer, QueueName},
    tap::entry::mpp::RowState,
    time::Mono,
};

/// What a question is bound to. It is the same record whatever happens behind the dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// End the console and the station with it.
    Quit,
    /// Cancel this pending row.
    Cancel { id: InvocationId, queue: QueueName, event: EventName },
    /// Drop this adapter.
    Kick { peer: Peer },
    /// End this row that was left in applied.
    Settle { id: InvocationId, queue: QueueName, event: EventName },
    /// Dispatch again on these queues, which were held and draining when this console came up.
    Release { queues: Vec<QueueName> },
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dialog {
    pub(crate) bound: Bound,
    /// Whether a cancelled row gets a refund record.
    pub(crate) refund: bool,
    shown_in: Option<u64>,
    shown_at: Option<Mono>,
}

impl Dialog {
    /// A question that was not drawn yet.
    pub(crate) const fn new(bound: Bound) -> Self {
        Self { bound, refund: false, shown_in: None, shown_at: None }
    }

    /// The place of its keys.
    pub(crate) const fn place(&self) -> keymap::Place {
        match self.bound {
            Bound::Cancel { .. } => keymap::Place::CancelDialog,
            Bound::Settle { .. } => keymap::Place::SettleDialog,
            Bound::Quit | Bound::Kick { .. } | Bound::Release { .. } => keymap::Place::Dialog,
        }
    }

    /// This frame has it; the first one counts.
    pub(crate) fn painted(&mut self, frame: u64) {
        self.shown_in.get_or_insert(frame);
    }

    /// The terminal was given this frame at this moment.
    pub(crate) fn shown(&mut self, frame: u64, at: Mono) {
        if self.shown_at.is_none() && self.shown_in.is_some_and(|shown_in| shown_in <= frame) {
            self.shown_at = Some(at);
        }
    }

    /// Whether a key typed at this moment can be an answer to it.
    pub(crate) fn takes(&self, typed_at: Mono) -> bool {
        self.shown_at.is_some_and(|shown_at| typed_at > shown_at)
    }

    fn title(&self) -> String {
        match &self.bound {
            Bound::Quit => "Quit?".to_owned(),
            Bound::Cancel { id, .. } => format!("Cancel {id}?"),
            Bound::Kick { .. } => "Drop the adapter?".to_owned(),
            Bound::Settle { id, .. } => format!("Settle {id}?"),
            Bound::Release { .. } => "Release these too?".to_owned(),
        }
    }

    /// What it says now: figures are those of this moment.
    fn words(&self, model: &Model) -> Vec<(String, Role)> {
        match &self.bound {
            Bound::Quit => quit_words(model),
            Bound::Cancel { id, queue, event } => {
                let mut words = vec![(format!("{id} {event} waits on {queue}. It becomes failed and is never dispatched."), Role::Text)];
                if model.mpp().is_some_and(|mpp| mpp.live.contains_key(id)) {
                    words.push(("It was dispatched meanwhile: cancelling will be refused.".to_owned(), Role::Warn));
                } else if model.mpp().is_some_and(|mpp| mpp.recent.iter().any(|row| row.id == *id)) {
                    words.push(("It has ended meanwhile: cancelling will be refused.".to_owned(), Role::Warn));
                }
                words.push((format!("refund: {}", if self.refund { "yes, one is recorded" } else { "no" }), Role::Accent));
                words
            }
            Bound::Kick { peer } => kick_words(model, peer),
            Bound::Settle { id, queue, event } => {
                let mut words = vec![
                    (format!("Settle {id} as done (d) or as failed (f)?"), Role::Text),
                    (format!("{event} on {queue} was applied, and its connection ended before it was done."), Role::Muted),
                ];
                if !model.mpp().is_some_and(|mpp| mpp.live.get(id).is_some_and(|live| live.left)) {
                    words.push(("It has ended meanwhile: settling will be refused.".to_owned(), Role::Warn));
                }
                words
            }
            Bound::Release { queues } => {
                let names = queues.iter().map(QueueName::as_str).collect::<Vec<_>>().join(", ");
                vec![
                    (format!("Held and draining: {names}."), Role::Text),
                    ("y dispatches what is pending there, and new work stays refused; n leaves them held.".to_owned(), Role::Text),
                ]
            }
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = 64.min(body.width);
        let inner = usize::from(columns - 4);
        let mut lines: Vec<(String, Role)> = Vec::new();
        for (words, role) in self.words(model) {
            let words = text::visible(&words, canvas.view.glyphs.ascii).into_owned();
            lines.extend(text::wrap(&words, inner).into_iter().map(|line| (line, role)));
        }
        lines.push((String::new(), Role::Text));
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(3);
        let area = centred(body, columns, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &self.title(), true);
        for ((line, role), y) in lines.iter().zip(inside.y..inside.bottom()) {
            canvas.put(inside.x + 1, y, inside.width.saturating_sub(1), line, *role);
        }
        self.draw_keys(canvas, inside);
    }

    fn draw_keys(&self, canvas: &mut Canvas<'_>, inside: Rect) {
        let mut x = inside.x + 1;
        let y = inside.bottom().saturating_sub(1);
        for binding in keymap::bindings(self.place()) {
            let key = binding.keys.first().map_or_else(String::new, |key| key.name(canvas.view.glyphs));
            x += canvas.put(x, y, inside.right().saturating_sub(x), &key, Role::Accent) + 1;
            x += canvas.put(x, y, inside.right().saturating_sub(x), binding.label, Role::Text) + 3;
        }
    }
}

fn quit_words(model: &Model) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return vec![("The station stops.".to_owned(), Role::Text)] };
    let dispatched: Vec<_> = mpp.live.iter().filter(|(_, live)| live.state == RowState::Dispatched).map(|(id, _)| id.to_string()).collect();
    let applied: Vec<_> = mpp.live.iter().filter(|(_, live)| live.state == RowState::Applied).map(|(id, _)| id.to_string()).collect();
    let pending: u64 = mpp.queues.values().map(|queue| queue.pending).sum();
    let mut words = vec![("The station stops, and the adapter is disconnected.".to_owned(), Role::Text)];
    if !dispatched.is_empty() {
        words.push((format!("A restart requeues {} dispatched: {}.", dispatched.len(), some(&dispatched)), Role::Warn));
    }
    if !applied.is_empty() {
        words.push((format!("{} stay applied, to be settled by hand: {}.", applied.len(), some(&applied)), Role::Warn));
    }
    words.push((format!("{pending} pending stay as they are."), Role::Muted));
    words
}

fn kick_words(model: &Model, peer: &Peer) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let mut words = vec![(format!("{peer} is disconnected; it may connect again at once."), Role::Text)];
    let with_it = |state| mpp.live.iter().filter(move |(_, live)| live.state == state && !live.left).map(|(id, _)| id.to_string());
    let dispatched: Vec<_> = with_it(RowState::Dispatched).collect();
    let applied: Vec<_> = with_it(RowState::Applied).collect();
    if !dispatched.is_empty() {
        let (count, ids) = (dispatched.len(), some(&dispatched));
        words.push((format!("{count} dispatched go back to the heads of their queues, and may be applied twice: {ids}."), Role::Warn));
    }
    if !applied.is_empty() {
        words.push((format!("{} stay applied, to be settled by hand: {}.", applied.len(), some(&applied)), Role::Warn));
    }
    if mpp.adapter.as_ref().is_none_or(|adapter| adapter.peer != *peer) {
        words.push(("It has left meanwhile.".to_owned(), Role::Warn));
    }
    words
}

/// The first few of many.
fn some(ids: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = ids.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN { format!("{shown} and {} more", ids.len() - SHOWN) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_what_was_typed_after_it_was_on_the_screen() {
        let mut dialog = Dialog::new(Bound::Quit);
        assert!(!dialog.takes(Mono(5)));
        dialog.shown(3, Mono(10));
        assert!(!dialog.takes(Mono(20)), "a frame without it does not count");
        dialog.painted(4);
        dialog.painted(5);
        dialog.shown(3, Mono(15));
        assert!(!dialog.takes(Mono(20)));
        dialog.shown(4, Mono(30));
        assert!(!dialog.takes(Mono(30)));
        assert!(dialog.takes(Mono(31)));
    }
}
