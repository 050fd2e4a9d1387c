//! Frames of a plugin and of its host.

use std::{thread, time::Duration};

use serde_json::{Value, json};

use super::owner::PATIENT;
use crate::{
    real::{
        json as printed,
        plugins::{PluginStation, until},
    },
    runs_cli::run,
};

const PLUGIN: &str = "sim.plugin";
const TIMEOUT_MS: u64 = 600_000;

/// What is asked of it, and what it answers; a ping may come at any time.
const ACTIONS: &str = "link:plugin method:invoke_action";

/// A station with a simulated plugin that is up.
fn serving(flags: &[&str]) -> PluginStation {
    let it = PluginStation::with(PATIENT, flags);
    it.serve_simulated(PLUGIN, &[]);
    it.when_up(PLUGIN);
    it
}

fn gate(it: &PluginStation, args: &[&str]) {
    run(it.folder.path(), &[&["gate"], args].concat(), "").exits(0);
}

fn held(it: &PluginStation) -> Vec<Value> {
    printed(it.folder.path(), &["ls", "intercepted"])
}

/// The frames that are held, once so many are.
#[track_caller]
fn when_held(it: &PluginStation, count: usize) -> Vec<Value> {
    until(|| format!("not {count} but {:?}", held(it)), || Some(held(it)).filter(|it| it.len() == count))
}

/// The only frame that is held, and its bytes.
#[track_caller]
fn one(it: &PluginStation) -> String {
    when_held(it, 1)[0]["frame"].to_string()
}

fn invoke(it: &PluginStation, n: &str) -> Result<Value, rl_console::plugin::Refusal> {
    it.invoke_within(PLUGIN, "sim.echo", json!({ "n": n }), TIMEOUT_MS)
}

#[test]
fn an_answer_is_held_mended_and_let_pass_and_another_waits_behind_it() {
    let it = serving(&[]);
    gate(&it, &["arm", ACTIONS, "--in"]);
    thread::scope(|scope| {
        let first = scope.spawn(|| invoke(&it, "one"));
        let frame = one(&it);
        let second = scope.spawn(|| invoke(&it, "two"));
        gate(&it, &["edit", &frame, "--set", "body.result.n=mended"]);
        assert_eq!(first.join().unwrap(), Ok(json!({"n": "mended"})));
        let behind = until(
            || format!("{:?}", held(&it)),
            || held(&it).pop().map(|row| row["frame"].to_string()).filter(|behind| *behind != frame),
        );
        gate(&it, &["pass", &behind]);
        assert_eq!(second.join().unwrap(), Ok(json!({"n": "two"})));
    });
}

#[test]
fn what_goes_to_a_plugin_is_held_edited_or_dropped() {
    let it = serving(&[]);
    gate(&it, &["arm", ACTIONS, "--out"]);
    thread::scope(|scope| {
        let first = scope.spawn(|| invoke(&it, "one"));
        let args = "body.params.args.n=mended";
        gate(&it, &["edit", &one(&it), "--set", args]);
        assert_eq!(first.join().unwrap(), Ok(json!({"n": "mended"})));
        let lost = scope.spawn(|| it.invoke_within(PLUGIN, "sim.echo", json!({}), 1_000));
        gate(&it, &["drop", &one(&it)]);
        assert!(lost.join().unwrap().is_err(), "it is never answered");
    });
    gate(&it, &["disarm"]);
    it.answers(PLUGIN);
}

#[test]
fn whatever_is_held_and_passes_each_call_has_its_own_answer() {
    let it = serving(&[]);
    gate(&it, &["arm", "link:plugin", "--in"]);
    gate(&it, &["arm", "link:plugin", "--out"]);
    thread::scope(|scope| {
        let call = |n: u32| {
            let it = &it;
            scope.spawn(move || (invoke(it, &n.to_string()), n))
        };
        let calls: Vec<_> = (0..8).map(call).collect();
        while calls.iter().any(|call| !call.is_finished()) {
            gate(&it, &["pass"]);
            thread::sleep(Duration::from_millis(5));
        }
        for call in calls {
            let (answered, n) = call.join().unwrap();
            assert_eq!(answered, Ok(json!({ "n": n.to_string() })));
        }
    });
}

#[test]
fn nothing_is_held_of_a_plugin_that_ended() {
    let it = serving(&[]);
    gate(&it, &["arm", ACTIONS, "--out"]);
    thread::scope(|scope| {
        let call = scope.spawn(|| invoke(&it, "lost"));
        when_held(&it, 1);
        let pid = it.row(PLUGIN).unwrap().pid.unwrap();
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        assert!(call.join().unwrap().is_err());
    });
    gate(&it, &["disarm"]);
    when_held(&it, 0);
    it.when_up(PLUGIN);
    it.answers(PLUGIN);
}

#[test]
fn frames_of_a_plugin_are_doubled_delayed_and_cut() {
    let it = serving(&["--rehearsal"]);
    gate(&it, &["arm", ACTIONS, "--out", "--then", "delay=100ms", "--max", "1"]);
    it.answers(PLUGIN);
    gate(&it, &["arm", ACTIONS, "--out", "--then", "duplicate", "--max", "1"]);
    it.answers(PLUGIN);
    it.answers(PLUGIN);
    let before = it.row(PLUGIN).unwrap().restarts;
    gate(&it, &["arm", ACTIONS, "--in", "--then", "cut", "--max", "1"]);
    assert!(invoke(&it, "cut").is_err());
    it.when(PLUGIN, "up again", |row| row.state == "up" && row.restarts > before);
    it.answers(PLUGIN);
}
