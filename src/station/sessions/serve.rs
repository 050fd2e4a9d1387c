//! Starts the runtime and ends it.

use std::{
    net::SocketAddr,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{runtime::Runtime, sync::oneshot};

use crate::{
    ids::Seq,
    macp::{
        self,
        host::{Metrics, RuntimeHandle, Setup},
    },
    port::{HealthRow, PortError},
    station::{
        address_file::{ADDR_FILE, AddressFile, FileGuard},
        config::Config,
        local::{Inner, Startup},
    },
    store,
    tap::entry::{
        Link,
        station::{Level, Transition},
    },
    words::counted,
};

/// How long the runtime may take to end.
const STOP_MAX: Duration = Duration::from_secs(1);

/// The way to the MACP runtime of a station.
#[derive(Debug, Default)]
pub(in crate::station) struct Sessions {
    state: Mutex<RuntimeState>,
}

#[derive(Debug, Default)]
enum RuntimeState {
    #[default]
    Starting,
    Up {
        addr: SocketAddr,
        handle: RuntimeHandle,
        _addr_file: FileGuard,
    },
    Down(String),
}

impl Sessions {
    fn set(&self, standing: RuntimeState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// The way to it, where it is up.
    pub(in crate::station) fn handle(&self) -> Result<RuntimeHandle, PortError> {
        let down =
            |why: &str| PortError::HostDown { host: "the MACP runtime".to_owned(), why: why.to_owned() };
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            RuntimeState::Starting => Err(down("it has not started yet")),
            RuntimeState::Up { handle: way, .. } => Ok(way.clone()),
            RuntimeState::Down(why) => Err(down(why)),
        }
    }

    /// Where it listens, or why it does not.
    pub(in crate::station) fn addr(&self) -> Result<SocketAddr, String> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            RuntimeState::Starting => Err("it has not started yet".to_owned()),
            RuntimeState::Up { addr, .. } => Ok(*addr),
            RuntimeState::Down(why) => Err(why.clone()),
        }
    }

    /// How it stands, in a line.
    pub(in crate::station) fn health(&self) -> HealthRow {
        let row = |well, detail| HealthRow { part: Link::Macp.name().to_owned(), well, detail };
        match self.addr() {
            Err(why) => row(false, why),
            Ok(addr) => match self.metrics() {
                None => row(false, "it has failed by a fault of ours; please report the log".to_owned()),
                Some(figures) => {
                    let Metrics { totals, in_memory, log_failing, .. } = &figures;
                    let open = counted(totals.open, "session");
                    let failing = log_failing.as_ref().map_or_else(String::new, |why| {
                        format!("; its log is not kept as it should be: {why}")
                    });
                    row(
                        log_failing.is_none(),
                        format!("listening on {addr}, {open} open, {in_memory} in memory{failing}"),
                    )
                }
            },
        }
    }

    /// What it counts; nothing of one that is down.
    pub(in crate::station) fn metrics(&self) -> Option<Metrics> {
        self.handle().ok()?.metrics()
    }

    /// What holds of it, and the last entry that this includes. Where it is down there is nothing.
    pub(in crate::station) fn snapshot(&self) -> (Seq, macp::Snapshot) {
        let down = |why: &str| macp::Snapshot {
            listener: macp::Listener::Down(Arc::from(why)),
            ..macp::Snapshot::default()
        };
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            RuntimeState::Starting => Default::default(),
            RuntimeState::Up { handle: way, .. } => way.snapshot().unwrap_or_default(),
            RuntimeState::Down(why) => (Seq(0), down(why)),
        }
    }
}

/// A runtime that is served.
#[derive(Debug)]
pub(in crate::station) struct Serving {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
    /// Told before the thread ends.
    ended: oneshot::Receiver<()>,
}

impl Serving {
    /// Ends it: no further calls, then what is worked on.
    pub(in crate::station) fn stop(self, inner: &Inner, hosts: &Runtime) {
        let _ = self.stop.send(());
        let _ = hosts.block_on(async { tokio::time::timeout(STOP_MAX, self.ended).await });
        inner.sessions.set(RuntimeState::Down("the station is going down".to_owned()));
    }

