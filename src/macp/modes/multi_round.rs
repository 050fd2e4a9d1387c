//! The Multi-Round Mode (macp-v1, Multi-Round Mode Specification): participants contribute until all their
//! values are equal.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Coordination, Message, Parsed, Participants, Rejection, Response, Room, json::object};

/// The one strategy there is.
const CONVERGENCE_TYPE: &str = "all_equal";

/// The one message that the mode knows.
const CONTRIBUTE: &str = "Contribute";

/// The mode.
#[derive(Clone, Copy, Debug)]
pub struct MultiRoundMode;

/// What a payload of the mode's message is found to be.
pub(super) fn parse(message_type: &str, payload: &[u8]) -> Option<Parsed> {
    (message_type == CONTRIBUTE).then(|| Parsed::object::<ContributePayload>(payload))
}

/// The state of the rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MultiRoundState {
    /// The round: how often a value was new.
    pub round: u64,
    /// The value of each who contributed.
    pub contributions: BTreeMap<Box<str>, Arc<str>>,
    /// How many hold each value, so that looking for agreement costs the same however many there are.
    value_counts: HashMap<Arc<str>, usize>,
}

/// A contribution, and the round after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// Whose.
    pub sender: Box<str>,
    /// The value.
    pub value: Box<str>,
    /// The round after it.
    pub round: u64,
}

#[derive(Clone, Deserialize)]
struct ContributePayload {
    value: Box<str>,
}

#[derive(Serialize)]
struct Resolution<'a> {
    converged_value: &'a str,
    round: u64,
    final_values: BTreeMap<&'a str, &'a str>,
}

impl Coordination for MultiRoundMode {
    type State = MultiRoundState;
    type Delta = Contribution;

    fn on_session_start(participants: &Participants) -> Result<MultiRoundState, Rejection> {
        if participants.is_open() {
            return Err(Rejection::payload("a multi-round session needs participants"));
        }
        Ok(MultiRoundState::default())
    }

    fn on_message(
        state: &MultiRoundState,
        participants: &Participants,
        message: Message<'_>,
    ) -> Result<Response<Contribution>, Rejection> {
        if message.message_type != CONTRIBUTE {
            return Ok(Response::NoOp);
        }
        let ContributePayload { value } = object(&message)?;
        let is_new = state.contributions.get(message.sender).is_none_or(|before| **before != *value);
        let round = state.round + u64::from(is_new);
        let resolution = state.resolution(participants, message.sender, &value, round);
        let delta = Contribution { sender: Box::from(message.sender), value, round };
        Ok(match resolution {
            Some(resolution) => Response::PersistAndResolve { delta, resolution },
            None => Response::Persist(delta),
        })
    }

    fn apply(state: &mut MultiRoundState, Contribution { sender, value, round }: Contribution) {
        state.round = round;
        let value = state
            .value_counts
            .get_key_value(&*value)
            .map_or_else(|| Arc::from(value), |(known, _)| Arc::clone(known));
        *state.value_counts.entry(Arc::clone(&value)).or_default() += 1;
        if let Some(before) = state.contributions.insert(sender, value)
            && let Some(held) = state.value_counts.get_mut(&before)
        {
            *held -= 1;
            if *held == 0 {
                state.value_counts.remove(&before);
            }
        }
    }
}

impl MultiRoundState {
    /// What the session resolves with, if all participants agree once `sender` says `value`.
    fn resolution(
        &self,
        participants: &Participants,
        sender: &str,
        value: &str,
        round: u64,
    ) -> Option<Bytes> {
        let before = self.contributions.get(sender);
        let others = self.contributions.len() - usize::from(before.is_some());
        let agree = self.value_counts.get(value).copied().unwrap_or_default()
            - usize::from(before.is_some_and(|before| **before == *value));
        if agree != others || others + 1 < participants.different() {
            return None;
        }
        let mut final_values: BTreeMap<&str, &str> =
            self.contributions.iter().map(|(sender, value)| (&**sender, &**value)).collect();
        final_values.insert(sender, value);
        serde_json::to_vec(&Resolution { converged_value: value, round, final_values }).ok().map(Bytes::from)
    }

    /// As JSON, maps in the order of their keys.
    pub(super) fn json(&self, participants: &Participants, room: &mut Room) -> Value {
        let contributions: BTreeMap<&str, &str> = self
            .contributions
            .iter()
            .map(|(sender, value)| (&**sender, &**value))
            .filter(|(sender, value)| room.takes(&[*sender, *value]))
            .collect();
        json!({
            "round": self.round,
            "participants": participants.listed().filter(|name| room.takes(&[*name])).collect::<Vec<_>>(),
            "contributions": contributions,
            "convergence_type": CONVERGENCE_TYPE,
        })
    }
}
