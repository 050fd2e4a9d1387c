//! Attacks on the control plane and on runs (rmp-v0 §9, §10; rulings RMP 10 to 14).

use std::{io::Read as _, thread, time::Duration};

use fastrand::Rng;
use rl_console_benches::rmp::{Value, control, frame_of, frame_of_body};

use crate::{
    attack::{Attack, Attacker},
    garbage,
    socket::Socket,
};

pub(super) const ATTACKS: &[Attack] = &[
    Attack { name: "runs_submit", about: "2 floods of submissions", processes: 2, run: submit },
    Attack {
        name: "runs_answers",
        about: "a flood of answers to runs of others, and to none",
        processes: 1,
        run: answers,
    },
    Attack {
        name: "runs_garbage",
        about: "2 floods of damaged requests and openings",
        processes: 2,
        run: damaged,
    },
];

const CTRL_REQ: u16 = 2_001;
const AGENT_RESPONSE: u16 = 4_001;
const CTRL: &str = "rlp/ctrl";
/// What stands before a reply topic in a request, as MsgPack has it.
const REPLY_TOPIC: &[u8] = b"\xabreply_topic";
/// Reply topics that are answered again and again.
const TOPICS_MAX: usize = 64;
/// Bytes of what was heard that are searched for them at one time.
const HEARD_BYTES: usize = 65_536;
/// Messages of a connection before there is another.
const MESSAGES_MAX: usize = 10_000;

fn opening(agent: &str) -> String {
    format!(
        "version: 0\nname: hostile\npolicy: {{timeout_ms: 2000}}\n\
         nodes:\n  - {{id: a, use: 'agent:{agent}'}}\nedges: []\n"
    )
}

/// `Hello`, and a subscription where one is wanted.
fn hello(topic: Option<&str>) -> Vec<u8> {
    let hello = [("v", Value::Number(1)), ("client", Value::Text("hostile")), ("kind", Value::Text("agent"))];
    let subscribe = topic
        .map(|topic| control("Subscribe", &[("sub", Value::Number(1)), ("topic", Value::Text(topic))], 2));
    [control("Hello", &hello, 1), subscribe.unwrap_or_default()].concat()
}

fn publish(topic: &str, message: &[u8], id: u64) -> Vec<u8> {
    let fields = [("topic", Value::Text(topic)), ("ack", Value::Bool(false))];
    [&control("Publish", &fields, id)[..], message].concat()
}

fn submission(yaml: &str, trace: u128, id: u64) -> Vec<u8> {
    let request = [("request_id", Value::Bytes(&trace.to_be_bytes())), ("opening_yaml", Value::Text(yaml))];
    let payload = Value::Map(&[("RunSubmit", Value::Map(&request))]);
    publish(CTRL, &frame_of(CTRL_REQ, "intent.ctrl.request.v1", payload, id, trace), id)
}

/// Connects again and again and sends what `make` makes, as fast as it is taken, until the attack's time is
/// over; `make` may read.
fn pour(attacker: &mut Attacker, hello: &[u8], mut make: impl FnMut(&mut Rng, &mut Socket, u64) -> Vec<u8>) {
    let place = attacker.targets.rmp();
    while !attacker.is_over() {
        let Some(mut socket) = attacker.connect(&place) else { continue };
        let (mut rest, mut id) = (hello.to_vec(), 0);
        while !attacker.is_over() && id < MESSAGES_MAX as u64 && socket.drain() {
            if rest.is_empty() {
                id += 1;
                attacker.count(1);
                rest = make(&mut attacker.random, &mut socket, id);
            }
            match socket.give(&rest) {
                Ok(0) => thread::sleep(Duration::from_micros(200)),
                Ok(written) => drop(rest.drain(..written)),
                Err(_) => break,
            }
        }
    }
}

fn submit(attacker: &mut Attacker) {
    let yaml = opening("hostile");
    pour(attacker, &hello(None), |random, _, id| submission(&yaml, random.u128(..), id));
}

