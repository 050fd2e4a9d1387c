//! The port of a station in this process.

use std::sync::{
    Arc, Mutex, Weak,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio::sync::watch;

use super::{
    admission::Tallies,
    alerts::AlertBoard,
    bridge::Running,
    commands, gate,
    host::{Asking, host_down},
    hosts::Hosts,
    injected_traces::InjectedTracesBoard,
    keyframes::Keyframes,
    metrics, pages, past,
    recording::{self, Recording},
    reported::ReportedTexts,
    status::StationStatus,
    supervisor::Parts,
    triggers::TriggerBoard,
    workbench::Workbench,
};
use crate::{
    gate::{Gate, Owner},
    ids::{ConnectionId, Seq},
    limits,
    port::{
        Answer, Command, Keyframe, Operator, Outcome, Page, PastPage, PortError, Query, Snapshot, StationPort,
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
    pub(super) reported: ReportedTexts,
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
    pub(super) triggers: TriggerBoard,
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
        let injected = self.injected_traces.lists();
        let (station, seq, at) = self.status.view();
        let station = station.with_injected(injected);
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

    /// Whether the station goes down.
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping_told.load(Ordering::Relaxed)
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

/// The station's state, who acts on it, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operating<'a> {
    pub(super) status: &'a StationStatus,
    pub(super) by: &'a OperatedBy,
    texts: &'a ReportedTexts,
    /// The command as JSON, where it is to be reported.
    command: Option<&'a Arc<str>>,
    /// The entry that reports it; 0 where none does.
    entry: &'a AtomicU64,
}

impl Operating<'_> {
    /// Reports what is done; what it causes names the entry.
    pub(super) fn report(&self, what: &str) -> Seq {
        let (by, command) = (Some(self.by.clone()), self.command.cloned());
        let entry = self.status.report(Transition::Operated { by, command }, what);
        self.entry.store(entry.0, Ordering::Relaxed);
        entry
    }

    /// Reports what came of it, where it was reported itself.
    fn ended(&self, answer: &Result<Outcome, PortError>) {
        let cause = Seq(self.entry.load(Ordering::Relaxed));
        if cause != Seq(0) && self.command.is_some() {
            let outcome = match answer {
                Ok(outcome) => self.texts.json(outcome),
                Err(error) => self.texts.json(error),
            };
            self.status.report_because(Transition::OperationEnded { outcome }, cause);
        }
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
            let (texts, entry) = (&inner.reported, AtomicU64::new(0));
            let command_text = commands::shown(texts, &command);
            let (status, shown) = (&inner.status, command_text.as_ref());
            let operating = Operating { status, by: &by, texts, command: shown, entry: &entry };
            let answer = commands::act(&inner, operating, command).await;
            operating.ended(&answer);
            answer
        })
    }

    fn query(&self, query: Query) -> Answer<Page> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let running = inner.running().await?;
            match query {
                // It takes a snapshot of its own.
                Query::ClipHead { seconds } => recording::clip_head(&inner, seconds).await,
                query => pages::answer(Asking { inner: &inner, running: &running }, query).await,
            }
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
