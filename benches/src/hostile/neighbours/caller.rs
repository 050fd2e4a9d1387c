//! A caller of the MACP port: evaluations in a decision of its own.

use std::{net::SocketAddr, time::Duration};

use color_eyre::eyre::{Result, ensure, eyre};
use prost::Message as _;
use rl_console_benches::{
    calls::Client as Calls,
    v1::{Envelope, SessionStartPayload},
};
use tokio::{runtime::Runtime, task::LocalSet, time::timeout};

use super::{ANSWER_MAX, Client};

pub(super) const EVERY: Duration = Duration::from_millis(10);
const TTL_MS: i64 = 86_400_000;

pub(super) struct Caller {
    addr: SocketAddr,
    session: String,
    calls: Option<Calls>,
    sent: u64,
    runtime: Runtime,
    local: LocalSet,
}

impl Caller {
    pub(super) fn new(addr: SocketAddr) -> impl FnOnce() -> Result<Self> {
        move || {
            Ok(Self {
                addr,
                session: format!("neighbour {:032x}", fastrand::u128(..)),
                calls: None,
                sent: 0,
                runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
                local: LocalSet::new(),
            })
        }
    }

    fn say(&mut self, message_type: &str, id: String, payload: Vec<u8>) -> Result<()> {
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            mode: "macp.mode.decision.v1".to_owned(),
            message_type: message_type.to_owned(),
            message_id: id,
            session_id: self.session.clone(),
            sender: "neighbour".to_owned(),
            payload: payload.into(),
            ..Envelope::default()
        };
        let calls = self.calls.as_mut().ok_or_else(|| eyre!("the caller is not connected"))?;
        let answer =
            self.local.block_on(&self.runtime, async { timeout(ANSWER_MAX, calls.send(envelope)).await });
        let ack = answer.map_err(|_| eyre!("no answer in {ANSWER_MAX:?}"))??;
        ensure!(ack.ok, "the runtime refused: {:?}", ack.error);
        Ok(())
    }
}

impl Client for Caller {
    fn connect(&mut self) -> Result<()> {
        let connecting = Calls::connect(self.addr);
        let connected = self.local.block_on(&self.runtime, async { timeout(ANSWER_MAX, connecting).await });
        self.calls = Some(connected.map_err(|_| eyre!("not connected in {ANSWER_MAX:?}"))??);
        let start = SessionStartPayload {
            intent: "to be left in peace".to_owned(),
            ttl_ms: TTL_MS,
            ..SessionStartPayload::default()
        };
        // Where the session is open already, this is a duplicate.
        self.say("SessionStart", "start".to_owned(), start.encode_to_vec())?;
        self.say("Proposal", "proposal".to_owned(), br#"{"proposal_id":"p","option":"one"}"#.to_vec())
    }

    fn turn(&mut self) -> Result<()> {
        self.sent += 1;
        // Of a sender, an evaluation may follow the other, as a vote may not.
        let evaluation =
            br#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9,"reason":"well"}"#;
        self.say("Evaluation", format!("evaluation {}", self.sent), evaluation.to_vec())
    }
}
