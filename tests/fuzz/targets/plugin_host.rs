//! Any frames and bytes of a plugin, between what else happens to it: each is handled as it was judged
//! before, and judging changes nothing.

#![no_main]

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use rl_console::{
    ids::{PluginId, RequestId, Ticket},
    limits,
    plugin::{
        Command, Credential, ExitStatus, Stand, StreamCommand, Verdict,
        framing::{Broken, Frame, Framer},
        manifest::Manifest,
        supervisor::{Cause, Input, Installation, Output, ProcessInput, Settings, Source, Supervisor},
    },
    time::Now,
};
use serde_json::json;

#[path = "../../it/plugin_core/judged.rs"]
mod judged;

use judged::{Handled, agrees};

const MANIFEST: &str = r#"
id = "a.b"
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
events = ["on_followed_live", "on_watch_tick", "on_panel_change"]
host_methods = ["get_followed_live", "set_upstream", "notify", "log", "register_panel", "get_panel_values"]
credentials = ["twitch.android"]
ui = ["panel"]
[contributes]
actions = ["clip.create"]
status = ["a.state"]
"#;

/// Bodies with `#` in place of an id.
const BODIES: [&str; 16] = [
    r#"{"jsonrpc":"2.0","id":#,"result":{"plugin_version":"1","hooks":["on_followed_live"]}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"plugin_version":"1","hooks":[]}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":#,"error":{"code":-32010,"message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"get_followed_live","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"notify","params":{"level":"info","message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"log","params":{"level":"info","message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"get_credential","params":{"kind":"twitch.android"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"set_status","params":{"slot":"a.state","value":{"a":1}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"set_upstream","params":{"stream_id":"s","playlist_url":"x:y"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"register_panel","params":{"schema":{"title":"E","sections":[
        {"label":"M","fields":[{"type":"toggle","key":"on","label":"On","default":true}]}]}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"get_panel_values","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"nothing"}"#,
    r#"{"jsonrpc":"2.0","method":"notify","params":{"level":"info","message":"x"}}"#,
    r##"{"jsonrpc":"2.0","id":"#","method":"ping"}"##,
    "[1]",
];

fn id() -> PluginId {
    PluginId::new("a.b")
}

