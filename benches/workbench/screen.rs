//! The whole program in a pseudo-terminal, with its workbench open.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use rl_console::time::{Clock, Mono};
use tempfile::TempDir;

use crate::{Result, process::Process, program, terminal::Terminal};

pub(crate) const COLUMNS: u16 = 160;
pub(crate) const ROWS: u16 = 50;
/// The core of the screen and of this program.
const SCREEN_CORE: usize = 0;
/// That of the rest of the station, and of what loads it.
pub(crate) const LOAD_CORE: usize = 1;
/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the screen has to come to rest.
const SETTLE: Duration = Duration::from_millis(300);

/// A console with its station.
pub(crate) struct Screen {
    pub(crate) terminal: Terminal,
    pub(crate) home: TempDir,
    pub(crate) data: PathBuf,
    /// Another folder that it uses.
    pub(crate) folder: Option<TempDir>,
}

fn is_of_screen(name: &str) -> bool {
    matches!(name, "screen" | "console-writer" | "console-input" | "workbench")
}

impl Screen {
    /// Starts one under this configuration, with these flags.
    pub(crate) fn start(config: &str, flags: &[&str]) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let data = home.path().join("data");
        let folder = home.path().join(".config/rl-console");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("config.toml"), config)?;
        let data_arg = data.to_string_lossy().into_owned();
        let mut args = vec!["--port", "0", "--grpc", "127.0.0.1:0", "--data", data_arg.as_str()];
        args.extend(flags);
        let mut terminal = Terminal::start(program(), &args, home.path(), COLUMNS, ROWS)?;
        terminal.first("Queues")?;
        let mut it = Self { terminal, home, data, folder: None };
        for host in ["RMP ●", "MACP ●", "STORE ●"] {
            it.wait(host)?;
        }
        Ok(it)
    }

    /// Runs a subcommand at the station; its standard output.
    pub(crate) fn run(&self, args: &[&str]) -> Result<String> {
        run(&self.data, args)
    }

    /// Gives the screen a core of its own, and the rest of the station the other one.
    pub(crate) fn pin(&self) -> Result<()> {
        let core = |name: &str| if is_of_screen(name) { SCREEN_CORE } else { LOAD_CORE };
        self.terminal.process()?.pin(core)?;
        Process(std::process::id()).pin(|_| SCREEN_CORE)?;
        Ok(())
    }

    /// Types, and lets the screen come to rest.
    pub(crate) fn enter(&mut self, keys: &str) -> Result<()> {
        self.terminal.keys(keys)?;
        self.terminal.pass(SETTLE);
        Ok(())
    }

    /// Waits until the screen has these words.
    pub(crate) fn wait(&mut self, words: &str) -> Result<()> {
        let clock = Clock::start();
        while self.terminal.find(words).is_none() {
            if clock.mono() > Mono(0) + PATIENCE {
                return Err(format!("{words:?} never came\n{}", self.text()).into());
            }
            self.terminal.pass(Duration::from_millis(20));
        }
        Ok(())
    }

    /// What is on the screen.
    pub(crate) fn text(&self) -> String {
        (0..usize::from(ROWS)).map(|row| self.terminal.line(row) + "\n").collect()
    }
}

/// Runs a subcommand at the station of a data folder; its standard output.
pub(crate) fn run(data: &std::path::Path, args: &[&str]) -> Result<String> {
    let mut command = Command::new(program());
    command.env_clear().env("HOME", data).arg("--data").arg(data).args(args).stdin(Stdio::null());
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    Err(format!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}
