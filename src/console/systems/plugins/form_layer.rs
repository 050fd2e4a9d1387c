//! A form of a plugin on the screen: its keys, and what is sent of it.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

use super::{
    form::{PluginForm, Purpose},
    form_view::{draw, list_area},
};
use crate::{
    console::{
        draw::{class::Class, text},
        form::{Kind, overflow_text},
        input::{action::Action, keymap::KeyScope},
        model::Model,
        records::paged_list::error_text,
        settings::view::{Canvas, View},
        ui::{
            Layer, Reaction, Scene, Target,
            act::{Act, Resolved, Unavailable},
            effect::{Effect, OnOutcome, OnPage},
            layout::Layout,
            message::{show_message, show_message_as},
            pane::PaneContext,
            state::Ui,
        },
    },
    ids::PluginId,
    plugin::{self, panel::Schema},
    port::{Command, Outcome, Page, PortError},
    time::Now,
};

/// How long an action may take to answer.
const TIMEOUT_MS: u64 = 30_000;
/// Bytes of a result that are shown.
const RESULT_BYTES_MAX: u64 = 512;

impl Layer for PluginForm {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Form
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        draw(self, canvas, scene.body, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.height = usize::from(list_area(layout.body).height).max(1);
        self.offset = self.offset.min(self.focus).max((self.focus + 1).saturating_sub(self.height));
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.focus_field(self.focus.saturating_add_signed(by));
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        let count = self.fields.len().max(1);
        let focus = |by: usize| {
            Ok(Act::layer(move |form: &mut Self, _, _| form.focus_field((form.focus + by) % count)))
        };
        Some(match action {
            Action::Send => match self.unavailable() {
                Some(why) => Err(Unavailable::quoting(why)),
                None if matches!(self.purpose, Purpose::Invoke(_)) => {
                    Ok(Act::close(|form: Self, ui, _| invoke(&form, ui)))
                }
                None => Ok(Act::layer_effects(|form: &mut Self, _, _| set(form))),
            },
            Action::Defaults if matches!(self.purpose, Purpose::Panel(_)) => {
                Ok(Act::layer(|form: &mut Self, _, _| form.clear()))
            }
            Action::Defaults => Err("an action has no defaults".into()),
            Action::AsJson => Err("this form is not shown as JSON".into()),
            Action::NextField => focus(1),
            Action::PreviousField => focus(count - 1),
            _ => return None,
        })
    }

    fn on_refused(&mut self, action: Action) {
        if let (Action::Send, Some((at, _))) = (action, self.first_fault()) {
            self.focus_field(at);
        }
    }

    fn leave(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        if matches!(self.purpose, Purpose::Invoke(_)) {
            keep(&self, ui);
        } else if !self.changed().is_empty() {
            show_message(ui, format!("changes to the panel of {} discarded", self.plugin), false, ui.at);
        }
        Vec::new()
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(KeyScope::Form, key).is_some() {
            return Reaction::Ignored;
        }
        self.cut = None;
        match key.code {
            KeyCode::Enter => self.focus_field(self.focus + 1),
            KeyCode::PageUp => self.focus_field(self.focus.saturating_sub(self.height)),
            KeyCode::PageDown => self.focus_field(self.focus + self.height),
            _ => edit(self, key),
        }
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, pasted: &str, _ui: &mut Ui, _view: &View) {
        if !self.fields.get(self.focus).is_some_and(crate::console::form::Field::takes_text) {
            return;
        }
        let over = self.editor.paste(pasted.strip_suffix(['\n', '\r']).unwrap_or(pasted));
        self.edited();
        self.cut = (over > 0).then(|| overflow_text(over, "form_field_bytes_max"));
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let area: Rect = list_area(layout.body);
        if let Some(line) = at.y.checked_sub(area.y).filter(|line| *line < area.height) {
            let index = self.offset + usize::from(line);
            if index < self.fields.len() {
                self.focus_field(index);
            }
        }
        None
    }
}

impl PluginForm {
    /// Why nothing can be sent.
    fn unavailable(&self) -> Option<String> {
        if self.waiting > 0 {
            return Some("already sent; waiting for the station".to_owned());
        }
        if self.fields.is_empty() {
            return Some("the panel is not read yet".to_owned());
        }
        let is_unchanged = matches!(self.purpose, Purpose::Panel(_)) && self.changed().is_empty();
        self.first_fault()
            .map(|(_, why)| why)
            .or_else(|| is_unchanged.then(|| "no field was changed".to_owned()))
    }
}

