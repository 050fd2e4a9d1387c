//! The question how a run is rated.

use crate::{
    console::{
        draw::theme::Role,
        input::action::Action,
        model::Model,
        overlays::{Answer, Answers, Confirm},
        records::ManualPlace,
        settings::view::View,
        ui::{
            effect::{Effect, OutcomeText},
            state::Ui,
        },
    },
    ids::TraceId,
    mplp::{self, RatingVerdict},
    port::{Command, Outcome},
};

/// Rate this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateRun {
    pub(crate) run: TraceId,
    /// As a person knows it.
    pub(crate) name: String,
}

impl Confirm for RateRun {
    fn title(&self) -> String {
        format!("Rate {}", self.name)
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        let state = model.runs().and_then(|runs| runs.run(self.run)).map(|view| view.state);
        let mut lines = vec![("Did the run do what it was for?".to_owned(), Role::Text)];
        if state.is_some_and(|state| !state.is_end()) {
            lines.push(("It has not ended.".to_owned(), Role::Warn));
        }
        let about = "The rating labels the learning samples of the run. The last one holds.";
        lines.push((about.to_owned(), Role::Muted));
        lines
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mplp", ["Rate runs"])
    }

    fn answers(&self) -> Answers {
        Answers::Rating
    }

    fn commit(&self, answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let verdict = match answer.chosen {
            Action::RateRejected => RatingVerdict::Rejected,
            _ => RatingVerdict::Approved,
        };
        // A line of text is no longer than a note may be.
        let note = answer.reason.map(str::to_owned);
        let command = Command::Mplp(mplp::Command::Rate { run: self.run, verdict, note });
        Ok(vec![Effect::command(command, Rated { name: self.name.clone(), verdict })])
    }
}

/// A rating of a run that is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rated {
    pub(crate) name: String,
    pub(crate) verdict: RatingVerdict,
}

impl OutcomeText for Rated {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Mplp(mplp::Outcome::Rated { before }) = outcome else { return None };
        let before = before.map(|before| format!(" (before: {})", before.name())).unwrap_or_default();
        Some((format!("{} rated {}{before}", self.name, self.verdict.name()), false))
    }
}
