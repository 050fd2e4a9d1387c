//! Alerts over restarts, and their retention.

use std::sync::Arc;

use super::kit::{HASH, ask, open, try_open};
use crate::{
    limits,
    store::{
        AlertFilter, Retained,
        op::{Done, Op},
    },
    tap::entry::{
        Link,
        alerts::{Alert, AlertManner, AlertState},
    },
    time::{Mono, Now, Wall},
};

fn at(ms: u64) -> Now {
    Now { mono: Mono(0), wall: Wall(ms) }
}

fn alert(id: u64, resolved: Option<u64>) -> Arc<Alert> {
    Arc::new(Alert {
        id,
        name: "adapter_gone".into(),
        link: Link::Mpp,
        subject: "127.0.0.1:5".into(),
        manner: AlertManner::Lasting,
        since: at(id * 10),
        text: "adapter 127.0.0.1:5 is gone".into(),
        last: Some(3),
        is_quiet: id.is_multiple_of(2),
        raised_at: at(id * 10 + 5),
        acknowledged_at: id.is_multiple_of(3).then(|| at(id * 10 + 6)),
        resolved_at: resolved.map(at),
    })
}

#[test]
fn alerts_are_as_they_were_after_a_restart_and_the_next_id_is_behind_them() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let all = vec![alert(1, None), alert(2, Some(90)), alert(3, None), alert(4, Some(91))];
    assert_eq!(kit.commit(Op::Alerts(all.clone())).unwrap(), Done::Plain);
    let kit = kit.kill_and_reopen(folder.path());
    let restored = ask(|done| kit.handle.restored_alerts(3, done)).unwrap();
    assert_eq!(restored.next, 5);
    assert_eq!(restored.alerts, [0, 2, 3].map(|at| Arc::clone(&all[at])), "what holds, then the newest");
    let page = |filter| ask(|done| kit.handle.alerts(filter, done)).unwrap();
    let ids = |filter| page(filter).rows.iter().map(|alert| alert.id).collect::<Vec<_>>();
    let all = AlertFilter { limit: 9, ..AlertFilter::default() };
    assert_eq!(ids(all.clone()), [4, 3, 2, 1]);
    let of = |state| AlertFilter { state: Some(state), ..all.clone() };
    assert_eq!(AlertState::ALL.map(|state| ids(of(state))), [vec![1], vec![3], vec![4, 2]]);
    assert_eq!(ids(AlertFilter { since: Some(Wall(25)), oldest_first: true, ..all.clone() }), [2, 3, 4]);
    let two = page(AlertFilter { limit: 2, beyond: Some(4), ..all });
    assert_eq!((two.rows[0].id, two.rows.len(), two.more), (3, 2, true));
}

#[test]
fn the_oldest_resolved_alerts_go_and_those_that_hold_stay() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { alert_rows_max: 1_000, ..limits::Store::default() };
    let kit = try_open(folder.path(), HASH, limits).unwrap();
    let mut all: Vec<_> = (1..=2_000).map(|id| alert(id, (id > 10).then_some(7))).collect();
    // One that is written again is no further row.
    all.extend((1..=500).map(|id| alert(id, (id > 10).then_some(8))));
    kit.commit(Op::Alerts(all)).unwrap();
    let place = Retained::WHAT.iter().position(|what| *what == "alerts").unwrap();
    let mut kept = 0;
    for _ in 0..100 {
        kit.flush();
        kept = kit.handle.counters().retained[place].rows;
        if kept <= 1_000 {
            break;
        }
    }
    assert_eq!(kept, 1_000);
    let filter = AlertFilter { limit: 5_000, oldest_first: true, ..AlertFilter::default() };
    let rows = ask(|done| kit.handle.alerts(filter, done)).unwrap().rows;
    let ids: Vec<u64> = rows.iter().map(|alert| alert.id).collect();
    assert_eq!((ids.len(), &ids[..11]), (1_000, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_011][..]));
}
