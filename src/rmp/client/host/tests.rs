//! The client over a real socket, against a broker of a few lines.

use std::{future::Future, path::PathBuf, time::Duration};

use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
};

use super::{Client, CloseReason, Error};
use crate::{
    ids::TraceId,
    limits,
    rmp::{
        Body, Header, RawFrame, SchemaId,
        client::{Hello, Message},
        control::{self, FromBroker, FromClient},
        framing::{Framer, FramerEvent},
    },
};

/// Past this a test has failed.
const PATIENCE: Duration = Duration::from_secs(60);

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await.unwrap() });
}

/// One connection's broker, by hand.
struct Broker {
    stream: UnixStream,
    framer: Framer,
    out: Vec<u8>,
}

fn header(msg_id: u64) -> Header {
    control::header(1, TraceId(uuid::Uuid::nil()), msg_id)
}

impl Broker {
    async fn frame(&mut self) -> Option<bytes::Bytes> {
        loop {
            match self.framer.next() {
                Some(FramerEvent::Frame(frame)) => return Some(frame),
                Some(broken) => panic!("{broken:?}"),
                None => {
                    if self.stream.read_buf(self.framer.buffer()).await.unwrap_or(0) == 0 {
                        return None;
                    }
                }
            }
        }
    }

    /// The name of the next control frame, its number, and its topic or subscription.
    async fn next(&mut self) -> Option<(&'static str, u64, String)> {
        let frame = self.frame().await?;
        let raw = RawFrame::split(&frame).unwrap();
        let body = Body::decode(raw.body, 8).unwrap();
        let message = FromClient::decode(&body).unwrap();
        let what = match message {
            FromClient::Hello { client, .. } => client.to_owned(),
            FromClient::Subscribe { topic, .. } | FromClient::Publish { topic, .. } => topic.to_owned(),
            FromClient::Unsubscribe { sub } => sub.to_string(),
            FromClient::Ping {} => String::new(),
        };
        Some((message.name(), raw.header.msg_id, what))
    }

    fn send(&mut self, message: &FromBroker<'_>) {
        control::append(&mut self.out, &header(1), message);
    }

    fn deliver(&mut self, sub: u64, topic: &str, msg_id: u64) {
        self.send(&FromBroker::Deliver { sub, topic });
        control::append_body(
            &mut self.out,
            &Header { schema_id: SchemaId::OBSERVATION, ..header(msg_id) },
            b"\x80",
        );
    }

    async fn flush(&mut self) {
        self.stream.write_all(&self.out).await.unwrap();
        self.out.clear();
    }

    /// Answers the next request, which has to be this one.
    async fn grant(&mut self, name: &str) -> String {
        let (asked, re, what) = self.next().await.unwrap();
        assert_eq!(asked, name);
        self.send(&FromBroker::Ok { re });
        self.flush().await;
        what
    }
}

struct Socket {
    listener: UnixListener,
    path: PathBuf,
    _folder: TempDir,
}

impl Socket {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        Self { listener: UnixListener::bind(&path).unwrap(), path, _folder: folder }
    }

    async fn accept(&self) -> Broker {
        let (stream, _) = self.listener.accept().await.unwrap();
        let mut broker = Broker { stream, framer: Framer::new(1 << 20), out: Vec::new() };
        assert_eq!(broker.next().await.unwrap().0, "Hello");
        broker.send(&FromBroker::Welcome {
            session: 4,
            kind: "agent",
            body_bytes_max: 1 << 20,
            server: "test",
        });
        broker.flush().await;
        broker
    }

    async fn connect(&self) -> (Client, Broker) {
        self.connect_with(limits::Client::default()).await
    }

    async fn connect_with(&self, limits: limits::Client) -> (Client, Broker) {
        let (client, broker) =
            tokio::join!(Client::connect_with(&self.path, Hello::agent("a"), limits), self.accept());
        (client.unwrap(), broker)
    }
}

fn message() -> Message {
    Message::of(SchemaId::OBSERVATION, "observation.test.v1", &7).unwrap()
}

