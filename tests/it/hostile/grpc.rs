//! The MACP port: what a connection may cost before it has said anything that a call is made of, and while it
//! does not end what it begins.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use hyper::body::{Body as _, Frame as BodyFrame};
use rl_console::{
    limits::{self, Limits},
    macp::{
        self, Transition, TurnAwayCause,
        proto::v1::{SendRequest, SessionState, StreamSessionRequest},
    },
    port::{Command, HealthStatus, Outcome, Page, Query},
    tap::{
        Reader,
        entry::{Transition as Any, What},
    },
};

use tokio::task::JoinHandle;
use tonic::{
    Code, Status,
    body::Body,
    codegen::{Service as _, http},
    transport::Endpoint,
};

use super::http2::{
    DATA, END_HEADERS, END_STREAM, Frame, GOAWAY, HEADERS, Http2, PING, PREFACE, PRIORITY, RST_STREAM,
    SETTINGS, WINDOW_UPDATE, frame, headers,
};
use super::operator_bounds::stops_here;
use crate::macp::test_station::{TestStation, envelope};

const SEND: &str = "/macp.v1.MACPRuntimeService/Send";
pub(super) const STREAM: &str = "/macp.v1.MACPRuntimeService/StreamSession";
const HEALTH: &str = "/grpc.health.v1.Health/Check";
const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

pub(super) fn with(macp: limits::Macp) -> TestStation {
    TestStation::with(&Limits { macp, ..Limits::default() })
}

/// An operator is answered, and ends the station, while the attackers are there.
#[track_caller]
pub(super) fn operated(mut fixture: TestStation) {
    let station = fixture.take();
    stops_here(fixture.data(), station);
}

/// Waits until so many connections were closed for a bound, and gives why.
#[track_caller]
pub(super) fn closed(fixture: &TestStation, reader: &mut Reader, count: usize) -> Vec<TurnAwayCause> {
    let mut causes = Vec::new();
    let all = async {
        while causes.len() < count {
            reader.ready().await;
            while let Some(batch) = reader.read() {
                causes.extend(batch.iter().filter_map(|it| match &it.entry.what {
                    What::Transition(Any::Macp(Transition::TurnedAway { cause, .. })) => Some(*cause),
                    _ => None,
                }));
            }
        }
    };
    let in_time =
        fixture.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(30), all).await });
    assert!(in_time.is_ok(), "{causes:?} and no more");
    causes
}

/// A well-behaved neighbour is answered.
#[track_caller]
pub(super) fn neighbour(fixture: &TestStation) {
    assert!(fixture.send(envelope("", "Signal", "m", "a", "")).ok);
}

#[test]
fn who_does_not_say_that_it_speaks_http2_is_closed() {
    let fixture = with(limits::Macp { preface_ms_max: 100, ..limits::Macp::default() });
    let mut reader = fixture.port().entries().unwrap();
    let mut some: Vec<Http2> = [&b""[..], b"P", &PREFACE[..23]]
        .into_iter()
        .map(|bytes| {
            let mut it = Http2::silent(fixture.addr());
            it.send(bytes).unwrap();
            it
        })
        .collect();
    // The preface is enough: such a one waits for its first call.
    let mut idle = Http2::open(fixture.addr());
    some.iter_mut().for_each(Http2::until_closed);
    assert_eq!(closed(&fixture, &mut reader, 3), [TurnAwayCause::PrefaceTimeout; 3]);
    idle.send(&frame(PING, 0, 0, &[7; 8])).unwrap();
    idle.until(|it| it.kind == PING && it.payload == [7; 8]);
    neighbour(&fixture);
    operated(fixture);
}

#[test]
fn windows_are_64_kib_a_stream_and_256_kib_a_connection() {
    let fixture = TestStation::open();
    let mut it = Http2::open(fixture.addr());
    let settings = it.until(|it| it.kind == SETTINGS && it.flags == 0);
    let window = settings.payload.chunks(6).find(|setting| setting[..2] == [0, 4]);
    // RFC 9113 §6.5.2: 65,535 where nothing is said.
    let stream = window.map_or(65_535, |it| u32::from_be_bytes(it[2..].try_into().unwrap()));
    let more = it.until(|it| it.kind == WINDOW_UPDATE && it.stream == 0);
    let connection = 65_535 + u32::from_be_bytes(more.payload.try_into().unwrap());
    assert_eq!((stream, connection), (65_536, 262_144));
    operated(fixture);
}

