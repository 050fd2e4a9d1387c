use std::collections::BTreeSet;

use super::*;
use crate::{
    limits,
    macp::{
        SessionState,
        kernel::{Answer, Input, Kernel, Lookup, Output},
    },
    time::Now,
};

fn manner(modes: &'static [Mode], participants: usize, seed: u64) -> SessionProfile {
    let pace = Duration::from_millis(100);
    SessionProfile {
        modes,
        participants,
        pace,
        cancel_rate: 0.0,
        leave_rate: 0.0,
        seed,
        prefix: "t".to_owned(),
    }
}

const BOTH: &[Mode] = &[Mode::Decision, Mode::MultiRound];

/// How a session stands once all that is planned was done with it; every message must be accepted.
fn held(kernel: &mut Kernel, plan: &Plan) -> Option<SessionState> {
    let mut state = None;
    for step in &plan.steps {
        let now = Now::at_ms(1);
        if let Some(envelope) = step.act.envelope(plan, Wall(0)) {
            let bytes = envelope.encode_to_vec().into();
            kernel.handle(
                now,
                &Input::Message {
                    envelope: &envelope,
                    bytes,
                    parsed: None,
                    peer_sessions: 0,
                    traceparent: None,
                    lookup: Lookup::NotAsked,
                },
            );
        } else {
            let (session, reason) = (plan.session.as_str(), "");
            kernel.handle(now, &Input::Cancel { session, reason, by: "", lookup: Lookup::NotAsked });
        }
        while let Some(output) = kernel.poll_output() {
            if let Output::Answer(Answer::Acked(acked)) = output {
                assert!(acked.error.is_none() && !acked.is_duplicate, "{step:?}: {acked:?}");
                state = acked.state;
            }
        }
    }
    state
}

fn kernel() -> Kernel {
    Kernel::new(Now::at_ms(0), limits::Macp::default())
}

#[test]
fn every_session_is_held_to_its_end_with_its_last_message() {
    for participants in [1, 2, 3, 13] {
        let (mut kernel, manner) = (kernel(), manner(BOTH, participants, 7));
        for number in 0..100 {
            let plan = Plan::new(&manner, number);
            assert_eq!(held(&mut kernel, &plan), Some(SessionState::Resolved), "{plan:?}");
            let count = plan.steps.len() - 1;
            let cut = Plan { session: format!("cut-{number}"), steps: plan.steps[..count].to_vec(), ..plan };
            assert_eq!(held(&mut kernel, &cut), Some(SessionState::Open), "and not before");
        }
    }
}

#[test]
fn the_same_seed_holds_the_same_sessions() {
    let plans = |seed| (0..20).map(|number| Plan::new(&manner(BOTH, 4, seed), number)).collect::<Vec<_>>();
    assert_eq!(plans(1), plans(1));
    assert_ne!(plans(1), plans(2));
    let intents: BTreeSet<_> = plans(1).into_iter().map(|plan| plan.intent).collect();
    assert!(intents.len() > 2, "they are not all of one thing: {intents:?}");
    let types: BTreeSet<_> = plans(1).iter().flat_map(|plan| plan.steps.iter().map(kind)).collect();
    for message_type in
        ["SessionStart", "Proposal", "Evaluation", "Objection", "Vote", "Commitment", "Contribute"]
    {
        assert!(types.contains(message_type), "{types:?}");
    }
}

fn kind(step: &Step) -> &'static str {
    match &step.act {
        Act::Say { message_type, .. } => message_type,
        Act::Cancel { .. } => "Cancel",
    }
}

#[test]
fn shares_of_them_are_cancelled_and_left() {
    let manner = SessionProfile { cancel_rate: 0.25, leave_rate: 0.25, ..manner(BOTH, 3, 7) };
    let mut kernel = kernel();
    let mut fates = [0; 3];
    for number in 0..1_000 {
        let plan = Plan::new(&manner, number);
        let state = held(&mut kernel, &plan).unwrap();
        let (at, expected) = match plan.outcome {
            SimOutcome::Resolved => (0, SessionState::Resolved),
            SimOutcome::Cancelled => (1, SessionState::Expired),
            SimOutcome::Left => (2, SessionState::Open),
        };
        assert_eq!(state, expected, "{plan:?}");
        fates[at] += 1;
    }
    assert!((180..320).contains(&fates[1]) && (180..320).contains(&fates[2]), "{fates:?}");
}

#[test]
fn a_session_has_time_for_what_is_said_in_it() {
    let slow = SessionProfile { pace: Duration::from_secs(60), ..manner(BOTH, 8, 7) };
    for number in 0..20 {
        let plan = Plan::new(&slow, number);
        let took: Duration = plan.steps.iter().map(|step| step.after).sum();
        let Act::Say { payload, .. } = &plan.steps[0].act else { panic!() };
        let ttl_ms = SessionStartPayload::decode(payload.as_slice()).unwrap().ttl_ms;
        assert!(u128::try_from(ttl_ms).unwrap() > took.as_millis() && ttl_ms <= 86_400_000);
        assert!(plan.steps.iter().all(|step| (30..=90).contains(&step.after.as_secs())));
    }
    assert!(
        Plan::new(&SessionProfile { pace: Duration::ZERO, ..slow }, 0)
            .steps
            .iter()
            .all(|step| step.after.is_zero())
    );
}
