//! The fields of a schema. What it says in a way that has no field is written as JSON; the schema itself
//! judges everything.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Map, Value as Json};

use super::field::{Choice, Field, Kind, Need, Number, Target, Value};

/// How deep objects are taken apart.
const DEPTH_MAX: usize = 4;
/// References that are followed from one place.
const REFERENCES_MAX: usize = 8;

/// The fields of a schema, and the objects that they lie in.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) fields: Vec<Field>,
    /// Paths of the objects that have fields.
    pub(super) groups: BTreeSet<Vec<String>>,
    /// Those of them that must be there.
    pub(super) needed_groups: Vec<Vec<String>>,
    /// Properties beyond the bound, which are only reached as JSON.
    pub(super) cut: usize,
}

/// Takes a schema apart, into at most so many fields.
pub(super) fn of(schema: &Json, fields_max: usize) -> Shape {
    let mut shape = Shape::default();
    let mut walk = Walk { root: schema, fields_max, shape: &mut shape };
    if let Some(schema) = resolve(schema, schema).as_object() {
        walk.properties(schema, &mut Vec::new(), Need::Always);
    }
    shape
}

struct Walk<'a> {
    root: &'a Json,
    fields_max: usize,
    shape: &'a mut Shape,
}

impl Walk<'_> {
    /// The properties of an object: those that it needs first.
    fn properties(&mut self, object: &Map<String, Json>, path: &mut Vec<String>, group: Need) {
        let Some(properties) = object.get("properties").and_then(Json::as_object) else { return };
        let required: BTreeSet<&str> = object
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let (needed, others): (Vec<_>, Vec<_>) =
            properties.iter().partition(|(name, _)| required.contains(name.as_str()));
        for (name, schema) in needed.into_iter().chain(others) {
            let need = match (required.contains(name.as_str()), group) {
                (true, Need::Always) => Need::Always,
                (true, _) => Need::WithGroup,
                (false, _) => Need::Optional,
            };
            path.push(name.clone());
            self.property(schema, path, need, group);
            path.pop();
        }
    }

    fn property(&mut self, schema: &Json, path: &mut Vec<String>, need: Need, group: Need) {
        let schema = resolve(self.root, schema);
        let inner = schema.as_object().filter(|object| is_group(object) && path.len() < DEPTH_MAX);
        if let Some(object) = inner {
            self.shape.groups.insert(path.clone());
            if need == Need::Always {
                self.shape.needed_groups.push(path.clone());
            }
            return self.properties(object, path, need);
        }
        if self.shape.fields.len() >= self.fields_max {
            self.shape.cut += 1;
            return;
        }
        let kind = kind_of(schema);
        let mut field = Field {
            target: Target::Param(path.clone()),
            label: path.join("."),
            constraint: constraint_text(schema, &kind),
            about: about(schema),
            kind,
            need,
            value: Value::Absent,
        };
        // A default within a group that may be left out would bring the group in.
        if group == Need::Always
            && let Some(default) =
                schema.get("default").or_else(|| schema.get("const").filter(|_| need == Need::Always))
        {
            field.load(default.to_string());
        }
        self.shape.fields.push(field);
    }
}

/// The schema that a reference within the document stands for.
fn resolve<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let mut found = schema;
    for _ in 0..REFERENCES_MAX {
        let Some(target) =
            found.get("$ref").and_then(Json::as_str).and_then(|reference| reference.strip_prefix('#'))
        else {
            break;
        };
        match root.pointer(target) {
            Some(target) => found = target,
            None => return schema,
        }
    }
    found
}

/// The one type that it must have, `null` aside.
fn type_of(object: &Map<String, Json>) -> Option<&str> {
    match object.get("type")? {
        Json::String(name) => Some(name),
        Json::Array(names) => {
            let mut names = names.iter().filter_map(Json::as_str).filter(|name| *name != "null");
            let only = names.next();
            only.filter(|_| names.next().is_none())
        }
        _ => None,
    }
}

fn is_group(object: &Map<String, Json>) -> bool {
    let has_properties =
        object.get("properties").and_then(Json::as_object).is_some_and(|properties| !properties.is_empty());
    has_properties
        && type_of(object).is_none_or(|name| name == "object")
        && !object.contains_key("enum")
        && !object.contains_key("const")
}

