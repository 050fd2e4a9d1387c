//! A station of its own: started in a folder to throw away, watched, ended.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr as _, ensure, eyre};
use rl_console_benches::{
    console,
    paired::Files,
    server::{Server, Tree, run_to_end},
};
use serde::Serialize;
use serde_json::Value;

use crate::{attack::Targets, neighbours::Neighbours};

/// What an operator's command may take before it is given up.
const COMMAND_MAX: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LS_EVERY: Duration = Duration::from_secs(1);

/// A station that runs.
pub(crate) struct Station {
    server: Server,
    pub(crate) files: Files,
    pub(crate) targets: Targets,
    pub(crate) ready_after: Duration,
}

/// What was seen of a station in a time.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Seen {
    /// Share of a core.
    pub(crate) cpu_percent: f64,
    pub(crate) resident_max_mib: f64,
    pub(crate) ls_max_ms: f64,
    pub(crate) ls_failed: u64,
    /// Components that the last `ls health` did not call well: each with what it said.
    pub(crate) health: Vec<String>,
}

impl Station {
    /// Starts the station of these files, with so many open files.
    ///
    /// # Errors
    /// It does not come up.
    pub(crate) fn serve(files: Files, descriptors: u64) -> Result<Self> {
        let mut serve = files.command();
        serve.args(["--metrics", "0"]);
        let mut limited = limited(&serve, descriptors);
        let from = Instant::now();
        let (server, ready) = console::serve(&mut limited, &files.folder.join("station.log"))?;
        let ready_after = from.elapsed();
        let port =
            |name: &str| ready[name].as_str().map(str::to_owned).ok_or_else(|| eyre!("no {name} in {ready}"));
        let targets = Targets {
            mpp: port("mpp")?.parse()?,
            rmp: port("rmp")?.into(),
            macp: port("macp")?.parse()?,
            metrics: port("metrics")?.parse()?,
            folder: files.folder.clone(),
        };
        Ok(Self { server, files, targets, ready_after })
    }

    /// Connects the clients that keep to their protocols.
    ///
    /// # Errors
    /// One is not taken.
    pub(crate) fn neighbours(&self) -> Result<Neighbours> {
        Neighbours::connect(&self.files, self.targets.mpp, &self.targets.rmp, self.targets.macp)
    }

    pub(crate) fn tree(&self) -> Tree {
        self.server.tree()
    }

    /// Resident memory, MiB.
    ///
    /// # Errors
    /// The station is gone.
    #[expect(clippy::cast_precision_loss, reason = "kibibytes of a process stay far below 2^52")]
    pub(crate) fn resident_mib(&self) -> Result<f64> {
        let kib = self.server.tree().resident_kib().ok_or_else(|| eyre!("the station is gone"))?;
        Ok(kib as f64 / 1024.0)
    }

    /// The share of a core, in percent, that it takes in a time.
    pub(crate) fn cpu_percent(&self, time: Duration) -> f64 {
        let (from, before) = (Instant::now(), self.server.tree().cpu());
        thread::sleep(time);
        percent(self.server.tree().cpu().saturating_sub(before), from.elapsed())
    }

    /// Watches it for a time, `ls health` every second.
    ///
    /// # Errors
    /// The station is gone.
    pub(crate) fn watch(&self, time: Duration) -> Result<Seen> {
        let mut seen = Seen::default();
        let (from, before) = (Instant::now(), self.server.tree().cpu());
        let is_over = Arc::new(AtomicBool::new(false));
        let operator = {
            let (is_over, program, folder) =
                (Arc::clone(&is_over), self.files.command(), self.files.folder.clone());
            thread::spawn(move || operate(&program, &folder, &is_over))
        };
        while from.elapsed() < time {
            seen.resident_max_mib = seen.resident_max_mib.max(self.resident_mib().unwrap_or(0.0));
            thread::sleep(LOOK_EVERY);
        }
        seen.cpu_percent = percent(self.server.tree().cpu().saturating_sub(before), from.elapsed());
        is_over.store(true, Ordering::Relaxed);
        let (ls_max, ls_failed, health) =
            operator.join().map_err(|_| eyre!("the operator of the benchmark panicked"))?;
        ensure!(self.resident_mib().is_ok(), "the station is gone: {}", self.server.words());
        seen.ls_max_ms = ls_max.as_secs_f64() * 1e3;
        (seen.ls_failed, seen.health) = (ls_failed, health);
        Ok(seen)
    }

    /// Ends it as an operator does: with `stop`, and where that fails, with `stop --force`; how long each
    /// took.
    ///
    /// # Errors
    /// It does not end in [`COMMAND_MAX`].
    pub(crate) fn stop(mut self) -> Result<(Duration, Option<Duration>)> {
        let from = Instant::now();
        let asked = run_to_end(self.files.command().args(["stop", "--yes"]), Stdio::null(), COMMAND_MAX);
        if asked.is_ok() {
            self.wait_for_end(from)?;
            return Ok((from.elapsed(), None));
        }
        let (took, from) = (from.elapsed(), Instant::now());
        let mut force = self.files.command();
        let forced = run_to_end(force.args(["stop", "--yes", "--force"]), Stdio::null(), COMMAND_MAX);
        self.wait_for_end(from).wrap_err_with(|| format!("{asked:?}, then {forced:?}"))?;
        Ok((took, Some(from.elapsed())))
    }

    fn wait_for_end(&mut self, from: Instant) -> Result<()> {
        while !self.server.has_ended()? {
            ensure!(from.elapsed() < COMMAND_MAX, "it did not end");
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// SIGKILL; its files.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn kill(mut self) -> Result<Files> {
        self.server.kill()?;
        Ok(self.files)
    }

    /// Whether it has said that it panicked.
    pub(crate) fn has_panicked(folder: &Path) -> bool {
        let said = std::fs::read(folder.join("station.log")).unwrap_or_default();
        String::from_utf8_lossy(&said).contains("panicked")
    }
}

fn percent(used: Duration, of: Duration) -> f64 {
    100.0 * used.as_secs_f64() / of.as_secs_f64()
}

/// The command in a shell that has taken the number of open files first.
fn limited(command: &Command, descriptors: u64) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -Sn {descriptors} && exec \"$0\" \"$@\""));
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// `ls health` again and again: the slowest, how many failed, and what the last one said that is not well.
fn operate(program: &Command, folder: &Path, is_over: &AtomicBool) -> (Duration, u64, Vec<String>) {
    let (mut slowest, mut failed, mut health) = (Duration::ZERO, 0, Vec::new());
    while !is_over.load(Ordering::Relaxed) {
        let from = Instant::now();
        let mut command = console::command(Path::new(program.get_program()), folder);
        match run_to_end(command.args(["--json", "ls", "health"]), Stdio::piped(), COMMAND_MAX) {
            Ok(said) => health = said.lines().filter_map(unwell).collect(),
            Err(error) => {
                failed += 1;
                health = vec![format!("ls health: {error}")];
            }
        }
        slowest = slowest.max(from.elapsed());
        while from.elapsed() < LS_EVERY && !is_over.load(Ordering::Relaxed) {
            thread::sleep(LOOK_EVERY);
        }
    }
    (slowest, failed, health)
}

/// What a line of `ls health` says of a component that is not well.
fn unwell(line: &str) -> Option<String> {
    let row: Value = serde_json::from_str(line).ok()?;
    (row["well"] == false).then(|| format!("{}: {}", text(&row["part"]), text(&row["detail"])))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
