//! Simulated plugins on a real station: each behaviour leads to its state, and nothing is left behind.
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rl_console::{
    ids::PluginId,
    plugin::{
        Command, DisableCause, Outcome, PluginView, UnhealthyCause, host::credential::Source, snapshot::State,
    },
    port::{self, StationPort},
    recording::{RecordedItem, read},
    station::{Config, Station},
    tap::recorded::encode,
    time::{Clock, Mono},
};
use serde_json::json;
use tempfile::TempDir;

use crate::{plugin_check::simulated, real};

/// Long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_secs(40);
const TOKEN: &str = "c2ltdWxhdGVkLXRva2VuLW9mLXRoZS1vcGVyYXRvcg";

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// A station with simulated plugins.
struct Stage {
    station: Option<Station>,
    port: Arc<dyn StationPort>,
    folder: TempDir,
}

impl Stage {
    /// Serves a plugin for each id with its behaviour.
    fn with(plugins: &[(&str, &[&str])]) -> Self {
        Self::of(plugins, |_| {})
    }

    fn of(plugins: &[(&str, &[&str])], change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::within(folder.path());
        config.plugins.program = PathBuf::from(env!("CARGO_BIN_EXE_rl-console"));
        for (id, behaviour) in plugins {
            let into = folder.path().join("sim").join(id);
            simulated(&into, &[&["--id", id], *behaviour].concat());
            config.plugins.folders.push(into);
        }
        change(&mut config);
        let station = Station::start(config, Clock::start()).unwrap();
        block_on(station.ready()).unwrap();
        Self { port: station.port(), station: Some(station), folder }
    }

    fn view(&self, id: &str) -> Option<PluginView> {
        let snapshot = block_on(self.port.snapshot()).unwrap();
        snapshot.plugin.plugins.get(&PluginId::from(id)).cloned()
    }

