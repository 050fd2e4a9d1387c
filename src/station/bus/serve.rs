//! Starts the bus and ends it. It stands apart from the bridge and from the store: one down leaves the others
//! up.

use std::{os::unix::ffi::OsStrExt as _, sync::Arc, thread::JoinHandle, time::Duration};

use tokio::{
    runtime::Runtime,
    sync::{mpsc, watch},
};

use super::{
    down::BusDown,
    entries,
    handle::Bus,
    metrics_publisher,
    operator::{self, Service},
    tokens::{mask_tokens, tokens},
};
use crate::{
    ids::{Peer, PluginId},
    port::wire::StationInfo,
    rmp::{
        self,
        broker::{Broker, Settings},
        host::{Confinement, Request, Setup},
    },
    station::{
        address_file::{AddressFile, FileGuard, PATH_FILE},
        host, host_thread,
        local::{Inner, LocalPort},
        runs,
        supervisor::Foundation,
    },
    tap::entry::{Link, station::Transition},
};

/// How long the bus may take to end.
const STOP_MAX: Duration = Duration::from_secs(1);

/// A bus that is served.
#[derive(Debug)]
pub(super) struct Serving {
    thread: JoinHandle<()>,
    requests: mpsc::Sender<Request>,
    tasks: Vec<tokio::task::AbortHandle>,
    _path_file: FileGuard,
}

impl host::Serving for Serving {
    /// Ends it: intake first, then every connection is told.
    fn stop(self: Box<Self>, inner: &Inner, runtime: &Runtime) {
        inner.hosts.bus.set_down("the station is stopping");
        for task in &self.tasks {
            task.abort();
        }
        let stop = |answer| Request::Stop { answer };
        host_thread::stop(self.thread, &self.requests, stop, runtime, STOP_MAX);
        inner.operators_gone(inner.hosts.bus.next_session());
    }

    fn clear(self: Box<Self>) {
        for task in &self.tasks {
            task.abort();
        }
        let _ = self.thread.join();
    }
}

