use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{Bounds, FaultKind, Located, Position, Reading, Value, flow, read, text};

const BOUNDS: Bounds = Bounds { bytes: 1 << 20, values: 10_000, depth: 64, faults: 100 };

#[track_caller]
fn tree(text: &str) -> Located {
    let Reading { tree, faults, .. } = read(text, BOUNDS);
    assert_eq!(faults, []);
    tree.unwrap()
}

/// Visits every value with its key, if it has one.
fn each<'t>(located: &'t Located, visit: &mut impl FnMut(Option<&'t super::Key>, &'t Located)) {
    match &located.value {
        Value::List(items) => {
            for item in items {
                visit(None, item);
                each(item, visit);
            }
        }
        Value::Map(map) => {
            for (key, value) in &map.pairs {
                visit(Some(key), value);
                each(value, visit);
            }
        }
        _ => {}
    }
}

#[test]
fn every_value_and_key_knows_its_line_and_column() {
    let tree = tree("\u{feff}# é\r\na: é\r\n\"b\": {c: [1,  two]}\r\nd:\r\n- e\r\n-   f: |\r\n      g\r\n");
    let mut places = Vec::new();
    each(&tree, &mut |key, value| {
        places.push((key.map(|it| (&*it.name, it.at.line, it.at.column)), value.at.line, value.at.column));
    });
    let expected = [
        (Some(("a", 2, 1)), 2, 4),
        (Some(("b", 3, 1)), 3, 6),
        (Some(("c", 3, 7)), 3, 10),
        (None, 3, 11),
        (None, 3, 15),
        (Some(("d", 4, 1)), 5, 3),
        (None, 5, 3),
        (None, 6, 5),
        (Some(("f", 6, 5)), 7, 7),
    ];
    assert_eq!(places, expected);
}

#[test]
fn spans_hold_what_is_written() {
    let source = "a: 'é x' # c\nb:\n  c: [1, {d: 2}]\n  e:\n    - f\n    - \"g\"\n# h\ni: ~\nj:\n";
    let mut spans = Vec::new();
    each(&tree(source), &mut |key, value| {
        let written = |span: super::Span| source.get(span.start..span.end).unwrap();
        spans.push((key.map_or("", |it| written(it.span)), written(value.span)));
    });
    let expected = [
        ("a", "'é x'"),
        ("b", "c: [1, {d: 2}]\n  e:\n    - f\n    - \"g\""),
        ("c", "[1, {d: 2}]"),
        ("", "1"),
        ("", "{d: 2}"),
        ("d", "2"),
        ("e", "- f\n    - \"g\""),
        ("", "f"),
        ("", "\"g\""),
        ("i", "~"),
        ("j", ""),
    ];
    // Where a block begins is where its first key or dash does, or where what follows that does.
    for ((key, value), (expected_key, expected_value)) in spans.iter().zip(expected) {
        assert_eq!(*key, expected_key);
        assert!(expected_value.ends_with(value), "{value:?} of {expected_value:?}");
    }
    assert_eq!(spans.len(), expected.len());
}

#[test]
fn goes_on_behind_what_is_wrong_with_one_value() {
    let reading = read("a: .inf\nb: [1, !x 2, *y]\nc: {d: 1, d: 2}\n", BOUNDS);
    let codes: Vec<_> = reading.faults.iter().map(|it| (it.kind.code(), it.at.line)).collect();
    assert_eq!(
        codes,
        [("yaml_number", 1), ("yaml_tag", 2), ("yaml_unknown_alias", 2), ("yaml_duplicate_key", 3)]
    );
    assert_eq!(reading.tree.unwrap().json(), json!({"a": null, "b": [1, null, null], "c": {"d": 1}}));
}

#[test]
fn bounds_what_aliases_and_anchors_stand_for() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for at in 1..20 {
        let _ = writeln!(laughs, "a{at}: &a{at} [{}]", vec![format!("*a{}", at - 1); 10].join(", "));
    }
    let reading = read(&laughs, BOUNDS);
    assert!(
        matches!(reading.faults[..], [super::Fault { kind: FaultKind::TooManyValues { .. }, .. }]),
        "{:?}",
        reading.faults
    );
    assert!(reading.values <= BOUNDS.values);
    // What an anchor keeps is a copy, so that anchors around anchors count each time.
    let around: Vec<_> = (0..60).map(|at| format!("&b{at} [")).collect();
    let reading = read(&format!("{}{}{}", around.concat(), "x, ".repeat(1_000), "]".repeat(60)), BOUNDS);
    assert!(
        matches!(reading.faults[..], [super::Fault { kind: FaultKind::TooManyValues { .. }, .. }]),
        "{:?}",
        reading.faults
    );
}

#[test]
fn counts_faults_past_those_that_are_told() {
    let reading = read(&"- .inf\n".repeat(130), BOUNDS);
    assert_eq!((reading.faults.len(), reading.more), (100, 30));
    assert_eq!(reading.faults[99].at, Position { line: 100, column: 3 });
}

fn json_values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_filter_map("finite", |it| serde_json::Number::from_f64(it).map(Json::from)),
        any::<String>().prop_map(Json::from),
        "[a-z0-9:#{}\\[\\],&*!|>'\"%@`~ .\n\t-]{0,12}".prop_map(Json::from),
        prop::sample::select(vec!["true", "No", "null", "1", "-", "", "<<", "=", "0x1", "...", "---"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map("[a-z ]{0,5}|.{0,5}|<<|true|1", inner, 0..6)
                .prop_map(|it| Json::Object(it.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        map in prop::collection::btree_map(".{0,6}|[a-z]{1,5}", json_values(), 0..6),
    ) {
        let map: serde_json::Map<String, Json> = map.into_iter().collect();
        for written in [text(&map), flow(&Json::Object(map.clone()))] {
            let reading = read(&written, BOUNDS);
            prop_assert_eq!(&reading.faults, &[], "{}", written);
            prop_assert_eq!(reading.tree.unwrap().json(), Json::Object(map.clone()), "{}", written);
        }
    }

    #[test]
    fn any_text_is_read_or_has_a_fault_within_it(
        source in "([a-c]: |- |\\[|\\]|\\{|\\}|, |&a |\\*a|!!?x? |\"|'|\\||>|#|\n|\n  |\n    |\t|é|---\n|%|\\? |~|1|.inf|<<){0,40}",
    ) {
        let reading = read(&source, BOUNDS);
        let lines = source.split('\n').count() + 1;
        for fault in &reading.faults {
            prop_assert!(fault.at.line as usize <= lines && fault.at.column >= 1, "{:?}", fault);
        }
        if let Some(tree) = reading.tree {
            let mut is_within = true;
            each(&tree, &mut |key, value| {
                let spans = key.map(|it| it.span).into_iter().chain([value.span]);
                is_within &= spans.into_iter().all(|it| source.get(it.start..it.end).is_some());
            });
            prop_assert!(is_within, "{tree:?}");
        }
    }
}
