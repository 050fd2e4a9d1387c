//! JSON as text that is kept as it came, and JSON Schema to judge it by.
//!
//! A [`Schema`] is compiled alone, or of [`Documents`] that refer to each other and assert formats of their
//! own.

use std::{fmt, sync::Arc};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::value::RawValue;

/// Valid JSON, kept byte for byte as it came (ruling MPP 13). Cloning costs a reference count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText(Arc<str>);

impl JsonText {
    /// Keeps a text that is one JSON value.
    ///
    /// # Errors
    /// The parser's complaint, with line and column, when it is not.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Self::from_raw(raw))
    }

    /// Keeps what a deserializer has already found to be one JSON value.
    #[must_use]
    pub fn from_raw(raw: &RawValue) -> Self {
        Self(Arc::from(raw.get()))
    }

    /// The JSON of a value.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Self {
        Self(Arc::from(value.to_string()))
    }

    /// `null`.
    #[must_use]
    pub fn null() -> Self {
        Self(Arc::from("null"))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value; numbers too large for a value read as null.
    #[must_use]
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for JsonText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
            raw.serialize(serializer)
        } else {
            serializer.serialize_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let raw = Box::<RawValue>::deserialize(deserializer)?;
            Ok(Self::from_raw(&raw))
        } else {
            let text = String::deserialize(deserializer)?;
            Self::parse(&text).map_err(D::Error::custom)
        }
    }
}

/// A compiled JSON Schema.
#[derive(Clone)]
pub struct Schema {
    validator: Arc<jsonschema::Validator>,
    source: Arc<serde_json::Value>,
}

/// One thing that a schema says of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The names and indices that lead to what is meant, from the root. Of a property that is missing, its
    /// own name is the last.
    pub at: Vec<String>,
    /// The fault, in the schema's words; the value itself is not in them.
    pub message: String,
}

/// A schema that is not one, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(pub String);

impl Schema {
    /// Compiles a schema. References leave the document nowhere: nothing is fetched.
    ///
    /// # Errors
    /// The fault of the schema.
    pub fn compile(source: serde_json::Value) -> Result<Self, SchemaError> {
        let validator = jsonschema::validator_for(&source).map_err(|error| SchemaError(error.to_string()))?;
        Ok(Self { validator: Arc::new(validator), source: Arc::new(source) })
    }

    /// The schema as it was written.
    #[must_use]
    pub fn source(&self) -> &serde_json::Value {
        &self.source
    }

    /// Judges a value.
    ///
    /// # Errors
    /// The first finding, as `<what> at <JSON pointer>`.
    pub fn check(&self, value: &serde_json::Value) -> Result<(), String> {
        match self.validator.validate(value) {
            Ok(()) => Ok(()),
            Err(error) => {
                let place = error.instance_path().to_string();
                let place = if place.is_empty() { "/" } else { &place };
                Err(format!("{error} at {place}"))
            }
        }
    }
}

impl Schema {
    /// Everything that is wrong with a value, at most `findings_max` of it. There is something exactly when
    /// [`check`](Self::check) fails.
    #[must_use]
    pub fn findings(&self, value: &serde_json::Value, findings_max: usize) -> Vec<Finding> {
        let findings = self.validator.iter_errors(value).take(findings_max);
        findings
            .map(|error| {
                let path = error.instance_path().to_string();
                let mut at: Vec<String> = path
                    .split('/')
                    .skip(1)
                    .map(|token| token.replace("~1", "/").replace("~0", "~"))
                    .collect();
                let says = match error.kind() {
                    ValidationErrorKind::Required { property } => {
                        at.extend(property.as_str().map(str::to_owned));
                        "required".to_owned()
                    }
                    _ => error.masked_with("it").to_string(),
                };
                Finding { at, message: says }
            })
            .collect()
    }
}

/// A step of the way from a value to a part of it. Indices come before names, indices by number and names by
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// An item of an array, from 0.
    Index(usize),
    /// A member of an object.
    Name(Box<str>),
}

/// One constraint of a schema that a value breaks, in parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault<'a> {
    /// The way from the root. A missing or superfluous member is named by its own path.
    pub path: Vec<PathStep>,
    /// The keyword of JSON Schema that is broken.
    pub keyword: Box<str>,
    /// What the schema requires there, in plain words; the value itself is not in them.
    pub requires: String,
    /// What is there; nothing for a missing member.
    pub received: Option<&'a serde_json::Value>,
}

