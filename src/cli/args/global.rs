//! The program itself and the flags that every subcommand takes.

use std::{
    ffi::OsString,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use clap::{
    CommandFactory as _, FromArgMatches as _, Parser,
    builder::{PossibleValue, PossibleValuesParser},
};

use super::Command;
use crate::{
    cli::{config::endpoint, error::Exit},
    console::{reference, reference::ViewReference},
    words::quoted,
};

/// The operator console of a stream: it hosts and shows the automation that the stream runs on.
///
/// Without a subcommand it starts a station and opens the console on it. Every other subcommand talks to the
/// station running for the same data folder, or works without one.
#[derive(Debug, Parser)]
#[command(name = "rl-console", version, max_term_width = 100, after_long_help = after_long_help(), disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Record all traffic from the start into this new file (console and `serve`).
    #[arg(long, value_name = "OUT.mcap")]
    pub(crate) record: Option<PathBuf>,

    /// Serve Prometheus metrics as /metrics on this address; a port without an address binds to 127.0.0.1
    /// (console and `serve`).
    #[arg(long, value_name = "ADDR", value_parser = endpoint)]
    pub(crate) metrics: Option<SocketAddr>,

    /// Run the console without a screen: one line per event, for pipes and screen readers, until SIGTERM or
    /// Ctrl-C.
    #[arg(long)]
    pub(crate) plain: bool,

    /// Start a station for a rehearsal, on which `gate arm` may make faults; needs a --data folder of its own
    /// (console and `serve`).
    #[arg(long)]
    pub(crate) rehearsal: bool,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,

    #[command(flatten)]
    pub(crate) plugins: PluginFolderArgs,

    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The flags of a console: the one of a station, or one that attaches. Their ids are not those of flags that
/// subcommands hand down to theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct ScreenArgs {
    /// The view to begin with, by its name or its key (console and `attach`).
    #[arg(id = "screen_view", long = "view", value_name = "NAME", ignore_case = true, value_parser = views())]
    pub(crate) view: Option<String>,

    /// The filter of the first pane of that view; `rl-console help filter` has the language (console and
    /// `attach`).
    #[arg(id = "screen_filter", long = "filter", value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    /// The theme to begin with; `rl-console config themes` lists them (console and `attach`).
    #[arg(id = "screen_theme", long = "theme", value_name = "NAME")]
    pub(crate) theme: Option<String>,
}

/// Which plugins a station runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct PluginFolderArgs {
    /// Run the plugins in this folder without installing them: the folder itself if it has a plugin.toml,
    /// else every folder in it that has one. Repeatable (console and `serve`).
    #[arg(long, value_name = "DIR", conflicts_with = "no_plugins")]
    pub(crate) plugins: Vec<PathBuf>,

    /// Start no plugins (console and `serve`).
    #[arg(long)]
    pub(crate) no_plugins: bool,
}

