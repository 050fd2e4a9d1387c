//! The plugin host of a real station, with simulated plugins as processes of their own.

use std::{path::Path, time::Duration};

use rl_console::{
    ids::PluginId,
    plugin::{Channel, Command, Outcome, Refusal, StreamCommand},
    port::{self, Operator, Page, PluginRow, PortError, Query},
    station::OperatorClient,
    time::Clock,
};
use serde_json::json;
use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;

use crate::real::{Station, cli};

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A station with one simulated plugin, served from its folder.
struct PluginStation {
    folder: TempDir,
    station: Station,
    runtime: Runtime,
    client: OperatorClient,
    plugin: PluginId,
}

impl PluginStation {
    fn serving(behaviour: &[&str]) -> Self {
        let folder = tempdir().unwrap();
        let station = Station::start(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(OperatorClient::connect(folder.path())).unwrap();
        let mut it = Self { folder, station, runtime, client, plugin: PluginId::new("") };
        it.plugin = it.serve("sim.plugin", behaviour);
        it
    }

    /// Serves another simulated plugin.
    fn serve(&self, id: &str, behaviour: &[&str]) -> PluginId {
        let into = self.folder.path().join(id);
        let args = ["sim", "plugin", "--id", id, "--into", into.to_str().unwrap()];
        let made = cli(self.folder.path(), &[&args, behaviour].concat());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let folder = into.to_str().unwrap().to_owned();
        let served = self.command(Command::Serve { folder, grant: None, command: None }).unwrap();
        let Outcome::Installed { plugin, .. } = served else { panic!("{served:?}") };
        plugin
    }

    fn command(&self, command: Command) -> Result<Outcome, Refusal> {
        match self.runtime.block_on(self.client.command(port::Command::Plugin(command))) {
            Ok(port::Outcome::Plugin(outcome)) => Ok(outcome),
            Err(PortError::Plugin(refusal)) => Err(refusal),
            other => panic!("{other:?}"),
        }
    }

    fn row_of(&self, plugin: &PluginId) -> Option<PluginRow> {
        let page = self.runtime.block_on(self.client.query(Query::Plugins)).unwrap();
        let Page::Plugins(rows) = page else { panic!("{page:?}") };
        rows.into_iter().find(|row| row.plugin == *plugin)
    }

    fn row(&self) -> Option<PluginRow> {
        self.row_of(&self.plugin)
    }

    /// The plugin, once it is so.
    fn when(&self, what: &str, is_so: impl Fn(&PluginRow) -> bool) -> PluginRow {
        until(|| format!("{what}: {:?}", self.row()), || self.row().filter(|row| is_so(row)))
    }

    fn up(&self) -> PluginRow {
        self.when("up", |row| row.state == "up")
    }

    fn log(&self) -> String {
        let log = self.folder.path().join("plugins").join(self.plugin.as_str()).join("log/plugin.log");
        std::fs::read_to_string(log).unwrap_or_default()
    }
}

/// Whether a process is there whose command line has this text.
fn is_running(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|it| std::fs::read(it.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(text))
}

fn wait_until_gone(text: &str) {
    until(|| format!("{text} is still running"), || (!is_running(text)).then_some(()));
}

/// What is there at last.
fn until<T>(missing: impl Fn() -> String, found: impl Fn() -> Option<T>) -> T {
    let clock = Clock::start();
    let deadline = clock.mono() + PATIENCE;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(clock.mono() < deadline, "{}", missing());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn channel(login: &str) -> Channel {
    serde_json::from_value(json!({ "login": login })).unwrap()
}

#[test]
fn a_plugin_is_up_shown_and_ended_with_the_station() {
    let it = PluginStation::serving(&[]);
    let row = it.up();
    assert!(row.pid.is_some() && row.granted.contains(&"on_watch_tick".to_owned()), "{row:?}");
    let folder = it.folder.path().join("sim.plugin");
    let unique = folder.to_str().unwrap().to_owned();
    assert!(is_running(&unique), "its processes are below a guard");
    let stopped = cli(it.folder.path(), &["stop", "--force"]);
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    wait_until_gone(&unique);
}

#[test]
fn an_action_is_answered_and_an_event_reaches_it() {
    let it = PluginStation::serving(&[]);
    it.up();
    let invoke = Command::Invoke {
        action: "sim.echo".to_owned(),
        args: json!({"a": 1}),
        plugin: None,
        timeout_ms: 10_000,
    };
    let outcome = it.command(invoke).unwrap();
    let Outcome::Invoked { plugin, result } = outcome else { panic!("{outcome:?}") };
    assert_eq!((plugin, &result["a"]), (it.plugin.clone(), &json!(1)), "{result}");
    let set = StreamCommand::Set { channel: channel("alice") };
    assert_eq!(it.command(Command::Stream(set)), Ok(Outcome::Delivered { receivers: 1 }));
    until(|| it.log(), || it.log().contains("on_stream_start").then_some(()));
}

#[test]
fn what_is_killed_is_started_again_after_a_second() {
    let it = PluginStation::serving(&[]);
    let first = it.up().pid.unwrap();
    let guard = rustix::process::Pid::from_raw(i32::try_from(first).unwrap()).unwrap();
    rustix::process::kill_process(guard, rustix::process::Signal::KILL).unwrap();
    let again = it.when("started again", |row| row.state == "up" && row.pid != Some(first));
    assert_eq!(again.restarts, 1);
}

#[test]
fn a_broken_frame_is_told_with_what_it_was() {
    let it = PluginStation::serving(&["--bad-frame", "two_lengths"]);
    let row = it.when("unhealthy", |row| row.reason.is_some());
    assert!(row.reason.as_deref().unwrap().contains("Content-Length"), "{row:?}");
}

#[test]
fn another_version_disables_it() {
    let it = PluginStation::serving(&["--refuse"]);
    let row = it.when("disabled", |row| row.state == "disabled");
    assert_eq!(row.disabled, Some(rl_console::plugin::DisableCause::ProtocolVersion));
}

#[test]
fn what_it_started_is_gone_when_it_is_disabled_and_when_the_station_is_killed() {
    let it = PluginStation::serving(&["--fork"]);
    it.up();
    let unique = it.folder.path().join("sim.plugin").to_str().unwrap().to_owned();
    it.command(Command::Disable { plugin: it.plugin.clone() }).unwrap();
    it.when("disabled", |row| row.state == "disabled");
    wait_until_gone(&unique);
    it.command(Command::Enable { plugin: it.plugin.clone() }).unwrap();
    it.up();
    assert!(is_running(&unique));
    it.station.kill();
    wait_until_gone(&unique);
}

#[test]
fn an_installed_plugin_is_there_after_a_restart_and_is_removed_with_its_files() {
    let mut it = PluginStation::serving(&[]);
    it.up();
    let folder = it.folder.path().join("sim.plugin").to_str().unwrap().to_owned();
    it.command(Command::Unserve { plugin: it.plugin.clone() }).unwrap();
    let installed = it.command(Command::Install { folder, grant: None, command: None }).unwrap();
    assert!(matches!(installed, Outcome::Installed { replaced: None, .. }), "{installed:?}");
    it.up();
    let stopped = cli(it.folder.path(), &["stop", "--force"]);
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    it.station = Station::start(it.folder.path());
    it.client = it.runtime.block_on(OperatorClient::connect(it.folder.path())).unwrap();
    it.up();
    let own = it.folder.path().join("plugins/sim.plugin");
    assert!(Path::new(&own).join("pkg/plugin.toml").exists());
    it.command(Command::Remove { plugin: it.plugin.clone(), purge: true }).unwrap();
    assert!(!own.exists() && it.row().is_none());
}

#[test]
fn a_manifest_that_is_mended_is_read_again_when_it_is_enabled() {
    let mut it = PluginStation::serving(&[]);
    it.up();
    let folder = it.folder.path().join("sim.plugin").to_str().unwrap().to_owned();
    it.command(Command::Unserve { plugin: it.plugin.clone() }).unwrap();
    it.command(Command::Install { folder, grant: None, command: None }).unwrap();
    it.up();
    assert!(cli(it.folder.path(), &["stop", "--force"]).status.success());
    let manifest = it.folder.path().join("plugins/sim.plugin/pkg/plugin.toml");
    let valid = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, valid.replace("tier =", "tear =")).unwrap();
    it.station = Station::start(it.folder.path());
    it.client = it.runtime.block_on(OperatorClient::connect(it.folder.path())).unwrap();
    let row = it.when("disabled", |row| row.state == "disabled");
    assert!(row.reason.as_deref().unwrap().contains("tier"), "{row:?}");
    let enable = || it.command(Command::Enable { plugin: it.plugin.clone() });
    assert!(enable().unwrap_err().to_string().contains("tier"));
    std::fs::write(&manifest, valid).unwrap();
    enable().unwrap();
    assert!(it.up().granted.contains(&"on_watch_tick".to_owned()), "what it was granted before");
}

#[test]
fn a_folder_of_the_configuration_that_is_no_plugin_is_told_with_its_fault() {
    let folder = tempdir().unwrap();
    let bad = folder.path().join("bad");
    std::fs::create_dir(&bad).unwrap();
    std::fs::write(bad.join("plugin.toml"), "id = 3").unwrap();
    let _station = Station::start_with(folder.path(), &["--plugins", bad.to_str().unwrap()]);
    let log = folder.path().join("home/state");
    until(|| "it is not told".to_owned(), || holds(&log, "bad is not served").then_some(()));
}

/// Values are in the store by the plugin's id, however it is there.
#[test]
fn the_values_of_a_served_panel_are_there_after_a_restart_of_the_station() {
    let mut it = PluginStation::serving(&[]);
    it.up();
    let detail = |it: &PluginStation| {
        let page = it.runtime.block_on(it.client.query(Query::Plugin { plugin: it.plugin.clone() })).unwrap();
        let Page::Plugin(detail) = page else { panic!("{page:?}") };
        detail.unwrap().detail
    };
    let panel = |it: &PluginStation| {
        until(|| "no panel".to_owned(), || Some(detail(it)).filter(|it| it.panel.is_some())).values
    };
    panel(&it);
    let value = Some(json!("a place of its own"));
    it.command(Command::Set { plugin: it.plugin.clone(), key: "greeting".to_owned(), value: value.clone() })
        .unwrap();
    assert!(cli(it.folder.path(), &["stop", "--force"]).status.success());
    it.station = Station::start(it.folder.path());
    it.client = it.runtime.block_on(OperatorClient::connect(it.folder.path())).unwrap();
    let folder = it.folder.path().join("sim.plugin").to_str().unwrap().to_owned();
    it.command(Command::Serve { folder, grant: None, command: None }).unwrap();
    it.up();
    assert_eq!(panel(&it).get("greeting"), value.as_ref());
}

/// Without its operator's rights a plugin is an agent on the bus, whatever it reads in the data folder.
#[test]
fn a_process_of_a_plugin_is_an_agent_on_the_bus_whatever_token_it_shows() {
    let it = PluginStation::serving(&[]);
    it.up();
    let folder = it.folder.path().join("thief");
    std::fs::create_dir(&folder).unwrap();
    let manifest = std::fs::read_to_string(it.folder.path().join("sim.plugin/plugin.toml")).unwrap();
    std::fs::write(folder.join("plugin.toml"), manifest.replace("sim.plugin", "sim.thief")).unwrap();
    let (said, data) = (folder.join("said"), it.folder.path().display());
    let binary = env!("CARGO_BIN_EXE_rl-console");
    let script = format!("{binary} --data {data} hold default > {0} 2>&1; echo ended >> {0}", said.display());
    let command = Some(format!("sh -c {}", shlex_quoted(&script)));
    let folder = folder.to_str().unwrap().to_owned();
    it.command(Command::Serve { folder, grant: None, command }).unwrap();
    let read = || std::fs::read_to_string(&said).unwrap_or_default();
    until(read, || read().contains("ended").then_some(()));
    let held = crate::real::json(it.folder.path(), &["ls", "queues"]);
    assert!(held.iter().all(|queue| queue["held"] != true), "{held:?}: {}", read());
    let log = it.folder.path().join("home/state");
    until(read, || holds(&log, "showed a token of this station").then_some(()));
    let alerts = || crate::real::json(it.folder.path(), &["ls", "alerts", "--filter", "alert:token_shown"]);
    let subject = until(read, || Some(alerts().first()?["subject"].clone()));
    assert_eq!(subject, "sim.thief");
}

/// Whether a file below a folder has a text.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, text);
        }
        std::fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
    })
}

/// A text as one word of a command line.
fn shlex_quoted(text: &str) -> String {
    format!("'{text}'")
}
