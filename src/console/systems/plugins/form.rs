//! A form of a plugin: an action with its arguments, or its panel. Its fields, and what each of them takes.

use serde_json::{Value as Json, json};

use crate::{
    console::form::{Choice, Editor, Field, Kind, Need, Number, Target, Value},
    ids::PluginId,
    plugin::panel::{self, FieldKind, Range},
};

/// The fields of an invocation.
const ACTION: usize = 0;
const ARGS: usize = 1;

/// What a form is for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// Invoking an action; the arguments that were given to each last.
    Invoke(Vec<(String, String)>),
    /// The panel, with its fields and what was refused of each; nothing until it was read.
    Panel(Vec<(panel::Field, Option<String>)>),
}

/// A form of a plugin.
#[derive(Clone, Debug)]
pub(crate) struct PluginForm {
    pub(crate) plugin: PluginId,
    pub(crate) title: String,
    pub(crate) purpose: Purpose,
    pub(crate) fields: Vec<Field>,
    /// What each field held when the form was opened, or when it was taken.
    pub(super) stored: Vec<Value>,
    pub(crate) focus: usize,
    /// The editor of the focused field.
    pub(crate) editor: Editor,
    /// Whether the focused field was typed in, so that it is seen on air too.
    pub(super) is_typed: bool,
    /// What could not be taken of what was typed or pasted, or why there are no fields.
    pub(crate) cut: Option<String>,
    /// Commands that wait for their outcomes.
    pub(super) waiting: usize,
    pub(super) offset: usize,
    pub(super) height: usize,
    bytes_max: usize,
}

fn field(label: &str, kind: Kind, need: Need) -> Field {
    Field {
        target: Target::Param(vec![label.to_owned()]),
        label: label.to_owned(),
        kind,
        need,
        about: String::new(),
        constraint: String::new(),
        value: Value::Absent,
    }
}

impl PluginForm {
    fn of(plugin: PluginId, title: String, purpose: Purpose, bytes_max: u64) -> Self {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        Self {
            plugin,
            title,
            purpose,
            fields: Vec::new(),
            stored: Vec::new(),
            focus: 0,
            editor: Editor::of("", bytes_max),
            is_typed: false,
            cut: None,
            waiting: 0,
            offset: 0,
            height: 1,
            bytes_max,
        }
    }

    /// A form for one of these actions, with the arguments that were given last; the action that was invoked
    /// last comes last among `kept`.
    pub(crate) fn invoke(
        plugin: PluginId,
        actions: &[std::sync::Arc<str>],
        kept: Vec<(String, String)>,
        bytes_max: u64,
    ) -> Self {
        let choice = |name: &std::sync::Arc<str>| Choice {
            json: Json::from(&**name).to_string(),
            label: name.to_string(),
        };
        let last = kept.iter().rev().find_map(|(name, _)| actions.iter().position(|it| **it == **name));
        let mut action = field("action", Kind::Choice(actions.iter().map(choice).collect()), Need::Always);
        action.choose(last.unwrap_or(0));
        "one of the actions that it declares".clone_into(&mut action.constraint);
        let mut args = field("args", Kind::Json, Need::Optional);
        "its arguments; {} where nothing is written".clone_into(&mut args.about);
        "a JSON object".clone_into(&mut args.constraint);
        let title = format!("Invoke an action of {plugin}");
        let mut form = Self::of(plugin, title, Purpose::Invoke(kept), bytes_max);
        form.fields = vec![action, args];
        form.stored = vec![Value::Absent; 2];
        form.recall();
        form.begin();
        form
    }

    /// A form for its panel, which is still to be read.
    pub(crate) fn panel(plugin: PluginId, bytes_max: u64) -> Self {
        let title = format!("Panel of {plugin}");
        Self::of(plugin, title, Purpose::Panel(Vec::new()), bytes_max)
    }

    /// Takes the panel with its values.
    pub(crate) fn fill(&mut self, schema: panel::Schema, values: &Json) {
        self.title = format!("{}: {}", self.title, schema.title);
        let mut known = Vec::new();
        for section in schema.sections {
            for of_panel in section.fields {
                let mut shown = shape(&section.label, &of_panel);
                if let Some(value) = values.get(&*of_panel.key) {
                    load(&mut shown, &of_panel, value);
                }
                self.stored.push(shown.value.clone());
                self.fields.push(shown);
                known.push((of_panel, None));
            }
        }
        self.purpose = Purpose::Panel(known);
        self.begin();
    }

