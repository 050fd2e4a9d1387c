//! A bundle: the objects and events of one record (ruling MPLP 12), judged together.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    catalog::SchemaId,
    detect::{detect, detect_event},
    finding::{Collector, Finding, Findings, Path, Stage, received},
    judge::judge_at,
    pairs::PairFold,
    rule::{Check, Pair, Profile, RecordContext, Rule, Scope},
    rules::RULES,
};

/// What findings of a bundle's own members name as their schema.
pub const BUNDLE: &str = "bundle";

/// The version of the protocol that a bundle has in `mplp`.
pub const PROTOCOL_VERSION: &str = "1.0.0";

/// What a member of a bundle holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleMember {
    /// One object of a schema.
    One(SchemaId),
    /// Objects of a schema.
    Many(SchemaId),
    /// Events of all families, SA's and MAP's, as they happened.
    Events,
}

/// The members of a bundle behind `mplp` and `profile`, in their order. Only `context` must be there.
pub const BUNDLE_MEMBERS: [(&str, BundleMember); 11] = [
    ("context", BundleMember::One(SchemaId::Context)),
    ("plan", BundleMember::One(SchemaId::Plan)),
    ("trace", BundleMember::One(SchemaId::Trace)),
    ("core", BundleMember::One(SchemaId::Core)),
    ("network", BundleMember::One(SchemaId::Network)),
    ("roles", BundleMember::Many(SchemaId::Role)),
    ("extensions", BundleMember::Many(SchemaId::Extension)),
    ("confirms", BundleMember::Many(SchemaId::Confirm)),
    ("dialogs", BundleMember::Many(SchemaId::Dialog)),
    ("collabs", BundleMember::Many(SchemaId::Collab)),
    ("events", BundleMember::Events),
];

/// Whether a value is a bundle, and no object of a schema.
#[must_use]
pub fn is_bundle(value: &Value) -> bool {
    detect(value).is_none() && ["mplp", "context"].iter().any(|name| value.get(name).is_some())
}

/// The profile that a bundle claims, if it does.
#[must_use]
pub fn profile_of(bundle: &Value) -> Option<Profile> {
    bundle.get("profile").and_then(Value::as_str).and_then(Profile::named)
}

/// Objects and events that a bundle holds.
#[must_use]
pub fn objects_of(bundle: &Value) -> u64 {
    let member = |(name, member): &(&str, BundleMember)| match (bundle.get(name), member) {
        (None, _) => 0,
        (Some(_), BundleMember::One(_)) => 1,
        (Some(items), _) => items.as_array().map_or(0, Vec::len) as u64,
    };
    BUNDLE_MEMBERS.iter().map(member).sum()
}

/// Judges a bundle by the schemas and all rules: those of `profile`, else of the one that it claims. At most
/// `findings_max` findings, the first by their order: the bundle's own, then object by object.
#[must_use]
pub fn judge_bundle(bundle: &Value, profile: Option<Profile>, findings_max: usize) -> Findings {
    let mut found = Collector::new(findings_max);
    let Some(members) = bundle.as_object() else {
        own(&mut found, Path::default(), "type", "type object".to_owned(), Some(bundle));
        return found.into_findings();
    };
    judge_envelope(members, &mut found);
    let profile = profile.or_else(|| profile_of(bundle));
    let record = RecordContext { profile, bundle: Some(members) };
    let mut place = 1;
    for (name, member) in BUNDLE_MEMBERS {
        let Some(value) = members.get(name) else { continue };
        let at = Path::of(name);
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        match member {
            BundleMember::One(schema) => {
                judge_at(schema, value, &at, place, record, &mut found);
                place += 1;
                continue;
            }
            BundleMember::Many(schema) => {
                for (index, item) in items.iter().enumerate() {
                    judge_at(schema, item, &at.item(index), place + index, record, &mut found);
                }
            }
            BundleMember::Events => {
                for (index, item) in items.iter().enumerate() {
                    judge_at(detect_event(item), item, &at.item(index), place + index, record, &mut found);
                }
                judge_pairs(items, &at, place, record, &mut found);
            }
        }
        place += items.len();
    }
    found.into_findings()
}

