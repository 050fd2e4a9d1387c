//! What holds of any messages in any order.

use proptest::prelude::*;

use super::test_kernel::{TestKernel, accepted, envelope, rounds, start};
use crate::macp::{
    SessionState,
    kernel::{Acked, Image},
    proto::v1::{Envelope, SessionStartPayload},
};

fn messages() -> impl Strategy<Value = Vec<Envelope>> {
    let message = (0_u8..5, 0_u8..3, 0_u8..3).prop_map(|(kind, sender, which)| {
        let sender = ["a", "b", "c"][usize::from(sender)];
        let (message_type, payload) = match kind {
            0 => ("Proposal", format!(r#"{{"proposal_id":"p{which}"}}"#)),
            1 => ("Evaluation", format!(r#"{{"proposal_id":"p{which}","recommendation":"REVIEW"}}"#)),
            2 => ("Objection", format!(r#"{{"proposal_id":"p{which}","severity":"low"}}"#)),
            3 => ("Vote", format!(r#"{{"proposal_id":"p{which}","vote":"v{which}"}}"#)),
            _ => ("Other", String::new()),
        };
        envelope("s", message_type, "", sender, payload)
    });
    proptest::collection::vec(message, 1..40).prop_map(|mut all| {
        for (n, message) in all.iter_mut().enumerate() {
            message.message_id = format!("m{n}");
        }
        all
    })
}

fn decided(messages: impl Iterator<Item = Envelope>) -> (Image, Vec<Acked>) {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "start", &SessionStartPayload::default())));
    let acks = messages.map(|message| fixture.send(&message)).collect();
    (fixture.kernel.image("s").unwrap(), acks)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    /// A message may be sent again at any time behind its first, however often: the session is the same.
    #[test]
    fn any_retries_make_the_same_session(
        messages in messages(),
        again in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let (once, first) = decided(messages.iter().cloned());
        // What is rejected is judged anew, so that only what was taken is sent again.
        let taken: Vec<_> =
            messages.iter().zip(&first).map(|(message, ack)| (message, ack.error.is_none())).collect();
        let mut with_retries = Vec::new();
        for (place, message) in messages.iter().enumerate() {
            with_retries.push(message.clone());
            for index in again.iter().skip(place).step_by(messages.len()) {
                let (message, was_taken) = taken[index.index(place + 1)];
                if was_taken {
                    with_retries.push(message.clone());
                }
            }
        }
        let (repeated, acks) = decided(with_retries.into_iter());
        prop_assert_eq!(once, repeated);
        let fresh: Vec<_> = acks.iter().filter(|ack| !ack.is_duplicate).collect();
        prop_assert_eq!(fresh.len(), first.len());
    }

    #[test]
    fn the_last_vote_of_each_sender_counts(votes in proptest::collection::vec((0_u8..4, 0_u8..3), 1..60)) {
        let mut last = std::collections::BTreeMap::new();
        let mut fixture = TestKernel::new();
        accepted(&fixture.send(&start("s", "start", &SessionStartPayload::default())));
        accepted(&fixture.send_text("s", "Proposal", "p", "a", r#"{"proposal_id":"p"}"#));
        for (n, (sender, vote)) in votes.iter().enumerate() {
            accepted(&fixture.send_text(
                "s",
                "Vote",
                &format!("m{n}"),
                &sender.to_string(),
                &format!(r#"{{"vote":"{vote}"}}"#),
            ));
            last.insert(sender.to_string(), vote.to_string());
        }
        let json = fixture.kernel.image("s").unwrap().json;
        let kept: std::collections::BTreeMap<_, _> = json["votes"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(sender, it)| (sender.clone(), it["vote"].as_str().unwrap().to_owned()))
            .collect();
        prop_assert_eq!(kept, last);
    }

    #[test]
    fn rounds_count_every_change_of_a_value(said in proptest::collection::vec((0_u8..3, 0_u8..3), 1..60)) {
        let mut fixture = TestKernel::new();
        // One never speaks, so that nothing converges.
        accepted(&fixture.send(&rounds("s", "start", &["0", "1", "2", "silent"])));
        let mut values = [None; 3];
        let mut round = 0;
        for (n, (sender, value)) in said.iter().enumerate() {
            accepted(&fixture.send_text(
                "s",
                "Contribute",
                &format!("m{n}"),
                &sender.to_string(),
                &format!(r#"{{"value":"{value}"}}"#),
            ));
            let before = values[usize::from(*sender)].replace(*value);
            round += u64::from(before != Some(*value));
            prop_assert_eq!(fixture.kernel.image("s").unwrap().state.round(), Some(round));
        }
    }

    /// In whatever order participants come, the last to agree resolves the session, and not one before.
    #[test]
    fn convergence_is_reached_in_any_order(
        order in Just((0..6_u8).collect::<Vec<_>>()).prop_shuffle(),
        astray in 0_u8..6,
    ) {
        let names: Vec<String> = (0..6).map(|n| format!("agent {n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut fixture = TestKernel::new();
        accepted(&fixture.send(&rounds("s", "start", &names)));
        let mut say = |id: String, sender: u8, value: &str| {
            fixture
                .send_text(
                    "s",
                    "Contribute",
                    &id,
                    names[usize::from(sender)],
                    &format!(r#"{{"value":"{value}"}}"#),
                )
                .state
        };
        prop_assert_eq!(say("astray".to_owned(), astray, "other"), Some(SessionState::Open));
        for (n, sender) in order.iter().enumerate() {
            let expected = if n + 1 == order.len() { SessionState::Resolved } else { SessionState::Open };
            prop_assert_eq!(say(format!("m{n}"), *sender, "same"), Some(expected));
        }
        let (_, _, _, resolution) = fixture.kernel.image("s").unwrap().end.unwrap();
        let json: serde_json::Value = serde_json::from_slice(&resolution).unwrap();
        prop_assert_eq!(&json["converged_value"], "same");
        prop_assert_eq!(&json["round"], 7);
    }
}
