//! Of every list the title of a column, the field of a filter and the member of the JSON are found from each
//! other.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    AdapterRow, AlertRow, ClientRow, ConfirmationRow, DropRow, EventRow, FindingRow, GateRuleRow, HealthRow,
    InterceptedRow, InvocationRow, List, ListRow, PeerRow, PluginRow, QueueRow, RefundRow, RunRow,
    SessionRow, StateKeyRow, SubscriptionRow, TopicRow, ViolationRow,
};
use crate::field::index_of;

/// Members that are no field: what is told once of the whole list, or in full beside a field.
const NO_FIELD: [(&str, &str); 4] =
    [("topics", "left_out"), ("violations", "since_ms"), ("findings", "since_ms"), ("sessions", "mode_name")];

/// The members of a row with all of them, as it is printed.
fn members<R: ListRow + serde::de::DeserializeOwned>(sample: &str) -> (List, BTreeSet<String>) {
    let row: R = serde_json::from_str(sample).unwrap_or_else(|error| panic!("{:?}: {error}", R::LIST));
    let Ok(Value::Object(printed)) = serde_json::to_value(&row) else { panic!("{:?}", R::LIST) };
    let Ok(Value::Object(written)) = serde_json::from_str(sample) else { panic!("{:?}", R::LIST) };
    let names = |it: serde_json::Map<String, Value>| it.into_iter().map(|(name, _)| name).collect();
    let (printed, written): (BTreeSet<String>, BTreeSet<String>) = (names(printed), names(written));
    assert_eq!(printed, written, "{:?}", R::LIST);
    (R::LIST, printed)
}

const SOURCE: &str = r#""source":{"kind":"bits","redemption":"r","user":"u"}"#;
const TRACE: &str = "trace:0191d3c2-7a41-7f00-8000-00000000a41f";
const DROPPED: &str = r#""dropped":{"ttl_expired":1,"duplicate":2,"backpressure_timeout":3}"#;

