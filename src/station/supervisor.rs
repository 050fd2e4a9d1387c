//! Raises the bridge from the store, at the start and again when it went down.
//!
//! A bridge that failed takes with it its journal's hand and all that its core knew. What it had accepted is
//! in the journal and the tables, as after the end of the process, and it is taken up in the same way: the
//! store is closed, which folds the journal, and opened again, and a new core goes on from what it has kept.
//! The data folder's lock is held throughout, and so are the tap, the recording and the bus; questions that
//! are put meanwhile wait for the new bridge. Whoever looks takes a new snapshot when the host is up again.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU16, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use tokio::{
    runtime::Runtime,
    sync::{mpsc, oneshot, watch},
};

use super::{
    bus,
    config::Config,
    housekeeping,
    local::{Inner, Running, Startup},
    pairing,
    recorder::Recording,
    runs, sessions,
    status::StationStatus,
};
use crate::{
    mpp::{
        self, Bridge, Settings, TokenHash,
        host::{Request, Setup},
        manifest::Pack,
    },
    port::{HostState, Outcome, PortError},
    rmp::Listener,
    store::{Lock, Store},
    tap::entry::{
        Link,
        station::{Level, Transition},
    },
};

/// How long the bridge may take to end.
const HOST_STOP_MAX: Duration = Duration::from_secs(1);

/// What has to be ended, in the order of its end.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) hosts: Runtime,
    pub(super) foundation: Foundation,
    /// Nothing between the end of a bridge and the next.
    pub(super) bridge: Option<BridgeHost>,
    /// Nothing where the bus could not be started.
    pub(super) bus: Option<bus::Serving>,
    /// Nothing where the runs could not be started.
    pub(super) runs: Option<runs::Serving>,
    /// Nothing where the MACP runtime could not be started.
    pub(super) macp: Option<sessions::Serving>,
    pub(super) startup: watch::Sender<Startup>,
}

/// What outlives a bridge.
#[derive(Debug)]
pub(super) struct Foundation {
    config: Config,
    lock: Arc<Lock>,
    pack: Arc<Pack>,
    /// The port that was bound last: adapters look for it there.
    bound: Arc<AtomicU16>,
    /// Sessions of the bus are never numbered twice.
    next_session: Arc<AtomicU64>,
    pub(super) recording: Arc<Recording>,
}

impl Foundation {
    pub(super) fn new(config: &Config, lock: Arc<Lock>, pack: Arc<Pack>) -> Self {
        Self {
            config: config.clone(),
            lock,
            pack,
            bound: Arc::default(),
            next_session: Arc::new(AtomicU64::new(1)),
            recording: Arc::default(),
        }
    }

    /// The number of the next session of the bus.
    pub(super) fn next_session(&self) -> &Arc<AtomicU64> {
        &self.next_session
    }
}

/// A bridge with its store.
#[derive(Debug)]
pub(super) struct BridgeHost {
    thread: JoinHandle<()>,
    store: Store,
    housekeeping: tokio::task::AbortHandle,
    pub(super) running: Arc<Running>,
}

impl BridgeHost {
    /// Opens the store and starts a bridge on it; why that is not possible, with what to do, in one line.
    pub(super) fn start(
        inner: &Arc<Inner>,
        foundation: &Foundation,
        hosts: &Runtime,
    ) -> Result<Self, String> {
        let Foundation { config, lock, pack, bound, recording, .. } = foundation;
        let clock = inner.clock;
        let (mut store, opened) = Store::open_locked(
            Arc::clone(lock),
            &config.data,
            &pack.id,
            &pack.hash,
            config.limits.store,
            clock,
        )
        .map_err(|error| error.to_string())?;
        let journal = store.journal().ok_or("the store has no journal")?;
        for notice in &opened.notices {
            inner.status.notice(Level::Warn, notice);
        }
        let token_sha256 = pairing::token_sha256(&config.data).unwrap_or_else(|error| {
            inner.status.notice(Level::Error, &error.to_string());
            None
        });
        let settings = Settings {
            pack: Arc::clone(pack),
            broadcaster_login: config.broadcaster_login.clone(),
            session_id: opened.session_id,
            token_sha256: token_sha256.as_deref().and_then(TokenHash::from_hex),
            limits: config.limits.mpp,
            ids: Box::new(uuid::Uuid::new_v4),
        };
        let bridge = Bridge::new(settings, opened.restored, clock.now());
        let (mpp, requests) = mpsc::channel(usize::try_from(config.limits.port.commands_max).unwrap_or(1));
        let setup = Setup {
            bind: config.bind,
            port: if config.port == 0 { bound.load(Ordering::Relaxed) } else { config.port },
            bound: Arc::clone(bound),
            bridge,
            journal,
            store: store.handle(),
            tap: inner.tap.clone(),
            clock,
            limits: config.limits.mpp,
            requests,
        };
        let thread = spawn_bridge(setup, inner.status.clone())?;
        let housekeeping =
            housekeeping::run(inner.status.clone(), store.handle(), config.data.clone(), config.limits.store);
        let housekeeping = hosts.spawn(housekeeping).abort_handle();
        let running = Arc::new(Running {
            mpp,
            store: store.handle(),
            pack: Arc::clone(pack),
            recording: Arc::clone(recording),
        });
        Ok(Self { thread, store, housekeeping, running })
    }

    /// Ends the bridge, then its store.
    pub(super) fn stop(self, hosts: &Runtime) {
        let (answer, answered) = oneshot::channel();
        let stop_bridge = async {
            if self.running.mpp.send(Request::Stop { answer }).await.is_ok() {
                let _ = answered.await;
            }
        };
        let stopped = hosts.block_on(async { tokio::time::timeout(HOST_STOP_MAX, stop_bridge).await });
        // A bridge that does not answer is left behind: what it accepted is in the journal.
        if stopped.is_ok() {
            let _ = self.thread.join();
        }
        if let Err(error) = self.store.close() {
            tracing::error!("{error}");
        }
    }