/// A format that is asserted: its name, and what judges a text by it.
pub type Format = (&'static str, fn(&str) -> bool);

/// Documents of JSON Schema Draft-07 that refer to each other by `$id`, and the formats that they assert.
/// Nothing is ever fetched.
pub struct Documents {
    registry: jsonschema::Registry<'static>,
    formats: &'static [Format],
}

impl Documents {
    /// Takes in documents, each under its `$id`.
    ///
    /// # Errors
    /// A document without an `$id`, or one that refers to none of these.
    pub fn new(
        documents: impl IntoIterator<Item = serde_json::Value>,
        formats: &'static [Format],
    ) -> Result<Self, SchemaError> {
        let mut builder = jsonschema::Registry::new().draft(jsonschema::Draft::Draft7);
        for document in documents {
            let id = document["$id"].as_str().map(str::to_owned);
            let id = id.ok_or_else(|| SchemaError("a document has no `$id`".to_owned()))?;
            builder = builder.add(id, document).map_err(|error| SchemaError(error.to_string()))?;
        }
        let registry = builder.prepare().map_err(|error| SchemaError(error.to_string()))?;
        Ok(Self { registry, formats })
    }

    /// Compiles a schema that may refer to the documents. Every format that it names is asserted.
    ///
    /// # Errors
    /// The fault of the schema, or a format that is not known.
    pub fn compile(&self, source: serde_json::Value) -> Result<Schema, SchemaError> {
        let mut options = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft7)
            .with_registry(&self.registry)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false);
        for (name, judge) in self.formats {
            options = options.with_format(*name, judge);
        }
        let validator = options.build(&source).map_err(|error| SchemaError(error.to_string()))?;
        Ok(Schema { validator: Arc::new(validator), source: Arc::new(source) })
    }
}

impl Schema {
    /// Whether a value breaks no constraint.
    #[must_use]
    pub fn is_valid(&self, value: &serde_json::Value) -> bool {
        self.validator.is_valid(value)
    }

    /// Hands every constraint that a value breaks to `found`, in no promised order, and one that is broken in
    /// two places of the schema as often.
    pub fn each_fault<'a>(&self, value: &'a serde_json::Value, mut found: impl FnMut(Fault<'a>)) {
        for error in self.validator.iter_errors(value) {
            let (path, at) = walk(value, error.instance_path().as_str());
            let keyword: Box<str> = error.kind().keyword().into();
            let requires = requirement(&error);
            let member = |name: &str| {
                let mut path = path.clone();
                path.push(PathStep::Name(name.into()));
                path
            };
            match error.kind() {
                ValidationErrorKind::Required { property } => {
                    let name = property.as_str().unwrap_or_default();
                    found(Fault { path: member(name), keyword, requires, received: None });
                }
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    for name in unexpected {
                        let received = at.and_then(|it| it.get(name));
                        let (keyword, requires) = (keyword.clone(), requires.clone());
                        found(Fault { path: member(name), keyword, requires, received });
                    }
                }
                _ => found(Fault { path, keyword, requires, received: at }),
            }
        }
    }
}

/// The way along a JSON pointer, and the value it leads to.
fn walk<'a>(root: &'a serde_json::Value, pointer: &str) -> (Vec<PathStep>, Option<&'a serde_json::Value>) {
    let (mut path, mut at) = (Vec::new(), Some(root));
    for token in pointer.split('/').skip(1) {
        let step = if let (Some(serde_json::Value::Array(items)), Ok(index)) = (at, token.parse()) {
            at = items.get(index);
            PathStep::Index(index)
        } else {
            let name = token.replace("~1", "/").replace("~0", "~");
            at = at.and_then(|it| it.get(&name));
            PathStep::Name(name.into())
        };
        path.push(step);
    }
    (path, at)
}

/// What a schema requires where an error is.
fn requirement(error: &jsonschema::ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    let counted =
        |limit: u64, unit: &str| format!("at least {limit} {unit}{}", if limit == 1 { "" } else { "s" });
    match error.kind() {
        Kind::Required { .. } => "a member of this name".to_owned(),
        Kind::AdditionalProperties { .. } => "no member of this name".to_owned(),
        Kind::Type { kind: TypeKind::Single(kind) } => format!("type {kind}"),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            let kinds: Vec<String> = kinds.iter().map(|it| it.to_string()).collect();
            format!("type {}", kinds.join(" or "))
        }
        Kind::Enum { options } => format!("one of {}", listed(options.as_array().into_iter().flatten())),
        Kind::Constant { expected_value } => expected_value.to_string(),
        Kind::Format { format } => format!("the format {format}"),
        Kind::Pattern { pattern } => format!("the pattern {pattern}"),
        Kind::MinLength { limit } => counted(*limit, "character"),
        Kind::MinItems { limit } => counted(*limit, "item"),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::UniqueItems => "no item twice".to_owned(),
        Kind::AnyOf { context } => {
            let missing = context.iter().flatten().map(|it| match it.kind() {
                Kind::Required { property } => Some(property),
                _ => None,
            });
            missing.collect::<Option<Vec<_>>>().map_or_else(
                || "one of the alternatives".to_owned(),
                |names| format!("at least one of the members {}", listed(names)),
            )
        }
        _ => error.masked_with("it").to_string(),
    }
}

