use super::{
    super::{Input, Installation, Record, RestoredPlugin, Source, Supervisor},
    kit::{FULL, HOOKS, TestHost, example, installation, manifest, settings},
};
use crate::{
    plugin::{Audited, Command, DisableCause, ExitStatus, Outcome, Refusal, Transition},
    time::{Now, Wall},
};

#[test]
fn where_it_is_from_is_the_folder_that_it_runs_from_whatever_was_refused() {
    let mut host = TestHost::up();
    let from = |host: &TestHost| host.core.detail(&example()).unwrap().source;
    assert_eq!(from(&host), "/src/installed");
    let folder = |name: &str| Installation { folder: name.into(), ..installation(FULL) };
    let wrong = Installation { grant: Some(vec!["no".to_owned()]), ..folder("/src/wrong") };
    assert!(host.install(wrong).is_err());
    let cause = host.cause();
    host.core.install(host.now, cause, folder("/src/newer")).unwrap();
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    host.input(Input::FilesDone { plugin: example(), result: Err("disk full".to_owned()) });
    assert_eq!(from(&host), "/src/installed");
    let served = Installation { source: Source::Folder("/src/served".into()), ..installation(FULL) };
    let cause = host.cause();
    host.core.install(host.now, cause, served).unwrap();
    assert_eq!(from(&host), "/src/served");
    host.done(Command::Unserve { plugin: example() });
    assert_eq!(from(&host), "/src/installed");
    host.exits(&example(), ExitStatus::Code(0));
    let cause = host.cause();
    host.core.install(host.now, cause, folder("/src/newer")).unwrap();
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    assert_eq!(from(&host), "/src/newer");
    let kept =
        |record: &Record| matches!(record, Record::Installed { folder, .. } if **folder == *"/src/newer");
    assert!(host.records.iter().any(|(_, record)| kept(record)));
}

#[test]
fn an_update_stops_the_plugin_places_the_files_and_keeps_grants() {
    let mut host = TestHost::with(settings());
    let some = Installation { grant: Some(vec!["log".to_owned()]), ..installation(FULL) };
    host.install(some).unwrap();
    host.bring_up(&example(), &[]);
    let cause = host.cause();
    let newer = FULL.replace("1.2.0", "1.3.0");
    let update = Installation { grant: Some(vec!["notify".to_owned()]), ..installation(&newer) };
    host.core.install(host.now, cause.clone(), update).unwrap();
    host.pass_ms(0);
    assert!(host.places.is_empty(), "its process is there still");
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.places, [example()]);
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    let outcome = host.replies.remove(&cause.request.0).unwrap().unwrap();
    let expected = Outcome::Installed {
        plugin: example(),
        version: "1.3.0".to_owned(),
        replaced: Some("1.2.0".to_owned()),
    };
    assert_eq!(outcome, expected);
    host.spawned(&example());
    let granted = host.last_request(&example())["params"]["granted"]["host_methods"].clone();
    assert_eq!(granted, serde_json::json!(["notify", "log"]));
}

#[test]
fn an_installation_that_fails_leaves_what_was_there() {
    let mut host = TestHost::up();
    let cause = host.cause();
    host.core.install(host.now, cause.clone(), installation(&FULL.replace("1.2.0", "2.0.0"))).unwrap();
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    host.input(Input::FilesDone { plugin: example(), result: Err("disk full".to_owned()) });
    assert!(host.replies.remove(&cause.request.0).unwrap().is_err());
    assert_eq!(host.spawns.len(), 2, "the old version runs again");
}

#[test]
fn a_removed_plugin_is_stopped_deleted_and_gone() {
    let mut host = TestHost::up();
    let remove = Command::Remove { plugin: example(), purge: true };
    assert_eq!(host.command(remove), None);
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.deletes, [(example(), true)]);
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    assert!(host.core.plugin(&example()).is_none());
    assert_eq!(host.moved.last().unwrap().0, Transition::Removed { plugin: example() });
    assert!(host.records.iter().any(|(_, it)| matches!(it, Record::Removed { purge: true, .. })));
}

#[test]
fn a_served_folder_runs_in_place_of_what_is_installed_and_is_not_kept() {
    let mut host = TestHost::up();
    host.records.clear();
    let served = Installation { source: Source::Folder("/src/example".into()), ..installation(FULL) };
    let cause = host.cause();
    host.core.install(host.now, cause, served).unwrap();
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.core.launch(&example()).unwrap().source, Source::Folder("/src/example".into()));
    assert!(
        host.records.iter().all(|(_, it)| !matches!(it, Record::Installed { .. } | Record::Grants { .. }))
    );
    host.done(Command::Unserve { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.core.launch(&example()).unwrap().source, Source::Package);
}

