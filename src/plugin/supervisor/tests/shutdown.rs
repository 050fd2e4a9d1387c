use serde_json::json;

use super::{
    super::{ProcessInput, Record},
    kit::{TestHost, example},
};
use crate::plugin::{Command, ExitStatus, Lint, Transition};

fn disable(host: &mut TestHost) {
    host.done(Command::Disable { plugin: example() });
}

#[test]
fn shutdown_then_exit_then_the_end_and_no_restart() {
    let mut host = TestHost::up();
    host.methods();
    disable(&mut host);
    let shutdown = host.last_request(&example());
    assert_eq!(shutdown, json!({"jsonrpc": "2.0", "id": shutdown["id"], "method": "shutdown", "params": {}}));
    host.answer_last(&example(), json!(null));
    assert_eq!(host.sent.last().unwrap().body, json!({"jsonrpc": "2.0", "method": "exit", "params": {}}));
    host.exits(&example(), ExitStatus::Code(0));
    assert!(host.kills.is_empty());
    let moves = host.moves();
    assert_eq!(moves[moves.len() - 3..], ["stopping", "stopped", "disabled: by the operator"]);
    host.pass_s(1_000);
    assert_eq!(host.spawns.len(), 1);
}

#[test]
fn each_step_has_five_seconds_and_then_the_tree_dies() {
    let mut host = TestHost::up();
    host.methods();
    disable(&mut host);
    host.pass_ms(4_999);
    assert_eq!(host.methods(), ["shutdown"]);
    host.pass_ms(1);
    assert_eq!(host.methods(), ["exit"]);
    host.pass_ms(4_999);
    assert!(host.kills.is_empty());
    host.pass_ms(1);
    assert_eq!(host.kills, [(example(), 1)]);
}

#[test]
fn an_error_counts_as_an_answer_and_ending_earlier_is_clean() {
    let mut host = TestHost::up();
    disable(&mut host);
    let id = host.last_request(&example())["id"].clone();
    host.says(&example(), json!({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "no"}}));
    assert_eq!(host.methods().last().unwrap(), "exit");
    let mut early = TestHost::up();
    disable(&mut early);
    early.exits(&example(), ExitStatus::Code(0));
    let lint = |host: &TestHost| {
        host.moved.iter().any(|(it, _)| matches!(it, Transition::Linted { lint: Lint::ExitCode, .. }))
    };
    assert!(!lint(&early));
    host.exits(&example(), ExitStatus::Code(3));
    assert!(lint(&host), "another exit code is noted");
}

#[test]
fn while_it_is_stopped_requests_are_refused_and_its_last_log_line_is_kept() {
    let mut host = TestHost::up();
    disable(&mut host);
    let answer = host.calls("get_followed_live", json!({}));
    let data = json!({"name": "shutting_down", "retry_after_ms": null});
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]), (&json!(-32004), &data));
    host.says(
        &example(),
        json!({"jsonrpc": "2.0", "method": "log", "params": {"level": "info", "message": "bye"}}),
    );
    assert_eq!(host.logged, ["bye"]);
}

#[test]
fn waiting_calls_are_answered_before_shutdown() {
    let mut host = TestHost::up();
    assert_eq!(host.calls("get_credential", json!({"kind": "twitch.android"})), json!(null));
    host.sent.clear();
    disable(&mut host);
    assert_eq!(host.sent[0].body["error"]["code"], -32004);
    assert_eq!(host.sent[1].body["method"], "shutdown");
}

#[test]
fn the_station_ends_all_side_by_side_and_starts_none() {
    let mut host = TestHost::up();
    host.core.stop_all(host.now);
    host.pass_ms(0);
    assert!(!host.core.is_idle());
    host.exits(&example(), ExitStatus::Code(0));
    assert!(host.core.is_idle());
    host.pass_s(1_000);
    assert_eq!(host.spawns.len(), 1);
    let mut second = TestHost::up();
    second.core.stop_all(second.now);
    second.core.kill_all(second.now);
    second.pass_ms(0);
    second.exits(&example(), ExitStatus::Signal(9));
    assert_eq!((second.kills.len(), second.core.is_idle()), (1, true));
}

#[test]
fn a_process_that_ends_unasked_is_unhealthy_code_0_too() {
    let mut host = TestHost::up();
    host.moves();
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.moves(), ["unhealthy: exit code 0", "stopped", "waiting"]);
}

#[test]
fn a_closed_stdout_is_unhealthy_unless_the_process_ends_at_once() {
    let mut host = TestHost::up();
    host.process(&example(), ProcessInput::StdoutClosed);
    host.pass_ms(499);
    assert!(host.kills.is_empty());
    host.pass_ms(1);
    assert_eq!(host.kills.len(), 1);
    assert!(host.moves().contains(&"unhealthy: stdout was closed".to_owned()));
    let mut ended = TestHost::up();
    ended.process(&example(), ProcessInput::StdoutClosed);
    ended.exits(&example(), ExitStatus::Signal(11));
    assert!(ended.moves().contains(&"unhealthy: signal 11".to_owned()));
}

#[test]
fn what_is_said_of_an_earlier_process_is_passed_over() {
    let mut host = TestHost::up();
    host.exits(&example(), ExitStatus::Code(0));
    host.pass_s(1);
    assert_eq!(host.spawns.len(), 2);
    let late = super::super::Input::Process {
        plugin: example(),
        process: 1,
        what: ProcessInput::Exited(ExitStatus::Code(1)),
    };
    host.moves();
    host.input(late);
    assert!(host.moves().is_empty());
}

#[test]
fn a_disabled_plugin_stays_so_whatever_ends_its_process_and_may_be_enabled_meanwhile() {
    let mut host = TestHost::up();
    disable(&mut host);
    host.core.stop_all(host.now);
    host.pass_ms(0);
    let kept = host.records.iter().any(|(_, it)| matches!(it, Record::Disabled { cause: Some(_), .. }));
    assert!(kept, "before its process has ended");
    let mut again = TestHost::up();
    disable(&mut again);
    let capabilities = vec!["notify".to_owned()];
    again.done(Command::Revoke { plugin: example(), capabilities });
    again.exits(&example(), ExitStatus::Code(0));
    assert_eq!((again.spawns.len(), again.moves().pop().unwrap().as_str()), (1, "disabled: by the operator"));
    let mut enabled = TestHost::up();
    disable(&mut enabled);
    enabled.done(Command::Enable { plugin: example() });
    enabled.exits(&example(), ExitStatus::Code(0));
    assert_eq!(enabled.spawns.len(), 2);
}
