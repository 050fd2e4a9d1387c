//! The bounds of the runtime as clients meet them: each by the name of its key, or by what it keeps from
//! happening.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use rl_console::{
    limits::{self, Limits},
    macp::proto::v1::{
        GetSessionRequest, SendRequest, SessionStartPayload, SessionState, StreamSessionRequest,
    },
    port::{Page, Query},
    store::{
        macp::MacpOp,
        op::{Class, Op},
    },
};
use tonic::Code;

use super::{
    test_runtime::TestRuntime,
    test_station::{TestStation, envelope, participants},
};

fn with(macp: limits::Macp) -> TestStation {
    TestStation::with(&Limits { macp, ..Limits::default() })
}

#[track_caller]
fn names(status: &tonic::Status, code: Code, key: &str) {
    assert_eq!(status.code(), code, "{status:?}");
    assert!(status.message().contains(key), "{}", status.message());
}

#[test]
fn a_list_of_participants_past_its_bound_is_refused_by_its_key() {
    let fixture = with(limits::Macp { participants_max: 16, ..limits::Macp::default() });
    let start = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("agent {n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let payload = prost::Message::encode_to_vec(&participants(&names));
        fixture.try_send(envelope("s", "SessionStart", "start", "a", payload))
    };
    names(&start(17).unwrap_err(), Code::ResourceExhausted, "limits.macp.participants_max");
    assert!(start(16).unwrap().ok);
}

#[test]
fn sessions_and_their_bytes_past_their_bounds_are_refused_by_their_keys() {
    let macp = limits::Macp {
        open_max: 2,
        session_messages_max: 100,
        session_bytes_max: 65_536,
        bytes_max: 1_048_576,
        ..limits::Macp::default()
    };
    let fixture = with(macp);
    let start = |session: &str| {
        let payload = prost::Message::encode_to_vec(&SessionStartPayload::default());
        fixture.try_send(envelope(session, "SessionStart", "start", "a", payload))
    };
    assert!(start("s").unwrap().ok && start("t").unwrap().ok);
    names(&start("u").unwrap_err(), Code::ResourceExhausted, "limits.macp.open_max");
    let long = fixture.try_send(envelope("s", "Unheard", "m", "a", vec![b'x'; 65_536])).unwrap_err();
    names(&long, Code::ResourceExhausted, "limits.macp.session_bytes_max");
    for n in 0..100 {
        assert!(fixture.say("t", "Unheard", &format!("m{n}"), "a", "").ok);
    }
    names(
        &fixture.try_send(envelope("t", "Unheard", "m100", "a", "")).unwrap_err(),
        Code::ResourceExhausted,
        "limits.macp.session_messages_max",
    );
    assert!(fixture.say("t", "Unheard", "m99", "a", "").duplicate);
}

