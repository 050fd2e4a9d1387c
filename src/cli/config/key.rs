//! Every configuration key in one table.

use super::value::{Kind, Value};
use crate::{cli::env, console::input::Keymap, limits::Limits, station::RecordingSettings, words::nearest};

/// The version of the host that is emulated (ruling Plugins 3).
const HOST_VERSION: &str = "7.8.6";

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// As it is written in a file, its tables joined by dots.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) kind: Kind,
    /// A shorter variable than the one derived from its name.
    pub(crate) alias: Option<&'static str>,
    /// The flag that sets it.
    pub(crate) flag: Option<&'static str>,
    /// What it means.
    pub(crate) doc: &'static str,
}

impl Key {
    /// The data folder.
    pub(crate) const DATA: &'static str = "data";
    /// The pack in force.
    pub(crate) const PACK: &'static str = "mpp.pack";
    /// The MPP port.
    pub(crate) const PORT: &'static str = "mpp.port";
    /// The MPP address.
    pub(crate) const BIND: &'static str = "mpp.bind";
    /// What `hello_ack` says.
    pub(crate) const LOGIN: &'static str = "mpp.broadcaster_login";
    /// Where the MACP port is bound, and where the command line finds it.
    pub(crate) const GRPC: &'static str = "macp.grpc";
    /// Where the metrics are read.
    pub(crate) const METRICS: &'static str = "metrics.addr";
    /// The bus's socket.
    pub(crate) const SOCKET: &'static str = "rmp.socket";
    /// The bus's socket, as Runloop's tools name it.
    pub(crate) const SOCKET_PATH: &'static str = "runtime.socket_path";
    /// The folder of the bus's socket, as Runloop's tools name it.
    pub(crate) const SOCKETS_DIR: &'static str = "runtime.sockets_dir";
    /// Schemas beside the shipped ones.
    pub(crate) const REGISTRY: &'static str = "rmp.registry";
    /// The theme.
    pub(crate) const THEME: &'static str = "console.theme";
    /// Plain characters.
    pub(crate) const ASCII: &'static str = "console.ascii";
    /// The mouse.
    pub(crate) const MOUSE: &'static str = "console.mouse";
    /// Masks logins, chat text and payload values.
    pub(crate) const ON_AIR: &'static str = "console.on_air";
    /// The named filters.
    pub(crate) const FILTERS: &'static str = "console.filters";
    /// What the keys of actions have in front of the action's name.
    pub(crate) const KEYS: &'static str = "console.keys.";
    /// What a hang-up does.
    pub(crate) const ON_HANGUP: &'static str = "console.on_hangup";

    /// When an adapter that left is missed.
    pub(crate) const ADAPTER_GONE: &'static str = "console.alerts.adapter_gone_s";
    /// When the head of a queue has waited too long.
    pub(crate) const HEAD_WAITING: &'static str = "console.alerts.head_waiting_s";
    /// The bell.
    pub(crate) const BELL: &'static str = "console.alerts.bell";
    /// Desktop notifications.
    pub(crate) const DESKTOP: &'static str = "console.alerts.desktop";

    /// The folder of openings that others nest.
    pub(crate) const OPENINGS: &'static str = "runs.openings";
    /// How long a run may take.
    pub(crate) const RUN_TIMEOUT: &'static str = "runs.timeout_ms";
    /// Whose runs an agent may cancel.
    pub(crate) const AGENTS_CANCEL: &'static str = "runs.agents_cancel";

    /// Whether runs are told on the bus as lifecycle records.
    pub(crate) const EMIT: &'static str = "mplp.emit";
    /// What a Context says the station's environment is.
    pub(crate) const ENVIRONMENT: &'static str = "mplp.environment";

    /// The nice value of plugins.
    pub(crate) const NICE: &'static str = "plugins.nice";
    /// The version of the host that plugins are given.
    pub(crate) const HOST_VERSION: &'static str = "plugins.host_version";
    /// Whether plugins are started with the station.
    pub(crate) const START: &'static str = "plugins.start";
    /// The folders of plugins that are served as they lie.
    pub(crate) const FOLDERS: &'static str = "plugins.folders";
    /// The program that prints the credential `twitch.android`.
    pub(crate) const TWITCH_COMMAND: &'static str = "plugins.twitch_android.command";
    /// The variable that holds it.
    pub(crate) const TWITCH_ENV: &'static str = "plugins.twitch_android.env";