    /// Writes the arguments that the chosen action was given last.
    fn recall(&mut self) {
        let Purpose::Invoke(kept) = &self.purpose else { return };
        let action = self.action();
        let args = kept.iter().rev().find(|(name, _)| *name == action).map(|(_, args)| args.clone());
        if let Some(field) = self.fields.get_mut(ARGS) {
            field.value = args.map_or(Value::Absent, Value::Written);
        }
    }

    /// The chosen action.
    pub(crate) fn action(&self) -> String {
        self.fields.get(ACTION).map(|field| field.display_text().to_owned()).unwrap_or_default()
    }

    /// The arguments as they are written.
    pub(crate) fn args_text(&self) -> String {
        self.fields.get(ARGS).map(|field| field.text().to_owned()).unwrap_or_default()
    }

    /// What a field is set to; nothing for the default.
    ///
    /// # Errors
    /// What the field needs.
    pub(crate) fn value(&self, index: usize) -> Result<Option<Json>, String> {
        let Some(field) = self.fields.get(index) else { return Ok(None) };
        let Purpose::Panel(known) = &self.purpose else {
            let written: Option<Json> =
                field.json()?.map(|json| serde_json::from_str(&json).unwrap_or_default());
            return match written {
                Some(written) if index == ARGS && !written.is_object() => {
                    Err("must be a JSON object".to_owned())
                }
                None if index == ARGS => Ok(Some(json!({}))),
                written => Ok(written),
            };
        };
        let Some((of_panel, _)) = known.get(index) else { return Ok(None) };
        let value = match (&field.value, &of_panel.kind) {
            (Value::Absent, _) => return Ok(None),
            (Value::Written(text), FieldKind::Text | FieldKind::Folder) => Json::from(text.as_str()),
            (Value::Written(text), FieldKind::Toggle | FieldKind::Select(_)) | (Value::RawJson(text), _) => {
                serde_json::from_str(text).unwrap_or_default()
            }
            (Value::Written(text), _) => of_panel.read(text)?,
        };
        of_panel.check(&value).map(|()| Some(value))
    }

    /// What is wrong with a field, or why it was refused.
    pub(crate) fn fault(&self, index: usize) -> Option<String> {
        let refused = match &self.purpose {
            Purpose::Panel(known) => known.get(index).and_then(|(_, why)| why.clone()),
            Purpose::Invoke(_) => None,
        };
        self.value(index).err().or(refused)
    }

    /// The first field that cannot be taken as it is written, and why.
    pub(crate) fn first_fault(&self) -> Option<(usize, String)> {
        (0..self.fields.len()).find_map(|index| {
            let why = self.value(index).err()?;
            Some((index, format!("{}: {why}", self.fields[index].label)))
        })
    }

    /// The fields that hold something else than they did.
    pub(crate) fn changed(&self) -> Vec<usize> {
        let is_changed = |index: &usize| self.stored.get(*index) != Some(&self.fields[*index].value);
        (0..self.fields.len()).filter(is_changed).collect()
    }

    /// The key of a panel's field.
    pub(crate) fn key(&self, index: usize) -> Option<&str> {
        let Purpose::Panel(known) = &self.purpose else { return None };
        known.get(index).map(|(field, _)| &*field.key)
    }

    /// What became of a field that was set: it is taken, or why not.
    pub(crate) fn settle(&mut self, key: &str, refusal: Option<String>) {
        self.waiting = self.waiting.saturating_sub(1);
        let Purpose::Panel(known) = &mut self.purpose else { return };
        let Some(index) = known.iter().position(|(field, _)| &*field.key == key) else { return };
        if refusal.is_none()
            && let (Some(stored), Some(field)) = (self.stored.get_mut(index), self.fields.get(index))
        {
            stored.clone_from(&field.value);
        }
        known[index].1 = refusal;
    }

    /// Moves the focus to a field.
    pub(crate) fn focus_field(&mut self, index: usize) {
        self.focus = index.min(self.fields.len().saturating_sub(1));
        (self.cut, self.is_typed) = (None, false);
        self.begin();
    }

