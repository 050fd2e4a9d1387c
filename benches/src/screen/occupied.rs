//! What an operator leaves open while the flood passes: connections of the workbench's own, and frames that
//! the gate holds.

use std::{
    fs,
    io::Write as _,
    ops::Range,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr, bail, ensure};
use rl_console_benches::rmp::{self, CREATED_AT, OBSERVATION, Value, control, frame};

use crate::load;

/// How long it may take until all is as it should be.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a session of the bus waits for an answer.
const ANSWER_MAX: Duration = Duration::from_secs(10);
const TOPIC: &str = "bench/held";
/// Where a frame says how long it is worth delivering, from its first byte; and for how long these are.
const TTL: Range<usize> = CREATED_AT + 8..CREATED_AT + 16;
const HELD_MS: u64 = 600_000;
/// How long frames are held.
const CONFIG: &str = "[limits.gate]\nhold_ms_max = 600_000\n";

/// So much of each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occupancy {
    pub(crate) doors: usize,
    pub(crate) held: usize,
}

impl Occupancy {
    pub(crate) const fn is_none(self) -> bool {
        self.doors == 0 && self.held == 0
    }

    /// What a console is configured with in whose home it is, before it starts.
    pub(crate) fn configure(self, home: &Path) -> Result<()> {
        if self.is_none() {
            return Ok(());
        }
        let folder = home.join(".config/rl-console");
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join("config.toml"), CONFIG)?)
    }
}

/// What is open and held, until it is dropped.
pub(crate) struct Occupied {
    console: PathBuf,
    data: PathBuf,
    occupancy: Occupancy,
    doors: Vec<Child>,
    senders: Vec<UnixStream>,
}

impl Occupied {
    /// Opens and holds so much.
    ///
    /// # Errors
    /// The station does not take it, or not in time.
    pub(crate) fn start(console: &Path, data: &Path, occupancy: Occupancy) -> Result<Self> {
        let (console, data) = (console.to_owned(), data.to_owned());
        let mut it = Self { console, data, occupancy, doors: Vec::new(), senders: Vec::new() };
        for _ in 0..occupancy.doors {
            let mut door = load::command(&it.console, &it.data);
            door.args(["inject", "rmp", "--snippet", "ping", "--as", "agent"]);
            door.args(["--count", "1000000", "--rate", "1"]);
            it.doors.push(quiet(&mut door).spawn()?);
        }
        if occupancy.held > 0 {
            let filter = format!("topic:{TOPIC}");
            it.run(&["gate", "arm", &filter, "--in", "--for", "600"])?;
            let socket = fs::read_to_string(it.data.join("rmp.path")).wrap_err("where the bus is")?;
            for number in 0..occupancy.held {
                let mut session =
                    rmp::greeted(Path::new(socket.trim()), &format!("held{number}"), ANSWER_MAX)?;
                let fields = [("topic", Value::Text(TOPIC)), ("ack", Value::Bool(true))];
                let mut unit = control("Publish", &fields, 2);
                let mut message = frame(OBSERVATION, "observation.generic.v1", Value::Bytes(b"held"), 3);
                message[TTL].copy_from_slice(&HELD_MS.to_be_bytes());
                unit.extend(message);
                session.write_all(&unit)?;
                it.senders.push(session);
            }
        }
        let began = Instant::now();
        while let Err(why) = it.check() {
            if began.elapsed() > PATIENCE {
                return Err(why);
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(it)
    }

    /// # Errors
    /// Not all of it is open and held.
    pub(crate) fn check(&mut self) -> Result<()> {
        for door in &mut self.doors {
            if let Some(ended) = door.try_wait()? {
                bail!("a connection of the workbench ended: {ended}");
            }
        }
        // The rules come first.
        let listed = self.run(&["--json", "gate", "ls"])?;
        let held = listed.lines().filter(|line| line.starts_with("{\"frame\":")).count();
        ensure!(held >= self.occupancy.held, "{held} of {} frames are held", self.occupancy.held);
        Ok(())
    }

    fn run(&self, args: &[&str]) -> Result<String> {
        load::text(load::command(&self.console, &self.data).args(args))
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::null()).stderr(Stdio::null())
}

impl Drop for Occupied {
    fn drop(&mut self) {
        for door in &mut self.doors {
            // It may have ended by itself.
            let _ = door.kill();
            let _ = door.wait();
        }
    }
}
