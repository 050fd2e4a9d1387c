//! The plugin host, with one plugin that logs.

use std::sync::Arc;

use rl_console::{
    ids::{PluginId, RequestId},
    judged::Judged,
    limits,
    plugin::{
        Stand, Verdict,
        framing::Framer,
        manifest::Manifest,
        supervisor::{Cause, Input, Installation, Output, ProcessInput, Settings, Source, Supervisor},
    },
    tap::entry::Verdict as AnyVerdict,
    time::Now,
};
use serde_json::{Value, json};

use super::{Core, FRAME_BYTES};
use crate::Result;

const ID: &str = "com.example.bench";
const HOST_VERSION: semver::Version = semver::Version::new(7, 8, 6);
const MANIFEST: &str = r#"
id = "com.example.bench"
name = "Benchmark"
version = "1.0.0"
author = "rl-console"
tier = "A"
description = "logs"
host_min = "7.0.0"
[runtime]
kind = "process"
entry = "run"
[capabilities]
events = []
host_methods = ["log"]
credentials = []
ui = []
"#;

pub(super) struct Plugins {
    core: Supervisor,
    now: Now,
    plugin: PluginId,
    process: u64,
    wire: Vec<u8>,
    accepted: u64,
    /// The body of the last frame that was sent to it.
    sent: Value,
}

fn wire(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

impl Plugins {
    pub(super) fn new() -> Result<Self> {
        let limits = limits::Plugin {
            frames_per_s_max: 10_000_000,
            bytes_per_s_max: 10_737_418_240,
            log_bytes_per_s_max: 1_073_741_824,
            ..limits::Plugin::default()
        };
        let manifest = Manifest::parse(MANIFEST, &HOST_VERSION, &limits);
        let manifest = manifest.manifest.ok_or_else(|| format!("{:?}", manifest.faults))?;
        let settings = Settings {
            limits,
            host_version: HOST_VERSION.to_string(),
            folder: "/data/plugins".to_owned(),
            sources: [].into(),
        };
        let now = Now::at_ms(1_000_000);
        let frame = |message: &str| {
            let params = json!({"level": "info", "message": message});
            wire(&json!({"jsonrpc": "2.0", "id": "a", "method": "log", "params": params}))
        };
        // The length before it takes a digit more.
        let room = FRAME_BYTES - frame("").len() - 1;
        let mut it = Self {
            core: Supervisor::new(now, settings, Vec::new(), Vec::new()),
            now,
            plugin: PluginId::new(ID),
            process: 0,
            wire: frame(&"x".repeat(room)),
            accepted: 0,
            sent: Value::Null,
        };
        it.bring_up(Arc::new(manifest))?;
        Ok(it)
    }

    fn bring_up(&mut self, manifest: Arc<Manifest>) -> Result<()> {
        let installation = Installation {
            manifest,
            text: Arc::from(MANIFEST),
            folder: Arc::from("/src/bench"),
            source: Source::Folder(Arc::from("/src/bench")),
            command: None,
            grant: None,
        };
        let cause = Cause { request: RequestId(1), trace: None, by: None };
        self.core.install(self.now, cause, installation).map_err(|refusal| format!("{refusal:?}"))?;
        self.drain();
        self.input(ProcessInput::Spawned { pid: 42 });
        let result = json!({"plugin_version": "1.0.0", "hooks": []});
        let answer = json!({"jsonrpc": "2.0", "id": self.sent["id"], "result": result});
        self.frame(&wire(&answer));
        if self.core.process_number(&self.plugin).is_some() {
            Ok(())
        } else {
            Err("the plugin is not up".into())
        }
    }

    fn frame(&mut self, wire: &[u8]) {
        let mut framer = Framer::new();
        framer.push(wire);
        if let Ok(Some(frame)) = framer.poll_frame() {
            self.input(ProcessInput::Frame(frame));
        }
    }

    fn input(&mut self, what: ProcessInput) {
        let (plugin, process) = (self.plugin.clone(), self.process);
        self.core.handle(self.now, Input::Process { plugin, process, what });
        self.drain();
    }

    /// Does what a host does.
    fn drain(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Received { verdict, .. } => self.accepted += u64::from(verdict == Verdict::Accepted),
                Output::Spawn { process, .. } => self.process = process,
                Output::Persist { ticket, .. } => self.core.handle(self.now, Input::Committed { ticket }),
                Output::Transmit { plugin, process, frame, lane, .. } => {
                    if self.sent.is_null() {
                        let body = frame.windows(4).position(|it| it == b"\r\n\r\n").map_or(0, |at| at + 4);
                        self.sent = serde_json::from_slice(&frame[body..]).unwrap_or_default();
                    }
                    let what = ProcessInput::Taken { lane, messages: 1, bytes: frame.len() as u64 };
                    self.core.handle(self.now, Input::Process { plugin, process, what });
                }
                _ => {}
            }
        }
    }
}

impl Core for Plugins {
    fn name(&self) -> String {
        "plugins, a log line".to_owned()
    }

    fn frame_bytes(&self) -> usize {
        self.wire.len()
    }

    fn judge(&self, _number: u64) -> Judged {
        let judged = self.core.judge(self.now, &Stand::From(self.plugin.clone()), &self.wire);
        // It runs for as long as it is measured.
        judged.expect("the plugin is up")
    }

    fn would_take(judged: &Judged) -> bool {
        judged.verdict == Ok(AnyVerdict::Plugin(Verdict::Accepted))
    }

    fn handle(&mut self, number: u64) -> bool {
        let before = self.accepted;
        let wire = std::mem::take(&mut self.wire);
        // Time passes as for a plugin that writes 10,000 a second.
        self.now = Now::at_ms(1_000_000 + number / 10);
        self.frame(&wire);
        self.wire = wire;
        self.accepted == before + 1
    }
}
