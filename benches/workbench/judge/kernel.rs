//! The coordination runtime, with 10,000 open sessions that evaluate a proposal.

use bytes::Bytes;
use prost::Message as _;
use rl_console::{
    judged::Judged,
    limits,
    macp::{
        Request, Rpc, Stand, Verdict,
        kernel::{Input, Kernel, Lookup, Output},
        proto::v1::{Envelope, SendRequest, SessionStartPayload},
    },
    tap::entry::Verdict as AnyVerdict,
    time::Now,
};

use super::{Core, FRAME_BYTES};
use crate::Result;

const SESSIONS: u64 = 10_000;

pub(super) struct Macp {
    kernel: Kernel,
    limits: limits::Macp,
    now: Now,
}

impl Macp {
    pub(super) fn new() -> Result<Self> {
        let limits = limits::Macp {
            session_messages_max: u64::MAX,
            session_bytes_max: u64::MAX,
            bytes_max: u64::MAX,
            unsaved_bytes_max: u64::MAX,
            ..limits::Macp::default()
        };
        let now = Now::at_ms(1);
        let mut it = Self { kernel: Kernel::new(Now::at_ms(0), limits), limits, now };
        for session in 0..SESSIONS {
            let start = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
            let start = request(session, "decision", "SessionStart", "a", start.encode_to_vec().into());
            let proposal = r#"{"proposal_id":"p","option":"go"}"#;
            let proposal = request(session, "", "Proposal", "a", Bytes::from_static(proposal.as_bytes()));
            if !(it.send(&start) && it.send(&proposal)) {
                return Err(format!("session {session} does not begin").into());
            }
        }
        Ok(it)
    }

    /// Hands in a request; whether it was taken.
    fn send(&mut self, bytes: &Bytes) -> bool {
        let Ok(Request::Message { envelope, bytes }) = Request::read(Rpc::Send, bytes, &self.limits) else {
            return false;
        };
        let input = Input::Message {
            envelope: &envelope,
            bytes,
            parsed: None,
            peer_sessions: 0,
            lookup: Lookup::NotAsked,
            traceparent: None,
        };
        self.kernel.handle(self.now, &input);
        let mut was_taken = false;
        while let Some(output) = self.kernel.poll_output() {
            was_taken |= matches!(output, Output::Persist { .. });
        }
        was_taken
    }
}

fn request(session: u64, mode: &str, message_type: &str, sender: &str, payload: Bytes) -> Bytes {
    numbered(session, 0, mode, message_type, sender, payload)
}

fn numbered(
    session: u64,
    number: u64,
    mode: &str,
    message_type: &str,
    sender: &str,
    payload: Bytes,
) -> Bytes {
    let envelope = Envelope {
        macp_version: "1.0".to_owned(),
        mode: mode.to_owned(),
        message_type: message_type.to_owned(),
        message_id: format!("{message_type} {number:08}"),
        session_id: format!("session {session:05}"),
        sender: sender.to_owned(),
        timestamp_unix_ms: 0,
        payload,
    };
    SendRequest { envelope: Some(envelope) }.encode_to_vec().into()
}

/// An evaluation in one of the sessions, all of them in turn.
fn evaluation(number: u64) -> Bytes {
    let frame = |reason: &str| {
        let payload = format!(
            r#"{{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9,"reason":"{reason}"}}"#
        );
        numbered(number * 101 % SESSIONS, number, "", "Evaluation", "b", payload.into())
    };
    // Three lengths before it take a byte more each.
    frame(&"x".repeat(FRAME_BYTES - frame("").len() - 3))
}

impl Core for Macp {
    fn name(&self) -> String {
        format!("MACP, an evaluation among {SESSIONS} sessions")
    }

    fn frame_bytes(&self) -> usize {
        evaluation(1).len()
    }

    fn judge(&self, number: u64) -> Judged {
        let stand = Stand::new(Rpc::Send);
        self.kernel.judge(self.now, &stand, &evaluation(number), 0, Lookup::NotAsked)
    }

    fn would_take(judged: &Judged) -> bool {
        matches!(judged.verdict, Ok(AnyVerdict::Macp(Verdict::Accepted)))
    }

    fn handle(&mut self, number: u64) -> bool {
        self.send(&evaluation(number))
    }
}
