//! `StreamSession` (ruling MACP 3).

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use prost::Message as _;
use rl_console::{
    limits::{self, Limits},
    macp::{
        self,
        proto::v1::{Envelope, SessionStartPayload, StreamSessionRequest, StreamSessionResponse},
    },
    tap::entry::{Transition, What},
};
use serde_json::{Value, json};
use tonic::{Code, Status};

use super::test_station::{TestStation, envelope};

fn request(envelope: Envelope) -> StreamSessionRequest {
    StreamSessionRequest { envelope: Some(envelope) }
}

fn start(session: &str) -> StreamSessionRequest {
    let start =
        envelope(session, "SessionStart", "start", "a", SessionStartPayload::default().encode_to_vec());
    request(Envelope { mode: "decision".to_owned(), ..start })
}

/// All that is answered to messages that come at once.
fn answers(
    fixture: &TestStation,
    messages: Vec<StreamSessionRequest>,
) -> Vec<Result<StreamSessionResponse, Status>> {
    let mut client = fixture.client.clone();
    fixture.runtime.block_on(async move {
        let answers = client.stream_session(stream::iter(messages)).await.unwrap().into_inner();
        answers.collect().await
    })
}

fn answer_fields(answer: &Result<StreamSessionResponse, Status>) -> (String, String, Value) {
    let envelope = answer.as_ref().unwrap().envelope.clone().unwrap();
    assert_eq!((envelope.macp_version.as_str(), envelope.sender.as_str()), ("1.0", "_runtime"));
    (envelope.message_type, envelope.message_id, serde_json::from_slice(&envelope.payload).unwrap())
}

#[test]
fn every_message_is_answered_in_its_turn_and_the_stream_goes_on_behind_an_error() {
    let fixture = TestStation::open();
    let messages = vec![
        start("s"),
        start("t"),
        request(envelope("s", "Vote", "m1", "a", "no json")),
        request(envelope("t", "Message", "m1", "a", "resolve")),
        request(envelope("t", "Message", "m1", "a", "resolve")),
        request(envelope("u", "Vote", "m1", "a", "")),
        request(envelope("s", "Unheard", "m2", "a", "")),
    ];
    let answers = answers(&fixture, messages);
    let ack = |duplicate, state| json!({ "duplicate": duplicate, "ok": true, "session_state": state });
    let all: Vec<_> = answers.iter().map(answer_fields).collect();
    let sessions: Vec<_> =
        answers.iter().map(|it| it.as_ref().unwrap().envelope.as_ref().unwrap().session_id.clone()).collect();
    assert_eq!(sessions, ["s", "t", "s", "t", "t", "u", "s"]);
    assert_eq!(all[0], ("Ack".to_owned(), "ack-start".to_owned(), ack(false, "Open")));
    assert_eq!(all[2].0, "Error");
    assert_eq!((all[2].1.as_str(), &all[2].2["code"]), ("err-m1", &json!("INVALID_ENVELOPE")));
    assert!(
        all[2].2["message"].as_str().is_some_and(|it| !it.is_empty())
            && all[2].2.as_object().unwrap().len() == 2
    );
    assert_eq!((&all[3].2, &all[4].2), (&ack(false, "Resolved"), &ack(true, "Resolved")));
    assert_eq!(all[5].2["code"], json!("SESSION_NOT_FOUND"));
    assert_eq!(all[6], ("Ack".to_owned(), "ack-m2".to_owned(), ack(false, "Open")));
    let first = answers[0].as_ref().unwrap().envelope.clone().unwrap();
    assert_eq!(first.mode, "decision", "the request's own");
    let exact = br#"{"duplicate":false,"ok":true,"session_state":"Open"}"#;
    assert_eq!(first.payload.as_ref(), exact);
    assert_eq!(
        fixture.session("s").unwrap().started_at_unix_ms,
        first.timestamp_unix_ms,
        "the time of the acceptance"
    );
}

