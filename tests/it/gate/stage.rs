//! A station with an adapter, and programs on its bus.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, sync_channel},
    time::Duration,
};

use serde_json::Value;

use crate::{
    real::{Adapter, Station, command, json, pair, plugins::until},
    runs_cli::{Ran, run},
};

/// How long a test waits for something that must come: long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

/// A station in a folder of its own.
pub(super) struct Stage {
    folder: tempfile::TempDir,
    token: String,
    pub(super) station: Station,
}

impl Stage {
    pub(super) fn open(flags: &[&str]) -> Self {
        Self::configured("", flags)
    }

    /// With this `config.toml`.
    pub(super) fn configured(config: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home/config/rl-console");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), config).unwrap();
        let token = pair(folder.path());
        let station = Station::start_with(folder.path(), flags);
        Self { folder, token, station }
    }

    pub(super) fn data(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn adapter(&self) -> Adapter {
        Adapter::ready(self.station.mpp, &self.token)
    }

    /// `gate` with these arguments.
    pub(super) fn gate(&self, args: &[&str]) -> Ran {
        run(self.data(), &[&["gate"], args].concat(), "")
    }

    /// Arms a rule; its number.
    #[track_caller]
    pub(super) fn arm(&self, args: &[&str]) -> u64 {
        let armed = self.gate(&[&["arm"], args].concat()).exits(0);
        armed.rows[0]["rule"].as_u64().unwrap()
    }

    pub(super) fn ls(&self, list: &[&str]) -> Vec<Value> {
        json(self.data(), &[&["ls"], list].concat())
    }

    /// The frames that are held, once so many are.
    #[track_caller]
    pub(super) fn held(&self, count: usize) -> Vec<Value> {
        let held = || self.ls(&["intercepted"]);
        until(|| format!("not {count} but {:?}", held()), || Some(held()).filter(|it| it.len() == count))
    }

    /// The number of the only frame that is held, once there is one.
    #[track_caller]
    pub(super) fn frame(&self) -> String {
        self.held(1)[0]["frame"].to_string()
    }

    /// A program that runs until it is dropped.
    pub(super) fn program(&self, args: &[&str]) -> Program {
        let mut command = command(self.data());
        command.arg("--json").args(args);
        Program::start(command)
    }

    /// A peer of the bus that prints what comes on a topic.
    pub(super) fn tail(&self, topic: &str) -> Program {
        let tail = self.program(&["tail", topic, "--decode"]);
        assert_eq!(tail.row()["event"], "subscribed");
        tail
    }

    /// A message that is published.
    pub(super) fn publish(&self, topic: &str, number: u64) -> Program {
        let body = format!(r#"{{"n":{number}}}"#);
        self.program(&["publish", topic, "--type", "observation.greeting.v1", "--body", &body])
    }
}

/// A program whose lines are read one by one, killed when it is dropped.
pub(super) struct Program {
    pub(super) child: Child,
    lines: Receiver<String>,
}

impl Program {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (found, lines) = sync_channel(1_024);
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| found.send(line)));
        Self { child, lines }
    }

    /// The next object that it prints.
    #[track_caller]
    pub(super) fn row(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line");
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for its end; its exit code, and its error.
    pub(super) fn ended(mut self) -> (Option<i32>, Value) {
        drop(self.child.stdin.take());
        let pid = rustix::process::Pid::from_child(&self.child);
        let (done, waiting) = sync_channel::<()>(1);
        std::thread::spawn(move || {
            if waiting
                .recv_timeout(PATIENCE)
                .is_err_and(|it| it == std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        let mut error = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut error).unwrap();
        let code = self.child.wait().unwrap().code();
        drop(done);
        (code, serde_json::from_str(&error).unwrap_or_default())
    }

    pub(super) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
