//! What no client should send: each is answered clearly, and no session is the worse for it.

use std::{
    future::poll_fn,
    io::{Read as _, Write as _},
    net::{Shutdown, TcpStream},
    pin::Pin,
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use prost::Message as _;
use rl_console::{
    macp::proto::v1::{
        Envelope, GetSessionRequest, SendRequest, SessionStartPayload, SessionState, StreamSessionRequest,
        StreamSessionResponse,
    },
    port::{Page, Query},
};
use tonic::{
    Code, Status,
    codegen::{Body as _, Service as _, http},
    transport::Endpoint,
};

use super::test_station::{TestStation, envelope};

fn long_lived() -> SessionStartPayload {
    SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() }
}

fn records(fixture: &TestStation, session: &str) -> usize {
    let Page::SessionLog { rows, .. } =
        fixture.query(Query::SessionLog { session: session.to_owned(), after: 0, limit: 1_000 })
    else {
        panic!()
    };
    rows.len()
}

#[test]
fn confidences_that_are_no_finite_numbers_change_nothing() {
    let fixture = TestStation::open();
    fixture.start("s", "", &long_lived());
    fixture.say("s", "Proposal", "m0", "a", r#"{"proposal_id":"p"}"#);
    for confidence in
        ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "\"1\"", "null", "true", "0x1", ".5"]
    {
        let ack = fixture.say(
            "s",
            "Evaluation",
            "m1",
            "a",
            &format!(r#"{{"proposal_id":"p","confidence":{confidence}}}"#),
        );
        assert_eq!(ack.error.unwrap().code, "INVALID_ENVELOPE", "{confidence}");
        assert_eq!(ack.session_state, SessionState::Open as i32);
    }
    assert_eq!(records(&fixture, "s"), 2);
    for confidence in ["0", "-1", "1e308", "5e-324"] {
        let ack = fixture.say(
            "s",
            "Evaluation",
            confidence,
            "a",
            &format!(r#"{{"proposal_id":"p","confidence":{confidence}}}"#),
        );
        assert!(ack.ok, "{confidence}: {:?}", ack.error);
    }
}

#[test]
fn payloads_that_are_no_texts_are_refused_where_a_mode_reads_them() {
    let fixture = TestStation::open();
    fixture.start("s", "", &long_lived());
    for payload in
        [&b"\xff\xfe"[..], b"{\"proposal_id\":\"\xff\"}", b"\x00", b"", b"{", b"[]", b"{}{}", b"\"p\""]
    {
        let ack = fixture.send(envelope("s", "Proposal", "m1", "a", Bytes::copy_from_slice(payload)));
        assert_eq!(ack.error.unwrap().code, "INVALID_ENVELOPE", "{payload:?}");
    }
    // Nested deeper than any reader follows.
    let deep = "[".repeat(100_000);
    assert_eq!(
        fixture.say("s", "Proposal", "m1", "a", &format!("{{\"proposal_id\":{deep}")).error.unwrap().code,
        "INVALID_ENVELOPE"
    );
    assert!(
        fixture.send(envelope("s", "Unheard", "m1", "a", Bytes::from_static(b"\xff"))).ok,
        "what no mode reads may be anything"
    );
    assert_eq!(records(&fixture, "s"), 2);
}

#[test]
fn empty_envelopes_and_long_texts_are_answered_and_leave_nothing() {
    let fixture = TestStation::open();
    assert_eq!(fixture.send(Envelope::default()).error.unwrap().code, "UNSUPPORTED_PROTOCOL_VERSION");
    let empty = Envelope { macp_version: "1.0".to_owned(), ..Envelope::default() };
    assert_eq!(fixture.send(empty).error.unwrap().code, "INVALID_ENVELOPE");
    fixture.start("s", "", &long_lived());
    let long = "x".repeat(100_000);
    let usual = || envelope("s", "Unheard", "m1", "a", "");
    let refused = |envelope, code: &str, says: &str| {
        let error = fixture.send(envelope).error.unwrap();
        assert!(error.code == code && error.message.starts_with(says), "{error:?}");
    };
    let start = || envelope("t", "SessionStart", "m1", "a", "");
    let bound = "has 100000 bytes; limits.macp.id_bytes_max allows 1024";
    refused(
        Envelope { message_id: long.clone(), ..usual() },
        "INVALID_ENVELOPE",
        &format!("message_id {bound}"),
    );
    refused(Envelope { sender: long.clone(), ..usual() }, "INVALID_ENVELOPE", &format!("sender {bound}"));
    refused(
        Envelope { session_id: long.clone(), ..start() },
        "INVALID_ENVELOPE",
        &format!("session_id {bound}"),
    );
    refused(Envelope { session_id: long.clone(), ..usual() }, "SESSION_NOT_FOUND", "");
    refused(Envelope { mode: long.clone(), ..start() }, "MODE_NOT_SUPPORTED", "");
    let listed = SessionStartPayload { participants: vec![long.clone()], ..long_lived() };
    refused(
        Envelope { payload: listed.encode_to_vec().into(), ..start() },
        "INVALID_ENVELOPE",
        &format!("participants[0] {bound}"),
    );
    let signal = Envelope {
        session_id: long.clone(),
        sender: long.clone(),
        message_id: long.clone(),
        ..envelope("", "Signal", "", "", "")
    };
    assert!(fixture.send(signal).ok);
    for (id, envelope) in [
        ("m2", Envelope { mode: long.clone(), ..usual() }),
        ("m3", Envelope { message_type: long.clone(), ..usual() }),
    ] {
        assert!(fixture.send(Envelope { message_id: id.to_owned(), ..envelope }).ok, "{id}: neither is kept");
    }
    let version = Envelope { macp_version: long.clone(), ..usual() };
    assert_eq!(fixture.send(version).error.unwrap().code, "UNSUPPORTED_PROTOCOL_VERSION");
    // Texts in a payload are bounded by the payload.
    let payload = SessionStartPayload { intent: long.clone(), mode_version: long, ..long_lived() };
    assert!(fixture.start("t", "", &payload).ok);
    assert_eq!(fixture.session("t").unwrap().mode_version.len(), 100_000);
    assert_eq!((records(&fixture, "s"), records(&fixture, "t")), (3, 1));
    assert!(fixture.send(usual()).ok);
}

#[test]
fn ten_thousand_sessions_are_open_at_one_time() {
    let fixture = TestStation::open();
    let start = |n: u32| {
        let envelope = envelope(&format!("s{n}"), "SessionStart", "start", "a", long_lived().encode_to_vec());
        StreamSessionRequest { envelope: Some(envelope) }
    };
    let mut client = fixture.client.clone();
    let answered = fixture.runtime.block_on(async {
        let answers = client.stream_session(stream::iter((0..10_000).map(start))).await.unwrap().into_inner();
        answers
            .filter(|answer| {
                std::future::ready(
                    answer.as_ref().is_ok_and(|it| it.envelope.as_ref().unwrap().message_type == "Ack"),
                )
            })
            .count()
            .await
    });
    assert_eq!(answered, 10_000);
    let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap();
    assert_eq!(snapshot.macp.totals.open, 10_000);
    for session in ["s0", "s5000", "s9999"] {
        assert_eq!(fixture.session(session).unwrap().state(), SessionState::Open);
        assert!(fixture.cancel(session, "").ok);
    }
}

/// A frame of HTTP/2 (RFC 9113 §4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&len[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Literal header fields without indexing, none of them Huffman-coded (RFC 7541 §6.2.2).
fn headers(path: &str) -> Vec<u8> {
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

/// A message of gRPC: not compressed, its length, itself.
fn message(message: &impl prost::Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    [&[0][..], &u32::try_from(bytes.len()).unwrap().to_be_bytes(), &bytes].concat()
}

/// A connection that has called a path and sent this.
fn half_sent(fixture: &TestStation, path: &str, data: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(fixture.addr()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let all =
        [&preface[..], &frame(4, 0, 0, &[]), &frame(1, 4, 1, &headers(path)), &frame(0, 0, 1, data)].concat();
    socket.write_all(&all).unwrap();
    socket
}

#[test]
fn a_stream_that_is_cut_in_the_middle_of_a_message_loses_what_was_not_whole_alone() {
    let fixture = TestStation::open();
    let request = |envelope| StreamSessionRequest { envelope: Some(envelope) };
    let start = message(&request(envelope("s", "SessionStart", "start", "a", long_lived().encode_to_vec())));
    let whole = message(&request(envelope("s", "Unheard", "m1", "a", "x".repeat(1_000))));
    let cut = message(&request(envelope("s", "Unheard", "m2", "a", "x".repeat(1_000))));
    for (round, at) in [1, 4, 5, 6, 500, cut.len() - 1].into_iter().enumerate() {
        let data = [&start[..], &whole, &cut[..at]].concat();
        let mut socket = half_sent(&fixture, "/macp.v1.MACPRuntimeService/StreamSession", &data);
        fixture.until("the message that came whole", || {
            let heard = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
            heard.session("s").is_some_and(|it| it.messages == 1)
                && heard.totals.duplicates >= 2 * round as u64
        });
        if round % 2 == 0 {
            socket.shutdown(Shutdown::Write).unwrap();
            // It is closed, whatever is still said.
            let _ = socket.read_to_end(&mut Vec::new());
        }
        drop(socket);
    }
    assert_eq!(records(&fixture, "s"), 2);
    let again = fixture.say("s", "Unheard", "m1", "a", "");
    assert!(again.ok && again.duplicate);
    let first = fixture.say("s", "Unheard", "m2", "a", "");
    assert!(first.ok && !first.duplicate, "what was cut had not come");
}

/// Calls with a body of these bytes, which ends behind them: the data of the answer, and the status.
fn called(fixture: &TestStation, path: &str, body: Vec<u8>) -> (Vec<u8>, Status) {
    let addr = fixture.addr();
    // A body of bytes is to be had of a text.
    let body = tonic::body::Body::new(String::from_utf8(body).unwrap());
    fixture.runtime.block_on(async move {
        let mut channel = Endpoint::new(format!("http://{addr}")).unwrap().connect().await.unwrap();
        let request =
            http::Request::post(format!("http://{addr}{path}")).header("content-type", "application/grpc");
        let request = request.header("te", "trailers").body(body).unwrap();
        poll_fn(|cx| channel.poll_ready(cx)).await.unwrap();
        let response = channel.call(request).await.unwrap();
        let (mut status, mut data) = (Status::from_header_map(response.headers()), Vec::new());
        let mut body = response.into_body();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            match frame.unwrap().into_data() {
                Ok(bytes) => data.extend(bytes),
                Err(frame) => status = Status::from_header_map(&frame.into_trailers().ok().unwrap()),
            }
        }
        (data, status.unwrap())
    })
}

#[test]
fn a_body_that_ends_in_the_middle_of_a_message_is_answered_so() {
    let fixture = TestStation::open();
    fixture.start("s", "", &long_lived());
    let streamed =
        |id: &str| message(&StreamSessionRequest { envelope: Some(envelope("s", "Unheard", id, "a", "")) });
    let (whole, cut) = (streamed("m1"), streamed("m2"));
    // A head of which nothing follows is taken for none by tonic.
    for at in [1, 4, 6, cut.len() - 1] {
        let (data, status) =
            called(&fixture, "/macp.v1.MACPRuntimeService/StreamSession", [&whole[..], &cut[..at]].concat());
        let answer = StreamSessionResponse::decode(&data[5..]).unwrap().envelope.unwrap();
        assert_eq!(answer.message_id, "ack-m1", "what came whole is answered before");
        assert_eq!(status.code(), Code::Internal, "{at}: {status:?}");
        assert!(!status.message().is_empty());
    }
    assert!(!fixture.say("s", "Unheard", "m2", "a", "").duplicate);
    let send = message(&SendRequest { envelope: Some(envelope("s", "Unheard", "m3", "a", "")) });
    for at in [0, 3, 5, 20, send.len() - 1] {
        let (data, status) = called(&fixture, "/macp.v1.MACPRuntimeService/Send", send[..at].to_vec());
        assert!(
            data.is_empty() && status.code() != Code::Ok && !status.message().is_empty(),
            "{at}: {status:?}"
        );
    }
    assert!(!fixture.say("s", "Unheard", "m3", "a", "").duplicate);
}

#[test]
fn lengths_that_no_message_has_and_compression_that_nobody_named_are_answered_so() {
    let fixture = TestStation::open();
    for rpc in ["Send", "StreamSession"] {
        let path = format!("/macp.v1.MACPRuntimeService/{rpc}");
        // Two gigabytes are to come.
        let (_, status) = called(&fixture, &path, vec![0, 0x7f, 0x7f, 0x7f, 0x7f, 1]);
        assert_eq!(status.code(), Code::ResourceExhausted, "{rpc}: {status:?}");
        assert!(status.message().contains("limits.macp.payload_bytes_max"), "{}", status.message());
        let (_, status) = called(&fixture, &path, vec![1, 0, 0, 0, 1, 1]);
        assert!(matches!(status.code(), Code::Internal | Code::Unimplemented), "{rpc}: {status:?}");
        assert!(!status.message().is_empty());
    }
    assert!(fixture.send(envelope("", "Signal", "m", "a", "")).ok, "the runtime goes on");
}

#[test]
fn a_call_that_is_cut_is_no_call() {
    let fixture = TestStation::open();
    fixture.start("s", "", &long_lived());
    let send =
        message(&SendRequest { envelope: Some(envelope("s", "Unheard", "m1", "a", "x".repeat(1_000))) });
    for at in [0, 3, 5, 100, send.len() - 1] {
        drop(half_sent(&fixture, "/macp.v1.MACPRuntimeService/Send", &send[..at]));
    }
    // A length that no message may have.
    drop(half_sent(&fixture, "/macp.v1.MACPRuntimeService/Send", &[0, 0xff, 0xff, 0xff, 0xff, 1]));
    for garbage in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[0xff; 64],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let mut socket = TcpStream::connect(fixture.addr()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        socket.write_all(garbage).unwrap();
        // It may have been closed already.
        let _ = socket.shutdown(Shutdown::Write);
        let _ = socket.read_to_end(&mut Vec::new());
    }
    let mut client = fixture.client.clone();
    let looked =
        fixture.runtime.block_on(client.get_session(GetSessionRequest { session_id: "s".to_owned() }));
    assert_eq!(looked.unwrap().into_inner().metadata.unwrap().state(), SessionState::Open);
    assert!(!fixture.say("s", "Unheard", "m1", "a", "").duplicate);
}
