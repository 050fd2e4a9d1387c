//! Messages to the runs, judged before they come.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

use super::test_engine::{SESSION, TestEngine, by, gives, node, opening, trace};
use crate::{
    ids::{ActionId, ConnectionId, TraceId},
    judged::{Certainty, Doubt},
    limits,
    runs::{
        AskerKind, ControlTopic, ControlVerdict, JudgedControl, RejectedFor, Stand,
        engine::{AgentsCancel, ControlLookups, ControlNeed, Input, Settings},
        openings::Node,
        payload::{ControlRequest, ControlResponse, Decision},
    },
    time::Now,
};

fn stand(topic: ControlTopic, n: u64) -> Stand {
    let (kind, client, session) = (AskerKind::Tui, "tester".to_owned(), Some(SESSION));
    Stand { topic, kind, client, session, trace: trace(n), ttl_ms: 30_000 }
}

fn submit(n: u64, yaml: &str) -> Vec<u8> {
    let (request_id, opening_yaml) = (trace(n), yaml.to_owned());
    ControlRequest::RunSubmit { request_id, opening_yaml, traceparent: None }.encode()
}

fn cancel(run: u64) -> Vec<u8> {
    ControlRequest::RunCancel { trace_id: trace(run) }.encode()
}

/// Judges a message, and looks up what that hangs on.
fn judge(fixture: &TestEngine, stand: &Stand, body: &[u8]) -> JudgedControl {
    let now = Now::at_ms(fixture.ms);
    let mut lookups = ControlLookups::default();
    for _ in 0..3 {
        match fixture.engine.judge(now, stand, body, &lookups) {
            (judged, None) => return judged,
            (_, Some(ControlNeed::Opening(yaml))) => {
                let found = fixture.openings.get(&yaml).cloned();
                lookups.opening = Some(found.ok_or_else(|| "line 1, column 1: no opening".to_owned()));
            }
            (_, Some(ControlNeed::Answer { request, variant })) => {
                let kept = fixture.persisted.answers.iter();
                let mut kept = kept.filter(|kept| kept.request == request && kept.variant == variant);
                lookups.answer = Some(kept.next().map(|kept| kept.body.clone()));
            }
        }
    }
    panic!("it asks for ever")
}

/// The one answer of a judgement.
fn answer(judged: &JudgedControl) -> ControlResponse {
    let [publish] = &judged.answers[..] else { panic!("{judged:?}") };
    assert_eq!((publish.topic.as_str(), publish.schema_id, publish.ttl_ms), ("rlp/ctrl", 2002, 30_000));
    ControlResponse::decode(&publish.body).unwrap()
}

#[test]
fn a_submission_is_judged_after_a_look_at_its_opening_and_says_what_begins() {
    let mut fixture = TestEngine::new();
    let nodes = ["a", "b", "c", "d", "e"].map(node).to_vec();
    fixture.openings.insert("five".to_owned(), Arc::new(opening(nodes, &[])));
    let (of, body) = (stand(ControlTopic::Control, 1), submit(1, "five"));
    let (before, need) = fixture.engine.judge(Now::at_ms(0), &of, &body, &ControlLookups::default());
    assert_eq!((before.certainty, before.answers.len()), (Certainty::AfterALook, 0));
    assert_eq!(need, Some(ControlNeed::Opening("five".to_owned())));
    let judged = judge(&fixture, &of, &body);
    assert_eq!((judged.verdict, judged.certainty), (ControlVerdict::Accepted, Certainty::AsOfNow));
    assert_eq!(judged.effect.as_deref(), Some("run test begins: 5 nodes"));
    let ControlResponse::RunAccepted { request_id, trace_id, opening_name, .. } = answer(&judged) else {
        panic!("{judged:?}")
    };
    assert_eq!((request_id, trace_id, opening_name.as_str()), (trace(1), trace(1), "test"));
    assert_eq!(judged.holds_until, Some(Now::at_ms(30_000)), "its TTL");
    assert_eq!(judged.doubts, [Doubt::AnotherPeer, Doubt::SameIdFirst, Doubt::Commit, Doubt::Time]);
    let judged = judge(&fixture, &of, &submit(1, "none"));
    assert_eq!(judged.verdict, ControlVerdict::Rejected(RejectedFor::Opening));
    let reason = "line 1, column 1: no opening".to_owned();
    assert_eq!(answer(&judged), ControlResponse::RunRejected { request_id: trace(1), reason });
}