/// The flags that stand before or after any subcommand.
#[derive(Clone, Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The data folder; it contains `station.db` and can be used by one station at a time.
    #[arg(long, global = true, hide_short_help = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The pack.toml to run [default: the built-in sample pack].
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) pack: Option<PathBuf>,

    /// The TCP port for game adapters; 0 picks a free one [default: 7777].
    #[arg(long, global = true, hide_short_help = true, value_name = "PORT")]
    pub(crate) port: Option<u16>,

    /// The address to bind the port to; any address except loopback is reachable from the network [default:
    /// 127.0.0.1].
    #[arg(long, global = true, hide_short_help = true, value_name = "ADDR")]
    pub(crate) bind: Option<IpAddr>,

    /// The Unix socket of the bus, to bind (station) or to connect to (other subcommands) [default: rmp.sock
    /// in the folder given by --data, else ~/.runloop/sock/rmp.sock].
    #[arg(long, global = true, hide_short_help = true, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,

    /// The address of the MACP port, to bind (station) or to connect to (`session`, `sim session`); a port
    /// without an address is on 127.0.0.1, port 0 picks a free one [default: 127.0.0.1:50051; clients first
    /// try the address recorded in the data folder].
    #[arg(long, global = true, hide_short_help = true, value_name = "ADDR", value_parser = endpoint)]
    pub(crate) grpc: Option<SocketAddr>,

    /// The token file for the station [default: the operator token in the data folder]. `cue.token` there can
    /// only enqueue and submit, `viewer.token` can only read.
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Draw the console with ASCII characters only (the default when the locale is not UTF-8).
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) ascii: bool,

    /// Mask logins, chat text and payload values on the console's screens until `O` shows them, and in the
    /// output of `--plain`.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) on_air: bool,

    /// Ask this recording, or the recordings in this folder, in the place of a station: `ls`, `run show`,
    /// `run events`, `session show`, `session ls`, `plugin logs`, `trace`, `tail` and `mplp validate`. Given
    /// again, also that one.
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE|DIR")]
    pub(crate) recording: Vec<PathBuf>,

    /// What is run in the palette of a replay: what asks no station, and changes none, is as ever.
    #[arg(long, global = true, hide = true)]
    pub(crate) replayed: bool,

    /// With --recording, the place that is asked about: a time (22:14:03), +DURATION from the start (+90s),
    /// seq:N, start or end [default: end].
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "TIME|+DUR|seq:N",
        allow_hyphen_values = true
    )]
    pub(crate) at: Option<String>,

    /// `--metrics` of the console or of `serve`.
    #[arg(skip)]
    pub(crate) metrics: Option<SocketAddr>,

    /// Whether a station is one on which faults may be made.
    #[arg(skip)]
    pub(crate) rehearsal: bool,

    /// Which plugins a station runs.
    #[arg(skip)]
    pub(crate) plugins: PluginFolderArgs,

    /// The flags of the console or of `attach`.
    #[arg(skip)]
    pub(crate) screen: ScreenArgs,

    /// Print one JSON object per line on stdout and nothing else; errors are one JSON object on stderr.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) json: bool,
}

impl Cli {
    /// Reads a command line. The short help of a subcommand leaves out what all of them take.
    ///
    /// # Errors
    /// What clap has against it; help and version too.
    pub(crate) fn read(args: &[OsString]) -> Result<Self, clap::Error> {
        let asks_for_help = args.iter().any(|arg| arg == "-h");
        if !asks_for_help {
            return Self::try_parse_from(args);
        }
        let mut program = Self::command();
        program.build();
        let mut program =
            program.mut_args(|arg| if arg.is_global_set() { arg.hide_short_help(false) } else { arg });
        let mut matches = program.try_get_matches_from_mut(args)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut program))
    }
}

impl Global {
    /// [`Self::station_flags`] of a command line that was not understood, as far as they can be read.
    pub(crate) fn station_flags_of(args: &[OsString]) -> String {
        let mut flags = Self::default();
        let mut words = args.iter().skip(1).map(|arg| arg.to_string_lossy()).take_while(|arg| arg != "--");
        while let Some(word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (&*word, None),
            };
            let mut value = || value.clone().or_else(|| words.next().map(Into::into));
            match flag {
                "--data" => flags.data = value().map(PathBuf::from),
                "--pack" => flags.pack = value().map(PathBuf::from),
                "--socket" => flags.socket = value().map(PathBuf::from),
                "--grpc" => flags.grpc = value().and_then(|addr| endpoint(&addr).ok()),
                _ => {}
            }
        }
        flags.station_flags()
    }

    /// The flags by which another command reaches the same station, as a shell reads them, with a space
    /// behind them.
    pub(crate) fn station_flags(&self) -> String {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| quoted(&path.to_string_lossy()));
        let flags = [
            ("--data", path(&self.data)),
            ("--pack", path(&self.pack)),
            ("--socket", path(&self.socket)),
            ("--grpc", self.grpc.map(|addr| addr.to_string())),
        ];
        flags.into_iter().filter_map(|(flag, value)| Some(format!("{flag} {} ", value?))).collect()
    }
}

