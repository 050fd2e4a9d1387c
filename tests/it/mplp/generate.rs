//! Objects made of the schemas: minimal ones, full ones, and for each constraint those that break it alone.

use std::collections::BTreeSet;

use rl_console::mplp::{Path, SchemaId};
use serde_json::{Map, Value, json};

use super::shape::{Shape, shape_of};

/// How much of what may be there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Minimal,
    Full,
}

/// An object of a schema, and the constraints that it breaks: paths and keywords.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) schema: SchemaId,
    pub(crate) about: String,
    pub(crate) object: Value,
    pub(crate) expected: BTreeSet<(Path, String)>,
}

const UUID_V4: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";

/// A UUID v4 that differs by number.
pub(crate) fn uuid(number: u64) -> String {
    format!("5a0e8400-e29b-41d4-a716-{number:012x}")
}

/// An object of a schema that breaks nothing.
pub(crate) fn clean(id: SchemaId, amount: Amount) -> Value {
    sample(shape_of(id), amount, &mut 0)
}

fn sample(shape: &Shape, amount: Amount, number: &mut u64) -> Value {
    *number += 1;
    if let Some(value) = shape.constant.as_ref().or(shape.texts.first()) {
        return value.clone();
    }
    match shape.types.first().map_or("", String::as_str) {
        "string" => json!(text(shape, *number)),
        "integer" => json!(shape.minimum.unwrap_or(-3) + i64::from(amount == Amount::Full)),
        "number" => json!(shape.minimum.unwrap_or_default()),
        "boolean" => json!(amount == Amount::Full),
        "array" => {
            // One item alone, where changing it must not make it equal to another.
            let many = if shape.is_unique { 1 } else { 2 };
            let count =
                shape.min_items.unwrap_or_default().max(if amount == Amount::Full { many } else { 0 });
            let items = shape.items.as_deref().unwrap();
            let list: Vec<Value> = (0..count).map(|_| sample(items, amount, number)).collect();
            Value::Array(list)
        }
        "object" => object(shape, amount, number),
        _ => json!({"anything": [null, 1.5, {"at": "all"}]}),
    }
}

fn object(shape: &Shape, amount: Amount, number: &mut u64) -> Value {
    let mut members = Map::new();
    for (name, member) in &shape.members {
        let is_needed = shape.required.contains(name) || shape.one_of.first() == Some(name);
        if is_needed || amount == Amount::Full {
            members.insert(name.clone(), sample(member, amount, number));
        }
    }
    Value::Object(members)
}

fn text(shape: &Shape, number: u64) -> String {
    match (shape.pattern.as_deref(), shape.format.as_deref()) {
        (Some(UUID_V4), _) | (_, Some("uuid")) => uuid(number),
        (Some(pattern), _) if pattern.starts_with("^[a-z]") => "run.step2.done".to_owned(),
        (Some(pattern), _) if pattern.starts_with("^[0-9]+") => "1.0.0".to_owned(),
        (Some(_), _) => "1.0.0-rc.1+build.5".to_owned(),
        (_, Some("date-time")) => "2026-01-28T15:30:00.000Z".to_owned(),
        (_, Some("uri")) => "https://ci.example.test/runs/7?x=1#log".to_owned(),
        (_, Some("email")) => "ada@example.test".to_owned(),
        _ => format!("text {number}"),
    }
}

