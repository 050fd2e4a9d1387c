//! Sessions as records, through the real runtime, the store and `session export`: of both modes and however
//! they end (ruling MPLP 15).

use futures_util::{StreamExt as _, stream};
use prost::Message as _;
use rl_console::{
    limits::Limits,
    macp::proto::v1::{Envelope, SessionStartPayload, StreamSessionRequest, StreamSessionResponse},
    mplp::judge_bundle,
};
use serde_json::{Value, json};

use super::test_station::{TestStation, envelope, participants};
use crate::real::cli;

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Resolved,
    Expired,
    Cancelled,
}

/// A session to be made.
#[derive(Clone, Copy, Debug)]
struct Case {
    mode: &'static str,
    listed: &'static [&'static str],
    end: End,
}

/// How long those that expire are open: long enough for what is said in them.
const SHORT_MS: i64 = 3_000;
const REASON: &str = "the map is gone";

/// Evicts sessions as soon as they end.
fn forgetful() -> TestStation {
    let mut limits = Limits::default();
    (limits.macp.closed_max, limits.macp.closed_ms_max) = (0, 0);
    TestStation::with(&limits)
}

impl Case {
    fn all() -> Vec<Self> {
        let rounds: &[&[&str]] = &[&["alice", "bob"], &["alice"]];
        let modes = [("decision", &[&[][..], &["alice", "bob"], &["alice"]][..]), ("multi_round", rounds)];
        let ends = [End::Expired, End::Cancelled, End::Resolved];
        ends.into_iter()
            .flat_map(|end| {
                modes
                    .into_iter()
                    .flat_map(move |(mode, lists)| lists.iter().map(move |listed| Self { mode, listed, end }))
            })
            .collect()
    }

    fn session(self) -> String {
        let Self { mode, listed, end } = self;
        format!("{mode} of {}, {end:?}", listed.len())
    }

    /// Whether a second one takes part: where anybody may, one does.
    fn is_map(self) -> bool {
        self.listed.len() != 1
    }