/// The views by their names; their keys are other names.
fn views() -> PossibleValuesParser {
    let value = |view: ViewReference| PossibleValue::new(view.name.to_lowercase()).aliases(view.keys);
    PossibleValuesParser::new(reference::views().into_iter().map(value))
}

const FIRST_STEPS: &str = "First steps:
  rl-console                  open the console (starts a station)
  rl-console pair             print the token that an adapter connects with
  rl-console sim adapter      simulate the game; the token comes from
                              RL_CONSOLE_BRIDGE_TOKEN or --token-file
  rl-console invoke give_item --params '{\"item_id\":4}'
                              enqueue work for the adapter
  rl-console ls queues        see what is pending
  rl-console help             list the pages of the manual";

const CONFIGURATION: &str = "Configuration:
  Flags, RL_CONSOLE_* variables, ~/.config/rl-console/config.toml and
  /etc/rl-console/config.toml, in this order of precedence.
  `rl-console config show --origin` prints each value and where it came from.";

/// What follows the flags in the long help.
fn after_long_help() -> String {
    let codes = Exit::ALL.map(|(exit, about)| format!("  {}  {about}\n", exit as u8)).concat();
    format!("{FIRST_STEPS}\n\nExit codes:\n{codes}\n{CONFIGURATION}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn the_short_help_of_a_subcommand_leaves_out_what_all_take() {
        let help = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            Cli::read(&args).unwrap_err().to_string()
        };
        for line in ["rl-console ls queues -h", "rl-console hold -h", "rl-console --data d session show -h"] {
            assert!(!help(line).contains("--socket") && help(line).contains("Usage: "), "{}", help(line));
        }
        for line in ["rl-console -h", "rl-console --help", "rl-console hold --help"] {
            assert!(help(line).contains("--socket"), "{line}");
        }
    }

    #[test]
    fn global_flags_stand_before_or_after_the_subcommand() {
        let flags = [
            "--data", "/d", "--pack", "p.toml", "--port", "0", "--bind", "::1", "--json", "--ascii",
            "--on-air",
        ];
        let before = ["rl-console"].iter().chain(&flags).chain(&["ls", "queues"]);
        let after = ["rl-console", "ls", "queues"].iter().chain(&flags).copied().collect::<Vec<_>>();
        let before = Cli::try_parse_from(before).unwrap().global;
        let after = Cli::try_parse_from(after).unwrap().global;
        for global in [before, after] {
            assert_eq!(global.data, Some(PathBuf::from("/d")));
            assert_eq!(global.pack, Some(PathBuf::from("p.toml")));
            assert_eq!(global.port, Some(0));
            assert_eq!(global.bind, Some("::1".parse().unwrap()));
            assert!(global.json && global.ascii && global.on_air);
        }
    }

    #[test]
    fn a_command_line_that_is_not_understood_names_its_station_all_the_same() {
        let flags = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            Global::station_flags_of(&args)
        };
        assert_eq!(flags("rl-console cancel 99 --data d --grpc 5"), "--data d --grpc 127.0.0.1:5 ");
        assert_eq!(flags("rl-console --socket=s=1 nonsense --pack p.toml"), "--pack p.toml --socket s=1 ");
        assert_eq!(flags("rl-console nonsense --grpc x -- --data d"), "");
        assert_eq!(flags("rl-console nonsense --data"), "");
    }

    #[test]
    fn no_subcommand_is_the_console() {
        let cli = Cli::try_parse_from(["rl-console", "--record", "a.mcap"]).unwrap();
        assert!(cli.command.is_none() && !cli.plain);
        assert!(Cli::try_parse_from(["rl-console", "--plain"]).unwrap().plain);
        assert_eq!(cli.record, Some(PathBuf::from("a.mcap")));
    }
}
