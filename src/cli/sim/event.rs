//! What a simulated adapter tells of itself, a line an event.

use serde::Serialize;

use crate::{
    cli::table::visible,
    ids::{InvocationId, QueueName, SessionId, StateKey},
    schema::JsonText,
    words::counted,
};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The station's port answers.
    Connected { addr: String },
    /// The handshake succeeded.
    HelloAck { broadcaster_login: String, session_id: SessionId, persisted: usize },
    /// The handshake was refused.
    HelloRefused { reason: String },
    /// A credit was granted.
    Pull { queue: QueueName },
    /// There is work.
    Invocation { id: InvocationId, queue: QueueName, name: String },
    /// Its effect is in the game.
    Applied { id: InvocationId },
    /// It is finished.
    Done { id: InvocationId },
    /// It is not done.
    Failed { id: InvocationId, reason: &'static str, refund: bool },
    /// A pack-state value was written.
    StateWrite { key: StateKey, value: JsonText },
    /// A line was logged.
    Log { message: String },
    /// What was logged by the flood lately: fewer than asked where the station or this process could not keep
    /// up.
    Flooded { logs: u64, asked: u64, ms: u64 },
    /// We are still here.
    Heartbeat,
    /// The station is still here.
    HeardHeartbeat,
    /// The station ended the connection over a frame of ours.
    ProtocolError { code: String, message: String },
    /// We ended the connection over a frame of the station's.
    Refused { message: String },
    /// The connection is gone.
    Disconnected { why: String },
    /// It is tried again.
    Reconnecting { in_ms: u64 },
    /// That was all.
    Ended {
        done: u64,
        failed: u64,
        refunded: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        logs: Option<u64>,
    },
}

impl Event {
    /// The line for people.
    pub(crate) fn line(&self) -> String {
        visible(&match self {
            Self::Connected { addr } => format!("connected to {addr}"),
            Self::HelloAck { broadcaster_login, session_id, persisted } => {
                format!(
                    "accepted as adapter for {broadcaster_login} (session {session_id}, {} restored)",
                    counted(*persisted, "value")
                )
            }
            Self::HelloRefused { reason } => format!("refused: {reason}"),
            Self::Pull { queue } => format!("pull       {queue}"),
            Self::Invocation { id, queue, name } => format!("invocation {id} {name} on {queue}"),
            Self::Applied { id } => format!("applied    {id}"),
            Self::Done { id } => format!("done       {id}"),
            Self::Failed { id, reason, refund } => {
                format!("failed     {id} {reason}{}", if *refund { " (with a refund)" } else { "" })
            }
            Self::StateWrite { key, value } => format!("state      {key} = {value}"),
            Self::Log { message } => format!("log        {message}"),
            Self::Flooded { logs, asked, ms } => {
                format!("flood      {logs} logs in {ms} ms ({asked} requested)")
            }
            Self::Heartbeat => "heartbeat".to_owned(),
            Self::HeardHeartbeat => "heartbeat from the station".to_owned(),
            Self::ProtocolError { code, message } => format!("station closed it: {code}: {message}"),
            Self::Refused { message } => format!("closed by us: {message}"),
            Self::Disconnected { why } => format!("disconnected: {why}"),
            Self::Reconnecting { in_ms } => format!("reconnecting in {in_ms} ms"),
            Self::Ended { done, failed, refunded, logs } => {
                let logs = logs.map_or_else(String::new, |logs| format!(", {logs} logs"));
                format!("ended: {done} done, {failed} failed, {refunded} refunded{logs}")
            }
        })
    }
}
