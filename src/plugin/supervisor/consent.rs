//! Credentials: the question to the operator, the handover, what is written down of both (ruling Plugins 10).

use std::{sync::Arc, time::Duration};

use serde::Serialize;

use super::{
    Fetched, Output, Record, Supervisor,
    plugin::{Consent, Fetching, Handover, Question},
};
use crate::{
    ids::{PluginId, Ticket},
    plugin::{
        Audited, Code, Credential, Decision, Head, Refusal, Transition,
        rpc::{self, RequestId},
        session::{Call, Lane, Phase},
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
        let is_allowed = plugin.current().is_some_and(|package| package.consents.is_allowed(&kind));
        if let Some(process) = plugin.process_mut() {
            process.calls.push(Call { id: request, kind: kind.clone(), is_fetched: false });
        }
        if is_allowed {
            self.fetch(id, kind);
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

    /// Fetches a credential for all calls that wait for it, unless that is under way.
    fn fetch(&mut self, id: &PluginId, kind: Arc<str>) {
        let ticket = self.take_ticket();
        let Some(plugin) = self.plugin_mut(id) else { return };
        // One that is being killed takes nothing any more, and its calls are dropped with it.
        let process = plugin.process().filter(|process| process.phase != Phase::Killed);
        let Some(process) = process.map(|process| process.number) else { return };
        if plugin.fetching.iter().any(|fetching| fetching.kind == kind) {
            return;
        }
        plugin.fetching.push(Fetching { process, kind: kind.clone(), ticket });
        self.put_out(Output::Fetch { ticket, kind });
    }

    /// The operator allows what a plugin asks for.
    pub(super) fn allow(&mut self, now: Now, id: &PluginId, always: bool) -> Result<(), Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        let question = plugin.question.take().ok_or_else(|| Refusal::NothingAsked(id.clone()))?;
        let kind = question.kind;
        if let Some(consents) = plugin.consents_mut() {
            consents.decided.insert(kind.clone(), Consent::Allowed);
            if always {
                consents.always.insert(kind.clone());
            }
        }
        let (what, decision) = if always {
            (Audited::AllowedAlways, Decision::AllowedAlways)
        } else {
            (Audited::Allowed, Decision::Allowed)
        };
        if always {
            self.keep_grants(id);
        }
        self.audit(now, id, what, &kind);
        self.emit(Transition::Decided { plugin: id.clone(), kind: kind.clone(), decision });
        self.fetch(id, kind);
        Ok(())
    }

    /// The operator denies it, for this run of the station.
    pub(super) fn deny(&mut self, now: Now, id: &PluginId) -> Result<(), Refusal> {
        let plugin = self.plugin_mut(id).ok_or_else(|| Refusal::UnknownPlugin(id.clone()))?;
        let question = plugin.question.take().ok_or_else(|| Refusal::NothingAsked(id.clone()))?;
        if let Some(consents) = plugin.consents_mut() {
            consents.decided.insert(question.kind.clone(), Consent::Denied);
        }
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
        plugin.fetching.retain(|fetching| fetching.kind != *kind);
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
        if let Some(consents) = plugin.consents_mut() {
            consents.revoke(kind);
        }
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
        plugin.fetching.clear();
        plugin.handovers.clear();
        let Some(question) = plugin.question.take() else { return };
        self.audit(now, id, Audited::Gone, &question.kind);
        let (plugin, decision) = (id.clone(), Decision::Gone);
        self.emit(Transition::Decided { plugin, kind: question.kind, decision });
    }

    /// A credential came, or could not be had: each handover waits for its row in the audit.
    pub(super) fn on_fetched(&mut self, now: Now, ticket: Ticket, result: Fetched) {
        let Some((id, fetched)) = self.take_fetching(ticket) else { return };
        let Fetching { process: number, kind, .. } = fetched;
        let Some(plugin) = self.plugin_mut(&id) else { return };
        let Some(process) = plugin.process_mut().filter(|process| process.number == number) else { return };
        let waiting = process.calls.iter_mut().filter(|call| call.kind == kind && !call.is_fetched);
        let requests: Vec<RequestId> = waiting
            .map(|call| {
                call.is_fetched = true;
                call.id.clone()
            })
            .collect();
        let credential = match result {
            Ok(credential) => credential,
            Err(why) => {
                self.audit(now, &id, Audited::Unavailable, &format!("{kind}: {why}"));
                for request in requests {
                    self.take_call(&id, number, &request);
                    self.refuse(now, &id, Some(&request), Code::CredentialUnavailable, &why, None);
                }
                return;
            }
        };
        if let Some(why) = self.saves.failing().map(not_written_down) {
            for request in requests {
                self.take_call(&id, number, &request);
                self.refuse(now, &id, Some(&request), Code::InternalError, &why, None);
            }
            return;
        }
        let frames: Vec<_> = requests.iter().map(|request| handed(request, &kind, &credential)).collect();
        self.put_out(Output::Mask { credential });
        for (request, frame) in requests.into_iter().zip(frames) {
            let ticket = self.audit(now, &id, Audited::Handed, &kind);
            let Some(plugin) = self.plugin_mut(&id) else { return };
            plugin.handovers.push(Handover {
                process: number,
                id: request,
                kind: kind.clone(),
                frame,
                ticket,
            });
        }
    }

    /// The row is there: the credential is handed over.
    pub(super) fn on_written_down(&mut self, now: Now, ticket: Ticket) {
        let Some((id, handover)) = self.take_handover(ticket) else { return };
        let Handover { id: request, kind, frame, .. } = handover;
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

    /// The row is not there: the credential is not handed over. Whether that was a handover's row.
    pub(super) fn on_not_written_down(&mut self, now: Now, ticket: Ticket, error: &str) -> bool {
        let is_handover =
            self.plugins.values().any(|plugin| plugin.handovers.iter().any(|it| it.ticket == ticket));
        if let Some((id, handover)) = self.take_handover(ticket) {
            let why = not_written_down(error);
            self.refuse(now, &id, Some(&handover.id), Code::InternalError, &why, None);
        }
        is_handover
    }

    fn take_fetching(&mut self, ticket: Ticket) -> Option<(PluginId, Fetching)> {
        self.plugins.values_mut().find_map(|plugin| {
            let at = plugin.fetching.iter().position(|fetching| fetching.ticket == ticket)?;
            Some((plugin.id.clone(), plugin.fetching.remove(at)))
        })
    }

    /// Takes a handover and its call out; nothing where its process is another by now.
    fn take_handover(&mut self, ticket: Ticket) -> Option<(PluginId, Handover)> {
        let (id, handover) = self.plugins.values_mut().find_map(|plugin| {
            let at = plugin.handovers.iter().position(|handover| handover.ticket == ticket)?;
            Some((plugin.id.clone(), plugin.handovers.remove(at)))
        })?;
        self.take_call(&id, handover.process, &handover.id)?;
        Some((id, handover))
    }

    /// Takes a call that waits out of its process; nothing where that is another by now.
    fn take_call(&mut self, id: &PluginId, number: u64, request: &RequestId) -> Option<Call> {
        let process = self.plugin_mut(id)?.process_mut().filter(|process| process.number == number)?;
        let at = process.calls.iter().position(|call| call.is_fetched && call.id == *request)?;
        Some(process.calls.remove(at))
    }

    /// Writes a row of a plugin's audit.
    pub(super) fn audit(&mut self, now: Now, id: &PluginId, what: Audited, text: &str) -> Ticket {
        let (text, by) = (text.to_owned(), self.by.clone());
        self.persist(Record::Audit { plugin: id.clone(), at: now.wall, what, text, by })
    }
}

fn not_written_down(error: &str) -> String {
    format!("the handover could not be written down: {error}")
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
