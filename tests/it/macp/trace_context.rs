//! The `traceparent` of the call that begins a session (ruling MPLP 18).

use futures_util::{StreamExt as _, stream};
use prost::Message as _;
use rl_console::{
    macp::proto::v1::{Envelope, SendRequest, SessionStartPayload, StreamSessionRequest},
    port::{Page, Query},
    tap::entry::{Transition, What, station},
};
use tonic::Request;

use super::test_station::{TestStation, envelope};

/// The example of W3C Trace Context §3.2.4.
const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn start(session: &str) -> Envelope {
    let payload = SessionStartPayload::default().encode_to_vec();
    Envelope { mode: "decision".to_owned(), ..envelope(session, "SessionStart", "start", "alice", payload) }
}

fn with<T>(message: T, headers: &[&str]) -> Request<T> {
    let mut request = Request::new(message);
    for header in headers {
        request.metadata_mut().append("traceparent", header.parse().unwrap());
    }
    request
}

impl TestStation {
    fn start_with(&self, session: &str, headers: &[&str]) {
        let mut client = self.client.clone();
        let request = with(SendRequest { envelope: Some(start(session)) }, headers);
        let sent = self.runtime.block_on(client.send(request)).unwrap();
        assert!(sent.into_inner().ack.unwrap().ok);
    }

    fn traceparent(&self, session: &str) -> Option<String> {
        let Page::Session(Some(detail)) = self.query(Query::Session { session: session.to_owned() }) else {
            panic!("{session} is not there")
        };
        detail.traceparent
    }
}

#[test]
fn a_header_is_kept_with_the_session_also_after_a_restart() {
    let mut fixture = TestStation::open();
    fixture.start_with("sent", &[HEADER]);
    fixture.start_with("bare", &[]);
    let messages = ["one", "two"].map(|it| StreamSessionRequest { envelope: Some(start(it)) });
    let mut client = fixture.client.clone();
    fixture.runtime.block_on(async {
        let request = with(stream::iter(messages), &[HEADER]);
        let answers = client.stream_session(request).await.unwrap().into_inner();
        assert_eq!(answers.count().await, 2);
    });
    let expected = Some(HEADER.to_owned());
    for _ in 0..2 {
        let of = |session: &str| fixture.traceparent(session);
        assert_eq!([of("sent"), of("one"), of("two")], [(); 3].map(|()| expected.clone()));
        assert_eq!(of("bare"), None);
        fixture.restart();
    }
}

#[test]
fn a_header_that_is_not_valid_is_left_out_with_a_notice() {
    let fixture = TestStation::open();
    let mut reader = fixture.port().entries().unwrap();
    fixture.start_with("s", &[&HEADER.replace("00-", "0-")]);
    assert_eq!(fixture.traceparent("s"), None);
    let mut notices = Vec::new();
    while let Some(batch) = reader.read() {
        for entry in batch.iter() {
            if let What::Transition(Transition::Station(station::Transition::Notice { level })) =
                &entry.entry.what
            {
                notices.push((*level, entry.text().into_owned()));
            }
        }
    }
    let says = "session s has no trace context: traceparent has 54 bytes, fewer than 55";
    assert_eq!(notices, [(station::Level::Warn, says.to_owned())]);
}
