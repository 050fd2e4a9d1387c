//! A station of the real binary with plugins that a test writes.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use rl_console::{
    ids::PluginId,
    plugin::{Command, Outcome, Refusal, StreamCommand},
    port::{self, Operator as _, Page, PluginRow, PortError, Query},
    station::OperatorClient,
    time::Clock,
};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;

use super::{Station, cli};

/// How long a test waits for something that must come: long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What scripts begin with: `recv` reads a frame into `$body`, `send` writes one, `up` does the handshake.
const PRELUDE: &str = r#"#!/bin/sh
cr=$(printf '\r')
recv() { read -r head || exit 0; n=${head#*: }; read -r _; body=$(head -c "${n%"$cr"}"); }
send() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
up() {
  recv
  send '{"jsonrpc":"2.0","id":1,"result":{"plugin_version":"1","hooks":["on_chat_message"]}}'
  recv
}
"#;

/// A station in a process of its own, and an operator of it.
pub(crate) struct PluginStation {
    pub(crate) folder: TempDir,
    pub(crate) station: Option<Station>,
    runtime: Runtime,
    client: OperatorClient,
}

impl PluginStation {
    pub(crate) fn start() -> Self {
        Self::configured("")
    }

    /// With this `config.toml`.
    pub(crate) fn configured(config: &str) -> Self {
        Self::with(config, &[])
    }

    pub(crate) fn with(config: &str, flags: &[&str]) -> Self {
        let folder = tempdir().unwrap();
        let home = folder.path().join("home/config/rl-console");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("config.toml"), config).unwrap();
        let station = Station::start_with(folder.path(), flags);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(OperatorClient::connect(folder.path())).unwrap();
        Self { folder, station: Some(station), runtime, client }
    }

    /// The folder that a plugin is served from.
    pub(crate) fn source(&self, id: &str) -> PathBuf {
        self.folder.path().join("sources").join(id)
    }

    /// The plugin's own folder.
    pub(crate) fn own(&self, id: &str) -> PathBuf {
        self.folder.path().join("plugins").join(id)
    }

    pub(crate) fn log(&self, id: &str) -> String {
        fs::read_to_string(self.own(id).join("log/plugin.log")).unwrap_or_default()
    }

    /// Serves a plugin of one file that the test writes, with these arguments. It asks for everything.
    pub(crate) fn serve_file(
        &self,
        id: &str,
        (file, text): (&str, &str),
        args: &[&str],
        grant: Option<&[&str]>,
    ) {
        write(&self.source(id), id, (file, text), args);
        self.serve(id, grant);
    }

    /// Serves a shell script, which has `recv`, `send` and `up`.
    pub(crate) fn serve_script(&self, id: &str, text: &str, args: &[&str]) {
        self.serve_file(id, ("main", &script(text)), args, None);
    }

    /// Serves a simulated plugin.
    pub(crate) fn serve_simulated(&self, id: &str, behaviour: &[&str]) {
        let source = self.source(id);
        let args = ["sim", "plugin", "--id", id, "--into", source.to_str().unwrap()];
        let made = cli(self.folder.path(), &[&args, behaviour].concat());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        self.serve(id, None);
    }

    fn serve(&self, id: &str, grant: Option<&[&str]>) {
        let folder = self.source(id).to_str().unwrap().to_owned();
        let grant = grant.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let served = self.command(Command::Serve { folder, grant, command: None }).unwrap();
        assert!(matches!(served, Outcome::Installed { .. }), "{served:?}");
    }

    pub(crate) fn command(&self, command: Command) -> Result<Outcome, Refusal> {
        match self.runtime.block_on(self.client.command(port::Command::Plugin(command))) {
            Ok(port::Outcome::Plugin(outcome)) => Ok(outcome),
            Err(PortError::Plugin(refusal)) => Err(refusal),
            other => panic!("{other:?}"),
        }
    }

    /// Declares something of the stream; to how many plugins it went.
    pub(crate) fn stream(&self, command: StreamCommand) -> u64 {
        match self.command(Command::Stream(command)).unwrap() {
            Outcome::Delivered { receivers } => receivers,
            _ => 0,
        }
    }

    pub(crate) fn invoke(&self, id: &str, action: &str, args: Value) -> Result<Value, Refusal> {
        self.invoke_within(id, action, args, 60_000)
    }

    pub(crate) fn invoke_within(
        &self,
        id: &str,
        action: &str,
        args: Value,
        timeout_ms: u64,
    ) -> Result<Value, Refusal> {
        let (action, plugin) = (action.to_owned(), Some(PluginId::from(id)));
        match self.command(Command::Invoke { action, args, plugin, timeout_ms })? {
            Outcome::Invoked { result, .. } => Ok(result),
            other => panic!("{other:?}"),
        }
    }

    /// Whether a simulated plugin answers.
    #[track_caller]
    pub(crate) fn answers(&self, id: &str) {
        let args = json!({"a": [1, "b"]});
        assert_eq!(self.invoke(id, "sim.echo", args.clone()), Ok(args), "{id} answers");
    }

    pub(crate) fn row(&self, id: &str) -> Option<PluginRow> {
        let page = self.runtime.block_on(self.client.query(Query::Plugins)).unwrap();
        let Page::Plugins(rows) = page else { panic!("{page:?}") };
        rows.into_iter().find(|row| row.plugin.as_str() == id)
    }

    /// The plugin, once it is so.
    #[track_caller]
    pub(crate) fn when(&self, id: &str, what: &str, is_so: impl Fn(&PluginRow) -> bool) -> PluginRow {
        let row = || self.row(id);
        until(|| format!("{id} is not {what}: {:#?}", row()), || row().filter(|row| is_so(row)))
    }

    #[track_caller]
    pub(crate) fn when_up(&self, id: &str) -> PluginRow {
        self.when(id, "up", |row| row.state == "up")
    }
}

/// A shell script that has `recv`, `send` and `up`.
pub(crate) fn script(text: &str) -> String {
    format!("{PRELUDE}{text}\n")
}

/// Writes a plugin of one file, which asks for everything.
pub(crate) fn write(folder: &Path, id: &str, (file, text): (&str, &str), args: &[&str]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("plugin.toml"), manifest(id, file, args)).unwrap();
    fs::write(folder.join(file), text).unwrap();
    fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o755)).unwrap();
}

fn manifest(id: &str, entry: &str, args: &[&str]) -> String {
    let args = serde_json::to_string(args).unwrap();
    format!(
        r#"id = "{id}"
name = "{id}"
version = "0.1.0"
author = "Test"
tier = "A"
description = ""
host_min = "7.0.0"
[runtime]
kind = "process"
entry = "{entry}"
args = {args}
[capabilities]
events = ["on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick", "on_followed_live",
  "on_chat_message", "on_settings_change", "on_panel_change"]
host_methods = ["get_followed_live", "set_upstream", "notify", "log", "register_panel", "get_panel_values"]
credentials = ["twitch.android"]
ui = ["panel"]
[contributes]
actions = ["client.echo", "client.fail", "client.call", "client.credential"]
status = ["client.state"]
"#
    )
}

/// What is there at last.
#[track_caller]
pub(crate) fn until<T>(missing: impl Fn() -> String, mut found: impl FnMut() -> Option<T>) -> T {
    let clock = Clock::start();
    let deadline = clock.mono() + PATIENCE;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(clock.mono() < deadline, "{}", missing());
        std::thread::sleep(Duration::from_millis(10));
    }
}