fn damaged(attacker: &mut Attacker) {
    let openings = [opening("hostile").into_bytes()];
    // What a frame's body is, behind its 68 bytes of head.
    let body = |variant: &str, fields: &[(&str, Value<'_>)]| {
        let payload = Value::Map(&[(variant, Value::Map(fields))]);
        frame_of(CTRL_REQ, "intent.ctrl.request.v1", payload, 0, 0).split_off(68)
    };
    let trace = [7; 16];
    let bodies = [
        body(
            "RunSubmit",
            &[("request_id", Value::Bytes(&trace)), ("opening_yaml", Value::Text("nodes: []"))],
        ),
        body("RunCancel", &[("trace_id", Value::Bytes(&trace))]),
        body("RunStatus", &[("trace_id", Value::Text("trace:07070707-0707-0707-0707-070707070707"))]),
    ];
    pour(attacker, &hello(None), |random, _, id| {
        if random.bool() {
            let yaml = garbage::damaged(&openings, random);
            return submission(&String::from_utf8_lossy(&yaml), random.u128(..), id);
        }
        let body = garbage::damaged(&bodies, random);
        publish(CTRL, &frame_of_body(CTRL_REQ, &body, id, random.u128(..)), id)
    });
}

/// Half of it goes where agents of others are asked for, half to topics that nobody waits on.
fn answers(attacker: &mut Attacker) {
    let (yaml, mut topics) = (opening("victim"), Vec::new());
    pour(attacker, &hello(Some("agent/**")), |random, socket, id| {
        if id % 100 == 1 {
            return submission(&yaml, random.u128(..), id);
        }
        let mut heard = vec![0; HEARD_BYTES];
        let read = socket.read(&mut heard).unwrap_or(0);
        topics.extend(reply_topics(&heard[..read]));
        topics.drain(..topics.len().saturating_sub(TOPICS_MAX));
        let (trace, nobodys) = (random.u128(..), random.bool());
        let topic = match random.choice(&topics) {
            Some(topic) if !nobodys => topic.clone(),
            _ => format!("rlp/runs/{trace:032x}/agents/victim/{:032x}", random.u128(..)),
        };
        let failed = [("retryable", Value::Bool(random.bool())), ("reason", Value::Text("hostile"))];
        let payload = match random.u8(..4) {
            0 => Value::Map(&[("Completed", Value::Map(&[("ports", Value::Map(&[]))]))]),
            1 => Value::Map(&[("Failed", Value::Map(&failed))]),
            2 => Value::Map(&[("Completed", Value::Number(7)), ("Failed", Value::Number(7))]),
            _ => Value::Text("nothing"),
        };
        let kind = "toolresult.executor.agent.response.v1";
        publish(&topic, &frame_of(AGENT_RESPONSE, kind, payload, id, trace), id)
    });
}

/// The reply topics of the requests in what was heard; one that is cut is left out.
fn reply_topics(heard: &[u8]) -> Vec<String> {
    let behind = heard.windows(REPLY_TOPIC.len()).enumerate().filter(|(_, it)| *it == REPLY_TOPIC);
    behind
        .filter_map(|(at, _)| {
            let (length, text) = match heard.get(at + REPLY_TOPIC.len()..)? {
                [0xd9, length, text @ ..] => (usize::from(*length), text),
                [short @ 0xa0..=0xbf, text @ ..] => (usize::from(short & 0x1f), text),
                _ => return None,
            };
            Some(str::from_utf8(text.get(..length)?).ok()?.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_topics_are_found_and_those_that_are_cut_are_not() {
        let long = "rlp/runs/trace:07070707-0707-0707-0707-070707070707/agents/a/1";
        let fields = [("reply_topic", Value::Text(long)), ("attempt", Value::Number(1))];
        let whole = frame_of(4_000, "x", Value::Map(&fields), 1, 2);
        assert_eq!(reply_topics(&whole), [long]);
        assert_eq!(
            reply_topics(&frame_of(4_000, "x", Value::Map(&[("reply_topic", Value::Text("a"))]), 1, 2)),
            ["a"]
        );
        for end in 0..whole.len() - 9 {
            assert!(reply_topics(&whole[..end]).is_empty(), "{end}");
        }
    }
}
