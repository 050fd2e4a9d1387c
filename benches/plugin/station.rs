//! A station in this process, whose plugins are children of the benchmark.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use rl_console::{
    ids::PluginId,
    limits::{self, Limits},
    plugin::{self, Channel, StreamCommand, host::HostSettings},
    port::{self, Page, PluginRow, Query, StationPort},
    rmp::Registry,
    runs::engine::AgentsCancel,
    station::{AlertThresholds, Config, PackSource, RUN_TIMEOUT_MS, RecordingSettings, Station},
    time::{Clock, Mono},
};
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::{Result, child, control::Controls};

/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long the reader of the tap pauses, as a console does from frame to frame.
const READ_EVERY: Duration = Duration::from_millis(10);

/// The program that is shipped: the guards are this one.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_rl-console");

/// A station that is running.
pub(crate) struct Running {
    pub(crate) port: Arc<dyn StationPort>,
    pub(crate) controls: Controls,
    pub(crate) folder: TempDir,
    station: Option<Station>,
    /// The reader of the tap, which ends when this is dropped.
    reader: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// The bounds that the rates of the bare side are compared under.
pub(crate) fn fast() -> limits::Plugin {
    limits::Plugin {
        frames_per_s_max: 10_000_000,
        bytes_per_s_max: 10_737_418_240,
        ..limits::Plugin::default()
    }
}

impl Running {
    /// Starts a station that serves no plugins yet.
    pub(crate) async fn start(plugin: limits::Plugin) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let config = Config {
            data: folder.path().join("data"),
            pack: PackSource::Sample,
            bind: [127, 0, 0, 1].into(),
            port: 0,
            broadcaster_login: "local".to_owned(),
            socket: None,
            registry: Registry::default(),
            grpc: None,
            metrics: None,
            openings: folder.path().join("openings"),
            run_timeout_ms: RUN_TIMEOUT_MS,
            mplp_emit: true,
            environment: "live".to_owned(),
            agents_cancel: AgentsCancel::Any,
            alerts: AlertThresholds::default(),
            limits: Limits { plugin, ..Limits::default() },
            plugins: HostSettings { program: PathBuf::from(PROGRAM), nice: 0, ..HostSettings::default() },
            record: None,
            recording: RecordingSettings::default(),
            triggers: Vec::new(),
            is_rehearsal: false,
        };
        // It has a runtime of its own, which cannot be entered from within another.
        let started = std::thread::spawn(move || Station::start(config, Clock::start()));
        let station = started.join().map_err(|_| "the station panicked")??;
        station.ready().await?;
        let port = station.port();
        let controls = Controls::bind(&folder.path().join("control.sock"))?;
        let reader = Some(read_tap(&*port)?);
        let it = Self { port, controls, folder, station: Some(station), reader };
        let channel = Channel {
            channel_id: "1".to_owned(),
            login: "bench".to_owned(),
            display_name: "Bench".to_owned(),
            game_id: None,
            game_name: None,
            started_at: None,
            viewer_count: None,
        };
        it.command(plugin::Command::Stream(StreamCommand::Set { channel })).await?;
        Ok(it)
    }

    /// Does what an operator does.
    pub(crate) async fn command(&self, command: plugin::Command) -> Result<plugin::Outcome> {
        match self.port.command(port::Command::Plugin(command)).await? {
            port::Outcome::Plugin(outcome) => Ok(outcome),
            other => Err(format!("{other:?}").into()),
        }
    }

    /// Serves a folder as it lies.
    pub(crate) async fn serve(&self, folder: &Path) -> Result<()> {
        let folder = folder.to_string_lossy().into_owned();
        self.command(plugin::Command::Serve { folder, grant: None, command: None }).await?;
        Ok(())
    }

    /// Writes the folder of a plugin that is a child of this program.
    pub(crate) fn write_child(&self, name: &str) -> Result<PathBuf> {
        let into = self.folder.path().join(name);
        fs::create_dir_all(&into)?;
        let (program, socket) = (std::env::current_exe()?, self.folder.path().join("control.sock"));
        let (program, socket) = (program.to_string_lossy(), socket.to_string_lossy());
        let line = shlex::try_join([&*program, child::MODE, &*socket, name])?;
        let main = into.join("main.sh");
        fs::write(&main, format!("#!/bin/sh\nexec {line}\n"))?;
        fs::set_permissions(&main, Permissions::from_mode(0o755))?;
        fs::write(into.join("plugin.toml"), manifest(name))?;
        Ok(into)
    }

    pub(crate) async fn rows(&self) -> Result<Vec<PluginRow>> {
        match self.port.query(Query::Plugins).await? {
            Page::Plugins(rows) => Ok(rows),
            _ => Err("a strange page".into()),
        }
    }

    pub(crate) async fn row(&self, name: &str) -> Result<Option<PluginRow>> {
        let id = PluginId::new(name);
        Ok(self.rows().await?.into_iter().find(|row| row.plugin == id))
    }

    /// Waits until so many plugins are up.
    pub(crate) async fn up(&self, count: usize) -> Result<Vec<PluginRow>> {
        let clock = Clock::start();
        loop {
            let rows = self.rows().await?;
            if rows.iter().filter(|row| row.state == "up").count() >= count {
                return Ok(rows);
            }
            if clock.mono() > Mono(0) + PATIENCE {
                return Err(format!("not up: {rows:?}").into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Stops it, its plugins before.
    pub(crate) fn stop(mut self) -> Result<()> {
        if let Some((stop, reader)) = self.reader.take() {
            drop(stop);
            reader.join().map_err(|_| "the reader panicked")?;
        }
        if let Some(station) = self.station.take() {
            std::thread::spawn(move || station.stop()).join().map_err(|_| "the station panicked")?;
        }
        Ok(())
    }
}

/// Reads all entries of the tap, on a thread of its own.
fn read_tap(port: &dyn StationPort) -> Result<(oneshot::Sender<()>, JoinHandle<()>)> {
    let mut reader = port.entries()?;
    let (stop, mut stopped) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let read = async move {
        loop {
            tokio::select! {
                _ = &mut stopped => return,
                () = reader.ready() => {}
            }
            while let Some(batch) = reader.read() {
                std::hint::black_box(batch.len());
            }
            tokio::time::sleep(READ_EVERY).await;
        }
    };
    Ok((stop, std::thread::spawn(move || runtime.block_on(read))))
}

fn manifest(name: &str) -> String {
    format!(
        r#"id = "{name}"
name = "Benchmark"
version = "1.0.0"
author = "rl-console"
tier = "A"
description = "Counts events"
host_min = "7.0.0"

[runtime]
kind = "process"
entry = "main.sh"

[capabilities]
events = ["on_chat_message"]
host_methods = ["get_followed_live"]
credentials = []
ui = []
network = "none"

[contributes]
actions = ["bench.echo"]
"#
    )
}