    fn begin(&mut self) {
        if let Some(field) = self.fields.get(self.focus).filter(|field| field.takes_text()) {
            self.editor = Editor::of(field.text(), self.bytes_max);
        }
    }

    /// What was typed goes into its field.
    pub(crate) fn edited(&mut self) {
        let text = self.editor.text();
        self.write(|field| field.write(text));
    }

    /// Changes the focused field in a way that is not typing.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Field)) {
        self.write(change);
        if matches!(self.purpose, Purpose::Invoke(_)) && self.focus == ACTION {
            self.recall();
        }
        self.begin();
    }

    fn write(&mut self, change: impl FnOnce(&mut Field)) {
        self.is_typed = true;
        if let Some(field) = self.fields.get_mut(self.focus) {
            change(field);
        }
        if let Purpose::Panel(known) = &mut self.purpose
            && let Some((_, refusal)) = known.get_mut(self.focus)
        {
            *refusal = None;
        }
    }

    /// Leaves all fields out, so that their defaults hold.
    pub(crate) fn clear(&mut self) {
        for field in &mut self.fields {
            field.value = Value::Absent;
        }
        self.begin();
    }
}

/// A field of a panel as one of a form.
fn shape(section: &str, of_panel: &panel::Field) -> Field {
    let number = |range: &Range| Kind::Number(Number { min: range.min, max: range.max, step: range.step });
    let kind = match &of_panel.kind {
        FieldKind::Toggle => Kind::Boolean,
        FieldKind::Number(range) => number(range),
        FieldKind::Slider { range, .. } => number(&Range { step: range.step.or(Some(1.0)), ..*range }),
        FieldKind::Select(choices) => Kind::Choice(
            choices
                .iter()
                .map(|choice| Choice { json: choice.value.to_string(), label: choice.label.to_string() })
                .collect(),
        ),
        _ => Kind::Text,
    };
    let mut shown = field(&of_panel.label, kind, Need::Optional);
    let description = of_panel.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    shown.about = format!("{section}{description}");
    shown.constraint = constraint(of_panel);
    shown
}

fn constraint(of_panel: &panel::Field) -> String {
    let bounds = |range: &Range| match (range.min, range.max) {
        (Some(min), Some(max)) => format!("a number from {min} to {max}"),
        (Some(min), None) => format!("a number from {min} on"),
        (None, Some(max)) => format!("a number up to {max}"),
        (None, None) => "a number".to_owned(),
    };
    let what = match &of_panel.kind {
        FieldKind::Toggle => "on or off".to_owned(),
        FieldKind::Number(range) | FieldKind::Slider { range, .. } => bounds(range),
        FieldKind::Select(_) => "one of its options".to_owned(),
        FieldKind::Text => "text".to_owned(),
        FieldKind::StringList => "texts, separated by commas".to_owned(),
        FieldKind::ChannelList => "logins, separated by commas".to_owned(),
        FieldKind::Folder => "a folder".to_owned(),
    };
    let unit = of_panel.unit.as_deref().map(|unit| format!(", in {unit}")).unwrap_or_default();
    let default = of_panel.default.as_ref().map(|default| of_panel.shown(default));
    let default = default.map(|default| format!("; default: {default}")).unwrap_or_default();
    format!("{what}{unit}{default}")
}

/// Takes a value of a panel. What a line of text cannot say is kept as JSON.
fn load(shown: &mut Field, of_panel: &panel::Field, value: &Json) {
    let member = match of_panel.kind {
        FieldKind::StringList => None,
        FieldKind::ChannelList => Some("channel_login"),
        _ => return shown.load(value.to_string()),
    };
    let text = |item: &Json| {
        let text = member.map_or(Some(item), |member| item.get(member))?.as_str()?;
        (!text.contains(',') && !text.is_empty() && text.trim() == text).then(|| text.to_owned())
    };
    let items: Option<Vec<String>> = value.as_array().and_then(|items| items.iter().map(text).collect());
    let joined = items.map(|items| items.join(", "));
    let same = joined.filter(|joined| of_panel.read(joined).is_ok());
    shown.value = match same {
        Some(text) => Value::Written(text),
        None => Value::RawJson(value.to_string()),
    };
}
