//! One field of a form.

use super::object;
use crate::console::draw::text;

/// What a field is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The parameter at this path.
    Param(Vec<String>),
    /// The queue, instead of the event's own.
    Queue,
    /// The viewer for whom it is done.
    User,
}

/// Whether a field must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Always.
    Always,
    /// When anything else of its group is.
    WithGroup,
    /// It may be left out.
    Optional,
}

/// One of the values that a field can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The value.
    pub(crate) json: String,
    /// As it is shown.
    pub(crate) label: String,
}

/// How a field is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// As text.
    Text,
    /// As a number that the arrows change by a step within bounds.
    Number(Number),
    /// True or false.
    Boolean,
    /// One of these.
    Choice(Vec<Choice>),
    /// As JSON on one line: lists, and whatever the schema says in another way.
    Json,
}

/// The bounds of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number {
    /// The least value.
    pub(crate) min: Option<f64>,
    /// The greatest value.
    pub(crate) max: Option<f64>,
    /// What the arrows change it by; absent where the schema gives no range.
    pub(crate) step: Option<f64>,
}

/// What a field holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Value {
    /// It is left out.
    #[default]
    Absent,
    /// As it was written, in the manner of its kind.
    Written(String),
    /// JSON that its kind has no way to write, such as a number where text belongs.
    RawJson(String),
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) target: Target,
    pub(crate) label: String,
    pub(crate) kind: Kind,
    pub(crate) need: Need,
    /// What the schema says it is.
    pub(crate) about: String,
    /// What the schema asks of it.
    pub(crate) constraint: String,
    pub(crate) value: Value,
}