#[test]
fn a_frame_that_is_not_whole_in_time_closes_its_connection() {
    let fixture = with(limits::Macp { frame_ms_max: 100, ..limits::Macp::default() });
    let mut reader = fixture.port().entries().unwrap();
    let settings = frame(SETTINGS, 0, 0, &[0; 6]);
    let block = headers(SEND);
    for cut in [&settings[..1], &settings[..8], &settings[..14], &frame(HEADERS, 0, 1, &block)] {
        let mut it = Http2::open(fixture.addr());
        it.send(cut).unwrap();
        it.until_closed();
    }
    assert_eq!(closed(&fixture, &mut reader, 4), [TurnAwayCause::FrameTimeout; 4]);
    // One after another they may take as long as they like.
    let mut it = Http2::open(fixture.addr());
    for byte in 0..4 {
        it.send(&frame(PING, 0, 0, &[byte; 8])).unwrap();
        it.until(|it: &Frame| it.kind == PING && it.payload == [byte; 8]);
        std::thread::sleep(Duration::from_millis(40));
    }
    neighbour(&fixture);
    operated(fixture);
}

#[test]
fn control_frames_past_their_bound_close_the_connection() {
    let fixture = with(limits::Macp { control_frames_per_s_max: 100, ..limits::Macp::default() });
    let mut reader = fixture.port().entries().unwrap();
    let flood = |one: Vec<u8>| {
        let mut it = Http2::open(fixture.addr());
        it.send(&frame(HEADERS, END_HEADERS, 1, &headers(SEND))).unwrap();
        // A connection that is closed takes no more.
        let _ = it.send(&one.repeat(200));
        it.until_closed();
    };
    flood(frame(PING, 0, 0, &[0; 8]));
    flood(frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 1, 0]));
    flood(frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 16]));
    flood(frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]));
    assert_eq!(closed(&fixture, &mut reader, 4), [TurnAwayCause::ControlFrames; 4]);
    // Fewer are answered, every one.
    let mut it = Http2::open(fixture.addr());
    it.send(&frame(PING, 0, 0, &[1; 8]).repeat(50)).unwrap();
    for _ in 0..50 {
        it.until(|it| it.kind == PING && it.payload == [1; 8]);
    }
    neighbour(&fixture);
    operated(fixture);
}

/// A call to a path whose body begins so, and does not end until the call has.
pub(super) fn unfinished(fixture: &TestStation, path: &str, data: &[u8]) -> JoinHandle<Status> {
    let (addr, data) = (fixture.addr(), Bytes::copy_from_slice(data));
    let uri = format!("http://{addr}{path}");
    fixture.runtime.spawn(async move {
        let mut channel = Endpoint::new(format!("http://{addr}")).unwrap().connect().await.unwrap();
        let request = http::Request::post(uri).header("content-type", "application/grpc");
        let body = Body::new(Unfinished(Some(data)));
        poll_fn(|cx| channel.poll_ready(cx)).await.unwrap();
        let response = channel.call(request.header("te", "trailers").body(body).unwrap()).await.unwrap();
        let mut status = Status::from_header_map(response.headers());
        let mut body = response.into_body();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            if let Ok(trailers) = frame.unwrap().into_trailers() {
                status = Status::from_header_map(&trailers);
            }
        }
        status.unwrap()
    })
}

/// A body that begins and does not end.
struct Unfinished(Option<Bytes>);

impl hyper::body::Body for Unfinished {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, Status>>> {
        self.0.take().map_or(Poll::Pending, |data| Poll::Ready(Some(Ok(BodyFrame::data(data)))))
    }
}

#[track_caller]
fn ended(fixture: &TestStation, call: JoinHandle<Status>, code: Code, key: &str) {
    let status =
        fixture.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(30), call).await });
    let status = status.expect("the call goes on").unwrap();
    assert_eq!(status.code(), code, "{status:?}");
    assert!(status.message().contains(key), "{status:?}");
}

/// A message of gRPC: not compressed, its length, itself.
fn message(message: &impl prost::Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    [&[0][..], &u32::try_from(bytes.len()).unwrap().to_be_bytes(), &bytes].concat()
}