    const PLUGINS: [Self; 6] = [
        Self {
            name: Self::START,
            kind: Kind::Flag,
            alias: None,
            flag: Some("--no-plugins"),
            doc: "start plugins with the station; --no-plugins sets it to false",
        },
        Self {
            name: Self::FOLDERS,
            kind: Kind::Paths,
            alias: None,
            flag: Some("--plugins"),
            doc: "folders of plugins to run without installing them: each has a plugin.toml, or folders with \
                  one",
        },
        Self {
            name: Self::HOST_VERSION,
            kind: Kind::Version,
            alias: None,
            flag: None,
            doc: "the version of the StreamNook host that plugins are given; a plugin whose host_min is newer \
                  is refused",
        },
        Self {
            name: Self::NICE,
            kind: Kind::Integer { min: 0, max: 19 },
            alias: None,
            flag: None,
            doc: "the nice value of the processes of plugins",
        },
        Self {
            name: Self::TWITCH_COMMAND,
            kind: Kind::CommandLine,
            alias: None,
            flag: None,
            doc: "the command that prints the credential twitch.android: a token, or a JSON object with \
                  token, client_id, user_id, device_id and expires_at; run for each handover",
        },
        Self {
            name: Self::TWITCH_ENV,
            kind: Kind::Text,
            alias: None,
            flag: None,
            doc: "the variable in the station's environment that has the credential twitch.android; ignored \
                  when plugins.twitch_android.command is set",
        },
    ];

    const PLAIN: [Self; 26] = [
        Self::path(Self::DATA, None, Some("--data"), "the data folder"),
        Self::path(
            Self::PACK,
            Some("RL_CONSOLE_PACK"),
            Some("--pack"),
            "the pack.toml to run; when absent, the built-in sample pack",
        ),
        Self {
            name: Self::PORT,
            kind: Kind::Integer { min: 0, max: 65_535 },
            alias: Some("RL_CONSOLE_PORT"),
            flag: Some("--port"),
            doc: "the TCP port for adapters; 0 picks a free one",
        },
        Self {
            name: Self::BIND,
            kind: Kind::Address,
            alias: Some("RL_CONSOLE_BIND"),
            flag: Some("--bind"),
            doc: "the address to bind the port to",
        },
        Self {
            name: Self::LOGIN,
            kind: Kind::Text,
            alias: None,
            flag: None,
            doc: "the broadcaster_login sent in hello_ack",
        },
        Self {
            name: Self::GRPC,
            kind: Kind::Endpoint,
            alias: Some("RL_CONSOLE_GRPC"),
            flag: Some("--grpc"),
            doc: "the address of the MACP port (gRPC sessions of agents); port 0 picks a free one",
        },
        Self {
            name: Self::METRICS,
            kind: Kind::Endpoint,
            alias: Some("RL_CONSOLE_METRICS"),
            flag: Some("--metrics"),
            doc: "the address to serve Prometheus metrics on; when absent, metrics are not served",
        },
        Self::path(
            Self::SOCKET,
            Some("RL_CONSOLE_SOCKET"),
            Some("--socket"),
            "the Unix socket of the bus; when absent, rmp.sock in the data folder if one is given, else \
             ~/.runloop/sock/rmp.sock",
        ),
        Self {
            name: Self::SOCKET_PATH,
            kind: Kind::PathOrNone,
            alias: None,
            flag: None,
            doc: "the only socket that clients try (rmp-v0 §12); \"\" for none",
        },
        Self {
            name: Self::SOCKETS_DIR,
            kind: Kind::PathOrNone,
            alias: None,
            flag: None,
            doc: "the folder where clients look for rmp.sock (rmp-v0 §12); \"\" for none",
        },
        Self {
            name: Self::REGISTRY,
            kind: Kind::Schemas,
            alias: None,
            flag: None,
            doc: "custom RMP schemas: schema_id = \"<family>.<kind>.v<N>\", or \"<family>.*\" for every \
                  type of a family",
        },
        Self::path(
            Self::OPENINGS,
            None,
            None,
            "the folder of openings, also searched for nested ones; when absent, openings/ in the data \
             folder",
        ),
        Self {
            name: Self::RUN_TIMEOUT,
            kind: Kind::Integer { min: 1, max: 604_800_000 },
            alias: None,
            flag: None,
            doc: "timeout in milliseconds of runs whose opening has no policy.timeout_ms",
        },
        Self {
            name: Self::AGENTS_CANCEL,
            kind: Kind::Choice(&["any", "own"]),
            alias: None,
            flag: None,
            doc: "which runs an agent may cancel: any, or only those submitted on its own bus session",
        },
        Self {
            name: Self::EMIT,
            kind: Kind::Flag,
            alias: None,
            flag: None,
            doc: "publish runs on the bus as lifecycle records, on rlp/runs/<trace>/mplp",
        },
        Self {
            name: Self::ENVIRONMENT,
            kind: Kind::Text,
            alias: None,
            flag: None,
            doc: "the environment that exported lifecycle records name in their context, such as live or test",
        },
        Self {
            name: Self::THEME,
            kind: Kind::Text,
            alias: None,
            flag: Some("--theme"),
            doc: "the console's theme: a built-in one, or the name of a file in themes/ of the \
                  configuration folder",
        },
        Self {
            name: Self::ASCII,
            kind: Kind::Flag,
            alias: None,
            flag: Some("--ascii"),
            doc: "draw with ASCII characters only; defaults to true when the locale is not UTF-8",
        },
        Self { name: Self::MOUSE, kind: Kind::Flag, alias: None, flag: None, doc: "capture the mouse" },
        Self {
            name: Self::ON_AIR,
            kind: Kind::Flag,
            alias: Some("RL_CONSOLE_ON_AIR"),
            flag: Some("--on-air"),
            doc: "start with logins, chat text and payload values masked",
        },
        Self {
            name: Self::ON_HANGUP,
            kind: Kind::Choice(&["stay", "exit"]),
            alias: None,
            flag: None,
            doc: "action of the station when the console's terminal is lost",
        },
        Self {
            name: Self::ADAPTER_GONE,
            kind: Kind::Integer { min: 0, max: 86_400 },
            alias: None,
            flag: None,
            doc: "seconds without an adapter, after one was connected, until an alert; 0 disables it",
        },
        Self {
            name: Self::HEAD_WAITING,
            kind: Kind::Integer { min: 0, max: 86_400 },
            alias: None,
            flag: None,
            doc: "seconds that the oldest item of a queue may wait, unless held, until an alert; 0 disables it",
        },
        Self {
            name: Self::BELL,
            kind: Kind::Flag,
            alias: None,
            flag: None,
            doc: "ring the terminal bell once for a new alert",
        },
        Self {
            name: Self::DESKTOP,
            kind: Kind::Choice(&["off", "osc9", "osc777"]),
            alias: None,
            flag: None,
            doc: "send a desktop notification of a new alert through the terminal, by OSC 9 or OSC 777",
        },
        Self {
            name: Self::FILTERS,
            kind: Kind::Filters,
            alias: None,
            flag: None,
            doc: "custom filters, each a table NAME with key, pane and filter",
        },
    ];

