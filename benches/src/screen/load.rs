//! A flood of entries: the simulated adapter in a process of its own, and how many entries the station has
//! counted.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr, bail, eyre};

use crate::process::Process;

/// How long the station may take to listen.
const LISTEN_MAX: Duration = Duration::from_secs(20);

pub(crate) fn command(console: &Path, data: &Path) -> Command {
    let mut command = Command::new(console);
    command.env_clear().env("HOME", data).arg("--data").arg(data).stdin(Stdio::null());
    command
}

pub(crate) fn text(command: &mut Command) -> Result<String> {
    let output = command.output().wrap_err("the console's own subcommand")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The number or address behind some words of `ls health`.
fn health(console: &Path, data: &Path, find: impl Fn(&str) -> Option<String>) -> Result<String> {
    let text = text(command(console, data).args(["--json", "ls", "health"]))?;
    find(&text).ok_or_else(|| eyre!("the station's health has another form: {text}"))
}

/// Makes a token.
///
/// # Errors
/// The station's refusal.
pub(crate) fn pair(console: &Path, data: &Path) -> Result<String> {
    text(command(console, data).arg("pair"))
}

/// Entries that the station's tap has emitted.
///
/// # Errors
/// The station does not answer.
pub(crate) fn entries(console: &Path, data: &Path) -> Result<u64> {
    let find = |text: &str| {
        let before = text.split(" entries emitted").next()?;
        before.rsplit(|letter: char| !letter.is_ascii_digit()).next().map(str::to_owned)
    };
    Ok(health(console, data, find)?.parse()?)
}

fn address(console: &Path, data: &Path) -> Result<String> {
    let find = |text: &str| Some(text.split("listening on ").nth(1)?.split([',', '"']).next()?.to_owned());
    let began = Instant::now();
    loop {
        match health(console, data, find) {
            Err(_) if began.elapsed() < LISTEN_MAX => thread::sleep(Duration::from_millis(50)),
            found => return found,
        }
    }
}

/// The simulated adapter.
pub(crate) struct Adapter(Child);

impl Adapter {
    /// Starts to flood the station of a data folder.
    ///
    /// # Errors
    /// The station does not answer, or there is no such binary.
    pub(crate) fn start(console: &Path, data: &Path, token: &str, logs_per_s: u32) -> Result<Self> {
        let addr = address(console, data)?;
        let mut adapter = command(console, data);
        adapter.args([
            "sim",
            "adapter",
            "--reconnect",
            "--addr",
            &addr,
            "--logs-per-s",
            &logs_per_s.to_string(),
        ]);
        adapter.env("RL_CONSOLE_BRIDGE_TOKEN", token).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(adapter.spawn()?))
    }

    /// The process.
    pub(crate) fn process(&self) -> Process {
        Process(self.0.id())
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
