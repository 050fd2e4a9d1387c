//! Has the disk keep what was written, without waiting for it.

use std::{
    fs::File,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::time::Mono;

/// How often.
const SYNC_EVERY: Duration = Duration::from_secs(10);

/// A file whose data is synchronized.
#[derive(Debug)]
pub(super) struct Syncing {
    file: Arc<File>,
    begun_at: Mono,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    failed: Option<io::Error>,
}

impl Syncing {
    /// Of a file that others write.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Ok(Self { file: Arc::new(file.try_clone()?), begun_at: Mono(0), state: Arc::default() })
    }

    /// Begins it where it is time; a disk that takes long is waited for by none.
    ///
    /// # Errors
    /// Why the disk did not keep what it took.
    pub(super) fn tick(&mut self, now: Mono) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failed) = state.failed.take() {
            return Err(failed);
        }
        if state.is_running || now.since(self.begun_at) < SYNC_EVERY {
            return Ok(());
        }
        self.begun_at = now;
        state.is_running = true;
        let (file, ended) = (Arc::clone(&self.file), Arc::clone(&self.state));
        let sync = move || {
            let failed = file.sync_data().err();
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = State { is_running: false, failed };
        };
        if let Err(error) = std::thread::Builder::new().name("recording-sync".to_owned()).spawn(sync) {
            // It is tried again when it is time next.
            tracing::warn!("cannot synchronize a recording: {error}");
            state.is_running = false;
        }
        Ok(())
    }
}
