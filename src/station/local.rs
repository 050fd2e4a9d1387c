//! The port of a station in this process.

use std::sync::{
    Arc, Mutex, Weak,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::watch;

use super::{
    admission::Tallies,
    alerts::AlertBoard,
    bridge::{self, Running},
    bus, gate,
    host::{Asking, host_down},
    hosts::Hosts,
    injected_traces::InjectedTracesBoard,
    keyframes::Keyframes,
    metrics, mplp, pages, past, plugins,
    recorder::Recording,
    runs, sessions,
    status::StationStatus,
    supervisor::{self, Parts},
    workbench::Workbench,
};
use crate::{
    gate::{Gate, Owner},
    ids::{ConnectionId, Seq},
    limits,
    port::{
        Answer, Command, Keyframe, Operator, Outcome, Page, PastPage, PortError, Query, Snapshot,
        StationPort, StationView,
    },
    tap::{
        Reader, Tap,
        entry::{
            Link,
            station::{Level, OperatedBy, Transition},
        },
    },
    time::Clock,
};

/// How far the station's start has come.
#[derive(Clone, Debug)]
pub(super) enum Startup {
    /// The hosts are on their way.
    Starting,
    /// They run.
    Running(Arc<Running>),
    /// They will not: why.
    Failed(Arc<str>),
    /// It is over.
    Stopped,
}

/// What every use of the port shares.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) startup: watch::Receiver<Startup>,
    pub(super) status: StationStatus,
    pub(super) tap: Tap,
    pub(super) clock: Clock,
    pub(super) limits: limits::Limits,
    pub(super) waits: tokio::sync::Semaphore,
    pub(super) hosts: Hosts,
    pub(super) recording: Recording,
    pub(super) keyframes: Keyframes,
    pub(super) metrics: metrics::Endpoint,
    /// What each port's admission counts.
    pub(super) admission: Tallies,
    pub(super) alerts: AlertBoard,
    pub(super) workbench: Workbench,
    pub(super) injected_traces: InjectedTracesBoard,
    /// What may stop frames between framers and cores.
    pub(super) gate: Gate,
    /// Whether an operator wants the station to end.
    pub(super) stop_asked: watch::Sender<bool>,
    /// Whether it was told that the station goes down.
    pub(super) is_stopping_told: AtomicBool,
    /// What has to be there for a host to be started again. The station owns it.
    pub(super) parts: Weak<Mutex<Option<Parts>>>,
}

impl Inner {
    /// What runs, once it does.
    pub(super) async fn running(&self) -> Result<Arc<Running>, PortError> {
        let mut startup = self.startup.clone();
        let reached = startup.wait_for(|startup| !matches!(startup, Startup::Starting)).await;
        match reached.as_deref() {
            Ok(Startup::Running(running)) => Ok(Arc::clone(running)),
            Ok(Startup::Failed(why)) => Err(host_down(Link::Station, why)),
            Ok(Startup::Starting | Startup::Stopped) | Err(_) => Err(PortError::Stopping),
        }
    }

    /// What holds of the station and all that it hosts.
    pub(super) async fn snapshot(&self) -> Result<Snapshot, PortError> {
        let (station, _, at) = self.status.view();
        let mut snapshot = Snapshot::without_hosts(station, at);
        for host in self.hosts.by_link() {
            let seq = host.snapshot(&mut snapshot).await?;
            snapshot.as_of.0[host.link().index()] = seq;
        }
        // Last, so that nothing in it is later than the moment that it names.
        let injected_traces = self.injected_traces.list();
        let (station, seq, at) = self.status.view();
        let station = StationView { injected_traces, ..station };
        snapshot.as_of.0[Link::Station.index()] = seq;
        Ok(Snapshot { at, station, ..snapshot })
    }

    /// Tells once that the station goes down, and who asked for it; whether that was told just now.
    pub(super) fn tell_stopping(&self, by: Option<OperatedBy>) -> bool {
        let is_first = !self.is_stopping_told.swap(true, Ordering::Relaxed);
        if is_first {
            self.status.report(Transition::Stopping { by }, "");
        }
        is_first
    }

    /// A session of the bus is over: what the operator that it was has open here ends with it.
    pub(super) fn operator_gone(&self, session: ConnectionId) {
        self.workbench.operator_gone(session);
        gate::owner_gone(self, Owner::Session(session));
    }

