//! The MACP port: what a connection may cost before it has said anything that a call is made of, and while it
//! does not end what it begins.

use std::time::Duration;

use rl_console::{
    limits::{self, Limits},
    macp::{CloseCause, Transition},
    tap::{
        Reader,
        entry::{Transition as Any, What},
    },
};

use super::http2::{
    END_HEADERS, Frame, HEADERS, Http2, PING, PREFACE, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame,
    headers,
};
use crate::macp::test_station::{TestStation, envelope};

const SEND: &str = "/macp.v1.MACPRuntimeService/Send";

fn with(macp: limits::Macp) -> TestStation {
    TestStation::with(&Limits { macp, ..Limits::default() })
}

/// Waits until so many connections were closed for a bound, and gives why.
fn closed(house: &TestStation, reader: &mut Reader, count: usize) -> Vec<CloseCause> {
    let mut causes = Vec::new();
    while causes.len() < count {
        let ready = async { tokio::time::timeout(Duration::from_secs(30), reader.ready()).await };
        assert!(house.runtime.block_on(ready).is_ok(), "{causes:?} and no more");
        while let Some(batch) = reader.read() {
            causes.extend(batch.iter().filter_map(|it| match &it.entry.what {
                What::Transition(Any::Macp(Transition::Closed { cause, .. })) => Some(*cause),
                _ => None,
            }));
        }
    }
    causes
}

/// A well-behaved neighbour is answered.
#[track_caller]
fn neighbour(house: &TestStation) {
    assert!(house.send(envelope("", "Signal", "m", "a", "")).ok);
}

#[test]
fn who_does_not_say_that_it_speaks_http2_is_closed() {
    let house = with(limits::Macp { preface_ms_max: 100, ..limits::Macp::default() });
    let mut reader = house.port().entries().unwrap();
    let mut some: Vec<Http2> = [&b""[..], b"P", &PREFACE[..23]]
        .into_iter()
        .map(|bytes| {
            let mut it = Http2::silent(house.addr());
            it.send(bytes).unwrap();
            it
        })
        .collect();
    // The preface is enough: such a one waits for its first call.
    let mut idle = Http2::open(house.addr());
    some.iter_mut().for_each(Http2::until_closed);
    assert_eq!(closed(&house, &mut reader, 3), [CloseCause::PrefaceTimeout; 3]);
    idle.send(&frame(PING, 0, 0, &[7; 8])).unwrap();
    idle.until(|it| it.kind == PING && it.payload == [7; 8]);
    neighbour(&house);
}

#[test]
fn windows_are_64_kib_a_stream_and_256_kib_a_connection() {
    let house = TestStation::open();
    let mut it = Http2::open(house.addr());
    let settings = it.until(|it| it.kind == SETTINGS && it.flags == 0);
    let window = settings.payload.chunks(6).find(|setting| setting[..2] == [0, 4]);
    // RFC 9113 §6.5.2: 65,535 where nothing is said.
    let stream = window.map_or(65_535, |it| u32::from_be_bytes(it[2..].try_into().unwrap()));
    let more = it.until(|it| it.kind == WINDOW_UPDATE && it.stream == 0);
    let connection = 65_535 + u32::from_be_bytes(more.payload.try_into().unwrap());
    assert_eq!((stream, connection), (65_536, 262_144));
}

#[test]
fn a_frame_that_is_not_whole_in_time_closes_its_connection() {
    let house = with(limits::Macp { receiving_ms_max: 100, ..limits::Macp::default() });
    let mut reader = house.port().entries().unwrap();
    let settings = frame(SETTINGS, 0, 0, &[0; 6]);
    let block = headers(SEND);
    for cut in [&settings[..1], &settings[..8], &settings[..14], &frame(HEADERS, 0, 1, &block)] {
        let mut it = Http2::open(house.addr());
        it.send(cut).unwrap();
        it.until_closed();
    }
    assert_eq!(closed(&house, &mut reader, 4), [CloseCause::FrameTimeout; 4]);
    // One after another they may take as long as they like.
    let mut it = Http2::open(house.addr());
    for byte in 0..4 {
        it.send(&frame(PING, 0, 0, &[byte; 8])).unwrap();
        it.until(|it: &Frame| it.kind == PING && it.payload == [byte; 8]);
        std::thread::sleep(Duration::from_millis(40));
    }
    neighbour(&house);
}

#[test]
fn control_frames_past_their_bound_close_the_connection() {
    let house = with(limits::Macp { control_frames_per_s_max: 10, ..limits::Macp::default() });
    let mut reader = house.port().entries().unwrap();
    let flood = |one: Vec<u8>| {
        let mut it = Http2::open(house.addr());
        // A connection that is closed takes no more.
        let _ = it.send(&one.repeat(200));
        it.until_closed();
    };
    flood(frame(PING, 0, 0, &[0; 8]));
    flood(frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 1, 0]));
    flood(frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 16]));
    // Calls that are begun and broken off (CVE-2023-44487).
    let mut it = Http2::open(house.addr());
    for stream in (1..400).step_by(2) {
        let call = frame(HEADERS, END_HEADERS, stream, &headers(SEND));
        if it.send(&[call, frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])].concat()).is_err() {
            break;
        }
    }
    it.until_closed();
    assert_eq!(closed(&house, &mut reader, 4), [CloseCause::ControlFrames; 4]);
    // Fewer are answered, every one.
    let mut it = Http2::open(house.addr());
    it.send(&frame(PING, 0, 0, &[1; 8]).repeat(50)).unwrap();
    for _ in 0..50 {
        it.until(|it| it.kind == PING && it.payload == [1; 8]);
    }
    neighbour(&house);
}
