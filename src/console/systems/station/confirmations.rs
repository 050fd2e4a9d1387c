//! The questions before the station ends, with what becomes of everything that goes on there, and before a
//! recording does.

use crate::{
    console::{
        draw::{format, theme::Role},
        input::action::Action,
        model::Model,
        overlays::{Answer, Answers, Confirm, detail::join_some},
        records::ManualPlace,
        settings::view::View,
        systems::station::outcomes::StationCommand,
        ui::{effect::Effect, state::Ui},
    },
    mpp,
    port::{Command, RecordingView, ShutdownImpact},
    runs::Snapshot,
    tap::entry::mpp::RowState,
    words::counted,
};

/// Rows that are named one by one.
const LISTED_MAX: usize = 6;

/// End the console, and the station with it or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quit;

impl Confirm for Quit {
    fn title(&self) -> String {
        "Quit?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, view: &View) -> Vec<(String, Role)> {
        describe_quit(model, view)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("attach", ["Leaving"])
    }

    fn answers(&self) -> Answers {
        Answers::Leave
    }

    fn commit(&self, answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        Ok(vec![if answer.chosen == Action::Detach { Effect::Detach } else { Effect::Quit }])
    }
}

/// End this recording, whichever of its files it is in by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StopRecording {
    pub(crate) recording: RecordingView,
}

impl Confirm for StopRecording {
    fn title(&self) -> String {
        "Stop recording?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        match recording(model).filter(|recording| recording.since == self.recording.since) {
            Some(recording) => vec![
                (
                    format!("{} holds {} so far.", recording.path.display(), format::bytes(recording.bytes)),
                    Role::Text,
                ),
                ("Nothing is recorded from now on, until a recording is started.".to_owned(), Role::Text),
            ],
            None => vec![(format!("{} has already ended.", self.recording.path.display()), Role::Warn)],
        }
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::page("recording")
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("stop recording")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        if recording(model).map(|recording| recording.since) != Some(self.recording.since) {
            return Err(format!("not stopped: {} has already ended", self.recording.path.display()));
        }
        Ok(vec![Effect::command(Command::RecordStop, StationCommand)])
    }
}

/// The recording that runs.
pub(crate) fn recording(model: &Model) -> Option<&RecordingView> {
    model.station_state.as_ref()?.station.recording.as_ref()
}

/// Runs, questions and sessions that go on.
fn shutdown_impact(model: &Model) -> ShutdownImpact {
    let runs = model.runs();
    ShutdownImpact {
        runs: runs.map_or_else(Vec::new, |runs| {
            runs.open().map(|run| format!("{} {}", run.name, run.run.short())).collect()
        }),
        questions: runs.map_or(0, Snapshot::waiting),
        sessions: model.macp().map_or(0, |macp| macp.totals.open),
    }
}

/// Whether a station that ended now would end or halt something.
pub(crate) fn has_work(model: &Model) -> bool {
    let is_busy = |mpp: &mpp::Snapshot| !mpp.live.is_empty() || pending(mpp) > 0;
    model.mpp().is_some_and(is_busy) || !shutdown_impact(model).is_empty()
}

/// Rows that are not dispatched yet, of every pack.
fn pending(mpp: &mpp::Snapshot) -> u64 {
    mpp.queues.values().map(|queue| queue.pending + queue.other_manifest).sum()
}

/// What becomes of all of it, either way.
fn describe_quit(model: &Model, view: &View) -> Vec<(String, Role)> {
    let (detach, stop) = (view.key(Action::Detach), view.key(Action::StopStation));
    let attach = view.commands.line("attach");
    let goes_on = format!("{detach}  detach: the station keeps running; `{attach}` reattaches.");
    let mut words = vec![(goes_on, Role::Text), (String::new(), Role::Text)];
    let Some(mpp) = model.mpp() else {
        words.push((format!("{stop}  stop the station."), Role::Text));
        return words;
    };
    let ids =
        |state| mpp.live.iter().filter(move |(_, live)| live.state == state).map(|(id, _)| id.to_string());
    let dispatched: Vec<_> = ids(RowState::Dispatched).collect();
    let applied: Vec<_> = ids(RowState::Applied).collect();
    let ends = if mpp.adapter.is_some() { ", and disconnect the adapter" } else { "" };
    words.push((format!("{stop}  stop the station{ends}:"), Role::Text));
    if let held @ 1.. = model.station.intercepted.at(view.clock.wall).count() {
        let held = counted(held as u64, "held frame");
        let text = format!("{held} will pass: all at a stop, at a detach those of this console's rules.");
        words.push((text, Role::Warn));
    }
    words.extend(shutdown_impact(model).describe().into_iter().map(|words| (words, Role::Warn)));
    if !dispatched.is_empty() {
        words.push((
            format!(
                "A restart requeues {} dispatched: {}.",
                dispatched.len(),
                join_some(&dispatched, LISTED_MAX)
            ),
            Role::Warn,
        ));
    }
    if !applied.is_empty() {
        words.push((
            format!(
                "{} applied will be orphaned, to be settled manually: {}.",
                applied.len(),
                join_some(&applied, LISTED_MAX)
            ),
            Role::Warn,
        ));
    }
    words.push((format!("{} pending stay as they are.", format::count(pending(mpp))), Role::Muted));
    words
}