/// Values, one after the other; texts without quotes.
fn listed<'a>(values: impl IntoIterator<Item = &'a serde_json::Value>) -> String {
    let texts = values.into_iter().map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned));
    texts.collect::<Vec<_>>().join(", ")
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.source).finish()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_json_as_it_came() {
        let text = r#"{ "b": 1.0,  "a": 12345678901234567890123 }"#;
        assert_eq!(JsonText::parse(text).unwrap().as_str(), text);
        assert_eq!(serde_json::to_string(&JsonText::parse("1.00").unwrap()).unwrap(), "1.00");
        assert!(JsonText::parse("{} {}").is_err());
    }

    #[test]
    fn a_finding_names_its_place() {
        let schema =
            Schema::compile(serde_json::json!({"properties": {"count": {"type": "integer"}}})).unwrap();
        assert!(schema.check(&serde_json::json!({"count": 1})).is_ok());
        let finding = schema.check(&serde_json::json!({"count": "x"})).unwrap_err();
        assert!(finding.ends_with("at /count"), "{finding}");
        assert!(Schema::compile(serde_json::json!({"type": 7})).is_err());
    }

    #[test]
    fn everything_wrong_is_found_at_its_place_without_the_value() {
        let source = serde_json::json!({
            "required": ["a/b"],
            "properties": {"count": {"type": "integer", "maximum": 9}, "name": {"maxLength": 3}, "list": {"items": {"enum": [1, 2]}}}
        });
        let schema = Schema::compile(source).unwrap();
        let value = serde_json::json!({"count": 10, "name": "hidden", "list": [1, 7]});
        let mut found: Vec<(String, String)> = schema
            .findings(&value, 10)
            .into_iter()
            .map(|finding| (finding.at.join(" "), finding.message))
            .collect();
        found.sort();
        let words =
            |at: &str| found.iter().find(|(path, _)| path == at).map_or("", |(_, says)| says.as_str());
        assert_eq!(words("a/b"), "required");
        assert_eq!(words("count"), "it is greater than the maximum of 9");
        assert_eq!(words("name"), "it is longer than 3 characters");
        assert!(words("list 1").starts_with("it is not one of"), "{found:?}");
        assert_eq!(schema.findings(&value, 1).len(), 1);
    }

    const EVEN: &[Format] = &[("even", |text| text.len().is_multiple_of(2))];

    #[test]
    fn documents_refer_to_each_other_and_assert_their_formats() {
        let documents = [
            serde_json::json!({"$id": "https://x.test/id.json", "type": "string", "format": "even"}),
            serde_json::json!({"$id": "https://x.test/a.json", "properties": {"id": {}, "a/b": {"$ref": "https://x.test/id.json"},
                "list": {"items": {"type": ["object", "null"]}}}, "required": ["id"], "additionalProperties": false}),
        ];
        let all = Documents::new(documents.clone(), EVEN).unwrap();
        let schema = all.compile(documents[1].clone()).unwrap();
        assert!(schema.is_valid(&serde_json::json!({"id": 1, "a/b": "xx", "list": [null, {}]})));
        let value = serde_json::json!({"a/b": "x", "list": [null, 7], "extra": 1});
        let mut found = Vec::new();
        schema.each_fault(&value, |it| found.push((it.path, it.keyword, it.requires, it.received)));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let name = |name: &str| PathStep::Name(name.into());
        let said: Vec<_> = found.iter().map(|it| (it.1.as_ref(), it.2.as_str())).collect();
        assert_eq!(found[0].0, [name("a/b")]);
        assert_eq!(said[0], ("format", "the format even"));
        assert_eq!(found[1].0, [name("extra")]);
        assert_eq!(said[1], ("additionalProperties", "no member of this name"));
        assert_eq!((&found[2].0[..], found[2].3), (&[name("id")][..], None));
        assert_eq!(said[2], ("required", "a member of this name"));
        assert_eq!(found[3].0, [name("list"), PathStep::Index(1)]);
        assert_eq!(said[3], ("type", "type null or object"));
        assert!(all.compile(serde_json::json!({"format": "odd"})).is_err());
        assert!(all.compile(serde_json::json!({"$ref": "https://x.test/none.json"})).is_err());
        assert!(Documents::new([serde_json::json!({})], &[]).is_err());
    }
}
