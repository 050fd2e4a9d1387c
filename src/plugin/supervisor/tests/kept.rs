//! What outlives a plugin's being there, a removal that fails, and a manifest that is mended.

use serde_json::{Value, json};

use super::{
    super::{Input, Installation, Launched, Record, RestoredPlugin, Source, SpawnFault, Supervisor},
    kit::{FULL, HOOKS, TestHost, example, installation, manifest, settings},
};
use crate::plugin::{Command, DisableCause, ExitStatus, Outcome, Transition, supervisor::ProcessInput};

fn panel() -> Value {
    json!({"schema": {"title": "Example", "sections": [{"label": "Main", "fields": [
        {"type": "number", "key": "count", "label": "Count"},
    ]}]}})
}

/// What the plugin, just asked for, reads of its panel.
fn values(host: &mut TestHost) -> Value {
    host.bring_up(&example(), &HOOKS);
    host.calls("register_panel", panel());
    host.calls("get_panel_values", json!({}))["result"]["values"].clone()
}

fn served() -> Installation {
    Installation { source: Source::Folder("/src/example".into()), ..installation(FULL) }
}

fn remove(host: &mut TestHost, purge: bool, result: Result<(), String>) -> Result<Outcome, String> {
    let cause = host.cause();
    let request = cause.request.0;
    host.core.command(host.now, cause, Command::Remove { plugin: example(), purge });
    host.pass_ms(0);
    host.exits(&example(), ExitStatus::Code(0));
    host.input(Input::FilesDone { plugin: example(), result });
    host.replies.remove(&request).unwrap().map_err(|refusal| refusal.to_string())
}

/// With the full plugin and a value of its panel.
fn with_value() -> TestHost {
    let mut host = TestHost::installed();
    values(&mut host);
    host.done(Command::Set { plugin: example(), key: "count".to_owned(), value: Some(json!(3)) });
    host
}

#[test]
fn values_of_the_panel_outlive_a_removal_and_not_a_purge() {
    for (purge, kept) in [(false, json!({"count": 3})), (true, json!({}))] {
        let mut host = with_value();
        remove(&mut host, purge, Ok(())).unwrap();
        host.install(installation(FULL)).unwrap();
        assert_eq!(values(&mut host), kept, "purge: {purge}");
    }
}

