//! Actions that the operator or a run invokes at a plugin (ruling Plugins 14).

use std::{io, sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::Value;

use super::{Cause, Output, Supervisor};
use crate::{
    ids::{PluginId, RequestId, TraceId},
    limits,
    plugin::{
        ActionEnd, Code, Outcome, Refusal, Transition,
        rpc::{self, PluginError, RawJson},
        session::{OpenRequest, Phase},
    },
    time::Now,
    words::{self, counted},
};

/// The longest that an action may take.
const ACTION_MAX: Duration = Duration::from_secs(600);

#[derive(Serialize)]
struct InvokeAction<'a> {
    action: &'a str,
    args: &'a Value,
}

/// Bytes of arguments and results that the host takes for what is shown of them: a secret at the cut is whole
/// until it is masked, each of its characters as long as JSON can write it.
const fn told_bytes_max(limits: &limits::Plugin) -> u64 {
    limits.shown_text_bytes_max.saturating_add(limits.credential_bytes_max.saturating_mul(6))
}

/// The JSON of a value, as far as it is told.
fn text_of(value: &Value, bytes_max: u64) -> String {
    let most = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    let mut text = BoundedText { bytes: Vec::new(), most };
    // It ends where it is full.
    let _ = serde_json::to_writer(&mut text, value);
    words::cut(&String::from_utf8_lossy(&text.bytes), bytes_max).to_owned()
}

struct BoundedText {
    bytes: Vec<u8>,
    most: usize,
}

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.most - self.bytes.len());
        self.bytes.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An action at a plugin: its name, the number of the request, what it belongs to.
pub(super) type ActionRef<'a> = (&'a Arc<str>, u64, Option<TraceId>);

/// How an action ends that is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// It had so long.
    TimedOut { timeout: Duration },
    /// Its process is gone.
    Gone,
}

impl Supervisor {
    /// Sends an action to a plugin; its end is replied later.
    pub(super) fn invoke(
        &mut self,
        now: Now,
        cause: &Cause,
        action: &str,
        args: &Value,
        plugin: Option<&PluginId>,
        timeout_ms: u64,
    ) -> Result<(), Refusal> {
        let timeout = Duration::from_millis(timeout_ms);
        if timeout.is_zero() || timeout > ACTION_MAX {
            return Err(Refusal::Invalid("the timeout must be 1 ms to 10 min".to_owned()));
        }
        if !args.is_object() {
            return Err(Refusal::Invalid("the arguments must be a JSON object".to_owned()));
        }
        let id = self.action_target(action, plugin)?;
        let limits = self.settings.limits;
        let Some(process) = self.process_mut(&id) else { return Err(Refusal::NotUp(id)) };
        let in_flight = process.actions();
        if in_flight as u64 >= limits.actions_max {
            let message = format!("{} wait for {id} already", counted(in_flight as u64, "action"));
            return Err(Refusal::Refused { code: Code::RateLimited, message });
        }
        if !process.outbox.can_answer(&limits) {
            let message = format!("{id} reads too slowly: what waits for it has no room for more");
            return Err(Refusal::Refused { code: Code::RateLimited, message });
        }
        let (method, number) = ("invoke_action", process.take_id());
        let Ok(frame) = rpc::request(number, method, &InvokeAction { action, args }) else {
            let message = "the arguments are over 4 MiB".to_owned();
            return Err(Refusal::Refused { code: Code::InvalidParams, message });
        };
        let name: Arc<str> = Arc::from(action);
        let open = OpenRequest::Action {
            action: name.clone(),
            request: cause.request,
            trace: cause.trace,
            sent_at: now.mono,
            until: now.mono + timeout,
        };
        process.open.insert(number, open);
        let text = text_of(args, told_bytes_max(&limits));
        let begun = Transition::ActionBegun { plugin: id.clone(), action: name, call: number };
        self.emit_of(cause.trace, begun, text);
        self.send_request(now, &id, method, number, frame, cause.trace);
        Ok(())
    }

    /// The plugin that is up, declared it and was installed first, unless one is named.
    fn action_target(&self, action: &str, named: Option<&PluginId>) -> Result<PluginId, Refusal> {
        let is_up = |id: &PluginId| self.process(id).is_some_and(|process| process.phase == Phase::Up);
        let declares = |id: &PluginId| {
            let package = self.plugin(id).and_then(|plugin| plugin.current());
            package.is_some_and(|package| package.manifest.actions.iter().any(|it| **it == *action))
        };
        match named {
            Some(id) if self.plugin(id).is_none() => Err(Refusal::UnknownPlugin(id.clone())),
            Some(id) if !declares(id) => {
                Err(Refusal::Invalid(format!("{id} does not declare the action {action}")))
            }
            Some(id) if !is_up(id) => Err(Refusal::NotUp(id.clone())),
            Some(id) => Ok(id.clone()),
            None => self
                .in_order()
                .into_iter()
                .find(|id| is_up(id) && declares(id))
                .ok_or_else(|| Refusal::UnknownAction(action.to_owned())),
        }
    }

    pub(super) fn on_action_answer(
        &mut self,
        id: &PluginId,
        (action, call, trace): ActionRef<'_>,
        request: RequestId,
        us: u64,
        outcome: Result<RawJson, PluginError>,
    ) {
        let (end, text, result) = match outcome {
            Ok(result) => {
                let value = serde_json::from_str(result.text()).unwrap_or_default();
                let invoked = Outcome::Invoked { plugin: id.clone(), result: value };
                let most = told_bytes_max(&self.settings.limits);
                (ActionEnd::Done, words::cut(result.text(), most).to_owned(), Ok(invoked))
            }
            Err(PluginError { code, message, .. }) => {
                let failed = Refusal::Failed {
                    plugin: id.clone(),
                    action: action.to_string(),
                    code,
                    message: message.clone(),
                };
                (ActionEnd::Failed { code }, message, Err(failed))
            }
        };
        let ended = Transition::ActionEnded { plugin: id.clone(), action: action.clone(), call, end, us };
        self.emit_of(trace, ended, text);
        self.put_out(Output::Reply { request, result });
    }

    /// Ends an action without an answer.
    pub(super) fn end_action(
        &mut self,
        id: &PluginId,
        (action, call, trace): ActionRef<'_>,
        request: RequestId,
        us: u64,
        end: Unanswered,
    ) {
        let (plugin, name) = (id.clone(), action.to_string());
        let refusal = match end {
            Unanswered::TimedOut { timeout } => {
                let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
                Refusal::TimedOut { plugin, action: name, timeout_ms }
            }
            Unanswered::Gone => Refusal::Refused {
                code: Code::InternalError,
                message: format!("{plugin} ended before it answered {name}"),
            },
        };
        let end = match end {
            Unanswered::TimedOut { .. } => ActionEnd::TimedOut,
            Unanswered::Gone => ActionEnd::Gone,
        };
        let (plugin, action) = (id.clone(), action.clone());
        self.emit_of(trace, Transition::ActionEnded { plugin, action, call, end, us }, "");
        self.put_out(Output::Reply { request, result: Err(refusal) });
    }
}
