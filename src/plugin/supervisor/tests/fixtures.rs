//! One fixture for each code and each lint: a value without one does not compile.

use serde_json::{Value, json};

use super::{
    super::{Input, ProcessInput},
    kit::{FULL, TestHost, example, installation, settings},
};
use crate::plugin::{Code, Command, ExitStatus, Lint, Transition, Verdict, framing::Framer};

/// With a plugin that was granted nothing.
fn empty() -> TestHost {
    let mut host = TestHost::with(settings());
    let bare = crate::plugin::supervisor::Installation { grant: Some(Vec::new()), ..installation(FULL) };
    host.install(bare).unwrap();
    host.bring_up(&example(), &[]);
    host
}

/// What a plugin does to be answered with a code.
fn answered(code: Code) -> Value {
    let mut host = if code == Code::CapabilityDenied { empty() } else { TestHost::up() };
    let notice = json!({"level": "info", "message": "x"});
    match code {
        Code::ParseError => host.says_bytes(&example(), b"{").remove(0),
        Code::InvalidRequest => host.says_bytes(&example(), b"[]").remove(0),
        Code::MethodNotFound => host.calls("nothing", json!({})),
        Code::InvalidParams => host.calls("notify", json!({})),
        Code::InternalError => {
            host.calls("get_credential", json!({"kind": "twitch.android"}));
            host.done(Command::Allow { plugin: example(), always: false });
            let ticket = host.fetches.remove(0);
            let credential = serde_json::from_value(json!({"token": "t".repeat(4_194_304)})).unwrap();
            host.input(Input::Fetched { ticket, result: Ok(credential) });
            for (ticket, _) in std::mem::take(&mut host.records) {
                host.input(Input::Committed { ticket });
            }
            host.sent.pop().unwrap().body
        }
        Code::CapabilityDenied => host.calls("notify", notice),
        Code::ConsentDenied => {
            host.calls("get_credential", json!({"kind": "twitch.android"}));
            host.done(Command::Deny { plugin: example() });
            host.sent.pop().unwrap().body
        }
        Code::UnknownStream => {
            host.calls("set_upstream", json!({"stream_id": "s", "playlist_url": "https://x/y"}))
        }
        Code::RateLimited => {
            (0..3).for_each(|_| _ = host.calls("notify", notice.clone()));
            host.calls("notify", notice)
        }
        Code::ShuttingDown => {
            host.done(Command::Disable { plugin: example() });
            host.calls("get_followed_live", json!({}))
        }
        Code::CredentialUnavailable => {
            host.calls("get_credential", json!({"kind": "twitch.android"}));
            host.done(Command::Allow { plugin: example(), always: false });
            let ticket = host.fetches.remove(0);
            host.input(Input::Fetched { ticket, result: Err("no".to_owned()) });
            host.sent.pop().unwrap().body
        }
    }
}

#[test]
fn each_code_is_answered_in_its_case_with_its_data() {
    for code in Code::ALL {
        let error = answered(code)["error"].clone();
        assert_eq!(error["code"], code.number(), "{}: {error}", code.name());
        let retry = if code == Code::RateLimited { json!(10_000) } else { Value::Null };
        let data = json!({"name": code.name(), "retry_after_ms": retry});
        assert_eq!(error.get("data"), code.is_host_defined().then_some(&data), "{}", code.name());
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
}

fn notes(host: &mut TestHost, method: &str, params: Value) {
    host.says(&example(), json!({"jsonrpc": "2.0", "method": method, "params": params}));
}

fn introduced(result: Value) -> TestHost {
    let mut host = TestHost::installed();
    host.spawned(&example());
    host.answer_last(&example(), result);
    host
}

/// What a plugin does to be noted; nothing of what the core cannot see.
fn noted(lint: Lint) -> Option<TestHost> {
    let mut host = if lint == Lint::NotGranted { empty() } else { TestHost::up() };
    let ping = |host: &mut TestHost| {
        host.pass_s(30);
        host.last_request(&example())["id"].clone()
    };
    match lint {
        Lint::BareLf => {
            let mut framer = Framer::new();
            framer.push(b"Content-Length: 2\n\n{}");
            let frame = framer.poll_frame().unwrap().unwrap();
            host.process(&example(), ProcessInput::Frame(frame));
        }
        Lint::AnswerVersion => {
            let id = ping(&mut host);
            host.says(&example(), json!({"id": id, "result": {}}));
        }
        Lint::AnswerShape => {
            let id = ping(&mut host);
            host.says(&example(), json!({"jsonrpc": "2.0", "id": id, "result": {}, "error": {}}));
        }
        Lint::UnmatchedAnswer => _ = host.says(&example(), json!({"jsonrpc": "2.0", "id": 9, "result": {}})),
        Lint::NotARequest => notes(&mut host, "notify", json!({})),
        Lint::UnknownNotification => notes(&mut host, "nothing", json!({})),
        Lint::NotGranted | Lint::LogParams => notes(&mut host, "log", json!({})),
        Lint::NotificationParams => notes(&mut host, "log", json!([])),
        Lint::Hooks => host = introduced(json!({"plugin_version": "1"})),
        Lint::HookNotGranted => host = introduced(json!({"plugin_version": "1", "hooks": ["on_rain"]})),
        Lint::PluginVersion => host = introduced(json!({"hooks": []})),
        Lint::UndeclaredSlot => notes(&mut host, "set_status", json!({"slot": "x", "value": 1})),
        Lint::StatusTooLong => {
            notes(&mut host, "set_status", json!({"slot": "example.state", "value": "x".repeat(65_536)}));
        }
        Lint::Panel => {
            let section = json!({"label": "", "fields": []});
            host.calls("register_panel", json!({"schema": {"title": "x", "sections": [section]}}));
        }
        Lint::PingError => {
            let id = ping(&mut host);
            host.says(&example(), json!({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": ""}}));
        }
        Lint::ExitCode => {
            host.done(Command::Disable { plugin: example() });
            host.exits(&example(), ExitStatus::Code(3));
        }
        // Seen by the host, which masks it.
        Lint::TokenReturned => return None,
    }
    Some(host)
}

#[test]
fn each_lint_is_noted_in_its_case() {
    for lint in Lint::ALL {
        let Some(host) = noted(lint) else { continue };
        let mut lints = host.moved.iter().filter_map(|(it, _)| match it {
            Transition::Linted { lint, .. } => Some(*lint),
            _ => None,
        });
        let is_ignored = host.verdicts.contains(&Verdict::Ignored(lint));
        assert!(is_ignored || host.kills.is_empty(), "{}: it ends nothing", lint.name());
        assert!(lints.any(|it| it == lint), "{}", lint.name());
    }
}
