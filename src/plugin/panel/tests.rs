//! Panels: what is read, what is refused at which path, what is linted, and the values.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Field, FieldKind, FieldType, Range, Schema};
use crate::limits;

fn parse(schema: &Value) -> Result<(Schema, Vec<String>), String> {
    let params = json!({ "schema": schema, "unknown": 1 }).to_string();
    let parsed = Schema::parse(&params, &limits::Plugin::default());
    let texts = |lints: Vec<super::PathFault>| lints.iter().map(ToString::to_string).collect();
    parsed.map(|(schema, lints)| (schema, texts(lints))).map_err(|fault| fault.to_string())
}

fn with(fields: &Value) -> Value {
    json!({ "title": "T", "sections": [{ "label": "S", "fields": fields }] })
}

/// The only field of a panel, which must have no lint.
fn field(field: &Value) -> Field {
    let (schema, lints) = parse(&with(&json!([field]))).unwrap();
    assert_eq!(lints, [""; 0], "{field}");
    schema.fields().next().unwrap().clone()
}

/// What is linted of the only field.
fn lints(field: &Value) -> Vec<String> {
    let prefix = "schema.sections[0].fields[0].";
    let (_, lints) = parse(&with(&json!([field]))).unwrap();
    lints.iter().map(|lint| lint.strip_prefix(prefix).unwrap().to_owned()).collect()
}

fn fault(schema: &Value) -> String {
    parse(schema).unwrap_err()
}

fn key(key: &str) -> Value {
    json!({ "key": key, "type": "toggle", "label": "L" })
}

/// One of each type, as streamnook-host has them.
fn every_type() -> Value {
    json!([
        { "key": "on", "type": "toggle", "label": "On", "description": "D", "default": true },
        { "key": "count", "type": "number", "label": "N", "min": 1, "max": 10, "step": 0.5, "unit": "s",
          "default": 3 },
        { "key": "mode", "type": "select", "label": "M", "default": "b",
          "options": [{ "value": "a", "label": "A" }, { "value": "b", "label": "B" },
                      { "value": 3, "label": "C" }] },
        { "key": "name", "type": "text", "label": "T", "placeholder": "none" },
        { "key": "words", "type": "string_list", "label": "W", "default": ["x", "y"] },
        { "key": "channels", "type": "channel_list", "label": "C",
          "default": [{ "channel_id": "1", "channel_login": "a", "display_name": "A" }] },
        { "key": "volume", "type": "slider", "label": "V", "min": 0, "max": 100, "step": 5,
          "display_divisor": 10, "unit": "dB", "default": 15 },
        { "key": "out.dir", "type": "folder", "label": "F", "default": "" },
    ])
}

#[test]
fn every_type_is_read_with_what_it_has() {
    let (schema, lints) = parse(&with(&every_type())).unwrap();
    assert_eq!(lints, [""; 0]);
    let types: Vec<_> = schema.fields().map(|field| field.kind.field_type()).collect();
    assert_eq!(types.len(), FieldType::ALL.len());
    assert!(FieldType::ALL.iter().all(|it| types.contains(it)));
    let of = |key: &str| schema.field(key).unwrap();
    assert_eq!((&*of("on").label, of("on").description.as_deref()), ("On", Some("D")));
    let range = Range { min: Some(1.0), max: Some(10.0), step: Some(0.5) };
    assert_eq!((&of("count").kind, of("count").unit.as_deref()), (&FieldKind::Number(range), Some("s")));
    assert_eq!(of("name").placeholder.as_deref(), Some("none"));
    let FieldKind::Select(choices) = &of("mode").kind else { panic!("no select") };
    assert_eq!((choices.len(), &choices[2].value, &*choices[2].label), (3, &json!(3), "C"));
    let FieldKind::Slider { display_divisor, .. } = of("volume").kind else { panic!("no slider") };
    assert_eq!(display_divisor, Some(10.0));
    assert_eq!(schema.field("none"), None);
    let again: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(again, schema);
}