    /// The bus is down, and so are all of its sessions: those with a lower number than this.
    pub(super) fn operators_gone(&self, below: ConnectionId) {
        self.workbench.operators_gone(below);
        gate::sessions_gone(self, below);
    }

    /// What runs at this moment, if it does.
    pub(super) fn running_now(&self) -> Option<Arc<Running>> {
        match &*self.startup.borrow() {
            Startup::Running(running) => Some(Arc::clone(running)),
            Startup::Starting | Startup::Failed(_) | Startup::Stopped => None,
        }
    }
}

/// The port of the station in this process.
#[derive(Clone, Debug)]
pub(super) struct LocalPort {
    pub(super) inner: Arc<Inner>,
    /// Who acts through it.
    pub(super) by: OperatedBy,
}

impl LocalPort {
    /// The port of this process: its console, and what the station does for itself.
    pub(super) fn own(inner: Arc<Inner>) -> Self {
        Self { inner, by: OperatedBy::own_console() }
    }
}

/// The station's state, and who acts on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operating<'a> {
    pub(super) status: &'a StationStatus,
    pub(super) by: &'a OperatedBy,
}

impl Operating<'_> {
    /// Reports what is done; what it causes names the entry.
    pub(super) fn report(&self, what: &str) -> Seq {
        self.status.report(Transition::Operated { by: Some(self.by.clone()) }, what)
    }

    /// Says that it was refused, and why.
    pub(super) fn refused(&self, why: &str) {
        self.status.notice(Level::Warn, &format!("refused: {why}"));
    }
}

impl Operator for LocalPort {
    fn command(&self, command: Command) -> Answer<Outcome> {
        let Self { inner, by } = self.clone();
        Box::pin(async move {
            let Inner { hosts, status, .. } = &*inner;
            let operating = Operating { status, by: &by };
            let running = inner.running();
            match command {
                // These two also of a station whose bridge did not come up.
                Command::Restart { link } => supervisor::restart(Arc::clone(&inner), operating, link).await,
                Command::Stop => Ok(stop(&inner, operating)),
                Command::AcknowledgeAlerts { ids } => inner.alerts.acknowledge(&inner, &ids),
                Command::Mpp(command) => bridge::command(operating, &*running.await?, command).await,
                Command::Backup { path } => pages::backup(&*running.await?, path).await,
                Command::Runs(command) => {
                    running.await?;
                    runs::command(operating, &hosts.runs, command).await
                }
                Command::Macp(command) => {
                    running.await?;
                    sessions::command(operating, &hosts.sessions, command).await
                }
                Command::Plugin(command) => {
                    running.await?;
                    plugins::command(operating, &hosts.plugins, command).await
                }
                Command::Mplp(command) => {
                    mplp::command(operating, &hosts.records, &*running.await?, command).await
                }
                Command::Workbench(command) => {
                    running.await?;
                    inner.workbench.command(operating, command).await
                }
                Command::Gate(command) => {
                    running.await?;
                    gate::command(&inner, operating, command)
                }
                Command::KickPeer { session } => {
                    running.await?;
                    bus::kick(operating, &hosts.bus, session).await
                }
                Command::RecordStart { path } => {
                    running.await?;
                    inner.recording.start(&inner, path).await
                }
                Command::RecordStop => {
                    running.await?;
                    inner.recording.stop().await
                }
            }
        })
    }

    fn query(&self, query: Query) -> Answer<Page> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let running = inner.running().await?;
            pages::answer(Asking { inner: &inner, running: &running }, query).await
        })
    }
}

impl StationPort for LocalPort {
    fn snapshot(&self) -> Answer<Snapshot> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            inner.running().await?;
            inner.snapshot().await
        })
    }

    fn entries(&self) -> Result<Reader, PortError> {
        self.inner.tap.reader().map_err(|error| PortError::Busy { what: error.to_string() })
    }

    fn past(&self, before: Seq) -> Answer<PastPage> {
        Box::pin(std::future::ready(Ok(past::page(&self.inner, before))))
    }

    fn keyframe(&self, from: Seq) -> Answer<Option<Keyframe>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { past::keyframe(&inner, from).await })
    }
}

/// Has whoever owns the station end it. That it goes down is told at once, while whoever is attached can
/// still be reached.
fn stop(inner: &Inner, operating: Operating<'_>) -> Outcome {
    operating.report("stop");
    inner.tell_stopping(Some(operating.by.clone()));
    inner.stop_asked.send_replace(true);
    Outcome::Stopping { pid: std::process::id(), data: inner.status.view().0.data }
}