#[test]
fn a_call_that_is_not_whole_in_time_ends_so() {
    let fixture = with(limits::Macp { frame_ms_max: 100, ..limits::Macp::default() });
    let whole = message(&SendRequest { envelope: Some(envelope("", "Signal", "m", "a", "x".repeat(1_000))) });
    let mut calls = Vec::new();
    // Of one message the call itself must end too.
    for part in [0, 1, 5, 500, whole.len()] {
        calls.push(unfinished(&fixture, SEND, &whole[..part]));
    }
    for path in [STREAM, HEALTH] {
        calls.push(unfinished(&fixture, path, &[0, 0, 0, 0, 9, 1]));
    }
    let streamed = message(&StreamSessionRequest {
        envelope: Some(envelope("", "Signal", "m", "a", "x".repeat(1_000))),
    });
    calls.push(unfinished(&fixture, STREAM, &[&streamed[..], &streamed[..500]].concat()));
    for call in calls {
        ended(&fixture, call, Code::DeadlineExceeded, "limits.macp.frame_ms_max");
    }
    // That service ends without a word for whatever does not come.
    let reflection = unfinished(&fixture, REFLECTION, &[0, 0, 0, 0, 9, 1]);
    ended(&fixture, reflection, Code::Ok, "");
    // Between its messages a stream may rest.
    let between = unfinished(&fixture, STREAM, &streamed);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!between.is_finished());
    neighbour(&fixture);
    operated(fixture);
}

/// A station that receives 1 MiB at one time, of which a message may be 64 KiB.
fn receiving_little() -> TestStation {
    with(limits::Macp { payload_bytes_max: 65_536, receiving_bytes_max: 1 << 20, ..limits::Macp::default() })
}

/// Of 40 calls that each hold some 60 KB no more than 17 fit: the others are refused.
#[track_caller]
fn all_but_17_are_refused(fixture: &TestStation, calls: &mut FuturesUnordered<JoinHandle<Status>>) {
    for _ in 0..23 {
        let next = async { tokio::time::timeout(Duration::from_secs(30), calls.next()).await };
        let status = fixture.runtime.block_on(next).expect("they go on").unwrap().unwrap();
        assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
        assert!(status.message().contains("limits.macp.receiving_bytes_max"), "{status:?}");
    }
    neighbour(fixture);
    assert!(calls.iter().any(|it| !it.is_finished()), "and no more than must");
}

#[test]
fn what_is_being_received_is_bounded_over_all_connections() {
    let fixture = receiving_little();
    let long = message(&SendRequest { envelope: Some(envelope("", "Signal", "m", "a", "x".repeat(65_000))) });
    let short: Vec<_> = (0..4).map(|_| unfinished(&fixture, SEND, &long[..1_000])).collect();
    let mut calls: FuturesUnordered<_> =
        (0..40).map(|_| unfinished(&fixture, SEND, &long[..60_000])).collect();
    all_but_17_are_refused(&fixture, &mut calls);
    assert!(short.iter().all(|it| !it.is_finished()), "the longest end");
    operated(fixture);
}

#[test]
fn a_message_is_counted_until_its_call_is_whole() {
    let fixture = receiving_little();
    let whole =
        message(&SendRequest { envelope: Some(envelope("", "Signal", "m", "a", "x".repeat(65_000))) });
    let mut calls: FuturesUnordered<_> = (0..40).map(|_| unfinished(&fixture, SEND, &whole)).collect();
    all_but_17_are_refused(&fixture, &mut calls);
    let two = message(&SendRequest { envelope: Some(envelope("", "Signal", "m", "a", "x")) }).repeat(2);
    ended(&fixture, unfinished(&fixture, SEND, &two), Code::Internal, "takes one message");
    operated(fixture);
}

#[test]
fn connections_that_call_nothing_make_room_for_those_that_do() {
    let fixture = with(limits::Macp { connections_max: 4, ..limits::Macp::default() });
    neighbour(&fixture);
    let mut reader = fixture.port().entries().unwrap();
    let mut silent: Vec<Http2> = Vec::new();
    for n in 0..20 {
        // With the preface and without: neither is a call.
        silent.push(if n % 2 == 0 { Http2::silent(fixture.addr()) } else { Http2::open(fixture.addr()) });
    }
    assert_eq!(closed(&fixture, &mut reader, 17), [TurnAwayCause::MadeRoom; 17]);
    silent.drain(..17).for_each(|mut it| it.until_closed());
    // Whoever comes and calls is answered, as is who was there.
    for _ in 0..5 {
        ended(&fixture, unfinished(&fixture, STREAM, &[1, 0, 0, 0, 1, 1]), Code::Internal, "");
    }
    neighbour(&fixture);
    operated(fixture);
}

