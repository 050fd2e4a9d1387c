//! The flags of plugins and of the stream that they follow.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::words::seconds;

/// `plugin`.
#[derive(Debug, Subcommand)]
pub(crate) enum PluginAction {
    /// Show a plugin: state, capabilities, panel and status; without ID, list all.
    Show {
        /// The plugin's id, or its end.
        id: Option<String>,
    },
    /// Check a plugin's folder: print every fault and note of its plugin.toml with its place.
    ///
    /// With --run, also start the plugin and drive it through the specification: one line per clause. Needs
    /// no station; exits 1 when something is wrong.
    Check(PluginCheckArgs),
    /// Install a plugin from a folder, or update it.
    ///
    /// Shows what the plugin will be able to do and asks for confirmation; of an update only what is new.
    Install {
        #[command(flatten)]
        source: PluginSourceArgs,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
    },
    /// Run a plugin from its folder until Ctrl-C, print its log, and restart it when a file changes.
    ///
    /// Files in `.git`, `node_modules` and `target` do not count.
    Dev(PluginSourceArgs),
    /// Remove a plugin; its data stays.
    Remove {
        /// The plugin's id, or its end.
        id: String,
        /// Delete its data, values and log too.
        #[arg(long)]
        purge: bool,
    },
    /// Start a disabled plugin; its restarts are counted from 0 again.
    Enable {
        /// The plugin's id, or its end.
        id: String,
    },
    /// End a plugin, and keep it from starting until it is enabled.
    Disable {
        /// The plugin's id, or its end.
        id: String,
    },
    /// Restart a plugin.
    Restart {
        /// The plugin's id, or its end.
        id: String,
    },
    /// Grant capabilities to a plugin.
    Grant {
        /// The plugin's id, or its end.
        id: String,
        /// The capabilities, separated by commas.
        #[arg(value_name = "LIST", value_delimiter = ',', required = true)]
        list: Vec<String>,
    },
    /// Revoke capabilities of a plugin.
    Revoke {
        /// The plugin's id, or its end.
        id: String,
        /// The capabilities, separated by commas.
        #[arg(value_name = "LIST", value_delimiter = ',', required = true)]
        list: Vec<String>,
    },
    /// Allow the credential that a plugin asks for.
    Allow {
        /// The plugin's id, or its end.
        id: String,
        /// Until it is revoked, rather than until the station stops.
        #[arg(long)]
        always: bool,
    },
    /// Deny the credential that a plugin asks for.
    Deny {
        /// The plugin's id, or its end.
        id: String,
    },
    /// Set a value of a plugin's panel.
    Set {
        /// The plugin's id, or its end.
        id: String,
        /// The key of the field.
        key: String,
        /// The value, as the type of the field has it.
        #[arg(required_unless_present = "default", allow_hyphen_values = true)]
        value: Option<String>,
        /// Use the default of the field again.
        #[arg(long, conflicts_with = "value")]
        default: bool,
    },
    /// Print the log of a plugin; works without a running station.
    Logs {
        /// The plugin's id, or its end.
        id: String,
        /// Print further lines as they come, until Ctrl-C.
        #[arg(short, long)]
        follow: bool,
        /// The number of lines.
        #[arg(long, value_name = "N", default_value_t = 100)]
        lines: u32,
    },
    /// Print who installed, enabled, disabled and set a plugin, and what it was granted and handed.
    Audit {
        /// The plugin's id, or its end.
        id: String,
    },
    /// Invoke an action of a plugin, and print its result.
    Invoke {
        /// The action.
        action: String,
        /// Its arguments, a JSON object.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        args: String,
        /// The plugin [default: the first that declares the action].
        #[arg(long, value_name = "ID")]
        plugin: Option<String>,
        /// Seconds to wait for the result, at most 600.
        #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
        timeout: u64,
    },
    /// Send one event to a plugin.
    Event {
        /// The plugin's id, or its end.
        id: String,
        /// The event, such as `on_watch_tick`.
        name: String,
        /// Its params, a JSON object.
        #[arg(value_name = "JSON")]
        params: String,
    },
}

