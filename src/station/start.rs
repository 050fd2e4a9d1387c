//! Start and end of a station. Start returns at once, so that a screen can be painted; the hosts come up behind it.

use std::{
    fs,
    net::SocketAddr,
    panic::AssertUnwindSafe,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{
    runtime::Runtime,
    sync::{Semaphore, mpsc, oneshot, watch},
};

use super::{
    board::Board,
    config::{Config, PackSource},
    housekeeping,
    local::{Inner, LocalPort, Running, Startup},
    operator, pairing,
    recorder::Recording,
};
use crate::{
    mpp::{
        self, Bridge, Listener, Settings, TokenHash,
        host::{Request, Setup},
        manifest::{self, ManifestError, Pack},
    },
    port::{PortError, StationPort},
    store::{Lock, Store, StoreError},
    tap::{
        Tap,
        entry::{
            Link,
            station::{Level, Transition},
        },
    },
    time::Clock,
};

/// How long the bridge may take to end.
const HOST_STOP_MAX: Duration = Duration::from_secs(1);

/// Why a station did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another one holds the data folder.
    #[error("{} is held by another rl-console{}", .data.display(), .pid.map_or_else(String::new, |pid| format!(" (process {pid})")))]
    Held {
        /// The data folder.
        data: PathBuf,
        /// The holder's process.
        pid: Option<u32>,
    },
    /// The pack cannot be used.
    #[error("the pack {} has {} error(s)", .path.display(), .errors.len())]
    Pack {
        /// Its manifest.
        path: PathBuf,
        /// Everything that is wrong with it.
        errors: Vec<ManifestError>,
    },
    /// The hosts did not come up.
    #[error("{0}")]
    Failed(String),
}

/// What answers once a station is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Where the bridge listens, or why it does not.
    pub mpp: Result<SocketAddr, String>,
}

/// A station in this process. [`Station::stop`] ends it in order.
#[derive(Debug)]
pub struct Station {
    inner: Arc<Inner>,
    startup: watch::Sender<Startup>,
    opening: Option<JoinHandle<()>>,
    parts: Arc<Mutex<Option<Parts>>>,
}

/// What has to be ended, in the order of its end.
#[derive(Debug)]
struct Parts {
    hosts: Runtime,
    mpp: mpsc::Sender<Request>,
    mpp_thread: JoinHandle<()>,
    store: Store,
    running: Arc<Running>,
    socket: PathBuf,
}

impl Station {
    /// Takes the data folder and reads the pack, then starts everything else behind it.
    ///
    /// # Errors
    /// [`StartError`]; what fails later is told by [`Station::ready`] and on every screen.
    pub fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let lock = Lock::take(&config.data).map_err(|error| match error {
            StoreError::Held { data, by_pid } => StartError::Held { data, pid: by_pid },
            error => StartError::Failed(error.to_string()),
        })?;
        let pack = Arc::new(load(&config.pack)?);
        let tap = Tap::new(config.limits.tap);
        let (startup, started) = watch::channel(Startup::Starting);
        let waits = Semaphore::new(usize::try_from(config.limits.port.waits_max).unwrap_or(usize::MAX));
        let board = Board::new(&config.data, tap.clone(), clock);
        let inner = Arc::new(Inner { startup: started, board, tap, clock, limits: config.limits, waits });
        let parts = Arc::new(Mutex::new(None));
        let opening = {
            let (inner, startup, parts) = (Arc::clone(&inner), startup.clone(), Arc::clone(&parts));
            let open = move || match open(&inner, &config, lock, pack) {
                Ok(opened) => {
                    let running = Arc::clone(&opened.running);
                    *parts.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
                    inner.board.report(Transition::Started, "");
                    startup.send_replace(Startup::Running(running));
                    if let Some(path) = config.record {
                        record_from_start(&inner, path);
                    }
                }
                Err(why) => {
                    inner.board.report(Transition::HostDown { link: Link::Station }, &why);
                    startup.send_replace(Startup::Failed(Arc::from(why)));
                }
            };
            std::thread::Builder::new().name("opening".to_owned()).spawn(open).map_err(|error| StartError::Failed(error.to_string()))?
        };
        Ok(Self { inner, startup, opening: Some(opening), parts })
    }

    /// The way to act on it, to ask it and to watch it.
    #[must_use]
    pub fn port(&self) -> Arc<dyn StationPort> {
        Arc::new(LocalPort { inner: Arc::clone(&self.inner) })
    }

    /// Waits until every host answers or has said why it does not.
    ///
    /// # Errors
    /// [`StartError::Failed`] when the station cannot come up at all.
    pub async fn ready(&self) -> Result<Ready, StartError> {
        let failed = |error: PortError| StartError::Failed(error.to_string());
        let mut reader = self.inner.tap.reader().map_err(|error| StartError::Failed(error.to_string()))?;
        let running = self.inner.running().await.map_err(failed)?;
        loop {
            match running.look(|bridge| bridge.snapshot().listener).await.map_err(failed)? {
                Listener::Listening(addr) => return Ok(Ready { mpp: Ok(addr) }),
                Listener::Down(why) => return Ok(Ready { mpp: Err(why.to_string()) }),
                Listener::Starting => {
                    reader.ready().await;
                    while reader.read().is_some() {}
                }
            }
        }
    }

    /// Ends it in order: intake, hosts, store, recording. Takes at most 3 s.
    pub fn stop(mut self) {
        if let Some(opening) = self.opening.take() {
            let _ = opening.join();
        }
        self.inner.board.report(Transition::Stopping, "");
        self.startup.send_replace(Startup::Stopped);
        let Some(parts) = self.parts.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let _ = fs::remove_file(&parts.socket);
        let (answer, answered) = oneshot::channel();
        let stop_bridge = async {
            if parts.mpp.send(Request::Stop { answer }).await.is_ok() {
                let _ = answered.await;
            }
        };
        let stopped = parts.hosts.block_on(async { tokio::time::timeout(HOST_STOP_MAX, stop_bridge).await });
        // A bridge that does not answer is left behind: what it accepted is in the journal.
        if stopped.is_ok() {
            let _ = parts.mpp_thread.join();
        }
        if let Err(error) = parts.store.close() {
            tracing::error!("{error}");
        }
        parts.hosts.block_on(parts.running.recording.end());
        parts.hosts.shutdown_timeout(Duration::from_millis(200));
    }
}

