//! The params of an opening's text as fields: those that it declares, with the types of their values, those
//! that it uses without, and one row for another, `name = value`.

use serde_json::Value as Json;

use crate::{
    console::form::{Editor, Field, Kind, Need, Number, Target, Value},
    limits::Limits,
    runs::openings::{Map, declared_params},
};

/// The params of a text.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    /// Those that have a name. Behind them stands the row for another.
    pub(crate) fields: Vec<Field>,
    /// Their values as the text has them; those that it only uses are not there.
    declared: Map,
    /// The text in the row for another.
    new_param: String,
    pub(crate) focus: usize,
    /// The editor of the focused row.
    pub(crate) editor: Editor,
    bytes_max: usize,
}

/// A value as it is written by hand: JSON, or else a text.
fn parse_typed(text: &str) -> Json {
    serde_json::from_str(text.trim()).unwrap_or_else(|_| Json::String(text.to_owned()))
}

fn field(name: &str, value: Option<&Json>) -> Field {
    let (kind, about) = match value {
        Some(Json::Bool(_)) => (Kind::Boolean, "true or false"),
        Some(Json::Number(number)) if number.is_f64() => (Kind::Number(Number::default()), "a number"),
        Some(Json::Number(_)) => {
            (Kind::Number(Number { step: Some(1.0), ..Number::default() }), "a whole number")
        }
        Some(Json::String(_)) => (Kind::Text, "a text"),
        Some(Json::Array(_)) => (Kind::Json, "a list, as JSON"),
        Some(Json::Object(_)) => (Kind::Json, "a map, as JSON"),
        Some(Json::Null) => (Kind::Json, "anything, as JSON"),
        None => (Kind::Text, "used but not declared: JSON or text"),
    };
    let mut field = Field {
        target: Target::Param(vec![name.to_owned()]),
        label: name.to_owned(),
        kind,
        need: if value.is_some() { Need::Always } else { Need::Optional },
        about: about.to_owned(),
        constraint: value.map_or_else(String::new, |value| format!("the text has {value}")),
        value: Value::Absent,
    };
    if let Some(value) = value {
        field.load(value.to_string());
    }
    field
}

impl Params {
    /// The params of a text; `missing` are those that it uses and does not declare.
    ///
    /// # Errors
    /// Why it has none that can be read, for a person.
    pub(crate) fn of(text: &str, missing: &[String], limits: &Limits) -> Result<Self, String> {
        let declared = declared_params(text, &limits.runs).map_err(|faults| {
            faults.list().first().map_or_else(|| "the text cannot be read".to_owned(), ToString::to_string)
        })?;
        let mut fields: Vec<Field> = declared.iter().map(|(name, value)| field(name, Some(value))).collect();
        let declared: Map = declared.into_iter().collect();
        fields.extend(
            missing.iter().filter(|name| !declared.contains_key(*name)).map(|name| field(name, None)),
        );
        let bytes_max = usize::try_from(limits.console.form_field_bytes_max).unwrap_or(usize::MAX);
        let mut params = Self {
            fields,
            declared,
            new_param: String::new(),
            focus: 0,
            editor: Editor::of("", bytes_max),
            bytes_max,
        };
        params.focus_row(0);
        Ok(params)
    }

    /// Rows, the one for another included.
    pub(crate) fn rows(&self) -> usize {
        self.fields.len() + 1
    }

    /// The focused field; nothing on the row for another.
    pub(crate) fn focused(&self) -> Option<&Field> {
        self.fields.get(self.focus)
    }

    /// Moves the focus to a row.
    pub(crate) fn focus_row(&mut self, row: usize) {
        self.focus = row.min(self.fields.len());
        let text = self.focused().map_or(self.new_param.as_str(), Field::text);
        self.editor = Editor::of(text, self.bytes_max);
    }

    /// Moves by some rows, and from the last to the first.
    pub(crate) fn step(&mut self, by: isize) {
        let rows = isize::try_from(self.rows()).unwrap_or(1);
        let at = isize::try_from(self.focus).unwrap_or(0);
        self.focus_row(usize::try_from((at + by).rem_euclid(rows)).unwrap_or(0));
    }

    /// What was typed goes into its row.
    pub(crate) fn edited(&mut self) {
        let text = self.editor.text();
        match self.fields.get_mut(self.focus) {
            Some(field) => field.write(text),
            None => self.new_param = text,
        }
    }