/// A frame of this body.
fn wire(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// A body with bytes put over it, pairs of a position and a byte; past the last one the bytes alone.
fn body(which: u8, number: u8, bytes: &[u8]) -> Vec<u8> {
    let Some(body) = BODIES.get(usize::from(which) % (BODIES.len() + 2)) else { return bytes.to_vec() };
    let mut body = body.replace('#', &(number % 16).to_string()).into_bytes();
    for pair in bytes.chunks_exact(2) {
        let at = usize::from(pair[0]) % body.len();
        body[at] = pair[1];
    }
    body
}

struct Host {
    core: Supervisor,
    now: Now,
    verdicts: Vec<Verdict>,
    sent: Vec<Bytes>,
    is_killed: bool,
    fetches: VecDeque<Ticket>,
    records: VecDeque<Ticket>,
    commands: u64,
}

impl Host {
    fn with_plugin() -> Self {
        let settings = Settings {
            limits: limits::Plugin { calls_max: 4, frames_per_s_max: 100, ..limits::Plugin::default() },
            host_version: "7.8.6".to_owned(),
            folder: "/data/plugins".to_owned(),
            sources: [Arc::from("twitch.android")].into(),
        };
        let now = Now::at_ms(1_000_000);
        let mut host = Self {
            core: Supervisor::new(now, settings, Vec::new(), Vec::new()),
            now,
            verdicts: Vec::new(),
            sent: Vec::new(),
            is_killed: false,
            fetches: VecDeque::new(),
            records: VecDeque::new(),
            commands: 0,
        };
        let checked = Manifest::parse(MANIFEST, &semver::Version::new(7, 8, 6), &limits::Plugin::default());
        let installation = Installation {
            manifest: Arc::new(checked.manifest.expect("it is well")),
            text: Arc::from(MANIFEST),
            folder: Arc::from("/src/installed"),
            source: Source::Package,
            command: None,
            grant: None,
        };
        let cause = host.cause();
        host.core.install(now, cause, installation).expect("there is room");
        host.drain();
        host
    }

    fn cause(&mut self) -> Cause {
        self.commands += 1;
        Cause { request: RequestId(self.commands), trace: None, by: None }
    }

    fn number(&self) -> Option<u64> {
        self.core.running().next().map(|(_, number)| number)
    }

    fn process(&mut self, what: ProcessInput) {
        if let Some(process) = self.number() {
            self.core.handle(self.now, Input::Process { plugin: id(), process, what });
            self.drain();
        }
    }

    /// Does what the core asks for. Records and credentials wait.
    fn drain(&mut self) {
        while let Some(output) = self.core.poll_output() {
            let then = match output {
                Output::Received { verdict, .. } => {
                    self.verdicts.push(verdict);
                    None
                }
                Output::Transmit { plugin, process, frame, lane, .. } => {
                    let what = ProcessInput::Taken { lane, messages: 1, bytes: frame.len() as u64 };
                    self.sent.push(frame);
                    Some(Input::Process { plugin, process, what })
                }
                Output::Spawn { plugin, process } => {
                    self.is_killed = false;
                    Some(Input::Process { plugin, process, what: ProcessInput::Spawned { pid: 42 } })
                }
                Output::Kill { .. } => {
                    self.is_killed = true;
                    None
                }
                Output::Place { plugin } | Output::Delete { plugin, .. } => {
                    Some(Input::FilesDone { plugin, result: Ok(()) })
                }
                Output::Fetch { ticket, .. } => {
                    self.fetches.push_back(ticket);
                    None
                }
                Output::Persist { ticket, .. } => {
                    self.records.push_back(ticket);
                    None
                }
                Output::Transition { .. }
                | Output::Mask { .. }
                | Output::Log { .. }
                | Output::Reply { .. } => None,
            };
            if let Some(then) = then {
                self.core.handle(self.now, then);
            }
        }
    }

    /// Bytes come from the plugin, which are whole, broken, or not whole yet.
    fn comes(&mut self, bytes: &[u8], cut: u8) {
        let Some(process) = self.number() else { return };
        let state = |host: &Self| cut.is_multiple_of(4).then(|| format!("{:?}", host.core));
        let before = state(self);
        let stand = Stand::From(id());
        let judged = self.core.judge(self.now, &stand, bytes);
        let part = &bytes[..usize::from(cut) % (bytes.len() + 1)];
        for bytes in [bytes, part] {
            let _ = (
                self.core.judge(self.now, &stand, bytes),
                self.core.judge(self.now, &Stand::To(id()), bytes),
            );
        }
        assert_eq!(state(self), before, "judging changes nothing");
        let (what, wire) = match first(bytes) {
            Ok(None) => {
                assert!(
                    self.is_killed || judged.is_ok_and(|judged| judged.verdict.is_err()),
                    "it is not whole"
                );
                return;
            }
            Ok(Some(frame)) => (ProcessInput::Frame(frame.clone()), frame.wire().clone()),
            Err(broken) => (ProcessInput::Broken(broken.clone()), broken.wire),
        };
        let was_killed = self.is_killed;
        self.sent.clear();
        self.verdicts.clear();
        self.core.handle(self.now, Input::Process { plugin: id(), process, what });
        self.drain();
        let Some(verdict) = self.verdicts.pop() else {
            let is_broken = first(bytes).is_err();
            assert!(is_broken && was_killed && judged.is_err() && self.sent.is_empty(), "it is passed over");
            return;
        };
        assert_eq!(self.verdicts, [], "a frame has one verdict");
        let is_killed = (was_killed, self.is_killed);
        agrees(judged, &Handled { verdict, wire: &wire, sent: self.sent.iter().collect(), is_killed });
    }

    /// What else happens.
    fn happens(&mut self, what: u8, how: u8) {
        let plugin = id();
        let command = match what % 12 {
            0 => return self.pass(u64::from(how) * 40),
            1 => return self.process(ProcessInput::Exited(ExitStatus::Code(i32::from(how % 2)))),
            2 => return self.process(ProcessInput::StdoutClosed),
            3 => return self.stored(how),
            4 => return self.fetched(how),
            5 => Command::Disable { plugin },
            6 => Command::Enable { plugin },
            7 => Command::Restart { plugin },
            8 => Command::Allow { plugin, always: how.is_multiple_of(2) },
            9 => Command::Invoke {
                action: "clip.create".to_owned(),
                args: json!({}),
                plugin: None,
                timeout_ms: 1_000,
            },
            10 => Command::Revoke { plugin, capabilities: vec!["notify".to_owned()] },
            _ => Command::Stream(StreamCommand::Live { channels: Vec::new() }),
        };
        let cause = self.cause();
        self.core.command(self.now, cause, command);
        self.drain();
    }

    /// Time passes, with every deadline at its moment.
    fn pass(&mut self, ms: u64) {
        let end = self.now.after(Duration::from_millis(ms));
        while let Some(due) = self.core.timeout().filter(|due| *due <= end.mono) {
            self.now = self.now.after(due.since(self.now.mono));
            self.core.handle(self.now, Input::Timeout);
            self.drain();
        }
        self.now = end;
    }

    fn stored(&mut self, how: u8) {
        let Some(ticket) = self.records.pop_front() else { return };
        let is_kept = how % 4 != 0;
        let failed = || Input::CommitFailed { ticket, error: "the disk is full".to_owned() };
        self.core.handle(self.now, if is_kept { Input::Committed { ticket } } else { failed() });
        self.drain();
    }

    fn fetched(&mut self, how: u8) {
        let Some(ticket) = self.fetches.pop_front() else { return };
        let credential: Credential =
            serde_json::from_value(json!({"token": "a-secret-token"})).expect("it is one");
        let result = if how.is_multiple_of(2) { Ok(credential) } else { Err("it is not there".to_owned()) };
        self.core.handle(self.now, Input::Fetched { ticket, result });
        self.drain();
    }
}

/// The first frame of some bytes, as the host would read it.
fn first(bytes: &[u8]) -> Result<Option<Frame>, Broken> {
    let mut framer = Framer::new();
    framer.push(bytes);
    framer.poll_frame()
}

fuzz_target!(|steps: Vec<(u8, u8, u8, Vec<u8>)>| {
    let mut host = Host::with_plugin();
    for (what, which, number, bytes) in steps.iter().take(64) {
        match what % 8 {
            0 | 1 => host.happens(*which, *number),
            2 => host.comes(bytes, *number),
            3 => {
                // More than one frame: the first is judged.
                let wire = [wire(&body(*which, *number, &[])), wire(bytes)].concat();
                host.comes(&wire, *number);
            }
            _ => host.comes(&wire(&body(*which, *number, bytes)), *which),
        }
    }
});
