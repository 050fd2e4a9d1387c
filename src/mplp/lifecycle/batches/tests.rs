use serde_json::{Value, json};

use super::*;
use crate::mplp::lifecycle::{
    Origin,
    run::tests::play::{Play, plan},
};

const MS: u64 = 1_000_000;
const LIMITS: BatchLimits = BatchLimits { batch_bytes_max: 2_048, body_bytes_max: 8_192, depth_max: 64 };

fn run(n: u128) -> TraceId {
    TraceId(uuid::Uuid::from_u128(n))
}

fn role(n: u128, description: &str) -> Item {
    let object = json!({
        "meta": {"protocol_version": "1.0.0", "schema_version": "2.0.0"},
        "role_id": uuid::Builder::from_random_bytes(n.to_be_bytes()).into_uuid().to_string(),
        "name": format!("role {n}"),
        "description": description,
    });
    Item::new(SchemaId::Role, object, Origin::Beginning)
}

/// The items of a message, each with the name of its schema.
fn items(batch: &Batch) -> Vec<(String, Value)> {
    let body = rmpv::decode::read_value(&mut batch.body.as_slice()).unwrap();
    let read: Value = rmpv::ext::from_value(body).unwrap();
    assert_eq!((&read["type"], &read["payload"]["v"]), (&json!("observation.mplp.event.v1"), &json!(1)));
    let items = read["payload"]["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), batch.items);
    items
        .into_iter()
        .map(|item| (item["schema"].as_str().unwrap().to_owned(), item["object"].clone()))
        .collect()
}

fn add(batches: &mut Batches, at_ms: u64, of: TraceId, item: &Item) {
    batches.add(Mono(at_ms * MS), of, Profile::Sa, item).unwrap();
}

#[test]
fn items_leave_in_order_when_the_first_has_waited_5_ms() {
    let mut batches = Batches::new(LIMITS);
    let roles: Vec<Item> = (1..4).map(|n| role(n, "")).collect();
    add(&mut batches, 10, run(1), &roles[0]);
    add(&mut batches, 11, run(2), &roles[1]);
    add(&mut batches, 14, run(1), &roles[2]);
    assert_eq!(batches.timeout(), Some(Mono(15 * MS)));
    assert_eq!(batches.poll(Mono(15 * MS - 1)), None);
    let first = batches.poll(Mono(15 * MS)).unwrap();
    let role = |item: &Item| ("role".to_owned(), item.object.clone());
    assert_eq!((first.run, items(&first)), (run(1), vec![role(&roles[0]), role(&roles[2])]));
    assert_eq!((batches.poll(Mono(15 * MS)), batches.timeout()), (None, Some(Mono(16 * MS))));
    let second = batches.poll(Mono(16 * MS)).unwrap();
    assert_eq!((second.run, items(&second)), (run(2), vec![role(&roles[1])]));
    assert_eq!((batches.poll(Mono(u64::MAX)), batches.timeout()), (None, None));
}

#[test]
fn a_message_is_full_at_its_bytes_and_a_large_item_has_one_alone() {
    let mut batches = Batches::new(LIMITS);
    let (small, large) = (|n| role(n, &"x".repeat(300)), role(9, &"x".repeat(5_000)));
    for n in 1..7 {
        add(&mut batches, 0, run(1), &small(n));
    }
    add(&mut batches, 0, run(1), &large);
    add(&mut batches, 0, run(1), &small(7));
    batches.close(run(1));
    let mut sizes = Vec::new();
    let mut names = Vec::new();
    while let Some(batch) = batches.poll(Mono(0)) {
        assert!(batch.body.len() <= LIMITS.batch_bytes_max || batch.items == 1, "{}", batch.body.len());
        sizes.push(batch.items);
        names.extend(items(&batch).into_iter().map(|(_, role)| role["name"].as_str().unwrap().to_owned()));
    }
    assert_eq!(sizes, [4, 2, 1, 1]);
    assert_eq!(names, ["1", "2", "3", "4", "5", "6", "9", "7"].map(|n| format!("role {n}")));
    // What was closed before it was due is not due any more.
    add(&mut batches, 1, run(1), &small(8));
    assert_eq!(batches.poll(Mono(5 * MS)), None);
    assert_eq!(batches.poll(Mono(6 * MS)).map(|batch| batch.items), Some(1));
}

#[test]
fn what_is_not_clean_or_too_large_is_withheld_and_the_others_leave() {
    let mut batches = Batches::new(LIMITS);
    let mut broken = role(1, "");
    broken.object["role_id"] = "r1".into();
    broken.object["capabilities"] = json!([7]);
    let withheld = batches.add(Mono(0), run(1), Profile::Sa, &broken).unwrap_err();
    assert_eq!((withheld.schema, withheld.path.as_str()), (SchemaId::Role, "$.role.capabilities[0]"));
    assert!(withheld.rule == "type" && withheld.findings >= 2, "{withheld:?}");
    let withheld = batches.add(Mono(0), run(1), Profile::Sa, &role(1, &"x".repeat(9_000))).unwrap_err();
    assert_eq!((withheld.rule.as_str(), withheld.path.as_str()), (TOO_LARGE, "$.role"));
    assert!(withheld.requires.starts_with("at most 8192 bytes; it has 9"), "{}", withheld.requires);
    add(&mut batches, 0, run(1), &role(2, ""));
    batches.close_all();
    assert_eq!(batches.poll(Mono(0)).map(|batch| batch.items), Some(1));
    assert_eq!((batches.poll(Mono(u64::MAX)), batches.timeout()), (None, None));
}

/// An object that is valid by its schema and breaks a rule of a profile.
fn ruled(schema: SchemaId, mut object: Value) -> Item {
    object["meta"] = json!({"protocol_version": "1.0.0", "schema_version": "2.0.0"});
    let by_schema = judge(schema, &object, RecordContext::default(), 9);
    assert!(by_schema.is_clean(), "{by_schema:#?}");
    Item::new(schema, object, Origin::Beginning)
}

#[test]
fn rules_of_the_profile_are_applied() {
    const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";
    let context = |status: &str| {
        let root = json!({"domain": "stream", "environment": "test"});
        let object = json!({"context_id": ID, "root": root, "title": "a run", "status": status});
        ruled(SchemaId::Context, object)
    };
    let collab = |participants: usize| {
        let participant =
            |n: usize| json!({"participant_id": format!("p{n}"), "role_id": ID, "kind": "agent"});
        let object = json!({
            "collab_id": ID,
            "context_id": ID,
            "title": "a session",
            "purpose": "a session",
            "mode": "swarm",
            "status": "active",
            "participants": (0..participants).map(participant).collect::<Vec<_>>(),
            "created_at": "2026-01-01T00:00:00.000Z",
        });
        ruled(SchemaId::Collab, object)
    };
    let added = |profile, item: &Item| Batches::new(LIMITS).add(Mono(0), run(1), profile, item);
    let broken = |family: usize, rule: &str, path: &str, result: Result<(), Withheld>| {
        let withheld = result.unwrap_err();
        assert_eq!((withheld.rule.as_str(), withheld.path.as_str()), (rule, path));
        let mut by_family = [0; FINDING_FAMILIES.len()];
        by_family[family] = 1;
        assert_eq!((withheld.findings, withheld.by_family), (1, by_family), "by no other rule");
    };
    for profile in [Profile::Sa, Profile::Map] {
        assert_eq!(added(profile, &context("active")), Ok(()));
        assert_eq!(added(profile, &collab(2)), Ok(()));
        // MAP extends SA.
        broken(0, "sa_context_must_be_active", "$.context.status", added(profile, &context("closed")));
    }
    let alone = collab(1);
    assert_eq!(added(Profile::Sa, &alone), Ok(()), "a rule of MAP alone");
    let rule = "map_session_requires_multiple_participants";
    broken(1, rule, "$.collab.participants", added(Profile::Map, &alone));
}

#[test]
fn each_rule_is_counted_under_the_name_of_its_family_and_a_keyword_under_the_schema() {
    let count = |rule: &str| FINDING_FAMILIES[family_of(rule)];
    for rule in crate::mplp::RULES {
        assert_eq!(serde_json::to_value(rule.family).unwrap(), count(rule.id), "{}", rule.id);
    }
    assert_eq!(count("required"), "schema");
    assert_eq!(count("no_such_rule"), "schema");
}

#[test]
fn what_is_compared_with_context_and_plan_is_compared_with_those_of_its_record() {
    const OTHER: &str = "5a0e8400-e29b-41d4-a716-446655440000";
    let played = Play::new(plan(&[("a", "agent:x", None)], &[]));
    let items = played.first;
    let of = |schema| items.iter().find(|item| item.schema == schema).unwrap().clone();
    let (context, plan, trace) = (of(SchemaId::Context), of(SchemaId::Plan), of(SchemaId::Trace));
    let limits = BatchLimits { body_bytes_max: 1 << 20, ..LIMITS };
    let add_all = |changed: &Item| {
        let mut batches = Batches::new(limits);
        [&context, &plan, &trace, changed]
            .map(|item| batches.add(Mono(0), run(1), Profile::Sa, item).map_err(|it| it.rule))
    };
    for (item, member, rule) in [
        (&plan, "context_id", "sa_plan_context_binding"),
        (&trace, "context_id", "sa_trace_context_binding"),
        (&trace, "plan_id", "sa_trace_plan_binding"),
    ] {
        let mut changed = item.clone();
        changed.object[member] = OTHER.into();
        assert_eq!(add_all(&changed), [Ok(()), Ok(()), Ok(()), Err(rule.to_owned())]);
    }
    // Behind its end nothing of a record is known: another of its id begins anew.
    let mut batches = Batches::new(limits);
    batches.add(Mono(0), run(1), Profile::Sa, &context).unwrap();
    batches.end(run(1));
    assert_eq!(batches.add(Mono(0), run(1), Profile::Sa, &plan).unwrap_err().rule, "sa_plan_context_binding");
}