    /// Changes the focused field in a way that is not typing.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Field)) {
        if let Some(field) = self.fields.get_mut(self.focus) {
            change(field);
            self.focus_row(self.focus);
        }
    }

    /// Makes a field of what is written in the row for another; whether it was one.
    pub(crate) fn add(&mut self) -> bool {
        let Some((name, value)) = self.new_param_pair() else { return false };
        let mut made = field(&name, None);
        made.write(value);
        match self.fields.iter_mut().find(|field| field.label == name) {
            Some(known) => known.value = made.value,
            None => self.fields.push(made),
        }
        self.new_param.clear();
        self.focus_row(self.fields.len());
        true
    }

    fn new_param_pair(&self) -> Option<(String, String)> {
        let (name, value) = self.new_param.split_once('=')?;
        let name = name.trim();
        (!name.is_empty()).then(|| (name.to_owned(), value.trim().to_owned()))
    }

    /// Why a row cannot be taken as it is.
    pub(crate) fn fault(&self, row: usize) -> Option<String> {
        match self.fields.get(row) {
            Some(field) => match (&field.kind, &field.value) {
                (Kind::Number(_), Value::Written(text))
                    if serde_json::from_str::<serde_json::Number>(text.trim()).is_err() =>
                {
                    Some("it is not a number".to_owned())
                }
                _ => field.json().err().map(|why| format!("it is {why}")),
            },
            None if self.new_param.trim().is_empty() || self.new_param_pair().is_some() => None,
            None => Some("write it as `name = value`".to_owned()),
        }
    }

    /// What differs from the text, of the rows that can be taken.
    pub(crate) fn overrides(&self) -> Map {
        let mut overrides = Map::new();
        for (row, field) in self.fields.iter().enumerate().filter(|(row, _)| self.fault(*row).is_none()) {
            let declared = self.declared.get(&field.label);
            let value = match (&field.value, declared) {
                (Value::Absent, _) => continue,
                (Value::Written(text) | Value::RawJson(text), None) => parse_typed(text),
                _ => match self.fields[row]
                    .json()
                    .ok()
                    .flatten()
                    .and_then(|json| serde_json::from_str(&json).ok())
                {
                    Some(value) => value,
                    None => continue,
                },
            };
            if declared != Some(&value) {
                overrides.insert(field.label.clone(), value);
            }
        }
        if let Some((name, value)) = self.new_param_pair() {
            overrides.insert(name, parse_typed(&value));
        }
        overrides
    }

    /// The first row that cannot be taken: its name, and why.
    pub(crate) fn first_fault(&self) -> Option<(usize, String)> {
        (0..self.rows()).find_map(|row| {
            let name = self.fields.get(row).map_or("another", |field| field.label.as_str());
            self.fault(row).map(|why| (row, format!("{name}: {why}")))
        })
    }

    /// The text in a row.
    pub(crate) fn display_text(&self, row: usize) -> &str {
        self.fields.get(row).map_or(self.new_param.as_str(), Field::display_text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "version: 0\nname: poll\nparams: {user: bob, count: 3, loud: true, of: [1, 2]}\nnodes: []\nedges: []\n";

    fn params() -> Params {
        Params::of(TEXT, &["game".to_owned()], &Limits::default()).unwrap()
    }

    fn write(params: &mut Params, name: &str, text: &str) {
        let row = params.fields.iter().position(|field| field.label == name).unwrap_or(params.fields.len());
        params.focus_row(row);
        params.editor = Editor::of(text, 1_000);
        params.edited();
    }

    #[test]
    fn fields_have_the_types_of_the_values_and_nothing_that_was_left_alone_is_set() {
        let mut params = params();
        let kinds: Vec<_> = params
            .fields
            .iter()
            .map(|field| (field.label.as_str(), std::mem::discriminant(&field.kind)))
            .collect();
        let kind = |kind: &Kind| std::mem::discriminant(kind);
        let number = Kind::Number(Number::default());
        let wanted = [
            ("user", &Kind::Text),
            ("count", &number),
            ("loud", &Kind::Boolean),
            ("of", &Kind::Json),
            ("game", &Kind::Text),
        ];
        assert_eq!(kinds, wanted.map(|(name, it)| (name, kind(it))));
        assert!(params.overrides().is_empty());
        params.focus_row(2);
        params.change(|field| field.choose(0));
        write(&mut params, "count", "4");
        write(&mut params, "user", "7");
        assert_eq!(
            Json::Object(params.overrides()),
            serde_json::json!({"loud": false, "count": 4, "user": "7"}),
            "a text stays one"
        );
    }

    #[test]
    fn what_is_used_without_being_declared_and_what_is_written_as_another_is_json_or_else_a_text() {
        let mut params = params();
        write(&mut params, "game", "chess");
        write(&mut params, "another", "rounds = 5");
        assert_eq!(Json::Object(params.overrides()), serde_json::json!({"game": "chess", "rounds": 5}));
        assert!(params.add() && params.fields.last().unwrap().label == "rounds");
        assert_eq!(Json::Object(params.overrides()), serde_json::json!({"game": "chess", "rounds": 5}));
    }

    #[test]
    fn a_row_that_cannot_be_taken_says_why_and_the_others_are_taken() {
        let mut params = params();
        write(&mut params, "count", "many");
        write(&mut params, "of", "[1, ");
        write(&mut params, "user", "ann");
        assert_eq!(params.first_fault(), Some((1, "count: it is not a number".to_owned())));
        assert!(params.fault(3).unwrap().contains("not JSON"));
        assert_eq!(Json::Object(params.overrides()), serde_json::json!({"user": "ann"}));
        write(&mut params, "another", "nonsense");
        assert!(params.fault(5).unwrap().contains("name = value"));
    }

    #[test]
    fn a_text_that_cannot_be_read_says_where() {
        let why = Params::of("params: [1\n", &[], &Limits::default()).unwrap_err();
        assert!(why.starts_with(|first: char| first.is_ascii_digit()), "{why}");
    }
}
