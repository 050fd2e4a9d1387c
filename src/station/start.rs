//! Start and end of a station. Start returns at once, so that a screen can be painted; the hosts come up
//! behind it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, mpsc::sync_channel},
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::{Notify, Semaphore, watch};

use super::{
    admission::Tallies,
    alerts::{self, AlertBoard},
    bridge::Running,
    bus::mask_tokens,
    config::{Config, PackSource},
    descriptors, gate,
    hosts::Hosts,
    housekeeping,
    injected_traces::{self, InjectedTracesBoard},
    keyframes,
    keyframes::Keyframes,
    local::{Inner, LocalPort, Startup},
    metrics,
    recording::{self, Begin, Recording},
    reported::ReportedTexts,
    status::StationStatus,
    supervisor::{Foundation, Parts},
    triggers::{self, TriggerBoard},
    workbench::{self, Workbench},
};
use crate::{
    gate::Gate,
    mpp::{
        Listener,
        manifest::{self, ManifestError, Pack},
    },
    plugin::host::Guards,
    port::{PortError, StationPort},
    store::{self, Lock, StoreError, op::CommitError},
    tap::{
        Tap,
        entry::{
            Link,
            station::{Level, OperatedBy, Transition},
        },
    },
    time::Clock,
};

/// How long what an operator is answered has to leave before the station ends by its command.
const ANSWER_LEAVES: Duration = Duration::from_millis(250);

/// How long the store may take to say what earlier starts left of alerts.
const STORE_ANSWERS_MAX: Duration = Duration::from_millis(500);

/// Why a station did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another one holds the data folder.
    #[error("{} is in use by another rl-console{}", .data.display(), .pid.map_or_else(String::new, |pid| format!(" (process {pid})")))]
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
    /// Where the bus answers, or why it does not.
    pub rmp: Result<PathBuf, String>,
    /// Where the MACP runtime listens, or why it does not.
    pub macp: Result<SocketAddr, String>,
    /// Where the metrics are read, if they are.
    pub metrics: Option<SocketAddr>,
}

/// A station in this process. [`Station::stop`] ends it in order.
#[derive(Debug)]
pub struct Station {
    pub(super) inner: Arc<Inner>,
    startup: watch::Sender<Startup>,
    opening: Option<JoinHandle<()>>,
    /// Ends with the opening: until then a recording from the start may not have begun.
    opened: watch::Receiver<()>,
    parts: Arc<Mutex<Option<Parts>>>,
}

/// The plugins that run, while the station ends.
#[derive(Clone, Debug)]
pub struct RunningPlugins {
    guards: Guards,
    kill: Arc<Notify>,
}

impl RunningPlugins {
    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.guards.all().into_iter().map(|(plugin, _)| plugin.to_string()).collect()
    }

    /// Ends those that are asked to end at once.
    pub fn kill(&self) {
        self.kill.notify_one();
    }
}

impl Station {
    /// Takes the data folder and reads the pack, then starts everything else behind it.
    ///
    /// # Errors
    /// [`StartError`]; what fails later is told by [`Station::ready`] and on every screen.
    pub fn start(mut config: Config, clock: Clock) -> Result<Self, StartError> {
        let cuts = descriptors::fit(&mut config.limits);
        let lock = Lock::take(&config.data).map_err(|error| match error {
            StoreError::Held { data, by_pid } => StartError::Held { data, pid: by_pid },
            error => StartError::Failed(error.to_string()),
        })?;
        let pack = Arc::new(load(&config.pack)?);
        let tap = Tap::new(config.limits.tap);
        let (startup, started) = watch::channel(Startup::Starting);
        let waits = Semaphore::new(usize::try_from(config.limits.port.waits_max).unwrap_or(usize::MAX));
        let alerts_max = config.limits.console.alerts_max;
        let board = StationStatus::new(&config.data, tap.clone(), clock, alerts_max, config.is_rehearsal);
        for cut in cuts {
            board.notice(Level::Warn, &cut);
        }
        let parts = Arc::new(Mutex::new(None));
        let inner = Inner {
            startup: started,
            status: board,
            reported: ReportedTexts::new(tap.clone(), config.limits.tap),
            tap,
            clock,
            limits: config.limits,
            waits,
            hosts: Hosts::default(),
            recording: Recording::new(config.recording.clone()),
            keyframes: Keyframes::new(config.limits.tap.keyframes_bytes_max),
            metrics: metrics::Endpoint::default(),
            workbench: Workbench::default(),
            injected_traces: InjectedTracesBoard::default(),
            triggers: TriggerBoard::new(&config.triggers, config.plugins.program.clone()),
            gate: Gate::new(config.limits.gate, config.is_rehearsal),
            admission: Tallies::default(),
            alerts: AlertBoard::new(config.alerts, config.limits.console.alerts_max),
            stop_asked: watch::Sender::new(false),
            is_stopping_told: AtomicBool::new(false),
            parts: Arc::downgrade(&parts),
        };
        let inner = Arc::new(inner);
        let (opens, opened) = watch::channel(());
        let opening = {
            let (inner, startup, parts) = (Arc::clone(&inner), startup.clone(), Arc::clone(&parts));
            let open = move || match open(&inner, &config, lock, pack, startup.clone()) {
                Ok(opened) => {
                    *parts.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
                    inner.status.report(Transition::Started, "");
                    let running = inner.hosts.running();
                    restore_alerts(&inner, running.as_deref());
                    restore_injected_traces(&inner, running.as_deref());
                    restore_triggers(&inner, running.as_deref());
                    triggers::start(&inner);
                    startup.send_replace(running.map_or(Startup::Stopped, Startup::Running));
                    if let Some(path) = config.record {
                        record_from_start(&inner, path);
                    }
                    drop(opens);
                }
                Err(why) => {
                    inner.status.report(Transition::HostDown { link: Link::Station }, &why);
                    startup.send_replace(Startup::Failed(Arc::from(why)));
                }
            };
            std::thread::Builder::new()
                .name("opening".to_owned())
                .spawn(open)
                .map_err(|error| StartError::Failed(error.to_string()))?
        };
        Ok(Self { inner, startup, opening: Some(opening), opened, parts })
    }

