//! Says what a session's log has.

use uuid::Uuid;

use crate::{
    ids::TraceId,
    mplp::lifecycle::{
        RecordSettings,
        session::{SessionBegin, SessionEnd, SessionMessage, SessionRecord},
    },
    tap::entry::macp::{Effect, Ending, Mode},
    time::Wall,
};

/// When the sessions begin: 2026-09-21T14:13:20Z.
const BEGIN: u64 = 1_790_000_000_000;

pub(super) const TRACE: TraceId = TraceId(Uuid::from_u128(0x0192_f0c1_2b3a_7c4d_8e5f_6071_8293_a4b5));

pub(super) fn settings() -> RecordSettings {
    RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() }
}

pub(super) fn begin(mode: Mode, listed: &[&str]) -> SessionBegin {
    SessionBegin {
        session: "map-vote-7".to_owned(),
        trace: None,
        mode,
        mode_name: mode.name().to_owned(),
        mode_version: "1.0.0".to_owned(),
        configuration_version: "cfg-1".to_owned(),
        policy_version: String::new(),
        by: "alice".to_owned(),
        intent: "which map?".to_owned(),
        participants: listed.iter().map(|name| (*name).to_owned()).collect(),
        traceparent: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()),
        context: None,
        at: Wall(BEGIN),
        expires_at: Wall(BEGIN + 60_000),
    }
}

/// A session, and what was said to its record.
pub(super) struct Play {
    pub(super) begin: SessionBegin,
    pub(super) messages: Vec<SessionMessage>,
    pub(super) ended: Option<SessionEnd>,
    pub(super) record: SessionRecord,
    number: u64,
    ms: u64,
}

impl Play {
    pub(super) fn new(mode: Mode, listed: &[&str]) -> Self {
        Self::of(begin(mode, listed))
    }

    pub(super) fn of(begin: SessionBegin) -> Self {
        let record = SessionRecord::begin(begin.clone(), &settings());
        Self { begin, messages: Vec::new(), ended: None, record, number: 1, ms: BEGIN }
    }

    /// A message 10 ms behind the last.
    pub(super) fn says(&mut self, sender: &str, message_type: &str, effect: Effect, text: &str) {
        self.number += 1;
        self.ms += 10;
        let message = SessionMessage {
            number: self.number,
            message_id: format!("m{}", self.number),
            message_type: message_type.to_owned(),
            sender: sender.to_owned(),
            effect,
            text: text.to_owned(),
            payload: if text.is_empty() { String::new() } else { format!("{{\"text\":\"{text}\"}}") },
            at: Wall(self.ms),
        };
        self.messages.push(message.clone());
        self.record.message(message);
    }

    pub(super) fn proposes(&mut self, sender: &str, proposal: &str) {
        self.says(sender, "Proposal", Effect::Proposed { proposal: proposal.into() }, "an option");
    }

    pub(super) fn evaluates(&mut self, sender: &str, proposal: &str) {
        let recommendation = "APPROVE".into();
        let effect = Effect::Evaluated { proposal: proposal.into(), recommendation, confidence: 0.75 };
        self.says(sender, "Evaluation", effect, "it is good");
    }

    pub(super) fn objects(&mut self, sender: &str, proposal: &str) {
        let effect = Effect::Objected { proposal: proposal.into(), severity: "high".into() };
        self.says(sender, "Objection", effect, "it is not good");
    }

    pub(super) fn votes(&mut self, sender: &str, proposal: &str) {
        let effect = Effect::Voted { proposal: proposal.into(), vote: "approve".into() };
        self.says(sender, "Vote", effect, "yes");
    }

    pub(super) fn commits(&mut self, sender: &str) {
        self.says(sender, "Commitment", Effect::Committed, "play it");
    }

    pub(super) fn contributes(&mut self, sender: &str, round: u64) {
        self.says(sender, "Contribute", Effect::Contributed { round }, "blue");
    }

    pub(super) fn ends(&mut self, ending: Ending) {
        self.number += 1;
        self.ms += 10;
        let is_resolved = ending == Ending::Resolved;
        self.ends_with(SessionEnd {
            number: (ending != Ending::LogDamaged).then_some(self.number),
            ending,
            why: (!is_resolved).then(|| "its TTL is over".to_owned()),
            resolution: is_resolved.then(|| "{\"action\":\"play it\"}".to_owned()),
            messages_missing: 0,
            at: Wall(self.ms),
        });
    }

    pub(super) fn ends_with(&mut self, end: SessionEnd) {
        self.ended = Some(end.clone());
        self.record.end(end);
    }

    /// A decision of two with an objection, up to the votes.
    pub(super) fn debates(&mut self) {
        self.proposes("alice", "p1");
        self.evaluates("bob", "p1");
        self.votes("alice", "p1");
        self.objects("bob", "p1");
        self.proposes("bob", "p2");
        self.votes("alice", "p2");
        self.votes("bob", "p2");
    }
}
