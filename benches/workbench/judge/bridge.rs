//! The bridge, with an adapter that logs.

use std::sync::Arc;

use rl_console::{
    admission::{Origin, Tally},
    ids::{ConnectionId, Peer, SessionId},
    judged::Judged,
    limits,
    mpp::{Bridge, Input, Output, Settings, Stand, TokenHash, manifest::Pack},
    store::op::Restored,
    tap::entry::{Verdict as AnyVerdict, mpp::Verdict},
    time::Now,
};

use super::{Core, FRAME_BYTES};
use crate::Result;

const CONN: ConnectionId = ConnectionId(1);
const TOKEN: &str = "token";

pub(super) struct Mpp {
    bridge: Bridge,
    now: Now,
    wire: Vec<u8>,
}

impl Mpp {
    pub(super) fn new() -> Result<Self> {
        let (now, pack) = (Now::at_ms(0), Arc::new(Pack::sample()));
        let settings = Settings {
            pack: Arc::clone(&pack),
            broadcaster_login: "bench".to_owned(),
            session_id: SessionId(1),
            token_sha256: Some(TokenHash::of(TOKEN)),
            limits: limits::Mpp::default(),
            tally: Tally::default(),
            ids: Box::new(uuid::Uuid::now_v7),
        };
        let mut bridge = Bridge::new(settings, Restored::default(), now);
        bridge.handle(now, Input::Opened { conn: CONN, peer: Peer::new("bench"), origin: Origin::Unknown });
        let hello = serde_json::json!({
            "mpp": 2, "type": "hello", "pack_id": pack.id.as_str(), "manifest_hash": pack.hash.as_str(),
            "bridge_token": TOKEN,
        });
        bridge.handle(now, Input::Line { conn: CONN, wire: format!("{hello}\n").as_bytes() });
        while bridge.poll_output().is_some() {}
        if bridge.adapter().is_none() {
            return Err("the adapter is not connected".into());
        }
        let frame = |message: &str| {
            let frame = serde_json::json!({"mpp": 2, "type": "log", "level": "info", "message": message});
            format!("{frame}\n").into_bytes()
        };
        let room = FRAME_BYTES - frame("").len();
        Ok(Self { bridge, now, wire: frame(&"x".repeat(room)) })
    }
}

impl Core for Mpp {
    fn name(&self) -> String {
        "MPP, a log line".to_owned()
    }

    fn frame_bytes(&self) -> usize {
        self.wire.len()
    }

    fn judge(&self, _number: u64) -> Judged {
        self.bridge.judge(self.now, &Stand::Connection(CONN), &self.wire)
    }

    fn would_take(judged: &Judged) -> bool {
        judged.verdict == Ok(AnyVerdict::Mpp(Verdict::Accepted))
    }

    fn handle(&mut self, _number: u64) -> bool {
        self.bridge.handle(self.now, Input::Line { conn: CONN, wire: &self.wire });
        let mut was_taken = false;
        while let Some(output) = self.bridge.poll_output() {
            was_taken |= matches!(output, Output::Received { verdict: Verdict::Accepted, .. });
        }
        was_taken
    }
}