#[test]
fn a_schema_that_is_no_object_is_refused() {
    let parse = |params: &str| Schema::parse(params, &limits::Plugin::default()).unwrap_err().to_string();
    for params in ["{}", r#"{"schema":null}"#, r#"{"schema":[]}"#, r#"{"schema":7}"#] {
        assert_eq!(parse(params), "schema must be an object", "{params}");
    }
    for params in ["[7]", r#"[{"title":"T","sections":[]}]"#, "null", ""] {
        assert_eq!(parse(params), "params must be an object with a schema", "{params}");
    }
    assert!(parse(r#"{"schema":{},"schema":{}}"#).starts_with("params must be an object with a schema: "));
    let deep = format!(r#"{{"schema":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    assert!(parse(&deep).contains("recursion limit"));
}

#[test]
fn a_title_has_1_to_60_characters() {
    let titled = |title: Value| parse(&json!({ "title": title, "sections": [] }));
    assert!(titled(json!("é".repeat(60))).is_ok() && titled(json!("a")).is_ok());
    for bad in [json!("é".repeat(61)), json!(""), json!(7), json!(null)] {
        assert_eq!(titled(bad).unwrap_err(), "schema.title must be a string of 1 to 60 characters");
    }
    assert!(fault(&json!({ "sections": [] })).starts_with("schema.title "));
}

#[test]
fn sections_are_a_list_of_at_most_32() {
    assert_eq!(fault(&json!({ "title": "T" })), "schema.sections must be a list");
    assert_eq!(fault(&json!({ "title": "T", "sections": {} })), "schema.sections must be a list");
    let section = json!({ "label": "S", "fields": [] });
    let many = |count: usize| json!({ "title": "T", "sections": vec![section.clone(); count] });
    assert!(parse(&many(32)).is_ok());
    assert_eq!(fault(&many(33)), "schema.sections has 33 sections, at most 32 are permitted");
    let second = |section: Value| {
        fault(&json!({ "title": "T", "sections": [{ "label": "S", "fields": [] }, section] }))
    };
    assert_eq!(second(json!(1)), "schema.sections[1] must be an object");
    assert_eq!(second(json!({ "fields": [] })), "schema.sections[1].label must be a string");
}

#[test]
fn fields_are_a_list_of_at_most_64_in_each_section() {
    assert_eq!(
        fault(&json!({ "title": "T", "sections": [{ "label": "S" }] })),
        "schema.sections[0].fields must be a list"
    );
    let many = |count: usize| (0..count).map(|at| key(&format!("k{at}"))).collect::<Value>();
    assert!(parse(&with(&many(64))).is_ok());
    assert_eq!(fault(&with(&many(65))), "schema.sections[0].fields has 65 fields, at most 64 are permitted");
    assert_eq!(fault(&with(&json!([1]))), "schema.sections[0].fields[0] must be an object");
}

#[test]
fn a_key_is_plain_and_there_once() {
    let longest = "a".repeat(64);
    for good in ["a", "A_b.c-9", &longest] {
        assert!(parse(&with(&json!([key(good)]))).is_ok(), "{good}");
    }
    let needs = "schema.sections[0].fields[2].key must be 1 to 64 characters of A-Z a-z 0-9 _ . -";
    for bad in ["", "a b", "é", "a/b", "a\n", &"a".repeat(65)] {
        assert_eq!(fault(&with(&json!([key("x"), key("y"), key(bad)]))), needs, "{bad}");
    }
    assert_eq!(fault(&with(&json!([key("x"), key("y"), { "type": "toggle", "label": "L" }]))), needs);
    let twice = json!({ "title": "T", "sections": [
        { "label": "S", "fields": [key("x")] }, { "label": "S", "fields": [key("y"), key("x")] } ] });
    assert_eq!(fault(&twice), "schema.sections[1].fields[1].key is `x`, which another field has");
}

#[test]
fn a_field_has_a_known_type_and_a_label() {
    let types = "schema.sections[0].fields[0].type must be one of toggle, number, select, text, string_list, \
                 channel_list, slider, folder";
    for bad in [json!("color"), json!("Toggle"), json!(1), json!(null)] {
        assert_eq!(fault(&with(&json!([{ "key": "a", "type": bad, "label": "L" }]))), types);
    }
    assert_eq!(fault(&with(&json!([{ "key": "a", "label": "L" }]))), types);
    let label = "schema.sections[0].fields[0].label must be a string";
    assert_eq!(fault(&with(&json!([{ "key": "a", "type": "text" }]))), label);
    assert_eq!(fault(&with(&json!([{ "key": "a", "type": "text", "label": 7 }]))), label);
}

#[test]
fn a_select_has_options() {
    let needs = "schema.sections[0].fields[0].options must be a list of options {value, label}";
    for options in
        [json!(null), json!([]), json!({}), json!("a"), json!(["a", "b"]), json!([{ "label": "A" }])]
    {
        let field = json!({ "key": "a", "type": "select", "label": "L", "options": options });
        assert_eq!(fault(&with(&json!([field]))), needs, "{options}");
    }
    assert_eq!(fault(&with(&json!([{ "key": "a", "type": "select", "label": "L" }]))), needs);
}

#[test]
fn a_schema_over_the_limit_is_refused() {
    let most = usize::try_from(limits::Plugin::default().panel_bytes_max).unwrap();
    let mut schema = json!({ "title": "T", "sections": [], "x": "" });
    let room = most - schema.to_string().len();
    schema["x"] = Value::from("x".repeat(room));
    assert!(parse(&schema).is_ok());
    schema["x"] = Value::from("x".repeat(room + 1));
    assert_eq!(fault(&schema), format!("schema has {} bytes, at most {most} are permitted", most + 1));
}

#[test]
fn everything_else_is_linted_and_left_out() {
    let of = |kind: &str, more: Value| {
        let mut field = json!({ "key": "a", "type": kind, "label": "L" });
        field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        lints(&field)
    };
    let none = [""; 0];
    assert_eq!(
        of("toggle", json!({ "colour": 1, "options": 2, "default": null })),
        none,
        "unknown members are ignored"
    );
    assert_eq!(of("toggle", json!({ "label": " " })), ["label is empty"]);
    assert_eq!(
        of("text", json!({ "description": 1, "placeholder": [], "unit": {} })),
        ["description must be a string", "placeholder must be a string", "unit must be a string"]
    );
    assert_eq!(of("toggle", json!({ "default": "yes" })), ["default must be true or false"]);
    assert_eq!(
        of("number", json!({ "min": "1", "max": [], "step": 0, "default": "1" })),
        ["min must be a number", "max must be a number", "step must be above 0", "default must be a number"]
    );
    assert_eq!(of("number", json!({ "min": 5, "max": 1, "default": 9 })), ["min is 5, above max 1"]);
    assert_eq!(of("number", json!({ "min": 5, "default": 1 })), ["default must be at least 5"]);
    assert_eq!(
        of("slider", json!({ "display_divisor": -1 })),
        [
            "min is missing: a slider needs both ends",
            "max is missing: a slider needs both ends",
            "display_divisor must be above 0"
        ]
    );
    assert_eq!(
        of(
            "select",
            json!({ "default": "c", "options": [
            { "value": "a", "label": "A" }, "b", { "value": null, "label": "N" },
            { "value": "a", "label": "B" }, { "value": 1 } ] })
        ),
        [
            "options[1] must have a value that is a string, a number or a boolean",
            "options[2] must have a value that is a string, a number or a boolean",
            "options[3] repeats the value \"a\"",
            "options[4] must have a label",
            "default must be one of a, 1"
        ]
    );
    let section = json!({ "title": "T", "sections": [{ "label": "", "description": 1, "fields": [] }] });
    let (_, found) = parse(&section).unwrap();
    assert_eq!(
        found,
        ["schema.sections[0].label is empty", "schema.sections[0].description must be a string"]
    );
}

#[test]
fn lints_are_bounded() {
    let field = |at: usize| json!({ "key": format!("k{at}"), "type": "text", "label": "", "unit": 1 });
    let (_, found) = parse(&with(&(0..64).map(field).collect())).unwrap();
    assert_eq!(found.len() as u64, limits::Plugin::default().shown_names_max);
}

#[test]
fn values_are_the_stored_ones_else_the_defaults_else_none() {
    let (schema, _) = parse(&with(&every_type())).unwrap();
    let stored = |values: Value| serde_json::from_value::<BTreeMap<String, Value>>(values).unwrap();
    let mut expected = json!({
        "on": true, "count": 3, "mode": "b", "words": ["x", "y"], "volume": 15, "out.dir": "",
        "channels": [{ "channel_id": "1", "channel_login": "a", "display_name": "A" }],
    });
    assert_eq!(
        Value::Object(schema.values(&BTreeMap::new())),
        expected,
        "a text without a default is left out"
    );
    let values = stored(json!({ "on": false, "name": "n", "count": 11, "mode": 3, "words": [1], "gone": 1 }));
    expected["on"] = json!(false);
    expected["name"] = json!("n");
    expected["mode"] = json!(3);
    assert_eq!(Value::Object(schema.values(&values)), expected, "what is stored is not always valid");
}

#[test]
fn each_type_takes_its_values_and_says_what_it_needs() {
    let (schema, _) = parse(&with(&every_type())).unwrap();
    let check = |key: &str, value: Value| schema.field(key).unwrap().check(&value);
    let refused = |key: &str, value: Value| check(key, value).unwrap_err();
    let channel = json!({ "channel_id": "1", "channel_login": "a", "display_name": "A", "more": 1 });
    for (key, good) in [
        ("on", json!(false)),
        ("count", json!(1)),
        ("count", json!(10.0)),
        ("count", json!(1.3)),
        ("mode", json!("a")),
        ("mode", json!(3.0)),
        ("name", json!("")),
        ("words", json!([])),
        ("channels", json!([channel])),
        ("volume", json!(100)),
        ("out.dir", json!("/tmp")),
    ] {
        assert_eq!(check(key, good.clone()), Ok(()), "{key} {good}");
    }
    assert_eq!(refused("on", json!(1)), "must be true or false");
    assert_eq!(refused("count", json!("1")), "must be a number");
    assert_eq!(refused("count", json!(0.5)), "must be at least 1");
    assert_eq!(refused("volume", json!(101)), "must be at most 100");
    assert_eq!(refused("mode", json!("c")), "must be one of a, b, 3");
    assert_eq!(refused("mode", json!("3")), "must be one of a, b, 3");
    assert_eq!(refused("name", json!(null)), "must be a string");
    assert_eq!(refused("out.dir", json!([])), "must be a string");
    assert_eq!(refused("words", json!(["a", 1])), "must be a list of strings");
    let channels =
        "must be a list of channels, each with the strings channel_id, channel_login, display_name";
    for bad in [json!("a"), json!(["a"]), json!([{ "channel_id": "1", "channel_login": "a" }])] {
        assert_eq!(refused("channels", bad), channels);
    }
    assert_eq!(check("name", json!("a".repeat(65_536))), Ok(()));
    assert_eq!(refused("name", json!("a".repeat(65_537))), "must be at most 65536 bytes");
}

#[test]
fn a_text_of_the_command_line_is_json_or_bare() {
    let (schema, _) = parse(&with(&every_type())).unwrap();
    let read = |key: &str, text: &str| schema.field(key).unwrap().read(text);
    let of = |id: &str, name: &str| json!({ "channel_id": id, "channel_login": id, "display_name": name });
    for (key, text, value) in [
        ("on", "true", json!(true)),
        ("on", "Off", json!(false)),
        ("on", "yes", json!(true)),
        ("count", "5", json!(5)),
        ("count", " 2.5 ", json!(2.5)),
        ("count", "+5", json!(5.0)),
        ("mode", "b", json!("b")),
        ("mode", "\"b\"", json!("b")),
        ("mode", "3", json!(3)),
        ("name", "a, b", json!("a, b")),
        ("name", "\"quoted\\n\"", json!("quoted\n")),
        ("name", "7", json!("7")),
        ("name", "", json!("")),
        ("words", "a, b,,c ", json!(["a", "b", "c"])),
        ("words", "", json!([])),
        ("words", "[\"a, b\"]", json!(["a, b"])),
        ("channels", "Alice, bob_1", json!([of("alice", "Alice"), of("bob_1", "bob_1")])),
        ("channels", &json!([of("x", "y")]).to_string(), json!([of("x", "y")])),
        ("out.dir", "~/clips", json!("~/clips")),
    ] {
        assert_eq!(read(key, text), Ok(value), "{key} {text}");
    }
    assert_eq!(read("on", "maybe").unwrap_err(), "must be true or false");
    assert_eq!(read("count", "many").unwrap_err(), "must be a number");
    assert_eq!(read("count", "NaN").unwrap_err(), "must be a number");
    assert_eq!(read("count", "11").unwrap_err(), "must be at most 10");
    assert_eq!(read("mode", "c").unwrap_err(), "must be one of a, b, 3");
    assert_eq!(read("words", "[1]").unwrap_err(), "must be a list of strings");
    assert_eq!(read("words", "[\"a\"").unwrap_err(), "must be a list of strings");
    assert!(read("channels", "no such").is_err() && read("channels", "{}").is_err());
}

#[test]
fn a_value_is_shown_as_a_person_reads_it() {
    let (schema, _) = parse(&with(&every_type())).unwrap();
    let shown = |key: &str, value: Value| schema.field(key).unwrap().shown(&value);
    assert_eq!(shown("on", json!(true)), "on");
    assert_eq!(shown("count", json!(3)), "3 s");
    assert_eq!(shown("mode", json!("b")), "B");
    assert_eq!(shown("mode", json!("gone")), "gone");
    assert_eq!(shown("volume", json!(15)), "1.5 dB");
    assert_eq!(shown("volume", json!(100)), "10 dB");
    assert_eq!(shown("words", json!(["a", "b"])), "a, b");
    let item = json!({ "channel_id": "1", "channel_login": "a", "display_name": "" });
    assert_eq!(shown("channels", json!([item])), "a");
    assert_eq!(shown("out.dir", json!("/x")), "/x");
    let plain = field(&json!({ "key": "a", "type": "slider", "label": "L", "min": 0, "max": 1 }));
    assert_eq!(plain.shown(&json!(0.25)), "0.25");
}

proptest! {
    #[test]
    fn any_mutated_params_are_judged(
        edits in proptest::collection::vec(
            (0..1_400_usize, 0..12_usize, "[\\[\\]{}\":,a-z0-9.\\-]{0,6}"),
            1..5,
        ),
    ) {
        let mut params = json!({ "schema": with(&every_type()) }).to_string();
        for (at, len, new) in edits {
            let at = at.min(params.len());
            let end = (at + len).min(params.len());
            params.replace_range(at..end, &new);
        }
        let stored = BTreeMap::new();
        match Schema::parse(&params, &limits::Plugin::default()) {
            Ok((schema, _)) => {
                let values = schema.values(&stored);
                for field in schema.fields() {
                    let value = values.get(&*field.key);
                    prop_assert_eq!(value, field.default.as_ref());
                    prop_assert!(value.is_none_or(|it| field.check(it).is_ok()));
                    if let Some(value) = value {
                        prop_assert_eq!(field.read(&value.to_string()), Ok(value.clone()));
                    }
                }
            }
            Err(fault) => prop_assert!(fault.path.starts_with("schema") || fault.path == "params"),
        }
    }

    #[test]
    fn what_is_read_of_a_text_is_a_value_of_the_field(text in "\\PC{0,40}") {
        let (schema, _) = parse(&with(&every_type())).unwrap();
        for field in schema.fields() {
            if let Ok(value) = field.read(&text) {
                prop_assert_eq!(field.check(&value), Ok(()));
                let _ = field.shown(&value);
            }
        }
    }
}
