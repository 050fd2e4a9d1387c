//! The workbench as a layer.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::{
    Workbench,
    bench::Side,
    draw::{self, areas},
    draw_verdict, frame_list,
    sending::summary,
    snippet_name::SnippetName,
};
use crate::console::{
    draw::glyphs::UNICODE,
    input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
    inspect::hex::Columns,
    model::Model,
    overlays::draw_line::GUTTER,
    settings::view::{Canvas, View},
    ui::{
        Layer, Reaction, Scene, Target,
        act::{Act, Resolved, Unavailable},
        effect::Effect,
        layout::Layout,
        message::show_message,
        pane::PaneContext,
        state::{Focus, Ui},
    },
};

impl Layer for Workbench {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Workbench
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

    fn reconcile(&mut self, layout: &Layout, _model: &Model, ui: &Ui) {
        let areas = areas(layout.body);
        let lines = draw_verdict::lines(self, areas.verdict.width, &ui.time, ui.at.wall, &UNICODE);
        self.panel.fit(lines.count(), areas.verdict.height.into());
        if self.side == Side::Verdict && !self.panel.is_scrolled() {
            self.side = Side::Json;
        }
        self.height = usize::from(areas.json.height).max(1);
        self.follow_form(&ui.limits);
        self.follow_mark();
        let at = self.editor.cursor().0;
        self.offset = self.offset.min(at).max((at + 1).saturating_sub(self.height));
        self.bytes.per_line = usize::from(Columns::of(areas.bytes.width, self.bytes.bytes().len()).bytes);
        self.bytes.fit(usize::from(areas.bytes.height));
    }

    fn step(&mut self, by: isize, _model: &Model) {
        match self.side {
            Side::Bytes => self.bytes.step(by),
            Side::Verdict => self.panel.step(by),
            Side::Json if self.form.is_some() => self.step_field(by),
            Side::Json | Side::Way(_) => self.editor.step(by),
        }
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        Some(match action {
            Action::Send if self.at_gate.is_some() => self.passing().map_err(Unavailable::quoting),
            Action::Send => self.sending().map_err(Unavailable::quoting),
            Action::KeepEdit => self.keeping(),
            Action::NextField | Action::PreviousField => {
                let forward = action == Action::NextField;
                Ok(Act::layer(move |bench: &mut Self, _, _| bench.cycle_sides(forward)))
            }
            Action::AsJson => Ok(Act::layer(|bench: &mut Self, ui, _| {
                if let Err(why) = bench.toggle_form(&ui.limits) {
                    show_message(ui, why, true, ui.at);
                }
            })),
            Action::RefreshFrame if self.at_gate.as_ref().is_some_and(|edit| edit.is_answer) => {
                Err("an answer of the runtime has no JSON of its own".into())
            }
            Action::RefreshFrame => Ok(Act::layer(|bench: &mut Self, ui, _| {
                let number = ui.systems.workbench.next();
                bench.refresh(ui.at.wall, number);
            })),
            Action::BreakFrame => self.breaking(),
            Action::SentFrames => Ok(Act::effects(|ui, _| frame_list::open(ui))),
            Action::SaveSnippet => match self.unsaved() {
                Some(why) => Err(Unavailable::quoting(why)),
                None => Ok(Act::effects(|ui, _| {
                    match ui.top_mut::<Self>().map(|bench| bench.to_snippet("name")) {
                        Some(Err(why)) => show_message(ui, why, true, ui.at),
                        Some(Ok(_)) => ui.push(SnippetName::new()),
                        None => {}
                    }
                    Vec::new()
                })),
            },
            Action::SentTrace => self.trace(cx),
            // For good: the draft stays, its door does not.
            Action::Close => Ok(Act::effects(|ui, _| {
                let closed = ui.top_mut::<Self>().and_then(Self::close);
                ui.leave_top().unwrap_or_default().into_iter().chain(closed).collect()
            })),
            Action::Workbench | Action::EditFrame => Err("the workbench is open".into()),
            _ => return None,
        })
    }

    fn label(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::AsJson => Some(if self.form.is_some() { "as JSON" } else { "as form" }),
            _ => self.gate_label(action),
        }
    }

    fn leave(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        if self.at_gate.is_some() {
            return self.leave_edit(ui);
        }
        show_message(ui, "draft of the frame kept".to_owned(), false, ui.at);
        let saved = ui.systems.workbench.save_draft(&self, &ui.limits, ui.at.wall);
        ui.systems.workbench.kept = Some(self);
        saved.into_iter().collect()
    }

    fn on_key(&mut self, key: KeyEvent, ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(KeyScope::Workbench, key).is_some() {
            return Reaction::Ignored;
        }
        if let Err(why) = self.type_key(key, &ui.limits, ui.at.wall) {
            show_message(ui, why, true, ui.at);
        }
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, text: &str, ui: &mut Ui, _view: &View) {
        if let Err(why) = self.paste(text, &ui.limits, ui.at.wall) {
            show_message(ui, why, true, ui.at);
        }
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let areas = areas(layout.body);
        if areas.json.contains(at) && self.form.is_some() {
            self.side = Side::Json;
            self.choose_field(usize::from(at.y - areas.json.y));
        } else if areas.json.contains(at) {
            let line = self.offset + usize::from(at.y - areas.json.y);
            self.side = Side::Json;
            self.editor.jump(line, usize::from(at.x.saturating_sub(areas.json.x + GUTTER)));
        } else if areas.verdict.contains(at) && self.panel.is_scrolled() {
            self.side = Side::Verdict;
        } else if areas.bytes.contains(at) {
            let columns = Columns::of(areas.bytes.width, self.bytes.bytes().len());
            let line = self.bytes.offset + usize::from(at.y - areas.bytes.y);
            self.side = Side::Bytes;
            if let Some(place) = columns.index_at(at.x - areas.bytes.x) {
                self.bytes.jump(line * self.bytes.per_line + usize::from(place));
            }
        }
        None
    }
}

impl Workbench {
    /// To the trace of what was sent or, where it has none, to its session.
    fn trace(&self, cx: &PaneContext<'_>) -> Resolved {
        let sent = self.result.as_ref().ok_or("nothing sent yet")?;
        let own = sent.outcome.as_ref().ok().and_then(|sent| sent.own());
        let Some(trace) = own.and_then(|own| own.trace) else {
            let session = own.and_then(|own| own.session.as_deref());
            if let Some(session) = session.and_then(|id| Ui::listed_session(cx.model, id)) {
                return Ok(Act::effects(move |ui, cx| {
                    let effects = leave(ui);
                    ui.show_session(cx.model, session);
                    effects
                }));
            }
            let (words, _) = summary(sent);
            let session = session.map_or_else(String::new, |id| format!(", and session {id} is not listed"));
            return Err(format!("it has no trace{session}: {words}").into());
        };
        Ok(Act::effects(move |ui, cx| {
            let effects = leave(ui);
            ui.trace = Some(trace);
            ui.show(ViewId::Trace);
            (ui.zoomed, ui.focus) = (None, Focus::Pane(PaneId::Trace));
            ui.selection_mut(PaneId::Trace).release();
            ui.advance_ladder(cx.model, u64::MAX);
            effects
        }))
    }
}

/// Leaves it, and all that is open above the panes.
fn leave(ui: &mut Ui) -> Vec<Effect> {
    let effects = ui.leave_top().unwrap_or_default();
    ui.overlays.clear();
    ui.message = None;
    effects
}
