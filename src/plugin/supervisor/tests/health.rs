use serde_json::json;

use super::{
    super::{RestoredPlugin, Supervisor},
    kit::{FULL, TestHost, example, manifest, settings},
};
use crate::{
    plugin::{Command, DisableCause, ExitStatus, Transition},
    time::Wall,
};

fn disabled(host: &TestHost) -> bool {
    host.moved
        .iter()
        .any(|(it, _)| matches!(it, Transition::Disabled { cause: DisableCause::RestartLimit, .. }))
}

/// The waits before the restarts, of processes that end at these moments.
fn waits(exits_ms: &[u64]) -> (Vec<u64>, bool) {
    let mut host = TestHost::installed();
    let start = host.now;
    let mut waits = Vec::new();
    for at in exits_ms {
        let passed = u64::try_from(host.now.since(start).as_millis()).unwrap();
        host.pass_ms(at - passed);
        host.exits(&example(), ExitStatus::Code(0));
        let until = host.moved.iter().rev().find_map(|(it, _)| match it {
            Transition::Waiting { until, .. } => u64::try_from(until.since(host.now.wall).as_millis()).ok(),
            _ => None,
        });
        host.moved.retain(|(it, _)| matches!(it, Transition::Disabled { .. }));
        waits.extend(until);
    }
    (waits, disabled(&host))
}

#[test]
fn restarts_wait_1_5_25_seconds_and_the_fourth_exit_disables() {
    assert_eq!(waits(&[0, 2_000, 8_000]), (vec![1_000, 5_000, 25_000], false));
    assert_eq!(waits(&[0, 2_000, 8_000, 40_000]), (vec![1_000, 5_000, 25_000], true));
}

#[test]
fn an_exit_counts_for_less_than_600_seconds() {
    // At 300 s the first still counts; its process starts 5 s later.
    assert_eq!(waits(&[0, 300_000, 500_000, 599_999]), (vec![1_000, 5_000, 25_000], true));
    assert_eq!(waits(&[0, 300_000, 500_000, 600_000]), (vec![1_000, 5_000, 25_000, 25_000], false));
}

#[test]
fn by_hand_nothing_is_counted_and_the_count_is_cleared() {
    let mut host = TestHost::installed();
    for _ in 0..3 {
        host.exits(&example(), ExitStatus::Signal(11));
        host.pass_s(25);
    }
    host.bring_up(&example(), &[]);
    host.done(Command::Restart { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.spawns.len(), 5, "it is started again at once");
    host.exits(&example(), ExitStatus::Code(0));
    assert!(!disabled(&host));
    host.pass_ms(1_000);
    assert_eq!(host.spawns.len(), 6, "the first exit since");
}

#[test]
fn a_disabled_plugin_is_enabled_by_restart_and_by_enable() {
    for command in [Command::Enable { plugin: example() }, Command::Restart { plugin: example() }] {
        let mut host = TestHost::installed();
        for _ in 0..4 {
            host.exits(&example(), ExitStatus::Code(1));
            host.pass_s(25);
        }
        assert!(disabled(&host));
        let spawns = host.spawns.len();
        host.done(command);
        assert_eq!(host.spawns.len(), spawns + 1);
    }
}

#[test]
fn pings_come_every_30_s_and_the_third_miss_at_120_s_ends_the_process() {
    let mut host = TestHost::up();
    host.methods();
    host.pass_ms(29_999);
    assert!(host.sent.iter().all(|sent| sent.body["method"] != "ping"));
    host.pass_ms(1);
    let ping = host.last_request(&example());
    assert_eq!(ping, json!({"jsonrpc": "2.0", "id": ping["id"], "method": "ping", "params": {}}));
    host.pass_ms(89_999);
    assert!(host.kills.is_empty());
    host.pass_ms(1);
    assert_eq!(host.kills.len(), 1);
    let misses: Vec<_> = host
        .moved
        .iter()
        .filter_map(|(it, _)| if let Transition::Missed { misses, .. } = it { Some(*misses) } else { None })
        .collect();
    assert_eq!(misses, [1, 2, 3]);
}

#[test]
fn an_answer_to_any_ping_resets_late_or_an_error_and_other_traffic_does_not() {
    let mut host = TestHost::up();
    host.pass_s(30);
    let first = host.last_request(&example())["id"].clone();
    host.pass_s(80);
    host.calls("get_followed_live", json!({}));
    host.says(
        &example(),
        json!({"jsonrpc": "2.0", "id": first, "error": {"code": -32601, "message": "what?"}}),
    );
    host.pass_ms(69_999);
    assert!(host.kills.is_empty(), "the misses began anew");
    host.pass_ms(1);
    assert_eq!(host.kills.len(), 1);
}

#[test]
fn what_has_arrived_is_handled_before_a_deadline_is_judged() {
    let mut host = TestHost::up();
    host.pass_s(30);
    // The station itself is held up for ten minutes: the answer lies in the pipe.
    host.jump_to(host.now.after(std::time::Duration::from_secs(600)).mono);
    host.answer_last(&example(), json!({}));
    host.pass_ms(0);
    assert!(host.kills.is_empty());
    let missed = host.moved.iter().any(|(it, _)| matches!(it, Transition::Missed { .. }));
    assert!(!missed);
}

#[test]
fn a_wall_clock_that_jumps_moves_no_deadline() {
    let mut host = TestHost::up();
    let jump = |host: &mut TestHost, ms: i64| host.now.wall = Wall(host.now.wall.0.saturating_add_signed(ms));
    jump(&mut host, 86_400_000);
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    jump(&mut host, -172_800_000);
    host.pass_ms(999);
    assert_eq!(host.spawns.len(), 1);
    host.pass_ms(1);
    assert_eq!(host.spawns.len(), 2);
    // An hour later by the wall clock alone: the first exit counts still.
    jump(&mut host, 3_600_000);
    host.moves();
    host.exits(&example(), ExitStatus::Code(0));
    let nth = host.moved.iter().find_map(|(it, _)| match it {
        Transition::Waiting { nth, .. } => Some(*nth),
        _ => None,
    });
    assert_eq!(nth, Some(2));
}

#[test]
fn exits_of_before_this_start_count_by_the_wall_clock_and_one_in_the_future_counts() {
    for (ago_ms, counted) in [(599_999, true), (600_000, false), (-3_600_000, true)] {
        let mut host = TestHost::with(settings());
        let at = Wall(host.now.wall.0.saturating_add_signed(-ago_ms));
        let kept = RestoredPlugin {
            folder: "".into(),
            manifest: Ok(manifest(FULL)),
            plugin: example(),
            text: FULL.into(),
            command: None,
            grants: Vec::new(),
            always: Vec::new(),
            disabled: None,
            exits: vec![at; 3],
            values: Vec::new(),
        };
        host.core = Supervisor::new(host.now, settings(), vec![kept], Vec::new());
        host.core.start_all(host.now);
        host.pass_ms(0);
        host.exits(&example(), ExitStatus::Code(0));
        assert_eq!(disabled(&host), counted, "{ago_ms} ms ago");
    }
}
