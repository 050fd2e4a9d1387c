//! The host from its start to its end.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, VecDeque},
    path::PathBuf,
    rc::Rc,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use semver::Version;
use tokio::{
    sync::{Notify, mpsc, oneshot},
    task::LocalSet,
    time::{MissedTickBehavior, interval, sleep},
};

use super::{
    credential,
    files::Files,
    guards::Guards,
    handle::{PluginHandle, Request, Shared},
    logs::Logs,
    process::environment,
    restore::{Restored, restore},
    samples::Sampling,
    shared::{Done, Host, Starting, StoreWay},
};
use crate::{
    gate::Gate,
    limits,
    plugin::{
        Command, Refusal,
        supervisor::{Input, Settings, Supervisor},
    },
    store::op::CommitError,
    tap::{Tap, entry::station::Level},
    time::{Clock, Mono},
};

/// Requests of the station that may wait; a further one is refused.
const REQUESTS_MAX: usize = 64;
/// What tasks have done that may wait.
const DONE_MAX: usize = 256;
/// Commits that the store has answered and that may wait.
const COMMITTED_MAX: usize = 16_384;
/// How long what the store had no room for waits.
const RETRY_AFTER: Duration = Duration::from_millis(10);
/// Turns that readers have before a deadline is judged, if they have something to read.
const TURNS_BEFORE_DEADLINE: usize = 64;

/// How plugins are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSettings {
    /// This program, which becomes the guard of each plugin.
    pub program: PathBuf,
    /// The nice value of plugins (`plugins.nice`).
    pub nice: i32,
    /// The version of the host that plugins are told (`plugins.host_version`; ruling Plugins 3).
    pub host_version: Version,
    /// Where credentials come from, by their kind.
    pub sources: BTreeMap<Arc<str>, credential::Source>,
    /// Folders that are served as they lie.
    pub folders: Vec<PathBuf>,
    /// Whether plugins are started with the host.
    pub starts: bool,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            program: PathBuf::from("/proc/self/exe"),
            nice: 5,
            host_version: Version::new(7, 8, 6),
            sources: BTreeMap::new(),
            folders: Vec::new(),
            starts: true,
        }
    }
}

/// Tells a person something that matters so much.
pub(super) type NotifyFn = Box<dyn Fn(Level, &str) + Send + Sync>;

/// What the host is made of.
pub struct Setup {
    /// How plugins are run.
    pub settings: HostSettings,
    /// The bounds.
    pub limits: limits::Plugin,
    /// What may stop frames.
    pub gate: Gate,
    /// Where everything is reported.
    pub tap: Tap,
    /// The clock.
    pub clock: Clock,
    /// The way to the store; nothing while it is opened again.
    pub store: StoreWay,
    /// The station's data folder.
    pub data: PathBuf,
    /// The guards of the plugins that run, for others to ask.
    pub guards: Guards,
    /// Tells a person something that matters so much.
    pub notice: NotifyFn,
    /// Told once it answers.
    pub ready: oneshot::Sender<PluginHandle>,
    /// Ends it, its plugins in order: also when it is dropped.
    pub stop: oneshot::Receiver<()>,
    /// Ends all plugins at once, where it was told to stop before.
    pub kill: Arc<Notify>,
}

/// Why the host ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system refuses what it needs.
    #[error("the plugin host: {0}")]
    Io(#[from] std::io::Error),
    /// The store cannot say what it has of earlier starts.
    #[error("{0}")]
    Store(#[from] CommitError),
}

/// What comes to the host, beside what the tasks of processes hand in.
struct HostChannels {
    requests: mpsc::Receiver<Request>,
    done: mpsc::Receiver<Done>,
    committed: mpsc::Receiver<(crate::ids::Ticket, Result<(), String>)>,
    stop: oneshot::Receiver<()>,
    kill: Arc<Notify>,
    due_earlier: Rc<Notify>,
}

/// Serves plugins until it is told to stop, and they have ended.
///
/// # Errors
/// [`RunError`].
pub async fn run(setup: Setup) -> Result<(), RunError> {
    let local = LocalSet::new();
    local.run_until(serve(setup)).await
}

async fn serve(setup: Setup) -> Result<(), RunError> {
    let Setup { settings, limits, gate, tap, clock, store, data, guards, notice, ready, stop, kill } = setup;
    let data = std::path::absolute(data)?;
    let logs = Logs::new(&data, limits)?;
    let files = Files::new(&data, limits, settings.host_version.clone());
    files.recover();
    let Restored { kept, values, stream, damaged } = restore(&*store, &files).await?;
    for damage in &damaged {
        notice(Level::Error, damage);
    }
    let core_settings = Settings {
        limits,
        host_version: settings.host_version.to_string(),
        folder: data.join("plugins").to_string_lossy().into_owned(),
        sources: settings.sources.keys().cloned().collect(),
    };
    let (asked, requests) = mpsc::channel(REQUESTS_MAX);
    let (done_by, done) = mpsc::channel(DONE_MAX);
    let (committed_by, committed) = mpsc::channel(COMMITTED_MAX);
    let due_earlier = Rc::new(Notify::new());
    let shared = Arc::new(Shared::default());
    shared.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).last_seq = tap.last();
    let failing = Failing(Arc::clone(&shared));
    let mut core = Supervisor::new(clock.now(), core_settings, kept, stream);
    core.keep_values(values);
    let host = Rc::new_cyclic(|own| {
        RefCell::new(Host {
            core,
            limits,
            gate,
            passed: None,
            tap,
            clock,
            store,
            shared: Arc::clone(&shared),
            cause: None,
            children: HashMap::new(),
            guards: guards.clone(),
            replies: BTreeMap::new(),
            next_request: 1,
            sources: settings.sources.clone(),
            files,
            logs,
            notice,
            starting: Starting {
                program: settings.program.clone(),
                env: environment(std::env::vars_os()),
                nice: settings.nice,
            },
            done: done_by,
            committed: committed_by,
            unsaved: VecDeque::new(),
            due_earlier: Rc::clone(&due_earlier),
            waits_until: None,
            putting: None,
            own: own.clone(),
        })
    });
    host.borrow_mut().begin(clock.now(), &settings);
    let _ = ready.send(PluginHandle { shared, requests: asked, guards });
    let comes = HostChannels { requests, done, committed, stop, kill, due_earlier };
    attend(&host, clock, comes).await;
    if let Some(error) = host.borrow().core.unsaved() {
        tracing::error!("the plugin host ends with records that are not kept: {error}");
    }
    // What was staged and is not put into place.
    host.borrow().files.recover();
    drop(failing);
    Ok(())
}

