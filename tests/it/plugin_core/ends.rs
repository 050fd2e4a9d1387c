//! How processes end and what follows by the rule, and the time that passes.

use std::time::Duration;

use rl_console::{
    ids::PluginId,
    plugin::{
        DisableCause, ExitStatus, Transition,
        supervisor::{Input, ProcessInput, SpawnFault},
    },
    time::{Mono, Wall},
};

use super::world::World;

impl World {
    pub(super) fn spawn_failed(&mut self, id: &PluginId, is_entry: bool) {
        let fault = SpawnFault { is_entry, why: "no such file".to_owned() };
        let disables = (is_entry && !self.processes[id].by_hand).then_some(DisableCause::EntryNotExecutable);
        self.ends(id, ProcessInput::SpawnFailed(fault), disables);
    }

    pub(super) fn exits(&mut self, id: &PluginId, status: ExitStatus) {
        let process = &self.processes[id];
        let is_other = process.is_other_version && !process.by_hand;
        let disables = is_other.then_some(DisableCause::ProtocolVersion);
        self.ends(id, ProcessInput::Exited(status), disables);
    }

    fn ends(&mut self, id: &PluginId, what: ProcessInput, disables: Option<DisableCause>) {
        let process = self.processes.remove(id).unwrap();
        let is_counted = !process.by_hand && disables.is_none();
        let wait = is_counted.then(|| self.rules.get_mut(id).unwrap().on_exit(self.now));
        let until = wait.and_then(|(wait, _)| wait).filter(|_| !self.is_stopping);
        self.rules.get_mut(id).unwrap().due = until.map(|wait| self.now.mono + wait);
        let number = process.number;
        self.input(Input::Process { plugin: id.clone(), process: number, what });
        let waits = self.moved.iter().find_map(|it| match it {
            Transition::Waiting { plugin, until, nth } if plugin == id => Some((*until, *nth)),
            _ => None,
        });
        let found = self.moved.iter().find_map(|it| match it {
            Transition::Disabled { plugin, cause } if plugin == id => Some(*cause),
            _ => None,
        });
        let nth = wait.map_or(0, |(_, nth)| nth);
        let at = |wait: Duration| (self.now.after(wait).wall, nth);
        assert_eq!(waits, until.map(at), "{id}: {:?}", self.moved);
        let fourth = wait.filter(|(wait, _)| wait.is_none()).map(|_| DisableCause::RestartLimit);
        match (fourth.or(disables), found) {
            (None, None | Some(DisableCause::ByOperator)) => {}
            (None, other) => assert!(process.by_hand, "{id}: {other:?}"),
            (expected, found) => assert_eq!(found, expected, "{id}"),
        }
        if !self.core_knows(id) {
            self.rules.remove(id);
        }
    }

    pub(super) fn core_knows(&self, id: &PluginId) -> bool {
        self.core.detail(id).is_some()
    }
}

impl World {
    /// Lets time pass, with each deadline at its moment.
    pub(super) fn pass_ms(&mut self, ms: u64) {
        let end = self.now.after(Duration::from_millis(ms));
        let mut turns = 0;
        while let Some(due) = self.core.timeout().filter(|due| *due <= end.mono) {
            turns += 1;
            assert!(turns < 10_000, "time stands still");
            self.jump_to(due.max(self.now.mono));
            self.timeout();
        }
        self.jump_to(end.mono);
        for (id, rule) in &self.rules {
            let is_late = rule.due.is_some_and(|due| due <= self.now.mono);
            let others = self.processes.values().filter(|process| !process.is_introduced).count() as u64;
            assert!(!is_late || others >= self.limits.starting_max, "{id} was not started again");
        }
    }

    pub(super) fn jump_to(&mut self, at: Mono) {
        self.now = self.now.after(at.since(self.now.mono));
    }

    /// The wall clock alone jumps.
    pub(super) fn jump_wall(&mut self, ms: i64) {
        self.now.wall = Wall(self.now.wall.0.saturating_add_signed(ms));
    }

    pub(super) fn timeout(&mut self) {
        let seconds = i64::try_from(self.now.wall.0 / 1_000).unwrap();
        let ts = jiff::Timestamp::from_second(seconds).unwrap().to_string();
        self.happened.push(("on_watch_tick", ts));
        self.input(Input::Timeout);
    }
}
