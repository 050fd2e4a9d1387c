//! The messages of a decision.

use serde_json::json;

use super::{
    plan::{ScriptedMessage, one_of, with_reason},
    vocabulary::{CONTRA, PRO},
};

/// How well a proposal is liked, from 0 to 1, and how it is told.
const RECOMMENDATIONS: [(f64, &str); 4] =
    [(0.75, "APPROVE"), (0.5, "REVIEW"), (0.25, "BLOCK"), (0.0, "REJECT")];

/// Proposals, what is thought of them, votes, and the commitment to the one that has most.
pub(super) fn messages(
    participants: usize,
    options: [&'static str; 3],
    rng: &mut fastrand::Rng,
) -> Vec<ScriptedMessage> {
    let mut all = Vec::new();
    let count = rng.usize(1..=options.len());
    let proposals: Vec<(String, &str)> =
        options.iter().take(count).zip(1..).map(|(option, nr)| (format!("p{nr}"), *option)).collect();
    for (id, option) in &proposals {
        let payload = json!({ "proposal_id": id, "option": option, "rationale": one_of(&PRO, rng) });
        all.push(ScriptedMessage::new(
            "Proposal",
            rng.usize(..participants),
            payload,
            format!("{id}: {option}"),
        ));
    }
    // How well each likes each proposal.
    let liked: Vec<Vec<f64>> =
        (0..participants).map(|_| proposals.iter().map(|_| rng.f64()).collect()).collect();
    for (who, likes) in liked.iter().enumerate() {
        for ((id, _), like) in proposals.iter().zip(likes) {
            if rng.f64() < 0.7 {
                all.push(evaluation(who, id, *like, rng));
            }
            if *like < 0.3 && rng.bool() {
                all.push(objection(who, id, *like, rng));
            }
        }
    }
    let mut votes = vec![0_usize; proposals.len()];
    for (who, likes) in liked.iter().enumerate() {
        let best = (0..likes.len())
            .max_by(|a, b| likes.get(*a).partial_cmp(&likes.get(*b)).unwrap_or(std::cmp::Ordering::Equal))
            .unwrap_or(0);
        if rng.f64() < 0.2 {
            // They come to think otherwise: the last vote counts.
            all.push(vote(who, proposals.first(), "abstain"));
        }
        all.push(vote(who, proposals.get(best), "approve"));
        if let Some(count) = votes.get_mut(best) {
            *count += 1;
        }
    }
    let winner = (0..votes.len()).rev().max_by_key(|at| votes.get(*at)).unwrap_or(0);
    let action = proposals.get(winner).map_or("", |(_, option)| option);
    let payload =
        json!({ "commitment_id": "c1", "action": action, "authority_scope": "show", "reason": "most votes" });
    all.push(ScriptedMessage::new("Commitment", 0, payload, action.to_owned()));
    all
}

fn evaluation(who: usize, id: &str, like: f64, rng: &mut fastrand::Rng) -> ScriptedMessage {
    let recommendation =
        RECOMMENDATIONS.iter().find(|(least, _)| like >= *least).map_or("REJECT", |(_, word)| word);
    let confidence = (rng.f64() * 100.0).round() / 100.0;
    let reason = one_of(if like >= 0.5 { &PRO } else { &CONTRA }, rng);
    let payload = json!({ "proposal_id": id, "recommendation": recommendation, "confidence": confidence });
    ScriptedMessage::new(
        "Evaluation",
        who,
        with_reason(payload, reason),
        format!("{id}: {recommendation} {confidence}"),
    )
}

fn objection(who: usize, id: &str, like: f64, rng: &mut fastrand::Rng) -> ScriptedMessage {
    let severity = match like {
        _ if like < 0.05 => "critical",
        _ if like < 0.1 => "high",
        _ if like < 0.2 => "medium",
        _ => "low",
    };
    let payload = json!({ "proposal_id": id, "severity": severity });
    ScriptedMessage::new(
        "Objection",
        who,
        with_reason(payload, one_of(&CONTRA, rng)),
        format!("{id}: {severity}"),
    )
}

fn vote(who: usize, proposal: Option<&(String, &str)>, vote: &str) -> ScriptedMessage {
    let id = proposal.map_or("", |(id, _)| id);
    ScriptedMessage::new("Vote", who, json!({ "proposal_id": id, "vote": vote }), format!("{id}: {vote}"))
}
