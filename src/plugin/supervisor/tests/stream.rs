use serde_json::{Value, json};

use super::kit::{HOOKS, TestHost, example};
use crate::plugin::{
    Channel, ChatMessage, Command, ExitStatus, Outcome, StreamChange, StreamCommand, Transition,
};

pub(super) fn channel(login: &str) -> Channel {
    serde_json::from_value(json!({ "login": login })).unwrap()
}

pub(super) fn set(login: &str) -> StreamCommand {
    StreamCommand::Set { channel: channel(login) }
}

fn declare(host: &mut TestHost, command: StreamCommand) -> Vec<Value> {
    host.sent.clear();
    host.done(Command::Stream(command));
    host.sent.iter().map(|sent| sent.body.clone()).collect()
}

fn event(method: &str, params: Value) -> Vec<Value> {
    vec![json!({"jsonrpc": "2.0", "method": method, "params": params})]
}

#[test]
fn start_change_same_and_stop_are_told_as_the_ruling_says() {
    let mut host = TestHost::up();
    let alice = json!({
        "channel_id": "alice", "login": "alice", "display_name": "alice", "game_id": null, "game_name": null,
        "started_at": null, "viewer_count": null,
    });
    assert_eq!(declare(&mut host, set("alice")), event("on_stream_start", json!({ "channel": alice })));
    assert!(declare(&mut host, set("alice")).is_empty());
    let changed = json!({"channel_id": "bob", "login": "bob"});
    assert_eq!(declare(&mut host, set("bob")), event("on_channel_change", changed));
    assert_eq!(
        declare(&mut host, StreamCommand::Stop),
        event("on_stream_stop", json!({"channel_id": "bob"}))
    );
    assert!(declare(&mut host, StreamCommand::Stop).is_empty());
}

#[test]
fn followed_channels_are_told_as_declared_and_once_after_initialized() {
    let mut host = TestHost::up();
    assert!(host.sent.iter().all(|sent| sent.body["method"] != "on_followed_live"), "never declared");
    let sent = declare(&mut host, StreamCommand::Live { channels: vec![channel("alice")] });
    assert_eq!(sent[0]["method"], "on_followed_live");
    assert_eq!(sent[0]["params"]["channels"][0]["login"], "alice");
    assert_eq!(host.calls("get_followed_live", json!({}))["result"], sent[0]["params"]);
    host.exits(&example(), ExitStatus::Code(0));
    host.pass_s(1);
    host.sent.clear();
    host.bring_up(&example(), &HOOKS);
    assert_eq!(host.methods(), ["initialize", "initialized", "on_followed_live"]);
    assert_eq!(
        declare(&mut host, StreamCommand::Live { channels: Vec::new() })[0]["params"],
        json!({"channels": []})
    );
}

#[test]
fn the_watch_tick_is_the_stations_and_none_is_made_up_for() {
    let mut host = TestHost::up();
    let ticks = |host: &TestHost| {
        let ticks = host.sent.iter().filter(|sent| sent.body["method"] == "on_watch_tick");
        ticks.map(|sent| sent.body["params"].clone()).collect::<Vec<_>>()
    };
    host.pass_ms(59_999);
    assert!(ticks(&host).is_empty());
    host.pass_ms(1);
    assert_eq!(ticks(&host), [json!({"active_channel_id": null, "ts": "2026-09-21T14:31:00Z"})]);
    host.done(Command::Stream(set("alice")));
    host.jump_to(host.now.after(std::time::Duration::from_secs(300)).mono);
    host.input(super::super::Input::Timeout);
    assert_eq!(ticks(&host).len(), 2);
    assert_eq!(ticks(&host)[1]["active_channel_id"], "alice");
}

#[test]
fn chat_has_the_login_and_nulls_for_what_is_absent() {
    let mut host = TestHost::up();
    let message: ChatMessage = serde_json::from_value(
        json!({"id": "1", "login": "eve", "text": "hi", "ts": "2026-11-25T20:00:00Z"}),
    )
    .unwrap();
    let chat = StreamCommand::Chat { messages: vec![message.clone()] };
    assert!(host.command(Command::Stream(chat.clone())).unwrap().is_err(), "nothing plays");
    host.done(Command::Stream(set("alice")));
    let sent = declare(&mut host, chat);
    let message = json!({
        "id": "1", "user_id": "", "login": "eve", "display_name": "", "color": null, "badges": [], "text": "hi",
        "is_action": false, "msg_type": null, "system_message": null, "bits": null, "ts": "2026-11-25T20:00:00Z",
    });
    assert_eq!(sent, event("on_chat_message", json!({"channel": "alice", "message": message})));
}

