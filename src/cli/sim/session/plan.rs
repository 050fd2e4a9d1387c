//! A session from its beginning to its end.

use std::time::Duration;

use prost::Message as _;
use serde_json::{Value, json};

use super::{super::chance::rng_of, decision, rounds, vocabulary};
use crate::{
    cli::runtime::Message,
    macp::{
        Mode,
        envelope::SESSION_START,
        proto::v1::{Envelope, SessionStartPayload},
    },
    time::Wall,
};

/// The shortest time that a session is given.
const TTL_MS_MIN: u64 = 60_000;
/// The time that a session is given that is left on the way, beside that of its messages.
const ABANDONED_TTL_MS: u64 = 5_000;

/// How simulated participants behave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionProfile {
    /// The modes of the sessions, one after the other.
    pub(crate) modes: &'static [Mode],
    /// How many take part.
    pub(crate) participants: usize,
    /// From one message to the next, half of it more or less.
    pub(crate) pace: Duration,
    /// The share of sessions that are cancelled.
    pub(crate) cancel_rate: f64,
    /// The share of sessions that are left.
    pub(crate) leave_rate: f64,
    /// The seed that everything is drawn from.
    pub(crate) seed: u64,
    /// What ids begin with.
    pub(crate) prefix: String,
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimOutcome {
    /// Its mode resolves it.
    Resolved,
    /// It is cancelled on the way.
    Cancelled,
    /// Nobody goes on, and its time runs out.
    Left,
}

/// A session as it is to be held.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// Its id.
    pub(crate) session: String,
    /// How it is coordinated.
    pub(crate) mode: Mode,
    /// What it is for.
    pub(crate) intent: &'static str,
    /// How it ends.
    pub(crate) outcome: SimOutcome,
    /// The steps, in their order.
    pub(crate) steps: Vec<Step>,
}

/// One thing that is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// How long after the one before.
    pub(crate) after: Duration,
    /// What.
    pub(crate) act: Act,
}

/// An action of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    /// A message is sent.
    Say {
        /// Its type.
        message_type: &'static str,
        /// Its id.
        id: String,
        /// Whose it is.
        sender: String,
        /// What it carries.
        payload: Vec<u8>,
        /// What it says, for people.
        says: String,
    },
    /// The session is cancelled.
    Cancel {
        /// Why.
        reason: &'static str,
    },
}

/// A message of a session, without what all of them share.
pub(super) struct ScriptedMessage {
    pub(super) message_type: &'static str,
    pub(super) who: usize,
    pub(super) payload: Value,
    pub(super) says: String,
}

impl ScriptedMessage {
    pub(super) fn new(message_type: &'static str, who: usize, payload: Value, says: String) -> Self {
        Self { message_type, who, payload, says }
    }
}

impl Plan {
    /// The plan of a session by its number. The same manner gives the same plan.
    pub(crate) fn new(manner: &SessionProfile, number: u64) -> Self {
        let mut rng = rng_of(manner.seed, number);
        let turn = usize::try_from(number % (manner.modes.len().max(1) as u64)).unwrap_or(0);
        let mode = manner.modes.get(turn).copied().unwrap_or(Mode::Decision);
        let (intent, options) =
            vocabulary::TOPICS.get(rng.usize(..vocabulary::TOPICS.len())).copied().unwrap_or_default();
        let mut all = match mode {
            Mode::Decision => decision::messages(manner.participants, options, &mut rng),
            Mode::MultiRound => rounds::messages(manner.participants, options, &mut rng),
        };
        let outcome = draw_outcome(manner, &mut rng);
        if outcome != SimOutcome::Resolved {
            all.truncate(rng.usize(..all.len().max(1)));
        }
        let half = manner.pace / 2;
        let mut pauses = Vec::new();
        for _ in 0..all.len() + 2 {
            pauses.push(if half.is_zero() {
                Duration::ZERO
            } else {
                half + Duration::from_micros(rng.u64(..=micros(half) * 2))
            });
        }
        let took: Duration = pauses.iter().sum();
        let ttl_ms = ttl_ms(took, outcome);
        let session = format!("{}-{}", manner.prefix, number + 1);
        let payload = SessionStartPayload {
            intent: intent.to_owned(),
            participants: (0..manner.participants).map(vocabulary::name).collect(),
            ttl_ms: i64::try_from(ttl_ms).unwrap_or(i64::MAX),
            ..SessionStartPayload::default()
        };
        let start = Act::Say {
            message_type: SESSION_START,
            id: format!("{session}-start"),
            sender: vocabulary::name(0),
            payload: payload.encode_to_vec(),
            says: intent.to_owned(),
        };
        let mut acts = vec![start];
        acts.extend(all.into_iter().zip(1_u32..).map(|(said, number)| Act::Say {
            message_type: said.message_type,
            id: format!("{session}-{number}"),
            sender: vocabulary::name(said.who),
            payload: said.payload.to_string().into_bytes(),
            says: said.says,
        }));
        if outcome == SimOutcome::Cancelled {
            acts.push(Act::Cancel { reason: "we continue without it" });
        }
        let steps = acts.into_iter().zip(pauses).map(|(act, after)| Step { after, act }).collect();
        Self { session, mode, intent, outcome, steps }
    }
}

impl Act {
    /// The envelope of a message of a session; nothing for what is none.
    pub(crate) fn envelope(&self, plan: &Plan, now: Wall) -> Option<Envelope> {
        let Self::Say { message_type, id, sender, payload, .. } = self else { return None };
        let mode = if *message_type == SESSION_START { plan.mode.name().to_owned() } else { String::new() };
        let message = Message {
            mode,
            of_type: (*message_type).to_owned(),
            id: id.clone(),
            session: plan.session.clone(),
            sender: sender.clone(),
            payload: payload.clone(),
        };
        Some(message.envelope(now))
    }
}

fn draw_outcome(manner: &SessionProfile, rng: &mut fastrand::Rng) -> SimOutcome {
    let drawn = rng.f64();
    if drawn < manner.cancel_rate {
        SimOutcome::Cancelled
    } else if drawn < manner.cancel_rate + manner.leave_rate {
        SimOutcome::Left
    } else {
        SimOutcome::Resolved
    }
}

/// Time enough for what is to be said; a session that is left does not stay for long.
fn ttl_ms(took: Duration, fate: SimOutcome) -> u64 {
    let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    match fate {
        SimOutcome::Left => took.saturating_add(ABANDONED_TTL_MS),
        SimOutcome::Resolved | SimOutcome::Cancelled => took.saturating_mul(2).max(TTL_MS_MIN),
    }
    .min(86_400_000)
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

/// One of several.
pub(super) fn one_of<'a>(all: &[&'a str], rng: &mut fastrand::Rng) -> &'a str {
    all.get(rng.usize(..all.len().max(1))).copied().unwrap_or_default()
}

/// An object with a reason where there is one.
pub(super) fn with_reason(mut payload: Value, reason: &str) -> Value {
    if let (Some(fields), false) = (payload.as_object_mut(), reason.is_empty()) {
        fields.insert("reason".to_owned(), json!(reason));
    }
    payload
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
