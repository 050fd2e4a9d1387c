//! Both modes through the kernel: every transition, every validation.

use super::test_kernel::{TestKernel, accepted, participants, refused, rounds, start};
use crate::macp::{Code, Ending, Fault, Phase, SessionState, Transition, proto::v1::SessionStartPayload};

fn decision() -> TestKernel {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "start", &SessionStartPayload::default())));
    fixture
}

impl TestKernel {
    fn next(&mut self, message_type: &str, sender: &str, payload: &str) -> crate::macp::kernel::Acked {
        self.ms += 1;
        let id = format!("m{}", self.ms);
        self.send_text("s", message_type, &id, sender, payload)
    }

    fn phase(&self) -> Phase {
        self.kernel.image("s").unwrap().state.phase().unwrap()
    }
}

const PROPOSAL: &str = r#"{"proposal_id":"p1","option":"Deploy"}"#;
const EVALUATION: &str =
    r#"{"proposal_id":"p1","recommendation":"APPROVE","confidence":0.95,"reason":"solid"}"#;
const OBJECTION: &str = r#"{"proposal_id":"p1","reason":"no review","severity":"high"}"#;
const VOTE: &str = r#"{"proposal_id":"p1","vote":"approve","reason":"good"}"#;
const COMMITMENT: &str =
    r#"{"commitment_id":"c1","action":"deploy-v2.1","authority_scope":"team-alpha","reason":"Unanimous"}"#;

#[test]
fn a_decision_goes_through_its_phases_and_resolves_with_the_commitment() {
    let mut fixture = decision();
    assert_eq!(fixture.phase(), Phase::Proposal);
    accepted(&fixture.next("Proposal", "alice", PROPOSAL));
    assert_eq!(fixture.phase(), Phase::Evaluation);
    accepted(&fixture.next("Evaluation", "bob", EVALUATION));
    accepted(&fixture.next("Objection", "carol", OBJECTION));
    assert_eq!(fixture.phase(), Phase::Evaluation);
    accepted(&fixture.next("Vote", "bob", VOTE));
    assert_eq!(fixture.phase(), Phase::Voting);
    let ack = fixture.next("Commitment", "alice", COMMITMENT);
    accepted(&ack);
    assert_eq!((ack.state, fixture.phase()), (Some(SessionState::Resolved), Phase::Committed));
    let (ending, _, _, resolution) = fixture.kernel.image("s").unwrap().end.unwrap();
    assert_eq!(
        (ending, resolution.as_ref()),
        (Ending::Resolved, COMMITMENT.as_bytes()),
        "the payload's exact bytes"
    );
    let (transition, text) = fixture.transitions.last().unwrap();
    assert!(matches!(transition, Transition::Ended { ending: Ending::Resolved, .. }) && text == COMMITMENT);
}

/// From each phase, what each message leads to (macp-v1, Phase Transitions; ruling MACP 5).
#[test]
fn every_message_moves_every_phase_as_it_is_ruled() {
    use Phase::{Committed, Evaluation, Proposal, Voting};
    let to: [(Phase, &[(&str, &str)]); 3] = [
        (Proposal, &[]),
        (Evaluation, &[("Proposal", PROPOSAL)]),
        (Voting, &[("Proposal", PROPOSAL), ("Vote", VOTE)]),
    ];
    let table: [(&str, &str, [Option<Phase>; 3]); 6] = [
        ("Proposal", PROPOSAL, [Some(Evaluation), Some(Evaluation), Some(Evaluation)]),
        ("Evaluation", EVALUATION, [None, Some(Evaluation), Some(Evaluation)]),
        ("Objection", OBJECTION, [None, Some(Evaluation), Some(Evaluation)]),
        ("Vote", VOTE, [None, Some(Voting), Some(Voting)]),
        ("Commitment", COMMITMENT, [None, None, Some(Committed)]),
        ("Message", "anything", [Some(Proposal), Some(Evaluation), Some(Voting)]),
    ];
    for (message_type, payload, leads) in table {
        for ((before, way), after) in to.iter().zip(leads) {
            let mut fixture = decision();
            for (message_type, payload) in *way {
                accepted(&fixture.next(message_type, "a", payload));
            }
            assert_eq!(fixture.phase(), *before);
            let ack = fixture.next(message_type, "a", payload);
            match after {
                Some(_) => accepted(&ack),
                None => refused(&ack, Fault::InvalidPayload, Code::InvalidEnvelope),
            }
            assert_eq!(fixture.phase(), after.unwrap_or(*before), "{message_type} in {before:?}");
        }
    }
    // Back from an evaluation, the votes are still there.
    let mut fixture = decision();
    for (message_type, payload) in
        [("Proposal", PROPOSAL), ("Vote", VOTE), ("Evaluation", EVALUATION), ("Commitment", COMMITMENT)]
    {
        accepted(&fixture.next(message_type, "a", payload));
    }
    assert_eq!(fixture.phase(), Committed);
}

