//! Pages, and whose findings are whose.

use serde_json::{Value, json};

use super::*;
use crate::mplp::Path;

fn items(objects: Vec<(SchemaId, Value)>) -> Vec<Item> {
    let item = |(schema, object)| Item::new(schema, object, Origin::Beginning);
    objects.into_iter().map(item).collect()
}

fn built(objects: Vec<(SchemaId, Value)>) -> BuiltRecord {
    let bundle = Bundle::new(Profile::Sa, items(objects));
    BuiltRecord::new(RecordOf::Station, 7, bundle, &limits::Mplp::default()).unwrap()
}

/// A record of roles of so many bytes each.
fn roles(bytes: &[usize]) -> BuiltRecord {
    let role = |bytes: &usize| (SchemaId::Role, json!("x".repeat(bytes - 2)));
    built(bytes.iter().map(role).collect())
}

fn places(page: &LifecyclePage) -> Vec<u64> {
    page.rows.iter().map(|row| row.place).collect()
}

fn path(finding: &Finding) -> String {
    finding.path.to_string()
}

#[test]
fn rows_are_named_by_their_places_in_the_bundle() {
    let record = built(vec![
        (SchemaId::MapEvent, json!({})),
        (SchemaId::Role, json!({})),
        (SchemaId::Plan, json!({})),
        (SchemaId::GraphUpdateEvent, json!({})),
        (SchemaId::Role, json!({})),
    ]);
    let page = record.page(0, 9, u64::MAX);
    let paths: Vec<_> = page.rows.iter().map(|row| (row.place, row.path.as_str(), &*row.schema)).collect();
    let expected = [
        (1, "plan", "plan"),
        (2, "roles[0]", "role"),
        (3, "roles[1]", "role"),
        (4, "events[0]", "map-event"),
        (5, "events[1]", "graph-update-event"),
    ];
    assert_eq!(paths, expected);
    assert_eq!((page.total, page.version, page.more, page.profile), (5, 7, false, Profile::Sa));
}

#[test]
fn a_row_of_a_session_says_whose_log_its_origin_is_of() {
    let own = Item::new(SchemaId::GraphUpdateEvent, json!({}), Origin::Number(3));
    let of_session = Item { session: Some("vote".into()), ..own.clone() };
    let bundle = Bundle::new(Profile::Sa, vec![own, of_session]);
    let record = BuiltRecord::new(RecordOf::Station, 7, bundle, &limits::Mplp::default()).unwrap();
    let rows = record.page(0, 9, u64::MAX).rows;
    let origins: Vec<_> = rows.iter().map(|row| (row.session.as_deref(), row.origin)).collect();
    assert_eq!(origins, [(None, Origin::Number(3)), (Some("vote"), Origin::Number(3))]);
    let sent = serde_json::to_string(&rows[0]).unwrap();
    assert!(!sent.contains("session"), "{sent}");
}

#[test]
fn a_finding_is_told_with_the_object_that_it_is_in() {
    let record = built(vec![
        (SchemaId::Plan, json!({ "steps": [{ "step_id": "x" }] })),
        (SchemaId::Role, json!({})),
        (SchemaId::Event, json!({})),
        (SchemaId::GraphUpdateEvent, json!({ "event_family": "no such" })),
    ]);
    let page = record.page(0, 9, u64::MAX);
    // That there is no Context is nobody's.
    assert_eq!(page.of_bundle.iter().map(path).collect::<Vec<_>>(), ["$.context"]);
    let starts = ["$.plan", "$.roles[0]", "$.events[0]", "$.events[1]"];
    for (row, start) in page.rows.iter().zip(starts) {
        assert!(!row.findings.is_empty(), "{start}");
        assert!(row.findings.iter().all(|it| path(it).starts_with(start)), "{:#?}", row.findings);
    }
    let told = page.rows.iter().map(|row| row.findings.len()).sum::<usize>() + page.of_bundle.len();
    assert_eq!((page.findings, page.more_findings), (told as u64, false));
    assert_eq!(record.page(1, 9, u64::MAX).of_bundle, [], "they are in the first page");
    assert_eq!(record.page(1, 9, u64::MAX).findings, page.findings);
}

