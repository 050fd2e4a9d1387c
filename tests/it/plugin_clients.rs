//! Plugins in Python and in Node, written from the specification alone: each judges the host of a real
//! station, and every one of its checks is read here.

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::Path,
    process::{Command as Program, Stdio},
};

use rl_console::{
    ids::PluginId,
    plugin::{Command, Refusal, StreamCommand},
};
use serde_json::{Value, json};

use crate::real::plugins::{PluginStation, until};

/// A language that plugins are written in.
pub(crate) struct Language {
    interpreter: &'static str,
    /// Below `tests/it`.
    script: &'static str,
    /// Where this is `required`, a machine without the interpreter fails the test.
    required_by: &'static str,
}

pub(crate) const PYTHON: Language = Language {
    interpreter: "python3",
    script: "python/plugin_clauses.py",
    required_by: "RL_CONSOLE_TESTS_PYTHON",
};
pub(crate) const NODE: Language =
    Language { interpreter: "node", script: "node/plugin.mjs", required_by: "RL_CONSOLE_TESTS_NODE" };

const METHODS: [&str; 6] =
    ["get_followed_live", "get_panel_values", "log", "notify", "register_panel", "set_upstream"];
const EVENTS: [&str; 8] = [
    "on_channel_change",
    "on_chat_message",
    "on_followed_live",
    "on_panel_change",
    "on_settings_change",
    "on_stream_start",
    "on_stream_stop",
    "on_watch_tick",
];
const KIND: &str = "twitch.android";
const TOKEN: &str = "a-token-that-only-this-test-knows";

/// The checks that each run makes, whatever is granted.
const ALWAYS: &str = "initialize.members initialize.versions initialize.granted initialize.folders \
    process.folder process.environment early_call initialized get_followed_live set_upstream notify \
    register_panel get_panel_values log set_status unknown_kind parse_error invalid_request version \
    no_version method_type unknown_method id_as_sent frame.bytes frame.joined frame.large silence ready \
    shutdown shutting_down exit strays";

impl Language {
    /// What is in a plugin's file; nothing, with the reason printed, where the interpreter is missing and not
    /// required.
    pub(crate) fn text(&self) -> Option<String> {
        let asked = Program::new(self.interpreter)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !asked.is_ok_and(|status| status.success()) {
            let required = std::env::var_os(self.required_by).is_some_and(|value| value == "required");
            assert!(!required, "there is no {}, and {} requires it", self.interpreter, self.required_by);
            let skipped = format!("skipped: there is no {}\n", self.interpreter);
            std::io::stderr().write_all(skipped.as_bytes()).unwrap();
            return None;
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(self.script);
        Some(fs::read_to_string(path).unwrap())
    }
}

/// A plugin of a language, served with a grant, once it has judged what it can by itself.
pub(crate) struct Client<'a> {
    it: &'a PluginStation,
    id: &'static str,
    granted: Value,
}

impl<'a> Client<'a> {
    /// `credential` is `asked` or `unavailable`.
    pub(crate) fn serve(
        it: &'a PluginStation,
        language: &Language,
        id: &'static str,
        granted: Value,
        credential: &str,
    ) -> Option<Self> {
        let text = language.text()?;
        let names: Vec<&str> = ["events", "host_methods", "credentials", "ui"]
            .iter()
            .flat_map(|list| granted[list].as_array().unwrap().iter().map(|name| name.as_str().unwrap()))
            .collect();
        let expected = json!({"granted": granted, "credential": credential}).to_string();
        let file = Path::new(language.script).file_name().unwrap().to_str().unwrap();
        it.serve_file(id, (file, &text), &[&expected], Some(&names));
        let client = Self { it, id, granted };
        client.until("ready");
        it.when_up(id);
        Some(client)
    }

