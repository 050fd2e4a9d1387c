//! A calm night: two queues are served, runs succeed, sessions agree, plugins are up.

use super::night::{CHAT, ITEM, Night, RECAP, SEED, WRITER};

pub(super) const FILE: &str = "calm.mcap";

/// Plays it: the night, with the file that was recorded.
pub(super) fn play() -> Night {
    let mut night = Night::begin("");
    night.pair();
    night.start(FILE, &[]);
    for id in ["com.example.lamp", "com.example.dice"] {
        night.plugin(id, &[]);
    }
    night.agent("chat", CHAT);
    night.agent("writer", WRITER);
    night.adapter(&["--latency", "800"]);
    night.mark("the doors open");
    for number in 1..=6 {
        night.redeemed(number);
    }
    let boss = night.invoked("spawn_boss", r#"{"boss":"troll"}"#, &["--source", "bits"]);
    let sessions = ["sim", "session", "--mode", "mixed", "--sessions", "4", "--at-once", "2"];
    let steps = ["--pace", "400", "--seed", SEED, "--prefix", "calm"];
    night.peer("sessions", "opened", &[&sessions[..], &steps].concat());
    let recap = night.opening("recap.yaml", RECAP);
    night.submitted(&recap);
    night.submitted(&recap);
    night.json(&["plugin", "invoke", "sim.echo", "--args", r#"{"say":"hello"}"#]);
    let last = night.invoked("give_item", ITEM, &[]);
    night.event("run_ended");
    night.event("run_ended");
    night.json(&["submit", &recap, "--wait"]);
    night.ended("sessions");
    night.done(boss);
    night.done(last);
    night.mark("the doors close");
    night.end_adapter();
    night.end("chat");
    night.end("writer");
    night.stop();
    night
}
