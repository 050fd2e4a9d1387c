//! A host without processes: what the supervisor puts out is written down, and done where a test says so.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::super::{Cause, Input, Installation, Output, ProcessInput, Record, Settings, Source, Supervisor};
use crate::{
    ids::{PluginId, RequestId, Ticket},
    limits,
    plugin::{
        Audited, Command, ExitStatus, NotJudged, Outcome, Refusal, Stand, Transition, Verdict,
        framing::Framer, manifest::Manifest, session::Lane,
    },
    tap::entry,
    time::{Mono, Now},
};

/// A frame that was sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sent {
    pub(super) plugin: PluginId,
    pub(super) process: u64,
    pub(super) lane: Lane,
    pub(super) body: Value,
}

/// What the supervisor asked for, in its order.
pub(super) struct TestHost {
    pub(super) core: Supervisor,
    pub(super) now: Now,
    pub(super) sent: Vec<Sent>,
    pub(super) moved: Vec<(Transition, String)>,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) spawns: Vec<(PluginId, u64)>,
    pub(super) kills: Vec<(PluginId, u64)>,
    pub(super) records: Vec<(Ticket, Record)>,
    pub(super) replies: BTreeMap<u64, Result<Outcome, Refusal>>,
    pub(super) logged: Vec<String>,
    pub(super) fetches: Vec<Ticket>,
    pub(super) places: Vec<PluginId>,
    pub(super) deletes: Vec<(PluginId, bool)>,
    pub(super) masked: usize,
    /// Whether plugins take what is written to them.
    pub(super) is_taken: bool,
    /// Whether the store answers that it has kept a record, but for a handover's.
    pub(super) is_kept: bool,
    requests: u64,
}

/// All that a plugin can ask for, actions and slots.
pub(super) const FULL: &str = r#"
id = "community.example"
name = "Example"
version = "1.2.0"
author = "somebody"
tier = "B"
description = "does something"
host_min = "7.0.0"
[runtime]
kind = "process"
entry = "run"
[capabilities]
events = ["on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick", "on_followed_live", "on_chat_message", "on_panel_change"]
host_methods = ["get_followed_live", "set_upstream", "notify", "log", "register_panel", "get_panel_values"]
credentials = ["twitch.android"]
ui = ["panel"]
[contributes]
actions = ["clip.create"]
status = ["example.state"]
"#;

/// All hooks of it.
pub(super) const HOOKS: [&str; 7] = [
    "on_stream_start",
    "on_stream_stop",
    "on_channel_change",
    "on_watch_tick",
    "on_followed_live",
    "on_chat_message",
    "on_panel_change",
];

pub(super) fn settings() -> Settings {
    Settings {
        limits: limits::Plugin::default(),
        host_version: "7.8.6".to_owned(),
        folder: "/data/plugins".to_owned(),
        sources: [Arc::from("twitch.android")].into(),
    }
}

pub(super) fn manifest(text: &str) -> Arc<Manifest> {
    let checked = Manifest::parse(text, &semver::Version::new(7, 8, 6), &limits::Plugin::default());
    assert_eq!(checked.faults, [], "{text}");
    Arc::new(checked.manifest.unwrap())
}

pub(super) fn installation(text: &str) -> Installation {
    Installation {
        manifest: manifest(text),
        text: Arc::from(text),
        folder: Arc::from("/src/installed"),
        source: Source::Package,
        command: None,
        grant: None,
    }
}

pub(super) fn example() -> PluginId {
    PluginId::new("community.example")
}

