//! How alerts come, are acknowledged and go, over starts of the station too.

use std::sync::Arc;

use super::{AlertThresholds, Alerts, Evidence, NotAcknowledged};
use crate::{
    port::{HostState, Snapshot, StationView},
    tap::{
        Draft, Tap,
        entry::{
            Link, Transition, What,
            alerts::{Alert, AlertChange, AlertState},
            station,
        },
    },
    time::{Mono, Now},
};

const THRESHOLDS: AlertThresholds = AlertThresholds { adapter_gone_s: 5, head_waiting_s: 10 };

/// A station whose store refuses commits, or does not.
fn state(store_failing: Option<&str>) -> Snapshot {
    let station = StationView {
        hosts: Link::ALL.map(|_| HostState::Up),
        store_failing: store_failing.map(Into::into),
        ..StationView::starting("/d".into(), Now::at_ms(0), 20)
    };
    Snapshot::without_hosts(station, Now::at_ms(0))
}

fn judge(alerts: &mut Alerts, state: &Snapshot, ms: u64) -> Vec<(AlertChange, u64)> {
    let evidence = Evidence { state, thresholds: THRESHOLDS, now: Now::at_ms(ms) };
    alerts.evaluate(&evidence).into_iter().map(|(change, alert)| (change, alert.id)).collect()
}

fn tell(alerts: &mut Alerts, transition: station::Transition, text: &str) {
    let tap = Tap::new(crate::limits::Tap::default());
    let mut reader = tap.reader().unwrap();
    let what = What::Transition(Transition::Station(transition));
    let at = Now::at_ms(0);
    tap.emit(Draft { at, link: Link::Station, trace: None, cause: None, what, bytes: text.as_bytes() });
    let batch = reader.read().unwrap();
    batch.iter().for_each(|entry| alerts.fold(entry, None, false));
}

/// The alerts that a later start finds: their moments are the wall clock's alone.
fn left(alerts: &Alerts) -> Vec<Arc<Alert>> {
    let wall = |at: Now| Now { mono: Mono(0), wall: at.wall };
    let stored = |alert: &Arc<Alert>| {
        Arc::new(Alert {
            since: wall(alert.since),
            raised_at: wall(alert.raised_at),
            acknowledged_at: alert.acknowledged_at.map(wall),
            resolved_at: alert.resolved_at.map(wall),
            ..Alert::clone(alert)
        })
    };
    alerts.list().iter().map(stored).collect()
}

#[test]
fn an_acknowledged_alert_goes_on_over_a_start_with_its_id_and_rings_no_more() {
    let failing = state(Some("disk full"));
    let mut first = Alerts::new(20);
    assert_eq!(judge(&mut first, &failing, 1_000), [(AlertChange::Raised, 1)]);
    assert_eq!(first.acknowledge(&[1], Now::at_ms(2_000)).unwrap().len(), 1);
    let mut second = Alerts::new(20);
    second.restore(&left(&first), 2);
    assert_eq!(judge(&mut second, &failing, 1_000), [], "it holds, as it was");
    let alert = second.list().get(1).unwrap();
    assert_eq!((alert.state(), alert.since.wall), (AlertState::Acknowledged, Now::at_ms(1_000).wall));
    assert_eq!(judge(&mut second, &state(None), 2_000), [(AlertChange::Resolved, 1)]);
    assert_eq!(judge(&mut second, &failing, 3_000), [(AlertChange::Raised, 2)], "no id is given twice");
}

#[test]
fn what_an_earlier_start_left_is_resolved_once_the_slowest_rule_would_have_met_it() {
    let mut first = Alerts::new(20);
    judge(&mut first, &state(Some("disk full")), 1_000);
    let mut second = Alerts::new(20);
    second.restore(&left(&first), 2);
    let calm = state(None);
    for ms in (1_000..14_000).step_by(1_000) {
        assert_eq!(judge(&mut second, &calm, ms), [], "at {ms}");
    }
    assert_eq!(judge(&mut second, &calm, 14_000), [(AlertChange::Resolved, 1)]);
}

#[test]
fn what_happened_holds_until_it_is_acknowledged_over_starts_too() {
    let mut first = Alerts::new(20);
    tell(&mut first, station::Transition::RecordingFailed { is_always: false }, "/r/a.mcap: disk full");
    let calm = state(None);
    assert_eq!(judge(&mut first, &calm, 1_000), [(AlertChange::Raised, 1)]);
    let mut second = Alerts::new(20);
    second.restore(&left(&first), 2);
    assert_eq!(judge(&mut second, &calm, 1_000), []);
    assert_eq!(judge(&mut second, &calm, 100_000), []);
    let gone = second.acknowledge(&[], Now::at_ms(101_000)).unwrap();
    assert_eq!(gone[0].0, AlertChange::Resolved);
    assert!(gone[0].1.acknowledged_at.is_some());
    assert_eq!(judge(&mut second, &calm, 102_000), []);
}

#[test]
fn a_recording_that_failed_is_over_with_the_next_of_its_own_kind_alone() {
    use station::Transition as T;
    let mut alerts = Alerts::new(20);
    let calm = state(None);
    tell(&mut alerts, T::RecordingFailed { is_always: false }, "/r/a.mcap: disk full");
    tell(&mut alerts, T::RecordingFailed { is_always: true }, "disk full; it is tried again");
    assert_eq!(judge(&mut alerts, &calm, 1_000).len(), 2);
    let holding = |alerts: &mut Alerts, ms| {
        judge(alerts, &calm, ms);
        let holding = alerts.list().iter().filter(|alert| alert.holds());
        holding.map(|alert| alert.subject.to_string()).collect::<Vec<_>>()
    };
    tell(&mut alerts, T::AlwaysRecording, "");
    assert_eq!(holding(&mut alerts, 2_000).len(), 2, "it writes none");
    tell(&mut alerts, T::AlwaysRecording, "/r/2-always.mcap");
    assert_eq!(holding(&mut alerts, 3_000), ["recording"]);
    tell(&mut alerts, T::RecordingFailed { is_always: true }, "disk full; it is tried again");
    tell(&mut alerts, T::RecordingStarted, "/r/b.mcap");
    assert_eq!(holding(&mut alerts, 4_000), ["always"]);
}

#[test]
fn an_unknown_alert_is_not_acknowledged_and_one_that_was_stays_as_it_is() {
    let mut alerts = Alerts::new(20);
    judge(&mut alerts, &state(Some("disk full")), 1_000);
    assert_eq!(alerts.acknowledge(&[1, 7], Now::at_ms(2_000)), Err(NotAcknowledged::Unknown(7)));
    assert_eq!(alerts.list().active_count(), 1, "all or none");
    assert_eq!(alerts.acknowledge(&[], Now::at_ms(2_000)).unwrap().len(), 1);
    assert_eq!(alerts.acknowledge(&[1], Now::at_ms(3_000)).unwrap(), []);
    let seen = alerts.list().get(1).unwrap().acknowledged_at;
    assert_eq!(seen, Some(Now::at_ms(2_000)), "the first to see it");
}

#[test]
fn a_text_that_changes_all_the_time_is_told_every_five_seconds() {
    let mut alerts = Alerts::new(20);
    let told = (1..=21_u64).map(|s| judge(&mut alerts, &state(Some(&format!("{s} tries"))), s * 1_000));
    let told: Vec<usize> = told.map(|changes| changes.len()).collect();
    assert_eq!(told.iter().sum::<usize>(), 5, "raised, and four times another text: {told:?}");
}
