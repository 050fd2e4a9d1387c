//! The Trace of a session, and the Dialog that it is.

use serde_json::{Map, Value, json};

use super::{
    super::item::Stamp,
    record::{Accepted, START, SessionRecord},
    states::{collab_status, state_name, steps_of, trace_status},
};
use crate::{
    mplp::{MplpId, TraceParent},
    tap::entry::macp::{Effect, Ending},
    time::Wall,
};

/// What the events of the Trace come from.
const SOURCE: &str = "macp";

impl SessionRecord {
    pub(super) fn trace_object(&self) -> Value {
        let ids = &self.ids;
        let mut trace = json!({
            "meta": self.meta(self.missing() > 0),
            "trace_id": ids.trace,
            "context_id": ids.context,
            "plan_id": ids.plan,
            "root_span": {
                "trace_id": ids.trace,
                "span_id": ids.span,
                "context_id": ids.context,
                "attributes": self.root_attributes(),
            },
            "status": trace_status(self.ending()),
            "started_at": Stamp(self.begin.at).to_string(),
            "segments": self.segments(),
            "events": self.trace_events(),
        });
        if let Some(end) = &self.end {
            trace["finished_at"] = Stamp(end.at).into();
        }
        trace
    }

    fn root_attributes(&self) -> Map<String, Value> {
        let begin = &self.begin;
        let mut attributes = Map::new();
        attributes.insert("session".to_owned(), begin.session.as_str().into());
        attributes.insert("mode".to_owned(), begin.mode_name.as_str().into());
        if let Some(trace) = begin.trace {
            attributes.insert("trace".to_owned(), trace.to_string().into());
        }
        if let Some(header) = &begin.traceparent {
            attributes.insert("traceparent".to_owned(), header.as_str().into());
        }
        if self.end.is_some() || self.left_out > 0 {
            attributes.insert("messages_missing".to_owned(), self.missing().into());
        }
        attributes
    }

    /// A segment each message.
    fn segments(&self) -> Value {
        let numbered = self.messages.iter().zip(1_u64..);
        numbered.map(|(accepted, turn)| self.segment(accepted, turn)).collect()
    }

    fn segment(&self, accepted: &Accepted, turn: u64) -> Value {
        let Accepted { message, segment, .. } = accepted;
        let at = Stamp(message.at).to_string();
        json!({
            "segment_id": segment,
            "label": format!("{}#{turn}", message.message_type),
            "status": "completed",
            "started_at": at,
            "finished_at": at,
            "attributes": {
                "number": message.number,
                "message_id": message.message_id,
                "message_type": message.message_type,
                "sender": message.sender,
                "step": steps_of(self.begin.mode)[accepted.step].name,
                "effect": message.effect.name(),
                "traceparent": TraceParent::of_span(self.ids.trace.as_bytes(), segment.as_bytes()).to_string(),
            },
        })
    }

    /// An event each record of the log: the first that it causes.
    fn trace_events(&self) -> Vec<Value> {
        let begin = &self.begin;
        let start = json!({
            "number": START,
            "by": begin.by,
            "intent": begin.intent,
            "participants": begin.participants,
        });
        let mut events = vec![self.trace_event(START, "session.started", begin.at, &start)];
        events.extend(self.messages.iter().map(|Accepted { message, .. }| {
            let data = json!({
                "number": message.number,
                "message_id": message.message_id,
                "message_type": message.message_type,
                "sender": message.sender,
                "text": message.text,
                "effect": effect_data(&message.effect),
            });
            self.trace_event(message.number, "session.message", message.at, &data)
        }));
        if let Some(end) = &self.end {
            let data = json!({
                "number": end.number,
                "state": state_name(Some(end.ending)),
                "why": end.why,
                "resolution": end.resolution,
            });
            events.push(self.trace_event(self.end_number, end_type(end.ending), end.at, &data));
        }
        events
    }

    fn trace_event(&self, number: u64, event_type: &str, at: Wall, data: &Value) -> Value {
        let (event_id, trace_id): (MplpId, MplpId) = (self.ids.event(number, 0), self.ids.trace);
        json!({
            "event_id": event_id,
            "event_type": event_type,
            "source": SOURCE,
            "timestamp": Stamp(at).to_string(),
            "trace_id": trace_id,
            "data": data,
        })
    }

    /// The request, the messages, and the end.
    pub(super) fn dialog(&self) -> Value {
        let begin = Stamp(self.begin.at).to_string();
        let mut messages = vec![line("agent", &self.title(), &begin)];
        messages.extend(self.messages.iter().map(|Accepted { message, .. }| {
            let said = if message.payload.is_empty() { &message.message_type } else { &message.payload };
            line("agent", said, &Stamp(message.at).to_string())
        }));
        if let Some(end) = &self.end {
            let state = state_name(Some(end.ending));
            let detail = end.resolution.as_ref().or(end.why.as_ref());
            let colon = detail.map_or_else(String::new, |detail| format!(": {detail}"));
            let said = format!("the session is {state}{colon}");
            messages.push(line("system", &said, &Stamp(end.at).to_string()));
        }
        let mut dialog = json!({
            "meta": self.meta(false),
            "dialog_id": self.ids.dialog,
            "context_id": self.ids.context,
            "status": collab_status(self.ending()),
            "messages": messages,
            "started_at": begin,
        });
        if let Some(end) = &self.end {
            dialog["ended_at"] = Stamp(end.at).into();
        }
        dialog
    }
}

/// A message of the Dialog.
fn line(role: &str, content: &str, at: &str) -> Value {
    json!({ "role": role, "content": content, "timestamp": at })
}

/// What a message did, with what its mode says of it.
fn effect_data(effect: &Effect) -> Value {
    let mut data = json!({ "name": effect.name() });
    let mut put = |name: &str, value: Value| data[name] = value;
    match effect {
        Effect::Nothing | Effect::Committed | Effect::LegacyResolved => {}
        Effect::Proposed { proposal } => put("proposal_id", (&**proposal).into()),
        Effect::Evaluated { proposal, recommendation, confidence } => {
            put("proposal_id", (&**proposal).into());
            put("recommendation", (&**recommendation).into());
            put("confidence", (*confidence).into());
        }
        Effect::Objected { proposal, severity } => {
            put("proposal_id", (&**proposal).into());
            put("severity", (&**severity).into());
        }
        Effect::Voted { proposal, vote } => {
            put("proposal_id", (&**proposal).into());
            put("vote", (&**vote).into());
        }
        Effect::Contributed { round } => put("round", (*round).into()),
    }
    data
}

/// The type of the event of an end: dotted and in lowercase (ruling MPLP 5).
const fn end_type(ending: Ending) -> &'static str {
    match ending {
        Ending::Resolved => "session.resolved",
        Ending::TtlExpired => "session.expired",
        Ending::Cancelled => "session.cancelled",
        Ending::LogDamaged => "session.damaged",
    }
}
