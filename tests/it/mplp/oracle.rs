//! A second judge of bundles, written of the schemas as they are read by [`shape`](super::shape) and of the
//! rules as they are tabled. Slow, plain, and without paths within objects: it says what is sound.

use std::collections::BTreeSet;

use rl_console::mplp::{
    RULES, SchemaId,
    bundle::{BUNDLE_MEMBERS, BundleMember},
    detect_event,
    formats::{is_date_time, is_email, is_uri, is_uuid, is_uuid_v4},
    rule::{Check, Pair, Profile, Rule, Scope},
};
use serde_json::{Map, Value};

use super::shape::{Shape, shape_of};

/// Whether a value is what a place of a schema asks.
pub(super) fn fits(shape: &Shape, value: &Value) -> bool {
    let is_of_type = shape.types.is_empty() || shape.types.iter().any(|it| is_of_type(it, value));
    let is_listed = shape.texts.is_empty() || shape.texts.contains(value);
    let is_constant = shape.constant.as_ref().is_none_or(|it| it == value);
    let fits_its_type = match value {
        Value::String(text) => fits_text(shape, text),
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            #[expect(clippy::cast_precision_loss, reason = "the bounds of the schemas are small")]
            let bound = |it: i64| it as f64;
            shape.minimum.is_none_or(|it| number >= bound(it))
                && shape.maximum.is_none_or(|it| number <= bound(it))
        }
        Value::Array(items) => {
            let is_twice = |at: usize| items[..at].contains(&items[at]);
            shape.min_items.is_none_or(|least| items.len() as u64 >= least)
                && !(shape.is_unique && (0..items.len()).any(is_twice))
                && shape.items.as_ref().is_none_or(|item| items.iter().all(|it| fits(item, it)))
        }
        Value::Object(members) => fits_object(shape, members),
        Value::Null | Value::Bool(_) => true,
    };
    is_of_type && is_listed && is_constant && fits_its_type
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("a type that nobody knows: {other}"),
    }
}

fn fits_text(shape: &Shape, text: &str) -> bool {
    let is_pattern = match shape.pattern.as_deref() {
        None => true,
        Some(pattern) if pattern.starts_with("^[0-9a-f]{8}") => is_uuid_v4(text),
        Some(pattern) if pattern.starts_with("^[a-z]") => {
            let is_word = |word: &str| {
                word.starts_with(|it: char| it.is_ascii_lowercase())
                    && word.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
            };
            text.split('.').all(is_word)
        }
        Some(pattern) if pattern.starts_with("^[0-9]+") => {
            let parts: Vec<&str> = text.split('.').collect();
            let is_number = |it: &&str| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit());
            parts.len() == 3 && parts.iter().all(is_number)
        }
        // A version with what may follow it: no other text of one is among what is put there.
        Some(_) => text.starts_with("1.0.0"),
    };
    let is_format = match shape.format.as_deref() {
        None => true,
        Some("uuid") => is_uuid(text),
        Some("date-time") => is_date_time(text),
        Some("uri") => is_uri(text),
        Some("email") => is_email(text),
        Some(other) => panic!("a format that nobody knows: {other}"),
    };
    is_pattern && is_format && shape.min_length.is_none_or(|least| text.chars().count() as u64 >= least)
}

fn fits_object(shape: &Shape, members: &Map<String, Value>) -> bool {
    let is_known = |(name, value): (&String, &Value)| match shape.members.get(name) {
        Some(member) => fits(member, value),
        None => !shape.is_closed,
    };
    let has = |name: &String| members.contains_key(name);
    members.iter().all(is_known)
        && shape.required.iter().all(has)
        && (shape.one_of.is_empty() || shape.one_of.iter().any(has))
}

/// The objects of a bundle, each with its path and its schema.
pub(super) fn objects(bundle: &Value) -> Vec<(String, SchemaId, &Value)> {
    let mut found = Vec::new();
    for (name, member) in BUNDLE_MEMBERS {
        let Some(value) = bundle.get(name) else { continue };
        let items = || value.as_array().into_iter().flatten().enumerate();
        match member {
            BundleMember::One(schema) => found.push((format!("$.{name}"), schema, value)),
            BundleMember::Many(schema) => {
                found.extend(items().map(|(at, it)| (format!("$.{name}[{at}]"), schema, it)));
            }
            BundleMember::Events => {
                found.extend(items().map(|(at, it)| (format!("$.{name}[{at}]"), detect_event(it), it)));
            }
        }
    }
    found
}

/// The paths of the objects that are not what their schemas ask; of the bundle itself, its members' or `$`.
pub(super) fn unfit(bundle: &Value) -> BTreeSet<String> {
    let Some(members) = bundle.as_object() else { return ["$".to_owned()].into() };
    let mut found = BTreeSet::new();
    for (name, value) in members {
        let is_one = matches!(&**name, "context" | "plan" | "trace" | "core" | "network");
        let is_many = BUNDLE_MEMBERS.iter().any(|(known, _)| known == name) && !is_one;
        let is_fit = match &**name {
            "mplp" => value == "1.0.0",
            "profile" => value == "sa" || value == "map",
            _ => is_one || is_many && value.is_array(),
        };
        if !is_fit {
            found.insert(format!("$.{name}"));
        }
    }
    if !members.contains_key("context") {
        found.insert("$.context".to_owned());
    }
    let objects = objects(bundle).into_iter();
    found.extend(objects.filter(|(_, schema, it)| !fits(shape_of(*schema), it)).map(|(path, ..)| path));
    found
}

