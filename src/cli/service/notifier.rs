//! Tells the service manager how the station is, from a thread of its own: a manager that does not listen
//! holds nothing up.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::Duration,
};

use sd_notify::NotifyState;

use crate::cli::env::Env;

/// How long the end waits for the last words to leave.
const FLUSH_MAX: Duration = Duration::from_millis(300);

/// The next notification. What was not sent yet is sent together, of the statuses the last alone.
#[derive(Debug, Default)]
struct Next {
    is_ready: bool,
    is_stopping: bool,
    is_alive: bool,
    status: Option<String>,
}

/// The way to the service manager; it leads nowhere where nobody asked to be told.
#[derive(Debug, Default)]
pub(crate) struct Notifier(Option<Notified>);

#[derive(Debug)]
struct Notified {
    next: Arc<Mutex<Next>>,
    wake: SyncSender<()>,
    stopped: Receiver<()>,
    watchdog: Option<Duration>,
}

impl Notifier {
    /// Begins to tell, if the environment asks for it.
    pub(crate) fn start(env: &Env) -> Self {
        if !env.is_notified {
            return Self::default();
        }
        let next = Arc::<Mutex<Next>>::default();
        let (wake, woken) = sync_channel(1);
        let (end, stopped) = sync_channel(1);
        let taken = Arc::clone(&next);
        let spawned = std::thread::Builder::new()
            .name("notify".to_owned())
            .spawn(move || notify_all(&woken, &taken, &end));
        if let Err(error) = spawned {
            tracing::warn!("cannot notify the service manager: {error}");
            return Self::default();
        }
        Self(Some(Notified { next, wake, stopped, watchdog: env.watchdog }))
    }

    /// Whether anybody asked to be told.
    pub(crate) fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    /// Within what time the manager wants to hear again that the station is alive, if it does.
    pub(crate) fn watchdog(&self) -> Option<Duration> {
        self.0.as_ref().and_then(|told| told.watchdog)
    }

    /// Everything answers, or has said why it does not.
    pub(crate) fn ready(&self, status: String) {
        self.update(|next| {
            next.is_ready = true;
            next.status = Some(status);
        });
    }

    /// How everything is, in a line.
    pub(crate) fn status(&self, status: String) {
        self.update(|next| next.status = Some(status));
    }

    /// The station answers.
    pub(crate) fn alive(&self) {
        self.update(|next| next.is_alive = true);
    }

    /// The station is going down. Waits for a moment until it is told.
    pub(crate) fn stopping(&self) {
        self.update(|next| {
            next.is_stopping = true;
            next.status = Some("stopping".to_owned());
        });
        if let Some(told) = &self.0 {
            let _ = told.stopped.recv_timeout(FLUSH_MAX);
        }
    }

    fn update(&self, change: impl FnOnce(&mut Next)) {
        let Some(told) = &self.0 else { return };
        change(&mut told.next.lock().unwrap_or_else(PoisonError::into_inner));
        // Where it is full the thread is woken already, and finds this.
        let _ = told.wake.try_send(());
    }
}

fn notify_all(woken: &Receiver<()>, next: &Mutex<Next>, end: &SyncSender<()>) {
    let mut has_failed = false;
    let mut told: Option<String> = None;
    for () in woken {
        let Next { is_ready, is_stopping, is_alive, status } =
            std::mem::take(&mut *next.lock().unwrap_or_else(PoisonError::into_inner));
        let mut words = Vec::new();
        words.extend(is_ready.then_some(NotifyState::Ready));
        words.extend(is_stopping.then_some(NotifyState::Stopping));
        words.extend(is_alive.then_some(NotifyState::Watchdog));
        // A line ends the word: what comes after it would be another.
        let status = status.map(|status| status.replace(['\n', '\r'], " "));
        let status = status.filter(|status| told.as_ref() != Some(status));
        words.extend(status.as_deref().map(NotifyState::Status));
        if words.is_empty() {
            continue;
        }
        if let Err(error) = sd_notify::notify(&words)
            && !std::mem::replace(&mut has_failed, true)
        {
            tracing::warn!("cannot notify the service manager: {error}");
        }
        told = status.or(told);
        if is_stopping {
            let _ = end.try_send(());
        }
    }
}
