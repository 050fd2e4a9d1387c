//! What processes do, well or badly, and what the host and the store do for them.

use rl_console::{
    ids::PluginId,
    plugin::{
        Credential, ExitStatus, Transition,
        supervisor::{Input, ProcessInput, Record},
    },
};

use super::{
    process::Process,
    says::Owed,
    world::{FileWork, World},
};

pub(super) const TOKEN: &str = "oauth-token-of-the-operator-0123456789";

const STATUSES: [ExitStatus; 5] = [
    ExitStatus::Code(0),
    ExitStatus::Code(1),
    ExitStatus::Code(-3),
    ExitStatus::Signal(11),
    ExitStatus::Unknown,
];

impl World {
    /// All processes that are well do what they should.
    pub(super) fn behave(&mut self) {
        for id in self.processes.keys().cloned().collect::<Vec<_>>() {
            self.behave_one(&id);
        }
    }

    fn behave_one(&mut self, id: &PluginId) {
        let process = &self.processes[id];
        if process.is_killed {
            match (self.rng.bool(), process.has_guard || self.rng.bool()) {
                (true, _) => {}
                (false, true) => self.exits(id, ExitStatus::Signal(9)),
                (false, false) => {
                    let is_entry = self.rng.bool();
                    self.spawn_failed(id, is_entry);
                }
            }
            return;
        }
        if !process.has_guard {
            return self.begin_process(id);
        }
        if !process.is_good {
            return self.behave_badly(id);
        }
        self.take_all(id);
        self.introduce(id);
        while let Some(number) = self.next_to_answer(id) {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{number},"result":null}}"#);
            if self.say(id, body.as_bytes(), &Owed::Nothing).is_none() {
                break;
            }
            let process = self.processes.get_mut(id).unwrap();
            process.pings.retain(|it| *it != number);
            process.shutdown = process.shutdown.filter(|it| *it != number);
        }
        self.take_all(id);
        if self.processes[id].is_exiting {
            let code = i32::from(self.rng.u8(..6) == 0);
            self.exits(id, ExitStatus::Code(code));
        }
    }

    /// It reads mostly, and answers `initialize` somehow, but nothing else.
    fn behave_badly(&mut self, id: &PluginId) {
        if self.processes[id].is_reading {
            self.take_all(id);
        }
        if self.rng.bool() {
            self.introduce(id);
        }
    }

    fn next_to_answer(&self, id: &PluginId) -> Option<u64> {
        let process = self.processes.get(id).filter(|it| !it.is_mute && !it.is_killed)?;
        process.shutdown.or(process.pings.first().copied()).or(process.actions.first().copied())
    }

    fn begin_process(&mut self, id: &PluginId) {
        match self.rng.u8(..24) {
            0 => self.spawn_failed(id, true),
            1 | 2 => self.spawn_failed(id, false),
            3..6 => {}
            _ if !self.processes[id].is_good && !self.processes[id].is_reading => {}
            _ => {
                self.processes.get_mut(id).unwrap().has_guard = true;
                self.process(id, ProcessInput::Spawned { pid: 42 });
            }
        }
    }

    pub(super) fn take_all(&mut self, id: &PluginId) {
        self.take(id, usize::MAX);
    }

    fn take(&mut self, id: &PluginId, bytes: usize) {
        let process = self.processes.get_mut(id).unwrap();
        if process.is_killed {
            return;
        }
        for (lane, taken) in process.take(bytes) {
            let (messages, bytes) = (taken.messages, taken.bytes);
            self.process(id, ProcessInput::Taken { lane, messages, bytes });
        }
    }

    /// Something that a process may do at any moment.
    pub(super) fn misdeed(&mut self, id: &PluginId) {
        let Some(process) = self.processes.get(id) else { return };
        let Process { has_guard, is_killed, .. } = *process;
        match self.rng.u8(..40) {
            0..11 => self.say_call(id),
            11 => (0..4).for_each(|_| self.notify(id)),
            12..16 => self.ask_credential(id),
            16..18 => self.say_garbage(id),
            18..23 => self.answer_anything(id),
            23 if self.rng.bool() => self.break_stream(id),
            24 if has_guard && self.rng.u8(..3) == 0 => {
                let status = STATUSES[self.rng.usize(..STATUSES.len())];
                self.count("died");
                self.exits(id, status);
            }
            25 if has_guard && self.rng.u8(..3) == 0 => self.close_stdout(id),
            26..30 if self.rng.u8(..4) == 0 => {
                let bytes = self.rng.usize(1..400);
                self.take(id, bytes);
            }
            30 if self.rng.u8(..4) == 0 => self.take_all(id),
            31 if has_guard && !is_killed => {
                let (memory_bytes, cpu_permille) = (self.rng.u64(..1 << 30), self.rng.u32(..1_000));
                self.process(id, ProcessInput::Sampled { memory_bytes, cpu_permille });
            }
            32 => self.flood(id),
            33 => {
                let process = self.processes.get_mut(id).unwrap();
                process.is_good = !process.is_good;
            }
            34..37 => self.introduce(id),
            37 => self.of_before(id),
            38 if self.rng.u8(..4) == 0 => self.allow_too_late(id),
            _ => {}
        }
    }

    fn answer_anything(&mut self, id: &PluginId) {
        let process = &self.processes[id];
        let open = process.pings.iter().chain(&process.actions).chain(&process.late).copied();
        let mut numbers: Vec<_> = open.chain(process.shutdown).collect();
        numbers.push(999);
        let number = numbers[self.rng.usize(..numbers.len())];
        self.say_answer(id, number);
    }

    fn close_stdout(&mut self, id: &PluginId) {
        self.processes.get_mut(id).unwrap().is_mute = true;
        self.process(id, ProcessInput::StdoutClosed);
    }

    fn flood(&mut self, id: &PluginId) {
        let body = br#"{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"flood"}}"#;
        for _ in 0..130 {
            if self.say(id, body, &Owed::Nothing).is_none() {
                break;
            }
        }
    }

    /// What is said of an earlier process is passed over.
    fn of_before(&mut self, id: &PluginId) {
        let number = self.processes[id].number;
        if number > 1 {
            let what = ProcessInput::Exited(ExitStatus::Code(1));
            self.input(Input::Process { plugin: id.clone(), process: number - 1, what });
            assert!(self.moved.is_empty(), "{:?}", self.moved);
        }
    }

    /// A credential comes, or does not.
    pub(super) fn fetched(&mut self, index: usize) {
        let ticket = self.fetches.swap_remove(index);
        let result = if self.rng.u8(..3) > 0 {
            Ok(Credential {
                token: TOKEN.to_owned(),
                client_id: None,
                user_id: Some("7".to_owned()),
                device_id: None,
                expires_at: None,
            })
        } else {
            Err("the command failed".to_owned())
        };
        self.input(Input::Fetched { ticket, result });
    }

    /// The oldest record is durable, or it is not: of an audit alone, since the rest is held against what the
    /// store has.
    pub(super) fn committed(&mut self) {
        let Some((ticket, record)) = self.records.pop_front() else { return };
        if matches!(record, Record::Audit { .. }) && self.rng.u8(..5) == 0 {
            self.input(Input::CommitFailed { ticket, error: "disk full".to_owned() });
            return;
        }
        self.store.keep(record);
        self.input(Input::Committed { ticket });
        let handed = self.moved.iter().any(|it| matches!(it, Transition::Handed { .. }));
        if handed {
            self.count("token");
        }
    }

    pub(super) fn files_done(&mut self, id: &PluginId) {
        let Some(work) = self.files.remove(id) else { return };
        let is_done = self.rng.u8(..6) > 0;
        let is_served = self.served.contains(id);
        if let Some(rule) = self.rules.get_mut(id) {
            rule.is_wanted = true;
            match (work, is_done, is_served) {
                (FileWork::Placing, true, true) => rule.aside = Some(Vec::new()),
                (FileWork::Placing, true, false) => rule.exits.clear(),
                (FileWork::Deleting, false, _) => rule.is_wanted = false,
                _ => {}
            }
        }
        let result = if is_done { Ok(()) } else { Err("disk full".to_owned()) };
        self.input(Input::FilesDone { plugin: id.clone(), result });
        if !self.core_knows(id) {
            self.rules.remove(id);
            self.served.remove(id);
        }
    }
}
