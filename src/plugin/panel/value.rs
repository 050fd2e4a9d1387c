//! The values of a panel's fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Choice, Field, FieldKind, Range, Schema, text};

/// The bytes of all texts of one value; a longer one is refused, so that the values of a panel fit into a
/// frame.
const VALUE_BYTES_MAX: usize = 65_536;

/// The members of an item of a channel list.
pub(super) const CHANNEL_MEMBERS: [&str; 3] = ["channel_id", "channel_login", "display_name"];

impl Schema {
    /// The values that `get_panel_values` and `on_panel_change` carry: each field's stored value if it is one
    /// of the field, else its default, else none (ruling Plugins 12). What is stored for other keys is left
    /// out.
    #[must_use]
    pub fn values(&self, stored: &BTreeMap<String, Value>) -> Map<String, Value> {
        let values = self.fields().filter_map(|field| {
            let value = field.value(stored.get(&*field.key))?;
            Some((field.key.to_string(), value.clone()))
        });
        values.collect()
    }
}

impl Field {
    /// What it has: the stored value if it is one of the field, else its default.
    #[must_use]
    pub fn value<'a>(&'a self, stored: Option<&'a Value>) -> Option<&'a Value> {
        stored.filter(|value| self.check(value).is_ok()).or(self.default.as_ref())
    }

    /// Whether it takes a value. A number need not lie on a step.
    ///
    /// # Errors
    /// What it needs, in a phrase.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match (&self.kind, value) {
            (FieldKind::Toggle, Value::Bool(_)) | (FieldKind::Text | FieldKind::Folder, Value::String(_)) => {
            }
            (FieldKind::Toggle, _) => return Err("must be true or false".to_owned()),
            (FieldKind::Number(range) | FieldKind::Slider { range, .. }, value) => range.check(value)?,
            (FieldKind::Select(choices), value) => one_of(choices, value)?,
            (FieldKind::Text | FieldKind::Folder, _) => return Err("must be a string".to_owned()),
            (FieldKind::StringList, Value::Array(items)) if items.iter().all(Value::is_string) => {}
            (FieldKind::StringList, _) => return Err("must be a list of strings".to_owned()),
            (FieldKind::ChannelList, Value::Array(items)) if items.iter().all(is_channel) => {}
            (FieldKind::ChannelList, _) => {
                let members = CHANNEL_MEMBERS.join(", ");
                return Err(format!("must be a list of channels, each with the strings {members}"));
            }
        }
        if text_bytes(value) > VALUE_BYTES_MAX {
            return Err(format!("must be at most {VALUE_BYTES_MAX} bytes"));
        }
        Ok(())
    }
}

impl Range {
    fn check(&self, value: &Value) -> Result<(), String> {
        let Some(number) = value.as_f64() else { return Err("must be a number".to_owned()) };
        match (self.min, self.max) {
            (Some(min), _) if number < min => Err(format!("must be at least {min}")),
            (_, Some(max)) if number > max => Err(format!("must be at most {max}")),
            _ => Ok(()),
        }
    }
}

fn one_of(choices: &[Choice], value: &Value) -> Result<(), String> {
    /// More are not listed.
    const LISTED_MAX: usize = 8;
    if choices.iter().any(|choice| same(&choice.value, value)) {
        return Ok(());
    }
    let listed: Vec<_> = choices.iter().take(LISTED_MAX).map(|choice| text::plain(&choice.value)).collect();
    let more = if choices.len() > LISTED_MAX { ", …" } else { "" };
    Err(format!("must be one of {}{more}", listed.join(", ")))
}

/// Numbers are the same however they are written.
fn same(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|it| Some(it) == other.as_f64())
}

fn is_channel(item: &Value) -> bool {
    CHANNEL_MEMBERS.iter().all(|name| item.get(name).is_some_and(Value::is_string))
}

fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| 1 + text_bytes(item)).sum(),
        Value::Object(members) => members.iter().map(|(name, item)| name.len() + 1 + text_bytes(item)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}
