//! Questions to a person whether a node may go on, as Confirms (rulings MPLP 14 and 16), and the Dialog that
//! they and the request make.

use serde_json::{Value, json};

use super::{
    super::item::Stamp,
    event_fields::{Answer, UNKNOWN},
    ids::Ids,
    roles::STATION,
};
use crate::{
    mplp::{Derived, MplpId},
    tap::entry::runs::{NO_DECISION, Verdict},
    time::Wall,
};

/// A question.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) id: MplpId,
    /// The number of the event by which it is asked.
    pub(super) number: u64,
    /// What is asked.
    pub(super) reason: String,
    pub(super) requested_by: String,
    pub(super) requested_at: Wall,
    pub(super) expires_at: Option<Wall>,
    pub(super) step: MplpId,
    pub(super) node: String,
    pub(super) decision: Option<Decision>,
}

/// How a question ended.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) id: MplpId,
    pub(super) status: &'static str,
    /// The name of the Role that decided.
    pub(super) by: String,
    pub(super) at: Wall,
    pub(super) reason: Option<String>,
}

impl Question {
    /// Takes the answer. Nobody's is the station's.
    pub(super) fn decide(&mut self, answer: Answer, at: Wall) -> &Decision {
        let (status, is_persons) = match answer.verdict {
            Verdict::Approved => ("approved", true),
            Verdict::Rejected => ("rejected", true),
            Verdict::Expired => ("rejected", false),
            Verdict::Withdrawn => ("cancelled", false),
        };
        let by =
            if is_persons { answer.by.unwrap_or_else(|| UNKNOWN.to_owned()) } else { STATION.to_owned() };
        let reason = answer.note.or_else(|| match answer.verdict {
            Verdict::Expired => Some(NO_DECISION.to_owned()),
            Verdict::Withdrawn => Some("withdrawn: its node ended".to_owned()),
            _ => None,
        });
        let id = Derived::Decision(&self.id.to_string()).id();
        self.decision.insert(Decision { id, status, by, at, reason })
    }

    /// When it changed last.
    pub(super) fn updated_at(&self) -> Wall {
        self.decision.as_ref().map_or(self.requested_at, |decision| decision.at)
    }

    /// The Confirm as it is now.
    pub(super) fn object(&self, ids: &Ids, meta: &Value) -> Value {
        let status = self.decision.as_ref().map_or("pending", |decision| decision.status);
        let decisions: Vec<Value> = self.decision.iter().map(Decision::object).collect();
        let mut attributes = json!({ "step_id": self.step, "node": self.node });
        if let Some(at) = self.expires_at {
            attributes["expires_at"] = Stamp(at).into();
        }
        json!({
            "meta": meta,
            "confirm_id": self.id,
            "target_type": "plan",
            "target_id": ids.plan,
            "status": status,
            "requested_by_role": self.requested_by,
            "requested_at": Stamp(self.requested_at).to_string(),
            "reason": self.reason,
            "decisions": decisions,
            "trace": {
                "trace_id": ids.trace,
                "span_id": ids.span,
                "context_id": ids.context,
                "attributes": attributes,
            },
        })
    }
}

impl Decision {
    fn object(&self) -> Value {
        let mut decision = json!({
            "decision_id": self.id,
            "status": self.status,
            "decided_by_role": self.by,
            "decided_at": Stamp(self.at).to_string(),
        });
        if let Some(reason) = &self.reason {
            decision["reason"] = reason.as_str().into();
        }
        decision
    }

    /// What the Dialog says of it.
    pub(super) fn message(&self) -> Message {
        let content = match &self.reason {
            Some(reason) => format!("{}: {reason}", self.status),
            None => self.status.to_owned(),
        };
        Message { role: speaker(&self.by), content, at: self.at }
    }
}

/// A message of the Dialog.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) role: &'static str,
    pub(super) content: String,
    pub(super) at: Wall,
}

impl Message {
    pub(super) fn object(&self) -> Value {
        json!({ "role": self.role, "content": self.content, "timestamp": Stamp(self.at).to_string() })
    }
}

/// What the Dialog calls who speaks, by the name of the Role.
pub(super) fn speaker(role: &str) -> &'static str {
    match role.split(':').next() {
        Some("agent") => "agent",
        Some("ui" | "tui" | UNKNOWN) => "user",
        _ => "system",
    }
}
