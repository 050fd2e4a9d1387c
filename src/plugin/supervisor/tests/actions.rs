use serde_json::{Value, json};

use super::kit::{FULL, HOOKS, TestHost, example, installation};
use crate::{
    ids::PluginId,
    plugin::{ActionEnd, Command, ExitStatus, Outcome, Refusal, Transition},
};

fn invoke(action: &str, args: Value) -> Command {
    Command::Invoke { action: action.to_owned(), args, plugin: None, timeout_ms: 30_000 }
}

fn ends(host: &TestHost) -> Vec<ActionEnd> {
    host.moved
        .iter()
        .filter_map(|(it, _)| if let Transition::ActionEnded { end, .. } = it { Some(*end) } else { None })
        .collect()
}

#[test]
fn an_action_goes_to_who_declared_it_and_its_result_comes_back() {
    let mut host = TestHost::up();
    host.sent.clear();
    assert_eq!(host.command(invoke("clip.create", json!({"s": 30}))), None);
    let request = host.last_request(&example());
    assert_eq!(request["method"], "invoke_action");
    assert_eq!(request["params"], json!({"action": "clip.create", "args": {"s": 30}}));
    host.answer_last(&example(), json!({"url": "x"}));
    let (_, result) = host.replies.pop_last().unwrap();
    let done = Outcome::Invoked { plugin: example(), result: json!({"url": "x"}) };
    assert_eq!((result, ends(&host)), (Ok(done), vec![ActionEnd::Done]));
}

#[test]
fn its_error_comes_as_it_is() {
    let mut host = TestHost::up();
    host.command(invoke("clip.create", json!({})));
    let id = host.last_request(&example())["id"].clone();
    host.says(&example(), json!({"jsonrpc": "2.0", "id": id, "error": {"code": 17, "message": "no clip"}}));
    let (_, result) = host.replies.pop_last().unwrap();
    let failed = Refusal::Failed {
        plugin: example(),
        action: "clip.create".to_owned(),
        code: 17,
        message: "no clip".to_owned(),
    };
    assert_eq!((result, ends(&host)), (Err(failed), vec![ActionEnd::Failed { code: 17 }]));
}

#[test]
fn a_late_answer_is_dropped_and_an_end_of_the_process_is_told() {
    let mut host = TestHost::up();
    host.command(invoke("clip.create", json!({})));
    let id = host.last_request(&example())["id"].clone();
    host.pass_ms(29_999);
    assert!(ends(&host).is_empty());
    host.pass_ms(1);
    assert_eq!(ends(&host), [ActionEnd::TimedOut]);
    assert!(matches!(host.replies.pop_last().unwrap().1, Err(Refusal::TimedOut { timeout_ms: 30_000, .. })));
    host.says(&example(), json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    assert!(host.replies.is_empty());
    host.command(invoke("clip.create", json!({})));
    host.exits(&example(), ExitStatus::Code(1));
    assert_eq!(ends(&host), [ActionEnd::TimedOut, ActionEnd::Gone]);
    assert!(host.replies.pop_last().unwrap().1.is_err());
}

#[test]
fn the_one_that_was_installed_first_takes_it_unless_one_is_named() {
    let mut host = TestHost::up();
    let other = PluginId::new("a.other");
    host.install(installation(&FULL.replace("community.example", "a.other"))).unwrap();
    host.bring_up(&other, &HOOKS);
    host.command(invoke("clip.create", json!({})));
    assert_eq!(host.sent.last().unwrap().plugin, example());
    let named = Command::Invoke {
        action: "clip.create".to_owned(),
        args: json!({}),
        plugin: Some(other.clone()),
        timeout_ms: 1,
    };
    host.command(named);
    assert_eq!(host.sent.last().unwrap().plugin, other);
}

#[test]
fn what_cannot_be_sent_is_refused_at_once() {
    let mut host = TestHost::up();
    let refused = |host: &mut TestHost, command| host.command(command).unwrap().unwrap_err();
    assert_eq!(
        refused(&mut host, invoke("clip.delete", json!({}))),
        Refusal::UnknownAction("clip.delete".to_owned())
    );
    assert_eq!(refused(&mut host, invoke("clip.create", json!([]))).code(), "invalid");
    let long = json!({"text": "x".repeat(4_194_304)});
    assert_eq!(refused(&mut host, invoke("clip.create", long)).code(), "invalid_params");
    let timeout = |timeout_ms| Command::Invoke {
        action: "clip.create".to_owned(),
        args: json!({}),
        plugin: None,
        timeout_ms,
    };
    assert_eq!(refused(&mut host, timeout(600_001)).code(), "invalid");
    assert_eq!(refused(&mut host, timeout(0)).code(), "invalid");
    for _ in 0..64 {
        assert_eq!(host.command(timeout(600_000)), None);
    }
    assert_eq!(refused(&mut host, timeout(600_000)).code(), "rate_limited");
}
