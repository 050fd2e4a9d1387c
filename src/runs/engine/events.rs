//! What a run tells: its events, in their order, to the bus, the store and the tap (rmp-v0 §10; ruling RMP
//! 11).

use std::{fmt::Write as _, sync::Arc};

use bytes::Bytes;

use super::{
    feed::{RunBegun, RunEnded, RunFeed},
    run::Run,
    shared::Shared,
};
use crate::{
    runs::{
        Plan,
        openings::PortValue,
        payload::{ArtifactMeta, EventMeta, RunEvent},
    },
    schema::JsonText,
    store::runs::{ArtifactRow, EventRow, RunOp},
    tap::entry::{
        runs::{EventKind, NodeState, RunState, Transition},
        station::Level,
    },
    time::Now,
    w3c::GivenTraceParent,
    words::{self, counted},
};

/// An event that a run tells.
struct EventDraft<'a> {
    /// The node that it is of.
    position: Option<u32>,
    kind: EventKind,
    level: Option<Level>,
    text: &'a str,
    /// Whether it is kept though there is no room.
    is_forced: bool,
}

impl Run {
    /// Tells an event. `place` is the node that it speaks of.
    pub(super) fn event(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: Option<u32>,
        event: (EventKind, Option<Level>),
        says: &str,
    ) {
        self.event_with(to, now, position, event, says, |_| {});
    }

    /// Tells an event with more to it.
    pub(super) fn event_with(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: Option<u32>,
        (kind, level): (EventKind, Option<Level>),
        says: &str,
        more: impl FnOnce(&mut EventMeta),
    ) {
        self.emit_event(to, now, &EventDraft { position, kind, level, text: says, is_forced: false }, more);
    }

    fn emit_event(
        &mut self,
        to: &mut Shared,
        now: Now,
        said: &EventDraft<'_>,
        more: impl FnOnce(&mut EventMeta),
    ) {
        let EventDraft { position: place, kind, level, text: says, is_forced } = *said;
        self.events += 1;
        to.metrics.events += 1;
        let node = place.map(|place| self.node_ref(place));
        let attempt = place.map_or(0, |place| self.nodes[place as usize].attempt);
        let span_id = node.as_ref().filter(|_| attempt > 0).map(|node| format!("{}#{attempt}", node.id));
        let node_id = node.as_ref().map(|node| node.id.to_string());
        let mut meta =
            EventMeta { ts_ms: now.wall.0, run_id: Some(self.run), node_id, span_id, ..EventMeta::default() };
        meta.question = place.and_then(|place| self.node(place).asked.take()).map(|asked| *asked);
        more(&mut meta);
        let is_last = meta.success.is_some();
        let ends_node = place.is_some()
            && meta.state.as_deref().and_then(NodeState::from_name).is_some_and(NodeState::is_end);
        let message = cut(says, to.settings.limits.event_bytes_max);
        let event = RunEvent { kind, level, message: message.clone(), meta };
        let is_forced = is_forced || is_last;
        // A record of the run knows how each of its nodes ended.
        let is_kept = self.kept_events < to.settings.limits.events_kept_max || is_forced || ends_node;
        let is_left_out = is_kept && !is_forced && !to.has_room_to_save();
        self.lost.0 += u64::from(is_left_out);
        self.keep_event(to, now, &event, is_kept && !is_left_out);
        let body = Bytes::from(event.encode());
        to.emit_transition(
            Transition::Event { run: self.run, number: self.events, kind, level, node },
            &message,
        );
        to.publish_event(self.run, body);
        if is_left_out && self.lost == (1, 0) {
            let says = format!(
                "events of this run are not stored until the store recovers: {}",
                to.save_queue.error()
            );
            self.emit_lost(to, now, &says);
        }
    }

    /// Has an event stored where it is to be kept, and tells it to the record of the run.
    fn keep_event(&mut self, to: &mut Shared, now: Now, event: &RunEvent, is_kept: bool) {
        let RunEvent { kind, level, message, meta } = event;
        // A record takes nothing of progress.
        let is_recorded = self.tells_record && *kind != EventKind::Progress;
        if !is_kept && !is_recorded {
            return;
        }
        let meta = JsonText::from_value(&meta.json());
        let (number, message) = (self.events, message.clone());
        let event = EventRow { number, kind: *kind, level: *level, message, meta, at: now.wall };
        if is_recorded {
            to.record(self.run, RunFeed::Event { run: self.run, event: event.clone(), is_kept });
        }
        if is_kept {
            self.kept_events += 1;
            to.persist(RunOp::Event { run: self.run, event });
        }
    }

    /// Tells what the record of the run begins with, where records are told.
    pub(super) fn begin_record(&mut self, to: &mut Shared, plan: Plan) {
        self.tells_record = to.settings.tells_records;
        if !self.tells_record {
            return;
        }
        let begun = RunBegun {
            run: self.run,
            opening: self.opening,
            name: self.name(),
            by: self.by.clone(),
            yaml: std::mem::take(&mut self.yaml),
            plan,
            traceparent: self.traceparent.as_ref().and_then(GivenTraceParent::valid).map(str::to_owned),
            at: self.submitted_at,
        };
        to.record(self.run, RunFeed::Begun(Box::new(begun)));
    }

    /// Tells what it ends with.
    pub(super) fn end_record(&self, to: &mut Shared, now: Now, state: RunState, why: &str) {
        if !self.tells_record {
            return;
        }
        let ended = RunEnded {
            run: self.run,
            state,
            why: (!why.is_empty()).then(|| why.to_owned()),
            tokens: self.tokens,
            events_missing: self.events.saturating_sub(self.kept_events),
            artifacts_missing: self.lost.1,
            at: self.cut_at.unwrap_or(now.wall),
        };
        to.record(self.run, RunFeed::Ended(ended));
    }