/// Says that the host answers no more, however it ends.
struct Failing(Arc<Shared>);

impl Drop for Failing {
    fn drop(&mut self) {
        self.0.has_failed.store(true, Ordering::Relaxed);
    }
}

impl Host {
    fn begin(&mut self, now: crate::time::Now, settings: &HostSettings) {
        self.drain(now, None, &[]);
        if settings.starts {
            self.core.start_all(now);
        }
        self.drain(now, None, &[]);
        for folder in &settings.folders {
            let folder = folder.to_string_lossy().into_owned();
            let (answer, answered) = oneshot::channel();
            let serve = Command::Serve { folder: folder.clone(), grant: None, command: None };
            self.command(serve, None, None, None, answer);
            let own = self.own.clone();
            tokio::task::spawn_local(async move {
                let Ok(Err(refusal)) = answered.await else { return };
                if let Some(host) = own.upgrade() {
                    host.borrow().on_not_served(&folder, &refusal);
                }
            });
        }
    }

    /// A folder of the configuration is no plugin: once it is, the host can be started anew.
    fn on_not_served(&self, folder: &str, refusal: &Refusal) {
        let hint = refusal.hint();
        let text = format!(
            "{folder} is not served: {refusal} ({hint}, `rl-console host restart plugin` serves it then)"
        );
        (self.notice)(Level::Warn, &text);
    }
}

async fn attend(host: &Rc<RefCell<Host>>, clock: Clock, mut comes: HostChannels) {
    let mut sampling = Sampling::new(clock, host.borrow().guards.clone());
    let mut retrying = interval(RETRY_AFTER);
    retrying.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut is_stopping, mut is_asked) = (false, true);
    while !(host.borrow().core.has_stopped() && host.borrow().unsaved.is_empty()) {
        let due = host.borrow().core.timeout();
        host.borrow_mut().waits_until = due;
        let until_due = due.map_or(Duration::MAX, |at| clock.until(at));
        let has_unsaved = !host.borrow().unsaved.is_empty();
        tokio::select! {
            biased;
            _ = &mut comes.stop, if !is_stopping => {
                is_stopping = true;
                host.borrow_mut().stop();
            }
            () = comes.kill.notified(), if is_stopping => host.borrow_mut().kill_all(),
            Some((ticket, result)) = comes.committed.recv() => {
                host.borrow_mut().on_committed(ticket, result);
            }
            Some(done) = comes.done.recv() => host.borrow_mut().on_done(done),
            _ = retrying.tick(), if has_unsaved => host.borrow_mut().retry(),
            () = sleep(until_due), if due.is_some() => judge_deadline(host, due).await,
            () = comes.due_earlier.notified() => {}
            sampled = sampling.next() => {
                for (plugin, sample) in sampled {
                    host.borrow_mut().sampled(&plugin, sample);
                }
                host.borrow_mut().emit_losses();
            }
            request = comes.requests.recv(), if is_asked => match request {
                Some(request) => host.borrow_mut().request(request),
                None => is_asked = false,
            },
        }
    }
}

/// Judges what is due; what has arrived is handled before.
async fn judge_deadline(host: &Rc<RefCell<Host>>, due: Option<Mono>) {
    for _ in 0..TURNS_BEFORE_DEADLINE {
        tokio::task::yield_now().await;
        if !host.borrow().is_reading() {
            break;
        }
    }
    if host.borrow().core.timeout() <= due {
        host.borrow_mut().input(Input::Timeout);
    }
}