    /// Begins it, and says what comes before its end: so many messages.
    fn begin(self, fixture: &TestStation) {
        let session = self.session();
        let ttl_ms = if self.end == End::Expired { SHORT_MS } else { 86_400_000 };
        let payload = SessionStartPayload { ttl_ms, ..participants(self.listed) };
        assert!(fixture.start(&session, self.mode, &payload).ok, "{session}");
        let say = |message_type, sender, payload: &str| {
            let id = format!("{message_type} {sender}");
            let ack = fixture.say(&session, message_type, &id, sender, payload);
            assert!(ack.ok, "{session}: {ack:?}");
        };
        if self.mode == "decision" {
            say("Proposal", "alice", r#"{"proposal_id":"p1","option":"the mine"}"#);
            let voter = if self.is_map() { "bob" } else { "alice" };
            say("Vote", voter, r#"{"proposal_id":"p1","vote":"approve"}"#);
        } else if self.is_map() {
            say("Contribute", "alice", r#"{"value":"north"}"#);
        } else if self.end == End::Resolved {
            // Of one alone the first value is agreed on.
            say("Contribute", "alice", r#"{"value":"north"}"#);
        }
    }

    fn messages(self) -> usize {
        match (self.mode, self.is_map(), self.end) {
            ("decision", _, End::Resolved) => 3,
            ("decision", ..) | (_, true, End::Resolved) => 2,
            (_, false, End::Expired | End::Cancelled) => 0,
            _ => 1,
        }
    }

    fn end(self, fixture: &TestStation) {
        let session = self.session();
        match (self.end, self.mode) {
            (End::Cancelled, _) => assert!(fixture.cancel(&session, REASON).ok),
            (End::Resolved, "decision") => {
                let action = r#"{"commitment_id":"c","action":"go to the mine"}"#;
                assert!(fixture.say(&session, "Commitment", "m3", "alice", action).ok);
            }
            (End::Resolved, _) if self.is_map() => {
                assert!(fixture.say(&session, "Contribute", "m3", "bob", r#"{"value":"north"}"#).ok);
            }
            // Of one alone what was said first is its end.
            (End::Resolved | End::Expired, _) => {}
        }
    }

    /// Holds that the record says how the session ended, everywhere where it says something of that.
    fn check(self, bundle: &Value) {
        let found = judge_bundle(bundle, None, 9);
        assert!(found.is_clean(), "{self:?}: {found:#?}");
        let profile = if self.is_map() { "map" } else { "sa" };
        assert_eq!(bundle["profile"], profile, "{self:?}");
        let (status, event_type, state) = match self.end {
            End::Resolved => ("completed", "session.resolved", "resolved"),
            End::Expired => ("cancelled", "session.expired", "expired"),
            End::Cancelled => ("cancelled", "session.cancelled", "cancelled"),
        };
        let statuses = [&bundle["plan"], &bundle["trace"], &bundle["dialogs"][0]].map(|it| &it["status"]);
        assert_eq!(statuses, [status; 3].map(Value::from).each_ref(), "{self:?}");
        let collabs = bundle["collabs"].as_array().map_or(&[][..], Vec::as_slice);
        let collabs: Vec<_> = collabs.iter().map(|it| it["status"].as_str().unwrap()).collect();
        assert_eq!(collabs, vec![status; usize::from(self.is_map())], "{self:?}");
        let last = bundle["trace"]["events"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["event_type"], &last["data"]["state"]), (&json!(event_type), &json!(state)));
        if self.end == End::Cancelled {
            assert_eq!(last["data"]["why"], REASON);
        }
        assert_eq!(last["data"]["resolution"].is_string(), self.end == End::Resolved, "{last:#}");
        let attributes = &bundle["trace"]["root_span"]["attributes"];
        assert_eq!(attributes["messages_missing"], 0, "{self:?}");
        let segments = bundle["trace"]["segments"].as_array().map_or(0, Vec::len);
        assert_eq!(segments, self.messages(), "{self:?}");
        self.check_steps(bundle);
    }

    /// Of a decision, how far it came; of rounds, whether they ended in one value.
    fn check_steps(self, bundle: &Value) {
        let steps = bundle["plan"]["steps"].as_array().unwrap();
        let statuses: Vec<_> = steps.iter().map(|it| it["status"].as_str().unwrap()).collect();
        let expected: &[&str] = match (self.mode, self.end) {
            ("decision", End::Resolved) => &["completed"; 4],
            ("decision", _) => &["completed", "completed", "skipped", "skipped"],
            (_, End::Resolved) => &["completed"],
            _ => &["skipped"],
        };
        assert_eq!(statuses, expected, "{self:?}");
    }
}

fn export(fixture: &TestStation, session: &str) -> Vec<u8> {
    let printed = cli(fixture.data(), &["session", "export", session, "--mplp", "-"]);
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    printed.stdout
}

fn until_evicted(fixture: &TestStation, sessions: &[String]) {
    fixture.until("the evictions", || {
        let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp;
        let is_gone = |session: &String| snapshot.session(session)?.end.as_ref().map(|end| end.evicted);
        sessions.iter().all(|session| is_gone(session) == Some(true))
    });
}

#[test]
fn sessions_of_both_modes_say_in_their_records_how_they_ended() {
    let mut fixture = forgetful();
    let cases = Case::all();
    assert_eq!(cases.len(), 15);
    for case in &cases {
        case.begin(&fixture);
    }
    for case in &cases {
        case.end(&fixture);
    }
    let sessions: Vec<String> = cases.iter().map(|case| case.session()).collect();
    until_evicted(&fixture, &sessions);
    let exported: Vec<Vec<u8>> = sessions.iter().map(|it| export(&fixture, it)).collect();
    for (case, bytes) in cases.iter().zip(&exported) {
        case.check(&serde_json::from_slice(bytes).unwrap());
    }
    fixture.restart();
    for (session, bytes) in sessions.iter().zip(&exported) {
        assert!(export(&fixture, session) == *bytes, "{session} is another after a restart");
    }
}

/// A proposal, what two say of it in turns, a vote and the commitment, of so many.
fn nth(n: u64, many: u64) -> StreamSessionRequest {
    let sender = ["alice", "bob"][usize::from(n.is_multiple_of(2))];
    let (message_type, payload) = match n {
        1 => ("Proposal", r#"{"proposal_id":"p","option":"o"}"#),
        n if n == many => ("Commitment", r#"{"commitment_id":"c","action":"go"}"#),
        n if n == many - 1 => ("Vote", r#"{"proposal_id":"p","vote":"approve"}"#),
        _ => ("Evaluation", r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.5}"#),
    };
    let sender = if n == many { "alice" } else { sender };
    StreamSessionRequest { envelope: Some(envelope("long", message_type, &format!("m{n}"), sender, payload)) }
}

#[test]
fn a_session_of_a_thousand_messages_is_a_clean_record() {
    is_a_clean_record_of(1_000);
}

#[test]
#[ignore = "ten times the test above"]
fn a_session_of_ten_thousand_messages_is_a_clean_record() {
    is_a_clean_record_of(10_000);
}

fn is_a_clean_record_of(many: u64) {
    let fixture = forgetful();
    let payload = participants(&["alice", "bob"]).encode_to_vec();
    let start = Envelope {
        mode: "decision".to_owned(),
        ..envelope("long", "SessionStart", "start", "alice", payload)
    };
    let start = StreamSessionRequest { envelope: Some(start) };
    let messages = std::iter::once(start).chain((1..=many).map(move |n| nth(n, many)));
    let mut client = fixture.client.clone();
    let acks = fixture.runtime.block_on(async move {
        let answers = client.stream_session(stream::iter(messages)).await.unwrap().into_inner();
        let is_ack = |it: &Result<StreamSessionResponse, _>| {
            let envelope = it.as_ref().ok().and_then(|it| it.envelope.as_ref());
            std::future::ready(envelope.is_some_and(|it| it.message_type == "Ack"))
        };
        answers.filter(is_ack).count().await
    });
    assert_eq!(acks as u64, many + 1);
    until_evicted(&fixture, &["long".to_owned()]);
    let path = fixture.data().join("long.json");
    let path = path.to_str().unwrap();
    let written = cli(fixture.data(), &["session", "export", "long", "--mplp", path]);
    assert!(written.status.success(), "{written:?}");
    let valid = cli(fixture.data(), &["mplp", "validate", path, "--profile", "map", "--json"]);
    assert_eq!(valid.status.code(), Some(0), "{valid:?}");
    let bundle: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!((&bundle["plan"]["status"], &bundle["profile"]), (&json!("completed"), &json!("map")));
    let lengths = ["segments", "events"].map(|it| bundle["trace"][it].as_array().unwrap().len() as u64);
    // The start and the end are events too.
    assert_eq!(lengths, [many, many + 2]);
    assert_eq!(bundle["trace"]["root_span"]["attributes"]["messages_missing"], 0);
    let count = |name: &str| {
        bundle["events"].as_array().unwrap().iter().filter(|it| it["event_type"] == name).count() as u64
    };
    assert_eq!((count("MAPTurnDispatched"), count("MAPTurnCompleted")), (many, many));
}
