//! The gate as a layer.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::{
    GateList,
    commands::{DropCall, ask_rules, command, drop_frame, what},
    draw,
    list::Part,
};
use crate::{
    console::{
        copy::door_of,
        input::{action::Action, keymap::KeyScope},
        inspect,
        model::{EntryBuffer, Model},
        records::table::row_at,
        settings::view::{Canvas, View},
        ui::{
            Layer, Reaction, Scene, Target,
            act::{Act, Resolved, Unavailable},
            effect::Effect,
            layout::Layout,
            pane::PaneContext,
            state::Ui,
        },
        workbench::at_gate,
    },
    ids::Seq,
    port::GateCommand,
    tap::entry::{Link, What},
};

/// Entries that are looked through for the one that says that a frame was stopped.
const LOOKED_MAX: usize = 100_000;

impl Layer for GateList {
    fn key_scope(&self) -> KeyScope {
        match self.part {
            Part::NewRule => KeyScope::GateRule,
            Part::Held | Part::Rules => KeyScope::Gate,
        }
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn is_of_present(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        draw::draw(self, canvas, scene);
    }

    fn reconcile(&mut self, layout: &Layout, model: &Model, ui: &Ui) {
        self.fit(layout.body, model, ui.at.wall);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.go(by);
    }

    fn page(&self) -> Option<usize> {
        Some(self.page_rows())
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        Some(match action {
            Action::Send => self.arming(),
            Action::NextField | Action::PreviousField => {
                let forward = action == Action::NextField;
                Ok(Act::layer(move |list: &mut Self, _, _| list.cycle(forward)))
            }
            Action::Open => self.reading(cx),
            Action::EditFrame => self.editing(cx.model),
            Action::PassFrame => self
                .frame(cx.model)
                .map_err(Into::into)
                .map(|held| Act::Do(vec![command(GateCommand::Pass { frames: vec![held.number] })])),
            Action::PassAllFrames if self.held.is_empty() => Err("no frame is held".into()),
            // All that are seen: what is stopped meanwhile stays.
            Action::PassAllFrames => {
                Ok(Act::Do(vec![command(GateCommand::Pass { frames: self.held.clone() })]))
            }
            Action::DropFrame => self.dropping(cx.model),
            Action::DisarmRule => self
                .rule()
                .map_err(Into::into)
                .map(|rule| Act::Do(vec![command(GateCommand::Disarm { rule: Some(rule.rule) })])),
            Action::Gate => Err("the gate is open".into()),
            _ => return None,
        })
    }

    fn refresh(&mut self, _model: &Model) -> Option<Effect> {
        ask_rules(self)
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        if self.part != Part::NewRule || view.keymap.lookup(KeyScope::GateRule, key).is_some() {
            return Reaction::Ignored;
        }
        self.form.key(key);
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        if self.part == Part::NewRule {
            self.form.paste(text);
        }
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let areas = self.areas(layout.body);
        let (part, area, selection) = if areas.held.contains(at) {
            (Part::Held, areas.held, &self.selected_held)
        } else if areas.rules.contains(at) {
            (Part::Rules, areas.rules, &self.selected_rule)
        } else {
            self.part = Part::NewRule;
            return None;
        };
        let row = row_at(area, at.y, selection);
        let had_keys = std::mem::replace(&mut self.part, part) == part;
        let was_there = self.choose(row?);
        (had_keys && was_there && part == Part::Held).then_some(Action::Open)
    }
}

impl GateList {
    /// Arms the rule that is written.
    fn arming(&self) -> Resolved {
        if self.part != Part::NewRule {
            return Err("Tab goes to the new rule".into());
        }
        let arm = self.form.arm().map_err(Unavailable::quoting)?;
        Ok(Act::Do(vec![command(GateCommand::Arm(arm))]))
    }

    /// Reads the selected frame: the entry that says that it was stopped.
    fn reading(&self, cx: &PaneContext<'_>) -> Resolved {
        let held = self.frame(cx.model)?;
        let seq = held.seq.or_else(|| entry_of(held.number, cx.ui.time.entries()));
        let seq = seq.ok_or("its entry is not kept here; the workbench shows its bytes")?;
        Ok(Act::effects(move |ui, cx| inspect::actions::open(ui, cx.view, seq)))
    }

    /// Opens the selected frame in the workbench.
    fn editing(&self, model: &Model) -> Resolved {
        let held = self.frame(model)?;
        let (number, seq) = (held.number, held.seq);
        let door = held.frame.as_ref().map(|frame| door_of(frame, model).0);
        Ok(Act::effects(move |ui, cx| at_gate::edit(ui, cx.model, number, (seq, door))))
    }

    /// Drops the selected frame; it is asked first where a call hangs on it.
    fn dropping(&self, model: &Model) -> Resolved {
        let held = self.frame(model)?;
        if held.link == Link::Macp {
            let line = held.line.to_string();
            return Ok(Act::confirm(DropCall { frame: held.number, line, what: what(held) }));
        }
        Ok(Act::Do(vec![drop_frame(held.number, what(held))]))
    }
}

/// The entry that says that a frame was stopped, among those that are kept.
fn entry_of(number: u64, entries: &EntryBuffer) -> Option<Seq> {
    let mut newest = entries.iter().rev().take(LOOKED_MAX).map(|(_, entry)| entry.entry);
    let is_it = |what: &What| matches!(what, What::Intercepted(it) if it.number == number);
    newest.find(|entry| is_it(&entry.what)).map(|entry| entry.seq)
}
