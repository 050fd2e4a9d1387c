//! Credentials: the question to the operator, the handover, what is written down of both (ruling Plugins 10).

use std::{sync::Arc, time::Duration};

use serde::Serialize;

use super::{
    Fetched, Output, Record, Supervisor,
    plugin::{Consent, Handover, Question},
};
use crate::{
    ids::{PluginId, Ticket},
    plugin::{
        Audited, Code, Credential, Decision, Head, Refusal, Transition,
        rpc::{self, RequestId},
        session::{Call, Lane},
    },
    time::Now,
};

/// How long the operator has.
const QUESTION: Duration = Duration::from_secs(120);

#[derive(Serialize)]
struct Handed<'a> {
    kind: &'a str,
    token: &'a str,
    client_id: &'a Option<String>,
    user_id: &'a Option<String>,
    device_id: &'a Option<String>,
    expires_at: &'a Option<serde_json::Value>,
}

impl Supervisor {
    /// A call for a credential that is granted, has a source, and was not denied.
    pub(super) fn on_credential_call(&mut self, now: Now, id: &PluginId, request: RequestId, kind: Arc<str>) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        let is_allowed =
            plugin.always.contains(&kind) || plugin.consents.get(&kind) == Some(&Consent::Allowed);
        if let Some(process) = plugin.process_mut() {
            process.calls.push(Call { id: request.clone(), kind: kind.clone() });
        }
        if is_allowed {
            self.fetch(id, request, kind);
            return;
        }
        if plugin.question.is_some() {
            return;
        }
        let until = now.after(QUESTION);
        plugin.question = Some(Question { kind: kind.clone(), until: until.mono });
        self.audit(now, id, Audited::Asked, &kind);
        self.emit(Transition::Asked { plugin: id.clone(), kind, until: until.wall });
    }

    fn fetch(&mut self, id: &PluginId, request: RequestId, kind: Arc<str>) {
        let ticket = self.take_ticket();
        let Some(plugin) = self.plugin_mut(id) else { return };
        let Some(process) = plugin.process().map(|process| process.number) else { return };
        let handover = Handover { process, id: request, kind: kind.clone(), frame: None, ticket };
        plugin.handovers.push(handover);
        self.put_out(Output::Fetch { ticket, kind });
    }

    /// The operator allows what a plugin asks for.
    pub(super) fn allow(&mut self, now: Now, id: &PluginId, always: bool) -> Result<(), Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        let question = plugin.question.take().ok_or_else(|| Refusal::NothingAsked(id.clone()))?;
        let kind = question.kind;
        plugin.consents.insert(kind.clone(), Consent::Allowed);
        let (what, decision) = if always {
            plugin.always.insert(kind.clone());
            (Audited::AllowedAlways, Decision::AllowedAlways)
        } else {
            (Audited::Allowed, Decision::Allowed)
        };
        if always {
            self.keep_grants(id);
        }
        self.audit(now, id, what, &kind);
        self.emit(Transition::Decided { plugin: id.clone(), kind: kind.clone(), decision });
        let calls = self.process(id).map(|process| process.calls.clone()).unwrap_or_default();
        for call in calls.into_iter().filter(|call| call.kind == kind) {
            self.fetch(id, call.id, call.kind);
        }
        Ok(())
    }

    /// The operator denies it, for this run of the station.
    pub(super) fn deny(&mut self, now: Now, id: &PluginId) -> Result<(), Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        let question = plugin.question.take().ok_or_else(|| Refusal::NothingAsked(id.clone()))?;
        plugin.consents.insert(question.kind.clone(), Consent::Denied);
        self.audit(now, id, Audited::Denied, &question.kind);
        self.decided(now, id, &question.kind, Decision::Denied, "the operator declined");
        Ok(())
    }

    /// Nobody answered in time; the next call asks again.
    pub(super) fn on_question_over(&mut self, now: Now, id: &PluginId) {
        let Some(question) = self.plugin_mut(id).and_then(|plugin| plugin.question.take()) else { return };
        self.audit(now, id, Audited::TimedOut, &question.kind);
        self.decided(now, id, &question.kind, Decision::TimedOut, "no answer within 120 s");
    }

    /// Ends a question without a credential.
    fn decided(&mut self, now: Now, id: &PluginId, kind: &Arc<str>, decision: Decision, why: &str) {
        self.emit(Transition::Decided { plugin: id.clone(), kind: kind.clone(), decision });
        self.refuse_kind(now, id, kind, Code::ConsentDenied, why);
    }

    /// Refuses all calls that wait for a kind.
    fn refuse_kind(&mut self, now: Now, id: &PluginId, kind: &Arc<str>, code: Code, why: &str) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        plugin.handovers.retain(|handover| handover.kind != *kind);
        let Some(process) = plugin.process_mut() else { return };
        let calls = std::mem::take(&mut process.calls);
        let (refused, left): (Vec<_>, Vec<_>) = calls.into_iter().partition(|call| call.kind == *kind);
        process.calls = left;
        for call in refused {
            self.refuse(now, id, Some(&call.id), code, why, None);
        }
    }

    /// Takes a kind of credential back, from calls that wait too.
    pub(super) fn revoke_credential(&mut self, now: Now, id: &PluginId, kind: &Arc<str>) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        plugin.revoked.insert(kind.clone());
        plugin.always.remove(kind);
        plugin.consents.remove(kind);
        let asked = plugin.question.take_if(|question| question.kind == *kind);
        if asked.is_some() {
            let (plugin, kind, decision) = (id.clone(), kind.clone(), Decision::Revoked);
            self.emit(Transition::Decided { plugin, kind, decision });
        }
        self.refuse_kind(now, id, kind, Code::ConsentDenied, "the grant was revoked");
    }

    /// What waits for a plugin whose process ends waits no longer.
    pub(super) fn drop_calls(&mut self, now: Now, id: &PluginId) {
        let Some(plugin) = self.plugin_mut(id) else { return };
        plugin.handovers.clear();
        let Some(question) = plugin.question.take() else { return };
        self.audit(now, id, Audited::Gone, &question.kind);
        let (plugin, decision) = (id.clone(), Decision::Gone);
        self.emit(Transition::Decided { plugin, kind: question.kind, decision });
    }

    /// A credential came, or could not be had: the handover waits for its row in the audit.
    pub(super) fn on_fetched(&mut self, now: Now, ticket: Ticket, result: Fetched) {
        let Some((id, at)) = self.handover(ticket) else { return };
        let credential = match result {
            Ok(credential) => credential,
            Err(why) => {
                let Some((request, kind)) = self.take_handover(&id, at) else { return };
                self.audit(now, &id, Audited::Unavailable, &kind);
                self.refuse(now, &id, Some(&request), Code::CredentialUnavailable, &why, None);
                return;
            }
        };
        let Some(handover) = self.plugin(&id).and_then(|plugin| plugin.handovers.get(at)).cloned() else {
            return;
        };
        let frame = handed(&handover.id, &handover.kind, &credential);
        self.put_out(Output::Mask { credential });
        let kept = self.audit(now, &id, Audited::Handed, &handover.kind);
        if let Some(handover) = self.plugin_mut(&id).and_then(|plugin| plugin.handovers.get_mut(at)) {
            handover.frame = Some(frame);
            handover.ticket = kept;
        }
    }

    /// The row is there: the credential is handed over.
    pub(super) fn on_committed(&mut self, now: Now, ticket: Ticket) {
        let Some((id, at)) = self.handover(ticket) else { return };
        let frame = self.plugin_mut(&id).and_then(|plugin| plugin.handovers.get_mut(at)?.frame.take());
        let Some((request, kind)) = self.take_handover(&id, at) else { return };
        let Some(frame) = frame else { return };
        let head = Head {
            plugin: id.clone(),
            method: Some(Arc::from("get_credential")),
            id: Some(Arc::from(request.text().as_ref())),
            code: None,
            is_answer: true,
        };
        self.transmit(now, &id, Lane::Answer, frame, head, None);
        self.emit(Transition::Handed { plugin: id, kind });
    }

    pub(super) fn on_commit_failed(&mut self, now: Now, ticket: Ticket, error: &str) {
        let Some((id, at)) = self.handover(ticket) else { return };
        let Some((request, _)) = self.take_handover(&id, at) else { return };
        let why = format!("the handover could not be written down: {error}");
        self.refuse(now, &id, Some(&request), Code::InternalError, &why, None);
    }

    /// The handover that waits for a ticket.
    fn handover(&self, ticket: Ticket) -> Option<(PluginId, usize)> {
        self.plugins.values().find_map(|plugin| {
            let at = plugin.handovers.iter().position(|handover| handover.ticket == ticket)?;
            Some((plugin.id.clone(), at))
        })
    }

    /// Takes a handover and its call out; nothing where its process is another by now.
    fn take_handover(&mut self, id: &PluginId, at: usize) -> Option<(RequestId, Arc<str>)> {
        let plugin = self.plugin_mut(id)?;
        let Handover { process: number, id: request, kind, .. } = plugin.handovers.remove(at);
        let process = plugin.process_mut().filter(|process| process.number == number)?;
        let at = process.calls.iter().position(|call| call.id == request)?;
        process.calls.remove(at);
        Some((request, kind))
    }

    /// Writes a row of a plugin's audit.
    pub(super) fn audit(&mut self, now: Now, id: &PluginId, what: Audited, text: &str) -> Ticket {
        self.persist(Record::Audit { plugin: id.clone(), at: now.wall, what, text: text.to_owned() })
    }
}

fn handed(request: &RequestId, kind: &str, credential: &Credential) -> bytes::Bytes {
    let handed = Handed {
        kind,
        token: &credential.token,
        client_id: &credential.client_id,
        user_id: &credential.user_id,
        device_id: &credential.device_id,
        expires_at: &credential.expires_at,
    };
    rpc::result(request, &handed).unwrap_or_else(|_| {
        rpc::error(Some(request), Code::InternalError, "the credential is over 4 MiB", None)
    })
}