#[test]
fn one_event_is_delivered_by_hand_to_who_takes_it() {
    let mut host = TestHost::up();
    host.sent.clear();
    let event =
        |name: &str| Command::Event { plugin: example(), name: name.to_owned(), params: json!({"x": 1}) };
    assert_eq!(host.done(event("on_watch_tick")), Outcome::Delivered { receivers: 1 });
    assert_eq!(host.sent[0].body, json!({"jsonrpc": "2.0", "method": "on_watch_tick", "params": {"x": 1}}));
    assert!(host.command(event("on_settings_change")).unwrap().is_err());
    assert!(host.command(event("on_rain")).unwrap().is_err());
    host.exits(&example(), ExitStatus::Code(0));
    assert!(host.command(event("on_watch_tick")).unwrap().is_err());
}

#[test]
fn no_event_goes_to_a_plugin_that_does_not_take_it_or_is_down() {
    let mut host = TestHost::installed();
    host.bring_up(&example(), &["on_watch_tick"]);
    assert!(declare(&mut host, set("alice")).is_empty());
    host.exits(&example(), ExitStatus::Code(0));
    host.pass_s(1);
    host.spawned(&example());
    assert!(declare(&mut host, set("bob")).is_empty());
}

#[test]
fn what_was_declared_before_this_start_is_shown_and_sent_to_nobody() {
    use crate::{plugin::supervisor::Supervisor, store::plugins::StreamPart};
    let mut host = TestHost::with(super::kit::settings());
    let kept = vec![
        (StreamPart::Channel, serde_json::to_value(channel("alice")).unwrap()),
        (StreamPart::Live, json!([channel("bob")])),
        (StreamPart::Sessions, json!(["s1"])),
    ];
    host.core = Supervisor::new(host.now, super::kit::settings(), Vec::new(), kept);
    host.pass_ms(0);
    assert_eq!(host.moved.len(), 4, "the session solo too");
    assert!(host.sent.is_empty());
    assert_eq!(host.core.stream_detail().sessions.len(), 2, "solo is there with the channel");
}

/// What of the stream changed since the last look.
fn changes(host: &mut TestHost) -> Vec<StreamChange> {
    let moved = std::mem::take(&mut host.moved).into_iter();
    moved
        .filter_map(|(it, _)| if let Transition::Stream { change } = it { Some(change) } else { None })
        .collect()
}

#[test]
fn solo_is_a_session_while_a_channel_plays_and_another_one_with_each_channel() {
    let mut host = TestHost::up();
    host.moved.clear();
    let solo = |is_there| StreamChange::Session { id: "solo".into(), is_there };
    let plays = |login: &str| StreamChange::Channel { login: Some(login.into()) };
    host.done(Command::Stream(set("alice")));
    assert_eq!(changes(&mut host), [plays("alice"), solo(true)]);
    host.done(Command::Stream(set("alice")));
    assert_eq!(changes(&mut host), [plays("alice")]);
    host.done(Command::Stream(set("bob")));
    assert_eq!(changes(&mut host), [plays("bob"), solo(false), solo(true)]);
    host.done(Command::Stream(StreamCommand::Stop));
    assert_eq!(changes(&mut host), [StreamChange::Channel { login: None }, solo(false)]);
}

#[test]
fn chat_in_a_batch_is_counted_by_its_messages_and_the_most_that_took_one() {
    let mut host = TestHost::up();
    host.done(Command::Stream(set("alice")));
    host.moved.clear();
    let chat = |text: &str| serde_json::from_value::<ChatMessage>(json!({ "text": text })).unwrap();
    let mut say = |messages| host.done(Command::Stream(StreamCommand::Chat { messages }));
    assert_eq!(say(Vec::new()), Outcome::Delivered { receivers: 0 });
    assert_eq!(say(vec![chat("a")]), Outcome::Delivered { receivers: 1 });
    let long = "x".repeat(4_194_304);
    assert_eq!(say(vec![chat("a"), chat("b"), chat(&long)]), Outcome::Delivered { receivers: 1 });
    let batch = StreamChange::ChatBatch { messages: 3, receivers: 1 };
    assert_eq!(changes(&mut host), [StreamChange::Chat { receivers: 1 }, batch]);
}
