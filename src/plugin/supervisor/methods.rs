//! The methods that plugins call (streamnook-host, Host methods; rulings Plugins 2, 9, 11, 12, 15).

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::{Output, Supervisor, events::result_frame, frames::NotDone, lifecycle::Empty};
use crate::{
    ids::PluginId,
    plugin::{
        Code, Head, Level, Lint, LogSource, StreamChange, Transition,
        capability::Method,
        panel::{PathFault, Schema},
        rpc::{Params, ParamsFault, RequestId},
        session::Process,
    },
    time::Now,
};

/// A call that is to be done.
#[derive(Debug)]
pub(super) enum MethodCall {
    GetFollowedLive,
    SetUpstream {
        stream_id: String,
        playlist_url: String,
    },
    GetCredential {
        kind: Arc<str>,
    },
    Notify {
        level: Level,
        message: String,
    },
    Log {
        level: Level,
        message: String,
        is_complete: bool,
    },
    RegisterPanel {
        schema: Box<Schema>,
        departures: Vec<PathFault>,
    },
    GetPanelValues,
    SetStatus {
        slot: Arc<str>,
        value: Box<RawValue>,
    },
    /// A status that is passed over.
    IgnoreStatus {
        lint: Lint,
        seen: String,
    },
}

impl MethodCall {
    pub(super) const fn method(&self) -> Method {
        match self {
            Self::GetFollowedLive => Method::GetFollowedLive,
            Self::SetUpstream { .. } => Method::SetUpstream,
            Self::GetCredential { .. } => Method::GetCredential,
            Self::Notify { .. } => Method::Notify,
            Self::Log { .. } => Method::Log,
            Self::RegisterPanel { .. } => Method::RegisterPanel,
            Self::GetPanelValues => Method::GetPanelValues,
            Self::SetStatus { .. } | Self::IgnoreStatus { .. } => Method::SetStatus,
        }
    }
}

#[derive(Deserialize)]
struct UpstreamParams {
    stream_id: String,
    playlist_url: String,
}

#[derive(Deserialize)]
struct CredentialParams {
    kind: String,
}

/// A word for the operator cannot be of level debug.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NotifyLevel {
    Info,
    Warning,
    Error,
}

#[derive(Deserialize)]
struct NotifyParams {
    level: NotifyLevel,
    message: String,
}

#[derive(Deserialize)]
struct LogParams {
    level: Option<Level>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct StatusParams {
    slot: String,
    value: Box<RawValue>,
}

impl From<ParamsFault> for NotDone {
    fn from(fault: ParamsFault) -> Self {
        Self::new(Code::InvalidParams, Lint::NotificationParams, fault.to_string())
    }
}

impl From<PathFault> for NotDone {
    fn from(fault: PathFault) -> Self {
        Self::new(Code::InvalidParams, Lint::NotificationParams, fault.to_string())
    }
}

impl Supervisor {
    /// What is to be done about a call: the method, shutting down, the gate, the params, the rate.
    pub(super) fn decide_call(
        &self,
        now: Now,
        id: &PluginId,
        process: &Process,
        (name, is_request): (&str, bool),
        params: &Params,
    ) -> Result<MethodCall, NotDone> {
        let Some(method) = Method::from_name(name) else {
            let message = format!("no method {}", crate::words::cut(name, self.settings.limits.id_bytes_max));
            return Err(NotDone::new(Code::MethodNotFound, Lint::UnknownNotification, message));
        };
        // A last line of the log is not lost to the end of its plugin.
        if process.is_ending() && (is_request || !method.is_notification()) {
            return Err(NotDone::new(Code::ShuttingDown, Lint::NotARequest, "the plugin is being stopped"));
        }
        if method != Method::GetCredential && !process.granted.allows(method) {
            let message = format!("{name} needs {}", method.gate().needs());
            return Err(NotDone::new(Code::CapabilityDenied, Lint::NotGranted, message));
        }
        match method {
            Method::GetFollowedLive => {
                params.object::<serde::de::IgnoredAny>().map(|_| MethodCall::GetFollowedLive)
            }
            Method::GetPanelValues => {
                params.object::<serde::de::IgnoredAny>().map(|_| MethodCall::GetPanelValues)
            }
            Method::SetUpstream => return self.decide_upstream(params),
            Method::GetCredential => return self.decide_credential(id, process, params),
            Method::Notify => return self.decide_notify(now, id, params),
            Method::Log => params.object().map(|LogParams { level, message }| MethodCall::Log {
                is_complete: level.is_some() && message.is_some(),
                level: level.unwrap_or(Level::Info),
                message: message.unwrap_or_default(),
            }),
            Method::RegisterPanel => return decide_panel(params, &self.settings.limits),
            Method::SetStatus => return self.decide_status(id, params),
        }
        .map_err(NotDone::from)
    }