/// Which plugin, and how.
#[derive(Debug, Args)]
pub(crate) struct PluginSourceArgs {
    /// The folder with its plugin.toml.
    pub(crate) dir: PathBuf,
    /// The capabilities to grant, separated by commas [default: all that it asks for].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) grant: Option<Vec<String>>,
    /// The command line that runs in place of its entry, for a plugin made for another system.
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,
}

/// `stream`.
#[derive(Debug, Subcommand)]
pub(crate) enum StreamAction {
    /// Declare the channel that plays.
    Set {
        /// Its login.
        login: String,
        /// Its id [default: the login].
        #[arg(long)]
        id: Option<String>,
        /// Its name [default: the login].
        #[arg(long)]
        name: Option<String>,
        /// The name of its game.
        #[arg(long)]
        game: Option<String>,
        /// The id of its game.
        #[arg(long, value_name = "ID")]
        game_id: Option<String>,
        /// The number of viewers.
        #[arg(long, value_name = "N")]
        viewers: Option<u64>,
        /// When it started, in RFC 3339.
        #[arg(long, value_name = "TIME")]
        started: Option<String>,
    },
    /// Declare that no channel plays.
    Stop,
    /// Declare the followed channels that are live: a channel object or a login a line.
    Live {
        /// The file, or - for stdin.
        file: String,
    },
    /// Add or remove a relay session.
    #[command(subcommand)]
    Session(StreamSessionAction),
    /// Send chat messages to plugins.
    Chat {
        /// The sender's login, of a text.
        #[arg(long = "as", value_name = "LOGIN")]
        sender: Option<String>,
        /// The text, or - for message objects on stdin, one a line, sent as they come.
        text: String,
    },
    /// Show what plays, what is live, and the relay sessions.
    Show,
}

/// `stream session`.
#[derive(Debug, Subcommand)]
pub(crate) enum StreamSessionAction {
    /// Add a relay session.
    Add {
        /// Its id.
        id: String,
    },
    /// Remove a relay session.
    Rm {
        /// Its id.
        id: String,
    },
}

/// `plugin check`.
#[derive(Debug, Args)]
pub(crate) struct PluginCheckArgs {
    /// The folder with the plugin.toml.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// Start the plugin and check its side of the protocol.
    #[arg(long)]
    pub(crate) run: bool,

    /// Run this command line instead of the manifest's entry and args.
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,

    /// How long each answer may take, in milliseconds [default: as specified].
    #[arg(long, value_name = "MS", hide = true, requires = "run")]
    pub(crate) patience: Option<u64>,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Cli, Command};

    fn parse(line: &str) -> Result<PluginAction, clap::Error> {
        let cli = Cli::try_parse_from(["rl-console", "plugin"].into_iter().chain(line.split(' ')))?;
        let Some(Command::Plugin(action)) = cli.command else { panic!("{line}") };
        Ok(action)
    }

    #[test]
    fn capabilities_are_a_list_between_commas_and_time_is_in_seconds() {
        let PluginAction::Grant { list, .. } = parse("grant a.b log,notify").unwrap() else { panic!() };
        assert_eq!(list, ["log", "notify"]);
        let PluginAction::Invoke { timeout, args, .. } = parse("invoke a.b --timeout 1.5").unwrap() else {
            panic!()
        };
        assert_eq!((timeout, args.as_str()), (1_500, "{}"));
    }

    #[test]
    fn a_value_or_its_default_is_set_and_not_both() {
        assert!(parse("set a.b volume -7").is_ok() && parse("set a.b volume --default").is_ok());
        assert!(parse("set a.b volume").is_err() && parse("set a.b volume 7 --default").is_err());
    }
}
