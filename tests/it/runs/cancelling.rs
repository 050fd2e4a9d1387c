//! Who may cancel a run (`[runs] agents_cancel`), and by whom it was cancelled.

use std::{collections::BTreeMap, time::Duration};

use rl_console::{
    ids::TraceId,
    port::{Page, Query, RunRow},
    runs::{RunState, Transition, engine::AgentsCancel},
    station::bus::TokenKind,
    tap::{
        Reader,
        entry::{Transition as Any, What},
    },
};

use super::test_station::{Answer, Client, TestStation, id};

const OPENING: &str = "version: 0\nname: one\nnodes: [{id: a, use: agent:silent}]\nedges: []\n";

fn run(number: u128) -> TraceId {
    TraceId(uuid::Uuid::from_u128(number))
}

fn cancel(client: &mut Client, request: u128, run: u128) -> Answer {
    client.request(request, "RunCancel", vec![("trace_id", id(run))]);
    // It hears what others are answered too.
    std::iter::repeat_with(|| client.answer()).find(|answer| answer.trace == request).unwrap()
}

fn row(fixture: &TestStation, number: u128) -> RunRow {
    let Page::Run(Some(detail)) = fixture.query(Query::Run { run: run(number) }) else { panic!() };
    detail.row
}

/// Who is said to cancel each run, and how it is said to have ended, until so many have: what the Journal is
/// made of.
#[track_caller]
fn told(reader: &mut Reader, count: usize) -> BTreeMap<TraceId, (String, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut by, mut ended) = (BTreeMap::new(), BTreeMap::new());
    let all = async {
        while ended.len() < count {
            reader.ready().await;
            while let Some(batch) = reader.read() {
                for it in batch.iter() {
                    match &it.entry.what {
                        What::Transition(Any::Runs(Transition::Cancelling { run, by: asker })) => {
                            by.insert(*run, asker.client.to_string());
                        }
                        What::Transition(Any::Runs(Transition::Ended { run, .. })) => {
                            ended.insert(*run, (by.remove(run).unwrap(), it.text().into_owned()));
                        }
                        _ => {}
                    }
                }
            }
        }
    };
    let in_time = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(30), all).await });
    assert!(in_time.is_ok(), "{ended:?} and no more");
    ended
}

#[test]
fn agents_cancel_any_run_or_their_own_sessions_alone_and_are_named() {
    for rule in [AgentsCancel::Any, AgentsCancel::Own] {
        let fixture = TestStation::with(rule);
        let _silent = fixture.agent("silent", |_| Vec::new());
        let mut reader = fixture.port().entries().unwrap();
        let mut owner = fixture.client_named("owner", "agent", None);
        let mut helper = fixture.client_named("helper", "agent", None);
        let mut operator = fixture.client_named("deck", "tui", Some(TokenKind::Operator));
        for number in 1..=3 {
            assert_eq!(owner.submit(number, OPENING).variant, "RunAccepted");
        }
        let anothers = cancel(&mut helper, 11, 1);
        let mut cancelled =
            vec![("owner", cancel(&mut owner, 12, 2), 2), ("deck", cancel(&mut operator, 13, 3), 3)];
        if rule == AgentsCancel::Any {
            cancelled.insert(0, ("helper", anothers, 1));
        } else {
            assert_eq!(anothers.variant, "RunRejected", "{anothers:?}");
            let why = anothers.text("reason");
            assert!(why.contains("another session") && why.contains("agents_cancel = \"own\""), "{why}");
            assert_eq!(row(&fixture, 1).state, RunState::Running);
        }
        let told = told(&mut reader, cancelled.len());
        for (name, answer, number) in cancelled {
            assert_eq!(answer.variant, "RunCancelled", "{rule:?}: {answer:?}");
            let by = format!("cancelled by {name}");
            assert_eq!(told[&run(number)], (name.to_owned(), by.clone()));
            assert_eq!(owner.events().last().unwrap().message, format!("the run cancelled: {by}"));
            let row = row(&fixture, number);
            assert_eq!((row.state, row.why.as_deref()), (RunState::Cancelled, Some(&*by)));
        }
    }
}
