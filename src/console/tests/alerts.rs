//! What the operator must not miss: when it comes, when it goes, and what he can do with it.

use crossterm::event::KeyCode;

use super::test_console::{AlertChanges, TestConsole, applied, connected, dispatched, enqueued};
use crate::{
    console::{
        systems::station::outcomes::StationCommand,
        ui::{effect::Effect, event::Event},
    },
    ids::{ActionId, InvocationId, SessionId},
    port::{Command, Outcome},
    runs,
    runs::NodeRef,
    station::{
        alerts::{Cause, DISK_LOW, RECORDING_FAILED, STATION_ERROR, STORE_FAILING},
        bridge::alerts::{
            ADAPTER_GONE, ADAPTER_SILENT, DAMAGED_ROWS, HEAD_WAITING, HOST_DOWN, ORPHANED, PORT_DOWN,
        },
    },
    tap::entry::{
        Link,
        alerts::{Alert, AlertState},
        mpp::{Brake, CloseCause, FailedBy, RowState, Transition},
        station,
    },
    time::Wall,
};

pub(super) const PEER: &str = "127.0.0.1:50312";

pub(super) fn gone() -> Transition {
    Transition::Disconnected { peer: PEER.into(), active: true, cause: CloseCause::PeerClosed }
}

pub(super) fn back() -> Transition {
    Transition::Handshaken { peer: PEER.into(), session_id: SessionId(43), persisted: 0 }
}

pub(super) fn braked(queue: &str, held: bool) -> Transition {
    Transition::Braked { queue: queue.into(), brake: Brake { held, draining: false } }
}

/// A station with an adapter and nothing the matter.
pub(super) fn well(columns: u16, rows: u16) -> TestConsole {
    let mut stage = TestConsole::of_size(columns, rows);
    stage.resync(connected());
    assert_eq!(stage.tick(), AlertChanges::default());
    stage
}

/// Lets seconds pass, each with its tick.
pub(super) fn pass_s(stage: &mut TestConsole, s: u64) -> Vec<AlertChanges> {
    (0..s)
        .map(|_| {
            stage.pass(1_000);
            stage.tick()
        })
        .collect()
}

pub(super) fn alerts(stage: &TestConsole) -> Vec<Alert> {
    stage.model.alerts().listed().into_iter().cloned().collect()
}

/// Those that hold.
pub(super) fn holding(stage: &TestConsole) -> Vec<Alert> {
    stage.model.alerts().unresolved().cloned().collect()
}

/// Nothing comes before this second, and exactly one alert of this cause then.
pub(super) fn comes_after_s(stage: &mut TestConsole, s: u64, cause: &Cause) {
    for (second, judged) in (1..).zip(pass_s(stage, s)) {
        assert_eq!(judged.raised.len(), usize::from(second == s), "second {second} of {s}");
    }
    let raised = alerts(stage);
    assert_eq!(&raised[0], cause);
    assert_eq!(raised[0].state(), AlertState::Active);
}

#[test]
fn an_adapter_that_left_is_missed_after_5_s_and_not_before() {
    let mut stage = well(80, 24);
    stage.mpp(gone(), "");
    comes_after_s(&mut stage, 5, &ADAPTER_GONE.of(PEER));
    stage.mpp(back(), "");
    stage.pass(1_000);
    let judged = stage.tick();
    assert_eq!((judged.raised.len(), judged.resolved.len()), (0, 1));
    let passed = &alerts(&stage)[0];
    assert!(passed.state() == AlertState::Resolved);
    assert_eq!(passed.duration(stage.view.now).as_secs(), 6);
    pass_s(&mut stage, 10);
    assert_eq!(alerts(&stage)[0].duration(stage.view.now).as_secs(), 6, "what passed lasts no longer");
    stage.mpp(gone(), "");
    comes_after_s(&mut stage, 5, &ADAPTER_GONE.of(PEER));
    assert_eq!(alerts(&stage).len(), 2, "it came again, and what passed is kept");
}