#[test]
fn a_publication_waits_for_its_answer() {
    run(async {
        let socket = Socket::open();
        let (client, mut broker) = socket.connect().await;
        assert_eq!(client.welcome().session.0, 4);
        let message = message();
        let broker_side = async {
            let (name, re, topic) = broker.next().await.unwrap();
            let sent = broker.frame().await.unwrap();
            assert_eq!(
                (name, topic.as_str(), RawFrame::split(&sent).unwrap().header.msg_id),
                ("Publish", "a/b", re)
            );
            broker.send(&FromBroker::Error { re, code: "Forbidden", message: "no" });
            broker.flush().await;
        };
        let (published, ()) = tokio::join!(client.publish("a/b", &message), broker_side);
        let Err(Error::Refused(refused)) = published else { panic!("{published:?}") };
        assert_eq!(refused.to_string(), "Forbidden: no");
    });
}

#[test]
fn many_posts_leave_in_order_and_before_the_close() {
    run(async {
        let socket = Socket::open();
        let limits = limits::Client { write_buffer_bytes_max: 4_096, ..limits::Client::default() };
        let (client, mut broker) = socket.connect_with(limits).await;
        let messages = vec![message(); 2_000];
        let posting = async {
            client.post_all("a", &messages).await.unwrap();
            client.close().await;
        };
        let reading = async {
            let mut last = 0;
            for _ in 0..2_000 {
                let (name, id, _) = broker.next().await.unwrap();
                assert!(name == "Publish" && id > last, "{name} {id} after {last}");
                broker.frame().await.unwrap();
                last = id;
            }
            assert_eq!(broker.next().await, None);
        };
        tokio::join!(posting, reading);
    });
}

#[test]
fn deliveries_come_one_by_one_or_all_at_once() {
    run(async {
        let socket = Socket::open();
        let (client, mut broker) = socket.connect().await;
        let (subscription, _) = tokio::join!(client.subscribe("a/*"), broker.grant("Subscribe"));
        let mut subscription = subscription.unwrap();
        for id in 1..=100 {
            broker.deliver(1, "a/b", id);
        }
        broker.flush().await;
        assert_eq!(subscription.next().await.unwrap().header().msg_id, 1);
        let mut batch = Vec::new();
        while batch.len() < 99 {
            assert!(subscription.next_batch(&mut batch).await > 0);
        }
        assert!(batch.iter().map(|delivery| delivery.header().msg_id).eq(2..=100));
        assert_eq!((subscription.lost(), subscription.try_next()), (0, None));
        let (ended, what) = tokio::join!(client.unsubscribe(subscription), broker.grant("Unsubscribe"));
        assert_eq!((ended.is_ok(), what.as_str()), (true, "1"));
        drop(client);
        assert_eq!(broker.next().await, None);
    });
}

#[test]
fn what_a_slow_reader_has_no_room_for_is_counted() {
    run(async {
        let socket = Socket::open();
        let limits = limits::Client { queue_messages_max: 16, ..limits::Client::default() };
        let (client, mut broker) = socket.connect_with(limits).await;
        let (subscription, _) = tokio::join!(client.subscribe("a"), broker.grant("Subscribe"));
        let mut subscription = subscription.unwrap();
        for id in 1..=100 {
            broker.deliver(1, "a", id);
        }
        broker.flush().await;
        let (pong, ()) = tokio::join!(client.ping(), async {
            assert_eq!(broker.next().await.unwrap().0, "Ping");
            broker.send(&FromBroker::Pong {});
            broker.flush().await;
        });
        pong.unwrap();
        let mut batch = Vec::new();
        assert_eq!(subscription.next_batch(&mut batch).await, 16);
        assert_eq!(subscription.lost(), 84);
    });
}

