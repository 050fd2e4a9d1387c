//! Starts the runtime and ends it.

use std::{
    sync::{Arc, Weak},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{runtime::Runtime, sync::oneshot};

use super::handle::{RuntimeState, Sessions};
use crate::{
    macp::{self, host::Setup},
    station::{
        address_file::{ADDR_FILE, AddressFile},
        host, host_thread,
        local::Inner,
        supervisor::Foundation,
    },
    store,
    tap::entry::{
        Link,
        station::{Level, Transition},
    },
};

/// How long the runtime may take to end.
const STOP_MAX: Duration = Duration::from_secs(1);

/// A runtime that is served.
#[derive(Debug)]
pub(super) struct Serving {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
    /// Told before the thread ends.
    ended: oneshot::Receiver<()>,
}

impl host::Serving for Serving {
    /// Ends it: no further calls, then what is worked on.
    fn stop(self: Box<Self>, inner: &Inner, runtime: &Runtime) {
        let Self { stop, ended, .. } = *self;
        let _ = stop.send(());
        let _ = runtime.block_on(async { tokio::time::timeout(STOP_MAX, ended).await });
        inner.hosts.sessions.set(RuntimeState::Down("the station is stopping".to_owned()));
    }

    fn clear(self: Box<Self>) {
        let _ = self.thread.join();
    }
}

/// Starts the runtime and waits until its port is bound. Why that is not possible is said on every screen,
/// and the station goes on without it.
pub(super) fn start(
    sessions: &Sessions,
    inner: &Arc<Inner>,
    foundation: &Foundation,
) -> Result<Serving, String> {
    let Foundation { config, runtime, .. } = foundation;
    let Some(addr) = config.grpc else {
        let why = "no address configured: start the station with --grpc ADDR";
        sessions.set(RuntimeState::Down(why.to_owned()));
        return Err(why.to_owned());
    };
    if !addr.ip().is_loopback() {
        let heard = "anyone who can reach the port can take part in every session, unencrypted: bind to \
                     127.0.0.1, or use a tunnel";
        inner.status.notice(Level::Warn, &format!("the MACP port is bound to {addr}: {heard}"));
    }
    let weak = Arc::downgrade(inner);
    // The bridge that is started again opens the store anew.
    let store = move || Some(weak.upgrade()?.hosts.running()?.store.clone());
    let board = inner.status.clone();
    let (ready, is_ready) = oneshot::channel();
    let (stop, stops) = oneshot::channel();
    let setup = Setup {
        addr,
        limits: config.limits.macp,
        gate: inner.gate.clone(),
        ended_sessions_max: config.limits.store.ended_sessions_max,
        tally: inner.admission.macp.clone(),
        ended_sessions_bytes_max: config.limits.store.ended_sessions_bytes_max,
        disk_low: inner.status.disk_low(),
        tap: inner.tap.clone(),
        clock: inner.clock,
        store: Box::new(store),
        data: config.data.clone(),
        log: store::append::on_watched_disk(foundation.lock.watch()),
        log_file_bytes_max: config.limits.store.journal_segment_bytes_max,
        watch: inner.hosts.records.open_runs(),
        notice: Box::new(move |level, text| board.notice(level, text)),
        ready,
        stop: stops,
    };
    sessions.set(RuntimeState::Starting);
    AddressFile::forget(foundation, ADDR_FILE);
    // Before anything that the runtime reports: whoever looks begins anew from here.
    inner.status.report(Transition::HostUp { link: Link::Macp }, "");
    let (end, ended) = oneshot::channel();
    let thread = spawn(Arc::downgrade(inner), setup, end)?;
    match runtime.block_on(is_ready) {
        Ok(Ok((addr, way))) => {
            let recorded =
                AddressFile::new(foundation, ADDR_FILE, addr.to_string().as_bytes(), "the MACP port");
            sessions.set(RuntimeState::Up {
                addr,
                handle: way,
                _addr_file: recorded.guarded(&inner.status, runtime),
            });
            Ok(Serving { stop, thread, ended })
        }
        Ok(Err(why)) => Err(why),
        Err(_) => Err("it did not start; see the log".to_owned()),
    }
}

/// The runtime's thread. Its end ends it alone, and is said on every screen.
fn spawn(inner: Weak<Inner>, setup: Setup, end: oneshot::Sender<()>) -> Result<JoinHandle<()>, String> {
    let serve =
        |runtime: &Runtime| runtime.block_on(macp::host::run(setup)).map_err(|error| error.to_string());
    let failed = move |why: &str| {
        on_failed(&inner, why);
        // Told before the thread ends; and dropped unused where the host ends in order.
        drop(end);
    };
    host_thread::spawn("macp", serve, failed)
}

fn on_failed(inner: &Weak<Inner>, why: &str) {
    let why = format!(
        "{why}. Restart it with `rl-console host restart macp`, or choose another address with --grpc ADDR"
    );
    tracing::error!("the MACP runtime: {why}");
    if let Some(inner) = inner.upgrade() {
        inner.hosts.sessions.set(RuntimeState::Down(why.clone()));
        inner.status.report(Transition::HostDown { link: Link::Macp }, &why);
    }
}
