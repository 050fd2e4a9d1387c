//! Who armed a rule goes, with messages held of plugins and to them.
#![cfg(target_os = "linux")]

use rl_console::plugin::{StreamCommand, StreamCommand::Chat};
use serde_json::json;

use super::owner::{Going, PATIENT, armed};
use crate::real::{
    cli, json as printed,
    plugins::{PluginStation, until},
};

/// Messages of all of them, as many as can be held.
const MESSAGES: usize = 64;

/// It writes sixteen lines of its log before it answers, and one for each message of the chat.
const TALKATIVE: &str = r#"
say() { send "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"level\":\"info\",\"message\":\"$1\"}}"; }
up
while :; do
  recv
  id=$(printf '%s' "$body" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $body in
    *client.echo*)
      for line in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do say "line $line."; done
      send "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}" ;;
    *on_chat_message*) say "$(printf '%s' "$body" | sed 's/.*"text":"\([^"]*\)".*/\1/')" ;;
    *'"ping"'*) send "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}" ;;
  esac
done"#;

/// Who asks waits as long as it takes, in a process of its own.
const INVOKE: [&str; 5] = ["plugin", "invoke", "client.echo", "--timeout", "600"];

/// The lines that a plugin wrote into its log, in their order.
fn lines(it: &PluginStation, id: &str) -> Vec<usize> {
    let log = it.log(id);
    let number = |line: &str| line.split("line ").nth(1)?.split('.').next()?.parse().ok();
    log.lines().filter_map(number).collect()
}

/// All lines in their order, once so many are there.
#[track_caller]
fn has_lines(it: &PluginStation, id: &str, count: usize) {
    until(|| it.log(id), || (lines(it, id).len() >= count).then_some(()));
    let lines = lines(it, id);
    assert_eq!(lines, (1..=lines.len()).collect::<Vec<_>>(), "{id}");
}

fn held(it: &PluginStation) -> usize {
    printed(it.folder.path(), &["ls", "intercepted"]).len()
}

/// Held messages of plugins are heard, and those behind them; a station that stops hears what is held.
fn messages_of_plugins_are_heard_in_their_order(going: Going) {
    let mut it = PluginStation::configured(PATIENT);
    let plugins = ["test.a", "test.b", "test.c", "test.d"];
    for id in plugins {
        it.serve_script(id, TALKATIVE, &[]);
        it.when_up(id);
    }
    let mut station = it.station.take().unwrap();
    let console = armed(it.folder.path(), "6", "plugin", "method:log dir:in");
    std::thread::scope(|scope| {
        let it = &it;
        let call =
            |id| scope.spawn(move || cli(it.folder.path(), &[&INVOKE[..], &["--plugin", id]].concat()));
        let calls = plugins.map(call);
        until(|| format!("{} are held", held(it)), || (held(it) == plugins.len()).then_some(()));
        assert!(plugins.iter().all(|id| lines(it, id).is_empty()));
        let _console = going.ends(console, &mut station);
        for call in calls {
            let ran = call.join().unwrap();
            assert!(!going.station_runs() || ran.status.success(), "the answer is behind them: {ran:?}");
        }
    });
    for id in plugins {
        has_lines(&it, id, if going.station_runs() { MESSAGES / plugins.len() } else { 1 });
    }
    assert!(!going.station_runs() || held(&it) == 0);
}

#[test]
fn messages_of_plugins_behind_those_that_a_killed_console_held_are_heard_in_their_order() {
    messages_of_plugins_are_heard_in_their_order(Going::Killed);
}

#[test]
fn messages_of_plugins_that_a_console_without_terminal_held_are_heard_in_their_order() {
    messages_of_plugins_are_heard_in_their_order(Going::HungUp);
}

#[test]
fn messages_of_plugins_held_at_a_stop_are_heard() {
    messages_of_plugins_are_heard_in_their_order(Going::StationStops);
}

/// A held message to a plugin leaves, and those behind it; a station that stops lets out what is held.
fn messages_to_a_plugin_leave_in_their_order(going: Going) {
    const ID: &str = "test.a";
    let mut it = PluginStation::configured(PATIENT);
    it.serve_script(ID, TALKATIVE, &[]);
    it.when_up(ID);
    it.stream(StreamCommand::Set { channel: serde_json::from_value(json!({"login": "ann"})).unwrap() });
    let mut station = it.station.take().unwrap();
    let console = armed(it.folder.path(), "6", "plugin", "method:on_chat_message dir:out");
    for n in 1..=MESSAGES {
        let message = json!({"text": format!("line {n}."), "login": "ann"});
        assert_eq!(it.stream(Chat { messages: vec![serde_json::from_value(message).unwrap()] }), 1);
    }
    until(|| format!("{} are held", held(&it)), || (held(&it) == 1).then_some(()));
    let _console = going.ends(console, &mut station);
    has_lines(&it, ID, if going.station_runs() { MESSAGES } else { 1 });
    assert!(!going.station_runs() || held(&it) == 0);
}

#[test]
fn messages_to_a_plugin_behind_one_that_a_killed_console_held_leave_in_their_order() {
    messages_to_a_plugin_leave_in_their_order(Going::Killed);
}

#[test]
fn messages_to_a_plugin_that_a_console_without_terminal_held_leave_in_their_order() {
    messages_to_a_plugin_leave_in_their_order(Going::HungUp);
}

#[test]
fn a_message_to_a_plugin_held_at_a_stop_leaves() {
    messages_to_a_plugin_leave_in_their_order(Going::StationStops);
}
