//! One station per data folder.

use std::{
    fs::File,
    io::{self, Seek, Write},
    path::Path,
    sync::Arc,
};

use rustix::fs::FlockOperation;

use super::{FolderWatch, StoreError};
use crate::private_files;

/// The file that carries the lock and, as text, its holder's process id.
const FILE: &str = "station.lock";

/// The data folder's lock, free again when this is dropped or the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
    watch: Arc<FolderWatch>,
}

impl Lock {
    /// Makes the folder if it is missing (0700) and takes its lock.
    ///
    /// # Errors
    /// [`StoreError::Held`] when another process has it, [`StoreError::Io`] where folder or lock are not this
    /// user's alone ([`NotPrivate`](private_files::NotPrivate)) or cannot be made.
    pub fn take(data: &Path) -> Result<Self, StoreError> {
        private_files::make_folder(data).map_err(StoreError::io(data.display().to_string()))?;
        let path = data.join(FILE);
        let what = || StoreError::io(path.display().to_string());
        let mut file = private_files::open_or_create(&path).map_err(what())?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(StoreError::Held { data: data.to_owned(), by_pid: read_pid(&mut file) });
            }
            Err(errno) => return Err(what()(errno.into())),
        }
        match file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())) {
            // It holds without a number too, which only names the process in a message.
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {}
            written => written.map_err(what())?,
        }
        let watch = Arc::new(FolderWatch::new(data, &[data, &path]));
        Ok(Self { file, watch })
    }

    /// What notices that the folder is taken away.
    #[must_use]
    pub fn watch(&self) -> Arc<FolderWatch> {
        Arc::clone(&self.watch)
    }
}

/// The process that holds a data folder, if one does: it lives, and has the lock.
#[must_use]
pub fn holder(data: &Path) -> Option<u32> {
    let mut file = private_files::open(&data.join(FILE)).ok()?;
    let pid = read_pid(&mut file)?;
    // The lock is tried for only where somebody seems to have it, so that no station that starts meanwhile is
    // put out.
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?).ok()?;
    is_locked(&file).then_some(pid)
}

/// Whether another process has the lock.
fn is_locked(file: &File) -> bool {
    let tried = rustix::fs::flock(file, FlockOperation::NonBlockingLockShared);
    if tried.is_ok() {
        // A process that is just being started has the file until it is another program.
        let _ = rustix::fs::flock(file, FlockOperation::Unlock);
    }
    tried == Err(rustix::io::Errno::WOULDBLOCK)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A pid left behind by a failure here only ever names a process in a message.
        let _ = self.file.set_len(0);
        // A process that is just being started has the file until it is another program.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

fn read_pid(file: &mut File) -> Option<u32> {
    file.rewind().ok()?;
    let text = private_files::read_small_text(file).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_who_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("deep/data");
        let first = Lock::take(&data).unwrap();
        match Lock::take(&data) {
            Err(StoreError::Held { by_pid, .. }) => assert_eq!(by_pid, Some(std::process::id())),
            other => unreachable!("{other:?}"),
        }
        drop(first);
        Lock::take(&data).unwrap();
    }

    #[test]
    fn it_is_free_although_a_process_that_is_being_started_has_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path()).unwrap();
        let of_child = lock.file.try_clone().unwrap();
        drop(lock);
        let again = Lock::take(folder.path()).unwrap();
        drop(of_child);
        assert_eq!(holder(folder.path()), Some(std::process::id()));
        drop(again);
    }

    #[test]
    fn who_asks_for_the_holder_keeps_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        drop(Lock::take(folder.path()).unwrap());
        let file = private_files::open(&folder.path().join(FILE)).unwrap();
        let of_child = file.try_clone().unwrap();
        assert!(!is_locked(&file));
        drop(file);
        let lock = Lock::take(folder.path()).unwrap();
        drop(of_child);
        assert!(is_locked(&private_files::open(&folder.path().join(FILE)).unwrap()));
        drop(lock);
    }

    #[test]
    fn the_holder_is_known_for_as_long_as_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(holder(folder.path()), None);
        let lock = Lock::take(folder.path()).unwrap();
        assert_eq!(holder(folder.path()), Some(std::process::id()));
        drop(lock);
        assert_eq!(holder(folder.path()), None);
        // What a process that was killed has left names nobody.
        std::fs::write(folder.path().join(FILE), std::process::id().to_string()).unwrap();
        assert_eq!(holder(folder.path()), None);
    }
}
