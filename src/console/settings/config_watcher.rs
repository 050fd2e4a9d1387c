//! Looks that change while the console runs: a thread asks once a second, and the loop is told.

use std::{
    fmt,
    sync::{Arc, mpsc as blocking},
    thread,
    time::Duration,
};

use tokio::sync::mpsc;

use super::AppearanceSettings;

/// How often it is asked whether something changed.
const INTERVAL: Duration = Duration::from_secs(1);
/// Changes that wait to be taken in. A console that takes in none keeps the asking waiting.
const WAITING_MAX: usize = 2;

/// Where looks come from: files that can change at any time.
pub trait ConfigSource: fmt::Debug + Send + Sync {
    /// What changed since it was asked last; nothing while nothing did. It may read files: it is never asked
    /// on the thread that draws.
    fn poll(&self) -> Option<Reload>;
}

/// Looks, read again.
#[derive(Clone, Debug)]
pub struct Reload {
    /// Those in force now. What cannot be used is as it was before.
    pub appearance: AppearanceSettings,
    /// All that is wrong now; empty once it is mended.
    pub faults: Vec<Fault>,
    /// What changed and takes effect at the next start, each as `key = value`.
    pub later: Vec<String>,
}

/// Something in a file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Fault {
    /// `file:line:column`, or the file.
    pub place: String,
    /// The fault.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// A thread that asks. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct ConfigWatcher {
    reloads: mpsc::Receiver<Reload>,
    _end: blocking::SyncSender<()>,
}

impl ConfigWatcher {
    /// Asks now, and then once a second. Without a source, or when the system gives no thread for it, there
    /// is never anything new.
    pub(crate) fn spawn(source: Option<Arc<dyn ConfigSource>>) -> Self {
        let (told, reloads) = mpsc::channel(WAITING_MAX);
        let (end, ended) = blocking::sync_channel(0);
        if let Some(source) = source {
            let ask = move || poll_until_dropped(&*source, &told, &ended);
            if let Err(error) = thread::Builder::new().name("lookout".to_owned()).spawn(ask) {
                tracing::warn!(%error, "configuration and themes are not watched for changes: no thread available");
            }
        }
        Self { reloads, _end: end }
    }

    /// The next change.
    pub(crate) async fn next(&mut self) -> Reload {
        match self.reloads.recv().await {
            Some(reload) => reload,
            None => std::future::pending().await,
        }
    }
}

fn poll_until_dropped(
    source: &dyn ConfigSource,
    reloads: &mpsc::Sender<Reload>,
    ended: &blocking::Receiver<()>,
) {
    loop {
        if let Some(reload) = source.poll()
            && reloads.blocking_send(reload).is_err()
        {
            return;
        }
        if ended.recv_timeout(INTERVAL) != Err(blocking::RecvTimeoutError::Timeout) {
            return;
        }
    }
}