    /// Tells that something is not kept; that is kept itself.
    fn emit_lost(&mut self, to: &mut Shared, now: Now, says: &str) {
        self.emit_event(
            to,
            now,
            &EventDraft {
                position: None,
                kind: EventKind::Log,
                level: Some(Level::Warn),
                text: says,
                is_forced: true,
            },
            |_| {},
        );
    }

    /// Tells what was left out of the run, before its end.
    pub(super) fn emit_left_out(&mut self, to: &mut Shared, now: Now) {
        if self.late > 0 {
            let says = format!("ignored {} (late or repeated)", counted(self.late, "answer"));
            self.event(to, now, None, (EventKind::Log, Some(Level::Warn)), &says);
        }
        if self.foreign > 1 {
            let says = format!("ignored {} (not answers, or invalid)", counted(self.foreign, "message"));
            self.event(to, now, None, (EventKind::Log, Some(Level::Warn)), &says);
        }
        let (events, artifacts) = self.lost;
        if events + artifacts > 0 {
            let lost = format!("{} and {}", counted(events, "event"), counted(artifacts, "artifact"));
            let says = format!("{lost} not stored: {}", to.save_queue.error());
            self.emit_lost(to, now, &says);
        }
    }

    /// Moves a node and tells of it.
    pub(super) fn set_node_state(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        state: NodeState,
        why: &str,
    ) {
        let bytes_max = to.settings.limits.shown_text_bytes_max;
        let was_done = self.nodes[position as usize].state.is_done();
        let node = self.node(position);
        node.state = state;
        if matches!(state, NodeState::Failed | NodeState::Blocked) {
            node.why = Arc::from(cut(why, bytes_max));
        }
        let attempt = node.attempt;
        self.count_done(to, was_done, state.is_done());
        to.metrics.end_node(state);
        to.emit_transition(
            Transition::StateChange { run: self.run, node: self.node_ref(position), state, attempt },
            why,
        );
        let mut says = format!("{} is {}", self.nodes[position as usize].id, state.name());
        if !why.is_empty() {
            // Writing to memory cannot fail.
            let _ = write!(says, ": {why}");
        }
        let level = match state {
            NodeState::Failed | NodeState::Blocked => Level::Error,
            NodeState::Retrying | NodeState::Asking | NodeState::Cancelled => Level::Warn,
            _ => Level::Info,
        };
        self.event_with(to, now, Some(position), (EventKind::Status, Some(level)), &says, |meta| {
            meta.state = Some(state.name().to_owned());
        });
    }

    /// Counts a node that is done now, or is to be done again. While the store cannot write, the end of the
    /// run says how many there are.
    fn count_done(&mut self, to: &mut Shared, was_done: bool, is_done: bool) {
        if was_done == is_done {
            return;
        }
        self.done = if is_done { self.done.saturating_add(1) } else { self.done.saturating_sub(1) };
        if to.has_room_to_save() {
            to.persist(RunOp::Done { run: self.run, nodes: u64::from(self.done) });
        }
    }

    /// Keeps what a node of the opening's own scope gave, where it is to be saved.
    pub(super) fn save(&mut self, to: &mut Shared, now: Now, position: u32) {
        let node = &self.nodes[position as usize];
        if node.scope != 0 {
            return;
        }
        let index = node.index;
        let ports: Vec<_> = self
            .opening_of(0)
            .save
            .iter()
            .filter(|save| save.node == index)
            .map(|save| save.port.clone())
            .collect();
        for port in ports {
            for value in self.values(position, &port).to_vec() {
                self.save_one(to, now, position, &port, &value);
            }
        }
    }

    fn save_one(&mut self, to: &mut Shared, now: Now, position: u32, port: &Arc<str>, value: &PortValue) {
        let node = self.node_ref(position);
        if !to.has_room_to_save() {
            self.lost.1 += 1;
            let says = format!("{}.{port} not stored: {}", node.id, to.save_queue.error());
            return self.event(to, now, Some(position), (EventKind::Log, Some(Level::Error)), &says);
        }
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = rmpv::encode::write_value(&mut bytes, &value.value);
        let len = bytes.len() as u64;
        self.artifacts += 1;
        to.metrics.artifacts += 1;
        let (kind, schema_id) = (Arc::clone(&value.kind), value.schema_id);
        let says = format!("{}.{port}: {kind}, {}", node.id, counted(len, "byte"));
        let artifact = ArtifactRow {
            number: self.artifacts,
            node: node.id.to_string(),
            port: port.to_string(),
            kind: kind.to_string(),
            schema_id,
            value: bytes.into(),
            at: now.wall,
        };
        to.persist(RunOp::Artifact { run: self.run, artifact });
        let artifact = ArtifactMeta { port: port.to_string(), schema_id, kind: kind.to_string(), bytes: len };
        let saved =
            Transition::Saved { run: self.run, node, port: Arc::clone(port), kind, schema_id, bytes: len };
        to.emit_transition(saved, "");
        self.event_with(to, now, Some(position), (EventKind::Artifact, Some(Level::Info)), &says, |meta| {
            meta.artifact = Some(artifact);
        });
    }
}

/// A text within a bound, which says so where it was cut.
pub(super) fn cut(text: &str, bytes_max: u64) -> String {
    const SAYS: &str = " … (cut)";
    if text.len() as u64 <= bytes_max {
        return text.to_owned();
    }
    format!("{}{SAYS}", words::cut(text, bytes_max.saturating_sub(SAYS.len() as u64)))
}