fn all() -> Vec<(List, BTreeSet<String>)> {
    vec![
        members::<QueueRow>(
            r#"{"queue":"q","ready_after":"done","pending":1,"other_manifest":1,"in_flight":1,"parked":true,"held":true,"draining":true,"head_at_ms":1}"#,
        ),
        members::<EventRow>(r#"{"event":"e","queue":"q","title":"t","schema":{}}"#),
        members::<StateKeyRow>(
            r#"{"key":"k","value":1,"scope":"s","persist":true,"writer":"adapter","written_by":"stored","at_ms":1}"#,
        ),
        members::<AdapterRow>(r#"{"peer":"p","connected_at_ms":1,"pack_id":"a","last_in_ms":1}"#),
        members::<HealthRow>(r#"{"part":"mpp","well":true,"detail":"d","status":"ok","figures":"f"}"#),
        members::<ClientRow>(
            r#"{"link":"macp","peer":"p","client":"c","connected_at_ms":1,"silent_ms":1,"sessions":1,"subscriptions":1}"#,
        ),
        members::<GateRuleRow>(
            r#"{"rule":1,"filter":"f","way":"in","then":"drop","on_timeout":"pass","by":"b","since_ms":1,"until_ms":1,"taken":1,"frames_max":1,"passed_full":1,"rewrites":false}"#,
        ),
        members::<InterceptedRow>(
            r#"{"frame":1,"rule":1,"link":"mpp","way":"in","peer":"p","kind":"k","line":"l","bytes":1,"verdict":"v","clause":"c","since_ms":1,"until_ms":1,"on_timeout":"pass"}"#,
        ),
        members::<TopicRow>(&format!(
            r#"{{"topic":"t","published":1,"bytes":1,"delivered":1,{DROPPED},"subscribers":1,"schema_id":1,"last_at_ms":1,"left_out":1}}"#
        )),
        members::<PeerRow>(&format!(
            r#"{{"session":1,"client":"c","kind":"agent","dialect":"frames","peer":"p","connected_at_ms":1,"subscriptions":1,"published":1,"delivered":1,"queued_messages":1,"queued_bytes":1,{DROPPED},"refused":1}}"#
        )),
        members::<SubscriptionRow>(&format!(
            r#"{{"session":1,"client":"c","sub":1,"topic":"t","since_ms":1,"delivered":1,"queued_messages":1,"queued_bytes":1,{DROPPED}}}"#
        )),
        members::<DropRow>(&format!(
            r#"{{"at_ms":1,"reason":"expired","topic":"t","culprit":"c","role":"publisher","session":1,"count":1,"notices":1,"msg_id":1,"trace_id":"{TRACE}","first_at_ms":1}}"#
        )),
        members::<ViolationRow>(
            r#"{"clause":"c","count":1,"last_at_ms":1,"violation":"v","who":"w","session":1,"peer":"p","frame":"f","told":"t","since_ms":1}"#,
        ),
        members::<FindingRow>(
            r#"{"rule":"r","schema":"s","path":"$.p","requires":"r","received":"1","count":1,"last_at_ms":1,"who":"w","session":1,"peer":"p","seq":1,"since_ms":1}"#,
        ),
        members::<ConfirmationRow>(&format!(
            r#"{{"action":"action:00000000-0000-0000-0000-00000000beef","run":"{TRACE}","node":"n","summary":"s","takes":{{}},"asked_at_ms":1,"expires_at_ms":1}}"#
        )),
        members::<PluginRow>(
            r#"{"plugin":"p","name":"n","version":"1","author":"a","state":"up","disabled":"restart_limit","unhealthy":"exited","reason":"r","up_since_ms":1,"restarts_at_ms":1,"restarts":1,"ping_us":1,"misses":1,"memory_bytes":1,"cpu_permille":1,"pid":1,"folder":"f","command":"c","asks":["a"],"granted":["a"],"asking":"k","actions":["a"],"in_flight":1,"events_dropped":1,"refused":1,"lints":1}"#,
        ),
        members::<InvocationRow>(&format!(
            r#"{{"id":1,"queue":"q","event":"e","state":"failed","params":{{}},"result":1,"reason":"r",{SOURCE},"trace_id":"{TRACE}","enqueued_at_ms":1,"updated_at_ms":1,"other_manifest":"sha256:1111111111111111111111111111111111111111111111111111111111111111","refund":"manual","requeued_from":1,"damage":"d"}}"#
        )),
        members::<RefundRow>(&format!(
            r#"{{"id":1,"invocation_id":1,{SOURCE},"status":"manual","at_ms":1,"damage":"d"}}"#
        )),
        members::<RunRow>(&format!(
            r#"{{"number":1,"run":"{TRACE}","opening":"opening:00000000-0000-0000-0000-00000000beef","name":"n","state":"running","why":"w","by":"tui","client":"c","nodes":1,"done":1,"tokens":1,"events":1,"artifacts":1,"submitted_at_ms":1,"ended_at_ms":1,"asks":1}}"#
        )),
        members::<SessionRow>(&format!(
            r#"{{"number":1,"session":"s","mode":"decision","mode_name":"m","state":"open","ending":"resolved","why":"w","phase":"voting","round":1,"by":"b","intent":"i","participants":1,"messages":1,"started_at_ms":1,"expires_at_ms":1,"ended_at_ms":1,"trace_id":"{TRACE}"}}"#
        )),
        members::<AlertRow>(
            r#"{"id":1,"state":"active","alert":"a","system":"mpp","subject":"s","text":"t","since_ms":1,"raised_at_ms":1,"acknowledged_at_ms":1,"resolved_at_ms":1}"#,
        ),
    ]
}

#[test]
fn every_member_of_the_json_is_a_field_of_the_filter() {
    let all = all();
    assert_eq!(
        all.iter().map(|(list, _)| *list).collect::<BTreeSet<_>>(),
        List::ALL.iter().copied().collect::<BTreeSet<_>>()
    );
    let mut missing = Vec::new();
    for (list, members) in all {
        let unknown = members.iter().filter(|name| {
            index_of(list.specs(), name).is_none() && !NO_FIELD.contains(&(list.name(), name.as_str()))
        });
        missing.extend(unknown.map(|name| format!("{}: {name}", list.name())));
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_title_of_every_column_is_a_name_of_its_field() {
    let mut wrong = Vec::new();
    for list in List::ALL {
        for (field, spec) in list.specs().iter().enumerate() {
            let named = spec
                .also
                .iter()
                .map(ToString::to_string)
                .chain(spec.title_name())
                .chain([spec.name.to_owned()]);
            let lost = named.filter(|name| index_of(list.specs(), name) != Some(field));
            wrong.extend(lost.map(|name| format!("{}: {name} is not {}", list.name(), spec.name)));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_filter_takes_names_of_earlier_versions() {
    for (list, old, now) in [
        (List::Drops, "whose", "culprit"),
        (List::Drops, "times", "count"),
        (List::Violations, "what", "violation"),
        (List::Violations, "times", "count"),
        (List::Violations, "told", "reply"),
        (List::Health, "part", "component"),
        (List::Queues, "flying", "in_flight"),
        (List::State, "kept", "persisted"),
        (List::Peers, "dialect", "protocol"),
        (List::Confirmations, "takes", "inputs"),
        (List::Sessions, "why", "outcome"),
    ] {
        let found = |name| index_of(list.specs(), name);
        assert!(found(old).is_some() && found(old) == found(now), "{}: {old}", list.name());
    }
}
