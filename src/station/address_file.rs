//! Where hosts answer, noted in the data folder for those who are given that folder (ruling RMP 15), for as
//! long as they are served.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{runtime::Runtime, task::AbortHandle};

use super::{status::StationStatus, supervisor::Foundation, ticks::Ticks};
use crate::{private_files, store::FolderWatch, tap::entry::station::Level};

/// The file of a data folder that holds the path of its station's socket.
pub(crate) const PATH_FILE: &str = "rmp.path";
/// The file of a data folder that holds the address of its station's MACP port.
pub(crate) const ADDR_FILE: &str = "macp.addr";
/// The file of a data folder that holds the address of its station's MPP port.
pub(crate) const MPP_FILE: &str = "mpp.addr";
/// The file of a data folder that holds the address at which its station's metrics are read.
pub(crate) const METRICS_FILE: &str = "metrics.addr";
/// How often it is looked whether it is still there.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// A note of a data folder.
#[derive(Clone, Debug)]
pub(super) struct AddressFile {
    place: NotePlace,
    /// What stands there, its line's end aside.
    text: Vec<u8>,
    /// Whose clients go by it.
    host: &'static str,
}

/// Where a note stands. Clones are the same place.
#[derive(Clone, Debug)]
struct NotePlace {
    file: PathBuf,
    watch: Arc<FolderWatch>,
    /// Whether nothing is to be written any more. It is held by who writes: what has begun when a note ends
    /// is over before it is taken away.
    is_over: Arc<Mutex<bool>>,
}

impl NotePlace {
    fn new(data: &Path, name: &str, watch: Arc<FolderWatch>) -> Self {
        Self { file: data.join(name), watch, is_over: Arc::default() }
    }

    fn of(Foundation { config, lock, .. }: &Foundation, name: &str) -> Self {
        Self::new(&config.data, name, lock.watch())
    }

    /// Does something to the file, unless the folder is another's by now.
    fn alter(&self, work: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        self.watch.check()?;
        self.file.parent().map_or(Ok(()), private_files::check_folder)?;
        work(&self.file)
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let is_over = self.lock();
        if *is_over { Ok(()) } else { self.alter(|file| private_files::replace(file, bytes)) }
    }
}

/// A note that is kept up until this is dropped.
#[derive(Debug)]
pub(super) struct FileGuard {
    place: NotePlace,
    /// Whether it stays behind for the next start.
    is_lasting: bool,
    task: AbortHandle,
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        self.task.abort();
        let mut is_over = self.place.lock();
        *is_over = true;
        if !self.is_lasting {
            // Gone already, or it leads to where nobody answers, or it is another station's.
            let _ = self.place.alter(|file| fs::remove_file(file));
        }
    }
}

impl AddressFile {
    pub(super) fn new(foundation: &Foundation, name: &str, text: &[u8], host: &'static str) -> Self {
        Self::at(NotePlace::of(foundation, name), text, host)
    }

    /// Takes away what a station has left that did not end by itself: another one may listen there.
    pub(super) fn forget(foundation: &Foundation, name: &str) {
        // Most often there is none.
        let _ = NotePlace::of(foundation, name).alter(|file| fs::remove_file(file));
    }

    fn at(place: NotePlace, text: &[u8], host: &'static str) -> Self {
        Self { place, text: text.to_vec(), host }
    }

    /// Writes it, and says where that fails: clients that are told the place find it all the same.
    fn write_or_warn(&self, board: &StationStatus) {
        if let Err(error) = self.write() {
            board.notice(Level::Warn, &self.failed(&error));
        }
    }

    /// Writes it and keeps it up, until what is given is dropped, which takes it away.
    pub(super) fn guarded(self, board: &StationStatus, hosts: &Runtime) -> FileGuard {
        self.write_or_warn(board);
        let place = self.place.clone();
        let task = hosts.spawn(self.maintain(board.clone())).abort_handle();
        FileGuard { place, is_lasting: false, task }
    }

    /// Writes it and keeps it up, until what is given is dropped; it stays behind for the next start.
    pub(super) fn lasting(self, board: &StationStatus, hosts: &Runtime) -> FileGuard {
        let mut guard = self.guarded(board, hosts);
        guard.is_lasting = true;
        guard
    }

    /// Writes a note as soon as it is known what to note, and keeps it up, until what is given is dropped,
    /// which takes it away.
    pub(super) fn guarded_when(
        foundation: &Foundation,
        name: &str,
        host: &'static str,
        board: &StationStatus,
        known: impl Future<Output = Option<String>> + Send + 'static,
    ) -> FileGuard {
        let place = NotePlace::of(foundation, name);
        Self::forget(foundation, name);
        let (at, board) = (place.clone(), board.clone());
        let task = foundation.runtime.spawn(async move {
            let Some(text) = known.await else { return };
            let note = Self::at(at, text.as_bytes(), host);
            let (this, told) = (note.clone(), board.clone());
            if tokio::task::spawn_blocking(move || this.write_or_warn(&told)).await.is_ok() {
                note.maintain(board).await;
            }
        });
        FileGuard { place, is_lasting: false, task: task.abort_handle() }
    }

