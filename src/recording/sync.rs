//! Has the disk keep what was written, without waiting for it.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, sync_channel},
    },
    time::Duration,
};

use super::files;
use crate::time::Mono;

/// How often.
const SYNC_EVERY: Duration = Duration::from_secs(10);
/// How long the end of a recording waits for the disk.
const END_MAX: Duration = Duration::from_secs(1);

/// A file whose data is synchronized.
#[derive(Debug)]
pub(super) struct Syncing {
    file: Arc<File>,
    folder: PathBuf,
    /// Whether it had a name at first: there are file systems that do not say.
    is_named: bool,
    begun_at: Mono,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    failed: Option<io::Error>,
}

impl Syncing {
    /// Of a file that others write, which says so as long as it is open.
    pub(super) fn of(path: &Path, file: &File) -> io::Result<Self> {
        files::lock(file);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        let (file, is_named) = (Arc::new(file.try_clone()?), file.metadata()?.nlink() > 0);
        Ok(Self { file, folder, is_named, begun_at: Mono(0), state: Arc::default() })
    }

    /// Whether it has no name any longer, so that what is written to it goes with the process. One that was
    /// moved is still there.
    pub(super) fn is_removed(&self) -> bool {
        self.is_named && self.file.metadata().is_ok_and(|file| file.nlink() == 0)
    }

    /// Removes it, where this is its name still. Whether it is gone.
    pub(super) fn remove(&self, path: &Path) -> bool {
        let is_it = |named: &fs::Metadata| {
            let file = self.file.metadata();
            file.is_ok_and(|file| (named.dev(), named.ino()) == (file.dev(), file.ino()))
        };
        fs::symlink_metadata(path).is_ok_and(|named| is_it(&named)) && fs::remove_file(path).is_ok()
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
        drop(state);
        let file = Arc::clone(&self.file);
        self.spawn(move || file.sync_data());
        Ok(())
    }

    /// The file is finished, and is kept with its name. A failure is one of the file that follows it.
    pub(super) fn finish(&self) -> Receiver<()> {
        let (file, folder) = (Arc::clone(&self.file), self.folder.clone());
        self.spawn(move || {
            file.sync_all()?;
            // There are file systems on which a folder is not kept by itself.
            if let Err(error) = File::open(&folder).and_then(|folder| folder.sync_all()) {
                tracing::warn!("cannot sync {}: {error}", folder.display());
            }
            Ok(())
        })
    }

    /// The same of the last file, for a while.
    ///
    /// # Errors
    /// Why the disk did not keep it.
    pub(super) fn end(&self) -> io::Result<()> {
        if self.finish().recv_timeout(END_MAX).is_err() {
            tracing::warn!("the disk has not kept the end of a recording within {} s", END_MAX.as_secs());
        }
        self.state.lock().unwrap_or_else(PoisonError::into_inner).failed.take().map_or(Ok(()), Err)
    }

    /// The next file's, with what became of the ones before.
    pub(super) fn follow(self, before: &Self) -> Self {
        Self { state: Arc::clone(&before.state), ..self }
    }

    fn spawn(&self, sync: impl FnOnce() -> io::Result<()> + Send + 'static) -> Receiver<()> {
        let (done, is_done) = sync_channel(1);
        let ended = Arc::clone(&self.state);
        let run = move || {
            let failed = sync().err();
            let mut state = ended.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_running = false;
            state.failed = state.failed.take().or(failed);
            drop(state);
            // It may not be waited for.
            let _ = done.try_send(());
        };
        if let Err(error) = std::thread::Builder::new().name("recording-sync".to_owned()).spawn(run) {
            // It is tried again when it is time next.
            tracing::warn!("cannot synchronize a recording: {error}");
            self.state.lock().unwrap_or_else(PoisonError::into_inner).is_running = false;
        }
        is_done
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;

    fn is_begun_at(syncing: &Syncing, seconds: u64) -> bool {
        syncing.begun_at == Mono(0) + Duration::from_secs(seconds)
    }

    /// Waits until the disk has answered.
    fn settle(syncing: &Syncing) {
        while syncing.state.lock().unwrap().is_running {
            std::thread::yield_now();
        }
    }

    #[test]
    fn every_ten_seconds_the_disk_is_asked() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut syncing = Syncing::of(file.path(), file.as_file()).unwrap();
        for (seconds, begun) in [(9, 0), (10, 10), (19, 10), (20, 20), (45, 45)] {
            syncing.tick(Mono(0) + Duration::from_secs(seconds)).unwrap();
            settle(&syncing);
            assert!(is_begun_at(&syncing, begun), "{seconds}: {syncing:?}");
        }
        syncing.end().unwrap();
    }

    #[test]
    fn a_disk_that_keeps_nothing_is_told_of_once() {
        // Nothing keeps what is written to a pipe.
        let (_reader, writer) = io::pipe().unwrap();
        let file = File::from(OwnedFd::from(writer));
        let mut syncing = Syncing::of(Path::new("pipe"), &file).unwrap();
        let tick = |syncing: &mut Syncing, seconds| {
            let told = syncing.tick(Mono(0) + Duration::from_secs(seconds));
            settle(syncing);
            told.map_err(|error| error.kind())
        };
        assert_eq!(tick(&mut syncing, 10), Ok(()), "it is not waited for");
        assert_eq!(tick(&mut syncing, 11), Err(io::ErrorKind::InvalidInput));
        assert_eq!(tick(&mut syncing, 12), Ok(()));
        let next = Syncing::of(Path::new("pipe"), &file).unwrap();
        assert_eq!(tick(&mut syncing, 21), Ok(()));
        let mut next = next.follow(&syncing);
        assert_eq!(tick(&mut next, 22), Err(io::ErrorKind::InvalidInput), "that of the file before it");
    }
}