/// Judges the members of the bundle itself.
fn judge_envelope(members: &Map<String, Value>, found: &mut Collector) {
    let one_of = "one of sa, map".to_owned();
    for (name, value) in members {
        let at = Path::of(name);
        let member = BUNDLE_MEMBERS.iter().find(|(known, _)| known == name).map(|(_, member)| member);
        match (name.as_str(), member) {
            ("mplp", _) if value != PROTOCOL_VERSION => {
                own(found, at, "const", format!("\"{PROTOCOL_VERSION}\""), Some(value));
            }
            ("profile", _) if value.as_str().and_then(Profile::named).is_none() => {
                own(found, at, "enum", one_of.clone(), Some(value));
            }
            ("mplp" | "profile", _) | (_, Some(BundleMember::One(_))) => {}
            (_, Some(_)) if value.is_array() => {}
            (_, Some(_)) => own(found, at, "type", "type array".to_owned(), Some(value)),
            (_, None) => {
                let requires = "no member of this name".to_owned();
                own(found, at, "additionalProperties", requires, Some(value));
            }
        }
    }
    if !members.contains_key("context") {
        own(found, Path::of("context"), "required", "a member of this name".to_owned(), None);
    }
}

/// Adds a finding of the bundle itself.
fn own(found: &mut Collector, path: Path, rule: &'static str, requires: String, value: Option<&Value>) {
    let (rule, received) = (Cow::Borrowed(rule), value.map(received));
    let finding = Finding { path, rule, requires, received, schema: Cow::Borrowed(BUNDLE) };
    found.add(0, Stage::Schema, finding);
}

/// Applies the pair rules to the MAP events. Their scope is the Trace: without one, they are not applied, and
/// while it goes on, to sessions that are completed alone (ruling MPLP 2).
fn judge_pairs(events: &[Value], at: &Path, place: usize, record: RecordContext<'_>, found: &mut Collector) {
    let Some(trace) = record.bundle.and_then(|it| it.get("trace")) else { return };
    if record.profile != Some(Profile::Map) {
        return;
    }
    let mut fold = PairFold::default();
    let mut broken = |index: usize, pair: Pair| {
        let Some(rule) = pair_rule(pair) else { return };
        let finding = Finding {
            path: at.item(index),
            rule: Cow::Borrowed(rule.id),
            requires: rule.check.requires(),
            received: events.get(index).map(received),
            schema: Cow::Borrowed(SchemaId::MapEvent.name()),
        };
        found.add(place + index, Stage::Rules, finding);
    };
    for (index, event) in events.iter().enumerate() {
        if detect_event(event) == SchemaId::MapEvent {
            fold.handle_event(index, event, &mut broken);
        }
    }
    // What is open in a Trace that goes on may still come.
    let status = trace.get("status").and_then(Value::as_str);
    if !matches!(status, Some("pending" | "running")) {
        fold.finish(&mut broken);
    }
}

/// The rule of a pair.
fn pair_rule(pair: Pair) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.scope == Scope::Trace && rule.check == Check::Pair(pair))
}

/// Objects that were given one by one, as the bundle that they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The bundle, without `mplp` where none of them is a part of one.
    pub bundle: Value,
    /// What no member of a bundle holds, each by its place among what was given: to be judged alone.
    pub others: Vec<(usize, SchemaId, Value)>,
}

/// A second object of a kind of which a bundle has one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bundle has one {kind}; item {place} is another: judge it apart")]
pub struct SecondOfKind {
    /// Its kind.
    pub kind: &'static str,
    /// Its place among what was given, from 0.
    pub place: usize,
}

/// Puts objects together to a bundle, each under its kind, in the order in which they are given.
///
/// # Errors
/// A second object of a kind of which a bundle has one.
pub fn assemble(
    objects: impl IntoIterator<Item = (SchemaId, Value)>,
    profile: Option<Profile>,
) -> Result<Assembled, SecondOfKind> {
    let mut members = Map::new();
    members.insert("mplp".to_owned(), PROTOCOL_VERSION.into());
    if let Some(profile) = profile {
        members.insert("profile".to_owned(), profile.as_str().into());
    }
    let mut others = Vec::new();
    for (place, (schema, value)) in objects.into_iter().enumerate() {
        match member_of(schema) {
            Some((name, BundleMember::One(_))) => {
                if members.insert(name.to_owned(), value).is_some() {
                    return Err(SecondOfKind { kind: name, place });
                }
            }
            Some((name, _)) => {
                if let Some(items) = members.entry(name).or_insert_with(|| json!([])).as_array_mut() {
                    items.push(value);
                }
            }
            None => others.push((place, schema, value)),
        }
    }
    Ok(Assembled { bundle: Value::Object(members), others })
}

/// The member of a bundle that holds objects of a schema.
#[must_use]
pub fn member_of(schema: SchemaId) -> Option<(&'static str, BundleMember)> {
    let is_event = matches!(Scope::of(schema), Some(Scope::Event))
        || matches!(schema, SchemaId::SaEvent | SchemaId::MapEvent);
    BUNDLE_MEMBERS.into_iter().find(|(_, member)| match member {
        BundleMember::One(known) | BundleMember::Many(known) => *known == schema,
        BundleMember::Events => is_event,
    })
}

#[cfg(test)]
mod tests;