#[test]
fn what_is_told_of_a_long_session_ends_at_its_bound() {
    let fixture = with(limits::Macp { shown_progress_bytes_max: 65_536, ..limits::Macp::default() });
    fixture.start("s", "", &SessionStartPayload::default());
    fixture.say("s", "Proposal", "p", "a", r#"{"proposal_id":"p"}"#);
    let reason = "x".repeat(10_000);
    for n in 0..20 {
        let ack = fixture.say(
            "s",
            "Objection",
            &format!("m{n}"),
            "a",
            &format!(r#"{{"proposal_id":"p","severity":"{n}","reason":"{reason}"}}"#),
        );
        assert!(ack.ok);
    }
    fixture.say("s", "Message", "end", "a", "resolve");
    let Page::Session(Some(detail)) = fixture.query(Query::Session { session: "s".to_owned() }) else {
        panic!()
    };
    let progress: serde_json::Value = serde_json::from_str(detail.progress.as_str()).unwrap();
    let shown: Vec<_> = progress["objections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["severity"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["14", "15", "16", "17", "18", "19"], "the latest");
    assert_eq!(progress["left_out"], 14);
}

#[test]
fn room_that_sessions_have_left_is_there_for_others() {
    let fixture =
        with(limits::Macp { bytes_max: 1_048_576, session_bytes_max: 524_288, ..limits::Macp::default() });
    let long = "x".repeat(100_000);
    // Far more than fits, in sessions that end.
    for n in 0..20 {
        let session = format!("s{n}");
        assert!(fixture.start(&session, "", &SessionStartPayload::default()).ok);
        for id in ["m1", "m2", "m3", "m4"] {
            let mut sent = fixture.try_send(envelope(&session, "Unheard", id, "a", long.clone()));
            // While they are on their way to the store, and not otherwise.
            while let Err(status) = sent {
                names(&status, Code::Unavailable, "limits.macp.bytes_max");
                sent = fixture.try_send(envelope(&session, "Unheard", id, "a", long.clone()));
            }
        }
        assert!(fixture.cancel(&session, "").ok);
    }
    // Open ones leave for nobody.
    for session in ["open 1", "open 2", "open 3"] {
        assert!(fixture.start(session, "", &SessionStartPayload::default()).ok);
    }
    let mut taken = 0;
    let refused = loop {
        let session = ["open 1", "open 2", "open 3"][taken / 4 % 3];
        match fixture.try_send(envelope(session, "Unheard", &format!("m{taken}"), "a", long.clone())) {
            Ok(ack) => taken += usize::from(ack.ok),
            Err(status) if status.code() == Code::Unavailable => {}
            Err(status) => break status,
        }
    };
    names(&refused, Code::ResourceExhausted, "limits.macp.bytes_max");
    assert_eq!(taken, 10);
}

#[test]
fn one_call_too_many_that_waits_for_the_store_is_refused_by_its_key() {
    let bare = TestRuntime::open(limits::Macp {
        closed_max: 0,
        closed_ms_max: 0,
        loading_max: 1,
        ..limits::Macp::default()
    });
    bare.start("s").unwrap();
    bare.cancel("s").unwrap();
    while bare.metrics().store_reads == 0 {
        bare.look("s").unwrap();
    }
    // Whoever reads from the store waits behind these.
    let handle = bare.store_handle();
    let gates: Vec<_> = (0..2)
        .map(|_| {
            let (go, gone) = std::sync::mpsc::sync_channel::<()>(1);
            let (begun, begins) = std::sync::mpsc::sync_channel(9);
            let wait = move |_| {
                begun.send(()).unwrap();
                gone.recv().is_ok()
            };
            handle.restored_macp(wait, Box::new(|_| ())).unwrap();
            begins.recv().unwrap();
            go
        })
        .collect();
    let reads = bare.metrics().store_reads;
    let waits = {
        let mut client = bare.client.clone();
        bare.runtime.spawn(async move {
            client
                .get_session(GetSessionRequest { session_id: "s".to_owned() })
                .await
                .map(tonic::Response::into_inner)
        })
    };
    while bare.metrics().store_reads == reads {
        std::thread::yield_now();
    }
    let mut client = bare.client.clone();
    let refused = bare
        .runtime
        .block_on(client.get_session(GetSessionRequest { session_id: "s".to_owned() }))
        .unwrap_err();
    names(&refused, Code::ResourceExhausted, "limits.macp.loading_max");
    drop(gates);
    assert_eq!(
        bare.runtime.block_on(waits).unwrap().unwrap().metadata.unwrap().state(),
        SessionState::Expired
    );
    assert_eq!(bare.look("s"), Ok(SessionState::Expired), "there is room again");
}

#[test]
fn segments_past_their_bound_are_sorted_at_once() {
    let bare = TestRuntime::open(limits::Macp { segments_max: 16, ..limits::Macp::default() });
    bare.start("s").unwrap();
    let mut most = 0;
    for n in 0..400 {
        bare.say("s", "Unheard", &format!("m{n}"), "").unwrap();
        most = most.max(bare.metrics().log_segments);
    }
    assert_eq!(bare.metrics().log_commits, 401, "one call after another makes one segment each");
    assert!(most < 200, "{most}");
}

#[test]
fn one_connection_too_many_is_closed() {
    let fixture = with(limits::Macp { connections_max: 1, ..limits::Macp::default() });
    assert!(fixture.start("s", "", &SessionStartPayload::default()).ok);
    let mut socket = TcpStream::connect(fixture.addr()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let ended = socket.read_to_end(&mut Vec::new());
    assert!(!ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
    assert!(fixture.start("t", "", &SessionStartPayload::default()).ok, "the first goes on");
}

#[test]
fn a_connection_is_told_how_many_calls_it_may_have_at_one_time() {
    let fixture = with(limits::Macp { connection_calls_max: 7, ..limits::Macp::default() });
    let mut socket = TcpStream::connect(fixture.addr()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // RFC 9113: the preface and an empty SETTINGS; what comes first is the server's SETTINGS.
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    let mut head = [0; 9];
    socket.read_exact(&mut head).unwrap();
    assert_eq!(head[3], 4, "SETTINGS");
    let mut settings = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
    socket.read_exact(&mut settings).unwrap();
    let streams = settings.chunks(6).find(|setting| setting[..2] == [0, 3]).unwrap();
    assert_eq!(streams[2..], [0, 0, 0, 7], "SETTINGS_MAX_CONCURRENT_STREAMS");
}

/// Holds the store until what is given back is dropped.
fn hold_store(bare: &TestRuntime) -> std::sync::mpsc::SyncSender<()> {
    let (go, gone) = std::sync::mpsc::sync_channel::<()>(1);
    let hold = move |_| assert!(gone.recv().is_err());
    let nothing = Op::Macp(MacpOp::Sessions(Vec::new()));
    bare.store_handle().commit(nothing, Class::Process, Box::new(hold)).unwrap();
    go
}

#[test]
fn a_stream_is_not_read_further_than_its_answers_have_room() {
    let bare = TestRuntime::open(limits::Macp {
        stream_in_flight_max: 4,
        unsaved_bytes_max: 8 << 20,
        ..limits::Macp::default()
    });
    bare.start("s").unwrap();
    // The store is held, and the log is as far ahead of it as it may be: nothing more is durable, and no
    // answer can be given.
    let go = hold_store(&bare);
    for id in ["a", "b", "c"] {
        assert!(bare.say("s", "Unheard", id, &"x".repeat(3 << 20)).unwrap().ok);
    }
    let messages = (0..100).map(|n| StreamSessionRequest {
        envelope: Some(envelope("s", "Unheard", &format!("m{n}"), "a", "")),
    });
    let mut client = bare.client.clone();
    let answers = bare.runtime.spawn(async move {
        let answers = client.stream_session(stream::iter(messages)).await.unwrap().into_inner();
        answers.filter(|answer| std::future::ready(answer.is_ok())).count().await
    });
    let streamed = || {
        bare.metrics().calls
            [rl_console::macp::Rpc::ALL.iter().position(|rpc| rpc.name() == "StreamSession").unwrap()]
    };
    while streamed() < 4 {
        std::thread::yield_now();
    }
    // What others do meanwhile does not let it go on.
    for _ in 0..50 {
        assert_eq!(bare.look("s"), Ok(SessionState::Open));
    }
    assert!(
        streamed() <= 6,
        "{} of a hundred were read: four wait, one is answered, one is in hand",
        streamed()
    );
    drop(go);
    assert_eq!(bare.runtime.block_on(answers).unwrap(), 100);
}

#[test]
fn long_messages_wait_for_the_store_and_short_ones_pass_them() {
    let bare = TestRuntime::open(limits::Macp {
        unsaved_bytes_max: 8 << 20,
        payload_bytes_max: 1 << 20,
        receiving_bytes_max: 8 << 20,
        ..limits::Macp::default()
    });
    bare.start("s").unwrap();
    let go = hold_store(&bare);
    let say = |id: String| {
        let mut client = bare.client.clone();
        let envelope = Some(envelope("s", "Unheard", &id, "a", "x".repeat(1 << 20)));
        bare.runtime.spawn(async move { client.send(SendRequest { envelope }).await })
    };
    for n in 0..7 {
        bare.runtime.block_on(say(format!("taken {n}"))).unwrap().unwrap();
    }
    // The eighth would fill what may be unsaved but for what is left to short ones. Of those that wait there
    // may be as much as may be on its way in.
    let mut waiting: Vec<_> = (0..12).map(|n| say(format!("waiting {n}"))).collect();
    for _ in 0..4 {
        let (refused, at, _) = bare.runtime.block_on(futures_util::future::select_all(&mut waiting));
        names(&refused.unwrap().unwrap_err(), Code::ResourceExhausted, "limits.macp.receiving_bytes_max");
        drop(waiting.remove(at));
    }
    for n in 0..20 {
        assert!(bare.say("s", "Unheard", &format!("short {n}"), "").unwrap().ok);
    }
    drop(go);
    let answers = waiting.into_iter().map(|it| bare.runtime.block_on(it).unwrap());
    assert!(answers.flatten().count() > 1, "they waited");
}

#[test]
fn below_the_bytes_that_are_to_be_free_messages_are_refused_before_anything_else() {
    let store = limits::Store { disk_free_bytes_min: 1 << 40, ..limits::Store::default() };
    let fixture = TestStation::with(&Limits { store, ..Limits::default() });
    let start = |n: u32| {
        let payload = prost::Message::encode_to_vec(&participants(&["a"]));
        fixture.try_send(envelope(&format!("s{n}"), "SessionStart", "start", "a", payload))
    };
    // The disk is asked once a second.
    let refused = (0..).find_map(|n| {
        std::thread::sleep(Duration::from_millis(20));
        start(n).err()
    });
    names(&refused.unwrap(), Code::ResourceExhausted, "limits.store.disk_free_bytes_min");
    let rows = vec![rl_console::mpp::NewInvocation::new("heal_party")];
    let enqueue = rl_console::port::Command::Mpp(rl_console::mpp::Command::Enqueue { rows });
    let rl_console::port::Outcome::Mpp(rl_console::mpp::Outcome::Enqueued(rows)) =
        fixture.command(enqueue).unwrap()
    else {
        panic!()
    };
    assert!(rows[0].is_ok(), "work is taken for longer: {rows:?}");
}
