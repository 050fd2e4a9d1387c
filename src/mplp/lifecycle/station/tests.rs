//! A station as it is.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::*;
use crate::{
    mplp::{RecordContext, judge, judge_bundle},
    time::Wall,
};

fn part(kind: PartKind, name: &str, status: PartStatus) -> StationPart {
    StationPart { kind, name: name.to_owned(), status }
}

fn extension(sort: ExtensionSort, id: &str, version: &str, status: ExtensionStatus) -> StationExtension {
    let (id, version) = (id.to_owned(), version.to_owned());
    StationExtension { sort, id, name: String::new(), version, status, config: Map::new() }
}

fn facts() -> StationFacts {
    use PartStatus::{Active, Inactive, Unreachable};
    StationFacts {
        id: "main".to_owned(),
        name: String::new(),
        version: "0.1.0".to_owned(),
        parts: vec![
            part(PartKind::Bus, "", Active),
            part(PartKind::Store, "", Active),
            part(PartKind::Queue, "default", Active),
            part(PartKind::Queue, "speech", PartStatus::Degraded),
            part(PartKind::Adapter, "local", Inactive),
            part(PartKind::Agent, "writer", Active),
            part(PartKind::Agent, "writer", Inactive),
            part(PartKind::MacpClient, "writer", Active),
            part(PartKind::MacpClient, "", Inactive),
            part(PartKind::Plugin, "clock", Unreachable),
        ],
        extensions: vec![
            extension(ExtensionSort::Pack, "demo", "7", ExtensionStatus::Active),
            extension(ExtensionSort::Mode, "macp.mode.decision.v1", "1.0.0", ExtensionStatus::Active),
            extension(ExtensionSort::Mode, "macp.mode.decision.v1", "2.0.0", ExtensionStatus::Active),
            extension(ExtensionSort::Mode, "macp.mode.multi_round.v1", "1.0.0", ExtensionStatus::Registered),
            extension(ExtensionSort::Plugin, "clock", "0.1.0-rc.1", ExtensionStatus::Inactive),
        ],
        started_at: Wall(1_790_000_000_000),
        at: Wall(1_790_000_060_000),
    }
}

fn settings() -> RecordSettings {
    RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() }
}

fn sound(facts: &StationFacts) -> Value {
    let bundle = station_record(facts, &settings());
    let value = bundle.value();
    let findings = judge_bundle(&value, Some(Profile::Sa), 9);
    assert!(findings.is_clean(), "{findings:#?}");
    for item in bundle.items() {
        let findings = judge(item.schema, &item.object, RecordContext::default(), 9);
        assert!(findings.is_clean(), "{findings:#?}");
    }
    assert_eq!(station_record(facts, &settings()), bundle);
    value
}

#[test]
fn a_station_is_a_clean_record_whose_ids_are_unique() {
    let value = sound(&facts());
    let mut ids = BTreeSet::new();
    let lists = [("roles", "role_id"), ("extensions", "extension_id")];
    let all = lists
        .into_iter()
        .flat_map(|(list, id)| value[list].as_array().unwrap().iter().map(move |it| &it[id]));
    let nodes = value["network"]["nodes"].as_array().unwrap();
    let ones = [&value["context"]["context_id"], &value["core"]["core_id"], &value["network"]["network_id"]];
    for id in all.chain(nodes.iter().map(|node| &node["node_id"])).chain(ones) {
        assert!(ids.insert(id.as_str().unwrap().to_owned()), "{id} names two");
    }
    assert_eq!(value["core"]["modules"].as_array().unwrap().len(), 10);
    assert_eq!(value["context"]["title"], "main");
    assert_eq!(value["network"]["status"], "active");
    let names: Vec<_> = nodes.iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "station",
            "bus",
            "store",
            "queue:default",
            "queue:speech",
            "adapter:local",
            "agent:writer",
            "macp:writer",
            "macp:",
            "plugin:clock"
        ]
    );
    let roles: Vec<_> =
        value["roles"].as_array().unwrap().iter().map(|role| role["name"].as_str().unwrap()).collect();
    assert_eq!(roles, ["station", "agent:writer", "macp:writer", "macp:"]);
}

#[test]
fn a_version_that_is_none_is_kept_beside() {
    let value = sound(&facts());
    let extensions = value["extensions"].as_array().unwrap();
    assert_eq!(extensions.len(), 4);
    assert_eq!(
        (&extensions[0]["version"], &extensions[0]["config"]["version"]),
        (&"0.0.0".into(), &"7".into())
    );
    assert_eq!((&extensions[1]["version"], extensions[1]["config"].get("version")), (&"1.0.0".into(), None));
    for (version, is_one) in [
        ("1.2.3", true),
        ("0.0.0", true),
        ("1.2.3-rc.1+b.01", true),
        ("1.2.3--", true),
        ("1.2.3+-", true),
        ("1.2.3-0a.00b", true),
        ("", false),
        ("1", false),
        ("1.2", false),
        ("1.2.3.4", false),
        ("01.2.3", false),
        ("1.2.03", false),
        ("v1.2.3", false),
        ("1.2.3-", false),
        ("1.2.3-01", false),
        ("1.2.3-a..b", false),
        ("1.2.3+", false),
        ("1.2.3+a+b", false),
        ("1.2.3+ä", false),
        (" 1.2.3", false),
    ] {
        assert_eq!(is_semantic_version(version), is_one, "{version}");
        let mut facts = facts();
        facts.extensions[1].version = version.to_owned();
        assert_eq!(sound(&facts)["extensions"][1]["version"] == version, is_one || version == "0.0.0");
    }
}

#[test]
fn a_station_without_a_store_is_degraded() {
    let mut facts = facts();
    facts.parts[1].status = PartStatus::Unreachable;
    assert_eq!(sound(&facts)["network"]["status"], "degraded");
    facts.parts.clear();
    facts.extensions.clear();
    facts.id.clear();
    let value = sound(&facts);
    assert_eq!(value["context"]["title"], "station");
    assert_eq!(value.get("extensions"), None);
}