/// A connection that makes the port answer until nothing more is taken, and reads none of it.
fn unread(fixture: &TestStation) -> Http2 {
    let mut it = Http2::open(fixture.addr());
    it.0.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let pings = frame(PING, 0, 0, &[7; 8]).repeat(10_000);
    while it.send(&pings).is_ok() {}
    it
}

#[test]
fn who_reads_nothing_makes_room_too() {
    let macp =
        limits::Macp { connections_max: 2, control_frames_per_s_max: 1_000_000, ..limits::Macp::default() };
    let fixture = with(macp);
    neighbour(&fixture);
    let mut reader = fixture.port().entries().unwrap();
    let mut stalled = unread(&fixture);
    let newcomer = Http2::open(fixture.addr());
    assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::MadeRoom]);
    // Its descriptor is closed, not its place alone.
    let mut is_reset =
        || matches!(stalled.send(&vec![0; 170_000]), Err(error) if error.kind() != io::ErrorKind::WouldBlock);
    assert!((0..60).any(|_| is_reset()));
    drop(newcomer);
    operated(fixture);
}

#[test]
fn who_reads_nothing_for_too_long_is_closed() {
    let macp =
        limits::Macp { write_ms_max: 100, control_frames_per_s_max: 1_000_000, ..limits::Macp::default() };
    let fixture = with(macp);
    let mut reader = fixture.port().entries().unwrap();
    let stalled = unread(&fixture);
    assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::WriteTimeout]);
    neighbour(&fixture);
    drop(stalled);
    operated(fixture);
}

#[test]
fn who_gives_an_answer_too_small_a_window_for_too_long_is_closed_and_an_idle_stream_is_not() {
    let call = |path: &str, data: &[u8], flags: u8| {
        [frame(HEADERS, END_HEADERS, 1, &headers(path)), frame(DATA, flags, 1, data)].concat()
    };
    let fixture = with(limits::Macp { write_ms_max: 300, ..limits::Macp::default() });
    let mut reader = fixture.port().entries().unwrap();
    let mut idle = Http2::open(fixture.addr());
    idle.send(&call(STREAM, &[], 0)).unwrap();
    for window in [0, 1] {
        let mut it = Http2::silent(fixture.addr());
        it.send(&[PREFACE, &frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, window])].concat()).unwrap();
        it.send(&call("/macp.v1.MACPRuntimeService/ListModes", &[0; 5], END_STREAM)).unwrap();
        it.until(|it| it.kind == HEADERS);
        it.until_closed();
        assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::WriteTimeout], "a window of {window}");
    }
    idle.send(&frame(PING, 0, 0, &[3; 8])).unwrap();
    idle.until(|it| it.kind == PING && it.payload == [3; 8]);
    neighbour(&fixture);
    operated(fixture);
}

#[test]
fn where_all_have_called_a_newcomer_is_refused_by_goaway() {
    let fixture = with(limits::Macp { connections_max: 3, ..limits::Macp::default() });
    neighbour(&fixture);
    let mut reader = fixture.port().entries().unwrap();
    let mut calling: Vec<Http2> = Vec::new();
    for _ in 0..2 {
        let mut it = Http2::open(fixture.addr());
        it.send(&frame(HEADERS, END_HEADERS, 1, &headers(STREAM))).unwrap();
        it.send(&frame(PING, 0, 0, &[7; 8])).unwrap();
        it.until(|it| it.kind == PING && it.payload == [7; 8]);
        calling.push(it);
    }
    let mut newcomer = Http2::silent(fixture.addr());
    assert_eq!(newcomer.next().unwrap().kind, SETTINGS, "RFC 9113 §3.4");
    let refused = newcomer.next().unwrap();
    assert_eq!((refused.kind, refused.stream), (GOAWAY, 0));
    // No stream, ENHANCE_YOUR_CALM, why.
    assert_eq!(refused.payload[..8], [0, 0, 0, 0, 0, 0, 0, 0xb]);
    assert!(std::str::from_utf8(&refused.payload[8..]).unwrap().contains("too many connections"));
    newcomer.until_closed();
    assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::TooManyConnections]);
    neighbour(&fixture);
    drop(calling.pop());
    fixture.runtime.block_on(async {
        let endpoint = Endpoint::new(format!("http://{}", fixture.addr())).unwrap();
        let again = async { while endpoint.connect().await.is_err() {} };
        tokio::time::timeout(Duration::from_secs(30), again).await.expect("its place is free again");
    });
    operated(fixture);
}

