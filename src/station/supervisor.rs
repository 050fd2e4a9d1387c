//! Starts the hosts, starts one again that went down, and ends them in order.
//!
//! The bridge takes with it its journal's hand and all that its core knew when it fails. What it had accepted
//! is in the journal and the tables, as after the end of the process, and it is taken up in the same way: the
//! store is closed, which folds the journal, and opened again, and a new core goes on from what it has kept.
//! The data folder's lock is held throughout, and so are the tap, the recording and the bus; questions that
//! are put meanwhile wait for the new bridge. Whoever looks takes a new snapshot when a host is up again.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use tokio::{
    runtime::Runtime,
    sync::{oneshot, watch},
};

use super::{
    config::Config,
    host::{Host, Serving, host_down},
    local::{Inner, Operating, Startup},
};
use crate::{
    mpp::manifest::Pack,
    port::{HostState, Outcome, PortError},
    store::Handle,
    store::Lock,
    tap::entry::{Link, station::Transition},
};

/// How long the tasks of hosts that have ended may take to end.
const TASKS_STOP_MAX: Duration = Duration::from_millis(200);

/// What outlives every host.
#[derive(Debug)]
pub(super) struct Foundation {
    pub(super) config: Config,
    pub(super) lock: Arc<Lock>,
    pub(super) pack: Arc<Pack>,
    /// The threads for what hosts do beside their own.
    pub(super) runtime: Runtime,
}

/// What has to be ended.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) foundation: Foundation,
    /// By the index of their links; nothing of one that could not be started.
    serving: [Option<Box<dyn Serving>>; Link::ALL.len()],
    startup: watch::Sender<Startup>,
}

impl Parts {
    /// Starts every host.
    pub(super) fn start(
        inner: &Arc<Inner>,
        foundation: Foundation,
        startup: watch::Sender<Startup>,
    ) -> Result<Self, String> {
        let mut serving = Link::ALL.map(|_| None);
        for host in inner.hosts.by_start() {
            match host.start(inner, &foundation) {
                Ok(started) => serving[host.link().index()] = Some(started),
                Err(why) if host.carries_store() => return Err(why),
                // It has said so on every screen.
                Err(_) => {}
            }
        }
        Ok(Self { foundation, serving, startup })
    }

    /// Starts a host again that is down.
    fn restart(&mut self, inner: &Arc<Inner>, host: &dyn Host) -> Result<Outcome, PortError> {
        let link = host.link();
        if host.carries_store() {
            self.startup.send_replace(Startup::Starting);
        }
        if let Some(failed) = self.serving[link.index()].take() {
            failed.clear();
        }
        let started = host.start(inner, &self.foundation);
        if host.carries_store() {
            self.startup.send_replace(match &started {
                Ok(_) => inner.hosts.running().map_or(Startup::Stopped, Startup::Running),
                Err(why) => {
                    inner.status.report(Transition::HostDown { link }, why);
                    Startup::Failed(Arc::from(why.as_str()))
                }
            });
        }
        self.serving[link.index()] = Some(started.map_err(|why| host_down(link, &why))?);
        tracing::info!("{} restarted", link.name());
        Ok(Outcome::Restarted { link })
    }

    /// Ends the host that carries a store that could not be opened, and starts it again; then those that went
    /// down for want of the store.
    fn reopen_store(&mut self, inner: &Arc<Inner>) {
        for host in inner.hosts.by_start() {
            let link = host.link();
            if host.carries_store() {
                let why = "its store can be opened; restarting it";
                inner.status.report(Transition::HostDown { link }, why);
                // Who asks meanwhile waits.
                self.startup.send_replace(Startup::Starting);
                if let Some(serving) = self.serving[link.index()].take() {
                    serving.stop(inner, &self.foundation.runtime);
                }
            } else if !is_down(inner, link) {
                continue;
            }
            // What fails has said so on every screen.
            let _ = self.restart(inner, host);
        }
    }

    /// Ends every host, then the recording.
    pub(super) fn stop(self, inner: &Arc<Inner>, store: Option<&Handle>) {
        let Self { foundation: Foundation { runtime, .. }, mut serving, .. } = self;
        // Plugins have their ten seconds beside the end of the others (ruling Plugins 6).
        for serving in serving.iter_mut().flatten() {
            serving.ask_to_end();
        }
        for host in inner.hosts.by_end() {
            // The store ends with it: what the others still made of injected frames is kept before.
            if let Some(store) = store.filter(|_| host.link() == Link::Mpp) {
                inner.injected_traces.keep(inner, store);
            }
            if let Some(serving) = serving[host.link().index()].take() {
                serving.stop(inner, &runtime);
            }
        }
        runtime.block_on(inner.recording.end());
        runtime.shutdown_timeout(TASKS_STOP_MAX);
    }
}

/// Starts a host again that is down. Answered when it is up, or when it is known why it is not.
pub(super) async fn restart(
    inner: Arc<Inner>,
    operating: Operating<'_>,
    link: Link,
) -> Result<Outcome, PortError> {
    operating.report(&format!("restart {}", link.name()));
    if let Some(host) = inner.hosts.of(link).filter(|_| !is_down(&inner, link))
        && let Some(why) = host.impaired().await
    {
        return Err(why);
    }
    let (answer, answered) = oneshot::channel();
    let work = move || {
        let _ = answer.send(restart_now(&inner, link));
    };
    // Closing and opening a store takes its time, and whoever asks may have but one thread.
    let spawned = std::thread::Builder::new().name("restart".to_owned()).spawn(work);
    spawned.map_err(|error| host_down(link, &error.to_string()))?;
    answered.await.map_err(|_| PortError::Stopping)?
}

/// Opens a store for which there was no room at the start, by a new start of who carries it. It must not run
/// on a thread of the station's runtime.
pub(super) fn reopen_store(inner: &Arc<Inner>) {
    let Some(parts) = inner.parts.upgrade() else { return };
    let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(parts) = parts.as_mut() {
        parts.reopen_store(inner);
    }
}

fn is_down(inner: &Inner, link: Link) -> bool {
    matches!(inner.status.view().0.hosts[link.index()], HostState::Down(_))
}

fn restart_now(inner: &Arc<Inner>, link: Link) -> Result<Outcome, PortError> {
    let parts = inner.parts.upgrade().ok_or(PortError::Stopping)?;
    let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
    // Looked at under the lock: of two that ask at once, the second finds it up.
    let down = inner.hosts.of(link).filter(|_| is_down(inner, link));
    let host = down.ok_or(PortError::HostUp { link })?;
    parts.as_mut().ok_or(PortError::Stopping)?.restart(inner, host)
}
