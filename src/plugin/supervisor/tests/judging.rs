//! Frames that are not sent yet, judged.

use std::time::Duration;

use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use super::{
    super::ProcessInput,
    kit::{HOOKS, TestHost, body_of, example, wire},
};
use crate::{
    ids::PluginId,
    judged::{Certainty, Doubt, Judged, Pending},
    plugin::{
        Code, Command, ExitStatus, Lint, NotJudged, Stand, Verdict, Violation,
        framing::{Broken, Framer},
    },
    tap::entry,
};

fn from() -> Stand {
    Stand::From(example())
}

fn judge(host: &TestHost, stand: &Stand, bytes: &[u8]) -> Judged {
    host.core.judge(host.now, stand, bytes).unwrap()
}

fn said(host: &TestHost, body: Value) -> Judged {
    judge(host, &from(), &wire(body.to_string().as_bytes()))
}

fn call(host: &TestHost, method: &str, params: Value) -> Judged {
    said(host, json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
}

fn verdict(judged: &Judged) -> Verdict {
    match judged.verdict {
        Ok(entry::Verdict::Plugin(verdict)) => verdict,
        ref other => panic!("{other:?}"),
    }
}

fn answers(judged: &Judged) -> Vec<Value> {
    judged.answers.iter().map(|answer| body_of(&answer.bytes)).collect()
}

#[test]
fn a_call_says_its_answer_and_what_it_changes() {
    let host = TestHost::up();
    let panel = json!({"schema": {"title": "Example", "sections": [{"label": "Main", "fields": [
        {"type": "toggle", "key": "on", "label": "On", "default": true}]}]}});
    let cases = [
        ("get_followed_live", json!({}), json!({"channels": []}), None),
        ("get_panel_values", json!({}), json!({"values": {}}), None),
        (
            "notify",
            json!({"level": "warning", "message": "look"}),
            json!({}),
            Some("operator notified, level warning"),
        ),
        ("log", json!({"level": "info", "message": "x"}), json!({}), Some("one line of level info logged")),
        ("register_panel", panel, json!({}), Some("panel of 1 field registered")),
        (
            "set_status",
            json!({"slot": "example.state", "value": 1}),
            json!({}),
            Some("status example.state set"),
        ),
        ("set_status", json!({"slot": "other", "value": 1}), json!({}), Some(Lint::UndeclaredSlot.text())),
    ];
    for (method, params, result, effect) in cases {
        let judged = call(&host, method, params);
        assert_eq!(verdict(&judged), Verdict::Accepted, "{method}");
        assert_eq!(answers(&judged), [json!({"jsonrpc": "2.0", "id": 7, "result": result})], "{method}");
        assert_eq!((judged.effect.as_deref(), judged.certainty), (effect, Certainty::AsOfNow), "{method}");
        assert!(judged.ends.is_none());
    }
}

#[test]
fn what_is_refused_says_the_error_that_goes_back() {
    let mut host = TestHost::up();
    let bodies: [(&[u8], Code, Certainty); 6] = [
        (b"{", Code::ParseError, Certainty::Certain),
        (b"[]", Code::InvalidRequest, Certainty::Certain),
        (br#"{"jsonrpc":"2.0","id":7,"method":"nothing"}"#, Code::MethodNotFound, Certainty::Certain),
        (br#"{"jsonrpc":"2.0","id":7,"method":"notify"}"#, Code::InvalidParams, Certainty::AsOfNow),
        (
            br#"{"jsonrpc":"2.0","id":7,"method":"set_upstream","params":{"stream_id":"s","playlist_url":"http://x"}}"#,
            Code::UnknownStream,
            Certainty::AsOfNow,
        ),
        (
            br#"{"jsonrpc":"2.0","id":7,"method":"get_credential","params":{"kind":"twitch.web"}}"#,
            Code::CapabilityDenied,
            Certainty::AsOfNow,
        ),
    ];
    for (body, code, certainty) in bodies {
        let judged = judge(&host, &from(), &wire(body));
        assert_eq!(verdict(&judged), Verdict::Refused(code));
        assert_eq!(answers(&judged)[0]["error"]["code"], code.number());
        assert_eq!(judged.certainty, certainty, "{code:?}");
    }
    let notice = json!({"level": "info", "message": "x"});
    for _ in 0..3 {
        host.calls("notify", notice.clone());
    }
    let judged = call(&host, "notify", notice);
    assert_eq!(verdict(&judged), Verdict::Refused(Code::RateLimited));
    assert_eq!(judged.holds_until, Some(host.now.after(Duration::from_secs(10))));
    assert_eq!(judged.doubts, [Doubt::Time]);
    host.done(Command::Disable { plugin: example() });
    let judged = call(&host, "get_followed_live", json!({}));
    assert_eq!(verdict(&judged), Verdict::Refused(Code::ShuttingDown));
}

#[test]
fn notifications_and_answers_go_unanswered() {
    let mut host = TestHost::up();
    let cases = [
        (json!({"jsonrpc": "2.0", "method": "nothing"}), Lint::UnknownNotification),
        (json!({"jsonrpc": "2.0", "method": "get_followed_live"}), Lint::NotARequest),
        (json!({"jsonrpc": "2.0", "method": "log", "params": []}), Lint::NotificationParams),
        (json!({"jsonrpc": "2.0", "id": 99, "result": {}}), Lint::UnmatchedAnswer),
    ];
    for (body, lint) in cases {
        let judged = said(&host, body);
        assert_eq!((verdict(&judged), judged.answers.len()), (Verdict::Ignored(lint), 0));
        assert_eq!(judged.effect.as_deref(), Some(lint.text()));
    }
    host.pass_s(30);
    let ping = host.last_request(&example());
    let judged = said(&host, json!({"jsonrpc": "2.0", "id": ping["id"], "result": {}}));
    assert_eq!((verdict(&judged), judged.effect.as_deref()), (Verdict::Answered, Some("ping answered")));
    let bare = judge(&host, &from(), b"Content-Length: 2\n\n{}");
    assert!(bare.effect.unwrap().contains(Lint::BareLf.text()));
}

#[test]
fn the_answer_to_initialize_says_what_follows() {
    let mut host = TestHost::installed();
    host.spawned(&example());
    let id = host.last_request(&example())["id"].clone();
    let channel = json!({"login": "alice"});
    let live = serde_json::from_value(json!({"live": {"channels": [channel]}})).unwrap();
    host.done(Command::Stream(live));
    let up =
        said(&host, json!({"jsonrpc": "2.0", "id": id, "result": {"plugin_version": "1", "hooks": HOOKS}}));
    let methods: Vec<_> = answers(&up).iter().map(|it| it["method"].clone()).collect();
    assert_eq!(methods, ["initialized", "on_followed_live"]);
    assert_eq!(up.effect.as_deref(), Some("up, version 1, 7 hooks"));
    assert_eq!(up.holds_until, Some(host.now.after(Duration::from_secs(10))), "ruling Plugins 1");
    let refused =
        said(&host, json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": "no"}}));
    assert_eq!(refused.ends.as_deref(), Some("initialize was refused: no (-32600)"));
    assert_eq!(refused.effect.as_deref(), Some("its process is killed, and the plugin disabled"));
    let failed = said(&host, json!({"jsonrpc": "2.0", "id": id, "result": 3}));
    assert_eq!(failed.ends.as_deref(), Some("the result of initialize is no object"));
    assert_eq!(failed.effect.as_deref(), Some("its process is killed, started again after 1 s"));
}

#[test]
fn a_credential_waits_for_the_operator_or_the_audit() {
    let mut host = TestHost::up();
    let kind = json!({"kind": "twitch.android"});
    let judged = call(&host, "get_credential", kind.clone());
    assert_eq!((verdict(&judged), judged.answers.len()), (Verdict::Accepted, 0));
    assert_eq!(judged.certainty, Certainty::ThePeers);
    host.calls("get_credential", kind.clone());
    host.pass_s(20);
    let judged = call(&host, "get_credential", kind.clone());
    assert_eq!(judged.holds_until, Some(host.now.after(Duration::from_secs(100))), "120 s in all");
    host.done(Command::Allow { plugin: example(), always: false });
    let judged = call(&host, "get_credential", kind);
    assert_eq!((judged.certainty, judged.doubts.as_slice()), (Certainty::AsOfNow, &[Doubt::Commit][..]));
}

const BROKEN: [(&[u8], Violation, usize); 6] = [
    (b"Content-Type: json\r\n\r\n", Violation::NoLength, 20),
    (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n", Violation::TwoLengths, 19),
    (b"Content-Length: two\r\n\r\n", Violation::LengthNotDecimal, 0),
    (b"X: y\r\nhello\r\n", Violation::NoColon, 6),
    (b"Content-Length: 4194305\r\n\r\n", Violation::BodyTooLong, 0),
    (&[b'x'; 5_000], Violation::HeadersTooLong, 4_096),
];

fn broken(wire: &[u8]) -> Broken {
    let mut framer = Framer::new();
    framer.push(wire);
    framer.poll_frame().unwrap_err()
}

#[test]
fn a_broken_stream_ends_the_process_and_says_what_comes_then() {
    let nexts = [
        ("started again after 1 s", 1),
        ("started again after 5 s", 5),
        ("started again after 25 s", 25),
        ("disabled after its fourth exit within ten minutes", 0),
    ];
    for (wire, violation, byte) in BROKEN {
        let mut host = TestHost::up();
        for (next, wait_s) in nexts {
            let judged = judge(&host, &from(), wire);
            assert_eq!(verdict(&judged), Verdict::Broken(violation));
            assert_eq!(judged.ends.as_deref(), Some(violation.text()));
            assert_eq!(judged.shortfall.unwrap().byte, byte, "{violation:?}");
            assert_eq!(judged.effect, Some(format!("its process is killed, {next}")));
            host.process(&example(), ProcessInput::Broken(broken(wire)));
            assert_eq!(host.verdicts.last(), Some(&Verdict::Broken(violation)));
            let killed = host.core.judge(host.now, &from(), wire);
            assert_eq!(killed.unwrap_err(), NotJudged::NotRunning(example()));
            host.exits(&example(), ExitStatus::Unknown);
            host.pass_s(wait_s);
            if wait_s > 0 {
                host.bring_up(&example(), &[]);
            }
        }
    }
}

#[test]
fn a_frame_that_is_not_whole_says_what_it_lacks_and_what_a_cut_is() {
    let host = TestHost::up();
    let cut = |wire: &[u8]| judge(&host, &from(), wire).verdict.unwrap_err();
    let if_cut = "stdout ended within a frame";
    assert_eq!(cut(b"Content-Length: 5\r\n\r\n{}"), Pending { missing_bytes: Some(3), if_cut });
    assert_eq!(cut(b"Content-Length: 70000\r\n\r\n{"), Pending { missing_bytes: Some(69_999), if_cut });
    assert_eq!(cut(b"Content-Len"), Pending { missing_bytes: None, if_cut });
    assert_eq!(cut(b""), Pending { missing_bytes: None, if_cut: "nothing has come" });
}

#[test]
fn what_a_plugin_makes_of_a_frame_of_ours_is_its_own_to_decide() {
    let mut host = TestHost::up();
    host.pass_s(30);
    let ping = host.last_request(&example())["id"].clone();
    host.calls("get_credential", json!({"kind": "twitch.android"}));
    let cases = [
        (
            json!({"jsonrpc": "2.0", "id": ping, "method": "ping"}),
            Some("its answer would be taken for that of a ping"),
            true,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 999, "method": "ping"}),
            Some("its answer fits no request that waits, and would be passed over"),
            false,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 999, "method": "shutdown"}),
            Some("its answer fits no request that waits; a plugin that then ends is unhealthy"),
            true,
        ),
        (json!({"jsonrpc": "2.0", "method": "exit"}), Some("a plugin that ends unasked is unhealthy"), true),
        (json!({"jsonrpc": "2.0", "method": "on_watch_tick", "params": {}}), None, false),
        (
            json!({"jsonrpc": "2.0", "id": "a", "result": {}}),
            Some("it waits for get_credential: ours would be a second answer"),
            true,
        ),
        (
            json!({"jsonrpc": "2.0", "id": "b", "result": {}}),
            Some("no call of it with this id waits here"),
            false,
        ),
        (json!(3), Some("no JSON-RPC message: the plugin may answer an error, or end"), true),
    ];
    let to = Stand::To(example());
    for (body, effect, is_harmful) in cases {
        let judged = judge(&host, &to, &wire(body.to_string().as_bytes()));
        assert_eq!((judged.verdict, judged.effect.as_deref()), (Ok(entry::Verdict::Sent), effect));
        assert_eq!(judged.is_harmful, is_harmful, "{body}");
        assert_eq!((judged.certainty, judged.to), (Certainty::ThePeers, vec![example().to_string()]));
        assert_eq!(judged.doubts, [Doubt::Peer, Doubt::Transport]);
    }
    let judged = judge(&host, &to, b"hello\r\n");
    assert_eq!((judged.certainty, judged.shortfall.unwrap().byte), (Certainty::ThePeers, 0));
    assert!(judge(&host, &to, b"Content-Length: 5\r\n\r\n").verdict.is_err());
}

#[test]
fn nothing_is_judged_of_what_does_not_run() {
    let mut host = TestHost::up();
    let none = PluginId::new("none");
    let judged = host.core.judge(host.now, &Stand::To(none.clone()), b"");
    assert_eq!(judged.unwrap_err(), NotJudged::UnknownPlugin(none));
    host.done(Command::Disable { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    let judged = host.core.judge(host.now, &from(), b"");
    assert_eq!(judged.unwrap_err(), NotJudged::NotRunning(example()));
    assert_eq!(serde_json::to_value(from()).unwrap(), json!({"from": "community.example"}));
    assert_eq!(
        serde_json::from_value::<Stand>(json!({"to": "community.example"})).unwrap(),
        Stand::To(example())
    );
}

/// What a plugin may write, with `#` in place of an id.
const BODIES: [&str; 12] = [
    r#"{"jsonrpc":"2.0","id":#,"method":"get_followed_live","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"notify","params":{"level":"info","message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"log","params":{"level":"info"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"get_credential","params":{"kind":"twitch.android"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"set_status","params":{"slot":"example.state","value":{"a":1}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"nothing"}"#,
    r#"{"jsonrpc":"2.0","method":"notify","params":{"level":"info","message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"plugin_version":"1","hooks":["on_watch_tick"]}}"#,
    r#"{"jsonrpc":"2.0","id":#,"error":{"code":-32600,"message":"x"}}"#,
    "{}",
    "[1]",
    "",
];

/// Plays some steps, whose choices follow from their numbers: what is said is judged first.
fn play(is_up: bool, steps: &[u64]) {
    let mut host = if is_up { TestHost::up() } else { TestHost::installed() };
    if !is_up {
        host.spawned(&example());
    }
    for step in steps {
        let rng = &mut fastrand::Rng::with_seed(*step);
        let mut body = rng.choice(BODIES).unwrap().replace('#', &rng.u64(..5).to_string()).into_bytes();
        if !body.is_empty() && rng.u8(..4) == 0 {
            let at = rng.usize(..body.len());
            body[at] = rng.u8(..);
        }
        let wire = wire(&body);
        let before = format!("{:?}", host.core);
        for _ in 0..8 {
            let cut = &wire[..rng.usize(..=wire.len())];
            let _ = host.core.judge(host.now, &from(), cut);
            let _ = host.core.judge(host.now, &Stand::To(example()), cut);
        }
        assert_eq!(format!("{:?}", host.core), before);
        if host.core.process(&example()).is_none() {
            break;
        }
        if rng.u8(..12) == 0 {
            breaks(&mut host, &wire, rng);
        } else {
            host.says_bytes(&example(), &body);
        }
        host.pass_ms(rng.u64(..2_000));
    }
}

/// Changes the header of a frame: where the stream is broken by it, that was foreseen.
fn breaks(host: &mut TestHost, wire: &[u8], rng: &mut fastrand::Rng) {
    let mut wire = wire.to_vec();
    wire[rng.usize(..20)] = rng.u8(..);
    let judged = host.core.judge(host.now, &from(), &wire);
    let mut framer = Framer::new();
    framer.push(&wire);
    let (Ok(judged), Err(broken)) = (judged, framer.poll_frame()) else { return };
    let verdicts = host.verdicts.len();
    host.process(&example(), ProcessInput::Broken(broken));
    assert_eq!(host.verdicts[verdicts..], [verdict(&judged)]);
    assert!(judged.ends.is_some() && judged.answers.is_empty(), "{judged:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn judging_changes_nothing_and_foresees_what_is_handled(is_up: bool, steps in vec(any::<u64>(), 1..50)) {
        play(is_up, &steps);
    }
}

/// A frame of any kind: often as it is, else with a byte of its body or header changed, or cut.
fn any_frame(rng: &mut fastrand::Rng) -> Vec<u8> {
    let mut body = rng.choice(BODIES).unwrap().replace('#', &rng.u64(..5).to_string()).into_bytes();
    if !body.is_empty() && rng.u8(..4) == 0 {
        let at = rng.usize(..body.len());
        body[at] = rng.u8(..);
    }
    let mut wire = wire(&body);
    match rng.u8(..8) {
        0 => wire.truncate(rng.usize(..wire.len())),
        1 => wire[rng.usize(..20)] = rng.u8(..),
        _ => {}
    }
    wire
}

#[test]
fn ten_thousand_judgements_change_neither_state_nor_outputs_nor_deadlines() {
    let mut host = TestHost::up();
    let notice = json!({"level": "info", "message": "x"});
    for _ in 0..3 {
        host.calls("notify", notice.clone());
    }
    host.calls("get_credential", json!({"kind": "twitch.android"}));
    host.pass_s(30);
    let records = host.records.len();
    let (before, due) = (format!("{:?}", host.core), host.core.timeout());
    let rng = &mut fastrand::Rng::with_seed(23);
    let (mut whole, mut broken, mut unfinished, mut elsewhere) = (0, 0, 0, 0);
    for _ in 0..10_000 {
        let wire = any_frame(rng);
        let stand = match rng.u8(..9) {
            0 => Stand::From(PluginId::new("none")),
            1..4 => Stand::To(example()),
            _ => from(),
        };
        let now = host.now.after(Duration::from_millis(rng.u64(..20_000)));
        match host.core.judge(now, &stand, &wire) {
            Ok(Judged { verdict: Ok(entry::Verdict::Plugin(Verdict::Broken(_))), .. }) => broken += 1,
            Ok(Judged { verdict: Ok(_), .. }) => whole += 1,
            Ok(Judged { verdict: Err(_), .. }) => unfinished += 1,
            Err(_) => elsewhere += 1,
        }
        assert!(host.core.poll_output().is_none());
    }
    assert_eq!(format!("{:?}", host.core), before);
    assert_eq!((host.core.timeout(), host.records.len()), (due, records));
    let seen = [whole, broken, unfinished, elsewhere];
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}
