//! What an MPLP schema asks, read of its text: references followed, what it extends merged in. Nothing of the
//! crate's judge is used.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use rl_console::mplp::SchemaId;
use serde_json::Value;

/// A place of a schema with all its constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) types: Vec<String>,
    pub(crate) members: BTreeMap<String, Shape>,
    pub(crate) required: BTreeSet<String>,
    pub(crate) is_closed: bool,
    /// Members of which one must be there.
    pub(crate) one_of: Vec<String>,
    pub(crate) texts: Vec<Value>,
    pub(crate) constant: Option<Value>,
    pub(crate) pattern: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) min_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) minimum: Option<i64>,
    pub(crate) maximum: Option<i64>,
    pub(crate) is_unique: bool,
    pub(crate) items: Option<Box<Shape>>,
}

impl Shape {
    /// Whether a value of one of its types may be an object.
    pub(crate) fn is_object(&self) -> bool {
        self.types.iter().any(|it| it == "object")
    }

    fn add(&mut self, schema: &Value, document: &Value) {
        for (keyword, value) in schema.as_object().unwrap() {
            match keyword.as_str() {
                "$schema" | "$id" | "title" | "description" | "x-mplp-meta" | "definitions" => {}
                "$ref" => {
                    let (place, other) = resolve(value.as_str().unwrap(), document);
                    self.add(&place, &other);
                }
                "allOf" => value.as_array().unwrap().iter().for_each(|it| self.add(it, document)),
                "type" => {
                    let types = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                    self.types = types.iter().map(|it| it.as_str().unwrap().to_owned()).collect();
                }
                "properties" => {
                    for (name, schema) in value.as_object().unwrap() {
                        self.members.entry(name.clone()).or_default().add(schema, document);
                    }
                }
                "required" => self.required.extend(texts(value)),
                "additionalProperties" => self.is_closed |= value == false,
                "anyOf" => {
                    let alternatives = value.as_array().unwrap().iter().flat_map(|it| texts(&it["required"]));
                    self.one_of.extend(alternatives);
                }
                "enum" => self.texts.clone_from(value.as_array().unwrap()),
                "const" => self.constant = Some(value.clone()),
                "pattern" => self.pattern = value.as_str().map(str::to_owned),
                "format" => self.format = value.as_str().map(str::to_owned),
                "minLength" => self.min_length = value.as_u64(),
                "minItems" => self.min_items = value.as_u64(),
                "minimum" => self.minimum = value.as_i64(),
                "maximum" => self.maximum = value.as_i64(),
                "uniqueItems" => self.is_unique = value == true,
                "items" => self.items.get_or_insert_default().add(value, document),
                other => panic!("a keyword that nobody knows: {other}"),
            }
        }
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn resolve(reference: &str, document: &Value) -> (Value, Value) {
    let (id, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let other = if id.is_empty() { document.clone() } else { by_id(id) };
    (other.pointer(pointer).unwrap().clone(), other)
}

fn by_id(id: &str) -> Value {
    SchemaId::ALL.into_iter().map(document_of).find(|it| it["$id"] == id).unwrap().clone()
}

/// A schema as it is embedded.
pub(crate) fn document_of(id: SchemaId) -> &'static Value {
    static DOCUMENTS: OnceLock<Vec<Value>> = OnceLock::new();
    let parse = |it: SchemaId| serde_json::from_str(it.text()).unwrap();
    &DOCUMENTS.get_or_init(|| SchemaId::ALL.into_iter().map(parse).collect())[id.place()]
}

/// What a schema asks.
pub(crate) fn shape_of(id: SchemaId) -> &'static Shape {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    let read = |it| {
        let mut shape = Shape::default();
        shape.add(document_of(it), document_of(it));
        shape
    };
    &SHAPES.get_or_init(|| SchemaId::ALL.into_iter().map(read).collect())[id.place()]
}
