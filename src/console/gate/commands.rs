//! What the gate is asked for and told to do.

use super::{GateList, list::Part, rule_form::RuleForm};
use crate::{
    console::{
        draw::theme::Role,
        model::{Model, station::HeldFrame},
        overlays::{Answer, Answers, Confirm},
        records::{ManualPlace, paged_list::error_text},
        settings::view::View,
        ui::{
            effect::{Effect, OnOutcome, OnPage},
            message::show_message,
            state::Ui,
        },
        workbench::at_gate,
    },
    port::{Command, GateCommand, GateOutcome, Outcome, Page, PortError, Query, frame_words},
    time::Now,
    words::counted,
};

/// Asks for the rules, unless it is asked already.
pub(super) fn ask_rules(list: &mut GateList) -> Option<Effect> {
    let is_new = !std::mem::replace(&mut list.is_asking, true);
    is_new.then(|| Effect::query(Query::GateRules, RulesPage))
}

/// Who is told of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RulesPage;

impl OnPage for RulesPage {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, _now: Now) {
        let Some(list) = ui.layers_mut::<GateList>().next() else { return };
        list.is_asking = false;
        list.rules = Some(match page {
            Ok(Page::GateRules(rules)) => Ok(rules),
            Ok(_) => Err("unexpected answer from the station; use the rl-console of its version".to_owned()),
            Err(error) => Err(error_text(&error)),
        });
    }
}

/// Has something done at the gate.
pub(super) fn command(command: GateCommand) -> Effect {
    Effect::command(Command::Gate(command), Done { verb: "passed", what: None })
}

/// Has a frame dropped; `what` it is.
pub(super) fn drop_frame(frame: u64, what: String) -> Effect {
    let command = GateCommand::Drop { frames: vec![frame] };
    Effect::command(Command::Gate(command), Done { verb: "dropped", what: Some(what) })
}

/// What a held frame is, in words.
pub(super) fn what(held: &HeldFrame) -> String {
    frame_words(&held.kind, held.way, &held.peer)
}

/// Who is told of what was done at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Done {
    /// What became of frames.
    verb: &'static str,
    /// What the only frame is, of one that is lost by it.
    what: Option<String>,
}

impl Done {
    fn text(&self, done: &GateOutcome) -> String {
        match done {
            GateOutcome::Armed { rule } => format!("rule {rule} armed: frames that match are held here"),
            GateOutcome::Disarmed { rules } => match rules.as_slice() {
                [rule] => format!("rule {rule} disarmed; what it held passed"),
                rules => format!("{} disarmed; what they held passed", counted(rules.len() as u64, "rule")),
            },
            GateOutcome::Released { frames } => match frames.as_slice() {
                [] => "no frame was held by then".to_owned(),
                [frame] => {
                    let what = self.what.as_ref().map_or_else(String::new, |what| format!(": {what}"));
                    format!("frame {frame} {}{what}", self.verb)
                }
                frames => format!("{} {}", counted(frames.len() as u64, "frame"), self.verb),
            },
        }
    }
}

impl OnOutcome for Done {
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        let (text, is_error) = match &outcome {
            Ok(Outcome::Gate(done)) => (self.text(done), false),
            Ok(_) => ("unexpected answer from the station".to_owned(), true),
            Err(error) => (error_text(error), true),
        };
        show_message(ui, text, is_error, now);
        if let Ok(Outcome::Gate(GateOutcome::Released { frames })) = &outcome {
            at_gate::forget(ui, frames);
        }
        let Some(list) = ui.layers_mut::<GateList>().next() else { return Vec::new() };
        if matches!(outcome, Ok(Outcome::Gate(GateOutcome::Armed { .. }))) {
            // The next keys are for what it holds.
            (list.form, list.part) = (RuleForm::of("", list.form.then.is_some()), Part::Held);
        }
        ask_rules(list).into_iter().collect()
    }
}

/// Drop a call of the coordination runtime.
#[derive(Debug)]
pub(super) struct DropCall {
    pub(super) frame: u64,
    pub(super) line: String,
    pub(super) what: String,
}

impl Confirm for DropCall {
    fn title(&self) -> String {
        format!("Drop frame {}?", self.frame)
    }

    fn describe(&self, _refund: bool, model: &Model, view: &View) -> Vec<(String, Role)> {
        let left = match model.station.intercepted.get(self.frame) {
            None => ("It passed meanwhile.".to_owned(), Role::Warn),
            Some(held) => {
                (format!("Undecided, its rule decides in {}.", held.left(view.clock.wall)), Role::Muted)
            }
        };
        vec![
            (self.line.clone(), Role::Text),
            (
                "That call is cancelled: its client gets an error in place of an answer.".to_owned(),
                Role::Warn,
            ),
            left,
        ]
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::page("workbench")
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("drop")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        Ok(vec![drop_frame(self.frame, self.what.clone())])
    }
}
