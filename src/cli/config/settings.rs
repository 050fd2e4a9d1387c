//! The configuration as typed values.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use super::{
    ConfigError, ConfigFault,
    key::Key,
    plugins::PluginSettings,
    report,
    resolve::{Origin, Resolved},
    value::{Value, endpoint},
};
use crate::{
    cli::{
        args::Global,
        env::{self, Env},
    },
    console::{
        input::Keymap,
        settings::{AlertRules, Desktop},
    },
    limits::Limits,
    port::TriggerSpec,
    rmp::Registry,
    runs::engine::AgentsCancel,
    station,
    station::{AlertThresholds, PackSource, RecordingSettings},
};

/// Where the MACP port is unless another address is named (macp-v1, Transport).
const GRPC: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 50_051);

/// What decides where clients find the bus, and by what right, besides the configuration's values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Discovery {
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// Whether a flag or a variable names the data folder.
    pub(crate) names_data: bool,
    /// Whether anything names the address of the MACP port.
    pub(crate) names_grpc: bool,
    /// What flags name.
    pub(crate) by_flag: ByFlag,
    /// The file of the token to show.
    pub(crate) token_file: Option<PathBuf>,
    /// What this program calls itself to a station, where something else than its own name.
    pub(crate) client: Option<String>,
}

/// Addresses that flags name: they go before what a station has recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByFlag {
    /// The MACP port's.
    pub(crate) grpc: bool,
    /// The bus's socket.
    pub(crate) socket: bool,
    /// The MPP port, or what it is bound to.
    pub(crate) port: bool,
}

impl Discovery {
    /// What the flags and the environment say.
    pub(crate) fn of(flags: &Global, env: &Env, resolved: &Resolved) -> Self {
        let names_data = matches!(resolved.origin(Key::DATA), Some(Origin::Flag(_) | Origin::Variable(_)));
        let names_grpc = resolved.origin(Key::GRPC).is_some_and(|origin| *origin != Origin::Default);
        Self {
            home: env.home.clone(),
            names_data,
            names_grpc,
            by_flag: ByFlag {
                grpc: flags.grpc.is_some(),
                socket: flags.socket.is_some(),
                port: flags.port.is_some() || flags.bind.is_some(),
            },
            token_file: flags.token_file.clone(),
            client: env.ours.get(env::CLIENT).cloned(),
        }
    }
}

/// Every value that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own")]
pub(crate) struct Settings {
    /// The data folder; absent where there is no home folder and none was named.
    pub(crate) data: Option<PathBuf>,
    /// The pack in force.
    pub(crate) pack: PackSource,
    /// The MPP port.
    pub(crate) port: u16,
    /// The address it is bound to.
    pub(crate) bind: IpAddr,
    /// What `hello_ack` says.
    pub(crate) broadcaster_login: String,
    /// Where the MACP port is bound.
    pub(crate) grpc: SocketAddr,
    /// Where the metrics are read.
    pub(crate) metrics: Option<SocketAddr>,
    /// The bus's socket, where one is named.
    pub(crate) socket: Option<PathBuf>,
    /// The data folder, where somebody named one.
    pub(crate) named_data: Option<PathBuf>,
    /// What else decides where clients find the bus, and by what right.
    pub(crate) discovery: Discovery,
    /// Where clients find the bus and nowhere else, if that is said.
    pub(crate) socket_path: Option<PathBuf>,
    /// The folder in which clients find the bus, if that is said.
    pub(crate) sockets_dir: Option<PathBuf>,
    /// The folder of openings that others nest.
    pub(crate) openings: Option<PathBuf>,
    /// What a Context says the station's environment is.
    pub(crate) mplp_environment: String,
    /// Whether runs are told on the bus as lifecycle records.
    pub(crate) mplp_emit: bool,
    /// How long a run may take whose opening does not say.
    pub(crate) run_timeout_ms: u64,
    /// Whose runs an agent may cancel.
    pub(crate) agents_cancel: AgentsCancel,
    /// The schemas of RMP, with those of the user's own.
    pub(crate) registry: Registry,
    /// The console's theme.
    pub(crate) theme: String,
    /// Whether the console draws with plain characters.
    pub(crate) ascii: bool,
    /// Whether the console takes the mouse.
    pub(crate) mouse: bool,
    /// Whether logins, chat text and payload values are masked from the start.
    pub(crate) on_air: bool,
    /// Which key means what.
    pub(crate) keymap: Keymap,
    /// How the operator hears of alerts.
    pub(crate) alerts: AlertRules,
    /// After how long what lasts is cause for an alert.
    pub(crate) alert_thresholds: AlertThresholds,
    /// What a hang-up does to the station.
    pub(crate) on_hangup: OnHangup,
    /// How plugins are run.
    pub(crate) plugins: PluginSettings,
    /// What a station looks for, and does then.
    pub(crate) triggers: Vec<TriggerSpec>,
    /// How a station records.
    pub(crate) recording: RecordingSettings,
    /// Every value in force, for what is recorded.
    pub(crate) in_force: String,
    /// Whether a station that is started is for a rehearsal.
    pub(crate) is_rehearsal: bool,
    /// The recording that is asked in the place of a station.
    pub(crate) asked: Option<AskedRecording>,
    /// Every bound.
    pub(crate) limits: Limits,
}

