//! What a station in the middle of a show answers to the console's questions.

use super::test_console::{TestConsole, of_type, row};
use crate::{
    console::{
        input::pane_id::PaneId,
        records::paged_list::Record as Listed,
        ui::{
            effect::{Effect, PanePage},
            event::Event,
        },
    },
    field::Fields,
    filter::Filter,
    ids::{InvocationId, RefundId, SessionId},
    mpp::{WrittenBy, manifest::Writer},
    port::{InvocationRow, Page, Query, QueueRow, RefundRow, StateKeyRow},
    schema::JsonText,
    store::invocations::Source,
    tap::entry::mpp::{RefundStatus, RowState},
    time::Now,
};

/// The questions for pages among some effects.
pub(super) fn asked(effects: &[Effect]) -> Vec<(PaneId, u64, Query)> {
    let page = |effect: &Effect| match effect {
        Effect::Query { on_page, query } => {
            of_type::<PanePage>(&**on_page).map(|page| (page.pane, page.serial, query.clone()))
        }
        _ => None,
    };
    effects.iter().filter_map(page).collect()
}

/// The question for one pane's list.
pub(super) fn asked_by(pane: PaneId, effects: &[Effect]) -> Option<(u64, Query)> {
    asked(effects).into_iter().find(|(known, ..)| *known == pane).map(|(_, serial, query)| (serial, query))
}

fn ended(id: u64, state: RowState, reason: Option<&str>) -> InvocationRow {
    InvocationRow {
        state,
        reason: reason.map(str::to_owned),
        updated_at_ms: Now::at_ms(id * 1_000).wall,
        ..row(id)
    }
}

fn refund(id: u64, status: RefundStatus, kind: &str) -> RefundRow {
    let source = Source {
        kind: kind.to_owned(),
        redemption: Some(format!("r-{id}")),
        user: Some("viewer".to_owned()),
    };
    RefundRow {
        damage: None,
        id: RefundId(id),
        invocation_id: InvocationId(id + 30),
        source,
        status,
        at_ms: Now::at_ms(id * 1_000).wall,
    }
}

fn value(key: &str, json: &str, persist: bool, by: WrittenBy) -> StateKeyRow {
    StateKeyRow {
        key: key.into(),
        value: JsonText::parse(json).unwrap(),
        scope: persist.then(|| "trainer:42".to_owned()),
        persist,
        writer: Some(Writer::Adapter),
        written_by: Some(by),
        at_ms: Some(Now::at_ms(61_000).wall),
    }
}

/// What a station in the middle of a show answers.
fn answer(query: &Query) -> Page {
    fn let_through<R: Fields>(rows: &mut Vec<R>, filter: Option<&String>) {
        let filter = filter.map(|text| Filter::parse(text, R::SPECS).unwrap());
        rows.retain(|row| filter.as_ref().is_none_or(|filter| filter.admits(row, Now::at_ms(0))));
    }
    fn in_order<R: Listed>(rows: &mut Vec<R>, beyond: Option<u64>, oldest_first: bool) {
        rows.sort_by_key(Listed::number);
        if !oldest_first {
            rows.reverse();
        }
        rows.retain(|row| {
            beyond
                .is_none_or(|beyond| if oldest_first { row.number() > beyond } else { row.number() < beyond })
        });
    }
    let mut page = every(query);
    match (&mut page, query) {
        (Page::Invocations { rows, .. }, Query::Invocations { filter, beyond, oldest_first, .. }) => {
            let_through(rows, filter.as_ref());
            in_order(rows, beyond.map(|beyond| beyond.0), *oldest_first);
        }
        (Page::Sessions { rows, .. }, Query::Sessions { filter, beyond, oldest_first, .. }) => {
            let_through(rows, filter.as_ref());
            in_order(rows, *beyond, *oldest_first);
        }
        (Page::Runs { rows, .. }, Query::Runs { filter, beyond, oldest_first, .. }) => {
            let_through(rows, filter.as_ref());
            in_order(rows, *beyond, *oldest_first);
        }
        (Page::Refunds { rows, .. }, Query::Refunds { filter, beyond, oldest_first, .. }) => {
            let_through(rows, filter.as_ref());
            in_order(rows, beyond.map(|beyond| beyond.0), *oldest_first);
        }
        _ => {}
    }
    page
}

/// All that there is.
fn every(query: &Query) -> Page {
    match query {
        Query::Invocations { other_manifest: true, .. } => {
            let hash = format!("sha256:{}", "fedcba9876543210".repeat(4));
            let other = |id| InvocationRow { other_manifest: Some(hash.as_str().into()), ..row(id) };
            Page::Invocations { rows: vec![other(3), other(5)], more: false, beyond: None }
        }
        Query::Invocations { .. } => {
            let of = |id| match id {
                41 => ended(41, RowState::Failed, Some("item not found in\ninventory")),
                43..=45 => row(id),
                _ => InvocationRow {
                    result: Some(JsonText::parse("{\"resolved_item_id\":4}").unwrap()),
                    ..ended(id, RowState::Done, None)
                },
            };
            Page::Invocations { rows: (1..=46).map(of).collect(), more: false, beyond: None }
        }
        Query::Refunds { .. } => {
            let rows = vec![
                refund(3, RefundStatus::Manual, "manual"),
                refund(2, RefundStatus::Skipped, "bits"),
                refund(1, RefundStatus::Requested, "channel_points"),
            ];
            Page::Refunds { rows, more: false, beyond: None }
        }
        Query::State => {
            let adapter = WrittenBy::Adapter { peer: "127.0.0.1:50312".into(), session_id: SessionId(42) };
            Page::State(vec![
                value("party", "[\"pikachu\u{202e}\"]", false, adapter),
                value("resets", "3.0", true, WrittenBy::Replayed),
            ])
        }
        Query::Queues => {
            let queue = QueueRow {
                queue: "default".into(),
                ready_after: None,
                pending: 3,
                other_manifest: 2,
                in_flight: None,
                parked: false,
                held: false,
                draining: false,
                head_at_ms: Some(Now::at_ms(60_000).wall),
            };
            Page::Queues(vec![queue])
        }
        Query::Runs { .. } => Page::Runs { rows: super::runs_samples::stored(), more: false, beyond: None },
        Query::Run { run } => Page::Run(super::runs_samples::detail(*run).map(Box::new)),
        Query::RunEvents { run, after, limit } => {
            Page::RunEvents { rows: super::runs_samples::told(*run, *after, *limit), more: true }
        }
        Query::RunArtifacts { after, .. } => {
            Page::RunArtifacts { rows: super::runs_samples::kept(*after), more: false }
        }
        Query::Sessions { .. } => {
            Page::Sessions { rows: super::sessions_samples::stored(), more: false, beyond: None }
        }
        Query::Session { session } => Page::Session(super::sessions_samples::detail(session).map(Box::new)),
        Query::SessionLog { after, limit, .. } => {
            Page::SessionLog { rows: super::sessions_samples::logged(*after, *limit), more: false }
        }
        Query::Lifecycle { of, after, limit, bytes: _ } => super::lifecycle_samples::page(of, *after, *limit),
        other => panic!("{other:?}"),
    }
}

/// Answers everything that is asked for, until nothing is.
pub(super) fn answered(stage: &mut TestConsole, mut effects: Vec<Effect>) {
    while !effects.is_empty() {
        let questions = asked(&effects);
        effects.clear();
        for (pane, serial, query) in questions {
            let page = Ok(answer(&query));
            effects.extend(
                stage.event(Event::QueryAnswered { on_page: Box::new(PanePage { pane, serial }), page }),
            );
        }
    }
}
