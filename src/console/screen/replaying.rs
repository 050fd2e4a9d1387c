//! Moving in a recording: through what is kept where that has it, and otherwise by the replay itself.

use std::time::Duration;

use super::time_travel;
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::StepOutcome,
        ui::{
            act::{Act, ActContext, Resolved, act_if},
            effect::Effect,
            pane::PaneContext,
            state::Ui,
        },
    },
    ids::Seq,
    port::{ReplayAct, ReplayPlace},
    time::Now,
};

/// What an action of time does in a recording.
pub(super) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let act = match action {
        Action::Pause => Act::effects(|ui, _| play_or_hold(ui)),
        Action::Live => Act::effects(|ui, _| seek(ui, ReplayPlace::End)),
        Action::ReplayFaster => Act::Do(vec![Effect::Replay(ReplayAct::Faster)]),
        Action::ReplaySlower => Act::Do(vec![Effect::Replay(ReplayAct::Slower)]),
        _ => Act::effects(move |ui, cx| step(ui, cx, action)),
    };
    act_if(cx.model.station_state.is_some(), || act, "the recording is being opened")
}

/// Goes to a place.
pub(super) fn seek(ui: &mut Ui, place: ReplayPlace) -> Vec<Effect> {
    ui.time.go_live();
    vec![Effect::Replay(ReplayAct::Seek(place))]
}

/// Plays on from what is shown, or holds.
fn play_or_hold(ui: &mut Ui) -> Vec<Effect> {
    let shown = ui.time.current().filter(|_| ui.time.is_stopped());
    ui.time.go_live();
    vec![Effect::Replay(shown.map_or(ReplayAct::Toggle, ReplayAct::PlayFrom))]
}

/// Steps, within what is kept as long as it reaches.
fn step(ui: &mut Ui, cx: &ActContext<'_>, action: Action) -> Vec<Effect> {
    let forward = matches!(
        action,
        Action::StepForward | Action::SecondForward | Action::TenSecondsForward | Action::NoteForward
    );
    let was_stopped = ui.time.is_stopped();
    let (from, shown) = (ui.time.instant().unwrap_or(cx.now), ui.time.current());
    if forward && !was_stopped {
        return seek(ui, beyond(action, from, shown, cx.now));
    }
    match time_travel::moved(ui, cx.live, action, cx.now) {
        // What is missing here the files may have.
        StepOutcome::AtFirst | StepOutcome::AtLast | StepOutcome::Moved { gone: 1.., .. } => {
            seek(ui, beyond(action, from, shown, cx.now))
        }
        stepped @ StepOutcome::Moved { .. } => {
            time_travel::show_step(ui, cx.live, cx.view, stepped, None, cx.now);
            ui.selection_mut(PaneId::Wire).release();
            vec![Effect::Replay(ReplayAct::Hold)]
        }
    }
}

/// The place that a step leads to from a moment that is shown, with the last entry that is. `now` is where
/// the replay is.
fn beyond(action: Action, from: Now, shown: Option<Seq>, now: Now) -> ReplayPlace {
    let by = |s: u64, forward: bool| {
        let by = Duration::from_secs(s);
        let at = if forward { from.after(by) } else { from.before(by) };
        let ns = i128::from(at.mono.0) - i128::from(now.mono.0);
        ReplayPlace::By(i64::try_from(ns).unwrap_or_default())
    };
    match action {
        Action::StepBack => shown.map_or(ReplayPlace::Start, ReplayPlace::Before),
        Action::SecondBack => by(1, false),
        Action::SecondForward => by(1, true),
        Action::TenSecondsBack => by(10, false),
        Action::TenSecondsForward => by(10, true),
        Action::NoteBack => ReplayPlace::NoteBefore(shown),
        Action::NoteForward => ReplayPlace::NextNote(shown),
        _ => ReplayPlace::NextEntry,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_beyond_what_is_kept_leads_from_what_is_shown() {
        let (from, now) = (Now::at_ms(5_000), Now::at_ms(9_000));
        let of = |action| beyond(action, from, Some(Seq(7)), now);
        assert_eq!(of(Action::StepBack), ReplayPlace::Before(Seq(7)));
        assert_eq!(of(Action::StepForward), ReplayPlace::NextEntry);
        assert_eq!(of(Action::SecondForward), ReplayPlace::By(-3_000_000_000));
        assert_eq!(of(Action::TenSecondsForward), ReplayPlace::By(6_000_000_000));
        assert_eq!(of(Action::SecondBack), ReplayPlace::By(-5_000_000_000));
        assert_eq!(of(Action::NoteBack), ReplayPlace::NoteBefore(Some(Seq(7))));
        assert_eq!(beyond(Action::StepBack, now, None, now), ReplayPlace::Start);
    }
}