    /// Waits until a plugin is so.
    #[track_caller]
    fn until<T>(&self, id: &str, what: &str, is_so: impl Fn(&PluginView) -> Option<T>) -> T {
        let clock = Clock::start();
        loop {
            let view = self.view(id);
            if let Some(found) = view.as_ref().and_then(&is_so) {
                return found;
            }
            assert!(clock.mono() < Mono(0) + PATIENCE, "{id} is not {what}: {view:#?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    fn until_up(&self, id: &str) {
        self.until(id, "up", |view| matches!(view.state, State::Up(_)).then_some(()));
    }

    /// Waits until its process was ended for this cause.
    #[track_caller]
    fn until_unhealthy(&self, id: &str, cause: UnhealthyCause) -> String {
        let of = |view: &PluginView| {
            let last = view.last.as_ref().filter(|last| last.cause == cause)?;
            Some(last.text.to_string())
        };
        self.until(id, cause.name(), of)
    }

    fn command(&self, command: Command) -> Result<Outcome, port::PortError> {
        match block_on(self.port.command(port::Command::Plugin(command)))? {
            port::Outcome::Plugin(outcome) => Ok(outcome),
            other => panic!("{other:?}"),
        }
    }

    fn invoke(&self, id: &str) -> Outcome {
        let (action, args) = ("sim.echo".to_owned(), json!({"a": [1, "b"]}));
        let plugin = Some(PluginId::from(id));
        self.command(Command::Invoke { action, args, plugin, timeout_ms: 10_000 }).unwrap()
    }

    fn stop(&mut self) {
        self.station.take().unwrap().stop();
    }
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let clock = Clock::start();
    while !is_so() {
        assert!(clock.mono() < Mono(0) + PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_plugin_that_behaves_is_up_with_panel_status_and_actions() {
    let stage = Stage::with(&[("sim.well", &[]), ("sim.seeded", &["--seed", "7"])]);
    for id in ["sim.well", "sim.seeded"] {
        stage.until_up(id);
        let fields = stage.until(id, "shown", |view| Some(view.panel.as_ref()?.fields));
        assert_eq!(fields, 8);
        let status =
            stage.until(id, "of a status", |view| Some(view.slots.get("sim.state")?.value.to_string()));
        assert_eq!(status, "\"up\"");
        let result = json!({"a": [1, "b"]});
        assert_eq!(stage.invoke(id), Outcome::Invoked { plugin: PluginId::from(id), result });
        let view = stage.view(id).unwrap();
        assert_eq!((view.counts.lints, view.counts.refusals()), (0, 0), "{view:#?}");
    }
    let (name, params) = ("on_settings_change".to_owned(), json!({"keys": []}));
    stage.command(Command::Event { plugin: PluginId::from("sim.well"), name, params }).unwrap();
    stage.until("sim.well", "told of it", |view| {
        view.log.iter().any(|line| line.text.contains("on_settings_change")).then_some(())
    });
    let rows = real::json(stage.folder.path(), &["ls", "plugins"]);
    assert!(rows.len() == 2 && rows.iter().all(|row| row["state"] == "up"), "{rows:#?}");
}

#[test]
fn a_process_that_fails_is_started_again_later_and_the_reason_is_shown() {
    let stage = Stage::with(&[
        ("sim.crash", &["--crash-after", "0", "--exit-code", "9"]),
        ("sim.closed", &["--close-stdout"]),
        ("sim.slow", &["--slow-start", "300"]),
        ("sim.refuse", &["--refuse"]),
    ]);
    let why = stage.until_unhealthy("sim.crash", UnhealthyCause::Exited);
    assert!(why.contains('9'), "{why}");
    stage.until_unhealthy("sim.closed", UnhealthyCause::StdoutClosed);
    let cause = stage.until("sim.refuse", "disabled", |view| Some(view.disabled()?.cause));
    assert_eq!(cause, DisableCause::ProtocolVersion);
    stage.until_up("sim.slow");
    stage.until("sim.crash", "restarted", |view| (view.process >= 2).then_some(()));
}

/// It waits as long as the restarts do, 31 s, while others run.
#[test]
fn a_fourth_exit_disables() {
    let stage = Stage::with(&[("sim.crash", &["--crash-after", "0"])]);
    let cause = stage.until("sim.crash", "disabled", |view| Some(view.disabled()?.cause));
    assert_eq!((cause, stage.view("sim.crash").unwrap().process), (DisableCause::RestartLimit, 4));
}

#[test]
fn each_frame_that_cannot_be_read_ends_the_process() {
    const KINDS: [&str; 7] = [
        "no_length",
        "two_lengths",
        "length_not_decimal",
        "no_colon",
        "headers_too_long",
        "body_too_long",
        "end_in_frame",
    ];
    let named = KINDS.map(|kind| (format!("sim.{}", kind.replace('_', "-")), ["--bad-frame", kind]));
    let plugins: Vec<_> = named.iter().map(|(id, flags)| (id.as_str(), &flags[..])).collect();
    let stage = Stage::with(&plugins);
    for (id, _) in plugins {
        stage.until_unhealthy(id, UnhealthyCause::BrokenFrame);
    }
}

#[test]
fn a_flood_is_throttled_and_others_are_served() {
    let stage = Stage::with(&[
        ("sim.logs", &["--flood", "logs"]),
        ("sim.requests", &["--flood", "requests"]),
        ("sim.frames", &["--flood", "frames"]),
        ("sim.well", &[]),
    ]);
    stage.until_up("sim.well");
    for id in ["sim.logs", "sim.requests", "sim.frames"] {
        stage.until(id, "busy", |view| (view.counts.frames_in > 5_000).then_some(()));
    }
    for _ in 0..20 {
        assert!(matches!(stage.invoke("sim.well"), Outcome::Invoked { .. }));
    }
    assert!(matches!(stage.view("sim.logs").unwrap().state, State::Up(_)), "a flood is no reason to end it");
}

/// All files below a folder that have these bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if kind.is_file() && memchr::memmem::find(&fs::read(&path).unwrap(), bytes).is_some() {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_credential_is_asked_for_and_what_brings_it_back_is_masked() {
    let plugins: &[(&str, &[&str])] =
        &[("sim.allowed", &["--ask-credential"]), ("sim.denied", &["--ask-credential"])];
    let mut stage = Stage::of(plugins, |config| {
        let source = Source::Command(format!("printf {TOKEN}"));
        config.plugins.sources = BTreeMap::from([("twitch.android".into(), source)]);
        config.record = Some(config.data.join("out.mcap"));
    });
    let mut tap = stage.port.entries().unwrap();
    for id in ["sim.allowed", "sim.denied"] {
        stage.until(id, "asking", |view| view.asked.as_ref().map(drop));
    }
    stage.command(Command::Allow { plugin: PluginId::from("sim.allowed"), always: false }).unwrap();
    stage.command(Command::Deny { plugin: PluginId::from("sim.denied") }).unwrap();
    let status = |view: &PluginView| Some(view.slots.get("sim.state")?.value.to_string());
    stage.until("sim.denied", "denied", |view| status(view)?.contains("consent_denied").then_some(()));
    stage.until("sim.allowed", "handed it", |view| status(view)?.contains("token").then_some(()));
    let lines = |view: &PluginView| view.log.iter().filter(|line| line.text.contains("the token is")).count();
    stage.until("sim.allowed", "logged twice", |view| (lines(view) >= 2).then_some(()));
    let snapshot = block_on(stage.port.snapshot()).unwrap();
    assert!(!format!("{snapshot:?}").contains(TOKEN), "the snapshot has the token");
    let mut entries = 0;
    let has_token = |bytes: &[u8]| memchr::memmem::find(bytes, TOKEN.as_bytes()).is_some();
    while let Some(batch) = tap.read() {
        for entry in batch.iter() {
            entries += 1;
            let shown = format!("{:?} {}", entry.entry, entry.text());
            assert!(!has_token(shown.as_bytes()) && !has_token(entry.bytes), "{shown}");
        }
    }
    assert!(entries > 0);
    let recording = stage.folder.path().join("out.mcap");
    stage.stop();
    for recorded in read(&recording).unwrap() {
        let bytes = match recorded.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => bytes,
            RecordedItem::Entry(entry) => encode(entry.as_ref()),
        };
        assert!(!has_token(&bytes));
    }
    assert_eq!(files_with(stage.folder.path(), TOKEN.as_bytes()), Vec::<PathBuf>::new());
}

/// The processes that have this argument, besides those that pass it on.
fn sleeping(seed: u64) -> Vec<String> {
    let mark = (1_000_000_000 + seed).to_string();
    let lines = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        line.split(|byte| *byte == 0)
            .any(|word| word == mark.as_bytes())
            .then(|| entry.file_name().to_string_lossy().into_owned())
    });
    lines.collect()
}

fn seed(nth: u64) -> u64 {
    (u64::from(std::process::id()) * 8 + nth) % 1_000_000_000
}

#[test]
fn nothing_is_left_of_a_plugin_that_is_disabled_or_whose_station_stops() {
    let (disabled, stopped) = (seed(0), seed(1));
    let (one, other) = (disabled.to_string(), stopped.to_string());
    let mut stage = Stage::with(&[
        ("sim.disabled", &["--fork", "--seed", &one]),
        ("sim.stopped", &["--fork", "--seed", &other, "--ignore-exit"]),
    ]);
    until("both have children", || sleeping(disabled).len() >= 3 && sleeping(stopped).len() >= 3);
    stage.command(Command::Disable { plugin: PluginId::from("sim.disabled") }).unwrap();
    stage.until("sim.disabled", "disabled", |view| view.disabled().map(drop));
    until("nothing is left of the disabled one", || sleeping(disabled).is_empty());
    assert!(sleeping(stopped).len() >= 3, "the other one is left alone");
    stage.stop();
    assert_eq!(sleeping(stopped), Vec::<String>::new());
}

#[test]
fn nothing_is_left_of_a_plugin_whose_station_is_killed() {
    let mark = seed(2);
    let mut stage = Stage::with(&[]);
    let into = stage.folder.path().join("sim");
    simulated(&into, &["--id", "sim.left", "--fork", "--seed", &mark.to_string()]);
    let folder = into.to_str().unwrap().to_owned();
    stage.command(Command::Install { folder, grant: None, command: None }).unwrap();
    until("it has children", || sleeping(mark).len() >= 3);
    stage.stop();
    assert_eq!(sleeping(mark), Vec::<String>::new());
    let station = real::Station::start(stage.folder.path());
    until("it has children again", || sleeping(mark).len() >= 3);
    station.kill();
    until("nothing is left", || sleeping(mark).is_empty());
}
