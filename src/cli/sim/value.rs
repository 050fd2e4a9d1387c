//! Values for a pack-state key: the first of some that its schema takes.

use serde_json::{Value, json};

use crate::mpp::manifest::StateDecl;

/// The JSON text of the `count`th value of a key; nothing when none that comes to mind fits its schema.
pub(super) fn nth(decl: &StateDecl, count: u64) -> Option<String> {
    let source = decl.schema.as_ref().map_or(&Value::Null, |schema| schema.source());
    let word = format!("sim {count}");
    let own = [
        json!(count),
        json!(word),
        json!([word]),
        json!({}),
        json!(count.is_multiple_of(2)),
        Value::Null,
        json!([]),
        json!(0.5),
    ];
    own.into_iter()
        .chain(written_in(source, count))
        .map(|value| value.to_string())
        .find(|text| decl.check(text).is_ok())
}

/// What a schema itself offers.
fn written_in(schema: &Value, count: u64) -> Vec<Value> {
    let listed = |name: &str| schema.get(name).and_then(Value::as_array);
    let turn = |values: &Vec<Value>| {
        let index = count.checked_rem(values.len() as u64)?;
        values.get(usize::try_from(index).ok()?).cloned()
    };
    let mut offered: Vec<Value> =
        [listed("enum"), listed("examples")].into_iter().flatten().filter_map(turn).collect();
    offered.extend(
        ["const", "default", "minimum", "maximum"].iter().filter_map(|name| schema.get(name).cloned()),
    );
    offered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mpp::manifest::Writer, schema::Schema};

    fn decl(schema: Option<Value>) -> StateDecl {
        StateDecl {
            writer: Writer::Adapter,
            persist: false,
            schema: schema.map(|source| Schema::compile(source).unwrap()),
        }
    }

    #[test]
    fn a_value_fits_its_schema() {
        assert_eq!(nth(&decl(None), 3).unwrap(), "3");
        assert_eq!(nth(&decl(Some(json!({"type": "integer", "minimum": 0}))), 3).unwrap(), "3");
        assert_eq!(
            nth(&decl(Some(json!({"type": "array", "items": {"type": "string"}}))), 3).unwrap(),
            "[\"sim 3\"]"
        );
        assert_eq!(nth(&decl(Some(json!({"enum": ["a", "b"]}))), 3).unwrap(), "\"b\"");
        assert_eq!(nth(&decl(Some(json!({"type": "integer", "minimum": 100}))), 3).unwrap(), "100");
        assert_eq!(nth(&decl(Some(json!({"type": "string", "pattern": "^x$"}))), 3), None);
    }
}
