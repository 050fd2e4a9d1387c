//! Attacks on the port of the metrics (HTTP/1.1).

use crate::{
    attack::{Attack, Attacker},
    crowd::Crowd,
    garbage,
};

pub(super) const ATTACKS: &[Attack] = &[
    Attack { name: "metrics_silent", about: "500 connections that say nothing", processes: 1, run: silent },
    Attack { name: "metrics_slow", about: "100 heads, a byte each 100 ms", processes: 1, run: slow },
    Attack { name: "metrics_unfinished", about: "100 heads of 1 MB, no end", processes: 1, run: unfinished },
    Attack { name: "metrics_garbage", about: "damaged requests", processes: 1, run: garbage },
];

fn begun(bytes: usize) -> Vec<u8> {
    let mut head = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Filler: ".to_vec();
    head.resize(bytes, b'a');
    head
}

fn silent(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.metrics(), 500, Vec::new()).run(attacker);
}

fn slow(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.metrics(), 100, begun(10_000)).slow().run(attacker);
}

fn unfinished(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.metrics(), 100, begun(1_000_000)).run(attacker);
}

fn garbage(attacker: &mut Attacker) {
    let templates = [
        b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551615\r\n\r\n".to_vec(),
        b"GET http://[::1/metrics HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"
            .to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
    ];
    let place = attacker.targets.metrics();
    garbage::throw(attacker, &place, b"", |random| garbage::damaged(&templates, random));
}
