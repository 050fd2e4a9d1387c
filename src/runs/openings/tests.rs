use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{Edge, Library, Literal, Map, NoLibrary, Opening, PortValue, Success, merge_params};
use crate::{limits::Runs, runs::yaml};

fn load(text: &str, params: &Map) -> Result<Opening, super::Faults> {
    Opening::load(text, None, params, &NoLibrary, &Runs::default())
}

fn map(json: Json) -> Map {
    serde_json::from_value(json).unwrap()
}

#[track_caller]
fn merges(text: &str, overrides: Json, expected: &str) {
    assert_eq!(merge_params(text, &map(overrides), &Runs::default()).unwrap(), expected);
}

#[test]
fn sets_only_the_params_that_change() {
    merges(
        "version: 0 # v\nparams:\n  # where\n  city: Berlin # home\n  pages: 3\n\n# end\nnodes: []\n",
        json!({"pages": 4, "who": "a: b"}),
        "version: 0 # v\nparams:\n  # where\n  city: Berlin # home\n  pages: 4\n  who: \"a: b\"\n\n# end\nnodes: []\n",
    );
    merges(
        "params:\n    list:\n      - 1 # one\n    text: |\n      a\n      b\n\n    last: 'x'\nname: a",
        json!({"list": [], "text": "c", "last": null}),
        "params:\n    list: [] # one\n    text: c\n\n    last: null\nname: a",
    );
}

#[test]
fn writes_params_that_are_not_there_behind_the_last_key() {
    merges(
        "name: a # b\nedges: []\n# end\n",
        json!({"x": {"z": [1]}}),
        "name: a # b\nedges: []\nparams:\n  x: {z: [1]}\n# end\n",
    );
    merges("name: a", json!({"x": 1}), "name: a\nparams:\n  x: 1\n");
    merges("params:\nname: a\n", json!({"x": 1}), "params: {x: 1}\nname: a\n");
    merges("params: ~ # none\nname: a\n", json!({"x": 1}), "params: {x: 1} # none\nname: a\n");
}

#[test]
fn writes_params_in_braces_anew() {
    merges(
        "params: {a: 1, b: [2]} # c\nname: a\n",
        json!({"b": true}),
        "params: {a: 1, b: true} # c\nname: a\n",
    );
}

#[test]
fn writes_a_text_anew_that_cannot_be_edited() {
    merges("{name: a, version: 0}", json!({"x": 1}), "name: a\nparams:\n  x: 1\nversion: 0\n");
    merges("params:\n  a: &a 1\nname: *a\n", json!({"a": 2}), "name: 1\nparams:\n  a: 2\n");
}

#[test]
fn leaves_a_text_alone_when_nothing_is_set() {
    merges("name:   a\n", json!({}), "name:   a\n");
    merges("params:\n  a:   1\n", json!({"a": 1}), "params:\n  a:   1\n");
}

#[test]
fn says_why_params_cannot_be_set() {
    let said =
        |text: &str| merge_params(text, &map(json!({"a": 1})), &Runs::default()).unwrap_err().to_string();
    assert_eq!(said("params: 3\n"), "1:9: `params` of an opening expects a map, found a whole number");
    assert_eq!(said("- 1\n"), "1:1: an opening is a map of keys and values, found a list");
    assert_eq!(said(""), "1:1: an opening is a map of keys and values, found nothing");
    assert_eq!(said("a: *b\n"), "1:4: the alias `*b` has no anchor `&b` before it");
}