#[test]
fn each_reason_for_which_a_request_is_rejected_is_foreseen_with_its_answer() {
    let limits = limits::Runs { open_max: 1, ..limits::Runs::default() };
    let settings = Settings { limits, agents_cancel: AgentsCancel::Own, ..Settings::default() };
    let mut fixture = TestEngine::with(settings);
    fixture.submit(1, opening(vec![node("a")], &[]));
    let control = |n| stand(ControlTopic::Control, n);
    let cue = |n| Stand { kind: AskerKind::Cue, ..control(n) };
    let other = Stand { kind: AskerKind::Agent, session: Some(ConnectionId(8)), ..control(7) };
    let describe = ControlRequest::DescribeAgents { request_id: trace(4), agents: Vec::new() }.encode();
    let (sure, now) = (Certainty::Certain, Certainty::AsOfNow);
    for (of, body, why, starts, certainty) in [
        (control(5), submit(6, "x"), RejectedFor::RequestId, "request_id is trace:", sure),
        (control(5), submit(5, "x"), RejectedFor::TooMany, "1 runs are open", now),
        (control(5), cancel(9), RejectedFor::UnknownRun, "run trace:00000000", now),
        (control(5), b"\x80".to_vec(), RejectedFor::Unreadable, "invalid request: type is missing", sure),
        (cue(5), cancel(1), RejectedFor::Forbidden, "a cue cannot cancel runs", sure),
        (other, cancel(1), RejectedFor::Forbidden, "run trace:00000000", now),
    ] {
        let judged = judge(&fixture, &of, &body);
        assert_eq!((judged.verdict, judged.certainty), (ControlVerdict::Rejected(why), certainty), "{why:?}");
        let ControlResponse::RunRejected { reason, .. } = answer(&judged) else { panic!("{judged:?}") };
        assert!(reason.starts_with(starts), "{reason}");
        assert_eq!(judged.why, Some(reason));
    }
    for (of, verdict, says) in [
        (cue(4), ControlVerdict::Rejected(RejectedFor::Forbidden), "a cue can only submit runs"),
        (control(4), ControlVerdict::Unsupported, "DescribeAgents is not supported"),
    ] {
        let judged = judge(&fixture, &of, &describe);
        let failed = ControlResponse::AgentsDescribeFailed { request_id: trace(4), reason: says.to_owned() };
        assert_eq!((judged.verdict, answer(&judged)), (verdict, failed));
    }
    // What is of another type is no request, and not answered.
    let judged = judge(&fixture, &control(5), b"\x82\xa4type\xb3observation.test.v1\xa7payload\xc0");
    assert_eq!(judged.verdict, ControlVerdict::Rejected(RejectedFor::Unreadable));
    assert!(judged.answers.is_empty() && judged.why.unwrap().contains("observation.test.v1"));
    let expired = judge(&fixture, &Stand { ttl_ms: 0, ..control(5) }, &submit(5, "x"));
    assert_eq!(expired.verdict, ControlVerdict::Rejected(RejectedFor::Expired));
    assert!(expired.answers.is_empty());
    fixture.does("a", &gives(&[]));
    fixture.engine.set_disk_low(true);
    let judged = judge(&fixture, &control(5), &submit(5, "x"));
    assert_eq!(judged.verdict, ControlVerdict::Rejected(RejectedFor::NotRecorded));
}