#[test]
fn a_connection_opens_no_more_sessions_than_its_share() {
    let fixture = with(limits::Macp { peer_sessions_max: 10, open_max: 11, ..limits::Macp::default() });
    let mut reader = fixture.port().entries().unwrap();
    let start =
        |n: u32| fixture.try_send(envelope(&format!("s{n}"), "SessionStart", "start", "a", Bytes::new()));
    for n in 0..10 {
        assert!(start(n).unwrap().ok);
    }
    let declined = start(10).unwrap_err();
    assert_eq!(declined.code(), Code::ResourceExhausted);
    assert!(declined.message().contains("limits.macp.peer_sessions_max"), "{declined:?}");
    assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::PeerSessions]);
    assert!(start(3).unwrap().duplicate, "what is there is there");
    let other = fixture.another_client();
    let of_another = fixture.runtime.block_on(async move {
        let envelope = Some(envelope("s10", "SessionStart", "start", "a", Bytes::new()));
        other.clone().send(SendRequest { envelope }).await
    });
    assert!(of_another.unwrap().into_inner().ack.unwrap().ok, "another connection has its own");
    assert!(
        start(11).unwrap_err().message().contains("limits.macp.open_max"),
        "those of all are bounded too"
    );
    assert_eq!(closed(&fixture, &mut reader, 1), [TurnAwayCause::SessionsFull]);
    assert!(fixture.cancel("s0", "").ok);
    assert!(start(11).unwrap().ok, "what has ended counts no more");
    operated(fixture);
}

#[test]
fn an_operator_sees_who_holds_sessions_and_ends_them() {
    let fixture = TestStation::open();
    let hoarder = fixture.another_client();
    for n in 0..200 {
        let envelope = Some(envelope(&format!("s{n}"), "SessionStart", "start", "a", Bytes::new()));
        fixture.runtime.block_on(hoarder.clone().send(SendRequest { envelope })).unwrap();
    }
    assert!(fixture.send(envelope("mine", "SessionStart", "start", "a", Bytes::new())).ok);
    let holders = || {
        let Page::Clients(mut rows) = fixture.query(Query::Clients) else { panic!() };
        rows.retain(|row| row.sessions > 1);
        rows
    };
    let [row] = &holders()[..] else { panic!("{:?}", holders()) };
    assert!(row.sessions == 200 && row.connected_at_ms.is_some(), "{row:?}");
    let cancel = macp::Command::CancelBy { peer: row.peer.clone(), reason: String::new() };
    let cancelled = fixture.command(Command::Macp(cancel)).unwrap();
    assert_eq!(cancelled, Outcome::Macp(macp::Outcome::CancelledBy { sessions: 200, left: 0 }));
    assert!(holders().is_empty());
    assert_eq!(fixture.session("s7").unwrap().state(), SessionState::Expired);
    assert_eq!(fixture.session("mine").unwrap().state(), SessionState::Open);
    operated(fixture);
}

#[test]
fn an_attack_is_said_in_health_with_what_to_do() {
    let fixture = with(limits::Macp { connections_max: 4, ..limits::Macp::default() });
    neighbour(&fixture);
    let mut reader = fixture.port().entries().unwrap();
    let silent: Vec<Http2> = (0..20).map(|_| Http2::silent(fixture.addr())).collect();
    closed(&fixture, &mut reader, 17);
    let Page::Health(rows) = fixture.query(Query::Health) else { panic!() };
    let macp = rows.iter().find(|row| row.component == "macp").unwrap();
    assert_eq!(macp.status, HealthStatus::Degraded);
    for said in
        ["4 connections now, 17 rejected recently", "limits.macp.connections_max", "share connections"]
    {
        assert!(macp.detail.contains(said), "{}", macp.detail);
    }
    drop(silent);
    operated(fixture);
}
