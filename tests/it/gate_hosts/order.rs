//! Under random rules, holds and passes every core gets what it gets without a gate, in the same order on
//! every connection; of what is dropped or edited that alone differs.

use std::cell::Cell;

use futures_util::stream;
use proptest::{prelude::*, test_runner::TestRunner};
use prost::Message as _;
use rl_console::{
    macp::proto::v1::{Envelope, SendRequest, StreamSessionRequest},
    port::Way,
    tap::{Reader, entry::Link},
};
use tokio::runtime::Handle;
use tonic::Code;

use super::{
    Gated, bridge,
    meddler::{Heard, Sight},
    runtime::{self, Client},
};
use crate::{macp::test_station::envelope, real::Adapter};

/// How often each link is played with a gate, whatever the environment asks for: each takes long.
const CASES: u32 = 4;

/// What the peers got.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Received {
    /// Whatever is held, in this order.
    pub(super) answers: Vec<String>,
    /// Calls that ended because they were dropped.
    pub(super) cancelled: usize,
    /// What others got of it, by the connection that it came on: it differs as what the core gets does.
    pub(super) delivered: Heard,
}

/// Does the same without a gate and with frames held at random, and compares. Of so many connections the
/// last frame of each says `end`.
pub(super) fn compare<T: Send>(
    sight: &Sight,
    connections: usize,
    prepare: impl Fn(&Gated) -> T,
    work: impl Fn(T) -> Received + Sync,
) {
    let heard = |gated: &Gated, reader: &mut Reader| -> Heard {
        let is_end = |says: &Vec<String>| says.last().is_some_and(|last| last.contains("end"));
        let is_over = |heard: &Heard| heard.values().filter(|says| is_end(says)).count() == connections;
        sight.heard(&gated.read_until(reader, |entries| is_over(&sight.heard(entries))))
    };
    let free = Gated::open();
    let prepared = prepare(&free);
    let mut reader = free.tap();
    let expected = work(prepared);
    let twin = heard(&free, &mut reader);
    assert_eq!(expected.cancelled, 0);
    let changes = Cell::new(0);
    let played = TestRunner::new(config(CASES)).run(&any::<u64>(), |seed| {
        let gated = Gated::open();
        let prepared = prepare(&gated);
        let mut reader = gated.tap();
        let mut meddler = gated.meddler(sight, seed);
        let received = std::thread::scope(|scope| {
            let working = scope.spawn(|| work(prepared));
            meddler.until(|| working.is_finished());
            working.join().unwrap()
        });
        prop_assert_eq!(heard(&gated, &mut reader), meddler.changed(twin.clone(), &[Way::In]));
        let delivered = meddler.changed(expected.delivered.clone(), &[Way::In, Way::Out]);
        prop_assert_eq!(&received.delivered, &delivered);
        let (dropped, edited) = meddler.change_counts();
        prop_assert_eq!(&received.answers, &expected.answers);
        prop_assert!(received.cancelled == 0 || received.cancelled == dropped, "{received:?}");
        prop_assert!(meddler.decided > 0);
        changes.set(changes.get() + dropped + edited);
        Ok(())
    });
    played.unwrap();
    assert!(changes.get() > 0, "none was dropped or edited");
}

/// So many cases, of which a failed one is tried again a few times only.
pub(super) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, max_shrink_iters: 4, failure_persistence: None, ..ProptestConfig::default() }
}

/// Invocations that the adapter works on.
const ROWS: u64 = 4;

const LINES: Sight = Sight {
    link: Link::Mpp,
    read: |bytes| {
        let line = std::str::from_utf8(bytes).unwrap().trim_end();
        (!line.contains("hello") && !line.is_empty()).then(|| ("adapter".to_owned(), line.to_owned()))
    },
    edited: |way, bytes| {
        let line = std::str::from_utf8(bytes).unwrap();
        let is_log = way == Way::In && line.contains("line ");
        is_log.then(|| line.replace("line ", "an edited line ").into_bytes())
    },
    may_drop: |_| true,
    filters: &[
        "link:mpp",
        "kind:log",
        "kind:ack or kind:pull",
        "kind:invocation",
        "link:mpp verdict:ok",
        "kind:applied or kind:done",
    ],
};

