//! What the first process is asked.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::{
    clause::Clause,
    events,
    findings::{Findings, Kept},
    run::Patience,
    subject::Subject,
};
use crate::plugin::{
    Code,
    capability::Hook,
    manifest::Manifest,
    rpc::{self, PluginError, RawJson},
};

/// A method that no plugin has.
const UNKNOWN: &str = "rl_console_check";
/// Bytes of a frame's body that is long: 1 MiB.
const LARGE_BYTES: usize = 1 << 20;

/// Goes through the clauses, with requests that the plugin was found to answer.
pub(super) struct Probes<'a> {
    pub(super) subject: &'a mut Subject,
    pub(super) patience: &'a Patience,
    pub(super) findings: &'a mut Findings,
    /// The method that is answered; none where nothing is.
    knock: Option<&'static str>,
}

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn shown(answer: Option<&Result<RawJson, PluginError>>) -> String {
    match answer {
        None => "no answer".to_owned(),
        Some(Ok(result)) => format!("result {}", result.text()),
        Some(Err(error)) => format!("error {}: {}", error.code, error.message),
    }
}

impl<'a> Probes<'a> {
    pub(super) fn new(subject: &'a mut Subject, patience: &'a Patience, findings: &'a mut Findings) -> Self {
        Self { subject, patience, findings, knock: None }
    }