/// A recording that is asked in the place of a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AskedRecording {
    /// The files, or folders of files; one at least.
    pub(crate) paths: Vec<PathBuf>,
    /// The place that is asked about, as it was written; none is the end.
    pub(crate) at: Option<String>,
}

/// What a hang-up of the console's terminal does to its station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnHangup {
    /// It goes on, headless.
    Stay,
    /// It stops.
    Exit,
}

fn agents_cancel(word: Option<&str>) -> AgentsCancel {
    if word == Some("own") { AgentsCancel::Own } else { AgentsCancel::Any }
}

impl Settings {
    /// Reads the typed values; every value was judged by its key's kind before.
    pub(crate) fn of(resolved: &Resolved) -> Self {
        let text = |name: &str| match resolved.value(name) {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        let path = |name: &str| text(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let integer = |name: &str| match resolved.value(name) {
            Value::Integer(number) => Some(*number),
            _ => None,
        };
        let flag = |name: &str| matches!(resolved.value(name), Value::Flag(true));
        let mut limits = Limits::default();
        for bound in Limits::BOUNDS {
            if let Some(value) = integer(bound.key) {
                // The range was judged when the value was read, by the same bound.
                limits.set(bound.key, value).unwrap_or_default();
            }
        }
        let mut registry = Registry::default();
        if let Value::List(entries) = resolved.value(Key::REGISTRY) {
            for entry in entries {
                // Judged when the value was read.
                registry.add_entry(entry).unwrap_or_default();
            }
        }
        Self {
            data: text(Key::DATA).map(PathBuf::from),
            pack: text(Key::PACK).map_or(PackSource::Sample, |path| PackSource::File(PathBuf::from(path))),
            port: integer(Key::PORT).and_then(|port| u16::try_from(port).ok()).unwrap_or(7777),
            bind: text(Key::BIND).and_then(|text| text.parse().ok()).unwrap_or(Ipv4Addr::LOCALHOST.into()),
            broadcaster_login: text(Key::LOGIN).unwrap_or_default(),
            grpc: text(Key::GRPC).and_then(|text| endpoint(&text).ok()).unwrap_or(GRPC),
            metrics: text(Key::METRICS).and_then(|text| endpoint(&text).ok()),
            named_data: resolved
                .origin(Key::DATA)
                .filter(|origin| **origin != Origin::Default)
                .and(text(Key::DATA))
                .map(PathBuf::from),
            discovery: Discovery::default(),
            socket: path(Key::SOCKET),
            socket_path: path(Key::SOCKET_PATH),
            sockets_dir: path(Key::SOCKETS_DIR),
            openings: path(Key::OPENINGS),
            mplp_environment: text(Key::ENVIRONMENT).unwrap_or_default(),
            mplp_emit: flag(Key::EMIT),
            run_timeout_ms: integer(Key::RUN_TIMEOUT).unwrap_or(station::RUN_TIMEOUT_MS),
            agents_cancel: agents_cancel(text(Key::AGENTS_CANCEL).as_deref()),
            registry,
            theme: text(Key::THEME).unwrap_or_default(),
            ascii: flag(Key::ASCII),
            mouse: flag(Key::MOUSE),
            on_air: flag(Key::ON_AIR),
            // Judged when the values were resolved.
            keymap: resolved.keymap().unwrap_or_default(),
            alert_thresholds: AlertThresholds {
                adapter_gone_s: integer(Key::ADAPTER_GONE).unwrap_or(0),
                head_waiting_s: integer(Key::HEAD_WAITING).unwrap_or(0),
            },
            alerts: AlertRules { bell: flag(Key::BELL), desktop: desktop(text(Key::DESKTOP).as_deref()) },
            on_hangup: on_hangup(text(Key::ON_HANGUP).as_deref()),
            plugins: PluginSettings::of(resolved),
            triggers: triggers(resolved),
            recording: recording(resolved),
            in_force: report::in_force(resolved),
            is_rehearsal: false,
            asked: None,
            limits,
        }
    }

    /// The data folder, as an absolute path.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn data(&self) -> Result<PathBuf, ConfigError> {
        let data = self.data.as_ref().ok_or_else(|| ConfigFault {
            location: "data".to_owned(),
            what: "no home folder to store the data in".to_owned(),
            hint: "choose a folder with --data DIR".to_owned(),
        })?;
        Ok(std::path::absolute(data).unwrap_or_else(|_| data.clone()))
    }

    /// Where a station binds the bus: the socket that is named, else `rmp.sock` in the data folder that is
    /// named, else below the home folder, else the machine's (ruling RMP 15).
    fn bus_socket(&self, home: Option<&Path>) -> Result<PathBuf, ConfigError> {
        const NAME: &str = "rmp.sock";
        if let Some(socket) = &self.socket {
            return Ok(socket.clone());
        }
        if self.named_data.is_some() {
            return Ok(self.data()?.join(NAME));
        }
        let machine = || Path::new("/run/runloop").join(NAME);
        Ok(home.map_or_else(machine, |home| home.join(".runloop/sock").join(NAME)))
    }

    /// What a station is started with.
    ///
    /// # Errors
    /// When there is no data folder, or a folder of plugins has none.
    pub(crate) fn station(
        &self,
        record: Option<PathBuf>,
        home: Option<&Path>,
    ) -> Result<station::Config, ConfigError> {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let pack = match &self.pack {
            PackSource::Sample => PackSource::Sample,
            PackSource::File(path) => PackSource::File(absolute(path.clone())),
        };
        let attachments = report::attachments(&self.in_force, &pack, &self.registry);
        let report = report::source(self.data()?);
        Ok(station::Config {
            data: self.data()?,
            pack,
            bind: self.bind,
            port: self.port,
            broadcaster_login: self.broadcaster_login.clone(),
            socket: Some(absolute(self.bus_socket(home)?)),
            registry: self.registry.clone(),
            grpc: Some(self.grpc),
            metrics: self.metrics,
            openings: self.openings()?,
            run_timeout_ms: self.run_timeout_ms,
            agents_cancel: self.agents_cancel,
            mplp_emit: self.mplp_emit,
            alerts: self.alert_thresholds,
            environment: self.mplp_environment.clone(),
            limits: self.limits,
            plugins: self.plugins.host()?,
            record: record.map(absolute),
            triggers: self.triggers.clone(),
            recording: RecordingSettings { attachments, report, ..self.recording.clone() },
            is_rehearsal: self.is_rehearsal,
        })
    }

    /// The folder in which openings are looked for that others nest: `runs.openings`, else `openings` in the
    /// data folder.
    ///
    /// # Errors
    /// When there is no data folder.
    pub(crate) fn openings(&self) -> Result<PathBuf, ConfigError> {
        match &self.openings {
            Some(folder) => Ok(std::path::absolute(folder).unwrap_or_else(|_| folder.clone())),
            None => Ok(self.data()?.join("openings")),
        }
    }
}

fn on_hangup(word: Option<&str>) -> OnHangup {
    if word == Some("exit") { OnHangup::Exit } else { OnHangup::Stay }
}

fn triggers(resolved: &Resolved) -> Vec<TriggerSpec> {
    match resolved.value(Key::TRIGGERS) {
        Value::Triggers(all) => all.clone(),
        _ => Vec::new(),
    }
}

/// How a station records; what it reports of itself is known to who starts it.
fn recording(resolved: &Resolved) -> RecordingSettings {
    let shipped = RecordingSettings::default();
    let integer = |name: &str, shipped: u64| match resolved.value(name) {
        Value::Integer(number) => *number,
        _ => shipped,
    };
    RecordingSettings {
        always: matches!(resolved.value(Key::RECORD_ALWAYS), Value::Flag(true)),
        rotate_bytes: integer(Key::ROTATE_BYTES, shipped.rotate_bytes),
        rotate_s: integer(Key::ROTATE_S, shipped.rotate_s),
        keep_bytes: integer(Key::KEEP_BYTES, shipped.keep_bytes),
        keep_days: integer(Key::KEEP_DAYS, shipped.keep_days),
        preroll_s: integer(Key::PREROLL, shipped.preroll_s),
        redact: match resolved.value(Key::REDACT) {
            Value::List(rules) => rules.clone(),
            _ => Vec::new(),
        },
        ..shipped
    }
}

fn desktop(name: Option<&str>) -> Desktop {
    match name {
        Some("osc9") => Desktop::Osc9,
        Some("osc777") => Desktop::Osc777,
        _ => Desktop::Off,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_values_follow_the_resolved_ones() {
        let mut env = Env { data_dir: Some(PathBuf::from("/d")), ..Env::default() };
        let of = |env: &Env| Settings::of(&Resolved::resolve(&Global::default(), env).unwrap());
        let plain = of(&env);
        assert_eq!(plain.limits, Limits::default());
        assert_eq!(
            (plain.port, plain.pack, plain.on_hangup, plain.mouse),
            (7777, PackSource::Sample, OnHangup::Stay, true)
        );
        env.ours.insert("RL_CONSOLE_LIMITS_TAP_READERS_MAX".to_owned(), "5".to_owned());
        env.ours.insert("RL_CONSOLE_CONSOLE_ON_HANGUP".to_owned(), "exit".to_owned());
        env.ours.insert("RL_CONSOLE_RUNS_AGENTS_CANCEL".to_owned(), "own".to_owned());
        env.ours.insert("RL_CONSOLE_MPLP_EMIT".to_owned(), "false".to_owned());
        assert_eq!(plain.alerts, AlertRules::default(), "the keys' defaults are the console's own");
        assert_eq!(plain.alert_thresholds, AlertThresholds::default(), "and the station's");
        for (name, value) in
            [("ADAPTER_GONE_S", "0"), ("HEAD_WAITING_S", "7"), ("BELL", "off"), ("DESKTOP", "osc777")]
        {
            env.ours.insert(format!("RL_CONSOLE_CONSOLE_ALERTS_{name}"), value.to_owned());
        }
        let set = of(&env);
        assert_eq!(set.alerts, AlertRules { bell: false, desktop: Desktop::Osc777 });
        assert_eq!(set.alert_thresholds, AlertThresholds { adapter_gone_s: 0, head_waiting_s: 7 });
        assert_eq!(set.limits.tap.readers_max, 5);
        assert_eq!((plain.mplp_emit, set.mplp_emit), (true, false));
        assert_eq!((plain.agents_cancel, set.agents_cancel), (AgentsCancel::Any, AgentsCancel::Own));
        env.ours.insert("RL_CONSOLE_RMP_REGISTRY".to_owned(), "0x1000=artifact.map.tile.v1".to_owned());
        assert!(
            of(&env).registry.schema(crate::rmp::SchemaId(4_096)).is_some()
                && set.registry == Registry::default()
        );
        assert_eq!(set.on_hangup, OnHangup::Exit);
    }

    #[test]
    fn no_home_and_no_data_folder_says_what_to_do() {
        let settings = Settings::of(&Resolved::resolve(&Global::default(), &Env::default()).unwrap());
        assert!(settings.data().unwrap_err().hint().contains("--data"));
    }

    #[test]
    fn a_station_binds_where_ruling_15_says() {
        let home = Path::new("/h");
        let named = Some(PathBuf::from("/d"));
        let cases = [
            (Some("/s"), named.clone(), Some(home), "/s"),
            (None, named.clone(), Some(home), "/d/rmp.sock"),
            (None, None, Some(home), "/h/.runloop/sock/rmp.sock"),
            (None, None, None, "/run/runloop/rmp.sock"),
        ];
        for (socket, data, home, expected) in cases {
            let env = Env { data_dir: Some("/default".into()), ..Env::default() };
            let flags = Global { socket: socket.map(PathBuf::from), data, ..Global::default() };
            let settings = Settings::of(&Resolved::resolve(&flags, &env).unwrap());
            assert_eq!(settings.bus_socket(home).unwrap(), Path::new(expected));
        }
    }
}