#[test]
fn signals_and_payloads_that_are_too_long_are_answered_on_a_stream_as_elsewhere() {
    let fixture = TestStation::open();
    let long =
        Envelope { mode: "m".to_owned(), ..envelope("s", "Unheard", "m2", "a", vec![b'x'; 4_194_305]) };
    let messages = vec![
        start("s"),
        request(envelope("", "Signal", "m1", "a", "anything")),
        request(long),
        request(envelope("s", "Unheard", "m2", "a", "")),
    ];
    let answers = answers(&fixture, messages);
    let all: Vec<_> = answers.iter().map(answer_fields).collect();
    let ack = json!({ "duplicate": false, "ok": true, "session_state": "Open" });
    assert_eq!(all[1], ("Ack".to_owned(), "ack-m1".to_owned(), ack.clone()));
    assert_eq!(
        (all[2].0.as_str(), all[2].1.as_str(), &all[2].2["code"]),
        ("Error", "err-m2", &json!("PAYLOAD_TOO_LARGE"))
    );
    assert!(all[2].2["message"].as_str().is_some_and(|it| it.contains("limits.macp.payload_bytes_max")));
    assert_eq!(all[3], ("Ack".to_owned(), "ack-m2".to_owned(), ack), "what was refused was never there");
    let told: Vec<_> = answers.into_iter().map(|it| it.unwrap().envelope.unwrap()).collect();
    assert_eq!(
        (told[1].session_id.as_str(), told[2].session_id.as_str(), told[2].mode.as_str()),
        ("", "s", "m"),
        "the request's own"
    );
    let times: Vec<_> = told.iter().map(|it| it.timestamp_unix_ms).collect();
    assert!(
        times.is_sorted() && times[0] > 1_600_000_000_000,
        "an error's time is that of the rejection: {times:?}"
    );
}

#[test]
fn a_request_without_an_envelope_ends_the_stream() {
    let fixture = TestStation::open();
    let answers = answers(&fixture, vec![start("s"), StreamSessionRequest { envelope: None }, start("t")]);
    assert_eq!(answers.len(), 2);
    assert_eq!(answer_fields(&answers[0]).0, "Ack");
    assert_eq!(answers[1].as_ref().unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn a_message_that_the_transport_turns_away_ends_the_stream_with_words() {
    let fixture = TestStation::open();
    let long = envelope("s", "Unheard", "m2", "a", vec![b'x'; 5 << 20]);
    let messages =
        vec![start("s"), request(envelope("s", "Unheard", "m1", "a", "")), request(long), start("t")];
    let answers = answers(&fixture, messages);
    assert_eq!(
        answers.iter().take(2).map(|it| answer_fields(it).1).collect::<Vec<_>>(),
        ["ack-start", "ack-m1"]
    );
    let [_, _, Err(status)] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("limits.macp.payload_bytes_max"), "{}", status.message());
    assert_eq!(fixture.session("t").unwrap_err(), Code::NotFound);
}

#[test]
fn a_message_that_ends_the_stream_is_the_last_that_is_taken() {
    let macp = limits::Macp { session_bytes_max: 65_536, ..limits::Macp::default() };
    let fixture = TestStation::with(&Limits { macp, ..Limits::default() });
    let mut messages = vec![start("s"), request(envelope("s", "Unheard", "m1", "a", ""))];
    messages.push(request(envelope("s", "Unheard", "long", "a", vec![b'x'; 65_536])));
    messages.extend((2..60).map(|n| request(envelope("s", "Unheard", &format!("m{n}"), "a", ""))));
    let answers = answers(&fixture, messages);
    assert_eq!(
        answers.iter().take(2).map(|it| answer_fields(it).1).collect::<Vec<_>>(),
        ["ack-start", "ack-m1"]
    );
    let [_, _, Err(status)] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("limits.macp.session_bytes_max"), "{}", status.message());
    for n in 2..60 {
        assert!(!fixture.say("s", "Unheard", &format!("m{n}"), "a", "").duplicate, "m{n} was not answered");
    }
}

#[test]
fn names_that_are_too_long_are_errors_and_the_stream_goes_on() {
    let fixture = TestStation::open();
    let long = "x".repeat(1_025);
    let each = [
        (start("s"), "Ack", "ack-start".to_owned(), None),
        (
            request(envelope(&long, "Message", "m1", "a", "")),
            "Error",
            "err-m1".to_owned(),
            Some("SESSION_NOT_FOUND"),
        ),
        (
            request(envelope("s", "Message", &long, "a", "")),
            "Error",
            format!("err-{long}"),
            Some("INVALID_ENVELOPE"),
        ),
        (
            request(envelope("s", "Message", "m2", &long, "")),
            "Error",
            "err-m2".to_owned(),
            Some("INVALID_ENVELOPE"),
        ),
        (start(&long), "Error", "err-start".to_owned(), Some("INVALID_ENVELOPE")),
        (request(envelope(&long, "Signal", "m3", &long, "")), "Ack", "ack-m3".to_owned(), None),
        (request(envelope("s", &long, "m4", "a", "")), "Ack", "ack-m4".to_owned(), None),
    ];
    let answers = answers(&fixture, each.iter().map(|(request, ..)| request.clone()).collect());
    assert_eq!(answers.len(), each.len());
    for (answer, (_, message_type, id, code)) in answers.iter().zip(&each) {
        let (said_type, said_id, payload) = answer_fields(answer);
        assert_eq!((said_type.as_str(), &said_id), (*message_type, id));
        assert_eq!(payload.get("code").and_then(Value::as_str), *code, "{payload}");
        let is_ours = code.is_some_and(|code| code == "INVALID_ENVELOPE");
        assert_eq!(
            payload["message"].as_str().is_some_and(|says| says.contains("limits.macp.id_bytes_max")),
            is_ours,
            "{payload}"
        );
    }
}

