//! Requests of the coordination runtime.

use bytes::Bytes;
use prost::Message as _;
use serde_json::{Value, json};

use super::kit::{comes_back, every_edit_shows, made, not_made, printed, shown, units, units_in};
use crate::{
    dissect::frame_json::Format,
    macp::{
        Rpc,
        proto::v1::{
            CancelSessionRequest, Capabilities, ClientInfo, Envelope, ExperimentalCapabilities,
            GetManifestRequest, GetSessionRequest, InitializeRequest, Root, SendRequest, SessionStartPayload,
            SessionsCapability, SignalPayload, StreamSessionRequest,
        },
    },
};

const SEND: Format = Format::Macp(Rpc::Send);

fn envelope(message_type: &str, payload: &[u8]) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: "decision".to_owned(),
        message_type: message_type.to_owned(),
        message_id: "m1".to_owned(),
        session_id: "s1".to_owned(),
        sender: "alice".to_owned(),
        timestamp_unix_ms: -5,
        payload: Bytes::copy_from_slice(payload),
    }
}

fn send(message_type: &str, payload: &[u8]) -> Vec<u8> {
    SendRequest { envelope: Some(envelope(message_type, payload)) }.encode_to_vec()
}

fn start() -> SessionStartPayload {
    SessionStartPayload {
        intent: "choose".to_owned(),
        participants: vec!["alice".to_owned(), "bob".to_owned()],
        mode_version: "1.0.0".to_owned(),
        ttl_ms: 60_000,
        context: Bytes::from_static(b"\xff\x00"),
        roots: vec![Root { uri: "file:///a".to_owned(), name: "a".to_owned() }],
        ..SessionStartPayload::default()
    }
}

#[test]
fn the_request_of_every_call_comes_back() {
    let stream = StreamSessionRequest { envelope: Some(envelope("Vote", b"{}")) };
    let initialize = InitializeRequest {
        supported_protocol_versions: vec!["1.0".to_owned(), "2.0".to_owned()],
        client_info: Some(ClientInfo { name: "c".to_owned(), ..ClientInfo::default() }),
        capabilities: Some(Capabilities {
            sessions: Some(SessionsCapability { stream: true }),
            experimental: Some(ExperimentalCapabilities {
                features: [("a".to_owned(), "b".to_owned())].into(),
            }),
            ..Capabilities::default()
        }),
    };
    let cancel = CancelSessionRequest { session_id: "s1".to_owned(), reason: "late".to_owned() };
    let requests: [(Rpc, Vec<u8>, Value); 10] = [
        (
            Rpc::Initialize,
            initialize.encode_to_vec(),
            json!({
                "supported_protocol_versions": ["1.0", "2.0"], "client_info": {"name": "c"},
                "capabilities": {"sessions": {"stream": true}, "experimental": {"features": [{"key": "a", "value": "b"}]}},
            }),
        ),
        (
            Rpc::Send,
            SendRequest { envelope: Some(Envelope { payload: Bytes::new(), ..envelope("Vote", b"") }) }
                .encode_to_vec(),
            json!({
                "envelope": {"macp_version": "1.0", "mode": "decision", "message_type": "Vote", "message_id": "m1", "session_id": "s1", "sender": "alice", "timestamp_unix_ms": -5},
            }),
        ),
        (
            Rpc::StreamSession,
            stream.encode_to_vec(),
            json!({
                "envelope": {"macp_version": "1.0", "mode": "decision", "message_type": "Vote", "message_id": "m1", "session_id": "s1", "sender": "alice", "timestamp_unix_ms": -5, "payload": {}},
            }),
        ),
        (
            Rpc::GetSession,
            GetSessionRequest { session_id: "s1".to_owned() }.encode_to_vec(),
            json!({"session_id": "s1"}),
        ),
        (Rpc::CancelSession, cancel.encode_to_vec(), json!({"session_id": "s1", "reason": "late"})),
        (
            Rpc::GetManifest,
            GetManifestRequest { agent_id: "a".to_owned() }.encode_to_vec(),
            json!({"agent_id": "a"}),
        ),
        (Rpc::ListModes, Vec::new(), json!({})),
        (Rpc::WatchModeRegistry, Vec::new(), json!({})),
        (Rpc::ListRoots, Vec::new(), json!({})),
        (Rpc::WatchRoots, Vec::new(), json!({})),
    ];
    assert_eq!(requests.len(), Rpc::ALL.len());
    for (rpc, wire, body) in requests {
        let rows = comes_back(Format::Macp(rpc), &wire);
        assert_eq!(rows[0]["error"], Value::Null);
        assert_eq!((&rows[0]["rpc"], &rows[0]["body"]), (&json!(rpc.name()), &body));
        assert!(rows[0].get("body_bytes").is_none(), "{}", rows[0]);
        every_edit_shows(Format::Macp(rpc), &wire);
        // The JSON names its call.
        let json = printed(&units(Format::Macp(rpc), &wire)[0]);
        assert_eq!(made(SEND, &json), (wire, None));
    }
}

