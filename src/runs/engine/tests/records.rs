//! What runs tell of themselves as records.

use super::test_engine::{TestEngine, gives, node, opening, trace};
use crate::{
    limits,
    runs::{
        RunState,
        engine::{RunFeed, Settings},
        payload::EventMeta,
    },
    tap::entry::runs::EventKind,
    time::{Now, Wall},
};

fn telling(limits: limits::Runs) -> TestEngine {
    TestEngine::with(Settings { limits, tells_records: true, ..Settings::default() })
}

/// The numbers of the events of a run that were told, with whether they are kept.
fn events(fixture: &TestEngine, n: u64) -> Vec<(u64, bool)> {
    let of = |feed: &RunFeed| match feed {
        RunFeed::Event { run, event, is_kept } if *run == trace(n) => Some((event.number, *is_kept)),
        _ => None,
    };
    fixture.feeds.iter().filter_map(of).collect()
}

#[test]
fn a_run_is_told_from_its_beginning_to_its_end_when_its_events_leave() {
    let mut fixture = telling(limits::Runs::default());
    fixture.submit(1, opening(vec![node("a"), node("b")], &["a.out -> b.in"]));
    assert!(fixture.feeds.is_empty() && fixture.events.is_empty(), "its readers have no time to subscribe");
    let at = fixture.ms;
    fixture.pass(20);
    let RunFeed::Begun(begun) = &fixture.feeds[0] else { panic!("{:?}", fixture.feeds) };
    assert_eq!((begun.run, &*begun.name, &*begun.yaml), (trace(1), "test", "opening 1"));
    assert_eq!((begun.plan.nodes.len(), begun.at), (2, fixture.persisted.rows[&trace(1)].at));
    fixture.does("a", &gives(&[("out", 1.into())]));
    fixture.does("b", &gives(&[("out", 1.into())]));
    let told = events(&fixture, 1);
    assert_eq!(told.iter().map(|it| it.0).collect::<Vec<_>>(), fixture.persisted.events[&trace(1)]);
    assert!(told.iter().all(|it| it.1) && told.len() == fixture.events.len());
    let Some(RunFeed::Ended(ended)) = fixture.feeds.last() else { panic!("{:?}", fixture.feeds) };
    assert_eq!((ended.state, &ended.why, ended.at), (RunState::Succeeded, &None, Now::at_ms(at + 20).wall));
    assert_eq!((ended.events_missing, ended.artifacts_missing), (0, 0));
}

#[test]
fn what_is_not_kept_is_told_and_counted() {
    let limits = limits::Runs { events_kept_max: 4, ..limits::Runs::default() };
    let mut fixture = telling(limits);
    fixture.submit(1, opening(vec![node("a"), node("b")], &["a.out -> b.in"]));
    fixture.pass(20);
    fixture.does("a", &gives(&[("out", 1.into())]));
    fixture.does("b", &gives(&[("out", 1.into())]));
    let told = events(&fixture, 1);
    assert_eq!(told.iter().map(|it| it.0).collect::<Vec<_>>(), (1..=told.len() as u64).collect::<Vec<_>>());
    let kept: Vec<_> = told.iter().filter(|it| it.1).map(|it| it.0).collect();
    assert_eq!(kept, fixture.persisted.events[&trace(1)]);
    let Some(RunFeed::Ended(ended)) = fixture.feeds.last() else { panic!("{:?}", fixture.feeds) };
    assert_eq!(ended.events_missing, (told.len() - kept.len()) as u64);
    assert!(ended.events_missing > 0);
}

#[test]
fn a_run_that_a_restart_ends_is_not_told_and_without_records_nothing_is() {
    let mut fixture = telling(limits::Runs::default());
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    assert!(!fixture.feeds.is_empty());
    fixture.feeds.clear();
    fixture.restart();
    fixture.pass(20);
    assert_eq!((fixture.end(1).unwrap().0, &fixture.feeds[..]), ("failed", &[][..]));
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    fixture.does("a", &gives(&[("out", 1.into())]));
    assert_eq!((fixture.end(1).unwrap().0, &fixture.feeds[..]), ("succeeded", &[][..]));
}

#[test]
fn an_event_is_told_as_the_store_keeps_it_but_for_progress() {
    let mut fixture = telling(limits::Runs::default());
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    let request = fixture.request("a");
    let topic = crate::ids::TopicName::new(&format!("{}/progress", request.reply_topic));
    let report =
        crate::runs::payload::ProgressReport { message: "on it".to_owned(), done: None, total: None };
    fixture.handle(crate::runs::engine::Input::Progress { topic, body: report.encode().into() });
    fixture.answer(&request, &gives(&[("out", 1.into())]));
    let is_progress = |kind: EventKind| kind == EventKind::Progress;
    assert!(fixture.events.iter().any(|(.., event)| is_progress(event.kind)), "it is told on the bus");
    let rows = fixture.feeds.iter().filter_map(|feed| match feed {
        RunFeed::Event { event, .. } => Some(event),
        _ => None,
    });
    for row in rows {
        assert!(!is_progress(row.kind));
        let (.., event) = &fixture.events[usize::try_from(row.number).unwrap() - 1];
        let EventMeta { ts_ms, .. } = event.meta;
        assert_eq!(
            (&event.message, event.meta.json(), Wall(ts_ms)),
            (&row.message, row.meta.value(), row.at)
        );
    }
}
