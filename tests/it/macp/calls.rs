//! The ten calls.

use bytes::Bytes;
use rl_console::macp::proto::v1::{
    ClientInfo, Envelope, GetManifestRequest, GetSessionRequest, InitializeRequest, ListModesRequest,
    ListRootsRequest, SendRequest, SessionStartPayload, SessionState, WatchModeRegistryRequest,
    WatchRootsRequest,
};
use tonic::Code;

use super::test_station::{TestStation, envelope, participants};

fn initialize(versions: &[&str]) -> InitializeRequest {
    let client_info = Some(ClientInfo { name: "a client".to_owned(), ..ClientInfo::default() });
    InitializeRequest {
        supported_protocol_versions: versions.iter().map(ToString::to_string).collect(),
        client_info,
        capabilities: None,
    }
}

#[test]
fn initialize_agrees_on_the_one_version() {
    let fixture = TestStation::open();
    let mut client = fixture.client.clone();
    let answer =
        fixture.runtime.block_on(client.initialize(initialize(&["0.9", "1.0"]))).unwrap().into_inner();
    assert_eq!(answer.selected_protocol_version, "1.0");
    let info = answer.runtime_info.unwrap();
    assert_eq!((info.name.as_str(), info.version.as_str()), ("macp-runtime", "0.2.0"));
    assert_eq!(answer.supported_modes, ["macp.mode.decision.v1", "macp.mode.multi_round.v1"]);
    assert!(!answer.instructions.is_empty() && answer.capabilities.unwrap().sessions.unwrap().stream);
    for versions in [&["0.9", "2.0"][..], &[]] {
        let refused = fixture.runtime.block_on(client.initialize(initialize(versions))).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().contains("1.0"));
    }
    // What is said again of a long list goes into a header.
    let long = "9".repeat(10_000);
    let refused =
        fixture.runtime.block_on(client.initialize(initialize(&vec![long.as_str(); 100]))).unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(
        refused.message().len() < 1_024 && refused.message().contains("92 more"),
        "{}",
        refused.message()
    );
    let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap();
    assert_eq!(&*snapshot.macp.clients[0].client, "a client");
}

#[test]
fn what_the_runtime_is_and_can_is_told() {
    let fixture = TestStation::open();
    let mut client = fixture.client.clone();
    fixture.runtime.block_on(async {
        let manifest = client
            .get_manifest(GetManifestRequest { agent_id: "whoever".to_owned() })
            .await
            .unwrap()
            .into_inner();
        let manifest = manifest.manifest.unwrap();
        assert_eq!(
            (manifest.agent_id.as_str(), manifest.title.as_str()),
            ("macp-runtime", "MACP Coordination Runtime")
        );
        assert_eq!(manifest.supported_modes.len(), 2);
        let modes = client.list_modes(ListModesRequest {}).await.unwrap().into_inner().modes;
        let names: Vec<_> =
            modes.iter().map(|mode| (mode.mode.as_str(), mode.participant_model.as_str())).collect();
        assert_eq!(names, [("macp.mode.decision.v1", "open"), ("macp.mode.multi_round.v1", "closed")]);
        assert_eq!(client.list_roots(ListRootsRequest {}).await.unwrap().into_inner().roots, []);
        let watched = client.watch_mode_registry(WatchModeRegistryRequest {}).await.unwrap_err();
        assert_eq!(watched.code(), Code::Unimplemented);
        assert_eq!(client.watch_roots(WatchRootsRequest {}).await.unwrap_err().code(), Code::Unimplemented);
    });
}

