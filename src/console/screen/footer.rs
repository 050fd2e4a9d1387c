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
    settings::view::{Canvas, View},
    ui::{
        pane::PaneContext,
        state::{Focus, Ui},
        system::{ChipId, System, is_everything_held},
    },
};

/// What the key that stops time does while it is stopped.
const RESUME_LABEL: &str = "resume live";
/// What the key that opens the manual does where not every key has room.
const HELP_LABEL: &str = "help";
/// What the key that opens does on the chip of a pane that has no room.
const SHOW_PANE: &str = "show the pane";

/// A key on the line.
struct FooterKey {
    place: Rect,
    chord: Option<Chord>,
    name: String,
    label: &'static str,
    /// Whether it would do something.
    does: bool,
}

/// What the keys are held against.
#[derive(Clone, Copy)]
pub(crate) struct FooterScene<'a> {
    /// What has the keys: of the past, while time is stopped.
    pub(crate) model: &'a Model,
    /// The present.
    pub(crate) live: &'a Model,
    pub(crate) ui: &'a Ui,
}

impl FooterScene<'_> {
    /// Whether alerts or approvals wait.
    fn has_alerts(self) -> bool {
        let asks = |state| System::all().iter().any(|system| (system.questions)(state).waiting > 0);
        self.live.alerts().active_count() > 0
            || self.live.is_reachable() && self.live.station_state.as_ref().is_some_and(asks)
    }
}

/// Whether a place has more keys than 80 columns do: there it is always named how one leaves it.
const fn is_crowded(place: KeyScope) -> bool {
    matches!(place, KeyScope::Gate) || is_crowded_text(place)
}

/// Whether `?` is text there too, so that the manual has the keys that are not named.
const fn is_crowded_text(place: KeyScope) -> bool {
    matches!(place, KeyScope::Workbench | KeyScope::GateRule)
}

/// Draws it: what would do nothing is greyed; what does not fit is left to `?`, which always stands, or to
/// the manual where `?` is text.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, scene: FooterScene<'_>) {
    for FooterKey { place, name, label, does, .. } in keys(canvas.view, area, scene) {
        let (key_role, label_role) =
            if does { (Role::Accent, Role::Text) } else { (Role::Muted, Role::Muted) };
        let x = place.x + canvas.put(place.x, place.y, place.width, &name, key_role) + 1;
        canvas.put(x, place.y, place.right().saturating_sub(x), label, label_role);
    }
}

/// The key under a column.
pub(crate) fn key_at(view: &View, area: Rect, column: u16, scene: FooterScene<'_>) -> Option<Chord> {
    let keys = keys(view, area, scene);
    keys.into_iter().find(|key| key.place.contains((column, area.y).into()))?.chord
}

/// The keys that have room, from the left.
fn keys(view: &View, area: Rect, scene: FooterScene<'_>) -> Vec<FooterKey> {
    let FooterScene { model, ui, .. } = scene;
    let bindings = bindings(view, scene);
    let (has_alerts, place) = (scene.has_alerts(), ui.key_scope());
    let is_kept = |binding: &keymap::Binding| match binding.action {
        Action::Help | Action::Quit => true,
        Action::Alerts => has_alerts,
        Action::Back => is_crowded(place),
        Action::Manual => is_crowded_text(place),
        _ => false,
    };
    let with_words = |binding| {
        let (name, label) = words(binding, view, model, ui);
        let wide = u16::try_from(text::width(&name) + text::width(label) + 3).unwrap_or(u16::MAX);
        (binding, name, label, wide)
    };
    let bindings: Vec<_> = bindings.into_iter().map(with_words).collect();
    let kept: u16 =
        bindings.iter().filter(|(binding, ..)| is_kept(binding)).map(|(.., columns)| columns).sum();
    let mut room = area.width.saturating_sub(1).saturating_sub(kept);
    let mut x = area.x + 1;
    let mut keys = Vec::with_capacity(bindings.len());
    for (binding, name, label, wide) in bindings {
        if !is_kept(binding) {
            match room.checked_sub(wide) {
                Some(left) => room = left,
                None => continue,
            }
        }
        let width = (wide - 2).min(area.right().saturating_sub(x));
        let place = Rect::new(x, area.y, width, 1);
        let does = ui.palette.is_some() || resolve(binding.action, &PaneContext { model, ui, view }).is_ok();
        keys.push(FooterKey { place, chord: binding.keys.first().copied(), name, label, does });
        x = x.saturating_add(wide);
    }
    keys
}