fn kind_of(schema: &Json) -> Kind {
    let Some(object) = schema.as_object() else { return Kind::Json };
    let choice = |value: &Json| Choice {
        json: value.to_string(),
        label: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    };
    if let Some(value) = object.get("const") {
        return Kind::Choice(vec![choice(value)]);
    }
    if let Some(values) = object.get("enum").and_then(Json::as_array).filter(|values| !values.is_empty()) {
        return Kind::Choice(values.iter().map(choice).collect());
    }
    match type_of(object) {
        Some("string") => Kind::Text,
        Some("boolean") => Kind::Boolean,
        Some("integer") => Kind::Number(number_of(object, true)),
        Some("number") => Kind::Number(number_of(object, false)),
        _ => Kind::Json,
    }
}

fn number_of(object: &Map<String, Json>, is_integer: bool) -> Number {
    let bound = |name: &str| object.get(name).and_then(Json::as_f64);
    let multiple = bound("multipleOf").filter(|step| *step > 0.0);
    let has_range = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        .iter()
        .any(|name| bound(name).is_some());
    let width = |from: Option<f64>, to: Option<f64>| from.zip(to).map_or(f64::MAX, |(from, to)| to - from);
    let (from, to) =
        (bound("minimum").or(bound("exclusiveMinimum")), bound("maximum").or(bound("exclusiveMaximum")));
    let natural = if is_integer || width(from, to) >= 10.0 { 1.0 } else { 0.1 };
    let step = multiple.or(has_range.then_some(natural));
    let beside = step.unwrap_or(natural);
    let first = |from: f64| (from / beside).ceil() * beside;
    let last = |to: f64| (to / beside).floor() * beside;
    let within = |bound: Option<f64>, exclusive: Option<f64>, sign: f64| {
        let inner = exclusive.map(|limit| limit + sign * beside);
        match (bound, inner) {
            (Some(bound), Some(inner)) => Some(if sign > 0.0 { bound.max(inner) } else { bound.min(inner) }),
            (bound, inner) => bound.or(inner),
        }
    };
    Number {
        min: within(bound("minimum"), bound("exclusiveMinimum"), 1.0).map(first),
        max: within(bound("maximum"), bound("exclusiveMaximum"), -1.0).map(last),
        step,
    }
}

/// What it is for, in the schema's own words.
fn about(schema: &Json) -> String {
    let word = |name: &str| schema.get(name).and_then(Json::as_str);
    match (word("title"), word("description")) {
        (Some(title), Some(description)) => format!("{title}: {description}"),
        (one, other) => one.or(other).unwrap_or_default().to_owned(),
    }
}

/// What it must be.
fn constraint_text(schema: &Json, kind: &Kind) -> String {
    let mut words = match kind {
        Kind::Text => "text".to_owned(),
        Kind::Number(_) if schema.as_object().and_then(type_of) == Some("integer") => {
            "a whole number".to_owned()
        }
        Kind::Number(_) => "a number".to_owned(),
        Kind::Boolean => "true or false".to_owned(),
        Kind::Choice(choices) => format!("one of {}", choices.len()),
        Kind::Json => match schema.as_object().and_then(type_of) {
            Some("array") => "a list, as JSON".to_owned(),
            Some("object") => "an object, as JSON".to_owned(),
            _ => "JSON".to_owned(),
        },
    };
    if schema
        .get("type")
        .and_then(Json::as_array)
        .is_some_and(|names| names.iter().any(|name| name == "null"))
    {
        words.push_str(" or null (as JSON)");
    }
    let said = [
        ("minimum", "at least ", ""),
        ("exclusiveMinimum", "more than ", ""),
        ("maximum", "at most ", ""),
        ("exclusiveMaximum", "less than ", ""),
        ("multipleOf", "a multiple of ", ""),
        ("minLength", "at least ", " characters"),
        ("maxLength", "at most ", " characters"),
        ("minItems", "at least ", " items"),
        ("maxItems", "at most ", " items"),
        ("pattern", "matching ", ""),
        ("format", "format ", ""),
    ];
    for (name, before, behind) in said {
        match schema.get(name) {
            Some(Json::String(value)) => {
                let _ = write!(words, ", {before}{value}{behind}");
            }
            Some(value @ Json::Number(_)) => {
                let _ = write!(words, ", {before}{value}{behind}");
            }
            _ => {}
        }
    }
    words
}
