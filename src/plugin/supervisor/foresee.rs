//! What follows from what a plugin says, foreseen.

use bytes::Bytes;

use super::{Supervisor, ending::BACKOFF, judge::notified, lifecycle::Empty, methods::MethodCall};
use crate::{
    ids::PluginId,
    judged::{Certainty, Doubt, Judged},
    plugin::{
        Head, Lint,
        capability::Hook,
        rpc::{self, PluginError, RawJson},
        session::{OpenRequest, Phase, Process},
        snapshot::RESTART_COUNTS,
    },
    time::Now,
    words::{self, counted},
};

/// What follows from an answer.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    pub(super) frames: Vec<(Bytes, Head)>,
    pub(super) ends: Option<String>,
    pub(super) effect: Option<String>,
}

impl Foreseen {
    fn effect(effect: impl Into<String>) -> Self {
        Self { effect: Some(effect.into()), ..Self::default() }
    }
}

impl Supervisor {
    /// What comes after a process that is ended for a fault.
    pub(super) fn after_fault(&self, now: Now, id: &PluginId, process: &Process) -> String {
        let lost = match process.actions() as u64 {
            0 => String::new(),
            actions => format!(", {} lost", counted(actions, "action")),
        };
        if process.is_ending() {
            return format!("its process, which is stopping, is killed{lost}");
        }
        let exits = self.plugin(id).map(|plugin| &plugin.exits);
        let earlier = exits.into_iter().flatten().filter(|exit| now.since(**exit) < RESTART_COUNTS).count();
        let next = match BACKOFF.get(earlier) {
            None => "disabled after its fourth exit within ten minutes".to_owned(),
            Some(_) if self.is_stopping => "the station is stopping".to_owned(),
            Some(wait) => format!("started again after {} s", wait.as_secs()),
        };
        format!("its process is killed, {next}{lost}")
    }

    /// What follows from the answer to a request of ours.
    pub(super) fn foresee_answer(
        &self,
        now: Now,
        id: &PluginId,
        process: &Process,
        number: u64,
        outcome: &Result<RawJson, PluginError>,
    ) -> Foreseen {
        match process.open.get(&number) {
            Some(OpenRequest::Initialize) if matches!(process.phase, Phase::Starting { .. }) => {
                self.foresee_introduction(now, id, process, outcome)
            }
            Some(OpenRequest::Shutdown) if matches!(process.phase, Phase::ShuttingDown { .. }) => {
                let exit = rpc::notification("exit", &Empty {}).ok();
                let frames = exit.map(|frame| notified(id, "exit", frame)).into_iter().collect();
                Foreseen { frames, ..Foreseen::effect("stopping: exit is sent") }
            }
            Some(OpenRequest::Initialize | OpenRequest::Shutdown) => {
                Foreseen::effect("its request no longer waits")
            }
            Some(OpenRequest::Action { action, .. }) => {
                let end = if outcome.is_ok() { "done" } else { "failed" };
                Foreseen::effect(format!("action {action} {end}"))
            }
            None => Foreseen::effect("ping answered"),
        }
    }

    fn foresee_introduction(
        &self,
        now: Now,
        id: &PluginId,
        process: &Process,
        outcome: &Result<RawJson, PluginError>,
    ) -> Foreseen {
        let introduction = match self.introduction(id, outcome.clone()) {
            Ok(introduction) => introduction,
            Err((None, why)) => {
                let effect = Some("its process is killed, and the plugin disabled".to_owned());
                return Foreseen { frames: Vec::new(), ends: Some(why), effect };
            }
            Err((Some(_), why)) => {
                let effect = Some(self.after_fault(now, id, process));
                return Foreseen { frames: Vec::new(), ends: Some(why), effect };
            }
        };
        let mut frames = Vec::new();
        if let Ok(frame) = rpc::notification("initialized", &Empty {}) {
            frames.push(notified(id, "initialized", frame));
        }
        let sent = frames.iter().map(|(frame, _)| frame.len() as u64).sum::<u64>();
        let hook = Hook::OnFollowedLive;
        if introduction.hooks.contains(&hook)
            && self.stream.is_live_declared()
            && let Ok(frame) = rpc::notification(hook.name(), &self.stream.live_channels())
            && process.outbox.has_room(frame.len() as u64, self.queued_bytes + sent, &self.settings.limits)
        {
            frames.push(notified(id, hook.name(), frame));
        }
        let hooks = counted(introduction.hooks.len() as u64, "hook");
        Foreseen { frames, ..Foreseen::effect(format!("up, version {}, {hooks}", introduction.version)) }
    }

    /// What a call changes, and what its answer waits for.
    pub(super) fn foresee_call(
        &self,
        now: Now,
        id: &PluginId,
        mut judged: Judged,
        call: &MethodCall,
    ) -> Judged {
        judged.effect = match call {
            MethodCall::GetFollowedLive | MethodCall::GetPanelValues => None,
            MethodCall::GetCredential { kind } => return self.foresee_credential(now, id, judged, kind),
            MethodCall::SetUpstream { stream_id, .. } => {
                Some(format!("upstream of session {} set", self.shown(stream_id)))
            }
            MethodCall::Notify { level, .. } => Some(format!("operator notified, level {}", level.name())),
            MethodCall::Log { level, is_complete, .. } => {
                let lint = if *is_complete { String::new() } else { format!("; {}", Lint::LogParams.text()) };
                Some(format!("one line of level {} logged{lint}", level.name()))
            }
            MethodCall::RegisterPanel { schema, departures } => {
                let fields = counted(schema.fields().count() as u64, "field");
                let departures = match departures.len() as u64 {
                    0 => String::new(),
                    departures => format!(", {}", counted(departures, "departure from the specification")),
                };
                Some(format!("panel of {fields} registered{departures}"))
            }
            MethodCall::SetStatus { slot, .. } => Some(format!("status {slot} set")),
            MethodCall::IgnoreStatus { lint, .. } => Some(lint.text().to_owned()),
        };
        judged
    }

    /// A credential is handed over later, or never.
    fn foresee_credential(&self, now: Now, id: &PluginId, mut judged: Judged, kind: &str) -> Judged {
        let plugin = self.plugin(id);
        let is_allowed = plugin
            .and_then(|plugin| plugin.current())
            .is_some_and(|package| package.consents.is_allowed(kind));
        if is_allowed {
            judged.effect = Some(format!("{kind} is fetched, and handed over once the audit has it"));
            return judged.as_of_now(&[Doubt::Commit]);
        }
        judged.certainty = Certainty::ThePeers;
        let asked = plugin.and_then(|plugin| plugin.question.as_ref());
        let (who, until) = match asked {
            Some(question) => ("waits for the operator, who is asked already", Some(question.until)),
            None => ("waits for the operator, who is asked", None),
        };
        judged.effect = Some(format!("{} {who}", words::cut(kind, self.settings.limits.id_bytes_max)));
        judged.as_of_now(&[Doubt::Time]).until(now, until)
    }
}
