//! What a station is started with, every value resolved.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use super::{alerts::AlertThresholds, recording::RecordingSettings};
use crate::{
    limits::Limits, plugin::host::HostSettings, port::TriggerSpec, rmp::Registry, runs::engine::AgentsCancel,
};

/// How long a run may take where nothing else is said (ruling RMP 14).
pub const RUN_TIMEOUT_MS: u64 = 300_000;

/// What a station is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The data folder; made if it is missing.
    pub data: PathBuf,
    /// The pack in force.
    pub pack: PackSource,
    /// Where the MPP port is bound.
    pub bind: IpAddr,
    /// The MPP port; 0 takes any.
    pub port: u16,
    /// What `hello_ack` says (ruling MPP 14).
    pub broadcaster_login: String,
    /// Where the bus's socket is bound (ruling RMP 15); without one there is no bus.
    pub socket: Option<PathBuf>,
    /// The schemas of the bus.
    pub registry: Registry,
    /// Where the MACP port is bound; there is none when absent. Port 0 takes any.
    pub grpc: Option<SocketAddr>,
    /// Where the metrics are read; nowhere when absent. Port 0 takes any.
    pub metrics: Option<SocketAddr>,
    /// The folder in which openings are looked up that others nest (ruling RMP 14); it need not be there.
    pub openings: PathBuf,
    /// Milliseconds that a run may take whose opening does not say (ruling RMP 14).
    pub run_timeout_ms: u64,
    /// Whose runs an agent may cancel.
    pub agents_cancel: AgentsCancel,
    /// Whether runs, and sessions of theirs, are told on the bus as lifecycle records.
    pub mplp_emit: bool,
    /// After how long what lasts is cause for an alert.
    pub alerts: AlertThresholds,
    /// `root.environment` of every Context of a lifecycle record.
    pub environment: String,
    /// Every bound.
    pub limits: Limits,
    /// How plugins are run.
    pub plugins: HostSettings,
    /// The recording to begin with.
    pub record: Option<PathBuf>,
    /// How it records.
    pub recording: RecordingSettings,
    /// What it looks for, and does then.
    pub triggers: Vec<TriggerSpec>,
    /// Whether faults may be made on purpose.
    pub is_rehearsal: bool,
}

impl Config {
    /// A station of the sample pack that is a folder's alone: its data, its openings and its bus are there,
    /// its MPP and MACP ports are any that are free, and its metrics are read nowhere.
    #[must_use]
    pub fn within(folder: &Path) -> Self {
        Self {
            data: folder.to_path_buf(),
            pack: PackSource::Sample,
            bind: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            broadcaster_login: "local".to_owned(),
            socket: Some(folder.join("rmp.sock")),
            registry: Registry::default(),
            grpc: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            metrics: None,
            openings: folder.join("openings"),
            run_timeout_ms: RUN_TIMEOUT_MS,
            agents_cancel: AgentsCancel::Any,
            mplp_emit: true,
            alerts: AlertThresholds::default(),
            environment: "live".to_owned(),
            limits: Limits::default(),
            plugins: HostSettings::default(),
            record: None,
            recording: RecordingSettings::default(),
            triggers: Vec::new(),
            is_rehearsal: false,
        }
    }
}

/// Where a pack comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackSource {
    /// The sample that is part of the program.
    Sample,
    /// This `pack.toml`.
    File(PathBuf),
}
