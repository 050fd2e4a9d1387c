//! What of a message looks like a slip of the pen. The runtime takes it all the same, so it is said and not
//! refused.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::{
    cli::args::{OpeningArgs, Say},
    macp::Mode,
    port::SessionDetail,
};

/// A doubt about who sends it.
pub(crate) fn of_sender(sender: &str) -> Option<String> {
    sender.is_empty().then(|| "no sender: --as is empty".to_owned())
}

/// Doubts about the message that begins a session.
pub(crate) fn of_opening(opening: &OpeningArgs) -> Vec<String> {
    let mut doubts = Vec::new();
    let mut seen = BTreeSet::new();
    for name in &opening.participants {
        if name.is_empty() {
            doubts.push("a participant has no name".to_owned());
        } else if !seen.insert(name) {
            doubts.push(format!("duplicate participant {name} counts once"));
        }
    }
    if let Some(context) = opening.context.as_deref().map(str::trim_start)
        && context.starts_with(['{', '['])
        && let Err(error) = serde_json::from_str::<Json>(context)
    {
        doubts.push(format!(
            "the context looks like JSON but is invalid ({error}); sent as text, without a trace"
        ));
    }
    doubts
}

/// Doubts about a message by itself.
pub(crate) fn of_words(say: &Say) -> Vec<String> {
    let none_of = |said: &str, words: &[&str]| {
        let is_known = words.iter().any(|word| word.eq_ignore_ascii_case(said));
        (!is_known).then(|| format!("`{said}` is not one of {}; sent unchanged", words.join(", ")))
    };
    let mut doubts = Vec::new();
    match say {
        Say::Evaluate { recommendation, confidence, .. } => {
            doubts.extend(none_of(recommendation, &["approve", "review", "block", "reject"]));
            let is_share = confidence.is_none_or(|it| (0.0..=1.0).contains(&it));
            doubts
                .extend((!is_share).then(|| "confidence is not between 0 and 1; sent unchanged".to_owned()));
        }
        Say::Object { severity, .. } => {
            doubts.extend(none_of(severity, &["low", "medium", "high", "critical"]));
        }
        Say::Vote { vote, .. } => doubts.extend(none_of(vote, &["approve", "reject", "abstain"])),
        Say::Propose { .. } | Say::Commit { .. } | Say::Contribute { .. } => {}
    }
    doubts
}

/// A doubt about a message in its session, in the state after it is accepted.
pub(crate) fn of_session(say: &Say, detail: &SessionDetail) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Progress {
        proposals: serde_json::Map<String, Json>,
    }
    let (proposal, mode) = match say {
        Say::Evaluate { proposal, .. } | Say::Object { proposal, .. } | Say::Vote { proposal, .. } => {
            (Some(proposal), Mode::Decision)
        }
        Say::Propose { .. } | Say::Commit { .. } => (None, Mode::Decision),
        Say::Contribute { .. } => (None, Mode::MultiRound),
    };
    if detail.row.mode != mode {
        return Some(format!(
            "{} is a {} session; this message has no effect",
            detail.row.session,
            detail.row.mode.short()
        ));
    }
    let proposals = serde_json::from_str::<Progress>(detail.progress.as_str()).unwrap_or_default().proposals;
    let proposal = proposal.filter(|id| !proposals.contains_key(id.as_str()))?;
    Some(format!("no proposal {proposal} yet"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_no_meaning_and_a_number_out_of_range_are_doubted() {
        let vote =
            |vote: &str| of_words(&Say::Vote { proposal: "p1".into(), vote: vote.into(), reason: None });
        assert!(vote("Approve").is_empty());
        assert_eq!(vote("yes"), ["`yes` is not one of approve, reject, abstain; sent unchanged"]);
        let evaluate = |recommendation: &str, confidence| {
            of_words(&Say::Evaluate {
                proposal: "p1".into(),
                recommendation: recommendation.into(),
                confidence,
                reason: None,
            })
            .len()
        };
        assert_eq!(
            (evaluate("BLOCK", Some(1.0)), evaluate("maybe", Some(3.0)), evaluate("approve", None)),
            (0, 2, 0)
        );
        let object = Say::Object { proposal: "p1".into(), severity: "terrible".into(), reason: None };
        assert_eq!(
            of_words(&object),
            ["`terrible` is not one of low, medium, high, critical; sent unchanged"]
        );
    }

    #[test]
    fn who_takes_part_twice_and_a_context_that_is_cut_are_doubted() {
        let opening = OpeningArgs {
            participants: ["a", "", "a", "b"].map(str::to_owned).to_vec(),
            context: Some("{bad".to_owned()),
            ..OpeningArgs::default()
        };
        let doubts = of_opening(&opening);
        assert_eq!(doubts[..2], ["a participant has no name", "duplicate participant a counts once"]);
        assert!(doubts.len() == 3 && doubts[2].contains("without a trace"), "{doubts:?}");
        let plain = OpeningArgs { context: Some(r#"{"trace_id":"x"}"#.to_owned()), ..OpeningArgs::default() };
        assert!(of_opening(&plain).is_empty() && of_sender("bob").is_none() && of_sender("").is_some());
    }
}