    /// The way to act on it, to ask it and to watch it.
    #[must_use]
    pub fn port(&self) -> Arc<dyn StationPort> {
        Arc::new(LocalPort::own(Arc::clone(&self.inner)))
    }

    /// Waits until every host answers or has said why it does not, and a recording from the start has begun.
    ///
    /// # Errors
    /// [`StartError::Failed`] when the station cannot come up at all.
    pub async fn ready(&self) -> Result<Ready, StartError> {
        let failed = |error: PortError| StartError::Failed(error.to_string());
        let mut reader = self.inner.tap.reader().map_err(|error| StartError::Failed(error.to_string()))?;
        let running = self.inner.running().await.map_err(failed)?;
        // Nothing is ever sent: it ends once its sender is gone.
        let _ = self.opened.clone().changed().await;
        let metrics = self.inner.metrics.addr();
        let rmp = self.inner.hosts.bus.path();
        let macp = self.inner.hosts.sessions.addr();
        loop {
            match running.with_bridge(|bridge| bridge.snapshot().listener).await.map_err(failed)? {
                Listener::Listening(addr) => return Ok(Ready { mpp: Ok(addr), rmp, macp, metrics }),
                Listener::Down(why) => return Ok(Ready { mpp: Err(why.to_string()), rmp, macp, metrics }),
                Listener::Starting => {
                    reader.ready().await;
                    while reader.read().is_some() {}
                }
            }
        }
    }

    /// What ends with the station and may take its time.
    #[must_use]
    pub fn plugins(&self) -> RunningPlugins {
        let plugins = &self.inner.hosts.plugins;
        RunningPlugins { guards: plugins.guards.clone(), kill: Arc::clone(&plugins.kill) }
    }

    /// Waits until an operator wants the station to end, and a little longer, for what it is answered to
    /// leave.
    pub async fn stop_requested(&self) {
        let mut asked = self.inner.stop_asked.subscribe();
        // The sender is this station's own.
        let _ = asked.wait_for(|is_asked| *is_asked).await;
        tokio::time::sleep(ANSWER_LEAVES).await;
    }

    /// Tells that it goes down because the console of this process has it end.
    pub fn stopped_by_console(&self) {
        self.inner.tell_stopping(Some(OperatedBy::own_console()));
        self.let_it_be_heard();
    }

    /// The console of this process is gone, and the station goes on: its rules at the gate go with it.
    pub fn console_gone(&self) {
        gate::owner_gone(&self.inner, crate::gate::Owner::OwnConsole);
    }

    /// Waits a little, for who is attached to hear what was told last.
    fn let_it_be_heard(&self) {
        if self.inner.hosts.bus.has_tap_readers() {
            std::thread::sleep(ANSWER_LEAVES);
        }
    }

    /// Ends it in order: intake, hosts, store, recording. Takes at most 3 s, and up to 11 s more for plugins
    /// that do not end when they are asked to.
    pub fn stop(mut self) {
        if let Some(opening) = self.opening.take() {
            let _ = opening.join();
        }
        if self.inner.tell_stopping(None) {
            self.let_it_be_heard();
        }
        // What is held is let pass while there is somebody to take it.
        self.inner.gate.disarm_all();
        let store = self.inner.running_now().map(|running| running.store.clone());
        self.startup.send_replace(Startup::Stopped);
        let Some(parts) = self.parts.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        parts.stop(&self.inner, store.as_ref());
    }
}

