//! The last line: the keys that work here now.

use ratatui::layout::Rect;

use crate::console::{
    draw::{text, theme::Role},
    input::{
        action::Action,
        keymap,
        keymap::{Chord, KeyScope},
        pane_id::PaneId,
    },
    model::Model,
    screen::resolve::{resolve, resolve_here},
    settings::view::Canvas,
    ui::{
        pane::PaneContext,
        state::{Focus, Ui},
        system::{ChipId, System},
    },
};

/// What the key that stops time does while it is stopped.
const RESUME_LABEL: &str = "go live";
/// What the key that opens does on the chip of a pane that has no room.
const SHOW_PANE: &str = "show the pane";

/// Draws it: what would do nothing is greyed; what does not fit is left to `?`, which always stands.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    let view = canvas.view;
    let glyphs = view.glyphs;
    let place = ui.key_scope();
    let is_hidden = |at: usize| matches!(ui.layout(model).chips().get(at), Some(ChipId::Hidden(_)));
    let stands_for_pane = place == KeyScope::Chips && matches!(ui.focus, Focus::Chips(at) if is_hidden(at));
    let words = |binding: &keymap::Binding| {
        let key = binding.keys.first().map_or_else(String::new, |key: &Chord| key.name(glyphs));
        let label = match binding.action {
            Action::Pause if ui.time.is_stopped() => RESUME_LABEL,
            Action::Open if stands_for_pane => SHOW_PANE,
            action => ui.overlays.last().and_then(|layer| layer.label(action)).unwrap_or(binding.label),
        };
        (key, label)
    };
    let mut bindings: Vec<_> = view.keymap.bindings(place).filter(|binding| binding.in_footer).collect();
    // What never does anything here is not named at all.
    let cx = PaneContext { model, ui, view };
    let is_question = resolve_here(Action::Approve, &cx).is_ok();
    let is_idle = |binding: &keymap::Binding| match (binding.action, place) {
        (Action::Approve | Action::Reject, _) => !is_question,
        (Action::Cancel, KeyScope::Details) => {
            System::all().iter().all(|system| (system.act_first)(Action::Cancel, &cx).is_none())
        }
        (Action::Kick | Action::Settle | Action::Acknowledge, KeyScope::Alerts) if is_question => true,
        (Action::Open, KeyScope::Details)
        | (Action::Kick, KeyScope::Pane(PaneId::Topics | PaneId::Drops))
        | (Action::Settle, KeyScope::Alerts) => resolve(binding.action, &cx).is_err(),
        _ => false,
    };
    bindings.retain(|binding| !is_idle(binding));
    if place == KeyScope::Pane(PaneId::Wire) {
        // It is where one looks: what finds comes before what acts.
        bindings
            .sort_by_key(|binding| !matches!(binding.action, Action::Open | Action::Filter | Action::Pause));
    }
    let columns = |binding: &keymap::Binding| {
        let (key, label) = words(binding);
        u16::try_from(text::width(&key) + text::width(label) + 3).unwrap_or(u16::MAX)
    };
    let is_kept = |binding: &keymap::Binding| matches!(binding.action, Action::Help | Action::Quit);
    let mut room = area.width.saturating_sub(1);
    room = room.saturating_sub(
        bindings.iter().filter(|binding| is_kept(binding)).map(|binding| columns(binding)).sum(),
    );
    let mut x = area.x + 1;
    for binding in bindings {
        if !is_kept(binding) {
            match room.checked_sub(columns(binding)) {
                Some(left) => room = left,
                None => continue,
            }
        }
        let (key, label) = words(binding);
        let does = ui.palette.is_some() || resolve(binding.action, &cx).is_ok();
        let (key_role, label_role) =
            if does { (Role::Accent, Role::Text) } else { (Role::Muted, Role::Muted) };
        x += canvas.put(x, area.y, area.right().saturating_sub(x), &key, key_role) + 1;
        x += canvas.put(x, area.y, area.right().saturating_sub(x), label, label_role) + 2;
    }
}
