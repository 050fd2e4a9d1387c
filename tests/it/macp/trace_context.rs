//! The `traceparent` of the call that begins a session (ruling MPLP 18).

use futures_util::{StreamExt as _, stream};
use prost::Message as _;
use rl_console::{
    limits::Limits,
    macp::proto::v1::{Envelope, SendRequest, SessionStartPayload, StreamSessionRequest},
    mplp::judge_bundle,
    port::{Page, Query},
    tap::entry::{Transition, What, station},
};
use serde_json::{Value, json};
use tonic::Request;

use super::test_station::{TestStation, envelope};
use crate::real::cli;

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

#[test]
fn the_record_of_a_session_that_left_memory_has_the_header_of_its_start() {
    let mut limits = Limits::default();
    (limits.macp.closed_max, limits.macp.closed_ms_max) = (0, 0);
    let mut fixture = TestStation::with(&limits);
    fixture.start_with("s", &[HEADER]);
    fixture.start_with("bare", &[]);
    for session in ["s", "bare"] {
        fixture.say(session, "Proposal", "m1", "bob", r#"{"proposal_id":"p1","option":"the mine"}"#);
        fixture.say(session, "Vote", "m2", "bob", r#"{"proposal_id":"p1","vote":"approve"}"#);
        let action = r#"{"commitment_id":"c","action":"go to the mine"}"#;
        fixture.say(session, "Commitment", "m3", "alice", action);
    }
    fixture.until("the evictions", || {
        let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
        let is_gone = |session: &str| snapshot.session(session)?.end.as_ref().map(|end| end.evicted);
        is_gone("s") == Some(true) && is_gone("bare") == Some(true)
    });
    let export = |fixture: &TestStation, session: &str| {
        let printed = cli(fixture.data(), &["session", "export", session, "--mplp", "-"]);
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        printed.stdout
    };
    let exported = ["s", "bare"].map(|session| export(&fixture, session));
    let [with, without] = exported.each_ref().map(|bytes| serde_json::from_slice::<Value>(bytes).unwrap());
    for bundle in [&with, &without] {
        let found = judge_bundle(bundle, None, 9);
        assert!(found.is_clean(), "{found:#?}");
        assert_eq!(
            (&bundle["plan"]["status"], &bundle["trace"]["status"]),
            (&json!("completed"), &json!("completed"))
        );
        assert_eq!(bundle["trace"]["segments"].as_array().unwrap().len(), 3);
    }
    let attributes = |bundle: &Value| bundle["trace"]["root_span"]["attributes"].clone();
    assert_eq!(attributes(&with)["traceparent"], HEADER);
    assert_eq!(attributes(&without).get("traceparent"), None);
    fixture.restart();
    assert!(
        ["s", "bare"].map(|session| export(&fixture, session)) == exported,
        "after a restart it is another"
    );
}