    /// Takes away what a bridge that failed has left. A store that cannot fold its journal leaves it to the
    /// next one, which does.
    fn clear(self) {
        self.housekeeping.abort();
        let _ = self.thread.join();
        if let Err(error) = self.store.close() {
            tracing::error!("{error}");
        }
    }
}

/// The bridge's thread. A panic ends the bridge alone, and is said on every screen.
fn spawn_bridge(setup: Setup, board: StationStatus) -> Result<JoinHandle<()>, String> {
    // Before anything that the bridge reports: whoever looks begins anew from here.
    board.report(Transition::HostUp { link: Link::Mpp }, "");
    let serve = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                board.report(Transition::HostDown { link: Link::Mpp }, &error.to_string());
                return;
            }
        };
        let ended = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(mpp::host::run(setup))));
        // Sockets are closed before it is said: who connects again finds either no port or the next bridge.
        drop(runtime);
        if ended.is_err() {
            let why = "it failed by a fault of ours. `rl-console restart mpp` starts it again; nothing that was accepted is lost. Please report \
                       the log";
            board.report(Transition::HostDown { link: Link::Mpp }, why);
            tracing::error!("the MPP bridge: {why}");
        }
    };
    std::thread::Builder::new().name("mpp".to_owned()).spawn(serve).map_err(|error| error.to_string())
}

/// Starts a host again that is down. Answered when it is up, or when it is known why it is not.
pub(super) async fn restart(inner: Arc<Inner>, link: Link) -> Result<Outcome, PortError> {
    inner.status.report(Transition::Operated, &format!("restart {}", link.name()));
    if link == Link::Rmp
        && !is_down(&inner, link)
        && let Listener::Down(why) = inner.bus.snapshot().await.1.listener
    {
        // It serves whom it has, and looks for its path by itself.
        return Err(PortError::HostDown { host: "the bus's socket".to_owned(), why: why.to_string() });
    }
    let (answer, answered) = oneshot::channel();
    let work = move || {
        let _ = answer.send(restart_now(&inner, link));
    };
    // Closing and opening a store takes its time, and whoever asks may have but one thread.
    let spawned = std::thread::Builder::new().name("restart".to_owned()).spawn(work);
    spawned.map_err(|error| PortError::HostDown { host: link.name().to_owned(), why: error.to_string() })?;
    answered.await.map_err(|_| PortError::Stopping)?
}

fn is_down(inner: &Inner, link: Link) -> bool {
    matches!(inner.status.view().0.hosts[link.index()], HostState::Down(_))
}

fn restart_now(inner: &Arc<Inner>, link: Link) -> Result<Outcome, PortError> {
    let parts: Arc<Mutex<Option<Parts>>> = inner.parts.upgrade().ok_or(PortError::Stopping)?;
    let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
    // Looked at under the lock: of two that ask at once, the second finds it up.
    if !is_down(inner, link) || link == Link::Station {
        return Err(PortError::HostUp { host: link.name().to_owned() });
    }
    let parts = parts.as_mut().ok_or(PortError::Stopping)?;
    if link == Link::Rmp {
        if let Some(bus) = parts.bus.take() {
            bus.clear();
        }
        let Foundation { config, next_session, .. } = &parts.foundation;
        let started = bus::start(inner, config, next_session, &parts.hosts);
        let serving = started.map_err(|why| PortError::HostDown { host: "the bus".to_owned(), why })?;
        parts.bus = Some(serving);
        return Ok(Outcome::Restarted { link });
    }
    if link == Link::Runs {
        if let Some(runs) = parts.runs.take() {
            runs.clear();
        }
        let store = parts.bridge.as_ref().ok_or(PortError::Stopping)?.running.store.clone();
        let started = runs::start(inner, &parts.foundation.config, store);
        let serving =
            started.map_err(|why| PortError::HostDown { host: "the control plane".to_owned(), why })?;
        parts.runs = Some(serving);
        return Ok(Outcome::Restarted { link });
    }
    if link == Link::Macp {
        if let Some(macp) = parts.macp.take() {
            macp.clear();
        }
        let store = parts.bridge.as_ref().ok_or(PortError::Stopping)?.running.store.clone();
        let started = sessions::start(inner, &parts.foundation.config, store, &parts.hosts);
        let serving =
            started.map_err(|why| PortError::HostDown { host: "the MACP runtime".to_owned(), why })?;
        parts.macp = Some(serving);
        return Ok(Outcome::Restarted { link });
    }
    parts.startup.send_replace(Startup::Starting);
    if let Some(up) = parts.bridge.take() {
        up.clear();
    }
    // The store's writer has a share of the lock: while it has not ended, another store would write beside
    // it.
    let raised = if Arc::strong_count(&parts.foundation.lock) > 1 {
        Err("the store of the bridge that failed has not closed yet: try again in a moment".to_owned())
    } else {
        BridgeHost::start(inner, &parts.foundation, &parts.hosts)
    };
    match raised {
        Ok(up) => {
            parts.startup.send_replace(Startup::Running(Arc::clone(&up.running)));
            parts.bridge = Some(up);
            tracing::info!("{} was started again", link.name());
            Ok(Outcome::Restarted { link })
        }
        Err(why) => {
            inner.status.report(Transition::HostDown { link }, &why);
            parts.startup.send_replace(Startup::Failed(Arc::from(why.as_str())));
            Err(PortError::HostDown { host: link.name().to_owned(), why })
        }
    }
}