/// Starts the bus. Why that is not possible is said on every screen, and the station goes on without it.
pub(super) fn start(bus: &Bus, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Serving, String> {
    try_start(bus, inner, foundation).inspect_err(|why| {
        bus.set_down(why);
        BusDown::write(&foundation.config.data, &foundation.lock.watch(), why);
        inner.status.report(Transition::HostDown { link: Link::Rmp }, why);
        tracing::error!("the bus: {why}");
    })
}

fn try_start(bus: &Bus, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Serving, String> {
    let Foundation { config, runtime, lock, .. } = foundation;
    // The tokens of another's folder are not this station's.
    lock.watch().check().map_err(|error| error.to_string())?;
    let clock = inner.clock;
    let made = tokens(&config.data);
    mask_tokens(&config.data, &inner.tap);
    let tokens = made.map_err(|error| error.to_string())?;
    let path = config.socket.as_ref().ok_or("no path for the bus socket: set one with --socket")?;
    let bound = rmp::host::bind(path).map_err(|error| error.to_string())?;
    let recorded = AddressFile::new(foundation, PATH_FILE, path.as_os_str().as_bytes(), "the bus");
    let path_file = recorded.lasting(&inner.status, runtime);
    let limits = config.limits.rmp;
    let settings = Settings {
        limits,
        registry: config.registry.clone(),
        tokens,
        server: server(),
        has_station_inbox: true,
        tally: inner.admission.rmp.clone(),
    };
    let (requests, asked_requests) =
        mpsc::channel(usize::try_from(config.limits.port.commands_max).unwrap_or(1));
    let (asked, questions) = mpsc::channel(usize::try_from(limits.asked_max).unwrap_or(1));
    let (tap_readers, readers) = watch::channel(0);
    let (station_inbox, inbound) = rmp::host::station_inbox(&limits);
    let setup = Setup {
        bound,
        broker: Broker::new(settings, clock.now()),
        tap: inner.tap.clone(),
        clock,
        limits,
        gate: inner.gate.clone(),
        requests: asked_requests,
        operator_requests: asked,
        station_inbox: Some(station_inbox),
        tap_readers,
        next_session: Arc::clone(&bus.next_session),
        uid: rustix::process::geteuid().as_raw(),
        confinement: confinement(inner),
    };
    bus.set_up(path.clone(), requests.clone(), readers.clone());
    BusDown::clear(&config.data, &lock.watch());
    let thread = spawn(setup, inner)?;
    let service = Service {
        port_of: port_of(inner),
        tap: inner.tap.clone(),
        bus: requests.clone(),
        about: about(inner),
        clock,
        limits: config.limits.port,
    };
    let tasks = vec![
        runtime.spawn(metrics_publisher::publish(Arc::downgrade(inner), requests.clone())).abort_handle(),
        runtime.spawn(operator::serve(service, questions)).abort_handle(),
        runtime.spawn(runs::forward(Arc::downgrade(inner), inbound)).abort_handle(),
        runtime
            .spawn(entries::publish(
                inner.tap.clone(),
                requests.clone(),
                readers,
                limits.body_bytes_max,
                clock,
            ))
            .abort_handle(),
    ];
    Ok(Serving { thread, requests, tasks, _path_file: path_file })
}

/// The port as each operator acts through it.
fn port_of(inner: &Arc<Inner>) -> operator::PortOf {
    let inner = Arc::clone(inner);
    Box::new(move |by| Arc::new(LocalPort { inner: Arc::clone(&inner), by }))
}

/// Which station this is. A bus that is started again is still the same one's.
fn about(inner: &Inner) -> StationInfo {
    let (view, _, now) = inner.status.view();
    let pid = std::process::id();
    StationInfo {
        name: view.name(),
        data: view.data.display().to_string(),
        pid,
        start: format!("{}-{pid}", view.started_at.wall.0),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        now,
    }
}

/// Processes of plugins are agents, and one that shows a token is told of.
fn confinement(inner: &Arc<Inner>) -> Confinement {
    let (guards, board) = (inner.hosts.plugins.guards.clone(), inner.status.clone());
    let known = guards.clone();
    let token_ignored = move |peer: &Peer, pid: Option<u32>| {
        let plugin = pid.and_then(|pid| known.plugin_of(pid));
        let id = plugin.as_ref().map_or("PLUGIN", PluginId::as_str);
        let of = plugin.as_ref().map_or_else(|| "a plugin".to_owned(), ToString::to_string);
        let what = format!("{of}: its process ({peer}) showed a token of this station on the bus");
        let text = format!("{what} and stays an agent; `rl-console plugin disable {id}` ends it");
        tracing::error!("{text}");
        board.report(Transition::TokenShown { plugin }, &text);
    };
    Confinement {
        applies_to: Box::new(move |pid| guards.has_below(pid)),
        token_ignored: Box::new(token_ignored),
    }
}

/// What the broker calls itself.
fn server() -> Arc<str> {
    Arc::from(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")))
}

/// The bus's thread. A panic ends the bus alone, and is said on every screen.
fn spawn(setup: Setup, inner: &Arc<Inner>) -> Result<JoinHandle<()>, String> {
    let board = inner.status.clone();
    let inner = Arc::downgrade(inner);
    // Before anything that the bus reports: whoever looks begins anew from here.
    board.report(Transition::HostUp { link: Link::Rmp }, "");
    let serve =
        |runtime: &Runtime| runtime.block_on(rmp::host::run(setup)).map_err(|error| error.to_string());
    let failed = move |why: &str| {
        let why = format!("{why}. Restart it with `rl-console host restart rmp`");
        if let Some(inner) = inner.upgrade() {
            inner.hosts.bus.set_down(&why);
            inner.operators_gone(inner.hosts.bus.next_session());
        }
        board.report(Transition::HostDown { link: Link::Rmp }, &why);
        tracing::error!("the bus: {why}");
    };
    host_thread::spawn("rmp", serve, failed)
}
