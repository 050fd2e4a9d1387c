//! JSON as text that is kept as it came, and JSON Schema to judge it by.

use std::{fmt, sync::Arc};

use jsonschema::error::ValidationErrorKind;
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
}
