//! The runs.

use std::collections::BTreeMap;

use rl_console::{
    ids::PluginId,
    plugin::{Code, Decision, DisableCause, Lint, UnhealthyCause, Violation},
};

use super::{deeds::TOKEN, operator::toml, world::World};

/// The plugins that are there, or may be.
fn ids() -> [PluginId; 6] {
    ["a.one", "b.two", "c.three", "d.four", "e.five", "f.six"].map(PluginId::new)
}

impl World {
    /// A world with some plugins installed and started.
    pub(super) fn begun(seed: u64) -> Self {
        let mut world = Self::new(seed);
        world.start_station();
        for id in ids().iter().take(4) {
            world.install(&toml(id, 0), false, None);
            while !world.files.is_empty() {
                world.files_done(id);
            }
        }
        world
    }

    pub(super) fn step(&mut self, step: u64) {
        let all = ids();
        let id = all[self.rng.usize(..all.len())].clone();
        match self.rng.u8(..100) {
            0..25 => self.behave(),
            25..55 => {
                let running: Vec<_> = self.processes.keys().cloned().collect();
                if !running.is_empty() {
                    let id = running[self.rng.usize(..running.len())].clone();
                    self.misdeed(&id);
                }
            }
            55..68 => self.operate(&id, step),
            68..76 => self.declare(step),
            76..82 => {
                if !self.fetches.is_empty() {
                    let index = self.rng.usize(..self.fetches.len());
                    self.fetched(index);
                }
            }
            82..86 => self.store_all(),
            86..88 => self.files_done(&id),
            88..97 => {
                let ms = [1, 50, 999, 1_000, 4_999, 5_000, 30_000, 150_000][self.rng.usize(..8)];
                self.live(ms);
            }
            97 => {
                let ms = self.rng.i64(-900_000..900_000);
                self.jump_wall(ms);
            }
            98 => self.hold_up(),
            _ => self.tapped.keep_moment(),
        }
        self.check_shown();
        if step % 400 == 399 {
            self.end_station();
        }
    }

    /// Lets time pass, in which processes do as they should.
    fn live(&mut self, ms: u64) {
        let mut left = ms;
        while left > 0 {
            self.behave();
            let some = left.min(self.rng.u64(500..4_000));
            self.pass_ms(some);
            left -= some;
        }
    }

    fn store_all(&mut self) {
        while !self.records.is_empty() {
            self.committed();
        }
    }

    /// The station itself is held up: what has arrived is handed in before a deadline is judged.
    fn hold_up(&mut self) {
        let ms = self.rng.u64(1..200_000);
        self.jump_to(self.now.after(std::time::Duration::from_millis(ms)).mono);
        self.behave();
        self.timeout();
        self.pass_ms(0);
    }

    /// The station stops in order, or is gone at once; another one starts.
    fn end_station(&mut self) {
        let is_killed = self.rng.u8(..3) == 0;
        self.count(if is_killed { "station killed" } else { "station stopped" });
        if !is_killed {
            self.stop_station();
        }
        self.start_station();
    }

    pub(super) fn stop_station(&mut self) {
        self.store_all();
        self.begin_input();
        self.is_stopping = true;
        for id in self.processes.keys().cloned().collect::<Vec<_>>() {
            self.mark_by_hand(&id);
        }
        for rule in self.rules.values_mut() {
            (rule.due, rule.is_wanted) = (None, false);
        }
        let at_once = self.rng.u8(..4) == 0;
        if at_once {
            self.core.kill_all(self.now);
        } else {
            self.core.stop_all(self.now);
        }
        self.drain(&[]);
        self.pass_ms(4_999);
        self.behave();
        self.pass_ms(5_001);
        let left = self.processes.values().filter(|it| !it.is_killed).count();
        assert_eq!(left, 0, "all are gone, or killed, after twice five seconds");
        while !self.core.is_idle() {
            self.behave();
            for id in self.files.keys().cloned().collect::<Vec<_>>() {
                self.files_done(&id);
            }
        }
        self.store_all();
        assert!(self.unanswered.is_empty(), "all commands were answered: {:?}", self.unanswered);
    }
}

fn simulate(seed: u64, steps: u64, tally: &mut BTreeMap<String, u64>) {
    let mut world = World::begun(seed);
    let run = std::panic::AssertUnwindSafe(|| {
        for step in 1..=steps {
            world.step(step);
        }
        world.stop_station();
        let entries = &world.tapped.entries;
        let has_token = |bytes: &[u8]| bytes.windows(TOKEN.len()).any(|it| it == TOKEN.as_bytes());
        assert!(!entries.iter().any(|entry| has_token(&entry.bytes)), "the token is in the tap");
        world.tapped.check();
    });
    assert!(std::panic::catch_unwind(run).is_ok(), "PLUGIN_SEED={seed} runs it again");
    for (what, count) in world.tally {
        *tally.entry(what).or_default() += count;
    }
}

#[test]
fn whatever_plugins_do_the_rules_hold_at_every_step() {
    let mut tally = BTreeMap::new();
    match std::env::var("PLUGIN_SEED").map(|seed| seed.parse()) {
        Ok(seed) => return simulate(seed.unwrap(), 1_200, &mut tally),
        Err(_) => (0..20).for_each(|seed| simulate(seed, 1_200, &mut tally)),
    }
    // What is not met is not tested.
    let mut names: Vec<&str> =
        vec!["held", "died", "token", "station killed", "station stopped", "throttled"];
    names.extend(Code::ALL.iter().map(|it| it.name()));
    names.extend(Violation::ALL.iter().map(|it| it.name()));
    names.extend(UnhealthyCause::ALL.iter().map(|it| it.name()));
    names.extend(Decision::ALL.iter().map(|it| it.name()));
    names.extend(DisableCause::ALL.iter().filter(|it| **it != DisableCause::Manifest).map(|it| it.name()));
    let by_host = [Lint::TokenReturned, Lint::StatusTooLong];
    names.extend(Lint::ALL.iter().filter(|it| !by_host.contains(it)).map(|it| it.name()));
    names.extend(super::operator::HOOKS);
    names.extend([
        "events dropped",
        "action ended",
        "credential handed over",
        "missed ping",
        "removed",
        "notice",
    ]);
    let missing: Vec<_> = names.into_iter().filter(|name| !tally.contains_key(*name)).collect();
    assert_eq!(missing, [""; 0], "{tally:?}");
}
