//! Frames of ours that are put into the adapter's connection.

use rl_console::{
    judged::{Certainty, Doubt, Judged, Pending},
    mpp::Stand,
    tap::entry,
};

use crate::harness::{TestBridge, judged::says_no_token};

fn judge(world: &TestBridge, stand: &Stand, line: &str) -> Judged {
    let judged = world.bridge.judge(world.now, stand, format!("{line}\n").as_bytes());
    assert_eq!(judged.verdict, Ok(entry::Verdict::Sent), "{line}");
    assert_eq!((judged.certainty, judged.taken_bytes), (Certainty::ThePeers, line.len() + 1));
    assert_eq!(judged.doubts, [Doubt::Peer, Doubt::Transport]);
    assert!(judged.answers.is_empty() && judged.ends.is_none());
    says_no_token(&judged);
    judged
}

#[test]
fn what_hangs_on_a_frame_is_said_as_far_as_the_bridge_knows() {
    let (mut world, conn) = TestBridge::connected();
    for event in ["free", "spawn", "spawn"] {
        world.enqueue(event, "{}");
    }
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"boss"}"#);
    world.line(conn, r#"{"mpp":2,"type":"failed","id":2,"reason":"x"}"#);
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"boss"}"#);
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"default"}"#);
    let stand = Stand::Towards(conn);
    let invocation = |id: u64| {
        format!(r#"{{"mpp":2,"type":"invocation","id":{id},"queue":"default","event":"free","params":{{}}}}"#)
    };
    let both = "2 in flight would be requeued";
    let cases = [
        (
            invocation(46),
            format!("46 is not dispatched here: an answer to it would end the adapter's connection; {both}"),
        ),
        (invocation(2), format!("2 has ended: an answer to it would end the adapter's connection; {both}")),
        (
            invocation(1),
            "1 is dispatched already: its first answer counts, a second may end the connection".to_owned(),
        ),
        (
            r#"{"mpp":2,"type":"protocol_error","code":"INVALID_FRAME","message":"<raw-token>"}"#.to_owned(),
            format!("by mpp-v2 the adapter closes; {both}"),
        ),
        (
            r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"a","session_id":1}"#.to_owned(),
            format!("a second hello_ack: the adapter may close; {both}"),
        ),
        (
            r#"{"mpp":2,"type":"pull","queue":"<raw-token>"}"#.to_owned(),
            format!(
                "no frame of the bridge (a type that only the adapter sends): the adapter may close; {both}"
            ),
        ),
    ];
    for (line, effect) in cases {
        let judged = judge(&world, &stand, &line);
        assert_eq!((judged.effect, judged.is_harmful), (Some(effect), true), "{line}");
        assert_eq!(judged.to, [format!("127.0.0.1:{}", 50_000 + conn.0)]);
    }
    let heartbeat = judge(&world, &stand, r#"{"mpp":2,"type":"heartbeat"}"#);
    assert_eq!((heartbeat.effect, heartbeat.is_harmful), (None, false));
    let named = judge(&world, &stand, &invocation(46).replace("default", "<raw-token>"));
    assert!(matches!(named.head, entry::Head::Mpp(head) if head.id.is_some_and(|id| id.0 == 46)));
    world.line(conn, r#"{"mpp":2,"type":"applied","id":3,"result":null}"#);
    let effect = "3 is applied: applied once more would end the adapter's connection; \
                  1 in flight would be requeued, 1 would stay applied";
    assert_eq!(judge(&world, &stand, &invocation(3)).effect.as_deref(), Some(effect));
}

#[test]
fn bytes_that_are_no_frame_of_the_bridge_say_where() {
    let (mut world, conn) = TestBridge::connected();
    let judged = judge(&world, &Stand::Towards(conn), r#"{"mpp":2,"type":"invocation","id":"1"}"#);
    let shortfall = judged.shortfall.unwrap();
    assert_eq!((shortfall.byte, shortfall.got.as_str()), (34, "a string"));
    let large = world.bridge.judge(world.now, &Stand::Towards(conn), &vec![b' '; 65_536]);
    assert!(large.shortfall.is_some() && large.effect.unwrap().contains("the adapter closes"));
    let pending = world.bridge.judge(world.now, &Stand::Towards(conn), b"{");
    let if_cut = "the adapter is left with an unfinished line";
    assert_eq!(pending.verdict, Err(Pending { missing_bytes: Some(1), if_cut }));
    assert_eq!(pending.certainty, Certainty::ThePeers);
    let guest = world.open();
    let early = judge(&world, &Stand::Towards(guest), r#"{"mpp":2,"type":"heartbeat"}"#);
    assert_eq!(early.to, [format!("127.0.0.1:{}", 50_000 + guest.0)]);
    let hello = r#"{"mpp":2,"type":"hello_ack","ok":false,"reason":"invalid_token"}"#;
    let refused = judge(&world, &Stand::Towards(guest), hello);
    assert_eq!(refused.effect.as_deref(), Some("by mpp-v2 the adapter closes before its hello is accepted"));
}