#[test]
fn an_adapter_that_never_was_is_not_missed_and_one_that_is_back_in_time_neither() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(super::test_console::fresh());
    pass_s(&mut stage, 60);
    assert!(alerts(&stage).is_empty());
    let mut stage = well(80, 24);
    for _ in 0..5 {
        stage.mpp(gone(), "");
        pass_s(&mut stage, 4);
        stage.mpp(back(), "");
        pass_s(&mut stage, 1);
    }
    assert!(alerts(&stage).is_empty());
}

#[test]
fn the_head_of_a_queue_is_missed_after_30_s_for_each_queue_by_itself() {
    let mut stage = well(80, 24);
    stage.mpp(enqueued(1, "default"), "");
    pass_s(&mut stage, 10);
    stage.mpp(enqueued(2, "boss"), "");
    comes_after_s(&mut stage, 20, &HEAD_WAITING.of("default"));
    comes_after_s(&mut stage, 10, &HEAD_WAITING.of("boss"));
    stage.mpp(dispatched(1, "default"), "");
    pass_s(&mut stage, 1);
    assert_eq!(holding(&stage), [HEAD_WAITING.of("boss")]);
}

#[test]
fn a_queue_that_moves_is_not_missed_however_long_it_is() {
    let mut stage = well(80, 24);
    for id in 1..=40 {
        stage.mpp(enqueued(id, "default"), "");
    }
    for id in 1..=39 {
        pass_s(&mut stage, 29);
        stage.mpp(dispatched(id, "default"), "");
        stage.mpp(applied(id, "default", true), "");
    }
    assert!(alerts(&stage).is_empty());
    comes_after_s(&mut stage, 30, &HEAD_WAITING.of("default"));
}

#[test]
fn a_head_behind_a_row_that_hangs_is_missed_and_named_with_the_row_before_it() {
    let mut stage = well(160, 50);
    stage.mpp(enqueued(7, "boss"), "");
    stage.mpp(dispatched(7, "boss"), "");
    stage.mpp(enqueued(8, "boss"), "");
    comes_after_s(&mut stage, 30, &HEAD_WAITING.of("boss"));
    assert_eq!(&*alerts(&stage)[0].text, "oldest item in boss is waiting: 7 ahead of it is in flight");
}

#[test]
fn what_the_operator_holds_himself_is_no_alert_until_he_lets_it_go() {
    let mut stage = well(80, 24);
    stage.mpp(enqueued(1, "default"), "");
    pass_s(&mut stage, 29);
    stage.mpp(braked("default", true), "");
    pass_s(&mut stage, 120);
    assert!(alerts(&stage).is_empty());
    stage.mpp(braked("default", false), "");
    comes_after_s(&mut stage, 30, &HEAD_WAITING.of("default"));
}

#[test]
fn a_row_that_was_put_back_begins_to_wait_anew() {
    let mut stage = well(80, 24);
    stage.mpp(enqueued(1, "default"), "");
    stage.mpp(dispatched(1, "default"), "");
    pass_s(&mut stage, 100);
    assert!(alerts(&stage).is_empty());
    stage.mpp(Transition::Requeued { id: InvocationId(1), queue: "default".into() }, "");
    comes_after_s(&mut stage, 30, &HEAD_WAITING.of("default"));
}

#[test]
fn a_head_waits_on_over_a_loss_and_a_new_snapshot() {
    let mut stage = well(80, 24);
    stage.mpp(enqueued(1, "default"), "");
    pass_s(&mut stage, 20);
    let mut snapshot = connected();
    snapshot.mpp.queues.get_mut("default").unwrap().pending = 1;
    snapshot.at = stage.view.now;
    stage.resync(snapshot);
    comes_after_s(&mut stage, 10, &HEAD_WAITING.of("default"));
}

