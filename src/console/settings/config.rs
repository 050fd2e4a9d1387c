//! What a console is started with, and how it ends.

use std::{io, sync::Arc};

use super::{config_watcher::ConfigSource, shell::Shell};
use crate::{
    console::{
        draw::{class::OnAir, theme::Depth},
        settings::AppearanceSettings,
    },
    limits::Limits,
    time::Clock,
};

/// What a console is started with, every value resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// What can change while the console runs.
    pub appearance: AppearanceSettings,
    /// Where changed looks come from; without one they stay as they are.
    pub source: Option<Arc<dyn ConfigSource>>,
    /// The colours that the terminal takes.
    pub depth: Depth,
    /// What stands between this process and the terminal: what is meant for the terminal itself is handed
    /// through it.
    pub passthrough: Passthrough,
    /// Whether the show is on air: logins, chat text and payload values are masked.
    pub on_air: OnAir,
    /// What the header calls this station: the data folder's name or a configured one.
    pub name: String,
    /// The bounds in force: the console's own, and those of the windows that it carries on.
    pub limits: Limits,
    /// The station's clock.
    pub clock: Clock,
    /// How commands are written for this station.
    pub commands: CommandHints,
    /// The subcommands that the palette offers.
    pub shell: Shell,
    /// What is shown at the start.
    pub start: Start,
}

/// What is shown at the start, in place of the Deck without a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The name of a view, or its key.
    pub view: Option<String>,
    /// The filter of that view's first pane.
    pub filter: Option<String>,
}

/// What stands between a process and the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passthrough {
    /// Nothing does.
    #[default]
    None,
    /// tmux, which hands on what it is told to with `set -g allow-passthrough on`.
    Tmux,
    /// GNU screen.
    Screen,
}

/// How a command line for this station is written, so that what the screen teaches can be typed as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandHints {
    /// The program as the user would call it.
    pub program: String,
    /// Global flags that differ from their defaults, quoted for a shell (`--data ./friday`); empty when none
    /// does.
    pub globals: String,
}

impl Default for CommandHints {
    fn default() -> Self {
        Self { program: "rl-console".to_owned(), globals: String::new() }
    }
}

impl CommandHints {
    /// The command line of a subcommand.
    #[must_use]
    pub fn line(&self, rest: &str) -> String {
        if self.globals.is_empty() {
            format!("{} {rest}", self.program)
        } else {
            format!("{} {} {rest}", self.program, self.globals)
        }
    }

    /// A text with the commands in it, which stand between backticks, written so.
    #[must_use]
    pub fn in_text(&self, text: &str) -> String {
        text.replace("`rl-console ", &format!("`{}", self.line("")))
    }
}

/// Why a console ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The operator asked for it.
    Quit,
    /// The operator left it; the station goes on.
    Detached,
    /// The terminal is gone.
    HangUp,
    /// The station or a signal asked for it.
    Stopped,
}

/// Why a console could not run.
#[derive(Debug, thiserror::Error)]
pub enum ConsoleError {
    /// There is no terminal to draw on.
    #[error(
        "{what} is not a terminal: run rl-console in one, or `rl-console serve` or `rl-console --plain` without"
    )]
    NotATerminal {
        /// What was tried.
        what: &'static str,
    },
    /// What is to be shown without a terminal takes too long to be read.
    #[error("the recording was not read within {seconds} s")]
    Unsettled {
        /// How long was waited.
        seconds: u64,
    },
    /// The terminal could not be set up.
    #[error("the terminal could not be set up: {0}")]
    Terminal(#[from] io::Error),
}