/// A frame with this body.
pub(super) fn wire(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// What the body of a frame of ours says.
pub(super) fn body_of(frame: &[u8]) -> Value {
    let body = frame.windows(4).position(|it| it == b"\r\n\r\n").unwrap() + 4;
    serde_json::from_slice(&frame[body..]).unwrap()
}

impl TestHost {
    pub(super) fn with(settings: Settings) -> Self {
        let now = Now::at_ms(1_000_000);
        Self {
            core: Supervisor::new(now, settings, Vec::new(), Vec::new()),
            now,
            sent: Vec::new(),
            moved: Vec::new(),
            verdicts: Vec::new(),
            spawns: Vec::new(),
            kills: Vec::new(),
            records: Vec::new(),
            replies: BTreeMap::new(),
            logged: Vec::new(),
            fetches: Vec::new(),
            places: Vec::new(),
            deletes: Vec::new(),
            masked: 0,
            is_taken: true,
            is_kept: true,
            requests: 0,
        }
    }

    /// With the full plugin, its process just asked for.
    pub(super) fn installed() -> Self {
        let mut host = Self::with(settings());
        host.install(installation(FULL)).unwrap();
        host
    }

    /// With the full plugin up and all its hooks.
    pub(super) fn up() -> Self {
        let mut host = Self::installed();
        host.bring_up(&example(), &HOOKS);
        host
    }

    pub(super) fn cause(&mut self) -> Cause {
        self.requests += 1;
        Cause { request: RequestId(self.requests), trace: None, by: Some(Arc::from("ann")) }
    }

    /// Installs, with its files put into place at once.
    pub(super) fn install(&mut self, installation: Installation) -> Result<Outcome, Refusal> {
        let cause = self.cause();
        let id = installation.manifest.id.clone();
        self.core.install(self.now, cause.clone(), installation)?;
        self.drain();
        if self.places.pop().is_some() {
            self.input(Input::FilesDone { plugin: id, result: Ok(()) });
        }
        self.replies.remove(&cause.request.0).unwrap()
    }

    /// The result of a command, if it came at once.
    pub(super) fn command(&mut self, command: Command) -> Option<Result<Outcome, Refusal>> {
        let cause = self.cause();
        self.core.command(self.now, cause.clone(), command);
        self.drain();
        self.replies.remove(&cause.request.0)
    }

    pub(super) fn done(&mut self, command: Command) -> Outcome {
        self.command(command).expect("it is answered at once").unwrap()
    }

    pub(super) fn input(&mut self, input: Input) {
        self.core.handle(self.now, input);
        self.drain();
    }

    pub(super) fn process(&mut self, id: &PluginId, what: ProcessInput) {
        let process = self.core.process(id).map_or(0, |process| process.number);
        self.input(Input::Process { plugin: id.clone(), process, what });
    }

    /// The guard is there.
    pub(super) fn spawned(&mut self, id: &PluginId) {
        self.process(id, ProcessInput::Spawned { pid: 42 });
    }

    /// Brings the last process of a plugin up.
    pub(super) fn bring_up(&mut self, id: &PluginId, hooks: &[&str]) {
        self.spawned(id);
        let result = json!({"plugin_version": "1.2.0", "hooks": hooks});
        self.answer_last(id, result);
    }

    /// Answers the last request that was sent to a plugin.
    pub(super) fn answer_last(&mut self, id: &PluginId, result: Value) {
        let request = self.last_request(id);
        self.says(id, json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    pub(super) fn last_request(&self, id: &PluginId) -> Value {
        let is_request = |sent: &&Sent| {
            sent.plugin == *id && sent.body.get("method").is_some() && sent.body.get("id").is_some()
        };
        self.sent.iter().rfind(is_request).unwrap().body.clone()
    }

    /// A plugin writes a body; what is sent for it.
    pub(super) fn says(&mut self, id: &PluginId, body: Value) -> Vec<Value> {
        self.says_bytes(id, body.to_string().as_bytes())
    }

    pub(super) fn says_bytes(&mut self, id: &PluginId, body: &[u8]) -> Vec<Value> {
        let sent = self.sent.len();
        let process = self.core.process(id).unwrap().number;
        let kills = self.kills.len();
        let wire = wire(body);
        let judged = self.core.judge(self.now, &Stand::From(id.clone()), &wire);
        let mut framer = Framer::new();
        framer.push(&wire);
        let frame = framer.poll_frame().unwrap().unwrap();
        let what = ProcessInput::Frame(frame);
        self.input(Input::Process { plugin: id.clone(), process, what });
        let answers: Vec<Value> = self.sent[sent..].iter().map(|sent| sent.body.clone()).collect();
        match judged {
            Ok(judged) => {
                let verdict = self.verdicts.last().copied().map(entry::Verdict::Plugin);
                assert_eq!(judged.verdict.as_ref().ok(), verdict.as_ref(), "judge and handle agree");
                assert_eq!(judged.taken_bytes, wire.len());
                assert_eq!(judged.answers.iter().map(|it| body_of(&it.bytes)).collect::<Vec<_>>(), answers);
                assert_eq!(judged.ends.is_some(), self.kills.len() > kills, "{judged:?}");
            }
            Err(why) => assert_eq!((why, answers.len()), (NotJudged::NotRunning(id.clone()), 0)),
        }
        answers
    }

    /// A request of the plugin, and its answer.
    pub(super) fn calls(&mut self, method: &str, params: Value) -> Value {
        let id = example();
        let sent = self.says(&id, json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}));
        assert!(sent.len() <= 1, "{sent:?}");
        sent.into_iter().next().unwrap_or(Value::Null)
    }

    pub(super) fn exits(&mut self, id: &PluginId, status: ExitStatus) {
        self.process(id, ProcessInput::Exited(status));
    }

    /// Lets time pass, with every deadline at its moment.
    pub(super) fn pass_ms(&mut self, ms: u64) {
        self.drain();
        let end = self.now.after(std::time::Duration::from_millis(ms));
        while let Some(due) = self.core.timeout().filter(|due| *due <= end.mono) {
            self.jump_to(due);
            self.input(Input::Timeout);
        }
        self.jump_to(end.mono);
    }

    pub(super) fn pass_s(&mut self, s: u64) {
        self.pass_ms(s * 1_000);
    }

    /// Lets time pass without a look at deadlines.
    pub(super) fn jump_to(&mut self, at: Mono) {
        self.now = self.now.after(at.since(self.now.mono));
    }

    fn drain(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Received { verdict, .. } => self.verdicts.push(verdict),
                Output::Transmit { plugin, process, frame, lane, .. } => {
                    let value = body_of(&frame);
                    self.sent.push(Sent { plugin: plugin.clone(), process, lane, body: value });
                    if self.is_taken {
                        let bytes = frame.len() as u64;
                        let what = ProcessInput::Taken { lane, messages: 1, bytes };
                        self.core.handle(self.now, Input::Process { plugin, process, what });
                    }
                }
                Output::Transition { transition, text, .. } => self.moved.push((transition, text)),
                Output::Spawn { plugin, process } => self.spawns.push((plugin, process)),
                Output::Kill { plugin, process } => self.kills.push((plugin, process)),
                Output::Place { plugin } => self.places.push(plugin),
                Output::Delete { plugin, purge } => self.deletes.push((plugin, purge)),
                Output::Fetch { ticket, .. } => self.fetches.push(ticket),
                Output::Mask { .. } => self.masked += 1,
                Output::Persist { ticket, record } => {
                    let is_handover = matches!(record, Record::Audit { what: Audited::Handed, .. });
                    self.records.push((ticket, record));
                    if self.is_kept && !is_handover {
                        self.core.handle(self.now, Input::Committed { ticket });
                    }
                }
                Output::Log { text, .. } => self.logged.push(text),
                Output::Reply { request, result } => _ = self.replies.insert(request.0, result),
            }
        }
    }

    /// The names of what changed since the last look, with their texts where they have one.
    pub(super) fn moves(&mut self) -> Vec<String> {
        std::mem::take(&mut self.moved)
            .into_iter()
            .map(
                |(it, text)| {
                    if text.is_empty() { it.name().to_owned() } else { format!("{}: {text}", it.name()) }
                },
            )
            .collect()
    }

    /// The methods of what was sent since the last look.
    pub(super) fn methods(&mut self) -> Vec<String> {
        let sent = std::mem::take(&mut self.sent);
        sent.iter().filter_map(|sent| sent.body["method"].as_str().map(str::to_owned)).collect()
    }
}

impl TestHost {
    /// Answers all pings that were sent, and forgets what was sent.
    pub(super) fn answer_pings(&mut self) {
        let sent = std::mem::take(&mut self.sent);
        for ping in sent.iter().filter(|sent| sent.body["method"] == "ping") {
            self.says(&ping.plugin, json!({"jsonrpc": "2.0", "id": ping.body["id"], "result": {}}));
        }
    }
}
