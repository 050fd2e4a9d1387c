//! A stand-in for the console until the real one is here: it draws nothing. To be deleted with the real one's arrival.

use std::{io, sync::Arc};

use tokio::sync::watch;

use crate::{limits, port::StationPort, time::Clock};

/// The colours that a terminal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None.
    None,
    /// The sixteen.
    Ansi,
    /// The palette of 256.
    Indexed,
    /// 24 bit.
    True,
}

impl Depth {
    /// The depth that the environment tells of.
    #[must_use]
    pub fn of_environment(_no_color: Option<&str>, _colorterm: Option<&str>, _term: Option<&str>) -> Self {
        Self::Ansi
    }
}

/// What a console is started with, every value resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of a shipped theme.
    pub theme: String,
    /// Draw with ASCII alone.
    pub ascii: bool,
    /// The colours that the terminal takes.
    pub depth: Depth,
    /// What the header calls this station.
    pub name: String,
    /// Take the mouse.
    pub mouse: bool,
    /// The console's bounds.
    pub limits: limits::Console,
    /// The station's clock.
    pub clock: Clock,
    /// How commands are written for this station.
    pub commands: CommandHints,
}

/// How a command line for this station is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandHints {
    /// The program as the user would call it.
    pub program: String,
    /// Global flags that differ from their defaults, quoted for a shell.
    pub globals: String,
}

/// Why a console ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The operator asked for it.
    Quit,
    /// The terminal is gone.
    HangUp,
    /// The station or a signal asked for it.
    Stopped,
}

/// Why a console could not run.
#[derive(Debug, thiserror::Error)]
pub enum ConsoleError {
    /// There is no terminal to draw on.
    #[error("{what} is not a terminal: run rl-console in one, or `rl-console serve` without")]
    NotATerminal {
        /// What was tried.
        what: &'static str,
    },
    /// The terminal could not be set up.
    #[error("the terminal could not be set up: {0}")]
    Terminal(#[from] io::Error),
}

/// Runs the console until it ends or `stop` becomes true.
///
/// # Errors
/// Always, here.
pub fn run(_port: Arc<dyn StationPort>, _config: Config, _stop: watch::Receiver<bool>) -> Result<Exit, ConsoleError> {
    Err(ConsoleError::NotATerminal { what: "stdin" })
}

/// Restores the terminal before a panic is told.
pub fn install_panic_hook() {}