/// A key's name and what it does here.
fn words(binding: &keymap::Binding, view: &View, model: &Model, ui: &Ui) -> (String, &'static str) {
    let is_hidden = |at: usize| matches!(ui.layout(model).chips().get(at), Some(ChipId::Hidden(_)));
    let stands_for_pane =
        ui.key_scope() == KeyScope::Chips && matches!(ui.focus, Focus::Chips(at) if is_hidden(at));
    let key = binding.keys.first().map_or_else(String::new, |key: &Chord| key.name(view.glyphs));
    let label = match binding.action {
        Action::Pause if view.replay.is_some() => {
            let is_held = view.replay.as_ref().is_some_and(|replay| replay.is_held);
            if is_held || ui.time.is_stopped() { "play" } else { "hold" }
        }
        Action::Pause if ui.time.is_stopped() => RESUME_LABEL,
        Action::Open if stands_for_pane => SHOW_PANE,
        Action::Manual => HELP_LABEL,
        action => ui.overlays.last().and_then(|layer| layer.label(action)).unwrap_or(binding.label),
    };
    (key, label)
}

/// What is named here, the most needed first.
fn bindings<'a>(
    view: &'a View,
    FooterScene { model, live, ui }: FooterScene<'_>,
) -> Vec<&'a keymap::Binding> {
    let place = ui.key_scope();
    // Where everything is held already, what is left is to let go.
    let is_all_held = live.station_state.as_ref().is_some_and(is_everything_held);
    let holds_frames = live.station.intercepted.at(view.clock.wall).next().is_some();
    let is_replay = view.replay.is_some();
    let is_named = |binding: &&keymap::Binding| match binding.action {
        // Frames can be made there, and not injected.
        Action::Workbench if is_replay => false,
        action if !view.offers(action) => false,
        Action::NoteForward | Action::StepForward | Action::GoToTime | Action::ReplayFaster if is_replay => {
            true
        }
        Action::Gate => binding.in_footer && holds_frames,
        Action::HoldAll => binding.in_footer && !is_all_held,
        Action::ResumeAll => binding.in_footer || is_all_held,
        Action::Manual => binding.in_footer || is_crowded_text(place),
        _ => binding.in_footer,
    };
    let mut bindings: Vec<_> = view.keymap.bindings(place).filter(is_named).collect();
    // What never does anything here is not named at all.
    let cx = PaneContext { model, ui, view };
    let is_question = resolve_here(Action::Approve, &cx).is_ok();
    let is_idle = |binding: &keymap::Binding| match (binding.action, place) {
        (Action::Approve | Action::Reject, _) => !is_question,
        (Action::Cancel, KeyScope::Details) => {
            System::all().iter().all(|system| (system.act_first)(Action::Cancel, &cx).is_none())
        }
        (Action::Kick | Action::Settle | Action::Acknowledge, KeyScope::Alerts) if is_question => true,
        (Action::AllowAlways | Action::KeepEdit, _)
        | (Action::Open, KeyScope::Details)
        | (Action::Kick, KeyScope::Pane(PaneId::Topics | PaneId::Drops))
        | (Action::Settle, KeyScope::Alerts) => resolve(binding.action, &cx).is_err(),
        _ => false,
    };
    bindings.retain(|binding| !is_idle(binding));
    if place == KeyScope::Gate && resolve(Action::DisarmRule, &cx).is_ok() {
        // A rule is selected, and no frame.
        bindings.sort_by_key(|binding| match binding.action {
            Action::DisarmRule => 0,
            Action::NextField => 1,
            Action::PassAllFrames => 2,
            _ => 3,
        });
    }
    if is_replay {
        bindings.sort_by_key(|binding| match binding.action {
            Action::Pause => 0,
            Action::NoteForward | Action::StepForward | Action::GoToTime | Action::ReplayFaster => 1,
            _ => 2,
        });
    }
    if place == KeyScope::Pane(PaneId::Wire) {
        // It is where one looks: what finds comes before what acts.
        bindings
            .sort_by_key(|binding| !matches!(binding.action, Action::Open | Action::Filter | Action::Pause));
    }
    bindings
}