/// The rules that a bundle breaks, each with the path.
pub(super) fn broken(bundle: &Value) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let profile = match bundle.get("profile").and_then(Value::as_str) {
        Some("sa") => Some(Profile::Sa),
        Some("map") => Some(Profile::Map),
        _ => None,
    };
    let is_of = |rule: &Rule| match rule.condition.profile {
        None => true,
        Some(Profile::Sa) => profile.is_some(),
        Some(Profile::Map) => profile == Some(Profile::Map),
    };
    for (path, schema, object) in objects(bundle) {
        for rule in RULES.iter().filter(|it| Scope::of(schema) == Some(it.scope) && is_of(it)) {
            let is_meant = rule.condition.member.is_none_or(|(name, text)| object[name] == text);
            if !is_meant || matches!(rule.check, Check::Pair(_)) {
                continue;
            }
            for (at, value) in values(object, rule.path, &path) {
                let is_optional = rule.condition.is_present && value.is_none();
                if !is_optional && !value.is_some_and(|it| holds(&rule.check, it, bundle)) {
                    found.insert((rule.id.to_owned(), at));
                }
            }
        }
    }
    if profile == Some(Profile::Map) && bundle.get("trace").is_some() {
        found.extend(unanswered(bundle));
    }
    found
}

/// The values that the path of a rule leads to.
fn values<'a>(object: &'a Value, rule: &str, at: &str) -> Vec<(String, Option<&'a Value>)> {
    let mut found = vec![(at.to_owned(), Some(object))];
    for step in rule.split('.') {
        let (name, is_each) = step.strip_suffix("[*]").map_or((step, false), |it| (it, true));
        let down = found.into_iter().map(|(at, it)| (format!("{at}.{name}"), it.and_then(|it| it.get(name))));
        found = if is_each {
            let items = |(at, it): (String, Option<&'a Value>)| {
                let list = it.and_then(Value::as_array).into_iter().flatten().enumerate();
                list.map(move |(index, it)| (format!("{at}[{index}]"), Some(it))).collect::<Vec<_>>()
            };
            down.flat_map(items).collect()
        } else {
            down.collect()
        };
    }
    found
}

fn holds(check: &Check, value: &Value, bundle: &Value) -> bool {
    let text = value.as_str();
    match check {
        Check::UuidV4 => text.is_some_and(is_uuid_v4),
        Check::NonEmptyString => text.is_some_and(|it| !it.trim().is_empty()),
        Check::MinLength(least) => {
            let items = value.as_array().map(Vec::len);
            items.or_else(|| text.map(|it| it.chars().count())).is_some_and(|it| it >= *least)
        }
        Check::OneOf(texts) => text.is_some_and(|it| texts.contains(&it)),
        Check::Eq(object, member) => text.is_some() && bundle[*object][*member] == *value,
        Check::Exists => !value.is_null(),
        Check::IsoDatetime => text.is_some_and(is_date_time),
        Check::Pair(_) => true,
    }
}

/// Of each event that asks for an answer, the rule and the path where none follows in its session.
fn unanswered(bundle: &Value) -> Vec<(String, String)> {
    let events: Vec<&Value> = bundle["events"].as_array().into_iter().flatten().collect();
    let of_map: Vec<(usize, &Value)> =
        events.into_iter().enumerate().filter(|(_, it)| detect_event(it) == SchemaId::MapEvent).collect();
    let pairs = [
        ("MAPTurnDispatched", "MAPTurnCompleted", Pair::TurnCompleted),
        ("MAPBroadcastSent", "MAPBroadcastReceived", Pair::BroadcastReceived),
    ];
    let goes_on = ["pending", "running"].iter().any(|status| bundle["trace"]["status"] == **status);
    let mut found = Vec::new();
    for (place, (index, asked)) in of_map.iter().enumerate() {
        let Some((_, answer, pair)) = pairs.iter().find(|it| asked["event_type"] == it.0) else { continue };
        let later = of_map[place + 1..].iter().map(|it| it.1);
        let later = later.filter(|it| it["session_id"] == asked["session_id"]);
        let is_over = !goes_on || later.clone().any(|it| it["event_type"] == "MAPSessionCompleted");
        let mut open = later.take_while(|it| it["event_type"] != "MAPSessionCompleted");
        let turn = |it: &Value| {
            let payload = it.get("payload")?;
            let number = payload.get("turn_number")?.as_f64().filter(|it| it.fract() == 0.0)?;
            // Without the sign of zero.
            Some((payload.get("role_id")?.as_str()?.to_owned(), (number + 0.0).to_bits()))
        };
        let is_whole = *pair == Pair::BroadcastReceived || turn(asked).is_some();
        let is_answer = |it: &Value| {
            *pair == Pair::BroadcastReceived || turn(it).is_some_and(|of| Some(of) == turn(asked))
        };
        let is_answered = asked["session_id"].is_string()
            && is_whole
            && (!is_over || open.any(|it| it["event_type"] == *answer && is_answer(it)));
        if !is_answered {
            let rule = RULES.iter().find(|it| it.check == Check::Pair(*pair)).unwrap();
            found.push((rule.id.to_owned(), format!("$.events[{index}]")));
        }
    }
    found
}
