use serde_json::json;

use super::{
    super::{ProcessInput, SpawnFault},
    kit::{FULL, TestHost, example, installation, settings},
};
use crate::{
    ids::PluginId,
    limits,
    plugin::{DisableCause, ExitStatus, Lint, Transition, UnhealthyCause},
};

fn unhealthy(host: &TestHost) -> Option<UnhealthyCause> {
    host.moved.iter().rev().find_map(|(it, _)| match it {
        Transition::Unhealthy { cause, .. } => Some(*cause),
        _ => None,
    })
}

fn disabled(host: &TestHost) -> Option<DisableCause> {
    host.moved.iter().rev().find_map(|(it, _)| match it {
        Transition::Disabled { cause, .. } => Some(*cause),
        _ => None,
    })
}

#[test]
fn initialize_has_the_seven_members_and_initialized_follows_its_answer() {
    let mut host = TestHost::installed();
    assert_eq!(host.spawns, [(example(), 1)]);
    assert!(host.sent.is_empty(), "nothing before the process is there");
    host.spawned(&example());
    let expected = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocol_version": 1,
            "host_version": "7.8.6",
            "plugin_id": "community.example",
            "granted": {
                "events": ["on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick",
                    "on_followed_live", "on_chat_message", "on_panel_change"],
                "host_methods": ["get_followed_live", "set_upstream", "notify", "log", "register_panel",
                    "get_panel_values"],
                "credentials": ["twitch.android"],
                "ui": ["panel"],
            },
            "data_dir": "/data/plugins/community.example/data",
            "log_dir": "/data/plugins/community.example/log",
        },
    });
    assert_eq!(host.sent[0].body, expected);
    host.answer_last(&example(), json!({"plugin_version": "1.2.0", "hooks": ["on_watch_tick"]}));
    assert_eq!(host.sent[1].body, json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let up = Transition::Up {
        plugin: example(),
        pid: 42,
        version: "1.2.0".into(),
        hooks: ["on_watch_tick".into()].into(),
        start_us: 0,
    };
    assert_eq!(host.moved.last().unwrap().0, up);
}

#[test]
fn without_an_answer_within_ten_seconds_it_is_restarted() {
    let mut host = TestHost::installed();
    host.spawned(&example());
    host.pass_ms(9_999);
    assert!(host.kills.is_empty());
    host.pass_ms(1);
    assert_eq!((host.kills.len(), unhealthy(&host)), (1, Some(UnhealthyCause::HandshakeTimeout)));
    host.exits(&example(), ExitStatus::Signal(9));
    host.pass_ms(1_000);
    assert_eq!(host.spawns.last(), Some(&(example(), 2)));
}

#[test]
fn the_time_runs_from_the_spawn_on_even_without_a_guard() {
    let mut host = TestHost::installed();
    host.pass_ms(10_000);
    assert_eq!(unhealthy(&host), Some(UnhealthyCause::HandshakeTimeout));
}

#[test]
fn another_version_disables_with_a_notice() {
    let refused = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": "I speak 2"}});
    let result =
        |version| json!({"jsonrpc": "2.0", "id": 1, "result": {"protocol_version": version, "hooks": []}});
    for answer in
        [refused, result(json!(2)), result(json!(-1)), result(json!(18_446_744_073_709_551_615_u64))]
    {
        let mut host = TestHost::installed();
        host.spawned(&example());
        host.says(&example(), answer.clone());
        assert_eq!(host.kills.len(), 1, "{answer}");
        host.exits(&example(), ExitStatus::Signal(9));
        assert_eq!(disabled(&host), Some(DisableCause::ProtocolVersion), "{answer}");
        assert_eq!(unhealthy(&host), None);
        host.pass_s(100);
        assert_eq!(host.spawns.len(), 1);
    }
    for version in [json!(1), json!("2"), json!(2.5), json!(null)] {
        let mut host = TestHost::installed();
        host.spawned(&example());
        host.says(&example(), result(version.clone()));
        assert_eq!(host.methods().last().unwrap(), "initialized", "{version}: no integer other than 1");
    }
}