#[test]
fn a_rule_of_0_seconds_is_off_and_another_figure_counts() {
    let mut stage = well(80, 24);
    stage.thresholds.adapter_gone_s = 0;
    stage.thresholds.head_waiting_s = 2;
    stage.mpp(enqueued(1, "default"), "");
    stage.mpp(gone(), "");
    comes_after_s(&mut stage, 2, &HEAD_WAITING.of("default"));
    pass_s(&mut stage, 60);
    assert_eq!(alerts(&stage).len(), 1);
}

#[test]
fn trouble_that_the_station_reports_is_told_at_the_next_second_and_passes_with_it() {
    use station::Transition as T;
    let cases: [(T, T, Cause, &str); 3] = [
        (T::StoreFailing, T::StoreOk, STORE_FAILING.cause(), "disk full"),
        (T::DiskLow { free_bytes: 9 << 20 }, T::DiskOk { free_bytes: 1 << 40 }, DISK_LOW.cause(), ""),
        (
            T::RecordingFailed { is_always: false },
            T::RecordingStarted,
            RECORDING_FAILED.cause(),
            "/r/friday.mcap: disk full",
        ),
    ];
    for (trouble, end, cause, text) in cases {
        let mut stage = well(80, 24);
        stage.station(trouble, text);
        comes_after_s(&mut stage, 1, &cause);
        stage.station(end, "");
        pass_s(&mut stage, 1);
        assert!(holding(&stage).is_empty(), "{cause:?}");
    }
    let mut stage = well(80, 24);
    stage.mpp(Transition::CommitsFailing, "disk full");
    comes_after_s(&mut stage, 1, &STORE_FAILING.cause());
    stage.station(T::StoreFailing, "disk full");
    assert_eq!(
        pass_s(&mut stage, 1)[0],
        AlertChanges::default(),
        "one trouble is one alert, whoever reports it"
    );
    let mut stage = well(80, 24);
    stage.mpp(Transition::NotListening, "port 7777 is taken");
    comes_after_s(&mut stage, 1, &PORT_DOWN.cause());
    stage.mpp(Transition::Listening { addr: ([127, 0, 0, 1], 7777).into() }, "");
    pass_s(&mut stage, 1);
    assert!(holding(&stage).is_empty());
}

fn damaged(id: u64) -> Transition {
    Transition::Failed {
        id: InvocationId(id),
        queue: "boss".into(),
        event: "heal".into(),
        from: RowState::Pending,
        cleared: false,
        by: FailedBy::Damage,
    }
}

#[test]
fn damage_is_an_alert_with_what_to_do_until_it_was_seen() {
    let mut stage = well(160, 40);
    stage.mpp(damaged(3), "damaged: params cannot be read");
    stage.mpp(damaged(7), "damaged: trace cannot be read");
    comes_after_s(&mut stage, 1, &DAMAGED_ROWS.cause());
    let error = station::Transition::Notice { level: station::Level::Error };
    stage.station(error, "/d/station.db was damaged: it is kept in /d/bad-1; restore a backup");
    comes_after_s(&mut stage, 1, &STATION_ERROR.cause());
    stage.station(station::Transition::Notice { level: station::Level::Warn }, "an unfinished write");
    pass_s(&mut stage, 60);
    let text = |stage: &TestConsole, cause: &Cause| {
        alerts(stage).into_iter().find(|alert| alert == cause).unwrap().text.to_string()
    };
    assert_eq!(
        text(&stage, &DAMAGED_ROWS.cause()),
        "2 invocations failed: their rows in the store are damaged, the last is 7 on boss"
    );
    assert!(text(&stage, &STATION_ERROR.cause()).contains("restore a backup"));
    stage.char('a');
    stage.key(KeyCode::Down);
    assert!(stage.text().contains("ls invocations --state failed"), "{}", stage.text());
    stage.key(KeyCode::Up);
    for _ in 0..2 {
        stage.char('A');
    }
    pass_s(&mut stage, 1);
    assert!(holding(&stage).is_empty());
    stage.mpp(damaged(8), "damaged: params cannot be read");
    comes_after_s(&mut stage, 1, &DAMAGED_ROWS.cause());
}