#[test]
fn a_cancel_says_which_run_ends_and_a_request_that_came_before_has_the_answer_of_then() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(["a", "b", "c"].map(node).to_vec(), &[]));
    fixture.does("a", &gives(&[]));
    let of = stand(ControlTopic::Control, 50);
    let judged = judge(&fixture, &of, &cancel(1));
    assert_eq!(judged.effect.as_deref(), Some("run test cancelled: 2 nodes had not ended"));
    let cancelled = ControlResponse::RunCancelled { request_id: trace(50), trace_id: trace(1) };
    assert_eq!((judged.verdict, answer(&judged)), (ControlVerdict::Accepted, cancelled.clone()));
    fixture.cancel(50, 1);
    assert_eq!(fixture.responses.last().unwrap().1, cancelled);
    let judged = judge(&fixture, &of, &cancel(1));
    assert_eq!((judged.verdict, judged.effect.clone()), (ControlVerdict::Duplicate, None));
    assert_eq!(answer(&judged), cancelled);
    let judged = judge(&fixture, &stand(ControlTopic::Control, 1), &submit(1, "whatever"));
    assert_eq!(
        (judged.verdict, answer(&judged)),
        (ControlVerdict::Duplicate, fixture.responses[0].1.clone())
    );
}

#[test]
fn a_submission_that_the_store_refuses_is_rejected_at_once_and_again_as_its_judgement_doubted() {
    let mut fixture = TestEngine::new();
    let one = || opening(vec![node("a")], &[]);
    fixture.openings.insert("opening 1".to_owned(), Arc::new(one()));
    let judged = judge(&fixture, &stand(ControlTopic::Control, 1), &submit(1, "opening 1"));
    assert_eq!(judged.verdict, ControlVerdict::Accepted);
    assert!(judged.doubts.contains(&Doubt::Commit), "{judged:?}");
    fixture.failing = 1;
    fixture.submit(1, one());
    let reason = "cannot store the run: the disk is full; see `rl-console doctor`".to_owned();
    let rejected = ControlResponse::RunRejected { request_id: trace(1), reason };
    assert_eq!(fixture.responses, [(trace(1), rejected.clone())], "nothing is waited for");
    assert_eq!((fixture.engine.open(), fixture.engine.timeout()), (0, None));
    let again = judge(&fixture, &stand(ControlTopic::Control, 1), &submit(1, "opening 1"));
    assert_eq!((again.verdict, answer(&again)), (ControlVerdict::Duplicate, rejected.clone()));
    fixture.submit(1, one());
    assert_eq!(fixture.responses[1], (trace(1), rejected), "once and for all");
}

#[test]
fn an_answer_that_is_not_remembered_is_looked_up() {
    let limits = limits::Runs { answers_max: 1, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.cancel(50, 9);
    fixture.cancel(51, 9);
    let of = stand(ControlTopic::Control, 50);
    let (judged, need) = fixture.engine.judge(Now::at_ms(0), &of, &cancel(9), &ControlLookups::default());
    assert_eq!(judged.certainty, Certainty::AfterALook);
    assert_eq!(need, Some(ControlNeed::Answer { request: trace(50), variant: "RunCancel" }));
    let judged = judge(&fixture, &of, &cancel(9));
    assert_eq!(
        (judged.verdict, answer(&judged)),
        (ControlVerdict::Duplicate, fixture.responses[0].1.clone())
    );
    let judged = judge(&fixture, &stand(ControlTopic::Control, 52), &cancel(9));
    assert_eq!(judged.verdict, ControlVerdict::Rejected(RejectedFor::UnknownRun));
}

#[test]
fn a_decision_names_its_node_and_is_too_late_once_the_question_expired() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![Node { asks: true, ..node("give") }], &[]));
    let ask = fixture.asks[0].clone();
    let of = stand(ControlTopic::Decision, 1);
    let decide = |action_id: ActionId, approved| Decision { action_id, approved, note: None }.encode();
    let expires = Now::at_ms(ask.expires_at.0 - Now::at_ms(0).wall.0);
    for (approved, becomes) in [(true, "approved"), (false, "rejected")] {
        let long = Stand { ttl_ms: 86_400_000, ..of.clone() };
        let judged = judge(&fixture, &long, &decide(ask.action_id, approved));
        assert_eq!(judged.effect, Some(format!("node give of run test {becomes}")));
        assert_eq!((judged.holds_until, judged.answers.len()), (Some(expires), 0), "nothing is published");
    }
    let unknown = judge(&fixture, &of, &decide(ActionId(uuid::Uuid::nil()), true));
    assert_eq!(unknown.verdict, ControlVerdict::Rejected(RejectedFor::Decision));
    let garbled = judge(&fixture, &of, b"\x80");
    assert!(garbled.why.unwrap().starts_with("ignored an invalid decision from tester: "));
    // The moment at which silence becomes a no has come, and nobody was told yet.
    fixture.ms = expires.mono.0 / 1_000_000;
    let late = judge(&fixture, &of, &decide(ask.action_id, true));
    assert_eq!(late.verdict, ControlVerdict::Rejected(RejectedFor::Decision));
    let rejected = fixture.engine.metrics().rejected;
    fixture.decide(&ask, true);
    assert_ne!(fixture.engine.metrics().rejected, rejected);
}