#[test]
fn of_very_many_findings_the_first_are_told_and_all_are_counted() {
    let wrong: Vec<Value> = (0..2_000).map(|at| json!(format!("{at:0>200}"))).collect();
    let mut bundle = Vec::new();
    bundle.push((SchemaId::Trace, json!({ "segments": wrong })));
    let limits = limits::Mplp { findings_max: 1_000, ..limits::Mplp::default() };
    let record = Bundle::new(Profile::Sa, items(bundle));
    let record = BuiltRecord::new(RecordOf::Station, 7, record, &limits).unwrap();
    let page = record.page(0, 9, 0);
    assert_eq!((page.findings, page.more_findings), (1_000, true));
    let told = page.rows[0].findings.len();
    assert!((20..1_000).contains(&told), "{told}");
    let text = serde_json::to_string(&page).unwrap();
    assert!(text.len() as u64 <= LIFECYCLE_PAGE_BYTES, "{}", text.len());
}

#[test]
fn a_page_holds_as_many_rows_and_bytes_as_are_asked_for() {
    let record = roles(&[10; 9]);
    assert_eq!(places(&record.page(0, 4, u64::MAX)), [1, 2, 3, 4]);
    assert_eq!(places(&record.page(4, 4, u64::MAX)), [5, 6, 7, 8]);
    assert!(record.page(4, 4, u64::MAX).more && !record.page(8, 4, u64::MAX).more);
    let behind = record.page(u64::MAX, 4, u64::MAX);
    assert_eq!((places(&behind), behind.more, behind.total), (vec![], false, 9));
    assert_eq!((places(&record.page(0, 0, u64::MAX)), record.page(0, 0, u64::MAX).more), (vec![], true));
    // By bytes: every page fits, and none is without a row.
    let sizes: Vec<usize> = (1..400_usize).map(|at| at * 7_919 % 5_000 + 2).collect();
    let record = roles(&sizes);
    for object_max in [0, 9_000, u64::MAX] {
        let (mut after, mut pages) = (0, 0);
        loop {
            let page = record.page(after, 1_000, object_max);
            let text = serde_json::to_string(&page).unwrap();
            assert!(text.len() as u64 <= LIFECYCLE_PAGE_BYTES, "{}", text.len());
            assert_eq!(serde_json::from_str::<LifecyclePage>(&text).unwrap(), page);
            let expected: Vec<u64> = (after + 1..).take(page.rows.len()).collect();
            assert_eq!(places(&page), expected);
            (after, pages) = (after + page.rows.len() as u64, pages + 1);
            if !page.more {
                break;
            }
            assert!(!page.rows.is_empty());
        }
        assert_eq!(after, sizes.len() as u64);
        assert!(pages > 3, "{pages}");
    }
}

#[test]
fn an_object_larger_than_a_page_is_left_out_and_said() {
    let record = roles(&[10, 300_000, 20]);
    let page = record.page(0, 9, 299_999);
    let omitted: Vec<_> = page.rows.iter().map(|row| row.omitted_bytes).collect();
    assert_eq!(omitted, [None, Some(300_000), None]);
    assert!(page.rows[1].object.is_none() && page.rows[2].object.is_some());
    // Who has room for it asks for it, and gets it by itself.
    for (after, expected) in [(0, vec![1]), (1, vec![2]), (2, vec![3])] {
        let page = record.page(after, 9, 300_000);
        assert_eq!(places(&page), expected);
        assert!(page.rows[0].object.is_some() && page.rows[0].omitted_bytes.is_none());
    }
}

#[test]
fn a_record_that_is_larger_than_may_be_judged_is_not() {
    let limits = limits::Mplp { bundle_bytes_max: 100_000, ..limits::Mplp::default() };
    let bundle = Bundle::new(Profile::Sa, items(vec![(SchemaId::Plan, json!("x".repeat(100_000)))]));
    let TooLarge { bytes } = BuiltRecord::new(RecordOf::Station, 7, bundle, &limits).unwrap_err();
    assert!(bytes > 100_000);
}

#[test]
fn a_path_leads_to_the_row() {
    for (text, row) in [
        ("$.plan.steps[0].step_id", Some("plan")),
        ("$.roles[2]", Some("roles[2]")),
        ("$.events[17].payload[3]", Some("events[17]")),
        ("$", None),
    ] {
        let path = Path::parse(text).unwrap();
        let finding = Finding {
            schema: "plan".into(),
            path,
            rule: "type".into(),
            requires: String::new(),
            received: None,
        };
        assert_eq!(row_path(&finding).as_deref(), row);
    }
}
