//! One attack on a station of its own.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, ensure};
use rl_console_benches::{paired::Files, server::wait_until_quiet};
use serde::Serialize;

use crate::{
    attack::{Attack, Targets},
    neighbours::{self, Figures, ROWS_PER_S},
    station::{Seen, Station},
};

/// How long the neighbours work before the attack.
const CALM: Duration = Duration::from_secs(2);
/// The time over which a share of a core is taken when nothing goes on.
const WINDOW: Duration = Duration::from_secs(1);
/// How long the station has to become as it was.
const RECOVERY_MAX: Duration = Duration::from_secs(10);
/// How long the attack goes on again before the station is stopped.
const STOP_AFTER: Duration = Duration::from_secs(1);

/// What may be missed.
const P99_MAX_MS: f64 = 20.0;
const LS_MAX_MS: f64 = 1_000.0;
const STOP_MAX_MS: f64 = 3_000.0;
const IDLE_CPU_MAX_PERCENT: f64 = 0.5;
const RESIDENT_GROWTH_MAX: f64 = 1.2;

/// What an attack came to.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) attack: &'static str,
    pub(crate) about: &'static str,
    pub(crate) seed: u64,
    pub(crate) attack_s: f64,
    /// Connections, frames, messages and files.
    pub(crate) inputs: u64,
    pub(crate) calm: Vec<Figures>,
    pub(crate) neighbours: Vec<Figures>,
    /// Rows of the adapter that are neither pending nor were dispatched.
    pub(crate) rows_lost: i64,
    pub(crate) before: Rest,
    pub(crate) during: Seen,
    pub(crate) after: Rest,
    pub(crate) stop_ms: f64,
    /// `stop --force`, where `stop` failed.
    pub(crate) force_ms: Option<f64>,
    pub(crate) has_panicked: bool,
    /// The bounds that it did not hold.
    pub(crate) missed: Vec<String>,
}

/// A station to which nothing is sent.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Rest {
    pub(crate) cpu_percent: f64,
    pub(crate) resident_mib: f64,
}

impl Rest {
    fn of(station: &Station) -> Result<Self> {
        let cpu_percent = station.cpu_percent(WINDOW);
        Ok(Self { cpu_percent, resident_mib: station.resident_mib()? })
    }

    fn is_as(self, before: Self) -> bool {
        self.cpu_percent <= IDLE_CPU_MAX_PERCENT
            && self.resident_mib <= before.resident_mib * RESIDENT_GROWTH_MAX
    }
}

/// Makes an attack for a time, and takes what the neighbours, the operator and the system saw.
///
/// # Errors
/// The station does not come up, is gone, or is not ended by `stop`.
pub(crate) fn make(
    attack: &'static Attack,
    program: &Path,
    folder: &Path,
    (time, seed, descriptors): (Duration, u64, u64),
) -> Result<Row> {
    let station = Station::serve(Files::create(program, &folder.join(attack.name))?, descriptors)?;
    let seconds = usize::try_from((CALM + time + STOP_AFTER).as_secs())? + 60;
    station.files.enqueue(1, seconds * ROWS_PER_S)?;
    let neighbours = station.neighbours()?;
    neighbours.run();
    thread::sleep(CALM);
    let calm = neighbours.pause();
    // What the station keeps of any traffic is no part of what an attack leaves behind.
    neighbours::fill_tap(&station.targets.rmp)?;
    wait_until_quiet(&[station.tree()]);
    let before = Rest::of(&station)?;
    let pending = station.files.pending()?;

    neighbours.run();
    let attackers = Attackers::start(attack, &station.targets, time, seed)?;
    let during = station.watch(time)?;
    let inputs = attackers.end();
    let figures = neighbours.pause();

    let since = Instant::now();
    let mut after = Rest::of(&station)?;
    while !after.is_as(before) && since.elapsed() < RECOVERY_MAX {
        after = Rest::of(&station)?;
    }
    let adapter = figures.iter().find(|it| it.name == "adapter").map_or(0, |it| it.tally.done);
    let rows_lost =
        i64::try_from(pending)? - i64::try_from(station.files.pending()?)? - i64::try_from(adapter)?;

    neighbours.run();
    let attackers = Attackers::start(attack, &station.targets, STOP_AFTER * 20, seed)?;
    thread::sleep(STOP_AFTER);
    let log = station.files.folder.clone();
    let (stop, force) = station.stop()?;
    drop(attackers);
    drop(neighbours);
    let mut row = Row {
        attack: attack.name,
        about: attack.about,
        seed,
        attack_s: time.as_secs_f64(),
        inputs,
        calm,
        neighbours: figures,
        rows_lost,
        before,
        during,
        after,
        stop_ms: stop.as_secs_f64() * 1e3,
        force_ms: force.map(|force| force.as_secs_f64() * 1e3),
        has_panicked: Station::has_panicked(&log),
        missed: Vec::new(),
    };
    row.missed = missed(&row);
    Ok(row)
}