impl Field {
    /// Whether what is typed goes into an editor.
    pub(crate) const fn takes_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Number(_) | Kind::Json)
    }

    /// The text to begin editing with.
    pub(crate) fn text(&self) -> &str {
        match &self.value {
            Value::Absent => "",
            Value::Written(text) | Value::RawJson(text) => text,
        }
    }

    /// Takes an edited text. One that was emptied is left out, unless it is needed and may be empty.
    pub(crate) fn write(&mut self, text: String) {
        let is_absent = text.is_empty()
            && (self.kind != Kind::Text || self.need != Need::Always || self.target == Target::User);
        self.value = if is_absent { Value::Absent } else { Value::Written(text) };
    }

    /// Takes the JSON of a value.
    pub(crate) fn load(&mut self, json: String) {
        let parsed = || serde_json::from_str::<serde_json::Value>(&json).unwrap_or_default();
        self.value = match &self.kind {
            Kind::Json => Value::Written(json),
            Kind::Text => match parsed() {
                serde_json::Value::String(text) => Value::Written(text),
                _ => Value::RawJson(json),
            },
            Kind::Number(_) if is_number(&json) => Value::Written(json),
            Kind::Boolean if matches!(json.as_str(), "true" | "false") => Value::Written(json),
            Kind::Choice(choices) => {
                let value = parsed();
                let known = choices
                    .iter()
                    .find(|choice| serde_json::from_str(&choice.json).ok().as_ref() == Some(&value));
                known.map_or_else(
                    || Value::RawJson(json.clone()),
                    |choice| Value::Written(choice.json.clone()),
                )
            }
            Kind::Number(_) | Kind::Boolean => Value::RawJson(json),
        };
    }

    /// The JSON of its value, if it has one.
    ///
    /// # Errors
    /// Why what was written is no JSON.
    pub(crate) fn json(&self) -> Result<Option<String>, String> {
        match &self.value {
            Value::Absent => Ok(None),
            Value::RawJson(json) => Ok(Some(json.clone())),
            Value::Written(text) => match &self.kind {
                Kind::Text => Ok(Some(object::string(text))),
                // What is no number is given to the schema as it stands, to say so.
                Kind::Number(_) if !is_number(text.trim()) => Ok(Some(object::string(text))),
                Kind::Number(_) | Kind::Json => match serde_json::from_str::<serde_json::Value>(text) {
                    Ok(_) => Ok(Some(text.trim().to_owned())),
                    Err(error) => Err(json_error(&error)),
                },
                Kind::Boolean | Kind::Choice(_) => Ok(Some(text.clone())),
            },
        }
    }

    /// The place of its value among the choices there are.
    pub(crate) fn chosen(&self) -> Option<usize> {
        let Value::Written(text) = &self.value else { return None };
        match &self.kind {
            Kind::Choice(choices) => choices.iter().position(|choice| choice.json == *text),
            Kind::Boolean => Some(usize::from(text == "true")),
            _ => None,
        }
    }

    /// The next choice, or the one before; past the ends it is left out, where it can be.
    pub(crate) fn cycle(&mut self, forward: bool) {
        let count = match &self.kind {
            Kind::Choice(choices) => choices.len(),
            Kind::Boolean => 2,
            _ => return,
        };
        if count == 0 {
            return;
        }
        let may_be_absent = self.need != Need::Always;
        let next = match (self.chosen(), forward) {
            (Some(at), true) if at + 1 < count => Some(at + 1),
            (Some(at), false) if at > 0 => Some(at - 1),
            (Some(_), _) if may_be_absent => None,
            (_, true) => Some(0),
            (_, false) => Some(count - 1),
        };
        match next {
            Some(at) => self.choose(at),
            None => self.value = Value::Absent,
        }
    }

    /// Takes the choice at a place.
    pub(crate) fn choose(&mut self, at: usize) {
        match &self.kind {
            Kind::Choice(choices) => {
                if let Some(choice) = choices.get(at) {
                    self.value = Value::Written(choice.json.clone());
                }
            }
            Kind::Boolean => self.value = Value::Written((at == 1).to_string()),
            _ => {}
        }
    }

    /// The next choice whose label begins with a character.
    pub(crate) fn seek(&mut self, character: char) {
        let Kind::Choice(choices) = &self.kind else { return };
        let from = self.chosen().map_or(0, |at| at + 1);
        let begins =
            |at: &usize| choices[*at].label.to_lowercase().starts_with(character.to_ascii_lowercase());
        let found = (from..choices.len()).chain(0..from).find(begins);
        if let Some(at) = found {
            self.choose(at);
        }
    }

    /// One step up or down, within the bounds.
    pub(crate) fn step(&mut self, up: bool) {
        let Kind::Number(number) = &self.kind else { return };
        let Some(step) = number.step else { return };
        let now = self.text().trim().parse::<f64>().ok().filter(|now| now.is_finite());
        let start = number.min.or(number.max).unwrap_or(0.0);
        let steps = |value: f64| value / step;
        // From between two steps the next one is taken, not the one after it.
        let moved = now.map(|now| {
            let number =
                if up { (steps(now) + 1e-9).floor() + 1.0 } else { (steps(now) - 1e-9).ceil() - 1.0 };
            number * step
        });
        let value = moved.unwrap_or(start);
        let value = value.max(number.min.unwrap_or(f64::MIN)).min(number.max.unwrap_or(f64::MAX));
        self.value = Value::Written(format!("{value:.*}", decimals(step)));
    }

    /// Its value on one line of some columns, for a field that is not being edited.
    pub(crate) fn display_text(&self) -> &str {
        match (&self.kind, &self.value) {
            (Kind::Choice(choices), Value::Written(_)) => {
                self.chosen().map_or("", |at| choices[at].label.as_str())
            }
            _ => text::cut(self.text(), 1_024),
        }
    }
}

/// Digits behind the point that a step has.
fn decimals(step: f64) -> usize {
    let digits = format!("{step}");
    digits.split_once('.').map_or(0, |(_, digits)| digits.len())
}

fn is_number(json: &str) -> bool {
    json.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok_and(|raw| raw.get() == json)
}

/// A parser's complaint about one line.
fn json_error(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or(&words);
    format!("not JSON at character {}: {words}", error.column())
}
