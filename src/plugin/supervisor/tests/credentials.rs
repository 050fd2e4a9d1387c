use serde_json::{Value, json};

use super::{
    super::{Input, Installation, ProcessInput, Record, Source},
    kit::{FULL, HOOKS, TestHost, example, installation, settings},
};
use crate::plugin::{Audited, Command, Credential, Decision, ExitStatus, Refusal, Transition};

const TOKEN: &str = "secret-token-0123";

fn ask(host: &mut TestHost) -> Value {
    host.calls("get_credential", json!({"kind": "twitch.android"}))
}

fn credential() -> Credential {
    Credential {
        token: TOKEN.to_owned(),
        client_id: None,
        user_id: Some("7".to_owned()),
        device_id: None,
        expires_at: None,
    }
}

fn fetched(host: &mut TestHost) {
    let ticket = host.fetches.remove(0);
    host.input(Input::Fetched { ticket, result: Ok(credential()) });
}

/// Makes all that is to be kept durable.
fn committed(host: &mut TestHost) {
    for (ticket, _) in std::mem::take(&mut host.records) {
        host.input(Input::Committed { ticket });
    }
}

fn audit(host: &TestHost) -> Vec<Audited> {
    host.records
        .iter()
        .filter_map(|(_, record)| if let Record::Audit { what, .. } = record { Some(*what) } else { None })
        .collect()
}

fn decisions(host: &TestHost) -> Vec<Decision> {
    host.moved
        .iter()
        .filter_map(
            |(it, _)| if let Transition::Decided { decision, .. } = it { Some(*decision) } else { None },
        )
        .collect()
}

fn last_code(host: &TestHost) -> Value {
    host.sent.last().unwrap().body["error"]["code"].clone()
}

fn allow(always: bool) -> Command {
    Command::Allow { plugin: example(), always }
}

#[test]
fn the_first_call_asks_and_what_is_allowed_is_handed_over_after_its_row() {
    let mut host = TestHost::up();
    host.records.clear();
    assert_eq!(ask(&mut host), Value::Null, "it waits");
    assert!(host.moved.iter().any(|(it, _)| matches!(it, Transition::Asked { .. })));
    host.done(allow(false));
    host.sent.clear();
    fetched(&mut host);
    assert_eq!((host.sent.len(), host.masked), (0, 1), "masked before, and not handed before its row");
    assert_eq!(audit(&host), [Audited::Asked, Audited::Allowed, Audited::Handed]);
    committed(&mut host);
    let result = json!({
        "kind": "twitch.android", "token": TOKEN, "client_id": null, "user_id": "7", "device_id": null,
        "expires_at": null,
    });
    assert_eq!(host.sent[0].body, json!({"jsonrpc": "2.0", "id": "a", "result": result}));
    ask(&mut host);
    assert_eq!(host.fetches.len(), 1, "allowed for the run: it is fetched anew, and nobody is asked");
}

#[test]
fn others_join_the_question_and_all_are_answered() {
    let mut host = TestHost::up();
    ask(&mut host);
    ask(&mut host);
    host.done(allow(false));
    ask(&mut host);
    assert_eq!(host.fetches.len(), 1, "one at a time");
    host.sent.clear();
    fetched(&mut host);
    ask(&mut host);
    assert_eq!(host.fetches.len(), 1, "what was fetched is for those that waited");
    committed(&mut host);
    let handed =
        |host: &TestHost| host.sent.iter().filter(|sent| sent.body["result"]["token"] == TOKEN).count();
    assert_eq!(handed(&host), 3);
    fetched(&mut host);
    committed(&mut host);
    assert_eq!(handed(&host), 4);
    assert_eq!(decisions(&host), [Decision::Allowed]);
}

