//! The decision about a line, made without changing anything: `judge` and `handle` share it.

use std::{ops::Range, sync::Arc};

use super::core::Bridge;
use crate::{
    ids::{ConnectionId, InvocationId, Peer, QueueName, StateKey, TraceId},
    limits::MPP_FRAME_BYTES_MAX,
    mpp::{
        connection::{ActiveAdapter, Secret, TokenHash, shared},
        frame::{Inbound, Phase, decode, token_ranges},
        invocation::Step,
    },
    schema::JsonText,
    tap::entry::{
        Redaction,
        mpp::{Fault, FrameType, Head, Level, Verdict, Violation},
    },
    time::Now,
    words::cut_marked,
};

/// Bytes of a `protocol_error`'s message.
const MESSAGE_BYTES_MAX: u64 = 1_024;

/// What was made of one line, and what follows.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) conn: ConnectionId,
    pub(super) head: Head,
    pub(super) verdict: Verdict,
    pub(super) redaction: Redaction,
    pub(super) trace: Option<TraceId>,
    /// The lent token that it uses up.
    pub(super) spends: Option<TokenHash>,
    pub(super) action: Action,
}

/// What follows from a line.
#[derive(Debug)]
pub(super) enum Action {
    /// Its connection is closed already.
    Nothing,
    /// The connection is ended over it.
    Refuse { fault: Fault, message: String },
    /// The handshake succeeds.
    Welcome { token: Box<Secret> },
    /// A credit is parked.
    Park { queue: QueueName },
    /// Receipt is logged.
    Ack { id: InvocationId },
    /// dispatched → applied.
    Applied { id: InvocationId, result: Option<JsonText> },
    /// applied → done.
    Done { id: InvocationId },
    /// → failed or refunded.
    Failed { id: InvocationId, reason: Arc<str>, refund: bool },
    /// The adapter is still there.
    Alive,
    /// A line for the log.
    Log { level: Level, text: Arc<str> },
    /// A pack-state value.
    Write { key: StateKey, value: JsonText, scope: Option<String> },
    /// The adapter gave up.
    AdapterError { text: Arc<str> },
}

/// A breach and how it is put to the adapter.
#[derive(Debug)]
pub(super) struct Breach {
    pub(super) violation: Violation,
    pub(super) message: String,
}

impl From<Violation> for Breach {
    fn from(violation: Violation) -> Self {
        Self { violation, message: violation.to_string() }
    }
}

impl Bridge {
    pub(super) fn decide(&self, now: Now, conn: ConnectionId, wire: &[u8]) -> Decision {
        if let Some(active) = self.active.as_ref().filter(|active| active.conn == conn) {
            return self.decide_later(active, wire);
        }
        if let Some(guest) = self.unauthenticated.get(&conn) {
            return self.decide_first(now, conn, (Some(&guest.peer), None), wire);
        }
        // A hello may come too late as well: nothing of it is kept.
        Decision {
            conn,
            head: Head::default(),
            verdict: Verdict::TooLate,
            redaction: Redaction::Withheld,
            trace: None,
            spends: None,
            action: Action::Nothing,
        }
    }

    /// What follows from a line that did not become whole in time.
    pub(super) fn decide_slow(&self, conn: ConnectionId, wire: &[u8]) -> Decision {
        let redaction = match self.active.as_ref().filter(|active| active.conn == conn) {
            Some(active) => redact_cut(&active.token, wire),
            None => Redaction::Withheld,
        };
        refused(conn, Head::default(), redaction, &Violation::TooSlow.into())
    }

    /// What follows from the first line of a connection; without a peer it is one that is not there yet. What
    /// it shows in place of a token that will be lent is taken for one.
    pub(super) fn decide_first(
        &self,
        now: Now,
        conn: ConnectionId,
        (peer, lending): (Option<&Peer>, Option<&str>),
        wire: &[u8],
    ) -> Decision {
        let redaction = token_ranges(wire).map_or(Redaction::Withheld, masked);
        if is_too_large(wire) {
            return refused(conn, Head::default(), Redaction::Withheld, &Violation::TooLarge.into());
        }
        let frame = match decode(wire, Phase::First) {
            Ok(frame) => frame,
            Err(refusal) => {
                // Whose token it may hold is not known: nothing that the peer chose is kept or said back.
                let head = Head { kind: refusal.head.kind, ..Head::default() };
                let message = match refusal.fault {
                    Fault::Protocol { violation, .. } => violation.to_string(),
                    Fault::Hello(_) | Fault::ByAdapter => String::new(),
                };
                return refuse(conn, head, redaction, refusal.fault, &message);
            }
        };
        let head = frame.head();
        let Inbound::Hello { pack_id, manifest_hash, bridge_token } = frame else {
            return refused(conn, head, Redaction::Withheld, &Violation::HelloFirst.into());
        };
        let spends = self.lent_token(now, peer, &bridge_token);
        let is_lent = spends.is_some() || lending == Some(&*bridge_token);
        if let Err(reason) = self.check_hello(&pack_id, &manifest_hash, &bridge_token, is_lent) {
            return Decision { spends, ..refuse(conn, head, redaction, Fault::Hello(reason), "") };
        }
        let action = Action::Welcome { token: Box::new(Secret::new(&bridge_token)) };
        Decision { conn, head, verdict: Verdict::Accepted, redaction, trace: None, spends, action }
    }

