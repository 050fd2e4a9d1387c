//! The questions before the station ends, with what becomes of everything that goes on there, and before a
//! recording does.

use std::path::PathBuf;

use crate::{
    console::{
        draw::{format, theme::Role},
        model::Model,
        overlays::{Answer, Answers, Confirm, detail::join_some},
        settings::view::View,
        systems::station::outcomes::StationCommand,
        ui::{effect::Effect, state::Ui},
    },
    port::{Command, ShutdownImpact},
    runs::Snapshot,
    tap::entry::mpp::RowState,
};

/// Rows that are named one by one.
const LISTED_MAX: usize = 6;

/// End the console and the station with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quit;

impl Confirm for Quit {
    fn title(&self) -> String {
        "Quit?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        describe_quit(model)
    }

    fn answers(&self) -> Answers {
        Answers::YesNo
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        Ok(vec![Effect::Quit])
    }
}

/// End the recording into this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StopRecording {
    pub(crate) path: PathBuf,
}

impl Confirm for StopRecording {
    fn title(&self) -> String {
        "Stop recording?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        let recording = model.station_state.as_ref().and_then(|state| state.station.recording.as_ref());
        match recording.filter(|recording| recording.path == self.path) {
            Some(recording) => vec![
                (
                    format!("{} has {} so far.", recording.path.display(), format::bytes(recording.bytes)),
                    Role::Text,
                ),
                (
                    "What happens from now on is in no recording, until one is started again.".to_owned(),
                    Role::Text,
                ),
            ],
            None => vec![(format!("{} has ended meanwhile.", self.path.display()), Role::Warn)],
        }
    }

    fn answers(&self) -> Answers {
        Answers::YesNo
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        if recording(model) != Some(&self.path) {
            return Err(format!("{} has ended meanwhile: nothing was stopped", self.path.display()));
        }
        Ok(vec![Effect::command(Command::RecordStop, StationCommand)])
    }
}

/// The file that is recorded into.
pub(crate) fn recording(model: &Model) -> Option<&PathBuf> {
    Some(&model.station_state.as_ref()?.station.recording.as_ref()?.path)
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
    model.mpp().is_some_and(|mpp| !mpp.live.is_empty()) || !shutdown_impact(model).is_empty()
}

/// What becomes of all of it.
fn describe_quit(model: &Model) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return vec![("The station stops.".to_owned(), Role::Text)] };
    let ids =
        |state| mpp.live.iter().filter(move |(_, live)| live.state == state).map(|(id, _)| id.to_string());
    let dispatched: Vec<_> = ids(RowState::Dispatched).collect();
    let applied: Vec<_> = ids(RowState::Applied).collect();
    let pending: u64 = mpp.queues.values().map(|queue| queue.pending).sum();
    let stops = if mpp.adapter.is_some() {
        "The station stops, and the adapter is disconnected."
    } else {
        "The station stops."
    };
    let mut words = vec![(stops.to_owned(), Role::Text)];
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
                "{} stay applied, to be settled by hand: {}.",
                applied.len(),
                join_some(&applied, LISTED_MAX)
            ),
            Role::Warn,
        ));
    }
    words.push((format!("{pending} pending stay as they are."), Role::Muted));
    words
}
