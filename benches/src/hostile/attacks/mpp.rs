//! Attacks on the bridge's port (mpp-v2).

use rl_console_benches::paired::PACK_ID;

use crate::{
    attack::{Attack, Attacker},
    crowd::Crowd,
    garbage,
};

pub(super) const ATTACKS: &[Attack] = &[
    Attack { name: "mpp_silent", about: "2,000 connections that say nothing", processes: 1, run: silent },
    Attack { name: "mpp_storm", about: "connects as fast as they go", processes: 2, run: storm },
    Attack { name: "mpp_slow", about: "300 frames, a byte each 100 ms", processes: 1, run: slow },
    Attack {
        name: "mpp_unfinished",
        about: "1,000 frames of 65,000 bytes, no end",
        processes: 1,
        run: unfinished,
    },
    Attack { name: "mpp_garbage", about: "damaged frames", processes: 1, run: garbage },
];

/// `hello` up to within its first value, which then goes on.
fn begun(bytes: usize) -> Vec<u8> {
    let mut frame = br#"{"mpp":2,"type":"hello","pack_id":""#.to_vec();
    frame.resize(bytes, b'a');
    frame
}

fn silent(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.mpp(), 2_000, Vec::new()).run(attacker);
}

fn storm(attacker: &mut Attacker) {
    let place = attacker.targets.mpp();
    while !attacker.is_over() {
        drop(attacker.connect(&place));
    }
}

fn slow(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.mpp(), 300, begun(65_000)).slow().run(attacker);
}

fn unfinished(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.mpp(), 1_000, begun(65_000)).run(attacker);
}

fn garbage(attacker: &mut Attacker) {
    let hello = format!(
        "{{\"mpp\":2,\"type\":\"hello\",\"pack_id\":\"{PACK_ID}\",\"manifest_hash\":\"sha256:00\",\"bridge_token\":\"{}\"}}\n",
        "A".repeat(43)
    );
    let templates: Vec<Vec<u8>> = [
        hello.as_str(),
        "{\"mpp\":2,\"type\":\"pull\",\"queue\":\"q1\"}\n",
        "{\"mpp\":2,\"type\":\"applied\",\"id\":1,\"result\":{\"a\":[1,2.5e300,null]}}\r\n",
        "{\"mpp\":2,\"type\":\"failed\",\"id\":18446744073709551615,\"reason\":\"\\ud83d\",\"refund\":true}\n",
        "{\"mpp\":2,\"type\":\"state_write\",\"key\":\"k\",\"value\":[[[[[[[[]]]]]]]],\"scope\":\"\\u202e\"}\n",
        "{\"mpp\":1,\"type\":\"hello\"}\n",
    ]
    .map(|frame| frame.as_bytes().to_vec())
    .into();
    let place = attacker.targets.mpp();
    garbage::throw(attacker, &place, b"", |random| garbage::damaged(&templates, random));
}
