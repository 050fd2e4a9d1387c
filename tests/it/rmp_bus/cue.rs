//! What the cue token opens (ruling RMP 6): invocations, runs, and nothing else.

use rl_console::{
    limits::Limits,
    port::PortError,
    station::{Address, RemotePort, bus::TokenKind},
    time::Clock,
};

use super::{Bus, Peer, frames};
use crate::real::{Station, cli, json};

#[test]
fn a_cue_token_enqueues_and_does_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let _station = Station::start(folder.path());
    let token = folder.path().join("cue.token");
    let token = token.to_str().unwrap();
    let rows =
        json(folder.path(), &["invoke", "give_item", "--params", r#"{"item_id":4}"#, "--token-file", token]);
    assert!(rows[0]["id"].is_u64(), "{rows:?}");
    for args in
        [&["ls", "invocations"][..], &["kick", "peer", "1"], &["hold"], &["cancel", "invocation", "1"]]
    {
        let output = cli(folder.path(), &[&["--token-file", token], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
    }
    assert_eq!(json(folder.path(), &["ls", "invocations"]).len(), 1);
}

#[test]
fn a_cue_hears_answers_of_the_control_plane_and_nothing_else() {
    let bus = Bus::open();
    let (mut cue, mut agent) =
        (Peer::greeted(&bus.path(), "cue", Some(&bus.token(TokenKind::Cue))), bus.agent());
    cue.subscribe(1, "**");
    agent.subscribe(1, "rlp/ctrl");
    let request = |msg_id, trace: u128| {
        let id = rmpv::Value::Binary(trace.to_be_bytes().to_vec());
        let fields =
            frames::map(vec![("request_id", id), ("agents", rmpv::Value::Array(vec!["writer".into()]))]);
        let body = frames::body("intent.ctrl.request.v1", frames::map(vec![("DescribeAgents", fields)]));
        frames::frame(
            frames::Header {
                schema_id: 2_001,
                created_at_ms: 1,
                ttl_ms: u64::MAX - 2,
                trace_id: trace,
                msg_id,
            },
            &body,
        )
    };
    for topic in ["a", "agent/writer", "rlp/runs/trace:1/agents/writer/1"] {
        agent.publish(topic, true, &frames::message(1, "x"));
        while agent.hear().schema_id() != 9 {}
    }
    agent.publish("rlp/ctrl", false, &request(2, 71));
    cue.publish("rlp/ctrl", false, &request(1, 72));
    let mut heard: Vec<_> = (0..2)
        .map(|_| cue.delivered())
        .map(|(_, topic, frame)| (topic, frame.schema_id(), frame.trace_id()))
        .collect();
    heard.sort_unstable();
    assert_eq!(heard, [("rlp/ctrl".to_owned(), 2_002, 71), ("rlp/ctrl".to_owned(), 2_002, 72)]);
}

#[test]
fn a_cue_attaches_no_console() {
    let bus = Bus::open();
    let folder = bus.folder.path().to_path_buf();
    let find = Box::new(move || Address::of_data(&folder)?.with_token_of(&folder.join("cue.token")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refused = runtime.block_on(RemotePort::attach(find, Clock::start(), Limits::default())).unwrap_err();
    assert!(matches!(&refused, PortError::Forbidden { kind, .. } if kind == "cue"), "{refused}");
}
