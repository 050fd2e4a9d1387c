//! Values that a JSON Schema takes, drawn at random.

use serde_json::{Map, Value, json};

/// Levels of a value that is made up.
const DEPTH_MAX: u32 = 8;
/// Items of a list or characters of a text beyond the least.
const MORE_MAX: u64 = 3;

/// A value that most schemas would take which say what they want by `const`, `enum`, `examples`, `default` or
/// `type` with its bounds.
pub(super) fn sample(schema: &Value, rng: &mut fastrand::Rng, depth: u32) -> Value {
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    for listed in ["enum", "examples"] {
        if let Some(values) = schema.get(listed).and_then(Value::as_array).filter(|values| !values.is_empty())
        {
            return values.get(rng.usize(..values.len())).cloned().unwrap_or_default();
        }
    }
    for listed in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema
            .get(listed)
            .and_then(Value::as_array)
            .filter(|schemas| !schemas.is_empty() && depth < DEPTH_MAX)
        {
            return schemas
                .get(rng.usize(..schemas.len()))
                .map_or(Value::Null, |schema| sample(schema, rng, depth + 1));
        }
    }
    if let Some(value) = schema.get("default") {
        return value.clone();
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    match kind(schema) {
        "object" => object(schema, rng, depth),
        "array" => {
            let least = bound("minItems").unwrap_or(0);
            let most = bound("maxItems").unwrap_or(u64::MAX).min(least.saturating_add(MORE_MAX)).max(least);
            let items = schema.get("items").filter(|_| depth < DEPTH_MAX);
            (0..rng.u64(least..=most))
                .map(|_| items.map_or(Value::Null, |items| sample(items, rng, depth + 1)))
                .collect()
        }
        "integer" => {
            let number = |name: &str| schema.get(name).and_then(Value::as_i64);
            let least = number("minimum").unwrap_or_else(|| number("maximum").map_or(0, |most| most.min(0)));
            let most = number("maximum").unwrap_or_else(|| least.saturating_add(1_000)).max(least);
            json!(rng.i64(least..=most))
        }
        "number" => {
            let number = |name: &str| schema.get(name).and_then(Value::as_f64);
            let least =
                number("minimum").unwrap_or_else(|| number("maximum").map_or(0.0, |most| most.min(0.0)));
            let most = number("maximum").unwrap_or(least + 1.0);
            json!(least + rng.f64() * (most - least))
        }
        "boolean" => json!(rng.bool()),
        "string" => {
            let least = bound("minLength").unwrap_or(4).min(4_096);
            let most = bound("maxLength")
                .unwrap_or(u64::MAX)
                .min(least.saturating_add(MORE_MAX))
                .max(least.min(bound("maxLength").unwrap_or(least)));
            let length = if most < least { most } else { rng.u64(least..=most) };
            Value::String((0..length).map(|_| rng.lowercase()).collect())
        }
        _ => Value::Null,
    }
}

fn object(schema: &Value, rng: &mut fastrand::Rng, depth: u32) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let mut value = Map::new();
    for (name, property) in properties.into_iter().flatten() {
        if is_required(name) || depth < DEPTH_MAX {
            value.insert(name.clone(), sample(property, rng, depth + 1));
        }
    }
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        value.entry(name).or_insert(Value::Null);
    }
    Value::Object(value)
}

/// The type that is meant, the first where there are several.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn what_is_made_up_fits_and_a_seed_repeats() {
        let schemas = [
            json!({"type": "object", "required": ["subject", "to"], "properties": {
                "subject": {"type": "string", "minLength": 10, "maxLength": 12},
                "to": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string"}},
                "score": {"type": "number", "minimum": -2, "maximum": -1},
                "n": {"type": "integer", "maximum": -5},
                "kind": {"enum": ["a", "b"]},
                "ok": {"type": "boolean"}
            }, "additionalProperties": false}),
            json!({"type": "string", "maxLength": 2}),
            json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}),
            json!({"type": ["null", "string"]}),
            json!({"const": {"a": 1}}),
            json!(true),
        ];
        for schema in schemas {
            let compiled = Schema::compile(schema.clone()).unwrap();
            for seed in 0..50 {
                let value = |()| sample(&schema, &mut fastrand::Rng::with_seed(seed), 0);
                assert!(compiled.check(&value(())).is_ok(), "{schema}: {}", value(()));
                assert_eq!(value(()), value(()));
            }
        }
    }
}
