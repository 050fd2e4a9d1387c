//! What becomes of a frame: looked at by `decide`, which changes nothing, then carried out (rulings Plugins 2
//! and 5).

use std::sync::Arc;

use super::{Output, Supervisor, methods::MethodCall};
use crate::{
    ids::{PluginId, TraceId},
    plugin::{
        Code, Lint, Transition, Verdict,
        capability::Method,
        framing::Frame,
        rpc::{self, Incoming, Message, PluginError, RawJson, RequestId},
        session::{OpenRequest, Phase, Process},
    },
    time::Now,
};

/// What is to be done about a frame.
#[derive(Debug)]
pub(super) enum Decision {
    /// It answers a request of ours.
    Answer { number: u64, outcome: Result<RawJson, PluginError> },
    /// It is passed over.
    Ignore(Lint, String),
    /// It is answered with an error, if it is a request.
    Refuse(Refused),
    /// It is done, and answered if it is a request.
    Do { request: Option<RequestId>, call: MethodCall },
}

/// An error that a plugin is answered with.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) request: Option<RequestId>,
    /// Not so for a notification, valid or not.
    pub(super) is_answered: bool,
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) retry_after_ms: Option<u64>,
}

impl Decision {
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Answer { .. } => Verdict::Answered,
            Self::Ignore(lint, _) => Verdict::Ignored(*lint),
            Self::Refuse(refused) => Verdict::Refused(refused.code),
            Self::Do { .. } => Verdict::Accepted,
        }
    }
}

/// Why a call is not done: as an error of a request, and as what is noted of a notification.
#[derive(Debug)]
pub(super) struct NotDone {
    pub(super) code: Code,
    pub(super) lint: Lint,
    pub(super) message: String,
    pub(super) retry_after_ms: Option<u64>,
}

impl NotDone {
    pub(super) fn new(code: Code, lint: Lint, message: impl Into<String>) -> Self {
        Self { code, lint, message: message.into(), retry_after_ms: None }
    }
}

impl Supervisor {
    pub(super) fn on_frame(&mut self, now: Now, id: &PluginId, frame: &Frame) {
        let incoming = rpc::read(&frame.body());
        let Some(process) = self.process(id) else { return };
        let (head, trace) = self.head_of(id, process, &incoming);
        let Incoming { message, lints } = incoming;
        let decision = self.decide(now, id, process, message);
        if let Some(process) = self.process_mut(id) {
            process.budget.on_frame(now.mono);
        }
        self.put_out(Output::Received { head, verdict: decision.verdict(), trace });
        if frame.has_bare_lf() {
            self.lint(id, Lint::BareLf, "");
        }
        for lint in lints {
            self.lint(id, lint, "");
        }
        self.apply(now, id, decision);
    }

    /// The head of what came: that of an answer has the method of its request.
    pub(super) fn head_of(
        &self,
        id: &PluginId,
        process: &Process,
        incoming: &Incoming,
    ) -> (crate::plugin::Head, Option<TraceId>) {
        let limit = self.settings.limits.id_bytes_max;
        let mut head = rpc::head(id.clone(), incoming, limit);
        let Ok(Message::Answer { id: Some(number), .. }) = &incoming.message else { return (head, None) };
        let (method, trace) = match process.open.get(number) {
            Some(OpenRequest::Initialize) => (Some("initialize"), None),
            Some(OpenRequest::Shutdown) => (Some("shutdown"), None),
            Some(OpenRequest::Action { trace, .. }) => (Some("invoke_action"), *trace),
            None if process.pings.as_ref().is_some_and(|pings| pings.is_open(*number)) => {
                (Some("ping"), None)
            }
            None => (None, None),
        };
        head.method = method.map(Arc::from);
        (head, trace)
    }

    pub(super) fn decide(
        &self,
        now: Now,
        id: &PluginId,
        process: &Process,
        message: Result<Message, rpc::Refused>,
    ) -> Decision {
        match message {
            Err(refused) => Decision::Refuse(Refused {
                request: refused.id,
                is_answered: refused.is_answered,
                code: refused.code,
                message: refused.what,
                retry_after_ms: None,
            }),
            Ok(Message::Answer { id: number, id_text, outcome }) => {
                let waits = |number: &u64| {
                    process.open.contains_key(number)
                        || process.pings.as_ref().is_some_and(|pings| pings.is_open(*number))
                };
                if let Some(number) = number.filter(waits) {
                    return Decision::Answer { number, outcome };
                }
                let id = id_text.map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
                Decision::Ignore(Lint::UnmatchedAnswer, id)
            }
            Ok(Message::Request { id: request, method, params }) => {
                match self.decide_call(now, id, process, (&method, true), &params) {
                    Ok(call) => Decision::Do { request: Some(request), call },
                    Err(NotDone { code, message, retry_after_ms, .. }) => Decision::Refuse(Refused {
                        request: Some(request),
                        is_answered: true,
                        code,
                        message,
                        retry_after_ms,
                    }),
                }
            }
            Ok(Message::Notification { method, params }) => {
                if Method::from_name(&method).is_some_and(|method| !method.is_notification()) {
                    return Decision::Ignore(Lint::NotARequest, method.to_string());
                }
                match self.decide_call(now, id, process, (&method, false), &params) {
                    Ok(call) => Decision::Do { request: None, call },
                    Err(NotDone { lint, message, .. }) => Decision::Ignore(lint, message),
                }
            }
        }
    }

    fn apply(&mut self, now: Now, id: &PluginId, decision: Decision) {
        match decision {
            Decision::Answer { number, outcome } => self.on_answer(now, id, number, outcome),
            Decision::Ignore(lint, seen) => self.lint(id, lint, seen),
            Decision::Refuse(Refused { is_answered: false, .. }) => {}
            Decision::Refuse(Refused { request, code, message, retry_after_ms, .. }) => {
                self.refuse(now, id, request.as_ref(), code, &message, retry_after_ms);
            }
            Decision::Do { request, call } => self.do_call(now, id, request, call),
        }
    }

    fn on_answer(&mut self, now: Now, id: &PluginId, number: u64, outcome: Result<RawJson, PluginError>) {
        let Some(process) = self.process_mut(id) else { return };
        let phase = process.phase;
        let Some(open) = process.open.remove(&number) else {
            let took = process.pings.as_mut().and_then(|pings| pings.on_answer(now.mono, number));
            if let Some(took) = took {
                let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
                self.emit(Transition::Pinged { plugin: id.clone(), us });
                if let Err(error) = outcome {
                    self.lint(id, Lint::PingError, format!("{}: {}", error.code, error.message));
                }
            }
            return;
        };
        match open {
            OpenRequest::Initialize if matches!(phase, Phase::Starting { .. }) => {
                self.on_initialized(now, id, outcome);
            }
            OpenRequest::Shutdown if matches!(phase, Phase::ShuttingDown { .. }) => {
                self.on_shut_down(now, id);
            }
            OpenRequest::Initialize | OpenRequest::Shutdown => {}
            OpenRequest::Action { action, request, trace, sent_at, .. } => {
                let us = u64::try_from(now.mono.since(sent_at).as_micros()).unwrap_or(u64::MAX);
                self.on_action_answer(id, (&action, number, trace), request, us, outcome);
            }
        }
    }
}