/// The bounds that a row does not hold.
fn missed(row: &Row) -> Vec<String> {
    let mut missed = Vec::new();
    let mut hold = |is_held: bool, what: String| {
        if !is_held {
            missed.push(what);
        }
    };
    for it in &row.neighbours {
        let (name, tally) = (it.name, &it.tally);
        hold(tally.lost == 0, format!("{name}: {} lost", tally.lost));
        hold(tally.not_connected == 0, format!("{name}: not taken {} times", tally.not_connected));
        hold(it.p99_ms <= P99_MAX_MS, format!("{name}: p99 {:.1} ms", it.p99_ms));
    }
    hold(row.rows_lost == 0, format!("{} rows lost", row.rows_lost));
    let (seen, after) = (&row.during, row.after);
    hold(seen.ls_failed == 0, format!("ls failed {} times", seen.ls_failed));
    hold(seen.ls_max_ms <= LS_MAX_MS, format!("ls took {:.0} ms", seen.ls_max_ms));
    if let Some(force_ms) = row.force_ms {
        hold(false, format!("stop failed, and --force took {force_ms:.0} ms"));
    }
    hold(row.stop_ms <= STOP_MAX_MS, format!("stop took {:.0} ms", row.stop_ms));
    hold(after.cpu_percent <= IDLE_CPU_MAX_PERCENT, format!("CPU {:.1} % afterwards", after.cpu_percent));
    hold(
        after.resident_mib <= row.before.resident_mib * RESIDENT_GROWTH_MAX,
        format!("{:.0} MiB afterwards, {:.0} before", after.resident_mib, row.before.resident_mib),
    );
    hold(!row.has_panicked, "it panicked".to_owned());
    missed
}

/// The processes of an attack.
struct Attackers(Vec<Running>);

struct Running {
    child: Child,
    inputs: Arc<AtomicU64>,
    reader: Option<JoinHandle<()>>,
}

impl Attackers {
    fn start(attack: &Attack, targets: &Targets, time: Duration, seed: u64) -> Result<Self> {
        let mut all = Self(Vec::new());
        for number in 0..attack.processes {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["attack", attack.name]).args(targets.args());
            command.args(["--seed", &seed.wrapping_add(number as u64).to_string()]);
            command.args(["--ms", &time.as_millis().to_string()]);
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
            let inputs = Arc::new(AtomicU64::new(0));
            let (out, told) = (child.stdout.take(), Arc::clone(&inputs));
            ensure!(out.is_some(), "no pipe from the attacker");
            let reader = thread::spawn(move || {
                for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok)
                {
                    told.store(line.parse().unwrap_or(0), Ordering::Relaxed);
                }
            });
            all.0.push(Running { child, inputs, reader: Some(reader) });
        }
        Ok(all)
    }

    /// Waits until they have ended, as they do by themselves; what they put in.
    fn end(mut self) -> u64 {
        self.0.iter_mut().map(Running::end).sum()
    }
}

impl Running {
    fn end(&mut self) -> u64 {
        // Who has ended already is what is wanted.
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        self.inputs.load(Ordering::Relaxed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        self.end();
    }
}