#[test]
fn a_source_that_fails_is_asked_once_for_all_that_wait() {
    let mut host = TestHost::up();
    ask(&mut host);
    ask(&mut host);
    host.done(allow(false));
    host.records.clear();
    host.sent.clear();
    let ticket = host.fetches.remove(0);
    host.input(Input::Fetched { ticket, result: Err("the command failed".to_owned()) });
    let codes: Vec<_> = host.sent.iter().map(|sent| sent.body["error"]["code"].clone()).collect();
    assert_eq!((codes, audit(&host)), (vec![json!(-32005); 2], vec![Audited::Unavailable]));
}

fn serve(host: &mut TestHost, folder: &str) {
    let source = Source::Folder(folder.into());
    host.install(Installation { source, ..installation(FULL) }).unwrap();
    host.exits(&example(), ExitStatus::Code(0));
    host.bring_up(&example(), &HOOKS);
}

fn unserve(host: &mut TestHost) {
    host.done(Command::Unserve { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    host.bring_up(&example(), &HOOKS);
}

#[test]
fn what_is_served_has_consents_of_its_own() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.done(allow(true));
    serve(&mut host, "/src/example");
    host.fetches.clear();
    ask(&mut host);
    assert!(host.fetches.is_empty(), "what is installed is always handed it, this is asked for");
    host.done(allow(true));
    assert_eq!(host.fetches.len(), 1);
    serve(&mut host, "/src/example");
    host.fetches.clear();
    ask(&mut host);
    assert_eq!(host.fetches.len(), 1, "the same folder again");
    serve(&mut host, "/src/other");
    host.fetches.clear();
    ask(&mut host);
    assert!(host.fetches.is_empty(), "another folder");
}

#[test]
fn what_is_taken_back_from_a_served_folder_is_not_from_what_is_installed() {
    let mut host = TestHost::up();
    serve(&mut host, "/src/example");
    ask(&mut host);
    host.done(allow(true));
    let capabilities = vec!["twitch.android".to_owned()];
    host.done(Command::Revoke { plugin: example(), capabilities });
    assert_eq!(ask(&mut host)["error"]["data"]["name"], "consent_denied");
    unserve(&mut host);
    host.fetches.clear();
    assert_eq!(ask(&mut host), Value::Null);
    assert!(host.fetches.is_empty(), "nobody allowed it yet");
}

#[test]
fn silence_for_120_s_denies_and_the_next_call_asks_again() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.sent.clear();
    host.pass_ms(29_000);
    host.answer_pings();
    for _ in 0..3 {
        host.pass_ms(30_000);
        host.answer_pings();
    }
    host.pass_ms(999);
    assert!(decisions(&host).is_empty());
    host.pass_ms(1);
    assert_eq!(decisions(&host), [Decision::TimedOut]);
    assert!(host.sent.iter().any(|sent| sent.body["error"]["code"] == -32001));
    ask(&mut host);
    let asked = host.moved.iter().filter(|(it, _)| matches!(it, Transition::Asked { .. })).count();
    assert_eq!(asked, 2);
}

#[test]
fn a_consent_at_119_999_ms_is_in_time() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.jump_to(host.now.after(std::time::Duration::from_millis(119_999)).mono);
    host.done(allow(false));
    assert_eq!(host.fetches.len(), 1);
}

#[test]
fn denied_is_for_the_run_or_until_it_is_granted_by_hand() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.done(Command::Deny { plugin: example() });
    assert_eq!(last_code(&host), -32001);
    assert_eq!(ask(&mut host)["error"]["data"]["name"], "consent_denied");
    assert_eq!(decisions(&host), [Decision::Denied], "nobody is asked again");
    let capabilities = vec!["twitch.android".to_owned()];
    host.done(Command::Grant { plugin: example(), capabilities });
    assert_eq!(ask(&mut host), Value::Null);
}

#[test]
fn always_outlives_the_process_and_is_kept() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.done(allow(true));
    let kept = host.records.iter().any(|(_, record)| {
        matches!(record, Record::Grants { always, .. } if *always == ["twitch.android".to_owned()])
    });
    assert!(kept);
    host.exits(&example(), ExitStatus::Code(1));
    host.pass_s(1);
    host.bring_up(&example(), &HOOKS);
    host.fetches.clear();
    ask(&mut host);
    assert_eq!(host.fetches.len(), 1);
}