#[test]
fn a_decision_is_held_from_its_start_to_its_commitment() {
    let fixture = TestStation::open();
    let payload = SessionStartPayload {
        mode_version: "1.0.0".to_owned(),
        configuration_version: "c1".to_owned(),
        policy_version: "p1".to_owned(),
        ttl_ms: 86_400_000,
        ..SessionStartPayload::default()
    };
    let ack = fixture.start("s", "decision", &payload);
    assert!(ack.ok && !ack.duplicate && ack.error.is_none());
    assert_eq!(
        (ack.message_id.as_str(), ack.session_id.as_str(), ack.session_state()),
        ("start", "s", SessionState::Open)
    );
    for (id, message_type, sender, payload) in [
        ("m1", "Proposal", "alice", r#"{"proposal_id":"p1","option":"Deploy"}"#),
        ("m2", "Evaluation", "bob", r#"{"proposal_id":"p1","recommendation":"APPROVE","confidence":0.95}"#),
        ("m3", "Objection", "carol", r#"{"proposal_id":"p1","severity":"high","reason":"no review"}"#),
        ("m4", "Vote", "bob", r#"{"proposal_id":"p1","vote":"approve"}"#),
    ] {
        let ack = fixture.say("s", message_type, id, sender, payload);
        assert!(ack.ok, "{message_type}: {:?}", ack.error);
        assert_eq!(ack.session_state(), SessionState::Open);
    }
    let again = fixture.say("s", "Vote", "m4", "bob", "");
    assert!(again.ok && again.duplicate);
    let ended = fixture.say("s", "Commitment", "m5", "alice", r#"{"commitment_id":"c1","action":"go"}"#);
    assert!(ended.ok);
    assert_eq!(ended.session_state(), SessionState::Resolved);
    let late = fixture.say("s", "Vote", "m6", "bob", "{}");
    let error = late.error.clone().unwrap();
    assert_eq!(
        (late.ok, error.code.as_str(), late.session_state()),
        (false, "SESSION_NOT_OPEN", SessionState::Resolved)
    );
    assert_eq!(
        (error.session_id.as_str(), error.message_id.as_str(), error.message.is_empty()),
        ("s", "m6", false)
    );
    let told = fixture.session("s").unwrap();
    assert_eq!((told.mode.as_str(), told.state()), ("decision", SessionState::Resolved));
    assert_eq!(
        (told.mode_version.as_str(), told.configuration_version.as_str(), told.policy_version.as_str()),
        ("1.0.0", "c1", "p1")
    );
    assert_eq!(told.expires_at_unix_ms - told.started_at_unix_ms, 86_400_000);
    assert_eq!(told.started_at_unix_ms, ack.accepted_at_unix_ms);
}

#[test]
fn rounds_are_held_until_all_agree() {
    let fixture = TestStation::open();
    assert!(fixture.start("s", "multi_round", &participants(&["alice", "bob"])).ok);
    let say = |id: &str, sender: &str, value: &str| {
        fixture.say("s", "Contribute", id, sender, &format!(r#"{{"value":"{value}"}}"#))
    };
    assert_eq!(say("m1", "alice", "a").session_state(), SessionState::Open);
    assert_eq!(say("m2", "bob", "b").session_state(), SessionState::Open);
    let stranger = say("m3", "mallory", "a");
    assert_eq!(stranger.error.unwrap().code, "INVALID_ENVELOPE");
    assert_eq!(say("m4", "bob", "a").session_state(), SessionState::Resolved);
}

#[test]
fn sessions_are_cancelled_and_looked_up() {
    let fixture = TestStation::open();
    assert_eq!(fixture.session("s"), Err(Code::NotFound));
    let unknown = fixture.cancel("s", "");
    assert_eq!((unknown.ok, unknown.error.unwrap().code.as_str()), (false, "SESSION_NOT_FOUND"));
    fixture.start("s", "", &SessionStartPayload::default());
    assert_eq!(fixture.session("s").unwrap().mode, "macp.mode.decision.v1");
    for _ in 0..2 {
        let ack = fixture.cancel("s", "enough");
        assert_eq!((ack.ok, ack.session_state()), (true, SessionState::Expired));
    }
    assert_eq!(fixture.session("s").unwrap().state(), SessionState::Expired);
}

#[test]
fn errors_of_the_protocol_come_in_the_ack_and_others_as_a_status() {
    let fixture = TestStation::open();
    let code = |ack: rl_console::macp::proto::v1::Ack| {
        let error = ack.error.unwrap();
        assert!(error.details.is_empty(), "{error:?}");
        error.code
    };
    let mut wrong = envelope("s", "Vote", "m", "a", "");
    wrong.macp_version = "v1".to_owned();
    assert_eq!(code(fixture.send(wrong)), "UNSUPPORTED_PROTOCOL_VERSION");
    assert_eq!(code(fixture.send(Envelope::default())), "UNSUPPORTED_PROTOCOL_VERSION");
    assert_eq!(code(fixture.say("s", "Vote", "m", "a", "")), "SESSION_NOT_FOUND");
    assert_eq!(code(fixture.send(envelope("s", "SessionStart", "m", "a", vec![0xff]))), "INVALID_ENVELOPE");
    assert_eq!(code(fixture.start("s", "macp.mode.task.v1", &participants(&[]))), "MODE_NOT_SUPPORTED");
    let long = envelope("s", "Vote", "m", "a", vec![0; 4_194_305]);
    assert_eq!(code(fixture.send(long)), "PAYLOAD_TOO_LARGE");
    let mut client = fixture.client.clone();
    let empty = fixture.runtime.block_on(client.send(SendRequest { envelope: None })).unwrap_err();
    assert_eq!(empty.code(), Code::InvalidArgument);
    let long = fixture.send(envelope(&"s".repeat(100_000), "SessionStart", "m", "a", "")).error.unwrap();
    assert!(long.code == "INVALID_ENVELOPE" && long.message.contains("limits.macp.id_bytes_max"), "{long:?}");
    // No session has such an id.
    let long = "s".repeat(100_000);
    let unknown = fixture
        .runtime
        .block_on(client.get_session(GetSessionRequest { session_id: long.clone() }))
        .unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
    assert!(unknown.message().len() < 1_024, "it goes into a header");
    let unknown = fixture.cancel(&long, "");
    assert_eq!(
        (unknown.session_id.as_str(), code(unknown.clone()).as_str()),
        (long.as_str(), "SESSION_NOT_FOUND")
    );
    assert!(fixture.send(envelope("", "Signal", "m", "a", Bytes::from_static(b"\xff\x00"))).ok);
}

#[test]
fn the_sweep_ends_sessions_that_nobody_asks_for() {
    let fixture = TestStation::open();
    fixture.start("s", "", &SessionStartPayload { ttl_ms: 1, ..SessionStartPayload::default() });
    fixture.until("the end of the session", || {
        let snapshot = fixture.runtime.block_on(fixture.port().snapshot()).unwrap();
        snapshot.macp.totals.expired == 1
    });
    let late = fixture.say("s", "Vote", "m", "a", "");
    assert_eq!(
        (late.error.unwrap().code.as_str(), late.session_state),
        ("SESSION_NOT_OPEN", SessionState::Expired as i32)
    );
}
