//! Both ends of the pipes of one plugin, for transcripts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    super::{Cause, Fetched, Input, Installation, Output, ProcessInput, Supervisor},
    kit::{FULL, example, installation, settings},
};
use crate::{
    ids::RequestId,
    plugin::{
        Command, Credential, Outcome, Refusal, Transition,
        framing::{Broken, Framer},
    },
    time::Now,
};

/// One step of a transcript.
pub(super) enum Step<'a> {
    /// The host writes this body.
    Host(&'a str),
    /// The plugin writes this body.
    Plugin(&'a str),
    /// So many milliseconds pass.
    Ms(u64),
    /// The operator does something.
    Do(Command),
}
pub(super) use Step::{Do, Host, Ms, Plugin};

/// Both ends of the pipes of one plugin.
pub(super) struct Pipes {
    pub(super) core: Supervisor,
    now: Now,
    pub(super) framer: Framer,
    /// What the host has written and nobody has read yet.
    pub(super) written: Vec<u8>,
    pub(super) replies: BTreeMap<u64, Result<Outcome, Refusal>>,
    pub(super) moved: Vec<Transition>,
    pub(super) kills: usize,
    pub(super) spawns: usize,
    requests: u64,
}

impl Pipes {
    pub(super) fn with(installation: Installation) -> Self {
        let now = Now::at_ms(1_000_000);
        let core = Supervisor::new(now, settings(), Vec::new(), Vec::new());
        let mut pipes = Self {
            core,
            now,
            framer: Framer::new(),
            written: Vec::new(),
            replies: BTreeMap::new(),
            moved: Vec::new(),
            kills: 0,
            spawns: 0,
            requests: 0,
        };
        let cause = pipes.cause();
        pipes.core.install(now, cause, installation).unwrap();
        pipes.drain();
        pipes.input(Input::FilesDone { plugin: example(), result: Ok(()) });
        pipes.process(ProcessInput::Spawned { pid: 42 });
        pipes
    }

    /// Granted all that it asks for, with these hooks.
    pub(super) fn up(hooks: &str) -> Self {
        let mut pipes = Self::with(installation(FULL));
        pipes.written.clear();
        pipes.run(&[
            Plugin(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"plugin_version":"1.2.0","hooks":{hooks}}}}}"#
            )),
            Host(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#),
        ]);
        pipes
    }

    fn cause(&mut self) -> Cause {
        self.requests += 1;
        Cause { request: RequestId(self.requests), trace: None, by: None }
    }

    pub(super) fn input(&mut self, input: Input) {
        self.core.handle(self.now, input);
        self.drain();
    }

    pub(super) fn process(&mut self, what: ProcessInput) {
        let process = self.core.process(&example()).map_or(0, |process| process.number);
        self.input(Input::Process { plugin: example(), process, what });
    }

    pub(super) fn command(&mut self, command: Command) -> Option<Result<Outcome, Refusal>> {
        let cause = self.cause();
        let request = cause.request.0;
        self.core.command(self.now, cause, command);
        self.drain();
        self.replies.remove(&request)
    }

    fn drain(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Transmit { plugin, process, frame, lane, .. } => {
                    self.written.extend_from_slice(&frame);
                    let what = ProcessInput::Taken { lane, messages: 1, bytes: frame.len() as u64 };
                    self.core.handle(self.now, Input::Process { plugin, process, what });
                }
                Output::Transition { transition, .. } => self.moved.push(transition),
                Output::Fetch { ticket, .. } => {
                    let result: Fetched = Ok(Credential {
                        token: "abc123abc123".to_owned(),
                        client_id: Some("c".to_owned()),
                        user_id: None,
                        device_id: None,
                        expires_at: None,
                    });
                    self.core.handle(self.now, Input::Fetched { ticket, result });
                }
                Output::Persist { ticket, .. } => {
                    self.core.handle(self.now, Input::Committed { ticket });
                }
                Output::Reply { request, result } => _ = self.replies.insert(request.0, result),
                Output::Kill { .. } => self.kills += 1,
                Output::Spawn { .. } => self.spawns += 1,
                _ => {}
            }
        }
    }

    /// Reads one frame of the host: its one header, then exactly so many bytes of JSON.
    #[track_caller]
    pub(super) fn read(&mut self) -> Value {
        let text = String::from_utf8(self.written.clone()).unwrap();
        let (length, rest) = text
            .strip_prefix("Content-Length: ")
            .and_then(|text| text.split_once("\r\n\r\n"))
            .unwrap_or_else(|| panic!("no frame: {text:?}"));
        let length: usize = length.parse().unwrap();
        let body = serde_json::from_str(&rest[..length]).unwrap();
        self.written.drain(..self.written.len() - (rest.len() - length));
        body
    }

    /// The plugin writes bytes.
    pub(super) fn writes(&mut self, bytes: &[u8]) -> Option<Broken> {
        self.framer.push(bytes);
        loop {
            match self.framer.poll_frame() {
                Ok(Some(frame)) => self.process(ProcessInput::Frame(frame)),
                Ok(None) => return None,
                Err(broken) => {
                    self.process(ProcessInput::Broken(broken.clone()));
                    return Some(broken);
                }
            }
        }
    }

    pub(super) fn writes_body(&mut self, body: &str) {
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        assert!(self.writes(frame.as_bytes()).is_none());
    }

    pub(super) fn pass_ms(&mut self, ms: u64) {
        let end = self.now.after(std::time::Duration::from_millis(ms));
        while let Some(due) = self.core.timeout().filter(|due| *due <= end.mono) {
            self.now = self.now.after(due.since(self.now.mono));
            self.input(Input::Timeout);
        }
        self.now = end;
    }

    /// Runs a transcript: the host writes what it says and nothing else.
    #[track_caller]
    pub(super) fn run(&mut self, steps: &[Step<'_>]) {
        for step in steps {
            if let Host(body) = step {
                let expected: Value = serde_json::from_str(body).unwrap();
                assert_eq!(self.read(), expected);
                continue;
            }
            self.is_silent();
            match step {
                Host(_) => {}
                Plugin(body) => self.writes_body(body),
                Ms(ms) => self.pass_ms(*ms),
                Do(command) => drop(self.command(command.clone())),
            }
        }
        self.is_silent();
    }

    #[track_caller]
    pub(super) fn is_silent(&self) {
        assert_eq!(String::from_utf8_lossy(&self.written), "", "the host writes nothing else");
    }

    /// The answer to a request with the id 7.
    #[track_caller]
    pub(super) fn call(&mut self, method: &str, params: &str) -> Value {
        self.writes_body(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#));
        let answer = self.read();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
        self.is_silent();
        answer
    }
}