#[test]
fn a_served_folder_has_the_values_of_before_and_leaves_its_own() {
    let mut host = TestHost::with(settings());
    host.core.keep_values(vec![(example(), [("count".to_owned(), json!(7))].into())]);
    host.install(served()).unwrap();
    assert_eq!(values(&mut host), json!({"count": 7}), "as the store has them");
    host.done(Command::Set { plugin: example(), key: "count".to_owned(), value: Some(json!(8)) });
    host.done(Command::Unserve { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    assert!(host.core.plugin(&example()).is_none());
    host.install(served()).unwrap();
    assert_eq!(values(&mut host), json!({"count": 8}));
}

#[test]
fn an_installation_that_fails_loses_no_values() {
    let mut host = TestHost::with(settings());
    host.core.keep_values(vec![(example(), [("count".to_owned(), json!(7))].into())]);
    let cause = host.cause();
    host.core.install(host.now, cause, installation(FULL)).unwrap();
    host.input(Input::FilesDone { plugin: example(), result: Err("disk full".to_owned()) });
    host.places.clear();
    host.install(installation(FULL)).unwrap();
    assert_eq!(values(&mut host), json!({"count": 7}));
}

#[test]
fn values_of_plugins_that_are_not_there_are_bounded() {
    let mut host = TestHost::with(settings());
    let many = (0..2_000).map(|n| (format!("a.n{n:04}").as_str().into(), [(String::new(), json!(n))].into()));
    host.core.keep_values(many.collect());
    assert_eq!(host.core.values_aside.len(), 1_024);
}

#[test]
fn a_removal_that_fails_tells_the_reason_and_leaves_it_disabled_until_it_is_started_or_removed() {
    let mut host = TestHost::up();
    host.moves();
    let refused = remove(&mut host, true, Err("data cannot be deleted: busy".to_owned())).unwrap_err();
    assert!(refused.contains("data cannot be deleted: busy") && refused.contains("disabled"), "{refused}");
    let why = "it was not removed: data cannot be deleted: busy";
    assert_eq!(host.moves().pop().unwrap(), format!("disabled: {why}"));
    let kept =
        Record::Disabled { plugin: example(), cause: Some((DisableCause::ByOperator, why.to_owned())) };
    assert!(host.records.iter().any(|(_, record)| *record == kept));
    host.pass_s(100);
    assert_eq!(host.spawns.len(), 1);
    host.done(Command::Restart { plugin: example() });
    assert_eq!(host.spawns.len(), 2);
    host.bring_up(&example(), &HOOKS);
    remove(&mut host, true, Ok(())).unwrap();
    assert!(host.core.plugin(&example()).is_none());
}

/// A station whose store has the plugin with a manifest that is not valid.
fn with_invalid() -> TestHost {
    let mut host = TestHost::with(settings());
    let kept = RestoredPlugin {
        folder: "".into(),
        manifest: Err("3:1: `version` is missing".to_owned()),
        plugin: example(),
        text: "".into(),
        command: Some("node main.js".to_owned()),
        grants: vec!["log".to_owned(), "on_watch_tick".to_owned(), "no_more".to_owned()],
        always: Vec::new(),
        disabled: None,
        exits: Vec::new(),
        values: vec![("count".to_owned(), json!(5))],
    };
    host.core = Supervisor::new(host.now, settings(), vec![kept], Vec::new());
    host.core.start_all(host.now);
    host.pass_ms(0);
    host
}

#[test]
fn a_manifest_that_is_mended_runs_after_enable_with_what_was_granted() {
    let mut host = with_invalid();
    assert_eq!(host.moves(), ["installed", "granted", "disabled: 3:1: `version` is missing"]);
    let run = Launched { source: Source::Package, command: Some("node main.js".to_owned()) };
    assert_eq!(host.core.launch(&example()), Some(run.clone()));
    host.core.reread(&example(), Err("4:1: `tier` is missing".to_owned()));
    let refused = host.command(Command::Enable { plugin: example() }).unwrap().unwrap_err();
    assert!(refused.to_string().contains("4:1: `tier` is missing"), "as it is now: {refused}");
    host.core.reread(&example(), Ok((manifest(FULL), FULL.into())));
    host.done(Command::Enable { plugin: example() });
    assert_eq!(host.moves(), ["installed", "granted", "enabled", "starting"]);
    assert_eq!(host.core.launch(&example()), Some(run));
    host.spawned(&example());
    let granted = &host.last_request(&example())["params"]["granted"];
    assert_eq!(granted["host_methods"], json!(["log"]), "what it asks for besides is not granted");
    assert_eq!(granted["events"], json!(["on_watch_tick"]));
    let kept = host.records.iter().any(
        |(_, it)| matches!(it, Record::Installed { version, command: Some(_), .. } if version == "1.2.0"),
    );
    assert!(kept);
}

#[test]
fn an_update_of_what_cannot_run_keeps_its_grants_and_one_that_fails_leaves_it() {
    let mut host = with_invalid();
    let update = || Installation { grant: Some(vec!["notify".to_owned()]), ..installation(FULL) };
    let cause = host.cause();
    host.core.install(host.now, cause, update()).unwrap();
    host.input(Input::FilesDone { plugin: example(), result: Err("disk full".to_owned()) });
    assert!(host.core.plugin(&example()).is_some_and(|plugin| plugin.disabled.is_some()));
    host.places.clear();
    host.install(update()).unwrap();
    host.spawned(&example());
    let granted = &host.last_request(&example())["params"]["granted"];
    assert_eq!(granted["host_methods"], json!(["notify", "log"]));
    assert_eq!(granted["events"], json!(["on_watch_tick"]));
}

#[test]
fn what_cannot_run_may_be_served_meanwhile_and_removed() {
    let mut host = with_invalid();
    host.install(served()).unwrap();
    host.bring_up(&example(), &HOOKS);
    host.done(Command::Unserve { plugin: example() });
    host.moves();
    host.exits(&example(), ExitStatus::Code(0));
    assert_eq!(host.moves().last().unwrap(), "disabled: 3:1: `version` is missing");
    remove(&mut host, false, Ok(())).unwrap();
    assert!(host.core.plugin(&example()).is_none());
}

#[test]
fn restart_by_hand_takes_what_the_manifest_says_now() {
    let newer = FULL.replace("1.2.0", "1.3.0").replace("\"clip.create\"", "\"clip.delete\"");
    let fewer = newer.replace(r#""notify", "#, "");
    let mut host = TestHost::up();
    host.moves();
    host.core.reread(&example(), Ok((manifest(FULL), FULL.into())));
    host.pass_ms(0);
    assert!(host.moves().is_empty(), "nothing changed");
    host.core.reread(&example(), Ok((manifest(&fewer), fewer.as_str().into())));
    host.done(Command::Restart { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    host.bring_up(&example(), &HOOKS);
    let installed = host.moved.iter().rev().find_map(|(it, _)| match it {
        Transition::Installed { about, .. } => Some(about.version.to_string()),
        _ => None,
    });
    assert_eq!(installed.unwrap(), "1.3.0");
    let invoke = |action: &str| Command::Invoke {
        action: action.to_owned(),
        args: json!({}),
        plugin: None,
        timeout_ms: 1_000,
    };
    assert!(host.command(invoke("clip.create")).unwrap().is_err());
    assert_eq!(host.command(invoke("clip.delete")), None);
    assert_eq!(host.calls("notify", json!({"level": "info", "message": "x"}))["error"]["code"], -32000);
    // Back in the manifest, it is not granted by itself.
    host.core.reread(&example(), Ok((manifest(&newer), newer.as_str().into())));
    assert!(!host.core.plugin(&example()).unwrap().granted().lists().host_methods.contains(&"notify"));
}

#[test]
fn a_served_folder_that_was_granted_all_is_granted_what_it_asks_for_anew() {
    let fewer = FULL.replace(r#""notify", "#, "");
    for (grant, is_granted) in [(None, true), (Some(vec!["log".to_owned()]), false)] {
        let mut host = TestHost::with(settings());
        let source = Source::Folder("/src/example".into());
        host.install(Installation { source, grant, ..installation(&fewer) }).unwrap();
        host.records.clear();
        host.core.reread(&example(), Ok((manifest(FULL), FULL.into())));
        host.pass_ms(0);
        let methods = host.core.plugin(&example()).unwrap().granted().lists().host_methods;
        assert_eq!(methods.contains(&"notify"), is_granted, "{methods:?}");
        assert!(host.records.is_empty(), "nothing of a served folder is kept");
    }
}

#[test]
fn the_manifest_of_another_plugin_is_none_of_this_one() {
    let other = FULL.replace("community.example", "a.other");
    let mut host = with_invalid();
    host.core.reread(&example(), Ok((manifest(&other), other.as_str().into())));
    let refused = host.command(Command::Restart { plugin: example() }).unwrap().unwrap_err();
    assert!(refused.to_string().contains("now that of a.other"), "{refused}");
}

#[test]
fn a_fault_that_passes_is_an_exit_that_counts_and_the_next_start_may_do() {
    let mut host = TestHost::installed();
    for wait in [1, 5, 25] {
        let fault = SpawnFault { is_entry: false, why: "Resource temporarily unavailable".to_owned() };
        host.moves();
        host.process(&example(), ProcessInput::SpawnFailed(fault));
        assert_eq!(host.moves(), ["stopped", "unhealthy: Resource temporarily unavailable", "waiting"]);
        let spawns = host.spawns.len();
        host.pass_ms(wait * 1_000 - 1);
        assert_eq!(host.spawns.len(), spawns);
        host.pass_ms(1);
        assert_eq!(host.spawns.len(), spawns + 1);
    }
    host.bring_up(&example(), &HOOKS);
    let fault = SpawnFault { is_entry: true, why: "the entry is gone".to_owned() };
    host.process(&example(), ProcessInput::SpawnFailed(fault));
    assert_eq!(host.moves().pop().unwrap(), "disabled: the entry is gone");
    assert_eq!(host.core.plugin(&example()).unwrap().exits.len(), 3, "and is none");
}

/// Ruling 10, and a served folder: a login is still by question.
#[test]
fn what_was_allowed_of_a_credential_is_not_allowed_a_folder_served_in_its_place_nor_the_other_way_round() {
    let serve = |host: &mut TestHost, folder: &str| {
        let cause = host.cause();
        let source = Source::Folder(folder.into());
        host.core.install(host.now, cause, Installation { source, ..installation(FULL) }).unwrap();
        host.pass_ms(0);
        host.exits(&example(), ExitStatus::Code(0));
        host.bring_up(&example(), &HOOKS);
    };
    let is_asked = |host: &mut TestHost| {
        host.moves();
        host.calls("get_credential", json!({"kind": "twitch.android"}));
        host.moves().contains(&"credential asked".to_owned())
    };
    let allow = |always| Command::Allow { plugin: example(), always };
    let mut host = TestHost::up();
    assert!(is_asked(&mut host));
    host.done(allow(true));
    assert!(!is_asked(&mut host));
    serve(&mut host, "/src/example");
    assert!(is_asked(&mut host), "another program under the same id");
    host.done(allow(true));
    serve(&mut host, "/src/example");
    assert!(!is_asked(&mut host), "the same folder, whose files changed");
    serve(&mut host, "/src/other");
    assert!(is_asked(&mut host));
    host.done(allow(false));
    host.records.clear();
    host.done(Command::Unserve { plugin: example() });
    host.exits(&example(), ExitStatus::Code(0));
    host.bring_up(&example(), &HOOKS);
    assert!(!is_asked(&mut host), "what is installed is handed it always, as before");
    let mut run = TestHost::up();
    assert!(is_asked(&mut run));
    run.done(allow(false));
    serve(&mut run, "/src/example");
    assert!(is_asked(&mut run));
    run.done(allow(false));
    run.done(Command::Unserve { plugin: example() });
    run.exits(&example(), ExitStatus::Code(0));
    run.bring_up(&example(), &HOOKS);
    assert!(!is_asked(&mut run), "what is installed was allowed it for this run");
}