#[test]
fn a_grant_taken_back_denies_the_waiting_call_too_and_leaves_the_next_granted() {
    let mut host = TestHost::up();
    ask(&mut host);
    let capabilities = vec!["twitch.android".to_owned()];
    host.done(Command::Revoke { plugin: example(), capabilities });
    assert_eq!((last_code(&host), decisions(&host)), (json!(-32001), vec![Decision::Revoked]));
    assert_eq!(ask(&mut host)["error"]["data"]["name"], "consent_denied");
    assert_eq!(host.spawns.len(), 1, "it takes effect without a restart");
    host.done(Command::Restart { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    host.spawned(&example());
    assert_eq!(host.last_request(&example())["params"]["granted"]["credentials"], json!([]));
}

#[test]
fn a_grant_taken_back_while_it_is_fetched_is_not_handed_over() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.done(allow(false));
    host.sent.clear();
    let capabilities = vec!["twitch.android".to_owned()];
    host.done(Command::Revoke { plugin: example(), capabilities });
    fetched(&mut host);
    committed(&mut host);
    assert_eq!(host.sent.len(), 1);
    assert_eq!(last_code(&host), -32001);
}

#[test]
fn without_a_source_nobody_is_asked() {
    let mut bare = settings();
    bare.sources.clear();
    let mut host = TestHost::with(bare);
    host.install(installation(FULL)).unwrap();
    host.bring_up(&example(), &HOOKS);
    assert_eq!(ask(&mut host)["error"]["data"]["name"], "credential_unavailable");
    assert!(host.moved.iter().all(|(it, _)| !matches!(it, Transition::Asked { .. })));
}

#[test]
fn a_source_that_fails_and_a_row_that_cannot_be_written_hand_nothing_over() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.done(allow(false));
    let ticket = host.fetches.remove(0);
    host.input(Input::Fetched { ticket, result: Err("the command failed".to_owned()) });
    assert_eq!(last_code(&host), -32005);
    ask(&mut host);
    fetched(&mut host);
    let (ticket, _) = host.records.pop().unwrap();
    host.input(Input::CommitFailed { ticket, error: "disk full".to_owned() });
    assert_eq!(last_code(&host), -32603);
    let told: Vec<_> = host.sent.iter().map(|sent| sent.body.to_string()).collect();
    assert!(told.iter().all(|body| !body.contains(TOKEN)));
}

#[test]
fn an_unknown_kind_is_denied_and_a_missing_one_invalid() {
    let mut host = TestHost::up();
    assert_eq!(host.calls("get_credential", json!({"kind": "twitch.web"}))["error"]["code"], -32000);
    assert_eq!(host.calls("get_credential", json!({}))["error"]["code"], -32602);
}

#[test]
fn a_question_ends_with_its_process_and_nothing_is_left_to_allow() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(decisions(&host), [Decision::Gone]);
    assert_eq!(host.command(allow(false)), Some(Err(Refusal::NothingAsked(example()))));
}

#[test]
fn sixty_four_calls_may_wait_and_one_more_is_limited() {
    let mut host = TestHost::up();
    for _ in 0..64 {
        assert_eq!(ask(&mut host), Value::Null);
    }
    assert_eq!(ask(&mut host)["error"]["data"]["name"], "rate_limited");
}

#[test]
fn what_is_allowed_while_the_process_is_killed_is_not_handed_over() {
    let mut host = TestHost::up();
    ask(&mut host);
    host.records.clear();
    host.process(&example(), ProcessInput::StdoutClosed);
    host.pass_ms(500);
    assert_eq!(host.kills.len(), 1);
    host.done(allow(false));
    assert!(host.fetches.is_empty() && !audit(&host).contains(&Audited::Handed));
}