    /// Writes it anew where somebody took it away or changed it, until it is dropped.
    async fn maintain(self, board: StationStatus) {
        let mut ticks = Ticks::every(LOOK_EVERY, board.clock());
        let mut told = None;
        loop {
            ticks.tick().await;
            let this = self.clone();
            let Ok(looked) = tokio::task::spawn_blocking(move || this.look()).await else { return };
            let (level, text) = match looked {
                Ok(false) => {
                    told = None;
                    continue;
                }
                Ok(true) => {
                    (Level::Info, format!("{} was removed or changed; rewrote it", self.place.file.display()))
                }
                Err(error) => (Level::Warn, self.failed(&error)),
            };
            if told.as_ref() != Some(&text) {
                board.notice(level, &text);
            }
            told = Some(text);
        }
    }

    /// Writes it if it does not stand there; whether it did not.
    fn look(&self) -> io::Result<bool> {
        match private_files::open(&self.place.file).and_then(private_files::read_small) {
            Ok(bytes) if bytes == self.bytes() => Ok(false),
            _ => self.write().map(|()| true),
        }
    }

    fn write(&self) -> io::Result<()> {
        self.place.write(&self.bytes())
    }

    fn bytes(&self) -> Vec<u8> {
        [&self.text[..], b"\n"].concat()
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("{}: {error}: clients cannot find {} through --data", self.place.file.display(), self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{limits, store::Lock, tap::Tap, time::Clock};

    fn note(data: &Path, lock: &Lock, text: &[u8]) -> AddressFile {
        AddressFile::at(NotePlace::new(data, PATH_FILE, lock.watch()), text, "the bus")
    }

    fn status(data: &Path) -> StationStatus {
        StationStatus::new(data, Tap::new(limits::Tap::default()), Clock::start(), 200, false)
    }

    #[test]
    fn of_a_folder_that_was_moved_nothing_is_written_where_another_is_at_home() {
        let folder = tempfile::tempdir().unwrap();
        let (data, away) = (folder.path().join("data"), folder.path().join("away"));
        let (lock, hosts) = (Lock::take(&data).unwrap(), Runtime::new().unwrap());
        let ours = note(&data, &lock, b"/ours");
        let guard = ours.clone().guarded(&status(&data), &hosts);
        fs::rename(&data, &away).unwrap();
        let theirs = Lock::take(&data).unwrap();
        assert!(note(&data, &theirs, b"/theirs").look().unwrap());
        let error = ours.look().unwrap_err().to_string();
        assert!(error.contains("was moved, replaced or removed"), "{error}");
        drop(guard);
        assert_eq!(fs::read_to_string(data.join(PATH_FILE)).unwrap(), "/theirs\n", "nor is it removed");
    }

    #[test]
    fn a_note_that_is_over_is_not_written_again() {
        let data = tempfile::tempdir().unwrap();
        let lock = Lock::take(data.path()).unwrap();
        let (hosts, status, file) =
            (Runtime::new().unwrap(), status(data.path()), data.path().join(PATH_FILE));
        let recorded = note(data.path(), &lock, b"/s");
        // As a look that had begun when the note ended.
        let begun = recorded.clone();
        drop(recorded.guarded(&status, &hosts));
        begun.look().unwrap();
        assert!(!file.exists());
        let recorded = note(data.path(), &lock, b"/s");
        let begun = recorded.clone();
        drop(recorded.lasting(&status, &hosts));
        assert!(file.exists(), "it stays for the next start");
        fs::write(&file, "/of the next\n").unwrap();
        begun.look().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "/of the next\n");
    }

    #[test]
    fn a_note_that_is_gone_or_another_is_written_anew_and_one_that_stands_is_left() {
        let data = tempfile::tempdir().unwrap();
        let lock = Lock::take(data.path()).unwrap();
        let recorded = note(data.path(), &lock, b"/run/a b.sock");
        let file = data.path().join(PATH_FILE);
        assert!(recorded.look().unwrap(), "it was never written");
        assert!(!recorded.look().unwrap());
        for spoil in [
            |file: &Path| fs::remove_file(file).unwrap(),
            |file: &Path| fs::write(file, "/elsewhere\n").unwrap(),
        ] {
            spoil(&file);
            assert!(recorded.look().unwrap());
            assert_eq!(fs::read_to_string(&file).unwrap(), "/run/a b.sock\n");
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(recorded.look().is_err(), "what cannot be written is said");
    }
}
