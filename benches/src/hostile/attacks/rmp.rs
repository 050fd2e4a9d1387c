//! Attacks on the bus's socket (rmp-v0; rulings RMP 1, 8 and 16).

use std::{thread, time::Duration};

use rl_console_benches::rmp::{OBSERVATION, Value, control, frame};

use crate::{
    attack::{Attack, Attacker},
    crowd::Crowd,
    garbage,
};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "rmp_silent", about: "2 × 1,500 connections that say nothing", processes: 2, run: silent
    },
    Attack { name: "rmp_idle", about: "8 × 400 agents that do nothing", processes: 8, run: idle },
    Attack { name: "rmp_slow", about: "2 × 200 frames, a byte each 100 ms", processes: 2, run: slow },
    Attack { name: "rmp_unfinished", about: "4 × 15 frames of 8 MB, no end", processes: 4, run: unfinished },
    Attack {
        name: "rmp_stalled",
        about: "2 × 8 subscribers of ** that never read, and a flood",
        processes: 2,
        run: stalled,
    },
    Attack {
        name: "rmp_wildcards", about: "4 × 10 agents with 1,000 ** each", processes: 4, run: wildcards
    },
    Attack { name: "rmp_large", about: "2 × 4 agents that publish 7 MB each", processes: 2, run: large },
    Attack { name: "rmp_garbage", about: "damaged frames", processes: 1, run: garbage },
    Attack { name: "rmp_json", about: "damaged units of the JSON dialect", processes: 1, run: json },
];

fn hello() -> Vec<u8> {
    let fields =
        [("v", Value::Number(1)), ("client", Value::Text("hostile")), ("kind", Value::Text("agent"))];
    control("Hello", &fields, 1)
}

fn subscribe(sub: u64, topic: &str) -> Vec<u8> {
    control("Subscribe", &[("sub", Value::Number(sub)), ("topic", Value::Text(topic))], 2 + sub)
}

/// `Publish` and a message of this id with so many bytes.
fn publish(bytes: usize, id: u64) -> Vec<u8> {
    let mut unit =
        control("Publish", &[("topic", Value::Text("flood")), ("ack", Value::Bool(false))], 1 << 20);
    unit.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(&vec![b'x'; bytes]), id));
    unit
}

fn silent(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.rmp(), 1_500, Vec::new()).run(attacker);
}

fn idle(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.rmp(), 400, hello()).run(attacker);
}

fn slow(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.rmp(), 200, hello()).slow().run(attacker);
}

fn unfinished(attacker: &mut Attacker) {
    let mut script = [hello(), publish(8_000_000, 9)].concat();
    script.pop();
    Crowd::new(attacker.targets.rmp(), 15, script).run(attacker);
}

fn stalled(attacker: &mut Attacker) {
    let stalled = Crowd::new(attacker.targets.rmp(), 8, [hello(), subscribe(1, "**")].concat()).stalled();
    thread::scope(|scope| {
        let attacker = &*attacker;
        scope.spawn(move || stalled.run(attacker));
        flood(attacker);
    });
}

/// Publishes messages of 16 KiB, none of which is a duplicate.
fn flood(attacker: &Attacker) {
    let place = attacker.targets.rmp();
    let mut id = 1 << 21;
    while !attacker.is_over() {
        let Some(mut socket) = attacker.connect(&place) else { continue };
        let mut rest = hello();
        while !attacker.is_over() && socket.drain() {
            if rest.is_empty() {
                id += 1;
                attacker.count(1);
                rest = publish(16_384, id);
            }
            match socket.give(&rest) {
                Ok(0) => thread::sleep(Duration::from_micros(200)),
                Ok(written) => drop(rest.drain(..written)),
                Err(_) => break,
            }
        }
    }
}

fn wildcards(attacker: &mut Attacker) {
    let script = (1..=1_000).fold(hello(), |script, sub| [script, subscribe(sub, "**")].concat());
    Crowd { units: 1_001, ..Crowd::new(attacker.targets.rmp(), 10, script) }.run(attacker);
}

fn large(attacker: &mut Attacker) {
    let hello = hello();
    let from = hello.len();
    Crowd::new(attacker.targets.rmp(), 4, [hello, publish(7_000_000, 9)].concat())
        .flood(from, 1)
        .run(attacker);
}

fn garbage(attacker: &mut Attacker) {
    let templates = [
        hello(),
        subscribe(1, "a/**"),
        publish(64, 9),
        control("Unsubscribe", &[("sub", Value::Number(1))], 7),
        control("Ping", &[], 8),
        frame(2_001, "intent.ctrl.request.v1", Value::Map(&[("RunCancel", Value::Map(&[]))]), 9),
    ];
    let place = attacker.targets.rmp();
    garbage::throw(attacker, &place, &hello(), |random| garbage::damaged(&templates, random));
}

fn json(attacker: &mut Attacker) {
    let unit =
        |text: &str| [&u32::try_from(text.len()).unwrap_or(0).to_be_bytes()[..], text.as_bytes()].concat();
    let header = r#"{"header_version":0,"header_len":64,"flags":0,"schema_id":1,"body_len":3,"created_at_ms":1,"ttl_ms":9999999999999,"trace_id":1,"msg_id":1}"#;
    let publish = format!(
        r#"{{"Publish":{{"id":1,"topic":"a","message":{{"header":{header},"body":[129,161,97]}}}}}}"#
    );
    let templates = [
        unit(r#"{"Hello":{"kind":"Agent"}}"#),
        unit(r#"{"Subscribe":{"id":2,"topic":"a/**","sub_id":1}}"#),
        unit(r#"{"Unsubscribe":{"sub_id":1}}"#),
        unit(&publish),
    ];
    let place = attacker.targets.rmp();
    garbage::throw(attacker, &place, &templates[0], |random| garbage::damaged(&templates, random));
}
