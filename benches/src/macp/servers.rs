//! The two servers under test.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::Command,
};

use color_eyre::eyre::{Result, WrapErr, ensure, eyre};
use rl_console_benches::{
    console,
    server::{Server, Tree},
};

/// A server and where it listens.
pub(crate) struct Runtime {
    pub(crate) name: &'static str,
    pub(crate) addr: SocketAddr,
    server: Server,
}

/// The console's runtime and the floor.
pub(crate) struct Pair {
    pub(crate) station: Runtime,
    pub(crate) echo: Runtime,
}

impl Pair {
    /// Starts both, the station with a data folder below `folder`.
    ///
    /// # Errors
    /// One does not start.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Self> {
        Ok(Self { station: Runtime::station(program, folder)?, echo: Runtime::echo(folder)? })
    }
}

impl Runtime {
    /// The console's shipped binary, with room for as many sessions and messages as rounds make.
    ///
    /// # Errors
    /// It does not start, or serves no sessions.
    pub(crate) fn station(program: &Path, folder: &Path) -> Result<Self> {
        ensure!(
            program.is_file(),
            "there is no {} (cargo build --profile dist, or --station PATH)",
            program.display()
        );
        // The folder stands for the user's own configuration folder.
        let config = folder.join("rl-console");
        std::fs::create_dir(&config)?;
        std::fs::write(
            config.join("config.toml"),
            "[limits.macp]\nopen_max = 10000000\npeer_sessions_max = 10000000\nsession_messages_max = 100000000\n",
        )?;
        let mut command = console::command(program, folder);
        let (server, ready) = console::serve(&mut command, &folder.join("station.log"))?;
        let addr = ready["macp"]
            .as_str()
            .ok_or_else(|| eyre!("the station serves no sessions: {ready}"))?
            .parse()?;
        Ok(Self { name: "rl-console", addr, server })
    }

    fn echo(folder: &Path) -> Result<Self> {
        let (server, out) = Server::start_piped(
            Command::new(std::env::current_exe()?).arg("echo"),
            &folder.join("echo.log"),
        )?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let addr = line
            .trim()
            .parse()
            .wrap_err_with(|| format!("the bare server did not say its address: {}", server.words()))?;
        Ok(Self { name: "echo", addr, server })
    }

    pub(crate) fn tree(&self) -> Tree {
        self.server.tree()
    }
}