#[test]
fn ids_that_are_longer_than_what_waits_together_are_answered_in_their_order() {
    let fixture = TestStation::open();
    let id = |n: usize| format!("{n}-{}", "x".repeat(if n == 7 { 3 << 20 } else { 300_000 }));
    let answers =
        answers(&fixture, (0..12).map(|n| request(envelope("s", "Vote", &id(n), "a", ""))).collect());
    let said: Vec<_> = answers.iter().map(|it| answer_fields(it).1).collect();
    assert!(said.iter().enumerate().all(|(n, said)| *said == format!("err-{}", id(n))), "{}", said.len());
    assert_eq!(said.len(), 12);
}

#[test]
fn many_messages_in_flight_are_all_answered_in_their_order() {
    let fixture = TestStation::open();
    let mut messages = vec![start("s")];
    messages.extend((0..2_000).map(|n| request(envelope("s", "Unheard", &format!("m{n}"), "a", ""))));
    let answers = answers(&fixture, messages);
    let ids: Vec<_> = answers.iter().skip(1).map(|answer| answer_fields(answer).1).collect();
    assert_eq!(ids, (0..2_000).map(|n| format!("ack-m{n}")).collect::<Vec<_>>());
}

#[test]
fn a_stream_that_is_cut_loses_nothing_that_was_answered() {
    let fixture = TestStation::open();
    let mut client = fixture.client.clone();
    fixture.runtime.block_on(async {
        // It never ends by itself.
        let messages = stream::iter([start("s"), request(envelope("s", "Unheard", "m1", "a", ""))])
            .chain(stream::pending());
        let mut answers = client.stream_session(messages).await.unwrap().into_inner();
        for _ in 0..2 {
            assert!(
                tokio::time::timeout(Duration::from_secs(30), answers.next()).await.unwrap().unwrap().is_ok()
            );
        }
    });
    let again = fixture.say("s", "Unheard", "m1", "a", "");
    assert!(again.ok && again.duplicate);
}

#[test]
fn open_streams_are_counted_in_the_sessions_in_which_they_spoke() {
    let fixture = TestStation::open();
    let port = fixture.port();
    let mut entries = port.entries().unwrap();
    let mut told = async || loop {
        while let Some(batch) = entries.read() {
            let told: Vec<u32> = batch.iter().filter_map(|entry| streams(&entry.entry.what)).collect();
            if !told.is_empty() {
                return told;
            }
        }
        entries.ready().await;
    };
    assert!(fixture.start("t", "", &SessionStartPayload::default()).ok);
    let mut client = fixture.client.clone();
    fixture.runtime.block_on(async {
        let (messages, taken) = tokio::sync::mpsc::channel(3);
        let taken = stream::unfold(taken, |mut taken| async move { Some((taken.recv().await?, taken)) });
        // A signal is of no session.
        messages.send(request(envelope("t", "Signal", "m0", "a", ""))).await.unwrap();
        messages.send(start("s")).await.unwrap();
        messages.send(request(envelope("s", "Unheard", "m1", "a", ""))).await.unwrap();
        let mut answers = client.stream_session(taken).await.unwrap().into_inner();
        for _ in 0..3 {
            assert!(answers.next().await.unwrap().is_ok());
        }
        let snapshot = port.snapshot().await.unwrap().macp;
        assert_eq!(
            (snapshot.session("s").map(|view| view.streams), told().await),
            (Some(1), vec![1]),
            "once, whatever it says"
        );
        assert_eq!(snapshot.session("t").map(|view| view.streams), Some(0));
        drop(messages);
        assert!(answers.next().await.is_none());
        assert_eq!(tokio::time::timeout(Duration::from_secs(30), told()).await.unwrap(), [0]);
    });
}

fn streams(what: &What) -> Option<u32> {
    match what {
        What::Transition(Transition::Macp(macp::Transition::Streaming { streams, .. })) => Some(*streams),
        _ => None,
    }
}
