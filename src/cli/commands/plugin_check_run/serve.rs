//! The methods of a host, with plausible answers.

use serde::Deserialize;
use serde_json::{Value, json};

use super::subject::Subject;
use crate::{
    limits,
    plugin::{
        Code,
        capability::Method,
        panel::Schema,
        rpc::{self, Params, RequestId},
    },
};

/// The token that is handed over.
pub(super) const TOKEN: &str = "check-run-token-3b9e1f7a52c84d06";

/// A channel, as the events have it.
pub(super) fn channel() -> Value {
    json!({"channel_id": "1", "login": "ada", "display_name": "Ada", "game_id": null, "game_name": null,
        "started_at": "2026-01-01T00:00:00Z", "viewer_count": 7})
}

#[derive(Deserialize)]
struct Notice {
    level: String,
    #[serde(rename = "message")]
    _message: String,
}

#[derive(Deserialize)]
struct Upstream {
    stream_id: String,
    #[serde(rename = "playlist_url")]
    _playlist_url: String,
}

#[derive(Deserialize)]
struct Kind {
    kind: String,
}

type Served = Result<Value, (Code, String)>;

/// Judges a call, and answers it if it is a request.
pub(super) fn call(subject: &mut Subject, id: Option<&RequestId>, name: &str, params: &Params) {
    let served = serve(subject, name, params);
    match &served {
        Err((Code::CapabilityDenied, _)) => subject.seen.outside_grant.add(name),
        Err((Code::UnknownStream, _)) | Ok(_) => {}
        Err((_, what)) => subject.seen.methods.add(format!("{name}: {what}")),
    }
    let is_request = Method::from_name(name).is_some_and(|method| !method.is_notification());
    if id.is_none() && served.is_ok() && is_request {
        subject.seen.methods.add(format!("{name}: a request without an id"));
    }
    let Some(id) = id else { return };
    let frame = match served {
        Ok(result) => rpc::result(id, &result).unwrap_or_default(),
        Err((code, what)) => rpc::error(Some(id), code, &what, None),
    };
    subject.write_answer(frame.to_vec());
}

fn serve(subject: &mut Subject, name: &str, params: &Params) -> Served {
    let invalid = |what: String| (Code::InvalidParams, what);
    let method = Method::from_name(name)
        .ok_or_else(|| (Code::MethodNotFound, "the host has no such method".to_owned()))?;
    if !subject.granted.allows(method) {
        return Err((Code::CapabilityDenied, method.gate().needs()));
    }
    match method {
        Method::GetFollowedLive => Ok(json!({"channels": [channel()]})),
        Method::SetUpstream => {
            let upstream: Upstream = params.object().map_err(|fault| invalid(fault.to_string()))?;
            if upstream.stream_id == "solo" {
                return Ok(json!({}));
            }
            Err((Code::UnknownStream, "no session has this id".to_owned()))
        }
        Method::GetCredential => {
            let kind: Kind = params.object().map_err(|fault| invalid(fault.to_string()))?;
            if subject.granted.allows_credential(&kind.kind).is_none() {
                return Err((Code::CapabilityDenied, "this kind is not granted".to_owned()));
            }
            Ok(json!({"kind": kind.kind, "token": TOKEN, "client_id": null, "user_id": null,
                "device_id": null, "expires_at": null}))
        }
        Method::Notify => {
            let notice: Notice = params.object().map_err(|fault| invalid(fault.to_string()))?;
            match notice.level.as_str() {
                "info" | "warning" | "error" => Ok(json!({})),
                other => Err(invalid(format!("params.level: {other:?}"))),
            }
        }
        Method::RegisterPanel => {
            let limits = limits::Plugin::default();
            let (schema, _) =
                Schema::parse(params.text(), &limits).map_err(|fault| invalid(fault.to_string()))?;
            subject.panel = Some(schema);
            Ok(json!({}))
        }
        Method::GetPanelValues => Ok(json!({"values": values(subject)})),
        Method::Log | Method::SetStatus => Ok(json!({})),
    }
}

/// The values of the panel: every default.
pub(super) fn values(subject: &Subject) -> Value {
    let fields = subject.panel.iter().flat_map(Schema::fields);
    fields.filter_map(|field| Some((field.key.to_string(), field.default.clone()?))).collect()
}
