//! Samples of how several worked together.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{
    super::item::{Item, Origin},
    read::{Record, Sample, list, object, text, unix_ms},
};
use crate::mplp::SchemaId;

/// What the MAP events of a session say.
#[derive(Default)]
struct Turns<'a> {
    events: Vec<&'a Value>,
    initiator: Option<&'a str>,
    /// When it began and ended, in Unix milliseconds.
    times: Option<(u64, u64)>,
    total: u64,
    /// Turns that did not go to who had the last.
    handoffs: u64,
    last_role: Option<&'a str>,
    has_failed: bool,
}

impl<'a> Turns<'a> {
    fn add(&mut self, event: &'a Value) {
        self.events.push(&event["event_id"]);
        if let Some(at) = text(event, "timestamp").and_then(unix_ms) {
            let (from, _) = self.times.unwrap_or((at, at));
            self.times = Some((from, at));
        }
        match text(event, "event_type") {
            Some("MAPSessionStarted") => self.initiator = text(event, "initiator_role"),
            Some("MAPTurnDispatched") => {
                let role = text(&event["payload"], "role_id");
                self.handoffs += u64::from(self.total > 0 && role != self.last_role);
                (self.total, self.last_role) = (self.total + 1, role);
            }
            Some("MAPTurnCompleted") => {
                let status = text(&event["payload"]["result"], "status");
                self.has_failed |= matches!(status, Some("failed" | "cancelled"));
            }
            _ => {}
        }
    }
}

/// Each Collab.
pub(super) fn of_collabs(record: &Record<'_>) -> Vec<Item> {
    let mut sessions: HashMap<&str, Turns<'_>> = HashMap::new();
    for item in record.objects(SchemaId::MapEvent) {
        if let Some(id) = text(&item.object, "session_id") {
            sessions.entry(id).or_default().add(&item.object);
        }
    }
    let own = own_session(record);
    let mut samples = Vec::new();
    for (place, item) in record.objects(SchemaId::Collab).enumerate() {
        let collab = &item.object;
        let id = text(collab, "collab_id").unwrap_or_default();
        let turns = sessions.remove(id).unwrap_or_default();
        let is_reached = match text(collab, "status") {
            Some("completed") if own.contains(id) => text(record.trace, "status") == Some("completed"),
            status => status == Some("completed"),
        };
        let outcome = match (is_reached, turns.has_failed) {
            (true, false) => "success",
            (true, true) => "partial",
            (false, _) => "failed",
        };
        let sample = Sample {
            family: "multi_agent_coordination",
            place,
            input: object([
                ("session_id", Some(id.into())),
                ("coordination_mode", Some(collab["mode"].clone())),
                ("participant_count", Some(list(collab, "participants").len().into())),
                ("initiator_role", turns.initiator.map(Into::into)),
            ]),
            state: Value::Null,
            output: json!({
                "total_turns": turns.total,
                "handoffs_count": turns.handoffs,
                "outcome": outcome,
                "duration_ms": turns.times.map_or(0, |(from, to)| to.saturating_sub(from)),
            }),
            sources: turns.events,
        };
        samples.push(record.sample(SchemaId::LearningSample, sample, Origin::End));
    }
    samples
}

/// The session that is the run itself: its turns are attempts. It completes even where the run fails.
fn own_session<'a>(record: &Record<'a>) -> HashSet<&'a str> {
    record
        .objects(SchemaId::Collab)
        .filter(|item| item.object["mode"] == "orchestrated")
        .filter_map(|item| text(&item.object, "collab_id"))
        .collect()
}