/// Texts that are near to what a pattern or format allows, and are not allowed.
pub(crate) fn near_misses(shape: &Shape) -> &'static [&'static str] {
    match (shape.pattern.as_deref(), shape.format.as_deref()) {
        (Some(UUID_V4), _) => &[
            "",
            "5A0E8400-e29b-41d4-a716-446655440000",
            "123e4567-e89b-12d3-a456-426614174000",
            "5a0e8400-e29b-41d4-c716-446655440000",
            "5a0e8400-e29b-41d4-a716-44665544000",
            "5a0e8400-e29b-41d4-a716-4466554400000",
            "5a0e8400e29b41d4a716446655440000",
            "{5a0e8400-e29b-41d4-a716-446655440000}",
            " 5a0e8400-e29b-41d4-a716-446655440000",
            "5a0e8400-e29b-41d4-a716-446655440000\n",
            "5a0e8400-e29b-41d4-a716-44665544000g",
        ],
        (Some(pattern), _) if pattern.starts_with("^[a-z]") => {
            &["", "Run.step", "run..step", ".run", "run.", "run.2step", "run_step", "run.step\n", "run é"]
        }
        (Some(pattern), _) if pattern.starts_with("^[0-9]+") => {
            &["", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-rc", "1.0.x", "1.0.0\n", "\u{661}.0.0"]
        }
        (Some(_), _) => &[
            "",
            "1.0",
            "01.0.0",
            "1.00.0",
            "v1.0.0",
            "1.0.0-",
            "1.0.0-01",
            "1.0.0+",
            "1.0.0-a..b",
            "1.0.0\n",
            "\u{661}.0.0",
            "1.0.0-é",
        ],
        (_, Some("uuid")) => &[
            "",
            "5a0e8400-e29b-41d4-a716-44665544000",
            "5a0e8400e29b41d4a716446655440000",
            "{5a0e8400-e29b-41d4-a716-446655440000}",
            "urn:uuid:5a0e8400-e29b-41d4-a716-446655440000",
            "5a0e8400-e29b-41d4-a716-446655440000 ",
            "5a0e8400-e29b-41d4-a716-44665544000g",
            "5a0e8400-e29b4-1d4-a716-446655440000",
        ],
        (_, Some("date-time")) => &[
            "",
            "2026-01-28",
            "2026-01-28 15:30:00Z",
            "2026-01-28T15:30:00",
            "2026-01-28T15:30Z",
            "2026-01-28T15:30:00+01",
            "2026-01-28T15:30:00+0100",
            "2026-01-28T15:30:00+24:00",
            "2026-01-28T15:30:00.Z",
            "2026-01-28T15:30:00,5Z",
            "2026-13-28T15:30:00Z",
            "2026-02-29T15:30:00Z",
            "2026-01-28T24:00:00Z",
            "2026-01-28T15:30:60Z",
            "2026-01-28T15:30:00Z\n",
            "\u{662}026-01-28T15:30:00Z",
            "1769614200",
        ],
        (_, Some("uri")) => &[
            "",
            "//ci.example.test/7",
            "/runs/7",
            "7:a",
            "http://a b",
            "http://[::1",
            "http://a:x",
            "http://%zz",
            "http://é.test/",
            "http://a/[b]",
            "http://a/#b#c",
        ],
        (_, Some("email")) => &[
            "",
            "ada",
            "ada@",
            "@example.test",
            "a b@example.test",
            "ada@-x.test",
            "ada@x..test",
            "a..b@x.test",
            "ada@[300.1.1.1]",
            "Ada <ada@x.test>",
            "ada@é.test",
        ],
        _ => &[],
    }
}

/// Texts at the edge of what a pattern or format allows.
pub(crate) fn near_hits(shape: &Shape) -> &'static [&'static str] {
    match (shape.pattern.as_deref(), shape.format.as_deref()) {
        (Some(UUID_V4), _) => {
            &["00000000-0000-4000-b000-000000000000", "ffffffff-ffff-4fff-8fff-ffffffffffff"]
        }
        (Some(pattern), _) if pattern.starts_with("^[a-z]") => &["a", "a1", "a.b.c9"],
        (Some(pattern), _) if pattern.starts_with("^[0-9]+") => &["01.002.3", "0.0.0"],
        (Some(_), _) => &["0.0.0", "1.0.0--", "1.0.0-0a.-1+01.-", "10.20.30+x"],
        (_, Some("uuid")) => {
            &["123E4567-e89b-12d3-c456-426614174000", "00000000-0000-0000-0000-000000000000"]
        }
        (_, Some("date-time")) => &[
            "2024-02-29t00:00:00z",
            "1990-12-31T15:59:60.25-08:00",
            "0000-01-01T00:00:00-00:00",
            "2026-01-28T23:59:59.999999999999+23:59",
        ],
        (_, Some("uri")) => {
            &["x:", "urn:a:b", "file:///etc/hosts", "http://u:p@[::ffff:1.2.3.4]:80/%20?/?#", "a:/", "a://"]
        }
        (_, Some("email")) => {
            &["a@b", "\"a b\"@x-1.test", "a@[192.0.2.1]", "a@[IPv6:::1]", "!#$%&'*+/=?^_`{|}~-@1.2"]
        }
        _ => &[],
    }
}

/// For each constraint of a schema, full objects that break it alone; and some that only come near.
pub(crate) fn cases(id: SchemaId) -> Vec<Case> {
    let shape = shape_of(id);
    let whole = sample(shape, Amount::Full, &mut 0);
    let mut maker = CaseMaker { schema: id, whole: whole.clone(), cases: Vec::new() };
    for (about, amount) in [("minimal", Amount::Minimal), ("full", Amount::Full)] {
        let object = sample(shape, amount, &mut 100);
        maker.cases.push(Case { schema: id, about: about.to_owned(), object, expected: BTreeSet::new() });
    }
    maker.visit(shape, "", &Path::of(id.start()), &whole);
    maker.cases
}

struct CaseMaker {
    schema: SchemaId,
    whole: Value,
    cases: Vec<Case>,
}

