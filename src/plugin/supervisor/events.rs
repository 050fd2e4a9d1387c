//! Frames to plugins: requests of ours, answers, events.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use serde::Serialize;

use super::{Output, Supervisor};
use crate::{
    ids::{PluginId, TraceId},
    plugin::{
        Code, Head, Transition,
        capability::Hook,
        rpc::{self, RequestId},
        session::{Lane, OpenRequest},
    },
    time::Now,
};

/// How often dropped events are reported.
const REPORT_EVERY: Duration = Duration::from_secs(1);

impl Supervisor {
    /// Sends a request of ours.
    pub(super) fn request(
        &mut self,
        now: Now,
        id: &PluginId,
        method: &'static str,
        params: &impl Serialize,
        open: OpenRequest,
    ) {
        let Some(process) = self.process_mut(id) else { return };
        let number = process.take_id();
        let trace = if let OpenRequest::Action { trace, .. } = &open { *trace } else { None };
        process.open.insert(number, open);
        if let Ok(frame) = rpc::request(number, method, params) {
            self.send_request(now, id, method, number, frame, trace);
        }
    }

    /// Sends a request that is open already.
    pub(super) fn send_request(
        &mut self,
        now: Now,
        id: &PluginId,
        method: &'static str,
        number: u64,
        frame: Bytes,
        trace: Option<TraceId>,
    ) {
        let head = Head { id: Some(Arc::from(number.to_string())), ..head(id, method) };
        self.transmit(now, id, Lane::Answer, frame, head, trace);
    }

    /// Sends a notification in the room of answers.
    pub(super) fn notification(
        &mut self,
        now: Now,
        id: &PluginId,
        method: &'static str,
        params: &impl Serialize,
        lane: Lane,
    ) {
        if let Ok(frame) = rpc::notification(method, params) {
            self.transmit(now, id, lane, frame, head(id, method), None);
        }
    }

    /// Sends the answer to a request.
    pub(super) fn answer(&mut self, now: Now, id: &PluginId, (frame, head): (Bytes, Head)) {
        self.transmit(now, id, Lane::Answer, frame, head, None);
    }

    /// Answers with an error; with id null where there is none.
    pub(super) fn refuse(
        &mut self,
        now: Now,
        id: &PluginId,
        request: Option<&RequestId>,
        code: Code,
        message: &str,
        retry_after_ms: Option<u64>,
    ) {
        let answer = error_frame(id, request, code, message, retry_after_ms);
        self.answer(now, id, answer);
    }

    pub(super) fn transmit(
        &mut self,
        now: Now,
        id: &PluginId,
        lane: Lane,
        frame: Bytes,
        head: Head,
        trace: Option<TraceId>,
    ) {
        let Some(process) = self.process_mut(id) else { return };
        if process.phase == crate::plugin::session::Phase::Killed {
            return;
        }
        let bytes = frame.len() as u64;
        process.outbox.push(now.mono, lane, bytes);
        let number = process.number;
        self.queued_bytes += bytes;
        let plugin = id.clone();
        self.put_out(Output::Transmit { plugin, process: number, frame, lane, head, trace });
    }

    /// Sends an event to all plugins that take it, encoded once. To how many it went.
    pub(super) fn broadcast(&mut self, now: Now, hook: Hook, params: &impl Serialize) -> u64 {
        let takers: Vec<PluginId> = self
            .plugins
            .values()
            .filter(|plugin| plugin.process().is_some_and(|process| process.hooks.contains(&hook)))
            .map(|plugin| plugin.id.clone())
            .collect();
        let frame = if takers.is_empty() { None } else { rpc::notification(hook.name(), params).ok() };
        let Some(frame) = frame else {
            // One that is over 4 MiB fits nowhere.
            for id in &takers {
                self.on_dropped(now, id);
            }
            return 0;
        };
        let method: Arc<str> = Arc::from(hook.name());
        takers.iter().filter(|id| self.send_event(now, id, &method, frame.clone())).count() as u64
    }

    /// Sends an event to one plugin; one that is over 4 MiB fits nowhere.
    pub(super) fn send_hook(&mut self, now: Now, id: &PluginId, hook: Hook, params: &impl Serialize) {
        match rpc::notification(hook.name(), params) {
            Ok(frame) => _ = self.send_event(now, id, &Arc::from(hook.name()), frame),
            Err(_) => self.on_dropped(now, id),
        }
    }

    /// Sends an event to one plugin, whether it takes it or not; whether it had room.
    pub(super) fn send_event(&mut self, now: Now, id: &PluginId, method: &Arc<str>, frame: Bytes) -> bool {
        let (all, limits) = (self.queued_bytes, self.settings.limits);
        let Some(process) = self.process(id) else { return false };
        if process.is_ending() {
            return false;
        }
        if !process.outbox.has_room(frame.len() as u64, all, &limits) {
            self.on_dropped(now, id);
            return false;
        }
        self.transmit(now, id, Lane::Event, frame, head_of_method(id, method), None);
        true
    }

    /// Counts an event that was dropped; the first is reported at once, the next ones once a second.
    fn on_dropped(&mut self, now: Now, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        if process.dropped.report_at.is_some() {
            process.dropped.unreported += 1;
            return;
        }
        process.dropped.report_at = Some(now.mono + REPORT_EVERY);
        self.report_dropped(id, 1);
    }

    pub(super) fn report_dropped(&mut self, id: &PluginId, events: u64) {
        if events > 0 {
            self.emit(Transition::EventsDropped { plugin: id.clone(), events });
        }
    }
}

fn head(id: &PluginId, method: &str) -> Head {
    head_of_method(id, &Arc::from(method))
}

/// The head of a message of ours, its id aside.
pub(super) fn head_of_method(id: &PluginId, method: &Arc<str>) -> Head {
    Head { method: Some(method.clone()), ..Head::new(id.clone()) }
}

/// The answer to a request with a result; one that is too long becomes an internal error.
pub(super) fn result_frame(
    id: &PluginId,
    (request, method): (&RequestId, &'static str),
    result: &impl Serialize,
) -> (Bytes, Head) {
    let Ok(frame) = rpc::result(request, result) else {
        return error_frame(id, Some(request), Code::InternalError, "the result is over 4 MiB", None);
    };
    (frame, answer_head(id, Some(request), Some(Arc::from(method)), None))
}

/// The answer with an error; with id null where there is none.
pub(super) fn error_frame(
    id: &PluginId,
    request: Option<&RequestId>,
    code: Code,
    message: &str,
    retry_after_ms: Option<u64>,
) -> (Bytes, Head) {
    let frame = rpc::error(request, code, message, retry_after_ms);
    (frame, answer_head(id, request, None, Some(code.number())))
}

fn answer_head(
    id: &PluginId,
    request: Option<&RequestId>,
    method: Option<Arc<str>>,
    code: Option<i64>,
) -> Head {
    let request = Some(request.map_or_else(|| Arc::from("null"), |id| Arc::from(id.text().as_ref())));
    Head { plugin: id.clone(), method, id: request, code, is_answer: true }
}
