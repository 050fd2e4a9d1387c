//! The MACP port: calls and streams that are begun and not ended.

use std::time::Duration;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use rl_console::{limits, macp::TurnAwayCause};
use tonic::Code;

use super::{
    grpc::{STREAM, closed, neighbour, operated, unfinished, with},
    http2::{DATA, END_HEADERS, END_STREAM, Frame, HEADERS, Http2, RST_STREAM, frame, headers},
};

const PATIENCE: Duration = Duration::from_secs(30);
const WATCH: &str = "/grpc.health.v1.Health/Watch";

#[test]
fn who_has_most_streams_loses_the_last_and_whoever_comes_is_answered() {
    const CALLS_MAX: u64 = 16;
    let is_end = |it: &Frame| it.kind == HEADERS && it.flags & END_STREAM != 0;
    // One that is never sent a message, and one whose request is whole and whose answer does not end.
    for path in [STREAM, WATCH] {
        let fixture = with(limits::Macp { calls_max: CALLS_MAX, ..limits::Macp::default() });
        let mut reader = fixture.port().entries().unwrap();
        let mut hoarder = Http2::open(fixture.addr());
        for stream in (1..=33).step_by(2) {
            let begin = frame(HEADERS, END_HEADERS, stream, &headers(path));
            let request = if path == WATCH { frame(DATA, END_STREAM, stream, &[0; 5]) } else { Vec::new() };
            hoarder.send(&[begin, request].concat()).unwrap();
        }
        hoarder.until(is_end);
        assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::CallsFull], "the one too many");
        let stay: Vec<_> = (0..3)
            .map(|_| {
                let newcomer = unfinished(&fixture, STREAM, &[]);
                let end = hoarder.until(is_end);
                if path == STREAM {
                    hoarder.until(|it| it.kind == RST_STREAM && it.stream == end.stream);
                }
                newcomer
            })
            .collect();
        neighbour(&fixture);
        assert_eq!(closed(&fixture, &mut reader, 4), [TurnAwayCause::CallsFull; 4]);
        assert!(stay.iter().all(|it| !it.is_finished()), "they have few");
        operated(fixture);
    }
}

#[test]
fn where_nobody_has_more_than_others_one_more_call_is_refused() {
    let fixture = with(limits::Macp { calls_max: 16, ..limits::Macp::default() });
    let mut reader = fixture.port().entries().unwrap();
    // Each by a connection of its own.
    let calls: Vec<_> = (0..17).map(|_| unfinished(&fixture, STREAM, &[])).collect();
    assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::CallsFull]);
    let mut calls: FuturesUnordered<_> = calls.into_iter().collect();
    let refused = fixture.runtime.block_on(async { tokio::time::timeout(PATIENCE, calls.next()).await });
    let refused = refused.expect("it goes on").unwrap().unwrap();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    assert!(refused.message().contains("limits.macp.calls_max"), "{refused:?}");
    assert!(calls.iter().all(|it| !it.is_finished()), "no more than must");
    operated(fixture);
}
