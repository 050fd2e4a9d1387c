//! What an opening's text says it is for, and what holds for the whole, as it is written.

use super::{Map, parse};
use crate::{
    limits::Runs,
    runs::yaml::{self, Value},
};

/// The goals and the policy of an opening's text; nothing where it says none, or cannot be read.
#[must_use]
pub fn declared_purpose(text: &str, limits: &Runs) -> (Vec<String>, Map) {
    let tree = yaml::read(text, parse::bounds(limits)).tree;
    let Some(Value::Map(root)) = tree.map(|tree| tree.value) else { return Default::default() };
    let json = |name: &str| root.value(name).map(yaml::Located::json).unwrap_or_default();
    let goals = match json("goals") {
        serde_json::Value::Array(items) => items,
        _ => Vec::new(),
    };
    let policy = match json("policy") {
        serde_json::Value::Object(policy) => policy,
        _ => Map::new(),
    };
    (goals.iter().filter_map(|goal| goal.as_str().map(ToOwned::to_owned)).collect(), policy)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn goals_and_policy_are_as_they_are_written() {
        let of = |text| declared_purpose(text, &Runs::default());
        let (goals, policy) = of("goals: [a, 'b c']\npolicy: {timeout_ms: 5, confirm_external: true}\n");
        assert_eq!(goals, ["a", "b c"]);
        assert_eq!(json!(policy), json!({"timeout_ms": 5, "confirm_external": true}));
        for text in ["", "nodes: [", "- a", "goals: 3\npolicy: [1]\n"] {
            assert_eq!(of(text), (Vec::new(), Map::new()), "{text:?}");
        }
    }
}