/// A message of any kind, some of them well.
fn any_message(chance: &mut fastrand::Rng, asked: &[ActionId]) -> (Stand, Vec<u8>) {
    let n = chance.u64(1..30);
    let mut of = stand(ControlTopic::Control, n);
    of.kind = chance.choice([AskerKind::Tui, AskerKind::Agent, AskerKind::Cue]).unwrap();
    of.session = Some(ConnectionId(chance.u64(7..9)));
    let mut body = match chance.u8(..6) {
        0 | 1 => submit(if chance.u8(..8) == 0 { n + 1 } else { n }, &format!("opening {}", n % 4)),
        2 => cancel(chance.u64(1..30)),
        3 => ControlRequest::DescribeAgents { request_id: trace(n), agents: Vec::new() }.encode(),
        _ => {
            of.topic = ControlTopic::Decision;
            let known = asked.get(chance.usize(..asked.len().max(1))).copied();
            let action_id = known.unwrap_or(ActionId(uuid::Uuid::nil()));
            Decision { action_id, approved: chance.bool(), note: None }.encode()
        }
    };
    if chance.u8(..6) == 0 {
        let at = chance.usize(..body.len());
        body[at] ^= 1 << chance.u8(..8);
    }
    (of, body)
}

/// With three openings, two of which ask.
fn with_openings(settings: Settings) -> TestEngine {
    let mut fixture = TestEngine::with(settings);
    for n in 0..3 {
        let nodes = vec![Node { asks: n != 1, ..node("a") }, node("b")];
        fixture.openings.insert(format!("opening {n}"), Arc::new(opening(nodes, &[])));
    }
    fixture
}

/// The message as it comes.
fn input(of: &Stand, body: Vec<u8>) -> Input {
    let (session, trace, body) = (of.session.unwrap(), of.trace, Bytes::from(body));
    let by = crate::runs::Asker { kind: of.kind, ..by() };
    match of.topic {
        ControlTopic::Control => Input::Control { by, session, trace, body },
        ControlTopic::Decision => Input::Decided { by, trace, body },
    }
}

/// An answer without the ids that were made for it.
fn unnamed(response: ControlResponse) -> ControlResponse {
    match response {
        ControlResponse::RunAccepted { request_id, trace_id, opening_name, .. } => {
            let opening_id = crate::ids::OpeningId(uuid::Uuid::nil());
            ControlResponse::RunAccepted { request_id, trace_id, opening_id, opening_name }
        }
        other => other,
    }
}

/// What is seen of how an engine stands: its deadline, its open runs and questions, and what it refused.
fn stood(fixture: &TestEngine) -> impl std::fmt::Debug + PartialEq + use<> {
    let engine = &fixture.engine;
    (engine.timeout(), engine.open(), engine.asks(9).len(), engine.metrics().rejected)
}