#[test]
fn a_request_subscribes_to_its_replies_first() {
    run(async {
        let socket = Socket::open();
        let (client, mut broker) = socket.connect().await;
        let request = message();
        let broker_side = async {
            assert_eq!(broker.grant("Subscribe").await, "replies/1");
            assert_eq!(broker.grant("Publish").await, "agent/x");
            broker.frame().await.unwrap();
            broker.deliver(1, "replies/1", 77);
            broker.flush().await;
            let (name, _, sub) = broker.next().await.unwrap();
            assert_eq!((name, sub.as_str()), ("Unsubscribe", "1"));
        };
        let patience = Duration::from_secs(30);
        let (reply, ()) =
            tokio::join!(client.request("agent/x", "replies/1", &request, patience), broker_side);
        assert_eq!(reply.unwrap().header().msg_id, 77);
    });
}

#[test]
fn a_close_by_the_station_is_told_by_its_last_words_to_everybody_who_waits() {
    run(async {
        let socket = Socket::open();
        let (client, mut broker) = socket.connect().await;
        let (subscription, _) = tokio::join!(client.subscribe("a"), broker.grant("Subscribe"));
        let mut subscription = subscription.unwrap();
        let message = message();
        let closing = async {
            broker.next().await.unwrap();
            broker.send(&FromBroker::Error { re: 0, code: "Busy", message: "kicked" });
            broker.flush().await;
            drop(broker);
        };
        let (published, next, ()) = tokio::join!(client.publish("a", &message), subscription.next(), closing);
        let Err(Error::Closed(CloseReason::ByStation(Some(words)))) = published else {
            panic!("{published:?}")
        };
        assert_eq!((words.to_string().as_str(), next), ("Busy: kicked", None));
        assert!(matches!(client.closed().await, CloseReason::ByStation(Some(_))));
        assert!(matches!(client.post("a", &message).await, Err(Error::Closed(_))));
        let (number, last) = client.refusals();
        assert_eq!((number, last.map(|last| last.to_string())), (1, Some("Busy: kicked".to_owned())));
    });
}

#[test]
fn nobody_there_and_nobody_welcome_are_told_apart() {
    run(async {
        let socket = Socket::open();
        let missing = Client::connect(&socket.path.with_extension("x"), Hello::agent("a")).await;
        assert!(matches!(missing, Err(Error::Unreachable { .. })), "{missing:?}");
        let refusing = async {
            let (stream, _) = socket.listener.accept().await.unwrap();
            let mut broker = Broker { stream, framer: Framer::new(1 << 20), out: Vec::new() };
            let (_, re, _) = broker.next().await.unwrap();
            broker.send(&FromBroker::Error { re, code: "Unauthorized", message: "no such token" });
            broker.flush().await;
        };
        let (refused, ()) = tokio::join!(Client::connect(&socket.path, Hello::agent("a")), refusing);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "the station refused the session: Unauthorized: no such token"
        );
    });
}

#[test]
fn a_station_that_does_not_answer_is_not_waited_for_without_end() {
    run(async {
        let socket = Socket::open();
        let limits = limits::Client { answer_ms_max: 100, answers_max: 16, ..limits::Client::default() };
        let (client, _broker) = socket.connect_with(limits).await;
        let message = message();
        assert!(matches!(client.publish("a", &message).await, Err(Error::TimedOut { ms: 100 })));
        assert!(matches!(client.ping().await, Err(Error::TimedOut { ms: 100 })));
        for _ in 0..14 {
            assert!(client.publish("a", &message).await.is_err());
        }
        assert!(matches!(client.publish("a", &message).await, Err(Error::Busy { answers_max: 16 })));
        client.close().await;
    });
}

#[test]
fn who_closes_takes_the_last_answers_so_that_the_station_finds_nobody_gone() {
    run(async {
        let socket = Socket::open();
        let (client, mut broker) = socket.connect().await;
        let (subscription, topic) = tokio::join!(client.subscribe("a/*"), broker.grant("Subscribe"));
        assert_eq!(topic, "a/*");
        drop(subscription.unwrap());
        let served = async {
            broker.grant("Unsubscribe").await;
            assert!(broker.frame().await.is_none(), "it has said all");
            broker.deliver(1, "a/b", 7);
            broker.flush().await;
            drop(broker);
        };
        let closed = client.clone();
        tokio::join!(client.close(), served);
        assert!(matches!(closed.closed().await, CloseReason::ByClient));
    });
}
