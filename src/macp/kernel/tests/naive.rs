//! The runtime as the text tells it, without a thought for speed, beside the kernel in random sessions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::test_kernel::{TestKernel, envelope, participants};
use crate::{
    limits,
    macp::{
        SessionState,
        kernel::Acked,
        proto::v1::{Envelope, SessionStartPayload},
    },
};

/// One session of the model.
struct Session {
    is_decision: bool,
    participants: Vec<String>,
    expires: u64,
    state: SessionState,
    seen: BTreeMap<String, u64>,
    proposals: BTreeSet<String>,
    votes: BTreeMap<String, String>,
    opinions: usize,
    phase: &'static str,
    round: u64,
    contributions: BTreeMap<String, String>,
    resolution: Option<Value>,
}

/// Code, whether it is a duplicate, the time, the state.
type AckSummary = (Option<&'static str>, bool, u64, Option<SessionState>);

#[derive(Default)]
struct Model {
    sessions: HashMap<String, Session>,
}

impl Model {
    fn process(&mut self, now: u64, message: &Envelope) -> AckSummary {
        let state = self.sessions.get(&message.session_id).map(|session| session.state);
        let reject = |code, state| (Some(code), false, now, state);
        if message.macp_version != "1.0" {
            return reject("UNSUPPORTED_PROTOCOL_VERSION", state);
        }
        if message.message_id.is_empty()
            || (message.message_type != "Signal" && message.session_id.is_empty())
        {
            return reject("INVALID_ENVELOPE", state);
        }
        match message.message_type.as_str() {
            "Signal" => (None, false, now, Some(SessionState::Open)),
            "SessionStart" => self.start(now, message),
            _ => self.regular(now, message),
        }
    }

    fn start(&mut self, now: u64, message: &Envelope) -> AckSummary {
        let existing = self.sessions.get(&message.session_id);
        let state = existing.map(|session| session.state);
        let reject = |code| (Some(code), false, now, state);
        let is_decision = match message.mode.as_str() {
            "" | "decision" | "macp.mode.decision.v1" => true,
            "multi_round" | "macp.mode.multi_round.v1" => false,
            _ => return reject("MODE_NOT_SUPPORTED"),
        };
        let Ok(payload) = <SessionStartPayload as prost::Message>::decode(message.payload.clone()) else {
            return reject("INVALID_ENVELOPE");
        };
        if payload.ttl_ms < 0 || payload.ttl_ms > 86_400_000 {
            return reject("INVALID_ENVELOPE");
        }
        let ttl = if payload.ttl_ms == 0 { 60_000 } else { payload.ttl_ms.unsigned_abs() };
        if let Some(session) = existing {
            return match session.seen.get(&message.message_id) {
                Some(at) => (None, true, *at, state),
                None => reject("INVALID_ENVELOPE"),
            };
        }
        if !is_decision && payload.participants.is_empty() {
            return reject("INVALID_ENVELOPE");
        }
        let session = Session {
            is_decision,
            participants: payload.participants,
            expires: now + ttl,
            state: SessionState::Open,
            seen: BTreeMap::from([(message.message_id.clone(), now)]),
            proposals: BTreeSet::new(),
            votes: BTreeMap::new(),
            opinions: 0,
            phase: "proposal",
            round: 0,
            contributions: BTreeMap::new(),
            resolution: None,
        };
        self.sessions.insert(message.session_id.clone(), session);
        (None, false, now, Some(SessionState::Open))
    }

    fn regular(&mut self, now: u64, message: &Envelope) -> AckSummary {
        let Some(session) = self.sessions.get_mut(&message.session_id) else {
            return (Some("SESSION_NOT_FOUND"), false, now, None);
        };
        if let Some(at) = session.seen.get(&message.message_id) {
            return (None, true, *at, Some(session.state));
        }
        if session.state == SessionState::Open && now > session.expires {
            session.state = SessionState::Expired;
            return (Some("SESSION_NOT_OPEN"), false, now, Some(session.state));
        }
        if session.state != SessionState::Open {
            return (Some("SESSION_NOT_OPEN"), false, now, Some(session.state));
        }
        if !session.participants.is_empty() && !session.participants.contains(&message.sender) {
            return (Some("INVALID_ENVELOPE"), false, now, Some(session.state));
        }
        let taken = if session.is_decision { session.decide(message) } else { session.contribute(message) };
        if !taken {
            return (Some("INVALID_ENVELOPE"), false, now, Some(session.state));
        }
        session.seen.insert(message.message_id.clone(), now);
        (None, false, now, Some(session.state))
    }

    fn cancel(&mut self, now: u64, id: &str) -> AckSummary {
        let Some(session) = self.sessions.get_mut(id) else {
            return (Some("SESSION_NOT_FOUND"), false, now, None);
        };
        if session.state == SessionState::Open {
            session.state = SessionState::Expired;
        }
        (None, false, now, Some(session.state))
    }
}

impl Session {
    fn decide(&mut self, message: &Envelope) -> bool {
        let text = |json: &Value, key: &str| {
            json.get(key).map_or(Some(String::new()), |value| value.as_str().map(str::to_owned))
        };
        if message.message_type == "Message" && message.payload.as_ref() == b"resolve" {
            self.resolution = Some("resolve".into());
            self.state = SessionState::Resolved;
            return true;
        }
        if !["Proposal", "Evaluation", "Objection", "Vote", "Commitment"]
            .contains(&message.message_type.as_str())
        {
            return true;
        }
        let Ok(json) = serde_json::from_slice::<Value>(&message.payload) else { return false };
        let Some(proposal) = json.is_object().then(|| text(&json, "proposal_id")).flatten() else {
            return false;
        };
        match message.message_type.as_str() {
            "Proposal" => {
                if proposal.is_empty() {
                    return false;
                }
                self.proposals.insert(proposal);
                self.phase = "evaluation";
            }
            "Evaluation" | "Objection" => {
                if !self.proposals.contains(&proposal) {
                    return false;
                }
                self.opinions += 1;
                self.phase = "evaluation";
            }
            "Vote" => {
                if self.proposals.is_empty() {
                    return false;
                }
                self.votes.insert(message.sender.clone(), text(&json, "vote").unwrap_or_default());
                self.phase = "voting";
            }
            _ => {
                if self.votes.is_empty() {
                    return false;
                }
                self.phase = "committed";
                self.resolution = Some(json);
                self.state = SessionState::Resolved;
            }
        }
        true
    }

    fn contribute(&mut self, message: &Envelope) -> bool {
        if message.message_type != "Contribute" {
            return true;
        }
        let Ok(json) = serde_json::from_slice::<Value>(&message.payload) else { return false };
        let Some(value) = json.get("value").and_then(Value::as_str) else { return false };
        if self.contributions.get(&message.sender).map(String::as_str) != Some(value) {
            self.round += 1;
        }
        self.contributions.insert(message.sender.clone(), value.to_owned());
        let everybody = self.participants.iter().all(|name| self.contributions.contains_key(name));
        if everybody && self.contributions.values().all(|other| other == value) {
            let resolution = serde_json::json!({ "converged_value": value, "round": self.round, "final_values": self.contributions });
            self.resolution = Some(resolution);
            self.state = SessionState::Resolved;
        }
        true
    }
}

fn ack_summary(ack: &Acked) -> AckSummary {
    (ack.error.as_ref().map(|(fault, _)| fault.code().name()), ack.is_duplicate, ack.at_ms, ack.state)
}

fn random(chance: &mut fastrand::Rng, n: u64) -> Envelope {
    fn pick<'a>(chance: &mut fastrand::Rng, all: &[&'a str]) -> &'a str {
        all[chance.usize(..all.len())]
    }
    let session = pick(chance, &["s1", "s2", "s3", "s4", "s5", "s6", ""]);
    let sender = pick(chance, &["a", "b", "c"]);
    let id = if chance.u8(..8) == 0 { String::new() } else { format!("m{}", chance.u64(..n / 2 + 3)) };
    let proposal = pick(chance, &["p1", "p2", ""]);
    let (message_type, payload) = match chance.u8(..14) {
        0..3 => ("SessionStart", String::new()),
        3 => ("Signal", "anything".to_owned()),
        4 => ("Proposal", format!(r#"{{"proposal_id":"{proposal}"}}"#)),
        5 => ("Evaluation", format!(r#"{{"proposal_id":"{proposal}","confidence":0.5}}"#)),
        6 => ("Objection", format!(r#"{{"proposal_id":"{proposal}","severity":"low"}}"#)),
        7 => ("Vote", format!(r#"{{"proposal_id":"{proposal}","vote":"{n}"}}"#)),
        8 if chance.u8(..3) == 0 => ("Commitment", format!(r#"{{"action":"{n}"}}"#)),
        9 => ("Message", pick(chance, &["hello", "hello", "hello", "resolve"]).to_owned()),
        10 => ("Vote", "broken".to_owned()),
        _ => ("Contribute", format!(r#"{{"value":"{}"}}"#, pick(chance, &["x", "y"]))),
    };
    let mut message = envelope(session, message_type, &id, sender, payload);
    if message_type == "SessionStart" {
        message.mode =
            pick(chance, &["", "decision", "multi_round", "macp.mode.multi_round.v1", "no such"]).to_owned();
        let listed: &[&str] = [&["a", "b"][..], &["b", "a", "c"], &["a"], &[]][chance.usize(..4)];
        let ttl_ms = [0, 300, 20, -5, 86_400_001][chance.usize(..5)];
        let payload = SessionStartPayload { ttl_ms, ..participants(listed) };
        message.payload = prost::Message::encode_to_vec(&payload).into();
    }
    if chance.u8(..40) == 0 {
        message.macp_version = "v1".to_owned();
    }
    message
}

#[test]
fn random_sessions_go_as_the_text_tells_them() {
    for seed in 0..400 {
        let mut chance = fastrand::Rng::with_seed(seed);
        // Of every other one, sessions that end leave memory.
        let leaves = seed % 2 == 1;
        let limits = limits::Macp {
            closed_max: if leaves { chance.u64(..2) } else { 1_024 },
            ..limits::Macp::default()
        };
        let (mut fixture, mut model) = (TestKernel::with(limits), Model::default());
        let mut moments = Vec::new();
        for n in 0..120 {
            fixture.ms += chance.u64(..8);
            if leaves && chance.u8(..4) == 0 {
                fixture.durable();
                fixture.evict();
            }
            if !leaves && seed % 10 == 0 {
                moments.push((fixture.log.len(), fixture.kernel.images()));
            }
            if chance.u8(..5) == 0 {
                fixture.input(crate::macp::kernel::Input::Timeout);
            }
            if chance.u8(..60) == 0 {
                let id = format!("s{}", chance.u8(1..7));
                let expected = model.cancel(fixture.unix_ms(), &id);
                assert_eq!(
                    ack_summary(&fixture.cancel(&id, "because")),
                    expected,
                    "seed {seed}, message {n}"
                );
                continue;
            }
            let message = random(&mut chance, n);
            let expected = model.process(fixture.unix_ms(), &message);
            assert_eq!(
                ack_summary(&fixture.send(&message)),
                expected,
                "seed {seed}, message {n}: {message:?}"
            );
        }
        compare(&fixture, &model, seed);
        let (replayed, images) = (fixture.replayed(), fixture.kernel.images());
        assert!(images.len() == model.sessions.len() || leaves);
        for (id, image) in &images {
            assert_eq!(replayed.image(id).as_ref(), Some(image), "seed {seed}, {id}");
        }
        for (records, images) in moments {
            assert_eq!(fixture.replayed_to(records).images(), images, "seed {seed}, {records} records");
        }
    }
}

fn compare(fixture: &TestKernel, model: &Model, seed: u64) {
    for (id, session) in &model.sessions {
        // What left memory told how it ended, and answers as the model does.
        let Some(image) = fixture.kernel.image(id) else { continue };
        let resolution = image
            .end
            .as_ref()
            .filter(|(ending, ..)| *ending == crate::macp::Ending::Resolved)
            .map(|(.., resolution)| resolution);
        let resolution = resolution.map(|bytes| {
            serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
        });
        assert_eq!(resolution, session.resolution, "seed {seed}, {id}");
        if session.is_decision {
            assert_eq!(image.state.phase().unwrap().name(), session.phase, "seed {seed}, {id}");
            let votes: BTreeMap<String, String> = image.json["votes"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(sender, vote)| (sender.clone(), vote["vote"].as_str().unwrap().to_owned()))
                .collect();
            assert_eq!(votes, session.votes, "seed {seed}, {id}");
            let opinions = image.json["evaluations"].as_array().unwrap().len()
                + image.json["objections"].as_array().unwrap().len();
            assert_eq!(
                (opinions, image.json["proposals"].as_object().unwrap().len()),
                (session.opinions, session.proposals.len())
            );
        } else {
            assert_eq!(image.state.round(), Some(session.round), "seed {seed}, {id}");
            assert_eq!(
                image.json["contributions"],
                serde_json::to_value(&session.contributions).unwrap(),
                "seed {seed}, {id}"
            );
        }
    }
}
