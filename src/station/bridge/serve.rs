//! Starts the bridge on the store, and ends it. A store that cannot be opened, and a bridge without one, are
//! none.

use std::{net::SocketAddr, sync::Arc, thread::JoinHandle, time::Duration};

use tokio::{runtime::Runtime, sync::mpsc, task::AbortHandle};

use super::{
    handle::{Bridge as Handle, Running},
    pairing, reopen,
};
use crate::{
    mpp::{
        self, Bridge, Settings, TokenHash,
        host::{Request, Setup},
    },
    station::{
        address_file::{AddressFile, FileGuard, MPP_FILE},
        host, host_thread, housekeeping,
        local::Inner,
        status::StationStatus,
        supervisor::Foundation,
    },
    store::{OpenedStore, Store},
    tap::entry::{
        Link,
        station::{Level, Transition},
    },
    time::Clock,
};

/// How long the bridge may take to end.
const STOP_MAX: Duration = Duration::from_secs(1);

/// A bridge with its store.
#[derive(Debug)]
pub(super) struct Serving {
    thread: JoinHandle<()>,
    store: Store,
    housekeeping: AbortHandle,
    _addr_file: FileGuard,
    /// Waits for room to open the store, where there was none.
    reopening: Option<AbortHandle>,
    requests: mpsc::Sender<Request>,
}

impl Serving {
    fn abort_tasks(&self) {
        self.housekeeping.abort();
        self.reopening.iter().for_each(AbortHandle::abort);
    }
}

impl host::Serving for Serving {
    /// Ends the bridge, then its store.
    fn stop(self: Box<Self>, inner: &Inner, runtime: &Runtime) {
        self.abort_tasks();
        // Of a bridge that is left behind, what it accepted is in the journal.
        let stop = |answer| Request::Stop { answer };
        host_thread::stop(self.thread, &self.requests, stop, runtime, STOP_MAX);
        inner.hosts.bridge.set(None);
        if let Err(error) = self.store.close() {
            tracing::error!("{error}");
        }
    }

    /// Takes away what a bridge that failed has left. A store that cannot fold its journal leaves it to the
    /// next one, which does.
    fn clear(self: Box<Self>) {
        self.abort_tasks();
        let _ = self.thread.join();
        if let Err(error) = self.store.close() {
            tracing::error!("{error}");
        }
    }
}

/// Opens the store. Where the disk has no room for that, it is one that refuses everything.
fn open_store(foundation: &Foundation, clock: Clock) -> Result<(Store, OpenedStore), String> {
    let Foundation { config, lock, pack, .. } = foundation;
    let limits = config.limits.store;
    match Store::open_locked(Arc::clone(lock), &config.data, &pack.id, &pack.hash, limits, clock) {
        Err(error) if error.is_disk_full() => {
            let why = format!(
                "{error}: free disk space on the file system of {}. The store opens once there is space; \
                 until then queues appear empty and new work is refused",
                config.data.display()
            );
            Ok(Store::unopened(lock, &config.data, &limits, &why))
        }
        opened => opened.map_err(|error| error.to_string()),
    }
}

/// Opens the store and starts a bridge on it; why that is not possible, with what to do, in one line.
pub(super) fn start(handle: &Handle, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Serving, String> {
    let Foundation { config, lock, pack, runtime } = foundation;
    // The store's writer has a share of the lock: while it has not ended, another store would write beside
    // it.
    if Arc::strong_count(lock) > 1 {
        return Err("the store of the failed bridge is still closing: try again in a moment".to_owned());
    }
    let clock = inner.clock;
    let (mut store, opened) = open_store(foundation, clock)?;
    let is_unopened = opened.restored.failing.is_some();
    let journal = store.journal().ok_or("the store has no journal")?;
    opened.torn.iter().for_each(|torn| inner.status.notice(Level::Warn, torn));
    opened.notices.iter().for_each(|damage| inner.status.notice(Level::Error, damage));
    let token_sha256 = pairing::token_sha256(&config.data).unwrap_or_else(|error| {
        inner.status.notice(Level::Error, &error.to_string());
        None
    });
    let token_sha256 = token_sha256.as_deref().and_then(TokenHash::from_hex);
    if let Some(hash) = token_sha256 {
        inner.status.mask_bridge_token(hash);
    }
    let settings = Settings {
        pack: Arc::clone(pack),
        broadcaster_login: config.broadcaster_login.clone(),
        session_id: opened.session_id,
        token_sha256,
        limits: config.limits.mpp,
        tally: inner.admission.mpp.clone(),
        ids: Box::new(uuid::Uuid::new_v4),
    };
    let bridge = Bridge::new(settings, opened.restored, clock.now());
    let (requests, asked) = mpsc::channel(usize::try_from(config.limits.port.commands_max).unwrap_or(1));
    let setup = Setup {
        bind: config.bind,
        port: if config.port == 0 { *handle.bound.borrow() } else { config.port },
        bound: handle.bound.clone(),
        bridge,
        journal,
        store: store.handle(),
        tap: inner.tap.clone(),
        clock,
        limits: config.limits.mpp,
        gate: inner.gate.clone(),
        requests: asked,
    };
    let mut bound = handle.bound.subscribe();
    let thread = spawn(setup, inner.status.clone())?;
    let housekeeping =
        housekeeping::run(inner.status.clone(), store.handle(), config.data.clone(), config.limits.store);
    let housekeeping = runtime.spawn(housekeeping).abort_handle();
    let reopening = is_unopened
        .then(|| runtime.spawn(reopen::run(Arc::downgrade(inner), config.data.clone())).abort_handle());
    let bind = config.bind;
    let known = async move {
        // What was bound before is another's by now, perhaps.
        bound.changed().await.ok()?;
        Some(SocketAddr::new(bind, *bound.borrow()).to_string())
    };
    let addr_file = AddressFile::guarded_when(foundation, MPP_FILE, "the MPP port", &inner.status, known);
    let (refused, clock) = (store.handle(), inner.clock);
    inner.gate.fail_store_by(move |until, rule| refused.refuse_writes(clock, until, rule));
    let running = Running { mpp: requests.clone(), store: store.handle(), pack: Arc::clone(pack) };
    handle.set(Some(Arc::new(running)));
    Ok(Serving { thread, store, housekeeping, _addr_file: addr_file, reopening, requests })
}

/// The bridge's thread. A panic ends the bridge alone, and is said on every screen.
fn spawn(setup: Setup, board: StationStatus) -> Result<JoinHandle<()>, String> {
    // Before anything that the bridge reports: whoever looks begins anew from here.
    board.report(Transition::HostUp { link: Link::Mpp }, "");
    let serve = |runtime: &Runtime| {
        runtime.block_on(mpp::host::run(setup));
        Ok(())
    };
    // Sockets are closed before it is said: who connects again finds either no port or the next bridge.
    let failed = move |why: &str| {
        let why = format!("{why}. Restart it with `rl-console host restart mpp`; accepted work is not lost");
        board.report(Transition::HostDown { link: Link::Mpp }, &why);
        tracing::error!("the MPP bridge: {why}");
    };
    host_thread::spawn("mpp", serve, failed)
}
