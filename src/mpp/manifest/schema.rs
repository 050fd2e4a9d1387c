//! The schemas of a manifest: inline tables, or paths of JSON files beside it.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

use super::{fault::Faults, table::Table};
use crate::schema::Schema;

/// Compiles schemas, each file once.
pub(super) struct Schemas<'f> {
    files: &'f mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    compiled: BTreeMap<String, Result<Schema, String>>,
}

impl<'f> Schemas<'f> {
    pub(super) fn new(files: &'f mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Self {
        Self { files, compiled: BTreeMap::new() }
    }

    /// The `schema` of a table, if it has one.
    pub(super) fn read(&mut self, table: &Table<'_>, faults: &mut Faults) -> Option<Schema> {
        let (value, at) = table.value("schema")?;
        let schema = match value {
            DeValue::Table(inline) => object(inline).and_then(|source| compile(Value::Object(source))),
            DeValue::String(path) => self.file(path),
            other => Err(format!("it must be an inline table or a path, not {}", other.type_str())),
        };
        match schema {
            Ok(schema) => Some(schema),
            Err(why) => {
                faults.add(&at, format!("`{}`: {why}", table.path("schema")), None);
                None
            }
        }
    }

    fn file(&mut self, path: &str) -> Result<Schema, String> {
        if !is_beside(path) {
            return Err("a path must be relative and stay in the manifest's folder".to_owned());
        }
        if let Some(known) = self.compiled.get(path) {
            return known.clone();
        }
        let schema = (self.files)(path).and_then(|bytes| {
            let source =
                serde_json::from_slice(&bytes).map_err(|error| format!("{path} is not JSON: {error}"))?;
            compile(source).map_err(|why| format!("{path}: {why}"))
        });
        self.compiled.insert(path.to_owned(), schema.clone());
        schema
    }
}

fn is_beside(path: &str) -> bool {
    let mut names = 0;
    Path::new(path).components().all(|component| {
        names += usize::from(matches!(component, Component::Normal(_)));
        matches!(component, Component::Normal(_) | Component::CurDir)
    }) && names > 0
}

fn compile(source: Value) -> Result<Schema, String> {
    Schema::compile(source).map_err(|error| format!("not a JSON Schema: {error}"))
}

fn object(table: &DeTable<'_>) -> Result<Map<String, Value>, String> {
    table.iter().map(|(key, value)| Ok((key.get_ref().to_string(), json(value.get_ref())?))).collect()
}

/// The JSON of a TOML value. Nesting is bounded by the TOML parser.
fn json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| json(item.get_ref())).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Object(object(table)?),
        DeValue::Integer(number) => {
            let digits = number.as_str();
            i64::from_str_radix(digits, number.radix()).map_err(|_| format!("{digits} is too large"))?.into()
        }
        DeValue::Float(number) => {
            let number = number.as_str();
            let finite = number.parse().ok().and_then(Number::from_f64);
            finite.map(Value::Number).ok_or_else(|| format!("{number} is not a valid JSON number"))?
        }
        DeValue::Datetime(_) => {
            return Err("dates are not valid in a JSON Schema; quote it".to_owned());
        }
    })
}