#[test]
fn a_read_that_failed_twice_turns_the_bridge_s_chip_until_it_succeeds() {
    let mut stage = well(160, 40);
    assert!(stage.text().contains("MPP ●"), "{}", stage.text());
    stage.mpp(Transition::ReadsFailing, "default: disk I/O error");
    stage.tick();
    assert!(!stage.text().contains("MPP ●"), "{}", stage.text());
    stage.mpp(Transition::ReadsOk, "");
    stage.tick();
    assert!(stage.text().contains("MPP ●"), "{}", stage.text());
}

#[test]
fn while_the_bridge_is_down_nothing_that_was_known_of_it_passes_or_comes() {
    let mut stage = well(80, 24);
    stage.mpp(Transition::Stale { silent_s: 30 }, "");
    comes_after_s(&mut stage, 1, &ADAPTER_SILENT.of(PEER));
    stage.mpp(enqueued(1, "default"), "");
    stage.station(station::Transition::HostDown { link: Link::Mpp }, "it failed");
    comes_after_s(&mut stage, 1, &HOST_DOWN.cause());
    pass_s(&mut stage, 60);
    assert_eq!(holding(&stage), [ADAPTER_SILENT.of(PEER), HOST_DOWN.cause()]);
}

#[test]
fn a_bridge_that_failed_is_started_again_from_where_it_is_said_and_its_adapter_is_missed() {
    let restart = Effect::command(Command::Restart { link: Link::Mpp }, StationCommand);
    let mut stage = well(160, 50);
    assert_eq!(stage.char('R'), []);
    assert!(stage.text().contains("every host is up; nothing to restart"), "{}", stage.text());
    stage.station(station::Transition::HostDown { link: Link::Mpp }, "it failed by a fault of ours");
    pass_s(&mut stage, 1);
    stage.char('a');
    let text = stage.text();
    assert!(
        text.contains("R restarts it") && text.contains("rl-console --data ./friday host restart mpp"),
        "{text}"
    );
    assert_eq!(stage.char('R'), std::slice::from_ref(&restart));
    for key in [KeyCode::Esc, KeyCode::BackTab, KeyCode::Enter] {
        stage.key(key);
    }
    assert!(stage.text().contains("R restarts it"), "{}", stage.text());
    assert_eq!(stage.char('R'), [restart]);
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(StationCommand),
        outcome: Ok(Outcome::Restarted { link: Link::Mpp }),
    });
    assert!(stage.text().contains("bridge restarted"), "{}", stage.text());
    stage.station(station::Transition::HostUp { link: Link::Mpp }, "");
    assert!(stage.model.is_void(), "what was known of it is void");
    let mut snapshot = connected();
    snapshot.mpp.adapter = None;
    snapshot.at = stage.view.now;
    stage.resync(snapshot);
    stage.tick();
    assert!(holding(&stage).is_empty());
    comes_after_s(&mut stage, 5, &ADAPTER_GONE.of(PEER));
    stage.mpp(back(), "");
    pass_s(&mut stage, 1);
    assert!(holding(&stage).is_empty());
}

#[test]
fn rows_left_in_applied_are_one_alert_that_comes_back_when_there_are_more() {
    let mut stage = well(160, 50);
    let leave = |stage: &mut TestConsole, id: u64| {
        stage.mpp(enqueued(id, "boss"), "");
        stage.mpp(dispatched(id, "boss"), "");
        stage.mpp(applied(id, "boss", false), "");
        stage.mpp(Transition::Orphaned { id: InvocationId(id), queue: "boss".into() }, "");
    };
    leave(&mut stage, 5);
    comes_after_s(&mut stage, 1, &ORPHANED.cause());
    stage.char('a');
    stage.char('A');
    assert_eq!(alerts(&stage)[0].state(), AlertState::Acknowledged);
    assert_eq!(pass_s(&mut stage, 5), vec![AlertChanges::default(); 5]);
    leave(&mut stage, 6);
    assert_eq!(pass_s(&mut stage, 1)[0].raised.len(), 1, "another one, after it was seen");
    assert!(
        alerts(&stage)[0].text.contains("2 invocations are orphaned (applied, adapter lost), the first is 5")
    );
}

