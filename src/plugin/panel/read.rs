//! From the params of `register_panel` to a panel (ruling Plugins 12).

use std::{collections::BTreeSet, sync::Arc};

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::{Choice, Field, FieldKind, FieldType, PathFault, Range, Schema, Section};
use crate::{limits, words};

type Object = Map<String, Value>;

/// The params; other members are ignored.
#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    schema: Option<&'a RawValue>,
}

pub(super) fn schema(params: &str, limits: &limits::Plugin) -> Result<(Schema, Vec<PathFault>), PathFault> {
    const PATH: &str = "schema";
    // A list would be read member by member.
    let params = params.trim_start();
    if !params.starts_with('{') {
        return Err(PathFault::new("params", "must be an object with a schema"));
    }
    let params: Params<'_> = serde_json::from_str(params)
        .map_err(|error| PathFault::new("params", format!("must be an object with a schema: {error}")))?;
    let text = params.schema.map_or("null", RawValue::get);
    let (bytes, bytes_max) = (text.len(), limits.panel_bytes_max);
    if bytes as u64 > bytes_max {
        return Err(PathFault::new(PATH, format!("has {bytes} bytes, at most {bytes_max} are permitted")));
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| PathFault::new(PATH, format!("cannot be read: {error}")))?;
    let members = object(&value, PATH)?;
    let lints_max = usize::try_from(limits.shown_names_max).unwrap_or(usize::MAX);
    let mut reader = Reader { lints: Vec::new(), lints_max, keys: BTreeSet::new() };
    let title = title(members)?;
    let sections = list(members, PATH, "sections", Schema::SECTIONS_MAX)?;
    let sections =
        sections.iter().enumerate().map(|(at, it)| reader.section(it, &format!("{PATH}.sections[{at}]")));
    let sections = sections.collect::<Result<_, _>>()?;
    Ok((Schema { title, sections }, reader.lints))
}

fn title(members: &Object) -> Result<Arc<str>, PathFault> {
    let most = Schema::TITLE_CHARACTERS_MAX;
    let title = members.get("title").and_then(Value::as_str);
    let title = title.filter(|it| (1..=most).contains(&it.chars().count()));
    let fault = || PathFault::new("schema.title", format!("must be a string of 1 to {most} characters"));
    title.map(Arc::from).ok_or_else(fault)
}

fn object<'a>(value: &'a Value, path: &str) -> Result<&'a Object, PathFault> {
    value.as_object().ok_or_else(|| PathFault::new(path, "must be an object"))
}

/// A list that must be there.
fn list<'a>(members: &'a Object, path: &str, name: &str, most: usize) -> Result<&'a [Value], PathFault> {
    let path = || format!("{path}.{name}");
    let items = members.get(name).and_then(Value::as_array);
    let items = items.ok_or_else(|| PathFault::new(path(), "must be a list"))?;
    if items.len() > most {
        let what = format!("has {} {name}, at most {most} are permitted", items.len());
        return Err(PathFault::new(path(), what));
    }
    Ok(items)
}

/// What was found while a schema is read.
struct Reader {
    lints: Vec<PathFault>,
    lints_max: usize,
    keys: BTreeSet<Arc<str>>,
}

impl Reader {
    fn lint(&mut self, path: &str, name: &str, what: impl Into<String>) {
        if self.lints.len() < self.lints_max {
            self.lints.push(PathFault::new(format!("{path}.{name}"), what));
        }
    }

    fn section(&mut self, value: &Value, path: &str) -> Result<Section, PathFault> {
        let members = object(value, path)?;
        let label = self.label(members, path)?;
        let description = self.text(members, path, "description");
        let fields = list(members, path, "fields", Schema::SECTION_FIELDS_MAX)?;
        let fields =
            fields.iter().enumerate().map(|(at, it)| self.field(it, &format!("{path}.fields[{at}]")));
        Ok(Section { label, description, fields: fields.collect::<Result<_, _>>()? })
    }

    fn field(&mut self, value: &Value, path: &str) -> Result<Field, PathFault> {
        let members = object(value, path)?;
        let key = self.key(members, path)?;
        let kind = self.kind(members, path)?;
        let label = self.label(members, path)?;
        let mut field = Field {
            key,
            label,
            description: self.text(members, path, "description"),
            default: None,
            placeholder: self.text(members, path, "placeholder"),
            unit: self.text(members, path, "unit"),
            kind,
        };
        if let Some(default) = present(members, "default") {
            match field.check(default) {
                Ok(()) => field.default = Some(default.clone()),
                Err(what) => self.lint(path, "default", what),
            }
        }
        Ok(field)
    }