/// Plays some steps, whose choices follow from their numbers, and counts the verdicts.
fn play(setting: u8, steps: &[u64], seen: &mut BTreeMap<String, u32>) {
    let agents_cancel = if setting & 1 == 0 { AgentsCancel::Any } else { AgentsCancel::Own };
    let answers_max = if setting & 2 == 0 { 4 } else { 1_000 };
    let limits = limits::Runs { open_max: 3, answers_max, ..limits::Runs::default() };
    let mut fixture = with_openings(Settings { limits, agents_cancel, ..Settings::default() });
    for step in steps {
        let mut chance = fastrand::Rng::with_seed(*step);
        fixture.pass(chance.u64(..500));
        let asked: Vec<ActionId> = fixture.asks.iter().map(|ask| ask.action_id).collect();
        let before = stood(&fixture);
        for _ in 0..3 {
            let (of, body) = any_message(&mut chance, &asked);
            let _ = judge(&fixture, &of, &body);
        }
        let (of, mut body) = any_message(&mut chance, &asked);
        if chance.u8(..10) == 0 {
            body.truncate(chance.usize(..body.len()));
        }
        let judged = judge(&fixture, &of, &body);
        assert_eq!(stood(&fixture), before);
        assert!(fixture.engine.poll_output().is_none());
        *seen.entry(format!("{:?}", judged.verdict)).or_default() += 1;
        let (responses, rejected) = (fixture.responses.len(), rejections(&fixture));
        fixture.handle(input(&of, body));
        let is_rejected = matches!(judged.verdict, ControlVerdict::Rejected(_));
        assert_eq!(rejections(&fixture) - rejected, u64::from(is_rejected), "{judged:?}");
        let told = fixture.responses[responses..].iter().cloned();
        let told: Vec<_> = told.map(|(trace, response)| (trace, unnamed(response))).collect();
        let foreseen = judged.answers.iter();
        let foreseen: Vec<(TraceId, ControlResponse)> =
            foreseen.map(|it| (it.trace, unnamed(ControlResponse::decode(&it.body).unwrap()))).collect();
        assert_eq!(told, foreseen, "{judged:?}");
    }
}

#[test]
fn what_is_judged_is_what_is_done_then_and_judging_changes_nothing() {
    let seen = RefCell::new(BTreeMap::<String, u32>::new());
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&(0..4_u8, vec(any::<u64>(), 1..60)), |(setting, steps)| {
        play(setting, &steps, &mut seen.borrow_mut());
        Ok(())
    });
    played.unwrap();
    let seen = seen.into_inner();
    assert!(seen.len() >= 9, "{seen:?}");
}

fn rejections(fixture: &TestEngine) -> u64 {
    fixture.snapshot.totals.rejected
}

/// All that an engine has put out, what is kept of it, and what it shows.
fn put_out(fixture: &TestEngine) -> String {
    let TestEngine { responses, requests, cancels, asks, events, tapped, snapshot, persisted, .. } = fixture;
    let kept = (&persisted.rows.keys(), &persisted.ended.keys(), &persisted.events, &persisted.spent);
    let (answers, artifacts) = (&persisted.answers, &persisted.artifacts);
    format!(
        "{responses:?}\n{requests:?}\n{cancels:?}\n{asks:?}\n{events:?}\n{tapped:?}\n{snapshot:?}\n{kept:?}\n\
         {answers:?}\n{artifacts:?}\n{:?}\n{:?}",
        fixture.engine.metrics(),
        fixture.engine.timeout(),
    )
}

#[test]
fn an_engine_that_judged_ten_thousand_messages_does_all_that_its_twin_does() {
    let mut chance = fastrand::Rng::with_seed(23);
    let mut accepted = 0;
    for seed in 0..25 {
        let limits = limits::Runs { open_max: 3, answers_max: 4, ..limits::Runs::default() };
        let twin = || with_openings(Settings { limits, ..Settings::default() });
        let (mut asked, mut free) = (twin(), twin());
        for _ in 0..40 {
            let ms = chance.u64(..500);
            asked.pass(ms);
            free.pass(ms);
            let known: Vec<ActionId> = asked.asks.iter().map(|ask| ask.action_id).collect();
            for _ in 0..10 {
                let (of, mut body) = any_message(&mut chance, &known);
                if chance.u8(..8) == 0 {
                    body.truncate(chance.usize(..body.len()));
                }
                let judged = judge(&asked, &of, &body);
                accepted += u32::from(judged.verdict == ControlVerdict::Accepted);
            }
            assert!(asked.engine.poll_output().is_none());
            let (of, body) = any_message(&mut chance, &known);
            asked.handle(input(&of, body.clone()));
            free.handle(input(&of, body));
        }
        assert_eq!(put_out(&asked), put_out(&free), "seed {seed}");
    }
    assert!(accepted > 100, "{accepted}");
}