    const fn path(
        name: &'static str,
        alias: Option<&'static str>,
        flag: Option<&'static str>,
        doc: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Path, alias, flag, doc }
    }

    /// Every key, limits last.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let limits = Limits::BOUNDS.iter().map(|bound| Self {
            name: bound.key,
            kind: Kind::Integer { min: bound.min, max: bound.max },
            alias: None,
            flag: None,
            doc: bound.doc,
        });
        let keys =
            Keymap::names().map(|(name, doc)| Self { name, kind: Kind::Keys, alias: None, flag: None, doc });
        Self::PLAIN.into_iter().chain(Self::PLUGINS).chain(Self::RECORDING).chain(keys).chain(limits)
    }

    /// The key with this name, or with one that it had in an earlier version.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::all().find(|key| key.name == name || key.old_names().any(|old| old == name))
    }

    /// The names that it had in earlier versions.
    pub(crate) fn old_names(self) -> impl Iterator<Item = String> {
        Keymap::old_names(self.name)
    }

    /// Every variable that sets it, the first that is there counts: a short one, its own, those of its
    /// earlier names.
    pub(crate) fn variables(self) -> impl Iterator<Item = String> {
        let own = self.alias.map(str::to_owned).into_iter().chain([self.variable()]);
        own.chain(self.old_names().map(|old| variable(&old)))
    }

    /// The tables that hold keys, by name.
    pub(crate) fn tables() -> Vec<String> {
        let tables =
            Self::all().filter_map(|key| key.name.rsplit_once('.')).map(|(table, _)| table.to_owned());
        tables.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// What to do about a text that it does not take.
    pub(crate) fn hint(self, text: &str) -> String {
        let near = nearest(text, self.kind.accepted_values());
        near.map_or_else(|| self.doc.trim().to_owned(), |near| format!("did you mean {near:?}?"))
    }

    /// The variable that sets it: `RL_CONSOLE_` and its name, with `_` for what a variable's name cannot
    /// have.
    pub(crate) fn variable(self) -> String {
        variable(self.name)
    }

    /// What holds when nothing is said.
    pub(crate) fn default(self, data: Option<&std::path::Path>) -> Value {
        match self.name {
            Self::DATA => data.map_or(Value::Absent, |data| Value::Text(data.to_string_lossy().into_owned())),
            Self::GRPC => Value::Text("127.0.0.1:50051".to_owned()),
            Self::PORT => Value::Integer(7777),
            Self::RUN_TIMEOUT => Value::Integer(crate::station::RUN_TIMEOUT_MS),
            Self::AGENTS_CANCEL => Value::Text("any".to_owned()),
            Self::BIND => Value::Text("127.0.0.1".to_owned()),
            Self::LOGIN => Value::Text("local".to_owned()),
            Self::THEME => Value::Text("midnight".to_owned()),
            Self::ENVIRONMENT => Value::Text("live".to_owned()),
            Self::HOST_VERSION => Value::Text(HOST_VERSION.to_owned()),
            Self::ASCII | Self::ON_AIR | Self::RECORD_ALWAYS => Value::Flag(false),
            Self::ROTATE_BYTES => Value::Integer(RecordingSettings::default().rotate_bytes),
            Self::ROTATE_S => Value::Integer(RecordingSettings::default().rotate_s),
            Self::KEEP_BYTES => Value::Integer(RecordingSettings::default().keep_bytes),
            Self::KEEP_DAYS => Value::Integer(RecordingSettings::default().keep_days),
            Self::PREROLL => Value::Integer(RecordingSettings::default().preroll_s),
            Self::MOUSE | Self::BELL | Self::START | Self::EMIT => Value::Flag(true),
            Self::ON_HANGUP => Value::Text("stay".to_owned()),
            Self::ADAPTER_GONE | Self::NICE => Value::Integer(5),
            Self::HEAD_WAITING => Value::Integer(30),
            Self::DESKTOP => Value::Text("off".to_owned()),
            Self::REGISTRY | Self::FOLDERS | Self::REDACT => Value::List(Vec::new()),
            Self::FILTERS => Value::Filters(Vec::new()),
            Self::TRIGGERS => Value::Triggers(Vec::new()),
            name => match Keymap::defaults(name) {
                Some(keys) => Value::List(keys),
                None => Limits::default().value(name).map_or(Value::Absent, Value::Integer),
            },
        }
    }
}