#[test]
fn looks_for_nested_openings_beside_the_file_that_names_them() {
    struct Shelf;
    struct Round;
    impl Library for Shelf {
        fn read(&self, name: &str, beside: Option<&Path>) -> Result<(String, PathBuf), String> {
            let path = beside.unwrap().join("deeper").join(name);
            let inner = if name == "a" { "opening:b" } else { "agent:echo" };
            Ok((
                format!(
                    "version: 0\nname: {}\nnodes: [{{id: n, use: '{inner}'}}]\nedges: []\n",
                    path.display()
                ),
                path,
            ))
        }
    }
    impl Library for Round {
        fn read(&self, _: &str, _: Option<&Path>) -> Result<(String, PathBuf), String> {
            Ok((String::new(), PathBuf::from("/x/deeper/a")))
        }
    }
    let text = "version: 0\nname: top\nnodes: [{id: n, use: 'opening:a'}]\nedges: []\n";
    let opening =
        Opening::load(text, Some(Path::new("/x/top.yaml")), &Map::new(), &Shelf, &Runs::default()).unwrap();
    let names: Vec<_> = std::iter::successors(Some(&opening), |it| match &it.nodes[0].action {
        super::Use::Opening { opening, .. } => Some(opening),
        super::Use::Agent(_) => None,
    })
    .map(|it| it.name.to_string())
    .collect();
    assert_eq!(names, ["top", "/x/deeper/a", "/x/deeper/deeper/b"]);
    assert_eq!(opening.nodes_count(), 3);
    // An opening that names its own file goes round at once.
    let faults = Opening::load(text, Some(Path::new("/x/deeper/a")), &Map::new(), &Round, &Runs::default())
        .unwrap_err();
    assert_eq!(faults.to_string(), "3:22: openings nest each other: a → a; remove one of the references");
}

#[test]
fn params_of_params_do_not_multiply_without_bound() {
    struct Twofold;
    impl Library for Twofold {
        fn read(&self, name: &str, _: Option<&Path>) -> Result<(String, PathBuf), String> {
            let next = char::from(name.as_bytes()[0] + 1);
            let doubled = "{{params.x}}".repeat(32);
            let text = format!(
                "version: 0\nname: {name}\nparams: {{x: 0123456789abcdef}}\nedges: []\nnodes:\n  - {{id: n, use: 'opening:{next}', with: {{x: \"{doubled}\"}}}}\n"
            );
            Ok((text, PathBuf::from(name)))
        }
    }
    let text = Twofold.read("a", None).unwrap().0;
    let faults = Opening::load(&text, None, &Map::new(), &Twofold, &Runs::default()).unwrap_err();
    assert!(faults.to_string().contains("params expand to more than 8388608 bytes in the nodes"), "{faults}");
}

#[test]
fn judges_edges_and_success_by_any_value_of_a_port() {
    let value = |value: rmpv::Value| PortValue { schema_id: 4, kind: "toolresult.generic.v1".into(), value };
    let edge =
        |when: Option<Literal>| Edge { from: 0, from_port: "out".into(), when, to: 1, to_port: "in".into() };
    let values = [value(1.into()), value("go".into())];
    assert!(edge(None).holds(&values));
    assert!(!edge(None).holds(&[]));
    assert!(edge(Some(Literal::Text("go".to_owned()))).holds(&values));
    assert!(!edge(Some(Literal::Bool(true))).holds(&values));

    let nodes = "nodes: [{id: a, use: 'agent:a'}, {id: b, use: 'agent:b'}]\nedges: []\n";
    let judged = |success: &str| {
        let opening =
            load(&format!("version: 0\nname: a\n{nodes}success: {success}\n"), &Map::new()).unwrap();
        let Some(success): Option<Success> = opening.success else { panic!() };
        success.holds(|port| if port.node == 0 && &*port.port == "out" { &values } else { &[] })
    };
    assert!(judged("{all_of: ['exists(a.out)', a.out == go, a.out == 1]}"));
    assert!(!judged("{all_of: ['exists(a.out)', 'exists(b.out)']}"));
    assert!(judged("{any_of: ['exists(a.other)', 'exists(a.out)']}"));
    assert!(!judged("{any_of: ['exists(b.out)', a.out == true]}"));
}