#[test]
fn another_error_or_no_object_is_an_exit_that_counts() {
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}});
    for answer in [error, json!({"jsonrpc": "2.0", "id": 1, "result": [1]})] {
        let mut host = TestHost::installed();
        host.spawned(&example());
        host.says(&example(), answer.clone());
        assert_eq!(unhealthy(&host), Some(UnhealthyCause::HandshakeRefused), "{answer}");
    }
}

#[test]
fn hooks_outside_the_grant_are_ignored_and_ill_typed_ones_read_as_none() {
    let lints = |result| {
        let mut host = TestHost::installed();
        host.spawned(&example());
        host.answer_last(&example(), result);
        let lints: Vec<_> = host
            .moved
            .iter()
            .filter_map(|(it, _)| if let Transition::Linted { lint, .. } = it { Some(*lint) } else { None })
            .collect();
        let hooks =
            host.core.process(&example()).unwrap().hooks.iter().map(|hook| hook.name()).collect::<Vec<_>>();
        (hooks, lints)
    };
    let unknown = json!({"plugin_version": "1", "hooks": ["on_rain", "on_settings_change", "on_watch_tick"]});
    assert_eq!(lints(unknown), (vec!["on_watch_tick"], vec![Lint::HookNotGranted, Lint::HookNotGranted]));
    assert_eq!(lints(json!({"plugin_version": "1", "hooks": "all"})), (vec![], vec![Lint::Hooks]));
    assert_eq!(
        lints(json!({"plugin_version": "1", "hooks": ["on_watch_tick", 3]})),
        (vec![], vec![Lint::Hooks])
    );
    assert_eq!(lints(json!({})), (vec![], vec![Lint::PluginVersion, Lint::Hooks]));
}

#[test]
fn an_entry_that_cannot_be_executed_disables_and_another_fault_counts() {
    for (is_entry, cause) in [(true, Some(DisableCause::EntryNotExecutable)), (false, None)] {
        let mut host = TestHost::installed();
        host.process(
            &example(),
            ProcessInput::SpawnFailed(SpawnFault { is_entry, why: "no such file".to_owned() }),
        );
        assert_eq!(disabled(&host), cause);
        host.pass_s(1);
        assert_eq!(host.spawns.len(), if is_entry { 1 } else { 2 });
    }
}

#[test]
fn host_methods_are_served_before_initialized_and_events_are_not() {
    let mut host = TestHost::installed();
    host.spawned(&example());
    assert_eq!(host.calls("get_followed_live", json!({}))["result"], json!({"channels": []}));
    host.sent.clear();
    host.pass_ms(9_000);
    host.done(crate::plugin::Command::Stream(super::stream::set("alice")));
    assert!(host.sent.is_empty());
}

#[test]
fn four_start_at_one_time_and_the_others_follow_as_they_are_up() {
    let mut host = TestHost::with(settings());
    for n in 0..6 {
        host.install(installation(&FULL.replace("community.example", &format!("p.n{n}")))).unwrap();
    }
    assert_eq!(host.spawns.len(), 4);
    host.bring_up(&PluginId::new("p.n0"), &[]);
    assert_eq!(host.spawns.last().unwrap().0, PluginId::new("p.n4"));
    host.spawned(&PluginId::new("p.n1"));
    host.exits(&PluginId::new("p.n1"), ExitStatus::Code(0));
    assert_eq!(host.spawns.last().unwrap().0, PluginId::new("p.n5"));
    assert_eq!(limits::Plugin::default().starting_max, 4);
}

#[test]
fn an_entry_that_was_to_be_replaced_is_not_blamed_and_one_process_is_blamed_once() {
    let failed = |is_entry| ProcessInput::SpawnFailed(SpawnFault { is_entry, why: "gone".to_owned() });
    let mut host = TestHost::installed();
    host.done(crate::plugin::Command::Restart { plugin: example() });
    host.process(&example(), failed(true));
    assert_eq!((disabled(&host), host.spawns.len()), (None, 2), "it is tried anew");
    host.process(&example(), failed(true));
    assert_eq!(disabled(&host), Some(DisableCause::EntryNotExecutable));
    let mut late = TestHost::installed();
    late.pass_s(10);
    late.process(&example(), failed(false));
    let blamed = late.moved.iter().filter(|(it, _)| matches!(it, Transition::Unhealthy { .. })).count();
    assert_eq!((blamed, unhealthy(&late)), (1, Some(UnhealthyCause::HandshakeTimeout)));
}
