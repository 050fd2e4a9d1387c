//! A bad night: redemptions fail and are refunded, a run fails, a plugin crashes, a message is dropped, a
//! person approves one node and rejects another, an adapter hangs and is killed, an agent too, and in the end
//! the station is started again, which another file tells of.

use super::night::{CHAT, ITEM, Night, RECAP, SEED, WRITER};

pub(super) const FILE: &str = "bad.mcap";
/// After the station was started again.
pub(super) const SECOND_FILE: &str = "bad.2.mcap";

/// What is marked while a node waits for a person; the picture of the documentation shows this moment.
const WAITING: &str = "chat waits for the boss";

/// What the station measures each second has some 10 KB, and is cut, so that the file is short.
const CONFIG: &str = "[limits.tap]\nframe_bytes_max = 4096\n";

/// An opening that fails in its last node, twice.
const REVIEW: &str = "\
version: 0
name: review
nodes:
  - {id: collect, use: 'agent:chat'}
  - {id: draft, use: 'agent:writer'}
  - {id: review, use: 'agent:writer', retry: {max_attempts: 2, backoff_ms: 300}}
edges:
  - {from: collect.item, to: draft.in}
  - {from: draft.out, to: review.in}
";

/// An opening with a node that waits for a person.
const VOTE: &str = "\
version: 0
name: chat_vote
goals: [let chat choose an item]
nodes:
  - {id: poll, use: 'agent:chat'}
  - {id: give, use: 'agent:writer', with: {require_human_confirm: true}}
  - {id: thank, use: 'agent:writer'}
edges:
  - {from: poll.item, to: give.item}
  - {from: poll.won, to: thank.in}
";

/// An opening that does not end by itself.
const ENDLESS: &str = "version: 0\nname: patient\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n";

/// Plays it: the night, with the files that were recorded.
pub(super) fn play() -> Night {
    let mut night = Night::begin(CONFIG);
    night.pair();
    night.start(FILE, &[]);
    night.agent("chat", CHAT);
    night.agent("writer", WRITER);
    night.agent("twice", "");
    night.agent("mute", "[[rule]]\nanswer = \"none\"\n");
    fails(&mut night);
    waits_for_a_person(&mut night);
    is_killed(&mut night);
    let left = night.invoked("give_item", ITEM, &[]);
    night.submitted(&night.opening("patient.yaml", ENDLESS));
    // Whether a plugin is started before the recording follows the clock.
    night.json(&["plugin", "disable", "com.example.lamp"]);
    night.mark("the station is started again");
    night.stop();

    night.start(SECOND_FILE, &[]);
    night.agent("chat", CHAT);
    night.agent("writer", WRITER);
    night.adapter(&["--latency", "200"]);
    night.done(left);
    night.json(&["submit", &night.opening("recap.yaml", RECAP), "--wait"]);
    night.end_adapter();
    night.end("chat");
    night.end("writer");
    night.stop();
    night
}

/// What goes wrong by itself.
fn fails(night: &mut Night) {
    night.adapter(&["--latency", "200", "--fail-rate", "0.25", "--refund-rate", "0.25"]);
    for number in 1..=6 {
        let (redemption, user) = (format!("r-{number}"), format!("viewer_{number}"));
        let by = ["--source", "channel_points", "--redemption", &redemption, "--user", &user];
        let args = ["invoke", "give_item", "--params", ITEM, "--wait", "done"];
        night.tried(&[&args[..], &by].concat());
    }
    // Its parameters do not match their schema.
    night.tried(&["invoke", "spawn_boss", "--params", r#"{"boss":7}"#, "--wait", "done"]);
    let ended = night.tried(&["submit", &night.opening("review.yaml", REVIEW), "--wait"]);
    assert_eq!(ended.last().unwrap()["state"], "failed", "{ended:?}");
    night.event("run_ended");
    night.end_adapter();
    // A message that its subscriber was given before is dropped.
    night.json(&["inject", "rmp", "--snippet", "duplicate"]);
    night.plugin("com.example.lamp", &[]);
    night.plugin("com.example.fog", &["--crash-after", "1"]);
    night.event("plugin_waiting");
    night.event("plugin_up");
    night.event("plugin_waiting");
    night.json(&["plugin", "disable", "com.example.fog"]);
}

/// A node is approved while everything is busy, another is rejected.
fn waits_for_a_person(night: &mut Night) {
    night.adapter(&["--latency", "2500"]);
    let vote = night.opening("vote.yaml", VOTE);
    let run = night.submitted(&vote);
    night.event("run_asks");
    let sessions = ["sim", "session", "--mode", "mixed", "--sessions", "4", "--at-once", "2"];
    let steps = ["--pace", "500", "--cancel-rate", "0.4", "--seed", SEED, "--prefix", "bad"];
    night.peer("sessions", "opened", &[&sessions[..], &steps].concat());
    let last = (7..=9).map(|number| night.redeemed(number)).last().unwrap();
    let boss = night.invoked("spawn_boss", r#"{"boss":"troll"}"#, &["--source", "bits"]);
    night.submitted(&night.opening("recap.yaml", RECAP));
    night.mark(WAITING);
    night.json(&["run", "approve", &run, "--note", "the chat has spoken"]);
    night.event("run_ended");
    night.event("run_ended");
    let run = night.submitted(&vote);
    night.event("run_asks");
    night.json(&["run", "reject", &run]);
    night.event("run_ended");
    night.done(last);
    night.done(boss);
    night.ended("sessions");
    night.end_adapter();
}

/// An adapter hangs with an invocation and is killed, so that the next adapter is given that; an agent is
/// killed and replaced.
fn is_killed(night: &mut Night) {
    night.adapter(&["--latency", "60000"]);
    let args = ["invoke", "give_item", "--params", ITEM, "--wait", "dispatched"];
    let id = night.tried(&args)[0]["id"].as_u64().unwrap();
    night.kill("adapter");
    night.event("adapter_disconnected");
    night.adapter(&["--latency", "200"]);
    night.done(id);
    night.end_adapter();
    night.kill("chat");
    night.agent("chat", CHAT);
    night.json(&["submit", &night.opening("recap.yaml", RECAP), "--wait"]);
}