const STYLES: [&str; 8] = [
    "version: 0\nname: a\nnodes: [{id: n, use: 'agent:a'}]\nedges: []\n",
    "version: 0\nname: a\nnodes:\n- id: n\n  use: agent:a\n  with:\n    text: |\n      a\n\n\nedges: []",
    "version: 0\nname: a\nedges: []\nnodes:\n- id: n\n  use: agent:a\n  with:\n    text: >+\n      a\n      b\n\n\n",
    "# first\nversion: 0\nname: a\nparams:\n  a: 1 # one\n  # two\n  b:\n    c: |\n      text\n\n  d: [1,\n     2]\nnodes: [{id: n, use: 'agent:a'}]\nedges: []\n",
    "version: 0\nparams:\n    a:\n    - x\n    - y\n    b: \"q\"   \n\n# c\nname: a\nnodes: [{id: n, use: 'agent:a'}]\nedges: []\n",
    "version: 0\nname: a\nnodes: [{id: n, use: 'agent:a'}]\nedges: []\nparams: {a: [1,\n  2], b: {c: 3}} # d\n",
    "{version: 0, name: a, nodes: [{id: n, use: 'agent:a'}], edges: [], params: {a: 1}}",
    "---\r\nversion: 0\r\nparams:\r\n  a: &x {y: 1}\r\n  b: *x\r\nname: a\r\nnodes: [{id: n, use: 'agent:a'}]\r\nedges: []\r\n...\r\n",
];

fn params() -> impl Strategy<Value = Map> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        ".{0,8}".prop_map(Json::from),
        "[a-z: #\n'\"-]{0,12}".prop_map(Json::from)
    ];
    let value = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("[a-z]{1,3}", inner, 0..4)
                .prop_map(|it| Json::Object(it.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-e]|[a-z_]{2,8}|.{1,4}", value, 0..5)
        .prop_map(|it| it.into_iter().collect())
}

/// Trees that look like openings from afar.
fn nearly_openings() -> impl Strategy<Value = Json> {
    const WORDS: [&str; 24] = [
        "version",
        "name",
        "nodes",
        "edges",
        "params",
        "policy",
        "id",
        "use",
        "with",
        "retry",
        "from",
        "to",
        "success",
        "all_of",
        "artifacts",
        "save",
        "agent:a",
        "opening:a",
        "a.out",
        "a.out ==true",
        "exists(a.out)",
        "{{params.a}}",
        "a",
        "require_human_confirm",
    ];
    let word = prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        word.clone().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        any::<bool>().prop_map(Json::from),
        Just(Json::Null)
    ];
    leaf.prop_recursive(6, 80, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map(word.clone(), inner, 0..8)
                .prop_map(|it| Json::Object(it.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn params_set_in_the_text_are_those_given_beside_it(style in 0..STYLES.len(), overrides in params()) {
        let text = STYLES[style];
        let set = merge_params(text, &overrides, &Runs::default()).unwrap();
        prop_assert_eq!(load(&set, &Map::new()).unwrap(), load(text, &overrides).unwrap(), "{}", set);
    }

    #[test]
    fn params_keep_what_stands_around_them(overrides in params()) {
        let text = STYLES[3];
        let set = merge_params(text, &overrides, &Runs::default()).unwrap();
        prop_assert!(set.starts_with("# first\nversion: 0\nname: a\nparams:\n  a: "), "{}", set);
        prop_assert!(set.ends_with("nodes: [{id: n, use: 'agent:a'}]\nedges: []\n"), "{}", set);
        prop_assert!(set.contains("  # two\n"), "{}", set);
    }

    #[test]
    fn any_tree_is_an_opening_or_has_faults(tree in nearly_openings(), around in any::<bool>()) {
        let mut map = match tree {
            Json::Object(map) => map,
            other => [("nodes".to_owned(), other)].into_iter().collect(),
        };
        if around {
            map.insert("version".to_owned(), 0.into());
            map.insert("name".to_owned(), "a".into());
        }
        let text = yaml::text(&map);
        if let Err(faults) = load(&text, &Map::new()) {
            prop_assert!(!faults.list().is_empty() && !faults.to_string().is_empty());
            let lines = text.lines().count();
            prop_assert!(faults.list().iter().all(|it| it.at.line as usize <= lines), "{}", faults);
        }
    }
}
