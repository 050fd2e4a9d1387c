//! The real binary, and peers that speak to it from outside.

pub(crate) mod plugins;
pub(crate) mod screen;
pub(crate) mod test_station;

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    time::Duration,
};

use rl_console::mpp::manifest::Pack;
use serde_json::Value;

/// How long a test waits for something that must come: long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The binary with a configuration of its own, so that a test sees nothing of the user's.
pub(crate) fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    let home = data.join("home");
    command
        .env_clear()
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_DATA_HOME", home.join("share"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        // Stations of tests run beside one another.
        .env("RL_CONSOLE_GRPC", "0")
        .arg("--data")
        .arg(data);
    command
}

/// Runs a subcommand to its end.
pub(crate) fn cli(data: &Path, args: &[&str]) -> Output {
    command(data).args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs a subcommand with `--json` that must succeed, and reads its lines.
pub(crate) fn json(data: &Path, args: &[&str]) -> Vec<Value> {
    let output = command(data).arg("--json").args(args).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Makes a token for a data folder.
pub(crate) fn pair(data: &Path) -> String {
    let output = cli(data, &["pair"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A station in a process of its own, killed when it is dropped.
pub(crate) struct Station {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    pub(crate) mpp: SocketAddr,
    /// Its first line.
    pub(crate) ready: Value,
}

impl Station {
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(data, &[])
    }

    pub(crate) fn start_with(data: &Path, args: &[&str]) -> Self {
        let mut command = command(data);
        command.args(["--port", "0", "--json", "serve"]).args(args);
        Self::of(command)
    }

    /// By a program that is given the command line behind its own arguments.
    pub(crate) fn start_by(data: &Path, program: &[&str], args: &[&str]) -> Self {
        let mut plain = command(data);
        plain.args(["--port", "0", "--json", "serve"]).args(args);
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(plain.get_program()).args(plain.get_args()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            serde_json::from_str::<Value>(&line).unwrap_or_else(|_| panic!("no ready line but {line:?}"))
        };
        let mut ready = line();
        // What cannot come up says so first.
        while ready["event"] == "down" {
            ready = line();
        }
        assert_eq!(ready["event"], "ready");
        let mpp = ready["mpp"].as_str().unwrap().parse().unwrap();
        Self { child, out, mpp, ready }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next event of this name that it prints.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        let (found, waiting) = std::sync::mpsc::sync_channel::<()>(1);
        let pid = rustix::process::Pid::from_child(&self.child);
        std::thread::spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended before it said {name:?}");
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] == name {
                drop(found);
                return event;
            }
        }
    }

    /// SIGKILL, and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// How it has ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// SIGTERM, and waits until it has ended, without reading what it printed.
    pub(crate) fn terminate_unread(&mut self) -> ExitStatus {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap()
    }

    /// SIGTERM, and waits until it has ended.
    pub(crate) fn terminate(mut self) -> ExitStatus {
        let status = self.terminate_unread();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut rest).unwrap();
        status
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An adapter that speaks the wire by hand.
pub(crate) struct Adapter {
    stream: BufReader<TcpStream>,
}

impl Adapter {
    /// Connects without a word.
    pub(crate) fn connect(addr: SocketAddr) -> Self {
        Self::over(TcpStream::connect(addr).unwrap())
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    /// Connects and shakes hands for the sample pack.
    pub(crate) fn ready(addr: SocketAddr, token: &str) -> Self {
        Self::ready_for(&Pack::sample(), addr, token).expect("a handshake")
    }

    /// Connects and shakes hands for a pack; nothing when the station goes away meanwhile.
    pub(crate) fn ready_for(pack: &Pack, addr: SocketAddr, token: &str) -> Option<Self> {
        let mut adapter = Self::over(TcpStream::connect(addr).ok()?);
        adapter
            .send(&format!(
                r#"{{"mpp":2,"type":"hello","pack_id":"{}","manifest_hash":"{}","bridge_token":"{token}"}}"#,
                pack.id, pack.hash
            ))
            .ok()?;
        let ack = adapter.receive()?;
        assert_eq!(ack["ok"], true, "{ack}");
        Some(adapter)
    }

    /// Sends lines, each without its LF.
    pub(crate) fn send(&mut self, line: &str) -> std::io::Result<()> {
        let mut bytes = line.as_bytes().to_vec();
        bytes.push(b'\n');
        self.stream.get_mut().write_all(&bytes)
    }

    /// The next frame; nothing when the station has closed or is gone.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        self.line().map(|line| serde_json::from_str(&line).unwrap())
    }

    /// The next line with its LF; nothing when the station has closed or is gone.
    pub(crate) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(bytes) if bytes > 0 && line.ends_with('\n') => Some(line),
            Ok(_) | Err(_) => None,
        }
    }

    /// The socket itself.
    pub(crate) fn socket(&self) -> &TcpStream {
        self.stream.get_ref()
    }
}
