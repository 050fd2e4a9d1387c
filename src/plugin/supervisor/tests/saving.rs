use super::{
    super::{Input, Record},
    kit::{FULL, TestHost, example, installation},
};
use crate::{
    ids::Ticket,
    plugin::{Command, ExitStatus, Outcome, Refusal},
};

/// A plugin whose changes nobody has kept yet.
fn unkept() -> TestHost {
    let mut host = TestHost::up();
    (host.is_kept, host.records) = (false, Vec::new());
    host
}

fn names(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

fn revoke(name: &str) -> Command {
    Command::Revoke { plugin: example(), capabilities: names(name) }
}

fn refused(host: &mut TestHost) {
    for (ticket, _) in std::mem::take(&mut host.records) {
        host.input(Input::CommitFailed { ticket, error: "disk full".to_owned() });
    }
}

fn committed(host: &mut TestHost) {
    for (ticket, _) in std::mem::take(&mut host.records) {
        host.input(Input::Committed { ticket });
    }
}

/// What is granted by the last record of it that was put out.
fn granted(host: &TestHost) -> Option<(Ticket, Vec<String>)> {
    host.records.iter().rev().find_map(|(ticket, record)| match record {
        Record::Grants { capabilities, .. } => Some((*ticket, capabilities.clone())),
        _ => None,
    })
}

#[test]
fn a_revocation_is_done_when_it_is_durable() {
    let mut host = unkept();
    assert_eq!(host.command(revoke("twitch.android")), None, "it waits for the store");
    committed(&mut host);
    let results: Vec<_> = std::mem::take(&mut host.replies).into_values().collect();
    assert_eq!(results, [Ok(Outcome::Done)]);
}

#[test]
fn what_the_store_refuses_is_told_kept_and_offered_again_until_it_is_durable() {
    let mut host = unkept();
    assert_eq!(host.command(revoke("twitch.android")), None);
    refused(&mut host);
    let results: Vec<_> = std::mem::take(&mut host.replies).into_values().collect();
    let [Err(Refusal::NotNow(why))] = &results[..] else { panic!("{results:?}") };
    assert!(why.starts_with("disk full;"), "{why}");
    host.pass_ms(249);
    assert!(host.records.is_empty());
    host.pass_ms(1);
    let (_, capabilities) = granted(&host).expect("it is offered again");
    assert!(!capabilities.contains(&"twitch.android".to_owned()));
    assert_eq!(host.records.len(), 2, "and the audit's row: {:?}", host.records);
    refused(&mut host);
    host.pass_ms(499);
    assert!(host.records.is_empty(), "the pause doubles");
    host.pass_ms(1);
    let (ticket, _) = granted(&host).unwrap();
    host.input(Input::Committed { ticket });
    assert!(host.core.unsaved().is_some(), "a row waits");
    committed(&mut host);
    assert_eq!(host.core.unsaved(), None);
    host.pass_s(20);
    assert!(host.records.is_empty(), "nothing is offered twice");
}

#[test]
fn of_states_that_wait_the_last_is_kept_and_a_change_meanwhile_is_told_to_wait() {
    let mut host = unkept();
    host.command(revoke("twitch.android"));
    refused(&mut host);
    for name in ["log", "notify"] {
        let told = host.command(revoke(name));
        assert!(matches!(told, Some(Err(Refusal::NotNow(_)))), "{told:?}");
    }
    assert!(host.records.is_empty(), "it waits behind what was refused");
    host.pass_s(1);
    let grants = host.records.iter().filter(|(_, it)| matches!(it, Record::Grants { .. })).count();
    let (_, capabilities) = granted(&host).unwrap();
    assert_eq!((grants, host.records.len()), (1, 4), "three rows: {:?}", host.records);
    assert!(["twitch.android", "log", "notify"].iter().all(|it| !capabilities.contains(&(*it).to_owned())));
    assert!(host.records.is_sorted_by_key(|(ticket, _)| *ticket));
}

#[test]
fn a_state_that_is_refused_late_does_not_replace_a_newer_one() {
    let mut host = unkept();
    host.command(revoke("log"));
    let (older, _) = granted(&host).unwrap();
    host.command(revoke("notify"));
    let (newer, _) = granted(&host).unwrap();
    host.input(Input::Committed { ticket: newer });
    host.records.clear();
    host.input(Input::CommitFailed { ticket: older, error: "disk full".to_owned() });
    host.pass_s(10);
    assert_eq!(granted(&host), None);
}

#[test]
fn an_installation_is_done_when_it_is_durable_and_what_came_behind_it_is_kept_with_it() {
    let mut host = TestHost::with(super::kit::settings());
    host.is_kept = false;
    let cause = host.cause();
    let request = cause.request.0;
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.pass_ms(0);
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    assert!(host.replies.is_empty());
    let records = std::mem::take(&mut host.records);
    let is_installed = |(_, record): &&(_, Record)| matches!(record, Record::Installed { .. });
    let installed = records.iter().find(is_installed).unwrap().0;
    host.input(Input::CommitFailed { ticket: installed, error: "disk full".to_owned() });
    assert!(matches!(host.replies.remove(&request), Some(Err(Refusal::NotNow(_)))));
    for (ticket, _) in records.iter().filter(|(ticket, _)| *ticket != installed) {
        host.input(Input::Committed { ticket: *ticket });
    }
    host.pass_ms(250);
    let again: Vec<_> = host.records.iter().map(|(_, record)| record.clone()).collect();
    let states: Vec<_> = records.into_iter().map(|(_, record)| record).collect();
    let states: Vec<_> = states.into_iter().filter(|it| !matches!(it, Record::Audit { .. })).collect();
    assert_eq!(again, states, "without a plugin they had nothing to change");
}

#[test]
fn while_the_store_cannot_write_no_credential_is_handed_over() {
    let mut host = unkept();
    let call = serde_json::json!({"kind": "twitch.android"});
    host.calls("get_credential", call.clone());
    host.command(Command::Allow { plugin: example(), always: false });
    refused(&mut host);
    let ticket = host.fetches.remove(0);
    host.sent.clear();
    let credential = crate::plugin::Credential {
        token: "secret".to_owned(),
        client_id: None,
        user_id: None,
        device_id: None,
        expires_at: None,
    };
    host.input(Input::Fetched { ticket, result: Ok(credential) });
    assert_eq!(host.sent.last().unwrap().body["error"]["code"], -32603);
    assert!(host.records.is_empty());
}

#[test]
fn rows_that_wait_are_bounded_and_those_left_out_counted() {
    let mut host = unkept();
    host.command(revoke("log"));
    refused(&mut host);
    for _ in 0..520 {
        host.command(Command::Grant { plugin: example(), capabilities: names("log") });
        host.command(revoke("log"));
    }
    let told = host.core.unsaved().unwrap();
    assert_eq!(told, "disk full; 17 records dropped");
    host.pass_s(1);
    let rows = host.records.iter().filter(|(_, it)| matches!(it, Record::Audit { .. })).count();
    assert_eq!(rows, 1_024);
}

#[test]
fn a_stop_offers_what_waits_once_more() {
    let mut host = unkept();
    host.command(revoke("twitch.android"));
    refused(&mut host);
    host.core.stop_all(host.now);
    host.pass_ms(0);
    assert!(granted(&host).is_some());
    host.exits(&example(), ExitStatus::Code(0));
    assert!(host.core.is_idle(), "an end does not wait for a store that cannot write");
}
