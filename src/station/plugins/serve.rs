//! Starts the plugin host and ends it.

use std::{
    sync::{Arc, Weak},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{runtime::Runtime, sync::oneshot};

use super::handle::{HostState, Plugins};
use crate::{
    plugin::{self, host::Setup},
    station::{host, host_thread, local::Inner, supervisor::Foundation},
    tap::entry::{Link, station::Transition},
};

/// How long the host may take to end: a plugin has 5 s for `shutdown` and 5 s for `exit` (ruling Plugins 6).
const STOP_MAX: Duration = Duration::from_secs(11);

/// A host that is served.
#[derive(Debug)]
pub(super) struct Serving {
    /// Nothing once it was told.
    stop: Option<oneshot::Sender<()>>,
    thread: JoinHandle<()>,
    /// Told before the thread ends.
    ended: oneshot::Receiver<()>,
}

impl host::Serving for Serving {
    fn ask_to_end(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Ends it: plugins are asked to leave, then what is left of them is ended.
    fn stop(mut self: Box<Self>, inner: &Inner, runtime: &Runtime) {
        self.ask_to_end();
        let Self { ended, .. } = *self;
        let _ = runtime.block_on(async { tokio::time::timeout(STOP_MAX, ended).await });
        inner.hosts.plugins.set(HostState::Down("the station is stopping".to_owned()));
    }

    fn clear(self: Box<Self>) {
        let _ = self.thread.join();
    }
}

/// Starts the host and waits until it answers. Why that is not possible is said on every screen, and the
/// station goes on without it.
pub(super) fn start(
    plugins: &Plugins,
    inner: &Arc<Inner>,
    foundation: &Foundation,
) -> Result<Serving, String> {
    let Foundation { config, runtime, .. } = foundation;
    let weak = Arc::downgrade(inner);
    // The bridge that is started again opens the store anew.
    let store = move || Some(weak.upgrade()?.hosts.running()?.store.clone());
    let board = inner.status.clone();
    let (ready, is_ready) = oneshot::channel();
    let (stop, stops) = oneshot::channel();
    let setup = Setup {
        settings: config.plugins.clone(),
        limits: config.limits.plugin,
        gate: inner.gate.clone(),
        guards: plugins.guards.clone(),
        kill: Arc::clone(&plugins.kill),
        tap: inner.tap.clone(),
        clock: inner.clock,
        store: Box::new(store),
        data: config.data.clone(),
        notice: Box::new(move |level, text| board.notice(level, text)),
        ready,
        stop: stops,
    };
    plugins.set(HostState::Starting);
    // Before anything that the host reports: whoever looks begins anew from here.
    inner.status.report(Transition::HostUp { link: Link::Plugin }, "");
    let (end, ended) = oneshot::channel();
    let thread = spawn(Arc::downgrade(inner), setup, end)?;
    match runtime.block_on(is_ready) {
        Ok(handle) => {
            plugins.set(HostState::Up(handle));
            Ok(Serving { stop: Some(stop), thread, ended })
        }
        Err(_) => Err("it did not start; see the log".to_owned()),
    }
}

/// The host's thread. Its end ends it alone, and is said on every screen.
fn spawn(inner: Weak<Inner>, setup: Setup, end: oneshot::Sender<()>) -> Result<JoinHandle<()>, String> {
    let serve =
        |runtime: &Runtime| runtime.block_on(plugin::host::run(setup)).map_err(|error| error.to_string());
    let failed = move |why: &str| {
        on_failed(&inner, why);
        // Told before the thread ends; and dropped unused where the host ends in order.
        drop(end);
    };
    host_thread::spawn("plugins", serve, failed)
}

fn on_failed(inner: &Weak<Inner>, why: &str) {
    let why = format!("{why}. Restart it with `rl-console host restart plugin`");
    tracing::error!("the plugin host: {why}");
    if let Some(inner) = inner.upgrade() {
        inner.hosts.plugins.set(HostState::Down(why.clone()));
        inner.status.report(Transition::HostDown { link: Link::Plugin }, &why);
    }
}
