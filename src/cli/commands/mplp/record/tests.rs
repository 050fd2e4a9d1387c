//! What is read of pages, and what of it is written.

use serde_json::json;

use super::*;
use crate::{
    cli::operator::tests::Scripted,
    mplp::{Finding, Path, lifecycle::Origin},
    port::{Outcome, PortError},
    schema::JsonText,
};

fn row(place: u64, schema: &str, path: &str, object: &Value) -> LifecycleRow {
    LifecycleRow {
        place,
        schema: schema.to_owned(),
        path: path.to_owned(),
        origin: Origin::Beginning,
        session: None,
        object: Some(JsonText::from_value(object)),
        omitted_bytes: None,
        findings: Vec::new(),
    }
}

fn finding(path: &str) -> Finding {
    Finding {
        schema: "role".into(),
        path: Path::parse(path).unwrap(),
        rule: "type".into(),
        requires: "type string".to_owned(),
        received: None,
    }
}

fn page(version: u64, rows: Vec<LifecycleRow>, more: bool) -> Page {
    Page::Lifecycle(Some(Box::new(LifecyclePage {
        profile: Profile::Sa,
        version,
        total: 4,
        findings: 0,
        more_findings: false,
        of_bundle: Vec::new(),
        rows,
        more,
    })))
}

fn rows() -> Vec<LifecycleRow> {
    vec![
        row(1, "context", "context", &json!({ "z": 1, "a": 1.50 })),
        row(2, "role", "roles[0]", &json!({ "name": "a" })),
        row(3, "role", "roles[1]", &json!({ "name": "b" })),
        row(4, "sa-event", "events[0]", &json!({})),
    ]
}

fn read(station: &Scripted) -> Result<Option<Record>, Error> {
    operator::block_on(read_record(station, &RecordOf::Station))
}

/// What was asked for behind which place.
fn asked(station: &Scripted) -> Vec<u64> {
    let queries = station.queries.lock().unwrap();
    let after = |query: &Query| match query {
        Query::Lifecycle { of: RecordOf::Station, after, .. } => *after,
        other => panic!("{other:?}"),
    };
    queries.iter().map(after).collect()
}

#[test]
fn a_record_is_read_page_by_page_and_written_as_its_bundle_is() {
    let (first, second) = (rows()[..3].to_vec(), rows()[3..].to_vec());
    let station = Scripted::pages([page(7, first, true), page(7, second, false)]);
    let record = read(&station).unwrap().unwrap();
    assert_eq!((record.len(), asked(&station)), (4, vec![0, 3]));
    assert!(record.findings.shown.is_clean());
    let text = record.bundle_text();
    let lines = record.lines();
    assert_eq!(lines, "{\"a\":1.5,\"z\":1}\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n{}\n");
    let bundle = record.into_bundle().unwrap();
    assert_eq!(text, format!("{}\n", bundle.into_value()));
}

#[test]
fn a_record_that_changes_is_read_anew() {
    let first = || rows()[..2].to_vec();
    let pages = [page(1, first(), true), page(2, rows()[2..].to_vec(), false)];
    let again = [page(2, first(), true), page(2, rows()[2..].to_vec(), false)];
    let station = Scripted::pages(pages.into_iter().chain(again));
    assert_eq!(read(&station).unwrap().map(|it| it.len()), Some(4));
    assert_eq!(asked(&station), [0, 2, 0, 2]);
    let always = (0..READS_MAX as u64)
        .flat_map(|at| [page(2 * at, first(), true), page(2 * at + 1, rows()[2..].to_vec(), false)]);
    let error = read(&Scripted::pages(always)).unwrap_err();
    assert_eq!((error.code(), error.exit() as u8), ("changing", 1));
}

#[test]
fn findings_are_in_the_order_of_the_judgement() {
    let mut all = rows();
    all[1].findings = vec![finding("$.roles[0].name"), finding("$.roles[0].x")];
    all[3].findings = vec![finding("$.events[0]")];
    let mut whole = page(7, all, false);
    let Page::Lifecycle(Some(page)) = &mut whole else { panic!() };
    (page.of_bundle, page.findings) = (vec![finding("$.plan")], 4);
    let counted = whole.clone();
    let record = read(&Scripted::pages([whole])).unwrap().unwrap();
    let paths: Vec<_> = record.findings.shown.list.iter().map(|it| it.path.to_string()).collect();
    assert_eq!(paths, ["$.plan", "$.roles[0].name", "$.roles[0].x", "$.events[0]"]);
    assert_eq!((record.findings.count, record.findings.shown.is_cut), (4, false));
    // One that has no room in a page is counted all the same.
    let mut more = counted;
    let Page::Lifecycle(Some(page)) = &mut more else { panic!() };
    page.findings = 5;
    let findings = read(&Scripted::pages([more])).unwrap().unwrap().findings;
    assert_eq!((findings.count, findings.shown.list.len(), findings.shown.is_cut), (5, 4, true));
    assert_eq!(findings.more, SENT);
}

#[test]
fn what_is_no_record_is_said() {
    assert!(read(&Scripted::pages([Page::Lifecycle(None)])).unwrap().is_none());
    for wrong in [page(1, rows()[1..].to_vec(), false), page(1, Vec::new(), true), Page::Queues(Vec::new())] {
        assert!(matches!(read(&Scripted::pages([wrong])), Err(Error::UnexpectedAnswer)));
    }
    let mut large = rows();
    (large[2].object, large[2].omitted_bytes) = (None, Some(9_000));
    let error = read(&Scripted::pages([page(1, large, false)])).unwrap_err();
    assert_eq!(error.code(), "record_too_large");
    assert!(error.to_string().contains("roles[1] has 9000 bytes"), "{error}");
    let mut foreign = rows();
    foreign[0].schema = "context-of-tomorrow".to_owned();
    let record = read(&Scripted::pages([page(1, foreign, false)])).unwrap().unwrap();
    assert!(matches!(record.into_bundle(), Err(Error::UnexpectedAnswer)));
}

#[test]
fn an_export_is_told_and_nothing_fails_for_it() {
    let told = Outcome::Mplp(mplp::Outcome::Told);
    let station = Scripted::outcomes([told]);
    let tell = |station: &Scripted, of: RecordOf| {
        operator::block_on(async {
            tell_export(station, &of, 4, 3).await;
            Ok(())
        })
        .unwrap();
    };
    tell(&station, RecordOf::Session("s1".to_owned()));
    let refusing = Scripted::default();
    let viewer = PortError::Forbidden { kind: "viewer".to_owned(), what: "its token".to_owned() };
    refusing.outcomes.lock().unwrap().push_back(Err(viewer));
    tell(&refusing, RecordOf::Station);
    let expected =
        mplp::Command::TellExport { kind: RecordKind::Session, id: "s1".to_owned(), items: 4, findings: 3 };
    assert_eq!(*station.commands.lock().unwrap(), [Command::Mplp(expected)]);
    assert_eq!(refusing.commands.lock().unwrap().len(), 1);
}