    pub(crate) fn checks(&self) -> Vec<Value> {
        let path = self.it.own(self.id).join("data/checks.ndjson");
        let text = fs::read_to_string(path).unwrap_or_default();
        // The last line may be half written.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits until a check was made, which must have been kept.
    #[track_caller]
    pub(crate) fn until(&self, name: &str) {
        let kept = until(
            || format!("{}: no {name} in {:#?}\n{}", self.id, self.checks(), self.it.log(self.id)),
            || self.checks().into_iter().find(|check| check["check"] == name),
        );
        assert_eq!(kept["ok"], true, "{}: {kept:#}", self.id);
    }

    #[track_caller]
    fn event(&self, command: StreamCommand, name: &str) {
        let is_granted = self.granted["events"].as_array().unwrap().contains(&json!(name));
        assert_eq!(self.it.stream(command), u64::from(is_granted), "{name}");
        if is_granted {
            self.until(&format!("event.{name}"));
        }
    }

    /// Ends the plugin in order; it must have made these checks besides those of every run, and no other, and
    /// each was kept.
    #[track_caller]
    fn end(self, more: &[&str]) {
        self.it.command(Command::Disable { plugin: PluginId::from(self.id) }).unwrap();
        let row = self.it.when(self.id, "disabled", |row| row.state == "disabled" && row.pid.is_none());
        assert_eq!((row.unhealthy, row.restarts), (None, 0), "{row:#?}");
        let checks = self.checks();
        let failed: Vec<_> = checks.iter().filter(|check| check["ok"] != true).collect();
        assert!(failed.is_empty(), "{}: {failed:#?}\n{}", self.id, self.it.log(self.id));
        let made: BTreeSet<_> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
        let expected: BTreeSet<_> = ALWAYS.split_whitespace().chain(more.iter().copied()).collect();
        assert_eq!(made, expected, "{}: {}", self.id, self.it.log(self.id));
    }
}

pub(crate) fn all() -> Value {
    json!({"events": EVENTS, "host_methods": METHODS, "credentials": [KIND], "ui": ["panel"]})
}

pub(crate) fn set(login: &str) -> StreamCommand {
    let channel = json!({"login": login, "game_id": "7", "game_name": "Chess", "viewer_count": 12});
    StreamCommand::Set { channel: serde_json::from_value(channel).unwrap() }
}

fn live(names: &[&str]) -> StreamCommand {
    let channel = |login: &&str| serde_json::from_value(json!({"login": login})).unwrap();
    StreamCommand::Live { channels: names.iter().map(channel).collect() }
}

fn chat() -> StreamCommand {
    let whole = json!({
        "id": "m1", "user_id": "8", "login": "bob", "display_name": "Bob", "color": "#00ff00",
        "badges": [{"name": "vip", "version": "1"}], "text": "héllo \u{1f44b}", "is_action": true,
        "msg_type": "sub", "system_message": "s", "bits": 5, "ts": "2026-01-02T03:04:05Z",
    });
    let messages = [whole, json!({"text": "only a text"})];
    StreamCommand::Chat { messages: messages.map(|it| serde_json::from_value(it).unwrap()).to_vec() }
}

/// Each event that an operator can cause.
fn cause_events(client: &Client<'_>) {
    client.event(set("bert"), "on_channel_change");
    client.event(chat(), "on_chat_message");
    client.event(live(&["ann", "bert"]), "on_followed_live");
    client.event(StreamCommand::Stop, "on_stream_stop");
    client.event(set("ann"), "on_stream_start");
    let (plugin, name) = (PluginId::from(client.id), "on_settings_change".to_owned());
    let delivered = client.it.command(Command::Event { plugin, name, params: json!({"keys": []}) });
    let is_granted = client.granted["events"].as_array().unwrap().contains(&json!("on_settings_change"));
    assert_eq!(delivered.is_ok(), is_granted, "{delivered:?}");
    if is_granted {
        client.until("event.on_settings_change");
    }
}

fn actions(client: &Client<'_>) {
    let (it, id) = (client.it, client.id);
    let args = json!({"a": [1, null, {"b": "ü"}]});
    assert_eq!(it.invoke(id, "client.echo", args.clone()), Ok(args));
    let failed = it.invoke(id, "client.fail", json!({}));
    let Err(Refusal::Failed { code, message, .. }) = failed else { panic!("{failed:?}") };
    assert_eq!((code, message.as_str()), (-32050, "asked to fail"));
    let unknown = it.invoke(id, "client.none", json!({}));
    assert!(matches!(unknown, Err(Refusal::Invalid(_))), "{unknown:?}");
}

/// What a call of the plugin's is answered with.
fn answer(client: &Client<'_>, method: &str) -> Value {
    client.it.invoke(client.id, "client.call", json!({"method": method, "params": {}})).unwrap()
}

fn panel(client: &Client<'_>) {
    let plugin = PluginId::from(client.id);
    let set = |key: &str, value: Value| {
        let (plugin, key) = (plugin.clone(), key.to_owned());
        client.it.command(Command::Set { plugin, key, value: Some(value) })
    };
    set("volume", json!(7)).unwrap();
    client.until("event.on_panel_change");
    assert!(matches!(set("volume", json!(700)), Err(Refusal::Value { .. })));
    assert!(matches!(set("pitch", json!(7)), Err(Refusal::UnknownKey { .. })));
    let answer = answer(client, "get_panel_values");
    let values = &answer["result"]["values"];
    assert_eq!((&values["volume"], &values["enabled"]), (&json!(7), &json!(true)), "{answer}");
}

/// A result that no frame can carry.
fn over_the_frame(client: &Client<'_>) {
    let name = "n".repeat(4_096);
    let channel = |nth| json!({"login": format!("a{nth}"), "display_name": name});
    let channels = (0..1_100).map(|nth| serde_json::from_value(channel(nth)).unwrap()).collect();
    assert_eq!(client.it.stream(StreamCommand::Live { channels }), 0, "the event is dropped");
    let answer = answer(client, "get_followed_live");
    assert_eq!(answer["error"]["code"], json!(-32603), "{answer}");
    assert_eq!(answer["error"].get("data"), None, "{answer}");
    client.it.stream(live(&["ann"]));
}

fn credential(client: &Client<'_>) {
    let (it, id, plugin) = (client.it, client.id, PluginId::from(client.id));
    let reversed: String = TOKEN.chars().rev().collect();
    let more = json!({"client_id": "c1", "user_id": null, "device_id": null});
    it.invoke(id, "client.credential", json!({"reversed": reversed, "more": more})).unwrap();
    it.when(id, "asking", |row| row.asking.as_deref() == Some(KIND));
    it.command(Command::Allow { plugin: plugin.clone(), always: false }).unwrap();
    client.until("credential.handed");
    it.command(Command::Revoke { plugin, capabilities: vec![KIND.to_owned()] }).unwrap();
    it.invoke(id, "client.credential", json!({"code": -32001})).unwrap();
    client.until("credential.refused");
}

fn with_everything(language: &Language) {
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("credential.json");
    fs::write(&file, json!({"token": TOKEN, "client_id": "c1"}).to_string()).unwrap();
    let config = format!("[plugins.twitch_android]\ncommand = \"cat {}\"\n", file.display());
    let it = PluginStation::configured(&config);
    it.stream(set("ann"));
    it.stream(live(&["ann"]));
    let Some(client) = Client::serve(&it, language, "client.full", all(), "asked") else { return };
    // Once after `initialized`, since the list was declared before.
    client.until("event.on_followed_live");
    cause_events(&client);
    actions(&client);
    panel(&client);
    over_the_frame(&client);
    credential(&client);
    let log = it.log(client.id);
    assert!(log.contains("a request") && log.contains("a notification"), "{log}");
    assert!(!log.contains(TOKEN));
    client.end(&[
        "rate_limited",
        "unknown_stream",
        "invalid_url",
        "invalid_panel",
        "twice_a_key",
        "invalid_params",
        "action.params",
        "credential.handed",
        "credential.refused",
        "event.on_channel_change",
        "event.on_chat_message",
        "event.on_followed_live",
        "event.on_panel_change",
        "event.on_settings_change",
        "event.on_stream_start",
        "event.on_stream_stop",
    ]);
}

fn with_less(language: &Language) {
    let it = PluginStation::start();
    it.stream(set("ann"));
    // The methods of the panel need the panel, which is not granted.
    let partial = json!({"events": ["on_chat_message", "on_panel_change"],
        "host_methods": ["get_followed_live", "get_panel_values", "register_panel"],
        "credentials": [KIND], "ui": []});
    let Some(client) = Client::serve(&it, language, "client.partial", partial, "unavailable") else {
        return;
    };
    cause_events(&client);
    actions(&client);
    client.end(&["invalid_params", "get_credential", "action.params", "event.on_chat_message"]);
    let none = json!({"events": [], "host_methods": [], "credentials": [], "ui": []});
    let client = Client::serve(&it, language, "client.none", none, "unavailable").unwrap();
    cause_events(&client);
    actions(&client);
    let log = it.log(client.id);
    assert!(!log.contains("a request") && !log.contains("a notification"), "{log}");
    client.end(&["get_credential", "action.params"]);
}

#[test]
fn a_plugin_in_python_that_may_do_everything() {
    with_everything(&PYTHON);
}

#[test]
fn a_plugin_in_python_that_may_do_little_or_nothing() {
    with_less(&PYTHON);
}

#[test]
fn a_plugin_in_node_that_may_do_everything() {
    with_everything(&NODE);
}

#[test]
fn a_plugin_in_node_that_may_do_little_or_nothing() {
    with_less(&NODE);
}