#[test]
fn a_proposal_needs_an_id_and_overwrites_the_one_of_its_id() {
    let mut fixture = decision();
    for payload in [r#"{"proposal_id":""}"#, "{}", r#"{"option":"x"}"#] {
        refused(&fixture.next("Proposal", "a", payload), Fault::InvalidPayload, Code::InvalidEnvelope);
    }
    accepted(&fixture.next("Proposal", "a", r#"{"proposal_id":"p1","option":"one"}"#));
    accepted(&fixture.next("Proposal", "b", r#"{"proposal_id":"p1","option":"two","rationale":"better"}"#));
    let json = fixture.kernel.image("s").unwrap().json;
    let expected = serde_json::json!({
        "p1": { "proposal_id": "p1", "option": "two", "rationale": "better", "supporting_data": "", "sender": "b" }
    });
    assert_eq!(json["proposals"], expected);
}

#[test]
fn evaluations_and_objections_need_their_proposal_and_are_all_kept() {
    let mut fixture = decision();
    accepted(&fixture.next("Proposal", "a", PROPOSAL));
    for message_type in ["Evaluation", "Objection"] {
        for payload in [r#"{"proposal_id":"p2"}"#, "{}", r#"{"proposal_id":""}"#] {
            refused(&fixture.next(message_type, "a", payload), Fault::InvalidPayload, Code::InvalidEnvelope);
        }
        for _ in 0..2 {
            accepted(&fixture.next(message_type, "a", r#"{"proposal_id":"p1"}"#));
        }
    }
    let json = fixture.kernel.image("s").unwrap().json;
    assert_eq!(
        (json["evaluations"].as_array().unwrap().len(), json["objections"].as_array().unwrap().len()),
        (2, 2)
    );
    assert_eq!(json["evaluations"][0]["confidence"], 0.0, "missing fields take their defaults");
}

#[test]
fn the_last_vote_wins_and_may_be_for_a_proposal_that_is_not_there() {
    let mut fixture = decision();
    refused(&fixture.next("Vote", "a", VOTE), Fault::InvalidPayload, Code::InvalidEnvelope);
    accepted(&fixture.next("Proposal", "a", PROPOSAL));
    accepted(&fixture.next("Vote", "a", VOTE));
    accepted(&fixture.next("Vote", "b", VOTE));
    accepted(&fixture.next("Vote", "a", r#"{"proposal_id":"elsewhere","vote":"perhaps"}"#));
    let votes = fixture.kernel.image("s").unwrap().json["votes"].clone();
    let expected = serde_json::json!({
        "a": { "proposal_id": "elsewhere", "vote": "perhaps", "reason": "", "sender": "a" },
        "b": { "proposal_id": "p1", "vote": "approve", "reason": "good", "sender": "b" },
    });
    assert_eq!(votes, expected);
}

#[test]
fn payloads_are_json_objects_of_the_right_types() {
    let mut fixture = decision();
    accepted(&fixture.next("Proposal", "a", PROPOSAL));
    accepted(&fixture.next("Vote", "a", VOTE));
    let wrong = [
        ("Proposal", r#"["p1","x","",""]"#),
        ("Proposal", r#"{"proposal_id":7}"#),
        ("Proposal", r#"{"proposal_id":"p","option":null}"#),
        ("Proposal", r#"{"proposal_id":"p","supporting_data":[1]}"#),
        ("Evaluation", r#"{"proposal_id":"p1","confidence":NaN}"#),
        ("Evaluation", r#"{"proposal_id":"p1","confidence":"NaN"}"#),
        ("Evaluation", r#"{"proposal_id":"p1","confidence":Infinity}"#),
        ("Evaluation", r#"{"proposal_id":"p1","confidence":1e999}"#),
        ("Evaluation", r#"{"proposal_id":"p1","confidence":null}"#),
        ("Objection", r#"{"proposal_id":"p1","severity":3}"#),
        ("Vote", r#"{"vote":true}"#),
        ("Vote", ""),
        ("Vote", "null"),
        ("Vote", r#"{"vote":"approve"} trailing"#),
        ("Commitment", "not json"),
        ("Commitment", r#"{"policy_version":2}"#),
    ];
    for (message_type, payload) in wrong {
        let ack = fixture.next(message_type, "a", payload);
        refused(&ack, Fault::InvalidPayload, Code::InvalidEnvelope);
    }
    let bytes = super::test_kernel::envelope("s", "Vote", "bytes", "a", vec![b'{', b'"', 0xff, b'"', b'}']);
    refused(&fixture.send(&bytes), Fault::InvalidPayload, Code::InvalidEnvelope);
    accepted(&fixture.next(
        "Evaluation",
        "a",
        " \n{\"proposal_id\":\"p1\",\"confidence\":1,\"unknown\":[null]}",
    ));
    accepted(&fixture.next(
        "Evaluation",
        "a",
        r#"{"proposal_id":"p1","confidence":-7e300,"recommendation":"whatever"}"#,
    ));
}

#[test]
fn what_is_said_of_a_payload_is_short_however_long_that_is() {
    let mut fixture = decision();
    accepted(&fixture.next("Proposal", "a", PROPOSAL));
    let long = "\u{200b}".repeat(100_000);
    for (message_type, payload) in [
        ("Evaluation", format!(r#"{{"proposal_id":"p1","confidence":"{long}"}}"#)),
        ("Evaluation", format!(r#"{{"proposal_id":"{long}"}}"#)),
        ("Objection", format!(r#"{{"proposal_id":"{long}"}}"#)),
        ("Contribute", format!(r#"{{"value":"{long}""#)),
    ] {
        let ack = fixture.next(message_type, "a", &payload);
        assert!(ack.error.is_none_or(|(_, why)| why.len() < 512), "{message_type}");
    }
}

#[test]
fn the_old_form_resolves_and_any_other_message_does_nothing() {
    let mut fixture = decision();
    for (message_type, payload) in [
        ("Message", "Resolve"),
        ("Message", "resolve "),
        ("Message", ""),
        ("Contribute", r#"{"value":"x"}"#),
        ("", ""),
        ("vote", VOTE),
    ] {
        let ack = fixture.next(message_type, "a", payload);
        accepted(&ack);
        assert_eq!(ack.state, Some(SessionState::Open));
    }
    let ack = fixture.next("Message", "a", "resolve");
    accepted(&ack);
    assert_eq!(ack.state, Some(SessionState::Resolved));
    let image = fixture.kernel.image("s").unwrap();
    assert_eq!(
        (image.end.unwrap().3.as_ref(), image.state.phase()),
        (b"resolve".as_slice(), Some(Phase::Proposal))
    );
}

fn agreeing(names: &[&str]) -> TestKernel {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&rounds("s", "start", names)));
    fixture
}

impl TestKernel {
    fn contribute(&mut self, sender: &str, value: &str) -> SessionState {
        let ack = self.next("Contribute", sender, &serde_json::json!({ "value": value }).to_string());
        accepted(&ack);
        ack.state.unwrap()
    }

    fn round(&self) -> u64 {
        self.kernel.image("s").unwrap().state.round().unwrap()
    }
}

#[test]
fn rounds_count_what_is_new_and_end_when_all_agree() {
    let mut fixture = agreeing(&["alice", "bob"]);
    assert_eq!(fixture.round(), 0);
    for (sender, value, round) in
        [("alice", "a", 1), ("alice", "a", 1), ("bob", "b", 2), ("alice", "c", 3), ("alice", "c", 3)]
    {
        assert_eq!((fixture.contribute(sender, value), fixture.round()), (SessionState::Open, round));
    }
    assert_eq!(fixture.contribute("bob", "c"), SessionState::Resolved);
    let (_, _, _, resolution) = fixture.kernel.image("s").unwrap().end.unwrap();
    assert_eq!(
        resolution.as_ref(),
        br#"{"converged_value":"c","round":4,"final_values":{"alice":"c","bob":"c"}}"#
    );
    let json = fixture.kernel.image("s").unwrap().json;
    let expected = serde_json::json!({
        "round": 4,
        "participants": ["alice", "bob"],
        "contributions": { "alice": "c", "bob": "c" },
        "convergence_type": "all_equal",
    });
    assert_eq!(json, expected);
}

#[test]
fn one_participant_agrees_with_itself_and_a_name_listed_twice_is_one() {
    let mut fixture = agreeing(&["alice"]);
    assert_eq!(fixture.contribute("alice", ""), SessionState::Resolved);
    let mut fixture = agreeing(&["alice", "alice", "bob"]);
    assert_eq!(fixture.contribute("bob", "x"), SessionState::Open);
    assert_eq!(fixture.contribute("alice", "x"), SessionState::Resolved);
}

#[test]
fn rounds_need_participants_and_a_value_that_is_a_text() {
    let mut fixture = TestKernel::new();
    refused(&fixture.send(&rounds("s", "m", &[])), Fault::InvalidPayload, Code::InvalidEnvelope);
    let mut fixture = agreeing(&["alice", "bob"]);
    for payload in [
        "",
        "{}",
        r#"{"value":1}"#,
        r#"{"value":null}"#,
        r#"["a"]"#,
        r#""a""#,
        r#"{"value":"a","value":"b"}"#,
    ] {
        refused(&fixture.next("Contribute", "alice", payload), Fault::InvalidPayload, Code::InvalidEnvelope);
    }
    for (message_type, payload) in
        [("Message", "resolve"), ("Vote", VOTE), ("contribute", r#"{"value":"a"}"#)]
    {
        let ack = fixture.next(message_type, "alice", payload);
        assert_eq!((ack.error, ack.state), (None, Some(SessionState::Open)), "{message_type} does nothing");
    }
    assert_eq!(fixture.round(), 0);
    refused(
        &fixture.next("Contribute", "carol", r#"{"value":"a"}"#),
        Fault::InvalidEnvelope,
        Code::InvalidEnvelope,
    );
    let listed = participants(&["alice", "bob"]);
    assert_eq!(listed.participants.len(), 2);
}
