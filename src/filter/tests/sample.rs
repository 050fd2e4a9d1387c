//! A record with a field of each kind.

use crate::{
    field::{Class, Kind, Record, Spec, Value, fields},
    filter::{Fault, Filter},
    time::{Now, Wall},
};

pub(super) const STATES: &[&str] = &["pending", "in_flight", "none"];

#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) name: Option<String>,
    pub(super) count: Option<f64>,
    pub(super) age: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) at: Option<u64>,
    pub(super) state: Option<&'static str>,
    pub(super) id: Option<u64>,
    pub(super) trace: Option<String>,
    pub(super) topic: Option<String>,
    pub(super) token: Option<String>,
}

fields! {
    Sample {
        "name", Text, Login, "who" => |it, _| Value::maybe(it.name.as_deref());
        "count", Number, Public, "how many" => |it, _| it.count.map_or(Value::None, Value::Number);
        "age", Duration, Public, "how old" => |it, _| it.age.map_or(Value::None, Value::Duration);
        "bytes", Bytes, Public, "how large" => |it, _| it.bytes.map_or(Value::None, Value::Bytes);
        "at", Time, Public, "when" => |it, _| it.at.map_or(Value::None, |at| Value::Time(Wall(at)));
        "state", State(STATES), Public, "where it stands" => |it, _| Value::maybe(it.state);
        "id", Serial, Public, "which" => |it, _| it.id.map_or(Value::None, Value::Serial);
        "trace", Id, Public, "trace" => |it, _| Value::maybe(it.trace.as_deref());
        "topic", Topic, Public, "where to" => |it, _| Value::maybe(it.topic.as_deref());
        "token", Text, Secret, "what nobody sees" => |it, _| Value::maybe(it.token.as_deref());
    }
}

/// 2026-11-21 18:05:06.500 of UTC.
pub(super) const NOW_MS: u64 = 1_795_284_306_500;

pub(super) fn now() -> Now {
    Now { wall: Wall(NOW_MS), ..Now::default() }
}

pub(super) fn specs() -> &'static [Spec] {
    Sample::default().specs()
}

pub(super) fn sample() -> Sample {
    Sample {
        name: Some("Grüne Boss_Fight 7".to_owned()),
        count: Some(1.5),
        age: Some(2_500),
        bytes: Some(1_024),
        at: Some(NOW_MS - 6_500),
        state: Some("in_flight"),
        id: Some(1_234),
        trace: Some("trace:0191d3c2-7a41-7f00-8000-00000000a41f".to_owned()),
        topic: Some("rlp/runs/trace:1/events".to_owned()),
        token: Some("hush".to_owned()),
    }
}

pub(super) fn filter(text: &str) -> Filter {
    Filter::parse(text, specs()).unwrap_or_else(|fault| panic!("{text}: {fault} at {:?}", fault.at))
}

pub(super) fn fault(text: &str) -> Fault {
    Filter::parse(text, specs()).expect_err(text)
}

pub(super) fn finds(text: &str) -> bool {
    filter(text).admits(&sample(), now())
}

pub(super) fn spec(name: &str) -> &'static Spec {
    specs().iter().find(|spec| spec.name == name).unwrap()
}

#[test]
fn the_sample_has_a_field_of_each_kind() {
    let is_there = |kind: fn(Kind) -> bool| specs().iter().any(|spec| kind(spec.kind));
    assert!(
        is_there(|kind| matches!(kind, Kind::State(_)))
            && specs().iter().any(|spec| spec.class == Class::Secret)
    );
    for kind in [
        Kind::Text,
        Kind::Number,
        Kind::Duration,
        Kind::Bytes,
        Kind::Time,
        Kind::Serial,
        Kind::Id,
        Kind::Topic,
    ] {
        assert!(specs().iter().any(|spec| spec.kind == kind), "{kind:?}");
    }
}