    pub(super) fn decide_later(&self, active: &ActiveAdapter, wire: &[u8]) -> Decision {
        let conn = active.conn;
        let token = &active.token;
        if is_too_large(wire) {
            return refused(conn, Head::default(), redact_cut(token, wire), &Violation::TooLarge.into());
        }
        let redaction =
            if token.hides_in(wire) { Redaction::Withheld } else { redact_ranges(token.token_ranges(wire)) };
        let frame = match decode(wire, Phase::Later) {
            Ok(frame) => frame,
            Err(refusal) => {
                let message = token.mask(&refusal.message);
                return refuse(conn, token.mask_head(refusal.head), redaction, refusal.fault, &message);
            }
        };
        let mut head = Head { kind: Some(frame.kind()), id: frame.id(), queue: None, event: None };
        let mut trace = None;
        if let Some(live) = head.id.and_then(|id| self.live.get(&id)) {
            head.queue = Some(live.queue.clone());
            trace = Some(live.trace);
        }
        match self.decide_frame(active, frame, &mut head) {
            Ok(action) => {
                let verdict = match action {
                    Action::AdapterError { .. } => Verdict::Refused(Fault::ByAdapter),
                    _ => Verdict::Accepted,
                };
                Decision { conn, head, verdict, redaction, trace, spends: None, action }
            }
            Err(mut breach) => {
                breach.message = token.mask(&breach.message).into_owned();
                Decision { trace, ..refused(conn, token.mask_head(head), redaction, &breach) }
            }
        }
    }

    fn decide_frame(
        &self,
        active: &ActiveAdapter,
        frame: Inbound<'_>,
        head: &mut Head,
    ) -> Result<Action, Breach> {
        let token = &active.token;
        match frame {
            Inbound::Pull { queue } => self.decide_pull(&queue, head),
            Inbound::Ack { id } => self.step(active, id, Step::Ack).map(|()| Action::Ack { id }),
            Inbound::Applied { id, result } => {
                self.step(active, id, Step::Applied)?;
                Ok(Action::Applied {
                    id,
                    result: result.map(|raw| token.mask_json(&JsonText::from_raw(raw))),
                })
            }
            Inbound::Done { id } => self.step(active, id, Step::Done).map(|()| Action::Done { id }),
            Inbound::Failed { id, reason, refund } => {
                self.step(active, id, Step::Failed { refund })?;
                Ok(Action::Failed { id, reason: shared(&token.mask(&reason)), refund })
            }
            Inbound::Heartbeat => Ok(Action::Alive),
            Inbound::Log { level, message } => Ok(Action::Log { level, text: shared(&token.mask(&message)) }),
            Inbound::StateWrite { key, value, scope } => {
                let value = token.mask_json(&JsonText::from_raw(value));
                let scope = scope.map(|scope| token.mask(&scope).into_owned());
                self.decide_write(&key, value, scope)
            }
            Inbound::ProtocolError { code, message } => {
                let text = format!("protocol_error {code}: {message}");
                Ok(Action::AdapterError { text: shared(&token.mask(&text)) })
            }
            // The reader takes no hello in this phase.
            Inbound::Hello { .. } => Err(Violation::SecondHello.into()),
        }
    }

    fn decide_pull(&self, name: &str, head: &mut Head) -> Result<Action, Breach> {
        let declared = self.queues.get_key_value(name).filter(|(_, queue)| queue.ready_after.is_some());
        let Some((queue_name, queue)) = declared else {
            if name.len() <= crate::limits::QUEUE_NAME_BYTES_MAX {
                head.queue = Some(QueueName::new(name));
            }
            return Err(Breach {
                violation: Violation::NoSuchQueue,
                message: format!("the manifest has no queue '{name}'"),
            });
        };
        head.queue = Some(queue_name.clone());
        queue.check_pull()?;
        Ok(Action::Park { queue: queue_name.clone() })
    }

    /// Whether a frame about an invocation may come now (mpp-v2, error scenarios; ruling MPP 8).
    fn step(&self, active: &ActiveAdapter, id: InvocationId, step: Step) -> Result<(), Breach> {
        match self.live.get(&id).filter(|live| live.conn == Some(active.conn)) {
            Some(live) => Ok(live.check(step)?),
            None if active.ended.contains(id) => Err(Violation::AlreadyEnded.into()),
            None => Err(Violation::NotDispatchedHere.into()),
        }
    }
}

/// What is withheld of a line that was cut.
fn redact_cut(token: &Secret, wire: &[u8]) -> Redaction {
    if token.hides_in_cut(wire) {
        Redaction::Withheld
    } else {
        redact_ranges(token.token_ranges_of_cut(wire))
    }
}

fn refused(conn: ConnectionId, head: Head, redaction: Redaction, breach: &Breach) -> Decision {
    let fault = Fault::Protocol { code: breach.violation.code(), violation: breach.violation };
    refuse(conn, head, redaction, fault, &breach.message)
}

pub(super) fn refuse(
    conn: ConnectionId,
    head: Head,
    redaction: Redaction,
    fault: Fault,
    message: &str,
) -> Decision {
    let message = cut_marked(message, MESSAGE_BYTES_MAX).into_owned();
    Decision {
        conn,
        head,
        verdict: Verdict::Refused(fault),
        redaction,
        trace: None,
        spends: None,
        action: Action::Refuse { fault, message },
    }
}

fn is_too_large(wire: &[u8]) -> bool {
    wire.len() > MPP_FRAME_BYTES_MAX || (wire.len() == MPP_FRAME_BYTES_MAX && !wire.ends_with(b"\n"))
}

fn masked(places: Vec<Range<u32>>) -> Redaction {
    Redaction::Masked(places.into())
}

fn redact_ranges(places: Vec<Range<u32>>) -> Redaction {
    if places.is_empty() { Redaction::None } else { masked(places) }
}

/// The head of a frame of ours.
pub(super) fn head_of(kind: FrameType) -> Head {
    Head { kind: Some(kind), ..Head::default() }
}