impl CaseMaker {
    /// The whole object with the value at a pointer changed.
    fn change(
        &mut self,
        about: &str,
        at: &str,
        value: Value,
        expected: impl IntoIterator<Item = (Path, &'static str)>,
    ) {
        let mut object = self.whole.clone();
        *object.pointer_mut(at).unwrap() = value;
        let expected = expected.into_iter().map(|(path, keyword)| (path, keyword.to_owned())).collect();
        self.cases.push(Case { schema: self.schema, about: format!("{about} at {at:?}"), object, expected });
    }

    fn visit(&mut self, shape: &Shape, at: &str, path: &Path, value: &Value) {
        self.of_type(shape, at, path);
        self.of_text(shape, at, path);
        self.of_number(shape, at, path, value);
        if let Some(members) = value.as_object() {
            self.of_object(shape, at, path, members);
        }
        if let Some(items) = value.as_array() {
            self.of_array(shape, at, path, items);
        }
    }

    fn of_type(&mut self, shape: &Shape, at: &str, path: &Path) {
        let values =
            [json!(null), json!(true), json!(2), json!(2.5), json!("no such text"), json!([]), json!({})];
        for value in values {
            let kinds: &[&str] = match &value {
                Value::Null => &["null"],
                Value::Bool(_) => &["boolean"],
                Value::Number(number) if number.is_i64() => &["integer", "number"],
                Value::Number(_) => &["number"],
                Value::String(_) => &["string"],
                Value::Array(_) => &["array"],
                Value::Object(_) => &["object"],
            };
            let is_of_type = |it: &String| kinds.contains(&it.as_str());
            if shape.types.is_empty() && shape.constant.is_none() || shape.types.iter().any(is_of_type) {
                continue;
            }
            let broken = [
                ("type", !shape.types.is_empty()),
                ("enum", !shape.texts.is_empty()),
                ("const", shape.constant.is_some()),
            ];
            let expected = broken.into_iter().filter(|it| it.1).map(|it| (path.clone(), it.0));
            self.change("wrong type", at, value, expected);
        }
    }

    fn of_text(&mut self, shape: &Shape, at: &str, path: &Path) {
        let fault = |keyword| (path.clone(), keyword);
        if !shape.texts.is_empty() {
            let other = shape.constant.is_some().then(|| fault("const"));
            self.change("out of the enum", at, json!("no-such"), other.into_iter().chain([fault("enum")]));
        }
        for text in &shape.texts {
            let is_other = shape.constant.as_ref().is_some_and(|it| it != text);
            self.change("in the enum", at, text.clone(), is_other.then(|| fault("const")));
        }
        if shape.constant.is_some() && shape.texts.is_empty() {
            self.change("another text", at, json!("no-such"), [fault("const")]);
        }
        if shape.min_length.is_some() {
            self.change("empty", at, json!(""), [fault("minLength")]);
            self.change("one character", at, json!("é"), []);
        }
        let keyword = if shape.pattern.is_some() { "pattern" } else { "format" };
        for text in near_misses(shape) {
            self.change("near miss", at, json!(text), [fault(keyword)]);
        }
        for text in near_hits(shape) {
            self.change("near hit", at, json!(text), []);
        }
    }

    fn of_number(&mut self, shape: &Shape, at: &str, path: &Path, value: &Value) {
        if let Some(minimum) = shape.minimum {
            self.change("below", at, json!(minimum - 1), [(path.clone(), "minimum")]);
            self.change("lowest", at, json!(minimum), []);
        }
        if let Some(maximum) = shape.maximum {
            self.change("above", at, json!(maximum + 1), [(path.clone(), "maximum")]);
            self.change("highest", at, json!(maximum), []);
        }
        if value.is_i64() {
            self.change(
                "whole by value",
                at,
                json!(2.0),
                (shape.maximum == Some(1)).then(|| (path.clone(), "maximum")),
            );
        }
    }

    fn of_object(&mut self, shape: &Shape, at: &str, path: &Path, members: &Map<String, Value>) {
        for extra in ["extra", "$comment", "a b/c~d"] {
            let mut more = members.clone();
            more.insert(extra.to_owned(), json!({"any": 1}));
            let is_known = shape.is_object() || !shape.members.is_empty();
            let fault = (is_known && shape.is_closed).then(|| (path.member(extra), "additionalProperties"));
            self.change("superfluous", at, more.into(), fault);
        }
        for name in shape.members.keys() {
            let mut fewer = members.clone();
            fewer.remove(name);
            let fault = shape.required.contains(name).then(|| (path.member(name), "required"));
            self.change(&format!("without {name}"), at, fewer.into(), fault);
        }
        if !shape.one_of.is_empty() {
            let mut fewer = members.clone();
            fewer.retain(|name, _| !shape.one_of.contains(name));
            self.change("no alternative", at, fewer.into(), [(path.clone(), "anyOf")]);
        }
        for (name, member) in &shape.members {
            let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
            self.visit(member, &pointer, &path.member(name), &members[name]);
        }
    }

    fn of_array(&mut self, shape: &Shape, at: &str, path: &Path, items: &[Value]) {
        let fault = shape.min_items.map(|_| (path.clone(), "minItems"));
        self.change("empty list", at, json!([]), fault);
        let twice = vec![items[0].clone(); 2];
        let fault = shape.is_unique.then(|| (path.clone(), "uniqueItems"));
        self.change("one item twice", at, twice.into(), fault);
        let last = items.len() - 1;
        let item = shape.items.as_deref().unwrap();
        self.visit(item, &format!("{at}/{last}"), &path.item(last), &items[last]);
    }
}