fn load(source: &PackSource) -> Result<Pack, StartError> {
    match source {
        PackSource::Sample => Ok(Pack::sample()),
        PackSource::File(path) => manifest::load(path).map_err(|errors| StartError::Pack { path: path.clone(), errors }),
    }
}

/// Opens the store and starts the hosts; why that is not possible, with what to do, in one line.
fn open(inner: &Arc<Inner>, config: &Config, lock: Lock, pack: Arc<Pack>) -> Result<Parts, String> {
    let clock = inner.clock;
    let (mut store, opened) =
        Store::open_locked(lock, &config.data, &pack.id, &pack.hash, config.limits.store, clock).map_err(|error| error.to_string())?;
    let journal = store.journal().ok_or("the store has no journal")?;
    for notice in &opened.notices {
        inner.board.notice(Level::Warn, notice);
    }
    if !config.bind.is_loopback() {
        let heard = "anyone who reaches it can try the token, and nothing is encrypted: bind to 127.0.0.1, or tunnel it";
        inner.board.notice(Level::Warn, &format!("the MPP port is bound to {}: {heard}", config.bind));
    }
    let token_sha256 = pairing::token_sha256(&config.data).unwrap_or_else(|error| {
        inner.board.notice(Level::Error, &error.to_string());
        None
    });
    let settings = Settings {
        pack: Arc::clone(&pack),
        broadcaster_login: config.broadcaster_login.clone(),
        session_id: opened.session_id,
        token_sha256: token_sha256.as_deref().and_then(TokenHash::from_hex),
        limits: config.limits.mpp,
        ids: Box::new(uuid::Uuid::new_v4),
    };
    let bridge = Bridge::new(settings, opened.restored, clock.now());
    let hosts = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("hosts")
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let (mpp, requests) = mpsc::channel(usize::try_from(config.limits.port.commands_max).unwrap_or(1));
    let setup = Setup {
        bind: config.bind,
        port: config.port,
        bridge,
        journal,
        store: store.handle(),
        tap: inner.tap.clone(),
        clock,
        limits: config.limits.mpp,
        requests,
    };
    let mpp_thread = spawn_bridge(setup, inner.board.clone())?;
    let socket = operator::socket_path(&config.data);
    let recording = Recording::default();
    let running = Arc::new(Running { mpp: mpp.clone(), store: store.handle(), pack, recording });
    let port: Arc<LocalPort> = Arc::new(LocalPort { inner: Arc::clone(inner) });
    let listener = operator::bind(&socket).map_err(|error| format!("{}: {error}", socket.display()))?;
    hosts.spawn(async move {
        match tokio::net::UnixListener::from_std(listener) {
            Ok(listener) => operator::serve(listener, operator::Sharing { limits: port.inner.limits.port, port }).await,
            Err(error) => tracing::error!("operator socket: {error}"),
        }
    });
    hosts.spawn(housekeeping::run(inner.board.clone(), store.handle()));
    Ok(Parts { hosts, mpp, mpp_thread, store, running, socket })
}

/// The bridge's thread. A panic ends the bridge alone, and is said on every screen.
fn spawn_bridge(setup: Setup, board: Board) -> Result<JoinHandle<()>, String> {
    let serve = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                board.report(Transition::HostDown { link: Link::Mpp }, &error.to_string());
                return;
            }
        };
        board.report(Transition::HostUp { link: Link::Mpp }, "");
        let ended = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(mpp::host::run(setup))));
        if ended.is_err() {
            let why = "the MPP bridge failed by a fault of ours; restart rl-console, and report the log: nothing that was accepted is lost";
            board.report(Transition::HostDown { link: Link::Mpp }, why);
            tracing::error!("{why}");
        }
    };
    std::thread::Builder::new().name("mpp".to_owned()).spawn(serve).map_err(|error| error.to_string())
}

/// `--record`: a failure is said on every screen, and ends nothing.
fn record_from_start(inner: &Arc<Inner>, path: PathBuf) {
    let shared = Arc::clone(inner);
    let begin = async move {
        let Ok(running) = shared.running().await else { return };
        if let Err(error) = running.recording.start(&shared, path).await {
            shared.board.notice(Level::Error, &format!("not recording: {error}"));
        }
    };
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        runtime.block_on(begin);
    }
}