#[test]
fn a_payload_is_shown_by_its_messages_type() {
    let signal = SignalPayload {
        signal_type: "ping".to_owned(),
        data: Bytes::from_static(b"x"),
        confidence: 0.5,
        correlation_session_id: "s1".to_owned(),
    };
    let vote = br#"{"proposal_id":"p1","vote":"approve"}"#;
    for (kind, payload, body, is_exact) in [
        (
            "SessionStart",
            start().encode_to_vec(),
            json!({
                "intent": "choose", "participants": ["alice", "bob"], "mode_version": "1.0.0", "ttl_ms": 60_000,
                "context": {"$bin": "/wA="}, "roots": [{"uri": "file:///a", "name": "a"}],
            }),
            true,
        ),
        (
            "Signal",
            signal.encode_to_vec(),
            json!({"signal_type": "ping", "data": "x", "confidence": 0.5, "correlation_session_id": "s1"}),
            true,
        ),
        ("Signal", b"any text".to_vec(), json!("any text"), true),
        ("Vote", vote.to_vec(), json!({"proposal_id": "p1", "vote": "approve"}), true),
        ("Contribute", br#"{"value": "a"}"#.to_vec(), json!({"value": "a"}), false),
        ("Message", b"resolve".to_vec(), json!("resolve"), true),
        ("Vote", b"\xff".to_vec(), json!({"$bin": "/w=="}), true),
        ("Vote", b"[1]".to_vec(), json!("[1]"), true),
        ("Vote", br#"{"$bin":"/w=="}"#.to_vec(), json!(r#"{"$bin":"/w=="}"#), true),
        // A field that the protocol does not know.
        ("SessionStart", [&start().encode_to_vec()[..], b"\x98\x06\x07"].concat(), json!(null), false),
    ] {
        let wire = send(kind, &payload);
        let rows = comes_back(SEND, &wire);
        let envelope = &rows[0]["body"]["envelope"];
        assert!(body.is_null() || envelope["payload"] == body, "{envelope}");
        assert_eq!(envelope["payload_bytes"].is_null(), is_exact, "{envelope}");
        assert!(rows[0].get("body_bytes").is_none(), "{}", rows[0]);
        every_edit_shows(SEND, &wire);
    }
    // A change of the payload is never lost behind its bytes; of other fields it needs no more.
    let row = shown(SEND, &send("Contribute", br#"{"value": "a"}"#)).to_string();
    assert!(
        not_made(SEND, &row.replace(r#""value":"a""#, r#""value":"b""#)).contains("`payload_bytes` differ")
    );
    let (wire, _) = made(SEND, &row.replace("alice", "bob"));
    let sent = SendRequest::decode(&wire[..]).unwrap().envelope.unwrap();
    assert_eq!((&*sent.sender, &sent.payload[..]), ("bob", &br#"{"value": "a"}"#[..]));
}

#[test]
fn what_could_be_written_otherwise_is_given_as_bytes() {
    // The envelope in two parts, a longer varint, a field that is not known, one that is there twice.
    let (first, second) = (&b"\x0a\x05\x0a\x031.0"[..], &b"\x0a\x06\x22\x01m\x98\x06\x07"[..]);
    let id = |bytes: &[u8]| [&b"\x0a"[..], bytes].concat();
    for (rpc, wire) in [
        (Rpc::Send, [first, second].concat()),
        (Rpc::GetSession, id(b"\x81\x00a")),
        (Rpc::GetSession, id(b"\x01a\x98\x06\x07")),
        (Rpc::GetSession, id(b"\x01a\x0a\x01b")),
    ] {
        let rows = comes_back(Format::Macp(rpc), &wire);
        assert!(rows[0]["body_bytes"].is_string() && rows[0]["body"].is_object(), "{}", rows[0]);
    }
}

#[test]
fn faults_have_their_names_and_places() {
    let of = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = envelope("Vote", b"{}");
        change(&mut envelope);
        SendRequest { envelope: Some(envelope) }.encode_to_vec()
    };
    let long = vec![b'x'; 4_194_305];
    for (wire, name, offset) in [
        (of(&|it| it.macp_version = "2.0".to_owned()), "InvalidMacpVersion", 2),
        (of(&|it| it.macp_version.clear()), "InvalidMacpVersion", 0),
        (of(&|it| it.message_id.clear()), "InvalidEnvelope", 0),
        (of(&|it| it.session_id.clear()), "InvalidEnvelope", 0),
        (of(&|it| it.payload = long.clone().into()), "PayloadTooLarge", 52),
        (send("SessionStart", b"\xff"), "InvalidEnvelope", 57),
        (Vec::new(), "INVALID_ARGUMENT", 0),
        (b"\x0a\x09ab".to_vec(), "INTERNAL", 0),
        (b"\x0a\x03\x0a\x01\xff".to_vec(), "INTERNAL", 2),
    ] {
        let rows = comes_back(SEND, &wire);
        let error = &rows[0]["error"];
        assert_eq!((&error["name"], &error["offset"]), (&json!(name), &json!(offset)), "{error}");
        assert!(["clause", "says", "message", "expected"].iter().all(|text| error[*text] != ""), "{error}");
    }
    let none = Format::Macp(Rpc::Initialize);
    assert_eq!(comes_back(none, b"")[0]["error"]["name"], "INVALID_ARGUMENT");
}

#[test]
fn more_than_a_message_may_have_is_not_kept() {
    let max = 4_194_304 + 65_536;
    for piece in [4_096, usize::MAX] {
        let units = units_in(SEND, &vec![0x0a; max + 100_000], piece);
        assert_eq!((units.len(), units[0].wire.len()), (1, max + 1));
        let fault = units[0].fault.as_ref().unwrap();
        assert_eq!((&*fault.name, fault.ends_stream), ("RESOURCE_EXHAUSTED", true));
    }
}

#[test]
fn what_is_missing_is_filled_in() {
    let json = r#"{"body":{"envelope":{"message_type":"SessionStart","message_id":"m","session_id":"s","sender":"a","payload":{"intent":"x"}}}}"#;
    let (wire, fault) = made(SEND, json);
    let sent = SendRequest::decode(&wire[..]).unwrap().envelope.unwrap();
    let payload = SessionStartPayload::decode(sent.payload.clone()).unwrap();
    assert_eq!((fault, &*sent.macp_version, &*payload.intent), (None, "1.0", "x"));
    for (json, what) in [
        (r#"{"body":{"envelop":{}}}"#, "`body`: SendRequest has no field `envelop`"),
        (r#"{"body":{"envelope":{"sender":1}}}"#, "`body`: `envelope` is not valid: `sender` takes a string"),
        (
            r#"{"body":{"envelope":{"timestamp_unix_ms":1.5}}}"#,
            "`timestamp_unix_ms` takes a whole number of 64 bits",
        ),
        (r#"{"body":{"envelope":{"payload":1}}}"#, ""),
        (r#"{"rpc":"Snd","body":{}}"#, "`rpc` is \"Snd\"; the calls are Initialize, Send"),
        ("{}", "`body` or `body_bytes` is required"),
    ] {
        if what.is_empty() {
            assert_eq!(made(SEND, json).1.unwrap().name, "InvalidEnvelope");
        } else {
            assert!(not_made(SEND, json).contains(what), "{}", not_made(SEND, json));
        }
    }
}