    /// Takes away what a runtime that failed has left.
    pub(in crate::station) fn clear(self) {
        let _ = self.thread.join();
    }
}

/// Starts the runtime and waits until its port is bound. Why that is not possible is said on every screen,
/// and the station goes on without it.
pub(in crate::station) fn start(
    inner: &Arc<Inner>,
    config: &Config,
    store: store::Handle,
    hosts: &Runtime,
) -> Result<Serving, String> {
    let Some(addr) = config.grpc else {
        let why = "no address was given for it: start the station with --grpc ADDR";
        inner.sessions.set(RuntimeState::Down(why.to_owned()));
        return Err(why.to_owned());
    };
    if !addr.ip().is_loopback() {
        let heard = "anyone who reaches it can take part in every session, and nothing is encrypted: bind to 127.0.0.1, or tunnel it";
        inner.status.notice(Level::Warn, &format!("the MACP port is bound to {addr}: {heard}"));
    }
    let weak = Arc::downgrade(inner);
    // The bridge that is started again opens the store anew.
    let store = move || match &*weak.upgrade()?.startup.borrow() {
        Startup::Running(running) => Some(running.store.clone()),
        _ => Some(store.clone()),
    };
    let board = inner.status.clone();
    let (ready, is_ready) = oneshot::channel();
    let (stop, stops) = oneshot::channel();
    let setup = Setup {
        addr,
        limits: config.limits.macp,
        ended_sessions_max: config.limits.store.ended_sessions_max,
        tap: inner.tap.clone(),
        clock: inner.clock,
        store: Box::new(store),
        data: config.data.clone(),
        log: store::append::on_disk(),
        log_file_bytes_max: config.limits.store.journal_segment_bytes_max,
        notice: Box::new(move |text| board.notice(Level::Warn, text)),
        ready,
        stop: stops,
    };
    inner.sessions.set(RuntimeState::Starting);
    // Before anything that the runtime reports: whoever looks begins anew from here.
    inner.status.report(Transition::HostUp { link: Link::Macp }, "");
    let (end, ended) = oneshot::channel();
    let thread = spawn(Arc::downgrade(inner), setup, end)?;
    match hosts.block_on(is_ready) {
        Ok(Ok((addr, way))) => {
            let recorded =
                AddressFile::new(&config.data, ADDR_FILE, addr.to_string().as_bytes(), "the MACP port");
            inner.sessions.set(RuntimeState::Up {
                addr,
                handle: way,
                _addr_file: recorded.guarded(&inner.status, hosts),
            });
            Ok(Serving { stop, thread, ended })
        }
        Ok(Err(why)) => Err(why),
        Err(_) => Err("it did not start; the log says why".to_owned()),
    }
}

/// The runtime's thread. Its end ends it alone, and is said on every screen.
fn spawn(inner: Weak<Inner>, setup: Setup, end: oneshot::Sender<()>) -> Result<JoinHandle<()>, String> {
    let serve = move || {
        let served = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string());
        let served = served.and_then(|runtime| {
            let ended =
                std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(macp::host::run(setup))));
            let ended =
                ended.map_err(|_| "it failed by a fault of ours; please report the log".to_owned())?;
            ended.map_err(|error| error.to_string())
        });
        if let Err(why) = served {
            on_failed(&inner, &why);
        }
        drop(end);
    };
    std::thread::Builder::new().name("macp".to_owned()).spawn(serve).map_err(|error| error.to_string())
}

fn on_failed(inner: &Weak<Inner>, why: &str) {
    let why = format!("{why}. `rl-console restart macp` starts it again; another address is --grpc ADDR");
    tracing::error!("the MACP runtime: {why}");
    if let Some(inner) = inner.upgrade() {
        inner.sessions.set(RuntimeState::Down(why.clone()));
        inner.status.report(Transition::HostDown { link: Link::Macp }, &why);
    }
}