    fn key(&mut self, members: &Object, path: &str) -> Result<Arc<str>, PathFault> {
        let most = Schema::KEY_CHARACTERS_MAX;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let key = members.get("key").and_then(Value::as_str);
        let key = key.filter(|it| (1..=most).contains(&it.len()) && it.bytes().all(is_plain));
        let fault = |what: String| PathFault::new(format!("{path}.key"), what);
        let needs = || fault(format!("must be 1 to {most} characters of A-Z a-z 0-9 _ . -"));
        let key: Arc<str> = Arc::from(key.ok_or_else(needs)?);
        if !self.keys.insert(Arc::clone(&key)) {
            return Err(fault(format!("is `{key}`, which another field has")));
        }
        Ok(key)
    }

    fn label(&mut self, members: &Object, path: &str) -> Result<Arc<str>, PathFault> {
        let fault = || PathFault::new(format!("{path}.label"), "must be a string");
        let label = members.get("label").and_then(Value::as_str).ok_or_else(fault)?;
        if label.trim().is_empty() {
            self.lint(path, "label", "is empty");
        }
        Ok(Arc::from(label))
    }

    fn kind(&mut self, members: &Object, path: &str) -> Result<FieldKind, PathFault> {
        let Some(kind) = members.get("type").and_then(Value::as_str).and_then(FieldType::from_name) else {
            let known = FieldType::ALL.map(FieldType::name).join(", ");
            return Err(PathFault::new(format!("{path}.type"), format!("must be one of {known}")));
        };
        Ok(match kind {
            FieldType::Toggle => FieldKind::Toggle,
            FieldType::Number => FieldKind::Number(self.range(members, path)),
            FieldType::Select => FieldKind::Select(self.options(members, path)?),
            FieldType::Text => FieldKind::Text,
            FieldType::StringList => FieldKind::StringList,
            FieldType::ChannelList => FieldKind::ChannelList,
            FieldType::Slider => {
                let range = self.range(members, path);
                for name in ["min", "max"].into_iter().filter(|name| present(members, name).is_none()) {
                    self.lint(path, name, "is missing: a slider needs both ends");
                }
                FieldKind::Slider {
                    range,
                    display_divisor: self.above_zero(members, path, "display_divisor"),
                }
            }
            FieldType::Folder => FieldKind::Folder,
        })
    }

    /// The numbers of a field; what makes no range is left out.
    fn range(&mut self, members: &Object, path: &str) -> Range {
        let (min, max) = (self.number(members, path, "min"), self.number(members, path, "max"));
        let step = self.above_zero(members, path, "step");
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            self.lint(path, "min", format!("is {min}, above max {max}"));
            return Range { min: None, max: None, step };
        }
        Range { min, max, step }
    }

    fn number(&mut self, members: &Object, path: &str, name: &str) -> Option<f64> {
        let value = present(members, name)?;
        let number = value.as_f64();
        if number.is_none() {
            self.lint(path, name, "must be a number");
        }
        number
    }

    fn above_zero(&mut self, members: &Object, path: &str, name: &str) -> Option<f64> {
        let number = self.number(members, path, name)?;
        if number <= 0.0 {
            self.lint(path, name, "must be above 0");
        }
        Some(number).filter(|it| *it > 0.0)
    }

    fn text(&mut self, members: &Object, path: &str, name: &str) -> Option<Arc<str>> {
        let value = present(members, name)?;
        let text = value.as_str();
        if text.is_none() {
            self.lint(path, name, "must be a string");
        }
        text.map(Arc::from)
    }

    /// The options of a select; those that are none are left out, and one at least must remain.
    fn options(&mut self, members: &Object, path: &str) -> Result<Vec<Choice>, PathFault> {
        let items = members.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (mut choices, mut seen) = (Vec::with_capacity(items.len()), BTreeSet::new());
        for (at, item) in items.iter().enumerate() {
            let name = format!("options[{at}]");
            let value = item.get("value").filter(|it| it.is_string() || it.is_number() || it.is_boolean());
            let Some(value) = value else {
                self.lint(path, &name, "must have a value that is a string, a number or a boolean");
                continue;
            };
            if !seen.insert(value.to_string()) {
                let shown = value.to_string();
                self.lint(path, &name, format!("repeats the value {}", words::cut_marked(&shown, 64)));
                continue;
            }
            let label = item.get("label").and_then(Value::as_str);
            if label.is_none() {
                self.lint(path, &name, "must have a label");
            }
            let label = label.map_or_else(|| super::text::plain(value), str::to_owned);
            choices.push(Choice { value: value.clone(), label: Arc::from(label) });
        }
        if choices.is_empty() {
            return Err(PathFault::new(
                format!("{path}.options"),
                "must be a list of options {value, label}",
            ));
        }
        Ok(choices)
    }
}

/// A member that is there; null is as good as absent.
fn present<'a>(members: &'a Object, name: &str) -> Option<&'a Value> {
    members.get(name).filter(|value| !value.is_null())
}
