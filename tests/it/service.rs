//! `serve` under a service manager, played by a datagram socket, and the unit that starts it.

use std::{
    os::unix::net::UnixDatagram,
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use crate::real::{cli, command, json};

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Datagrams that a test reads at most: signs of life would come for ever.
const DATAGRAMS_MAX: usize = 1_000;

struct Manager {
    socket: UnixDatagram,
    /// Every line that came.
    notifications: Vec<String>,
}

impl Manager {
    fn listen(at: &Path) -> Self {
        let socket = UnixDatagram::bind(at).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, notifications: Vec::new() }
    }

    /// Listens until so many lines are of a kind.
    fn until(&mut self, times: usize, wanted: impl Fn(&str) -> bool) {
        for _ in 0..DATAGRAMS_MAX {
            if self.notifications.iter().filter(|line| wanted(line)).count() >= times {
                return;
            }
            let mut bytes = [0; 4_096];
            let length = self.socket.recv(&mut bytes).unwrap();
            let told = std::str::from_utf8(&bytes[..length]).unwrap();
            self.notifications.extend(told.lines().map(str::to_owned));
        }
        panic!("it was told something else: {:?}", self.notifications);
    }

    /// Where a line stands among what came.
    fn index_of(&self, line: &str) -> Option<usize> {
        self.notifications.iter().position(|told| told == line)
    }
}

fn serve(data: &Path, variables: &[(&str, &str)]) -> Child {
    let mut serve = command(data);
    serve.args(["--port", "0", "serve"]).envs(variables.iter().copied());
    serve.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

fn terminate(mut child: Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM)
        .unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_manager_is_told_when_it_is_ready_alive_and_stopping_and_how_it_is() {
    let data = tempfile::tempdir().unwrap();
    let at = data.path().join("notify");
    let mut manager = Manager::listen(&at);
    let serve = serve(data.path(), &[("NOTIFY_SOCKET", at.to_str().unwrap()), ("WATCHDOG_USEC", "400000")]);
    manager.until(1, |line| line == "READY=1");
    manager.until(3, |line| line == "WATCHDOG=1");
    assert!(
        manager.index_of("READY=1") < manager.index_of("WATCHDOG=1"),
        "nothing is alive before it is ready: {:?}",
        manager.notifications
    );
    manager.until(1, |line| line.starts_with("STATUS=state: pack ") && line.contains("0 pending"));
    json(data.path(), &["invoke", "heal_party"]);
    manager.until(1, |line| line.starts_with("STATUS=state: pack ") && line.contains("1 pending"));
    terminate(serve);
    manager.until(1, |line| line == "STOPPING=1");
}

#[test]
fn without_a_watchdog_no_sign_of_life_is_given() {
    let data = tempfile::tempdir().unwrap();
    let at = data.path().join("notify");
    let mut manager = Manager::listen(&at);
    let serve = serve(data.path(), &[("NOTIFY_SOCKET", at.to_str().unwrap())]);
    manager.until(1, |line| line == "READY=1");
    terminate(serve);
    manager.until(1, |line| line == "STOPPING=1");
    assert_eq!(manager.index_of("WATCHDOG=1"), None);
}

#[test]
fn a_manager_that_is_gone_holds_nothing_up() {
    let data = tempfile::tempdir().unwrap();
    let nowhere = data.path().join("nobody");
    let mut station = command(data.path())
        .args(["--port", "0", "--json", "serve"])
        .env("NOTIFY_SOCKET", &nowhere)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(station.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert!(line.starts_with(r#"{"event":"ready","#), "{line}");
    terminate(station);
}

#[test]
fn the_unit_says_what_the_flags_and_variables_say() {
    let data = tempfile::tempdir().unwrap();
    let output = command(data.path())
        .args(["--port", "7000", "service", "--metrics", "9464"])
        .env("RL_CONSOLE_LIMITS_TAP_READERS_MAX", "8")
        .output()
        .unwrap();
    assert!(output.status.success());
    let unit = String::from_utf8(output.stdout).unwrap();
    let exec = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let wanted = format!("--data {} --port 7000 --metrics 127.0.0.1:9464 serve", data.path().display());
    assert!(exec.starts_with(env!("CARGO_BIN_EXE_rl-console")) && exec.ends_with(&wanted), "{exec}");
    assert!(unit.contains("\nEnvironment=RL_CONSOLE_LIMITS_TAP_READERS_MAX=8\n"), "{unit}");
}

#[test]
fn the_unit_is_installed_once_and_another_one_is_not_replaced_unasked() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("home/config/systemd/user/rl-console.service");
    let install = |args: &[&str]| json(data.path(), &[&["service", "--install"], args].concat());
    assert_eq!(install(&[])[0]["written"], true);
    assert_eq!(install(&[])[0]["written"], false);
    let printed = String::from_utf8(cli(data.path(), &["service"]).stdout).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), printed);

    std::fs::write(&path, "[Service]\nExecStart=/bin/true\n").unwrap();
    let refused = cli(data.path(), &["service", "--install"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("--force"));
    assert_eq!(install(&["--force"])[0]["written"], true);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), printed);
}