fn edit(form: &mut PluginForm, key: KeyEvent) {
    let Some(field) = form.fields.get(form.focus) else { return };
    let forward = key.code == KeyCode::Right;
    let has_step = matches!(&field.kind, Kind::Number(number) if number.step.is_some());
    match (&field.kind, key.code) {
        (Kind::Boolean, KeyCode::Char(' ')) => {
            form.change(|field| field.choose(usize::from(field.chosen() != Some(1))));
        }
        (Kind::Choice(_), KeyCode::Char(' ')) => form.change(|field| field.cycle(true)),
        (Kind::Boolean | Kind::Choice(_), KeyCode::Left | KeyCode::Right) => {
            form.change(|field| field.cycle(forward));
        }
        (Kind::Choice(_), KeyCode::Char(character)) => form.change(|field| field.seek(character)),
        (Kind::Boolean | Kind::Choice(_), KeyCode::Backspace | KeyCode::Delete)
            if matches!(form.purpose, Purpose::Panel(_)) =>
        {
            form.change(|field| field.write(String::new()));
        }
        (Kind::Boolean | Kind::Choice(_), _) => {}
        (Kind::Number(_), KeyCode::Left | KeyCode::Right) if has_step => {
            form.change(|field| field.step(forward));
        }
        _ => match form.editor.key(key) {
            Ok(true) => form.edited(),
            Ok(false) => {}
            Err(over) => form.cut = Some(overflow_text(over, "form_field_bytes_max")),
        },
    }
}

/// Keeps the arguments as they are written, for the next form of this plugin.
fn keep(form: &PluginForm, ui: &mut Ui) {
    let kept_max = usize::try_from(ui.limits.console.forms_kept_max).unwrap_or(usize::MAX);
    let (action, kept) = (form.action(), &mut ui.systems.plugins.args);
    kept.retain(|(plugin, known, _)| (plugin, known) != (&form.plugin, &action));
    kept.push((form.plugin.clone(), action, form.args_text()));
    let over = kept.len().saturating_sub(kept_max);
    kept.drain(..over);
}

fn invoke(form: &PluginForm, ui: &mut Ui) -> Vec<Effect> {
    keep(form, ui);
    let (plugin, action) = (form.plugin.clone(), form.action());
    let Ok(Some(args)) = form.value(1) else { return Vec::new() };
    show_message(ui, format!("{action} sent to {plugin}"), false, ui.at);
    let command = plugin::Command::Invoke {
        action: action.clone(),
        args,
        plugin: Some(plugin.clone()),
        timeout_ms: TIMEOUT_MS,
    };
    vec![Effect::command(Command::Plugin(command), Invoked { plugin, action })]
}

/// An action that was invoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invoked {
    pub(crate) plugin: PluginId,
    pub(crate) action: String,
}

impl OnOutcome for Invoked {
    /// Its result, or why there is none.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        let (words, is_error) = match outcome {
            Ok(Outcome::Plugin(plugin::Outcome::Invoked { result, .. })) => {
                let result = result.to_string();
                (format!("{}: {}", self.action, text::cut(&result, RESULT_BYTES_MAX)), false)
            }
            Ok(_) => (format!("{} done", self.action), false),
            Err(error) => (error_text(&error), true),
        };
        show_message_as(ui, words, is_error, Class::Payload, now);
        Vec::new()
    }
}

/// Sends each field that was changed.
fn set(form: &mut PluginForm) -> Vec<Effect> {
    let mut effects = Vec::new();
    for index in form.changed() {
        let (Some(key), Ok(value)) = (form.key(index).map(str::to_owned), form.value(index)) else {
            continue;
        };
        let plugin = form.plugin.clone();
        let command = plugin::Command::Set { plugin: plugin.clone(), key: key.clone(), value };
        effects.push(Effect::command(Command::Plugin(command), FieldSet { plugin, key }));
    }
    form.waiting = effects.len();
    effects
}

/// A field of a panel that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldSet {
    pub(crate) plugin: PluginId,
    pub(crate) key: String,
}

impl OnOutcome for FieldSet {
    /// The form closes when all is taken, or says at the field why not.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        let refusal = outcome.err().map(|error| error_text(&error));
        let is_it = |form: &PluginForm| form.plugin == self.plugin && form.waiting > 0;
        let Some(form) = ui.layers_mut::<PluginForm>().find(|form| is_it(form)) else {
            let words =
                refusal.as_ref().map_or_else(|| format!("{} of {} set", self.key, self.plugin), Clone::clone);
            show_message_as(ui, words, refusal.is_some(), Class::Payload, now);
            return Vec::new();
        };
        form.settle(&self.key, refusal);
        if form.waiting == 0 && form.changed().is_empty() {
            ui.remove_layer(|form: &PluginForm| form.plugin == self.plugin && form.waiting == 0);
            show_message(ui, format!("panel of {} saved", self.plugin), false, now);
        }
        Vec::new()
    }
}

/// The panel that a form is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PanelOf(pub(crate) PluginId);

impl OnPage for PanelOf {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, _now: Now) {
        let is_it = |form: &&mut PluginForm| {
            form.plugin == self.0 && matches!(form.purpose, Purpose::Panel(_)) && form.fields.is_empty()
        };
        let Some(form) = ui.layers_mut::<PluginForm>().find(is_it) else { return };
        let detail = match page {
            Ok(Page::Plugin(Some(detail))) => detail.detail,
            Ok(_) => {
                form.cut = Some(format!("{} was removed meanwhile", self.0));
                return;
            }
            Err(error) => {
                form.cut = Some(error_text(&error));
                return;
            }
        };
        match detail.panel.and_then(|panel| serde_json::from_value::<Schema>(panel).ok()) {
            Some(schema) => form.fill(schema, &detail.values),
            None => form.cut = Some(format!("{} has no panel now", self.0)),
        }
    }
}
