//! Any frames and units from two sessions, one of each dialect: the broker answers or closes as it was judged
//! before, and what it told can be looked at.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rl_console::{
    admission::{Origin, Tally},
    ids::{ConnectionId, Peer},
    limits,
    rmp::{
        Registry, Stand, Verdict,
        broker::{Broker, InboxCapacity, Input, Output, Settings, Tokens, Wire},
    },
    tap::entry::Verdict as AnyVerdict,
    time::Now,
};

const FRAMES: ConnectionId = ConnectionId(1);
const JSON: ConnectionId = ConnectionId(2);

/// A frame with a header that fits, so that what lies behind its checks is reached.
fn framed(schema_id: u16, body: &[u8]) -> Vec<u8> {
    let len = body.len() as u32;
    let mut wire = (64 + len).to_be_bytes().to_vec();
    wire.extend_from_slice(b"RMP0\0\0\0\x40\0\0\0\0");
    wire.extend_from_slice(&schema_id.to_be_bytes());
    wire.extend_from_slice(&[0, 0]);
    wire.extend_from_slice(&len.to_be_bytes());
    wire.extend_from_slice(&1_u64.to_be_bytes());
    wire.extend_from_slice(&(u64::MAX - 2).to_be_bytes());
    wire.extend_from_slice(&[7; 24]);
    wire.extend_from_slice(&[0; 4]);
    wire.extend_from_slice(body);
    wire
}

/// `{type: "intent.control.v1", payload: …}` with the payload's bytes as they are.
fn control(payload: &[u8]) -> Vec<u8> {
    let head = b"\x82\xa4type\xb1intent.control.v1\xa7payload";
    framed(9, &[&head[..], payload].concat())
}

fn unit(json: &[u8]) -> Vec<u8> {
    [&(json.len() as u32).to_be_bytes()[..], json].concat()
}

/// What was made of what came; all outputs are taken.
fn received(broker: &mut Broker) -> Option<Verdict> {
    let mut found = None;
    while let Some(output) = broker.poll_output() {
        if let Output::Received { verdict, .. } = output {
            found = found.or(Some(verdict));
        }
    }
    found
}

fuzz_target!(|said: Vec<(u8, Vec<u8>)>| {
    let now = Now::at_ms(0);
    let limits = limits::Rmp::default();
    let settings = Settings {
        limits,
        registry: Registry::default(),
        tokens: Tokens::default(),
        server: Arc::from("fuzz"),
        has_station_inbox: true,
        tally: Tally::default(),
    };
    let mut broker = Broker::new(settings, now);
    broker.set_inbox_capacity(InboxCapacity { messages: 8, bytes: 1 << 20 });
    for session in [FRAMES, JSON] {
        broker.handle(now, Input::Opened { session, peer: Peer::new("fuzz"), origin: Origin::Unknown });
    }
    let hello = control(b"\x81\xa5Hello\x83\xa1v\x01\xa6client\xa1x\xa4kind\xa5agent");
    broker.handle(now, Input::Frame { session: FRAMES, frame: Wire::Lent(&hello) });
    broker.handle(now, Input::Unit { session: JSON, unit: &unit(br#"{"Hello":{"kind":"Agent"}}"#) });
    received(&mut broker);
    for (how, bytes) in &said {
        let (session, bytes) = match how % 4 {
            0 => (FRAMES, control(bytes)),
            1 => (FRAMES, framed(u16::from(*how), bytes)),
            2 => (JSON, unit(bytes)),
            _ => (FRAMES, bytes.clone()),
        };
        let judged = broker.judge(now, &Stand::Connection(session), &bytes);
        let _ = broker.judge(now, &Stand::Towards(session), &bytes);
        if session == JSON {
            broker.handle(now, Input::Unit { session, unit: &bytes });
        } else {
            broker.handle(now, Input::Frame { session, frame: Wire::Lent(&bytes) });
        }
        let told = received(&mut broker);
        // What is no whole frame never comes so from the host.
        if how % 4 < 3
            && let (Ok(AnyVerdict::Rmp(judged)), Some(told)) = (judged.verdict, told)
        {
            assert_eq!(judged, told);
        }
    }
    broker.handle(now.after(std::time::Duration::from_secs(60)), Input::Timeout);
    while broker.poll_output().is_some() {}
    let snapshot = broker.snapshot();
    assert!(snapshot.peers.len() <= 2);
});