/// Takes up the alerts that earlier starts left.
fn restore_alerts(inner: &Inner, running: Option<&Running>) {
    let max = inner.limits.console.alerts_max;
    let left = running.and_then(|running| ask_store(|done| running.store.restored_alerts(max, done)));
    inner.alerts.restore(inner, left.as_ref());
}

/// Takes up which traces have injected frames.
fn restore_injected_traces(inner: &Inner, running: Option<&Running>) {
    let traces = running.and_then(|running| ask_store(|done| running.store.injected_traces(done)));
    if traces.is_none() {
        tracing::warn!("the store did not say which traces have injected frames");
    }
    inner.injected_traces.restore(&traces.unwrap_or_default());
}

/// Takes up the triggers that were added before this start.
fn restore_triggers(inner: &Inner, running: Option<&Running>) {
    let kept = running.and_then(|running| ask_store(|done| running.store.triggers(done)));
    if kept.is_none() {
        tracing::warn!("the store did not say which triggers were added");
    }
    let specs = kept.unwrap_or_default().into_iter().filter_map(|(name, spec)| {
        let read = serde_json::from_str(&spec);
        read.map_err(|error| tracing::warn!("the trigger {name} is left out: {error}")).ok()
    });
    inner.triggers.restore(specs.collect());
}

/// What the store answers within its time.
fn ask_store<T: Send + 'static>(ask: impl FnOnce(store::Answer<T>) -> Result<(), CommitError>) -> Option<T> {
    let (answer, answered) = sync_channel(1);
    ask(Box::new(move |read| drop(answer.try_send(read)))).ok()?;
    answered.recv_timeout(STORE_ANSWERS_MAX).ok()?.ok()
}

fn load(source: &PackSource) -> Result<Pack, StartError> {
    match source {
        PackSource::Sample => Ok(Pack::sample()),
        PackSource::File(path) => {
            manifest::load(path).map_err(|errors| StartError::Pack { path: path.clone(), errors })
        }
    }
}

/// Opens the store and starts the hosts; why that is not possible, with what to do, in one line.
fn open(
    inner: &Arc<Inner>,
    config: &Config,
    lock: Lock,
    pack: Arc<Pack>,
    startup: watch::Sender<Startup>,
) -> Result<Parts, String> {
    if !config.bind.is_loopback() {
        let heard =
            "anyone who can reach the port can try tokens, unencrypted: bind to 127.0.0.1, or use a tunnel";
        inner.status.notice(Level::Warn, &format!("the MPP port is bound to {}: {heard}", config.bind));
    }
    // Before anybody can say one.
    mask_tokens(&config.data, &inner.tap);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("hosts")
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.spawn(housekeeping::watch_folder(lock.watch(), inner.clock));
    let (board, admission) = (inner.status.clone(), inner.admission.clone());
    runtime.spawn(housekeeping::watch_ports(board, admission, inner.clock));
    let judged = inner.tap.reader().map_err(|error| error.to_string())?;
    runtime.spawn(alerts::run(Arc::clone(inner), judged));
    runtime.spawn(keyframes::keep(Arc::downgrade(inner)));
    runtime.spawn(workbench::serve(Arc::downgrade(inner)));
    runtime.spawn(injected_traces::keep(Arc::downgrade(inner)));
    runtime.spawn(gate::serve(inner.gate.clone(), inner.clock));
    if config.recording.always {
        runtime.spawn(recording::keep(Arc::downgrade(inner)));
    }
    let foundation = Foundation { config: config.clone(), lock: Arc::new(lock), pack, runtime };
    let parts = Parts::start(inner, foundation, startup)?;
    if let Some(addr) = config.metrics {
        metrics::start(inner, addr, &parts.foundation);
    }
    Ok(parts)
}

/// `--record`: a failure is said on every screen, and ends nothing.
fn record_from_start(inner: &Arc<Inner>, path: PathBuf) {
    let shared = Arc::clone(inner);
    let begin = async move {
        if shared.running().await.is_err() {
            return;
        }
        if let Err(error) =
            shared.recording.start(&shared, Begin { path: Some(path), ..Begin::default() }).await
        {
            tracing::error!("cannot record: {error}");
            shared.status.report(Transition::RecordingFailed { is_always: false }, &error.to_string());
        }
    };
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        runtime.block_on(begin);
    }
}
