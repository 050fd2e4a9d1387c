//! The console's own shipped binary as a server.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{ChildStdout, Command},
    sync::mpsc::sync_channel,
    thread,
    time::Duration,
};

use color_eyre::eyre::{Result, WrapErr, bail, ensure};
use serde_json::Value;

use crate::server::Server;

const START_MAX: Duration = Duration::from_secs(60);

/// The binary with a data folder below `folder`, and nothing of the machine's own configuration.
#[must_use]
pub fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("--data").arg(folder.join("data"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RL_CONSOLE_"))
    {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", folder).env("XDG_STATE_HOME", folder).env("XDG_DATA_HOME", folder);
    command
}

/// Starts `serve` with a [`command`], on ports that are free, waits for its `ready` line and returns that.
///
/// # Errors
/// It does not start, or does not say `ready` in time.
pub fn serve(command: &mut Command, log: &Path) -> Result<(Server, Value)> {
    let (server, out) =
        Server::start_piped(command.args(["--port", "0", "--grpc", "127.0.0.1:0", "--json", "serve"]), log)?;
    let line = first_line(out).wrap_err_with(|| server.words())?;
    let ready: Value = serde_json::from_str(&line).wrap_err_with(|| format!("reading {line:?}"))?;
    ensure!(ready["event"] == "ready", "the station said {line:?} first");
    Ok((server, ready))
}

/// The first line; a thread goes on reading, so that the station never waits for its own output.
fn first_line(out: ChildStdout) -> Result<String> {
    let (give, take) = sync_channel(1);
    thread::spawn(move || {
        let mut lines = BufReader::new(out).lines();
        // When nobody waits any longer, there is nobody to tell.
        let _ = give.send(lines.next());
        lines.map_while(Result::ok).for_each(drop);
    });
    match take.recv_timeout(START_MAX) {
        Ok(Some(line)) => Ok(line?),
        Ok(None) => bail!("the station ended without a word on its standard output"),
        Err(_) => bail!("the station said nothing for {} s", START_MAX.as_secs()),
    }
}
