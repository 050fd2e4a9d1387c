//! The values of a panel's fields as people write and read them.

use serde_json::{Number, Value, json};

use super::{Choice, Field, FieldKind, value::CHANNEL_MEMBERS};

impl Field {
    /// The value that a text of a command line means. JSON of the field's type is that value; besides,
    /// - a toggle reads `on`, `off`, `yes` and `no`;
    /// - a text, a folder and a select read the bare text, without quotes;
    /// - a string list reads texts between commas, without the blanks around them (`a, b`);
    /// - a channel list reads logins between commas, of which it makes channels with that login as their id.
    ///
    /// # Errors
    /// What the field needs, as [`check`](Self::check) says it.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let written = serde_json::from_str::<Value>(text).ok();
        if let Some(value) = written.as_ref().filter(|value| self.check(value).is_ok()) {
            return Ok(value.clone());
        }
        let bare = || Value::from(text);
        let value = match &self.kind {
            FieldKind::Toggle => match text.trim().to_ascii_lowercase().as_str() {
                "on" | "yes" | "true" => Value::from(true),
                "off" | "no" | "false" => Value::from(false),
                _ => bare(),
            },
            FieldKind::Number(_) | FieldKind::Slider { .. } => {
                text.trim().parse().ok().and_then(Number::from_f64).map_or_else(bare, Value::Number)
            }
            FieldKind::Select(choices) => chosen(choices, text).cloned().unwrap_or_else(bare),
            FieldKind::Text | FieldKind::Folder => bare(),
            // A list that is begun as JSON is not read as another one.
            FieldKind::StringList | FieldKind::ChannelList if text.trim_start().starts_with(['[', '{']) => {
                written.unwrap_or_else(bare)
            }
            FieldKind::StringList => parts(text).map(Value::from).collect(),
            FieldKind::ChannelList => parts(text).map(channel).collect(),
        };
        self.check(&value).map(|()| value)
    }

    /// A value as a person reads it: a slider's divided as its field says, with the unit; a select's by its
    /// label; a list's items between commas. Foreign text in it is as it came.
    #[must_use]
    pub fn shown(&self, value: &Value) -> String {
        let unit = self.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
        match (&self.kind, value) {
            (FieldKind::Toggle, Value::Bool(is_on)) => if *is_on { "on" } else { "off" }.to_owned(),
            (FieldKind::Slider { display_divisor: Some(divisor), .. }, Value::Number(number)) => {
                let number = number.as_f64().unwrap_or_default() / divisor;
                let digits = format!("{number:.6}");
                format!("{}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            (FieldKind::Select(choices), value) => choices
                .iter()
                .find(|choice| choice.value == *value)
                .map_or_else(|| plain(value), |choice| choice.label.to_string()),
            (FieldKind::StringList | FieldKind::ChannelList, Value::Array(items)) => {
                let [_, login, name] = CHANNEL_MEMBERS;
                let named = |item: &Value| {
                    let names =
                        [name, login].map(|it| item.get(it).and_then(Value::as_str).unwrap_or_default());
                    names.into_iter().find(|it| !it.is_empty()).map_or_else(|| plain(item), str::to_owned)
                };
                items.iter().map(named).collect::<Vec<_>>().join(", ")
            }
            (_, value) => format!("{}{unit}", plain(value)),
        }
    }
}

/// A value without the quotes of a string.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The value of the option that a bare text means.
fn chosen<'a>(choices: &'a [Choice], text: &str) -> Option<&'a Value> {
    choices.iter().map(|choice| &choice.value).find(|value| plain(value) == text)
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The channel of a login (ruling Plugins 9: an unknown `channel_id` is the login). What cannot be a login
/// stays a text, which the field refuses.
fn channel(name: &str) -> Value {
    if !name.chars().all(|it| it.is_alphanumeric() || it == '_') {
        return Value::from(name);
    }
    let login = name.to_lowercase();
    let [id_key, login_key, name_key] = CHANNEL_MEMBERS;
    json!({ id_key: login, login_key: login, name_key: name })
}
