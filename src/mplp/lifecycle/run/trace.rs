//! The Trace of a run: its segments, an attempt each, and what the run fields.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{super::item::Stamp, emit::AGENT, ids::Ids};
use crate::{
    mplp::{MplpId, TraceParent},
    store::runs::EventRow,
    tap::entry::{runs::EventKind, station::Level},
    time::Wall,
};

/// Events of a run that its Trace has; further ones are counted as missing.
const EVENTS_MAX: usize = 100_000;

/// Attempts that a Trace has; further ones are told, and the record is incomplete.
const SEGMENTS_MAX: usize = 100_000;

/// An attempt, or how a node ended without one.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) id: MplpId,
    pub(super) parent: Option<MplpId>,
    pub(super) node: Arc<str>,
    pub(super) uses: Arc<str>,
    pub(super) attempt: u32,
    pub(super) status: &'static str,
    pub(super) started_at: Option<Wall>,
    pub(super) finished_at: Option<Wall>,
    pub(super) latency_ms: Option<u64>,
    pub(super) why: Option<String>,
}

/// The place of the event that the run was accepted, among those that its beginning causes: behind the
/// others, and before those of sessions.
const ACCEPTED_PLACE: u64 = 999;

/// What the Trace is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceParts {
    /// Those that the Trace has, then those that are open though there is no room for them.
    segments: Vec<Segment>,
    /// The places of those that ended though there was no room for them.
    spare: Vec<usize>,
    rows: Vec<EventRow>,
    /// Events that are told and that it has no room for.
    left_out: u64,
    /// Attempts that ended and that it has no room for.
    segments_left_out: u64,
}

impl TraceParts {
    /// Adds an event of the run.
    pub(super) fn add(&mut self, row: &EventRow) {
        if self.rows.len() < EVENTS_MAX {
            self.rows.push(row.clone());
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a segment: its place, by which it is named until it ends.
    pub(super) fn add_segment(&mut self, segment: Segment) -> usize {
        if let Some(at) = self.spare.pop() {
            self.segments[at] = segment;
            return at;
        }
        self.segments.push(segment);
        self.segments.len() - 1
    }

    /// A segment changes no more.
    pub(super) fn settle_segment(&mut self, at: usize) {
        if at >= SEGMENTS_MAX {
            self.segments_left_out += 1;
            self.spare.push(at);
        }
    }

    pub(super) fn segment_mut(&mut self, at: usize) -> &mut Segment {
        &mut self.segments[at]
    }

    /// The segments that the Trace has.
    pub(super) fn segment_count(&self) -> usize {
        self.segments.len().min(SEGMENTS_MAX)
    }

    /// How many more ended.
    pub(super) const fn segments_left_out(&self) -> u64 {
        self.segments_left_out
    }

    /// Events that it has no room for.
    pub(super) const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The segments as they are now.
    pub(super) fn segment_objects(&self, ids: &Ids) -> Value {
        self.segments.iter().take(SEGMENTS_MAX).map(|segment| segment.object(ids.trace)).collect()
    }

    /// The events, each the first that its run event causes. A Trace is not without one (`mplp-l1 §4.1`,
    /// `sa_trace_not_empty`): while the run has said nothing, it says that the run was accepted.
    pub(super) fn event_objects(&self, ids: &Ids, accepted_at: Wall) -> Value {
        if self.rows.is_empty() {
            return json!([{
                "event_id": ids.event(0, ACCEPTED_PLACE),
                "event_type": event_type(EventKind::Status),
                "source": "runs",
                "timestamp": Stamp(accepted_at).to_string(),
                "trace_id": ids.trace,
                "data": { "message": "the run is accepted" },
            }]);
        }
        self.rows
            .iter()
            .map(|row| {
                json!({
                    "event_id": ids.event(row.number, 0),
                    "event_type": event_type(row.kind),
                    "source": "runs",
                    "timestamp": Stamp(row.at).to_string(),
                    "trace_id": ids.trace,
                    "data": {
                        "number": row.number,
                        "level": row.level.map(Level::name),
                        "message": row.message,
                        "meta": row.meta.value(),
                    },
                })
            })
            .collect()
    }
}

impl Segment {
    fn object(&self, trace_id: MplpId) -> Value {
        let mut attributes = Map::new();
        let mut put = |name: &str, value: Value| {
            attributes.insert(name.to_owned(), value);
        };
        put("node", (&*self.node).into());
        put("use", (&*self.uses).into());
        put("attempt", self.attempt.into());
        put("traceparent", TraceParent::of_span(trace_id.as_bytes(), self.id.as_bytes()).to_string().into());
        if let Some(agent) = self.uses.strip_prefix(AGENT) {
            put("agent", agent.into());
        }
        if let Some(ms) = self.latency_ms {
            put("latency_ms", ms.into());
        }
        if let Some(why) = &self.why {
            put("why", why.as_str().into());
        }
        let mut segment = json!({
            "segment_id": self.id,
            "label": format!("{}#{}", self.node, self.attempt),
            "status": self.status,
            "attributes": attributes,
        });
        if let Some(parent) = self.parent {
            segment["parent_segment_id"] = parent.to_string().into();
        }
        if let Some(at) = self.started_at {
            segment["started_at"] = Stamp(at).into();
        }
        if let Some(at) = self.finished_at {
            segment["finished_at"] = Stamp(at).into();
        }
        segment
    }
}

/// The type of an event of the Trace: dotted and in lowercase (ruling MPLP 5).
const fn event_type(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Log => "run.log",
        EventKind::Status => "run.status",
        EventKind::Plan => "run.plan",
        EventKind::Trace => "run.trace",
        EventKind::Artifact => "run.artifact",
        EventKind::Progress => "run.progress",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_that_find_no_room_are_told_and_not_held() {
        let segment = |n: u128| Segment {
            id: MplpId::parse(&uuid::Builder::from_random_bytes(n.to_be_bytes()).into_uuid().to_string())
                .unwrap(),
            parent: None,
            node: "a".into(),
            uses: "agent:x".into(),
            attempt: 1,
            status: "running",
            started_at: None,
            finished_at: None,
            latency_ms: None,
            why: None,
        };
        let mut trace = TraceParts::default();
        for n in 0..SEGMENTS_MAX as u128 {
            let at = trace.add_segment(segment(n));
            trace.settle_segment(at);
        }
        assert_eq!((trace.segment_count(), trace.segments_left_out()), (SEGMENTS_MAX, 0));
        let open = trace.add_segment(segment(1_000_000));
        for n in 0..50 {
            let at = trace.add_segment(segment(2_000_000 + n));
            trace.segment_mut(at).status = "completed";
            trace.settle_segment(at);
        }
        assert_eq!(trace.segment_mut(open).status, "running", "what is open stays what it is");
        assert_eq!((trace.segment_count(), trace.segments.len()), (SEGMENTS_MAX, SEGMENTS_MAX + 2));
        assert_eq!(trace.segments_left_out(), 50);
    }
}
