//! What the palette does with keys and clicks, and what becomes of the line that is run.

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    console::{
        input::{action::Action, keymap::KeyScope},
        model::Model,
        overlays::Output,
        screen::{frame, manual, resolve},
        settings::{shell::Subcommand, view::View},
        ui::{
            effect::{Effect, OutcomeText},
            export,
            file_request::{FileRequest, FileVerb},
            message::show_message,
            named_filters,
            palette::Hit,
            pane::PaneContext,
            state::Ui,
            trigger_line,
        },
    },
    port::{Command, Outcome, TriggerCommand, TriggerOutcome},
    time::Now,
};

/// What a key or a click in the palette leads to: effects, and an action that is to be attempted then.
pub(crate) type Choice = (Vec<Effect>, Option<Action>);

/// A key while the palette is open.
pub(crate) fn on_key(ui: &mut Ui, live: &Model, view: &View, key: KeyEvent, now: Now) -> Choice {
    let Some(palette) = &mut ui.palette else { return Choice::default() };
    let page = isize::from(10_i8);
    match view.keymap.lookup(KeyScope::Palette, key) {
        Some(Action::Back | Action::Close) => ui.palette = None,
        Some(Action::Up) => palette.step(-1, &ui.history, view),
        Some(Action::Down) => palette.step(1, &ui.history, view),
        Some(Action::PageUp) => palette.step(-page, &ui.history, view),
        Some(Action::PageDown) => palette.step(page, &ui.history, view),
        Some(Action::NextField) => palette.complete(view),
        Some(Action::Open) => return run(ui, live, view, now),
        Some(Action::HoldAll) => return (Vec::new(), Some(Action::HoldAll)),
        Some(Action::Manual) => {
            let past = ui.time.visible_model();
            manual::open_over_palette(ui, past.as_deref().unwrap_or(live), view);
        }
        _ => palette.input(key, view),
    }
    Choice::default()
}

/// A click, or the wheel: `by` rows.
pub(crate) fn on_mouse(
    ui: &mut Ui,
    model: &Model,
    live: &Model,
    view: &View,
    mouse: MouseEvent,
    by: isize,
    now: Now,
) -> Choice {
    let body = ui.layout(model).body;
    let Some(palette) = &mut ui.palette else { return Choice::default() };
    if by != 0 {
        palette.scroll(by);
    } else if palette.click(body, mouse.column, mouse.row) {
        return run(ui, live, view, now);
    }
    Choice::default()
}

/// Text that is pasted.
pub(crate) fn paste(ui: &mut Ui, view: &View, text: &str) {
    if let Some(palette) = &mut ui.palette {
        palette.paste(text, view);
    }
}

/// Runs what is selected.
pub(crate) fn run(ui: &mut Ui, present: &Model, view: &View, now: Now) -> Choice {
    let Some(palette) = &mut ui.palette else { return Choice::default() };
    match palette.hit().cloned() {
        None => {
            let words = format!("there is no command `{}`", palette.text());
            show_message(ui, words, true, now);
            Choice::default()
        }
        Some(Hit::Action(action)) => {
            let past = ui.time.visible_model().filter(|_| !action.acts());
            let cx = PaneContext { model: past.as_deref().unwrap_or(present), ui, view };
            if let Err(why) = resolve(action, &cx) {
                show_message(ui, why.text, true, now);
                return Choice::default();
            }
            ui.palette = None;
            (remember(ui, action.name()), Some(action))
        }
        Some(Hit::Subcommand(index)) => match view.subcommands.get(index) {
            Some(it) if it.needs_more && it.unavailable(&[]).is_none() => {
                palette.complete(view);
                Choice::default()
            }
            Some(it) => {
                let words = it.name.split(' ').map(str::to_owned).collect();
                let line = it.name.clone();
                (run_subcommand(ui, view, &line, words), None)
            }
            None => Choice::default(),
        },
        Some(Hit::NamedFilter(index)) => {
            ui.palette = None;
            let past = ui.time.visible_model();
            if let Some(filter) = view.keymap.filters().get(index) {
                named_filters::open(ui, past.as_deref().unwrap_or(present), view, filter, now);
            }
            Choice::default()
        }
        Some(Hit::File(_, None) | Hit::Trigger(None)) => {
            palette.complete(view);
            Choice::default()
        }
        Some(Hit::Trigger(Some(filter))) => (add_trigger(ui, present, &filter, now), None),
        Some(Hit::File(_, Some(request))) => (save(ui, present, view, &request, now), None),
        Some(Hit::Manual(words)) => {
            let is_recalled = ui.palette.take().is_some_and(|palette| palette.recalled.is_some());
            let past = ui.time.visible_model();
            manual::open_about(ui, past.as_deref().unwrap_or(present), view, &words, is_recalled);
            (remember(ui, &format!("help {words}")), None)
        }
        Some(Hit::Typed(words)) => {
            let line = palette.text().trim().to_owned();
            (run_subcommand(ui, view, &line, words), None)
        }
    }
}

