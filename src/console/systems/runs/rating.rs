//! The question how a run is rated.

use crate::{
    console::{
        draw::theme::Role,
        input::action::Action,
        model::Model,
        overlays::{Answer, Answers, Confirm, Details, Dialog},
        records::{ManualPlace, paged_list::error_text},
        settings::view::View,
        systems::runs::keys,
        ui::{
            effect::{Effect, OnPage, OutcomeText},
            message::show_message,
            state::Ui,
        },
    },
    ids::TraceId,
    mplp::{self, RatingVerdict},
    port::{Command, Outcome, Page, PortError},
    store::mplp::Rating,
    time::Now,
};

/// Rate this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateRun {
    pub(crate) run: TraceId,
    /// As a person knows it.
    pub(crate) name: String,
    /// How it is rated so far.
    pub(crate) before: Option<Rating>,
}

/// The run that is to be rated, with how it is rated so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RatingOfRun {
    pub(crate) run: TraceId,
    /// As a person knows it.
    pub(crate) name: String,
}

impl OnPage for RatingOfRun {
    /// Asks how it is rated, unless the operator has turned to something else.
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let Self { run, name } = self.clone();
        let why = match page {
            Ok(Page::Run(Some(_))) if !self.is_at_hand(ui) => {
                format!("{name} is not rated: something else was opened meanwhile")
            }
            Ok(Page::Run(Some(detail))) if !detail.row.state.is_end() => not_ended(&name),
            Ok(Page::Run(Some(detail))) => {
                ui.push(Dialog::new(Box::new(RateRun { run, name, before: detail.rating })));
                return;
            }
            Ok(_) => format!("run {} is no longer stored", run.short()),
            Err(error) => error_text(&error),
        };
        show_message(ui, why, true, now);
    }
}

impl RatingOfRun {
    /// Whether nothing lies over the panes but the details of the run.
    fn is_at_hand(&self, ui: &Ui) -> bool {
        let details = ui.top::<Details>().and_then(|it| keys::run_of(&it.record.key()));
        ui.palette.is_none() && (ui.overlays.is_empty() || details == Some(self.run))
    }
}

/// Why an open run is not rated here: a yes could be read as the answer to what it asks.
pub(crate) fn not_ended(name: &str) -> String {
    format!("{name} has not ended: rate it then")
}

impl Confirm for RateRun {
    fn title(&self) -> String {
        format!("Rate {}", self.name)
    }

    fn describe(&self, _refund: bool, _model: &Model, _view: &View) -> Vec<(String, Role)> {
        let mut lines = vec![("Did the run do what it was for?".to_owned(), Role::Text)];
        if let Some(Rating { verdict, by, .. }) = &self.before {
            lines.push((format!("It is rated {} by {by}.", verdict.name()), Role::Accent));
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

    fn text_before(&self) -> Option<&str> {
        self.before.as_ref().and_then(|before| before.note.as_deref())
    }

    fn commit(&self, answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let verdict = match answer.chosen {
            Action::RateRejected => RatingVerdict::Rejected,
            _ => RatingVerdict::Approved,
        };
        // A line of text is no longer than a note may be. One that was there and was deleted is taken away.
        let note_before = self.before.as_ref().and_then(|before| before.note.as_ref());
        let note = answer.reason.map(str::to_owned).or_else(|| note_before.map(|_| String::new()));
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
        let Outcome::Mplp(mplp::Outcome::Rated { before, .. }) = outcome else { return None };
        let before = before.map(|before| format!(" (before: {})", before.name())).unwrap_or_default();
        Some((format!("{} rated {}{before}", self.name, self.verdict.name()), false))
    }
}
