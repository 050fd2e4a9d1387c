//! What the gate's layer has: three parts, and what is selected in two of them.

use ratatui::layout::Rect;

use super::rule_form::RuleForm;
use crate::{
    console::{
        model::{Model, station::HeldFrame},
        records::{
            record_key::KeyKind,
            selection::{RecordKey, Selection},
            table::list_height,
        },
    },
    port::GateRuleRow,
    time::Wall,
};

/// A frame that is held.
const HELD: KeyKind<u64> = KeyKind::new("held_frame");
/// A rule that is armed.
const RULE: KeyKind<u64> = KeyKind::new("gate_rule");
/// Rows of a new rule with its frame.
const FORM_ROWS: u16 = 6;
/// Rows of the rules with their frame, at least.
const RULES_ROWS_MIN: u16 = 4;

/// What has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Held,
    NewRule,
    Rules,
}

/// The gate.
#[derive(Debug)]
pub(crate) struct GateList {
    pub(super) part: Part,
    pub(super) form: RuleForm,
    /// The rules as the station said last, or why it did not; nothing before it did.
    pub(super) rules: Option<Result<Vec<GateRuleRow>, String>>,
    /// Whether it is asked for them.
    pub(super) is_asking: bool,
    /// The frames that are held, by their numbers.
    pub(super) held: Vec<u64>,
    pub(super) selected_held: Selection,
    pub(super) selected_rule: Selection,
    held_rows: usize,
    rule_rows: usize,
}

/// Where its parts are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Areas {
    pub(super) held: Rect,
    pub(super) form: Rect,
    pub(super) rules: Rect,
}

impl GateList {
    /// One with a rule that is being written; what is held has the keys where anything is.
    pub(super) fn of(form: RuleForm, holds_frames: bool) -> Self {
        Self {
            part: if holds_frames { Part::Held } else { Part::NewRule },
            form,
            rules: None,
            is_asking: false,
            held: Vec::new(),
            selected_held: Selection::default(),
            selected_rule: Selection::default(),
            held_rows: 1,
            rule_rows: 1,
        }
    }

    /// The rules that are known.
    pub(super) fn rules(&self) -> &[GateRuleRow] {
        match &self.rules {
            Some(Ok(rules)) => rules,
            Some(Err(_)) | None => &[],
        }
    }

    /// The parts of a body.
    pub(super) fn areas(&self, body: Rect) -> Areas {
        let form = FORM_ROWS.min(body.height);
        let left = body.height - form;
        let wanted = u16::try_from(self.rules().len()).unwrap_or(u16::MAX).saturating_add(3);
        let rules = wanted.clamp(RULES_ROWS_MIN, (left / 2).max(RULES_ROWS_MIN)).min(left);
        let held = left - rules;
        Areas {
            held: Rect { height: held, ..body },
            form: Rect { y: body.y + held, height: form, ..body },
            rules: Rect { y: body.y + held + form, height: rules, ..body },
        }
    }

    fn held_keys(&self) -> Vec<RecordKey> {
        self.held.iter().map(|number| HELD.of(*number)).collect()
    }

    fn rule_keys(&self) -> Vec<RecordKey> {
        self.rules().iter().map(|rule| RULE.of(rule.rule)).collect()
    }

    /// Fits it to what is held and armed.
    pub(super) fn fit(&mut self, body: Rect, model: &Model, now: Wall) {
        let areas = self.areas(body);
        self.held = model.station.intercepted.at(now).map(|held| held.number).collect();
        (self.held_rows, self.rule_rows) = (list_height(areas.held), list_height(areas.rules));
        let keys = self.held_keys();
        self.selected_held.reconcile(&keys, self.held_rows);
        let keys = self.rule_keys();
        self.selected_rule.reconcile(&keys, self.rule_rows);
    }

    /// Moves in the part that has the keys.
    pub(super) fn go(&mut self, by: isize) {
        match self.part {
            Part::Held => {
                let keys = self.held_keys();
                self.selected_held.step(by, &keys, self.held_rows);
            }
            Part::Rules => {
                let keys = self.rule_keys();
                self.selected_rule.step(by, &keys, self.rule_rows);
            }
            Part::NewRule => {}
        }
    }

    /// Selects a row of the part that has the keys; whether it was selected already.
    pub(super) fn choose(&mut self, row: usize) -> bool {
        let (selection, keys, height) = match self.part {
            Part::Held => {
                let keys = self.held_keys();
                (&mut self.selected_held, keys, self.held_rows)
            }
            Part::Rules => {
                let keys = self.rule_keys();
                (&mut self.selected_rule, keys, self.rule_rows)
            }
            Part::NewRule => return false,
        };
        if row >= keys.len() {
            return false;
        }
        let was_there = selection.index() == row;
        selection.select(row, &keys, height);
        was_there
    }

    /// Rows of a page of the part that has the keys.
    pub(super) const fn page_rows(&self) -> usize {
        match self.part {
            Part::Rules => self.rule_rows,
            Part::Held | Part::NewRule => self.held_rows,
        }
    }

    /// To the next part, or the one before.
    pub(super) fn cycle(&mut self, forward: bool) {
        self.part = match (self.part, forward) {
            (Part::Held, true) | (Part::Rules, false) => Part::NewRule,
            (Part::NewRule, true) | (Part::Held, false) => Part::Rules,
            (Part::Rules, true) | (Part::NewRule, false) => Part::Held,
        };
    }

    /// The selected frame.
    ///
    /// # Errors
    /// That there is none.
    pub(super) fn frame<'a>(&self, model: &'a Model) -> Result<&'a HeldFrame, &'static str> {
        if self.held.is_empty() {
            return Err("no frame is held");
        }
        if self.part != Part::Held {
            return Err("Tab goes to the held frames");
        }
        let number = self.held.get(self.selected_held.index());
        number.and_then(|number| model.station.intercepted.get(*number)).ok_or("the frame passed meanwhile")
    }

    /// The selected rule.
    ///
    /// # Errors
    /// That there is none.
    pub(super) fn rule(&self) -> Result<&GateRuleRow, &'static str> {
        if self.rules().is_empty() {
            return Err("no rule is armed");
        }
        if self.part != Part::Rules {
            return Err("Tab goes to the rules");
        }
        self.rules().get(self.selected_rule.index()).ok_or("the rule was disarmed meanwhile")
    }
}
