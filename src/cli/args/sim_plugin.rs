//! The flags of the simulated plugin.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `sim plugin`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SimPluginArgs {
    /// The folder to create, with a plugin.toml and an entry that runs this program.
    #[arg(long, value_name = "DIR", required_unless_present = "speak")]
    pub(crate) into: Option<PathBuf>,

    /// Be the plugin: speak the protocol on stdin and stdout.
    #[arg(long, hide = true, conflicts_with = "into")]
    pub(crate) speak: bool,

    /// The plugin's id.
    #[arg(long, value_name = "ID", default_value = "sim.plugin")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) behaviour: SimPluginBehaviour,
}

/// How the simulated plugin departs from the specification; without any of these it does not.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct SimPluginBehaviour {
    /// Exit this many seconds after the handshake, with the code of --exit-code, or 1.
    #[arg(long, value_name = "S", value_parser = crate::words::seconds)]
    pub(crate) crash_after: Option<u64>,

    /// Exit with this code, also when asked to exit.
    #[arg(long, value_name = "N")]
    pub(crate) exit_code: Option<u8>,

    /// Never answer `ping`.
    #[arg(long)]
    pub(crate) hang_pings: bool,

    /// Read nothing after the handshake.
    #[arg(long)]
    pub(crate) stop_reading: bool,

    /// Send as much as possible after the handshake: log lines, requests, or unknown notifications.
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) flood: Option<SimFlood>,

    /// Wait this many milliseconds before `initialize` is answered.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=600_000))]
    pub(crate) slow_start: Option<u64>,

    /// Answer `initialize` with -32600, as for an unsupported protocol version.
    #[arg(long)]
    pub(crate) refuse: bool,

    /// Never answer `shutdown`.
    #[arg(long)]
    pub(crate) ignore_shutdown: bool,

    /// Keep running after `exit`.
    #[arg(long)]
    pub(crate) ignore_exit: bool,

    /// Close stdout after the handshake and keep running.
    #[arg(long)]
    pub(crate) close_stdout: bool,

    /// Leave processes running: one in the group, one in its own session, one after a double fork. Each is
    /// `sleep` with 1000000000 seconds plus the seed.
    #[arg(long)]
    pub(crate) fork: bool,

    /// Send a frame that cannot be read after the handshake.
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) bad_frame: Option<SimBadFrame>,

    /// Ask for the Twitch login, and repeat the token in the log, a notice, a status slot and on stderr.
    #[arg(long)]
    pub(crate) ask_credential: bool,

    /// Draw delays, levels and values with this seed; the same seed draws the same [default: no delays].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1_000_000_000))]
    pub(crate) seed: Option<u64>,
}

/// What a simulated plugin sends too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimFlood {
    /// `log`.
    Logs,
    /// `get_followed_live`.
    Requests,
    /// A notification of an unknown method.
    Frames,
}

/// How a frame of a simulated plugin cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum SimBadFrame {
    /// No Content-Length.
    NoLength,
    /// Two Content-Length headers.
    TwoLengths,
    /// A length that is not a decimal number.
    LengthNotDecimal,
    /// A header line without a colon.
    NoColon,
    /// Headers over 4,096 bytes.
    HeadersTooLong,
    /// A body over 4,194,304 bytes.
    BodyTooLong,
    /// The end of stdout within a frame.
    EndInFrame,
}

impl SimPluginBehaviour {
    /// The flags that give this behaviour.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut value = |name: &str, value: Option<String>| {
            flags.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        let name = |value: clap::builder::PossibleValue| value.get_name().to_owned();
        let seconds = |ms: u64| format!("{}.{:03}", ms / 1_000, ms % 1_000);
        value("--crash-after", self.crash_after.map(seconds));
        value("--exit-code", self.exit_code.map(|code| code.to_string()));
        value("--flood", self.flood.and_then(|flood| flood.to_possible_value()).map(name));
        value("--slow-start", self.slow_start.map(|ms| ms.to_string()));
        value("--bad-frame", self.bad_frame.and_then(|kind| kind.to_possible_value()).map(name));
        value("--seed", self.seed.map(|seed| seed.to_string()));
        for (is_set, flag) in [
            (self.hang_pings, "--hang-pings"),
            (self.stop_reading, "--stop-reading"),
            (self.refuse, "--refuse"),
            (self.ignore_shutdown, "--ignore-shutdown"),
            (self.ignore_exit, "--ignore-exit"),
            (self.close_stdout, "--close-stdout"),
            (self.fork, "--fork"),
            (self.ask_credential, "--ask-credential"),
        ] {
            flags.extend(is_set.then(|| flag.to_owned()));
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::plugin::Violation;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        args: SimPluginArgs,
    }

    #[test]
    fn the_flags_of_a_behaviour_give_the_same_behaviour() {
        let line = "sim --speak --id a.b --crash-after 1.500 --exit-code 7 --flood logs --slow-start 20 \
                    --bad-frame no_colon --seed 9 --hang-pings --stop-reading --refuse --ignore-shutdown \
                    --ignore-exit --close-stdout --fork --ask-credential";
        let Alone { args } = Alone::try_parse_from(line.split_whitespace()).unwrap();
        let flags = args.behaviour.flags();
        assert_eq!(flags.join(" "), line.split_once("a.b ").unwrap().1.replace("  ", " "));
    }

    #[test]
    fn each_violation_has_its_bad_frame() {
        let names: Vec<_> = SimBadFrame::value_variants()
            .iter()
            .map(|kind| kind.to_possible_value().unwrap().get_name().to_owned())
            .collect();
        assert_eq!(names, Violation::ALL.map(Violation::name));
    }
}
