//! A session at a place of a recording, in the form in which a station shows it.

use serde_json::{Map, Value, json};

use super::lists;
use crate::{
    macp::{DecisionView, Opinion, Progress, RoundsView, SessionView},
    port::SessionDetail,
    schema::JsonText,
    tap::entry::macp::Ending,
};

/// As far as the windows of the state have it. Versions and why something was proposed are in its log alone.
pub(super) fn detail(view: &SessionView) -> SessionDetail {
    let resolved = view.end.as_ref().filter(|end| end.ending == Ending::Resolved && !end.text.is_empty());
    let progress = match &view.progress {
        Progress::Decision(decision) => of_decision(view, decision),
        Progress::Rounds(rounds) => of_rounds(view, rounds),
    };
    SessionDetail {
        row: lists::session(view),
        mode_version: String::new(),
        configuration_version: String::new(),
        policy_version: String::new(),
        traceparent: None,
        listed: view.participants.iter().map(ToString::to_string).collect(),
        resolution: resolved.map(|end| {
            JsonText::parse(&end.text)
                .unwrap_or_else(|_| JsonText::from_value(&json!({ "$text": &*end.text })))
        }),
        progress: JsonText::from_value(&progress),
    }
}

fn of_decision(view: &SessionView, of: &DecisionView) -> Value {
    let (mut evaluations, mut objections) = (Vec::new(), Vec::new());
    for it in &of.opinions {
        let (by, proposal, reason) = (&*it.by, &*it.proposal, &*it.reason);
        match &it.opinion {
            Opinion::Evaluation { recommendation, confidence } => evaluations.push(json!({
                "proposal_id": proposal,
                "recommendation": &**recommendation,
                "confidence": confidence,
                "reason": reason,
                "sender": by,
            })),
            Opinion::Objection { severity } => objections.push(json!({
                "proposal_id": proposal,
                "severity": &**severity,
                "reason": reason,
                "sender": by,
            })),
        }
    }
    let proposals: Map<String, Value> = of
        .proposals
        .iter()
        .map(|it| {
            let value = json!({ "proposal_id": &*it.proposal, "option": &*it.option, "sender": &*it.by });
            (it.proposal.to_string(), value)
        })
        .collect();
    let votes: Map<String, Value> = view
        .senders
        .iter()
        .filter_map(|(sender, it)| {
            let vote = it.vote.as_ref()?;
            let value = json!({
                "proposal_id": &*vote.proposal,
                "vote": &*vote.vote,
                "reason": &*vote.reason,
                "sender": &**sender,
            });
            Some((sender.to_string(), value))
        })
        .collect();
    let kept = (evaluations.len() + objections.len()) as u64;
    let all = of.evaluations.total().saturating_add(of.objections.total());
    let left_out = of.more_proposals.saturating_add(all.saturating_sub(kept));
    with_left_out(
        json!({
            "phase": of.phase.name(),
            "proposals": proposals,
            "evaluations": evaluations,
            "objections": objections,
            "votes": votes,
        }),
        left_out,
    )
}

fn of_rounds(view: &SessionView, of: &RoundsView) -> Value {
    let contributions: Map<String, Value> = view
        .senders
        .iter()
        .filter_map(|(sender, it)| Some((sender.to_string(), Value::from(&*it.contribution.as_ref()?.value))))
        .collect();
    let participants: Vec<&str> = view.participants.iter().map(AsRef::as_ref).collect();
    let left_out = view.allowed.saturating_sub(participants.len() as u64);
    with_left_out(
        json!({ "round": of.round, "participants": participants, "contributions": contributions }),
        left_out,
    )
}

/// Says how many items are not there.
fn with_left_out(mut value: Value, left_out: u64) -> Value {
    if let Some(fields) = value.as_object_mut().filter(|_| left_out > 0) {
        fields.insert("left_out".to_owned(), left_out.into());
    }
    value
}