    /// All of them.
    pub(super) async fn run(&mut self, hooks: &[Hook], manifest: &Manifest) {
        self.first().await;
        let (id, body) = self.body("", "");
        let bytes = framed(&body).into_iter().map(|byte| vec![byte]).collect();
        self.knock(Clause::SplitFrame, &[id], bytes).await;
        let ((first, one), (second, other)) = (self.body("", ""), self.body("", ""));
        self.knock(Clause::JoinedFrames, &[first, second], vec![[framed(&one), framed(&other)].concat()])
            .await;
        let (id, body) = self.body("", "");
        let length = body.len();
        let frame = format!("X-Check: 1\r\ncOnTeNt-lEnGtH: {length}\r\nContent-Type: text\r\n\r\n{body}");
        self.knock(Clause::Headers, &[id], vec![frame.into_bytes()]).await;
        self.notification().await;
        let (id, body) = self.body(r#","x_check":{"a":[1,null]}"#, r#""x_check":{"a":[1,null]}"#);
        self.knock(Clause::UnknownMembers, &[id], vec![framed(&body)]).await;
        self.large().await;
        self.events(hooks).await;
        self.actions(manifest).await;
    }

    /// `ping` and an unknown method, side by side.
    async fn first(&mut self) {
        let (ping, unknown) = (self.subject.next_id(), self.subject.next_id());
        let empty = json!({});
        self.subject.write(rpc::request(ping, "ping", &empty).unwrap_or_default().to_vec());
        self.subject.write(rpc::request(unknown, UNKNOWN, &empty).unwrap_or_default().to_vec());
        let both = |it: &Subject| [ping, unknown].iter().all(|id| it.answers.contains_key(id));
        self.subject.until(self.patience.answer, both).await;
        let answers = &self.subject.answers;
        let (ping, unknown) = (answers.get(&ping), answers.get(&unknown));
        if self.subject.is_over() && ping.is_none() && unknown.is_none() {
            return;
        }
        self.findings.judge(Clause::Ping, matches!(ping, Some(Ok(_))), shown(ping));
        let not_found = Code::MethodNotFound.number();
        let is_not_found = matches!(unknown, Some(Err(error)) if error.code == not_found);
        self.findings.judge(Clause::UnknownMethod, is_not_found, shown(unknown));
        self.knock = match (ping, unknown) {
            (Some(_), _) => Some("ping"),
            (None, Some(_)) => Some(UNKNOWN),
            (None, None) => None,
        };
    }

    /// A request that is answered, with further members of the envelope and of the params.
    fn body(&mut self, members: &str, params: &str) -> (u64, String) {
        let (id, method) = (self.subject.next_id(), self.knock.unwrap_or(UNKNOWN));
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}{members}}}"#);
        (id, body)
    }

    /// Whether there is somebody to be asked; else the clause is passed over.
    fn can_ask(&mut self, clause: Clause) -> bool {
        let why = match self.knock {
            _ if self.subject.is_over() => "the process or its stdout ended before",
            None => "nothing is answered",
            Some(_) => return true,
        };
        self.findings.add(clause, Kept::Skipped, why);
        false
    }

    /// Writes requests, and judges by whether all are answered.
    async fn knock(&mut self, clause: Clause, ids: &[u64], writes: Vec<Vec<u8>>) {
        if !self.can_ask(clause) {
            return;
        }
        for bytes in writes {
            self.subject.write(bytes);
        }
        let is_answered = |it: &Subject| ids.iter().all(|id| it.answers.contains_key(id));
        let is_kept = self.subject.until(self.patience.answer, is_answered).await;
        if !is_kept && self.subject.is_over() {
            return self.findings.add(clause, Kept::Skipped, "the process or its stdout ended meanwhile");
        }
        self.findings.judge(clause, is_kept, if is_kept { "" } else { "no answer to the request in it" });
        if !is_kept {
            self.knock = None;
        }
    }

    async fn notification(&mut self) {
        let unmatched = self.subject.seen.unmatched;
        let notification = rpc::notification(UNKNOWN, &json!({"a": 1})).unwrap_or_default();
        let (id, body) = self.body("", "");
        let writes = vec![notification.to_vec(), framed(&body)];
        self.knock(Clause::UnknownNotification, &[id], writes).await;
        if self.subject.seen.unmatched > unmatched {
            self.findings.judge(Clause::UnknownNotification, false, "it was answered");
        }
    }

    /// A long frame; where nothing is answered, whether it is read at all.
    async fn large(&mut self) {
        let filler = format!(r#""x_check":"{}""#, "a".repeat(LARGE_BYTES));
        let (id, body) = self.body("", &filler);
        if self.knock.is_some() || self.subject.is_over() {
            return self.knock(Clause::LargeFrame, &[id], vec![framed(&body)]).await;
        }
        self.subject.write(framed(&body));
        let is_taken = |it: &Subject| it.waiting.load(Ordering::Relaxed) == 0;
        let is_kept = self.subject.until(self.patience.answer, is_taken).await;
        let seen = if is_kept { "" } else { "stdin is not read" };
        self.findings.judge(Clause::LargeFrame, is_kept, seen);
    }

    async fn events(&mut self, hooks: &[Hook]) {
        let mut writes = Vec::new();
        for hook in hooks {
            let params = events::params(*hook, self.subject);
            writes.push(rpc::notification(hook.name(), &params).unwrap_or_default().to_vec());
        }
        let unmatched = self.subject.seen.unmatched;
        let (id, body) = self.body("", "");
        writes.push(framed(&body));
        self.knock(Clause::Events, &[id], writes).await;
        if self.subject.seen.unmatched > unmatched {
            self.findings.judge(Clause::Events, false, "an event was answered");
        }
    }

    async fn actions(&mut self, manifest: &Manifest) {
        for action in manifest.actions.iter() {
            if !self.can_ask(Clause::Actions) {
                return;
            }
            let id = self.subject.next_id();
            let args = match &**action {
                "playback.resolve" => {
                    json!({"stream_id": "solo", "channel": "ada", "quality": "best", "auth_master": null})
                }
                _ => json!({}),
            };
            let params = json!({"action": action, "args": args});
            let request = rpc::request(id, "invoke_action", &params).unwrap_or_default();
            self.subject.write(request.to_vec());
            let is_kept = self.subject.until(self.patience.action, |it| it.answers.contains_key(&id)).await;
            if !is_kept && self.subject.is_over() {
                return;
            }
            let seen = format!("{action}: {}", shown(self.subject.answers.get(&id)));
            self.findings.judge(Clause::Actions, is_kept, seen);
        }
        self.findings.add(Clause::Actions, Kept::Ok, "none declared");
    }
}
