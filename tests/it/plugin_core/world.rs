//! The host in a bottle: what the core puts out is done and checked.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use rl_console::{
    ids::{PluginId, RequestId, Ticket},
    limits,
    plugin::{
        Code, Head, Refusal, Stand, Transition, Verdict,
        framing::Frame,
        session::Lane,
        snapshot::State,
        supervisor::{
            Cause, Input, Installation, Output, ProcessInput, Record, Settings, Source, Supervisor,
        },
    },
    time::{Mono, Now},
};

use super::{
    judged::{Handled, agrees},
    process::{Process, members, text},
    rule::Rule,
    store::{Store, manifest},
    tapped::Tapped,
};

pub(super) struct World {
    pub(super) core: Supervisor,
    pub(super) now: Now,
    pub(super) rng: fastrand::Rng,
    pub(super) limits: limits::Plugin,
    pub(super) tapped: Tapped,
    pub(super) store: Store,
    pub(super) processes: BTreeMap<PluginId, Process>,
    pub(super) rules: BTreeMap<PluginId, Rule>,
    /// Plugins that are served from a folder.
    pub(super) served: BTreeSet<PluginId>,
    /// Plugins whose files are put into place, or deleted.
    pub(super) files: BTreeMap<PluginId, FileWork>,
    pub(super) fetches: Vec<Ticket>,
    pub(super) records: VecDeque<(Ticket, Record)>,
    /// Commands that have no answer yet.
    pub(super) unanswered: BTreeSet<u64>,
    /// All events that plugins may be sent, in order: the event, and what tells it from others.
    pub(super) happened: Vec<(&'static str, String)>,
    /// What changed by the last input.
    pub(super) moved: Vec<Transition>,
    pub(super) is_stopping: bool,
    pub(super) tally: BTreeMap<String, u64>,
    requests: u64,
    verdicts: Vec<Verdict>,
    /// What was sent since the last frame of a plugin.
    sent: Vec<(PluginId, Bytes)>,
    /// Outputs of the last input, before and behind what was made of the frame.
    has_output: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileWork {
    Placing,
    Deleting,
}

/// Small bounds, so that they are met.
fn limits() -> limits::Plugin {
    limits::Plugin {
        starting_max: 2,
        queue_messages_max: 16,
        queue_bytes_max: 65_536,
        queued_bytes_max: 100_000,
        answer_messages_max: 16,
        answer_bytes_max: 65_536,
        frames_per_s_max: 100,
        calls_max: 4,
        actions_max: 4,
        shown_lines_max: 16,
        shown_names_max: 8,
        shown_text_bytes_max: 64,
        ..limits::Plugin::default()
    }
}

fn settings(limits: limits::Plugin) -> Settings {
    Settings {
        limits,
        host_version: "7.8.6".to_owned(),
        folder: "/data/plugins".to_owned(),
        sources: [Arc::from("twitch.android")].into(),
    }
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let (limits, now) = (limits(), Now::at_ms(1_000_000));
        Self {
            core: Supervisor::new(now, settings(limits), Vec::new(), Vec::new()),
            now,
            rng: fastrand::Rng::with_seed(seed),
            limits,
            tapped: Tapped::new(limits),
            store: Store::default(),
            processes: BTreeMap::new(),
            rules: BTreeMap::new(),
            served: BTreeSet::new(),
            files: BTreeMap::new(),
            fetches: Vec::new(),
            records: VecDeque::new(),
            unanswered: BTreeSet::new(),
            happened: Vec::new(),
            moved: Vec::new(),
            is_stopping: false,
            tally: BTreeMap::new(),
            requests: 0,
            verdicts: Vec::new(),
            sent: Vec::new(),
            has_output: false,
        }
    }

    pub(super) fn count(&mut self, what: impl Into<String>) {
        *self.tally.entry(what.into()).or_default() += 1;
    }

    /// A station starts with what the store has; what ran is gone with the last one.
    pub(super) fn start_station(&mut self) {
        self.tapped.check();
        self.processes.clear();
        self.files.clear();
        self.fetches.clear();
        self.records.clear();
        self.unanswered.clear();
        self.served.clear();
        self.is_stopping = false;
        let rows = &self.store.rows;
        self.rules = rows
            .iter()
            .map(|(id, row)| {
                let exits = row.exits.iter().map(|wall| Now { mono: Mono(0), wall: *wall }).collect();
                (id.clone(), Rule { exits, is_wanted: true, ..Rule::default() })
            })
            .collect();
        let kept = rows.iter().map(|(id, row)| self.store.kept(id, row)).collect();
        self.core = Supervisor::new(self.now, settings(self.limits), kept, self.store.stream());
        self.drain(&[]);
        self.core.start_all(self.now);
        self.drain(&[]);
    }

    pub(super) fn cause(&mut self) -> Cause {
        self.requests += 1;
        self.unanswered.insert(self.requests);
        let trace = self.rng.bool().then(|| {
            let text = format!("0191d3c2-7a41-7f00-8000-{:012x}", self.requests);
            text.parse().unwrap()
        });
        Cause { request: RequestId(self.requests), trace, by: None }
    }

    /// Installs or serves.
    pub(super) fn install(&mut self, toml: &str, is_served: bool, grant: Option<Vec<String>>) {
        let manifest = manifest(toml);
        let id = manifest.id.clone();
        let source = if is_served { Source::Folder("/src/here".into()) } else { Source::Package };
        let cause = self.cause();
        self.begin_input();
        let request = cause.request.0;
        let installation = Installation {
            manifest,
            text: Arc::from(toml),
            folder: "/src/installed".into(),
            source,
            command: None,
            grant,
        };
        if let Err(refusal) = self.core.install(self.now, cause, installation) {
            assert!(matches!(refusal, Refusal::TooMany { .. } | Refusal::Invalid(_)), "{refusal}");
            self.unanswered.remove(&request);
            return self.drain(&[]);
        }
        self.mark_by_hand(&id);
        let rule = self.rules.entry(id.clone()).or_default();
        (rule.due, rule.is_wanted) = (None, true);
        if is_served {
            let exits = std::mem::take(&mut rule.exits);
            if self.served.insert(id) {
                rule.aside = Some(exits);
            }
        }
        self.drain(&[]);
    }

    /// The process of a plugin ends by hand, whatever it does.
    pub(super) fn mark_by_hand(&mut self, id: &PluginId) {
        if let Some(process) = self.processes.get_mut(id) {
            process.by_hand = true;
        }
    }

    pub(super) fn begin_input(&mut self) {
        self.moved.clear();
        self.verdicts.clear();
        self.has_output = false;
        self.tapped.begin();
    }

    pub(super) fn input(&mut self, input: Input) {
        self.begin_input();
        self.core.handle(self.now, input);
        self.drain(&[]);
    }

    pub(super) fn process(&mut self, id: &PluginId, what: ProcessInput) {
        let process = self.processes[id].number;
        self.input(Input::Process { plugin: id.clone(), process, what });
    }

    /// A frame is handed in: `judge` says before what `handle` makes of it.
    pub(super) fn frame(&mut self, id: &PluginId, frame: Frame) -> Verdict {
        let wire = frame.wire().clone();
        let judged = self.core.judge(self.now, &Stand::From(id.clone()), &wire);
        self.begin_input();
        let process = self.processes[id].number;
        let was_killed = self.processes[id].is_killed;
        self.sent.clear();
        let what = ProcessInput::Frame(frame);
        self.core.handle(self.now, Input::Process { plugin: id.clone(), process, what });
        self.drain(&wire);
        let [verdict] = self.verdicts[..] else { panic!("{:?}", self.verdicts) };
        let handled = Handled {
            verdict,
            wire: &wire,
            sent: self.sent.iter().filter(|(to, _)| to == id).map(|(_, it)| it).collect(),
            is_killed: (was_killed, self.processes[id].is_killed),
        };
        agrees(judged, &handled);
        let name = match verdict {
            Verdict::Accepted => "accepted".to_owned(),
            Verdict::Answered => "answered".to_owned(),
            Verdict::Refused(code) => code.name().to_owned(),
            Verdict::Ignored(lint) => lint.name().to_owned(),
            Verdict::Broken(violation) => violation.name().to_owned(),
        };
        self.count(name);
        verdict
    }

    /// Does what the core asks for.
    pub(super) fn drain(&mut self, wire: &[u8]) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Received { head, verdict, .. } => {
                    assert!(!self.has_output, "before all that it causes");
                    self.verdicts.push(verdict);
                    self.tapped.frame(self.now, head, Some(verdict), wire);
                }
                Output::Transmit { plugin, process, frame, lane, head, .. } => {
                    self.transmit(&plugin, process, frame, lane, head);
                }
                Output::Transition { transition, text, trace } => {
                    self.count(transition.name());
                    self.on_transition(&transition);
                    self.tapped.transition(self.now, transition.clone(), &text, trace);
                    self.moved.push(transition);
                }
                Output::Spawn { plugin, process } => self.spawn(plugin, process),
                Output::Kill { plugin, process } => {
                    let it = self.processes.get_mut(&plugin).expect("a process to kill");
                    assert!(it.number == process && !it.is_killed, "killed once");
                    it.is_killed = true;
                }
                Output::Place { plugin } => self.begin_files(plugin, FileWork::Placing),
                Output::Delete { plugin, .. } => self.begin_files(plugin, FileWork::Deleting),
                Output::Fetch { ticket, .. } => self.fetches.push(ticket),
                Output::Mask { credential } => self.tapped.tap.mask_secret(&credential.token),
                Output::Persist { ticket, record } => self.records.push_back((ticket, record)),
                Output::Log { plugin, level, source, text } => {
                    let line = Transition::Logged { plugin, level, source };
                    self.tapped.transition(self.now, line, &text, None);
                }
                Output::Reply { request, .. } => {
                    assert!(self.unanswered.remove(&request.0), "{request:?} is answered once");
                }
            }
            self.has_output = true;
        }
        self.tapped.read();
        self.check();
    }

    fn begin_files(&mut self, plugin: PluginId, work: FileWork) {
        assert!(!self.processes.contains_key(&plugin), "nothing of it runs");
        assert_eq!(self.files.insert(plugin, work), None, "once");
    }

    fn on_transition(&mut self, transition: &Transition) {
        match transition {
            Transition::Stopping { plugin } => {
                let process = self.processes.get_mut(plugin).expect("what is stopped runs");
                (process.is_stopping, process.by_hand) = (true, true);
            }
            Transition::Unhealthy { plugin, cause } => {
                let stopping = self.processes.get(plugin).is_some_and(|process| process.is_stopping);
                assert!(!stopping, "one that is asked to end is not blamed");
                let rule = self.rules.get_mut(plugin).expect("a plugin that is known");
                assert!(!std::mem::replace(&mut rule.is_blamed, true), "one process is blamed once");
                self.count(cause.name());
            }
            Transition::Disabled { plugin, cause } => {
                assert!(!self.processes.contains_key(plugin), "disabled when its process is gone");
                self.count(cause.name());
            }
            Transition::ActionEnded { plugin, call, .. } => {
                if let Some(process) = self.processes.get_mut(plugin) {
                    process.actions.retain(|it| it != call);
                    process.late.push(*call);
                }
            }
            Transition::Handed { plugin, .. } => {
                assert!(self.processes.get(plugin).is_some_and(|it| !it.is_killed), "handed to nobody");
            }
            Transition::Linted { lint, .. } => self.count(lint.name()),
            Transition::Decided { decision, .. } => self.count(decision.name()),
            _ => {}
        }
    }

    fn spawn(&mut self, plugin: PluginId, number: u64) {
        assert!(!self.is_stopping, "nothing is started while the station stops");
        assert!(!self.files.contains_key(&plugin), "not while its files are at work");
        assert!(self.starting() < self.limits.starting_max);
        let rule = self.rules.get_mut(&plugin).expect("a plugin that is known");
        match rule.due.take() {
            Some(due) => assert!(due <= self.now.mono, "{plugin} before its time"),
            None => assert!(rule.is_wanted, "{plugin} is started, and nobody wants it"),
        }
        (rule.is_wanted, rule.is_blamed) = (false, false);
        let (is_good, is_reading) = (self.rng.u8(..5) > 0, self.rng.bool());
        let process = Process::new(plugin.clone(), number, is_good, is_reading);
        let before = self.processes.insert(plugin, process);
        assert!(before.is_none(), "never two processes of one plugin");
    }

    pub(super) fn starting(&self) -> u64 {
        self.processes.values().filter(|process| process.is_starting()).count() as u64
    }

    pub(super) fn queued_bytes(&self) -> u64 {
        self.processes.values().map(|process| process.events.bytes + process.answers.bytes).sum()
    }

    fn transmit(&mut self, plugin: &PluginId, number: u64, frame: Bytes, lane: Lane, head: Head) {
        if let Some(code) = head.code.and_then(Code::of_number) {
            self.count(code.name());
        }
        self.tapped.frame(self.now, head, None, &frame);
        self.sent.push((plugin.clone(), frame.clone()));
        let fits = self.queued_bytes() + frame.len() as u64 <= self.limits.queued_bytes_max;
        assert!(lane == Lane::Answer || fits, "what waits for all is bounded");
        let limits = self.limits;
        let process = self.processes.get_mut(plugin).expect("who is written to is there");
        assert_eq!(process.number, number);
        if lane == Lane::Event {
            let members = members(&frame);
            let (event, params) = (text(&members["method"]), members["params"].get().to_owned());
            let from = process.last_event.map_or(0, |last| last + 1);
            let at =
                self.happened[from..].iter().position(|(name, key)| *name == event && params.contains(key));
            let at = at.unwrap_or_else(|| panic!("{event} {params} to {plugin} is out of order"));
            process.last_event = Some(from + at);
            *self.tally.entry(event).or_default() += 1;
        }
        process.on_frame(frame, lane, &limits);
    }

    /// What holds after each step.
    fn check(&self) {
        let running: Vec<_> = self.core.running().map(|(id, number)| (id.clone(), number)).collect();
        let seen = self.processes.values().map(|it| (it.plugin.clone(), it.number));
        assert_eq!(running, seen.collect::<Vec<_>>(), "what the core takes to run is what runs");
        for (id, view) in &self.tapped.live.plugins {
            let process = self.processes.get(id);
            match &view.state {
                State::Starting | State::Up(_) | State::Stopping => {
                    let process = process.unwrap_or_else(|| panic!("{id} is shown as {:?}", view.state));
                    assert_eq!(matches!(view.state, State::Stopping), process.is_stopping, "{id}");
                    let is_up = matches!(view.state, State::Up(_));
                    assert!(!is_up || process.is_introduced, "{id}");
                    assert_eq!(view.process, process.number);
                }
                other => assert!(process.is_none(), "{id} is shown as {other:?}"),
            }
            assert_eq!(view.actions.len(), process.map_or(0, |it| it.actions.len()), "{id}: actions");
            assert!(view.actions.len() as u64 <= self.limits.actions_max);
        }
        assert!(self.fetches.len() as u64 <= self.limits.calls_max * 64);
    }

    /// What is shown is what the core has.
    pub(super) fn check_shown(&self) {
        for (id, view) in &self.tapped.live.plugins {
            let detail = self.core.detail(id).unwrap_or_else(|| panic!("{id} is shown, and is gone"));
            assert!(detail.status.keys().eq(view.slots.keys().map(|slot| &**slot)), "{id}: status");
            assert_eq!(detail.panel.is_some(), view.panel.is_some(), "{id}: panel");
            let row = self.store.rows.iter().find(|(of, _)| of == id).map(|(_, row)| row);
            let is_stored = self.records.is_empty() && self.core.unsaved().is_none();
            let is_settled = is_stored && !self.processes.contains_key(id);
            let is_kept = !self.served.contains(id) && !self.files.contains_key(id);
            if let Some(row) = row.filter(|_| is_settled && is_kept) {
                assert_eq!(view.disabled().is_some(), row.disabled.is_some(), "{id}: disabled");
            }
        }
        let stream = self.core.stream_detail();
        let shown = &self.tapped.live.stream;
        assert_eq!(stream.channel.as_ref().map(|it| &*it.login), shown.channel.as_deref());
        let upstreams = shown.sessions.iter().map(|(id, it)| (id.to_string(), it.upstream.as_deref()));
        let declared = stream.sessions.iter().map(|(id, url)| (id.clone(), url.as_deref()));
        assert_eq!(upstreams.collect::<Vec<_>>(), declared.collect::<Vec<_>>(), "the sessions, `solo` too");
    }
}