    fn decide_upstream(&self, params: &Params) -> Result<MethodCall, NotDone> {
        let UpstreamParams { stream_id, playlist_url } = params.object()?;
        let has_scheme = ["http://", "https://"].iter().any(|scheme| {
            playlist_url
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme) && playlist_url.len() > scheme.len())
        });
        if !has_scheme || playlist_url.chars().any(|it| it.is_whitespace() || it.is_control()) {
            let message = "playlist_url: must be an http or https URL";
            return Err(NotDone::new(Code::InvalidParams, Lint::NotificationParams, message));
        }
        let most = self.settings.limits.upstream_bytes_max;
        if playlist_url.len() as u64 > most {
            let message = format!("playlist_url: {} bytes, {most} at most", playlist_url.len());
            return Err(NotDone::new(Code::InvalidParams, Lint::NotificationParams, message));
        }
        if !self.stream.has_session(&stream_id) {
            let message = format!("no relay session {}", self.shown(&stream_id));
            return Err(NotDone::new(Code::UnknownStream, Lint::NotificationParams, message));
        }
        Ok(MethodCall::SetUpstream { stream_id, playlist_url })
    }

    /// The gate of a credential is its kind, so that the params are looked at before.
    fn decide_credential(
        &self,
        id: &PluginId,
        process: &Process,
        params: &Params,
    ) -> Result<MethodCall, NotDone> {
        let parsed = params.object::<CredentialParams>();
        let kind = parsed.as_ref().map(|params| params.kind.as_str()).unwrap_or_default();
        let consents = self.plugin(id).and_then(|plugin| plugin.current()).map(|package| &package.consents);
        if consents.is_some_and(|consents| consents.revoked.contains(kind)) {
            let message = format!("{kind} was revoked");
            return Err(NotDone::new(Code::ConsentDenied, Lint::NotGranted, message));
        }
        let is_granted = match &parsed {
            Ok(_) => process.granted.allows_credential(kind).is_some(),
            Err(_) => process.granted.allows(Method::GetCredential),
        };
        if !is_granted {
            let message = match kind {
                "" => "no kind of credential is granted".to_owned(),
                kind => format!("{} is not granted", self.shown(kind)),
            };
            return Err(NotDone::new(Code::CapabilityDenied, Lint::NotGranted, message));
        }
        let kind: Arc<str> = Arc::from(parsed?.kind);
        if process.calls.len() as u64 >= self.settings.limits.calls_max {
            let message = format!("{} calls wait already", process.calls.len());
            return Err(NotDone::new(Code::RateLimited, Lint::NotGranted, message));
        }
        if !self.settings.sources.contains(&kind) {
            let message = format!("no source of {kind} is configured");
            return Err(NotDone::new(Code::CredentialUnavailable, Lint::NotGranted, message));
        }
        if consents.is_some_and(|consents| consents.is_denied(&kind)) {
            return Err(NotDone::new(Code::ConsentDenied, Lint::NotGranted, "the operator declined"));
        }
        Ok(MethodCall::GetCredential { kind })
    }

    fn decide_notify(&self, now: Now, id: &PluginId, params: &Params) -> Result<MethodCall, NotDone> {
        let NotifyParams { level, message } = params.object()?;
        let bucket = self.plugin(id).map(|plugin| plugin.notify).unwrap_or_default();
        if let Some(ms) = bucket.retry_after_ms(now.mono) {
            let message = "three notices at once, then one every 10 s";
            let refused = NotDone::new(Code::RateLimited, Lint::NotGranted, message);
            return Err(NotDone { retry_after_ms: Some(ms), ..refused });
        }
        let level = match level {
            NotifyLevel::Info => Level::Info,
            NotifyLevel::Warning => Level::Warning,
            NotifyLevel::Error => Level::Error,
        };
        Ok(MethodCall::Notify { level, message })
    }

    fn decide_status(&self, id: &PluginId, params: &Params) -> Result<MethodCall, NotDone> {
        let StatusParams { slot, value } = params.object()?;
        let is_declared = self
            .plugin(id)
            .and_then(super::plugin::Plugin::current)
            .is_some_and(|package| package.manifest.slots.iter().any(|declared| **declared == *slot));
        if !is_declared {
            return Ok(MethodCall::IgnoreStatus { lint: Lint::UndeclaredSlot, seen: slot });
        }
        if value.get().len() as u64 > self.settings.limits.status_bytes_max {
            let seen = format!("{slot}: {} bytes", value.get().len());
            return Ok(MethodCall::IgnoreStatus { lint: Lint::StatusTooLong, seen });
        }
        Ok(MethodCall::SetStatus { slot: Arc::from(slot), value })
    }

    /// The answer to a call that waits for nothing.
    pub(super) fn reply_to(
        &self,
        id: &PluginId,
        request: &RequestId,
        call: &MethodCall,
    ) -> Option<(Bytes, Head)> {
        let of = (request, call.method().name());
        Some(match call {
            MethodCall::GetCredential { .. } => return None,
            MethodCall::GetFollowedLive => result_frame(id, of, &self.stream.live_channels()),
            MethodCall::GetPanelValues => {
                result_frame(id, of, &PanelValues { values: self.panel_values(id) })
            }
            MethodCall::SetUpstream { .. }
            | MethodCall::Notify { .. }
            | MethodCall::Log { .. }
            | MethodCall::RegisterPanel { .. }
            | MethodCall::SetStatus { .. }
            | MethodCall::IgnoreStatus { .. } => result_frame(id, of, &Empty {}),
        })
    }

    /// Does a call, and answers it if it is a request.
    pub(super) fn do_call(&mut self, now: Now, id: &PluginId, request: Option<RequestId>, call: MethodCall) {
        let reply = request.as_ref().and_then(|request| self.reply_to(id, request, &call));
        match call {
            MethodCall::GetFollowedLive | MethodCall::GetPanelValues => {}
            MethodCall::GetCredential { kind } => {
                if let Some(request) = request {
                    self.on_credential_call(now, id, request, kind);
                }
            }
            MethodCall::SetUpstream { stream_id, playlist_url } => {
                let session = Arc::from(stream_id);
                self.stream.set_upstream(&session, &playlist_url);
                let change = StreamChange::Upstream { plugin: id.clone(), id: session };
                self.emit_with(Transition::Stream { change }, playlist_url);
            }
            MethodCall::Notify { level, message } => self.do_notify(now, id, level, &message),
            MethodCall::Log { level, message, is_complete } => {
                if !is_complete {
                    self.lint(id, Lint::LogParams, "");
                }
                let plugin = id.clone();
                self.put_out(Output::Log { plugin, level, source: LogSource::Log, text: message });
            }
            MethodCall::RegisterPanel { schema, departures } => self.do_panel(id, *schema, departures),
            MethodCall::SetStatus { slot, value } => self.do_status(id, slot, &value),
            MethodCall::IgnoreStatus { lint, seen } => {
                self.lint(id, lint, seen);
            }
        }
        if let Some(reply) = reply {
            self.answer(now, id, reply);
        }
    }

    fn do_notify(&mut self, now: Now, id: &PluginId, level: Level, message: &str) {
        if let Some(plugin) = self.plugin_mut(id) {
            plugin.notify.take(now.mono);
        }
        self.emit_with(Transition::Notified { plugin: id.clone(), level }, message);
    }

    fn do_panel(&mut self, id: &PluginId, schema: Schema, departures: Vec<PathFault>) {
        for departure in departures {
            self.lint(id, Lint::Panel, departure.to_string());
        }
        let (title, fields) = (schema.title.to_string(), schema.fields().count() as u64);
        if let Some(process) = self.process_mut(id) {
            process.panel = Some(Arc::new(schema));
        }
        self.emit_with(Transition::Panel { plugin: id.clone(), fields }, title);
    }

    fn do_status(&mut self, id: &PluginId, slot: Arc<str>, value: &RawValue) {
        let value: Arc<str> = Arc::from(value.get());
        if let Some(process) = self.process_mut(id) {
            process.status.insert(slot.clone(), value.clone());
        }
        self.emit_with(Transition::Status { plugin: id.clone(), slot }, &*value);
    }

    /// The values of all fields of a plugin's panel that have one.
    pub(super) fn panel_values(&self, id: &PluginId) -> serde_json::Map<String, Value> {
        let schema = self.process(id).and_then(|process| process.panel.as_ref());
        let values = self.plugin(id).map(|plugin| &plugin.values);
        schema.zip(values).map(|(schema, values)| schema.values(values)).unwrap_or_default()
    }
}

/// The values of a panel, as an answer and an event have them.
#[derive(Serialize)]
pub(super) struct PanelValues {
    pub(super) values: serde_json::Map<String, Value>,
}

fn decide_panel(params: &Params, limits: &crate::limits::Plugin) -> Result<MethodCall, NotDone> {
    params.object::<serde::de::IgnoredAny>()?;
    let (schema, departures) = Schema::parse(params.text(), limits)?;
    Ok(MethodCall::RegisterPanel { schema: Box::new(schema), departures })
}
