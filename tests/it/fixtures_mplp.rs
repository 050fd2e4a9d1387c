//! One value of every variant of what lifecycle records are told in. A new variant does not compile until it
//! has one.

use std::sync::Arc;

use rl_console::{
    ids::TraceId,
    mplp::{RatingVerdict, RecordKind, RecordRef, Snapshot, Transition, snapshot::WithheldView},
    time::Now,
};

fn run() -> TraceId {
    "trace:0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap()
}

fn records() -> Vec<RecordRef> {
    every!(RecordKind {
        Run => [RecordRef::run(run())],
        Session => [RecordRef::session("vote")],
        Station => [RecordRef { kind: RecordKind::Station, id: Arc::from("") }],
    })
}

pub(crate) fn transitions() -> Vec<Transition> {
    let mut all = every!(Transition {
        Withheld => [],
        Rated => [],
        Exported => [],
    });
    for record in records() {
        all.push(Transition::Exported { record: record.clone(), items: 12, findings: 3 });
        all.push(Transition::Withheld {
            record,
            schema: Arc::from("plan"),
            rule: Arc::from("required"),
            path: Arc::from("$.plan.title"),
            findings: 2,
        });
    }
    let rated = |verdict| Transition::Rated { run: run(), verdict, by: Arc::from("operator") };
    all.extend(every_plain!(RatingVerdict { Approved, Rejected }).into_iter().map(rated));
    all
}

/// A snapshot in which all there can be is there.
pub(crate) fn snapshot() -> Snapshot {
    let view = |record| WithheldView {
        at: Now::at_ms(5),
        record,
        schema: Arc::from("plan"),
        rule: Arc::from("required"),
        path: Arc::from("$.plan.title"),
        requires: Arc::from("a title"),
        findings: 2,
    };
    Snapshot { withheld: 3, rated: 4, exported: 5, recent: records().into_iter().map(view).collect() }
}