#[test]
fn a_folder_that_is_served_no_longer_is_gone() {
    let mut host = TestHost::with(settings());
    let served = Installation { source: Source::Folder("/src/example".into()), ..installation(FULL) };
    host.install(served).unwrap();
    host.bring_up(&example(), &HOOKS);
    host.done(Command::Unserve { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    assert!(host.core.plugin(&example()).is_none());
}

#[test]
fn a_capability_that_it_does_not_ask_for_is_refused_and_so_is_one_plugin_too_many() {
    let mut few = settings();
    few.limits.plugins_max = 1;
    let mut host = TestHost::with(few);
    let wrong = Installation { grant: Some(vec!["on_settings_change".to_owned()]), ..installation(FULL) };
    assert!(matches!(host.install(wrong), Err(Refusal::UnknownCapability { .. })));
    host.install(installation(FULL)).unwrap();
    let other = installation(&FULL.replace("community.example", "a.other"));
    assert_eq!(host.install(other), Err(Refusal::TooMany { most: 1 }));
}

#[test]
fn granting_and_revoking_restart_without_counting() {
    let mut host = TestHost::up();
    let capabilities = vec!["notify".to_owned()];
    host.done(Command::Revoke { plugin: example(), capabilities: capabilities.clone() });
    host.exits(&example(), ExitStatus::Code(0));
    host.spawned(&example());
    let granted = host.last_request(&example())["params"]["granted"]["host_methods"].to_string();
    assert!(!granted.contains("notify"));
    assert!(host.core.plugin(&example()).unwrap().exits.is_empty());
    host.done(Command::Grant { plugin: example(), capabilities });
    assert_eq!(host.core.plugin(&example()).unwrap().granted().lists().host_methods.len(), 6);
}

#[test]
fn what_was_kept_is_as_before_and_exits_count_across_starts() {
    let now = Now::at_ms(1_000_000);
    let exits = [100_000, 50_000, 1_000].map(|ms| Wall(now.wall.0 - ms)).to_vec();
    let kept = |disabled, exits: &[Wall]| RestoredPlugin {
        manifest: Ok(manifest(FULL)),
        plugin: example(),
        text: FULL.into(),
        folder: "/src/kept".into(),
        command: None,
        grants: vec!["log".to_owned()],
        always: Vec::new(),
        disabled,
        exits: exits.to_vec(),
        values: Vec::new(),
    };
    let mut host = TestHost::with(settings());
    host.core = Supervisor::new(host.now, settings(), vec![kept(None, &exits)], Vec::new());
    assert_eq!(host.core.detail(&example()).unwrap().source, "/src/kept");
    host.core.start_all(host.now);
    host.pass_ms(0);
    assert_eq!(host.spawns.len(), 1);
    host.exits(&example(), ExitStatus::Code(0));
    let is_disabled = |host: &TestHost| {
        host.moved
            .iter()
            .any(|(it, _)| matches!(it, Transition::Disabled { cause: DisableCause::RestartLimit, .. }))
    };
    assert!(is_disabled(&host), "three exits before this start, and this one");
    let cause = Some((DisableCause::ByOperator, "by the operator".to_owned()));
    let mut host = TestHost::with(settings());
    host.core = Supervisor::new(host.now, settings(), vec![kept(cause, &[])], Vec::new());
    host.core.start_all(host.now);
    host.pass_ms(0);
    assert!(host.spawns.is_empty());
}

#[test]
fn commands_during_an_installation_place_its_files_once() {
    let mut host = TestHost::with(settings());
    let cause = host.cause();
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.pass_ms(0);
    host.done(Command::Restart { plugin: example() });
    host.core.kill_all(host.now);
    host.pass_ms(0);
    assert_eq!(host.places, [example()]);
}

#[test]
fn a_served_folder_leaves_what_is_disabled_as_it_was() {
    let mut host = TestHost::up();
    host.done(Command::Disable { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    host.records.clear();
    let served = Installation { source: Source::Folder("/src/example".into()), ..installation(FULL) };
    host.install(served).unwrap();
    for _ in 0..4 {
        host.exits(&example(), ExitStatus::Code(1));
        host.pass_s(25);
    }
    assert!(host.records.iter().all(|(_, it)| !matches!(it, Record::Exits { .. } | Record::Disabled { .. })));
    let spawns = host.spawns.len();
    host.moves();
    host.done(Command::Unserve { plugin: example() });
    assert_eq!(host.moves().pop().unwrap(), "disabled: by the operator");
    host.pass_s(100);
    assert_eq!(host.spawns.len(), spawns, "what is installed is disabled still");
}

#[test]
fn a_credential_that_was_taken_back_may_be_granted_by_an_update() {
    let mut host = TestHost::up();
    let capabilities = vec!["twitch.android".to_owned()];
    host.done(Command::Revoke { plugin: example(), capabilities });
    let cause = host.cause();
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    host.bring_up(&example(), &HOOKS);
    let answer = host.calls("get_credential", serde_json::json!({"kind": "twitch.android"}));
    assert!(answer.is_null(), "the operator is asked: {answer}");
}

#[test]
fn a_stop_waits_for_files_that_are_being_put_into_place() {
    let mut host = TestHost::with(settings());
    let cause = host.cause();
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.core.stop_all(host.now);
    host.pass_ms(0);
    assert!(!host.core.is_idle());
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    assert!(host.core.is_idle() && host.spawns.is_empty());
    assert!(host.records.iter().any(|(_, it)| matches!(it, Record::Installed { .. })));
}

/// The rows of the audit since it was asked last: what, to what, and whether a command caused it.
fn audited(host: &mut TestHost) -> Vec<(Audited, String, bool)> {
    let records = std::mem::take(&mut host.records).into_iter();
    let rows = records.filter_map(|(_, record)| match record {
        Record::Audit { what, text, by, .. } => Some((what, text, by.is_some_and(|by| &*by == "ann"))),
        _ => None,
    });
    rows.collect()
}

#[test]
fn the_audit_has_who_installed_set_disabled_enabled_and_removed() {
    let mut host = TestHost::up();
    let installed = audited(&mut host);
    assert_eq!(installed[0], (Audited::Installed, "1.2.0".to_owned(), true));
    assert!(installed[1..].iter().all(|(what, _, by)| *what == Audited::Granted && *by));
    host.done(Command::Disable { plugin: example() });
    assert_eq!(audited(&mut host), [(Audited::Disabled, "by_operator".to_owned(), true)]);
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(audited(&mut host), [], "once");
    host.done(Command::Enable { plugin: example() });
    assert_eq!(audited(&mut host), [(Audited::Enabled, String::new(), true)]);
    for _ in 0..4 {
        host.exits(&example(), ExitStatus::Code(1));
        host.pass_s(25);
    }
    assert_eq!(audited(&mut host), [(Audited::Disabled, "restart_limit".to_owned(), false)], "by no command");
    assert_eq!(host.command(Command::Remove { plugin: example(), purge: false }), None);
    host.input(Input::FilesDone { plugin: example(), result: Ok(()) });
    assert_eq!(audited(&mut host), [(Audited::Removed, String::new(), true)]);
}

#[test]
fn an_update_or_a_folder_that_is_served_says_that_it_is_disabled_no_longer() {
    for source in [Source::Package, Source::Folder("/src/example".into())] {
        let mut host = TestHost::up();
        host.done(Command::Disable { plugin: example() });
        host.exits(&example(), ExitStatus::Code(0));
        host.moved.clear();
        host.install(Installation { source, ..installation(FULL) }).unwrap();
        assert_eq!(host.moves()[..], ["installed", "granted", "enabled", "starting"]);
    }
}

/// A plugin that was installed before, and cannot run here any more.
fn unrunnable() -> TestHost {
    let kept = RestoredPlugin {
        manifest: Err("a newer host".to_owned()),
        plugin: example(),
        text: FULL.into(),
        folder: "".into(),
        command: None,
        grants: Vec::new(),
        always: Vec::new(),
        disabled: None,
        exits: Vec::new(),
        values: Vec::new(),
    };
    let mut host = TestHost::with(settings());
    host.core = Supervisor::new(host.now, settings(), vec![kept], Vec::new());
    host.pass_ms(0);
    host
}

#[test]
fn one_that_cannot_run_here_stays_so_after_a_folder_or_an_update_that_fails() {
    let mut host = unrunnable();
    let served = Installation { source: Source::Folder("/src/example".into()), ..installation(FULL) };
    host.install(served).unwrap();
    host.bring_up(&example(), &HOOKS);
    host.done(Command::Unserve { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.moves().pop().unwrap(), "disabled: a newer host");
    let cause = host.cause();
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.pass_ms(0);
    host.input(Input::FilesDone { plugin: example(), result: Err("disk full".to_owned()) });
    assert!(host.core.plugin(&example()).is_some(), "it is installed still");
}

#[test]
fn a_folder_that_is_served_no_longer_and_is_not_installed_in_its_place_is_gone() {
    let mut host = TestHost::with(settings());
    let served = Installation { source: Source::Folder("/src/example".into()), ..installation(FULL) };
    host.install(served).unwrap();
    host.bring_up(&example(), &HOOKS);
    let cause = host.cause();
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.pass_ms(0);
    host.done(Command::Unserve { plugin: example() });
    let refused = host.command(Command::Disable { plugin: example() });
    assert_eq!(refused, Some(Err(Refusal::NotUp(example()))));
    host.exits(&example(), ExitStatus::Code(0));
    host.input(Input::FilesDone { plugin: example(), result: Err("disk full".to_owned()) });
    assert_eq!(host.moves().pop().unwrap(), "removed");
    assert!(host.core.plugin(&example()).is_none());
}

#[test]
fn one_that_is_disabled_during_an_update_is_said_to_be_and_stays_so() {
    for result in [Ok(()), Err("disk full".to_owned())] {
        let mut host = TestHost::up();
        let cause = host.cause();
        host.core.install(host.now, cause, installation(FULL)).unwrap();
        host.pass_ms(0);
        host.exits(&example(), ExitStatus::Code(0));
        host.done(Command::Disable { plugin: example() });
        assert_eq!(host.moves().pop().unwrap(), "disabled: by the operator");
        host.input(Input::FilesDone { plugin: example(), result });
        assert_eq!((host.spawns.len(), host.places.len()), (1, 1));
        let kept = host.records.iter().rev().find_map(|(_, record)| match record {
            Record::Disabled { cause, .. } => Some(cause.is_some()),
            _ => None,
        });
        assert_eq!(kept, Some(true));
    }
}