/// An adapter does all that it is sent, and writes its log meanwhile.
fn work_as_adapter(mut adapter: Adapter) -> Received {
    let log = |adapter: &mut Adapter, text: String| {
        adapter.send(&format!(r#"{{"mpp":2,"type":"log","level":"info","message":"{text}"}}"#)).unwrap();
    };
    let mut answers = Vec::new();
    for row in 0..ROWS {
        for n in 0..6 {
            log(&mut adapter, format!("line {row}.{n}"));
        }
        adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
        let sent = bridge::next(&mut adapter);
        answers.push(format!("{} {}", sent["type"], sent["id"]));
        for kind in ["ack", "applied", "done"] {
            adapter.send(&format!(r#"{{"mpp":2,"type":"{kind}","id":{}}}"#, sent["id"])).unwrap();
            log(&mut adapter, format!("line {row} {kind}"));
        }
    }
    // There is no such queue. Once the core has answered this, it has heard everything.
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"end"}"#).unwrap();
    answers.push(bridge::next(&mut adapter)["type"].to_string());
    Received { answers, ..Received::default() }
}

#[test]
fn the_bridge_gets_the_lines_of_its_adapter_in_their_order_whatever_is_held() {
    let prepare = |gated: &Gated| {
        let adapter = bridge::adapter(gated);
        for _ in 0..ROWS {
            bridge::enqueue(gated);
        }
        adapter
    };
    compare(&LINES, 1, prepare, work_as_adapter);
}

/// Sessions with a stream of their own.
const STREAMS: [&str; 3] = ["s1", "s2", "s3"];

/// The session whose messages are calls.
const CALLS: &str = "calls";

const PROPOSALS: Sight = Sight {
    link: Link::Macp,
    read: |bytes| {
        let envelope = SendRequest::decode(bytes).ok()?.envelope?;
        (envelope.message_type == "Proposal").then(|| {
            let says = format!("{} {}", envelope.message_id, String::from_utf8_lossy(&envelope.payload));
            (envelope.session_id, says)
        })
    },
    edited: |way, bytes| {
        let envelope = SendRequest::decode(bytes).ok().filter(|_| way == Way::In)?.envelope?;
        let payload = String::from_utf8_lossy(&envelope.payload).replace("as made", "as edited");
        let is_open = envelope.session_id == CALLS && envelope.message_id != "end";
        is_open.then(|| {
            let edited = Envelope { payload: payload.into_bytes().into(), ..envelope };
            SendRequest { envelope: Some(edited) }.encode_to_vec()
        })
    },
    may_drop: |_| true,
    filters: &[
        "link:macp",
        "type:Proposal",
        "link:macp session:s1",
        "link:macp session:calls",
        "link:macp verdict:ok",
    ],
};

/// The proposals of a session, one behind the other.
fn proposals(session: &'static str) -> impl Iterator<Item = Envelope> {
    (0..12).map(|n| if n < 11 { format!("p{n}") } else { "end".to_owned() }).map(move |id| {
        let payload = format!(r#"{{"proposal_id":"{id}","option":"as made"}}"#);
        envelope(session, "Proposal", &id, "alice", payload)
    })
}

/// The ids of a session's messages, as its stream acknowledges them.
async fn converse(mut client: Client, session: &'static str) -> Vec<String> {
    let messages: Vec<_> = proposals(session).map(|it| StreamSessionRequest { envelope: Some(it) }).collect();
    let count = messages.len();
    let mut answers = client.stream_session(stream::iter(messages)).await.unwrap().into_inner();
    let mut ids = Vec::new();
    while ids.len() < count {
        let answer = answers.message().await.unwrap().expect("an answer to each");
        ids.push(format!("{session} {}", answer.envelope.unwrap().message_id));
    }
    ids
}

/// How many of the calls were dropped; the others are acknowledged.
async fn call(mut client: Client) -> usize {
    let mut cancelled = 0;
    for envelope in proposals(CALLS) {
        let id = envelope.message_id.clone();
        match client.send(SendRequest { envelope: Some(envelope) }).await {
            Ok(answer) => assert_eq!(answer.into_inner().ack.unwrap().message_id, id),
            Err(status) => {
                assert_eq!(status.code(), Code::Cancelled, "{status}");
                cancelled += 1;
            }
        }
    }
    cancelled
}

#[test]
fn the_kernel_gets_the_messages_of_each_stream_and_caller_in_their_order_whatever_is_held() {
    let prepare = |gated: &Gated| -> (Handle, Vec<Client>) {
        let clients = STREAMS.iter().chain([&CALLS]).map(|session| runtime::opened(gated, session));
        (gated.handle(), clients.collect())
    };
    let work = |(handle, mut clients): (Handle, Vec<Client>)| {
        handle.block_on(async {
            let calling = tokio::spawn(call(clients.pop().unwrap()));
            let streaming: Vec<_> = clients
                .into_iter()
                .zip(STREAMS)
                .map(|(client, session)| tokio::spawn(converse(client, session)))
                .collect();
            let mut answers = Vec::new();
            for streaming in streaming {
                answers.extend(streaming.await.unwrap());
            }
            Received { answers, cancelled: calling.await.unwrap(), ..Received::default() }
        })
    };
    compare(&PROPOSALS, STREAMS.len() + 1, prepare, work);
}