/// A trigger of this name was added.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TriggerAdded {
    name: String,
}

impl OutcomeText for TriggerAdded {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let name = &self.name;
        let text = format!("trigger {name} added: it marks and alerts; `:trigger rm {name}` removes it");
        matches!(outcome, Outcome::Trigger(TriggerOutcome::Added { .. })).then_some((text, false))
    }
}

/// Adds a trigger, unless that would do nothing: then the line stays to be mended.
fn add_trigger(ui: &mut Ui, present: &Model, filter: &str, now: Now) -> Vec<Effect> {
    let spec = present.read_only_reason().map_or_else(|| trigger_line::spec(filter), Err);
    let spec = match spec {
        Ok(spec) => spec,
        Err(why) => {
            show_message(ui, why, true, now);
            return Vec::new();
        }
    };
    let line = ui.palette.take().map(|palette| palette.text().trim().to_owned());
    let mut effects = remember(ui, &line.unwrap_or_default());
    let added = TriggerAdded { name: spec.name.clone() };
    effects.push(Effect::command(Command::Trigger(TriggerCommand::Add(spec)), added));
    effects
}

fn run_subcommand(ui: &mut Ui, view: &View, line: &str, words: Vec<String>) -> Vec<Effect> {
    ui.palette = None;
    let mut effects = remember(ui, line);
    let typed = Subcommand::split_line(&view.subcommands, line);
    if let Some(why) = Subcommand::resolve(&view.subcommands, &words).and_then(|it| it.unavailable(&words)) {
        ui.push(Output::elsewhere(typed, why, view.commands.line(line)));
        return effects;
    }
    if Subcommand::resolve(&view.subcommands, &words).is_some_and(|it| it.is_over(&words)) {
        effects.push(Effect::OpenRecording { words });
        return effects;
    }
    ui.subcommand_count += 1;
    let number = ui.subcommand_count;
    ui.push(Output::running(number, typed));
    effects.push(Effect::Run { number, words });
    effects
}

/// Has what is shown written, of the moment that is shown: what the focused pane shows, or the screen without
/// the palette.
fn save(ui: &mut Ui, present: &Model, view: &View, request: &FileRequest, now: Now) -> Vec<Effect> {
    let past = ui.time.visible_model();
    let palette = ui.palette.take();
    let job = match request.verb {
        FileVerb::Export => export::job(request, ui, past.as_deref().unwrap_or(present), view),
        FileVerb::Screenshot => {
            let mut screen = Buffer::empty(Rect::new(0, 0, ui.columns, ui.rows));
            frame::draw(&mut screen, present, ui, view);
            export::screenshot(request, &screen)
        }
    };
    match job {
        Err(why) => {
            ui.palette = palette;
            show_message(ui, why.to_owned(), true, now);
            Vec::new()
        }
        Ok(job) => {
            let line = palette.map(|palette| palette.text().trim().to_owned());
            let mut effects = remember(ui, &line.unwrap_or_default());
            effects.push(Effect::Export(Box::new(job)));
            effects
        }
    }
}

fn remember(ui: &mut Ui, line: &str) -> Vec<Effect> {
    ui.history.push(line.to_owned());
    vec![Effect::Remember(line.to_owned())]
}
