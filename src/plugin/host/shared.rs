//! What all tasks of the host share: the supervisor, and what is done of its outputs.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, HashMap, VecDeque},
    ffi::OsString,
    path::PathBuf,
    rc::{Rc, Weak},
    sync::{Arc, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::{Notify, mpsc, oneshot};

use super::{
    child::{Child, Tasks},
    credential,
    files::{Files, Named, Staged, ending},
    gated::Outgoing,
    guards::Guards,
    handle,
    log_file::Line,
    logs::Logs,
    process::{Launch, Process, SpawnError},
    run::NotifyFn,
};
use crate::{
    gate::Gate,
    ids::{Peer, PluginId, RequestId, Seq, Ticket, TraceId},
    limits,
    plugin::{
        Command, Head, Level, Lint, LogSource, Outcome, Refusal, Transition, Verdict,
        framing::Frame,
        session::{Lane, Permit},
        supervisor::{Cause, Fetched, Input, Output, ProcessInput, Record, SpawnFault, Supervisor},
    },
    store,
    tap::{
        Draft, Tap,
        entry::{self, Direction, FrameOrigin, Link, Redaction, What},
    },
    time::{Clock, Mono, Now},
    words,
};

/// What a task has done for the supervisor.
#[derive(Debug)]
pub(super) enum Done {
    /// Something it is told of.
    Input(Input),
    /// A folder was looked at.
    Staged(Box<Staged>),
}

/// How processes are started.
#[derive(Debug)]
pub(super) struct Starting {
    /// This program, which becomes the guard.
    pub(super) program: PathBuf,
    /// What of the station's environment a plugin gets.
    pub(super) env: Vec<(OsString, OsString)>,
    /// The nice value of plugins.
    pub(super) nice: i32,
}

/// The way to the store; nothing while it is opened again.
pub(super) type StoreWay = Box<dyn Fn() -> Option<store::Handle> + Send + Sync>;

/// Where a command's result goes.
pub(super) type Answer = oneshot::Sender<Result<Outcome, Refusal>>;

/// What all tasks share.
pub(super) struct Host {
    pub(super) core: Supervisor,
    pub(super) limits: limits::Plugin,
    pub(super) gate: Gate,
    /// The entry that let the frame pass that is handed in now.
    pub(super) passed: Option<Seq>,
    pub(super) tap: Tap,
    pub(super) clock: Clock,
    pub(super) store: StoreWay,
    /// What was emitted so far, as whoever looks begins from it.
    pub(super) shared: Arc<handle::Shared>,
    /// The cause of what is being done of the supervisor's outputs; else nothing.
    pub(super) cause: Option<Seq>,
    pub(super) children: HashMap<PluginId, (u64, Rc<Child>)>,
    pub(super) guards: Guards,
    pub(super) replies: BTreeMap<u64, Answer>,
    pub(super) next_request: u64,
    pub(super) sources: BTreeMap<Arc<str>, credential::Source>,
    pub(super) files: Files,
    pub(super) logs: Logs,
    pub(super) starting: Starting,
    /// Tells a person something that matters so much.
    pub(super) notice: NotifyFn,
    /// Where tasks say what they have done.
    pub(super) done: mpsc::Sender<Done>,
    pub(super) committed: mpsc::Sender<(Ticket, Result<(), String>)>,
    /// Records that the store has no room for, in order.
    pub(super) unsaved: VecDeque<(Ticket, Record)>,
    /// Told when something is due earlier than the loop waits for, or nothing is left to wait for.
    pub(super) due_earlier: Rc<Notify>,
    pub(super) waits_until: Option<Mono>,
    /// Which way goes what is put into a pipe now, and who made it.
    pub(super) putting: Option<(Direction, Arc<FrameOrigin>)>,
    /// Itself, for tasks.
    pub(super) own: Weak<RefCell<Host>>,
}

impl Host {
    pub(super) const fn limits(&self) -> limits::Plugin {
        self.limits
    }

    pub(super) fn now(&self) -> Now {
        self.clock.now()
    }

    pub(super) fn until(&self, at: Mono) -> Duration {
        self.clock.until(at)
    }

    pub(super) fn permit(&self, plugin: &PluginId, process: u64) -> Permit {
        self.core.permit(self.clock.now(), plugin, process)
    }

    pub(super) fn input(&mut self, input: Input) {
        let now = self.clock.now();
        self.core.handle(now, input);
        self.drain(now, None, &[]);
    }

    pub(super) fn process_input(&mut self, plugin: &PluginId, process: u64, what: ProcessInput) {
        let wire = if let ProcessInput::Broken(broken) = &what { broken.wire.clone() } else { Bytes::new() };
        let now = self.clock.now();
        self.core.handle(now, Input::Process { plugin: plugin.clone(), process, what });
        self.drain(now, None, &wire);
    }

    /// A process is gone; `is_survived` is whether some that it started may be there still.
    pub(super) fn on_gone(&mut self, plugin: &PluginId, process: u64, is_survived: bool) {
        if self.children.get(plugin).is_some_and(|(number, _)| *number == process) {
            self.children.remove(plugin);
            self.guards.remove(plugin, is_survived);
            // The end of its stderr may not have been seen: what it left open is another's now.
            self.stderr_ended(plugin);
            self.logs.rest(plugin, self.clock.now());
            self.emit_losses();
        }
    }

    /// A frame came.
    pub(super) fn frame(&mut self, plugin: &PluginId, process: u64, frame: Frame) {
        let wire = frame.wire().clone();
        let now = self.clock.now();
        let what = ProcessInput::Frame(frame);
        self.core.handle(now, Input::Process { plugin: plugin.clone(), process, what });
        self.drain(now, None, &wire);
    }

    /// Does what the operator wants; the answer comes when it is done.
    pub(super) fn command(
        &mut self,
        command: Command,
        cause: Option<Seq>,
        trace: Option<TraceId>,
        by: Option<Arc<str>>,
        answer: oneshot::Sender<Result<Outcome, Refusal>>,
    ) {
        let request = self.next_request;
        self.next_request += 1;
        self.replies.insert(request, answer);
        let cause_of = Cause { request: RequestId(request), trace, by };
        let done = self.done.clone();
        let looked = match command {
            Command::Install { folder, grant, command } => {
                let named = Named { folder, grant, command, entry: cause };
                self.files.look_at(named, true, cause_of, done)
            }
            Command::Serve { folder, grant, command } => {
                let named = Named { folder, grant, command, entry: cause };
                self.files.look_at(named, false, cause_of, done)
            }
            command => {
                let now = self.clock.now();
                self.reread(&command);
                self.core.command(now, cause_of, command);
                self.drain(now, cause, &[]);
                Ok(())
            }
        };
        if let Err(refusal) = looked {
            self.reply(RequestId(request), Err(refusal));
        }
    }

    pub(super) fn on_done(&mut self, done: Done) {
        let Staged { cause, entry, installation, files: staged } = match done {
            Done::Input(input) => return self.input(input),
            Done::Staged(staged) => *staged,
        };
        let (now, request) = (self.clock.now(), cause.request);
        self.files.look_at_next(self.done.clone());
        let installed = installation.and_then(|installation| {
            if self.files.is_ending() {
                return Err(ending());
            }
            let plugin = installation.manifest.id.clone();
            // Before, since its files may be put into place at once.
            let is_busy = self.files.is_staged(&plugin);
            if is_busy {
                return Err(Refusal::Invalid(format!("{plugin} is being installed")));
            }
            self.files.keep(&plugin, staged.clone());
            let installed = self.core.install(now, cause, installation);
            if installed.is_err() {
                self.files.forget(&plugin);
            }
            installed
        });
        if let Err(refusal) = installed {
            Files::discard(staged);
            self.reply(request, Err(refusal));
        }
        self.drain(now, entry, &[]);
    }

    /// Does what the supervisor asks for; `cause` is the entry in the tap that led to it, `wire` the bytes of
    /// the frame that it was given, whose entry is the cause of the rest.
    pub(super) fn drain(&mut self, now: Now, cause: Option<Seq>, wire: &[u8]) {
        self.cause = cause;
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Received { head, verdict, trace } => self.received(now, head, verdict, trace, wire),
                Output::Transmit { plugin, process, frame, lane, head, trace } => {
                    self.transmit(now, &plugin, process, frame, lane, head, trace);
                }
                Output::Transition { transition, text, trace } => self.emit(now, transition, &text, trace),
                Output::Spawn { plugin, process } => self.spawn(&plugin, process),
                Output::Kill { plugin, process } => self.kill(&plugin, process),
                Output::Place { plugin } => self.files.place(plugin, self.done.clone()),
                Output::Delete { plugin, purge } => {
                    let closed = self.logs.close(&plugin);
                    self.files.delete(plugin, purge, closed, self.done.clone());
                }
                Output::Fetch { ticket, kind } => self.fetch(ticket, &kind),
                Output::Mask { credential } => self.tap.mask_secret(&credential.token),
                Output::Persist { ticket, record } => self.persist(now, ticket, record),
                Output::Log { plugin, level, source, text } => self.log(&plugin, level, source, &text),
                Output::Reply { request, result } => self.reply(request, result),
            }
        }
        self.cause = None;
        let due = self.core.timeout();
        let is_earlier = due.is_some_and(|due| self.waits_until.is_none_or(|waits| due < waits));
        if is_earlier || self.core.has_stopped() {
            self.due_earlier.notify_one();
        }
    }

    fn received(&mut self, now: Now, head: Head, verdict: Verdict, trace: Option<TraceId>, wire: &[u8]) {
        self.cause = self.passed.or(self.cause);
        self.cause = Some(self.emit_frame(now, Direction::Inbound, head, Some(verdict), trace, wire));
    }

    #[expect(clippy::too_many_arguments, reason = "they are the members of the output")]
    fn transmit(
        &mut self,
        now: Now,
        plugin: &PluginId,
        process: u64,
        frame: Bytes,
        lane: Lane,
        head: Head,
        trace: Option<TraceId>,
    ) {
        let (cause, origin) = (self.cause, self.origin(Direction::Outbound));
        self.send(now, plugin, process, Outgoing { frame, lane, head, trace, cause, origin });
    }

    /// Who made what goes this way now, and how; nobody where it is the plugin's or the host's own.
    pub(super) fn origin(&self, direction: Direction) -> Option<Arc<FrameOrigin>> {
        self.putting.as_ref().filter(|(way, _)| *way == direction).map(|(_, origin)| Arc::clone(origin))
    }

    pub(super) fn emit_frame(
        &mut self,
        now: Now,
        direction: Direction,
        head: Head,
        verdict: Option<Verdict>,
        trace: Option<TraceId>,
        wire: &[u8],
    ) -> Seq {
        let wire_bytes = u32::try_from(wire.len()).unwrap_or(u32::MAX);
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.snapshot.record_frame(direction, &head, verdict, u64::from(wire_bytes));
        let frame = entry::Frame {
            direction,
            peer: Peer::new(head.plugin.as_str()),
            head: entry::Head::Plugin(head),
            verdict: verdict.map_or(entry::Verdict::Sent, entry::Verdict::Plugin),
            wire_bytes,
            redaction: Redaction::None,
            origin: self.origin(direction),
        };
        let cause = self.cause;
        let what = What::Frame(frame);
        state.last_seq =
            self.tap.emit(Draft { at: now, link: Link::Plugin, trace, cause, what, bytes: wire });
        state.last_seq
    }

    pub(super) fn emit(&mut self, now: Now, transition: Transition, text: &str, trace: Option<TraceId>) {
        // Masked whole, then cut: no half of a secret is kept.
        let masked = self.tap.text_without_tokens(text);
        let returned_by = match (&masked, &transition) {
            (Cow::Owned(_), Transition::ActionBegun { .. }) | (Cow::Borrowed(_), _) => None,
            (Cow::Owned(_), by_plugin) => by_plugin.plugin().cloned(),
        };
        self.emit_cut(now, transition, words::cut(&masked, self.limits.shown_text_bytes_max), trace);
        if let Some(plugin) = returned_by {
            self.emit_returned(now, plugin);
        }
    }

    /// A plugin brought a credential back where it can be seen: it was masked.
    fn emit_returned(&mut self, now: Now, plugin: PluginId) {
        self.emit_cut(now, Transition::Linted { plugin, lint: Lint::TokenReturned }, "", None);
    }

    fn emit_cut(&mut self, now: Now, transition: Transition, text: &str, trace: Option<TraceId>) {
        let mut what = What::Transition(entry::Transition::Plugin(transition));
        self.tap.mask_secrets(&mut what);
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let What::Transition(entry::Transition::Plugin(transition)) = &what {
            state.snapshot.follow(transition, trace, now, text, &self.limits);
        }
        let (cause, bytes) = (self.cause, text.as_bytes());
        state.last_seq = self.tap.emit(Draft { at: now, link: Link::Plugin, trace, cause, what, bytes });
    }

    /// Frames of a process that is gone, which it did not take.
    pub(super) fn on_unsent(&self, (frames, bytes): (u64, u64)) {
        if frames > 0 {
            let what = What::Unsent { frames, bytes };
            let draft = Draft {
                at: self.clock.now(),
                link: Link::Plugin,
                trace: None,
                cause: None,
                what,
                bytes: &[],
            };
            let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.last_seq = self.tap.emit(draft);
        }
    }

    fn spawn(&mut self, plugin: &PluginId, number: u64) {
        let child = Rc::new(Child::default());
        self.children.insert(plugin.clone(), (number, Rc::clone(&child)));
        let launched = self.launch(plugin).and_then(|launch| {
            let fault = |error: SpawnError| SpawnFault { is_entry: false, why: error.to_string() };
            Process::spawn(&launch).map_err(fault)
        });
        let Some(host) = self.own.upgrade() else { return };
        let tasks = Tasks { host, child, plugin: plugin.clone(), number };
        match launched {
            Ok(process) => {
                let pid = process.guard.pid();
                self.guards.insert(plugin, pid);
                tokio::task::spawn_local(async move {
                    tasks.spawned(pid);
                    tasks.serve(process).await;
                });
            }
            Err(fault) => {
                tokio::task::spawn_local(async move { tasks.not_spawned(fault) });
            }
        }
    }

    fn launch(&self, plugin: &PluginId) -> Result<Launch, SpawnFault> {
        let fault = |why: String| SpawnFault { is_entry: false, why };
        let run = self.core.launch(plugin).ok_or_else(|| fault("it is not installed".to_owned()))?;
        self.files.make_folders(plugin).map_err(|error| fault(error.to_string()))?;
        let (folder, argv) = self.files.command_line(plugin, &run)?;
        let Starting { program, env, nice } = &self.starting;
        Ok(Launch { program: program.clone(), folder, argv, env: env.clone(), nice: *nice })
    }

    fn kill(&self, plugin: &PluginId, process: u64) {
        if let Some((_, child)) = self.children.get(plugin).filter(|(number, _)| *number == process) {
            child.kill.notify_one();
        }
    }

    fn fetch(&self, ticket: Ticket, kind: &Arc<str>) {
        let done = self.done.clone();
        let Some(source) = self.sources.get(kind).cloned() else { return };
        let limits = self.limits;
        tokio::task::spawn_local(async move {
            let result: Fetched = source.fetch(&limits).await.map_err(|error| error.to_string());
            let _ = done.send(Done::Input(Input::Fetched { ticket, result })).await;
        });
    }

    /// An answer without secrets.
    pub(super) fn without_secrets<T: Serialize + DeserializeOwned>(&self, answer: T) -> T {
        if !self.tap.knows_secrets() {
            return answer;
        }
        let json = serde_json::to_string(&answer).unwrap_or_default();
        serde_json::from_str(&self.tap.json_without_tokens(json)).unwrap_or(answer)
    }

    pub(super) fn reply(&mut self, request: RequestId, result: Result<Outcome, Refusal>) {
        if let Some(answer) = self.replies.remove(&request.0) {
            let _ = answer.send(self.without_secrets(result));
        }
    }

    /// Writes a line to a plugin's log, and says so, if it was not one too many.
    pub(super) fn log(&mut self, plugin: &PluginId, level: Level, source: LogSource, text: &str) {
        self.log_line(plugin, level, source, Line { text: text.to_owned(), cut_bytes: 0 });
    }

    fn log_line(&mut self, plugin: &PluginId, level: Level, source: LogSource, mut line: Line) {
        let now = self.clock.now();
        let mut is_returned = false;
        // A line that is counted and dropped needs no look.
        if source == LogSource::Host || !self.logs.is_full(plugin, now) {
            is_returned = self.mask_and_cut(&mut line);
        }
        if self.logs.write(plugin, now, level, source, &line) {
            let transition = Transition::Logged { plugin: plugin.clone(), level, source };
            self.emit(now, transition, &line.text, None);
            if is_returned {
                self.emit_returned(now, plugin.clone());
            }
        }
    }

    /// Masks a line whole, then cuts it. Whether there was a secret in it.
    fn mask_and_cut(&self, line: &mut Line) -> bool {
        let masked = self.tap.text_without_tokens(&line.text);
        let kept = words::cut(&masked, self.limits.log_line_bytes_max);
        let cut_bytes = line.cut_bytes + (masked.len() - kept.len()) as u64;
        let is_masked = matches!(masked, Cow::Owned(_));
        *line = Line { text: kept.to_owned(), cut_bytes };
        is_masked
    }

    /// Takes what a plugin wrote to its stderr.
    pub(super) fn stderr(&mut self, plugin: &PluginId, bytes: &[u8]) {
        let now = self.clock.now();
        for line in self.logs.lines(plugin, now, bytes) {
            self.log_line(plugin, Level::Info, LogSource::Stderr, line);
        }
    }

    /// The last line of stderr has no end.
    pub(super) fn stderr_ended(&mut self, plugin: &PluginId) {
        if let Some(line) = self.logs.last_line(plugin) {
            self.log_line(plugin, Level::Info, LogSource::Stderr, line);
        }
    }
}
