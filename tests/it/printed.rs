//! Every command that the program prints runs as it is printed, and does what stands beside it.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use regex::Regex;
use tempfile::TempDir;

/// What a command line says on both ends, and its exit code.
struct Said {
    code: i32,
    text: String,
}

/// A fresh home with a shell in it, in which `rl-console` is the program.
struct Shell {
    home: TempDir,
    stations: Vec<Child>,
}

impl Drop for Shell {
    fn drop(&mut self) {
        for station in &mut self.stations {
            // It may have ended already.
            let _ = station.kill();
            let _ = station.wait();
        }
    }
}

impl Shell {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        let programs = home.path().join("bin");
        std::fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rl-console"), programs.join("rl-console")).unwrap();
        Self { home, stations: Vec::new() }
    }

    fn command(&self, line: &str) -> Command {
        let home = self.home.path();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec {line}")]).env_clear().current_dir(home).env("HOME", home);
        command.env("PATH", format!("{}:{path}", home.join("bin").display()));
        command.env("TZ", "UTC").env("RL_CONSOLE_GRPC", "0").env("RL_CONSOLE_PORT", "0").stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Said {
        let output = self.command(line).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        Said { code: output.status.code().unwrap(), text }
    }

    /// A station that runs until the end of the test.
    fn serve(&mut self, line: &str, data: &Path) {
        let station = self.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        self.stations.push(station);
        let health = format!("rl-console --data '{}' ls health", data.display());
        for _ in 0..600 {
            if self.run(&health).text.contains("listening on") {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{line} is no station");
    }
}

/// The commands between backticks.
fn printed(text: &str) -> Vec<String> {
    let between = Regex::new("`(rl-console[^`]*)`").unwrap();
    between.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// A command line with its exit code and a part of what it says, and those that it prints with theirs.
type Case<'a> = (&'a str, i32, &'a str, &'a [(&'a str, i32, &'a str)]);

const TERMINAL: &str = "is not a terminal";

/// What is said with a station, in the order of these.
const WITH_STATION: &[Case<'_>] = &[
    ("--json ls health", 0, "not paired", &[("pair", 0, "")]),
    ("pair", 1, "", &[("pair --rotate", 0, "")]),
    ("invoke nonsense", 1, "has no event", &[("ls events", 0, "give_item")]),
    (
        "invoke give_item --params '{\"item_id\":\"x\"}' --check",
        1,
        "the params do not match the schema of give_item",
        &[("ls events --filter 'event:give_item'", 0, "item_id")],
    ),
    ("hold nowhere", 1, "has no queue", &[("ls queues", 0, "boss")]),
    ("hold boss", 0, "boss: held", &[("resume boss", 0, "boss: running")]),
    ("drain default", 0, "draining", &[("resume default", 0, "default: running")]),
    ("invocation requeue 99", 1, "no invocation 99", &[("ls invocations", 0, "id")]),
    ("invocation cancel 99", 1, "no invocation 99", &[("ls invocations", 0, "id")]),
    ("cancel 99", 2, "unrecognized", &[("invocation cancel 99", 1, "no invocation 99")]),
    ("run show abcd", 1, "", &[("ls runs", 0, "opening")]),
    (
        "trace abcd",
        1,
        "no recent run, invocation or session",
        &[("ls runs", 0, "opening"), ("ls invocations", 0, "id"), ("ls sessions", 0, "session")],
    ),
    (
        "--json invoke give_item --params '{\"item_id\":\"x\"}'",
        0,
        "\"warning\"",
        &[("ls events --filter 'event:give_item'", 0, "item_id")],
    ),
    ("run approve abcd", 1, "", &[("ls confirmations", 0, "question")]),
    ("peer disconnect 99", 1, "no session 99", &[("ls peers", 0, "session")]),
    ("session show nowhere", 1, "", &[("ls sessions", 0, "session")]),
    ("host restart mpp", 1, "is up", &[("adapter disconnect", 1, "no adapter connected")]),
    ("adapter disconnect", 1, "no adapter connected", &[("pair", 1, "--rotate")]),
    ("serve", 3, "", &[("attach", 1, TERMINAL), ("stop", 0, "stopped station")]),
];

fn check(shell: &Shell, data: &str, cases: &[Case<'_>]) {
    for (line, code, text, hints) in cases {
        let said = shell.run(&format!("rl-console {data}{line}"));
        assert!(said.code == *code && said.text.contains(text), "{line}: exit {}\n{}", said.code, said.text);
        let commands = printed(&said.text);
        let expected: Vec<String> =
            hints.iter().map(|(hint, ..)| format!("rl-console {data}{hint}").trim_end().to_owned()).collect();
        assert_eq!(commands, expected, "{line}: {}", said.text);
        for (command, (_, code, text)) in commands.iter().zip(*hints) {
            let said = shell.run(command);
            assert!(
                said.code == *code && said.text.contains(text),
                "{line} prints {command}: exit {}\n{}",
                said.code,
                said.text
            );
        }
    }
}

#[test]
fn every_command_that_is_printed_runs_as_it_is_printed() {
    let mut shell = Shell::new();
    let data = shell.home.path().join("my show");
    let flags = "--data 'my show' ";
    // Nothing runs: what is printed starts a station.
    let said = shell.run(&format!("rl-console {flags}ls queues"));
    assert_eq!(said.code, 3, "{}", said.text);
    let commands = printed(&said.text);
    assert_eq!(commands, ["rl-console --data 'my show'", "rl-console --data 'my show' serve"]);
    let bare = shell.run(&commands[0]);
    assert!(bare.code == 1 && bare.text.contains(TERMINAL), "{}", bare.text);
    for line in ["tail a", "session start --as alice", "sim adapter --token-file token"] {
        std::fs::write(shell.home.path().join("token"), "x").unwrap();
        std::fs::set_permissions(
            shell.home.path().join("token"),
            std::os::unix::fs::PermissionsExt::from_mode(0o600),
        )
        .unwrap();
        let said = shell.run(&format!("rl-console {flags}{line}"));
        assert_eq!((said.code, printed(&said.text)), (3, vec![commands[1].clone()]), "{line}: {}", said.text);
    }
    shell.serve(&commands[1], &data);
    check(&shell, flags, WITH_STATION);
    // A pack stays named.
    let packed = "--data 'my show' --pack bad.toml ";
    std::fs::write(shell.home.path().join("bad.toml"), "id = 1\nname = 2\n").unwrap();
    check(&shell, packed, &[("serve", 1, "bad.toml", &[("pack check", 1, "bad.toml")])]);
}

#[test]
fn the_first_steps_of_the_help_run_as_they_are_printed() {
    let mut shell = Shell::new();
    let data: PathBuf = shell.home.path().join(".local/share/rl-console");
    let help = shell.run("rl-console --help");
    assert_eq!(help.code, 0);
    let steps = help.text.split_once("First steps:").unwrap().1;
    let steps = steps.split_once("Exit codes:").unwrap().0;
    let lines: Vec<String> = steps
        .lines()
        .filter_map(|line| line.strip_prefix("  rl-console"))
        .map(|line| line.split("  ").next().unwrap())
        .map(|line| format!("rl-console{line}"))
        .collect();
    shell.serve("rl-console serve", &data);
    let expected = [
        ("rl-console", 1, TERMINAL),
        ("rl-console pair", 0, ""),
        ("rl-console sim adapter", 2, "RL_CONSOLE_BRIDGE_TOKEN"),
        ("rl-console invoke give_item --params '{\"item_id\":4}'", 0, "give_item"),
        ("rl-console ls queues", 0, "default"),
        ("rl-console help", 0, "glossary"),
    ];
    assert_eq!(lines, expected.map(|(line, ..)| line));
    for (line, code, text) in expected {
        let said =
            shell.run(if line == "rl-console" { "rl-console --socket bus.sock --data other" } else { line });
        assert!(said.code == code && said.text.contains(text), "{line}: exit {}\n{}", said.code, said.text);
        assert!(!said.text.contains("warning"), "{line}\n{}", said.text);
    }
}
