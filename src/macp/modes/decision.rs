//! The Decision Mode (macp-v1, Decision Mode Specification; ruling MACP 5).
//!
//! ```text
//! Proposal ──Proposal──▶ Evaluation ◀──Evaluation, Objection, Proposal── Voting ──Commitment──▶ Committed
//!                             └───────────────Vote──────────────────────▶
//! ```

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Coordination, Message, Parsed, Participants, Rejection, Response, Room, json::object};
use crate::macp::Phase;

/// The old form of a resolution: the payload of a `Message`.
const LEGACY_RESOLVE: &[u8] = b"resolve";

const PROPOSAL: &str = "Proposal";
const EVALUATION: &str = "Evaluation";
const OBJECTION: &str = "Objection";
const VOTE: &str = "Vote";
const COMMITMENT: &str = "Commitment";

/// The mode.
#[derive(Clone, Copy, Debug)]
pub struct DecisionMode;

/// What a payload of one of the mode's messages is found to be.
pub(super) fn parse(message_type: &str, payload: &[u8]) -> Option<Parsed> {
    Some(match message_type {
        PROPOSAL => Parsed::object::<ProposalPayload>(payload),
        EVALUATION => Parsed::object::<EvaluationPayload>(payload),
        OBJECTION => Parsed::object::<ObjectionPayload>(payload),
        VOTE => Parsed::object::<VotePayload>(payload),
        COMMITMENT => Parsed::object::<CommitmentPayload>(payload),
        _ => return None,
    })
}

/// The state of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionState {
    /// Proposals by id.
    pub proposals: HashMap<Box<str>, Proposal>,
    /// Evaluations in their order.
    pub evaluations: Vec<Evaluation<Arc<str>>>,
    /// Objections in their order.
    pub objections: Vec<Objection<Arc<str>>>,
    /// The last vote of each sender.
    pub votes: HashMap<Box<str>, Vote>,
    /// How far it is.
    pub phase: Phase,
    /// Names that evaluations and objections share.
    names: HashSet<Arc<str>>,
}

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The option proposed.
    pub option: Box<str>,
    /// Why.
    pub rationale: Box<str>,
    /// What it rests on, as it came.
    pub supporting_data: Box<str>,
    /// Who proposed it.
    pub sender: Box<str>,
}

/// An evaluation, with its names of their own or shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation<N> {
    /// Of which proposal.
    pub proposal_id: N,
    /// `APPROVE`, `REVIEW`, `BLOCK`, `REJECT`, or whatever came.
    pub recommendation: N,
    /// How surely.
    pub confidence: f64,
    /// Why.
    pub reason: Box<str>,
    /// Whose.
    pub sender: N,
}

/// An objection, with its names of their own or shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection<N> {
    /// To which proposal.
    pub proposal_id: N,
    /// Why.
    pub reason: Box<str>,
    /// `low`, `medium`, `high`, `critical`, or whatever came.
    pub severity: N,
    /// Whose.
    pub sender: N,
}

/// A vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// For which proposal.
    pub proposal_id: Box<str>,
    /// `approve`, `reject`, `abstain`, or whatever came.
    pub vote: Box<str>,
    /// Why.
    pub reason: Box<str>,
}