/// The variable of a key with this name.
fn variable(name: &str) -> String {
    format!("{}{}", env::PREFIX, name.replace(['.', '-'], "_").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_own_key() {
        for key in Key::all() {
            match key.default(Some(std::path::Path::new("/d"))) {
                Value::Absent => {
                    let optional = [
                        Key::PACK,
                        Key::METRICS,
                        Key::SOCKET,
                        Key::SOCKET_PATH,
                        Key::SOCKETS_DIR,
                        Key::OPENINGS,
                        Key::TWITCH_COMMAND,
                        Key::TWITCH_ENV,
                    ];
                    assert!(optional.contains(&key.name), "{}", key.name);
                }
                value => assert!(key.kind.check(value).is_ok(), "{}", key.name),
            }
            assert!(!key.doc.is_empty(), "{}", key.name);
        }
    }

    #[test]
    fn names_and_variables_are_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for key in Key::all() {
            assert!(seen.insert(key.name.to_owned()), "{}", key.name);
            assert!(seen.insert(key.variable()), "{}", key.name);
            assert!(key.alias.is_none_or(|alias| seen.insert(alias.to_owned())), "{}", key.name);
        }
        assert_eq!(
            Key::find("limits.tap.readers_max").unwrap().variable(),
            "RL_CONSOLE_LIMITS_TAP_READERS_MAX"
        );
    }

    #[test]
    fn a_typo_finds_its_key_and_nonsense_none() {
        let names = || Key::all().map(|key| key.name);
        assert_eq!(nearest("mpp.prot", names()), Some("mpp.port"));
        assert_eq!(nearest("console.them", names()), Some("console.theme"));
        assert_eq!(nearest("zzz", names()), None);
    }
}
