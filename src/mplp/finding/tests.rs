use serde_json::json;

use super::*;

#[test]
fn paths_are_written_and_read_again() {
    let path = Path::of("plan").member("steps").item(10).member("step_id");
    assert_eq!(path.to_string(), "$.plan.steps[10].step_id");
    let odd = Path::of("plan").member("a b\"]").member("").member("$comment").member("é");
    assert_eq!(odd.to_string(), r#"$.plan["a b\"]"][""].$comment["é"]"#);
    for it in [path, odd, Path::default()] {
        assert_eq!(Path::parse(&it.to_string()), Ok(it.clone()));
        let text = serde_json::to_string(&it).unwrap();
        assert_eq!(serde_json::from_str::<Path>(&text).unwrap(), it);
    }
    for text in ["", "plan", "$plan", "$.", "$.a..b", "$[x]", "$[1", "$[-1]", "$[\"a\"", "$.a b"] {
        assert_eq!(Path::parse(text), Err(PathError), "{text}");
    }
}

#[test]
fn paths_are_ordered_with_indices_as_numbers_and_names_by_bytes() {
    let texts =
        ["$.plan", "$.plan.Steps", "$.plan.steps", "$.plan.steps[2]", "$.plan.steps[10]", "$.plan.title"];
    let mut paths: Vec<Path> = texts.iter().rev().map(|it| Path::parse(it).unwrap()).collect();
    paths.sort();
    assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), texts);
}

#[test]
fn what_was_received_is_cut_between_characters() {
    assert_eq!(received(&json!({"a": [1, null]})), r#"{"a":[1,null]}"#);
    assert_eq!(received(&json!("a".repeat(254))).len(), 256);
    let long = received(&json!("é".repeat(4_000)));
    assert_eq!(long.len(), 255);
    assert!(long.starts_with("\"é") && long.ends_with('é'));
}

#[test]
fn findings_are_kept_once_in_their_order_as_many_as_are_asked_for() {
    let finding = |path: &str, rule: &'static str| Finding {
        path: Path::parse(path).unwrap(),
        rule: rule.into(),
        requires: String::new(),
        received: None,
        schema: "plan".into(),
    };
    let mut found = Collector::new(4);
    found.add(1, Stage::Schema, finding("$.a", "type"));
    found.add(0, Stage::Rules, finding("$.a", "sa_x"));
    found.add(0, Stage::Schema, finding("$.b", "type"));
    found.add(0, Stage::Schema, finding("$.b", "enum"));
    found.add(0, Stage::Schema, finding("$.b", "enum"));
    let found = found.into_findings();
    let listed: Vec<_> = found.list.iter().map(|it| (it.path.to_string(), it.rule.as_ref())).collect();
    let expected = [("$.b", "enum"), ("$.b", "type"), ("$.a", "sa_x"), ("$.a", "type")];
    assert_eq!(listed, expected.map(|(path, rule)| (path.to_owned(), rule)));
    assert!(!found.is_cut);
    let mut few = Collector::new(1);
    few.add(1, Stage::Schema, finding("$.a", "type"));
    few.add(0, Stage::Schema, finding("$.b", "type"));
    let few = few.into_findings();
    assert!(few.is_cut && few.list.len() == 1 && few.list[0].path.to_string() == "$.b");
    assert!(!few.is_clean() && Findings::default().is_clean());
}