/// A change of a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum DecisionDelta {
    /// A proposal, in the place of the one of its id.
    Propose {
        /// Its id.
        id: Box<str>,
        /// The proposal.
        proposal: Proposal,
    },
    /// An evaluation.
    Evaluate(Evaluation<Box<str>>),
    /// An objection.
    Object(Objection<Box<str>>),
    /// A vote, in the place of the sender's last.
    Vote {
        /// Whose.
        sender: Box<str>,
        /// The vote.
        vote: Vote,
    },
    /// The commitment.
    Commit {
        /// The action to take.
        action: Box<str>,
    },
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct ProposalPayload {
    proposal_id: Box<str>,
    option: Box<str>,
    rationale: Box<str>,
    supporting_data: Box<str>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct EvaluationPayload {
    proposal_id: Box<str>,
    recommendation: Box<str>,
    confidence: f64,
    reason: Box<str>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct ObjectionPayload {
    proposal_id: Box<str>,
    reason: Box<str>,
    severity: Box<str>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct VotePayload {
    proposal_id: Box<str>,
    vote: Box<str>,
    reason: Box<str>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct CommitmentPayload {
    #[serde(rename = "commitment_id")]
    _commitment_id: Box<str>,
    action: Box<str>,
    #[serde(rename = "authority_scope")]
    _authority_scope: Box<str>,
    #[serde(rename = "reason")]
    _reason: Box<str>,
    #[serde(rename = "mode_version")]
    _mode_version: Box<str>,
    #[serde(rename = "policy_version")]
    _policy_version: Box<str>,
    #[serde(rename = "configuration_version")]
    _configuration_version: Box<str>,
}

impl Coordination for DecisionMode {
    type State = DecisionState;
    type Delta = DecisionDelta;

    fn on_session_start(_: &Participants) -> Result<DecisionState, Rejection> {
        Ok(DecisionState::default())
    }

    fn on_message(
        state: &DecisionState,
        _: &Participants,
        message: Message<'_>,
    ) -> Result<Response<DecisionDelta>, Rejection> {
        match message.message_type {
            PROPOSAL => propose(&message),
            EVALUATION => evaluate(state, &message),
            OBJECTION => object_to(state, &message),
            VOTE => vote(state, &message),
            COMMITMENT => commit(state, &message),
            "Message" if message.payload.as_ref() == LEGACY_RESOLVE => {
                Ok(Response::Resolve(own(message.payload)))
            }
            _ => Ok(Response::NoOp),
        }
    }

    fn apply(state: &mut DecisionState, delta: DecisionDelta) {
        match delta {
            DecisionDelta::Propose { id, proposal } => {
                state.proposals.insert(id, proposal);
                state.phase = state.phase.proposed();
            }
            DecisionDelta::Evaluate(it) => {
                let evaluation = Evaluation {
                    proposal_id: state.name(it.proposal_id),
                    recommendation: state.name(it.recommendation),
                    confidence: it.confidence,
                    reason: it.reason,
                    sender: state.name(it.sender),
                };
                state.evaluations.push(evaluation);
                state.phase = state.phase.judged();
            }
            DecisionDelta::Object(it) => {
                let objection = Objection {
                    proposal_id: state.name(it.proposal_id),
                    reason: it.reason,
                    severity: state.name(it.severity),
                    sender: state.name(it.sender),
                };
                state.objections.push(objection);
                state.phase = state.phase.judged();
            }
            DecisionDelta::Vote { sender, vote } => {
                state.votes.insert(sender, vote);
                state.phase = state.phase.voted();
            }
            DecisionDelta::Commit { .. } => state.phase = Phase::Committed,
        }
    }
}

fn propose(message: &Message<'_>) -> Result<Response<DecisionDelta>, Rejection> {
    let ProposalPayload { proposal_id, option, rationale, supporting_data } = object(message)?;
    if proposal_id.is_empty() {
        return Err(Rejection::payload("proposal_id is empty"));
    }
    let proposal = Proposal { option, rationale, supporting_data, sender: Box::from(message.sender) };
    Ok(Response::Persist(DecisionDelta::Propose { id: proposal_id, proposal }))
}

fn evaluate(state: &DecisionState, message: &Message<'_>) -> Result<Response<DecisionDelta>, Rejection> {
    let EvaluationPayload { proposal_id, recommendation, confidence, reason } = object(message)?;
    state.has(&proposal_id)?;
    if !confidence.is_finite() {
        return Err(Rejection::payload("confidence is not a finite number"));
    }
    let sender = Box::from(message.sender);
    Ok(Response::Persist(DecisionDelta::Evaluate(Evaluation {
        proposal_id,
        recommendation,
        confidence,
        reason,
        sender,
    })))
}

fn object_to(state: &DecisionState, message: &Message<'_>) -> Result<Response<DecisionDelta>, Rejection> {
    let ObjectionPayload { proposal_id, reason, severity } = object(message)?;
    state.has(&proposal_id)?;
    let sender = Box::from(message.sender);
    Ok(Response::Persist(DecisionDelta::Object(Objection { proposal_id, reason, severity, sender })))
}

fn vote(state: &DecisionState, message: &Message<'_>) -> Result<Response<DecisionDelta>, Rejection> {
    let VotePayload { proposal_id, vote, reason } = object(message)?;
    if state.proposals.is_empty() {
        return Err(Rejection::payload("no proposal to vote on"));
    }
    state.not_committed()?;
    Ok(Response::Persist(DecisionDelta::Vote {
        sender: Box::from(message.sender),
        vote: Vote { proposal_id, vote, reason },
    }))
}

fn commit(state: &DecisionState, message: &Message<'_>) -> Result<Response<DecisionDelta>, Rejection> {
    let CommitmentPayload { action, .. } = object(message)?;
    if state.votes.is_empty() {
        return Err(Rejection::payload("no vote yet"));
    }
    state.not_committed()?;
    Ok(Response::PersistAndResolve {
        delta: DecisionDelta::Commit { action },
        resolution: own(message.payload),
    })
}

/// The bytes without what they came in.
fn own(payload: &[u8]) -> Bytes {
    Bytes::copy_from_slice(payload)
}

impl Default for DecisionState {
    fn default() -> Self {
        Self {
            proposals: HashMap::new(),
            evaluations: Vec::new(),
            objections: Vec::new(),
            votes: HashMap::new(),
            phase: Phase::Proposal,
            names: HashSet::new(),
        }
    }
}

impl DecisionState {
    fn has(&self, proposal_id: &str) -> Result<(), Rejection> {
        if self.proposals.contains_key(proposal_id) {
            return Ok(());
        }
        let shown = crate::words::cut(proposal_id, 64);
        Err(Rejection::payload(format!("no proposal `{shown}`")))
    }

    fn not_committed(&self) -> Result<(), Rejection> {
        if self.phase == Phase::Committed {
            Err(Rejection::payload("the decision is already committed"))
        } else {
            Ok(())
        }
    }

    /// A name that is kept once.
    fn name(&mut self, name: Box<str>) -> Arc<str> {
        if let Some(known) = self.names.get(&*name) {
            return Arc::clone(known);
        }
        let name = Arc::<str>::from(name);
        self.names.insert(Arc::clone(&name));
        name
    }

    /// As JSON, maps in the order of their keys.
    pub(super) fn json(&self, room: &mut Room) -> Value {
        let mut votes: BTreeMap<_, _> = self.votes.iter().map(|(sender, it)| (&**sender, it)).collect();
        votes.retain(|sender, it| room.takes(&[*sender, &*it.proposal_id, &*it.vote, &*it.reason]));
        let mut proposals: BTreeMap<_, _> = self.proposals.iter().map(|(id, it)| (&**id, it)).collect();
        proposals.retain(|id, it| {
            room.takes(&[*id, &*it.option, &*it.rationale, &*it.supporting_data, &*it.sender])
        });
        let objections =
            room.last(&self.objections, |it| vec![&*it.proposal_id, &*it.severity, &*it.reason, &*it.sender]);
        let evaluations = room.last(&self.evaluations, |it| {
            vec![&*it.proposal_id, &*it.recommendation, &*it.reason, &*it.sender]
        });
        json!({
            "phase": self.phase.name(),
            "proposals": proposals.into_iter().map(|(id, it)| (id.to_owned(), proposal_json(id, it))).collect::<Map<_, _>>(),
            "evaluations": evaluations.iter().map(evaluation_json).collect::<Vec<_>>(),
            "objections": objections.iter().map(objection_json).collect::<Vec<_>>(),
            "votes": votes.into_iter().map(|(sender, it)| (sender.to_owned(), vote_json(sender, it))).collect::<Map<_, _>>(),
        })
    }
}

fn proposal_json(id: &str, Proposal { option, rationale, supporting_data, sender }: &Proposal) -> Value {
    json!({ "proposal_id": id, "option": option, "rationale": rationale, "supporting_data": supporting_data, "sender": sender })
}

fn evaluation_json(it: &Evaluation<Arc<str>>) -> Value {
    let Evaluation { proposal_id, recommendation, confidence, reason, sender } = it;
    json!({ "proposal_id": &**proposal_id, "recommendation": &**recommendation, "confidence": confidence, "reason": reason, "sender": &**sender })
}

fn objection_json(Objection { proposal_id, reason, severity, sender }: &Objection<Arc<str>>) -> Value {
    json!({ "proposal_id": &**proposal_id, "reason": reason, "severity": &**severity, "sender": &**sender })
}

fn vote_json(sender: &str, Vote { proposal_id, vote, reason }: &Vote) -> Value {
    json!({ "proposal_id": proposal_id, "vote": vote, "reason": reason, "sender": sender })
}