#[test]
fn a_station_that_goes_down_alarms_nobody() {
    let mut stage = well(80, 24);
    stage.station(station::Transition::Stopping { by: None }, "");
    stage.mpp(gone(), "");
    pass_s(&mut stage, 60);
    assert!(alerts(&stage).is_empty());
}

#[test]
fn no_more_alerts_are_kept_than_the_limit_and_those_that_passed_go_first() {
    let mut limits = crate::limits::Limits::default();
    limits.console.alerts_max = 20;
    let mut stage = TestConsole::of_size(80, 24);
    stage.alerts = crate::station::alerts::Alerts::new(limits.console.alerts_max);
    let mut snapshot = connected();
    snapshot.station.store_failing = Some("disk full".into());
    stage.resync(snapshot);
    for _ in 0..30 {
        stage.mpp(gone(), "");
        pass_s(&mut stage, 6);
        stage.mpp(back(), "");
        pass_s(&mut stage, 1);
    }
    assert_eq!(alerts(&stage).len(), 20);
    assert_eq!(stage.model.alerts().cut(), 11);
    assert_eq!(holding(&stage), [STORE_FAILING.cause()], "what holds is never cut");
    stage.char('a');
    assert!(stage.text().contains("11 older ones cut (limits.console.alerts_max)"), "{}", stage.text());
}

#[test]
fn what_an_operator_rejected_or_disconnected_himself_rings_no_bell() {
    let mut stage = super::runs_samples::with_runs(well(160, 50));
    pass_s(&mut stage, 61);
    stage.model.take_raised_alerts();
    let (run, plan) = (0xbeef, super::runs_samples::plan(&[("give", "agent:writer", None)], &[]));
    stage.submitted(run, "mend", &plan);
    let (action, node) = (ActionId(uuid::Uuid::from_u128(9)), NodeRef { index: 0, id: "give".into() });
    let expires_at = Wall(stage.view.now.wall.0 + 60_000);
    stage.asked(run, action, node, expires_at, "publish?");
    pass_s(&mut stage, 1);
    stage.model.take_raised_alerts();
    let of = super::runs_samples::run(run);
    stage.runs(runs::Transition::Decided { run: of, action, verdict: runs::Verdict::Rejected, by: None }, "");
    stage.ended(run, runs::RunState::Failed, "give failed: rejected by tester");
    pass_s(&mut stage, 2);
    assert_eq!(stage.model.take_raised_alerts(), [0_u64; 0], "a rejected run: {:?}", holding(&stage));
    stage.mpp(Transition::Disconnected { peer: PEER.into(), active: true, cause: CloseCause::Kicked }, "");
    pass_s(&mut stage, 6);
    assert!(holding(&stage).iter().any(|alert| *alert == ADAPTER_GONE.of(PEER)), "it is listed all the same");
    assert_eq!(stage.model.take_raised_alerts(), [0_u64; 0]);
    stage.ended(super::runs_samples::VOTE, runs::RunState::Failed, "write failed");
    pass_s(&mut stage, 1);
    assert_eq!(stage.model.take_raised_alerts().len(), 1, "what fails by itself rings");
}

#[test]
fn every_kind_of_alert_that_the_station_judges_has_what_to_do() {
    let judged = crate::station::alerts::kinds();
    assert!(judged.len() > 15, "{judged:?}");
    for (link, name) in judged {
        let known = crate::console::model::alert_kinds(link).iter().any(|kind| kind.name() == name);
        assert!(known, "{} {name}: the console does not know what to do", link.name());
    }
}
